#!/usr/bin/env bash
# A host that loads the extension again while it holds prepared statements: they go on, and the connection
# closes. (A load inside a running scan is refused by SQLite, since functions are in use.)
set -eu
cat >"$TMP_DIR/host.c" <<'C'
#include <sqlite3.h>
#include <stdio.h>

static int load(sqlite3 *db, const char *path) {
    sqlite3_enable_load_extension(db, 1);
    return sqlite3_load_extension(db, path, NULL, NULL);
}

static int rows(sqlite3_stmt *statement) {
    int count = 0;
    while (sqlite3_step(statement) == SQLITE_ROW) count++;
    sqlite3_reset(statement);
    return count;
}

int main(int argc, char **argv) {
    static const char *const queries[] = {
        "SELECT config, phi FROM memx_configs WHERE job = 'lab6'",
        "SELECT s.stage FROM memx_configs AS c, memx_stages(c.job, c.config) AS s WHERE c.job = 'lab6'",
        "SELECT * FROM memx_why('lab6')",
        "WITH c AS MATERIALIZED (SELECT config FROM memx_configs WHERE job = 'lab6' LIMIT 500) "
        "SELECT recompute_plan('lab6', config) FROM c"};
    sqlite3 *db = NULL;
    enum { COUNT = sizeof queries / sizeof queries[0] };
    sqlite3_stmt *statements[COUNT];
    if (argc < 3 || sqlite3_open(argv[2], &db) || load(db, argv[1])) return 2;
    for (int i = 0; i < COUNT; i++) {
        if (sqlite3_prepare_v2(db, queries[i], -1, &statements[i], NULL)) return 3;
    }
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++) printf("%d ", rows(statements[i]));
        puts("");
        sqlite3_step(statements[0]);
        if (load(db, argv[1]) == SQLITE_OK) return 4; /* in use */
        sqlite3_reset(statements[0]);
        if (load(db, argv[1]) != SQLITE_OK) return 5;
    }
    for (int i = 0; i < COUNT; i++) sqlite3_finalize(statements[i]);
    return sqlite3_close(db) == SQLITE_OK ? 0 : 6;
}
C
# shellcheck disable=SC2086 # several words
${CC:-cc} -o "$TMP_DIR/host" "$TMP_DIR/host.c" $(pkg-config --cflags --libs sqlite3 2>/dev/null || echo -lsqlite3)
# shellcheck disable=SC2086
${PRELOAD:-} "$TMP_DIR/host" "$MEMX" "$DEMO_DB" >"$TMP_DIR/out" || { echo "exit code $?"; exit 1; }
[ "$(sort -u "$TMP_DIR/out" | wc -l)" = 1 ] && [ "$(wc -l <"$TMP_DIR/out")" = 3 ] ||
    { echo "the rounds differ:"; cat "$TMP_DIR/out"; exit 1; }
