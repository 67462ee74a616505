#include "sql/bracket.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

static const char guard_sql[] = "PRAGMA main.journal_mode";

static int prepare(sqlite3 *db, const char *sql, sqlite3_stmt **out) {
    return sqlite3_prepare_v2(db, sql, -1, out, NULL);
}

/* The code of what failed just now, with its message. A statement of our own connection that writes does not
** end while anyone waits for it: no host should try again. */
static int told(memx_bracket *b, int rc) {
    const char *message = rc != SQLITE_OK ? sqlite3_errmsg(b->db) : "";
    bool own = rc == SQLITE_BUSY && strstr(message, "statements in progress");
    if (own) message = "another statement is writing; call it in a SELECT of its own";
    if (rc != SQLITE_OK) snprintf(b->message, sizeof b->message, "%s", message);
    return own ? SQLITE_ERROR : rc;
}

static const char *begin_sql(const memx_bracket *b) {
    return b->nested ? "SAVEPOINT memx_bracket" : "BEGIN";
}

static const char *keep_sql(const memx_bracket *b) {
    return b->nested ? "RELEASE memx_bracket" : "COMMIT";
}

static const char *drop_sql(const memx_bracket *b) {
    return b->nested ? "ROLLBACK TO memx_bracket" : "ROLLBACK";
}

/* An authorizer that refuses to end what would begin is heard before it does. */
static int may_end(memx_bracket *b) {
    const char *const ends[] = {keep_sql(b), drop_sql(b)};
    int rc = SQLITE_OK;
    for (int i = 0; i < 2 && rc == SQLITE_OK; i++) {
        sqlite3_stmt *statement = NULL;
        rc = told(b, prepare(b->db, ends[i], &statement));
        sqlite3_finalize(statement);
    }
    return rc;
}

int memx_bracket_open(sqlite3 *db, memx_bracket *out) {
    sqlite3_stmt *begin = NULL;
    *out = (memx_bracket){.db = db, .nested = !sqlite3_get_autocommit(db)};
    int rc = may_end(out);
    if (rc == SQLITE_OK) rc = told(out, prepare(db, guard_sql, &out->guard));
    if (rc == SQLITE_OK) rc = told(out, prepare(db, begin_sql(out), &begin));
    if (rc != SQLITE_OK) {
        sqlite3_finalize(out->guard);
        return rc;
    }
    sqlite3_step(begin);
    rc = told(out, sqlite3_reset(begin));
    sqlite3_finalize(begin);
    if (rc == SQLITE_OK && sqlite3_get_autocommit(db)) { /* an authorizer had it ignored */
        snprintf(out->message, sizeof out->message, "an authorizer allows no transaction");
        rc = SQLITE_AUTH;
    }
    /* Failing, it has rolled back all that was open: nothing may then go on. */
    if (sqlite3_step(out->guard) != SQLITE_ROW && rc == SQLITE_OK) {
        rc = told(out, sqlite3_reset(out->guard));
        if (rc == SQLITE_OK) rc = SQLITE_ERROR;
    }
    return rc == SQLITE_OK ? SQLITE_OK : memx_bracket_close(out, rc);
}

int memx_bracket_close(memx_bracket *b, int rc) {
    sqlite3_stmt *keep = NULL, *drop = NULL, *last = NULL;
    int undoable = prepare(b->db, drop_sql(b), &drop);
    int ready = told(b, prepare(b->db, keep_sql(b), &keep));
    if (ready == SQLITE_OK) ready = told(b, undoable);
    if (ready == SQLITE_OK) ready = told(b, prepare(b->db, guard_sql, &last));
    sqlite3_step(b->guard);
    int guarded = sqlite3_finalize(b->guard);
    if (rc == SQLITE_OK) rc = guarded != SQLITE_OK ? told(b, guarded) : ready;
    if (rc == SQLITE_OK) {
        rc = sqlite3_step(keep) == SQLITE_DONE ? SQLITE_OK : told(b, sqlite3_reset(keep));
        if (rc == SQLITE_OK && !b->nested && !sqlite3_get_autocommit(b->db)) rc = SQLITE_AUTH;
    }
    if (rc != SQLITE_OK && undoable == SQLITE_OK) {
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

const char *memx_bracket_why(const memx_bracket *b, int rc) {
    return *b->message ? b->message : sqlite3_errstr(rc);
}
