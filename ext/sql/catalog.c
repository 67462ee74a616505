#include "sql/catalog.h"

#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* ---- rows to structs ---- */

typedef enum field_type { F_COUNT, F_FLAG, F_NUMBER, F_NUMBER_OR_NULL, F_NAME } field_type;

typedef struct field {
    const char *column;
    field_type type;
    size_t offset;
} field;

static const field model_fields[] = {
    {"layers", F_COUNT, offsetof(memx_model, layers)},
    {"hidden", F_COUNT, offsetof(memx_model, hidden)},
    {"heads", F_COUNT, offsetof(memx_model, heads)},
    {"kv_groups", F_COUNT, offsetof(memx_model, kv_groups)},
    {"head_dim", F_COUNT, offsetof(memx_model, head_dim)},
    {"ffn_hidden", F_COUNT, offsetof(memx_model, ffn_hidden)},
    {"vocab", F_COUNT, offsetof(memx_model, vocab)},
    {"seq_length", F_COUNT, offsetof(memx_model, seq_length)},
    {"gated_mlp", F_FLAG, offsetof(memx_model, gated_mlp)},
    {"tied_embeddings", F_FLAG, offsetof(memx_model, tied_embeddings)},
    {"biases", F_FLAG, offsetof(memx_model, biases)},
    {"qkv_biases", F_FLAG, offsetof(memx_model, qkv_biases)},
    {"learned_positions", F_FLAG, offsetof(memx_model, learned_positions)},
    {"norm = 'layernorm'", F_FLAG, offsetof(memx_model, layernorm)},
};

static const field framework_fields[] = {
    {"activation_bytes", F_NUMBER, offsetof(memx_framework, activation_bytes)},
    {"parameter_bytes", F_NUMBER, offsetof(memx_framework, parameter_bytes)},
    {"gradient_bytes", F_NUMBER, offsetof(memx_framework, gradient_bytes)},
    {"optimizer_bytes", F_NUMBER, offsetof(memx_framework, optimizer_bytes)},
    {"optimizer_temp_bytes", F_NUMBER, offsetof(memx_framework, optimizer_temp_bytes)},
    {"logit_bytes", F_NUMBER, offsetof(memx_framework, logit_bytes)},
    {"logits_sharded", F_FLAG, offsetof(memx_framework, logits_sharded)},
    {"alpha_act", F_NUMBER, offsetof(memx_framework, alpha_act)},
    {"fused_attention", F_FLAG, offsetof(memx_framework, fused_attention)},
    {"dropout", F_FLAG, offsetof(memx_framework, dropout)},
    {"sequence_parallel", F_FLAG, offsetof(memx_framework, sequence_parallel)},
    {"distributed_optimizer", F_FLAG, offsetof(memx_framework, distributed_optimizer)},
    {"matmul_share", F_NUMBER, offsetof(memx_framework, matmul_share)},
    {"elementwise_bytes", F_NUMBER, offsetof(memx_framework, elementwise_bytes)},
    {"score_bytes", F_NUMBER, offsetof(memx_framework, score_bytes)},
    {"head_bytes", F_NUMBER, offsetof(memx_framework, head_bytes)},
    {"layer_ms", F_NUMBER, offsetof(memx_framework, layer_ms)},
    {"collective_us", F_NUMBER, offsetof(memx_framework, collective_us)},
    {"micro_batch_ms", F_NUMBER, offsetof(memx_framework, micro_batch_ms)},
    {"update_bytes", F_NUMBER, offsetof(memx_framework, update_bytes)},
    {"p2p_overlap", F_NUMBER, offsetof(memx_framework, p2p_overlap)},
    {"dp_overlap", F_NUMBER, offsetof(memx_framework, dp_overlap)},
};

static const field device_fields[] = {
    {"device", F_NAME, offsetof(memx_device, name)},
    {"vendor", F_NAME, offsetof(memx_device, vendor)},
    {"memory_mib", F_NUMBER, offsetof(memx_device, memory_mib)},
    {"peak_tflops", F_NUMBER, offsetof(memx_device, peak_tflops)},
    {"efficiency", F_NUMBER, offsetof(memx_device, efficiency)},
    {"memory_gbs", F_NUMBER, offsetof(memx_device, memory_gbs)},
    {"memory_efficiency", F_NUMBER, offsetof(memx_device, memory_efficiency)},
    {"link_gbs", F_NUMBER, offsetof(memx_device, link_gbs)},
    {"context_mib", F_NUMBER, offsetof(memx_device, context_mib)},
    {"alpha_static", F_NUMBER, offsetof(memx_device, alpha_static)},
};

typedef struct cluster_row {
    double inter_gbs, flow_gbs, inter_efficiency, latency_us, overhead_ms;
} cluster_row;

static const field cluster_fields[] = {
    {"inter_gbs", F_NUMBER, offsetof(cluster_row, inter_gbs)},
    {"flow_gbs", F_NUMBER_OR_NULL, offsetof(cluster_row, flow_gbs)},
    {"inter_efficiency", F_NUMBER, offsetof(cluster_row, inter_efficiency)},
    {"latency_us", F_NUMBER, offsetof(cluster_row, latency_us)},
    {"overhead_ms", F_NUMBER, offsetof(cluster_row, overhead_ms)},
};

typedef struct node_row {
    int64_t ordinal, gpus;
    char device[MEMX_NAME_SIZE];
    double link_gbs, inter_gbs;
} node_row;

static const field node_fields[] = {
    {"ordinal", F_COUNT, offsetof(node_row, ordinal)},
    {"gpus", F_COUNT, offsetof(node_row, gpus)},
    {"device", F_NAME, offsetof(node_row, device)},
    {"link_gbs", F_NUMBER_OR_NULL, offsetof(node_row, link_gbs)},
    {"inter_gbs", F_NUMBER_OR_NULL, offsetof(node_row, inter_gbs)},
};

typedef struct job_fields_row {
    char cluster[MEMX_NAME_SIZE], model[MEMX_NAME_SIZE], framework[MEMX_NAME_SIZE];
    char space[MEMX_NAME_SIZE], weights[MEMX_NAME_SIZE];
    double global_batch, seq_length, reserve; /* NULL: 0, 0, and the default */
} job_fields_row;

static const field job_fields[] = {
    {"cluster", F_NAME, offsetof(job_fields_row, cluster)},
    {"model", F_NAME, offsetof(job_fields_row, model)},
    {"framework", F_NAME, offsetof(job_fields_row, framework)},
    {"space", F_NAME, offsetof(job_fields_row, space)},
    {"weights", F_NAME, offsetof(job_fields_row, weights)},
    {"global_batch", F_NUMBER, offsetof(job_fields_row, global_batch)},
    {"seq_length", F_NUMBER_OR_NULL, offsetof(job_fields_row, seq_length)},
    {"reserve", F_NUMBER_OR_NULL, offsetof(job_fields_row, reserve)},
};

static const field weights_fields[] = {
    {"w_time", F_NUMBER, offsetof(memx_weights, time)},
    {"w_peak", F_NUMBER, offsetof(memx_weights, peak)},
    {"w_variance", F_NUMBER, offsetof(memx_weights, variance)},
    {"epsilon", F_NUMBER, offsetof(memx_weights, epsilon)},
};

#define COUNT_OF(array) (int)(sizeof(array) / sizeof(array)[0])

/* Share of a card kept free while no predictor's error says how much is needed. */
static const double UNCALIBRATED_RESERVE = 0.10;

memx_status memx_sql_failed(sqlite3 *db, int rc, memx_error *error) {
    if (rc == SQLITE_NOMEM) return MEMX_NOMEM;
    if (rc == SQLITE_INTERRUPT) return MEMX_INTERRUPTED;
    const char *message = sqlite3_errmsg(db);
    if (strncmp(message, "no such table: memx_", 20) == 0) {
        memx_invalid(error, "this database has no table %s; run SELECT memx_init() in it first",
                     message + 15);
    } else {
        memx_invalid(error, "%s", message);
    }
    return MEMX_FAILED;
}

/* What identifies the row, for messages: "memx_model 'llama2-7b'". */
typedef struct row_name {
    const char *table, *name;
} row_name;

static memx_status wrong_value(row_name row, const char *column, sqlite3_value *value,
                               const char *want, memx_error *error) {
    const char *text = (const char *)sqlite3_value_text(value);
    return memx_invalid(error, "%s '%s': %s is %s%.40s%s; write %s", row.table, row.name, column,
                        text ? "'" : "", text ? text : "NULL", text ? "'" : "", want);
}

static memx_status read_field(row_name row, const field *f, sqlite3_value *value, void *out,
                              memx_error *error) {
    char *at = (char *)out + f->offset;
    int type = sqlite3_value_type(value);
    switch (f->type) {
    case F_COUNT:
        if (type != SQLITE_INTEGER) {
            return wrong_value(row, f->column, value, "a whole number", error);
        }
        *(int64_t *)(void *)at = sqlite3_value_int64(value);
        return MEMX_OK;
    case F_FLAG:
        if (type != SQLITE_INTEGER || sqlite3_value_int64(value) >> 1 != 0) {
            return wrong_value(row, f->column, value, "0 or 1", error);
        }
        *(bool *)at = sqlite3_value_int64(value) != 0;
        return MEMX_OK;
    case F_NUMBER_OR_NULL:
        if (type == SQLITE_NULL) return MEMX_OK; /* keeps what the caller put there */
        /* fall through */
    case F_NUMBER:
        if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
            return wrong_value(row, f->column, value, "a number", error);
        }
        *(double *)(void *)at = sqlite3_value_double(value);
        return MEMX_OK;
    case F_NAME: {
        const char *text = (const char *)sqlite3_value_text(value);
        if (type != SQLITE_TEXT || !text || !*text || strlen(text) >= MEMX_NAME_SIZE) {
            return wrong_value(row, f->column, value, "a name of 1 to 64 characters", error);
        }
        strcpy(at, text);
        return MEMX_OK;
    }
    }
    return MEMX_OK;
}

static void add_to_key(memx_text *key, sqlite3_value *value) {
    char type = (char)sqlite3_value_type(value);
    memx_text_add(key, &type, 1);
    if (type == SQLITE_INTEGER) {
        sqlite3_int64 n = sqlite3_value_int64(value);
        memx_text_add(key, (const char *)&n, sizeof n);
    } else if (type == SQLITE_FLOAT) {
        double x = sqlite3_value_double(value);
        memx_text_add(key, (const char *)&x, sizeof x);
    } else if (type == SQLITE_TEXT) {
        const char *text = (const char *)sqlite3_value_text(value);
        if (text) memx_text_add(key, text, strlen(text) + 1);
    }
}

/* Prepares "SELECT <columns> FROM <rest>" with one text parameter. */
static memx_status prepare(sqlite3 *db, const field *fields, int count, const char *rest,
                           const char *parameter, sqlite3_stmt **out, memx_error *error) {
    memx_text sql = {0};
    memx_text_printf(&sql, "SELECT ");
    for (int i = 0; i < count; i++) {
        memx_text_printf(&sql, "%s%s", i ? ", " : "", fields[i].column);
    }
    memx_text_printf(&sql, " FROM %s", rest);
    *out = NULL;
    if (sql.failed) {
        memx_text_free(&sql);
        return MEMX_NOMEM;
    }
    int rc = sqlite3_prepare_v2(db, sql.data, -1, out, NULL);
    memx_text_free(&sql);
    if (rc == SQLITE_OK) rc = sqlite3_bind_text(*out, 1, parameter, -1, SQLITE_TRANSIENT);
    if (rc == SQLITE_OK) return MEMX_OK;
    memx_status status = memx_sql_failed(db, rc, error);
    sqlite3_finalize(*out);
    *out = NULL;
    return status;
}

/* The statement's next row into a struct: MEMX_OK, MEMX_DONE at the end, or a failure. */
static memx_status next_row(sqlite3_stmt *statement, const field *fields, int count, row_name row,
                            void *out, memx_text *key, memx_error *error) {
    int rc = sqlite3_step(statement);
    if (rc == SQLITE_DONE) return MEMX_DONE;
    if (rc != SQLITE_ROW) return memx_sql_failed(sqlite3_db_handle(statement), rc, error);
    memx_status status = MEMX_OK;
    for (int i = 0; i < count && !status; i++) {
        sqlite3_value *value = sqlite3_column_value(statement, i);
        if (key) add_to_key(key, value);
        status = read_field(row, &fields[i], value, out, error);
    }
    return status;
}

static memx_status one_row(sqlite3 *db, const field *fields, int count, const char *rest,
                           row_name row, void *out, memx_text *key, memx_error *error) {
    sqlite3_stmt *statement = NULL;
    memx_status status = prepare(db, fields, count, rest, row.name, &statement, error);
    if (!status) status = next_row(statement, fields, count, row, out, key, error);
    sqlite3_finalize(statement);
    return status;
}

/* ---- names ---- */

static size_t edit_distance(const char *a, const char *b) {
    size_t row[MEMX_NAME_SIZE + 1], n = strlen(b);
    if (n > MEMX_NAME_SIZE) n = MEMX_NAME_SIZE;
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 1; a[i - 1] && i <= MEMX_NAME_SIZE; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t change = diagonal + (sqlite3_strnicmp(&a[i - 1], &b[j - 1], 1) != 0);
            size_t best = row[j] + 1 < row[j - 1] + 1 ? row[j] + 1 : row[j - 1] + 1;
            diagonal = row[j];
            row[j] = change < best ? change : best;
        }
    }
    return row[n];
}

void memx_catalog_nearest(sqlite3 *db, const char *sql, const char *name, memx_text *out) {
    enum { MOST = 3 };
    char names[MOST][MEMX_NAME_SIZE];
    size_t distances[MOST];
    int count = 0;
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) return;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        const char *candidate = (const char *)sqlite3_column_text(statement, 0);
        if (!candidate || strlen(candidate) >= MEMX_NAME_SIZE) continue;
        size_t distance = edit_distance(candidate, name);
        int at = count < MOST ? count++ : MOST;
        while (at > 0 && distance < distances[at - 1]) {
            if (at < MOST) {
                strcpy(names[at], names[at - 1]);
                distances[at] = distances[at - 1];
            }
            at--;
        }
        if (at == MOST) continue;
        strcpy(names[at], candidate);
        distances[at] = distance;
    }
    sqlite3_finalize(statement);
    for (int i = 0; i < count; i++) {
        memx_text_printf(out, "%s%s", i ? ", " : "; nearest: ", names[i]);
    }
}

/* "no WHAT 'NAME'; nearest: ...": the error of a reference that leads nowhere. */
static memx_status unknown(sqlite3 *db, const char *what, const char *name, const char *sql,
                           const char *advice, memx_error *error) {
    memx_text nearest = {0};
    memx_catalog_nearest(db, sql, name, &nearest);
    memx_invalid(error, "%s '%s'%s%s", what, name,
                 nearest.data && !nearest.failed ? nearest.data : "", advice);
    memx_text_free(&nearest);
    return MEMX_INVALID;
}

/* ---- jobs ---- */

static memx_status read_device(sqlite3 *db, const node_row *node, memx_job *job, int32_t *index,
                               memx_text *key, memx_error *error) {
    memx_device device = {.name = ""};
    memx_status status = one_row(
        db, device_fields, COUNT_OF(device_fields),
        "memx_device WHERE device = ?1 OR device = (SELECT a.device FROM memx_alias a "
        "WHERE a.name = ?1) ORDER BY device = ?1 DESC LIMIT 1",
        (row_name){"memx_device", node->device}, &device, key, error);
    if (status == MEMX_DONE) {
        char what[160];
        sqlite3_snprintf(sizeof what, what, "node %lld of cluster '%s': no device",
                         (long long)node->ordinal, job->cluster);
        return unknown(db, what, node->device,
                       "SELECT device FROM memx_device UNION SELECT name FROM memx_alias",
                       "; or insert it into memx_device", error);
    }
    if (status) return status;
    for (*index = 0; *index < job->device_count; ++*index) {
        if (strcmp(job->devices[*index].name, device.name) == 0) return MEMX_OK;
    }
    memx_device *devices =
        realloc(job->devices, (size_t)(job->device_count + 1) * sizeof *devices);
    if (!devices) return MEMX_NOMEM;
    devices[job->device_count++] = device;
    job->devices = devices;
    return MEMX_OK;
}

static memx_status read_nodes(sqlite3 *db, memx_job *job, double inter_gbs, memx_text *key,
                              memx_error *error) {
    sqlite3_stmt *statement = NULL;
    row_name row = {"memx_node of cluster", job->cluster};
    memx_status status = prepare(db, node_fields, COUNT_OF(node_fields),
                                 "memx_node WHERE cluster = ?1 ORDER BY ordinal", job->cluster,
                                 &statement, error);
    while (!status) {
        node_row node = {.link_gbs = 0.0, .inter_gbs = inter_gbs};
        status = next_row(statement, node_fields, COUNT_OF(node_fields), row, &node, key, error);
        if (status == MEMX_DONE) {
            status = MEMX_OK;
            break;
        }
        if (status) break;
        if (node.gpus < 1 || node.gpus > MEMX_MAX_GPUS) {
            status = memx_invalid(error, "node %lld of cluster '%s': gpus is %lld; write 1 to %d",
                                  (long long)node.ordinal, job->cluster, (long long)node.gpus,
                                  (int)MEMX_MAX_GPUS);
            break;
        }
        if (job->node_count == MEMX_MAX_GPUS) {
            status = memx_invalid(error, "cluster '%s' has more than %d nodes", job->cluster,
                                  (int)MEMX_MAX_GPUS);
            break;
        }
        int32_t device = 0;
        status = read_device(db, &node, job, &device, key, error);
        if (status) break;
        memx_node *nodes = realloc(job->nodes, (size_t)(job->node_count + 1) * sizeof *nodes);
        if (!nodes) {
            status = MEMX_NOMEM;
            break;
        }
        job->nodes = nodes;
        nodes[job->node_count++] = (memx_node){
            .ordinal = node.ordinal,
            .device = device,
            .gpus = (int32_t)node.gpus,
            .link_gbs = node.link_gbs != 0.0 ? node.link_gbs : job->devices[device].link_gbs,
            .inter_gbs = node.inter_gbs,
        };
    }
    sqlite3_finalize(statement);
    return status;
}

static memx_status read_model(sqlite3 *db, const char *name, memx_model *out, memx_text *key,
                              memx_error *error) {
    const field experts = {"coalesce(experts, 0)", F_COUNT, 0};
    int64_t count = 0;
    row_name row = {"memx_model", name};
    memx_status status = one_row(db, model_fields, COUNT_OF(model_fields),
                                 "memx_model WHERE model = ?1", row, out, key, error);
    if (status == MEMX_DONE) {
        return unknown(db, "no model", name, "SELECT model FROM memx_model",
                       "; or insert it into memx_model", error);
    }
    if (status) return status;
    strcpy(out->name, name);
    status = one_row(db, &experts, 1, "memx_model WHERE model = ?1", row, &count, key, error);
    if (!status && count > 1) {
        return memx_invalid(error, "model '%s' is a mixture of %lld experts, which MemX does not "
                            "predict yet; dense models only", name, (long long)count);
    }
    return status;
}

static memx_status read_parts(sqlite3 *db, const job_fields_row *row, memx_job *job,
                              memx_text *key, memx_error *error) {
    cluster_row cluster = {.flow_gbs = 0.0};
    strcpy(job->cluster, row->cluster);
    memx_status status =
        one_row(db, cluster_fields, COUNT_OF(cluster_fields), "memx_cluster WHERE cluster = ?1",
                (row_name){"memx_cluster", row->cluster}, &cluster, key, error);
    if (status == MEMX_DONE) {
        return unknown(db, "no cluster", row->cluster, "SELECT cluster FROM memx_cluster",
                       "; or insert it into memx_cluster", error);
    }
    if (status) return status;
    job->flow_gbs = cluster.flow_gbs != 0.0 ? cluster.flow_gbs : cluster.inter_gbs;
    job->inter_efficiency = cluster.inter_efficiency;
    job->latency_us = cluster.latency_us;
    job->overhead_ms = cluster.overhead_ms;
    status = read_model(db, row->model, &job->model, key, error);
    if (status) return status;
    status = one_row(db, framework_fields, COUNT_OF(framework_fields),
                     "memx_framework WHERE framework = ?1",
                     (row_name){"memx_framework", row->framework}, &job->framework, key, error);
    if (status == MEMX_DONE) {
        return unknown(db, "no framework", row->framework, "SELECT framework FROM memx_framework",
                       "; or insert it into memx_framework", error);
    }
    if (status) return status;
    strcpy(job->framework.name, row->framework);
    return read_nodes(db, job, cluster.inter_gbs, key, error);
}

static memx_status whole_number(const char *job, const char *column, double value, int64_t *out,
                                memx_error *error) {
    if (!(value >= 1.0 && value <= 1e9) || value != (double)(int64_t)value) {
        return memx_invalid(error, "job '%s': %s is %g; write a whole number from 1 to 1000000000",
                            job, column, value);
    }
    *out = (int64_t)value;
    return MEMX_OK;
}

memx_status memx_catalog_job(sqlite3 *db, const char *name, memx_job_row *out, memx_text *key,
                             memx_error *error) {
    job_fields_row row = {.reserve = UNCALIBRATED_RESERVE};
    *out = (memx_job_row){.job = {.reserve = 0.0}};
    memx_status status =
        one_row(db, job_fields, COUNT_OF(job_fields), "memx_job WHERE job = ?1",
                (row_name){"memx_job", name}, &row, key, error);
    if (status == MEMX_DONE) {
        return unknown(db, "no job", name, "SELECT job FROM memx_job",
                       "; or insert it into memx_job", error);
    }
    if (status) return status;
    strcpy(out->job.name, name);
    strcpy(out->space, row.space);
    strcpy(out->weights, row.weights);
    out->job.reserve = row.reserve;
    status = whole_number(name, "global_batch", row.global_batch, &out->job.global_batch, error);
    if (!status) {
        status = read_parts(db, &row, &out->job, key, error);
        if (status == MEMX_INVALID) { /* say which job led there */
            memx_error inner = *error;
            memx_invalid(error, "job '%s': %.440s", name, inner.text);
        }
    }
    if (!status && row.seq_length != 0.0) {
        status = whole_number(name, "seq_length", row.seq_length, &out->job.model.seq_length, error);
    }
    if (!status) status = memx_job_check(&out->job, error);
    if (status) memx_catalog_job_free(out);
    return status;
}

void memx_catalog_job_free(memx_job_row *row) {
    free(row->job.devices);
    free(row->job.nodes);
    *row = (memx_job_row){.job = {.reserve = 0.0}};
}

/* ---- spaces ---- */

memx_status memx_catalog_space(sqlite3 *db, const char *name, memx_space *out, memx_text *key,
                               memx_error *error) {
    typedef struct space_row {
        char param[MEMX_NAME_SIZE], value[MEMX_NAME_SIZE];
    } space_row;
    static const field fields[] = {{"param", F_NAME, offsetof(space_row, param)},
                                   {"CAST(value AS TEXT)", F_NAME, offsetof(space_row, value)}};
    sqlite3_stmt *statement = NULL;
    int rows = 0;
    memx_space_start(out, name);
    memx_status status =
        prepare(db, fields, 2, "memx_space WHERE space = ?1 ORDER BY param, value", name,
                &statement, error);
    while (!status) {
        space_row row;
        status = next_row(statement, fields, 2, (row_name){"memx_space", name}, &row, key, error);
        if (status == MEMX_DONE) {
            status = MEMX_OK;
            break;
        }
        rows++;
        if (!status) status = memx_space_add(out, row.param, row.value, error);
    }
    sqlite3_finalize(statement);
    if (!status && rows == 0) {
        status = unknown(db, "no space", name, "SELECT DISTINCT space FROM memx_space",
                         "; or insert it into memx_space", error);
    }
    if (status) memx_space_free(out);
    return status;
}

/* ---- weights ---- */

static memx_status json_weights(sqlite3 *db, const char *text, memx_weights *out,
                                memx_error *error) {
    static const char sql[] =
        "SELECT json_valid(?1), CASE WHEN json_valid(?1) THEN json_type(?1) END, (SELECT count(*) "
        "FROM json_each(CASE WHEN json_valid(?1) THEN ?1 ELSE '[]' END) WHERE type IN ('real', "
        "'integer')), CASE WHEN json_valid(?1) THEN json_array_length(?1) END";
    sqlite3_stmt *statement = NULL;
    memx_status status = MEMX_OK;
    int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_bind_text(statement, 1, text, -1, SQLITE_TRANSIENT);
    if (rc == SQLITE_OK) rc = sqlite3_step(statement);
    if (rc != SQLITE_ROW) {
        status = memx_sql_failed(db, rc, error);
    } else {
        const char *type = (const char *)sqlite3_column_text(statement, 1);
        int numbers = sqlite3_column_int(statement, 2), length = sqlite3_column_int(statement, 3);
        if (!type || strcmp(type, "array") != 0 || numbers != length || length < 3 || length > 4) {
            status = memx_invalid(error,
                                  "weights '%.60s' are no JSON array of three or four numbers; "
                                  "write [0.4, 0.2, 0.4], epsilon in MiB^2 as an optional fourth",
                                  text);
        }
    }
    sqlite3_finalize(statement);
    if (status) return status;
    *out = *memx_weights_shipped("default"); /* for its epsilon */
    const field array[] = {
        {"json_extract(?1, '$[0]')", F_NUMBER, offsetof(memx_weights, time)},
        {"json_extract(?1, '$[1]')", F_NUMBER, offsetof(memx_weights, peak)},
        {"json_extract(?1, '$[2]')", F_NUMBER, offsetof(memx_weights, variance)},
        {"json_extract(?1, '$[3]')", F_NUMBER_OR_NULL, offsetof(memx_weights, epsilon)},
    };
    status = one_row(db, array, COUNT_OF(array), "(SELECT 1)", (row_name){"weights", text}, out,
                     NULL, error);
    return status ? status : memx_weights_check(out, error);
}

memx_status memx_catalog_weights(sqlite3 *db, const char *text, memx_weights *out,
                                 memx_error *error) {
    const memx_weights *shipped = memx_weights_shipped(text);
    if (shipped) {
        *out = *shipped;
        return MEMX_OK;
    }
    while (*text == ' ') text++;
    if (*text == '[') return json_weights(db, text, out, error);
    if (strcmp(text, "auto") == 0) {
        return memx_invalid(error, "weights 'auto' are not available yet; write default, safe, "
                            "throughput or a name in memx_weights");
    }
    memx_error ignored;
    memx_status status = one_row(db, weights_fields, COUNT_OF(weights_fields),
                                 "memx_weights WHERE weights = ?1",
                                 (row_name){"memx_weights", text}, out, NULL, &ignored);
    if (status == MEMX_OK) return memx_weights_check(out, error);
    if (status == MEMX_NOMEM || status == MEMX_INTERRUPTED) return status;
    if (status == MEMX_INVALID) return memx_invalid(error, "%s", ignored.text);
    /* No such row, or no such table in a database without memx_init. */
    memx_text known = {0};
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, "SELECT weights FROM memx_weights ORDER BY weights LIMIT 20", -1,
                           &statement, NULL) == SQLITE_OK) {
        while (sqlite3_step(statement) == SQLITE_ROW) {
            const char *name = (const char *)sqlite3_column_text(statement, 0);
            memx_text_printf(&known, ", %s", name ? name : "");
        }
    }
    sqlite3_finalize(statement);
    memx_invalid(error,
                 "no weights '%.60s'; write default, safe, throughput%s or a JSON array, as "
                 "[0.4, 0.2, 0.4]", text, known.data && !known.failed ? known.data : "");
    memx_text_free(&known);
    return MEMX_INVALID;
}
