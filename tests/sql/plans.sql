-- recompute_plan, recompute_plan_detail, layer_split, and weights 'auto'.

-- The MemX paper's table 1, servers X and Y. By the rates it prints for them, 70 and 86 TFLOPS, X gets 14.4 of
-- the 32 layers, by memory (32 to 64 GB) 10.7. The paper prints 21:11 by rate, which its own rates contradict.
SELECT 'by rate', layer_split('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'compute'),
       printf('%.1f', 32 * 70.0 / (70 + 86));
SELECT 'by memory', layer_split('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'memory'),
       printf('%.1f', 32 * 32.0 / (32 + 64));
SELECT 'evenly', layer_split('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'uniform');
-- By time follows the levels and stays within memory: with X at full it takes more layers.
SELECT 'by time', layer_split('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'time'),
       layer_split('xy', 'tp1.dp8.mb1/X-32GB*8:full,Y-64GB*24:none', 'time');
-- Only the degrees and devices count, in whatever order the stages come.
SELECT 'the other way round', layer_split('xy', 'tp1.dp8.mb1/Y-64GB*31:full,X-32GB*1:full', 'compute'),
       layer_split('xy', 'tp1.dp8.mb1/Y-64GB*31:full,X-32GB*1:full', 'memory');
SELECT 'what is left over', layer_split('lab6', 'tp2.dp1.mb1/V100-SXM2-16GB*2:none,V100-SXM2-16GB*2:none,T4*2:none',
       'compute'), layer_split('xy', 'tp2.dp1.mb1/X-32GB*4:none,X-32GB*4:none,X-32GB*4:none,X-32GB*4:none,'
       || 'Y-64GB*4:none,Y-64GB*4:none,Y-64GB*4:none,Y-64GB*4:none', 'memory');

-- With 8 layers X fits without recompute; with 14 it must recompute, and Y need not.
SELECT '8 layers', recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*8:full,Y-64GB*24:full');
SELECT '14 layers', recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none');
SELECT 'time is the default', recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none', 'time');
SELECT 'more headroom', recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none', 'headroom=0.4');
SELECT 'no room', recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*24:none,Y-64GB*8:none') IS NULL,
       recompute_plan('xy', 'tp1.dp8.mb1/X-32GB*14:none,Y-64GB*18:none', 'headroom=0.9') IS NULL;

-- Why, in words.
CREATE TEMP VIEW reason AS
    SELECT layers AS x, objective, value ->> 'stage' AS stage, value ->> 'device' AS device,
           value ->> 'level' AS level, value ->> 'reason' AS reason
    FROM (VALUES (8, 'time'), (14, 'time'), (24, 'time'), (14, 'headroom=0.4'), (14, 'headroom=0.9'), (11, 'phi'))
         AS v(layers, objective),
         json_each(recompute_plan_detail('xy', 'tp1.dp8.mb1/X-32GB*' || v.column1 || ':none,Y-64GB*'
                                         || (32 - v.column1) || ':none', v.column2), '$.stages');
