-- The search spaces that MemX ships. memx_init() runs this file after tables.sql. A space of which
-- any row is there stays as it is, so that values added to it or taken out of it by a user survive.
-- What a space does not list has the default that the comment on memx_space names.

-- What a query searches unless its job says otherwise. Layers are split so that the slowest stage is
-- as fast as possible, and one layer may then move between neighbouring stages; all stages on one
-- device type share a recompute level. Small enough to be listed in full by any query.
INSERT INTO memx_space(space, param, value)
SELECT 'default', column1, column2 FROM (VALUES
  ('device_order', 'types'),
  ('stage_devices', 'vendor'),
  ('layer_split', 'time'),
  ('layer_skew', '1'),
  ('recompute', 'none'),
  ('recompute', 'selective'),
  ('recompute', 'block1'),
  ('recompute', 'full'),
  ('recompute_scope', 'device'))
WHERE NOT EXISTS (SELECT 1 FROM memx_space WHERE space = 'default')
ON CONFLICT DO NOTHING;

-- Every split of the layers and every recompute level on every stage. Too large to list: for ranked
-- search, ORDER BY one of phi, iteration_ms, peak_mib and memory_variance with a LIMIT.
INSERT INTO memx_space(space, param, value)
SELECT 'free', column1, column2 FROM (VALUES
  ('device_order', 'types'),
  ('stage_devices', 'vendor'),
  ('layer_split', 'free'),
  ('recompute', 'none'),
  ('recompute', 'selective'),
  ('recompute', 'block1'),
  ('recompute', 'full'),
  ('recompute_scope', 'stage'))
WHERE NOT EXISTS (SELECT 1 FROM memx_space WHERE space = 'free')
ON CONFLICT DO NOTHING;

-- What Megatron-LM does without further flags: equal numbers of layers, one recompute level for all.
INSERT INTO memx_space(space, param, value)
SELECT 'megatron', column1, column2 FROM (VALUES
  ('device_order', 'types'),
  ('stage_devices', 'vendor'),
  ('layer_split', 'uniform'),
  ('layer_skew', '0'),
  ('recompute', 'none'),
  ('recompute', 'selective'),
  ('recompute', 'full'),
  ('recompute_scope', 'global'))
WHERE NOT EXISTS (SELECT 1 FROM memx_space WHERE space = 'megatron')
ON CONFLICT DO NOTHING;

-- What AMP can reach (arXiv:2210.07297 and its public code): the split with the least slowest stage over
-- any mix of devices, no recompute, and no memory model: rows that do not fit come too.
INSERT INTO memx_space(space, param, value)
SELECT 'amp', column1, column2 FROM (VALUES
  ('device_order', 'types'),
  ('stage_devices', 'any'),
  ('layer_split', 'time'),
  ('layer_skew', '0'),
  ('recompute', 'none'),
  ('recompute_scope', 'global'),
  ('memory_limit', 'ignore'))
WHERE NOT EXISTS (SELECT 1 FROM memx_space WHERE space = 'amp')
ON CONFLICT DO NOTHING;

-- What FaSOP can reach: AMP's space, less what does not fit.
INSERT INTO memx_space(space, param, value)
SELECT 'fasop', column1, column2 FROM (VALUES
  ('device_order', 'types'),
  ('stage_devices', 'any'),
  ('layer_split', 'time'),
  ('layer_skew', '0'),
  ('recompute', 'none'),
  ('recompute_scope', 'global'),
  ('memory_limit', 'hard'))
WHERE NOT EXISTS (SELECT 1 FROM memx_space WHERE space = 'fasop')
ON CONFLICT DO NOTHING;

-- What Metis can reach (its public code): stages are groups of devices in any order of the types, layers
-- shared by their compute; recompute is not searched. Its unequal micro batches inside a mixed stage are
-- not expressed here.
INSERT INTO memx_space(space, param, value)
SELECT 'metis', column1, column2 FROM (VALUES
  ('device_order', 'types'),
  ('stage_devices', 'any'),
  ('layer_split', 'compute'),
  ('layer_skew', '0'),
  ('recompute', 'none'),
  ('recompute_scope', 'global'))
WHERE NOT EXISTS (SELECT 1 FROM memx_space WHERE space = 'metis')
ON CONFLICT DO NOTHING;

-- What HexiScale can reach (its public code): layers by FLOPS, one device type a stage, no recompute. Its
-- tensor parallel degrees that differ from stage to stage are not expressed here.
INSERT INTO memx_space(space, param, value)
SELECT 'hexiscale', column1, column2 FROM (VALUES
  ('device_order', 'types'),
  ('stage_devices', 'one'),
  ('layer_split', 'compute'),
  ('layer_skew', '0'),
  ('recompute', 'none'),
  ('recompute_scope', 'global'))
WHERE NOT EXISTS (SELECT 1 FROM memx_space WHERE space = 'hexiscale')
ON CONFLICT DO NOTHING;
