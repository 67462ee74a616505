#!/usr/bin/env bash
# memx_report() and memx_trace() that run out of SQLite's memory, or are interrupted, at whatever point, fail
# or give the whole page, and leave nothing open. Called again, they give it.
set -eu
cat >"$TMP_DIR/host.c" <<'C'
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sqlite3_mem_methods usual;
static long countdown = -1; /* of allocations, or steps; below 0: nothing fails */
static int how;             /* 0: one allocation fails; 1: all from it on; 2: interrupted */
static sqlite3 *db;

static int fails(void) {
    if (countdown < 0) return 0;
    if (countdown > 0) return --countdown, 0;
    if (how != 1) countdown = -1;
    return 1;
}
static void *faulty_malloc(int n) { return how < 2 && fails() ? NULL : usual.xMalloc(n); }
static void *faulty_realloc(void *p, int n) { return how < 2 && fails() ? NULL : usual.xRealloc(p, n); }
static int cancels(void *unused) { return (void)unused, how == 2 && fails(); }

static const char setup[] =
    "SELECT memx_init(); INSERT INTO memx_cluster(cluster, inter_gbs, note) VALUES ('one', 50, 'a <note>');"
    "INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('one', 0, 'A100-SXM-80GB', 2);"
    "INSERT INTO memx_job(job, cluster, model, global_batch, seq_length) VALUES ('j', 'one', 'gpt2', 4, 256);"
    "INSERT INTO memx_run(job, config, iteration_ms) SELECT 'j', config, 10 FROM memx_configs ORDER BY phi LIMIT 2";

static const char *const questions[] = {
    "SELECT memx_report('j')", "SELECT memx_report('j', 'tp1.dp1.mb1/A100-SXM-80GB*6:full,A100-SXM-80GB*6:none')",
    "SELECT memx_trace('j', 'tp1.dp1.mb1/A100-SXM-80GB*6:full,A100-SXM-80GB*6:none')"};

/* The answer, to be freed; NULL where there is none. *left: what was left of the countdown from n. */
static char *ask(const char *sql, long n, long *left) {
    sqlite3_stmt *statement = NULL;
    char *answer = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL)) return NULL;
    countdown = n;
    int row = sqlite3_step(statement) == SQLITE_ROW;
    *left = countdown;
    countdown = -1;
    const char *text = row ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    if (text) answer = strdup(text);
    sqlite3_finalize(statement);
    return answer;
}

int main(int argc, char **argv) {
    int bad = argc < 2;
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual);
    sqlite3_mem_methods faulty = usual;
    faulty.xMalloc = faulty_malloc;
    faulty.xRealloc = faulty_realloc;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &faulty);
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    if (sqlite3_open(":memory:", &db) || sqlite3_enable_load_extension(db, 1) ||
        sqlite3_load_extension(db, argv[1], NULL, NULL) || sqlite3_exec(db, setup, NULL, NULL, NULL)) {
        return printf("%s\n", sqlite3_errmsg(db)), 1;
    }
    sqlite3_progress_handler(db, 50, cancels, NULL);
    for (int q = 0; q < 3 && !bad; q++) {
        for (how = 0; how < 3 && !bad; how++) {
            const long much = 1L << 40;
            long left, failed = 0;
            char *whole = ask(questions[q], much, &left);
            long points = much - left;
            if (!whole) return printf("%s: %s\n", questions[q], sqlite3_errmsg(db)), 1;
            /* Each of the first hundred, then a few hundred along the way. */
            for (long n = 0; n < points && !bad; n += n < 100 ? 1 : 1 + points / 300) {
                char *page = ask(questions[q], n, &left);
                failed += !page;
                if (page && strcmp(page, whole) != 0) bad = printf("%s, %d at %ld: another answer\n", questions[q], how, n);
                if (!sqlite3_get_autocommit(db)) bad = printf("%s, %d at %ld: open\n", questions[q], how, n);
                free(page);
            }
            char *again = ask(questions[q], -1, &left);
            if (!again || strcmp(again, whole) != 0) bad = printf("%s, %d: not again\n", questions[q], how);
            printf("%s, %d: %ld points, %ld failed\n", questions[q], how, points, failed);
            if (failed == 0 && points > 20) bad = printf("%s, %d: nothing failed\n", questions[q], how);
            free(again);
            free(whole);
        }
    }
    if (sqlite3_close(db)) bad = printf("the connection does not close\n");
    return bad != 0;
}
C
# shellcheck disable=SC2086 # several words
${CC:-cc} -o "$TMP_DIR/host" "$TMP_DIR/host.c" $(pkg-config --cflags --libs sqlite3 2>/dev/null || echo -lsqlite3)
# shellcheck disable=SC2086
${PRELOAD:-} "$TMP_DIR/host" "$MEMX"
