/*
** What every stage of a configuration does in one iteration, from begin to end, as the event
** simulation of core/pipeline.h has it: slices of time without gaps or overlaps.
**
**   stage 0  forward send forward send ... idle receive recompute backward ... sync optimizer overhead
**
** Once the pipeline has drained, all stages share their gradients and then step the optimizer, as
** memx_plan_measure counts it; what is fixed per iteration comes last. All of it ends at the simulated
** iteration time. Sends and receives are what they keep the stage busy for; a whole message may take
** longer.
*/
#ifndef MEMX_CORE_TIMELINE_H
#define MEMX_CORE_TIMELINE_H

#include "core/priced.h"

typedef enum memx_slice_kind {
    MEMX_SLICE_FORWARD,
    MEMX_SLICE_RECOMPUTE, /* what of a backward is forward again, shown before the rest of it */
    MEMX_SLICE_BACKWARD,
    MEMX_SLICE_RECEIVE,
    MEMX_SLICE_SEND,
    MEMX_SLICE_IDLE,
    MEMX_SLICE_SYNC, /* the exposed part */
    MEMX_SLICE_OPTIMIZER,
    MEMX_SLICE_OVERHEAD,
    MEMX_SLICE_KINDS
} memx_slice_kind;

typedef struct memx_slice {
    memx_slice_kind kind;
    int32_t stage;
    int64_t task;             /* of the stage, from 0; 2 m v once the last one is done */
    int64_t micro_batch;      /* from 0; -1 once the last task is done */
    int64_t chunk, order;     /* of its task, from 0; order: among forwards, or backwards */
    bool forward;             /* of its task */
    int64_t begin_ns, end_ns; /* never empty */
} memx_slice;

typedef struct memx_timeline {
    const memx_priced *priced;
    int64_t *recompute_ns; /* of each stage's backward */
} memx_timeline;

/* Prices every stage without recompute, too. Keeps the pointer to priced. */
memx_status memx_timeline_open(const memx_priced *priced, const memx_pricer *pricer,
                               memx_timeline *out, memx_error *error);
void memx_timeline_close(memx_timeline *timeline);

/* Visits all slices, those of each stage in order of time; *out_ns is the end. What `see` answers, other
** than MEMX_OK, ends the walk. MEMX_NOMEM, MEMX_INTERRUPTED. */
typedef memx_status (*memx_slice_visit)(void *context, const memx_slice *slice);
memx_status memx_timeline_walk(const memx_timeline *timeline, const memx_poll *poll,
                               memx_slice_visit see, void *context, int64_t *out_ns);

/* "forward", "gradient sync" and so on. */
const char *memx_slice_name(memx_slice_kind kind);

#endif
