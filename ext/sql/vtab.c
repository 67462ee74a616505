#include "sql/vtab.h"

#include "core/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

int memx_vtab_connect(sqlite3 *db, memx_session *session, const char *schema, int kind,
                      sqlite3_vtab **out) {
    int rc = sqlite3_declare_vtab(db, schema);
    if (rc != SQLITE_OK) return rc;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    memx_vtab *vtab = sqlite3_malloc(sizeof *vtab);
    if (!vtab) return SQLITE_NOMEM;
    *vtab = (memx_vtab){
        .db = db, .session = session, .name = schema + strlen("CREATE TABLE "), .kind = kind};
    /* The module may be replaced, by a second load, while statements still use this table. */
    memx_session_retain(session);
    *out = &vtab->base;
    return SQLITE_OK;
}

int memx_vtab_disconnect(sqlite3_vtab *vtab) {
    memx_session_release(((memx_vtab *)vtab)->session);
    sqlite3_free(vtab);
    return SQLITE_OK;
}

int memx_cursor_open(sqlite3_vtab *vtab, size_t size, sqlite3_vtab_cursor **out) {
    memx_cursor *cursor = sqlite3_malloc64(size);
    if (!cursor) return SQLITE_NOMEM;
    memset(cursor, 0, size);
    memx_session_enter(((memx_vtab *)vtab)->session, ((memx_vtab *)vtab)->name);
    *out = &cursor->base;
    return SQLITE_OK;
}

int memx_cursor_close(memx_cursor *cursor) {
    memx_session_leave(memx_cursor_table(cursor)->session);
    sqlite3_free(cursor);
    return SQLITE_OK;
}

/* A blob equals no text of the same bytes. */
static void add_name(memx_cursor *cursor, bool blob, const void *name, size_t length) {
    uint64_t parts[] = {cursor->scan, blob, name ? memx_hash(name, length) : 0};
    cursor->scan = memx_hash(parts, sizeof parts);
}

void memx_cursor_names(memx_cursor *cursor, const char *const *names, int count) {
    cursor->scan = 0;
    for (int i = 0; i < count; i++) {
        add_name(cursor, false, names[i], names[i] ? strlen(names[i]) : 0);
    }
}

memx_status memx_cursor_values(memx_cursor *cursor, sqlite3_value *const *values, int count) {
    cursor->scan = 0;
    for (int i = 0; i < count; i++) {
        int type = values[i] ? sqlite3_value_type(values[i]) : SQLITE_NULL;
        bool blob = type == SQLITE_BLOB;
        const void *name = NULL;
        size_t length = 0;
        if (type != SQLITE_NULL) {
            name = blob ? sqlite3_value_blob(values[i]) : sqlite3_value_text(values[i]);
            length = (size_t)sqlite3_value_bytes(values[i]);
            if (!name && !(blob && length == 0)) return MEMX_NOMEM;
        }
        add_name(cursor, blob, name, length);
    }
    return MEMX_OK;
}

sqlite3_int64 memx_cursor_rowid(const memx_cursor *cursor, int64_t number) {
    uint64_t pair[2] = {cursor->scan, (uint64_t)number};
    return (sqlite3_int64)memx_hash(pair, sizeof pair);
}

/* What was just read is no longer there, as a view of the user's may have it. */
static const char gone[] = "a stored row was there and is gone; ask again";

int memx_vtab_fail(sqlite3_vtab *vtab, memx_status status, const memx_error *error) {
    switch (status) {
    case MEMX_OK: return SQLITE_OK;
    case MEMX_NOMEM: return SQLITE_NOMEM;
    case MEMX_INTERRUPTED: return SQLITE_INTERRUPT;
    case MEMX_DONE:
    case MEMX_INVALID:
    case MEMX_FAILED: break;
    }
    sqlite3_free(vtab->zErrMsg);
    vtab->zErrMsg = sqlite3_mprintf("%s", status == MEMX_DONE ? gone : error->text);
    if (!vtab->zErrMsg) return SQLITE_NOMEM;
    return error->host_code ? error->host_code : SQLITE_ERROR;
}

void memx_result_fail(sqlite3_context *context, memx_status status, const memx_error *error) {
    switch (status) {
    case MEMX_OK: return;
    case MEMX_NOMEM: sqlite3_result_error_nomem(context); return;
    case MEMX_INTERRUPTED: sqlite3_result_error_code(context, SQLITE_INTERRUPT); return;
    case MEMX_DONE: sqlite3_result_error(context, gone, -1); return;
    case MEMX_INVALID:
    case MEMX_FAILED: break;
    }
    sqlite3_result_error(context, error->text, -1);
    if (error->host_code) sqlite3_result_error_code(context, error->host_code);
}

memx_status memx_argument_text(sqlite3_value *value, const char *what, const char **out,
                               memx_error *error) {
    *out = (const char *)sqlite3_value_text(value);
    if (!*out) return MEMX_NOMEM;
    if (strlen(*out) == (size_t)sqlite3_value_bytes(value)) return MEMX_OK;
    return memx_invalid(
        error, "%s '%.60s': the text goes on behind a NUL character; write it without", what, *out);
}

uint64_t memx_take_arguments(sqlite3_index_info *info, int first, int count, const int *visible) {
    uint64_t waiting = 0;
    for (int argument = 0, taken = 0; argument < count; argument++) {
        int found = -1;
        for (int i = 0; i < info->nConstraint; i++) {
            int column = info->aConstraint[i].iColumn;
            bool given = column == first + argument;
            bool shown = visible && column >= 0 && column == visible[argument] &&
                         strcmp(sqlite3_vtab_collation(info, i), "BINARY") == 0;
            if (info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ || !(given || shown)) {
                continue;
            }
            if (!info->aConstraint[i].usable) {
                waiting |= UINT64_C(1) << argument;
            } else if (found < 0 || given) {
                found = i;
            }
        }
        if (found < 0) continue;
        info->aConstraintUsage[found].argvIndex = ++taken;
        info->aConstraintUsage[found].omit = info->aConstraint[found].iColumn == first + argument;
        info->idxNum |= 1 << argument;
    }
    return waiting;
}

memx_status memx_taken_texts(const memx_vtab *vtab, int taken, sqlite3_value *const *argv,
                             const char *source, const char *texts[MEMX_ARGUMENTS],
                             memx_error *error) {
    static const char *const whats[MEMX_ARGUMENTS] = {"job", "config", "weights"};
    int length = (int)strcspn(vtab->name, "(");
    if ((taken & MEMX_JOB_AND_CONFIG) != MEMX_JOB_AND_CONFIG) {
        return memx_invalid(error,
                            "%.*s needs a job and a config: SELECT * FROM %.*s('JOB', 'CONFIG'); "
                            "both are columns of %s",
                            length, vtab->name, length, vtab->name, source);
    }
    for (int i = 0; i < MEMX_ARGUMENTS; i++) {
        texts[i] = NULL;
        if (!(taken >> i & 1)) continue;
        if (sqlite3_value_type(*argv) == SQLITE_NULL) return MEMX_DONE;
        memx_status status = memx_argument_text(*argv++, whats[i], &texts[i], error);
        if (status) return status;
    }
    return MEMX_OK;
}

memx_status memx_argument_whole(sqlite3_value *value, const char *name, int64_t least, int64_t most,
                                int64_t *out, memx_error *error) {
    int type = sqlite3_value_type(value);
    double x = sqlite3_value_double(value);
    *out = sqlite3_value_int64(value);
    if ((type == SQLITE_INTEGER || (type == SQLITE_FLOAT && fabs(x) <= 9e18 && floor(x) == x)) &&
        *out >= least && *out <= most) {
        return MEMX_OK;
    }
    char to[32] = "";
    const char *text = (const char *)sqlite3_value_text(value);
    if (most < INT64_MAX) snprintf(to, sizeof to, " to %lld", (long long)most);
    return memx_invalid(error, "%s is '%.40s'; write a whole number from %lld%s", name,
                        text ? text : "", (long long)least, to);
}

void memx_result_text(sqlite3_context *context, memx_text *text) {
    if (text->failed) {
        sqlite3_result_error_nomem(context);
        memx_text_free(text);
        return;
    }
    sqlite3_result_text64(context, text->data ? text->data : "", text->length,
                          text->data ? free : SQLITE_STATIC, SQLITE_UTF8);
    *text = (memx_text){0};
}

void memx_result_predictor(sqlite3_context *context, const char *name, bool extrapolated) {
    char *text = sqlite3_mprintf("%s%s", name, extrapolated ? " (extrapolated)" : "");
    if (text) {
        sqlite3_result_text(context, text, -1, sqlite3_free);
    } else {
        sqlite3_result_error_nomem(context);
    }
}
