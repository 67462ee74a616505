/*
** The best k rows of those offered, each once, in total order: by value, then skeleton, then codes.
**
** A code is one stage's layers and level, (layers << 8 | level): codes compare as the enumeration
** goes. Rows that were given out before are kept out by `after`.
*/
#ifndef MEMX_CORE_BEST_H
#define MEMX_CORE_BEST_H

#include "core/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct memx_ranked_row {
    double value, score; /* what is shown; its logarithm, for comparison with bounds */
    int64_t iteration_ns, peak_kib;
    bool even;        /* variance 0 */
    int32_t skeleton; /* by number */
    int32_t stages;
    uint32_t *codes;
} memx_ranked_row;

typedef struct memx_best {
    size_t k, count, capacity;
    int32_t width; /* codes of one row at most */
    memx_ranked_row *rows;
    uint32_t *codes;       /* of all rows */
    memx_ranked_row after; /* rows up to this one are refused; codes NULL: none */
    size_t sorted;         /* of the first rows; the others stand behind them as they came */
} memx_best;

int memx_ranked_compare(const memx_ranked_row *a, const memx_ranked_row *b);

memx_status memx_best_open(size_t k, int32_t width, memx_best *out);
void memx_best_close(memx_best *best);

/* Forgets all rows, and refuses those up to the last of them from now on: a new pass. */
memx_status memx_best_advance(memx_best *best, size_t k);

/* Offers a copy of a row. */
void memx_best_offer(memx_best *best, const memx_ranked_row *row);

/* The worst of k rows: what a row must be better than. NULL while there are fewer. */
const memx_ranked_row *memx_best_worst(const memx_best *best);

/* Sorts what there is: rows[0] to rows[count - 1], at most k. */
void memx_best_finish(memx_best *best);

#endif
