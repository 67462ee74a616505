/*
** Statistics that say how well a prediction agrees with a measurement, and medians.
**
**     SELECT mape(measured, predicted), spearman(measured, predicted) FROM ...
**
** The SQL aggregates of the same names (ext/sql/aggregates.c) end here. Nothing here allocates:
** arrays belong to the caller, and functions that rearrange them say so.
**
** Every function returns true and writes its result, or returns false and writes nothing where
** the statistic is undefined: too few rows, no variation, or a value that is NaN or infinite.
** A result too large for a double is written as an infinity; isfinite() tells.
*/
#ifndef MEMX_CORE_STATS_H
#define MEMX_CORE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One row: what was measured, and what was predicted for it. */
typedef struct memx_pair {
    double measured;
    double predicted;
} memx_pair;

/* Median of n values; the mean of the middle two for an even n. Rearranges values.
** Time O(n), O(n log n) at worst. Undefined for n = 0. */
bool memx_median(double *values, size_t n, double *median);

/* Mean of |predicted - measured| / |measured|, in percent. Undefined for n = 0 and where any
** measured value is 0. */
bool memx_mape(const memx_pair *pairs, size_t n, double *percent);

/* Spearman's rank correlation in [-1, 1]: Pearson's correlation of the ranks, where equal values
** share the mean of their ranks. Rearranges pairs and overwrites their values with ranks.
** Undefined for n < 2 and where either side is constant. */
bool memx_spearman(memx_pair *pairs, size_t n, double *rho);

/* Coefficient of determination, 1 - SS_res / SS_tot: the share of the variation of measured that
** predicted explains. 1 is perfect, 0 is as good as the mean, and it has no lower bound.
** Undefined for n < 2 and where measured is constant. */
bool memx_r2(const memx_pair *pairs, size_t n, double *r2);

/*
** A multiset of finite doubles in order, for the median of a moving window: insert, remove and
** median each take O(log n). It lives in one array of nodes that the caller allocates, enlarges
** whenever memx_ordered_full() says so, and frees. All zero is a valid empty set.
*/
typedef struct memx_ordered_node {
    double value;
    uint32_t size;     /* values in this subtree, this one included */
    uint32_t child[2]; /* subtrees with lesser and greater values; 0: none */
} memx_ordered_node;

typedef struct memx_ordered {
    memx_ordered_node *nodes; /* the caller's; node 0 stands for "none" */
    uint32_t capacity;
    uint32_t used;  /* nodes handed out so far, node 0 included */
    uint32_t spare; /* first removed node, chained through child[0]; 0: none */
    uint32_t root;
} memx_ordered;

/* True when the next insert needs a larger array. */
bool memx_ordered_full(const memx_ordered *set);

/* Replaces the array by one of at least 2 nodes that begins with the old contents, as realloc
** leaves it. */
void memx_ordered_use(memx_ordered *set, memx_ordered_node *nodes, uint32_t capacity);

/* Adds a finite value. The set must not be full. */
void memx_ordered_insert(memx_ordered *set, double value);

/* Removes one occurrence of value; false when there is none. */
bool memx_ordered_remove(memx_ordered *set, double value);

/* As memx_median(), of the values now in the set. */
bool memx_ordered_median(const memx_ordered *set, double *median);

#endif
