/*
** The configurations of a ProTrain job that fit, in order of enumeration or by time.
**
** Enumeration goes by micro batch, n_swap, n_checkpoint, n_persist, n_buffer. The paper walks all of it in
** order of memory and stops at the capacity; the rows here are the same, by their structure: n_swap and
** n_checkpoint fix the peak of activations, and so how many chunks fit; running sums over chunks then give
** each row's time at once.
**
** Ranked: best first. A pair (n_swap, n_checkpoint) waits under its bound. Opened, each n_persist becomes a
** lane of its own, since with more buffers a row is never slower: lanes begin with most buffers and go down.
** n_persist has no such order, because what persists is updated by the GPU. Ties come in order of
** enumeration.
*/
#ifndef MEMX_CORE_PROTRAIN_SEARCH_H
#define MEMX_CORE_PROTRAIN_SEARCH_H

#include "core/protrain.h"

typedef enum memx_protrain_axis {
    MEMX_PROTRAIN_MICRO_BATCH,
    MEMX_PROTRAIN_SWAP,
    MEMX_PROTRAIN_CHECKPOINT,
    MEMX_PROTRAIN_PERSIST,
    MEMX_PROTRAIN_BUFFER,
    MEMX_PROTRAIN_AXES
} memx_protrain_axis;

/* What a query allows; both included. Times bind the ranking alone. Of hosts the tightest one counts,
** its memory and the share that is used. */
typedef struct memx_protrain_bounds {
    int64_t least[MEMX_PROTRAIN_AXES], most[MEMX_PROTRAIN_AXES];
    int64_t least_ns, most_ns;
    int64_t gpu_least_kib, gpu_most_kib;
    bool hosts; /* whether the next four say anything */
    int64_t host_least_kib, host_most_kib;
    double host_least_used, host_most_used;
} memx_protrain_bounds;

void memx_protrain_bounds_start(memx_protrain_bounds *bounds);

typedef struct memx_protrain_row {
    memx_protrain_choice choice;
    int64_t activation_kib;
    memx_protrain_time time;
} memx_protrain_row;

/* One row by its choice, fitting or not. */
memx_status memx_protrain_row_at(const memx_protrain *protrain, const memx_protrain_choice *choice,
                                 memx_protrain_row *out);
bool memx_protrain_fits(const memx_protrain *protrain, const memx_protrain_choice *choice);

/* How many configurations fit within the bounds, exactly. MEMX_INTERRUPTED or MEMX_OK. */
memx_status memx_protrain_count(const memx_protrain *protrain, const memx_protrain_bounds *bounds,
                                const memx_poll *poll, int64_t *out);

/* Rows in order of enumeration. Zeroed but for the first three; close it in any case. */
typedef struct memx_protrain_scan {
    const memx_protrain *protrain;
    memx_protrain_bounds bounds;
    const memx_poll *poll;
    bool begun;
    memx_protrain_pair pair;
    memx_protrain_sums sums;
    int32_t persist, buffer, most_buffer;
} memx_protrain_scan;

/* MEMX_OK, MEMX_DONE, MEMX_NOMEM or MEMX_INTERRUPTED. */
memx_status memx_protrain_scan_next(memx_protrain_scan *scan, memx_protrain_row *out);
void memx_protrain_scan_close(memx_protrain_scan *scan);

/* Rows by time. */
typedef struct memx_protrain_ranked memx_protrain_ranked;
memx_status memx_protrain_ranked_open(const memx_protrain *protrain,
                                      const memx_protrain_bounds *bounds, const memx_poll *poll,
                                      memx_protrain_ranked **out);
memx_status memx_protrain_ranked_next(memx_protrain_ranked *ranked, memx_protrain_row *out);
void memx_protrain_ranked_close(memx_protrain_ranked *ranked);

/* Why configurations are no rows. One that fits neither memory counts under the host's. An example is the one
** of these that is least short, of the host's rather one that fits the card. */
typedef struct memx_protrain_refusals {
    int64_t feasible, gpu, host;
    memx_protrain_choice gpu_nearest, host_nearest;
    memx_error gpu_example, host_example; /* what the nearest needs, and what helps */
} memx_protrain_refusals;

memx_status memx_protrain_refused(const memx_protrain *protrain, const memx_poll *poll,
                                  memx_protrain_refusals *out);

#endif
