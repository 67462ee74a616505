/*
** The columns that memx_configs and memx_predict have in common, and how a configuration fills
** them.
**
** Nothing is computed before a column asks for it: measures once per row, references once per
** study.
*/
#ifndef MEMX_SQL_ROW_H
#define MEMX_SQL_ROW_H

#include "core/phi.h"
#include "core/plan.h"
#include "sql/session.h"

/* In the order of the declaration below. */
enum memx_row_column {
    MEMX_COL_JOB,
    MEMX_COL_CLUSTER,
    MEMX_COL_MODEL,
    MEMX_COL_CONFIG,
    MEMX_COL_TP,
    MEMX_COL_PP,
    MEMX_COL_DP,
    MEMX_COL_MICRO_BATCH,
    MEMX_COL_MICRO_BATCHES,
    MEMX_COL_GLOBAL_BATCH,
    MEMX_COL_SEQ_LENGTH,
    MEMX_COL_HEADS,
    MEMX_COL_KV_GROUPS,
    MEMX_COL_CP,
    MEMX_COL_EP,
    MEMX_COL_VP,
    MEMX_COL_SEQUENCE_PARALLEL,
    MEMX_COL_DISTRIBUTED_OPTIMIZER,
    MEMX_COL_DEVICES,
    MEMX_COL_LAYERS,
    MEMX_COL_RECOMPUTE,
    MEMX_COL_ITERATION_MS,
    MEMX_COL_SLOWDOWN,
    MEMX_COL_TOKENS_PER_S,
    MEMX_COL_TFLOPS_PER_GPU,
    MEMX_COL_BUBBLE,
    MEMX_COL_P2P_MS,
    MEMX_COL_DP_SYNC_MS,
    MEMX_COL_PEAK_MIB,
    MEMX_COL_MEMORY_VARIANCE,
    MEMX_COL_HEADROOM,
    MEMX_COL_HEADROOM_MIB,
    MEMX_COL_SLOWEST_STAGE,
    MEMX_COL_TIGHTEST_STAGE,
    MEMX_COL_PREDICTOR,
    MEMX_COL_PHI,
    MEMX_ROW_COLUMNS, /* hidden ones follow, each table's own */
};

/* Memory in MiB is DOUBLE and counts are BIGINT: ODBC would read INTEGER as 32 bit. What can be ranked
** by is NOT NULL, so that SQLite passes min(phi) as an order. */
#define MEMX_ROW_DECLARATION                                                                       \
    "job VARCHAR(64) NOT NULL, cluster VARCHAR(64), model VARCHAR(64), config TEXT NOT NULL, "     \
    "tp BIGINT, pp BIGINT, dp BIGINT, micro_batch BIGINT, micro_batches BIGINT, "                  \
    "global_batch BIGINT, seq_length BIGINT, heads BIGINT, kv_groups BIGINT, cp BIGINT, ep "       \
    "BIGINT, vp BIGINT, "                                                                          \
    "sequence_parallel BIGINT, distributed_optimizer BIGINT, "                                     \
    "devices TEXT, layers TEXT, recompute TEXT, "                                                  \
    "iteration_ms DOUBLE NOT NULL, slowdown DOUBLE, tokens_per_s DOUBLE, tflops_per_gpu DOUBLE, "  \
    "bubble DOUBLE, p2p_ms DOUBLE, dp_sync_ms DOUBLE, peak_mib DOUBLE NOT NULL, "                  \
    "memory_variance DOUBLE NOT NULL, "                                                            \
    "headroom DOUBLE, headroom_mib DOUBLE, slowest_stage BIGINT, tightest_stage BIGINT, "          \
    "predictor VARCHAR(96), phi DOUBLE NOT NULL"

typedef struct memx_row {
    memx_study *study; /* the job; its search is the job's own space for references */
    const memx_poll *poll;
    const char *predictor;
    memx_weights weights;
    double reference_phi; /* of the references under these weights; 0 until it is asked for */
    /* The configuration. */
    const memx_plan *plan;
    const memx_placement *placement;
    const memx_option *const *options;
    /* Writes the stages' choices, on demand. */
    void (*stages)(const struct memx_row *row, memx_stage_choice *out);
    const void *source;
    bool measured;
    memx_measures measures;
} memx_row;

/* The references of the job's own space; reference_phi is filled. */
memx_status memx_row_refer(memx_row *row, memx_study *own, const memx_reference **out,
                           memx_error *error);

/* Answers a visible column. `own` has the job's own space searched; used by slowdown and phi. */
void memx_row_result(memx_row *row, memx_study *own, sqlite3_context *context, int column);

/* The hidden columns simulated_ms and same_task. */
void memx_row_simulated(memx_row *row, sqlite3_context *context);
int memx_row_same_task(const memx_row *row);

#endif
