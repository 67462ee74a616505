-- What does a pick lose when the predictions are wrong, and how often does it run out of memory? A Monte Carlo over
-- errors of prediction and transient spikes, of three picks: the fastest, the best phi, and the best phi at most
-- 10 % slower than the fastest. The MemX paper argues that even memory is safe, and did not try it.
--
-- In each of 200 draws the times of all stages are off by a factor, one part of it shared by all stages on a device
-- type, one part each stage's own (stages that are alike share it), of equal variance: together a relative standard
-- deviation of 1.25 times the mean error of the job's predictor on held-out rows (1.25 is what it is for a normal
-- distribution), else 10 % of time and 5 % of memory above the context. 1F1B makes an iteration of the stages'
-- times; transfers stay as predicted. On top of that memory each GPU has one spike, the greatest of a long run:
-- exponential, its mean 2 % of the card (chosen here, without a source). More than the card holds is out of memory.
--
-- time_regret: how much slower the pick truly is than the truly fastest candidate, on average over draws; over_10: in
-- what share of them by more than 10 %; phi_regret: how much more phi it truly has than the best (of the bounded pick,
-- than the best that truly is within the bound), the median. Candidates are the first 8 of the fastest, of the best
-- phi and of the best phi within 10 %. oom: of any GPU, exact in the spikes, an average over the errors;
-- oom_as_predicted: with spikes but no errors; oom_without_spikes: with errors alone. Jobs lab6-tight and
-- mix20-13b-tight keep nothing free (reserve 0), the others what a job without a reserve of its own keeps, where
-- memory is short: LLaMA2-7B cut to 12 layers, LLaMA2-13B. For jobs of your own, before reading this: CREATE TEMP TABLE
-- asked AS SELECT 'try' AS job; each is asked once more as NAME-tight, with reserve 0.
--
-- All is synthetic: predictions, moved by pseudo-random numbers, which are hashes, so that every run draws the
-- same. Of 200 draws a share of 50 % is known to 7 points (two standard errors), one of 5 % to 3; more draws take
-- longer in proportion. All is rolled back.
BEGIN;
DROP TABLE IF EXISTS temp.listed;
DROP TABLE IF EXISTS temp.drawn;
CREATE TEMP TABLE IF NOT EXISTS asked(job TEXT PRIMARY KEY);
CREATE TEMP TABLE demo AS SELECT 1 AS yes WHERE NOT EXISTS (SELECT 1 FROM asked);
INSERT INTO asked SELECT job FROM memx_job, demo WHERE job IN ('mix20', 'lab6', 'xy');
DELETE FROM asked WHERE rowid NOT IN (SELECT min(rowid) FROM asked GROUP BY job);
SELECT example AS left_out FROM asked AS a, memx_why(a.job) WHERE reason = 'cannot be read';
DELETE FROM asked WHERE EXISTS (SELECT 1 FROM memx_why(asked.job) WHERE reason = 'cannot be read');
INSERT OR IGNORE INTO memx_model(model, family, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length)
SELECT 'llama2-12layer', family, 12, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length
FROM memx_model, demo WHERE model = 'llama2-6layer';
CREATE TEMP TABLE more AS
SELECT more.* FROM demo, asked JOIN (
    SELECT 'mix20-13b' AS job, 'mix20' AS cluster, 'llama2-13b' AS model, 'megatron-bf16' AS framework,
           256 AS global_batch, NULL AS seq_length, 'default' AS space, 'default' AS weights, NULL AS predictor, NULL AS reserve UNION ALL
    SELECT 'mix20-13b-tight', 'mix20', 'llama2-13b', 'megatron-bf16', 256, NULL, 'default', 'default', NULL, 0 UNION ALL
    SELECT 'lab6-12layer', 'lab6', 'llama2-12layer', 'megatron-fp16', 64, NULL, 'default', 'safe', NULL, NULL UNION ALL
    SELECT 'lab6-tight', 'lab6', 'llama2-12layer', 'megatron-fp16', 64, NULL, 'default', 'safe', NULL, 0) AS more
    ON more.cluster = asked.job
UNION ALL
SELECT job || '-tight', cluster, model, framework, global_batch, seq_length, space, weights, predictor, 0
FROM asked JOIN memx_job USING (job)
WHERE NOT EXISTS (SELECT 1 FROM demo) AND length(job) < 58 AND coalesce(reserve, 1) > 0;
INSERT OR IGNORE INTO memx_job(job, cluster, model, framework, global_batch, seq_length, space, weights, predictor, reserve)
SELECT * FROM more;
INSERT INTO asked SELECT job FROM more;
CREATE TEMP TABLE ask AS
SELECT job, weights, coalesce(reserve, 0.10) > 0 AS keeps FROM asked JOIN memx_job USING (job);
CREATE TEMP TABLE listed AS
SELECT job, 'fastest' AS pick, key AS place, value AS config
FROM ask, json_each((SELECT json_group_array(config) FROM (
    SELECT config FROM memx_configs AS c WHERE c.job = ask.job ORDER BY iteration_ms LIMIT 8)))
UNION ALL
SELECT job, 'best phi', key, value
FROM ask, json_each((SELECT json_group_array(config) FROM (
    SELECT config FROM memx_configs AS c WHERE c.job = ask.job ORDER BY phi LIMIT 8)))
UNION ALL
SELECT job, 'best phi within 10 %', key, value
FROM ask, json_each((SELECT json_group_array(config) FROM (
    SELECT config FROM memx_configs AS c WHERE c.job = ask.job AND slowdown <= 1.10 ORDER BY phi LIMIT 8)));
CREATE TEMP TABLE candidate AS
SELECT row_number() OVER (ORDER BY l.job, l.config) AS id, l.job, p.config, p.iteration_ms, p.micro_batches, p.headroom,
       iif(instr(p.predictor, ' '), substr(p.predictor, 1, instr(p.predictor, ' ') - 1), p.predictor) AS predictor
FROM (SELECT DISTINCT job, config FROM listed) AS l, memx_predict(l.job, l.config) AS p;
-- Standard deviations, relative: by the predictor that the candidates name, else as above.
CREATE TEMP TABLE deviation AS
SELECT job, predictor, max(held_time) IS NOT NULL AS held_out, coalesce(max(held_time), 0.10) AS time,
       coalesce(max(held_peak), 0.05) AS memory
FROM (SELECT c.job, c.predictor,
             (SELECT 1.25 / 100 * avg(iif(f.value ->> 'used', h.value ->> 'learned_mape', h.value ->> 'calibrated_mape'))
              FROM json_each(p.errors) AS f, json_each(f.value, '$.held_out') AS h WHERE f.key = 'time') AS held_time,
             (SELECT 1.25 / 100 * avg(iif(f.value ->> 'used', h.value ->> 'learned_mape', h.value ->> 'calibrated_mape'))
              FROM json_each(p.errors) AS f, json_each(f.value, '$.held_out') AS h WHERE f.key = 'peak') AS held_peak
      FROM candidate AS c LEFT JOIN memx_predictor AS p USING (predictor)
      GROUP BY c.job, c.predictor)
GROUP BY job;

CREATE TEMP TABLE part AS
SELECT c.id, c.job, s.stage, s.device, s.signature, s.time_ms, s.context_mib
FROM candidate AS c, memx_stages(c.job, c.config) AS s;
CREATE TEMP TABLE card AS
SELECT c.id, at.stage, count(*) AS gpus, at.peak_mib, at.capacity_mib
FROM candidate AS c, memx_gpus(c.job, c.config) AS at GROUP BY c.id, at.stage, at.device, at.peak_mib;
-- What is off by a number of its own: devices, and stages by their signature.
CREATE TEMP TABLE source(id INTEGER PRIMARY KEY, name UNIQUE);
INSERT INTO source(name)
SELECT DISTINCT device FROM part UNION SELECT DISTINCT signature FROM part ORDER BY 1;
-- Two standard normal numbers per draw and source, by Box and Muller, from two numbers below 2^31 that three
-- rounds of multiplying and shifting make of (draw, source, which); x ^ y is (x | y) - (x & y).
CREATE TEMP TABLE noise(draw, source, time, memory, PRIMARY KEY(draw, source)) WITHOUT ROWID;
INSERT INTO noise
WITH RECURSIVE draw(draw) AS (VALUES (1) UNION ALL SELECT draw + 1 FROM draw WHERE draw < 200),
h0 AS (SELECT draw, id, (draw * 1103515245 + id * 739982445 + 12345) & 0x7fffffff AS a,
              (draw * 362437069 + id * 1566083941 + 521288629) & 0x7fffffff AS b FROM draw, source),
h1 AS (SELECT draw, id, ((a | (a >> 15)) - (a & (a >> 15))) * 739982445 & 0x7fffffff AS a,
              ((b | (b >> 15)) - (b & (b >> 15))) * 739982445 & 0x7fffffff AS b FROM h0),
h2 AS (SELECT draw, id, ((a | (a >> 12)) - (a & (a >> 12))) * 695893305 & 0x7fffffff AS a,
              ((b | (b >> 12)) - (b & (b >> 12))) * 695893305 & 0x7fffffff AS b FROM h1),
u AS (SELECT draw, id, (((a | (a >> 15)) - (a & (a >> 15))) + 0.5) / 2147483648.0 AS a,
             (((b | (b >> 15)) - (b & (b >> 15))) + 0.5) / 2147483648.0 AS b FROM h2)
SELECT draw, id, sqrt(-2 * ln(a)) * cos(2 * pi() * b), sqrt(-2 * ln(a)) * sin(2 * pi() * b) FROM u;
-- Draw 0: the predictions as they are.
INSERT INTO noise SELECT 0, id, 0, 0 FROM source;

CREATE TEMP TABLE stage_draw AS
SELECT n.draw, p.id, p.stage, p.time_ms, p.context_mib,
       p.time_ms * max(0.2, 1 + d.time * (n.time + o.time) / sqrt(2)) AS drawn_ms,
       max(0.2, 1 + d.memory * (n.memory + o.memory) / sqrt(2)) AS factor
FROM part AS p JOIN deviation AS d ON d.job = p.job JOIN source AS shared ON shared.name = p.device
     JOIN source AS own ON own.name = p.signature JOIN noise AS n ON n.source = shared.id
     JOIN noise AS o ON o.draw = n.draw AND o.source = own.id;
CREATE TEMP TABLE drawn AS
WITH held AS (
    SELECT s.draw, s.id, c.gpus, c.capacity_mib, s.context_mib + (c.peak_mib - s.context_mib) * s.factor AS mib
    FROM stage_draw AS s JOIN card AS c USING (id, stage)),
memory AS (
    SELECT draw, id, max(mib) AS peak_mib,
           max(0, sum(gpus * mib * mib) / sum(gpus) - (sum(gpus * mib) / sum(gpus)) * (sum(gpus * mib) / sum(gpus)))
               AS variance,
           max(mib > capacity_mib) AS over,
           1 - exp(sum(gpus * ln(max(1e-300, 1 - exp(-max(0, capacity_mib - mib) / (0.02 * capacity_mib)))))) AS oom
    FROM held GROUP BY draw, id),
iteration AS (
    SELECT draw, id, (c.micro_batches - 1) * (max(drawn_ms) - max(time_ms)) + sum(drawn_ms - time_ms) + c.iteration_ms
               AS iteration_ms
    FROM stage_draw JOIN candidate AS c USING (id) GROUP BY draw, id)
SELECT c.job, m.draw, m.id, i.iteration_ms, m.peak_mib, m.variance, m.oom, m.over,
       phi(i.iteration_ms, m.peak_mib, m.variance, a.weights) AS phi
FROM memory AS m JOIN iteration AS i USING (draw, id) JOIN candidate AS c USING (id) JOIN ask AS a USING (job);
CREATE TEMP TABLE truth AS
SELECT job, draw, min(iteration_ms) AS iteration_ms, min(phi) AS phi FROM drawn GROUP BY job, draw;
CREATE TEMP TABLE near AS -- the least phi of those that truly are at most 10 % slower
SELECT d.job, d.draw, min(d.phi) AS phi FROM drawn AS d JOIN truth AS t USING (job, draw)
WHERE d.iteration_ms <= 1.10 * t.iteration_ms GROUP BY d.job, d.draw;
CREATE TEMP TABLE lost AS
SELECT l.job, l.pick, d.draw, c.headroom, d.oom, d.over, d.iteration_ms / c.iteration_ms - 1 AS late,
       d.iteration_ms / t.iteration_ms - 1 AS time_regret, c.config,
       CASE l.pick WHEN 'fastest' THEN NULL WHEN 'best phi' THEN d.phi / t.phi - 1
            ELSE max(0, d.phi / n.phi - 1) END AS phi_regret
FROM listed AS l JOIN candidate AS c USING (job, config) JOIN drawn AS d ON d.id = c.id
     JOIN truth AS t ON t.job = l.job AND t.draw = d.draw JOIN near AS n ON n.job = l.job AND n.draw = d.draw
WHERE l.place = 0;
CREATE TEMP TABLE shown AS
SELECT job, pick, headroom, avg(late) AS late, avg(time_regret) AS regret, median(phi_regret) AS phi_regret,
       avg(time_regret > 0.10) AS over_10, avg(oom) AS oom, avg(over) AS over, config,
       (SELECT oom FROM lost AS p WHERE p.job = l.job AND p.pick = l.pick AND p.draw = 0) AS as_predicted
FROM lost AS l WHERE draw > 0 GROUP BY job, pick;

SELECT 'synthetic' AS figures, s.job, s.pick, printf('%.0f %%', 100 * headroom) AS free,
       printf('%.1f, %.1f %% (%s)', 100 * d.time, 100 * d.memory, iif(d.held_out, d.predictor || ', held out', 'assumed'))
           AS sd_of_time_and_memory,
       printf('%.1f %%', 100 * late) AS slower_than_predicted, printf('%.1f %%', 100 * regret) AS time_regret,
       iif(phi_regret IS NULL, '-', printf('%.1f %%', 100 * phi_regret)) AS phi_regret,
       printf('%.0f %%', 100 * over_10) AS over_10, printf('%.2f %%', 100 * as_predicted) AS oom_as_predicted,
       printf('%.2f %%', 100 * over) AS oom_without_spikes, printf('%.2f %%', 100 * oom) AS oom, config
FROM shown AS s JOIN deviation AS d USING (job) ORDER BY job, pick = 'best phi', pick <> 'fastest';

SELECT s.pick, printf('synthetic: the %s is truly %.0f to %.0f %% slower than the truly fastest, on average over '
                      || 'errors; it runs out of memory in %sof %d jobs it is safer than the fastest in %d, '
                      || 'less safe in %d',
                      s.pick, 100 * min(s.regret), 100 * max(s.regret),
                      iif(max(keeps), printf('at most %.1f %% of runs where the job keeps a reserve%s', max(iif(keeps, 100 * s.oom, NULL)),
                                             iif(min(keeps), '; ', ', and in ')), '')
                      || iif(min(keeps), '', printf('%.0f to %.0f %% where none is kept; ', min(iif(keeps, NULL, 100 * s.oom)),
                                                    max(iif(keeps, NULL, 100 * s.oom)))), count(*),
                      sum(s.oom < f.oom - 0.0005), sum(s.oom > f.oom + 0.0005)) AS answer
FROM shown AS s JOIN shown AS f ON f.job = s.job AND f.pick = 'fastest' JOIN ask ON ask.job = s.job
GROUP BY s.pick
UNION ALL
SELECT 'all', iif(worse > 0, 'So phi by itself is no safeguard', 'So the best phi is nowhere less safe than the fastest here')
              || CASE WHEN ample IS NULL THEN printf('. All picks leave less than 10 %% of the tightest card free, and run out of '
                                                     || 'memory in up to %.0f %% of runs', tight)
                      WHEN tight IS NULL THEN printf('. All picks leave 10 %% of the tightest card free or more, and run out of '
                                                     || 'memory in at most %.1f %% of runs', ample)
                      ELSE printf('%s. Picks that leave 10 %% of it or more run out of memory in at most %.1f %% of runs, the others in '
                                  || 'up to %.0f %%, and the best phi is among the former in %d of %d jobs',
                                  iif(tight > ample, ': what is left free on the tightest card decides', ''), ample, tight, phis, jobs) END
FROM (SELECT max(iif(s.headroom >= 0.10, 100 * s.oom, NULL)) AS ample, max(iif(s.headroom < 0.10, 100 * s.oom, NULL)) AS tight,
             sum(s.pick = 'best phi' AND s.oom > f.oom + 0.0005) AS worse,
             sum(s.pick = 'best phi' AND s.headroom >= 0.10) AS phis, sum(s.pick = 'best phi') AS jobs
      FROM shown AS s JOIN shown AS f ON f.job = s.job AND f.pick = 'fastest')
WHERE jobs > 0
UNION ALL
SELECT job, 'predicted: nothing fits in its own space' FROM asked WHERE job NOT IN (SELECT job FROM shown)
UNION ALL
SELECT '-', 'no job to ask about: before reading this, CREATE TEMP TABLE asked AS SELECT ''try'' AS job, with jobs of memx_job'
WHERE NOT EXISTS (SELECT 1 FROM asked);
ROLLBACK;
