/*
** A search: the configurations of every skeleton of a job's space, in order: by skeleton
** (skeletons.h), then by the layers and the level of stage 0, of stage 1, and so on. The same order
** breaks ties in a ranking.
*/
#ifndef MEMX_CORE_SEARCH_H
#define MEMX_CORE_SEARCH_H

#include "core/choices.h"
#include "core/extent.h"

typedef struct memx_search {
    memx_setting setting;
    memx_skeletons skeletons;
} memx_search;

/* Enumerates the skeletons. Keeps pointers to job, space and pricer. */
memx_status memx_search_open(const memx_job *job, const memx_space *space,
                             const memx_pricer *pricer, const memx_poll *poll, memx_search *out,
                             memx_error *error);
void memx_search_close(memx_search *search);

/* About what it holds in memory. */
size_t memx_search_bytes(const memx_search *search);

/* A scan over the feasible configurations of an extent. */
typedef struct memx_scan {
    memx_search *search;
    const memx_extent *extent;
    const memx_poll *poll;
    bool single;             /* positioned by find: no row follows */
    int64_t number;          /* of the current configuration's skeleton */
    memx_skeleton *skeleton; /* that */
    memx_choices *choices;
} memx_scan;

/* Keeps pointers to all that it is given. */
void memx_scan_start(memx_search *search, const memx_extent *extent, const memx_poll *poll,
                     memx_scan *out);
/* The first or next configuration: MEMX_OK or MEMX_DONE. */
memx_status memx_scan_next(memx_scan *scan, memx_error *error);
/* The one configuration that equals `config`, if it lies in the extent. */
memx_status memx_scan_find(memx_scan *scan, const memx_config *config, memx_error *error);
void memx_scan_stop(memx_scan *scan);

/* Exact number of feasible configurations within bounds. */
memx_status memx_search_count(memx_search *search, const memx_bounds *bounds, const memx_poll *poll,
                              memx_count *out, memx_error *error);

/* Share `share` of `shares` (extent.h), 0 <= share < shares, and its size, which may be 0. MEMX_INVALID where
** there are too many configurations to be counted. */
memx_status memx_search_share(memx_search *search, const memx_bounds *bounds, int64_t share,
                              int64_t shares, const memx_poll *poll, memx_extent *out,
                              memx_count *size, memx_error *error);

/* Whether a scan within bounds has more than `most` rows, and then how many: the exact count is
** computed only where a cheap upper bound passes `most`. */
memx_status memx_search_exceeds(memx_search *search, const memx_bounds *bounds, int64_t most,
                                const memx_poll *poll, bool *exceeds, memx_count *count,
                                memx_error *error);

/* Medians over the feasible configurations: exact up to 2^20 of them, else over 65,536 uniform
** samples with a fixed seed. */
typedef struct memx_reference {
    memx_count feasible;
    bool sampled;
    double iteration_ms, peak_mib, variance_mib2; /* medians; 0 when nothing is feasible */
    int64_t fastest_ns;                           /* least of all; 0 when nothing is feasible */
    double fastest_free_share; /* least share of a card that the first of the fastest leaves free */
} memx_reference;

memx_status memx_search_reference(memx_search *search, const memx_poll *poll, memx_reference *out,
                                  memx_error *error);

/* What is left out inside skeletons. */
typedef struct memx_refusals {
    memx_count memory; /* configurations that do not fit */
    memx_error
        memory_example; /* the skeleton nearest to fitting; empty where memory refuses none */
    int64_t empty;      /* skeletons without any configuration, fitting or not: none of the
                               ** space's levels is one level for all stages that must share it */
    memx_error empty_example;
} memx_refusals;

memx_status memx_search_refusals(memx_search *search, const memx_poll *poll, memx_refusals *out,
                                 memx_error *error);

#endif
