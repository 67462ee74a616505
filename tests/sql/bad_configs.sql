-- A configuration that cannot be read: one line that says where and what to write.
-- (memx_stages and memx_gpus read it in the same way.)

CREATE TEMP TABLE before AS SELECT count(*) AS jobs, (SELECT count(*) FROM memx_configs) AS rows
    FROM memx_job;

-- Not a configuration at all, or a part of one.
SELECT phi FROM memx_predict('xy', '');
SELECT phi FROM memx_predict('xy', 'fast');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/');
SELECT phi FROM memx_predict('xy', 'tp1.dp8/X-32GB*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none,');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none;');
SELECT phi FROM memx_predict('xy', ' tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*8:none, Y-64GB*24:none');

-- Knobs.
SELECT phi FROM memx_predict('xy', 'tp.dp8.mb1/X-32GB*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp0.dp8.mb1/X-32GB*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp-1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp1.tp2.dp8.mb1/X-32GB*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1.pp2/X-32GB*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1.sp2/X-32GB*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp99999999999999999999.dp8.mb1/X-32GB*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp9999999999.dp9999999999.mb1/X-32GB*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1.seq9999999999/X-32GB*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb9999999999/X-32GB*8:none,Y-64GB*24:none');

-- Degrees that this cluster, model or batch does not allow.
SELECT phi FROM memx_predict('xy', 'tp1.dp4.mb1/X-32GB*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb3/X-32GB*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp8.dp1.mb1.hd12/X-32GB*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp8.dp1.mb1.hd16.kv4/X-32GB*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp8.dp1.mb1.hd7/X-32GB*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp8.dp1.mb1.kv3/X-32GB*8:none,Y-64GB*24:none');

-- Devices.
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*8:none,Z-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*8:none,y-64gb*24:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*8:none,X-32GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB(4)*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB(4|Y-64GB(4)*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB|Y-64GB*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB(0)|Y-64GB(8)*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp2.dp4.mb1/X-32GB(3)|Y-64GB(5)*8:none,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp16.dp1.mb1/X-32GB(8)|Y-64GB(8)*32:none');

-- Layers.
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*22:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*25:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*0:none,Y-64GB*32:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*9999999999:none,Y-64GB*9999999999:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB:none,Y-64GB*24:none');

-- Recompute levels.
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*8:some,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*8:block,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*8:uniform0,Y-64GB*24:none');
SELECT phi FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*8:block1234567,Y-64GB*24:none');

-- The same from memx_stages, memx_gpus and in a join: the message says which.
SELECT * FROM memx_stages('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*22:none');
SELECT * FROM memx_gpus('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*22:none');
INSERT INTO memx_run(job, config) VALUES ('lab6',
    'tp2.dp1.mb1/V100-SXM2-16GB*2:none,V100-SXM2-16GB*2:none,T4*2:none'),
                                         ('lab6', 'tp2.dp1.mb1/V100-SXM2-16GB*2:none,V100-SXM2-16GB*2:none,T4*1:none');
SELECT 'of the first', p.layers FROM memx_run AS r, memx_predict(r.job, r.config) AS p;

-- None of this changed anything.
SELECT 'unchanged', count(*) = jobs, (SELECT count(*) FROM memx_configs) = rows FROM memx_job, before;
