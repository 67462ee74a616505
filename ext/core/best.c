#include "core/best.h"

#include "core/choices.h"

#include <stdlib.h>
#include <string.h>

int memx_ranked_compare(const memx_ranked_row *a, const memx_ranked_row *b) {
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    if (a->skeleton != b->skeleton) return a->skeleton < b->skeleton ? -1 : 1;
    return memx_compare_codes(a->codes, b->codes, a->stages);
}

static int compare(const void *a, const void *b) {
    return memx_ranked_compare(a, b);
}

/* Room for more than k, so that sorting is rare. */
static memx_status make_room(memx_best *best, size_t k) {
    size_t capacity = k + k / 2 + 1;
    best->k = k;
    best->count = 0;
    best->sorted = 0;
    if (capacity <= best->capacity) return MEMX_OK;
    memx_ranked_row *rows = malloc(capacity * sizeof *rows);
    uint32_t *codes = malloc(capacity * (size_t)best->width * sizeof *codes);
    if (!rows || !codes) {
        free(rows);
        free(codes);
        return MEMX_NOMEM;
    }
    free(best->rows);
    free(best->codes);
    for (size_t i = 0; i < capacity; i++) rows[i].codes = codes + i * (size_t)best->width;
    best->rows = rows;
    best->codes = codes;
    best->capacity = capacity;
    return MEMX_OK;
}

memx_status memx_best_open(size_t k, int32_t width, memx_best *out) {
    *out = (memx_best){.width = width > 0 ? width : 1};
    memx_status status = make_room(out, k);
    if (status) memx_best_close(out);
    return status;
}

void memx_best_close(memx_best *best) {
    free(best->rows);
    free(best->codes);
    free(best->after.codes);
    *best = (memx_best){0};
}

memx_status memx_best_advance(memx_best *best, size_t k) {
    if (best->count > 0) {
        const memx_ranked_row *last = &best->rows[best->count - 1];
        uint32_t *codes = best->after.codes;
        if (!codes) codes = malloc((size_t)best->width * sizeof *codes);
        if (!codes) return MEMX_NOMEM;
        memcpy(codes, last->codes, (size_t)last->stages * sizeof *codes);
        best->after = *last;
        best->after.codes = codes;
    }
    return make_room(best, k);
}

/* Sorts, drops what was offered twice, and cuts at k. */
static void cut(memx_best *best) {
    size_t kept = 0;
    if (best->count > 1) qsort(best->rows, best->count, sizeof *best->rows, compare);
    for (size_t i = 0; i < best->count && kept < best->k; i++) {
        if (kept > 0 && memx_ranked_compare(&best->rows[kept - 1], &best->rows[i]) == 0) continue;
        memx_ranked_row row = best->rows[kept]; /* swapped: each keeps its own room for codes */
        best->rows[kept++] = best->rows[i];
        best->rows[i] = row;
    }
    best->count = kept;
    best->sorted = kept;
}

const memx_ranked_row *memx_best_worst(const memx_best *best) {
    return best->sorted >= best->k ? &best->rows[best->k - 1] : NULL;
}

void memx_best_offer(memx_best *best, const memx_ranked_row *row) {
    const memx_ranked_row *worst = memx_best_worst(best);
    if (worst && memx_ranked_compare(row, worst) >= 0) return;
    if (best->after.codes && memx_ranked_compare(row, &best->after) <= 0) return;
    memx_ranked_row *to = &best->rows[best->count++];
    /* There is room for one more. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    uint32_t *codes = to->codes;
    *to = *row;
    to->codes = codes;
    memcpy(codes, row->codes, (size_t)row->stages * sizeof *codes);
    if (best->count == best->capacity || (best->sorted < best->k && best->count == best->k))
        cut(best);
}

void memx_best_finish(memx_best *best) {
    cut(best);
}
