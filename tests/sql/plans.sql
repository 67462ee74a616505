-- recompute_plan(job, config [, objective]), recompute_plan_detail() and layer_split(job, config, rule).

-- The MemX paper's table 1, servers X and Y. By the rates it gives for them, 70 and 86 TFLOPS, X should have
-- 14.4 of the 32 layers; by memory, 32 to 64 GB, 10.7. The paper prints 21:11 by measured rate, which its
-- own 70:86 contradict: not reproduced.
SELECT 'by rate', layer_split('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'compute'),
       printf('%.1f', 32 * 70.0 / (70 + 86));
SELECT 'by memory', layer_split('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'memory'),
       printf('%.1f', 32 * 32.0 / (32 + 64));
SELECT 'evenly', layer_split('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'uniform');
-- The layers of the configuration do not matter; the stages are those of its text.
SELECT 'Y first', layer_split('xy', 'tp1.dp8.mb1/Y-64GB*31:full,X-32GB*1:full', 'compute'),
       layer_split('xy', 'tp1.dp8.mb1/Y-64GB*31:full,X-32GB*1:full', 'memory');
-- By time the levels do matter: within memory X takes 9 layers at none, and more at full.
SELECT 'by time', layer_split('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'time'),
       layer_split('xy', 'tp1.dp8.mb1/X-32GB*8:full,Y-64GB*24:none', 'time');
-- Largest remainder, ties to earlier stages: 11.1, 3.9, 3.9, 6.5, 6.5 and 12.3, 4.9, 4.9, 4.9, 4.9.
SELECT 'mix20', layer_split('mix20', config, 'compute'), layer_split('mix20', config, 'memory'),
       layer_split('mix20', config, 'uniform')
    FROM (SELECT 'tp4.dp1.mb1/A100-SXM-80GB*8:none,C-32GB*6:none,C-32GB*6:none,B-32GB*6:none,B-32GB*6:none'
          AS config);

-- With 8 layers X needs no recompute. With 14 it must recompute everything, and Y nothing.
SELECT '8 layers', recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*8:full,Y-64GB*24:full');
SELECT '14 layers', recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none');
SELECT 'time is the default', recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none', 'time');
SELECT 'X lacks headroom', recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'headroom=0.25');
SELECT 'too many for X', recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*24:none,Y-64GB*8:none') IS NULL;
SELECT 'too much headroom', recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'headroom=0.9')
       IS NULL;
SELECT 'full lets it run', round(headroom, 3), 'none does not', (
        SELECT round(headroom, 3) FROM memx_stages('xy', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none')
        WHERE stage = 0)
    FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*14:full,Y-64GB*18:none');
-- A plan can be set beside a row's levels.
SELECT 'rows without recompute are their own plan', count(*) > 1000,
       min(recompute_plan(job, config) = recompute)
    FROM memx_configs WHERE replace(replace(recompute, 'none', ''), ',', '') = '';

-- Why, in words, stage by stage.
WITH asked(x, objective) AS (VALUES (8, 'time'), (14, 'time'), (24, 'time'), (8, 'headroom=0.25'), (8, 'phi'))
SELECT 'why', x, objective, value ->> 'stage', value ->> 'device', value ->> 'layers', value ->> 'level',
       value ->> 'reason'
    FROM asked, json_each(recompute_plan_detail('xy', 'tp1.dp8.mb1/X-32GB*' || x || ':none,Y-64GB*'
                                                || (32 - x) || ':none', objective), '$.stages');
-- Every level's time and peak, and what it lacks of the 90 % of a card that the job may fill.
SELECT 'levels of X', l.value ->> 'level', round(l.value ->> 'time_ms'), round(l.value ->> 'peak_mib'),
       round((l.value ->> 'peak_mib') + (l.value ->> 'free_mib'), 3) AS capacity,
       round(l.value ->> 'short_mib') AS lacks, round((l.value ->> 'peak_mib') - 0.9 * 32768) AS above_90,
       l.value ->> 'fits'
    FROM json_each(recompute_plan_detail('xy', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none'),
                   '$.stages[0].levels') AS l;
SELECT 'as memx_stages', level, round(s.time_ms) = round(l.value ->> 'time_ms'),
       round(s.peak_mib, 2) = round(l.value ->> 'peak_mib', 2)
    FROM (SELECT column1 AS level FROM (VALUES ('none'), ('block1'), ('full'))),
         json_each(recompute_plan_detail('xy', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none'),
                   '$.stages[0].levels') AS l,
         memx_stages('xy', 'tp1.dp8.mb1/X-32GB*14:' || level || ',Y-64GB*18:none') AS s
    WHERE s.stage = 0 AND l.value ->> 'level' = level;
-- The exchange rates, of the stage and of the iteration, from a plan at none to full.
SELECT 'rates', abs(rate_local / (value ->> 'rate_local') - 1) < 1e-4,
       abs(rate_iteration / (value ->> 'rate_iteration') - 1) < 1e-4
    FROM memx_stages('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none')
    JOIN json_each(recompute_plan_detail('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none'), '$.stages')
    ON stage = key WHERE stage = 1;

-- Seen through a view of an untrusted schema, in a trigger, and after writes of the same transaction.
PRAGMA trusted_schema = OFF;
CREATE TABLE kept(job TEXT, config TEXT, plan TEXT);
CREATE VIEW plans AS
    SELECT recompute_plan(job, config) AS time, recompute_plan(job, config, 'headroom=0.25') AS roomy,
           layer_split(job, config, 'memory') AS layers,
           recompute_plan_detail(job, config) LIKE '{"objective":"time","found":%' AS detail FROM kept;
CREATE TRIGGER fill AFTER INSERT ON kept BEGIN
    UPDATE kept SET plan = recompute_plan(job, config, 'phi') WHERE rowid = new.rowid;
END;
INSERT INTO kept(job, config) VALUES ('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none'),
    ('xy', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none'), ('xy', 'tp1.dp8.mb1/X-32GB*24:none,Y-64GB*8:none');
SELECT 'by a trigger', config, plan FROM kept;
SELECT 'view', * FROM plans;
BEGIN;
UPDATE memx_device SET memory_mib = 80000 WHERE device = 'X-32GB';
SELECT 'view, X has 80000 MiB', * FROM plans;
ROLLBACK;
SELECT 'and back', * FROM plans;

-- The levels are those of the job's own space, with or without its memory limit; its reserve counts.
INSERT INTO memx_space(space, param, value) VALUES
    ('blocks', 'recompute', 'none'), ('blocks', 'recompute', 'block4'), ('blocks', 'recompute', 'block8'),
    ('blocks', 'recompute', 'uniform2'), ('only-block4', 'recompute', 'block4'),
    ('unlimited', 'memory_limit', 'ignore');
INSERT INTO memx_job(job, cluster, model, framework, global_batch, space, reserve) VALUES
    ('blocks', 'xy', 'llama2-7b', 'megatron-bf16', 256, 'blocks', NULL),
    ('only-block4', 'lab6', 'llama2-6layer', 'megatron-fp16', 64, 'only-block4', NULL),
    ('unfused', 'lab6', 'llama2-6layer', 'megatron-2022', 64, 'free', NULL),
    ('unlimited', 'xy', 'llama2-7b', 'megatron-bf16', 256, 'unlimited', NULL),
    ('careful', 'xy', 'llama2-7b', 'megatron-bf16', 256, 'default', 0.25);
SELECT 'blocks', x,
       recompute_plan('blocks', 'tp1.dp8.mb1/X-32GB*' || x || ':none,Y-64GB*' || (32 - x) || ':none')
    FROM (SELECT column1 AS x FROM (VALUES (8), (10), (12), (15)));
-- On 4 layers or fewer block4 is full.
SELECT 'only block4', recompute_plan('only-block4',
       'tp2.dp1.mb1/V100-SXM2-16GB*4:none,V100-SXM2-16GB*1:none,T4*1:none');
-- selective where it saves enough, as it does where attention stores its scores.
SELECT 'selective', count(*) > 0 FROM memx_configs
    WHERE job = 'unfused' AND pp = 3 AND recompute_plan(job, config) LIKE '%selective%';
SELECT 'memory ignored', recompute_plan('unlimited', 'tp1.dp8.mb1/X-32GB*24:none,Y-64GB*8:none') IS NULL,
       recompute_plan('unlimited', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none');
SELECT 'careful', recompute_plan('careful', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none');

-- NULL in, NULL out.
SELECT 'null', recompute_plan(NULL, 'x'), recompute_plan('xy', NULL), recompute_plan('xy', 'x', NULL),
       recompute_plan_detail(NULL, 'x'), recompute_plan_detail('xy', NULL), layer_split('xy', 'x', NULL),
       layer_split(NULL, 'x', 'time'), layer_split('xy', NULL, 'time');
-- What is wrong is said in one line.
SELECT recompute_plan('xz', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none');
SELECT recompute_plan_detail('xz', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none');
SELECT layer_split('xz', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'time');
SELECT recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*23:none');
SELECT recompute_plan('xy', 'none,none');
SELECT recompute_plan('xy', '');
SELECT layer_split('xy', 'tp1.dp8.mb1/X-32GB*8:none,Z-64GB*24:none', 'time');
SELECT recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'fast');
SELECT recompute_plan_detail('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'Time');
SELECT recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', '');
SELECT recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 0.1);
SELECT recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'headroom');
SELECT recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'headroom=');
SELECT recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'headroom=10%');
SELECT recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'headroom=1');
SELECT recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'headroom=-0.1');
SELECT recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'headroom=nan');
SELECT recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'two' || char(10) || 'lines');
SELECT layer_split('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'fast');
SELECT layer_split('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'free');
SELECT layer_split('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', '');
SELECT 'after errors', recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none');

-- Another space's levels: megatron has no block1, and amp none but none.
SELECT 'spaces', space, recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none', 'time', space),
       recompute_plan_detail('xy', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none', 'time', space)
           ->> '$.stages[0].level'
    FROM (SELECT DISTINCT space FROM memx_space ORDER BY space);
SELECT 'levels of a space', group_concat(value ->> 'level') FROM json_each(recompute_plan_detail('xy',
    'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none', 'time', 'megatron'), '$.stages[0].levels');
SELECT 'NULL', recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none', NULL, 'free') IS NULL,
       recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none', 'time', NULL) IS NULL;
SELECT recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none', 'time', 'fre');

-- Nothing is cut off at a NUL character.
SELECT recompute_plan('xy' || char(0), 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none');
SELECT recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none' || char(0) || 'x');
SELECT recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none', 'time' || char(0) || 'x');
SELECT recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none', 'time', 'free' || char(0));
SELECT layer_split('xy', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none', 'time' || char(0));
SELECT phi(1, 2, 3, 'safe' || char(0) || 'x');
SELECT phi FROM memx_predict('xy' || char(0), 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*14:full,Y-64GB*18:none' || char(0));
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*14:full,Y-64GB*18:none', 'safe' || char(0));
SELECT feasible FROM memx_reference('xy' || char(0));
SELECT feasible FROM memx_reference('xy', 'free' || char(0));
