#include "core/choices_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- counting ---- */

/* The split of a row of a list that has none but splits. */
static void load_split(memx_choices *c) {
    const uint16_t *row = c->list + c->list_at * c->list_width + 1;
    for (int32_t s = 0; s < c->stages; s++) c->split[s] = row[s];
}

/* The levels each group can take under c->split. */
static void mask_groups(memx_choices *c, bool all) {
    memset(c->group_mask, 0xff, (size_t)c->groups * sizeof *c->group_mask);
    for (int32_t s = 0; s < c->stages; s++) {
        c->group_mask[c->group[s]] &= offers(c, s, c->split[s], all);
    }
}

static memx_count levels_under_split(const memx_choices *c) {
    memx_count ways = memx_count_of(1);
    for (int32_t g = 0; g < c->groups; g++) {
        ways = memx_count_times(ways, (uint64_t)__builtin_popcountll(c->group_mask[g]));
    }
    return ways;
}

memx_status memx_choices_count(memx_choices *c, bool all, memx_count *out) {
    *out = memx_count_of(0);
    if (c->walk == WALK_FREE) {
        const memx_ways ways = ways_of(c, all);
        return memx_ways_count(&ways, out);
    }
    if (c->walk == WALK_ROWS) {
        if (all) return memx_choices_count_rows(c, out);
        memx_status status = memx_choices_list(c);
        if (!status) *out = memx_count_of(c->list_count);
        return status;
    }
    memx_status status = memx_choices_list(c);
    for (c->list_at = 0; !status && c->list_at < c->list_count; c->list_at++) {
        load_split(c);
        mask_groups(c, all);
        *out = memx_count_add(*out, levels_under_split(c));
    }
    return status;
}

/* ---- sampling by number ---- */

typedef struct free_sample {
    memx_choices *choices;
    memx_choices_visit visit;
    void *context;
} free_sample;

static void visit_free(void *context, const int64_t *split, const int32_t *level) {
    const free_sample *s = context;
    memcpy(s->choices->split, split, (size_t)s->choices->stages * sizeof *split);
    memcpy(s->choices->level, level, (size_t)s->choices->groups * sizeof *level);
    memx_choices_point(s->choices);
    s->visit(s->context, s->choices);
}

/* The levels of configuration `number` under c->split, last group fastest. */
static void pick_levels(memx_choices *c, memx_count number) {
    for (int32_t g = 0; g < c->groups; g++) {
        memx_count rest = memx_count_of(1);
        for (int32_t q = g + 1; q < c->groups; q++) {
            rest = memx_count_times(rest, (uint64_t)__builtin_popcountll(c->group_mask[q]));
        }
        c->level[g] = memx_lowest(c->group_mask[g], 0);
        while (memx_count_compare(number, rest) >= 0) {
            number = memx_count_subtract(number, rest);
            c->level[g] = memx_lowest(c->group_mask[g], c->level[g] + 1);
        }
    }
}

memx_status memx_choices_sample(memx_choices *c, const memx_count *numbers, size_t count,
                                memx_choices_visit visit, void *context) {
    if (c->walk == WALK_FREE) {
        const memx_ways ways = ways_of(c, false);
        free_sample sample = {c, visit, context};
        return memx_ways_sample(&ways, numbers, count, visit_free, &sample);
    }
    memx_status status = memx_choices_list(c);
    memx_count before = memx_count_of(0);
    size_t at = 0;
    for (c->list_at = 0; !status && c->list_at < c->list_count && at < count; c->list_at++) {
        if (c->walk == WALK_ROWS) {
            memx_choices_load_row(c);
        } else {
            load_split(c);
            mask_groups(c, false);
        }
        memx_count ways = c->walk == WALK_ROWS ? memx_count_of(1) : levels_under_split(c);
        memx_count after = memx_count_add(before, ways);
        if (memx_poll_stop(c->poll)) status = MEMX_INTERRUPTED;
        for (; at < count && memx_count_compare(numbers[at], after) < 0 && !status; at++) {
            if (c->walk == WALK_SPLITS) pick_levels(c, memx_count_subtract(numbers[at], before));
            memx_choices_point(c);
            visit(context, c);
        }
        before = after;
    }
    return status;
}

/* ---- places in the walk ---- */

/* Under the splits that begin as the stages before s: adds the configurations to tally[layers - 1][level]
** of stage s, the levels of groups that began before s being as they are. Leaves a split of its own behind
** from stage s on. */
static memx_status tally_splits(memx_choices *c, int32_t s, memx_count *tally) {
    int32_t known = 0; /* groups: numbered by first stage */
    for (int32_t q = 0; q < s; q++) known += c->leader[q] == q;
    for (c->list_at = c->from[s]; c->list_at < c->to[s]; c->list_at++) {
        int32_t here = c->group[s];
        if (c->list_at % 4096 == 4095 && memx_poll_stop(c->poll)) return MEMX_INTERRUPTED;
        memx_count ways = memx_count_of(1);
        load_split(c);
        mask_groups(c, false);
        for (int32_t g = 0; g < c->groups; g++) {
            if (g < known) c->group_mask[g] &= UINT64_C(1) << c->level[g];
            uint64_t levels = (uint64_t)__builtin_popcountll(c->group_mask[g]);
            if (g != here) ways = memx_count_times(ways, levels);
        }
        uint64_t mask = c->group_mask[here];
        for (int32_t r = memx_lowest(mask, 0); r >= 0; r = memx_lowest(mask, r + 1)) {
            memx_count *cell = &tally[(c->split[s] - 1) * c->levels + r];
            *cell = memx_count_add(*cell, ways);
        }
    }
    return MEMX_OK;
}

/* The configurations with each (layers, level) of stage s, the stages before it being as they are. */
static memx_status tally_stage(memx_choices *c, int32_t s, memx_count *tally) {
    memset(tally, 0, (size_t)(c->most * c->levels) * sizeof *tally);
    if (c->walk == WALK_SPLITS) return tally_splits(c, s, tally);
    const memx_ways ways = ways_of(c, false);
    return memx_ways_tally(&ways, s, c->left[s], c->level, tally);
}

memx_status memx_choices_at(memx_choices *c, memx_count number) {
    memx_status status = c->walk == WALK_FREE ? MEMX_OK : memx_choices_list(c);
    if (status) return status;
    if (c->walk == WALK_ROWS) {
        c->list_at = (size_t)memx_count_int64(number);
        memx_choices_load_row(c);
        return MEMX_OK;
    }
    memx_count *tally = malloc((size_t)(c->most * c->levels) * sizeof *tally);
    if (!tally) return MEMX_NOMEM;
    for (int32_t s = 0; s < c->stages && !status; s++) {
        memx_choices_enter(c, s);
        status = tally_stage(c, s, tally);
        int64_t cell = 0, cells = c->most * c->levels;
        while (!status && cell + 1 < cells && memx_count_compare(number, tally[cell]) >= 0) {
            number = memx_count_subtract(number, tally[cell++]);
        }
        c->split[s] = cell / c->levels + 1;
        c->level[c->group[s]] = (int32_t)(cell % c->levels);
    }
    free(tally);
    if (!status) memx_choices_point(c);
    return status;
}
