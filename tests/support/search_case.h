/*
** A random small job with a random space, searched by brute force and opened for a search.
*/
#ifndef MEMX_TESTS_SUPPORT_SEARCH_CASE_H
#define MEMX_TESTS_SUPPORT_SEARCH_CASE_H

#include "core/search.h"

#include "support/brute.h"
#include "support/check.h"
#include "support/jobs.h"

typedef struct test_case {
    uint64_t seed;
    rng r;
    test_job t;
    memx_space space;
    brute b;
    memx_search search;
    memx_extent all;
    memx_error error;
} test_case;

/* What the cases of a test were like; a test that saw too few of a kind proves little. */
typedef struct tally {
    int64_t cases, none, some, whole; /* nothing fits, some fit, all fit */
    int64_t configurations;
} tally;

/* Fails with the case's seed and its space. */
#define assert_case(c, condition, ...)                                                             \
    do {                                                                                           \
        if (!(condition)) fail_search_case(c, __LINE__, __VA_ARGS__);                              \
    } while (0)

__attribute__((format(printf, 3, 4))) void fail_search_case(const test_case *c, int line,
                                                            const char *format, ...);

/* False for a space too large for brute force. */
bool open_case(test_case *c, uint64_t seed, int64_t limit, tally *t);
void close_case(test_case *c);

/* Configurations within bounds, those that do not fit as well. */
memx_count count_all(memx_search *search, const memx_bounds *bounds);

/* Makes the extent a random share of what its bounds leave: configurations number `from` to `to` - 1 of
** those, counted by brute force. */
void random_share(test_case *c, memx_extent *extent, int64_t *from, int64_t *to);

/* Where a walk stands, as brute force writes it. */
brute_choice current_choice(const brute *b, const memx_choices *choices, int64_t pp);

#endif
