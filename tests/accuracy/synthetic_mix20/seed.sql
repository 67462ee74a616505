-- One seed's records and runs, and what predictions of them are judged by.
CREATE TABLE record(id INTEGER PRIMARY KEY, device, model, framework, layers, first_stage, last_stage, tp, dp,
    micro_batch, seq_length, heads, kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer,
    time_ms REAL, allocated_mib REAL, reserved_mib REAL, source);
CREATE TABLE seen(id INTEGER PRIMARY KEY, job, config, iteration_ms REAL, oom, source);
CREATE TABLE seen_gpu(run, rank, allocated_mib REAL, reserved_mib REAL);
CREATE TABLE truth(id INTEGER PRIMARY KEY, job, config, iteration_ms REAL, oom, source);
CREATE TABLE truth_gpu(run, rank, allocated_mib REAL, reserved_mib REAL);
.read records.sql
.read seen.sql
.read truth.sql

-- Stages that some predictor is trained on are no test of any.
CREATE TABLE trained AS SELECT * FROM memx_profile WHERE 0;
.read design.sql
.read jittered.sql
INSERT INTO trained SELECT * FROM memx_profile;
CREATE INDEX trained_stage ON trained(device, model, layers, tp, micro_batch);

-- A record is one GPU's: 20 of a run, in rank order, a run's stages tp * dp GPUs wide.
CREATE TABLE test AS
SELECT r.*, (id - 1) / 20 + 1 AS run, (id - 1) % 20 / (tp * dp) AS stage
FROM record AS r
WHERE NOT EXISTS (
    SELECT 1 FROM trained AS t
    WHERE (t.device, t.model, t.layers, t.tp, t.micro_batch, t.dp, t.seq_length, t.recompute, t.in_flight,
           t.first_stage, t.last_stage)
        = (r.device, r.model, r.layers, r.tp, r.micro_batch, r.dp, r.seq_length, r.recompute, r.in_flight,
           r.first_stage, r.last_stage));

-- The configurations once each; what one chooses between has one job and one sequence length. True: without
-- noise; on a card the context, which no allocator sees, comes on top.
CREATE TABLE point AS
WITH held AS (
    SELECT g.run, avg(g.reserved_mib + d.context_mib) AS mean, max(g.reserved_mib + d.context_mib) AS peak,
           avg((g.reserved_mib + d.context_mib) * (g.reserved_mib + d.context_mib)) AS square
    FROM truth_gpu AS g JOIN record AS r ON r.id = (g.run - 1) * 20 + g.rank + 1
         JOIN memx_device AS d USING (device)
    GROUP BY g.run)
SELECT s.id AS run, s.job, r.seq_length, s.job || ' ' || r.seq_length AS family, s.config,
       s.iteration_ms AS seen_ms, t.iteration_ms AS true_ms,
       phi(t.iteration_ms, h.peak, max(0, h.square - h.mean * h.mean)) AS true_phi
FROM seen AS s JOIN truth AS t USING (id) JOIN held AS h ON h.run = s.id
     JOIN record AS r ON r.id = (s.id - 1) * 20 + 1
WHERE s.id <= 1628;
