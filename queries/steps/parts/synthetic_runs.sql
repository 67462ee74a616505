-- What steps 1 to 3 show themselves on: synthetic runs of the demo's job, only where memx_run is empty; of build/testbed
-- (seed 1), which knows nothing of the predictor. A row is a run, its last column the MiB reserved on each GPU, rank 0
-- first. Prints nothing; whoever reads it rolls back.
CREATE TEMP TABLE synthetic AS
SELECT column1 AS id, column2 AS config, column3 AS iteration_ms, column4 AS oom, column5 AS reserved_mib
FROM (VALUES
    (1, 'tp1.dp2.mb1.seq4096/A100-SXM-80GB*4:none,A100-SXM-80GB*4:none,C-32GB*3:none,C-32GB*3:none,C-32GB*3:none,C-32GB*3:none,B-32GB*3:none,B-32GB*3:none,B-32GB*3:none,B-32GB*3:none',
     38473, 0, '[32158,31856,28194,27990,20936,20806,19294,18962,17692,17704,16176,16292,15212,15124,13290,13330,11626,11504,11550,11634]'),
    (2, 'tp2.dp2.mb1.seq4096/B-32GB*6:none,B-32GB*6:none,C-32GB*4:none,C-32GB*4:none,A100-SXM-80GB*12:none',
     30586, 0, '[17808,17712,17704,17646,15214,15304,15364,15454,8890,8952,9028,8974,7914,7950,7892,8034,18708,18744,18454,18558]'),
    (3, 'tp4.dp1.mb2.seq4096/C-32GB*4:none,C-32GB*5:none,B-32GB*6:none,B-32GB*7:none,A100-SXM-80GB*10:full',
     43592, 0, '[10064,10124,10292,10016,10602,10644,10492,10518,11648,11588,11564,11738,11338,11100,11460,11508,10438,10176,10246,10094]'),
    (4, 'tp1.dp2.mb1.seq4096/C-32GB*2:none,C-32GB*2:none,C-32GB*2:none,C-32GB*2:none,B-32GB*3:none,B-32GB*3:none,B-32GB*3:none,B-32GB*3:none,A100-SXM-80GB*6:none,A100-SXM-80GB*6:none',
     26620, 0, '[17734,17764,15294,15366,14098,14160,13266,13426,18502,18916,17304,16892,14998,15068,13270,13270,20722,20468,20116,19682]'),
    (5, 'tp1.dp4.mb1.seq4096/A100-SXM-80GB*12:none,C-32GB*4:none,C-32GB*4:none,B-32GB*6:none,B-32GB*6:none',
     25660, 0, '[54216,53682,53760,53258,16656,16596,16678,16384,14354,14420,14528,14674,18530,18980,18762,18710,16550,16708,16558,16500]'),
    (6, 'tp1.dp2.mb2.seq4096/B-32GB*3:none,B-32GB*3:none,B-32GB*3:none,B-32GB*3:none,C-32GB*2:none,C-32GB*2:none,C-32GB*2:none,C-32GB*2:none,A100-SXM-80GB*6:none,A100-SXM-80GB*6:none',
     NULL, 1, NULL),
    (7, 'tp1.dp2.mb1.seq4096/B-32GB*3:none,B-32GB*3:none,B-32GB*3:none,B-32GB*3:none,C-32GB*2:none,C-32GB*2:none,C-32GB*2:none,C-32GB*2:none,A100-SXM-80GB*6:none,A100-SXM-80GB*6:none',
     25471, 0, '[28234,27832,24894,23998,22888,22566,20730,20832,12478,12022,11340,11090,10148,9972,9250,9042,20500,20432,19820,19774]'))
WHERE NOT EXISTS (SELECT 1 FROM memx_run) AND EXISTS (SELECT 1 FROM memx_job WHERE job = 'mix20');
INSERT INTO memx_run(id, job, config, iteration_ms, oom, source)
SELECT id, 'mix20', config, iteration_ms, oom, 'synthetic: testbed seed 1' FROM synthetic;
INSERT INTO memx_run_gpu(run, rank, reserved_mib)
SELECT s.id, g.key, g.value FROM synthetic AS s, json_each(s.reserved_mib) AS g;
