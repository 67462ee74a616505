/*
** Ranked search: the configurations of a search in order of one measure, best first, without
** visiting the rest.
**
** Best-first branch and bound over boxes (region.h): the one that promises most is searched depth
** first (dive.h) within a budget; where that is not enough it is cut in two along one of its ranges,
** slot, tail, peak or mean memory, whichever raises the bounds most. Rows are found in passes, each for
** more rows than the one before: the first for as many as a query is likely to want. Exact: rows,
** order and ties are those of sorting everything.
*/
#ifndef MEMX_CORE_RANKED_H
#define MEMX_CORE_RANKED_H

#include "core/aim.h"
#include "core/search.h"

typedef struct memx_ranked memx_ranked;

/* Keeps pointers to search, extent and poll, a copy of the rest. `wanted`: rows that are likely to be asked
** for; 0 where nobody knows. */
memx_status memx_ranked_open(memx_search *search, const memx_extent *extent, const memx_aim *aim,
                             int64_t wanted, const memx_poll *poll, memx_ranked **out);

/* The configurations that no other of the search beats in time, peak and variance (pareto.h), in order
** of enumeration: all of them where the search has up to 2^20 configurations. Above that a part of them:
** the exact best under three weightings within 1.00, 1.01, 1.02, 1.05, 1.1, 1.2, 1.5 and 2 times the
** least iteration, and without such a bound. Of these, what lies in the extent. */
memx_status memx_ranked_open_front(memx_search *search, const memx_extent *extent,
                                   const memx_poll *poll, memx_ranked **out, memx_error *error);
void memx_ranked_close(memx_ranked *ranked);

/* For tests and measurements: how many items a dive may look at before its box is cut, and a pass before
** it tries listing. */
void memx_ranked_tune(memx_ranked *ranked, int64_t dive_items, int64_t patience_items);

/* The first or next row: MEMX_OK or MEMX_DONE. */
memx_status memx_ranked_next(memx_ranked *ranked, memx_error *error);

/* Of the current row. */
const memx_skeleton *memx_ranked_skeleton(const memx_ranked *ranked);
const memx_choices *memx_ranked_choices(const memx_ranked *ranked);
double memx_ranked_value(const memx_ranked *ranked);

/* What it took so far. */
typedef struct memx_ranked_work {
    int64_t items, boxes, skeletons, passes;
} memx_ranked_work;

memx_ranked_work memx_ranked_worked(const memx_ranked *ranked);

#endif
