/*
** Predictions of rows that others wrote. Unlike the virtual tables, these functions answer what cannot be
** predicted with the reason, so that one such row spoils no query:
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
** config_problem() is for measured runs: the view memx_measured, memx_report(). stage_estimate() is for
** stages to be measured or made up, memx_measure and memx_augmented; the table memx_estimates has the
** same of every row of memx_profile, by what was learned (estimates.c).
*/
#include "core/stage.h"
#include "sql/modules.h"
#include "sql/profile.h"
#include "sql/subject.h"
#include "sql/vtab.h"

SQLITE_EXTENSION_INIT3

void memx_config_problem_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    memx_subject subject;
    memx_error error = {.text = ""};
    if (memx_any_null(argc, argv)) return;
    memx_status status =
        memx_subject_open(context, "config_problem", argv, false, NULL, &subject, &error);
    if (status == MEMX_INVALID) {
        sqlite3_result_text(context, error.text, -1, SQLITE_TRANSIENT);
    } else if (status) {
        memx_result_fail(context, status, &error);
    }
    memx_subject_close(&subject);
}

/* ---- stage_estimate ---- */

static void write_figures(const memx_stage_figures *f, memx_text *out) {
    memx_text_printf(out, "{\"time_ms\":");
    memx_text_decimal(out, f->time_ms, 6);
    memx_text_printf(out, ",\"allocated_mib\":");
    memx_text_decimal(out, f->allocated_mib, 3);
    memx_text_printf(out, ",\"reserved_mib\":");
    memx_text_decimal(out, f->reserved_mib, 3);
    memx_text_printf(out, ",\"total_mib\":");
    memx_text_decimal(out, f->total_mib, 3);
    memx_text_printf(out, ",\"predictor\":\"%s\"}", memx_analytic_pricer.name);
}

static memx_status estimate(memx_session *session, sqlite3_value **argv, memx_text *out,
                            memx_error *error) {
    memx_profile_row row = {.id = 0};
    memx_job_row card;
    memx_stage_spec spec;
    memx_stage_choice choice;
    memx_stage_price price;
    memx_stage_figures figures;
    memx_status status = memx_profile_read(argv, &row, error);
    if (status) return status;
    status = memx_catalog_card(memx_session_reader(session), row.device, row.model, row.framework,
                               &card, error);
    if (status) return status;
    const memx_job *job = &card.job;
    status = memx_profile_stage(&row, &job->model, &spec, &choice, error);
    if (!status) {
        spec.link_gbs = job->nodes[0].link_gbs;
        memx_stage_price_all(&job->devices[0], &job->framework, &spec, &choice, 1, &price);
        memx_profile_figures(&job->devices[0], &price, &figures);
        write_figures(&figures, out);
    }
    memx_catalog_job_free(&card);
    return status;
}

/* The message as a JSON string. */
static void write_problem(const char *message, memx_text *out) {
    memx_text_printf(out, "{\"problem\":\"");
    memx_text_json(out, message);
    memx_text_printf(out, "\"}");
}

void memx_stage_estimate_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    memx_session *session = sqlite3_user_data(context);
    memx_text text = {0};
    memx_error error = {.text = ""};
    for (int i = 0; i < argc; i++) {
        if (!memx_profile_may_be_null(i) && sqlite3_value_type(argv[i]) == SQLITE_NULL) return;
    }
    memx_session_enter(session, "stage_estimate");
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
