/*
** The part of a search that a query looks at: bounds on the knobs, and from one place to another in the
** order of enumeration (search.h).
**
** A search within bounds has N configurations, numbered from 0 in that order. Share k of n is those from
** floor(k N / n) to floor((k + 1) N / n) - 1: shares are disjoint, complete and of equal size but for one.
** Counting finds both ends without visiting what lies before them. N and the order are whole numbers all
** through, so that the shares are the same on every machine.
*/
#ifndef MEMX_CORE_EXTENT_H
#define MEMX_CORE_EXTENT_H

#include "core/skeletons.h"

/* Inclusive bounds on a skeleton's knobs; INT64_MIN and INT64_MAX where there is none. */
typedef struct memx_bounds {
    int64_t least[MEMX_AXIS_COUNT], most[MEMX_AXIS_COUNT];
} memx_bounds;

void memx_bounds_start(memx_bounds *bounds);
bool memx_bounds_admit(const memx_bounds *bounds, const memx_knobs *knobs);

/* A configuration: its skeleton's number, and the code of every stage (memx_choices_codes). */
typedef struct memx_place {
    int64_t skeleton;
    uint32_t codes[MEMX_MAX_STAGES];
} memx_place;

typedef struct memx_extent {
    memx_bounds bounds;
    memx_place first, last; /* both in it; skeletons -1 and INT64_MAX where there is no such end */
} memx_extent;

/* Everything. */
void memx_extent_start(memx_extent *extent);

/* Whether the extent has anything of a skeleton. */
bool memx_extent_has(const memx_extent *extent, int64_t skeleton, const memx_knobs *knobs);

/* Whether it has all of a skeleton that it has anything of. */
static inline bool memx_extent_whole(const memx_extent *extent, int64_t skeleton) {
    return skeleton != extent->first.skeleton && skeleton != extent->last.skeleton;
}

/* Of a skeleton that it has something of: whether it may have a configuration whose first stages have these
** codes; with the codes of all stages, whether it has that one. */
bool memx_extent_admits(const memx_extent *extent, int64_t skeleton, const uint32_t *codes,
                        int32_t stages);

#endif
