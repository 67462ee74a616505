-- What recompute_plan promises, checked on every layout of the demo's jobs: a 0 where a line counts what
-- breaks a promise.

-- Layouts (degrees, devices, layers): all those of the demo jobs' own rows, each with its fastest row;
-- and some with every choice of levels, fitting or not. Feasible means 10 % free on every card.
INSERT INTO memx_space(space, param, value)
    SELECT new.column1, param, value FROM memx_space, (VALUES ('every'), ('every-split')) AS new
        WHERE space = 'free' AND param <> 'layer_split'
    UNION ALL VALUES ('every', 'layer_split', 'compute'), ('every', 'layer_skew', '1'),
        ('every', 'memory_limit', 'ignore'), ('every-split', 'layer_split', 'free'),
        ('every-split', 'memory_limit', 'ignore');
CREATE TEMP VIEW chosen AS
    SELECT job, config, substr(config, 1, instr(config, '/')) AS degrees, devices, layers, recompute,
           iteration_ms, headroom, phi, space, pp, micro_batch
    FROM memx_configs;
CREATE TEMP TABLE choice AS
    SELECT 'own' AS kind, * FROM chosen
    UNION ALL SELECT 'every', * FROM chosen WHERE job = 'lab6' AND space = 'every-split'
    UNION ALL SELECT 'every', * FROM chosen WHERE job = 'xy' AND space = 'every' AND pp <= 4
    UNION ALL SELECT 'every', * FROM chosen
              WHERE job = 'mix20' AND space = 'every' AND pp = 5 AND micro_batch = 4;
CREATE INDEX temp.choice_key ON choice(kind, job, config);
CREATE TEMP TABLE layout AS
    SELECT row_number() OVER () AS layout, *
    FROM (SELECT kind, job, min(config) AS config, degrees, devices, layers, count(*) AS choices,
                 min(iteration_ms) FILTER (WHERE headroom >= 0.1) AS fastest_ms,
                 min(iteration_ms) FILTER (WHERE headroom >= 0.3) AS fastest_30_ms,
                 min(phi) FILTER (WHERE headroom >= 0.1) AS least_phi
          FROM choice GROUP BY kind, job, degrees, devices, layers);
SELECT 'layouts', kind, job, count(*), sum(choices), count(fastest_ms) AS feasible,
       count(fastest_30_ms) AS with_30
    FROM layout GROUP BY kind, job;

-- Their plans, and what the configurations with the plans' levels would do.
CREATE TEMP TABLE plan AS
    SELECT layout, 'time' AS objective, recompute_plan(job, config) AS levels FROM layout
    UNION ALL SELECT layout, 'phi', recompute_plan(job, config, 'phi') FROM layout
    UNION ALL SELECT layout, 'headroom', recompute_plan(job, config, 'headroom=0.3') FROM layout;
CREATE TEMP TABLE stage(layout, stage, part, PRIMARY KEY (layout, stage)) WITHOUT ROWID;
INSERT INTO stage
    SELECT layout, d.key, d.value || '*' || l.value || ':'
    FROM layout, json_each('["' || replace(devices, ',', '","') || '"]') AS d,
         json_each('[' || layers || ']') AS l
    WHERE l.key = d.key;
CREATE TEMP VIEW planned AS
    SELECT layout, objective, levels, degrees || (
               SELECT group_concat(part || value) FROM (
                   SELECT part, value FROM json_each('["' || replace(levels, ',', '","') || '"]') AS r
                   JOIN stage ON stage.layout = plan.layout AND stage = r.key ORDER BY r.key)) AS config
    FROM plan JOIN layout USING (layout);
CREATE TEMP TABLE outcome AS
    SELECT layout, objective, levels, p.config, p.recompute, p.iteration_ms, p.headroom, p.phi
    FROM planned JOIN layout USING (layout), memx_predict(layout.job, planned.config) AS p;
CREATE INDEX temp.outcome_key ON outcome(layout, objective);

-- Levels are written as in the column recompute, and the plan is a row of a space with every choice.
SELECT 'plans', objective, count(*) FROM outcome GROUP BY objective;
SELECT 'other words than the column', count(*) FROM outcome WHERE levels <> recompute;
SELECT 'no row', count(*) FROM outcome JOIN layout USING (layout)
    WHERE kind = 'every' AND NOT EXISTS (
        SELECT 1 FROM choice AS c WHERE c.kind = layout.kind AND c.job = layout.job
            AND c.config = outcome.config AND c.recompute = outcome.levels);

-- A plan where something fits, none where nothing does; and it fits.
SELECT 'no plan', count(*) FROM plan JOIN layout USING (layout)
    WHERE objective <> 'headroom' AND levels IS NULL AND fastest_ms IS NOT NULL;
SELECT 'a plan for what does not fit', count(*) FROM plan JOIN layout USING (layout)
    WHERE levels IS NOT NULL AND kind = 'every' AND fastest_ms IS NULL;
SELECT 'does not fit', count(*) FROM outcome WHERE headroom < 0.1;
-- For time it is as fast as the fastest choice that fits, whatever else that choice does.
SELECT 'slower than a row', kind, sum(iteration_ms > fastest_ms), sum(iteration_ms < fastest_ms) > 0 AS faster
    FROM outcome JOIN layout USING (layout) WHERE objective = 'time' GROUP BY kind;
-- For headroom: 30 % on every card, wherever a choice reaches it, and the fastest of those.
SELECT 'below 30 %', count(*) FROM outcome WHERE objective = 'headroom' AND headroom < 0.3;
SELECT 'no plan with 30 %', count(*) FROM plan JOIN layout USING (layout)
    WHERE objective = 'headroom' AND levels IS NULL AND fastest_30_ms IS NOT NULL;
SELECT '30 % that no choice has', count(*) FROM plan JOIN layout USING (layout)
    WHERE objective = 'headroom' AND levels IS NOT NULL AND kind = 'every' AND fastest_30_ms IS NULL;
SELECT 'slower than a choice with 30 %', kind, sum(iteration_ms > fastest_30_ms)
    FROM outcome JOIN layout USING (layout) WHERE objective = 'headroom' GROUP BY kind;
-- For phi: never worse than the plan for time, often better, and slower than it at most.
CREATE TEMP TABLE compared AS
    SELECT layout, job, kind, least_phi, p.phi, t.phi AS phi_for_time, p.iteration_ms,
           t.iteration_ms AS fastest_ms
    FROM outcome AS p JOIN outcome AS t USING (layout) JOIN layout USING (layout)
    WHERE p.objective = 'phi' AND t.objective = 'time';
SELECT 'phi worse than for time', sum(phi > phi_for_time), sum(phi < phi_for_time) > 0 AS better,
       sum(iteration_ms < fastest_ms) AS faster FROM compared;
SELECT 'phi better than every choice', sum(phi < least_phi) FROM compared WHERE kind = 'every';
SELECT 'mostly the best choice', job, avg(phi = least_phi) > 0.5 FROM compared
    WHERE kind = 'every' GROUP BY job;

-- A space of recompute_scope plan holds each split once, with the plan's levels.
INSERT INTO memx_space(space, param, value)
    SELECT 'planned', param, iif(param = 'recompute_scope', 'plan', value) FROM memx_space WHERE space = 'default';
SELECT 'scope plan', job, count(*) > 0, sum(recompute IS NOT recompute_plan(job, config)) AS other_levels,
       count(*) - count(DISTINCT substr(config, 1, instr(config, '/')) || devices || layers) AS twice
    FROM memx_configs WHERE space = 'planned' GROUP BY job;

-- The details say the same as the plan.
CREATE TEMP TABLE detail AS
    SELECT layout, objective, levels, recompute_plan_detail(
        job, config, iif(objective = 'headroom', 'headroom=0.3', objective)) AS detail
    FROM plan JOIN layout USING (layout) WHERE kind = 'every' OR layout % 10 = 0;
CREATE TEMP TABLE detail_stage AS
    SELECT layout, objective, key AS stage, value ->> 'device' AS device, value ->> 'layers' AS layers,
           value ->> 'level' AS level, value ->> 'reason' AS reason, value -> 'levels' AS levels
    FROM detail, json_each(detail, '$.stages');
SELECT 'no JSON', sum(NOT json_valid(detail)) FROM detail;
SELECT 'objective', count(*) FROM detail WHERE detail ->> 'objective' IS NOT objective;
SELECT 'found', count(*) FROM detail WHERE (detail ->> 'found') <> (levels IS NOT NULL)
       OR (detail ->> 'failed_stage' IS NULL) <> (levels IS NOT NULL);
SELECT 'devices, layers', count(*) FROM (
    SELECT layout, group_concat(device) AS d, group_concat(layers) AS l
    FROM detail_stage GROUP BY layout, objective)
    JOIN layout USING (layout) WHERE d <> devices OR l <> layers;
SELECT 'levels', count(*) FROM (
    SELECT layout, objective, group_concat(level) AS l FROM detail_stage GROUP BY layout, objective)
    JOIN outcome USING (layout, objective) WHERE l <> levels;
SELECT 'measures', count(*) FROM detail JOIN outcome USING (layout, objective)
    WHERE abs((detail ->> 'iteration_ms') / iteration_ms - 1) > 1e-5
          OR abs((detail ->> 'headroom') - headroom) > 1e-5;
SELECT 'no reason', count(*) FROM detail_stage
    WHERE reason IS NULL OR reason NOT GLOB '*[0-9] %*' AND reason NOT GLOB '*[0-9] MiB*';
SELECT 'levels that do not fit', count(*)
    FROM detail_stage JOIN plan USING (layout, objective), json_each(detail_stage.levels) AS l
    WHERE plan.levels IS NOT NULL AND l.value ->> 'level' = level AND NOT (l.value ->> 'fits');
-- In words: what a stage has is what fits, what it was forced to, or, not for time, what it was raised to.
SELECT 'first words', objective, substr(reason, 1, instr(reason || ' ', ' ') - 1) AS word, count(*) > 0
    FROM detail_stage JOIN plan USING (layout, objective)
    WHERE plan.levels IS NOT NULL GROUP BY objective, word;
-- The steps lead from where step one ended to the plan, and phi falls with each.
CREATE TEMP TABLE step AS
    SELECT layout, objective, key AS step, value ->> 'stage' AS stage, value ->> 'to' AS level,
           value ->> 'rate' AS rate, value ->> 'objective' AS value
    FROM detail, json_each(detail, '$.steps') WHERE levels IS NOT NULL;
SELECT 'no step for time', count(*) FROM step WHERE objective = 'time';
SELECT 'ends elsewhere', count(*) FROM (
    SELECT layout, objective, stage, level, max(step) FROM step GROUP BY layout, objective, stage) AS s
    JOIN detail_stage AS d USING (layout, objective, stage) WHERE s.level <> d.level;
SELECT 'raised without a step', count(*) FROM detail_stage AS d JOIN plan USING (layout, objective)
    LEFT JOIN (SELECT DISTINCT layout, objective, stage FROM step) AS s USING (layout, objective, stage)
    WHERE plan.levels IS NOT NULL AND (reason LIKE 'raised%') <> (s.layout IS NOT NULL);
SELECT 'phi rises', count(*) FROM (
    SELECT value, lag(value) OVER (PARTITION BY layout ORDER BY step) AS before
    FROM step WHERE objective = 'phi')
    WHERE value > before;

-- More memory, on one device type or on all, never costs a plan nor makes it slower.
CREATE TEMP VIEW richer AS
    SELECT layout, objective, outcome.iteration_ms AS before_ms, p.iteration_ms
    FROM outcome JOIN plan USING (layout, objective) LEFT JOIN planned USING (layout, objective)
    JOIN layout USING (layout) LEFT JOIN memx_predict(layout.job, planned.config) AS p;
BEGIN;
UPDATE memx_device SET memory_mib = memory_mib * 1.25 WHERE device IN ('T4', 'B-32GB', 'X-32GB');
DELETE FROM plan;
INSERT INTO plan
    SELECT layout, 'time', recompute_plan(job, config) FROM layout WHERE kind = 'every' OR layout % 5 = 0
    UNION ALL SELECT layout, 'headroom', recompute_plan(job, config, 'headroom=0.3') FROM layout
              WHERE kind = 'every' OR layout % 5 = 0;
SELECT 'one type has more', objective, sum(iteration_ms IS NULL) AS lost,
       sum(iteration_ms > before_ms) AS slower,
       sum(iteration_ms < before_ms) > 0 AS faster FROM richer GROUP BY objective;
ROLLBACK;
BEGIN;
UPDATE memx_device SET memory_mib = memory_mib * 1.25;
DELETE FROM plan;
INSERT INTO plan
    SELECT layout, 'time', recompute_plan(job, config) FROM layout WHERE kind = 'every' OR layout % 5 = 0
    UNION ALL SELECT layout, 'headroom', recompute_plan(job, config, 'headroom=0.3') FROM layout
              WHERE kind = 'every' OR layout % 5 = 0;
SELECT 'all have more', objective, sum(iteration_ms IS NULL) AS lost, sum(iteration_ms > before_ms) AS slower,
       sum(iteration_ms < before_ms) > 0 AS faster FROM richer GROUP BY objective;
ROLLBACK;
