-- A space to stream: every split of mix20's model into five stages of tp 4, one micro batch size, all
-- or nothing recomputed on each stage; 5.8 million feasible configurations.
INSERT INTO memx_space(space, param, value)
VALUES ('bench', 'tp', '4'), ('bench', 'pp', '5'), ('bench', 'micro_batch', '1'),
       ('bench', 'device_order', 'types'), ('bench', 'stage_devices', 'vendor'),
       ('bench', 'layer_split', 'free'), ('bench', 'recompute_scope', 'stage'),
       ('bench', 'recompute', 'none'), ('bench', 'recompute', 'full');
