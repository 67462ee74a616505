/*
** Exact counts of configurations: 256-bit whole numbers, since a free space of 1,024 GPUs has
** 10^65. Sums saturate at 2^256 - 1, which stands for that many or more.
*/
#ifndef MEMX_CORE_COUNT_H
#define MEMX_CORE_COUNT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct memx_count {
    uint64_t limb[4]; /* least significant first */
} memx_count;

enum { MEMX_COUNT_TEXT = 88 }; /* "at least ", 78 digits and a NUL */

memx_count memx_count_of(uint64_t n);
memx_count memx_count_add(memx_count a, memx_count b);
memx_count memx_count_subtract(memx_count a, memx_count b); /* b <= a */
memx_count memx_count_times(memx_count a, uint64_t n);
/* floor(part * n / parts): part <= parts, parts > 0. */
memx_count memx_count_share(memx_count n, uint64_t part, uint64_t parts);
int memx_count_compare(memx_count a, memx_count b);
bool memx_count_is_zero(memx_count a);
bool memx_count_is_most(memx_count a); /* saturated: that many or more */
double memx_count_double(memx_count a);

/* The value when it fits 63 bits, else INT64_MAX. */
int64_t memx_count_int64(memx_count a);

/* Decimal digits, after "at least " where the count is saturated; `out` holds MEMX_COUNT_TEXT bytes. */
void memx_count_text(memx_count a, char *out);

#endif
