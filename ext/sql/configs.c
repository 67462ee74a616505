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
** there. Constraints on degrees skip whole skeletons, a config is looked up. SQLite checks these
** terms again, so that such a push-down can only save work; names and parameters, the same in every
** row, it does not. Rows come ordered by job.
**
** Jobs that cannot be read are skipped, and shown by memx_why; naming one in `job = 'x'` is an
** error, and so is a name that no row of memx_job, memx_cluster or memx_model has.
*/
#include "core/hash.h"
#include "core/search.h"
#include "sql/modules.h"
#include "sql/row.h"
#include "sql/vtab.h"

#include <math.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* The arguments of the table-valued form come first, in this order. */
enum {
    COL_SPACE = MEMX_ROW_COLUMNS,
    COL_WEIGHTS,
    COL_MAX_ROWS,
    COL_SHARD,
    COL_SHARDS,
    COL_SIMULATED_MS,
    COL_SAME_TASK,
};

static const char schema[] =
    "CREATE TABLE memx_configs(" MEMX_ROW_DECLARATION
    ", space HIDDEN VARCHAR(64), weights HIDDEN VARCHAR(64), max_rows BIGINT HIDDEN"
    ", shard BIGINT HIDDEN, shards BIGINT HIDDEN, simulated_ms DOUBLE HIDDEN"
    ", same_task BIGINT HIDDEN, PRIMARY KEY(job, config)) WITHOUT ROWID";

static const int64_t DEFAULT_MAX_ROWS = 10000000;

typedef struct configs_cursor {
    memx_cursor base; /* must be first */
    bool done;

    /* What the constraints say. */
    memx_text jobs; /* names, each with its NUL */
    size_t next_job;
    bool job_named;
    char *space, *weights, *config;
    memx_weights weights_given;
    int64_t max_rows, shard, shards; /* shard -1, shards 0: not given */
    memx_bounds bounds;

    /* The job being scanned. */
    memx_study *study, *own;
    memx_scan scan;
    memx_row row;
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
    case MEMX_COL_SEQUENCE_PARALLEL: return MEMX_AXIS_SEQUENCE_PARALLEL;
    case MEMX_COL_DISTRIBUTED_OPTIMIZER: return MEMX_AXIS_DISTRIBUTED_OPTIMIZER;
    default: return MEMX_AXIS_COUNT;
    }
}

static bool is_parameter(int column) {
    return column >= COL_SPACE && column <= COL_SHARDS;
}

/* Columns that hold a name, and are the same in every row that an equality leaves. */
static bool is_name(int column) {
    return column == MEMX_COL_JOB || column == MEMX_COL_CLUSTER || column == MEMX_COL_MODEL ||
           column == COL_SPACE || column == COL_WEIGHTS;
}

/* '=', '<', '>', 'l' (<=), 'g' (>=), or 0 for what is left to SQLite. best_index adds 'i' (IN). */
static char constraint_code(int column, unsigned char op) {
    bool axis = column_axis(column) != MEMX_AXIS_COUNT;
    bool name = is_name(column) || column == MEMX_COL_CONFIG;
    if (op == SQLITE_INDEX_CONSTRAINT_EQ && (axis || name || is_parameter(column))) return '=';
    if (!axis) return 0;
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_LT: return '<';
    case SQLITE_INDEX_CONSTRAINT_GT: return '>';
    case SQLITE_INDEX_CONSTRAINT_LE: return 'l';
    case SQLITE_INDEX_CONSTRAINT_GE: return 'g';
    default: return 0;
    }
}

/* Whether a constraint's value stands in the query itself: `job = 'x'` names a job, a join does
** not. */
static bool is_literal(sqlite3_index_info *info, int constraint) {
    sqlite3_value *value = NULL;
    return sqlite3_vtab_rhs_value(info, constraint, &value) == SQLITE_OK && value;
}

/*
** idxStr holds two characters for every argument of xFilter: the column as 'A' + number, and the
** constraint's code; '!' instead of '=' for a job named by a literal, 'i' for a list of degrees,
** which xFilter takes as a range. Text columns are used only under BINARY collation, since another
** one admits more rows than the equality that xFilter applies. The first equality with a name or a
** parameter is omitted, a second one not used. A parameter (hidden column) whose value comes from a
** table that is not read yet makes the plan a last resort: it would scan without the parameter and
** leave the term to SQLite.
*/
static int configs_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
    int argument = 0;
    bool job = false, cluster = false, config = false, waiting = false;
    uint64_t omitted = 0; /* columns */
    (void)vtab;
    char *plan = sqlite3_malloc64((sqlite3_uint64)info->nConstraint * 2 + 1);
    if (!plan) return SQLITE_NOMEM;
    for (int i = 0; i < info->nConstraint; i++) {
        int column = info->aConstraint[i].iColumn;
        char code = constraint_code(column, info->aConstraint[i].op);
        if (!code) continue;
        if (!info->aConstraint[i].usable) {
            waiting = waiting || is_parameter(column);
            continue;
        }
        if (column == MEMX_COL_JOB && is_literal(info, i)) code = '!';
        if (code == '=' && sqlite3_vtab_in(info, i, -1)) {
            /* One xFilter a value would bring rows out of enumeration order. */
            if (column == MEMX_COL_CLUSTER || column == MEMX_COL_MODEL) continue;
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
        plan[2 * (size_t)argument] = (char)('A' + column);
        plan[2 * argument + 1] = code;
        info->aConstraintUsage[i].argvIndex = ++argument;
        job = job || column == MEMX_COL_JOB;
        cluster = cluster || column == MEMX_COL_CLUSTER;
        config = config || column == MEMX_COL_CONFIG;
    }
    plan[2 * (size_t)argument] = '\0';
    info->idxStr = plan;
    info->needToFreeIdxStr = 1;
    double rows = config ? 1.0 : 30000.0;
    if (!job) rows *= cluster ? 2.0 : 10.0;
    info->estimatedRows = (sqlite3_int64)rows;
    info->estimatedCost = waiting ? MEMX_LAST_RESORT : 1000.0 + rows * (info->colUsed ? 1.0 : 0.2);
    if (job && config) info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    if (info->nOrderBy == 1 && info->aOrderBy[0].iColumn == MEMX_COL_JOB &&
        !info->aOrderBy[0].desc) {
        info->orderByConsumed = 1;
    }
    return SQLITE_OK;
}

/* ---- opening and closing ---- */

static int configs_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
    return memx_cursor_open(vtab, sizeof(configs_cursor), out);
}

static void leave_job(configs_cursor *cursor) {
    memx_scan_stop(&cursor->scan);
    memx_study_release(cursor->study);
    memx_study_release(cursor->own);
    cursor->study = cursor->own = NULL;
}

static void reset(configs_cursor *cursor) {
    leave_job(cursor);
    memx_text_free(&cursor->jobs);
    sqlite3_free(cursor->space);
    sqlite3_free(cursor->weights);
    sqlite3_free(cursor->config);
    cursor->space = cursor->weights = cursor->config = NULL;
    cursor->next_job = 0;
    cursor->done = cursor->job_named = false;
    cursor->max_rows = DEFAULT_MAX_ROWS;
    cursor->shard = -1;
    cursor->shards = 0;
    memx_bounds_start(&cursor->bounds);
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

static void stages_of_choice(const memx_row *row, memx_stage_choice *out) {
    memx_choices_stages(row->source, out);
}

static void load_row(configs_cursor *cursor) {
    memx_row *row = &cursor->row;
    row->plan = memx_choices_plan(cursor->scan.choices);
    row->placement = &cursor->scan.skeleton->placement;
    row->options = memx_choices_options(cursor->scan.choices);
    row->source = cursor->scan.choices;
    row->measured = false;
}

/* Refuses a scan that SQLite could hardly mean, before its first row. */
static memx_status check_size(configs_cursor *cursor, memx_error *error) {
    bool exceeds = false;
    memx_count count;
    char digits[MEMX_COUNT_TEXT];
    memx_status status =
        memx_search_exceeds(&cursor->study->search, &cursor->bounds, cursor->max_rows,
                            memx_cursor_poll(&cursor->base), &exceeds, &count, error);
    if (status || !exceeds) return status;
    memx_count_text(count, digits);
    return memx_invalid(
        error,
        "job '%s', space '%s' (layer_split %s, recompute_scope %s): %s configurations, "
        "more than max_rows %lld; bound tp, pp, dp or micro_batch, search a smaller "
        "space, or write max_rows = N",
        cursor->study->row.job.name, cursor->study->space.name,
        memx_split_name(cursor->study->space.layer_split),
        memx_scope_name(cursor->study->space.recompute_scope), digits, (long long)cursor->max_rows);
}

/* Reads one job. MEMX_INVALID: it cannot be read. */
static memx_status read_job(configs_cursor *cursor, const char *name, memx_error *error) {
    memx_session *session = table(cursor)->session;
    const memx_poll *poll = memx_cursor_poll(&cursor->base);
    memx_status status =
        memx_session_study(session, name, cursor->space, true, poll, &cursor->study, error);
    if (status) return status;
    if (cursor->study->own_space) {
        cursor->own = memx_study_retain(cursor->study);
    } else {
        status = memx_session_study(session, name, NULL, true, poll, &cursor->own, error);
        if (status) return status;
    }
    cursor->row = (memx_row){.study = cursor->study,
                             .poll = poll,
                             .predictor = memx_analytic_pricer.name,
                             .stages = stages_of_choice,
                             .weights = cursor->weights_given};
    memx_scan_start(&cursor->study->search, &cursor->bounds, poll, &cursor->scan);
    return cursor->weights
               ? MEMX_OK
               : memx_session_weights(session, cursor->study, poll, &cursor->row.weights, error);
}

static memx_status find_config(configs_cursor *cursor, memx_error *error) {
    memx_config config;
    memx_status status = memx_config_parse(&cursor->study->row.job, cursor->config, &config, error);
    if (status) return status == MEMX_INVALID ? MEMX_DONE : status; /* equal to no row's text */
    /* Only the canonical text equals the column. */
    memx_text text = {0};
    memx_config_format(&cursor->study->row.job, &config, &text);
    status = text.failed                              ? MEMX_NOMEM
             : strcmp(text.data, cursor->config) != 0 ? MEMX_DONE
                                                      : MEMX_OK;
    memx_text_free(&text);
    if (!status) status = memx_scan_find(&cursor->scan, &config, error);
    memx_config_free(&config);
    return status;
}

/* The shard of the current row: by what it is, and so the same in every scan, order and lookup. */
static int64_t row_shard(const configs_cursor *cursor) {
    const memx_scan *scan = &cursor->scan;
    memx_stage_choice stages[MEMX_MAX_STAGES];
    int64_t at[] = {scan->skeleton - scan->search->skeletons.items, 0, 0, 0};
    uint64_t hash = 0;
    memx_choices_stages(scan->choices, stages);
    for (int32_t s = 0; s < scan->skeleton->placement.stage_count; s++) {
        at[1] = stages[s].layers;
        at[2] = (int64_t)stages[s].level.kind << 32 | stages[s].level.n;
        at[3] = (int64_t)hash;
        hash = memx_hash(at, sizeof at);
    }
    return (int64_t)(hash % (uint64_t)cursor->shards);
}

static bool other_shard(const configs_cursor *cursor) {
    return cursor->shards > 1 && row_shard(cursor) != cursor->shard;
}

/* The next row of the current job; none follows one that was looked up. */
static memx_status step_job(configs_cursor *cursor, memx_error *error) {
    memx_status status;
    do {
        status = memx_scan_next(&cursor->scan, error);
    } while (!status && other_shard(cursor));
    return status;
}

/* The first row of the next job: MEMX_DONE where it has none, or cannot be read and was not
** named. */
static memx_status next_job(configs_cursor *cursor, memx_error *error) {
    const char *name = cursor->jobs.data + cursor->next_job;
    cursor->next_job += strlen(name) + 1;
    memx_status status = read_job(cursor, name, error);
    if (status) return status == MEMX_INVALID && !cursor->job_named ? MEMX_DONE : status;
    if (!cursor->config) {
        status = check_size(cursor, error);
        return status ? status : step_job(cursor, error);
    }
    status = find_config(cursor, error);
    return !status && other_shard(cursor) ? step_job(cursor, error) : status;
}

static int advance(configs_cursor *cursor) {
    memx_error error = {""};
    memx_status status = cursor->study ? step_job(cursor, &error) : MEMX_DONE;
    while (status == MEMX_DONE) {
        leave_job(cursor);
        if (cursor->next_job >= cursor->jobs.length) {
            cursor->done = true;
            return SQLITE_OK;
        }
        status = next_job(cursor, &error);
    }
    if (status) return memx_vtab_fail(&table(cursor)->base, status, &error);
    load_row(cursor);
    return SQLITE_OK;
}

static int configs_next(sqlite3_vtab_cursor *base) {
    return advance((configs_cursor *)base);
}

static int configs_eof(sqlite3_vtab_cursor *base) {
    return ((configs_cursor *)base)->done;
}

/* ---- constraints ---- */

/* Narrows an axis. A value that is no number is left to SQLite's own comparison. */
static void bound_axis(memx_bounds *bounds, memx_axis axis, char code, sqlite3_value *value) {
    int type = sqlite3_value_type(value);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return;
    double x = sqlite3_value_double(value);
    if (!(fabs(x) < 1e15)) return; /* beyond every knob: SQLite's comparison decides */
    int64_t least = (int64_t)ceil(x), most = (int64_t)floor(x);
    if (code == '<' && (double)most == x) most--;
    if (code == '>' && (double)least == x) least++;
    if (code != '<' && code != 'l' && least > bounds->least[axis]) bounds->least[axis] = least;
    if (code != '>' && code != 'g' && most < bounds->most[axis]) bounds->most[axis] = most;
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

static memx_status whole_parameter(const char *name, sqlite3_value *value, int64_t least,
                                   int64_t *out, memx_error *error) {
    int type = sqlite3_value_type(value);
    double x = sqlite3_value_double(value);
    bool whole =
        type == SQLITE_INTEGER || (type == SQLITE_FLOAT && fabs(x) <= 9e18 && floor(x) == x);
    if (!whole || sqlite3_value_int64(value) < least) {
        const char *text = (const char *)sqlite3_value_text(value);
        return memx_invalid(error, "%s is '%.40s'; write a whole number from %lld", name,
                            text ? text : "", (long long)least);
    }
    *out = sqlite3_value_int64(value);
    return MEMX_OK;
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
    case MEMX_COL_CONFIG: return keep_text(&cursor->config, value);
    case COL_SPACE: return keep_text(&cursor->space, value);
    case COL_WEIGHTS: return keep_text(&cursor->weights, value);
    case COL_MAX_ROWS: return whole_parameter("max_rows", value, 1, &cursor->max_rows, error);
    case COL_SHARD: return whole_parameter("shard", value, 0, &cursor->shard, error);
    case COL_SHARDS: return whole_parameter("shards", value, 1, &cursor->shards, error);
    default: bound_axis(&cursor->bounds, column_axis(column), code, value);
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
            sqlite3_bind_text(statement, 1, checks[i].name, -1, SQLITE_STATIC);
            rc = sqlite3_step(statement);
        }
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
    if ((cursor->shards > 0 || cursor->shard >= 0) &&
        (cursor->shard < 0 || cursor->shard >= cursor->shards)) {
        return memx_invalid(error,
                            "shards and shard go together: write shards = N and shard = 0 to "
                            "N - 1");
    }
    if (cursor->space) {
        status = memx_catalog_space_check(reader, cursor->space, error);
        if (status) return status;
    }
    if (!cursor->weights) return MEMX_OK;
    return memx_catalog_weights(reader, cursor->weights, &cursor->weights_given, error);
}

/* A value that equals no name, though its bytes up to a NUL may. */
static bool no_name(sqlite3_value *value) {
    if (sqlite3_value_type(value) == SQLITE_BLOB) return true;
    const char *text = (const char *)sqlite3_value_text(value);
    return text && strlen(text) != (size_t)sqlite3_value_bytes(value);
}

static int configs_filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
                          sqlite3_value **argv) {
    configs_cursor *cursor = (configs_cursor *)base;
    names wanted = {NULL, NULL, NULL};
    memx_error error = {""};
    memx_status status = MEMX_OK;
    (void)number;
    reset(cursor);
    for (int i = 0; i < argc && !status; i++) {
        int column = plan[2 * (size_t)i] - 'A';
        if (plan[2 * i + 1] == 'i') { /* a list shows as NULL */
            bound_list(&cursor->bounds, column_axis(column), argv[i]);
            continue;
        }
        if (sqlite3_value_type(argv[i]) == SQLITE_NULL || /* = NULL is never true */
            (is_name(column) && no_name(argv[i]))) {
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
    if (status) return memx_vtab_fail(base->pVtab, status, &error);
    return advance(cursor);
}

/* ---- columns ---- */

static int configs_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    configs_cursor *cursor = (configs_cursor *)base;
    switch (column) {
    case COL_SPACE:
        sqlite3_result_text(context, cursor->study->space.name, -1, SQLITE_TRANSIENT);
        break;
    case COL_WEIGHTS:
        sqlite3_result_text(context, cursor->weights ? cursor->weights : cursor->study->row.weights,
                            -1, SQLITE_TRANSIENT);
        break;
    case COL_MAX_ROWS: sqlite3_result_int64(context, cursor->max_rows); break;
    case COL_SHARD:
        if (cursor->shard >= 0) sqlite3_result_int64(context, cursor->shard);
        break;
    case COL_SHARDS:
        if (cursor->shards > 0) sqlite3_result_int64(context, cursor->shards);
        break;
    case COL_SIMULATED_MS: memx_row_simulated(&cursor->row, context); break;
    case COL_SAME_TASK: sqlite3_result_int(context, memx_row_same_task(&cursor->row)); break;
    default: memx_row_result(&cursor->row, cursor->own, context, column);
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
