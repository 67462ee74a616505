/*
** Rules that share a model's layers between stages, each stage at least one, and the first one at least those
** without experts (core/stage.h).
**
**   uniform  the same everywhere; what is left over goes to the first stages
**   compute  in proportion to the matrix rate of the stage's slowest device
**   memory   in proportion to the memory of the stage's smallest device
**   time     the least slowest stage; among splits that fit in memory where there is one, and where
**            the price says that all fit, as in a space that ignores memory, of all splits
*/
#ifndef MEMX_CORE_SPLIT_H
#define MEMX_CORE_SPLIT_H

#include "core/plan.h"

typedef enum memx_split_rule {
    MEMX_SPLIT_FREE, /* no rule: every split */
    MEMX_SPLIT_UNIFORM,
    MEMX_SPLIT_COMPUTE,
    MEMX_SPLIT_MEMORY,
    MEMX_SPLIT_TIME
} memx_split_rule;

/* What a stage costs with `layers` layers, for the rule `time`. */
typedef struct memx_split_cost {
    int64_t time_ns;
    bool fits;
} memx_split_cost;

/* A stage by what it costs with one layer more. */
typedef struct memx_split_next {
    int64_t time_ns;
    int32_t stage;
} memx_split_next;

typedef memx_split_cost (*memx_split_price)(void *context, int32_t stage, int64_t layers);

/* Whole layers in proportion to weights (largest remainder, ties to earlier stages), at least one
** each; `layers` >= `stages`. */
void memx_split_proportional(const double *weights, int32_t stages, int64_t layers, int64_t *out);

/* Gives layers one by one to the stage that is then fastest, ties to earlier stages, within memory
** while that is possible; the first stage has `least` to begin with, the others one. Exact for the
** least greatest stage time, since a stage's time grows with its layers. O(layers log stages).
** `scratch` holds one element for each stage. */
void memx_split_time(memx_split_price price, void *context, int32_t stages, int64_t layers,
                     int64_t least, memx_split_next *scratch, int64_t *out);

/* The split of one of the rules uniform, compute, memory for a plan's stages. */
void memx_split_static(const memx_plan *plan, memx_split_rule rule, double *scratch, int64_t *out);

#endif
