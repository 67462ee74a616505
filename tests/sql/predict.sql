-- memx_predict(job, config) predicts what memx_configs predicts, in every column, for rows of the space;
-- and any other well-formed configuration too, fitting or not.
.read tests/sql/setup/small_jobs.sql

CREATE TEMP TABLE scanned AS
    SELECT *, simulated_ms, same_task FROM memx_configs WHERE job <> 'mix20'
    UNION ALL
    SELECT *, simulated_ms, same_task FROM memx_configs WHERE job = 'mix20' AND shards = 8 AND shard = 3;
CREATE TEMP TABLE predicted AS
    SELECT p.*, p.simulated_ms, p.same_task FROM scanned AS s, memx_predict(s.job, s.config) AS p;
SELECT 'some of every job', count(DISTINCT job) = (SELECT count(*) FROM memx_job) FROM scanned;
SELECT 'all predicted', (SELECT count(*) FROM scanned) - count(*) FROM predicted;
SELECT 'scanned otherwise', count(*) FROM (SELECT * FROM scanned EXCEPT SELECT * FROM predicted);
SELECT 'predicted otherwise', count(*) FROM (SELECT * FROM predicted EXCEPT SELECT * FROM scanned);

-- The arguments may come from equalities on its own columns: joins read either way.
SELECT 'by equality', count(*) FROM memx_predict
    WHERE job = 'xy' AND config = 'tp1.dp8.mb1.seq4096/X-32GB*8:none,Y-64GB*24:none';
SELECT 'joined', count(*) = feasible, sum(p.phi = c.phi) = feasible
    FROM memx_configs AS c JOIN memx_predict AS p ON p.job = c.job AND p.config = c.config,
         memx_reference('lab6') WHERE c.job = 'lab6';
SELECT 'natural', count(*) = (SELECT feasible FROM memx_reference('lab6'))
    FROM memx_predict NATURAL JOIN (SELECT job, config FROM memx_configs WHERE job = 'lab6');

-- Weights, as a third argument.
SELECT 'weights', weights,
    round(phi, 6) = round(phi(p.iteration_ms, p.peak_mib, p.memory_variance, '[1, 0, 0]')
        / phi(r.iteration_ms, r.peak_mib, r.memory_variance, '[1, 0, 0]'), 6)
    FROM memx_predict('xy', 'tp1.dp8.mb1.seq4096/X-32GB*8:none,Y-64GB*24:none', '[1, 0, 0]') AS p,
        memx_reference('xy') AS r;

-- Arguments are read as people write them; the column config shows the one text that stands for the choice.
CREATE TEMP TABLE spelling(text);
INSERT INTO spelling VALUES
    ('tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none'),                            -- the job's sequence length
    ('mb1.dp8.tp1.seq4096/X-32GB*8:none,Y-64GB*24:none'),                    -- knobs in another order
    ('tp1.dp8.mb1.sp0.do1.hd32.kv32/X-32GB*8:none,Y-64GB*24:none'),          -- knobs that are the job's own
    ('tp1.dp8.mb1.sp1/X-32GB*8:none,Y-64GB*24:none'),
        -- nothing to parallelise with tp 1
    ('tp1.dp8.mb1/X-32GB(8)*8:block0,Y-64GB(8)*24:none'),
        -- counts, levels by another name
    ('tp01.dp08.mb1/X-32GB*08:none,Y-64GB*24:none');
SELECT 'spellings', count(*), count(DISTINCT config), min(config)
    FROM spelling, memx_predict('xy', text);
SELECT config FROM memx_predict('xy', 'tp1.dp8.mb1.do0.seq1024/X-32GB*8:block8,Y-64GB*24:uniform1');
SELECT config FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*8:uniform9,Y-64GB*24:block99');
SELECT config FROM memx_predict('xy', 'tp1.dp16.mb1/Y-64GB(8)|X-32GB(8)*32:full');
SELECT config FROM memx_predict('xy', 'tp8.dp1.mb1.sp0.hd16.kv8/X-32GB*8:none,Y-64GB*24:none');

-- What does not fit has a negative headroom, which says how much is missing.
SELECT 'does not fit', headroom < 0, headroom_mib < 0, round(headroom_mib) = round(32768 - peak_mib),
    tightest_stage
    FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*31:none,Y-64GB*1:none');
SELECT 'huge', iteration_ms > 1e9, peak_mib > 1e6, memory_variance > 1e12, phi > 1e3
    FROM memx_predict('xy', 'tp1.dp8.mb32.seq100000000/X-32GB*31:none,Y-64GB*1:none');

SELECT 'null', count(*) FROM memx_predict(NULL, 'tp1');
SELECT 'null', count(*) FROM memx_predict('xy', NULL);
SELECT 'no rows to predict', count(*) FROM memx_run AS r, memx_predict(r.job, r.config);
