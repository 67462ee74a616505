#include "sql/row.h"

#include "sql/vtab.h"

#include <stdlib.h>

SQLITE_EXTENSION_INIT3

static const memx_measures *measured(memx_row *row) {
    if (!row->measured) {
        memx_plan_measure(row->plan, row->options, &row->measures);
        row->measured = true;
    }
    return &row->measures;
}

static void result_config(memx_row *row, sqlite3_context *context, int column) {
    memx_text text = {0};
    memx_config config = {*row->plan->knobs, *row->placement, NULL};
    config.stages = calloc((size_t)row->plan->stage_count, sizeof *config.stages);
    if (!config.stages) {
        sqlite3_result_error_nomem(context);
        return;
    }
    row->stages(row, config.stages);
    const memx_job *job = row->plan->job;
    if (column == MEMX_COL_CONFIG) memx_config_format(job, &config, &text);
    if (column == MEMX_COL_DEVICES) memx_config_devices(job, &config, &text);
    if (column == MEMX_COL_LAYERS) memx_config_layers(&config, &text);
    if (column == MEMX_COL_RECOMPUTE) memx_config_levels(&config, &text);
    free(config.stages);
    memx_result_text(context, &text);
}

/* Where the own space has nothing feasible there is nothing to compare with: slowdown is NULL, phi is
** not divided. */
memx_status memx_row_refer(memx_row *row, memx_study *own, const memx_reference **out,
                           memx_error *error) {
    memx_status status = memx_study_reference(own, row->poll, out, error);
    if (status || row->reference_phi > 0.0) return status;
    const memx_reference *r = *out;
    row->reference_phi =
        r->fastest_ns > 0 ? memx_phi(r->iteration_ms, r->peak_mib, r->variance_mib2, &row->weights)
                          : 1.0;
    return MEMX_OK;
}

static void result_relative(memx_row *row, memx_study *own, sqlite3_context *context, int column) {
    const memx_measures *m = measured(row);
    const memx_reference *reference = NULL;
    memx_error error;
    memx_status status = memx_row_refer(row, own, &reference, &error);
    if (status) {
        memx_result_fail(context, status, &error);
        return;
    }
    if (column == MEMX_COL_SLOWDOWN) {
        if (reference->fastest_ns > 0) {
            sqlite3_result_double(context, (double)m->iteration_ns / (double)reference->fastest_ns);
        }
        return;
    }
    double phi = memx_phi(memx_ms(m->iteration_ns), memx_mib(m->peak_kib),
                          memx_variance_mib2(m->moment, row->plan->job->gpus), &row->weights);
    sqlite3_result_double(context, phi / row->reference_phi);
}

static void result_predictor(const memx_row *row, sqlite3_context *context) {
    bool outside = false;
    for (int32_t s = 0; s < row->plan->stage_count; s++) {
        outside = outside || row->options[s]->extrapolated;
    }
    memx_result_predictor(context, row->predictor, outside);
}

void memx_row_result(memx_row *row, memx_study *own, sqlite3_context *context, int column) {
    const memx_plan *plan = row->plan;
    const memx_job *job = plan->job;
    const memx_knobs *k = plan->knobs;
    switch ((enum memx_row_column)column) {
    case MEMX_COL_JOB: sqlite3_result_text(context, job->name, -1, SQLITE_TRANSIENT); return;
    case MEMX_COL_CLUSTER: sqlite3_result_text(context, job->cluster, -1, SQLITE_TRANSIENT); return;
    case MEMX_COL_MODEL:
        sqlite3_result_text(context, job->model.name, -1, SQLITE_TRANSIENT);
        return;
    case MEMX_COL_CONFIG:
    case MEMX_COL_DEVICES:
    case MEMX_COL_LAYERS:
    case MEMX_COL_RECOMPUTE: result_config(row, context, column); return;
    case MEMX_COL_TP: sqlite3_result_int64(context, k->tp); return;
    case MEMX_COL_PP: sqlite3_result_int64(context, k->pp); return;
    case MEMX_COL_DP: sqlite3_result_int64(context, k->dp); return;
    case MEMX_COL_MICRO_BATCH: sqlite3_result_int64(context, k->micro_batch); return;
    case MEMX_COL_MICRO_BATCHES: sqlite3_result_int64(context, plan->micro_batches); return;
    case MEMX_COL_GLOBAL_BATCH: sqlite3_result_int64(context, job->global_batch); return;
    case MEMX_COL_SEQ_LENGTH: sqlite3_result_int64(context, k->seq_length); return;
    case MEMX_COL_HEADS: sqlite3_result_int64(context, k->heads); return;
    case MEMX_COL_KV_GROUPS: sqlite3_result_int64(context, k->kv_groups); return;
    case MEMX_COL_CP: sqlite3_result_int64(context, k->cp); return;
    case MEMX_COL_VP: sqlite3_result_int64(context, k->vp); return;
    case MEMX_COL_EP: sqlite3_result_int64(context, k->ep); return;
    case MEMX_COL_SEQUENCE_PARALLEL: sqlite3_result_int(context, k->sequence_parallel); return;
    case MEMX_COL_DISTRIBUTED_OPTIMIZER:
        sqlite3_result_int64(context, k->distributed_optimizer);
        return;
    case MEMX_COL_ITERATION_MS:
        sqlite3_result_double(context, memx_ms(measured(row)->iteration_ns));
        return;
    case MEMX_COL_TOKENS_PER_S:
        sqlite3_result_double(context, memx_tokens_per_s(plan, measured(row)->iteration_ns));
        return;
    case MEMX_COL_TFLOPS_PER_GPU:
        sqlite3_result_double(context, memx_tflops_per_gpu(plan, measured(row)->iteration_ns));
        return;
    case MEMX_COL_BUBBLE: sqlite3_result_double(context, memx_bubble(plan, measured(row))); return;
    case MEMX_COL_P2P_MS: sqlite3_result_double(context, memx_ms(measured(row)->p2p_ns)); return;
    case MEMX_COL_DP_SYNC_MS:
        sqlite3_result_double(context, memx_ms(measured(row)->sync_ns));
        return;
    case MEMX_COL_PEAK_MIB:
        sqlite3_result_double(context, memx_mib(measured(row)->peak_kib));
        return;
    case MEMX_COL_MEMORY_VARIANCE:
        sqlite3_result_double(context, memx_variance_mib2(measured(row)->moment, job->gpus));
        return;
    case MEMX_COL_HEADROOM: sqlite3_result_double(context, measured(row)->free_share); return;
    case MEMX_COL_HEADROOM_MIB:
        sqlite3_result_double(context, memx_mib(measured(row)->free_kib));
        return;
    case MEMX_COL_SLOWEST_STAGE: sqlite3_result_int(context, measured(row)->slowest); return;
    case MEMX_COL_TIGHTEST_STAGE: sqlite3_result_int(context, measured(row)->tightest); return;
    case MEMX_COL_PREDICTOR: result_predictor(row, context); return;
    case MEMX_COL_SLOWDOWN:
    case MEMX_COL_PHI: result_relative(row, own, context, column); return;
    case MEMX_ROW_COLUMNS: return;
    }
}

void memx_row_simulated(memx_row *row, sqlite3_context *context) {
    int64_t ns = 0;
    memx_status status = memx_plan_simulate(row->plan, row->options, row->poll, &ns);
    if (status) {
        memx_result_fail(context, status, NULL);
    } else {
        sqlite3_result_double(context, memx_ms(ns));
    }
}

int memx_row_same_task(const memx_row *row) {
    const memx_knobs *k = row->plan->knobs;
    const memx_model *m = &row->plan->job->model;
    return k->seq_length == m->seq_length && k->heads == m->heads && k->kv_groups == m->kv_groups;
}
