/*
** Depth first into one region: every configuration there that can be among the best is offered.
**
** Stage by stage, the most promising item first; what a front and its rest can reach at best is
** compared with the worst of the rows that are kept, and with the limits. Where one measure alone
** orders, rows that tie with the worst and come after it in the order of enumeration are left out
** too, so that a plateau of any size costs nothing.
*/
#ifndef MEMX_CORE_DIVE_H
#define MEMX_CORE_DIVE_H

#include "core/best.h"
#include "core/extent.h"
#include "core/region.h"

typedef struct memx_child {
    double score;
    const memx_item *item;
    int32_t edge;
} memx_child;

/* Children of one depth: a part of the arena. */
typedef struct memx_depth {
    memx_front front; /* of the stages before this depth */
    int32_t vertex;
    int64_t skeleton; /* the first of those that go on from here */
    int64_t hops_ns;
    size_t at, end;
} memx_depth;

typedef struct memx_dive {
    const memx_aim *aim;
    memx_best *best;
    const memx_extent *extent; /* what is outside is not offered */
    const memx_poll *poll;
    memx_weights weights;
    bool single;     /* one measure alone orders */
    double most_phi; /* score under phi's weights; INFINITY: no limit */
    double most_deviation;
    int64_t most_ns, most_kib; /* most_ns: of the region's job and knobs */
    int64_t looked_at;         /* items, so far */
    memx_loop loop;            /* which tells that */

    memx_depth *depths;
    const memx_option **options;
    uint32_t *codes;
    size_t depth_capacity;
    memx_child *children;
    size_t child_capacity;
} memx_dive;

/* Keeps pointers to all that it is given. */
void memx_dive_open(const memx_aim *aim, memx_best *best, const memx_extent *extent,
                    const memx_poll *poll, int64_t gpus, memx_dive *out);
void memx_dive_close(memx_dive *dive);

/* The score that a region must not exceed. */
double memx_dive_most_score(const memx_dive *dive);

/* The least score of the region that is filled, all limits observed; INFINITY where there is none. A
** deviation that is known to be no less may be given, or 0. */
double memx_dive_least_score(const memx_dive *dive, const memx_region *region, double deviation);

/* Before a region is looked at: what its limits come to. */
void memx_dive_enter(memx_dive *dive, const memx_plan *plan);

/* The greatest iteration, and peak, that can still be among the best beside the least of the other
** figures in the region that is filled. */
void memx_dive_caps(const memx_dive *dive, const memx_region *region, int64_t *ns, int64_t *kib);

/* Searches the region that is filled; its skeletons are numbered from `skeleton` on. Looks at no more
** than `budget` items: *whole tells whether that was enough. What was found until then is offered in
** any case. */
memx_status memx_dive_search(memx_dive *dive, const memx_region *region, int64_t skeleton,
                             int64_t budget, bool *whole);

/* Offers one configuration: a position of the choices. */
memx_status memx_dive_offer(memx_dive *dive, const memx_choices *choices, int64_t skeleton);

#endif
