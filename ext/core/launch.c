#include "core/launch.h"

#include "core/layout.h"
#include "core/whole.h"

#include <stdlib.h>

/* ---- flags ---- */

/* Beside bf16 weights less than their fp32 copy and two fp32 moments: moments in half precision. */
static bool small_moments(const memx_framework *f) {
    return f->bf16 && f->parameter_bytes <= 2.0 && f->optimizer_bytes < 12.0;
}

/* Without --q-lora-rank the query is not compressed. */
static void write_latent(const memx_model *m, memx_text *out) {
    memx_text_printf(out, " --multi-latent-attention");
    if (m->q_lora_rank > 0) memx_text_printf(out, " --q-lora-rank %lld", (long long)m->q_lora_rank);
    memx_text_printf(
        out, " --kv-lora-rank %lld --qk-head-dim %lld --qk-pos-emb-head-dim %lld --v-head-dim %lld",
        (long long)m->kv_lora_rank, (long long)m->qk_nope_dim, (long long)m->qk_rope_dim,
        (long long)m->v_head_dim);
}

static void write_experts(const memx_model *m, int64_t ep, bool bf16, memx_text *out) {
    if (m->experts == 0) return;
    memx_text_printf(out,
                     " --num-experts %lld --moe-router-topk %lld --moe-ffn-hidden-size %lld "
                     "--expert-model-parallel-size %lld --moe-token-dispatcher-type alltoall%s",
                     (long long)m->experts, (long long)m->experts_per_token,
                     (long long)m->expert_ffn_hidden, (long long)ep,
                     bf16 ? " --moe-grouped-gemm" : ""); /* which is of bf16 alone */
    int64_t shared = m->shared_experts * m->expert_ffn_hidden;
    if (shared > 0) {
        memx_text_printf(out, " --moe-shared-expert-intermediate-size %lld", (long long)shared);
    }
    int64_t dense = m->dense_layers < m->layers ? m->dense_layers : m->layers;
    int64_t rest = m->layers - dense;
    if (dense > 0) {
        memx_text_printf(out, " --moe-layer-freq '([0]*%lld+[1]*%lld)'", (long long)dense,
                         (long long)rest);
    }
}

static void write_shape(const memx_model *m, memx_text *out) {
    memx_text_printf(out,
                     "--num-layers %lld --hidden-size %lld --ffn-hidden-size %lld "
                     "--num-attention-heads %lld",
                     (long long)m->layers, (long long)m->hidden, (long long)m->ffn_hidden,
                     (long long)m->heads);
    if (m->kv_lora_rank > 0) {
        write_latent(m, out);
    } else {
        memx_text_printf(out, " --kv-channels %lld", (long long)m->head_dim);
    }
    if (m->kv_groups < m->heads) {
        memx_text_printf(out, " --group-query-attention --num-query-groups %lld",
                         (long long)m->kv_groups);
    }
    memx_text_printf(out, "%s%s%s%s%s%s", m->layernorm ? "" : " --normalization RMSNorm",
                     m->gated_mlp ? " --swiglu" : "", m->biases ? "" : " --disable-bias-linear",
                     m->qkv_biases && !m->biases ? " --add-qkv-bias" : "",
                     m->tied_embeddings ? "" : " --untie-embeddings-and-output-weights",
                     m->learned_positions ? "" : " --position-embedding-type rope");
    memx_text_printf(out, " --seq-length %lld --max-position-embeddings %lld",
                     (long long)m->seq_length, (long long)m->seq_length);
}

static void write_level(memx_level level, memx_text *out) {
    if (level.offload > 0)
        memx_text_printf(out, " --optimizer-cpu-offload --optimizer-offload-fraction %d.%02d",
                         (int)level.offload / 100, (int)level.offload % 100);
    switch (level.kind) {
    case MEMX_SWAP: /* said in a comment */
    case MEMX_NONE: return;
    case MEMX_SELECTIVE: memx_text_printf(out, " --recompute-granularity selective"); return;
    case MEMX_FULL:
    case MEMX_UNIFORM:
    case MEMX_BLOCK:
        memx_text_printf(out,
                         " --recompute-granularity full --recompute-method %s "
                         "--recompute-num-layers %d",
                         level.kind == MEMX_BLOCK ? "block" : "uniform",
                         level.kind == MEMX_FULL ? 1 : (int)level.n);
        return;
    }
}

static void write_precision(const memx_launch *l, memx_text *out) {
    const memx_framework *f = l->framework;
    bool offloaded = l->level && l->level->offload > 0, small = small_moments(f);
    memx_text_printf(out, "%s", f->bf16 ? " --bf16" : f->activation_bytes < 4 ? " --fp16" : "");
    if (f->bf16 && f->parameter_bytes <= 2.0 && f->gradient_bytes <= 2.0)
        memx_text_printf(out, " --grad-reduce-in-bf16");
    if (offloaded || small) memx_text_printf(out, " --use-precision-aware-optimizer");
    if (small && f->gradient_bytes <= 2.0) memx_text_printf(out, " --main-grads-dtype bf16");
    if (small) memx_text_printf(out, " --exp-avg-dtype bf16 --exp-avg-sq-dtype bf16");
}

void memx_launch_flags(const memx_launch *l, memx_text *out) {
    const memx_framework *f = l->framework;
    /* Without replicas it changes nothing, but what offloads the optimizer's state asks for it. */
    bool distributed =
        l->distributed_optimizer > 0 || (l->level && l->level->offload > 0) || small_moments(f);
    write_shape(l->model, out);
    write_experts(l->model, l->ep, f->bf16, out);
    memx_text_printf(out, " --tensor-model-parallel-size %lld --pipeline-model-parallel-size %lld",
                     (long long)l->tp, (long long)l->pp);
    if (l->cp > 1) memx_text_printf(out, " --context-parallel-size %lld", (long long)l->cp);
    memx_text_printf(out, "%s%s", l->sequence_parallel ? " --sequence-parallel" : "",
                     distributed ? " --use-distributed-optimizer" : "");
    if (l->distributed_optimizer >= MEMX_ZERO_GRADIENTS) {
        memx_text_printf(
            out,
            " --use-megatron-fsdp --data-parallel-sharding-strategy %s --ckpt-format fsdp_dtensor "
            "--no-gradient-accumulation-fusion",
            l->distributed_optimizer == MEMX_ZERO_GRADIENTS ? "optim_grads" : "optim_grads_params");
    }
    if (f->dp_overlap > 0.0) {
        memx_text_printf(out, " --overlap-grad-reduce%s",
                         distributed ? " --overlap-param-gather" : "");
    }
    memx_text_printf(out, " --micro-batch-size %lld --global-batch-size %lld",
                     (long long)l->micro_batch, (long long)l->global_batch);
    if (l->level) write_level(*l->level, out);
    write_precision(l, out);
    if (!f->dropout) memx_text_printf(out, " --attention-dropout 0 --hidden-dropout 0");
}

/* ---- layers ---- */

/* Whether stages `from` to before `to` have equally many. */
static bool even(const memx_config *config, int64_t from, int64_t to) {
    for (int64_t s = from + 1; s < to; s++) {
        if (config->stages[s].layers != config->stages[from].layers) return false;
    }
    return true;
}

static memx_status write_split(const memx_config *config, memx_text *out) {
    int64_t pp = config->knobs.pp;
    bool first = even(config, 1, pp), last = even(config, 0, pp - 1);
    int64_t vp = config->knobs.vp, count = vp * pp;
    if (even(config, 0, pp)) {
        if (vp > 1) {
            memx_text_printf(out, " --num-virtual-stages-per-pipeline-rank %lld", (long long)vp);
        }
        return MEMX_OK;
    }
    if (vp == 1 && (first || last || even(config, 1, pp - 1))) {
        if (first || !last) {
            memx_text_printf(out, " --decoder-first-pipeline-num-layers %lld",
                             (long long)config->stages[0].layers);
        }
        if (!first) {
            memx_text_printf(out, " --decoder-last-pipeline-num-layers %lld",
                             (long long)config->stages[pp - 1].layers);
        }
        return MEMX_OK;
    }
    int64_t *layers = calloc((size_t)count, sizeof *layers);
    if (!layers) return MEMX_NOMEM;
    for (int64_t c = 0; c < count; c++) layers[c] = config->stages[c % pp].layers;
    memx_text_printf(out, " --pipeline-model-parallel-layout '");
    memx_layout_write(layers, count, out);
    memx_text_printf(out, "'");
    free(layers);
    return MEMX_OK;
}

/* ---- recompute ---- */

/* The one setting that gives every stage its level, where there is one: block5 is full on four layers. */
static const memx_level *common_level(const memx_config *config) {
    for (int64_t c = 0; c < config->knobs.pp; c++) {
        const memx_level *level = &config->stages[c].level;
        int64_t s = 0;
        while (s < config->knobs.pp &&
               memx_level_compare(memx_level_canonical(*level, config->stages[s].layers),
                                  config->stages[s].level) == 0) {
            s++;
        }
        if (s == config->knobs.pp) return level;
    }
    return NULL;
}

static void write_levels(const memx_config *config, memx_text *out) {
    memx_text_printf(out, "\n# levels by stage: ");
    memx_config_levels(config, out);
    memx_text_printf(out, "\n# No flag says that. Start the ranks of each stage with the flags of "
                          "megatron_args(job, config, stage).");
}

/* Activations that go to the host: Megatron-LM has this without a pipeline alone. */
static void write_swaps(const memx_config *config, memx_text *out) {
    bool swaps = false;
    for (int64_t s = 0; config->stages && s < config->knobs.pp && !swaps; s++)
        swaps = config->stages[s].level.kind == MEMX_SWAP;
    if (!swaps) return;
    memx_text_printf(out, "\n# swapped by stage: ");
    memx_config_levels(config, out);
    memx_text_printf(
        out, "\n# Megatron-LM offloads activations (--cpu-offloading-num-layers) only without "
             "a pipeline: without that a stage holds what none does.");
}

/* Selective recompute of another kind than Megatron-LM's. */
static void write_selective(const memx_framework *f, const memx_config *config, memx_text *out) {
    bool any = false;
    for (int64_t s = 0; s < config->knobs.pp && f->selective_products; s++)
        any = any || config->stages[s].level.kind == MEMX_SELECTIVE;
    if (!any) return;
    memx_text_printf(out,
                     "\n# Framework %s recomputes every second matrix product where it says "
                     "selective; Megatron-LM only the attention core, and keeps more.",
                     f->name);
}

/* ---- nodes ---- */

/* One stage's nodes behind those before: the one that an earlier stage left open, those used up here, and the
** one left open. False where the open one is not the last. */
static bool add_stage(const memx_job *job, const memx_placement *p, int32_t stage, int32_t *used,
                      int32_t *order, int32_t *count) {
    const memx_run *runs = p->runs + p->first[stage];
    int32_t runs_count = p->first[stage + 1] - p->first[stage], open = -1, last = *count - 1;
    for (int32_t r = 0; r < runs_count; r++) {
        int32_t node = runs[r].node;
        if (used[node] == 0) continue;
        if (order[last] != node) return false;
        used[node] += runs[r].gpus;
        if (used[node] < job->nodes[node].gpus) open = node;
    }
    for (int half = 0; half < 2; half++) {
        for (int32_t r = 0; r < runs_count; r++) {
            int32_t node = runs[r].node;
            if (used[node] > 0 || (runs[r].gpus < job->nodes[node].gpus) != half) continue;
            if (half && open >= 0) return false;
            if (half) open = node;
            used[node] = runs[r].gpus;
            order[(*count)++] = node;
        }
    }
    return open < 0 || order[*count - 1] == open;
}

static memx_status write_nodes(const memx_job *job, const memx_placement *p, memx_text *out) {
    int32_t *order = calloc((size_t)job->node_count, sizeof *order), count = 0;
    int32_t *used = calloc((size_t)job->node_count, sizeof *used);
    bool ascending = true, whole = true;
    memx_status status = order && used ? MEMX_OK : MEMX_NOMEM;
    for (int32_t s = 0; s < p->stage_count && whole && !status; s++) {
        whole = add_stage(job, p, s, used, order, &count);
    }
    if (!status && !whole) {
        memx_text_printf(out, "\n# Ranks go back to a node after another: map them by hand, as "
                              "memx_gpus(job, config) lists them.");
    } else if (!status) {
        for (int32_t i = 1; i < count; i++) ascending = ascending && order[i - 1] < order[i];
        if (!ascending) memx_text_printf(out, "\n# nodes in the order of ranks: ");
        for (int32_t i = 0; i < count && !ascending; i++) {
            memx_text_printf(out, "%s%lld", i ? "," : "", (long long)job->nodes[order[i]].ordinal);
        }
    }
    free(order);
    free(used);
    return status;
}

/* ---- a configuration ---- */

static bool offloads(const memx_config *config) {
    for (int64_t s = 0; s < config->knobs.pp; s++) {
        if (config->stages[s].level.offload > 0) return true;
    }
    return false;
}

/* What Megatron-LM asserts beyond what makes a configuration. */
static memx_status check(const memx_knobs *k, const memx_model *m, bool bf16, int64_t stage,
                         memx_error *error) {
    const struct {
        const char *name;
        int64_t value;
        bool cut;
    } sizes[] = {{"ffn_hidden", m->ffn_hidden, true},
                 {"hidden", m->hidden, true},
                 {"expert_ffn_hidden", m->expert_ffn_hidden, m->experts > 0},
                 {"seq_length", m->seq_length / k->cp, k->sequence_parallel}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (!sizes[i].cut || sizes[i].value % k->tp == 0) continue;
        return memx_invalid(error, "Megatron-LM refuses %s %lld: it is not divisible by tp %lld%s",
                            sizes[i].name, (long long)sizes[i].value, (long long)k->tp,
                            i == 3 ? " under sequence parallelism" : "");
    }
    if (k->ep > 1 && k->tp > 1 && !k->sequence_parallel) {
        return memx_invalid(error,
                            "Megatron-LM refuses expert parallelism with tensor parallelism but "
                            "without sequence parallelism; write sp1");
    }
    if (k->ep > 1 && !bf16) {
        return memx_invalid(error, "Megatron-LM refuses expert parallelism but in bf16; name a "
                                   "framework that computes in it, as megatron-bf16");
    }
    if (stage < -1 || stage >= k->pp) {
        return memx_invalid(error, "stage is %lld; write 0 to %lld", (long long)stage,
                            (long long)k->pp - 1);
    }
    return MEMX_OK;
}

memx_status memx_launch_config(const memx_job *job, const memx_config *config, int64_t stage,
                               memx_text *out, memx_error *error) {
    const memx_knobs *k = &config->knobs;
    memx_model model;
    memx_status status = memx_knobs_model(job, k, &model, error);
    if (!status) status = check(k, &model, job->framework.bf16, stage, error);
    if (status) return status;
    bool offload = offloads(config);
    if ((offload || small_moments(&job->framework)) && memx_knobs_replicas(k) > 1 &&
        !k->distributed_optimizer) {
        return memx_invalid(error,
                            "Megatron-LM refuses to %s without a distributed optimizer; give the "
                            "config with do1",
                            offload ? "offload the optimizer's state"
                                    : "keep moments in half precision");
    }
    const memx_level *level = stage < 0 ? common_level(config) : &config->stages[stage].level;
    int64_t zero = k->distributed_optimizer;
    memx_launch launch = {.model = &model,
                          .framework = &job->framework,
                          .tp = k->tp,
                          .pp = k->pp,
                          .micro_batch = k->micro_batch,
                          .global_batch = job->global_batch,
                          .sequence_parallel = k->sequence_parallel,
                          .distributed_optimizer =
                              offload ? memx_greatest(zero, MEMX_ZERO_OPTIMIZER) : zero,
                          .level = level,
                          .cp = k->cp,
                          .ep = k->ep};
    memx_launch_flags(&launch, out);
    status = write_split(config, out);
    if (status) return status;
    if (!level) write_levels(config, out);
    write_swaps(config, out);
    write_selective(&job->framework, config, out);
    if (k->distributed_optimizer >= MEMX_ZERO_GRADIENTS) {
        memx_text_printf(out, "\n# Megatron-LM's FSDP wants CUDA_DEVICE_MAX_CONNECTIONS above 1%s.",
                         k->pp > 1 ? ", and is not documented with pipelines" : "");
    }
    return write_nodes(job, &config->placement, out);
}
