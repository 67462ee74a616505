-- The four steps on runs of which some cannot be ranked: as fast as another, not all GPUs measured, a job or config that
-- cannot be read, no job, only runs out of memory.
INSERT INTO memx_run(id, job, config, iteration_ms, oom, source) VALUES
    (1, 'lab6', 'tp1.dp2.mb1.seq2048/V100-SXM2-16GB*2:none,V100-SXM2-16GB*2:none,T4*2:none', 5000, 0, 'test'),
    (2, 'lab6', 'tp2.dp1.mb1.seq2048/V100-SXM2-16GB*2:none,V100-SXM2-16GB*2:none,T4*2:none', 5000, 0, 'test'),
    (3, 'lab6', 'tp1.dp2.mb2.seq2048/V100-SXM2-16GB*2:none,V100-SXM2-16GB*2:none,T4*2:none', 5500, 0, 'test'),
    (4, 'lab6', 'tp1.dp2.mb2.seq2048/H100*2:none', 5500, 0, 'test'),
    (5, 'nobody', 'tp1.dp2.mb2.seq2048/V100-SXM2-16GB*2:none,V100-SXM2-16GB*2:none,T4*2:none', 5500, 0, 'test'),
    (6, NULL, 'tp1.dp2.mb2.seq2048/V100-SXM2-16GB*2:none,V100-SXM2-16GB*2:none,T4*2:none', 5500, 0, 'test'),
    (7, 'xy', 'tp1.dp8.mb1.seq4096/X-32GB*8:none,Y-64GB*24:none', NULL, 1, 'test');
INSERT INTO memx_run_gpu(run, rank, reserved_mib)
SELECT column1, value, 8000 + 100 * value FROM (VALUES (1), (2)), json_each('[0, 1, 2, 3, 4, 5]');
INSERT INTO memx_run_gpu(run, rank, reserved_mib) VALUES (3, 0, 9000), (3, 1, 9100), (4, 0, 9000), (5, 0, 9000);
.print step 1
.read queries/step1_state.sql
.print step 2
.read queries/step2_rerank.sql
.print step 3
.read queries/step3_tightest_stage.sql
.print step 4
.read queries/step4_search.sql
-- Nothing that could be read.
DELETE FROM memx_run_gpu;
DELETE FROM memx_run WHERE id NOT IN (5, 6);
.print none
.read queries/step2_rerank.sql
.read queries/step3_tightest_stage.sql
.read queries/step4_search.sql
