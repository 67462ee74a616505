#include "sql/reader.h"

#include "core/model.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

void memx_reader_open(memx_reader *reader, sqlite3 *db) {
    *reader = (memx_reader){.db = db};
}

void memx_reader_close(memx_reader *reader) {
    for (int i = 0; i < reader->kept_count; i++) sqlite3_finalize(reader->kept[i].statement);
    reader->kept_count = 0;
    memx_reader_let_go(reader);
}

void memx_reader_let_go(memx_reader *reader) {
    sqlite3_finalize(reader->state);
    reader->state = NULL;
}

/* A function is often all that its statement does: SQLite itself then holds nothing between our reads. */
static memx_status hold(memx_reader *reader, memx_error *error) {
    if (reader->state) return MEMX_OK;
    int rc = sqlite3_prepare_v2(reader->db, "SELECT 1 FROM main.sqlite_schema", -1, &reader->state,
                                NULL);
    if (rc == SQLITE_AUTH) return MEMX_OK; /* an authorizer that shows tables, but not their list */
    if (rc == SQLITE_OK) rc = sqlite3_step(reader->state);
    if (rc == SQLITE_ROW || rc == SQLITE_DONE) return MEMX_OK;
    memx_status status = memx_sql_failed(reader->db, rc, error);
    memx_reader_let_go(reader);
    return status;
}

int memx_host_code(int rc) {
    return (rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED ? rc : 0;
}

memx_status memx_sql_failed(sqlite3 *db, int rc, memx_error *error) {
    if (rc == SQLITE_NOMEM) return MEMX_NOMEM;
    if (rc == SQLITE_INTERRUPT) return MEMX_INTERRUPTED;
    if (error) error->host_code = memx_host_code(rc);
    const char *message = sqlite3_errmsg(db);
    if (strncmp(message, "no such table: memx_", 20) == 0) {
        memx_invalid(error, "this database has no table %s; run SELECT memx_init() in it first",
                     message + 15);
    } else {
        memx_invalid(error, "%s", message);
    }
    return MEMX_FAILED;
}

/* ---- values ---- */

/* What identifies the row, for messages: "memx_node 'mix20', ordinal 3". */
typedef struct row_name {
    const char *table, *name;
    char which[2 * MEMX_NAME_SIZE];
} row_name;

/* What messages call a column: the name that its expression is given. */
static const char *label(const char *column) {
    for (const char *as = column; (as = strstr(as, " AS ")); as += 4) column = as + 4;
    return column;
}

static memx_status wrong_value(const row_name *row, const char *column, sqlite3_value *value,
                               const char *want, memx_error *error) {
    const char *text = (const char *)sqlite3_value_text(value);
    const char *quote = *row->name ? "'" : "";
    return memx_invalid(error, "%s%s%s%s%s%s: %s is %s%.40s%s; write %s", row->table,
                        *row->name ? " " : "", quote, row->name, quote, row->which, label(column),
                        text ? "'" : "", text ? text : "NULL", text ? "'" : "", want);
}

static memx_status read_field(const row_name *row, const memx_field *f, sqlite3_value *value,
                              void *out, memx_error *error) {
    char *at = (char *)out + f->offset;
    int type = sqlite3_value_type(value);
    switch (f->type) {
    case MEMX_F_COUNT:
        if (type != SQLITE_INTEGER) {
            return wrong_value(row, f->column, value, "a whole number", error);
        }
        *(int64_t *)(void *)at = sqlite3_value_int64(value);
        return MEMX_OK;
    case MEMX_F_FLAG:
        if (type != SQLITE_INTEGER || sqlite3_value_int64(value) >> 1 != 0) {
            return wrong_value(row, f->column, value, "0 or 1", error);
        }
        *(bool *)at = sqlite3_value_int64(value) != 0;
        return MEMX_OK;
    case MEMX_F_NUMBER_OR_NULL:
        if (type == SQLITE_NULL) return MEMX_OK; /* keeps what the caller put there */
        /* fall through */
    case MEMX_F_NUMBER:
        if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
            return wrong_value(row, f->column, value, "a number", error);
        }
        *(double *)(void *)at = sqlite3_value_double(value);
        return MEMX_OK;
    case MEMX_F_NAME: {
        const char *text = (const char *)sqlite3_value_text(value);
        if (type != SQLITE_TEXT || !text || !*text || strlen(text) >= MEMX_NAME_SIZE) {
            return wrong_value(row, f->column, value, "text of 1 to 64 bytes", error);
        }
        memcpy(at, text, strlen(text) + 1);
        return MEMX_OK;
    }
    }
    return MEMX_OK;
}

static void add_to_key(memx_text *key, sqlite3_value *value) {
    char type = (char)sqlite3_value_type(value);
    memx_text_add(key, &type, 1);
    if (type == SQLITE_INTEGER) {
        sqlite3_int64 n = sqlite3_value_int64(value);
        memx_text_add(key, (const char *)&n, sizeof n);
    } else if (type == SQLITE_FLOAT) {
        double x = sqlite3_value_double(value);
        memx_text_add(key, (const char *)&x, sizeof x);
    } else if (type == SQLITE_TEXT) {
        const char *text = (const char *)sqlite3_value_text(value);
        if (text) memx_text_add(key, text, strlen(text) + 1);
    }
}

/* ---- statements ---- */

memx_status memx_reader_enter(memx_reader *reader, const char *table, memx_error *error) {
    /* Rows of a listing, in them a job's nodes and, inside these, a device: more is a view that leads
    ** back here. */
    enum { MOST_DEPTH = 3 };
    if (reader->depth == MOST_DEPTH) {
        return memx_invalid(error,
                            "%s is read in the midst of other reads; stored tables must not be "
                            "views over MemX's own tables and functions",
                            table);
    }
    memx_status status = hold(reader, error);
    if (!status) reader->depth++;
    return status;
}

void memx_reader_leave(memx_reader *reader) {
    reader->depth--;
}

static memx_status prepare(memx_reader *reader, const memx_query *query, sqlite3_stmt **out,
                           memx_error *error) {
    memx_text sql = {0};
    memx_text_printf(&sql, "SELECT ");
    for (int i = 0; i < query->count; i++) {
        memx_text_printf(&sql, "%s%s", i ? ", " : "", query->fields[i].column);
    }
    memx_text_printf(&sql, " FROM %s", query->rest);
    int rc = sql.failed ? SQLITE_NOMEM
                        : sqlite3_prepare_v3(reader->db, sql.data, -1, SQLITE_PREPARE_PERSISTENT,
                                             out, NULL);
    memx_text_free(&sql);
    return rc == SQLITE_OK ? MEMX_OK : memx_sql_failed(reader->db, rc, error);
}

memx_status memx_reader_check(memx_reader *reader, const memx_query *query, memx_error *error) {
    sqlite3_stmt *statement = NULL;
    memx_status status = prepare(reader, query, &statement, error);
    sqlite3_finalize(statement);
    if (status != MEMX_FAILED) return status;
    const memx_error inner = *error;
    bool foreign = strncmp(inner.text, "no such column", 14) == 0;
    memx_invalid(error,
                 foreign ? "table %s is not MemX's: %.300s; rename or drop it" : "%s: %.300s",
                 query->table, inner.text);
    return status;
}

/* A statement, kept from before where it is idle. */
static memx_status open_statement(memx_reader *reader, const memx_query *query, sqlite3_stmt **out,
                                  memx_error *error) {
    *out = NULL;
    memx_status status = memx_reader_enter(reader, query->table, error);
    if (status) return status;
    for (int i = 0; i < reader->kept_count && !*out; i++) {
        if (reader->kept[i].query == query && !sqlite3_stmt_busy(reader->kept[i].statement)) {
            *out = reader->kept[i].statement;
        }
    }
    if (!*out) {
        status = prepare(reader, query, out, error);
        if (status) {
            memx_reader_leave(reader);
            return status;
        }
        if (reader->kept_count < MEMX_READER_STATEMENTS) {
            reader->kept[reader->kept_count].query = query;
            reader->kept[reader->kept_count++].statement = *out;
        }
    }
    return MEMX_OK;
}

static void finish(memx_reader *reader, sqlite3_stmt *statement) {
    if (!statement) return;
    memx_reader_leave(reader);
    for (int i = 0; i < reader->kept_count; i++) {
        if (reader->kept[i].statement != statement) continue;
        sqlite3_reset(statement);
        sqlite3_clear_bindings(statement);
        return;
    }
    sqlite3_finalize(statement);
}

/* A statement bound to its parameter. A name that was not bound would be one that is not there. */
static memx_status start(memx_reader *reader, const memx_query *query, const char *parameter,
                         sqlite3_stmt **out, memx_error *error) {
    memx_status status = open_statement(reader, query, out, error);
    if (status) return status;
    int rc = sqlite3_bind_text(*out, 1, parameter, -1, SQLITE_TRANSIENT);
    /* A query without a parameter is out of range. */
    if (rc == SQLITE_OK || rc == SQLITE_RANGE) return MEMX_OK;
    finish(reader, *out);
    *out = NULL;
    return memx_sql_failed(reader->db, rc, error);
}

memx_status memx_reader_check_json(memx_reader *reader, memx_error *error) {
    char probe[8];
    snprintf(probe, sizeof probe, "%.1f", 1.5);
    if (probe[1] == '.') return MEMX_OK;
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(reader->db, "SELECT json_extract('[1.5]', '$[0]')", -1, &statement,
                                NULL);
    if (rc == SQLITE_OK) rc = sqlite3_step(statement);
    double read = rc == SQLITE_ROW ? sqlite3_column_double(statement, 0) : 0.0;
    sqlite3_finalize(statement);
    if (rc != SQLITE_ROW) return memx_sql_failed(reader->db, rc, error);
    if (read > 1.0) return MEMX_OK;
    return memx_invalid(
        error,
        "this host's locale writes 1.5 as %.3s, and its SQLite %s then reads 1.5 in JSON as 1; "
        "start the host with LC_NUMERIC=C, or take SQLite 3.42 or later",
        probe, sqlite3_libversion());
}

static memx_status next_row(sqlite3_stmt *statement, const memx_query *query, const char *name,
                            bool many, void *out, memx_text *key, memx_error *error) {
    int rc = sqlite3_step(statement);
    if (rc == SQLITE_DONE) return MEMX_DONE;
    if (rc != SQLITE_ROW) return memx_sql_failed(sqlite3_db_handle(statement), rc, error);
    row_name row = {query->table, name, ""};
    memx_status status = MEMX_OK;
    for (int i = 0; i < query->count && !status; i++) {
        sqlite3_value *value = sqlite3_column_value(statement, i);
        if (key) add_to_key(key, value);
        if (many && i == 1) { /* the first column says which of the rows */
            const char *first = (const char *)sqlite3_column_text(statement, 0);
            snprintf(row.which, sizeof row.which, ", %.60s %.60s", label(query->fields[0].column),
                     first ? first : "NULL");
        }
        status = read_field(&row, &query->fields[i], value, out, error);
    }
    return status;
}

memx_status memx_reader_one(memx_reader *reader, const memx_query *query, const char *parameter,
                            void *out, memx_text *key, memx_error *error) {
    sqlite3_stmt *statement = NULL;
    memx_status status = start(reader, query, parameter, &statement, error);
    if (!status) status = next_row(statement, query, parameter, false, out, key, error);
    finish(reader, statement);
    return status;
}

memx_status memx_reader_each(memx_reader *reader, const memx_query *query, const char *parameter,
                             const void *blank, void *buffer, size_t size, memx_row_visit visit,
                             void *context, memx_text *key, memx_error *error) {
    sqlite3_stmt *statement = NULL;
    memx_status status = start(reader, query, parameter, &statement, error);
    while (!status) {
        memcpy(buffer, blank, size);
        status = next_row(statement, query, parameter, true, buffer, key, error);
        if (!status) status = visit(context, buffer, error);
    }
    finish(reader, statement);
    return status == MEMX_DONE ? MEMX_OK : status;
}

/* ---- names ---- */

static size_t edit_distance(const char *a, const char *b) {
    size_t row[MEMX_NAME_SIZE + 1], n = strlen(b);
    if (n > MEMX_NAME_SIZE) n = MEMX_NAME_SIZE;
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 1; a[i - 1] && i <= MEMX_NAME_SIZE; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t change = diagonal + (sqlite3_strnicmp(&a[i - 1], &b[j - 1], 1) != 0);
            size_t best = row[j] + 1 < row[j - 1] + 1 ? row[j] + 1 : row[j - 1] + 1;
            diagonal = row[j];
            row[j] = change < best ? change : best;
        }
    }
    return row[n];
}

typedef struct candidate {
    char name[MEMX_NAME_SIZE], group[MEMX_NAME_SIZE];
    size_t distance;
} candidate;

/* Keeps the list ordered and its groups distinct. */
static void consider(candidate *list, int most, int *count, const candidate *new) {
    int at = 0;
    while (at < *count && strcmp(list[at].group, new->group) != 0) at++;
    if (at < *count) {
        if (list[at].distance <= new->distance) return;
    } else if (*count < most) {
        at = (*count)++;
    } else {
        at = most - 1;
        if (list[at].distance <= new->distance) return;
    }
    for (; at > 0 && list[at - 1].distance > new->distance; at--) list[at] = list[at - 1];
    list[at] = *new;
}

/* Of `count` names, ordered by distance, those that help: three that are alike, or else a dozen and how
** many there are besides. */
static void write_names(const candidate *list, int count, size_t groups, bool alike,
                        memx_text *out) {
    enum { ALIKE = 3 };
    if (alike && count > ALIKE) count = ALIKE;
    for (int i = 0; i < count; i++) {
        memx_text_printf(out, "%s%s",
                         i       ? ", "
                         : alike ? "; nearest: "
                                 : "; there are: ",
                         list[i].name);
    }
    if (!alike && groups > (size_t)count) {
        memx_text_printf(out, ", and %zu more", groups - (size_t)count);
    }
}

void memx_nearest_names(memx_reader *reader, const char *table, const char *sql, const char *name,
                        memx_text *out) {
    enum { MOST = 12 };
    candidate list[MOST];
    int count = 0;
    size_t groups = 0;
    sqlite3_stmt *statement = NULL;
    if (memx_reader_enter(reader, table, NULL)) return;
    sqlite3_prepare_v2(reader->db, sql, -1, &statement, NULL);
    int group_column = sqlite3_column_count(statement) - 1;
    while (statement && sqlite3_step(statement) == SQLITE_ROW) {
        candidate new;
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        const char *group = (const char *)sqlite3_column_text(statement, group_column);
        if (!text || !group || strlen(text) >= MEMX_NAME_SIZE || strlen(group) >= MEMX_NAME_SIZE) {
            continue;
        }
        memcpy(new.name, text, strlen(text) + 1);
        memcpy(new.group, group, strlen(group) + 1);
        new.distance = edit_distance(text, name);
        groups += strcmp(text, group) == 0; /* every group has its own name among them */
        consider(list, MOST, &count, &new);
    }
    sqlite3_finalize(statement);
    memx_reader_leave(reader);
    const size_t length = strlen(name); /* distances are those of names that could be stored */
    bool alike = count > 0 && length < MEMX_NAME_SIZE && list[0].distance <= length / 2;
    write_names(list, count, groups, alike, out);
}
