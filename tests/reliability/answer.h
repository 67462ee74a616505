/*
** What a statement answers, as one number.
*/
#ifndef MEMX_TESTS_ANSWER_H
#define MEMX_TESTS_ANSWER_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#define ANSWER_START UINT64_C(14695981039346656037)

/* FNV-1a. */
static inline uint64_t answer_mix(uint64_t hash, const void *data, size_t n) {
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * UINT64_C(1099511628211);
    return hash;
}

/* Steps a statement to its end; the hash of its rows, of each value its type and its text. */
static inline int answer_run(sqlite3_stmt *statement, uint64_t *hash) {
    int rc;
    *hash = ANSWER_START;
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int c = 0; c < sqlite3_column_count(statement); c++) {
            int type = sqlite3_column_type(statement, c);
            const void *text = sqlite3_column_text(statement, c);
            if (!text && type != SQLITE_NULL) return SQLITE_NOMEM; /* no memory for its text */
            *hash = answer_mix(*hash, &type, sizeof type);
            if (text) *hash = answer_mix(*hash, text, (size_t)sqlite3_column_bytes(statement, c));
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
