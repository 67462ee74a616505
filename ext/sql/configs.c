/*
** memx_configs: the feasible configurations of each job's space, enumerated and predicted when
** asked.
**
**   SELECT config, iteration_ms, peak_mib, phi FROM memx_configs
**   WHERE cluster = 'mix20' AND tp <= 2 ORDER BY phi LIMIT 10;
**   SELECT count(*) FROM memx_configs('free') WHERE job = 'xy';      -- another space
**   SELECT * FROM memx_configs WHERE job = 'mix20' AND config = 'tp2.dp2.mb1.seq4096/...';
**
** How it works: xFilter lists the jobs that the constraints name; each job in turn is read from the
** stored tables, its space searched skeleton by skeleton (core/search.h), and rows stream from
** there (lane.h). ORDER BY phi, iteration_ms, slowdown, peak_mib or memory_variance is answered by
** ranked search (core/ranked.h), with bounds on these, headroom, tokens_per_s and tflops_per_gpu;
** several jobs are merged. Constraints on degrees skip whole skeletons, a config is looked up, shards
** cut what is left (core/extent.h). SQLite checks the terms again, so that such a push-down can only
** save work; names and parameters, the same in every row, it does not. Streamed rows come ordered by
** job.
**
** Jobs that cannot be read are skipped, and shown by memx_why; naming one in `job = 'x'` is an
** error, and so is a name that no row of memx_job, memx_cluster or memx_model has.
*/
#include "sql/constraints.h"
#include "sql/lane.h"
#include "sql/modules.h"
#include "sql/vtab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* The arguments of the table-valued form come first, in this order. */
enum {
    COL_SPACE = MEMX_ROW_COLUMNS,
    COL_WEIGHTS,
    COL_MAX_ROWS,
    COL_SHARDS,
    COL_SHARD,
    COL_PARETO,
    COL_SIMULATED_MS,
    COL_SAME_TASK,
};

static const char schema[] =
    "CREATE TABLE memx_configs(" MEMX_ROW_DECLARATION
    ", space HIDDEN VARCHAR(64), weights HIDDEN VARCHAR(64), max_rows BIGINT HIDDEN"
    ", shards BIGINT HIDDEN, shard BIGINT HIDDEN, pareto BIGINT HIDDEN"
    ", simulated_ms DOUBLE HIDDEN"
    /* With all that rows depend on, or DISTINCT and OR would take several for one, or one for several.
    ** SQLite takes none of these for NULL. */
    ", same_task BIGINT HIDDEN, PRIMARY KEY(job, config, space, weights, max_rows, shards, shard, "
    "pareto)) WITHOUT ROWID";

typedef struct configs_cursor {
    memx_cursor base;     /* must be first */
    sqlite3_int64 number; /* of rows given out */
    bool done;

    /* What the constraints say. */
    memx_text jobs; /* names, each with its NUL */
    size_t next_job;
    bool job_named, job_by_job;
    char *weights;
    memx_lane_query query;

    /* The jobs being read: one at a time, or all of them where their rows are merged by rank. */
    memx_lane *lanes;
    size_t lane_count;
    memx_lane *lane; /* of the current row */
} configs_cursor;

static int configs_connect(sqlite3 *db, void *session, int argc, const char *const *argv,
                           sqlite3_vtab **out, char **message) {
    (void)argc;
    (void)argv;
    (void)message;
    return memx_vtab_connect(db, session, schema, 0, out);
}

/* ---- planning ---- */

/* The knob that a column bounds, or MEMX_AXIS_COUNT. */
static memx_axis column_axis(int column) {
    switch (column) {
    case MEMX_COL_TP: return MEMX_AXIS_TP;
    case MEMX_COL_PP: return MEMX_AXIS_PP;
    case MEMX_COL_DP: return MEMX_AXIS_DP;
    case MEMX_COL_MICRO_BATCH: return MEMX_AXIS_MICRO_BATCH;
    case MEMX_COL_SEQ_LENGTH: return MEMX_AXIS_SEQ_LENGTH;
    case MEMX_COL_HEADS: return MEMX_AXIS_HEADS;
    case MEMX_COL_KV_GROUPS: return MEMX_AXIS_KV_GROUPS;
    case MEMX_COL_CP: return MEMX_AXIS_CP;
    case MEMX_COL_EP: return MEMX_AXIS_EP;
    case MEMX_COL_VP: return MEMX_AXIS_VP;
    case MEMX_COL_SEQUENCE_PARALLEL: return MEMX_AXIS_SEQUENCE_PARALLEL;
    case MEMX_COL_DISTRIBUTED_OPTIMIZER: return MEMX_AXIS_DISTRIBUTED_OPTIMIZER;
    default: return MEMX_AXIS_COUNT;
    }
}

/* What a column is called as something to rank by; false where it is none. */
static bool column_measure(int column, memx_measure *out) {
    switch (column) {
    case MEMX_COL_PHI: *out = MEMX_BY_PHI; return true;
    case MEMX_COL_ITERATION_MS: *out = MEMX_BY_ITERATION; return true;
    case MEMX_COL_PEAK_MIB: *out = MEMX_BY_PEAK; return true;
    case MEMX_COL_MEMORY_VARIANCE: *out = MEMX_BY_VARIANCE; return true;
    case MEMX_COL_SLOWDOWN: *out = MEMX_BY_SLOWDOWN; return true;
    default: return false;
    }
}

/* The limits that a column sets, or NULL. */
static memx_interval *column_interval(memx_limits *limits, int column) {
    switch (column) {
    case MEMX_COL_ITERATION_MS: return &limits->iteration_ms;
    case MEMX_COL_PEAK_MIB: return &limits->peak_mib;
    case MEMX_COL_MEMORY_VARIANCE: return &limits->variance_mib2;
    case MEMX_COL_PHI: return &limits->phi;
    case MEMX_COL_SLOWDOWN: return &limits->slowdown;
    case MEMX_COL_HEADROOM: return &limits->headroom;
    case MEMX_COL_TOKENS_PER_S: return &limits->tokens_per_s;
    case MEMX_COL_TFLOPS_PER_GPU: return &limits->tflops_per_gpu;
    default: return NULL;
    }
}

static bool is_parameter(int column) {
    return column >= COL_SPACE && column <= COL_PARETO;
}

/* Columns that hold a name, and are the same in every row that an equality leaves. */
static bool is_name(int column) {
    return column == MEMX_COL_JOB || column == MEMX_COL_CLUSTER || column == MEMX_COL_MODEL ||
           column == COL_SPACE || column == COL_WEIGHTS;
}

/* The code of a constraint that the search takes (constraints.h). best_index adds 'i' (IN). */
static char constraint_code(int column, unsigned char op) {
    memx_limits limits;
    bool bounded = column_axis(column) != MEMX_AXIS_COUNT || column_interval(&limits, column);
    return memx_constraint_code(
        op, bounded, is_name(column) || column == MEMX_COL_CONFIG || is_parameter(column));
}

/* Whether the order's last column can be ranked by. */
static bool measured_order(const sqlite3_index_info *info, memx_measure *by) {
    int n = info->nOrderBy;
    return n > 0 && column_measure(info->aOrderBy[n - 1].iColumn, by);
}

/*
** idxStr holds two characters for every argument of xFilter: the column as 'A' + number, and the
** constraint's code; '!' instead of '=' for a job named by a literal, 'i' for a list of degrees,
** which xFilter takes as a range, '#' for LIMIT and OFFSET, whose sum is a hint and no more. idxNum
** is 0 for a stream; else 1 + the measure to rank by, + 16 where that is done job by job. Text columns
** are used only under BINARY collation, since another one admits more rows than the equality that
** xFilter applies. The first equality with a name or a parameter is omitted, a second one not used. A
** parameter (hidden column) whose value comes from a table that is not read yet makes the plan a last
** resort: it would scan without the parameter and leave the term to SQLite.
*/
static int configs_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
    int argument = 0;
    bool job = false, cluster = false, config = false, pareto = false;
    uint64_t omitted = 0, waiting = 0; /* columns */
    (void)vtab;
    char *plan = sqlite3_malloc64((sqlite3_uint64)info->nConstraint * 2 + 1);
    if (!plan) return SQLITE_NOMEM;
    for (int i = 0; i < info->nConstraint; i++) {
        int column = info->aConstraint[i].iColumn;
        int op = info->aConstraint[i].op;
        bool hint = op == SQLITE_INDEX_CONSTRAINT_LIMIT || op == SQLITE_INDEX_CONSTRAINT_OFFSET;
        char code = constraint_code(column, (unsigned char)op);
        if (hint) code = '#';
        if (!code) continue;
        if (!info->aConstraint[i].usable) {
            if (!hint && is_parameter(column)) waiting |= UINT64_C(1) << column;
            continue;
        }
        if (hint) column = 0;
        if (code != '#') {
            if (column == MEMX_COL_JOB && memx_constraint_literal(info, i)) code = '!';
            if (code == '=' && sqlite3_vtab_in(info, i, -1)) {
                /* One xFilter a value would bring rows out of enumeration order. */
                memx_limits limits;
                if (column == MEMX_COL_CLUSTER || column == MEMX_COL_MODEL ||
                    column_interval(&limits, column)) {
                    continue;
                }
                if (column_axis(column) != MEMX_AXIS_COUNT) {
                    sqlite3_vtab_in(info, i, 1);
                    code = 'i';
                }
            }
            bool text = column <= MEMX_COL_CONFIG;
            if (text && strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0) continue;
            if (is_name(column) || is_parameter(column)) {
                if (omitted >> column & 1) continue;
                omitted |= UINT64_C(1) << column;
                info->aConstraintUsage[i].omit = 1;
            }
            job = job || column == MEMX_COL_JOB;
            cluster = cluster || column == MEMX_COL_CLUSTER;
            config = config || column == MEMX_COL_CONFIG;
            pareto = pareto || column == COL_PARETO;
        }
        plan[2 * (size_t)argument] = (char)('A' + column);
        plan[2 * argument + 1] = code;
        info->aConstraintUsage[i].argvIndex = ++argument;
    }
    plan[2 * (size_t)argument] = '\0';
    info->idxStr = plan;
    info->needToFreeIdxStr = 1;
    memx_measure by = MEMX_BY_PHI;
    bool ranked = false, job_by_job = false, measured = measured_order(info, &by);
    if (memx_can_order(info, MEMX_COL_JOB, measured, &ranked, &job_by_job) &&
        !(ranked && (config || pareto))) {
        info->orderByConsumed = 1;
        if (ranked) info->idxNum = 1 + (int)by + (job_by_job ? 16 : 0);
    }
    double rows = config ? 1.0 : 30000.0;
    if (!job) rows *= cluster ? 2.0 : 10.0;
    uint64_t parameters = (UINT64_C(1) << (COL_PARETO - COL_SPACE + 1)) - 1;
    info->estimatedRows = (sqlite3_int64)rows;
    info->estimatedCost =
        memx_plan_cost(info->colUsed >> COL_SPACE & parameters, omitted >> COL_SPACE,
                       waiting >> COL_SPACE, 1000.0 + rows * (info->colUsed ? 1.0 : 0.2));
    if (job && config) info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    return SQLITE_OK;
}

/* ---- opening and closing ---- */

static int configs_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
    return memx_cursor_open(vtab, sizeof(configs_cursor), out);
}

static void close_lanes(configs_cursor *cursor) {
    for (size_t i = 0; i < cursor->lane_count; i++) memx_lane_close(&cursor->lanes[i]);
    cursor->lane_count = 0;
    cursor->lane = NULL;
}

static void reset(configs_cursor *cursor) {
    close_lanes(cursor);
    free(cursor->lanes);
    cursor->lanes = NULL;
    memx_text_free(&cursor->jobs);
    sqlite3_free(cursor->query.space);
    sqlite3_free(cursor->query.config);
    sqlite3_free(cursor->weights);
    cursor->weights = NULL;
    cursor->next_job = 0;
    cursor->number = 0;
    cursor->done = cursor->job_named = false;
    cursor->query = (memx_lane_query){
        .max_rows = MEMX_DEFAULT_MAX_ROWS, .shard = -1, .limits = memx_aim_at(MEMX_BY_PHI).limits};
    memx_bounds_start(&cursor->query.bounds);
}

static int configs_close(sqlite3_vtab_cursor *base) {
    configs_cursor *cursor = (configs_cursor *)base;
    reset(cursor);
    return memx_cursor_close(&cursor->base);
}

/* ---- rows ---- */

static memx_vtab *table(configs_cursor *cursor) {
    return memx_cursor_table(&cursor->base);
}

/* Opens the next job behind the lanes that are open: MEMX_DONE where it has no row, or cannot be read
** and was not named. */
static memx_status open_lane(configs_cursor *cursor, memx_error *error) {
    const char *name = cursor->jobs.data + cursor->next_job;
    memx_lane *lane = &cursor->lanes[cursor->lane_count];
    cursor->next_job += strlen(name) + 1;
    memx_status status = memx_lane_open(table(cursor)->session, name, &cursor->query,
                                        memx_cursor_poll(&cursor->base), lane, error);
    if (status == MEMX_INVALID && !cursor->job_named) {
        status = MEMX_DONE;
    } else if (!status) {
        status = memx_lane_first(lane, error);
    }
    if (status == MEMX_OK) {
        cursor->lane_count++;
        return MEMX_OK;
    }
    memx_lane_close(lane);
    return status;
}

/* Job by job. */
static memx_status advance_stream(configs_cursor *cursor, memx_error *error) {
    memx_status status = cursor->lane ? memx_lane_next(cursor->lane, error) : MEMX_DONE;
    while (status == MEMX_DONE && cursor->next_job < cursor->jobs.length) {
        close_lanes(cursor);
        status = open_lane(cursor, error);
        if (!status) cursor->lane = cursor->lanes;
    }
    return status;
}

/* The least of all jobs' next rows; ties go to the first job. */
static memx_status advance_ranked(configs_cursor *cursor, memx_error *error) {
    memx_status status = MEMX_OK;
    while (cursor->next_job < cursor->jobs.length) {
        status = open_lane(cursor, error);
        if (status && status != MEMX_DONE) return status;
    }
    if (cursor->lane) {
        status = memx_lane_next(cursor->lane, error);
        if (status && status != MEMX_DONE) return status;
        if (status == MEMX_DONE) memx_lane_close(cursor->lane);
    }
    cursor->lane = NULL;
    for (size_t i = 0; i < cursor->lane_count; i++) {
        memx_lane *lane = &cursor->lanes[i];
        if (!lane->ranked) continue; /* at its end */
        if (!cursor->lane ||
            memx_ranked_value(lane->ranked) < memx_ranked_value(cursor->lane->ranked)) {
            cursor->lane = lane;
        }
    }
    return cursor->lane ? MEMX_OK : MEMX_DONE;
}

static int advance(configs_cursor *cursor) {
    memx_error error = {.text = ""};
    bool merged = cursor->query.ranked && !cursor->job_by_job;
    memx_status status = merged ? advance_ranked(cursor, &error) : advance_stream(cursor, &error);
    cursor->done = status == MEMX_DONE;
    if (!status && cursor->query.ranked && cursor->number >= cursor->query.max_rows) {
        status = memx_invalid(&error,
                              "more than max_rows %lld were asked for; write LIMIT, bound phi or "
                              "slowdown, or write max_rows = N",
                              (long long)cursor->query.max_rows);
    }
    if (status && status != MEMX_DONE) {
        return memx_vtab_fail(&table(cursor)->base, status, &error);
    }
    cursor->number++;
    return SQLITE_OK;
}

static int configs_next(sqlite3_vtab_cursor *base) {
    return advance((configs_cursor *)base);
}

static int configs_eof(sqlite3_vtab_cursor *base) {
    return ((configs_cursor *)base)->done;
}

/* ---- constraints ---- */

static void bound_axis(memx_bounds *bounds, memx_axis axis, char code, sqlite3_value *value) {
    double x = 0.0;
    if (!memx_constraint_number(value, &x)) return;
    memx_constraint_narrow(&bounds->least[axis], &bounds->most[axis], code, x);
}

/* IN: from the least to the greatest of its numbers, if they are numbers. */
static void bound_list(memx_bounds *bounds, memx_axis axis, sqlite3_value *list) {
    memx_bounds range;
    sqlite3_value *value = NULL;
    memx_bounds_start(&range);
    range.least[axis] = INT64_MAX;
    range.most[axis] = INT64_MIN;
    for (int rc = sqlite3_vtab_in_first(list, &value); rc == SQLITE_OK && value;
         rc = sqlite3_vtab_in_next(list, &value)) {
        memx_bounds one;
        memx_bounds_start(&one);
        bound_axis(&one, axis, '=', value);
        if (one.least[axis] < range.least[axis]) range.least[axis] = one.least[axis];
        if (one.most[axis] > range.most[axis]) range.most[axis] = one.most[axis];
    }
    if (range.least[axis] > bounds->least[axis]) bounds->least[axis] = range.least[axis];
    if (range.most[axis] < bounds->most[axis]) bounds->most[axis] = range.most[axis];
}

/* Narrows a measure. Whole numbers that no double holds are left to SQLite's comparison. */
static void bound_measure(memx_interval *interval, char code, sqlite3_value *value) {
    int type = sqlite3_value_type(value);
    double x = sqlite3_value_double(value);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return;
    if (type == SQLITE_INTEGER && fabs(x) > 9e15) return;
    if (code != '<' && code != 'l') {
        interval->least = fmax(interval->least, code == '>' ? nextafter(x, INFINITY) : x);
    }
    if (code != '>' && code != 'g') {
        interval->most = fmin(interval->most, code == '<' ? nextafter(x, -INFINITY) : x);
    }
}

static memx_status keep_text(char **out, sqlite3_value *value) {
    const char *text = (const char *)sqlite3_value_text(value);
    sqlite3_free(*out);
    *out = sqlite3_mprintf("%s", text ? text : "");
    return *out ? MEMX_OK : MEMX_NOMEM;
}

typedef struct names {
    const char *job, *cluster, *model;
} names;

static memx_status take_constraint(configs_cursor *cursor, int column, char code,
                                   sqlite3_value *value, names *wanted, memx_error *error) {
    switch (column) {
    case MEMX_COL_JOB:
        wanted->job = (const char *)sqlite3_value_text(value);
        cursor->job_named = code == '!';
        break;
    case MEMX_COL_CLUSTER: wanted->cluster = (const char *)sqlite3_value_text(value); break;
    case MEMX_COL_MODEL: wanted->model = (const char *)sqlite3_value_text(value); break;
    case MEMX_COL_CONFIG: return keep_text(&cursor->query.config, value);
    case COL_SPACE: return keep_text(&cursor->query.space, value);
    case COL_WEIGHTS: return keep_text(&cursor->weights, value);
    case COL_MAX_ROWS:
        return memx_argument_whole(value, "max_rows", 1, INT64_MAX, &cursor->query.max_rows, error);
    case COL_SHARD:
        return memx_argument_whole(value, "shard", 0, INT64_MAX, &cursor->query.shard, error);
    case COL_PARETO:
        /* 1.0 comes from hosts whose numbers are all real. */
        cursor->query.pareto =
            sqlite3_value_type(value) != SQLITE_TEXT && sqlite3_value_double(value) == 1.0;
        if (cursor->query.pareto) break;
        return memx_invalid(error, "pareto can only be asked for: write pareto = 1");
    case COL_SHARDS:
        return memx_argument_whole(value, "shards", 1, INT64_MAX, &cursor->query.shards, error);
    default: break;
    }
    memx_interval *interval = column_interval(&cursor->query.limits, column);
    if (interval) {
        bound_measure(interval, code, value);
    } else if (column_axis(column) != MEMX_AXIS_COUNT) {
        bound_axis(&cursor->query.bounds, column_axis(column), code, value);
    }
    return MEMX_OK;
}

/* A name that is nowhere is a slip of the pen, not an empty answer. */
static memx_status check_names(configs_cursor *cursor, const names *wanted, memx_error *error) {
    const struct {
        const char *name, *what, *table, *exists, *all;
    } checks[] = {
        {wanted->job, "no job", "memx_job", "SELECT 1 FROM memx_job WHERE job = ?1",
         "SELECT job FROM memx_job"},
        {wanted->cluster, "no cluster", "memx_cluster",
         "SELECT 1 FROM memx_cluster WHERE cluster = ?1", "SELECT cluster FROM memx_cluster"},
        {wanted->model, "no model", "memx_model", "SELECT 1 FROM memx_model WHERE model = ?1",
         "SELECT model FROM memx_model"},
    };
    memx_reader *reader = memx_session_reader(table(cursor)->session);
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        sqlite3_stmt *statement = NULL;
        if (!checks[i].name) continue;
        memx_status status = memx_reader_enter(reader, checks[i].table, error);
        if (status) return status;
        int rc = sqlite3_prepare_v2(reader->db, checks[i].exists, -1, &statement, NULL);
        if (rc == SQLITE_OK) {
            rc = sqlite3_bind_text(statement, 1, checks[i].name, -1, SQLITE_STATIC);
        }
        if (rc == SQLITE_OK) rc = sqlite3_step(statement);
        if (rc != SQLITE_ROW && rc != SQLITE_DONE) status = memx_sql_failed(reader->db, rc, error);
        sqlite3_finalize(statement);
        memx_reader_leave(reader);
        if (status) return status;
        if (rc == SQLITE_ROW) continue;
        return memx_catalog_unknown(reader, checks[i].what, checks[i].name, checks[i].table,
                                    checks[i].all, error);
    }
    return MEMX_OK;
}

/* What the query itself names must exist, whatever the jobs are. */
static memx_status check_parameters(configs_cursor *cursor, memx_error *error) {
    memx_reader *reader = memx_session_reader(table(cursor)->session);
    memx_status status = MEMX_OK;
    if ((cursor->query.shards > 0 || cursor->query.shard >= 0) &&
        (cursor->query.shard < 0 || cursor->query.shard >= cursor->query.shards)) {
        return memx_invalid(error,
                            "shards and shard go together: write shards = N and shard = 0 to "
                            "N - 1");
    }
    if (cursor->query.space) {
        status = memx_catalog_space_check(reader, cursor->query.space, error);
        if (status) return status;
    }
    cursor->query.weighted = cursor->weights != NULL;
    if (!cursor->weights) return MEMX_OK;
    return memx_catalog_weights(reader, cursor->weights, &cursor->query.weights, error);
}

static memx_status make_lanes(configs_cursor *cursor) {
    size_t count = 1;
    for (size_t i = 0; i < cursor->jobs.length; i++) count += cursor->jobs.data[i] == '\0';
    cursor->lanes = calloc(count, sizeof *cursor->lanes);
    return cursor->lanes ? MEMX_OK : MEMX_NOMEM;
}

static int configs_filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
                          sqlite3_value **argv) {
    configs_cursor *cursor = (configs_cursor *)base;
    names wanted = {NULL, NULL, NULL};
    memx_error error = {.text = ""};
    memx_status status = MEMX_OK;
    reset(cursor);
    cursor->query.ranked = number > 0;
    cursor->query.by = (memx_measure)((number - 1) & 15);
    cursor->job_by_job = number >= 16;
    for (int i = 0; i < argc && !status; i++) {
        int column = plan[2 * (size_t)i] - 'A';
        if (plan[2 * i + 1] == '#') {
            int64_t rows = sqlite3_value_int64(argv[i]);
            if (rows > 0 && rows < INT32_MAX) cursor->query.wanted += rows;
            continue;
        }
        if (plan[2 * i + 1] == 'i') { /* a list shows as NULL */
            bound_list(&cursor->query.bounds, column_axis(column), argv[i]);
            continue;
        }
        if (sqlite3_value_type(argv[i]) == SQLITE_NULL &&
            (column == COL_SHARD || column == COL_SHARDS)) {
            status = memx_invalid(&error,
                                  "%s is NULL, as a parameter is that is not set; write a "
                                  "whole number",
                                  column == COL_SHARD ? "shard" : "shards");
            break;
        }
        if (sqlite3_value_type(argv[i]) == SQLITE_NULL || /* = NULL is never true */
            (is_name(column) && memx_no_name(argv[i]))) {
            cursor->done = true;
            return SQLITE_OK;
        }
        status = take_constraint(cursor, column, plan[2 * i + 1], argv[i], &wanted, &error);
    }
    if (!status) status = check_parameters(cursor, &error);
    if (!status) {
        status = memx_catalog_jobs(memx_session_reader(table(cursor)->session), wanted.job,
                                   wanted.cluster, wanted.model, &cursor->jobs, &error);
    }
    if (!status && cursor->jobs.length == 0) status = check_names(cursor, &wanted, &error);
    if (!status) status = make_lanes(cursor);
    if (status) return memx_vtab_fail(base->pVtab, status, &error);
    return advance(cursor);
}

/* ---- columns ---- */

static int configs_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    configs_cursor *cursor = (configs_cursor *)base;
    switch (column) {
    case COL_SPACE:
        sqlite3_result_text(context, cursor->lane->study->space.name, -1, SQLITE_TRANSIENT);
        break;
    case COL_WEIGHTS:
        sqlite3_result_text(context,
                            cursor->weights ? cursor->weights : cursor->lane->study->row.weights,
                            -1, SQLITE_TRANSIENT);
        break;
    case COL_MAX_ROWS: sqlite3_result_int64(context, cursor->query.max_rows); break;
    case COL_SHARD: /* the whole is 0 of 1 */
        sqlite3_result_int64(context, cursor->query.shard > 0 ? cursor->query.shard : 0);
        break;
    case COL_SHARDS:
        sqlite3_result_int64(context, cursor->query.shards > 0 ? cursor->query.shards : 1);
        break;
    case COL_PARETO: sqlite3_result_int(context, cursor->query.pareto); break;
    case COL_SIMULATED_MS: memx_row_simulated(&cursor->lane->row, context); break;
    case COL_SAME_TASK: sqlite3_result_int(context, memx_row_same_task(&cursor->lane->row)); break;
    default: memx_row_result(&cursor->lane->row, cursor->lane->own, context, column);
    }
    return SQLITE_OK;
}

const sqlite3_module memx_configs_module = {
    .xConnect = configs_connect,
    .xBestIndex = configs_best_index,
    .xDisconnect = memx_vtab_disconnect,
    .xOpen = configs_open,
    .xClose = configs_close,
    .xFilter = configs_filter,
    .xNext = configs_next,
    .xEof = configs_eof,
    .xColumn = configs_column,
};
