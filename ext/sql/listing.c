/*
** Listings: eponymous virtual tables whose rows are those of one SELECT over the stored tables, in a file
** of its own under schema/profiling/ or schema/readers/.
**
**   SELECT * FROM memx_sensitivity;       which parameters move time or memory
**   SELECT * FROM memx_linearity;         along which of them a measurement is a straight line
**   SELECT * FROM memx_augmented;         training rows between the measured ones
**   SELECT * FROM memx_measure('mix20');  the stages still to be measured
**   SELECT * FROM megatron_log(readfile('train.log'), 'mix20');   what a training log says
**
** A view would say the same, but must be made in every database, and one over MemX's functions breaks
** ALTER TABLE RENAME while MemX is not loaded.
**
** The SELECT is prepared when a scan begins and finalized when it ends, and reads under the reader's
** guard against stored tables that lead back here. Its columns are those of the schema that are not
** hidden; a text in one behind them is the error that ends it. The arguments, which are the hidden ones,
** it sees as ?1 and so on. A NULL argument gives no row. A reader of documents gets only the text that C
** made of its arguments, and refuses a NULL document.
*/
#include "schema.h"
#include "sql/documents.h"
#include "sql/measure.h"
#include "sql/modules.h"
#include "sql/vtab.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

enum { PARTS = 4, MOST_ARGUMENTS = 3 };

typedef struct listing {
    const char *name, *schema;
    /* SELECTs that may use the names of those before them; the nameless last one gives the rows. */
    struct {
        const char *name, *sql;
    } parts[PARTS];
    int columns, arguments; /* shown, and hidden behind them */
    /* The first argument is a text for `prepare`, which judges NULLs, and not for the SELECT. */
    bool document;
    /* Refuses arguments, or makes a text of them, the parameter after theirs. NULL: nothing to do. */
    memx_status (*prepare)(memx_session *session, sqlite3_value *const *arguments, memx_text *out,
                           memx_error *error);
} listing;

#define PROFILE_CONFIGURATION                                                                      \
    "layers BIGINT, first_stage BIGINT, last_stage BIGINT, tp BIGINT, dp BIGINT, "                 \
    "micro_batch BIGINT, seq_length BIGINT, heads BIGINT, kv_groups BIGINT, "                      \
    "recompute VARCHAR(24), in_flight BIGINT, sequence_parallel BIGINT, "                          \
    "distributed_optimizer BIGINT"

#define NODES(name)                                                                                \
    "CREATE TABLE " name "(ordinal BIGINT, device VARCHAR(64), gpus BIGINT, memory_mib DOUBLE, "   \
    "name VARCHAR(64), host VARCHAR(64), listing HIDDEN)"

static const listing listings[] = {
    {
        .name = "memx_sensitivity",
        /* least and most are numbers, or recompute levels. */
        .schema = "CREATE TABLE memx_sensitivity(device VARCHAR(64), framework VARCHAR(64), "
                  "model VARCHAR(64), parameter VARCHAR(24), points BIGINT, sweeps BIGINT, least, "
                  "most, time_change_pct DOUBLE, memory_change_pct DOUBLE, keep BIGINT)",
        .parts = {{"profile", memx_sql_profile},
                  {"sweeps", memx_sql_sweeps},
                  {NULL, memx_sql_sensitivity}},
        .columns = 11,
    },
    {
        .name = "memx_linearity",
        /* slope and intercept: ms or MiB. */
        .schema = "CREATE TABLE memx_linearity(device VARCHAR(64), framework VARCHAR(64), "
                  "model VARCHAR(64), parameter VARCHAR(24), output VARCHAR(8), least BIGINT, "
                  "most BIGINT, points BIGINT, slope DOUBLE, intercept DOUBLE, r2 DOUBLE, "
                  "r2_quadratic DOUBLE, bend_pct DOUBLE, fit VARCHAR(16), interpolate BIGINT)",
        .parts = {{"profile", memx_sql_profile},
                  {"sweeps", memx_sql_sweeps},
                  {NULL, memx_sql_linearity}},
        .columns = 15,
    },
    {
        .name = "memx_augmented",
        .schema = "CREATE TABLE memx_augmented(id BIGINT, device VARCHAR(64), model VARCHAR(64), "
                  "framework VARCHAR(64), " PROFILE_CONFIGURATION ", time_ms DOUBLE, "
                  "allocated_mib DOUBLE, reserved_mib DOUBLE, source TEXT, origin TEXT, "
                  "weight DOUBLE)",
        .parts = {{"profile", memx_sql_profile},
                  {"sweeps", memx_sql_sweeps},
                  {"linearity", memx_sql_linearity},
                  {NULL, memx_sql_augmented}},
        .columns = 23,
    },
    {
        .name = "memx_measure",
        .schema = "CREATE TABLE memx_measure(device VARCHAR(64), model VARCHAR(64), "
                  "framework VARCHAR(64), " PROFILE_CONFIGURATION ", expected_time_ms DOUBLE, "
                  "expected_peak_mib DOUBLE, gpus BIGINT, flags TEXT, job_name HIDDEN VARCHAR(64), "
                  "jitter HIDDEN BIGINT)",
        .parts = {{"profile", memx_sql_profile},
                  {"sweeps", memx_sql_sweeps},
                  {"sensitivity", memx_sql_sensitivity},
                  {NULL, memx_sql_measure}},
        .columns = 20,
        .arguments = 2,
        .prepare = memx_measure_space,
    },
    {
        .name = "megatron_log",
        .schema =
            "CREATE TABLE megatron_log(run BIGINT, line BIGINT, job VARCHAR(64), config TEXT, "
            "problem TEXT, iteration_ms DOUBLE, mean_ms DOUBLE, iterations BIGINT, "
            "warm_up BIGINT, tflops_per_gpu DOUBLE, compute_ms DOUBLE, oom BIGINT, oom_rank "
            "BIGINT, "
            "oom_line BIGINT, ranks BIGINT, tp BIGINT, pp BIGINT, dp BIGINT, cp BIGINT, "
            "ep BIGINT, vp BIGINT, "
            "micro_batch BIGINT, global_batch BIGINT, seq_length BIGINT, hidden BIGINT, ffn_hidden "
            "BIGINT, heads BIGINT, "
            "kv_groups BIGINT, sequence_parallel BIGINT, distributed_optimizer BIGINT, "
            "layers TEXT, recompute VARCHAR(24), trained_in VARCHAR(8), notes TEXT, log_text "
            "HIDDEN, "
            "job_name HIDDEN VARCHAR(64), node_order HIDDEN TEXT)",
        .parts = {{NULL, memx_sql_megatron_log}},
        .columns = 34,
        .arguments = 3,
        .document = true,
        .prepare = memx_log_document,
    },
    {
        .name = "megatron_log_gpus",
        .schema = "CREATE TABLE megatron_log_gpus(run BIGINT, rank BIGINT, allocated_mib DOUBLE, "
                  "reserved_mib DOUBLE, total_mib DOUBLE, log_text HIDDEN)",
        .parts = {{NULL, memx_sql_megatron_log_gpus}},
        .columns = 5,
        .arguments = 1,
        .document = true,
        .prepare = memx_log_document,
    },
    {
        .name = "hf_config",
        .schema =
            "CREATE TABLE hf_config(model VARCHAR(64), family VARCHAR(64), layers BIGINT, "
            "hidden BIGINT, heads BIGINT, kv_groups BIGINT, head_dim BIGINT, ffn_hidden BIGINT, "
            "vocab BIGINT, seq_length BIGINT, gated_mlp BIGINT, tied_embeddings BIGINT, "
            "biases BIGINT, qkv_biases BIGINT, learned_positions BIGINT, norm VARCHAR(16), "
            "experts BIGINT, experts_per_token BIGINT, expert_ffn_hidden BIGINT, "
            "shared_experts BIGINT, dense_layers BIGINT, q_lora_rank BIGINT, kv_lora_rank BIGINT, "
            "qk_nope_dim BIGINT, qk_rope_dim BIGINT, v_head_dim BIGINT, "
            "published_parameters BIGINT, source TEXT, note TEXT, json_text HIDDEN, "
            "given_name HIDDEN VARCHAR(64))",
        .parts = {{NULL, memx_sql_hf_config}},
        .columns = 29,
        .arguments = 2,
        .document = true,
        .prepare = memx_hf_document,
    },
    {
        .name = "nvidia_smi",
        .schema = NODES("nvidia_smi"),
        .parts = {{NULL, memx_sql_nodes}},
        .columns = 6,
        .arguments = 1,
        .document = true,
        .prepare = memx_nvidia_document,
    },
    {
        .name = "rocm_smi",
        .schema = NODES("rocm_smi"),
        .parts = {{NULL, memx_sql_nodes}},
        .columns = 6,
        .arguments = 1,
        .document = true,
        .prepare = memx_rocm_document,
    },
};

typedef struct listing_cursor {
    memx_cursor base;        /* must be first */
    sqlite3_stmt *statement; /* NULL at the end */
    sqlite3_int64 rowid;     /* from 1 */
    /* Which the hidden columns show; NULL: not given. */
    sqlite3_value *arguments[MOST_ARGUMENTS];
    /* The inner table of a join is scanned again for every outer row, and SQLite makes no index of it: the
    ** second scan of a table without arguments keeps its rows, and those after it show them again. */
    enum { FIRST, AGAIN, KEEPING, KEPT } scan;
    sqlite3_value **values; /* row after row */
    size_t value_count, value_capacity;
} listing_cursor;

static const listing *listing_of(const memx_vtab *vtab) {
    return &listings[vtab->kind];
}

/* One module for all of them: argv[0] is the name that it was registered under. */
static int listing_connect(sqlite3 *db, void *session, int argc, const char *const *argv,
                           sqlite3_vtab **out, char **message) {
    int kind = 0;
    (void)argc, (void)message;
    while (strcmp(listings[kind].name, argv[0]) != 0) kind++;
    return memx_vtab_connect(db, session, listings[kind].schema, kind, out);
}

static int listing_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
    const listing *table = listing_of((memx_vtab *)base);
    uint64_t waiting = memx_take_arguments(info, table->columns, table->arguments, NULL);
    uint64_t read = info->colUsed >> table->columns & ((UINT64_C(1) << table->arguments) - 1);
    info->estimatedRows = 1000;
    info->estimatedCost = memx_plan_cost(read, (uint64_t)info->idxNum, waiting, 1e6);
    return SQLITE_OK;
}

static int listing_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
    return memx_cursor_open(vtab, sizeof(listing_cursor), out);
}

static void finish(listing_cursor *cursor) {
    sqlite3_finalize(cursor->statement);
    cursor->statement = NULL;
}

static void forget(listing_cursor *cursor) {
    for (int i = 0; i < MOST_ARGUMENTS; i++) {
        sqlite3_value_free(cursor->arguments[i]);
        cursor->arguments[i] = NULL;
    }
    while (cursor->value_count > 0) sqlite3_value_free(cursor->values[--cursor->value_count]);
}

static int listing_close(sqlite3_vtab_cursor *base) {
    listing_cursor *cursor = (listing_cursor *)base;
    finish(cursor);
    forget(cursor);
    sqlite3_free(cursor->values);
    return memx_cursor_close(&cursor->base);
}

/* WITH a AS MATERIALIZED (...), b AS MATERIALIZED (...) SELECT * FROM (...). Each part's text ends with
** its line, so that a comment there ends before the bracket. */
static void write_sql(const listing *table, memx_text *out) {
    for (int i = 0; i < PARTS && table->parts[i].sql; i++) {
        const char *name = table->parts[i].name;
        if (name) {
            memx_text_printf(out, "%s %s AS MATERIALIZED (\n", i ? "," : "WITH", name);
        } else {
            memx_text_printf(out, "\nSELECT * FROM (\n");
        }
        memx_text_add(out, table->parts[i].sql, strlen(table->parts[i].sql));
        memx_text_printf(out, ")");
    }
}

static memx_status prepare(listing_cursor *cursor, const memx_text *more, memx_error *error) {
    memx_vtab *vtab = memx_cursor_table(&cursor->base);
    const listing *table = listing_of(vtab);
    memx_text sql = {0};
    write_sql(table, &sql);
    int rc = sql.failed ? SQLITE_NOMEM
                        : sqlite3_prepare_v2(vtab->db, sql.data, -1, &cursor->statement, NULL);
    memx_text_free(&sql);
    for (int i = 0; i < table->arguments && rc == SQLITE_OK && !table->document; i++) {
        sqlite3_value *argument = cursor->arguments[i];
        if (argument) rc = sqlite3_bind_value(cursor->statement, i + 1, argument);
    }
    if (rc == SQLITE_OK && more->data) {
        rc = sqlite3_bind_text64(cursor->statement, table->arguments + 1, more->data, more->length,
                                 SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    return rc == SQLITE_OK ? MEMX_OK : memx_sql_failed(vtab->db, rc, error);
}

static int keep_row(listing_cursor *cursor) {
    int columns = listing_of(memx_cursor_table(&cursor->base))->columns;
    for (int i = 0; i < columns; i++) {
        if (cursor->value_count == cursor->value_capacity) {
            size_t capacity = 2 * cursor->value_capacity + 256;
            sqlite3_value **values =
                sqlite3_realloc64(cursor->values, capacity * sizeof(sqlite3_value *));
            if (!values) return SQLITE_NOMEM;
            cursor->values = values;
            cursor->value_capacity = capacity;
        }
        sqlite3_value *value = sqlite3_value_dup(sqlite3_column_value(cursor->statement, i));
        if (!value) return SQLITE_NOMEM;
        cursor->values[cursor->value_count++] = value;
    }
    return SQLITE_ROW;
}

/* The text of a column behind those of the table. */
static memx_status refusal(const listing_cursor *cursor, memx_error *error) {
    const listing *table = listing_of(memx_cursor_table(&cursor->base));
    sqlite3_stmt *statement = cursor->statement;
    if (sqlite3_column_count(statement) == table->columns ||
        sqlite3_column_type(statement, table->columns) == SQLITE_NULL)
        return MEMX_OK;
    const char *text = (const char *)sqlite3_column_text(statement, table->columns);
    return text ? memx_invalid(error, "%s: %s", table->name, text) : MEMX_NOMEM;
}

/* The guard is on while the SELECT reads, not between its rows: others may read meanwhile. */
static int step(listing_cursor *cursor) {
    memx_vtab *vtab = memx_cursor_table(&cursor->base);
    memx_reader *reader = memx_session_reader(vtab->session);
    memx_error error = {.text = ""};
    memx_status status = memx_reader_enter(reader, listing_of(vtab)->name, &error);
    if (!status) {
        int rc = sqlite3_step(cursor->statement);
        if (rc == SQLITE_ROW) status = refusal(cursor, &error);
        if (rc == SQLITE_ROW && cursor->scan == KEEPING) rc = keep_row(cursor);
        if (rc == SQLITE_DONE && cursor->scan == KEEPING) cursor->scan = KEPT;
        if (rc != SQLITE_ROW && rc != SQLITE_DONE) status = memx_sql_failed(vtab->db, rc, &error);
        memx_reader_leave(reader);
        if (rc != SQLITE_ROW) finish(cursor);
    }
    cursor->rowid++;
    return memx_vtab_fail(&vtab->base, status, &error);
}

static int listing_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                          sqlite3_value **argv) {
    listing_cursor *cursor = (listing_cursor *)base;
    memx_vtab *vtab = (memx_vtab *)base->pVtab;
    const listing *table = listing_of(vtab);
    memx_text more = {0};
    memx_error error = {.text = ""};
    (void)text;
    finish(cursor);
    if (cursor->scan == KEPT) {
        cursor->rowid = 1;
        return SQLITE_OK;
    }
    forget(cursor); /* of a scan that was left early */
    cursor->scan = table->arguments > 0 || cursor->scan == FIRST ? AGAIN : KEEPING;
    cursor->rowid = 0;
    for (int i = 0, next = 0; i < table->arguments && next < argc; i++) {
        if (!(plan >> i & 1)) continue;
        if (sqlite3_value_type(argv[next]) == SQLITE_NULL && !table->document) return SQLITE_OK;
        cursor->arguments[i] = sqlite3_value_dup(argv[next++]);
        if (!cursor->arguments[i]) return SQLITE_NOMEM;
    }
    memx_status status = memx_cursor_values(&cursor->base, cursor->arguments, table->arguments);
    if (!status) status = memx_reader_check_json(memx_session_reader(vtab->session), &error);
    if (!status && table->prepare)
        status = table->prepare(vtab->session, cursor->arguments, &more, &error);
    if (!status) status = more.failed ? MEMX_NOMEM : prepare(cursor, &more, &error);
    memx_text_free(&more);
    return status ? memx_vtab_fail(base->pVtab, status, &error) : step(cursor);
}

static int listing_next(sqlite3_vtab_cursor *base) {
    listing_cursor *cursor = (listing_cursor *)base;
    if (cursor->scan != KEPT) return step(cursor);
    cursor->rowid++;
    return SQLITE_OK;
}

/* Of the row among those kept, its first value. */
static size_t kept_at(const listing_cursor *cursor) {
    return (size_t)(cursor->rowid - 1) *
           (size_t)listing_of(memx_cursor_table(&cursor->base))->columns;
}

static int listing_eof(sqlite3_vtab_cursor *base) {
    const listing_cursor *cursor = (const listing_cursor *)base;
    if (cursor->scan == KEPT) return kept_at(cursor) >= cursor->value_count;
    return !cursor->statement;
}

static int listing_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    const listing_cursor *cursor = (const listing_cursor *)base;
    int argument = column - listing_of(memx_cursor_table(&cursor->base))->columns;
    sqlite3_value *value = argument >= 0          ? cursor->arguments[argument]
                           : cursor->scan == KEPT ? cursor->values[kept_at(cursor) + (size_t)column]
                                                  : sqlite3_column_value(cursor->statement, column);
    if (value) sqlite3_result_value(context, value);
    return SQLITE_OK;
}

static int listing_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out) {
    const listing_cursor *cursor = (const listing_cursor *)base;
    *out = memx_cursor_rowid(&cursor->base, cursor->rowid);
    return SQLITE_OK;
}

const sqlite3_module memx_listing_module = {
    .xConnect = listing_connect,
    .xBestIndex = listing_best_index,
    .xDisconnect = memx_vtab_disconnect,
    .xOpen = listing_open,
    .xClose = listing_close,
    .xFilter = listing_filter,
    .xNext = listing_next,
    .xEof = listing_eof,
    .xColumn = listing_column,
    .xRowid = listing_rowid,
};
