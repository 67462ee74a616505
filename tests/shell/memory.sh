#!/usr/bin/env bash
# What a connection keeps is bounded in bytes: a dozen jobs whose prices take 33 MiB each stay below what
# ten of them would need.
set -eu
[ -z "${PRELOAD:-}" ] || { echo "sanitizers keep what is freed"; exit 77; }
cat >"$TMP_DIR/host.c" <<'C'
#include <sqlite3.h>
#include <stdio.h>
#include <sys/resource.h>

static const char setup[] =
    "SELECT memx_init(); INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('one', 50);"
    "INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('one', 0, 'A100-SXM-80GB', 1);"
    "INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length)"
    "  VALUES ('deep', 10000, 64, 4, 4, 16, 256, 1000, 64);"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 31)"
    "  INSERT INTO memx_space SELECT 'deep', 'recompute', 'block' || i FROM n;"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)"
    "  INSERT INTO memx_job(job, cluster, model, framework, global_batch, space)"
    "    SELECT 'job' || i, 'one', 'deep', 'megatron-fp16', i, 'deep' FROM n;";

int main(int argc, char **argv) {
    sqlite3 *db = NULL;
    struct rusage usage;
    if (argc < 2 || sqlite3_open(":memory:", &db) || sqlite3_enable_load_extension(db, 1) ||
        sqlite3_load_extension(db, argv[1], NULL, NULL) || sqlite3_exec(db, setup, NULL, NULL, NULL) ||
        sqlite3_exec(db, "SELECT recompute_plan(job, 'tp1.dp1.mb1/A100-SXM-80GB*10000:block1') FROM memx_job",
                     NULL, NULL, NULL)) {
        fprintf(stderr, "%s\n", sqlite3_errmsg(db));
        return 1;
    }
    getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
    long mib = usage.ru_maxrss >> 20;
#else
    long mib = usage.ru_maxrss >> 10;
#endif
    printf("peak %ld MiB\n", mib);
    return sqlite3_close(db) != SQLITE_OK || mib > 350 || mib < 100;
}
C
# shellcheck disable=SC2086 # several words
${CC:-cc} -o "$TMP_DIR/host" "$TMP_DIR/host.c" $(pkg-config --cflags --libs sqlite3 2>/dev/null || echo -lsqlite3)
"$TMP_DIR/host" "$MEMX"
