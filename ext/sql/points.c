/*
** What one configuration of a job is, seen from three sides:
**
**   SELECT * FROM memx_predict('mix20', 'tp2.dp2.mb1.seq4096/...');   the columns of memx_configs
**   SELECT * FROM memx_stages('mix20', 'tp2.dp2.mb1.seq4096/...');    a row per pipeline stage
**   SELECT * FROM memx_gpus('mix20', 'tp2.dp2.mb1.seq4096/...');      a row per GPU
**
** Any well-formed configuration is answered, in the job's space or not, fitting or not. They join:
** FROM memx_configs AS c, memx_stages(c.job, c.config). memx_predict also takes its arguments from
** equalities on its own columns job and config. NULL gives no row; what cannot be read is an error.
*/
#include "core/priced.h"
#include "predict/signature.h"
#include "sql/modules.h"
#include "sql/row.h"
#include "sql/vtab.h"

#include <math.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

typedef enum point_kind { POINT_PREDICT, POINT_STAGES, POINT_GPUS } point_kind;

/* memx_predict: hidden columns after the visible ones. */
enum {
    PREDICT_JOB = MEMX_ROW_COLUMNS,
    PREDICT_CONFIG,
    PREDICT_WEIGHTS,
    PREDICT_SIMULATED_MS,
    PREDICT_SAME_TASK,
};

static const char predict_schema[] =
    "CREATE TABLE memx_predict(" MEMX_ROW_DECLARATION
    ", job_name HIDDEN VARCHAR(64), config_text TEXT HIDDEN, weights HIDDEN VARCHAR(64)"
    ", simulated_ms DOUBLE HIDDEN, same_task BIGINT HIDDEN)";

static const int predict_visible[] = {MEMX_COL_JOB, MEMX_COL_CONFIG, -1};

enum {
    STAGE_STAGE,
    STAGE_DEVICE,
    STAGE_MODEL,
    STAGE_FRAMEWORK,
    STAGE_LAYERS,
    STAGE_FIRST,
    STAGE_LAST,
    STAGE_TP,
    STAGE_DP,
    STAGE_MICRO_BATCH,
    STAGE_SEQ_LENGTH,
    STAGE_HEADS,
    STAGE_KV_GROUPS,
    STAGE_RECOMPUTE,
    STAGE_IN_FLIGHT,
    STAGE_SEQUENCE_PARALLEL,
    STAGE_DISTRIBUTED_OPTIMIZER,
    STAGE_CP,
    STAGE_EP,
    STAGE_VP,
    STAGE_TIME_MS,
    STAGE_FORWARD_MS,
    STAGE_BACKWARD_MS,
    STAGE_IDLE,
    STAGE_HOP_MS,
    STAGE_DP_SYNC_MS,
    STAGE_GPUS,
    STAGE_CONTEXT_MIB,
    STAGE_STATIC_MIB,
    STAGE_ACTIVATION_MIB,
    STAGE_WORK_MIB,
    STAGE_LOGITS_MIB,
    STAGE_OPTIMIZER_MIB,
    STAGE_PEAK_MIB,
    STAGE_CAPACITY_MIB,
    STAGE_HEADROOM,
    STAGE_RATE_LOCAL,
    STAGE_RATE_ITERATION,
    STAGE_UPDATE_MS,
    STAGE_HOST_MIB,
    STAGE_PREDICTOR,
    STAGE_SIGNATURE,
    STAGE_JOB,
    STAGE_CONFIG,
};

/* On a stage of several device types: times of the slowest, memory of the one with least room. */
static const char stages_schema[] =
    "CREATE TABLE memx_stages(stage BIGINT, device TEXT, model VARCHAR(64), framework VARCHAR(64), "
    "layers BIGINT, first_stage BIGINT, last_stage BIGINT, tp BIGINT, dp BIGINT, "
    "micro_batch BIGINT, seq_length BIGINT, heads BIGINT, kv_groups BIGINT, recompute VARCHAR(24), "
    "in_flight BIGINT, sequence_parallel BIGINT, distributed_optimizer BIGINT, "
    "cp BIGINT, ep BIGINT, vp BIGINT, time_ms DOUBLE, "
    "forward_ms DOUBLE, backward_ms DOUBLE, idle DOUBLE, hop_ms DOUBLE, dp_sync_ms DOUBLE, "
    "gpus BIGINT, context_mib DOUBLE, static_mib DOUBLE, activation_mib DOUBLE, work_mib DOUBLE, "
    "logits_mib DOUBLE, optimizer_mib DOUBLE, peak_mib DOUBLE, capacity_mib DOUBLE, "
    "headroom DOUBLE, rate_local DOUBLE, rate_iteration DOUBLE, "
    "update_ms DOUBLE, host_mib DOUBLE, predictor VARCHAR(96), "
    "signature VARCHAR(32), job HIDDEN VARCHAR(64), config TEXT HIDDEN)";

enum {
    GPU_RANK,
    GPU_NODE,
    GPU_DEVICE,
    GPU_STAGE,
    GPU_DP_RANK,
    GPU_CP_RANK,
    GPU_TP_RANK,
    GPU_PEAK_MIB,
    GPU_CAPACITY_MIB,
    GPU_HEADROOM,
    GPU_JOB,
    GPU_CONFIG,
};

static const char gpus_schema[] =
    "CREATE TABLE memx_gpus(rank BIGINT, node BIGINT, device VARCHAR(64), stage BIGINT, "
    "dp_rank BIGINT, cp_rank BIGINT, tp_rank BIGINT, peak_mib DOUBLE, capacity_mib DOUBLE, "
    "headroom DOUBLE, "
    "job HIDDEN VARCHAR(64), config TEXT HIDDEN)";

static const struct {
    const char *schema;
    int first, arguments; /* columns */
    const int *visible;   /* columns that show the arguments */
    int64_t rows;         /* estimated */
} points[] = {
    [POINT_PREDICT] = {predict_schema, PREDICT_JOB, 3, predict_visible, 1},
    [POINT_STAGES] = {stages_schema, STAGE_JOB, 2, NULL, 8},
    [POINT_GPUS] = {gpus_schema, GPU_JOB, 2, NULL, 64},
};

typedef struct point_cursor {
    memx_cursor base; /* must be first */
    const memx_pricer *pricer;
    memx_study *study, *own; /* own only where phi or slowdown is asked for */
    memx_priced priced;
    memx_row row;
    char *weights;
    memx_measures measures;
    int64_t at, count; /* row number and rows: 1, stages or GPUs */
    /* memx_gpus: where row `at` is. */
    int32_t stage, run, run_gpu;
    memx_stage_price price; /* of the current run's device, or of the stage's tightest share */
} point_cursor;

static int connect_kind(sqlite3 *db, void *session, point_kind kind, sqlite3_vtab **out) {
    return memx_vtab_connect(db, session, points[kind].schema, (int)kind, out);
}

static int predict_connect(sqlite3 *db, void *session, int argc, const char *const *argv,
                           sqlite3_vtab **out, char **message) {
    (void)argc, (void)argv, (void)message;
    return connect_kind(db, session, POINT_PREDICT, out);
}

static int stages_connect(sqlite3 *db, void *session, int argc, const char *const *argv,
                          sqlite3_vtab **out, char **message) {
    (void)argc, (void)argv, (void)message;
    return connect_kind(db, session, POINT_STAGES, out);
}

static int gpus_connect(sqlite3 *db, void *session, int argc, const char *const *argv,
                        sqlite3_vtab **out, char **message) {
    (void)argc, (void)argv, (void)message;
    return connect_kind(db, session, POINT_GPUS, out);
}

/* ---- planning ---- */

/* What idxNum says beside the job and the config: what else memx_predict is given, and whether phi or slowdown is
** read. */
enum { HAS_WEIGHTS = 4, NEEDS_REFERENCE = 8 };

/* Without both job and config xFilter says what is missing; another order of the tables, or terms of an OR, may
** supply them. */
static int point_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
    point_kind kind = (point_kind)((memx_vtab *)base)->kind;
    uint64_t waiting =
        memx_take_arguments(info, points[kind].first, points[kind].arguments, points[kind].visible);
    uint64_t read = MEMX_JOB_AND_CONFIG, set = (uint64_t)info->idxNum;
    if (kind == POINT_PREDICT) {
        uint64_t relative = UINT64_C(1) << MEMX_COL_PHI | UINT64_C(1) << MEMX_COL_SLOWDOWN;
        if (info->colUsed >> PREDICT_WEIGHTS & 1) read |= HAS_WEIGHTS;
        if (info->colUsed & relative) info->idxNum |= NEEDS_REFERENCE;
        info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    }
    info->estimatedRows = points[kind].rows;
    info->estimatedCost = memx_plan_cost(read, set, waiting, 100.0);
    return SQLITE_OK;
}

/* ---- cursor ---- */

static int point_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
    return memx_cursor_open(vtab, sizeof(point_cursor), out);
}

static void leave_job(point_cursor *cursor) {
    memx_study_release(cursor->study);
    memx_study_release(cursor->own);
    cursor->study = cursor->own = NULL;
}

/* Keeps the job: a join asks for many of its configurations, and a statement sees one state of
** it. */
static void reset(point_cursor *cursor) {
    memx_priced_close(&cursor->priced);
    sqlite3_free(cursor->weights);
    cursor->weights = NULL;
    cursor->at = cursor->count = 0;
    cursor->stage = cursor->run = cursor->run_gpu = 0;
}

static int point_close(sqlite3_vtab_cursor *base) {
    point_cursor *cursor = (point_cursor *)base;
    reset(cursor);
    leave_job(cursor);
    return memx_cursor_close(&cursor->base);
}

static void stages_of_config(const memx_row *row, memx_stage_choice *out) {
    const memx_priced *priced = row->source;
    memcpy(out, priced->config.stages, (size_t)priced->config.knobs.pp * sizeof *out);
}

/* The share of the stage that a run belongs to. */
static int32_t share_of_run(const point_cursor *cursor, int32_t stage, int32_t run) {
    const memx_job *job = &cursor->study->row.job;
    const memx_node *node = &job->nodes[cursor->priced.config.placement.runs[run].node];
    return memx_shape_share(job, &cursor->priced.plan.shapes[stage], node);
}

static memx_status load_price(point_cursor *cursor, int32_t share, memx_error *error) {
    return memx_plan_price(&cursor->priced.plan, &cursor->priced.plan.shapes[cursor->stage], share,
                           cursor->pricer, &cursor->priced.config.stages[cursor->stage],
                           &cursor->price, error);
}

/* Prices what row `at` shows. */
static memx_status load(point_cursor *cursor, memx_error *error) {
    point_kind kind = (point_kind)memx_cursor_table(&cursor->base)->kind;
    if (cursor->at >= cursor->count || kind == POINT_PREDICT) return MEMX_OK;
    if (kind == POINT_STAGES) {
        cursor->stage = (int32_t)cursor->at;
        return load_price(cursor, cursor->priced.options[cursor->stage].tightest, error);
    }
    return load_price(cursor, share_of_run(cursor, cursor->stage, cursor->run), error);
}

static memx_status enter_job(point_cursor *cursor, int flags, const char *job, memx_error *error) {
    memx_session *session = memx_cursor_table(&cursor->base)->session;
    const memx_poll *poll = memx_cursor_poll(&cursor->base);
    if (cursor->study && strcmp(cursor->study->row.job.name, job) == 0) return MEMX_OK;
    leave_job(cursor);
    memx_status status = memx_session_study(session, job, NULL, false, poll, &cursor->study, error);
    if (!status && (flags & NEEDS_REFERENCE)) {
        status = memx_session_study(session, job, NULL, true, poll, &cursor->own, error);
    }
    if (status) leave_job(cursor);
    return status;
}

static memx_status open_point(point_cursor *cursor, int flags, const char *job, const char *config,
                              const char *weights, memx_error *error) {
    memx_vtab *vtab = memx_cursor_table(&cursor->base);
    const memx_poll *poll = memx_cursor_poll(&cursor->base);
    memx_status status = enter_job(cursor, flags, job, error);
    if (!status) {
        cursor->pricer = &cursor->study->pricer;
        status = memx_session_priced(cursor->study, config, &cursor->priced, error);
    }
    if (status) return status;
    memx_priced *priced = &cursor->priced;
    cursor->row = (memx_row){.study = cursor->study,
                             .poll = poll,
                             .predictor = cursor->pricer->name,
                             .plan = &priced->plan,
                             .placement = &priced->config.placement,
                             .options = priced->pointers,
                             .stages = stages_of_config,
                             .source = priced};
    memx_plan_measure(&priced->plan, priced->pointers, &cursor->measures);
    if (vtab->kind == POINT_PREDICT) {
        cursor->count = 1;
        const char *name = weights ? weights : cursor->study->row.weights;
        cursor->weights = sqlite3_mprintf("%s", name);
        if (!cursor->weights) return MEMX_NOMEM;
        if (weights) {
            return memx_catalog_weights(memx_session_reader(vtab->session), weights,
                                        &cursor->row.weights, error);
        }
        /* Only phi needs them: a job with odd weights still has a prediction. */
        if (!(flags & NEEDS_REFERENCE)) return MEMX_OK;
        return memx_session_weights(vtab->session, cursor->study, poll, &cursor->row.weights,
                                    error);
    }
    cursor->count =
        vtab->kind == POINT_STAGES ? priced->plan.stage_count : cursor->study->row.job.gpus;
    return load(cursor, error);
}

static int point_filter(sqlite3_vtab_cursor *base, int flags, const char *plan, int argc,
                        sqlite3_value **argv) {
    point_cursor *cursor = (point_cursor *)base;
    const char *texts[MEMX_ARGUMENTS];
    memx_error error = {.text = ""};
    (void)plan, (void)argc;
    reset(cursor);
    memx_status status = memx_taken_texts(memx_cursor_table(&cursor->base), flags, argv,
                                          "memx_configs", texts, &error);
    if (status == MEMX_DONE) return SQLITE_OK;
    if (status) return memx_vtab_fail(base->pVtab, status, &error);
    memx_cursor_names(&cursor->base, texts, MEMX_ARGUMENTS);
    status = open_point(cursor, flags, texts[0], texts[1], texts[2], &error);
    return memx_vtab_fail(base->pVtab, status, &error);
}

static int point_next(sqlite3_vtab_cursor *base) {
    point_cursor *cursor = (point_cursor *)base;
    memx_vtab *vtab = (memx_vtab *)base->pVtab;
    memx_error error = {.text = ""};
    cursor->at++;
    if (vtab->kind == POINT_GPUS && cursor->at < cursor->count) {
        const memx_placement *p = &cursor->priced.config.placement;
        if (++cursor->run_gpu < p->runs[cursor->run].gpus) return SQLITE_OK;
        cursor->run_gpu = 0;
        if (++cursor->run == p->first[cursor->stage + 1]) cursor->stage++;
    }
    return memx_vtab_fail(base->pVtab, load(cursor, &error), &error);
}

static int point_eof(sqlite3_vtab_cursor *base) {
    point_cursor *cursor = (point_cursor *)base;
    return cursor->at >= cursor->count;
}

static int point_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out) {
    const point_cursor *cursor = (const point_cursor *)base;
    *out = memx_cursor_rowid(&cursor->base, cursor->at);
    return SQLITE_OK;
}

/* ---- columns ---- */

static int predict_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    point_cursor *cursor = (point_cursor *)base;
    switch (column) {
    case PREDICT_JOB:
        sqlite3_result_text(context, cursor->study->row.job.name, -1, SQLITE_TRANSIENT);
        break;
    case PREDICT_CONFIG: memx_row_result(&cursor->row, NULL, context, MEMX_COL_CONFIG); break;
    case PREDICT_WEIGHTS:
        sqlite3_result_text(context, cursor->weights, -1, SQLITE_TRANSIENT);
        break;
    case PREDICT_SIMULATED_MS: memx_row_simulated(&cursor->row, context); break;
    case PREDICT_SAME_TASK: sqlite3_result_int(context, memx_row_same_task(&cursor->row)); break;
    default: memx_row_result(&cursor->row, cursor->own, context, column);
    }
    return SQLITE_OK;
}

static void result_mib(sqlite3_context *context, int64_t kib) {
    sqlite3_result_double(context, memx_mib(kib));
}

/* ms lost per MiB saved when this stage alone goes to full recompute: of its own time, or of the
** iteration. NULL where nothing is saved. */
static void result_rate(point_cursor *cursor, sqlite3_context *context, bool iteration) {
    const memx_priced *priced = &cursor->priced;
    memx_stage_choice full = {priced->config.stages[cursor->stage].layers, {MEMX_FULL, 0, 0}};
    memx_option option;
    memx_error error = {.text = ""};
    memx_status status = memx_plan_options(&priced->plan, &priced->plan.shapes[cursor->stage],
                                           cursor->pricer, &full, 1, &option, &error);
    if (status) {
        memx_result_fail(context, status, &error);
        return;
    }
    memx_move move;
    memx_plan_move(&priced->plan, priced->pointers, &cursor->measures, cursor->stage, &option,
                   &move);
    double rate = iteration ? move.rate_iteration : move.rate_local;
    if (!isnan(rate)) sqlite3_result_double(context, rate);
}

static void result_signature(point_cursor *cursor, sqlite3_context *context) {
    const memx_job *job = &cursor->study->row.job;
    const memx_shape *shape = &cursor->priced.plan.shapes[cursor->stage];
    const memx_share *share = &shape->shares[cursor->priced.options[cursor->stage].tightest];
    memx_stage_spec spec = shape->spec;
    char hash[MEMX_SIGNATURE_TEXT];
    memx_text tuple = {0};
    const memx_residual *learned = cursor->study->row.residual;
    spec.link_gbs = share->link_gbs;
    spec.host_gbs = share->host_gbs;
    memx_signature_stage(cursor->pricer->name, learned ? learned->fingerprint : NULL,
                         &job->devices[share->device], &job->framework, &spec, &tuple);
    memx_signature_choice(&cursor->priced.config.stages[cursor->stage], &tuple);
    if (tuple.failed) {
        sqlite3_result_error_nomem(context);
    } else {
        memx_signature_hash(&tuple, hash);
        sqlite3_result_text(context, hash, -1, SQLITE_TRANSIENT);
    }
    memx_text_free(&tuple);
}

static void result_time(point_cursor *cursor, sqlite3_context *context, int column) {
    const memx_priced *priced = &cursor->priced;
    const memx_shape *shape = &priced->plan.shapes[cursor->stage];
    const memx_option *option = &priced->options[cursor->stage];
    int64_t chunks = priced->config.knobs.vp;
    switch (column) {
    case STAGE_TIME_MS: sqlite3_result_double(context, memx_ms(chunks * option->time_ns)); break;
    case STAGE_FORWARD_MS:
        sqlite3_result_double(context, memx_ms(chunks * option->forward_ns));
        break;
    case STAGE_BACKWARD_MS:
        sqlite3_result_double(context, memx_ms(chunks * memx_option_backward_ns(option)));
        break;
    case STAGE_IDLE:
        sqlite3_result_double(context,
                              1.0 - (double)option->time_ns / (double)cursor->measures.slowest_ns);
        break;
    case STAGE_HOP_MS: /* the last one's goes to the first, where there are chunks */
        sqlite3_result_double(
            context, memx_ms(shape->spec.last ? priced->plan.wrap_ns : shape->hop_after_ns));
        break;
    case STAGE_DP_SYNC_MS: sqlite3_result_double(context, memx_ms(option->sync_ns)); break;
    case STAGE_RATE_LOCAL: result_rate(cursor, context, false); break;
    case STAGE_RATE_ITERATION: result_rate(cursor, context, true); break;
    case STAGE_UPDATE_MS:
        sqlite3_result_double(context, memx_ms(option->tail_ns - option->sync_ns));
        break;
    default: break;
    }
}

static void result_memory(const point_cursor *cursor, sqlite3_context *context, int column) {
    const memx_shape *shape = &cursor->priced.plan.shapes[cursor->stage];
    const memx_option *option = &cursor->priced.options[cursor->stage];
    const memx_stage_memory *memory = &cursor->price.memory;
    switch (column) {
    case STAGE_CONTEXT_MIB: result_mib(context, memory->context_kib); break;
    case STAGE_STATIC_MIB: result_mib(context, memory->static_kib); break;
    case STAGE_ACTIVATION_MIB: result_mib(context, memory->activation_kib); break;
    case STAGE_WORK_MIB: result_mib(context, memory->work_kib); break;
    case STAGE_LOGITS_MIB: result_mib(context, memory->logits_kib); break;
    case STAGE_OPTIMIZER_MIB: result_mib(context, memory->optimizer_kib); break;
    case STAGE_PEAK_MIB: result_mib(context, memx_stage_peak_kib(memory)); break;
    case STAGE_CAPACITY_MIB:
        result_mib(context,
                   memx_card_kib(cursor->priced.plan.job, shape->shares[option->tightest].device));
        break;
    case STAGE_HEADROOM: sqlite3_result_double(context, option->free_share); break;
    case STAGE_HOST_MIB: result_mib(context, cursor->price.host_kib); break;
    default: break;
    }
}

static int stages_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    point_cursor *cursor = (point_cursor *)base;
    const memx_priced *priced = &cursor->priced;
    const memx_job *job = &cursor->study->row.job;
    const memx_stage_spec *spec = &priced->plan.shapes[cursor->stage].spec;
    const memx_stage_choice *choice = &priced->config.stages[cursor->stage];
    char level[MEMX_LEVEL_TEXT];
    memx_text text = {0};
    switch (column) {
    case STAGE_STAGE: sqlite3_result_int(context, cursor->stage); break;
    case STAGE_DEVICE:
        memx_stage_devices(job, &priced->config.placement, cursor->stage, &text);
        memx_result_text(context, &text);
        break;
    case STAGE_MODEL: sqlite3_result_text(context, job->model.name, -1, SQLITE_TRANSIENT); break;
    case STAGE_FRAMEWORK:
        sqlite3_result_text(context, job->framework.name, -1, SQLITE_TRANSIENT);
        break;
    case STAGE_LAYERS:
        sqlite3_result_int64(context, memx_knobs_layers(&priced->config.knobs, choice));
        break;
    case STAGE_FIRST: sqlite3_result_int(context, spec->first); break;
    case STAGE_LAST: sqlite3_result_int(context, spec->last); break;
    case STAGE_TP: sqlite3_result_int64(context, spec->tp); break;
    case STAGE_DP: sqlite3_result_int64(context, spec->dp); break;
    case STAGE_MICRO_BATCH: sqlite3_result_int64(context, spec->micro_batch); break;
    case STAGE_SEQ_LENGTH: sqlite3_result_int64(context, spec->model.seq_length); break;
    case STAGE_HEADS: sqlite3_result_int64(context, spec->model.heads); break;
    case STAGE_KV_GROUPS: sqlite3_result_int64(context, spec->model.kv_groups); break;
    case STAGE_RECOMPUTE:
        memx_level_format(choice->level, level);
        sqlite3_result_text(context, level, -1, SQLITE_TRANSIENT);
        break;
    case STAGE_IN_FLIGHT: sqlite3_result_int64(context, spec->in_flight); break;
    case STAGE_SEQUENCE_PARALLEL: sqlite3_result_int(context, spec->sequence_parallel); break;
    case STAGE_CP: sqlite3_result_int64(context, spec->cp); break;
    case STAGE_VP: sqlite3_result_int64(context, priced->config.knobs.vp); break;
    case STAGE_EP: sqlite3_result_int64(context, spec->ep); break;
    case STAGE_DISTRIBUTED_OPTIMIZER:
        sqlite3_result_int64(context, spec->distributed_optimizer);
        break;
    case STAGE_GPUS: sqlite3_result_int64(context, spec->tp * spec->cp * spec->dp); break;
    case STAGE_PREDICTOR:
        memx_result_predictor(context, cursor->pricer->name,
                              priced->options[cursor->stage].extrapolated);
        break;
    case STAGE_SIGNATURE: result_signature(cursor, context); break;
    case STAGE_JOB: sqlite3_result_text(context, job->name, -1, SQLITE_TRANSIENT); break;
    case STAGE_CONFIG: memx_row_result(&cursor->row, NULL, context, MEMX_COL_CONFIG); break;
    default: result_time(cursor, context, column); result_memory(cursor, context, column);
    }
    return SQLITE_OK;
}

static int gpus_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    point_cursor *cursor = (point_cursor *)base;
    const memx_job *job = &cursor->study->row.job;
    const memx_knobs *knobs = &cursor->priced.config.knobs;
    const memx_node *node = &job->nodes[cursor->priced.config.placement.runs[cursor->run].node];
    int64_t in_stage = cursor->at % memx_knobs_stage_gpus(knobs);
    int64_t peak = memx_stage_peak_kib(&cursor->price.memory);
    int64_t card = memx_card_kib(job, node->device);
    switch (column) {
    case GPU_RANK: sqlite3_result_int64(context, cursor->at); break;
    case GPU_NODE: sqlite3_result_int64(context, node->ordinal); break;
    case GPU_DEVICE:
        sqlite3_result_text(context, job->devices[node->device].name, -1, SQLITE_TRANSIENT);
        break;
    case GPU_STAGE: sqlite3_result_int(context, cursor->stage); break;
    case GPU_DP_RANK: sqlite3_result_int64(context, in_stage / knobs->tp / knobs->cp); break;
    case GPU_CP_RANK: sqlite3_result_int64(context, in_stage / knobs->tp % knobs->cp); break;
    case GPU_TP_RANK: sqlite3_result_int64(context, in_stage % knobs->tp); break;
    case GPU_PEAK_MIB: result_mib(context, peak); break;
    case GPU_CAPACITY_MIB: result_mib(context, card); break;
    case GPU_HEADROOM: sqlite3_result_double(context, (double)(card - peak) / (double)card); break;
    case GPU_JOB: sqlite3_result_text(context, job->name, -1, SQLITE_TRANSIENT); break;
    case GPU_CONFIG: memx_row_result(&cursor->row, NULL, context, MEMX_COL_CONFIG); break;
    default: break;
    }
    return SQLITE_OK;
}

/* The three modules differ in their columns alone. */
#define POINT_MODULE(connect, column)                                                              \
    {                                                                                              \
        .xConnect = (connect), .xBestIndex = point_best_index,                                     \
        .xDisconnect = memx_vtab_disconnect, .xOpen = point_open, .xClose = point_close,           \
        .xFilter = point_filter, .xNext = point_next, .xEof = point_eof, .xColumn = (column),      \
        .xRowid = point_rowid,                                                                     \
    }

const sqlite3_module memx_predict_module = POINT_MODULE(predict_connect, predict_column);
const sqlite3_module memx_stages_module = POINT_MODULE(stages_connect, stages_column);
const sqlite3_module memx_gpus_module = POINT_MODULE(gpus_connect, gpus_column);
