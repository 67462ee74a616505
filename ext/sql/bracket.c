#include "sql/bracket.h"

#include <stddef.h>

SQLITE_EXTENSION_INIT3

static const char guard_sql[] = "PRAGMA main.journal_mode";

static int prepare(sqlite3 *db, const char *sql, sqlite3_stmt **out) {
    return sqlite3_prepare_v2(db, sql, -1, out, NULL);
}

int memx_bracket_open(sqlite3 *db, memx_bracket *out) {
    sqlite3_stmt *begin = NULL;
    *out = (memx_bracket){.db = db, .nested = !sqlite3_get_autocommit(db)};
    int rc = prepare(db, guard_sql, &out->guard);
    if (rc == SQLITE_OK) rc = prepare(db, out->nested ? "SAVEPOINT memx_bracket" : "BEGIN", &begin);
    if (rc != SQLITE_OK) {
        sqlite3_finalize(out->guard);
        return rc;
    }
    sqlite3_step(begin);
    rc = sqlite3_reset(begin);
    sqlite3_finalize(begin);
    sqlite3_step(out->guard); /* where it fails, so will the first script */
    /* A progress handler that stops it at its very end leaves it open. */
    return rc == SQLITE_OK ? SQLITE_OK : memx_bracket_close(out, rc);
}

int memx_bracket_close(const memx_bracket *b, int rc) {
    sqlite3_stmt *keep = NULL, *drop = NULL, *last = NULL;
    int ready = prepare(b->db, b->nested ? "RELEASE memx_bracket" : "COMMIT", &keep);
    if (ready == SQLITE_OK) {
        ready = prepare(b->db, b->nested ? "ROLLBACK TO memx_bracket" : "ROLLBACK", &drop);
    }
    if (ready == SQLITE_OK) ready = prepare(b->db, guard_sql, &last);
    sqlite3_step(b->guard);
    int guarded = sqlite3_finalize(b->guard);
    if (rc == SQLITE_OK) rc = guarded != SQLITE_OK ? guarded : ready;
    if (rc == SQLITE_OK) rc = sqlite3_step(keep) == SQLITE_DONE ? SQLITE_OK : sqlite3_reset(keep);
    if (rc != SQLITE_OK && ready == SQLITE_OK) {
        sqlite3_step(drop);
        if (sqlite3_reset(drop) == SQLITE_OK) {
            if (b->nested) sqlite3_step(keep);
        } else {
            sqlite3_step(last); /* interrupted only just now */
        }
    }
    sqlite3_finalize(keep);
    sqlite3_finalize(drop);
    sqlite3_finalize(last);
    return rc;
}
