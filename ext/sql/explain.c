/*
** What lies behind a ranking, and behind an empty one:
**
**   SELECT * FROM memx_reference('mix20');          medians that phi is divided by, and the count
**   SELECT * FROM memx_reference('mix20', 'free');  of another space
**   SELECT reason, count, example FROM memx_why('mix20');
**   SELECT * FROM memx_why;                         every job, and those that cannot be read
**
** Both take (job [, space]), or equalities on their columns job and space; without a job they
** answer for all. memx_reference leaves out jobs that cannot be read, memx_why shows why they
** cannot.
*/
#include "core/orders.h"
#include "sql/modules.h"
#include "sql/vtab.h"

#include <stdio.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

typedef enum explain_kind { EXPLAIN_REFERENCE, EXPLAIN_WHY } explain_kind;

enum {
    REF_JOB,
    REF_SPACE,
    REF_FEASIBLE,
    REF_FEASIBLE_EXACT,
    REF_ITERATION_MS,
    REF_PEAK_MIB,
    REF_MEMORY_VARIANCE,
    REF_FASTEST_MS,
    REF_METHOD,
    REF_JOB_NAME,
    REF_SPACE_NAME,
};

/* feasible is a DOUBLE, since 64 bits do not hold a free space's count; feasible_exact its
** digits, "at least N" from N = 2^256 - 1 on. */
static const char reference_schema[] =
    "CREATE TABLE memx_reference(job VARCHAR(64), space VARCHAR(64), feasible DOUBLE, "
    "feasible_exact VARCHAR(96), iteration_ms DOUBLE, peak_mib DOUBLE, memory_variance DOUBLE, "
    "fastest_ms DOUBLE, method VARCHAR(120), job_name HIDDEN VARCHAR(64), "
    "space_name HIDDEN VARCHAR(64))";

enum {
    WHY_JOB,
    WHY_SPACE,
    WHY_REASON,
    WHY_COUNT,
    WHY_UNIT,
    WHY_EXAMPLE,
    WHY_JOB_NAME,
    WHY_SPACE_NAME,
};

static const char why_schema[] =
    "CREATE TABLE memx_why(job VARCHAR(64), space VARCHAR(64), reason VARCHAR(32), count BIGINT, "
    "unit VARCHAR(16), "
    "example TEXT, job_name HIDDEN VARCHAR(64), space_name HIDDEN VARCHAR(64))";

static const struct {
    const char *schema;
    int job_argument, space_argument; /* the visible columns are 0 and 1 in both */
} tables[] = {
    [EXPLAIN_REFERENCE] = {reference_schema, REF_JOB_NAME, REF_SPACE_NAME},
    [EXPLAIN_WHY] = {why_schema, WHY_JOB_NAME, WHY_SPACE_NAME},
};

/* Reasons of memx_why: the search's own, then these. */
enum { WHY_LEVELS = MEMX_REASON_COUNT, WHY_MEMORY, WHY_UNREADABLE, WHY_FEASIBLE, WHY_REASONS };

static const char *const reason_names[WHY_REASONS] = {
    [MEMX_REASON_DEGREES] = "degrees do not divide GPUs",
    [MEMX_REASON_TASK] = "model cannot be varied so",
    [MEMX_REASON_TP_NODE] = "tp group across nodes",
    [MEMX_REASON_HEADS_TP] = "heads not divisible by tp",
    [MEMX_REASON_KV_TP] = "kv_groups not divisible by tp",
    [MEMX_REASON_CP] = "sequence not divisible by cp",
    [MEMX_REASON_VP] = "pipeline cannot be interleaved so",
    [MEMX_REASON_EP] = "ep does not divide replicas and experts",
    [MEMX_REASON_PP_LAYERS] = "more stages than layers",
    [MEMX_REASON_BATCH] = "batch not divisible",
    [MEMX_REASON_STAGE_DEVICES] = "stage spans device types",
    [MEMX_REASON_ORDERS] = "too many device orders",
    [WHY_LEVELS] = "no common recompute level",
    [WHY_MEMORY] = "memory",
    [WHY_UNREADABLE] = "cannot be read",
    [WHY_FEASIBLE] = "feasible",
};

typedef struct explain_cursor {
    memx_cursor base; /* must be first */
    memx_text jobs;   /* names, each with its NUL */
    size_t next_job;
    bool job_named, done;
    char *space; /* asked for, or NULL */
    sqlite3_int64 rowid;

    char job[MEMX_NAME_SIZE];
    memx_study *study; /* NULL when the job cannot be read */
    const memx_reference *reference;
    int reason;
    memx_refusals refusals;
    memx_error unreadable;
} explain_cursor;

static int reference_connect(sqlite3 *db, void *session, int argc, const char *const *argv,
                             sqlite3_vtab **out, char **message) {
    (void)argc, (void)argv, (void)message;
    return memx_vtab_connect(db, session, reference_schema, EXPLAIN_REFERENCE, out);
}

static int why_connect(sqlite3 *db, void *session, int argc, const char *const *argv,
                       sqlite3_vtab **out, char **message) {
    (void)argc, (void)argv, (void)message;
    return memx_vtab_connect(db, session, why_schema, EXPLAIN_WHY, out);
}

/* idxNum bit 1: the job is argument 1; bit 2: the space is the last argument. */
static int explain_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
    int kind = ((memx_vtab *)base)->kind, job = -1, space = -1, argument = 0;
    uint64_t waiting = 0;
    for (int i = 0; i < info->nConstraint; i++) {
        int column = info->aConstraint[i].iColumn;
        bool given = column == tables[kind].job_argument || column == tables[kind].space_argument;
        bool is_job = column == 0 || column == tables[kind].job_argument;
        bool is_space = column == 1 || column == tables[kind].space_argument;
        if (info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ || !(is_job || is_space))
            continue;
        if (!info->aConstraint[i].usable) {
            if (given) waiting |= is_job ? 1 : 2;
            continue;
        }
        /* Without its job it shows all of them, for SQLite to compare; without its space only one. */
        if (is_job && strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0) continue;
        int *slot = is_job ? &job : &space;
        if (*slot < 0 || given) *slot = i;
    }
    if (job >= 0) {
        info->aConstraintUsage[job].argvIndex = ++argument;
        info->idxNum |= 1;
    }
    if (space >= 0) {
        info->aConstraintUsage[space].argvIndex = ++argument;
        info->idxNum |= 2;
    }
    info->estimatedRows = job >= 0 ? 4 : 40;
    /* Without a job it is all of them: only the space is one that rows change with. */
    bool read = (info->colUsed >> 1 | info->colUsed >> tables[kind].space_argument) & 1;
    info->estimatedCost =
        memx_plan_cost(read ? 2 : 0, (uint64_t)info->idxNum, waiting, job >= 0 ? 1e4 : 1e5);
    return SQLITE_OK;
}

static int explain_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
    return memx_cursor_open(vtab, sizeof(explain_cursor), out);
}

static void reset(explain_cursor *cursor) {
    memx_study_release(cursor->study);
    cursor->study = NULL;
    memx_text_free(&cursor->jobs);
    sqlite3_free(cursor->space);
    cursor->space = NULL;
    cursor->next_job = 0;
    cursor->done = cursor->job_named = false;
    cursor->rowid = 0;
}

static int explain_close(sqlite3_vtab_cursor *base) {
    explain_cursor *cursor = (explain_cursor *)base;
    reset(cursor);
    return memx_cursor_close(&cursor->base);
}

static int kind_of(const explain_cursor *cursor) {
    return (memx_cursor_table(&cursor->base))->kind;
}

/* The job's own space, asked for or not; NULL where it cannot be read and none was asked for. */
static const char *shown_space(const explain_cursor *cursor) {
    return cursor->study ? cursor->study->space.name : cursor->space;
}

/* Reads a job and computes what its rows show. MEMX_INVALID: it cannot be read. */
static memx_status enter_job(explain_cursor *cursor, const char *name, memx_error *error) {
    memx_vtab *vtab = memx_cursor_table(&cursor->base);
    const memx_poll *poll = memx_cursor_poll(&cursor->base);
    memx_study_release(cursor->study);
    cursor->study = NULL;
    cursor->reason = 0;
    memcpy(cursor->job, name, strlen(name) + 1);
    memx_status status =
        memx_session_study(vtab->session, name, cursor->space, true, poll, &cursor->study, error);
    if (!status) status = memx_study_reference(cursor->study, poll, &cursor->reference, error);
    if (!status && kind_of(cursor) == EXPLAIN_WHY) {
        memx_weights weights; /* a job whose weights are gone cannot be ranked */
        status = memx_session_weights(vtab->session, cursor->study, poll, &weights, error);
    }
    if (!status && kind_of(cursor) == EXPLAIN_WHY) {
        status = memx_search_refusals(&cursor->study->search, poll, &cursor->refusals, error);
    }
    if (status) {
        memx_study_release(cursor->study);
        cursor->study = NULL;
    }
    memx_cursor_names(&cursor->base, (const char *[]){name, shown_space(cursor)}, 2);
    return status;
}

/* Whether the current job has a row for this reason. */
static bool reason_applies(const explain_cursor *cursor, int reason) {
    if (!cursor->study) return reason == WHY_UNREADABLE;
    if (reason == WHY_UNREADABLE) return false;
    if (reason == WHY_FEASIBLE) return true;
    if (reason == WHY_MEMORY) return !memx_count_is_zero(cursor->refusals.memory);
    if (reason == WHY_LEVELS) return cursor->refusals.empty > 0;
    return cursor->study->search.skeletons.drops[reason].count > 0;
}

static int advance(explain_cursor *cursor) {
    memx_error error = {.text = ""};
    bool why = kind_of(cursor) == EXPLAIN_WHY;
    if (why && cursor->rowid > 0) cursor->reason++;
    for (;;) {
        if (why && cursor->rowid > 0) {
            while (cursor->reason < WHY_REASONS && !reason_applies(cursor, cursor->reason)) {
                cursor->reason++;
            }
            if (cursor->reason < WHY_REASONS) break;
        }
        if (cursor->next_job >= cursor->jobs.length) {
            cursor->done = true;
            return SQLITE_OK;
        }
        const char *name = cursor->jobs.data + cursor->next_job;
        cursor->next_job += strlen(name) + 1;
        memx_status status = enter_job(cursor, name, &error);
        if (status && (status != MEMX_INVALID || (!why && cursor->job_named))) {
            return memx_vtab_fail(cursor->base.base.pVtab, status, &error);
        }
        if (status) cursor->unreadable = error;
        if (!why && !status) break;
        if (why && cursor->rowid == 0) cursor->rowid = 1;
    }
    cursor->rowid++;
    return SQLITE_OK;
}

static int explain_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                          sqlite3_value **argv) {
    explain_cursor *cursor = (explain_cursor *)base;
    memx_vtab *vtab = (memx_vtab *)base->pVtab;
    const char *job = NULL;
    (void)text;
    reset(cursor);
    for (int i = 0; i < argc; i++) {
        memx_error error = {.text = ""};
        const char *value = NULL;
        if (sqlite3_value_type(argv[i]) == SQLITE_NULL) {
            cursor->done = true;
            return SQLITE_OK;
        }
        bool is_job = i == 0 && (plan & 1);
        memx_status wrong = memx_argument_text(argv[i], is_job ? "job" : "space", &value, &error);
        if (wrong) return memx_vtab_fail(base->pVtab, wrong, &error);
        if (is_job) {
            job = value;
        } else {
            cursor->space = sqlite3_mprintf("%s", value);
            if (!cursor->space) return SQLITE_NOMEM;
        }
    }
    if (job) {
        if (strlen(job) >= MEMX_NAME_SIZE) {
            cursor->done = true;
            return SQLITE_OK;
        }
        cursor->job_named = true;
        memx_text_add(&cursor->jobs, job, strlen(job) + 1);
    } else {
        memx_error error = {.text = ""};
        memx_status status = memx_catalog_jobs(memx_session_reader(vtab->session), NULL, NULL, NULL,
                                               &cursor->jobs, &error);
        if (status) return memx_vtab_fail(base->pVtab, status, &error);
    }
    if (cursor->jobs.failed) return SQLITE_NOMEM;
    if (cursor->space) { /* named by the query, so its absence is no job's fault */
        memx_error error = {.text = ""};
        memx_status status =
            memx_catalog_space_check(memx_session_reader(vtab->session), cursor->space, &error);
        if (status) return memx_vtab_fail(base->pVtab, status, &error);
    }
    return advance(cursor);
}

static int explain_next(sqlite3_vtab_cursor *base) {
    return advance((explain_cursor *)base);
}

static int explain_eof(sqlite3_vtab_cursor *base) {
    return ((explain_cursor *)base)->done;
}

static int explain_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out) {
    const explain_cursor *cursor = (const explain_cursor *)base;
    *out = memx_cursor_rowid(&cursor->base, cursor->reason);
    return SQLITE_OK;
}

static void result_space(const explain_cursor *cursor, sqlite3_context *context) {
    const char *name = shown_space(cursor);
    if (name) sqlite3_result_text(context, name, -1, SQLITE_TRANSIENT);
}

/* A whole number while 64 bits hold it, a DOUBLE above. */
static void result_count(sqlite3_context *context, memx_count count) {
    int64_t n = memx_count_int64(count);
    if (n < INT64_MAX) {
        sqlite3_result_int64(context, n);
    } else {
        sqlite3_result_double(context, memx_count_double(count));
    }
}

/* How the medians were found, and which device orders were searched where that is not all. */
static void result_method(const explain_cursor *cursor, sqlite3_context *context) {
    const memx_skeletons *skeletons = &cursor->study->search.skeletons;
    const char *medians = cursor->reference->sampled ? "65536 uniform samples, seed 20" : "exact";
    char orders[MEMX_ORDERS_TEXT], text[MEMX_ORDERS_TEXT + 40];
    if (skeletons->orders > 0.0) {
        memx_orders_text(skeletons->orders_taken, skeletons->orders, orders);
        snprintf(text, sizeof text, "%s; %s", medians, orders);
        medians = text;
    }
    sqlite3_result_text(context, medians, -1, SQLITE_TRANSIENT);
}

static int reference_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    const explain_cursor *cursor = (explain_cursor *)base;
    const memx_reference *r = cursor->reference;
    bool some = r->fastest_ns > 0; /* else there are no medians: NULL */
    char digits[MEMX_COUNT_TEXT];
    switch (column) {
    case REF_JOB:
    case REF_JOB_NAME: sqlite3_result_text(context, cursor->job, -1, SQLITE_TRANSIENT); break;
    case REF_SPACE:
    case REF_SPACE_NAME: result_space(cursor, context); break;
    case REF_FEASIBLE: sqlite3_result_double(context, memx_count_double(r->feasible)); break;
    case REF_FEASIBLE_EXACT:
        memx_count_text(r->feasible, digits);
        sqlite3_result_text(context, digits, -1, SQLITE_TRANSIENT);
        break;
    case REF_ITERATION_MS:
        if (some) sqlite3_result_double(context, r->iteration_ms);
        break;
    case REF_PEAK_MIB:
        if (some) sqlite3_result_double(context, r->peak_mib);
        break;
    case REF_MEMORY_VARIANCE:
        if (some) sqlite3_result_double(context, r->variance_mib2);
        break;
    case REF_FASTEST_MS:
        if (some) sqlite3_result_double(context, memx_ms(r->fastest_ns));
        break;
    case REF_METHOD: result_method(cursor, context); break;
    default: break;
    }
    return SQLITE_OK;
}

static void result_example(const explain_cursor *cursor, sqlite3_context *context) {
    const char *text = "";
    switch (cursor->reason) {
    case WHY_MEMORY: text = cursor->refusals.memory_example.text; break;
    case WHY_LEVELS: text = cursor->refusals.empty_example.text; break;
    case WHY_UNREADABLE: text = cursor->unreadable.text; break;
    case WHY_FEASIBLE: break;
    default: text = cursor->study->search.skeletons.drops[cursor->reason].example.text;
    }
    if (*text) sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static int why_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    const explain_cursor *cursor = (explain_cursor *)base;
    switch (column) {
    case WHY_JOB:
    case WHY_JOB_NAME: sqlite3_result_text(context, cursor->job, -1, SQLITE_TRANSIENT); break;
    case WHY_SPACE:
    case WHY_SPACE_NAME: result_space(cursor, context); break;
    case WHY_REASON:
        sqlite3_result_text(context, reason_names[cursor->reason], -1, SQLITE_STATIC);
        break;
    case WHY_COUNT:
        switch (cursor->reason) {
        case WHY_MEMORY: result_count(context, cursor->refusals.memory); break;
        case WHY_LEVELS: sqlite3_result_int64(context, cursor->refusals.empty); break;
        case WHY_FEASIBLE: result_count(context, cursor->reference->feasible); break;
        case WHY_UNREADABLE: sqlite3_result_int(context, 1); break;
        default:
            sqlite3_result_int64(context,
                                 cursor->study->search.skeletons.drops[cursor->reason].count);
        }
        break;
    case WHY_UNIT: /* degrees are cut at the first that rules the others out */
        sqlite3_result_text(context,
                            cursor->reason == WHY_UNREADABLE       ? "jobs"
                            : cursor->reason == MEMX_REASON_ORDERS ? "orders"
                            : cursor->reason == WHY_LEVELS         ? "placements"
                            : cursor->reason >= WHY_MEMORY         ? "configurations"
                                                                   : "degrees",
                            -1, SQLITE_STATIC);
        break;
    case WHY_EXAMPLE: result_example(cursor, context); break;
    default: break;
    }
    return SQLITE_OK;
}

#define EXPLAIN_MODULE(connect, column)                                                            \
    {                                                                                              \
        .xConnect = (connect), .xBestIndex = explain_best_index,                                   \
        .xDisconnect = memx_vtab_disconnect, .xOpen = explain_open, .xClose = explain_close,       \
        .xFilter = explain_filter, .xNext = explain_next, .xEof = explain_eof,                     \
        .xColumn = (column), .xRowid = explain_rowid,                                              \
    }

const sqlite3_module memx_reference_module = EXPLAIN_MODULE(reference_connect, reference_column);
const sqlite3_module memx_why_module = EXPLAIN_MODULE(why_connect, why_column);
