-- The stored tables of MemX. memx_init() runs this file first; running it again changes nothing. It
-- is long because each column stands with what it means, its rule and that rule's sentence, as
-- .schema then shows them, and one file because the tables refer to each other.
--
-- Memory is in MiB (2^20 bytes), bandwidth in GB/s (1e9 bytes a second), time in ms unless the name
-- says otherwise. Counts and flags are BIGINT, because ODBC reads INTEGER as 32 bit. A rule is
-- named by the sentence that SQLite prints when it is broken: "CHECK constraint failed: gpus must
-- be a whole number between 1 and 65536". Each rule tests typeof() as well, since text, infinity
-- and fractions would otherwise slip through. SQLite does not enforce foreign keys unless PRAGMA
-- foreign_keys = ON, so readers check references again.

-- The version of these tables, in one row. Written by memx_init(); a newer library migrates by it.
CREATE TABLE IF NOT EXISTS memx_schema (
  -- version of the tables in this file
  version BIGINT NOT NULL
    CONSTRAINT "version must be a whole number between 1 and 1000000"
    CHECK (typeof(version) = 'integer' AND version BETWEEN 1 AND 1000000)
);
CREATE UNIQUE INDEX IF NOT EXISTS memx_schema_has_one_row ON memx_schema((1));
INSERT INTO memx_schema(version) SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM memx_schema);

-- Accelerators, as one process sees them. memx_init() fills in the catalog (devices.sql); users add
-- rows and correct them. Predictors hold factors on its figures, as measurements say.
CREATE TABLE IF NOT EXISTS memx_device (
  -- the device's name, as configurations print it
  device VARCHAR(64) NOT NULL PRIMARY KEY
    CONSTRAINT "device must be a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (typeof(device) = 'text' AND length(device) BETWEEN 1 AND 64
           AND device NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(device, char(0)) = 0),
  -- maker; a stage may by default span devices of one vendor only
  vendor VARCHAR(64) NOT NULL
    CONSTRAINT "vendor must be text of 1 to 64 characters"
    CHECK (typeof(vendor) = 'text' AND length(vendor) BETWEEN 1 AND 64
           AND instr(vendor, char(0)) = 0),
  -- MiB of memory of one device
  memory_mib DOUBLE NOT NULL
    CONSTRAINT "memory_mib must be a number of MiB between 1 and 1e9"
    CHECK (typeof(memory_mib) IN ('real', 'integer') AND memory_mib BETWEEN 1 AND 1e9),
  -- 1: memory_mib is what the driver reports; 0: the nominal size, 1 GB read as 1024 MiB
  memory_measured BIGINT NOT NULL DEFAULT 0
    CONSTRAINT "memory_measured must be 0 or 1"
    CHECK (typeof(memory_measured) = 'integer' AND memory_measured IN (0, 1)),
  -- dense half-precision peak (bf16 or fp16, no sparsity), 1e12 FLOP a second
  peak_tflops DOUBLE NOT NULL
    CONSTRAINT "peak_tflops must be a number of TFLOPS above 0 and at most 1e6"
    CHECK (typeof(peak_tflops) IN ('real', 'integer') AND peak_tflops > 0 AND peak_tflops <= 1e6),
  -- share of peak_tflops that large matrix products reach
  efficiency DOUBLE NOT NULL DEFAULT 0.87
    CONSTRAINT "efficiency must be a number above 0 and at most 1"
    CHECK (typeof(efficiency) IN ('real', 'integer') AND efficiency > 0 AND efficiency <= 1),
  -- memory bandwidth of the data sheet, GB/s
  memory_gbs DOUBLE NOT NULL
    CONSTRAINT "memory_gbs must be a number of GB/s above 0 and at most 1e6"
    CHECK (typeof(memory_gbs) IN ('real', 'integer') AND memory_gbs > 0 AND memory_gbs <= 1e6),
  -- share of memory_gbs that element-wise kernels reach
  memory_efficiency DOUBLE NOT NULL DEFAULT 0.75
    CONSTRAINT "memory_efficiency must be a number above 0 and at most 1"
    CHECK (typeof(memory_efficiency) IN ('real', 'integer') AND memory_efficiency > 0
           AND memory_efficiency <= 1),
  -- link to the other devices of the node, GB/s per device and direction
  link_gbs DOUBLE NOT NULL
    CONSTRAINT "link_gbs must be a number of GB/s above 0 and at most 1e6"
    CHECK (typeof(link_gbs) IN ('real', 'integer') AND link_gbs > 0 AND link_gbs <= 1e6),
  -- MiB taken outside the allocator: driver context, libraries, communicators
  context_mib DOUBLE NOT NULL DEFAULT 4000
    CONSTRAINT "context_mib must be a number of MiB between 0 and 1e9"
    CHECK (typeof(context_mib) IN ('real', 'integer') AND context_mib BETWEEN 0 AND 1e9),
  -- factor on parameters, gradients and optimizer state: allocator overhead
  alpha_static DOUBLE NOT NULL DEFAULT 1.05
    CONSTRAINT "alpha_static must be a number between 0.1 and 10"
    CHECK (typeof(alpha_static) IN ('real', 'integer') AND alpha_static BETWEEN 0.1 AND 10),
  -- link to the host, GB/s per direction; NULL: unknown
  host_gbs DOUBLE
    CONSTRAINT "host_gbs must be NULL or a number of GB/s above 0 and at most 1e6"
    CHECK (host_gbs IS NULL OR (typeof(host_gbs) IN ('real', 'integer') AND host_gbs > 0
           AND host_gbs <= 1e6)),
  -- share of host_gbs that transfers from and to pinned memory reach, either way
  host_efficiency DOUBLE NOT NULL DEFAULT 0.8
    CONSTRAINT "host_efficiency must be a number above 0 and at most 1"
    CHECK (typeof(host_efficiency) IN ('real', 'integer') AND host_efficiency > 0
           AND host_efficiency <= 1),
  -- year of introduction; NULL: unknown
  year BIGINT
    CONSTRAINT "year must be NULL or a whole number between 1990 and 2200"
    CHECK (year IS NULL OR (typeof(year) = 'integer' AND year BETWEEN 1990 AND 2200)),
  -- 1: has bf16 matrix units
  bf16 BIGINT NOT NULL DEFAULT 1
    CONSTRAINT "bf16 must be 0 or 1"
    CHECK (typeof(bf16) = 'integer' AND bf16 IN (0, 1)),
  -- how sure the figures are; invented: a made-up device for examples
  certainty VARCHAR(16) NOT NULL DEFAULT 'low'
    CONSTRAINT "certainty must be high, medium, low or invented"
    CHECK (certainty IN ('high', 'medium', 'low', 'invented')),
  -- where the figures come from
  source TEXT NOT NULL DEFAULT ''
    CONSTRAINT "source must be text"
    CHECK (typeof(source) = 'text'),
  -- anything else worth knowing
  note TEXT NOT NULL DEFAULT ''
    CONSTRAINT "note must be text"
    CHECK (typeof(note) = 'text')
);

-- Other spellings of devices: what nvidia-smi prints, what papers and data sets write. Upper and
-- lower case are the same. A device's own name always wins over an alias. Filled by memx_init();
-- users add rows.
CREATE TABLE IF NOT EXISTS memx_alias (
  -- the other spelling; may hold spaces and slashes
  name VARCHAR(64) COLLATE NOCASE NOT NULL PRIMARY KEY
    CONSTRAINT "name must be text of 1 to 64 characters without spaces at its ends"
    CHECK (typeof(name) = 'text' AND length(name) BETWEEN 1 AND 64
           AND name = trim(name)
           AND instr(name, char(0)) = 0),
  -- the device that it stands for
  device VARCHAR(64) NOT NULL REFERENCES memx_device(device) ON UPDATE CASCADE ON DELETE CASCADE
    CONSTRAINT "device must be a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (typeof(device) = 'text' AND length(device) BETWEEN 1 AND 64
           AND device NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(device, char(0)) = 0)
);

-- Training frameworks: the bytes that they hold and the constants of the time and memory model.
-- Filled by memx_init() (frameworks.sql); users add rows, best by copying one. Predictors hold factors on
-- its constants, as measurements say.
CREATE TABLE IF NOT EXISTS memx_framework (
  -- name, with precision and where it matters the version
  framework VARCHAR(64) NOT NULL PRIMARY KEY
    CONSTRAINT "framework must be a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (typeof(framework) = 'text' AND length(framework) BETWEEN 1 AND 64
           AND framework NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(framework, char(0)) = 0),
  -- bytes of one activation element: 2 half precision, 4 fp32
  activation_bytes DOUBLE NOT NULL
    CONSTRAINT "activation_bytes must be a number of bytes above 0 and at most 64"
    CHECK (typeof(activation_bytes) IN ('real', 'integer') AND activation_bytes > 0
           AND activation_bytes <= 64),
  -- bytes of weights per parameter
  parameter_bytes DOUBLE NOT NULL
    CONSTRAINT "parameter_bytes must be a number of bytes between 0 and 64"
    CHECK (typeof(parameter_bytes) IN ('real', 'integer') AND parameter_bytes BETWEEN 0 AND 64),
  -- bytes of gradients per parameter
  gradient_bytes DOUBLE NOT NULL
    CONSTRAINT "gradient_bytes must be a number of bytes between 0 and 64"
    CHECK (typeof(gradient_bytes) IN ('real', 'integer') AND gradient_bytes BETWEEN 0 AND 64),
  -- bytes of optimizer state per parameter (master weights included), divided by the
  -- data-parallel degree under the distributed optimizer
  optimizer_bytes DOUBLE NOT NULL
    CONSTRAINT "optimizer_bytes must be a number of bytes between 0 and 64"
    CHECK (typeof(optimizer_bytes) IN ('real', 'integer') AND optimizer_bytes BETWEEN 0 AND 64),
  -- bytes per parameter, divided by the data-parallel degree, that the optimizer step needs on top
  -- (DeepSpeed ZeRO)
  optimizer_temp_bytes DOUBLE NOT NULL DEFAULT 0
    CONSTRAINT "optimizer_temp_bytes must be a number of bytes between 0 and 64"
    CHECK (typeof(optimizer_temp_bytes) IN ('real', 'integer')
           AND optimizer_temp_bytes BETWEEN 0 AND 64),
  -- bytes per logit on the last stage: half-precision logits, fp32 copy, gradient
  logit_bytes DOUBLE NOT NULL DEFAULT 6
    CONSTRAINT "logit_bytes must be a number of bytes between 0 and 64"
    CHECK (typeof(logit_bytes) IN ('real', 'integer') AND logit_bytes BETWEEN 0 AND 64),
  -- 1: tensor parallelism divides the logits; 0: every rank holds them whole
  logits_sharded BIGINT NOT NULL DEFAULT 1
    CONSTRAINT "logits_sharded must be 0 or 1"
    CHECK (typeof(logits_sharded) = 'integer' AND logits_sharded IN (0, 1)),
  -- factor on activations: what the formula leaves out, and fragmentation
  alpha_act DOUBLE NOT NULL DEFAULT 1.0
    CONSTRAINT "alpha_act must be a number between 0.1 and 10"
    CHECK (typeof(alpha_act) IN ('real', 'integer') AND alpha_act BETWEEN 0.1 AND 10),
  -- 1: attention never stores its scores (FlashAttention and the like)
  fused_attention BIGINT NOT NULL DEFAULT 1
    CONSTRAINT "fused_attention must be 0 or 1"
    CHECK (typeof(fused_attention) = 'integer' AND fused_attention IN (0, 1)),
  -- 1: dropout is on and its masks are stored
  dropout BIGINT NOT NULL DEFAULT 0
    CONSTRAINT "dropout must be 0 or 1"
    CHECK (typeof(dropout) = 'integer' AND dropout IN (0, 1)),
  -- what recompute level selective keeps: 0 all but the attention core (Megatron-LM), 1 of a layer its input
  -- and the outputs of attention and of every second matrix product (torchtitan's op-wise selective AC)
  selective_products BIGINT NOT NULL DEFAULT 0
    CONSTRAINT "selective_products must be 0 or 1"
    CHECK (typeof(selective_products) = 'integer' AND selective_products IN (0, 1)),
  -- 1: jobs use sequence parallelism unless their space says otherwise (matters where tp > 1)
  sequence_parallel BIGINT NOT NULL DEFAULT 0
    CONSTRAINT "sequence_parallel must be 0 or 1"
    CHECK (typeof(sequence_parallel) = 'integer' AND sequence_parallel IN (0, 1)),
  -- what jobs divide over data parallelism unless their space says otherwise: 0 nothing, 1 optimizer
  -- state (ZeRO-1), 2 gradients too (ZeRO-2), 3 parameters too (ZeRO-3, FSDP)
  distributed_optimizer BIGINT NOT NULL DEFAULT 0
    CONSTRAINT "distributed_optimizer must be 0, 1, 2 or 3"
    CHECK (typeof(distributed_optimizer) = 'integer' AND distributed_optimizer IN (0, 1, 2, 3)),
  -- 1: it computes in bf16, so every device must have it
  bf16 BIGINT NOT NULL DEFAULT 0
    CONSTRAINT "bf16 must be 0 or 1"
    CHECK (typeof(bf16) = 'integer' AND bf16 IN (0, 1)),
  -- rate of matrix products as a share of the device's half-precision rate; fp32 with TF32: 0.5
  matmul_share DOUBLE NOT NULL DEFAULT 1.0
    CONSTRAINT "matmul_share must be a number above 0 and at most 1"
    CHECK (typeof(matmul_share) IN ('real', 'integer') AND matmul_share > 0 AND matmul_share <= 1),
  -- memory traffic of element-wise kernels, bytes per token and hidden element, forward
  elementwise_bytes DOUBLE NOT NULL DEFAULT 50
    CONSTRAINT "elementwise_bytes must be a number of bytes between 0 and 10000"
    CHECK (typeof(elementwise_bytes) IN ('real', 'integer')
           AND elementwise_bytes BETWEEN 0 AND 10000),
  -- memory traffic of attention scores, bytes per score, forward; 0 with fused attention
  score_bytes DOUBLE NOT NULL DEFAULT 0
    CONSTRAINT "score_bytes must be a number of bytes between 0 and 10000"
    CHECK (typeof(score_bytes) IN ('real', 'integer') AND score_bytes BETWEEN 0 AND 10000),
  -- memory traffic of output head and loss, bytes per logit
  head_bytes DOUBLE NOT NULL DEFAULT 50
    CONSTRAINT "head_bytes must be a number of bytes between 0 and 10000"
    CHECK (typeof(head_bytes) IN ('real', 'integer') AND head_bytes BETWEEN 0 AND 10000),
  -- ms that the host needs to launch the kernels of one layer, one pass
  layer_ms DOUBLE NOT NULL DEFAULT 1.0
    CONSTRAINT "layer_ms must be a number of ms between 0 and 1e6"
    CHECK (typeof(layer_ms) IN ('real', 'integer') AND layer_ms BETWEEN 0 AND 1e6),
  -- microseconds that the host needs to launch one collective
  collective_us DOUBLE NOT NULL DEFAULT 50
    CONSTRAINT "collective_us must be a number of microseconds between 0 and 1e9"
    CHECK (typeof(collective_us) IN ('real', 'integer') AND collective_us BETWEEN 0 AND 1e9),
  -- ms of fixed cost per micro batch and stage, or chunk of an interleaved one
  micro_batch_ms DOUBLE NOT NULL DEFAULT 1.5
    CONSTRAINT "micro_batch_ms must be a number of ms between 0 and 1e6"
    CHECK (typeof(micro_batch_ms) IN ('real', 'integer') AND micro_batch_ms BETWEEN 0 AND 1e6),
  -- memory traffic of the optimizer step, bytes per parameter
  update_bytes DOUBLE NOT NULL DEFAULT 36
    CONSTRAINT "update_bytes must be a number of bytes between 0 and 10000"
    CHECK (typeof(update_bytes) IN ('real', 'integer') AND update_bytes BETWEEN 0 AND 10000),
  -- share of those collectives of the backward pass that weight gradients can hide: 0 none, 1 all
  tp_overlap DOUBLE NOT NULL DEFAULT 0
    CONSTRAINT "tp_overlap must be a number between 0 and 1"
    CHECK (typeof(tp_overlap) IN ('real', 'integer') AND tp_overlap BETWEEN 0 AND 1),
  -- share of the transfers between stages that is hidden in the steady state: 0 none, 1 all
  p2p_overlap DOUBLE NOT NULL DEFAULT 0
    CONSTRAINT "p2p_overlap must be a number between 0 and 1"
    CHECK (typeof(p2p_overlap) IN ('real', 'integer') AND p2p_overlap BETWEEN 0 AND 1),
  -- the same where stages have chunks (vp above 1): Megatron-LM sends in the background there
  p2p_overlap_interleaved DOUBLE NOT NULL DEFAULT 0
    CONSTRAINT "p2p_overlap_interleaved must be a number between 0 and 1"
    CHECK (typeof(p2p_overlap_interleaved) IN ('real', 'integer') AND p2p_overlap_interleaved BETWEEN 0 AND 1),
  -- share of the last backward pass that hides the gradient synchronisation, and of every pass that hides
  -- ZeRO's own transfers (distributed_optimizer 2 and 3): 0 none, 1 all
  dp_overlap DOUBLE NOT NULL DEFAULT 0
    CONSTRAINT "dp_overlap must be a number between 0 and 1"
    CHECK (typeof(dp_overlap) IN ('real', 'integer') AND dp_overlap BETWEEN 0 AND 1),
  -- where the figures come from
  source TEXT NOT NULL DEFAULT ''
    CONSTRAINT "source must be text"
    CHECK (typeof(source) = 'text')
);

-- Clusters: the network between nodes. Written by users. Predictors hold factors on inter_efficiency,
-- flow_gbs, latency_us and overhead_ms, as measured runs say.
CREATE TABLE IF NOT EXISTS memx_cluster (
  -- the cluster's name
  cluster VARCHAR(64) NOT NULL PRIMARY KEY
    CONSTRAINT "cluster must be a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (typeof(cluster) = 'text' AND length(cluster) BETWEEN 1 AND 64
           AND cluster NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(cluster, char(0)) = 0),
  -- all network links of one node together, data sheet, GB/s per direction, shared by the node's
  -- devices that use it at once
  inter_gbs DOUBLE NOT NULL
    CONSTRAINT "inter_gbs must be a number of GB/s above 0 and at most 1e6"
    CHECK (typeof(inter_gbs) IN ('real', 'integer') AND inter_gbs > 0 AND inter_gbs <= 1e6),
  -- the most that the traffic of one device can use (one network card), GB/s per direction;
  -- NULL: inter_gbs
  flow_gbs DOUBLE
    CONSTRAINT "flow_gbs must be NULL or a number of GB/s above 0 and at most 1e6"
    CHECK (flow_gbs IS NULL OR (typeof(flow_gbs) IN ('real', 'integer') AND flow_gbs > 0
           AND flow_gbs <= 1e6)),
  -- share of the data sheet that the network reaches
  inter_efficiency DOUBLE NOT NULL DEFAULT 0.8
    CONSTRAINT "inter_efficiency must be a number above 0 and at most 1"
    CHECK (typeof(inter_efficiency) IN ('real', 'integer') AND inter_efficiency > 0
           AND inter_efficiency <= 1),
  -- microseconds until the first byte of a message between nodes arrives
  latency_us DOUBLE NOT NULL DEFAULT 20
    CONSTRAINT "latency_us must be a number of microseconds between 0 and 1e9"
    CHECK (typeof(latency_us) IN ('real', 'integer') AND latency_us BETWEEN 0 AND 1e9),
  -- ms of fixed cost per iteration
  overhead_ms DOUBLE NOT NULL DEFAULT 10
    CONSTRAINT "overhead_ms must be a number of ms between 0 and 1e9"
    CHECK (typeof(overhead_ms) IN ('real', 'integer') AND overhead_ms BETWEEN 0 AND 1e9),
  -- anything else worth knowing
  note TEXT NOT NULL DEFAULT ''
    CONSTRAINT "note must be text"
    CHECK (typeof(note) = 'text')
);

-- The nodes of each cluster. Written by users. device may be an alias as well, which a foreign key
-- cannot express, so it has none: readers look it up and name the nearest devices when it is
-- unknown.
CREATE TABLE IF NOT EXISTS memx_node (
  -- the cluster that the node belongs to
  cluster VARCHAR(64) NOT NULL REFERENCES memx_cluster(cluster) ON UPDATE CASCADE ON DELETE CASCADE
    CONSTRAINT "cluster must be a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (typeof(cluster) = 'text' AND length(cluster) BETWEEN 1 AND 64
           AND cluster NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(cluster, char(0)) = 0),
  -- the node's number in its cluster; nodes are given in this order
  ordinal BIGINT NOT NULL
    CONSTRAINT "ordinal must be a whole number between 0 and 1000000"
    CHECK (typeof(ordinal) = 'integer' AND ordinal BETWEEN 0 AND 1000000),
  -- device or alias; all accelerators of a node are of this kind
  device VARCHAR(64) NOT NULL
    CONSTRAINT "device must be text of 1 to 64 characters"
    CHECK (typeof(device) = 'text' AND length(device) BETWEEN 1 AND 64
           AND instr(device, char(0)) = 0),
  -- number of devices in the node
  gpus BIGINT NOT NULL
    CONSTRAINT "gpus must be a whole number between 1 and 65536"
    CHECK (typeof(gpus) = 'integer' AND gpus BETWEEN 1 AND 65536),
  -- link within this node, GB/s per device and direction; NULL: the device's
  link_gbs DOUBLE
    CONSTRAINT "link_gbs must be NULL or a number of GB/s above 0 and at most 1e6"
    CHECK (link_gbs IS NULL OR (typeof(link_gbs) IN ('real', 'integer') AND link_gbs > 0
           AND link_gbs <= 1e6)),
  -- all network links of this node together, GB/s per direction; NULL: the cluster's
  inter_gbs DOUBLE
    CONSTRAINT "inter_gbs must be NULL or a number of GB/s above 0 and at most 1e6"
    CHECK (inter_gbs IS NULL OR (typeof(inter_gbs) IN ('real', 'integer') AND inter_gbs > 0
           AND inter_gbs <= 1e6)),
  -- MiB of memory of the host, for what is offloaded (ProTrain); NULL: twice that of its devices
  host_memory_mib DOUBLE
    CONSTRAINT "host_memory_mib must be NULL or a number of MiB between 1 and 1e9"
    CHECK (host_memory_mib IS NULL OR (typeof(host_memory_mib) IN ('real', 'integer')
           AND host_memory_mib BETWEEN 1 AND 1e9)),
  -- memory bandwidth that the host's processors reach, GB/s: the speed of the optimizer there, and the most
  -- that all transfers of its devices add up to; NULL: 150
  host_memory_gbs DOUBLE
    CONSTRAINT "host_memory_gbs must be NULL or a number of GB/s above 0 and at most 1e6"
    CHECK (host_memory_gbs IS NULL OR (typeof(host_memory_gbs) IN ('real', 'integer')
           AND host_memory_gbs > 0 AND host_memory_gbs <= 1e6)),
  PRIMARY KEY(cluster, ordinal)
);

-- Model architectures. memx_init() fills in the catalog (models.sql); users add rows (hf_config()
-- writes them from a config.json). The mixture-of-experts columns are NULL in dense models, the
-- latent-attention columns (q_lora_rank to v_head_dim) in models without it.
CREATE TABLE IF NOT EXISTS memx_model (
  -- the model's name
  model VARCHAR(64) NOT NULL PRIMARY KEY
    CONSTRAINT "model must be a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (typeof(model) = 'text' AND length(model) BETWEEN 1 AND 64
           AND model NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(model, char(0)) = 0),
  -- architecture family, for reading only
  family VARCHAR(64) NOT NULL DEFAULT 'custom'
    CONSTRAINT "family must be text of 1 to 64 characters"
    CHECK (typeof(family) = 'text' AND length(family) BETWEEN 1 AND 64
           AND instr(family, char(0)) = 0),
  -- transformer layers
  layers BIGINT NOT NULL
    CONSTRAINT "layers must be a whole number between 1 and 10000"
    CHECK (typeof(layers) = 'integer' AND layers BETWEEN 1 AND 10000),
  -- width of the residual stream
  hidden BIGINT NOT NULL
    CONSTRAINT "hidden must be a whole number between 1 and 1000000"
    CHECK (typeof(hidden) = 'integer' AND hidden BETWEEN 1 AND 1000000),
  -- query heads
  heads BIGINT NOT NULL
    CONSTRAINT "heads must be a whole number between 1 and 100000"
    CHECK (typeof(heads) = 'integer' AND heads BETWEEN 1 AND 100000),
  -- key and value heads: heads for multi-head, 1 for multi-query attention
  kv_groups BIGINT NOT NULL
    CONSTRAINT "kv_groups must be a whole number between 1 and 100000"
    CHECK (typeof(kv_groups) = 'integer' AND kv_groups BETWEEN 1 AND 100000),
  -- width of one head
  head_dim BIGINT NOT NULL
    CONSTRAINT "head_dim must be a whole number between 1 and 100000"
    CHECK (typeof(head_dim) = 'integer' AND head_dim BETWEEN 1 AND 100000),
  -- inner width of the MLP (of the dense layers, in a mixture of experts)
  ffn_hidden BIGINT NOT NULL
    CONSTRAINT "ffn_hidden must be a whole number between 1 and 10000000"
    CHECK (typeof(ffn_hidden) = 'integer' AND ffn_hidden BETWEEN 1 AND 10000000),
  -- tokens in the vocabulary, before padding
  vocab BIGINT NOT NULL
    CONSTRAINT "vocab must be a whole number between 1 and 100000000"
    CHECK (typeof(vocab) = 'integer' AND vocab BETWEEN 1 AND 100000000),
  -- tokens of one training sequence, where a job does not say otherwise
  seq_length BIGINT NOT NULL
    CONSTRAINT "seq_length must be a whole number between 1 and 100000000"
    CHECK (typeof(seq_length) = 'integer' AND seq_length BETWEEN 1 AND 100000000),
  -- 1: three matrices (SwiGLU and the like); 0: two
  gated_mlp BIGINT NOT NULL DEFAULT 1
    CONSTRAINT "gated_mlp must be 0 or 1"
    CHECK (typeof(gated_mlp) = 'integer' AND gated_mlp IN (0, 1)),
  -- 1: the output head is the input embedding
  tied_embeddings BIGINT NOT NULL DEFAULT 0
    CONSTRAINT "tied_embeddings must be 0 or 1"
    CHECK (typeof(tied_embeddings) = 'integer' AND tied_embeddings IN (0, 1)),
  -- 1: every linear layer has a bias
  biases BIGINT NOT NULL DEFAULT 0
    CONSTRAINT "biases must be 0 or 1"
    CHECK (typeof(biases) = 'integer' AND biases IN (0, 1)),
  -- 1: the query, key and value projections have a bias
  qkv_biases BIGINT NOT NULL DEFAULT 0
    CONSTRAINT "qkv_biases must be 0 or 1"
    CHECK (typeof(qkv_biases) = 'integer' AND qkv_biases IN (0, 1)),
  -- 1: a learned embedding of seq_length positions
  learned_positions BIGINT NOT NULL DEFAULT 0
    CONSTRAINT "learned_positions must be 0 or 1"
    CHECK (typeof(learned_positions) = 'integer' AND learned_positions IN (0, 1)),
  -- rmsnorm: a weight per element; layernorm: a weight and a bias
  norm VARCHAR(16) NOT NULL DEFAULT 'rmsnorm'
    CONSTRAINT "norm must be rmsnorm or layernorm"
    CHECK (norm IN ('rmsnorm', 'layernorm')),
  -- routed experts of a mixture-of-experts layer; NULL: a dense model
  experts BIGINT
    CONSTRAINT "experts must be NULL or a whole number between 1 and 1000000"
    CHECK (experts IS NULL OR (typeof(experts) = 'integer' AND experts BETWEEN 1 AND 1000000)),
  -- routed experts that a token uses
  experts_per_token BIGINT
    CONSTRAINT "experts_per_token must be NULL or a whole number between 1 and 1000000"
    CHECK (experts_per_token IS NULL OR (typeof(experts_per_token) = 'integer'
           AND experts_per_token BETWEEN 1 AND 1000000)),
  -- inner width of one expert
  expert_ffn_hidden BIGINT
    CONSTRAINT "expert_ffn_hidden must be NULL or a whole number between 1 and 10000000"
    CHECK (expert_ffn_hidden IS NULL OR (typeof(expert_ffn_hidden) = 'integer'
           AND expert_ffn_hidden BETWEEN 1 AND 10000000)),
  -- experts that every token uses; NULL: none
  shared_experts BIGINT
    CONSTRAINT "shared_experts must be NULL or a whole number between 0 and 1000000"
    CHECK (shared_experts IS NULL OR (typeof(shared_experts) = 'integer'
           AND shared_experts BETWEEN 0 AND 1000000)),
  -- leading layers that have a dense MLP instead of experts; NULL: none
  dense_layers BIGINT
    CONSTRAINT "dense_layers must be NULL or a whole number between 0 and 10000"
    CHECK (dense_layers IS NULL OR (typeof(dense_layers) = 'integer'
           AND dense_layers BETWEEN 0 AND 10000)),
  -- width of the compressed query; NULL: not compressed
  q_lora_rank BIGINT
    CONSTRAINT "q_lora_rank must be NULL or a whole number between 1 and 1000000"
    CHECK (q_lora_rank IS NULL OR (typeof(q_lora_rank) = 'integer'
           AND q_lora_rank BETWEEN 1 AND 1000000)),
  -- width of the compressed key and value; NULL: ordinary attention
  kv_lora_rank BIGINT
    CONSTRAINT "kv_lora_rank must be NULL or a whole number between 1 and 1000000"
    CHECK (kv_lora_rank IS NULL OR (typeof(kv_lora_rank) = 'integer'
           AND kv_lora_rank BETWEEN 1 AND 1000000)),
  -- width per head of the query and key part without rotary position
  qk_nope_dim BIGINT
    CONSTRAINT "qk_nope_dim must be NULL or a whole number between 1 and 100000"
    CHECK (qk_nope_dim IS NULL OR (typeof(qk_nope_dim) = 'integer'
           AND qk_nope_dim BETWEEN 1 AND 100000)),
  -- width per head of the query and key part with rotary position
  qk_rope_dim BIGINT
    CONSTRAINT "qk_rope_dim must be NULL or a whole number between 1 and 100000"
    CHECK (qk_rope_dim IS NULL OR (typeof(qk_rope_dim) = 'integer'
           AND qk_rope_dim BETWEEN 1 AND 100000)),
  -- width per head of the value
  v_head_dim BIGINT
    CONSTRAINT "v_head_dim must be NULL or a whole number between 1 and 100000"
    CHECK (v_head_dim IS NULL OR (typeof(v_head_dim) = 'integer'
           AND v_head_dim BETWEEN 1 AND 100000)),
  -- parameters that the makers state, rounded as they do; NULL: unknown
  published_parameters BIGINT
    CONSTRAINT "published_parameters must be NULL or a whole number between 1 and 1000000000000000"
    CHECK (published_parameters IS NULL OR (typeof(published_parameters) = 'integer'
           AND published_parameters BETWEEN 1 AND 1000000000000000)),
  -- where the figures come from
  source TEXT NOT NULL DEFAULT ''
    CONSTRAINT "source must be text"
    CHECK (typeof(source) = 'text'),
  -- anything else worth knowing
  note TEXT NOT NULL DEFAULT ''
    CONSTRAINT "note must be text"
    CHECK (typeof(note) = 'text'),
  CONSTRAINT "heads must be a multiple of kv_groups"
    CHECK (heads % kv_groups = 0),
  CONSTRAINT "experts, experts_per_token and expert_ffn_hidden must be given together"
    CHECK ((experts IS NULL) = (experts_per_token IS NULL)
           AND (experts IS NULL) = (expert_ffn_hidden IS NULL)),
  CONSTRAINT "experts_per_token must not exceed experts"
    CHECK (experts IS NULL OR experts_per_token IS NULL OR experts_per_token <= experts),
  CONSTRAINT "shared_experts and dense_layers need experts"
    CHECK (experts IS NOT NULL OR (ifnull(shared_experts, 0) = 0 AND ifnull(dense_layers, 0) = 0)),
  CONSTRAINT "dense_layers must not exceed layers"
    CHECK (dense_layers IS NULL OR dense_layers <= layers),
  CONSTRAINT "kv_lora_rank, qk_nope_dim, qk_rope_dim and v_head_dim must be given together"
    CHECK ((kv_lora_rank IS NULL) = (qk_nope_dim IS NULL)
           AND (kv_lora_rank IS NULL) = (qk_rope_dim IS NULL)
           AND (kv_lora_rank IS NULL) = (v_head_dim IS NULL)),
  CONSTRAINT "q_lora_rank needs kv_lora_rank"
    CHECK (q_lora_rank IS NULL OR kv_lora_rank IS NOT NULL)
);

-- Training jobs: train this model there, at this batch size. Written by users. space, weights and
-- predictor have no foreign key: a space is several rows, the shipped weights are no rows, and both
-- they and a predictor may be added after the job.
CREATE TABLE IF NOT EXISTS memx_job (
  -- the job's name
  job VARCHAR(64) NOT NULL PRIMARY KEY
    CONSTRAINT "job must be a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (typeof(job) = 'text' AND length(job) BETWEEN 1 AND 64
           AND job NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(job, char(0)) = 0),
  -- where it runs
  cluster VARCHAR(64) NOT NULL REFERENCES memx_cluster(cluster) ON UPDATE CASCADE
    CONSTRAINT "cluster must be a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (typeof(cluster) = 'text' AND length(cluster) BETWEEN 1 AND 64
           AND cluster NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(cluster, char(0)) = 0),
  -- what it trains
  model VARCHAR(64) NOT NULL REFERENCES memx_model(model) ON UPDATE CASCADE
    CONSTRAINT "model must be a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (typeof(model) = 'text' AND length(model) BETWEEN 1 AND 64
           AND model NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(model, char(0)) = 0),
  -- what it runs on
  framework VARCHAR(64) NOT NULL DEFAULT 'megatron-bf16' REFERENCES memx_framework(framework) ON UPDATE CASCADE
    CONSTRAINT "framework must be a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (typeof(framework) = 'text' AND length(framework) BETWEEN 1 AND 64
           AND framework NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(framework, char(0)) = 0),
  -- sequences in one iteration
  global_batch BIGINT NOT NULL
    CONSTRAINT "global_batch must be a whole number between 1 and 1000000000"
    CHECK (typeof(global_batch) = 'integer' AND global_batch BETWEEN 1 AND 1000000000),
  -- tokens in one sequence; NULL: the model's
  seq_length BIGINT
    CONSTRAINT "seq_length must be NULL or a whole number between 1 and 100000000"
    CHECK (seq_length IS NULL OR (typeof(seq_length) = 'integer'
           AND seq_length BETWEEN 1 AND 100000000)),
  -- search space, a name in memx_space
  space VARCHAR(64) NOT NULL DEFAULT 'default'
    CONSTRAINT "space must be a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (typeof(space) = 'text' AND length(space) BETWEEN 1 AND 64
           AND space NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(space, char(0)) = 0),
  -- weights of phi: default, safe, throughput, auto, or a name in memx_weights
  weights VARCHAR(64) NOT NULL DEFAULT 'default'
    CONSTRAINT "weights must be a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (typeof(weights) = 'text' AND length(weights) BETWEEN 1 AND 64
           AND weights NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(weights, char(0)) = 0),
  -- a name in memx_predictor, or analytic; NULL: the newest that knows the devices, else analytic
  predictor VARCHAR(64)
    CONSTRAINT "predictor must be NULL or a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (predictor IS NULL OR (typeof(predictor) = 'text' AND length(predictor) BETWEEN 1 AND 64
           AND predictor NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(predictor, char(0)) = 0)),
  -- least share of every device to keep free; NULL: from the predictor's validated error, 0.10 while
  -- uncalibrated
  reserve DOUBLE
    CONSTRAINT "reserve must be NULL or a number between 0 and 0.9"
    CHECK (reserve IS NULL OR (typeof(reserve) IN ('real', 'integer')
           AND reserve BETWEEN 0 AND 0.9)),
  -- anything else worth knowing
  note TEXT NOT NULL DEFAULT ''
    CONSTRAINT "note must be text"
    CHECK (typeof(note) = 'text')
);

-- Search spaces, one allowed value of one parameter a row. spaces.sql ships some; users add rows. A
-- parameter without a row has its default:
--   tp, pp, dp, micro_batch                    every degree that divides
--   sequence_parallel, distributed_optimizer   the framework's own
--   cp, vp                                     1
--   ep                                         every degree that divides dp * cp and the experts; 1 without
--                                              experts
--   seq_length, heads, kv_groups               the job's own
--   device_order types, stage_devices vendor, layer_split free, layer_skew 0, memory_limit hard
--   recompute none, selective and full; recompute_scope stage where layer_split is free, else device
-- layer_split time is the least slowest stage, within memory where possible unless memory_limit is ignore.
-- device_order, stage_devices, layer_split, layer_skew, recompute_scope and memory_limit take one
-- value in a space, the others any number.
CREATE TABLE IF NOT EXISTS memx_space (
  -- the space's name
  space VARCHAR(64) NOT NULL
    CONSTRAINT "space must be a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (typeof(space) = 'text' AND length(space) BETWEEN 1 AND 64
           AND space NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(space, char(0)) = 0),
  -- the parameter
  param VARCHAR(32) NOT NULL
    CONSTRAINT "param must be one of tp, pp, dp, micro_batch, sequence_parallel, distributed_optimizer, seq_length, heads, kv_groups, cp, ep, vp, device_order, stage_devices, layer_split, layer_skew, recompute, recompute_scope, memory_limit"
    CHECK (param IN ('tp', 'pp', 'dp', 'micro_batch', 'sequence_parallel', 'distributed_optimizer',
           'seq_length', 'heads', 'kv_groups', 'cp', 'ep', 'vp',
           'device_order', 'stage_devices', 'layer_split', 'layer_skew', 'recompute', 'recompute_scope', 'memory_limit')),
  -- the value, as text
  value VARCHAR(32) NOT NULL
    CONSTRAINT "value must be text of 1 to 32 characters"
    CHECK (typeof(value) = 'text' AND length(value) BETWEEN 1 AND 32 AND instr(value, char(0)) = 0),
  PRIMARY KEY(space, param, value),
  CONSTRAINT "value of tp, pp, dp, micro_batch, seq_length, heads, kv_groups, cp, ep or vp must be a whole number from 1 to 999999999"
    CHECK (param NOT IN ('tp', 'pp', 'dp', 'micro_batch', 'seq_length', 'heads', 'kv_groups', 'cp', 'ep', 'vp')
           OR (value GLOB '[1-9]*' AND value NOT GLOB '*[^0-9]*' AND length(value) <= 9)),
  CONSTRAINT "value of sequence_parallel must be 0 or 1"
    CHECK (param <> 'sequence_parallel' OR value IN ('0', '1')),
  CONSTRAINT "value of distributed_optimizer must be 0, 1, 2 or 3 (ZeRO's stage)"
    CHECK (param <> 'distributed_optimizer' OR value IN ('0', '1', '2', '3')),
  CONSTRAINT "value of device_order must be types, given or nodes"
    CHECK (param <> 'device_order' OR value IN ('types', 'given', 'nodes')),
  CONSTRAINT "value of stage_devices must be vendor, one or any"
    CHECK (param <> 'stage_devices' OR value IN ('vendor', 'one', 'any')),
  CONSTRAINT "value of layer_split must be free, uniform, compute, memory or time"
    CHECK (param <> 'layer_split' OR value IN ('free', 'uniform', 'compute', 'memory', 'time')),
  CONSTRAINT "value of layer_skew must be a whole number from 0 to 8"
    CHECK (param <> 'layer_skew' OR (length(value) = 1 AND value GLOB '[0-8]')),
  CONSTRAINT "value of recompute must be none, selective, full, block<N>, uniform<N> or swap<N> (N from 1), offload<X>, or LEVEL+offload<X> (X from 1 to 100)"
    CHECK (param <> 'recompute' OR (
           iif(value GLOB '*offload[1-9]*',
               CAST(substr(value, instr(value, 'offload') + 7) AS INTEGER) <= 100
               AND length(substr(value, instr(value, 'offload') + 7)) <= 3
               AND substr(value, instr(value, 'offload') + 7) NOT GLOB '*[^0-9]*', 1)
           AND (value IN ('none', 'selective', 'full') OR value GLOB 'offload[1-9]*'
           OR value GLOB 'none+offload[1-9]*' OR value GLOB 'selective+offload[1-9]*'
           OR value GLOB 'full+offload[1-9]*'
           OR ((value GLOB 'block[1-9]*' OR value GLOB 'uniform[1-9]*' OR value GLOB 'swap[1-9]*')
               AND iif(instr(value, '+'), value GLOB '*[0-9]+offload[1-9]*', 1)
               AND length(rtrim(iif(instr(value, '+'), substr(value, 1, instr(value, '+') - 1), value),
                                '0123456789')) IN (4, 5, 7)
               AND length(ltrim(iif(instr(value, '+'), substr(value, 1, instr(value, '+') - 1), value),
                                'blockuniformswap')) <= 5)))),
  CONSTRAINT "value of recompute_scope must be stage, device, global or plan"
    CHECK (param <> 'recompute_scope' OR value IN ('stage', 'device', 'global', 'plan')),
  CONSTRAINT "value of memory_limit must be hard or ignore"
    CHECK (param <> 'memory_limit' OR value IN ('hard', 'ignore'))
);
CREATE UNIQUE INDEX IF NOT EXISTS memx_space_single_values ON memx_space(space, param)
  WHERE param IN ('device_order', 'stage_devices', 'layer_split', 'layer_skew', 'recompute_scope', 'memory_limit');

-- Weights of phi that users add. The shipped ones are compiled in and cannot be changed: default
-- 0.4 0.2 0.4, safe 0.3 0.5 0.2, throughput 0.7 0.2 0.1 (time, peak, variance), epsilon 1e-6; auto
-- picks one of them.
CREATE TABLE IF NOT EXISTS memx_weights (
  -- name of the weights
  weights VARCHAR(64) NOT NULL PRIMARY KEY
    CONSTRAINT "weights must be a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (typeof(weights) = 'text' AND length(weights) BETWEEN 1 AND 64
           AND weights NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(weights, char(0)) = 0),
  -- exponent of iteration time
  w_time DOUBLE NOT NULL
    CONSTRAINT "w_time must be a number between 0 and 1"
    CHECK (typeof(w_time) IN ('real', 'integer') AND w_time BETWEEN 0 AND 1),
  -- exponent of peak memory
  w_peak DOUBLE NOT NULL
    CONSTRAINT "w_peak must be a number between 0 and 1"
    CHECK (typeof(w_peak) IN ('real', 'integer') AND w_peak BETWEEN 0 AND 1),
  -- exponent of memory variance
  w_variance DOUBLE NOT NULL
    CONSTRAINT "w_variance must be a number between 0 and 1"
    CHECK (typeof(w_variance) IN ('real', 'integer') AND w_variance BETWEEN 0 AND 1),
  -- MiB^2 added to the variance, so that a variance of 0 does not decide everything
  epsilon DOUBLE NOT NULL DEFAULT 1e-6
    CONSTRAINT "epsilon must be a number of MiB^2 above 0 and at most 1e15"
    CHECK (typeof(epsilon) IN ('real', 'integer') AND epsilon > 0 AND epsilon <= 1e15),
  -- anything else worth knowing
  note TEXT NOT NULL DEFAULT ''
    CONSTRAINT "note must be text"
    CHECK (typeof(note) = 'text'),
  CONSTRAINT "weights must not be named default, safe, throughput or auto: these are built in"
    CHECK (lower(weights) NOT IN ('default', 'safe', 'throughput', 'auto')),
  CONSTRAINT "w_time, w_peak and w_variance must add up to 1"
    CHECK (abs(w_time + w_peak + w_variance - 1) <= 1e-9)
);

-- Measured stages: one micro batch through one pipeline stage. Written by users, from logs and CSV
-- files; read by memx_train(). device may be an alias, as in memx_node. The measured columns come
-- last, and any of them may be NULL.
CREATE TABLE IF NOT EXISTS memx_profile (
  -- number of the row
  id INTEGER PRIMARY KEY,
  -- device or alias that it was measured on
  device VARCHAR(64) NOT NULL
    CONSTRAINT "device must be text of 1 to 64 characters"
    CHECK (typeof(device) = 'text' AND length(device) BETWEEN 1 AND 64
           AND instr(device, char(0)) = 0),
  -- the model
  model VARCHAR(64) NOT NULL REFERENCES memx_model(model) ON UPDATE CASCADE
    CONSTRAINT "model must be a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (typeof(model) = 'text' AND length(model) BETWEEN 1 AND 64
           AND model NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(model, char(0)) = 0),
  -- the framework
  framework VARCHAR(64) NOT NULL REFERENCES memx_framework(framework) ON UPDATE CASCADE
    CONSTRAINT "framework must be a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (typeof(framework) = 'text' AND length(framework) BETWEEN 1 AND 64
           AND framework NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(framework, char(0)) = 0),
  -- transformer layers of the stage
  layers BIGINT NOT NULL
    CONSTRAINT "layers must be a whole number between 1 and 10000"
    CHECK (typeof(layers) = 'integer' AND layers BETWEEN 1 AND 10000),
  -- 1: the stage holds the input embedding
  first_stage BIGINT NOT NULL
    CONSTRAINT "first_stage must be 0 or 1"
    CHECK (typeof(first_stage) = 'integer' AND first_stage IN (0, 1)),
  -- 1: the stage holds the output head and the loss
  last_stage BIGINT NOT NULL
    CONSTRAINT "last_stage must be 0 or 1"
    CHECK (typeof(last_stage) = 'integer' AND last_stage IN (0, 1)),
  -- tensor-parallel degree
  tp BIGINT NOT NULL
    CONSTRAINT "tp must be a whole number between 1 and 100000"
    CHECK (typeof(tp) = 'integer' AND tp BETWEEN 1 AND 100000),
  -- data-parallel degree
  dp BIGINT NOT NULL
    CONSTRAINT "dp must be a whole number between 1 and 10000000"
    CHECK (typeof(dp) = 'integer' AND dp BETWEEN 1 AND 10000000),
  -- sequences in one micro batch
  micro_batch BIGINT NOT NULL
    CONSTRAINT "micro_batch must be a whole number between 1 and 1000000000"
    CHECK (typeof(micro_batch) = 'integer' AND micro_batch BETWEEN 1 AND 1000000000),
  -- tokens in one sequence
  seq_length BIGINT NOT NULL
    CONSTRAINT "seq_length must be a whole number between 1 and 100000000"
    CHECK (typeof(seq_length) = 'integer' AND seq_length BETWEEN 1 AND 100000000),
  -- query heads; NULL: the model's
  heads BIGINT
    CONSTRAINT "heads must be NULL or a whole number between 1 and 100000"
    CHECK (heads IS NULL OR (typeof(heads) = 'integer' AND heads BETWEEN 1 AND 100000)),
  -- key and value heads; NULL: the model's
  kv_groups BIGINT
    CONSTRAINT "kv_groups must be NULL or a whole number between 1 and 100000"
    CHECK (kv_groups IS NULL OR (typeof(kv_groups) = 'integer' AND kv_groups BETWEEN 1 AND 100000)),
  -- recompute level, with Megatron-LM's meaning
  recompute VARCHAR(16) NOT NULL DEFAULT 'none'
    CONSTRAINT "recompute must be none, selective, full, block<N> or uniform<N> (N from 1)"
    CHECK (typeof(recompute) = 'text' AND instr(recompute, char(0)) = 0
           AND (recompute IN ('none', 'selective', 'full')
           OR (recompute GLOB 'block[1-9]*' AND length(recompute) <= 10
           AND substr(recompute, 6) NOT GLOB '*[^0-9]*')
           OR (recompute GLOB 'uniform[1-9]*' AND length(recompute) <= 12
           AND substr(recompute, 8) NOT GLOB '*[^0-9]*'))),
  -- micro batches whose activations the stage holds at its peak
  in_flight BIGINT NOT NULL
    CONSTRAINT "in_flight must be a whole number between 1 and 1000000"
    CHECK (typeof(in_flight) = 'integer' AND in_flight BETWEEN 1 AND 1000000),
  -- 1: with sequence parallelism
  sequence_parallel BIGINT NOT NULL
    CONSTRAINT "sequence_parallel must be 0 or 1"
    CHECK (typeof(sequence_parallel) = 'integer' AND sequence_parallel IN (0, 1)),
  -- what is divided over data parallelism: 0 nothing, 1 optimizer state, 2 gradients too, 3 parameters too
  distributed_optimizer BIGINT NOT NULL
    CONSTRAINT "distributed_optimizer must be 0, 1, 2 or 3"
    CHECK (typeof(distributed_optimizer) = 'integer' AND distributed_optimizer IN (0, 1, 2, 3)),
  -- ms for forward and backward of one micro batch; NULL: not measured
  time_ms DOUBLE
    CONSTRAINT "time_ms must be NULL or a number of ms above 0 and at most 1e9"
    CHECK (time_ms IS NULL OR (typeof(time_ms) IN ('real', 'integer') AND time_ms > 0
           AND time_ms <= 1e9)),
  -- greatest MiB in tensors (max allocated); NULL: not measured
  allocated_mib DOUBLE
    CONSTRAINT "allocated_mib must be NULL or a number of MiB above 0 and at most 1e9"
    CHECK (allocated_mib IS NULL OR (typeof(allocated_mib) IN ('real', 'integer')
           AND allocated_mib > 0 AND allocated_mib <= 1e9)),
  -- greatest MiB held by the framework's allocator (max reserved); NULL: not measured
  reserved_mib DOUBLE
    CONSTRAINT "reserved_mib must be NULL or a number of MiB above 0 and at most 1e9"
    CHECK (reserved_mib IS NULL OR (typeof(reserved_mib) IN ('real', 'integer') AND reserved_mib > 0
           AND reserved_mib <= 1e9)),
  -- log, file or paper that it comes from; what follows a colon and a space says which row of it
  source TEXT NOT NULL DEFAULT ''
    CONSTRAINT "source must be text"
    CHECK (typeof(source) = 'text')
);

-- Measured training runs. Written by users (megatron_log() reads them from logs); read by
-- memx_calibrate(), memx_train() and memx_measured.
CREATE TABLE IF NOT EXISTS memx_run (
  -- number of the run
  id INTEGER PRIMARY KEY,
  -- the job that was run; NULL: not one of memx_job, so there is no prediction to compare with
  job VARCHAR(64) REFERENCES memx_job(job) ON UPDATE CASCADE
    CONSTRAINT "job must be NULL or a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (job IS NULL OR (typeof(job) = 'text' AND length(job) BETWEEN 1 AND 64
           AND job NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(job, char(0)) = 0)),
  -- the configuration, as memx_configs prints it
  config TEXT NOT NULL
    CONSTRAINT "config must be text of 1 to 100000 characters"
    CHECK (typeof(config) = 'text' AND length(config) BETWEEN 1 AND 100000),
  -- ms of one iteration; NULL: not measured, as after running out of memory
  iteration_ms DOUBLE
    CONSTRAINT "iteration_ms must be NULL or a number of ms above 0 and at most 1e12"
    CHECK (iteration_ms IS NULL OR (typeof(iteration_ms) IN ('real', 'integer') AND iteration_ms > 0
           AND iteration_ms <= 1e12)),
  -- 1: ran out of memory
  oom BIGINT NOT NULL DEFAULT 0
    CONSTRAINT "oom must be 0 or 1"
    CHECK (typeof(oom) = 'integer' AND oom IN (0, 1)),
  -- greatest MiB in use on any device, as nvidia-smi shows it; NULL: not measured
  total_mib DOUBLE
    CONSTRAINT "total_mib must be NULL or a number of MiB above 0 and at most 1e9"
    CHECK (total_mib IS NULL OR (typeof(total_mib) IN ('real', 'integer') AND total_mib > 0
           AND total_mib <= 1e9)),
  -- log, file or paper that it comes from; what follows a colon and a space says which row of it
  source TEXT NOT NULL DEFAULT ''
    CONSTRAINT "source must be text"
    CHECK (typeof(source) = 'text')
);

-- The memory of each device of a measured run. Written and read like memx_run.
CREATE TABLE IF NOT EXISTS memx_run_gpu (
  -- the run
  run BIGINT NOT NULL REFERENCES memx_run(id) ON DELETE CASCADE
    CONSTRAINT "run must be the id of a row of memx_run"
    CHECK (typeof(run) = 'integer'),
  -- global rank of the device, from 0
  rank BIGINT NOT NULL
    CONSTRAINT "rank must be a whole number between 0 and 100000000"
    CHECK (typeof(rank) = 'integer' AND rank BETWEEN 0 AND 100000000),
  -- greatest MiB in tensors (max allocated); NULL: not measured
  allocated_mib DOUBLE
    CONSTRAINT "allocated_mib must be NULL or a number of MiB above 0 and at most 1e9"
    CHECK (allocated_mib IS NULL OR (typeof(allocated_mib) IN ('real', 'integer')
           AND allocated_mib > 0 AND allocated_mib <= 1e9)),
  -- greatest MiB held by the framework's allocator (max reserved); NULL: not measured
  reserved_mib DOUBLE
    CONSTRAINT "reserved_mib must be NULL or a number of MiB above 0 and at most 1e9"
    CHECK (reserved_mib IS NULL OR (typeof(reserved_mib) IN ('real', 'integer') AND reserved_mib > 0
           AND reserved_mib <= 1e9)),
  -- MiB in use on the device, as nvidia-smi shows it: the driver's and others' too; NULL: not measured
  total_mib DOUBLE
    CONSTRAINT "total_mib must be NULL or a number of MiB above 0 and at most 1e9"
    CHECK (total_mib IS NULL OR (typeof(total_mib) IN ('real', 'integer') AND total_mib > 0
           AND total_mib <= 1e9)),
  PRIMARY KEY(run, rank)
);

-- The operators of one transformer block, as a profiler saw them (ProTrain). Written by users
-- (queries/import_profiler_trace.sql). protrain_configs reads the rows of a job's model, framework and device
-- at its sequence length: those of the same micro batch, else of the greatest, in proportion; where there are
-- none, the analytic operators. Memory is relative to what is allocated when the operator starts.
CREATE TABLE IF NOT EXISTS memx_op (
  -- the model
  model VARCHAR(64) NOT NULL
    CONSTRAINT "model must be text of 1 to 64 characters"
    CHECK (typeof(model) = 'text' AND length(model) BETWEEN 1 AND 64 AND instr(model, char(0)) = 0),
  -- the framework
  framework VARCHAR(64) NOT NULL
    CONSTRAINT "framework must be text of 1 to 64 characters"
    CHECK (typeof(framework) = 'text' AND length(framework) BETWEEN 1 AND 64
           AND instr(framework, char(0)) = 0),
  -- device, by its own name
  device VARCHAR(64) NOT NULL
    CONSTRAINT "device must be text of 1 to 64 characters"
    CHECK (typeof(device) = 'text' AND length(device) BETWEEN 1 AND 64 AND instr(device, char(0)) = 0),
  -- sequences at once
  micro_batch BIGINT NOT NULL
    CONSTRAINT "micro_batch must be a whole number between 1 and 1000000000"
    CHECK (typeof(micro_batch) = 'integer' AND micro_batch BETWEEN 1 AND 1000000000),
  -- tokens in one sequence
  seq_length BIGINT NOT NULL
    CONSTRAINT "seq_length must be a whole number between 1 and 100000000"
    CHECK (typeof(seq_length) = 'integer' AND seq_length BETWEEN 1 AND 100000000),
  -- forward or backward
  phase VARCHAR(16) NOT NULL
    CONSTRAINT "phase must be forward or backward"
    CHECK (phase IN ('forward', 'backward')),
  -- its place in the phase, from 0, in order of execution
  ordinal BIGINT NOT NULL
    CONSTRAINT "ordinal must be a whole number between 0 and 1000000"
    CHECK (typeof(ordinal) = 'integer' AND ordinal BETWEEN 0 AND 1000000),
  -- the operator's name
  op VARCHAR(64) NOT NULL
    CONSTRAINT "op must be text of 1 to 64 characters"
    CHECK (typeof(op) = 'text' AND length(op) BETWEEN 1 AND 64 AND instr(op, char(0)) = 0),
  -- ms that it takes
  time_ms DOUBLE NOT NULL
    CONSTRAINT "time_ms must be a number of ms between 0 and 1e9"
    CHECK (typeof(time_ms) IN ('real', 'integer') AND time_ms BETWEEN 0 AND 1e9),
  -- MiB, the most allocated while it runs
  intra_mib DOUBLE NOT NULL
    CONSTRAINT "intra_mib must be a number of MiB between -1e9 and 1e9"
    CHECK (typeof(intra_mib) IN ('real', 'integer') AND intra_mib BETWEEN -1e9 AND 1e9),
  -- MiB, the most allocated between its end and the next operator's start: what no hook sees
  inter_mib DOUBLE NOT NULL
    CONSTRAINT "inter_mib must be a number of MiB between -1e9 and 1e9"
    CHECK (typeof(inter_mib) IN ('real', 'integer') AND inter_mib BETWEEN -1e9 AND 1e9),
  -- MiB, what is allocated when the next one starts
  kept_mib DOUBLE NOT NULL
    CONSTRAINT "kept_mib must be a number of MiB between -1e9 and 1e9"
    CHECK (typeof(kept_mib) IN ('real', 'integer') AND kept_mib BETWEEN -1e9 AND 1e9),
  -- where the row comes from
  source TEXT NOT NULL DEFAULT ''
    CONSTRAINT "source must be text"
    CHECK (typeof(source) = 'text'),
  PRIMARY KEY(model, framework, device, seq_length, micro_batch, phase, ordinal)
);

-- Trained predictors, each correcting the analytic model. Written by memx_train() and memx_calibrate();
-- users only delete rows. Its trees are in memx_tree.
CREATE TABLE IF NOT EXISTS memx_predictor (
  -- the predictor's name
  predictor VARCHAR(64) NOT NULL PRIMARY KEY
    CONSTRAINT "predictor must be a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (typeof(predictor) = 'text' AND length(predictor) BETWEEN 1 AND 64
           AND predictor NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(predictor, char(0)) = 0),
  -- when it was trained, UTC, as 2025-01-31T12:00:00Z
  created VARCHAR(32) NOT NULL
    CONSTRAINT "created must be text of 1 to 32 characters"
    CHECK (typeof(created) = 'text' AND length(created) BETWEEN 1 AND 32
           AND instr(created, char(0)) = 0),
  -- version of the XGBoost library that trained it
  xgboost_version VARCHAR(32) NOT NULL
    CONSTRAINT "xgboost_version must be text of 1 to 32 characters"
    CHECK (typeof(xgboost_version) = 'text'
           AND length(xgboost_version) BETWEEN 1 AND 32
           AND instr(xgboost_version, char(0)) = 0),
  -- names of its features, in order, a JSON array
  features TEXT NOT NULL
    CONSTRAINT "features must be text"
    CHECK (typeof(features) = 'text'),
  -- mean of log(measured / analytic) of stage time, subtracted before training
  label_mean_time DOUBLE NOT NULL DEFAULT 0
    CONSTRAINT "label_mean_time must be a number between -1000 and 1000"
    CHECK (typeof(label_mean_time) IN ('real', 'integer')
           AND label_mean_time BETWEEN -1000 AND 1000),
  -- standard deviation of the same, divided by before training
  label_sd_time DOUBLE NOT NULL DEFAULT 1
    CONSTRAINT "label_sd_time must be a number above 0 and at most 1000"
    CHECK (typeof(label_sd_time) IN ('real', 'integer') AND label_sd_time > 0
           AND label_sd_time <= 1000),
  -- mean of log(measured / analytic) of a stage's peak, subtracted before training
  label_mean_peak DOUBLE NOT NULL DEFAULT 0
    CONSTRAINT "label_mean_peak must be a number between -1000 and 1000"
    CHECK (typeof(label_mean_peak) IN ('real', 'integer')
           AND label_mean_peak BETWEEN -1000 AND 1000),
  -- standard deviation of the same, divided by before training
  label_sd_peak DOUBLE NOT NULL DEFAULT 1
    CONSTRAINT "label_sd_peak must be a number above 0 and at most 1000"
    CHECK (typeof(label_sd_peak) IN ('real', 'integer') AND label_sd_peak > 0
           AND label_sd_peak <= 1000),
  -- JSON: least and greatest value of each feature it was trained on (features), greatest correction by its
  -- trees (clip), the constants of each device and framework as factors on the catalog's (calibration), and of
  -- memx_calibrate() the cluster that it is for (cluster)
  ranges TEXT NOT NULL
    CONSTRAINT "ranges must be text"
    CHECK (typeof(ranges) = 'text'),
  -- JSON: errors on rows held out by whole groups, which outputs they let pass, and the reserve that they
  -- call for
  errors TEXT NOT NULL
    CONSTRAINT "errors must be text"
    CHECK (typeof(errors) = 'text'),
  -- hash of the rows that it was trained on
  fingerprint VARCHAR(128) NOT NULL
    CONSTRAINT "fingerprint must be text of 1 to 128 characters"
    CHECK (typeof(fingerprint) = 'text' AND length(fingerprint) BETWEEN 1 AND 128
           AND instr(fingerprint, char(0)) = 0),
  CONSTRAINT "predictor must not be named analytic: this is built in"
    CHECK (lower(predictor) <> 'analytic')
);

-- The trees of each predictor, one node a row, node 0 the root. Written by memx_train(), checked
-- again when read. A leaf has leaf and nothing else; a split has everything but leaf.
CREATE TABLE IF NOT EXISTS memx_tree (
  -- the predictor
  predictor VARCHAR(64) NOT NULL REFERENCES memx_predictor(predictor) ON UPDATE CASCADE ON DELETE CASCADE
    CONSTRAINT "predictor must be a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (typeof(predictor) = 'text' AND length(predictor) BETWEEN 1 AND 64
           AND predictor NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(predictor, char(0)) = 0),
  -- what the tree predicts
  output VARCHAR(16) NOT NULL
    CONSTRAINT "output must be time or peak"
    CHECK (output IN ('time', 'peak')),
  -- number of the tree, from 0; the leaves of all trees of one output are added in this order
  tree BIGINT NOT NULL
    CONSTRAINT "tree must be a whole number between 0 and 1000000"
    CHECK (typeof(tree) = 'integer' AND tree BETWEEN 0 AND 1000000),
  -- number of the node in its tree
  node BIGINT NOT NULL
    CONSTRAINT "node must be a whole number between 0 and 10000000"
    CHECK (typeof(node) = 'integer' AND node BETWEEN 0 AND 10000000),
  -- split: name of the feature, one of the predictor's features
  feature VARCHAR(64)
    CONSTRAINT "feature must be NULL or a name of 1 to 64 letters, digits, dots, underscores and hyphens"
    CHECK (feature IS NULL OR (typeof(feature) = 'text' AND length(feature) BETWEEN 1 AND 64
           AND feature NOT GLOB '*[^A-Za-z0-9._-]*' AND instr(feature, char(0)) = 0)),
  -- split: a value below it goes to yes, any other to no
  threshold DOUBLE
    CONSTRAINT "threshold must be NULL or a number between -3.4e38 and 3.4e38"
    CHECK (threshold IS NULL OR (typeof(threshold) IN ('real', 'integer')
           AND threshold BETWEEN -3.4e38 AND 3.4e38)),
  -- split: the next node below the threshold
  yes BIGINT
    CONSTRAINT "yes must be NULL or a whole number between 1 and 10000000"
    CHECK (yes IS NULL OR (typeof(yes) = 'integer' AND yes BETWEEN 1 AND 10000000)),
  -- split: the next node at or above it
  no BIGINT
    CONSTRAINT "no must be NULL or a whole number between 1 and 10000000"
    CHECK (no IS NULL OR (typeof(no) = 'integer' AND no BETWEEN 1 AND 10000000)),
  -- split: the next node where the feature is missing
  missing BIGINT
    CONSTRAINT "missing must be NULL or a whole number between 1 and 10000000"
    CHECK (missing IS NULL OR (typeof(missing) = 'integer' AND missing BETWEEN 1 AND 10000000)),
  -- leaf: what it adds
  leaf DOUBLE
    CONSTRAINT "leaf must be NULL or a number between -3.4e38 and 3.4e38"
    CHECK (leaf IS NULL OR (typeof(leaf) IN ('real', 'integer')
           AND leaf BETWEEN -3.4e38 AND 3.4e38)),
  PRIMARY KEY(predictor, output, tree, node),
  CONSTRAINT "a node must be a leaf, or a split with feature, threshold, yes, no and missing"
    CHECK ((leaf IS NULL) + (feature IS NULL) + (threshold IS NULL) + (yes IS NULL) + (no IS NULL) + (missing IS NULL)
           = CASE WHEN leaf IS NULL THEN 1 ELSE 5 END),
  CONSTRAINT "missing must be the same node as yes or no"
    CHECK (missing IS NULL OR missing IN (yes, no)),
  CONSTRAINT "yes and no must be two different nodes other than this one"
    CHECK (leaf IS NOT NULL OR (yes <> no AND yes <> node AND no <> node))
);
