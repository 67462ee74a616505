/*
** A region of the choices of one or more skeletons, and how good its configurations can be at best.
**
** Along every path of a graph (graph.h) each stage takes, on its own, any item of its block: an option
** with its layers and level. A region is the part of a graph's configurations whose greatest tail,
** slot, greatest peak and sum of memory lie in given ranges. For the pipeline behind every stage and
** every number of layers left there is the least time, slot, tail and peak, the least and greatest
** memory, and the least deviation from the means that the region admits. What stages together reach
** is never better than these one by one:
**
**   iteration >= (m-1) max(slots so far, least slot) + times so far + least time + ...
**   sum over GPUs of (x - mean)^2 >= least over the means admitted, so far and behind
**
** the latter since the variance is the least over c of the mean of (x - c)^2.
*/
#ifndef MEMX_CORE_REGION_H
#define MEMX_CORE_REGION_H

#include "core/aim.h"
#include "core/graph.h"
#include "core/whole.h"

typedef struct memx_item {
    const memx_option *option;
    int64_t time_ns; /* with the hops after it */
    int64_t slot_ns, tail_ns, peak_kib;
    double away1, away2; /* sums of x - centre and of its square, over the stage's GPUs */
    uint32_t code;       /* layers << 8 | level */
} memx_item;

/* Both ends included. */
typedef struct memx_range {
    int64_t least, most;
} memx_range;

typedef struct memx_box {
    memx_range slot_ns, tail_ns, peak_kib;
    memx_range s1; /* sum of the memory of all GPUs */
} memx_box;

/* What can still come behind a stage; time_ns is MEMX_NOTHING_NS where nothing can. */
#define MEMX_NOTHING_NS (INT64_C(1) << 61)

typedef struct memx_rest {
    int64_t time_ns, slot_ns, tail_ns, peak_kib;
    double away1_least, away1_most; /* sums of x - centre */
    double deviation;               /* least sum of (x - c)^2 for admitted means c */
} memx_rest;

typedef struct memx_region {
    const memx_graph *graph; /* not owned */
    int64_t gpus, layers, most;
    int32_t stages;
    int64_t fixed_ns; /* of an iteration, whatever the choice */
    int64_t centre;   /* KiB */
    memx_item *items;
    int32_t
        *begin; /* blocks * most + 1: a block's items with l layers begin at block * most + l - 1 */
    memx_range *span; /* layers that each block has items for */
    memx_rest *cells; /* [block][layers - 1]: the least of its items, in the box that was filled */
    memx_rest *rest;  /* [vertex][most]: left - (stages - s) at a vertex of depth s */
    double *slices;   /* [block or vertex][most][MEMX_SLICES] */
    memx_box box;
    double mean_least, mean_most; /* admitted, from the centre */
    size_t item_room, begin_room, span_room, cell_room, rest_room, slice_room;
} memx_region;

/* All zero is an empty region. Loads a graph; room is kept from graph to graph. `headroom` is the least
** share of every card that must stay free. */
memx_status memx_region_load(memx_region *region, const memx_graph *graph, double headroom);
void memx_region_close(memx_region *region);

/* A box that holds the whole graph; false where that is empty. */
bool memx_region_whole(const memx_region *region, memx_box *out);

/* Narrows the ranges of slot, tail and peak to figures that items have. False where there are none. */
bool memx_region_snap(const memx_region *region, memx_box *box);

/* Fills the tables for a box. False where it holds nothing. */
bool memx_region_fill(memx_region *region, const memx_box *box);

/* Least deviations of so many equal slices of a box's range of s1, of which the last may be smaller;
** INFINITY of an empty one. The tables stay as they are. */
enum { MEMX_SLICES = 8 };
memx_status memx_region_slices(memx_region *region, const memx_box *box, memx_range *s1,
                               double *deviation);

/* Of a box whose tables are filled: the part that these say can hold anything. */
memx_box memx_region_shrink(const memx_region *region);

/* What is behind a vertex with so many layers left: NULL where nothing is. */
static inline const memx_rest *memx_region_rest(const memx_region *r, int32_t vertex,
                                                int64_t left) {
    int64_t at = left - (r->stages - r->graph->vertices[vertex].stage);
    if (at < 0 || at >= r->most) return NULL;
    const memx_rest *rest = &r->rest[(int64_t)vertex * r->most + at];
    return rest->time_ns == MEMX_NOTHING_NS ? NULL : rest;
}

/* The same of all: before the first stage. */
static inline const memx_rest *memx_region_all(const memx_region *r) {
    return memx_region_rest(r, r->graph->vertex_count - 1, r->layers);
}

/* GPUs of the first stages. */
static inline int64_t memx_region_gpus(const memx_region *r, int32_t stages) {
    return stages * r->graph->stage_gpus;
}

/* Whether a configuration of a box may have the item. */
static inline bool memx_box_admits(const memx_box *box, const memx_item *item) {
    return item->slot_ns <= box->slot_ns.most && item->peak_kib <= box->peak_kib.most &&
           item->tail_ns <= box->tail_ns.most;
}

/* A pipeline up to some stage. */
typedef struct memx_front {
    int64_t time_ns, slot_ns, tail_ns, peak_kib, left;
    double away1, away2;
} memx_front;

/* Sums of squares are rounded: so much of them may be missing. */
#define MEMX_ROUNDING 1e-13

/* The least that a whole pipeline with this front and this rest can measure. Inline: they are most of
** what a search does. */
static inline int64_t memx_region_least_ns(const memx_region *r, const memx_front *f,
                                           const memx_rest *rest) {
    int64_t slot = memx_greatest(memx_greatest(f->slot_ns, rest->slot_ns), r->box.slot_ns.least);
    int64_t tail = memx_greatest(memx_greatest(f->tail_ns, rest->tail_ns), r->box.tail_ns.least);
    return memx_plan_iteration_ns(&r->graph->plan, slot,
                                  f->time_ns + rest->time_ns + tail + r->fixed_ns);
}

static inline int64_t memx_region_least_kib(const memx_region *r, const memx_front *f,
                                            const memx_rest *rest) {
    return memx_greatest(memx_greatest(f->peak_kib, rest->peak_kib), r->box.peak_kib.least);
}

/* The sum over GPUs of (x - mean)^2; `gpus_to` is of the front's stages. Negative where no mean of
** the region can be reached. */
static inline double memx_region_least_deviation(const memx_region *r, const memx_front *f,
                                                 int64_t gpus_to, const memx_rest *rest) {
    double all = (double)r->gpus, some = (double)gpus_to;
    double least = memx_larger(r->mean_least, (f->away1 + rest->away1_least) / all);
    double most = memx_lesser(r->mean_most, (f->away1 + rest->away1_most) / all);
    double size = (least < 0.0 ? -least : least) + (most < 0.0 ? -most : most);
    if (least > most + MEMX_ROUNDING * size + 1e-6) return -1.0;
    if (gpus_to == 0) return rest->deviation;
    double mean = memx_lesser(memx_larger(f->away1 / some, least), memx_larger(least, most));
    double squares = f->away2 + mean * mean * some;
    double deviation = squares - 2.0 * mean * f->away1 - MEMX_ROUNDING * squares;
    return memx_larger(0.0, deviation) + rest->deviation;
}

#endif
