/*
** What the view memx_measured compares measurements with. Unlike the virtual tables, these functions
** answer a row that cannot be predicted with the reason, so that one such row spoils no query:
**
**   config_problem(job, config)   NULL where memx_predict(job, config) answers, else its message
**   stage_estimate(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
**                  seq_length, heads, kv_groups, recompute, in_flight, sequence_parallel,
**                  distributed_optimizer)
**                                 a stage as a row of memx_profile describes it, by the analytic
**                                 model: JSON with time_ms, allocated_mib, reserved_mib, total_mib
**                                 and predictor, or with problem alone. heads and kv_groups may be
**                                 NULL: the model's
**
** reserved_mib is the peak without the context, allocated_mib that without alpha_static.
*/
#include "core/stage.h"
#include "sql/modules.h"
#include "sql/session.h"
#include "sql/vtab.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

void memx_config_problem_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    memx_session *session = sqlite3_user_data(context);
    const memx_poll *poll = memx_session_poll(session);
    const char *job = NULL, *config = NULL;
    memx_study *study = NULL;
    memx_priced priced;
    memx_error error = {""};
    for (int i = 0; i < argc; i++) {
        if (sqlite3_value_type(argv[i]) == SQLITE_NULL) return;
    }
    memx_session_enter(session);
    memx_status status = memx_argument_text(argv[0], "job", &job, &error);
    if (!status) status = memx_argument_text(argv[1], "config", &config, &error);
    if (!status) status = memx_session_study(session, job, NULL, false, poll, &study, &error);
    if (!status) {
        status = memx_session_priced(study, config, &priced, &error);
        if (!status) memx_priced_close(&priced);
    }
    if (status == MEMX_INVALID) {
        sqlite3_result_text(context, error.text, -1, SQLITE_TRANSIENT);
    } else if (status) {
        memx_result_fail(context, status, &error);
    }
    memx_study_release(study);
    memx_session_leave(session);
}

/* ---- stage_estimate ---- */

enum {
    DEVICE,
    MODEL,
    FRAMEWORK,
    LAYERS,
    FIRST_STAGE,
    LAST_STAGE,
    TP,
    DP,
    MICRO_BATCH,
    SEQ_LENGTH,
    HEADS,
    KV_GROUPS,
    RECOMPUTE,
    IN_FLIGHT,
    SEQUENCE_PARALLEL,
    DISTRIBUTED_OPTIMIZER,
    ARGUMENTS
};

static const char *const names[ARGUMENTS] = {
    "device",
    "model",
    "framework",
    "layers",
    "first_stage",
    "last_stage",
    "tp",
    "dp",
    "micro_batch",
    "seq_length",
    "heads",
    "kv_groups",
    "recompute",
    "in_flight",
    "sequence_parallel",
    "distributed_optimizer",
};

static memx_status whole(sqlite3_value **argv, int which, int64_t least, int64_t most, int64_t *out,
                         memx_error *error) {
    *out = sqlite3_value_int64(argv[which]);
    if (sqlite3_value_type(argv[which]) == SQLITE_INTEGER && *out >= least && *out <= most) {
        return MEMX_OK;
    }
    const unsigned char *text = sqlite3_value_text(argv[which]);
    return memx_invalid(error, "%s is '%.40s'; write a whole number from %lld to %lld",
                        names[which], text ? (const char *)text : "NULL", (long long)least,
                        (long long)most);
}

static memx_status flag(sqlite3_value **argv, int which, bool *out, memx_error *error) {
    int64_t value = 0;
    memx_status status = whole(argv, which, 0, 1, &value, error);
    *out = value != 0;
    return status;
}

/* The model as the row trains it. */
static memx_status read_model(sqlite3_value **argv, memx_model *model, memx_error *error) {
    const memx_model published = *model;
    int64_t seq_length = 0, heads = model->heads, kv_groups = model->kv_groups;
    memx_status status = whole(argv, SEQ_LENGTH, 1, 100000000, &seq_length, error);
    if (!status && sqlite3_value_type(argv[HEADS]) != SQLITE_NULL) {
        status = whole(argv, HEADS, 1, 100000, &heads, error);
        if (published.kv_groups == published.heads) kv_groups = heads;
    }
    if (!status && sqlite3_value_type(argv[KV_GROUPS]) != SQLITE_NULL) {
        status = whole(argv, KV_GROUPS, 1, 100000, &kv_groups, error);
    }
    return status ? status
                  : memx_model_vary(&published, seq_length, heads, kv_groups, model, error);
}

static memx_status read_spec(sqlite3_value **argv, memx_stage_spec *spec, memx_error *error) {
    memx_status status = whole(argv, TP, 1, 100000, &spec->tp, error);
    if (!status) status = whole(argv, DP, 1, 10000000, &spec->dp, error);
    if (!status) status = whole(argv, MICRO_BATCH, 1, 1000000000, &spec->micro_batch, error);
    if (!status) status = whole(argv, IN_FLIGHT, 1, 1000000, &spec->in_flight, error);
    if (!status) status = flag(argv, FIRST_STAGE, &spec->first, error);
    if (!status) status = flag(argv, LAST_STAGE, &spec->last, error);
    if (!status) status = flag(argv, SEQUENCE_PARALLEL, &spec->sequence_parallel, error);
    if (!status) status = flag(argv, DISTRIBUTED_OPTIMIZER, &spec->distributed_optimizer, error);
    if (!status) status = read_model(argv, &spec->model, error);
    if (status) return status;
    spec->sequence_parallel = spec->sequence_parallel && spec->tp > 1;
    spec->distributed_optimizer = spec->distributed_optimizer && spec->dp > 1;
    if (spec->model.heads % spec->tp != 0 || spec->model.kv_groups % spec->tp != 0) {
        return memx_invalid(error, "tp %lld does not divide heads %lld and kv_groups %lld",
                            (long long)spec->tp, (long long)spec->model.heads,
                            (long long)spec->model.kv_groups);
    }
    return MEMX_OK;
}

static memx_status read_choice(sqlite3_value **argv, int64_t layers, memx_stage_choice *out,
                               memx_error *error) {
    const char *text = NULL;
    memx_status status = whole(argv, LAYERS, 1, layers, &out->layers, error);
    if (!status) status = memx_argument_text(argv[RECOMPUTE], names[RECOMPUTE], &text, error);
    if (!status && !memx_level_parse(text, strlen(text), &out->level)) {
        return memx_invalid(error,
                            "recompute is '%.40s'; write none, selective, full, block<N> or "
                            "uniform<N>",
                            text);
    }
    out->level = memx_level_canonical(out->level, out->layers);
    return status;
}

static void write_price(const memx_device *device, const memx_stage_price *price, memx_text *out) {
    const memx_stage_memory *m = &price->memory;
    double total = (double)memx_stage_peak_kib(m) / 1024.0;
    double held = total - (double)m->context_kib / 1024.0;
    double overhead = (double)m->static_kib / 1024.0 * (1.0 - 1.0 / device->alpha_static);
    memx_text_printf(out,
                     "{\"time_ms\":%.6f,\"allocated_mib\":%.3f,\"reserved_mib\":%.3f,"
                     "\"total_mib\":%.3f,\"predictor\":\"%s\"}",
                     (double)(price->forward_ns + price->backward_ns) / 1e6, held - overhead, held,
                     total, memx_analytic_pricer.name);
}

static memx_status estimate(memx_session *session, sqlite3_value **argv, memx_text *out,
                            memx_error *error) {
    const char *texts[3] = {NULL, NULL, NULL};
    memx_job_row row;
    memx_stage_spec spec;
    memx_stage_choice choice = {.layers = 0};
    memx_stage_price price;
    for (int i = DEVICE; i <= FRAMEWORK; i++) {
        memx_status status = memx_argument_text(argv[i], names[i], &texts[i], error);
        if (status) return status;
    }
    memx_status status = memx_catalog_card(memx_session_reader(session), texts[DEVICE],
                                           texts[MODEL], texts[FRAMEWORK], &row, error);
    if (status) return status;
    const memx_job *job = &row.job;
    spec = (memx_stage_spec){.model = job->model, .link_gbs = job->nodes[0].link_gbs};
    status = read_spec(argv, &spec, error);
    if (!status) status = read_choice(argv, job->model.layers, &choice, error);
    if (!status) {
        status = memx_analytic_pricer.price(memx_analytic_pricer.context, job, 0, &spec, &choice, 1,
                                            &price, error);
    }
    if (!status) write_price(&job->devices[0], &price, out);
    memx_catalog_job_free(&row);
    return status;
}

/* The message as a JSON string. */
static void write_problem(const char *message, memx_text *out) {
    memx_text_printf(out, "{\"problem\":\"");
    for (const char *c = message; *c; c++) {
        if (*c == '"' || *c == '\\') memx_text_add(out, "\\", 1);
        memx_text_add(out, c, 1); /* memx_invalid leaves no control characters */
    }
    memx_text_printf(out, "\"}");
}

void memx_stage_estimate_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    memx_session *session = sqlite3_user_data(context);
    memx_text text = {0};
    memx_error error = {""};
    for (int i = 0; i < argc; i++) {
        if (i != HEADS && i != KV_GROUPS && sqlite3_value_type(argv[i]) == SQLITE_NULL) return;
    }
    memx_session_enter(session);
    memx_status status = estimate(session, argv, &text, &error);
    memx_session_leave(session);
    if (status == MEMX_INVALID) {
        write_problem(error.text, &text);
        status = MEMX_OK;
    }
    if (status) {
        memx_text_free(&text);
        memx_result_fail(context, status, &error);
    } else {
        memx_result_text(context, &text);
    }
}
