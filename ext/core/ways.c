#include "core/ways.h"

#include <stdlib.h>
#include <string.h>

bool memx_ways_next_vector(int32_t groups, int32_t levels, int32_t *vector) {
    for (int32_t g = groups; g-- > 0;) {
        if (++vector[g] < levels) return true;
        vector[g] = 0;
    }
    return false;
}

memx_status memx_ways_reach(const memx_ways *w, uint8_t *reach) {
    size_t width = (size_t)w->layers + 1;
    int64_t unpolled = 0;
    reach[(size_t)w->stages * width] = 1;
    for (int32_t s = w->stages; s-- > 0;) {
        for (int64_t left = 1; left <= w->layers; left++) {
            uint8_t *here = &reach[(size_t)s * width + (size_t)left];
            int64_t l = 1;
            for (; l <= w->most && l <= left && !*here; l++) {
                *here =
                    w->masks[s][l - 1] != 0 && reach[(size_t)(s + 1) * width + (size_t)(left - l)];
            }
            unpolled += l;
            if (unpolled < 100000) continue;
            unpolled = 0;
            if (memx_poll_stop(w->poll)) return MEMX_INTERRUPTED;
        }
    }
    return MEMX_OK;
}

/* A suffix table, and the assignment of levels it is for: NULL where every stage is its own group
** and may take any level it offers. */
typedef struct table {
    memx_count *rows;
    size_t width;
    const int32_t *vector;
} table;

static uint64_t allowed(const memx_ways *w, const table *t, int32_t s, int64_t layers) {
    uint64_t mask = w->masks[s][layers - 1];
    return t->vector ? mask & UINT64_C(1) << t->vector[w->group[s]] : mask;
}

static memx_count *entry(const table *t, int32_t s, int64_t left) {
    return &t->rows[(size_t)s * t->width + (size_t)left];
}

/* From the last stage to stage `first`. */
static memx_status fill(const memx_ways *w, const table *t, int32_t first) {
    int64_t unpolled = 0;
    memset(t->rows, 0, (size_t)(w->stages + 1) * t->width * sizeof *t->rows);
    *entry(t, w->stages, 0) = memx_count_of(1);
    for (int32_t s = w->stages; s-- > first;) {
        for (int64_t l = 1; l <= w->most; l++) {
            uint64_t ways = (uint64_t)__builtin_popcountll(allowed(w, t, s, l));
            if (ways == 0) continue;
            for (int64_t left = l; left <= w->layers; left++) {
                memx_count rest = *entry(t, s + 1, left - l);
                if (memx_count_is_zero(rest)) continue;
                memx_count *here = entry(t, s, left);
                *here = memx_count_add(*here, memx_count_times(rest, ways));
            }
            unpolled += w->layers;
            if (unpolled < 100000) continue;
            unpolled = 0;
            if (memx_poll_stop(w->poll)) return MEMX_INTERRUPTED;
        }
    }
    return MEMX_OK;
}

/* Calls `visit` with each table in turn, until it answers anything but MEMX_OK; filled from stage `first` on.
** The first `known` groups have the levels given. */
typedef memx_status (*table_visit)(void *context, const memx_ways *ways, const table *table);

static memx_status each_table(const memx_ways *w, int32_t first, int32_t known,
                              const int32_t *level, table_visit visit, void *context) {
    size_t width = (size_t)w->layers + 1;
    memx_count *rows = calloc((size_t)(w->stages + 1) * width, sizeof *rows);
    int32_t *vector = calloc((size_t)w->stages, sizeof *vector);
    bool single = w->groups == w->stages;
    const table t = {rows, width, single ? NULL : vector};
    memx_status status = rows && vector ? MEMX_OK : MEMX_NOMEM;
    if (!status && known > 0) memcpy(vector, level, (size_t)known * sizeof *vector);
    while (!status) {
        status = fill(w, &t, first);
        if (!status) status = visit(context, w, &t);
        if (status || single ||
            !memx_ways_next_vector(w->groups - known, w->levels, vector + known)) {
            break;
        }
        if (memx_poll_stop(w->poll)) status = MEMX_INTERRUPTED;
    }
    free(rows);
    free(vector);
    return status;
}

static memx_status add_total(void *context, const memx_ways *w, const table *t) {
    memx_count *total = context;
    *total = memx_count_add(*total, *entry(t, 0, w->layers));
    return MEMX_OK;
}

memx_status memx_ways_count(const memx_ways *ways, memx_count *out) {
    *out = memx_count_of(0);
    return each_table(ways, 0, 0, NULL, add_total, out);
}

typedef struct sample {
    const memx_count *numbers;
    size_t count, at;
    memx_count before; /* configurations of earlier tables */
    int64_t *split;
    int32_t *level;
    memx_ways_visit visit;
    void *context;
} sample;

/* Walks down the table to its configuration `number`. */
static void descend(const memx_ways *w, const table *t, memx_count number, sample *out) {
    int64_t left = w->layers;
    for (int32_t s = 0; s < w->stages; s++) {
        for (int64_t l = 1; l <= w->most && l <= left; l++) {
            uint64_t mask = allowed(w, t, s, l);
            memx_count rest = *entry(t, s + 1, left - l);
            memx_count here = memx_count_times(rest, (uint64_t)__builtin_popcountll(mask));
            if (memx_count_compare(number, here) >= 0) {
                number = memx_count_subtract(number, here);
                continue;
            }
            int32_t level = memx_lowest(mask, 0);
            while (memx_count_compare(number, rest) >= 0) {
                number = memx_count_subtract(number, rest);
                level = memx_lowest(mask, level + 1);
            }
            out->split[s] = l;
            out->level[w->group[s]] = level;
            left -= l;
            break;
        }
    }
}

static memx_status sample_table(void *context, const memx_ways *w, const table *t) {
    sample *s = context;
    const memx_count total = *entry(t, 0, w->layers);
    for (; s->at < s->count; s->at++) {
        memx_count number = memx_count_subtract(s->numbers[s->at], s->before);
        if (memx_count_compare(number, total) >= 0) break;
        if (memx_poll_stop(w->poll)) return MEMX_INTERRUPTED;
        descend(w, t, number, s);
        s->visit(s->context, s->split, s->level);
    }
    s->before = memx_count_add(s->before, total);
    return s->at < s->count ? MEMX_OK : MEMX_DONE;
}

memx_status memx_ways_sample(const memx_ways *w, const memx_count *numbers, size_t count,
                             memx_ways_visit visit, void *context) {
    sample s = {numbers, count, 0, memx_count_of(0), NULL, NULL, visit, context};
    s.split = calloc((size_t)w->stages, sizeof *s.split);
    s.level = calloc((size_t)w->stages, sizeof *s.level);
    memx_status status = s.split && s.level ? MEMX_OK : MEMX_NOMEM;
    if (!status) status = each_table(w, 0, 0, NULL, sample_table, &s);
    free(s.split);
    free(s.level);
    return status == MEMX_DONE ? MEMX_OK : status;
}

typedef struct stage_tally {
    int32_t stage;
    int64_t left;
    memx_count *cells;
} stage_tally;

static memx_status add_stage(void *context, const memx_ways *w, const table *t) {
    const stage_tally *tally = context;
    int32_t s = tally->stage;
    for (int64_t l = 1; l <= w->most && l <= tally->left; l++) {
        uint64_t mask = allowed(w, t, s, l);
        const memx_count rest = *entry(t, s + 1, tally->left - l);
        for (int32_t r = memx_lowest(mask, 0); r >= 0; r = memx_lowest(mask, r + 1)) {
            memx_count *cell = &tally->cells[(l - 1) * w->levels + r];
            *cell = memx_count_add(*cell, rest);
        }
    }
    return MEMX_OK;
}

memx_status memx_ways_tally(const memx_ways *w, int32_t stage, int64_t left, const int32_t *level,
                            memx_count *out) {
    stage_tally tally = {stage, left, out};
    int32_t known = 0; /* groups are numbered by first stage */
    for (int32_t s = 0; s < stage; s++) {
        if (w->group[s] >= known) known = w->group[s] + 1;
    }
    return each_table(w, stage + 1, known, level, add_stage, &tally);
}
