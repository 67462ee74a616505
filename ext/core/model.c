#include "core/model.h"

static bool latent(const memx_model *m) {
    return m->kv_lora_rank > 0;
}

double memx_query_columns(const memx_model *m) {
    return (double)m->heads * (double)m->head_dim;
}

double memx_kv_columns(const memx_model *m) {
    if (latent(m)) return (double)m->heads * (double)(m->head_dim + m->v_head_dim);
    return 2.0 * ((double)m->kv_groups * (double)m->head_dim);
}

double memx_attention_columns(const memx_model *m) {
    return (double)m->heads * (double)(latent(m) ? m->v_head_dim : m->head_dim);
}

double memx_mlp_columns(const memx_model *m, memx_layer_kind kind) {
    return kind == MEMX_DENSE ? (double)m->ffn_hidden
                              : (double)m->shared_experts * (double)m->expert_ffn_hidden;
}

int64_t memx_dense_layers(const memx_model *m) {
    return m->experts > 0 ? m->dense_layers : m->layers;
}

static double mlp_up_matrices(const memx_model *m) {
    return m->gated_mlp ? 2.0 : 1.0;
}

double memx_norm_parameters(const memx_model *m) {
    return (m->layernorm ? 2.0 : 1.0) * (double)m->hidden;
}

/* Matrices of latent attention that are on every rank, and the norms behind them. */
static double latent_down(const memx_model *m) {
    if (!latent(m)) return 0.0;
    return (double)m->hidden * (double)(m->q_lora_rank + m->kv_lora_rank + m->qk_rope_dim);
}

static double latent_norms(const memx_model *m) {
    return latent(m) ? (double)(m->q_lora_rank + m->kv_lora_rank) : 0.0;
}

/* Those that heads are cut by. */
static double attention_matrices(const memx_model *m) {
    double h = (double)m->hidden, query = memx_query_columns(m);
    if (!latent(m)) return h * (query + memx_kv_columns(m)) + query * h;
    double compressed = m->q_lora_rank > 0 ? (double)m->q_lora_rank : h;
    double up = (double)m->heads * (double)(m->qk_nope_dim + m->v_head_dim);
    return compressed * query + (double)m->kv_lora_rank * up + memx_attention_columns(m) * h;
}

static double sharded_matrices(const memx_model *m, memx_layer_kind kind) {
    return attention_matrices(m) +
           (mlp_up_matrices(m) + 1.0) * (double)m->hidden * memx_mlp_columns(m, kind);
}

static double one_expert(const memx_model *m) {
    return (mlp_up_matrices(m) + 1.0) * (double)m->hidden * (double)m->expert_ffn_hidden;
}

static double router(const memx_model *m, memx_layer_kind kind) {
    return kind == MEMX_DENSE ? 0.0 : (double)m->hidden * (double)m->experts;
}

/* Column-parallel layers (query, key, value, MLP up) split their bias; row-parallel ones keep
** it. */
static double column_biases(const memx_model *m) {
    double qkv = memx_query_columns(m) + memx_kv_columns(m);
    if (m->biases) return qkv + mlp_up_matrices(m) * (double)m->ffn_hidden;
    return m->qkv_biases ? qkv : 0.0;
}

static double row_biases(const memx_model *m) {
    return m->biases ? 2.0 * (double)m->hidden : 0.0;
}

double memx_layer_sharded_parameters(const memx_model *m, memx_layer_kind kind) {
    return sharded_matrices(m, kind) + column_biases(m);
}

double memx_layer_expert_parameters(const memx_model *m, memx_layer_kind kind) {
    return kind == MEMX_DENSE ? 0.0 : (double)m->experts * one_expert(m);
}

double memx_layer_parameters(const memx_model *m, memx_layer_kind kind) {
    return memx_layer_sharded_parameters(m, kind) + row_biases(m) + 2.0 * memx_norm_parameters(m) +
           latent_down(m) + latent_norms(m) + router(m, kind) +
           memx_layer_expert_parameters(m, kind);
}

/* One figure of every layer, added up. */
static double all_layers(const memx_model *m,
                         double (*figure)(const memx_model *m, memx_layer_kind kind)) {
    double dense = (double)memx_dense_layers(m), rest = (double)m->layers - dense;
    return dense * figure(m, MEMX_DENSE) + rest * figure(m, MEMX_EXPERTS);
}

double memx_model_parameters(const memx_model *m) {
    double h = (double)m->hidden, table = h * (double)m->vocab;
    double positions = m->learned_positions ? h * (double)m->seq_length : 0.0;
    return all_layers(m, memx_layer_parameters) + memx_norm_parameters(m) + positions +
           (m->tied_embeddings ? table : 2.0 * table);
}

double memx_active_parameters(const memx_model *m) {
    double idle = (double)(m->experts - m->experts_per_token) * one_expert(m);
    return memx_model_parameters(m) - (double)(m->layers - memx_dense_layers(m)) * idle;
}

int64_t memx_padded_vocab(const memx_model *m, int64_t tp) {
    int64_t multiple = 128 * tp;
    return (m->vocab + multiple - 1) / multiple * multiple;
}

double memx_layer_matrix_flops(const memx_model *m, memx_layer_kind kind) {
    double routed = kind == MEMX_DENSE ? 0.0 : (double)m->experts_per_token * one_expert(m);
    return 2.0 * (sharded_matrices(m, kind) + latent_down(m) + router(m, kind) + routed);
}

/* Scores, and their product with the values. */
double memx_layer_attention_flops(const memx_model *m) {
    return 2.0 * (double)m->seq_length * (memx_query_columns(m) + memx_attention_columns(m));
}

double memx_head_flops(const memx_model *m, int64_t vocab) {
    return 2.0 * (double)m->hidden * (double)vocab;
}

static double layer_flops(const memx_model *m, memx_layer_kind kind) {
    return memx_layer_matrix_flops(m, kind) + memx_layer_attention_flops(m);
}

double memx_model_flops(const memx_model *m) {
    return 3.0 * (all_layers(m, layer_flops) + memx_head_flops(m, m->vocab));
}

static memx_status check_experts(const memx_model *m, memx_error *error) {
    if (m->experts == 0) return MEMX_OK;
    const struct {
        const char *name;
        int64_t value, least, most;
    } sizes[] = {
        {"experts", m->experts, 2, 1000000},
        {"experts_per_token", m->experts_per_token, 1, m->experts},
        {"expert_ffn_hidden", m->expert_ffn_hidden, 1, 10000000},
        {"shared_experts", m->shared_experts, 0, 1000000},
        {"dense_layers", m->dense_layers, 0, m->layers - 1},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i].value >= sizes[i].least && sizes[i].value <= sizes[i].most) continue;
        return memx_invalid(error, "model '%s': %s is %lld; write a whole number from %lld to %lld",
                            m->name, sizes[i].name, (long long)sizes[i].value,
                            (long long)sizes[i].least, (long long)sizes[i].most);
    }
    if (!m->biases) return MEMX_OK;
    return memx_invalid(error, "model '%s': experts with biases are not modelled; write biases 0",
                        m->name);
}

static memx_status check_latent(const memx_model *m, memx_error *error) {
    if (!latent(m)) return MEMX_OK;
    const struct {
        const char *name;
        int64_t value, least, most;
    } sizes[] = {
        {"q_lora_rank", m->q_lora_rank, 0, 1000000}, {"kv_lora_rank", m->kv_lora_rank, 1, 1000000},
        {"qk_nope_dim", m->qk_nope_dim, 1, 100000},  {"qk_rope_dim", m->qk_rope_dim, 1, 100000},
        {"v_head_dim", m->v_head_dim, 1, 100000},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i].value >= sizes[i].least && sizes[i].value <= sizes[i].most) continue;
        return memx_invalid(error, "model '%s': %s is %lld; write a whole number from %lld to %lld",
                            m->name, sizes[i].name, (long long)sizes[i].value,
                            (long long)sizes[i].least, (long long)sizes[i].most);
    }
    int64_t head_dim = m->qk_nope_dim + m->qk_rope_dim;
    if (m->head_dim != head_dim || m->kv_groups != m->heads) {
        return memx_invalid(error,
                            "model '%s': with kv_lora_rank, head_dim is qk_nope_dim + qk_rope_dim, "
                            "%lld, and kv_groups the heads, %lld; write these",
                            m->name, (long long)head_dim, (long long)m->heads);
    }
    if (!m->biases && !m->qkv_biases) return MEMX_OK;
    return memx_invalid(error,
                        "model '%s': latent attention with biases is not modelled; write biases 0 "
                        "and qkv_biases 0",
                        m->name);
}

memx_status memx_model_check(const memx_model *m, memx_error *error) {
    const struct {
        const char *name;
        int64_t value, most;
    } sizes[] = {
        {"layers", m->layers, 10000},       {"hidden", m->hidden, 1000000},
        {"heads", m->heads, 1000000},       {"kv_groups", m->kv_groups, 1000000},
        {"head_dim", m->head_dim, 1000000}, {"ffn_hidden", m->ffn_hidden, 10000000},
        {"vocab", m->vocab, 100000000},     {"seq_length", m->seq_length, 100000000},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i].value < 1 || sizes[i].value > sizes[i].most) {
            return memx_invalid(
                error, "model '%s': %s is %lld; write a whole number from 1 to %lld", m->name,
                sizes[i].name, (long long)sizes[i].value, (long long)sizes[i].most);
        }
    }
    if (m->heads % m->kv_groups != 0) {
        return memx_invalid(
            error,
            "model '%s': kv_groups %lld does not divide heads %lld; write a divisor "
            "of the heads (heads itself for plain multi-head attention)",
            m->name, (long long)m->kv_groups, (long long)m->heads);
    }
    memx_status status = check_experts(m, error);
    return status ? status : check_latent(m, error);
}

memx_status memx_model_vary(const memx_model *m, int64_t seq_length, int64_t heads,
                            int64_t kv_groups, memx_model *out, memx_error *error) {
    int64_t width = m->heads * m->head_dim;
    *out = *m;
    out->seq_length = seq_length;
    if (heads < 1 || width % heads != 0) {
        return memx_invalid(error, "model '%s': %lld heads do not divide its query width %lld",
                            m->name, (long long)heads, (long long)width);
    }
    if (latent(m) && (heads != m->heads || kv_groups != m->kv_groups)) {
        return memx_invalid(error,
                            "model '%s' has latent attention, whose %lld heads are not cut "
                            "otherwise; write no heads and kv_groups",
                            m->name, (long long)m->heads);
    }
    out->heads = heads;
    out->head_dim = width / heads;
    out->kv_groups = kv_groups;
    return memx_model_check(out, error);
}
