/*
** Every stage of memx_profile as it is predicted:
**
**   SELECT p.time_ms, e.time_ms, e.predictor FROM memx_profile AS p JOIN memx_estimates AS e USING (id);
**
** By the newest predictor that was calibrated on the row's device and framework and is for any cluster,
** since a stage has none; where there is none, by the analytic model. A row that cannot be predicted has
** the reason in `problem`, so that one such row spoils no query.
**
** A scan reads memx_profile, and each predictor that it needs, once, and then holds the answers. By its id
** a row is read alone the first time; a statement that asks again, as the inner table of a join does, gets
** all of them read and found by bisection.
*/
#include "sql/modules.h"
#include "sql/predictors.h"
#include "sql/profile.h"
#include "sql/vtab.h"

#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

enum {
    ESTIMATE_ID,
    ESTIMATE_TIME_MS,
    ESTIMATE_ALLOCATED_MIB,
    ESTIMATE_RESERVED_MIB,
    ESTIMATE_TOTAL_MIB,
    ESTIMATE_PREDICTOR,
    ESTIMATE_PROBLEM
};

static const char estimates_schema[] =
    "CREATE TABLE memx_estimates(id BIGINT, time_ms DOUBLE, allocated_mib DOUBLE, "
    "reserved_mib DOUBLE, total_mib DOUBLE, predictor VARCHAR(80), problem TEXT)";

/* A device with a framework, which a predictor was calibrated on; the newest predictor first. */
typedef struct known {
    char predictor[MEMX_NAME_SIZE], device[MEMX_NAME_SIZE], framework[MEMX_NAME_SIZE];
    struct known *next;
} known;

/* A predictor, read. */
typedef struct learned {
    memx_residual residual;
    memx_status status; /* MEMX_INVALID: `error` says why it cannot be used */
    memx_error error;
    struct learned *next;
} learned;

/* What rows of one device, model and framework have in common. */
typedef struct card {
    char device[MEMX_NAME_SIZE], model[MEMX_NAME_SIZE], framework[MEMX_NAME_SIZE];
    memx_job_row row;
    memx_pricer pricer;
    memx_status status;
    memx_error error;
    struct card *next;
} card;

typedef struct estimate {
    int64_t id;
    memx_stage_figures figures;
    const char *predictor; /* of the catalog below; NULL where there is a problem */
    bool extrapolated;
    char *problem;
} estimate;

typedef struct estimates_cursor {
    memx_cursor base; /* must be first */
    known *known, **known_end;
    learned *learned;
    card *cards;
    estimate *rows; /* by id */
    memx_profile_row *profile;
    size_t count, capacity;
    size_t next, end;
    bool asked, complete; /* before, in this statement; all rows are there */
} estimates_cursor;

static memx_reader *reader_of(const estimates_cursor *cursor) {
    return memx_session_reader(memx_cursor_table(&cursor->base)->session);
}

static void forget(estimates_cursor *cursor) {
    for (size_t i = 0; i < cursor->count; i++) free(cursor->rows[i].problem);
    for (known *k = cursor->known, *next; k; k = next) {
        next = k->next;
        free(k);
    }
    for (card *c = cursor->cards, *next; c; c = next) {
        next = c->next;
        memx_catalog_job_free(&c->row);
        free(c);
    }
    for (learned *l = cursor->learned, *next; l; l = next) {
        next = l->next;
        memx_residual_free(&l->residual);
        free(l);
    }
    free(cursor->rows);
    free(cursor->profile);
    *cursor = (estimates_cursor){.base = cursor->base, .asked = cursor->asked};
}

/* ---- what prices a row ---- */

/* Other rows of the catalog are of no use, and their names may be anything. */
static const memx_field known_fields[] = {
    {"p.predictor AS predictor", MEMX_F_NAME, offsetof(known, predictor)},
    {"d.device AS device", MEMX_F_NAME, offsetof(known, device)},
    {"f.framework AS framework", MEMX_F_NAME, offsetof(known, framework)},
};
static const memx_query known_query = MEMX_QUERY(
    "memx_predictor",
    "memx_predictor AS p, json_each(" MEMX_SQL_RANGES ", "
    "'$.calibration') AS c JOIN memx_device AS d ON d.device = CASE WHEN c.type = 'object' THEN "
    "json_extract(c.value, '$.device') END JOIN memx_framework AS f ON f.framework = CASE WHEN "
    "c.type = 'object' THEN json_extract(c.value, '$.framework') END WHERE ?1 = ?1 AND "
    "json_extract(" MEMX_SQL_RANGES ", '$.cluster') IS "
    "NULL ORDER BY p.created DESC, p.rowid DESC",
    known_fields);

static memx_status add_known(void *context, const void *row, memx_error *error) {
    estimates_cursor *cursor = context;
    known *k = malloc(sizeof *k);
    (void)error;
    if (!k) return MEMX_NOMEM;
    *k = *(const known *)row;
    *cursor->known_end = k;
    cursor->known_end = &k->next;
    return MEMX_OK;
}

static memx_status read_known(estimates_cursor *cursor, memx_error *error) {
    const known blank = {.predictor = ""};
    known buffer;
    cursor->known_end = &cursor->known;
    return memx_reader_each(reader_of(cursor), &known_query, "", &blank, &buffer, sizeof buffer,
                            add_known, cursor, NULL, error);
}

/* The predictor of that name, read once. */
static memx_status find_learned(estimates_cursor *cursor, const char *name, learned **out,
                                memx_error *error) {
    learned *l = cursor->learned;
    memx_text key = {0};
    while (l && strcmp(l->residual.name, name) != 0) l = l->next;
    if (!l) {
        l = calloc(1, sizeof *l);
        if (!l) return MEMX_NOMEM;
        l->status = memx_predictor_read(reader_of(cursor), name, &l->residual, &key, &l->error);
        memx_text_free(&key);
        memcpy(l->residual.name, name, strlen(name) + 1); /* a failure leaves none */
        l->next = cursor->learned;
        cursor->learned = l;
    }
    if (l->status) *error = l->error;
    *out = l;
    return l->status;
}

static memx_status open_card(estimates_cursor *cursor, card *c) {
    learned *l = NULL;
    const known *k = cursor->known;
    c->pricer = memx_analytic_pricer;
    memx_status status =
        memx_catalog_card(reader_of(cursor), c->device, c->model, c->framework, &c->row, &c->error);
    if (status) return status;
    memx_job *job = &c->row.job;
    while (k && (strcmp(k->device, job->devices[0].name) != 0 ||
                 strcmp(k->framework, job->framework.name) != 0)) {
        k = k->next;
    }
    if (!k) return MEMX_OK;
    status = find_learned(cursor, k->predictor, &l, &c->error);
    if (status) return status;
    memx_calibration_job(l->residual.calibrations, l->residual.calibration_count, job);
    c->pricer = memx_residual_pricer(&l->residual);
    return MEMX_OK;
}

static memx_status find_card(estimates_cursor *cursor, const memx_profile_row *row, card **out,
                             memx_error *error) {
    card *c = cursor->cards;
    while (c && (strcmp(c->device, row->device) != 0 || strcmp(c->model, row->model) != 0 ||
                 strcmp(c->framework, row->framework) != 0)) {
        c = c->next;
    }
    if (!c) {
        c = calloc(1, sizeof *c);
        if (!c) return MEMX_NOMEM;
        memcpy(c->device, row->device, sizeof c->device);
        memcpy(c->model, row->model, sizeof c->model);
        memcpy(c->framework, row->framework, sizeof c->framework);
        c->next = cursor->cards;
        cursor->cards = c;
        c->status = open_card(cursor, c);
    }
    if (c->status) *error = c->error;
    *out = c;
    return c->status;
}

/* ---- rows ---- */

static memx_status set_problem(estimate *e, const char *why) {
    size_t size = strlen(why) + 1;
    e->problem = malloc(size);
    if (!e->problem) return MEMX_NOMEM;
    memcpy(e->problem, why, size);
    return MEMX_OK;
}

static memx_status add_row(estimates_cursor *cursor, sqlite3_stmt *statement, memx_error *error) {
    sqlite3_value *values[MEMX_PROFILE_COLUMNS];
    if (cursor->count == cursor->capacity) {
        size_t capacity = cursor->capacity ? 2 * cursor->capacity : 64;
        estimate *rows = realloc(cursor->rows, capacity * sizeof *rows);
        if (rows) cursor->rows = rows;
        memx_profile_row *profile = realloc(cursor->profile, capacity * sizeof *profile);
        if (profile) cursor->profile = profile;
        if (!rows || !profile) return MEMX_NOMEM;
        cursor->capacity = capacity;
    }
    estimate *e = &cursor->rows[cursor->count];
    memx_profile_row *row = &cursor->profile[cursor->count++];
    *e = (estimate){.id = sqlite3_column_int64(statement, 0)};
    *row = (memx_profile_row){.id = e->id};
    for (int i = 0; i < MEMX_PROFILE_COLUMNS; i++) {
        values[i] = sqlite3_column_value(statement, i + 1);
    }
    memx_status status = memx_profile_read(values, row, error);
    return status == MEMX_INVALID ? set_problem(e, error->text) : status;
}

/* All of them first: what a row refers to is read after that, not inside of this. */
static memx_status read_profile(estimates_cursor *cursor, const int64_t *id, memx_error *error) {
    memx_reader *reader = reader_of(cursor);
    sqlite3_stmt *statement = NULL;
    memx_text sql = {0};
    memx_status status = memx_reader_enter(reader, "memx_profile", error);
    if (status) return status;
    memx_text_printf(&sql, "SELECT id");
    for (int i = 0; i < MEMX_PROFILE_COLUMNS; i++) {
        memx_text_printf(&sql, ", %s", memx_profile_columns[i]);
    }
    memx_text_printf(&sql, " FROM memx_profile%s", id ? " WHERE id = ?1" : " ORDER BY id");
    int rc =
        sql.failed ? SQLITE_NOMEM : sqlite3_prepare_v2(reader->db, sql.data, -1, &statement, NULL);
    memx_text_free(&sql);
    if (rc == SQLITE_OK && id) rc = sqlite3_bind_int64(statement, 1, *id);
    if (rc == SQLITE_OK) {
        while (!status && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
            status = add_row(cursor, statement, error);
        }
    }
    if (!status && rc != SQLITE_DONE) status = memx_sql_failed(reader->db, rc, error);
    sqlite3_finalize(statement);
    memx_reader_leave(reader);
    return status;
}

static memx_status price_row(estimates_cursor *cursor, const memx_profile_row *row, estimate *e,
                             memx_error *error) {
    card *c = NULL;
    memx_stage_spec spec;
    memx_stage_choice choice;
    memx_stage_price price;
    memx_status status = find_card(cursor, row, &c, error);
    if (status) return status;
    const memx_job *job = &c->row.job;
    status = memx_profile_stage(row, &job->model, &spec, &choice, error);
    if (status) return status;
    spec.link_gbs = job->nodes[0].link_gbs;
    status = c->pricer.price(c->pricer.context, job, 0, &spec, &choice, 1, &price, error);
    if (status) return status;
    memx_profile_figures(&job->devices[0], &price, &e->figures);
    e->predictor = c->pricer.name;
    e->extrapolated = price.extrapolated;
    return MEMX_OK;
}

/* id NULL: all rows. */
static memx_status answer(estimates_cursor *cursor, const int64_t *id, memx_error *error) {
    forget(cursor);
    memx_status status = read_profile(cursor, id, error);
    if (!status && cursor->count > 0) status = read_known(cursor, error);
    for (size_t i = 0; i < cursor->count && !status; i++) {
        estimate *e = &cursor->rows[i];
        if (i % 256 == 0 && memx_poll_stop(memx_cursor_poll(&cursor->base))) {
            return MEMX_INTERRUPTED;
        }
        if (e->problem) continue;
        status = price_row(cursor, &cursor->profile[i], e, error);
        if (status == MEMX_INVALID) status = set_problem(e, error->text);
    }
    free(cursor->profile);
    cursor->profile = NULL;
    cursor->capacity = 0;
    cursor->complete = !status && !id;
    return status;
}

/* ---- the table ---- */

static int estimates_connect(sqlite3 *db, void *session, int argc, const char *const *argv,
                             sqlite3_vtab **out, char **message) {
    (void)argc, (void)argv, (void)message;
    return memx_vtab_connect(db, session, estimates_schema, 0, out);
}

/* idxNum 1: the id is the argument. */
static int estimates_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
    (void)base;
    info->estimatedRows = 10000;
    info->estimatedCost = 1e5;
    for (int i = 0; i < info->nConstraint; i++) {
        if (info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ || !info->aConstraint[i].usable ||
            (info->aConstraint[i].iColumn != ESTIMATE_ID && info->aConstraint[i].iColumn != -1)) {
            continue;
        }
        info->aConstraintUsage[i].argvIndex = 1; /* SQLite compares again: it may be no number */
        info->idxNum = 1;
        info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
        info->estimatedRows = 1;
        info->estimatedCost = 100.0;
        break;
    }
    return SQLITE_OK;
}

static int estimates_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
    return memx_cursor_open(vtab, sizeof(estimates_cursor), out);
}

static int estimates_close(sqlite3_vtab_cursor *base) {
    forget((estimates_cursor *)base);
    return memx_cursor_close((memx_cursor *)base);
}

/* Rows with that id, which is one or none. */
static void bisect(estimates_cursor *cursor, int64_t id) {
    size_t low = 0, high = cursor->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cursor->rows[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    cursor->next = low;
    cursor->end = low + (low < cursor->count && cursor->rows[low].id == id);
}

static int estimates_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                            sqlite3_value **argv) {
    estimates_cursor *cursor = (estimates_cursor *)base;
    memx_error error = {.text = ""};
    memx_status status = MEMX_OK;
    (void)text, (void)argc;
    int64_t id = plan == 1 ? sqlite3_value_int64(argv[0]) : 0;
    if (!cursor->complete) {
        bool alone = plan == 1 && !cursor->asked;
        status = answer(cursor, alone ? &id : NULL, &error);
    }
    cursor->asked = true;
    cursor->next = 0;
    cursor->end = cursor->count;
    if (plan == 1) bisect(cursor, id);
    return memx_vtab_fail(base->pVtab, status, &error);
}

static int estimates_next(sqlite3_vtab_cursor *base) {
    ((estimates_cursor *)base)->next++;
    return SQLITE_OK;
}

static int estimates_eof(sqlite3_vtab_cursor *base) {
    const estimates_cursor *cursor = (const estimates_cursor *)base;
    return cursor->next >= cursor->end;
}

static int estimates_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out) {
    const estimates_cursor *cursor = (const estimates_cursor *)base;
    *out = cursor->rows[cursor->next].id;
    return SQLITE_OK;
}

static int estimates_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    const estimates_cursor *cursor = (const estimates_cursor *)base;
    const estimate *e = &cursor->rows[cursor->next];
    if (column == ESTIMATE_ID) {
        sqlite3_result_int64(context, e->id);
    } else if (column == ESTIMATE_PROBLEM) {
        if (e->problem) sqlite3_result_text(context, e->problem, -1, SQLITE_TRANSIENT);
    } else if (e->predictor) {
        switch (column) {
        case ESTIMATE_TIME_MS: sqlite3_result_double(context, e->figures.time_ms); break;
        case ESTIMATE_ALLOCATED_MIB:
            sqlite3_result_double(context, e->figures.allocated_mib);
            break;
        case ESTIMATE_RESERVED_MIB: sqlite3_result_double(context, e->figures.reserved_mib); break;
        case ESTIMATE_TOTAL_MIB: sqlite3_result_double(context, e->figures.total_mib); break;
        default: memx_result_predictor(context, e->predictor, e->extrapolated); break;
        }
    }
    return SQLITE_OK;
}

const sqlite3_module memx_estimates_module = {
    .xConnect = estimates_connect,
    .xBestIndex = estimates_best_index,
    .xDisconnect = memx_vtab_disconnect,
    .xOpen = estimates_open,
    .xClose = estimates_close,
    .xFilter = estimates_filter,
    .xNext = estimates_next,
    .xEof = estimates_eof,
    .xColumn = estimates_column,
    .xRowid = estimates_rowid,
};
