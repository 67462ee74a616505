/*
** Points that no other point beats: none of the others is as small in time, peak and variance and
** smaller in one. Points that are equal in all three stay together.
*/
#ifndef MEMX_CORE_PARETO_H
#define MEMX_CORE_PARETO_H

#include "core/plan.h"

typedef struct memx_point {
    int64_t iteration_ns, peak_kib;
    memx_u128 moment; /* variance times N^2 */
    size_t number;    /* of the configuration, whatever the caller counts by */
} memx_point;

/* Rearranges: the first *kept points are those that nothing beats, by number. O(n log n) but for the
** front itself, whose insertions move memory. MEMX_NOMEM, MEMX_INTERRUPTED. */
memx_status memx_pareto(memx_point *points, size_t count, const memx_poll *poll, size_t *kept);

#endif
