/*
** The rows of memx_configs for one job: streamed, ranked, or a single one that was looked up.
*/
#ifndef MEMX_SQL_LANE_H
#define MEMX_SQL_LANE_H

#include "core/ranked.h"
#include "sql/row.h"
#include "sql/session.h"

/* What a query's constraints say, for all jobs. */
typedef struct memx_lane_query {
    char *space, *config; /* NULL: not given */
    bool weighted;        /* `weights` were given; else the job's own */
    memx_weights weights;
    int64_t max_rows, shard, shards; /* shard -1, shards 0: not given */
    memx_bounds bounds;
    memx_limits limits; /* observed by ranked rows, left to SQLite by others */
    bool pareto;        /* only what nothing beats */
    bool ranked;
    memx_measure by;
    int64_t wanted; /* rows that a ranked query is likely to take; 0: unknown */
} memx_lane_query;

typedef struct memx_lane {
    const memx_lane_query *query;
    memx_study *study, *own; /* of the space that is searched; of the job's own */
    memx_extent extent;      /* of that space: what the query looks at */
    memx_count rows;         /* in it, where they were counted */
    memx_scan scan;
    memx_ranked *ranked;
    memx_row row; /* the current one */
    memx_loop loop;
} memx_lane;

/* Reads a job: MEMX_INVALID where it cannot be read. Must not be moved while it is open; close it in any
** case. Keeps a pointer to the query. */
memx_status memx_lane_open(memx_session *session, const char *job, const memx_lane_query *query,
                           const memx_poll *poll, memx_lane *out, memx_error *error);

/* Positions on the first row, the next row: MEMX_OK or MEMX_DONE. MEMX_INVALID where a stream has more
** than max_rows. */
memx_status memx_lane_first(memx_lane *lane, memx_error *error);
memx_status memx_lane_next(memx_lane *lane, memx_error *error);
void memx_lane_close(memx_lane *lane);

#endif
