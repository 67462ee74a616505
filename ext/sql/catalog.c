#include "sql/catalog.h"

#include "sql/predictors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* ---- what is read ---- */

typedef struct model_row {
    memx_model model; /* first: fields of both stand in one list */
    char norm[MEMX_NAME_SIZE];
} model_row;

static const memx_field model_fields[] = {
    {"norm", MEMX_F_NAME, offsetof(model_row, norm)},
    {"layers", MEMX_F_COUNT, offsetof(memx_model, layers)},
    {"hidden", MEMX_F_COUNT, offsetof(memx_model, hidden)},
    {"heads", MEMX_F_COUNT, offsetof(memx_model, heads)},
    {"kv_groups", MEMX_F_COUNT, offsetof(memx_model, kv_groups)},
    {"head_dim", MEMX_F_COUNT, offsetof(memx_model, head_dim)},
    {"ffn_hidden", MEMX_F_COUNT, offsetof(memx_model, ffn_hidden)},
    {"vocab", MEMX_F_COUNT, offsetof(memx_model, vocab)},
    {"seq_length", MEMX_F_COUNT, offsetof(memx_model, seq_length)},
    {"coalesce(experts, 0) AS experts", MEMX_F_COUNT, offsetof(memx_model, experts)},
    {"coalesce(experts_per_token, 0) AS experts_per_token", MEMX_F_COUNT,
     offsetof(memx_model, experts_per_token)},
    {"coalesce(expert_ffn_hidden, 0) AS expert_ffn_hidden", MEMX_F_COUNT,
     offsetof(memx_model, expert_ffn_hidden)},
    {"coalesce(shared_experts, 0) AS shared_experts", MEMX_F_COUNT,
     offsetof(memx_model, shared_experts)},
    {"coalesce(dense_layers, 0) AS dense_layers", MEMX_F_COUNT, offsetof(memx_model, dense_layers)},
    {"coalesce(q_lora_rank, 0) AS q_lora_rank", MEMX_F_COUNT, offsetof(memx_model, q_lora_rank)},
    {"coalesce(kv_lora_rank, 0) AS kv_lora_rank", MEMX_F_COUNT, offsetof(memx_model, kv_lora_rank)},
    {"coalesce(qk_nope_dim, 0) AS qk_nope_dim", MEMX_F_COUNT, offsetof(memx_model, qk_nope_dim)},
    {"coalesce(qk_rope_dim, 0) AS qk_rope_dim", MEMX_F_COUNT, offsetof(memx_model, qk_rope_dim)},
    {"coalesce(v_head_dim, 0) AS v_head_dim", MEMX_F_COUNT, offsetof(memx_model, v_head_dim)},
    {"gated_mlp", MEMX_F_FLAG, offsetof(memx_model, gated_mlp)},
    {"tied_embeddings", MEMX_F_FLAG, offsetof(memx_model, tied_embeddings)},
    {"biases", MEMX_F_FLAG, offsetof(memx_model, biases)},
    {"qkv_biases", MEMX_F_FLAG, offsetof(memx_model, qkv_biases)},
    {"learned_positions", MEMX_F_FLAG, offsetof(memx_model, learned_positions)},
};

static const memx_field framework_fields[] = {
    {"activation_bytes", MEMX_F_NUMBER, offsetof(memx_framework, activation_bytes)},
    {"parameter_bytes", MEMX_F_NUMBER, offsetof(memx_framework, parameter_bytes)},
    {"gradient_bytes", MEMX_F_NUMBER, offsetof(memx_framework, gradient_bytes)},
    {"optimizer_bytes", MEMX_F_NUMBER, offsetof(memx_framework, optimizer_bytes)},
    {"optimizer_temp_bytes", MEMX_F_NUMBER, offsetof(memx_framework, optimizer_temp_bytes)},
    {"logit_bytes", MEMX_F_NUMBER, offsetof(memx_framework, logit_bytes)},
    {"logits_sharded", MEMX_F_FLAG, offsetof(memx_framework, logits_sharded)},
    {"alpha_act", MEMX_F_NUMBER, offsetof(memx_framework, alpha_act)},
    {"bf16", MEMX_F_FLAG, offsetof(memx_framework, bf16)},
    {"fused_attention", MEMX_F_FLAG, offsetof(memx_framework, fused_attention)},
    {"dropout", MEMX_F_FLAG, offsetof(memx_framework, dropout)},
    {"selective_products", MEMX_F_FLAG, offsetof(memx_framework, selective_products)},
    {"sequence_parallel", MEMX_F_FLAG, offsetof(memx_framework, sequence_parallel)},
    {"distributed_optimizer", MEMX_F_COUNT, offsetof(memx_framework, distributed_optimizer)},
    {"matmul_share", MEMX_F_NUMBER, offsetof(memx_framework, matmul_share)},
    {"elementwise_bytes", MEMX_F_NUMBER, offsetof(memx_framework, elementwise_bytes)},
    {"score_bytes", MEMX_F_NUMBER, offsetof(memx_framework, score_bytes)},
    {"head_bytes", MEMX_F_NUMBER, offsetof(memx_framework, head_bytes)},
    {"layer_ms", MEMX_F_NUMBER, offsetof(memx_framework, layer_ms)},
    {"collective_us", MEMX_F_NUMBER, offsetof(memx_framework, collective_us)},
    {"micro_batch_ms", MEMX_F_NUMBER, offsetof(memx_framework, micro_batch_ms)},
    {"update_bytes", MEMX_F_NUMBER, offsetof(memx_framework, update_bytes)},
    {"tp_overlap", MEMX_F_NUMBER, offsetof(memx_framework, tp_overlap)},
    {"p2p_overlap", MEMX_F_NUMBER, offsetof(memx_framework, p2p_overlap)},
    {"p2p_overlap_interleaved", MEMX_F_NUMBER, offsetof(memx_framework, p2p_overlap_interleaved)},
    {"dp_overlap", MEMX_F_NUMBER, offsetof(memx_framework, dp_overlap)},
};

static const memx_field device_fields[] = {
    {"device", MEMX_F_NAME, offsetof(memx_device, name)},
    {"vendor", MEMX_F_NAME, offsetof(memx_device, vendor)},
    {"memory_mib", MEMX_F_NUMBER, offsetof(memx_device, memory_mib)},
    {"peak_tflops", MEMX_F_NUMBER, offsetof(memx_device, peak_tflops)},
    {"efficiency", MEMX_F_NUMBER, offsetof(memx_device, efficiency)},
    {"memory_gbs", MEMX_F_NUMBER, offsetof(memx_device, memory_gbs)},
    {"memory_efficiency", MEMX_F_NUMBER, offsetof(memx_device, memory_efficiency)},
    {"link_gbs", MEMX_F_NUMBER, offsetof(memx_device, link_gbs)},
    {"host_gbs", MEMX_F_NUMBER_OR_NULL, offsetof(memx_device, host_gbs)},
    {"host_efficiency", MEMX_F_NUMBER, offsetof(memx_device, host_efficiency)},
    {"bf16", MEMX_F_FLAG, offsetof(memx_device, bf16)},
    {"context_mib", MEMX_F_NUMBER, offsetof(memx_device, context_mib)},
    {"alpha_static", MEMX_F_NUMBER, offsetof(memx_device, alpha_static)},
};

typedef struct cluster_row {
    double inter_gbs, flow_gbs, inter_efficiency, latency_us, overhead_ms;
} cluster_row;

static const memx_field cluster_fields[] = {
    {"inter_gbs", MEMX_F_NUMBER, offsetof(cluster_row, inter_gbs)},
    {"flow_gbs", MEMX_F_NUMBER_OR_NULL, offsetof(cluster_row, flow_gbs)},
    {"inter_efficiency", MEMX_F_NUMBER, offsetof(cluster_row, inter_efficiency)},
    {"latency_us", MEMX_F_NUMBER, offsetof(cluster_row, latency_us)},
    {"overhead_ms", MEMX_F_NUMBER, offsetof(cluster_row, overhead_ms)},
};

typedef struct node_row {
    int64_t ordinal, gpus;
    char device[MEMX_NAME_SIZE];
    double link_gbs, inter_gbs, host_memory_mib, host_memory_gbs;
} node_row;

static const memx_field node_fields[] = {
    {"ordinal", MEMX_F_COUNT, offsetof(node_row, ordinal)},
    {"gpus", MEMX_F_COUNT, offsetof(node_row, gpus)},
    {"device", MEMX_F_NAME, offsetof(node_row, device)},
    {"link_gbs", MEMX_F_NUMBER_OR_NULL, offsetof(node_row, link_gbs)},
    {"inter_gbs", MEMX_F_NUMBER_OR_NULL, offsetof(node_row, inter_gbs)},
    {"host_memory_mib", MEMX_F_NUMBER_OR_NULL, offsetof(node_row, host_memory_mib)},
    {"host_memory_gbs", MEMX_F_NUMBER_OR_NULL, offsetof(node_row, host_memory_gbs)},
};

typedef struct job_fields_row {
    char cluster[MEMX_NAME_SIZE], model[MEMX_NAME_SIZE], framework[MEMX_NAME_SIZE];
    char space[MEMX_NAME_SIZE], weights[MEMX_NAME_SIZE], predictor[MEMX_NAME_SIZE];
    double global_batch, seq_length, reserve;
} job_fields_row;

static const memx_field job_fields[] = {
    {"cluster", MEMX_F_NAME, offsetof(job_fields_row, cluster)},
    {"model", MEMX_F_NAME, offsetof(job_fields_row, model)},
    {"framework", MEMX_F_NAME, offsetof(job_fields_row, framework)},
    {"space", MEMX_F_NAME, offsetof(job_fields_row, space)},
    {"weights", MEMX_F_NAME, offsetof(job_fields_row, weights)},
    {"coalesce(predictor, '*') AS predictor", MEMX_F_NAME, offsetof(job_fields_row, predictor)},
    {"global_batch", MEMX_F_NUMBER, offsetof(job_fields_row, global_batch)},
    {"seq_length", MEMX_F_NUMBER_OR_NULL, offsetof(job_fields_row, seq_length)},
    {"reserve", MEMX_F_NUMBER_OR_NULL, offsetof(job_fields_row, reserve)},
};

static const memx_field weights_fields[] = {
    {"w_time", MEMX_F_NUMBER, offsetof(memx_weights, time)},
    {"w_peak", MEMX_F_NUMBER, offsetof(memx_weights, peak)},
    {"w_variance", MEMX_F_NUMBER, offsetof(memx_weights, variance)},
    {"epsilon", MEMX_F_NUMBER, offsetof(memx_weights, epsilon)},
};

typedef struct space_row {
    char param[MEMX_NAME_SIZE], value[MEMX_NAME_SIZE];
} space_row;

static const memx_field space_fields[] = {
    {"param", MEMX_F_NAME, offsetof(space_row, param)},
    {"CAST(value AS TEXT) AS value", MEMX_F_NAME, offsetof(space_row, value)},
};

typedef struct op_row {
    int64_t micro_batch;
    bool backward;
    char op[MEMX_NAME_SIZE];
    double time_ms, intra_mib, inter_mib, kept_mib;
} op_row;

static const memx_field op_fields[] = {
    {"micro_batch", MEMX_F_COUNT, offsetof(op_row, micro_batch)},
    {"phase = 'backward' AS phase", MEMX_F_FLAG, offsetof(op_row, backward)},
    {"op", MEMX_F_NAME, offsetof(op_row, op)},
    {"time_ms", MEMX_F_NUMBER, offsetof(op_row, time_ms)},
    {"intra_mib", MEMX_F_NUMBER, offsetof(op_row, intra_mib)},
    {"inter_mib", MEMX_F_NUMBER, offsetof(op_row, inter_mib)},
    {"kept_mib", MEMX_F_NUMBER, offsetof(op_row, kept_mib)},
};

static const memx_query job_query = MEMX_QUERY("memx_job", "memx_job WHERE job = ?1", job_fields);
static const memx_query cluster_query =
    MEMX_QUERY("memx_cluster", "memx_cluster WHERE cluster = ?1", cluster_fields);
static const memx_query node_query =
    MEMX_QUERY("memx_node", "memx_node WHERE cluster = ?1 ORDER BY ordinal", node_fields);
static const memx_query model_query =
    MEMX_QUERY("memx_model", "memx_model WHERE model = ?1", model_fields);
static const memx_query framework_query =
    MEMX_QUERY("memx_framework", "memx_framework WHERE framework = ?1", framework_fields);
static const memx_query space_query =
    MEMX_QUERY("memx_space", "memx_space WHERE space = ?1 ORDER BY param, value", space_fields);
static const memx_query weights_query =
    MEMX_QUERY("memx_weights", "memx_weights WHERE weights = ?1", weights_fields);
/* By its own name before an alias that differs in case alone. */
static const memx_query device_query = MEMX_QUERY(
    "memx_device",
    "memx_device WHERE device = coalesce((SELECT device FROM memx_device WHERE device = ?1), "
    "(SELECT device FROM memx_alias WHERE name = ?1))",
    device_fields);

/* ?1: model/framework/device/seq_length. */
static const memx_query op_query =
    MEMX_QUERY("memx_op",
               "memx_op WHERE model || '/' || framework || '/' || device || '/' || seq_length = ?1 "
               "ORDER BY micro_batch, memx_op.phase DESC, ordinal",
               op_fields);

/* Share of a card kept free while no predictor's error says how much is needed. */
static const double UNCALIBRATED_RESERVE = 0.10;

memx_status memx_catalog_check(memx_reader *reader, memx_error *error) {
    static const memx_query *const queries[] = {
        &job_query,   &cluster_query, &node_query,   &model_query, &framework_query,
        &space_query, &weights_query, &device_query, &op_query,
    };
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        memx_status status = memx_reader_check(reader, queries[i], error);
        if (status) return status;
    }
    return MEMX_OK;
}

memx_status memx_catalog_unknown(memx_reader *reader, const char *what, const char *name,
                                 const char *table, const char *names_sql, memx_error *error) {
    memx_text nearest = {0};
    memx_nearest_names(reader, table, names_sql, name, &nearest);
    memx_invalid(error, "%s '%.64s'%s; or insert it into %s", what, name,
                 nearest.data && !nearest.failed ? nearest.data : "", table);
    memx_text_free(&nearest);
    return MEMX_INVALID;
}

/* What a tool prints for a card that is there is only a name more. */
static memx_status unknown_device(memx_reader *reader, const char *what, const char *name,
                                  memx_error *error) {
    memx_status status = memx_catalog_unknown(reader, what, name, "memx_device",
                                              "SELECT device, device FROM memx_device UNION ALL "
                                              "SELECT name, device FROM memx_alias",
                                              error);
    size_t used = strlen(error->text);
    snprintf(error->text + used, sizeof error->text - used,
             ", another name of a card into memx_alias");
    return status;
}

/* ---- jobs ---- */

memx_status memx_catalog_jobs(memx_reader *reader, const char *job, const char *cluster,
                              const char *model, memx_text *names, memx_error *error) {
    static const char sql[] =
        "SELECT job FROM memx_job WHERE (?1 IS NULL OR job = ?1) AND (?2 IS NULL OR cluster = ?2) "
        "AND (?3 IS NULL OR model = ?3) ORDER BY job COLLATE BINARY";
    const char *const wanted[] = {job, cluster, model};
    sqlite3_stmt *statement = NULL;
    memx_status status = memx_reader_enter(reader, "memx_job", error);
    if (status) return status;
    int rc = sqlite3_prepare_v2(reader->db, sql, -1, &statement, NULL);
    for (int i = 0; i < 3 && rc == SQLITE_OK; i++) {
        rc = sqlite3_bind_text(statement, i + 1, wanted[i], -1, SQLITE_STATIC);
    }
    while (rc == SQLITE_OK && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        if (name && strlen(name) < MEMX_NAME_SIZE) memx_text_add(names, name, strlen(name) + 1);
        rc = SQLITE_OK;
    }
    if (rc != SQLITE_DONE) status = memx_sql_failed(reader->db, rc, error);
    sqlite3_finalize(statement);
    memx_reader_leave(reader);
    return status ? status : names->failed ? MEMX_NOMEM : MEMX_OK;
}

typedef struct node_visit {
    memx_reader *reader;
    memx_job *job;
    memx_text *key;
} node_visit;

static memx_status read_device(node_visit *visit, const node_row *node, int32_t *index,
                               memx_error *error) {
    memx_job *job = visit->job;
    memx_device device = {.name = ""};
    memx_status status =
        memx_reader_one(visit->reader, &device_query, node->device, &device, visit->key, error);
    if (status == MEMX_DONE) {
        char what[160] = "no device";
        if (*job->cluster) {
            snprintf(what, sizeof what, "node %lld of cluster '%s': no device",
                     (long long)node->ordinal, job->cluster);
        }
        return unknown_device(visit->reader, what, node->device, error);
    }
    if (status) return status;
    for (*index = 0; *index < job->device_count; ++*index) {
        if (strcmp(job->devices[*index].name, device.name) == 0) return MEMX_OK;
    }
    memx_device *devices = realloc(job->devices, (size_t)(job->device_count + 1) * sizeof *devices);
    if (!devices) return MEMX_NOMEM;
    devices[job->device_count++] = device;
    job->devices = devices;
    return MEMX_OK;
}

static memx_status add_node(void *context, const void *row, memx_error *error) {
    node_visit *visit = context;
    const node_row *node = row;
    memx_job *job = visit->job;
    int32_t device = 0;
    if (node->gpus < 1 || node->gpus > MEMX_MAX_GPUS) { /* before it is cut to 32 bits */
        return memx_invalid(error, "cluster '%s', node %lld: gpus is %lld; write 1 to %d",
                            job->cluster, (long long)node->ordinal, (long long)node->gpus,
                            (int)MEMX_MAX_GPUS);
    }
    if (job->node_count == MEMX_MAX_GPUS) {
        return memx_invalid(error, "cluster '%s' has more than %d nodes", job->cluster,
                            (int)MEMX_MAX_GPUS);
    }
    memx_status status = read_device(visit, node, &device, error);
    if (status) return status;
    memx_node *nodes = realloc(job->nodes, (size_t)(job->node_count + 1) * sizeof *nodes);
    if (!nodes) return MEMX_NOMEM;
    job->nodes = nodes;
    nodes[job->node_count++] = (memx_node){
        .ordinal = node->ordinal,
        .device = device,
        .gpus = (int32_t)node->gpus,
        .link_gbs = isnan(node->link_gbs) ? job->devices[device].link_gbs : node->link_gbs,
        .inter_gbs = node->inter_gbs,
        .host_memory_mib = node->host_memory_mib,
        .host_memory_gbs = node->host_memory_gbs,
    };
    return MEMX_OK;
}

memx_status memx_catalog_model(memx_reader *reader, const char *name, memx_model *out,
                               memx_text *key, memx_error *error) {
    model_row row = {.norm = ""};
    memx_status status = memx_reader_one(reader, &model_query, name, &row, key, error);
    if (status == MEMX_DONE) {
        return memx_catalog_unknown(reader, "no model", name, "memx_model",
                                    "SELECT model FROM memx_model", error);
    }
    if (status) return status;
    *out = row.model;
    out->layernorm = strcmp(row.norm, "layernorm") == 0;
    if (!out->layernorm && strcmp(row.norm, "rmsnorm") != 0) {
        return memx_invalid(error, "model '%s': norm is '%s'; write rmsnorm or layernorm", name,
                            row.norm);
    }
    if (out->experts == 1) out->experts = 0; /* one MLP that every token uses */
    if (out->experts == 0) out->dense_layers = 0;
    snprintf(out->name, sizeof out->name, "%s", name);
    return MEMX_OK;
}

static memx_status read_cluster(memx_reader *reader, memx_job *job, double *inter_gbs,
                                memx_text *key, memx_error *error) {
    cluster_row cluster = {.flow_gbs = NAN}; /* NAN: not given */
    memx_status status =
        memx_reader_one(reader, &cluster_query, job->cluster, &cluster, key, error);
    if (status == MEMX_DONE) {
        return memx_catalog_unknown(reader, "no cluster", job->cluster, "memx_cluster",
                                    "SELECT cluster FROM memx_cluster", error);
    }
    *inter_gbs = cluster.inter_gbs;
    job->flow_gbs = isnan(cluster.flow_gbs) ? cluster.inter_gbs : cluster.flow_gbs;
    job->inter_efficiency = cluster.inter_efficiency;
    job->latency_us = cluster.latency_us;
    job->overhead_ms = cluster.overhead_ms;
    return status;
}

memx_status memx_catalog_cluster_check(memx_reader *reader, const char *name, memx_error *error) {
    cluster_row row;
    memx_status status = memx_reader_one(reader, &cluster_query, name, &row, NULL, error);
    if (status != MEMX_DONE) return status;
    return memx_catalog_unknown(reader, "no cluster", name, "memx_cluster",
                                "SELECT cluster FROM memx_cluster", error);
}

memx_status memx_catalog_framework(memx_reader *reader, const char *name, memx_framework *out,
                                   memx_text *key, memx_error *error) {
    memx_status status = memx_reader_one(reader, &framework_query, name, out, key, error);
    if (status == MEMX_DONE) {
        return memx_catalog_unknown(reader, "no framework", name, "memx_framework",
                                    "SELECT framework FROM memx_framework", error);
    }
    snprintf(out->name, sizeof out->name, "%s", name);
    return status;
}

memx_status memx_catalog_device(memx_reader *reader, const char *name, memx_device *out,
                                memx_text *key, memx_error *error) {
    memx_status status = memx_reader_one(reader, &device_query, name, out, key, error);
    if (status != MEMX_DONE) return status;
    return unknown_device(reader, "no device", name, error);
}

static memx_status read_parts(memx_reader *reader, const job_fields_row *row, memx_job *job,
                              memx_text *key, memx_error *error) {
    node_visit visit = {reader, job, key};
    node_row blank = {.link_gbs = NAN}, node;
    snprintf(job->cluster, sizeof job->cluster, "%s", row->cluster);
    memx_status status = read_cluster(reader, job, &blank.inter_gbs, key, error);
    if (!status) status = memx_catalog_model(reader, row->model, &job->model, key, error);
    if (!status)
        status = memx_catalog_framework(reader, row->framework, &job->framework, key, error);
    if (status) return status;
    return memx_reader_each(reader, &node_query, job->cluster, &blank, &node, sizeof node, add_node,
                            &visit, key, error);
}

static memx_status whole_number(const char *column, double value, int64_t *out, memx_error *error) {
    if (!(value >= 1.0 && value <= 1e9) || value != (double)(int64_t)value) {
        return memx_invalid(error, "%s is %g; write a whole number from 1 to 1000000000", column,
                            value);
    }
    *out = (int64_t)value;
    return MEMX_OK;
}

/* NULL, here '*', is the newest that knows the job's devices. */
static memx_status read_predictor(memx_reader *reader, const job_fields_row *row, memx_job_row *out,
                                  memx_text *key, memx_error *error) {
    char name[MEMX_NAME_SIZE];
    memx_status status = MEMX_OK;
    memcpy(name, row->predictor, sizeof name);
    if (strcmp(name, "*") == 0) {
        status = memx_predictor_choose(reader, out->job.name, name, key, error);
    }
    if (status || !*name || sqlite3_stricmp(name, "analytic") == 0) return status;
    out->residual = malloc(sizeof *out->residual);
    if (!out->residual) return MEMX_NOMEM;
    status = memx_predictor_read(reader, name, out->residual, key, error);
    if (status) {
        free(out->residual);
        out->residual = NULL;
        return status;
    }
    memx_calibration_job(out->residual->calibrations, out->residual->calibration_count, &out->job);
    return MEMX_OK;
}

memx_pricer memx_job_pricer(const memx_job_row *row) {
    return row->residual ? memx_residual_pricer(row->residual) : memx_analytic_pricer;
}

/* The job's own figures, and then what it refers to. */
static memx_status read_job(memx_reader *reader, const job_fields_row *row, memx_job_row *out,
                            memx_text *key, memx_error *error) {
    memx_job *job = &out->job;
    snprintf(out->space, sizeof out->space, "%s", row->space);
    snprintf(out->weights, sizeof out->weights, "%s", row->weights);
    job->reserve = isnan(row->reserve) ? UNCALIBRATED_RESERVE : row->reserve;
    memx_status status = whole_number("global_batch", row->global_batch, &job->global_batch, error);
    if (!status) status = read_parts(reader, row, job, key, error);
    if (!status && !isnan(row->seq_length)) {
        status = whole_number("seq_length", row->seq_length, &job->model.seq_length, error);
    }
    return status ? status : memx_job_check(job, error);
}

memx_status memx_catalog_job(memx_reader *reader, const char *name, bool analytic,
                             memx_job_row *out, memx_text *key, memx_error *error) {
    job_fields_row row = {.seq_length = NAN, .reserve = NAN};
    *out = (memx_job_row){.job = {.reserve = 0.0}};
    memx_status status = memx_reader_one(reader, &job_query, name, &row, key, error);
    if (status == MEMX_DONE) {
        return memx_catalog_unknown(reader, "no job", name, "memx_job", "SELECT job FROM memx_job",
                                    error);
    }
    if (status) return status;
    snprintf(out->job.name, sizeof out->job.name, "%s", name);
    status = read_job(reader, &row, out, key, error);
    if (!status && !analytic) status = read_predictor(reader, &row, out, key, error);
    if (!status && isnan(row.reserve) && out->residual && !isnan(out->residual->reserve)) {
        out->job.reserve = out->residual->reserve;
    }
    memx_prefix_job(error, status, name, NULL);
    if (status) memx_catalog_job_free(out);
    return status;
}

memx_status memx_catalog_card(memx_reader *reader, const char *device, const char *model,
                              const char *framework, memx_job_row *out, memx_error *error) {
    memx_job *job = &out->job;
    node_visit visit = {reader, job, NULL};
    node_row node = {.gpus = 1, .link_gbs = NAN, .inter_gbs = 1.0};
    *out = (memx_job_row){.job = {.global_batch = 1, .flow_gbs = 1.0, .inter_efficiency = 1.0}};
    snprintf(node.device, sizeof node.device, "%s", device);
    memx_status status = memx_catalog_model(reader, model, &job->model, NULL, error);
    if (!status) status = memx_catalog_framework(reader, framework, &job->framework, NULL, error);
    if (!status) status = add_node(&visit, &node, error);
    if (!status) status = memx_job_check(job, error);
    if (status) memx_catalog_job_free(out);
    return status;
}

void memx_catalog_job_free(memx_job_row *row) {
    free(row->job.devices);
    free(row->job.nodes);
    if (row->residual) memx_residual_free(row->residual);
    free(row->residual);
    *row = (memx_job_row){.job = {.reserve = 0.0}};
}

/* ---- spaces ---- */

typedef struct space_visit {
    memx_space *space;
    int rows;
} space_visit;

static memx_status add_parameter(void *context, const void *row, memx_error *error) {
    space_visit *visit = context;
    const space_row *parameter = row;
    visit->rows++;
    return memx_space_add(visit->space, parameter->param, parameter->value, error);
}

memx_status memx_catalog_space(memx_reader *reader, const char *name, memx_space *out,
                               memx_text *key, memx_error *error) {
    const space_row blank = {"", ""};
    space_row row;
    memx_space_start(out, name);
    space_visit visit = {out, 0};
    memx_status status = memx_reader_each(reader, &space_query, name, &blank, &row, sizeof row,
                                          add_parameter, &visit, key, error);
    if (!status && visit.rows == 0) {
        status = memx_catalog_unknown(reader, "no space", name, "memx_space",
                                      "SELECT DISTINCT space FROM memx_space", error);
    }
    if (status) memx_space_free(out);
    return status;
}

memx_status memx_catalog_space_check(memx_reader *reader, const char *name, memx_error *error) {
    memx_space space;
    memx_status status = memx_catalog_space(reader, name, &space, NULL, error);
    if (!status) memx_space_free(&space);
    return status;
}

/* ---- operators ---- */

static memx_status add_operator(void *context, const void *row, memx_error *error) {
    memx_operators *all = context;
    const op_row *op = row;
    memx_operator_list *list = all->count > 0 ? &all->lists[all->count - 1] : NULL;
    if (op->micro_batch < 1) {
        return memx_invalid(error, "memx_op: micro_batch is %lld; write a whole number from 1",
                            (long long)op->micro_batch);
    }
    if (!list || list->micro_batch != op->micro_batch) {
        list = realloc(all->lists, (size_t)(all->count + 1) * sizeof *list);
        if (!list) return MEMX_NOMEM;
        all->lists = list;
        list += all->count++;
        *list = (memx_operator_list){.micro_batch = op->micro_batch};
    }
    if (list->count == MEMX_MOST_OPERATORS) {
        return memx_invalid(error,
                            "memx_op has more than %d operators of one block; write one block",
                            (int)MEMX_MOST_OPERATORS);
    }
    memx_operator *items = realloc(list->items, (size_t)(list->count + 1) * sizeof *items);
    if (!items) return MEMX_NOMEM;
    list->items = items;
    memx_operator *new = &items[list->count++];
    *new = (memx_operator){.backward = op->backward,
                           .time_ms = op->time_ms,
                           .intra_bytes = op->intra_mib * 1048576.0,
                           .inter_bytes = op->inter_mib * 1048576.0,
                           .kept_bytes = op->kept_mib * 1048576.0};
    memcpy(new->name, op->op, sizeof new->name);
    return MEMX_OK;
}

memx_status memx_catalog_operators(memx_reader *reader, const memx_job *job, memx_operators *out,
                                   memx_error *error) {
    const op_row blank = {.micro_batch = 0};
    op_row row;
    char which[4 * MEMX_NAME_SIZE];
    *out = (memx_operators){0};
    snprintf(which, sizeof which, "%s/%s/%s/%lld", job->model.name, job->framework.name,
             job->devices[0].name, (long long)job->model.seq_length);
    memx_status status = memx_reader_each(reader, &op_query, which, &blank, &row, sizeof row,
                                          add_operator, out, NULL, error);
    if (!status && out->count > 0 && out->lists[out->count - 1].items[0].backward) {
        status = memx_invalid(error,
                              "memx_op has backward operators of '%.200s' alone; write its "
                              "forward ones, too",
                              which);
    }
    if (status) memx_operators_free(out);
    return status;
}

void memx_operators_free(memx_operators *operators) {
    for (int32_t i = 0; i < operators->count; i++) free(operators->lists[i].items);
    free(operators->lists);
    *operators = (memx_operators){0};
}

/* ---- weights ---- */

static const memx_field array_fields[] = {
    {"json_extract(?1, '$[0]') AS w_time", MEMX_F_NUMBER, offsetof(memx_weights, time)},
    {"json_extract(?1, '$[1]') AS w_peak", MEMX_F_NUMBER, offsetof(memx_weights, peak)},
    {"json_extract(?1, '$[2]') AS w_variance", MEMX_F_NUMBER, offsetof(memx_weights, variance)},
    {"json_extract(?1, '$[3]') AS epsilon", MEMX_F_NUMBER_OR_NULL, offsetof(memx_weights, epsilon)},
};
static const memx_query array_query = MEMX_QUERY("weights", "(SELECT 1)", array_fields);

#define GIVEN MEMX_SQL_JSON("?1", "'{}'")

static memx_status json_weights(memx_reader *reader, const char *text, memx_weights *out,
                                memx_error *error) {
    static const char sql[] =
        "WITH given(j) AS MATERIALIZED (SELECT " GIVEN ") SELECT json_type(j), (SELECT count(*) "
        "FROM json_each(j) WHERE type IN ('real', 'integer')), json_array_length(j) FROM given";
    sqlite3_stmt *statement = NULL;
    memx_status status = memx_reader_check_json(reader, error);
    /* json_each, too, may be a view of the user's. */
    if (!status) status = memx_reader_enter(reader, "json_each", error);
    if (status) return status;
    int rc = sqlite3_prepare_v2(reader->db, sql, -1, &statement, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_bind_text(statement, 1, text, -1, SQLITE_TRANSIENT);
    if (rc == SQLITE_OK) rc = sqlite3_step(statement);
    if (rc != SQLITE_ROW) {
        status = memx_sql_failed(reader->db, rc, error);
    } else {
        const char *type = (const char *)sqlite3_column_text(statement, 0);
        int numbers = sqlite3_column_int(statement, 1), length = sqlite3_column_int(statement, 2);
        if (!type || strcmp(type, "array") != 0 || numbers != length || length < 3 || length > 4) {
            status = memx_invalid(error,
                                  "weights '%.60s' are no JSON array of three or four numbers; "
                                  "write [0.4, 0.2, 0.4], epsilon in MiB^2 as an optional fourth",
                                  text);
        }
    }
    sqlite3_finalize(statement);
    memx_reader_leave(reader);
    if (status) return status;
    *out = *memx_weights_shipped("default"); /* for its epsilon */
    status = memx_reader_one(reader, &array_query, text, out, NULL, error);
    return status ? status : memx_prefix(error, memx_weights_check(out, error), "weights");
}

/* ", even, fast": the user's own, as far as they can be read. */
static void known_weights(memx_reader *reader, memx_text *out) {
    sqlite3_stmt *statement = NULL;
    if (memx_reader_enter(reader, "memx_weights", NULL)) return;
    sqlite3_prepare_v2(reader->db, "SELECT weights FROM memx_weights ORDER BY weights LIMIT 20", -1,
                       &statement, NULL);
    while (statement && sqlite3_step(statement) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        memx_text_printf(out, ", %s", name ? name : "");
    }
    sqlite3_finalize(statement);
    memx_reader_leave(reader);
}

memx_status memx_catalog_weights(memx_reader *reader, const char *text, memx_weights *out,
                                 memx_error *error) {
    const memx_weights *shipped = memx_weights_shipped(text);
    if (shipped) {
        *out = *shipped;
        return MEMX_OK;
    }
    if (text[strspn(text, " ")] == '[') return json_weights(reader, text, out, error);
    if (strcmp(text, "auto") == 0) {
        return memx_invalid(error,
                            "weights 'auto' belong to a job (memx_job.weights), which they are "
                            "resolved for; write default, safe, throughput or a name in "
                            "memx_weights");
    }
    memx_error unknown;
    memx_status status = memx_reader_one(reader, &weights_query, text, out, NULL, error);
    if (status == MEMX_OK) {
        char prefix[MEMX_NAME_SIZE + 16];
        snprintf(prefix, sizeof prefix, "weights '%.64s'", text);
        return memx_prefix(error, memx_weights_check(out, error), prefix);
    }
    /* A database without memx_init has no such table, and so no such row. */
    if (status != MEMX_DONE &&
        (status != MEMX_FAILED || memx_reader_check(reader, &weights_query, &unknown) == MEMX_OK)) {
        return status;
    }
    memx_text known = {0};
    known_weights(reader, &known);
    memx_invalid(error,
                 "no weights '%.60s'; write default, safe, throughput%s or a JSON array, as "
                 "[0.4, 0.2, 0.4]",
                 text, known.data && !known.failed ? known.data : "");
    memx_text_free(&known);
    return MEMX_INVALID;
}
