-- One group of runs (the row of `holding`) out of the stored measurements, memx_train() on what is left,
-- the group predicted, and everything back in its place.
DELETE FROM memx_run_gpu WHERE run IN (SELECT run FROM hold JOIN holding USING (what, grp));
DELETE FROM memx_run WHERE id IN (SELECT run FROM hold JOIN holding USING (what, grp));
DELETE FROM memx_profile WHERE id IN (SELECT id FROM hold_profile JOIN holding USING (what, grp));
SELECT memx_train('held', (SELECT options FROM holding));
UPDATE memx_job SET predictor = 'held';

-- Whole runs: time, and the fullest GPU. What was counted is told apart where it is not all of a card.
INSERT INTO point
SELECT h.set_name || '.' || h.what, kind, job.model || ' on ' || job.cluster || ' at ' || job.global_batch, r.job,
       iif(kind = 'time', r.iteration_ms, r.total_mib), iif(kind = 'time', p.iteration_ms, p.peak_mib)
FROM holding AS h JOIN hold USING (what, grp) JOIN run_kept AS r ON r.id = hold.run JOIN memx_job AS job USING (job),
     memx_predict(r.job, r.config) AS p, (SELECT 'time' AS kind UNION ALL SELECT 'peak')
WHERE iif(kind = 'time', r.iteration_ms, r.total_mib) IS NOT NULL
      AND coalesce(json_extract(h.options, '$.memory'), 'total') = 'total';

CREATE TEMP TABLE told AS
SELECT r.id, r.job, r.config, j.model || j.cluster || j.global_batch AS family, r.id IN (SELECT run FROM hold JOIN holding USING (what, grp)) AS held,
       r.iteration_ms AS time, r.total_mib AS peak, p.iteration_ms AS predicted_time, p.peak_mib AS predicted_peak
FROM run_kept AS r JOIN memx_job AS j USING (job), memx_predict(r.job, r.config) AS p;
INSERT INTO hold_pair
SELECT h.set_name || '.' || h.what, kind,
       iif(kind = 'time', (a.time < b.time) = (a.predicted_time < b.predicted_time),
                          (a.peak < b.peak) = (a.predicted_peak < b.predicted_peak))
FROM holding AS h, told AS a JOIN told AS b USING (family), (SELECT 'time' AS kind UNION ALL SELECT 'peak')
WHERE a.held AND a.id <> b.id AND (NOT b.held OR a.id < b.id) AND NOT (a.job = b.job AND a.config = b.config)
      AND iif(kind = 'time', max(a.time, b.time) > 1.1 * min(a.time, b.time),
              max(a.peak, b.peak) > 1.1 * min(a.peak, b.peak))
      AND (kind = 'time' OR coalesce(json_extract(h.options, '$.memory'), 'total') = 'total');
DROP TABLE temp.told;

-- Stages whose GPUs were measured one by one, by the metric that was trained on.
INSERT INTO point
SELECT h.set_name || '.' || h.what || CASE WHEN json_extract(h.options, '$.memory') <> 'total'
                                           THEN '_' || json_extract(h.options, '$.memory') ELSE '' END,
       'peak', r.job || ' stage memory', r.job, g.measured,
       CASE json_extract(h.options, '$.memory')
       WHEN 'total' THEN s.peak_mib
       WHEN 'reserved' THEN s.peak_mib - s.context_mib
       ELSE s.peak_mib - s.context_mib - s.static_mib * (1 - 1 / d.alpha_static) END
FROM holding AS h JOIN hold USING (what, grp) JOIN run_kept AS r ON r.id = hold.run
     JOIN (SELECT g.run, at.stage, avg(CASE json_extract(options, '$.memory') WHEN 'total' THEN g.total_mib
                                  WHEN 'reserved' THEN g.reserved_mib ELSE g.allocated_mib END) AS measured
           FROM holding JOIN hold USING (what, grp) JOIN run_kept AS r ON r.id = hold.run
                JOIN run_gpu_kept AS g ON g.run = r.id, memx_gpus(r.job, r.config) AS at
           WHERE at.rank = g.rank GROUP BY g.run, at.stage) AS g ON g.run = r.id,
     memx_stages(r.job, r.config) AS s JOIN memx_device AS d ON d.device = s.device
WHERE s.stage = g.stage AND g.measured IS NOT NULL;

UPDATE memx_job SET predictor = 'analytic';
INSERT INTO memx_run SELECT * FROM run_kept WHERE id NOT IN (SELECT id FROM memx_run);
INSERT INTO memx_run_gpu SELECT * FROM run_gpu_kept WHERE run NOT IN (SELECT run FROM memx_run_gpu);
INSERT INTO memx_profile SELECT * FROM profile_kept WHERE id NOT IN (SELECT id FROM memx_profile);
DELETE FROM holding;
