#!/usr/bin/env bash
# A process that holds two copies of SQLite: the extension serves the first that loads it, and says so to the other
# instead of calling into the wrong one.
set -eu
cat >"$TMP_DIR/host.c" <<'C'
#include <sqlite3ext.h>
#include <dlfcn.h>
#include <stdio.h>

const sqlite3_api_routines *sqlite3_api; /* ours; the header's macros call through it */
#undef sqlite3_open
#undef sqlite3_auto_extension
#undef sqlite3_exec
#undef sqlite3_load_extension
#undef sqlite3_enable_load_extension
int sqlite3_open(const char *, sqlite3 **);
int sqlite3_auto_extension(void (*)(void));
int sqlite3_enable_load_extension(sqlite3 *, int);
int sqlite3_load_extension(sqlite3 *, const char *, const char *, char **);
int sqlite3_exec(sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *, char **);

static int take(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
    (void)db, (void)message;
    sqlite3_api = api;
    return 0;
}

int main(int argc, char **argv) {
    sqlite3 *db;
    char *message = NULL, path[1000];
    sqlite3_auto_extension((void (*)(void))take);
    if (argc < 2 || sqlite3_open(":memory:", &db)) return 2;
    sqlite3_enable_load_extension(db, 1);
    if (sqlite3_load_extension(db, argv[1], NULL, NULL)) return 3;
    snprintf(path, sizeof path, "%s.so", argv[1]);
    void *library = dlopen(path, RTLD_NOW);
    int (*init)(sqlite3 *, char **, const sqlite3_api_routines *) =
        library ? (int (*)(sqlite3 *, char **, const sqlite3_api_routines *))dlsym(library, "sqlite3_memx_init") : NULL;
    if (!init) return 4;
    sqlite3_api_routines other = *sqlite3_api; /* as another copy of SQLite has them */
    int rc = init(db, &message, &other);
    printf("%d %s\n", rc, message ? message : "");
    return sqlite3_exec(db, "SELECT phi(1, 2, 3)", NULL, NULL, NULL);
}
C
# shellcheck disable=SC2086,SC2046 # several words
${CC:-cc} -o "$TMP_DIR/host" "$TMP_DIR/host.c" $(pkg-config --cflags --libs sqlite3 2>/dev/null || echo -lsqlite3) -ldl
out=$(${PRELOAD:-} "$TMP_DIR/host" "$MEMX")
case $out in
"1 MemX already serves another copy of SQLite in this process"*) ;;
*)
    echo "$out"
    exit 1
    ;;
esac
