-- What does headroom cost? For job mix20, the fastest configuration that leaves at least so much of
-- every card free, and how much slower it is than the fastest of all.
WITH wanted(least) AS (VALUES (0.10), (0.20), (0.30), (0.40), (0.50), (0.60)),
picks(least, config) AS (
    SELECT least, (SELECT config FROM memx_configs
                   WHERE job = 'mix20' AND headroom >= least ORDER BY iteration_ms LIMIT 1)
    FROM wanted)
SELECT printf('%.0f %%', 100 * least) AS wanted, printf('%.0f %%', 100 * headroom) AS free,
       printf('%.1f', iteration_ms / 1000) AS seconds, printf('%.2f', slowdown) AS slowdown,
       printf('%.0f', headroom_mib) AS tightest_mib_free, p.config
FROM picks, memx_predict('mix20', picks.config) AS p;
