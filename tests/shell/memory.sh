#!/usr/bin/env bash
# What a connection keeps is bounded in bytes: a dozen jobs whose prices take 33 MiB each stay below what ten of them
# would need; sixty jobs that are ranked together, each with 13 MiB of prices, below what twenty-five would.
set -eu
[ -z "${PRELOAD:-}" ] || { echo "sanitizers keep what is freed"; exit 77; }
cat >"$TMP_DIR/host.c" <<'C'
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* host EXTENSION DATABASE SQL LEAST MOST: MiB that the process may take at its peak. */
int main(int argc, char **argv) {
    sqlite3 *db = NULL;
    struct rusage usage;
    if (argc != 6 || sqlite3_open(argv[2], &db) || sqlite3_enable_load_extension(db, 1) ||
        sqlite3_load_extension(db, argv[1], NULL, NULL) || sqlite3_exec(db, argv[3], NULL, NULL, NULL)) {
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
    return sqlite3_close(db) != SQLITE_OK || mib < atol(argv[4]) || mib > atol(argv[5]);
}
C
# shellcheck disable=SC2086 # several words
${CC:-cc} -o "$TMP_DIR/host" "$TMP_DIR/host.c" $(pkg-config --cflags --libs sqlite3 2>/dev/null || echo -lsqlite3)

"$TMP_DIR/host" "$MEMX" :memory: "
    SELECT memx_init(); INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('one', 50);
    INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('one', 0, 'A100-SXM-80GB', 1);
    INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length)
      VALUES ('deep', 10000, 64, 4, 4, 16, 256, 1000, 64);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 31)
      INSERT INTO memx_space SELECT 'deep', 'recompute', 'block' || i FROM n;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
      INSERT INTO memx_job(job, cluster, model, framework, global_batch, space)
        SELECT 'job' || i, 'one', 'deep', 'megatron-fp16', i, 'deep' FROM n;
    SELECT recompute_plan(job, 'tp1.dp1.mb1/A100-SXM-80GB*10000:block1') FROM memx_job;" 100 350

cp "$DEMO_DB" "$TMP_DIR/many.db"
"$TMP_DIR/host" "$MEMX" "$TMP_DIR/many.db" "
    DELETE FROM memx_job;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
      INSERT INTO memx_job(job, cluster, model, framework, global_batch)
        SELECT 'job' || i, 'xy', 'llama2-7b', 'megatron-bf16', 8 * i FROM n;
    SELECT * FROM memx_configs ORDER BY phi LIMIT 10;" 100 350
