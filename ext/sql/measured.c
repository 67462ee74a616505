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
#include "sql/profile.h"
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

static memx_status whole(sqlite3_value **argv, int which, int64_t *out, memx_error *error) {
    *out = sqlite3_value_int64(argv[which]);
    if (sqlite3_value_type(argv[which]) == SQLITE_INTEGER) return MEMX_OK;
    const unsigned char *text = sqlite3_value_text(argv[which]);
    return memx_invalid(error, "%s is '%.40s'; write a whole number", names[which],
                        text ? (const char *)text : "NULL");
}

static memx_status flag(sqlite3_value **argv, int which, bool *out, memx_error *error) {
    int64_t value = 0;
    memx_status status = whole(argv, which, &value, error);
    *out = value != 0;
    if (status || value == 0 || value == 1) return status;
    return memx_invalid(error, "%s is '%lld'; write 0 or 1", names[which], (long long)value);
}

/* NULL is the model's own. */
static memx_status heads(sqlite3_value **argv, int which, int64_t *out, memx_error *error) {
    *out = 0;
    if (sqlite3_value_type(argv[which]) == SQLITE_NULL) return MEMX_OK;
    memx_status status = whole(argv, which, out, error);
    if (status || *out > 0) return status;
    return memx_invalid(error, "%s is '%lld'; write NULL or a whole number from 1", names[which],
                        (long long)*out);
}

static memx_status text(sqlite3_value **argv, int which, char out[MEMX_NAME_SIZE],
                        memx_error *error) {
    const char *found = NULL;
    memx_status status = memx_argument_text(argv[which], names[which], &found, error);
    if (status) return status;
    size_t length = strlen(found);
    if (length > 0 && length < MEMX_NAME_SIZE) {
        memcpy(out, found, length + 1);
        return MEMX_OK;
    }
    return memx_invalid(error, "%s is '%.40s'; write 1 to 64 bytes", names[which], found);
}

static memx_status read_row(sqlite3_value **argv, memx_profile_row *row, memx_error *error) {
    memx_status status = text(argv, DEVICE, row->device, error);
    if (!status) status = text(argv, MODEL, row->model, error);
    if (!status) status = text(argv, FRAMEWORK, row->framework, error);
    if (!status) status = text(argv, RECOMPUTE, row->recompute, error);
    if (!status) status = whole(argv, LAYERS, &row->layers, error);
    if (!status) status = whole(argv, TP, &row->tp, error);
    if (!status) status = whole(argv, DP, &row->dp, error);
    if (!status) status = whole(argv, MICRO_BATCH, &row->micro_batch, error);
    if (!status) status = whole(argv, SEQ_LENGTH, &row->seq_length, error);
    if (!status) status = whole(argv, IN_FLIGHT, &row->in_flight, error);
    if (!status) status = heads(argv, HEADS, &row->heads, error);
    if (!status) status = heads(argv, KV_GROUPS, &row->kv_groups, error);
    if (!status) status = flag(argv, FIRST_STAGE, &row->first, error);
    if (!status) status = flag(argv, LAST_STAGE, &row->last, error);
    if (!status) status = flag(argv, SEQUENCE_PARALLEL, &row->sequence_parallel, error);
    if (!status) status = flag(argv, DISTRIBUTED_OPTIMIZER, &row->distributed_optimizer, error);
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
    memx_profile_row row = {.id = 0};
    memx_job_row card;
    memx_stage_spec spec;
    memx_stage_choice choice;
    memx_stage_price price;
    memx_status status = read_row(argv, &row, error);
    if (status) return status;
    status = memx_catalog_card(memx_session_reader(session), row.device, row.model, row.framework,
                               &card, error);
    if (status) return status;
    const memx_job *job = &card.job;
    status = memx_profile_stage(&row, &job->model, &spec, &choice, error);
    if (!status) {
        spec.link_gbs = job->nodes[0].link_gbs;
        memx_stage_price_all(&job->devices[0], &job->framework, &spec, &choice, 1, &price);
        write_price(&job->devices[0], &price, out);
    }
    memx_catalog_job_free(&card);
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
