#!/usr/bin/env bash
# memx_init() that runs out of memory, is interrupted or may not commit, at whatever point, leaves nothing
# behind: no open transaction or savepoint, and no table unless all of them. Inside a transaction it may
# end that (as SQLite does with one that runs out of memory), but leaves no savepoint. Called again, it
# succeeds.
set -eu
cat >"$TMP_DIR/host.c" <<'C'
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static sqlite3_mem_methods usual;
static long countdown; /* of allocations, or steps; below 0: nothing fails */
static int how;
static int lasting;    /* all later ones fail too */
static sqlite3 *db;

static int fails(void) {
    if (countdown < 0) return 0;
    if (countdown > 0) return --countdown, 0;
    if (!lasting) countdown = -1;
    return 1;
}
static void *faulty_malloc(int n) { return how < 2 && fails() ? NULL : usual.xMalloc(n); }
static void *faulty_realloc(void *p, int n) { return how < 2 && fails() ? NULL : usual.xRealloc(p, n); }
static int interrupts(void *unused) {
    (void)unused;
    if (fails()) sqlite3_interrupt(db);
    return 0;
}
static int cancels(void *unused) { return (void)unused, fails(); }

static int number(const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL)) return -1;
    int n = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int(statement, 0) : -1;
    sqlite3_finalize(statement);
    return n;
}

static const char *const hows[] = {"an allocation fails", "all allocations fail from one on",
                                   "an interrupt", "a progress handler that stops", "one that stops once"};

/* 1, or 0 when the fault came too late, or 2 when something is wrong. */
static int attempt(const char *memx, int inside, long n) {
    if (sqlite3_open(":memory:", &db) || sqlite3_enable_load_extension(db, 1) ||
        sqlite3_load_extension(db, memx, NULL, NULL)) return 2;
    if (inside) sqlite3_exec(db, "CREATE TABLE mine(x); BEGIN; INSERT INTO mine VALUES (1)", 0, 0, 0);
    sqlite3_stmt *init;
    if (sqlite3_prepare_v2(db, "SELECT memx_init()", -1, &init, NULL)) return 2;
    lasting = how == 1 || how == 3;
    if (how >= 2) sqlite3_progress_handler(db, how == 2 ? 100 : 7, how == 2 ? interrupts : cancels, NULL);
    countdown = n;
    int failed = sqlite3_step(init) != SQLITE_ROW, late = countdown > 0;
    sqlite3_finalize(init);
    countdown = -1;
    sqlite3_progress_handler(db, 0, NULL, NULL);
    const char *wrong = NULL;
    int open = !sqlite3_get_autocommit(db);
    if (failed && open && !inside) wrong = "a transaction is left open";
    /* All is well that fails only after it. */
    int tables = number("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'memx%'");
    if (tables && number("SELECT count(*) > 0 FROM memx_space") != 1) wrong = "only some of the tables are left";
    if (sqlite3_exec(db, "RELEASE memx_bracket", 0, 0, 0) == SQLITE_OK) wrong = "a savepoint is left open";
    if (failed && inside && number("SELECT count(*) FROM mine") != open) wrong = "the transaction lost its rows";
    if (number("SELECT length(memx_init()) > 0") != 1) wrong = "the second call fails";
    if (!wrong && !open != sqlite3_get_autocommit(db)) wrong = "the second call leaves a transaction open";
    if (!wrong && number("SELECT count(*) > 0 FROM memx_device") != 1) wrong = "the second call adds nothing";
    if (sqlite3_close(db)) wrong = "the connection does not close";
    if (wrong) printf("%s, number %ld%s: %s\n", hows[how], n, inside ? ", in a transaction" : "", wrong);
    return wrong ? 2 : !late;
}

int main(int argc, char **argv) {
    int bad = argc < 2;
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual);
    sqlite3_mem_methods faulty = usual;
    faulty.xMalloc = faulty_malloc;
    faulty.xRealloc = faulty_realloc;
    countdown = -1;
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0); /* every allocation is one that can fail */
    sqlite3_config(SQLITE_CONFIG_MALLOC, &faulty);
    for (how = 0; how < 5; how++) {
        for (int inside = 0; inside < 2; inside++) {
            int tries = 0, result = 1;
            /* Those that begin it one by one; then ever fewer. */
            for (long n = 0; result == 1; n += 1 + n / 32) result = attempt(argv[1], inside, n), tries++;
            bad |= result == 2 || tries < 50;
            printf("%s: %d tries\n", hows[how], tries);
        }
    }
    /* A commit that SQLite refuses: the statement that calls it is writing. */
    if (sqlite3_open(":memory:", &db) || sqlite3_enable_load_extension(db, 1) ||
        sqlite3_load_extension(db, argv[1], NULL, NULL)) return 2;
    sqlite3_exec(db, "CREATE TABLE t(x)", 0, 0, 0);
    if (sqlite3_exec(db, "INSERT INTO t SELECT memx_init()", 0, 0, 0) == SQLITE_OK ||
        !sqlite3_get_autocommit(db) || number("SELECT count(*) FROM sqlite_schema") != 1) {
        puts("a refused commit leaves something behind");
        bad = 1;
    }
    return sqlite3_close(db) || bad;
}
C
# shellcheck disable=SC2086 # several words
${CC:-cc} -o "$TMP_DIR/host" "$TMP_DIR/host.c" $(pkg-config --cflags --libs sqlite3 2>/dev/null || echo -lsqlite3)
# shellcheck disable=SC2086
${PRELOAD:-} "$TMP_DIR/host" "$MEMX"
