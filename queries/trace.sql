-- What does every stage do in one iteration of the pick? A Chrome trace for ui.perfetto.dev or chrome://tracing.
--   sqlite3 -cmd '.load ./memx' build/demo.db <queries/trace.sql >trace.json
.mode list
SELECT memx_trace(job, config) FROM memx_configs
WHERE job = 'mix20' AND slowdown <= 1.10 ORDER BY phi LIMIT 1;
