#include "core/model.h"

static double query_width(const memx_model *m) {
    return (double)m->heads * (double)m->head_dim;
}

static double kv_width(const memx_model *m) {
    return (double)m->kv_groups * (double)m->head_dim;
}

static double mlp_up_matrices(const memx_model *m) {
    return m->gated_mlp ? 2.0 : 1.0;
}

double memx_norm_parameters(const memx_model *m) {
    return (m->layernorm ? 2.0 : 1.0) * (double)m->hidden;
}

static double layer_matrices(const memx_model *m) {
    double h = (double)m->hidden, f = (double)m->ffn_hidden;
    return h * (query_width(m) + 2.0 * kv_width(m)) + query_width(m) * h +
           (mlp_up_matrices(m) + 1.0) * h * f;
}

/* Column-parallel layers (query, key, value, MLP up) split their bias; row-parallel ones keep
** it. */
static double column_biases(const memx_model *m) {
    double qkv = query_width(m) + 2.0 * kv_width(m);
    if (m->biases) return qkv + mlp_up_matrices(m) * (double)m->ffn_hidden;
    return m->qkv_biases ? qkv : 0.0;
}

static double row_biases(const memx_model *m) {
    return m->biases ? 2.0 * (double)m->hidden : 0.0;
}

double memx_layer_sharded_parameters(const memx_model *m) {
    return layer_matrices(m) + column_biases(m);
}

double memx_layer_parameters(const memx_model *m) {
    return memx_layer_sharded_parameters(m) + row_biases(m) + 2.0 * memx_norm_parameters(m);
}

double memx_model_parameters(const memx_model *m) {
    double h = (double)m->hidden, table = h * (double)m->vocab;
    double positions = m->learned_positions ? h * (double)m->seq_length : 0.0;
    return (double)m->layers * memx_layer_parameters(m) + memx_norm_parameters(m) + positions +
           (m->tied_embeddings ? table : 2.0 * table);
}

int64_t memx_padded_vocab(const memx_model *m, int64_t tp) {
    int64_t multiple = 128 * tp;
    return (m->vocab + multiple - 1) / multiple * multiple;
}

double memx_layer_matrix_flops(const memx_model *m) {
    return 2.0 * layer_matrices(m);
}

double memx_layer_attention_flops(const memx_model *m) {
    return 4.0 * (double)m->seq_length * query_width(m);
}

double memx_head_flops(const memx_model *m, int64_t vocab) {
    return 2.0 * (double)m->hidden * (double)vocab;
}

double memx_model_flops(const memx_model *m) {
    double layer = memx_layer_matrix_flops(m) + memx_layer_attention_flops(m);
    return 3.0 * ((double)m->layers * layer + memx_head_flops(m, m->vocab));
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
    return MEMX_OK;
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
    out->heads = heads;
    out->head_dim = width / heads;
    out->kv_groups = kv_groups;
    return memx_model_check(out, error);
}
