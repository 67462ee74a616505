/*
** What a statement answers, as one number.
*/
#ifndef MEMX_TESTS_ANSWER_H
#define MEMX_TESTS_ANSWER_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANSWER_START UINT64_C(14695981039346656037)

/* FNV-1a. */
static inline uint64_t answer_mix(uint64_t hash, const void *data, size_t n) {
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * UINT64_C(1099511628211);
    return hash;
}

/* While a text is read: that it becomes UTF-8 may take memory, which a test must not withhold then, since the
** statement may have committed. */
static _Thread_local bool answer_reading;

/* A value in its own type. */
static inline uint64_t answer_value(uint64_t hash, sqlite3_stmt *statement, int column) {
    int type = sqlite3_column_type(statement, column);
    hash = answer_mix(hash, &type, sizeof type);
    if (type == SQLITE_INTEGER) {
        sqlite3_int64 whole = sqlite3_column_int64(statement, column);
        return answer_mix(hash, &whole, sizeof whole);
    }
    if (type == SQLITE_FLOAT) {
        double real = sqlite3_column_double(statement, column);
        return answer_mix(hash, &real, sizeof real);
    }
    answer_reading = true;
    const void *bytes = type == SQLITE_TEXT ? (const void *)sqlite3_column_text(statement, column)
                                            : sqlite3_column_blob(statement, column);
    hash = answer_mix(hash, bytes, (size_t)sqlite3_column_bytes(statement, column));
    answer_reading = false;
    return hash;
}

/* Steps a statement to its end; the hash of its rows. */
static inline int answer_run(sqlite3_stmt *statement, uint64_t *hash) {
    int rc;
    *hash = ANSWER_START;
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int c = 0; c < sqlite3_column_count(statement); c++) {
            *hash = answer_value(*hash, statement, c);
        }
    }
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static inline int answer_of(sqlite3 *db, const char *sql, uint64_t *hash) {
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (rc == SQLITE_OK) rc = answer_run(statement, hash);
    int closed = sqlite3_finalize(statement);
    return rc ? rc : closed;
}

#endif
