#include "core/pareto.h"

#include <stdlib.h>
#include <string.h>

static int compare_measures(const void *left, const void *right) {
    const memx_point *a = left, *b = right;
    if (a->iteration_ns != b->iteration_ns) return a->iteration_ns < b->iteration_ns ? -1 : 1;
    if (a->peak_kib != b->peak_kib) return a->peak_kib < b->peak_kib ? -1 : 1;
    if (a->moment != b->moment) return a->moment < b->moment ? -1 : 1;
    return 0;
}

static int compare_numbers(const void *left, const void *right) {
    const memx_point *a = left, *b = right;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Peaks ascending, moments descending: what the points so far leave open. */
typedef struct step {
    int64_t peak_kib;
    memx_u128 moment;
} step;

/* The first step with a greater peak. */
static size_t find_step(const step *stairs, size_t count, int64_t peak_kib) {
    size_t low = 0;
    while (low < count) {
        size_t middle = low + (count - low) / 2;
        if (stairs[middle].peak_kib > peak_kib) {
            count = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* Adds a point that no step beats; steps that it beats go. */
static void add_step(step *stairs, size_t *count, size_t at, const memx_point *point) {
    size_t begin = at, end = at;
    while (begin > 0 && stairs[begin - 1].peak_kib == point->peak_kib) begin--;
    while (end < *count && stairs[end].moment >= point->moment) end++;
    memmove(stairs + begin + 1, stairs + end, (*count - end) * sizeof *stairs);
    stairs[begin] = (step){point->peak_kib, point->moment};
    *count = begin + 1 + (*count - end);
}

memx_status memx_pareto(memx_point *points, size_t count, const memx_poll *poll, size_t *kept) {
    /* One more than there can be: add_step moves before it overwrites. */
    step *stairs = malloc((count + 1) * sizeof *stairs);
    size_t steps = 0;
    bool last_kept = false;
    *kept = 0;
    if (!stairs) return MEMX_NOMEM;
    if (count > 1) qsort(points, count, sizeof *points, compare_measures);
    memx_point last = {0};
    for (size_t i = 0; i < count; i++) {
        const memx_point point = points[i];
        if (i % 65536 == 65535 && memx_poll_stop(poll)) {
            free(stairs);
            return MEMX_INTERRUPTED;
        }
        if (i == 0 || compare_measures(&point, &last) != 0) {
            size_t at = find_step(stairs, steps, point.peak_kib);
            /* Those before are no slower and no larger: the last of them is the most even. */
            last_kept = at == 0 || stairs[at - 1].moment > point.moment;
            if (last_kept) add_step(stairs, &steps, at, &point);
            last = point;
        }
        if (last_kept) points[(*kept)++] = point;
    }
    free(stairs);
    if (*kept > 1) qsort(points, *kept, sizeof *points, compare_numbers);
    return MEMX_OK;
}
