-- The search spaces that MemX ships. memx_init() runs this file after tables.sql. A space of which
-- any row is there stays as it is, so that values added to it or taken out of it by a user survive.
-- What a space does not list has the default that the comment on memx_space names.

INSERT INTO memx_space(space, param, value)
SELECT column1, column2, column3 FROM (VALUES
  -- What a query searches unless its job says otherwise. Layers are split so that the slowest stage is
  -- as fast as possible, and one layer may then move between neighbouring stages; all stages on one
  -- device type share a recompute level. Small enough to be listed in full by any query.
  ('default', 'device_order', 'types'),
  ('default', 'stage_devices', 'vendor'),
  ('default', 'layer_split', 'time'),
  ('default', 'layer_skew', '1'),
  ('default', 'recompute', 'none'),
  ('default', 'recompute', 'selective'),
  ('default', 'recompute', 'block1'),
  ('default', 'recompute', 'full'),
  ('default', 'recompute_scope', 'device'),

  -- Every split of the layers and every recompute level on every stage. Too large to list: for ranked
  -- search, ORDER BY one of phi, iteration_ms, peak_mib and memory_variance with a LIMIT.
  ('free', 'device_order', 'types'),
  ('free', 'stage_devices', 'vendor'),
  ('free', 'layer_split', 'free'),
  ('free', 'recompute', 'none'),
  ('free', 'recompute', 'selective'),
  ('free', 'recompute', 'block1'),
  ('free', 'recompute', 'full'),
  ('free', 'recompute_scope', 'stage'),

  -- The default with the host's help: activations of a stage's first layers swapped (which no framework has for
  -- pipelines today), optimizer state offloaded. Needs memx_device.host_gbs.
  ('host', 'device_order', 'types'),
  ('host', 'stage_devices', 'vendor'),
  ('host', 'layer_split', 'time'),
  ('host', 'layer_skew', '1'),
  ('host', 'recompute', 'none'),
  ('host', 'recompute', 'selective'),
  ('host', 'recompute', 'block1'),
  ('host', 'recompute', 'full'),
  ('host', 'recompute', 'swap1'),
  ('host', 'recompute', 'swap2'),
  ('host', 'recompute', 'swap4'),
  ('host', 'recompute', 'offload50'),
  ('host', 'recompute', 'offload100'),
  ('host', 'recompute', 'full+offload100'),
  ('host', 'recompute_scope', 'device'),

  -- The default with context parallelism and interleaved pipelines, for long sequences and deep pipelines; degrees
  -- that do not divide are left out.
  ('wide', 'device_order', 'types'),
  ('wide', 'stage_devices', 'vendor'),
  ('wide', 'layer_split', 'time'),
  ('wide', 'layer_skew', '1'),
  ('wide', 'recompute', 'none'),
  ('wide', 'recompute', 'selective'),
  ('wide', 'recompute', 'block1'),
  ('wide', 'recompute', 'full'),
  ('wide', 'recompute_scope', 'device'),
  ('wide', 'cp', '1'),
  ('wide', 'cp', '2'),
  ('wide', 'cp', '4'),
  ('wide', 'cp', '8'),
  ('wide', 'vp', '1'),
  ('wide', 'vp', '2'),
  ('wide', 'vp', '3'),
  ('wide', 'vp', '4'),
  ('wide', 'vp', '5'),
  ('wide', 'vp', '6'),

  -- What Megatron-LM does without further flags: equal numbers of layers, one recompute level for all.
  ('megatron', 'device_order', 'types'),
  ('megatron', 'stage_devices', 'vendor'),
  ('megatron', 'layer_split', 'uniform'),
  ('megatron', 'layer_skew', '0'),
  ('megatron', 'recompute', 'none'),
  ('megatron', 'recompute', 'selective'),
  ('megatron', 'recompute', 'full'),
  ('megatron', 'recompute_scope', 'global'),

  -- AMP's layouts (arXiv:2210.07297 and its public code): any mix of devices in a stage, no recompute, and no
  -- memory model: rows that do not fit come too. AMP takes the mean of the types for the speed of all, so that
  -- its own exact split is even (queries/planner_cost/amp.sql); this one knows each device's speed, and is
  -- better than AMP itself.
  ('amp', 'device_order', 'types'),
  ('amp', 'stage_devices', 'any'),
  ('amp', 'layer_split', 'time'),
  ('amp', 'layer_skew', '0'),
  ('amp', 'recompute', 'none'),
  ('amp', 'recompute_scope', 'global'),
  ('amp', 'memory_limit', 'ignore'),

  -- FaSOP's: AMP's space, less what does not fit.
  ('fasop', 'device_order', 'types'),
  ('fasop', 'stage_devices', 'any'),
  ('fasop', 'layer_split', 'time'),
  ('fasop', 'layer_skew', '0'),
  ('fasop', 'recompute', 'none'),
  ('fasop', 'recompute_scope', 'global'),
  ('fasop', 'memory_limit', 'hard'),

  -- What Metis can reach (its public code): stages are groups of devices in any order of the types, layers
  -- shared by their compute; recompute is not searched. Its unequal micro batches inside a mixed stage are
  -- not expressed here.
  ('metis', 'device_order', 'types'),
  ('metis', 'stage_devices', 'any'),
  ('metis', 'layer_split', 'compute'),
  ('metis', 'layer_skew', '0'),
  ('metis', 'recompute', 'none'),
  ('metis', 'recompute_scope', 'global'),

  -- What HexiScale can reach (its public code): layers by FLOPS, one device type a stage, no recompute. Its
  -- tensor parallel degrees that differ from stage to stage are not expressed here.
  ('hexiscale', 'device_order', 'types'),
  ('hexiscale', 'stage_devices', 'one'),
  ('hexiscale', 'layer_split', 'compute'),
  ('hexiscale', 'layer_skew', '0'),
  ('hexiscale', 'recompute', 'none'),
  ('hexiscale', 'recompute_scope', 'global'))
WHERE column1 NOT IN (SELECT space FROM memx_space)
ON CONFLICT DO NOTHING;
