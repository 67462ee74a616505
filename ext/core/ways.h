/*
** Counting and numbering without visiting: in how many ways can a model's layers be split over the
** stages of a pipeline and every stage be given a level, when each stage offers its own levels for
** each number of layers?
**
** A suffix table holds, for every stage and number of layers left, the ways to finish from there;
** its first entry is the answer, and walking down from it finds the configuration of a given
** number. Where stages in one group must show the same level there is one table for each assignment
** of levels to groups, and the answers add up.
*/
#ifndef MEMX_CORE_WAYS_H
#define MEMX_CORE_WAYS_H

#include "core/count.h"
#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct memx_ways {
    int32_t stages, groups, levels;
    int64_t layers;               /* of the model */
    int64_t most;                 /* of one stage */
    const int32_t *group;         /* of every stage; numbered by first stage */
    const uint64_t *const *masks; /* [stage][layers - 1]: bit per level that is offered */
    const memx_poll *poll;
} memx_ways;

memx_status memx_ways_count(const memx_ways *ways, memx_count *out);

/* Calls `visit` with the layers of every stage and the level of every group of each numbered
** configuration: numbers ascending, from 0, below the count. */
typedef void (*memx_ways_visit)(void *context, const int64_t *split, const int32_t *level);
memx_status memx_ways_sample(const memx_ways *ways, const memx_count *numbers, size_t count,
                             memx_ways_visit visit, void *context);

/* tally[(layers - 1) * levels + level]: adds the ways with each choice of a stage that has `left` layers for
** itself and the stages after it; groups that began before it have the level given. */
memx_status memx_ways_tally(const memx_ways *ways, int32_t stage, int64_t left,
                            const int32_t *level, memx_count *tally);

/* reach[stage * (layers + 1) + left]: whether some completion exists from there, each stage taking
** any level it offers. `reach` holds (stages + 1) * (layers + 1) zeros. */
memx_status memx_ways_reach(const memx_ways *ways, uint8_t *reach);

/* The next assignment of levels to groups, last group fastest. False after the last, which is then
** all 0 again. */
bool memx_ways_next_vector(int32_t groups, int32_t levels, int32_t *vector);

/* The lowest bit of a mask that is at least `from`, or -1. */
static inline int32_t memx_lowest(uint64_t mask, int32_t from) {
    mask = from >= 64 ? 0 : mask >> from << from;
    return mask ? __builtin_ctzll(mask) : -1;
}

#endif
