-- The planners beside MemX for jobs of one's own: asked twice, with another space of its own, that nothing fits, that
-- there are not. MemX's rows and the places are of the spaces that they name.
INSERT INTO memx_job(job, cluster, model, framework, global_batch, space)
SELECT 'own-space', cluster, model, framework, global_batch, 'megatron' FROM memx_job WHERE job = 'mix20';
INSERT INTO memx_job(job, cluster, model, framework, global_batch) VALUES ('large', 'lab6', 'gpt3-175b', 'megatron-fp16', 64);
CREATE TEMP TABLE asked AS SELECT column1 AS job FROM (VALUES ('own-space'), ('own-space'), ('large'), ('nobody'));
.read queries/compare_planners.sql
-- Within 10 % of the fastest of the space that the row names, and in that space the best.
SELECT b.who, b.iteration_ms <= 1.10 * f.iteration_ms
FROM seen AS b JOIN seen AS f ON f.job = b.job AND f.who = replace(b.who, 'within 10 %', 'fastest') WHERE b.who LIKE '%within%';
-- No planner's choice that fits is left of what the picture draws of MemX's.
DELETE FROM asked WHERE job = 'large';
.output /dev/null
.read queries/draw_planners.sql
.output
SELECT count(*), sum(seconds < (SELECT min(seconds) FROM dot WHERE ours)) FROM dot WHERE fits;
-- What a picture says where there is nothing to draw.
DELETE FROM asked WHERE job <> 'nobody';
.read queries/draw_weights.sql
DELETE FROM asked;
INSERT INTO asked VALUES ('large');
.read queries/draw_weights.sql
