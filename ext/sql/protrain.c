/*
** protrain_configs: the configurations of ProTrain that fit a job, enumerated and predicted when asked.
**
**   SELECT config, iteration_ms, gpu_peak_mib, host_peak_mib FROM protrain_configs
**   WHERE job = 'mine' ORDER BY iteration_ms LIMIT 10;
**   SELECT * FROM protrain_configs('mine') WHERE n_swap = 0 AND micro_batch = 4
**   ORDER BY iteration_ms LIMIT 1;
**
** The model is core/protrain.h, the search core/protrain_search.h. ORDER BY iteration_ms (also after
** job) is answered by ranked search, several jobs merged; everything else is streamed, and SQLite
** sorts. Equalities and bounds on the five numbers and on both memories skip work, those on
** iteration_ms begin and end a ranking; a config is looked up. A list of jobs (IN) is taken at once.
** Jobs that cannot be read, or are none for ProTrain, are left out, and shown by protrain_why; naming
** one is an error.
*/
#include "sql/protrain.h"

#include "core/whole.h"
#include "sql/constraints.h"
#include "sql/modules.h"
#include "sql/vtab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* ---- a job ---- */

memx_status memx_protrain_job_open(memx_session *session, const char *name, const memx_poll *poll,
                                   memx_protrain_job *out, memx_error *error) {
    memx_reader *reader = memx_session_reader(session);
    memx_space space = {.name = ""};
    bool spaced = false;
    *out = (memx_protrain_job){0};
    memx_status status = memx_session_study(session, name, NULL, false, poll, &out->study, error);
    if (status) return status;
    const memx_job *job = &out->study->row.job;
    status = memx_catalog_space(reader, out->study->row.space, &space, NULL, error);
    spaced = status == MEMX_OK;
    if (!status) status = memx_catalog_operators(reader, job, &out->operators, error);
    if (!status) {
        status = memx_protrain_open(job, &space.axes[MEMX_AXIS_MICRO_BATCH], out->operators.lists,
                                    out->operators.count, &out->protrain, error);
    }
    if (spaced) memx_space_free(&space);
    if (!status) return MEMX_OK;
    memx_protrain_job_close(out);
    return memx_prefix_job(error, status, name, NULL);
}

void memx_protrain_job_close(memx_protrain_job *job) {
    memx_protrain_close(&job->protrain);
    memx_operators_free(&job->operators);
    memx_study_release(job->study);
    *job = (memx_protrain_job){0};
}

memx_status memx_protrain_job_config(const memx_protrain_job *job, const char *config,
                                     memx_protrain_choice *out, memx_error *error) {
    memx_status status = memx_protrain_parse(&job->protrain, config, out, error);
    return memx_prefix_job(error, status, job->study->row.job.name, config);
}

/* ---- the table ---- */

enum {
    COL_JOB,
    COL_CONFIG,
    COL_PERSIST,
    COL_BUFFER,
    COL_SWAP,
    COL_CHECKPOINT,
    COL_CHUNK_MIB,
    COL_CHUNKS,
    COL_MICRO_BATCH,
    COL_MICRO_BATCHES,
    COL_ITERATION_MS,
    COL_TOKENS_PER_S,
    COL_GPU_PEAK_MIB,
    COL_HOST_PEAK_MIB,
    COL_HEADROOM,
    COL_HOST_HEADROOM,
    COL_FORWARD_MS,
    COL_BACKWARD_MS,
    COL_EXPOSED_MS,
    COL_GPU_OPTIMIZER_MS,
    COL_CPU_OPTIMIZER_MS,
    COL_TRANSIENT_MIB,
    COL_OPERATORS,
    COL_JOB_NAME,
    COL_MAX_ROWS,
};

static const char schema[] =
    "CREATE TABLE protrain_configs(job VARCHAR(64), config VARCHAR(128), n_persist BIGINT, "
    "n_buffer BIGINT, n_swap BIGINT, n_checkpoint BIGINT, chunk_mib BIGINT, chunks BIGINT, "
    "micro_batch BIGINT, micro_batches BIGINT, iteration_ms DOUBLE, tokens_per_s DOUBLE, "
    "gpu_peak_mib DOUBLE, host_peak_mib DOUBLE, headroom DOUBLE, host_headroom DOUBLE, "
    "forward_ms DOUBLE, backward_ms DOUBLE, exposed_ms DOUBLE, gpu_optimizer_ms DOUBLE, "
    "cpu_optimizer_ms DOUBLE, transient_mib DOUBLE, operators VARCHAR(16), "
    "job_name HIDDEN VARCHAR(64), max_rows BIGINT HIDDEN, "
    "PRIMARY KEY(job, config, max_rows)) WITHOUT ROWID";

/* Columns whose bounds the search takes, beside the five numbers. */
typedef enum measure { TIME, GPU, GPU_FREE, HOST, HOST_FREE, MEASURES } measure;

/* The rows of one job. */
typedef struct lane {
    memx_protrain_job job;
    memx_protrain_scan scan;
    memx_protrain_ranked *ranked;
    bool once; /* a config was looked up */
    memx_protrain_row row;
} lane;

typedef struct protrain_cursor {
    memx_cursor base; /* must be first */
    bool done, ranked, job_by_job, job_named;
    int64_t number, max_rows;
    memx_text jobs; /* names, each with its NUL */
    size_t next_job;
    char *config; /* looked up, or NULL */
    memx_protrain_bounds bounds;
    double least[MEASURES], most[MEASURES]; /* in the columns' units */
    lane *lanes;
    size_t lane_count;
    lane *lane; /* of the current row */
} protrain_cursor;

static int protrain_connect(sqlite3 *db, void *session, int argc, const char *const *argv,
                            sqlite3_vtab **out, char **message) {
    (void)argc, (void)argv, (void)message;
    return memx_vtab_connect(db, session, schema, 0, out);
}

/* ---- planning ---- */

/* The number that a column bounds, or MEMX_PROTRAIN_AXES. */
static memx_protrain_axis column_axis(int column) {
    switch (column) {
    case COL_PERSIST: return MEMX_PROTRAIN_PERSIST;
    case COL_BUFFER: return MEMX_PROTRAIN_BUFFER;
    case COL_SWAP: return MEMX_PROTRAIN_SWAP;
    case COL_CHECKPOINT: return MEMX_PROTRAIN_CHECKPOINT;
    case COL_MICRO_BATCH: return MEMX_PROTRAIN_MICRO_BATCH;
    default: return MEMX_PROTRAIN_AXES;
    }
}

/* The measure that a column bounds, or MEASURES. */
static measure column_measure(int column) {
    switch (column) {
    case COL_ITERATION_MS: return TIME;
    case COL_GPU_PEAK_MIB: return GPU;
    case COL_HEADROOM: return GPU_FREE;
    case COL_HOST_PEAK_MIB: return HOST;
    case COL_HOST_HEADROOM: return HOST_FREE;
    default: return MEASURES;
    }
}

static bool is_text(int column) {
    return column == COL_JOB || column == COL_JOB_NAME || column == COL_CONFIG;
}

static bool is_number(int column) {
    return column_axis(column) != MEMX_PROTRAIN_AXES || column_measure(column) != MEASURES;
}

/*
** idxStr holds two characters for every argument of xFilter: the column as 'A' + number, and the
** constraint's code (constraints.h), '!' instead of '=' for a job named by a literal, 'i' for a list of
** jobs. idxNum: 0 a stream, 1 by time, 2 by time job by job. Another list (IN) is left to SQLite, which
** asks once a config and a max_rows, and checks numbers row by row. Text is used under BINARY collation only. SQLite
** checks all terms again but those on hidden columns, and a plan without one of these whose value is to
** come from another table is a last resort.
*/
static int protrain_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
    int argument = 0;
    bool job = false, jobs = false, config = false;
    uint64_t set = 0, waiting = 0; /* hidden columns, from job_name */
    (void)vtab;
    char *plan = sqlite3_malloc64((sqlite3_uint64)info->nConstraint * 2 + 1);
    if (!plan) return SQLITE_NOMEM;
    for (int i = 0; i < info->nConstraint; i++) {
        int column = info->aConstraint[i].iColumn;
        char code = memx_constraint_code(info->aConstraint[i].op, is_number(column),
                                         is_text(column) || column == COL_MAX_ROWS);
        bool hidden = column >= COL_JOB_NAME;
        if (!code) continue;
        if (!info->aConstraint[i].usable) {
            if (hidden) waiting |= UINT64_C(1) << (column - COL_JOB_NAME);
            continue;
        }
        if (is_text(column) && strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0) continue;
        if (code == '=' && is_number(column) && sqlite3_vtab_in(info, i, -1)) continue;
        if (hidden) {
            if (set >> (column - COL_JOB_NAME) & 1) continue;
            set |= UINT64_C(1) << (column - COL_JOB_NAME);
            info->aConstraintUsage[i].omit = 1;
        }
        if (column == COL_JOB || column == COL_JOB_NAME) {
            job = true;
            if (memx_constraint_literal(info, i)) code = '!';
            if (sqlite3_vtab_in(info, i, -1)) {
                sqlite3_vtab_in(info, i, 1);
                code = 'i';
                jobs = true;
            }
        }
        config = config || column == COL_CONFIG;
        plan[2 * (size_t)argument] = (char)('A' + column);
        plan[2 * argument + 1] = code;
        info->aConstraintUsage[i].argvIndex = ++argument;
    }
    plan[2 * (size_t)argument] = '\0';
    info->idxStr = plan;
    info->needToFreeIdxStr = 1;
    int orders = info->nOrderBy;
    bool timed = orders > 0 && info->aOrderBy[orders - 1].iColumn == COL_ITERATION_MS;
    bool ranked = false, job_by_job = false;
    if (memx_can_order(info, COL_JOB, timed, &ranked, &job_by_job) && !(ranked && config)) {
        info->orderByConsumed = 1;
        if (ranked) info->idxNum = job_by_job ? 2 : 1;
    }
    /* A look-up opens the job, if not its search; a join had better look up than scan. */
    double rows = config ? 1.0 : 1e7;
    if (!job) rows *= 100.0;
    info->estimatedRows = (sqlite3_int64)rows;
    /* Without a job it is all of them: only max_rows is one that rows change with. */
    uint64_t read = info->colUsed & UINT64_C(1) << COL_MAX_ROWS;
    info->estimatedCost = memx_plan_cost(read >> COL_JOB_NAME, set, waiting, 100.0 + rows);
    if (job && !jobs && config) info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    return SQLITE_OK;
}

/* ---- rows ---- */

static int protrain_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
    return memx_cursor_open(vtab, sizeof(protrain_cursor), out);
}

static void close_lane(lane *l) {
    memx_protrain_scan_close(&l->scan);
    memx_protrain_ranked_close(l->ranked);
    memx_protrain_job_close(&l->job);
    *l = (lane){.ranked = NULL};
}

static void reset(protrain_cursor *cursor) {
    for (size_t i = 0; i < cursor->lane_count; i++) close_lane(&cursor->lanes[i]);
    free(cursor->lanes);
    memx_text_free(&cursor->jobs);
    sqlite3_free(cursor->config);
    cursor->lanes = cursor->lane = NULL;
    cursor->config = NULL;
    cursor->lane_count = cursor->next_job = 0;
    cursor->done = cursor->job_named = cursor->ranked = cursor->job_by_job = false;
    cursor->number = 0;
    cursor->max_rows = MEMX_DEFAULT_MAX_ROWS;
    memx_protrain_bounds_start(&cursor->bounds);
    for (int i = 0; i < MEASURES; i++) {
        cursor->least[i] = -INFINITY;
        cursor->most[i] = INFINITY;
    }
}

static int protrain_close(sqlite3_vtab_cursor *base) {
    protrain_cursor *cursor = (protrain_cursor *)base;
    reset(cursor);
    return memx_cursor_close(&cursor->base);
}

static memx_status lane_next(lane *l, memx_protrain_row *row) {
    if (l->once) return MEMX_DONE;
    if (l->ranked) return memx_protrain_ranked_next(l->ranked, row);
    return memx_protrain_scan_next(&l->scan, row);
}

static memx_status look_up(const protrain_cursor *cursor, lane *l) {
    memx_protrain_choice choice;
    l->once = true;
    if (memx_protrain_parse(&l->job.protrain, cursor->config, &choice, NULL) ||
        !memx_protrain_fits(&l->job.protrain, &choice)) {
        return MEMX_DONE;
    }
    return memx_protrain_row_at(&l->job.protrain, &choice, &l->row);
}

static int64_t clamped(double x) {
    return (int64_t)fmax(-1e18, fmin(1e18, x));
}

/* The bounds for one job. SQLite compares again, so what is rounded allows one more. */
static memx_protrain_bounds lane_bounds(const protrain_cursor *cursor, const memx_protrain *p) {
    memx_protrain_bounds b = cursor->bounds;
    const double *least = cursor->least, *most = cursor->most, card = (double)p->card_kib;
    const double share = 1e-9;
    b.least_ns = clamped(floor(least[TIME] * 1e6) - 1.0);
    b.most_ns = clamped(ceil(most[TIME] * 1e6) + 1.0);
    b.gpu_least_kib =
        clamped(floor(fmax(least[GPU] * 1024.0, (1.0 - most[GPU_FREE]) * card)) - 1.0);
    b.gpu_most_kib = clamped(ceil(fmin(most[GPU] * 1024.0, (1.0 - least[GPU_FREE]) * card)) + 1.0);
    b.host_least_kib = clamped(floor(least[HOST] * 1024.0) - 1.0);
    b.host_most_kib = clamped(ceil(most[HOST] * 1024.0) + 1.0);
    b.host_least_used = 1.0 - most[HOST_FREE] - share;
    b.host_most_used = 1.0 - least[HOST_FREE] + share;
    for (int i = HOST; i <= HOST_FREE; i++) {
        b.hosts = b.hosts || isfinite(least[i]) || isfinite(most[i]);
    }
    return b;
}

/* A stream says at once that it is too long; a ranking goes on for as long as it is asked. */
static memx_status check_length(const protrain_cursor *cursor, const lane *l, const memx_poll *poll,
                                memx_error *error) {
    int64_t rows = 0;
    memx_status status = memx_protrain_count(&l->job.protrain, &l->scan.bounds, poll, &rows);
    if (status || rows <= cursor->max_rows) return status;
    return memx_invalid(error,
                        "job '%s' has %lld configurations, more than max_rows %lld; ORDER BY "
                        "iteration_ms LIMIT k, bound n_persist, n_buffer or headroom, or write "
                        "max_rows = N",
                        l->job.study->row.job.name, (long long)rows, (long long)cursor->max_rows);
}

/* Opens the next job as lane `at`, on its first row. MEMX_DONE: it has none, or was skipped. */
static memx_status open_lane(protrain_cursor *cursor, lane *l, memx_error *error) {
    memx_session *session = memx_cursor_table(&cursor->base)->session;
    const memx_poll *poll = memx_cursor_poll(&cursor->base);
    const char *name = cursor->jobs.data + cursor->next_job;
    cursor->next_job += strlen(name) + 1;
    memx_status status = memx_protrain_job_open(session, name, poll, &l->job, error);
    if (status == MEMX_INVALID && !cursor->job_named) return MEMX_DONE;
    if (status) return status;
    l->scan = (memx_protrain_scan){.protrain = &l->job.protrain,
                                   .bounds = lane_bounds(cursor, &l->job.protrain),
                                   .poll = poll};
    if (cursor->config) return look_up(cursor, l);
    if (cursor->ranked) {
        status = memx_protrain_ranked_open(&l->job.protrain, &l->scan.bounds, poll, &l->ranked);
    } else {
        status = check_length(cursor, l, poll, error);
    }
    return status ? status : lane_next(l, &l->row);
}

/* Job by job: lane 0 alone. */
static memx_status advance_stream(protrain_cursor *cursor, memx_error *error) {
    lane *l = cursor->lanes;
    memx_status status = cursor->lane ? lane_next(l, &l->row) : MEMX_DONE;
    while (status == MEMX_DONE && cursor->next_job < cursor->jobs.length) {
        close_lane(l);
        cursor->lane_count = 1;
        status = open_lane(cursor, l, error);
        cursor->lane = l;
    }
    return status;
}

/* The least of all jobs' next rows; ties go to the first job. */
static memx_status advance_merged(protrain_cursor *cursor, memx_error *error) {
    memx_status status = MEMX_OK;
    while (cursor->next_job < cursor->jobs.length) {
        lane *l = &cursor->lanes[cursor->lane_count++];
        status = open_lane(cursor, l, error);
        if (status == MEMX_DONE) close_lane(l);
        if (status && status != MEMX_DONE) return status;
    }
    if (cursor->lane) {
        status = lane_next(cursor->lane, &cursor->lane->row);
        if (status == MEMX_DONE) close_lane(cursor->lane);
        if (status && status != MEMX_DONE) return status;
    }
    cursor->lane = NULL;
    for (size_t i = 0; i < cursor->lane_count; i++) {
        lane *l = &cursor->lanes[i];
        if (!l->ranked) continue; /* at its end */
        if (!cursor->lane || l->row.time.iteration_ns < cursor->lane->row.time.iteration_ns) {
            cursor->lane = l;
        }
    }
    return cursor->lane ? MEMX_OK : MEMX_DONE;
}

static int advance(protrain_cursor *cursor) {
    memx_error error = {.text = ""};
    bool merged = cursor->ranked && !cursor->job_by_job;
    memx_status status = merged ? advance_merged(cursor, &error) : advance_stream(cursor, &error);
    cursor->done = status == MEMX_DONE;
    if (!status && cursor->ranked && cursor->number >= cursor->max_rows) {
        status = memx_invalid(
            &error,
            "%lld rows were tried by iteration_ms, all that max_rows allows, and the query goes "
            "on; conditions on micro_batch, n_swap, n_checkpoint, n_persist, n_buffer, "
            "iteration_ms, gpu_peak_mib, headroom, host_peak_mib and host_headroom leave fewer to "
            "try (others, and LIMIT beside them, do not); or write max_rows = N",
            (long long)cursor->number);
    }
    if (status && status != MEMX_DONE) {
        return memx_vtab_fail(cursor->base.base.pVtab, status, &error);
    }
    cursor->number++;
    return SQLITE_OK;
}

static int protrain_next(sqlite3_vtab_cursor *base) {
    return advance((protrain_cursor *)base);
}

static int protrain_eof(sqlite3_vtab_cursor *base) {
    return ((protrain_cursor *)base)->done;
}

/* ---- constraints ---- */

/* Narrows what a column bounds. A value that is no number is left to SQLite's own comparison. */
static void bound(protrain_cursor *cursor, int column, char code, sqlite3_value *value) {
    measure m = column_measure(column);
    double x = 0.0;
    if (!memx_constraint_number(value, &x)) return;
    if (m == MEASURES) {
        memx_protrain_axis axis = column_axis(column);
        memx_constraint_narrow(&cursor->bounds.least[axis], &cursor->bounds.most[axis], code, x);
        return;
    }
    if (code != '<' && code != 'l') cursor->least[m] = fmax(cursor->least[m], x);
    if (code != '>' && code != 'g') cursor->most[m] = fmin(cursor->most[m], x);
}

/* False where no row can have the value: NULL, or text with a NUL in it. */
static bool take(protrain_cursor *cursor, int column, char code, sqlite3_value *value,
                 const char **job, memx_status *status, memx_error *error) {
    if (sqlite3_value_type(value) == SQLITE_NULL) return false;
    if (column == COL_MAX_ROWS) {
        *status = memx_argument_whole(value, "max_rows", 1, INT64_MAX, &cursor->max_rows, error);
        return true;
    }
    if (!is_text(column)) {
        bound(cursor, column, code, value);
        return true;
    }
    const char *text = (const char *)sqlite3_value_text(value);
    if (!text) {
        *status = MEMX_NOMEM;
        return true;
    }
    if (memx_no_name(value)) return false;
    if (column == COL_CONFIG) {
        sqlite3_free(cursor->config);
        cursor->config = sqlite3_mprintf("%s", text);
        if (!cursor->config) *status = MEMX_NOMEM;
        return true;
    }
    if (*job && strcmp(*job, text) != 0) return false;
    *job = text;
    cursor->job_named = cursor->job_named || code == '!';
    return true;
}

static memx_status list_jobs(protrain_cursor *cursor, const char *job, memx_error *error) {
    memx_reader *reader = memx_session_reader(memx_cursor_table(&cursor->base)->session);
    memx_status status = memx_catalog_jobs(reader, job, NULL, NULL, &cursor->jobs, error);
    if (!status && cursor->jobs.length == 0 && job) {
        return memx_catalog_unknown(reader, "no job", job, "memx_job", "SELECT job FROM memx_job",
                                    error);
    }
    size_t count = 1;
    for (size_t i = 0; i < cursor->jobs.length; i++) count += cursor->jobs.data[i] == '\0';
    cursor->lanes = calloc(count, sizeof *cursor->lanes);
    return status ? status : cursor->lanes ? MEMX_OK : MEMX_NOMEM;
}

/* Leaves the jobs of a list (IN). A name that is no job is an error, as it is without a list. */
static memx_status keep_listed(protrain_cursor *cursor, sqlite3_value *list, memx_error *error) {
    memx_reader *reader = memx_session_reader(memx_cursor_table(&cursor->base)->session);
    sqlite3_value *value = NULL;
    memx_text all = {0}, kept = {0};
    memx_status status = memx_catalog_jobs(reader, NULL, NULL, NULL, &all, error);
    bool *listed = calloc(all.length + 1, sizeof *listed); /* by where a name begins */
    if (!status && !listed) status = MEMX_NOMEM;
    int rc = status ? SQLITE_DONE : sqlite3_vtab_in_first(list, &value);
    for (; rc == SQLITE_OK && value && !status; rc = sqlite3_vtab_in_next(list, &value)) {
        const char *name = (const char *)sqlite3_value_text(value);
        size_t at = 0, length = (size_t)sqlite3_value_bytes(value);
        if (sqlite3_value_type(value) != SQLITE_TEXT || !name || strlen(name) != length) continue;
        while (at < all.length && strcmp(all.data + at, name) != 0) at += strlen(all.data + at) + 1;
        if (at < all.length) {
            listed[at] = true;
        } else {
            status = memx_catalog_unknown(reader, "no job", name, "memx_job",
                                          "SELECT job FROM memx_job", error);
        }
    }
    if (rc != SQLITE_OK && rc != SQLITE_DONE) status = MEMX_NOMEM;
    for (size_t at = 0; at < cursor->jobs.length && !status;) {
        const char *name = cursor->jobs.data + at;
        size_t length = strlen(name) + 1, place = 0;
        while (place < all.length && strcmp(all.data + place, name) != 0) {
            place += strlen(all.data + place) + 1;
        }
        if (listed[place]) memx_text_add(&kept, name, length);
        at += length;
    }
    if (!status && kept.failed) status = MEMX_NOMEM;
    free(listed);
    memx_text_free(&all);
    memx_text_free(&cursor->jobs);
    cursor->jobs = kept;
    return status;
}

static int protrain_filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
                           sqlite3_value **argv) {
    protrain_cursor *cursor = (protrain_cursor *)base;
    const char *job = NULL;
    memx_error error = {.text = ""};
    memx_status status = MEMX_OK;
    reset(cursor);
    cursor->ranked = number > 0;
    cursor->job_by_job = number == 2;
    for (int i = 0; i < argc && !status; i++) {
        if (plan[2 * i + 1] == 'i') continue;
        if (!take(cursor, plan[2 * (size_t)i] - 'A', plan[2 * i + 1], argv[i], &job, &status,
                  &error)) {
            cursor->done = true;
            return SQLITE_OK;
        }
    }
    if (!status) status = list_jobs(cursor, job, &error);
    for (int i = 0; i < argc && !status; i++) {
        if (plan[2 * i + 1] == 'i') status = keep_listed(cursor, argv[i], &error);
    }
    if (status) return memx_vtab_fail(base->pVtab, status, &error);
    return advance(cursor);
}

/* ---- columns ---- */

static double transient_mib(const memx_protrain *p, const memx_protrain_row *row) {
    const memx_protrain_choice *c = &row->choice;
    int64_t hooked = memx_protrain_activations_kib(p, c->batch, c->swap, c->checkpoint, true);
    return memx_mib(row->activation_kib - memx_least(hooked, row->activation_kib));
}

static void result_memory(sqlite3_context *context, const memx_protrain *p,
                          const memx_protrain_row *row, int column) {
    const memx_protrain_choice *c = &row->choice;
    if (column == COL_GPU_PEAK_MIB || column == COL_HEADROOM) {
        int64_t kib = memx_protrain_gpu_kib(p, row->activation_kib, c->persist, c->buffer);
        double free_share = 1.0 - (double)kib / (double)p->card_kib;
        sqlite3_result_double(context, column == COL_HEADROOM ? free_share : memx_mib(kib));
        return;
    }
    const memx_protrain_host *host = memx_protrain_tightest(p, c);
    int64_t kib = memx_protrain_host_kib(p, host, c);
    double free_share = 1.0 - (double)kib / (double)host->memory_kib;
    sqlite3_result_double(context, column == COL_HOST_HEADROOM ? free_share : memx_mib(kib));
}

static void result_time(sqlite3_context *context, const memx_protrain *p,
                        const memx_protrain_time *t, int column) {
    double tokens = (double)p->job->global_batch * (double)p->job->model.seq_length;
    switch (column) {
    case COL_ITERATION_MS: sqlite3_result_double(context, memx_ms(t->iteration_ns)); break;
    case COL_TOKENS_PER_S:
        if (t->iteration_ns > 0) {
            sqlite3_result_double(context, tokens / ((double)t->iteration_ns * 1e-9));
        }
        break;
    case COL_FORWARD_MS: sqlite3_result_double(context, memx_ms(t->forward_ns)); break;
    case COL_BACKWARD_MS: sqlite3_result_double(context, memx_ms(t->backward_ns)); break;
    case COL_EXPOSED_MS: sqlite3_result_double(context, memx_ms(t->exposed_ns)); break;
    case COL_GPU_OPTIMIZER_MS: sqlite3_result_double(context, memx_ms(t->gpu_optimizer_ns)); break;
    case COL_CPU_OPTIMIZER_MS: sqlite3_result_double(context, memx_ms(t->cpu_optimizer_ns)); break;
    default: break;
    }
}

static int protrain_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    const protrain_cursor *cursor = (protrain_cursor *)base;
    const lane *l = cursor->lane;
    const memx_protrain *p = &l->job.protrain;
    const memx_protrain_choice *c = &l->row.choice;
    const memx_protrain_batch *b = &p->batches[c->batch];
    char text[MEMX_PROTRAIN_TEXT];
    switch (column) {
    case COL_JOB:
    case COL_JOB_NAME: sqlite3_result_text(context, p->job->name, -1, SQLITE_TRANSIENT); break;
    case COL_CONFIG:
        memx_protrain_format(p, c, text);
        sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
        break;
    case COL_PERSIST: sqlite3_result_int64(context, c->persist); break;
    case COL_BUFFER: sqlite3_result_int64(context, c->buffer); break;
    case COL_SWAP: sqlite3_result_int64(context, c->swap); break;
    case COL_CHECKPOINT: sqlite3_result_int64(context, c->checkpoint); break;
    case COL_CHUNK_MIB: sqlite3_result_int64(context, p->chunks.mib); break;
    case COL_CHUNKS: sqlite3_result_int64(context, p->chunks.count); break;
    case COL_MICRO_BATCH: sqlite3_result_int64(context, b->micro_batch); break;
    case COL_MICRO_BATCHES: sqlite3_result_int64(context, b->steps); break;
    case COL_GPU_PEAK_MIB:
    case COL_HOST_PEAK_MIB:
    case COL_HEADROOM:
    case COL_HOST_HEADROOM: result_memory(context, p, &l->row, column); break;
    case COL_TRANSIENT_MIB: sqlite3_result_double(context, transient_mib(p, &l->row)); break;
    case COL_OPERATORS:
        sqlite3_result_text(context,
                            !b->profiled ? "analytic"
                            : b->scaled  ? "scaled"
                                         : "profiled",
                            -1, SQLITE_STATIC);
        break;
    case COL_MAX_ROWS: sqlite3_result_int64(context, cursor->max_rows); break;
    default: result_time(context, p, &l->row.time, column);
    }
    return SQLITE_OK;
}

const sqlite3_module protrain_configs_module = {
    .xConnect = protrain_connect,
    .xBestIndex = protrain_best_index,
    .xDisconnect = memx_vtab_disconnect,
    .xOpen = protrain_open,
    .xClose = protrain_close,
    .xFilter = protrain_filter,
    .xNext = protrain_next,
    .xEof = protrain_eof,
    .xColumn = protrain_column,
};
