/*
** The skeletons of a space: every set of degrees and knobs that a job can run, with every placement
** of its stages that the space's device orders give.
**
** Order, which also breaks ties between configurations: tp, pp, context parallel, micro batch, sequence
** length, heads, groups, expert parallel, chunks, sequence parallel, distributed optimizer (ascending),
** device order (as sequences of types, or of kinds of equal nodes, each numbered by its first node). dp
** follows from the others. Device orders that give every stage the same GPUs are one.
*/
#ifndef MEMX_CORE_SKELETONS_H
#define MEMX_CORE_SKELETONS_H

#include "core/config.h"
#include "core/count.h"
#include "core/space.h"

/* What choices.c lists under a rule for the layers. */
typedef struct memx_list {
    uint16_t *rows;
    size_t count, width; /* width 0: not listed yet */
} memx_list;

typedef struct memx_skeleton {
    memx_knobs knobs;
    memx_placement placement;
    memx_list list; /* kept for whoever opens the skeleton again, while there is room */
    bool counted;
    memx_count fitting; /* its configurations that fit, once they are counted */
} memx_skeleton;

/* Why degrees were left out. */
typedef enum memx_reason {
    MEMX_REASON_DEGREES, /* listed degrees do not multiply to the GPUs */
    MEMX_REASON_TASK,    /* listed heads, groups or sequence length do not go with the model */
    MEMX_REASON_TP_NODE,
    MEMX_REASON_HEADS_TP,
    MEMX_REASON_KV_TP,
    MEMX_REASON_PP_LAYERS,
    MEMX_REASON_BATCH,
    MEMX_REASON_CP,
    MEMX_REASON_EP,
    MEMX_REASON_VP,
    MEMX_REASON_STAGE_DEVICES,
    MEMX_REASON_ORDERS, /* more device orders than are looked at */
    MEMX_REASON_COUNT
} memx_reason;

typedef struct memx_drop {
    int64_t count;      /* sets of degrees, cut at the first that rules the others out; or orders */
    memx_error example; /* the first, with its numbers */
} memx_drop;

typedef struct memx_skeletons {
    memx_skeleton *items;
    size_t count, capacity;
    size_t bytes;  /* of the items, without their lists */
    double orders; /* device orders that there are, where not all are looked at; else 0 */
    double orders_taken;
    memx_drop drops[MEMX_REASON_COUNT];
} memx_skeletons;

memx_status memx_skeletons_open(const memx_job *job, const memx_space *space, const memx_poll *poll,
                                memx_skeletons *out);
void memx_skeletons_close(memx_skeletons *skeletons);

#endif
