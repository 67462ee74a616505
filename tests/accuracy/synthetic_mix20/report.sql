-- The lines of the report: the mean over seeds, in the note the worst of them and what is to be reached.
CREATE TABLE what(place INTEGER PRIMARY KEY, what TEXT, text TEXT);
INSERT INTO what(what, text) VALUES
    ('by_design', 'as memx_train() leaves it'), ('analytic', 'nothing learned'),
    ('calibrated', 'no residual: trees never'), ('trees_always', 'whatever validation says of the trees'),
    ('no_augmentation', 'trees_always without interpolated rows'),
    ('jittered', 'no_augmentation on as many points off the corners'),
    ('no_calibration', 'trees on the analytic model as it is'),
    ('no_analytic_features', 'no_calibration without its figures as features'),
    ('raw_labels', 'trees on the logarithms themselves');
-- worst: max or min over seeds. published: the MemX paper's, on its own cluster.
CREATE TABLE metric(place INTEGER PRIMARY KEY, metric TEXT, unit TEXT, digits INTEGER, worst TEXT, limits REAL, text TEXT);
INSERT INTO metric(metric, unit, digits, worst, limits, text) VALUES
    ('time_mape', '%', 2, 'max', 12.17, 'iteration time of 1,628 configurations; published: 12.17'),
    ('max_error', '%', 2, 'max', 29.77, 'the greatest of these; published: 29.77'),
    ('over_50', '%', 2, 'max', 0, 'configurations off by more than 50 %; published: none'),
    ('peak_mape', '%', 2, 'max', 6.5, 'reserved memory of each GPU; published: 6.5'),
    ('peak_max_error', '%', 2, 'max', NULL, 'the greatest of these'),
    ('spearman', '', 4, 'min', 0.90, 'true iteration time, within job and sequence length; published: 0.90'),
    ('phi_spearman', '', 4, 'min', 0.90, 'the same of phi'),
    ('first_time', '%', 2, 'max', 2, 'job mix20: true iteration time of the predicted first above the least'),
    ('first_time_is_best', 'seeds', 0, NULL, NULL, 'in which it is the least'),
    ('first_phi', '%', 2, 'max', 2, 'job mix20: true phi of the predicted first above the least'),
    ('first_phi_is_best', 'seeds', 0, NULL, NULL, 'in which it is the least'),
    ('firsts_time', '%', 2, 'max', 2, 'first_time, mean over jobs and lengths with 50 configurations or more'),
    ('firsts_phi', '%', 2, 'max', 2, 'first_phi, the same'),
    ('stage_time_mape', '%', 2, 'max', NULL, 'records of stages that were not trained on'),
    ('stage_max_error', '%', 2, 'max', NULL, 'the greatest of these'),
    ('stage_over_50', '%', 2, 'max', NULL, 'of them off by more than 50 %'),
    ('measured', 'rows', 0, NULL, NULL, 'stages in the design, a seed'),
    ('augmented', 'rows', 0, NULL, NULL, 'interpolated between them'),
    ('time_trees', 'seeds', 0, NULL, NULL, 'in which validation let the trees of time pass'),
    ('peak_trees', 'seeds', 0, NULL, NULL, 'in which it let those of memory pass'),
    ('test_rows', 'rows', 0, NULL, NULL, 'records tested, a seed');
SELECT 'synthetic_mix20.' || w.what || '.' || m.metric,
       CASE WHEN m.unit = 'seeds' THEN printf('%d', sum(s.value)) ELSE printf('%.*f', m.digits, avg(s.value)) END,
       m.unit,
       printf('synthetic, %s: %s', w.text, m.text)
       || CASE m.worst WHEN 'max' THEN printf('; worst of %d seeds %.*f', count(*), m.digits, max(s.value))
                       WHEN 'min' THEN printf('; worst of %d seeds %.*f', count(*), m.digits, min(s.value))
                       ELSE printf('; %d seeds', count(*)) END
       || CASE WHEN m.limits IS NULL OR w.what <> 'by_design' THEN ''
               ELSE printf('; target %g: met in %d', m.limits,
                           sum(iif(m.worst = 'max', s.value <= m.limits, s.value >= m.limits))) END
FROM seen AS s JOIN what AS w USING (what) JOIN metric AS m USING (metric)
GROUP BY w.place, m.place ORDER BY w.place, m.place;
