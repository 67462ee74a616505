#include "core/megatron.h"

#include "core/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arguments ---- */

typedef enum kind {
    WHOLE,       /* a number from 1, or None */
    FLAG,        /* True, False, None */
    SHARE,       /* 0.5, kept as percent */
    WORD,        /* of granularity or method */
    LAYOUT,      /* a pipeline layout, or None */
    LIST,        /* layers of every stage, [9, 7] or 9,7, or None */
    CORE,        /* what selective recompute recomputes: only the attention core is modelled */
    REFUSED,     /* not modelled where it is set */
    AT_MOST_ONE, /* not modelled above 1 */
    ZERO_STAGE,
    RING, /* how context parallel ranks exchange: p2p, a word or a list of it */
} kind;

#define AT(member) offsetof(memx_megatron, member)

static const struct {
    const char *name;
    kind kind;
    size_t offset;
} known[] = {
    {"world_size", WHOLE, AT(world_size)},
    {"data_parallel_size", WHOLE, AT(data_parallel)},
    {"tensor_model_parallel_size", WHOLE, AT(tp)},
    {"model_parallel_size", WHOLE, AT(tp)}, /* before 2021 */
    {"pipeline_model_parallel_size", WHOLE, AT(pp)},
    {"micro_batch_size", WHOLE, AT(micro_batch)},
    {"global_batch_size", WHOLE, AT(global_batch)},
    {"num_layers", WHOLE, AT(layers)},
    {"hidden_size", WHOLE, AT(hidden)},
    {"ffn_hidden_size", WHOLE, AT(ffn_hidden)},
    {"num_attention_heads", WHOLE, AT(heads)},
    {"kv_channels", WHOLE, AT(head_dim)},
    {"group_query_attention", FLAG, AT(grouped_query)},
    {"num_query_groups", WHOLE, AT(query_groups)},
    {"seq_length", WHOLE, AT(seq_length)},
    {"sequence_parallel", FLAG, AT(sequence_parallel)},
    {"use_distributed_optimizer", FLAG, AT(distributed_optimizer)},
    {"swiglu", FLAG, AT(gated)},
    {"untie_embeddings_and_output_weights", FLAG, AT(untied)},
    {"bf16", FLAG, AT(bf16)},
    {"fp16", FLAG, AT(fp16)},
    {"decoder_first_pipeline_num_layers", WHOLE, AT(first_layers)},
    {"decoder_last_pipeline_num_layers", WHOLE, AT(last_layers)},
    {"account_for_embedding_in_pipeline_split", FLAG, AT(count_embedding)},
    {"account_for_loss_in_pipeline_split", FLAG, AT(count_loss)},
    {"pipeline_model_parallel_layout", LAYOUT, 0},
    {"decoder_pipeline_manual_split_list", LIST, 0},
    {"hetero_pipeline_layer_split", LIST, 0},
    {"num_layer_list", LIST, 0},
    {"recompute_granularity", WORD, AT(granularity)},
    {"recompute_method", WORD, AT(method)},
    {"recompute_num_layers", WHOLE, AT(recompute_layers)},
    {"recompute_modules", CORE, 0},
    {"activations_checkpoint_method", WORD, AT(method)},
    {"activations_checkpoint_num_layers", WHOLE, AT(recompute_layers)},
    {"checkpoint_activations", FLAG, AT(checkpointed)},
    {"checkpoint_num_layers", WHOLE, AT(recompute_layers)},
    {"zero_stage", ZERO_STAGE, AT(zero_stage)},
    {"context_parallel_size", WHOLE, AT(cp)},
    {"cp_comm_type", RING, 0},
    {"hierarchical_context_parallel_sizes", REFUSED, 0},
    {"microbatch_group_size_per_virtual_pipeline_stage", WHOLE, AT(batch_group)},
    {"microbatch_group_size_per_vp_stage", WHOLE, AT(batch_group)},
    {"expert_model_parallel_size", WHOLE, AT(ep)},
    {"expert_tensor_parallel_size", WHOLE, AT(etp)},
    {"num_virtual_stages_per_pipeline_rank", WHOLE, AT(vp)},
    {"virtual_pipeline_model_parallel_size", WHOLE, AT(vp)}, /* what it becomes */
    {"num_experts", WHOLE, AT(experts)},
    {"num_distributed_optimizer_instances", AT_MOST_ONE, 0},
    {"distribute_saved_activations", REFUSED, 0},
    {"mtp_num_layers", REFUSED, 0},
    {"multi_latent_attention", FLAG, AT(latent)},
    {"use_tp_pp_dp_mapping", REFUSED, 0},
    {"use_torch_fsdp2", FLAG, AT(torch_fsdp)},
    {"use_custom_fsdp", FLAG, AT(fsdp)}, /* the older name of the next */
    {"use_megatron_fsdp", FLAG, AT(fsdp)},
    {"data_parallel_sharding_strategy", WORD, AT(sharding)},
    {"optimizer_cpu_offload", FLAG, AT(cpu_offload)},
    {"optimizer_offload_fraction", SHARE, AT(offload_percent)},
    {"cpu_offloading", REFUSED, 0},
    {"fp8", REFUSED, 0},
    {"fp4", REFUSED, 0},
    {"recompute_granularity_per_stage_micro_batch", REFUSED, 0},
    {"recompute_num_layers_per_stage_micro_batch", REFUSED, 0},
};

void memx_megatron_start(memx_megatron *a) {
    *a = (memx_megatron){.first_line = 0};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].kind == WHOLE || known[i].kind == FLAG || known[i].kind == SHARE) {
            *(int64_t *)(void *)((char *)a + known[i].offset) = -1;
        }
    }
    a->zero_stage = -1;
}

/* Keeps the first of them. */
static void problem(memx_megatron *a, int64_t line, const char *name, memx_span value,
                    const char *what) {
    memx_error error;
    if (*a->problem) return;
    memx_invalid(&error, "line %lld: %s is '%.*s'%s", (long long)line, name, memx_quoted(value),
                 value.at, what);
    snprintf(a->problem, sizeof a->problem, "%.250s", error.text);
}

static bool whole_of(memx_span value, int64_t *out) {
    enum { MOST = 1000000000 };
    int64_t n = 0;
    if (!memx_take_whole(&value, &n) || n < 0 || n > MOST) return false;
    if (value.length > 0 && (unsigned char)value.at[0] > ' ') return false;
    *out = n;
    return true;
}

/* "0.5" is 50; digits beyond the second are left out. */
static bool percent_of(memx_span value, int64_t *out) {
    int64_t n = 0;
    if (value.length == 0 || (value.at[0] != '0' && value.at[0] != '1')) return false;
    n = INT64_C(100) * (value.at[0] - '0');
    for (size_t i = 1; i < value.length && (unsigned char)value.at[i] > ' '; i++) {
        if (i == 1 ? value.at[i] != '.' : value.at[i] < '0' || value.at[i] > '9') return false;
        if (i == 2) n += INT64_C(10) * (value.at[i] - '0');
        if (i == 3) n += value.at[i] - '0';
    }
    *out = n;
    return n <= 100;
}

static bool list_of(memx_span value, memx_megatron *a) {
    int32_t count = 0;
    while (value.length > 0) {
        int64_t n = 0;
        if (strchr("[], ", value.at[0]) && value.at[0]) {
            value = memx_span_from(value, 1);
            continue;
        }
        if (count == MEMX_MAX_STAGES || !memx_take_whole(&value, &n) || n < 1 || n > 10000) {
            return false;
        }
        a->split[count++] = (int32_t)n;
    }
    a->split_count = count;
    return count > 0;
}

/* As a shell would take them off. */
static memx_span without_quotes(memx_span value) {
    size_t n = value.length;
    if (n < 2 || !value.at[0] || !strchr("'\"", value.at[0])) return value;
    return value.at[n - 1] == value.at[0] ? (memx_span){value.at + 1, n - 2} : value;
}

static bool is_none(memx_span value) {
    return memx_span_equal(value, "None") || memx_span_equal(value, "[]");
}

/* False where the value is none of its kind. */
static bool read_value(memx_megatron *a, size_t which, memx_span value, memx_error *error) {
    void *at = (char *)a + known[which].offset;
    int64_t n = 0;
    switch (known[which].kind) {
    case WHOLE: return whole_of(value, (int64_t *)at) && *(int64_t *)at > 0;
    case SHARE: return percent_of(value, (int64_t *)at);
    case FLAG:
        *(int64_t *)at = memx_span_equal(value, "True");
        return *(int64_t *)at || memx_span_equal(value, "False");
    case WORD:
        if (value.length == 0 || value.length >= MEMX_WORD_SIZE) return false;
        memcpy(at, value.at, value.length);
        ((char *)at)[value.length] = '\0';
        return true;
    case LAYOUT:
        return memx_layout_read(value, a->split, &a->split_count, MEMX_MAX_STAGES, error) ==
               MEMX_OK;
    case LIST: return list_of(value, a);
    case CORE: return memx_span_equal(value, "['core_attn']");
    case REFUSED: return memx_span_equal(value, "False") || memx_span_equal(value, "0");
    case AT_MOST_ONE: return whole_of(value, &n) && n <= 1;
    case RING: return memx_span_equal(value, "p2p") || memx_span_equal(value, "['p2p']");
    case ZERO_STAGE:
        if (!whole_of(value, &n) || n > MEMX_ZERO_PARAMETERS) return false;
        *(int64_t *)at = n;
        return true;
    }
    return false;
}

/* What is wrong with a value; of a layout says the reader, in `error`. */
static const char *complaint(kind of, memx_error *error) {
    memx_error layout = *error;
    switch (of) {
    case WHOLE: return ", no whole number from 1";
    case FLAG: return ", neither True nor False";
    case SHARE: return ", no share from 0 to 1";
    case LIST: return ", no list of layers";
    case LAYOUT: memx_invalid(error, ": %.200s", layout.text); return error->text;
    case WORD:
    case CORE:
    case REFUSED:
    case AT_MOST_ONE:
    case ZERO_STAGE:
    case RING: break;
    }
    return ", which MemX does not model";
}

bool memx_megatron_argument(memx_megatron *a, memx_span name, memx_span value, int64_t line) {
    size_t which = 0;
    memx_error error = {.text = ""};
    while (which < sizeof known / sizeof known[0] && !memx_span_equal(name, known[which].name)) {
        which++;
    }
    if (which == sizeof known / sizeof known[0]) return false;
    if (a->first_line == 0) a->first_line = line;
    a->old = a->old || memx_span_find(name, "checkpoint") < name.length;
    if (known[which].kind == LAYOUT) value = without_quotes(value);
    if (is_none(value)) return true;
    if (read_value(a, which, value, &error)) return true;
    problem(a, line, known[which].name, value, complaint(known[which].kind, &error));
    switch (known[which].kind) { /* as if it had not been printed */
    case WHOLE:
    case SHARE:
    case FLAG: *(int64_t *)(void *)((char *)a + known[which].offset) = -1; break;
    case LAYOUT:
    case LIST: a->split_count = 0; break;
    case WORD:
    case CORE:
    case REFUSED:
    case AT_MOST_ONE:
    case ZERO_STAGE:
    case RING: break;
    }
    return true;
}

/* ---- what they say ---- */

int64_t memx_megatron_cp(const memx_megatron *a) {
    return a->cp > 0 ? a->cp : 1;
}

int64_t memx_megatron_vp(const memx_megatron *a) {
    if (a->vp > 0) return a->vp;
    bool whole = a->pp > 0 && a->split_count > 0 && a->split_count % a->pp == 0;
    return whole ? a->split_count / a->pp : 1; /* a layout says it, too */
}

int64_t memx_megatron_dp(const memx_megatron *a) {
    if (a->world_size > 0 && a->tp > 0 && a->pp > 0) {
        int64_t left = a->world_size % a->tp == 0 ? a->world_size / a->tp : 0;
        left = left % a->pp == 0 ? left / a->pp : 0;
        left = left % memx_megatron_cp(a) == 0 ? left / memx_megatron_cp(a) : 0;
        return left > 0 ? left : -1;
    }
    return a->data_parallel;
}

const char *memx_megatron_precision(const memx_megatron *a) {
    if (a->bf16 == 1) return "bf16";
    if (a->fp16 == 1) return "fp16";
    return a->bf16 == 0 && a->fp16 == 0 ? "single" : NULL;
}

memx_status memx_megatron_level(const memx_megatron *a, memx_level *out, memx_error *error) {
    int64_t n = a->recompute_layers;
    bool uniform = strcmp(a->method, "uniform") == 0, block = strcmp(a->method, "block") == 0;
    int64_t offload = a->cpu_offload == 1 ? (a->offload_percent < 0 ? 100 : a->offload_percent) : 0;
    *out = (memx_level){MEMX_NONE, 0, (int32_t)offload};
    if (strcmp(a->granularity, "selective") == 0) {
        out->kind = MEMX_SELECTIVE;
        return MEMX_OK;
    }
    if (a->checkpointed == 1) uniform = true;
    if (!*a->granularity && !uniform && !block) return MEMX_OK;
    if (*a->granularity && strcmp(a->granularity, "full") != 0) {
        return memx_invalid(error, "recompute_granularity '%s' is neither full nor selective",
                            a->granularity);
    }
    if (!uniform && !block) {
        return memx_invalid(error, "recompute_method '%s' is neither uniform nor block", a->method);
    }
    if (n < 0) n = 1; /* as it was before it had to be said */
    if (n > 99999) n = 99999;
    *out = (memx_level){block ? MEMX_BLOCK : MEMX_UNIFORM, (int32_t)n, (int32_t)offload};
    return MEMX_OK;
}

/* Layers that divide evenly but for the first and last stage. */
static memx_status even_layers(const memx_megatron *a, int64_t *layers, memx_error *error) {
    int64_t left = a->layers, stages = a->pp, first = a->first_layers, last = a->last_layers;
    int64_t embedding = a->count_embedding == 1, loss = a->count_loss == 1;
    if (first > 0) left -= first, stages--;
    if (last > 0 && a->pp > 1) left -= last, stages--;
    left += embedding + loss;
    if (left < stages || (stages > 0 ? left % stages : left) != 0) {
        return memx_invalid(error,
                            "num_layers %lld do not divide over pipeline_model_parallel_size %lld"
                            "%s; is a layout missing?",
                            (long long)a->layers, (long long)a->pp,
                            first > 0 || last > 0 ? " with these first and last stages" : "");
    }
    if (memx_megatron_vp(a) > 1 && embedding + loss > 0) {
        return memx_invalid(
            error,
            "virtual_pipeline_model_parallel_size %lld with embedding or loss counted "
            "as a layer: a stage's chunks differ, which MemX does not model",
            (long long)a->vp);
    }
    for (int64_t s = 0; s < a->pp; s++) layers[s] = stages > 0 ? left / stages : 0;
    if (first > 0) layers[0] = first;
    if (last > 0 && a->pp > 1) layers[a->pp - 1] = last;
    layers[0] -= embedding;
    layers[a->pp - 1] -= loss;
    return MEMX_OK;
}

int64_t memx_megatron_zero(const memx_megatron *a) {
    static const char *const strategies[] = {"no_shard", "optim", "optim_grads",
                                             "optim_grads_params"};
    if (a->torch_fsdp == 1) return MEMX_ZERO_PARAMETERS;
    if (a->fsdp == 1) {
        int64_t zero = MEMX_ZERO_PARAMETERS;
        while (zero >= 0 && strcmp(a->sharding, strategies[zero]) != 0) zero--;
        return zero;
    }
    if (a->zero_stage > 0) return a->zero_stage;
    if (a->distributed_optimizer >= 0) return a->distributed_optimizer;
    return a->zero_stage == 0 || a->old ? MEMX_ZERO_NOTHING : -1;
}

memx_status memx_megatron_layers(const memx_megatron *a, int64_t *layers, memx_error *error) {
    int64_t sum = 0, chunks = memx_megatron_vp(a);
    if (a->split_count == 0) {
        memx_status status = even_layers(a, layers, error);
        if (status) return status;
    } else if (a->split_count / chunks != a->pp || a->split_count % chunks != 0) {
        return memx_invalid(error,
                            "the layout has %d stages for pipeline_model_parallel_size %lld and "
                            "virtual_pipeline_model_parallel_size %lld",
                            (int)a->split_count, (long long)a->pp, (long long)chunks);
    }
    for (int64_t c = 0; c < a->split_count; c++) {
        if (a->split[c] == a->split[c % a->pp]) continue;
        return memx_invalid(error,
                            "stage %lld has chunks of %d and %d layers; MemX models equal chunks",
                            (long long)(c % a->pp), (int)a->split[c % a->pp], (int)a->split[c]);
    }
    for (int64_t s = 0; s < a->pp; s++) {
        if (a->split_count > 0) {
            layers[s] = a->split[s];
        } else if (layers[s] % chunks == 0) {
            layers[s] /= chunks;
        } else {
            return memx_invalid(error,
                                "stage %lld has %lld layers, not divisible by its %lld chunks",
                                (long long)s, (long long)layers[s], (long long)chunks);
        }
        sum += chunks * layers[s];
        if (layers[s] > 0) continue;
        return memx_invalid(error, "stage %lld has no layer, which MemX does not model",
                            (long long)s);
    }
    if (sum == a->layers) return MEMX_OK;
    return memx_invalid(error, "the stages have %lld layers, num_layers is %lld", (long long)sum,
                        (long long)a->layers);
}

/* ---- the configuration ---- */

static memx_status check_present(const memx_megatron *a, memx_error *error) {
    bool divides = a->world_size < 0 || a->tp < 1 || a->pp < 1 || memx_megatron_dp(a) > 0;
    const struct {
        const char *name;
        int64_t value;
    } needed[] = {
        {"tensor_model_parallel_size", a->tp},
        {"pipeline_model_parallel_size", a->pp},
        {"micro_batch_size", a->micro_batch},
        {"num_layers", a->layers},
        {"num_attention_heads", a->heads},
        {"seq_length", a->seq_length},
        {"world_size", divides ? memx_megatron_dp(a) : 1},
    };
    if (a->first_line == 0) {
        return memx_invalid(error, "the log has no arguments, as 'micro_batch_size ...... 1'; "
                                   "write the config by hand");
    }
    if (*a->problem) return memx_invalid(error, "%s", a->problem);
    if (a->fsdp == 1 && memx_megatron_zero(a) < 0) {
        return memx_invalid(
            error,
            "use_megatron_fsdp is True and data_parallel_sharding_strategy '%s', not "
            "no_shard, optim, optim_grads or optim_grads_params",
            a->sharding);
    }
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (needed[i].value > 0) continue;
        return memx_invalid(error, "the log's arguments lack %s; write the config by hand",
                            needed[i].name);
    }
    if (!divides) {
        char context[40] = "";
        if (a->cp > 1) snprintf(context, sizeof context, " times cp %lld", (long long)a->cp);
        return memx_invalid(error, "world_size %lld is not divisible by tp %lld times pp %lld%s",
                            (long long)a->world_size, (long long)a->tp, (long long)a->pp, context);
    }
    if (a->tp > MEMX_MAX_GPUS || memx_megatron_dp(a) > MEMX_MAX_GPUS) {
        return memx_invalid(
            error, "tensor_model_parallel_size %lld, data parallel %lld; MemX takes up to %d",
            (long long)a->tp, (long long)memx_megatron_dp(a), (int)MEMX_MAX_GPUS);
    }
    if (a->pp > MEMX_MAX_STAGES) {
        return memx_invalid(error, "pipeline_model_parallel_size %lld; MemX takes up to %d",
                            (long long)a->pp, (int)MEMX_MAX_STAGES);
    }
    return MEMX_OK;
}

/* What was trained must be what the job trains; sequence length, heads and groups may differ. */
static memx_status check_job(const memx_job *job, const memx_megatron *a, memx_error *error) {
    const memx_model *m = &job->model;
    int64_t width = m->heads * m->head_dim;
    const struct {
        const char *name;
        int64_t log, job;
    } figures[] = {
        {"num_layers", a->layers, m->layers},
        {"hidden_size", a->hidden, m->hidden},
        {"ffn_hidden_size", a->ffn_hidden, m->ffn_hidden},
        {"num_attention_heads * kv_channels",
         a->head_dim > 0 && m->kv_lora_rank == 0 ? a->heads * a->head_dim : width, width},
        {"num_experts", a->experts == 1 ? 0 : a->experts, m->experts},
        {"multi_latent_attention", a->latent, m->kv_lora_rank > 0},
        {"swiglu", a->gated, m->gated_mlp},
        {"untie_embeddings_and_output_weights", a->untied, !m->tied_embeddings},
        {"global_batch_size", a->global_batch, job->global_batch},
        {"world_size", memx_megatron_dp(a) * memx_megatron_cp(a) * a->tp * a->pp, job->gpus},
    };
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        if (figures[i].log < 0 || figures[i].log == figures[i].job) continue;
        return memx_invalid(
            error, "%s is %lld in the log and %lld in job '%s'; name a job of the same",
            figures[i].name, (long long)figures[i].log, (long long)figures[i].job, job->name);
    }
    if (memx_megatron_vp(a) > 1 && a->batch_group > 0 && a->batch_group != a->pp) {
        return memx_invalid(
            error,
            "micro batches go in groups of %lld per virtual stage; MemX models groups "
            "of pipeline_model_parallel_size, %lld",
            (long long)a->batch_group, (long long)a->pp);
    }
    if (a->etp > 0 && a->etp != a->tp && m->experts > 0) {
        return memx_invalid(error,
                            "expert_tensor_parallel_size is %lld; MemX models the same as "
                            "tensor_model_parallel_size, %lld",
                            (long long)a->etp, (long long)a->tp);
    }
    const memx_framework *f = &job->framework;
    const char *wanted = f->bf16 ? "bf16" : f->activation_bytes < 4 ? "fp16" : "single";
    const char *found = memx_megatron_precision(a);
    if (!found || strcmp(found, wanted) == 0) return MEMX_OK;
    return memx_invalid(error,
                        "the log trained in %s precision, job '%s' with framework '%s' in %s; "
                        "name a job of the same",
                        found, job->name, f->name, wanted);
}

/* Indices of all nodes from their ordinals, each once. */
static memx_status read_nodes(const memx_job *job, const char *nodes, int32_t *order,
                              memx_error *error) {
    memx_span rest = memx_span_trim(memx_span_of(nodes));
    int32_t count = 0;
    while (rest.length > 0) {
        int64_t ordinal = 0;
        int32_t n = 0, twice = 0;
        if (!memx_take_whole(&rest, &ordinal)) break;
        while (n < job->node_count && job->nodes[n].ordinal != ordinal) n++;
        if (n == job->node_count) {
            return memx_invalid(error, "nodes '%.60s': cluster '%s' has no node %lld", nodes,
                                job->cluster, (long long)ordinal);
        }
        while (twice < count && order[twice] != n) twice++;
        if (twice < count) {
            return memx_invalid(error, "nodes '%.60s': node %lld stands twice", nodes,
                                (long long)ordinal);
        }
        order[count++] = n;
        rest = memx_span_trim(rest);
        if (rest.length > 0 && !memx_take(&rest, ",")) break;
        rest = memx_span_trim(rest);
    }
    if (rest.length > 0 || count < job->node_count) {
        return memx_invalid(error,
                            "nodes '%.60s': write the ordinals of all %d nodes of cluster '%s' in "
                            "the order of their ranks, as 2,0,1",
                            nodes, (int)job->node_count, job->cluster);
    }
    return MEMX_OK;
}

static memx_status fill(const memx_job *job, const memx_megatron *a, const char *nodes,
                        memx_config *config, int64_t *layers, memx_error *error) {
    memx_knobs *k = &config->knobs;
    memx_level level = {MEMX_NONE, 0, 0};
    int32_t *order = calloc((size_t)job->node_count, sizeof *order);
    memx_status status = order ? MEMX_OK : MEMX_NOMEM;
    *k = (memx_knobs){
        .tp = a->tp, .pp = a->pp, .cp = memx_megatron_cp(a), .dp = memx_megatron_dp(a)};
    k->micro_batch = a->micro_batch;
    memx_knobs_default(job, k);
    k->seq_length = a->seq_length;
    if (a->ep > 1 && job->model.experts > 0) k->ep = a->ep;
    k->vp = memx_megatron_vp(a);
    k->heads = a->heads;
    k->kv_groups = a->grouped_query == 1 && a->query_groups > 0 ? a->query_groups : a->heads;
    if (a->sequence_parallel >= 0 || a->old) {
        k->sequence_parallel = a->sequence_parallel == 1 && k->tp > 1;
    }
    int64_t zero = memx_megatron_zero(a);
    if (zero >= 0) k->distributed_optimizer = zero;
    for (int32_t i = 0; i < job->node_count && order; i++) order[i] = i;
    if (!status && nodes) status = read_nodes(job, nodes, order, error);
    if (!status) status = memx_megatron_layers(a, layers, error);
    if (!status) status = memx_megatron_level(a, &level, error);
    if (!status) {
        status = memx_placement_fill(job, order, memx_knobs_stage_gpus(k), (int32_t)k->pp,
                                     &config->placement);
    }
    for (int64_t s = 0; s < k->pp && !status; s++) {
        config->stages[s] = (memx_stage_choice){layers[s], memx_level_canonical(level, layers[s])};
    }
    free(order);
    return status;
}

/* Written, and read again: reading checks everything, and gives the one spelling. */
static memx_status spell(const memx_job *job, const memx_config *config, memx_text *out,
                         memx_error *error) {
    memx_text text = {0};
    memx_config again = {.stages = NULL};
    memx_config_format(job, config, &text);
    memx_status status = text.failed ? MEMX_NOMEM : MEMX_OK;
    if (!status) status = memx_config_parse(job, text.data, &again, error);
    if (!status) memx_config_format(job, &again, out);
    memx_config_free(&again);
    memx_text_free(&text);
    return status;
}

memx_status memx_megatron_config(const memx_job *job, const memx_megatron *a, const char *nodes,
                                 memx_text *out, memx_error *error) {
    memx_config config = {.stages = NULL};
    memx_status status = check_present(a, error);
    if (!status) status = check_job(job, a, error);
    if (status) return status;
    int64_t *layers = calloc((size_t)a->pp, sizeof *layers);
    config.stages = calloc((size_t)a->pp, sizeof *config.stages);
    status = layers && config.stages ? fill(job, a, nodes, &config, layers, error) : MEMX_NOMEM;
    if (!status) status = spell(job, &config, out, error);
    memx_config_free(&config);
    free(layers);
    return status;
}
