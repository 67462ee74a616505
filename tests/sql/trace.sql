-- memx_trace(job, config): one iteration of a configuration as Chrome trace JSON.
CREATE TEMP TABLE c(job TEXT, config TEXT);
INSERT INTO c SELECT job, config FROM (
    SELECT job, config, row_number() OVER (PARTITION BY job ORDER BY phi) AS n FROM memx_configs
    WHERE slowdown <= 1.1) WHERE n = 1;
INSERT INTO c VALUES ('xy', 'tp1.dp8.mb1/X-32GB*14:full,Y-64GB*18:none'),
    ('xy', 'tp2.dp8.mb1/X-32GB(8)|Y-64GB(8)*32:block3');
CREATE TEMP TABLE t AS SELECT job, config, memx_trace(job, config) AS trace FROM c;
SELECT 'valid', count(*), sum(json_valid(trace)) FROM t;

CREATE TEMP TABLE e AS
    SELECT job, config, value ->> 'ph' AS ph, value ->> 'name' AS name, value ->> 'cat' AS cat,
           value ->> 'ts' AS ts, value ->> 'dur' AS dur, value ->> 'pid' AS pid, value ->> 'tid' AS tid,
           value -> 'args' AS args
    FROM t, json_each(t.trace, '$.traceEvents');

-- Events of a thread do not overlap; a stage's leave no gap, from 0 to the simulated end. (1 ns: rounding.)
SELECT 'overlaps', count(*) FROM (
    SELECT ts - lag(ts + dur) OVER (PARTITION BY job, config, pid, tid ORDER BY ts) AS gap, pid FROM e
    WHERE ph = 'X') WHERE gap < -0.0011 OR pid = 1 AND gap > 0.0011;
SELECT 'from begin to end', count(*), sum(abs(least) < 1e-9), sum(abs(greatest / 1000 / simulated_ms - 1) < 1e-9)
FROM (SELECT job, config, tid, min(ts) AS least, max(ts + dur) AS greatest FROM e
      WHERE ph = 'X' AND pid = 1 GROUP BY job, config, tid) AS e,
     memx_predict(e.job, e.config) AS p;
SELECT 'simulated_ms', count(*) FROM t, memx_predict(t.job, t.config) AS p
    WHERE abs((trace ->> '$.otherData.simulated_ms') - simulated_ms) > 1e-6;
-- Sums are those of memx_stages.
SELECT 'sums', count(*), sum(abs(forward / 1000 - forward_ms * m) < 0.001),
       sum(abs(backward / 1000 - backward_ms * m) < 0.001), sum(abs(sync / 1000 - dp_sync_ms) < 0.001),
       sum(recompute = 'none') = sum(again = 0), sum(forwards = m AND backwards = m)
FROM (SELECT job, config, tid - 1 AS stage,
             total(dur) FILTER (WHERE name = 'forward') AS forward,
             total(dur) FILTER (WHERE name IN ('recompute', 'backward')) AS backward,
             total(dur) FILTER (WHERE name = 'recompute') AS again,
             total(dur) FILTER (WHERE name = 'gradient sync') AS sync,
             count(*) FILTER (WHERE name = 'forward') AS forwards,
             count(DISTINCT args ->> 'micro_batch') FILTER (WHERE name = 'backward') AS backwards
      FROM e WHERE ph = 'X' AND pid = 1 GROUP BY job, config, tid) AS e,
     (SELECT job AS j, config AS c, trace ->> '$.otherData.micro_batches' AS m FROM t),
     memx_stages(e.job, e.config) AS s
WHERE j = e.job AND c = e.config AND s.stage = e.stage;
-- A message leaves when what made it ends.
SELECT 'messages', count(*), sum(EXISTS (
    SELECT 1 FROM e WHERE e.job = m.job AND e.config = m.config AND e.pid = 1 AND e.ph = 'X'
        AND e.name = CASE m.name WHEN 'activations' THEN 'forward' ELSE 'backward' END
        AND e.args ->> 'micro_batch' = m.args ->> 'micro_batch' AND abs(e.ts + e.dur - m.ts) < 0.0011))
FROM e AS m WHERE m.pid = 2 AND m.ph = 'X' AND m.job = 'lab6';

SELECT job, name, count(*), round(sum(dur) / 1000, 3) AS ms FROM e
    WHERE ph = 'X' AND job <> 'mix20' GROUP BY job, config, name ORDER BY job, config, name;
SELECT DISTINCT args ->> 'name' FROM e WHERE ph = 'M' AND name = 'thread_name' AND job <> 'mix20' ORDER BY config, pid, tid;
SELECT job, json_remove(trace, '$.traceEvents') FROM t ORDER BY job, config;
-- One event of each kind.
SELECT job, name, cat, min(ts), dur, pid, tid, args FROM e
    WHERE ph = 'X' AND job = 'lab6' AND tid <> 1 GROUP BY name ORDER BY name;

SELECT 'null', memx_trace(NULL, 'x'), memx_trace('xy', NULL);
SELECT memx_trace('nobody', 'tp1.dp8.mb1/X-32GB*14:full,Y-64GB*18:none');
SELECT memx_trace('xy', 'tp1');
SELECT memx_trace('xy', 'tp1.dp8.mb1/X-32GB*14:full,Y-64GB*17:none');
SELECT memx_trace('xy');
