-- megatron_args: flags for Megatron-LM; what they cannot say; and back again through a log's arguments.
CREATE TEMP TABLE pick AS SELECT job, config FROM memx_configs WHERE job = 'mix20' AND slowdown <= 1.1 ORDER BY phi LIMIT 1;
SELECT config, megatron_args(job, config) FROM pick;
SELECT 'stage ' || value, megatron_args(job, config, value) FROM pick, json_each('[0, 3]');
SELECT megatron_args('lab6', config) FROM memx_configs WHERE job = 'lab6' ORDER BY iteration_ms LIMIT 1;

SELECT substr(flags, instr(flags, '--decoder')) FROM (SELECT megatron_args('mix20',
    'tp4.dp1.mb1.seq4096/A100-SXM-80GB*8:full,B-32GB*6:full,B-32GB*6:full,C-32GB*6:full,C-32GB*6:full') AS flags);

-- Experts, dense first layers and latent attention.
INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length) VALUES
    ('mixtral', 'mix20', 'mixtral-8x7b', 'megatron-bf16', 100, 4096), ('latent', 'mix20', 'deepseek-v3', 'megatron-bf16', 100, 4096);
SELECT megatron_args('mixtral', 'tp1.dp4.mb1.seq4096.ep4/A100-SXM-80GB*8:full,B-32GB*6:full,B-32GB*6:full,C-32GB*6:full,C-32GB*6:full');
SELECT megatron_args('mixtral', 'tp2.dp2.mb1.seq4096.sp0.ep2/A100-SXM-80GB*8:full,B-32GB*6:full,B-32GB*6:full,C-32GB*6:full,C-32GB*6:full');
SELECT megatron_args('latent', 'tp2.dp2.mb1.seq4096.ep2/A100-SXM-80GB*21:full,B-32GB*10:full,B-32GB*10:full,C-32GB*10:full,C-32GB*10:full');
SELECT megatron_args('mix20', NULL), megatron_args(NULL, 'x'), megatron_args('mix20', 'x', NULL);
SELECT megatron_args('nix', 'tp1');
SELECT megatron_args('mix20', 'tp4');
SELECT megatron_args(job, config, 10) FROM pick;
SELECT megatron_args(job, config, -1) FROM pick;
SELECT megatron_args(job, config, 'first') FROM pick;
SELECT megatron_args('mix20', 'tp4.dp1.mb1.seq4095/A100-SXM-80GB*8:full,B-32GB*6:full,B-32GB*6:full,C-32GB*6:full,C-32GB*6:full');
SELECT stage_flags('llama2-7b', 'fp32', 0, 1, 1, 1, 1, 4096, 32, 32, 'none', 0, 0);
SELECT stage_flags('llama2-7b', 'fp32', 1, 1, 1, 1, 1, 4096, 32, 32, 'some', 0, 0);
SELECT stage_flags('llama2-7b', 'fp32', 2.7, 1, 1, 1, 1, 4096, 32, 32, 'none', 0, 0);
SELECT stage_flags('llama2-7b', 'fp32', 1, 1, 1, 1, 1, 4096, 32, 32, 'none', 0, 7);
SELECT stage_flags('llama2-7b', 'fp32', 4, 1, 1, 1, 1, 4096, 32, 32, 'swap2', 0, 0);
SELECT stage_flags('llama2-7b', 'fp32', 4, 1, 3, 1, 1, 4096, 32, 32, 'none', 0, 0);
SELECT stage_flags('llama2-7b', 'fp32', 4, 1, 1, 3, 16, 4096, 32, 32, 'none', 0, 0);
SELECT stage_flags('llama2-7b', 'fp32', 4, 1, 1, 1, 1, 4096, 32, 32, 'block9', 1, 0)
    = stage_flags('llama2-7b', 'fp32', 4, 1, 1, 1, 1, 4096, 32, 32, 'full', 0, 0) AS canonical;
SELECT stage_flags('llama9', 'fp32', 1, 1, 1, 1, 1, 4096, 32, 32, 'none', 0, 0);
SELECT stage_flags(NULL, 'fp32', 1, 1, 1, 1, 1, 4096, 32, 32, 'none', 0, 0);

-- Every configuration of a slice of the space, started and printed as a log prints its arguments, is itself again:
-- of stages that recompute differently the first one's level.
CREATE TEMP TABLE started AS
SELECT job, config, recompute, flags, substr(flags, 1, instr(flags || char(10), char(10)) - 1) AS line,
       CASE WHEN flags LIKE '%# nodes in the order of ranks: %'
            THEN substr(flags, instr(flags, 'order of ranks: ') + 16) END AS nodes
FROM (SELECT job, config, recompute, megatron_args(job, config, 0) AS flags
      FROM memx_configs WHERE job = 'mix20' AND tp = 4 AND (layers LIKE '%1%' OR recompute LIKE '%block%'))
LIMIT 600;
CREATE TEMP TABLE printed AS
WITH RECURSIVE word(config, rest, text) AS (
    SELECT config, line || ' --', '  world_size ........ 20' || char(10) || '  sequence_parallel ........ False' || char(10)
           || '  use_distributed_optimizer ........ False' || char(10) FROM started
    UNION ALL
    SELECT config, substr(rest, instr(substr(rest, 3), '--') + 2),
           text || '  ' || rtrim(replace(substr(rest, 3, min(instr(rest, ' '), instr(substr(rest, 3), ' --') + 1) - 2), '-', '_'))
           || ' ........ '
           || CASE WHEN instr(rest, ' ') < instr(substr(rest, 3), ' --') + 2
                   THEN replace(substr(rest, instr(rest, ' ') + 1, instr(substr(rest, 3), ' --') + 2 - instr(rest, ' ') - 1), '''', '')
                   ELSE 'True' END || char(10)
    FROM word WHERE rest <> '--')
SELECT config, text FROM word WHERE rest = '--';
CREATE TEMP TABLE again AS
SELECT s.job, s.config, s.recompute, l.config AS found, l.problem,
       megatron_args(s.job, s.config) LIKE '%# levels by stage%' AS differs
FROM started AS s JOIN printed USING (config), megatron_log(printed.text, s.job, s.nodes) AS l;
SELECT 'no problem', count(*) > 500, count(problem) FROM again;
SELECT 'recompute alike', count(*) > 50, sum(config = found) = count(*) FROM again WHERE NOT differs;
SELECT 'recompute differs', count(*) > 50, sum(again.config <> found) = count(*),
       sum((a.devices, a.layers) = (b.devices, b.layers)) = count(*)
FROM again, memx_predict(again.job, again.config) AS a, memx_predict(again.job, found) AS b WHERE differs;
