#include "core/choices_state.h"

#include <stdlib.h>
#include <string.h>

/* More assignments of levels than this are not listed under layer_split = time. */
enum { MOST_VECTORS = 1 << 12 };
/* Bytes of lists that stay with their skeletons. */
enum { MOST_KEPT = 32 << 20 };

static bool vectors_listable(const memx_choices *c) {
    int64_t vectors = 1;
    for (int32_t g = 0; g < c->groups; g++) {
        vectors *= c->levels;
        if (vectors > MOST_VECTORS) return false;
    }
    return true;
}

memx_status memx_choices_listable(const memx_choices *c, memx_error *error) {
    if (vectors_listable(c)) return MEMX_OK;
    return memx_invalid(error,
                        "space '%s': layer_split time gives each of more than %d level "
                        "assignments of %d stages its own split; write %s",
                        c->setting->space->name, MOST_VECTORS, (int)c->stages,
                        c->setting->space->recompute_scope == MEMX_SCOPE_STAGE
                            ? "recompute_scope device, or layer_split free"
                            : "recompute_scope plan or global, or give the job space 'free'");
}

/* ---- lists ---- */

static int compare_rows(const void *left, const void *right) {
    const uint16_t *a = left, *b = right;
    for (uint16_t i = 1; i < a[0]; i++) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

/* A new row. NULL when memory ends. */
static uint16_t *list_add(memx_choices *c) {
    if (c->list_count == c->list_capacity) {
        size_t capacity = c->list_capacity ? 2 * c->list_capacity : 64;
        uint16_t *list = realloc(c->list, capacity * c->list_width * sizeof *list);
        if (!list) return NULL;
        c->list = list;
        c->list_capacity = capacity;
    }
    uint16_t *row = c->list + c->list_count++ * c->list_width;
    row[0] = (uint16_t)c->list_width;
    return row;
}

/* Calls `visit` with the rule's split and with each that moves up to layer_skew layers between two
** neighbouring stages. */
typedef memx_status (*split_visit)(memx_choices *c, void *context, const int64_t *split);

static memx_status around(memx_choices *c, int64_t *split, split_visit visit, void *context) {
    memx_status status = visit(c, context, split);
    for (int32_t s = 0; s + 1 < c->stages && !status; s++) {
        for (int64_t k = -c->setting->space->layer_skew;
             k <= c->setting->space->layer_skew && !status; k++) {
            if (k == 0 || split[s] + k < 1 || split[s + 1] - k < 1) continue;
            split[s] += k;
            split[s + 1] -= k;
            status = visit(c, context, split);
            split[s] -= k;
            split[s + 1] += k;
        }
    }
    return status;
}

static memx_status list_split(memx_choices *c, void *context, const int64_t *split) {
    (void)context;
    uint16_t *row = list_add(c);
    for (int32_t s = 0; row && s < c->stages; s++) row[1 + s] = (uint16_t)split[s];
    return row ? MEMX_OK : MEMX_NOMEM;
}

/* ---- splits by time ---- */

typedef struct time_price {
    memx_choices *c;
    const int32_t *vector; /* level of every group; NULL: the planned one */
} time_price;

/* A level not canonical on so few layers is priced as what it becomes there. */
static memx_split_cost price_time(void *context, int32_t stage, int64_t layers) {
    const time_price *p = context;
    const memx_choices *c = p->c;
    if (layers > c->most) return (memx_split_cost){INT64_MAX, false};
    int32_t level =
        p->vector ? c->setting->canonical[(layers - 1) * c->levels + p->vector[c->group[stage]]]
                  : memx_lowest(c->offered[stage][layers - 1], 0);
    if (level < 0) return (memx_split_cost){INT64_MAX, false};
    const memx_option *option = option_at(c, stage, layers, level);
    return (memx_split_cost){option->time_ns,
                             option->short_kib == 0 || c->setting->space->ignore_memory};
}

void memx_choices_split_by_time(memx_choices *c, const int32_t *vector, int64_t *out) {
    time_price price = {c, vector};
    memx_split_time(price_time, &price, c->stages, c->layers,
                    memx_stage_least_layers(&c->plan.model, true), c->costs, out);
}

/* The split of the space's rule under one assignment of levels. */
static void rule_split(memx_choices *c, const int32_t *vector, double *scratch, int64_t *out) {
    if (c->setting->space->layer_split == MEMX_SPLIT_TIME) {
        memx_choices_split_by_time(c, c->walk == WALK_ROWS ? vector : NULL, out);
    } else {
        memx_split_static(&c->plan, c->setting->space->layer_split, scratch, out);
    }
}

typedef struct row_visit {
    const int32_t *vector;
    bool all;
    memx_count counted;
} row_visit;

bool memx_choices_offered(const memx_choices *c, const int64_t *split, const int32_t *vector,
                          bool all) {
    for (int32_t s = 0; s < c->stages; s++) {
        if (!(offers(c, s, split[s], all) >> vector[c->group[s]] & 1)) return false;
    }
    return true;
}

static memx_status visit_row(memx_choices *c, void *context, const int64_t *split) {
    row_visit *visit = context;
    if (!memx_choices_offered(c, split, visit->vector, visit->all)) return MEMX_OK;
    visit->counted = memx_count_add(visit->counted, memx_count_of(1));
    if (visit->all) return MEMX_OK;
    uint16_t *row = list_add(c);
    if (!row) return MEMX_NOMEM;
    for (int32_t s = 0; s < c->stages; s++) {
        row[1 + 2 * s] = (uint16_t)split[s];
        row[2 + 2 * s] = (uint16_t)visit->vector[c->group[s]];
    }
    return MEMX_OK;
}

/* Whether some split could fit under these levels: most do not, and need no split by time. */
static bool can_fit(const memx_choices *c, const int32_t *vector) {
    int64_t most = 0;
    for (int32_t s = 0; s < c->stages; s++) {
        int64_t fitting = c->tables[s]->most_fitting[vector[c->group[s]]];
        if (fitting == 0) return false;
        most += fitting;
    }
    return most >= c->layers;
}

/* Every row under layer_split = time: counted, and listed unless `all`. */
static memx_status walk_rows(memx_choices *c, bool all, memx_count *counted) {
    int32_t *vector = calloc((size_t)c->stages, sizeof *vector);
    int64_t *split = calloc((size_t)c->stages, sizeof *split);
    row_visit visit = {vector, all, {{0}}};
    memx_status status = vector && split ? MEMX_OK : MEMX_NOMEM;
    while (!status) {
        if (all || can_fit(c, vector)) {
            memx_choices_split_by_time(c, vector, split);
            status = around(c, split, visit_row, &visit);
        }
        if (!memx_ways_next_vector(c->groups, c->levels, vector)) break;
        if (memx_poll_stop(c->poll)) status = MEMX_INTERRUPTED;
    }
    *counted = visit.counted;
    free(vector);
    free(split);
    return status;
}

memx_status memx_choices_count_rows(memx_choices *c, memx_count *out) {
    return walk_rows(c, true, out);
}

/* Leaves a finished list with the skeleton. */
static void keep_list(memx_choices *c) {
    size_t bytes = c->list_count * c->list_width * sizeof *c->list;
    if (c->setting->kept_bytes + bytes > MOST_KEPT) return;
    uint16_t *list = bytes > 0 ? realloc(c->list, bytes) : NULL;
    if (list) c->list = list;
    c->setting->kept_bytes += bytes;
    c->skeleton->list = (memx_list){c->list, c->list_count, c->list_width};
    c->list_kept = true;
}

memx_status memx_choices_list(memx_choices *c) {
    const memx_list *kept = &c->skeleton->list;
    if (c->list_width > 0) return MEMX_OK;
    if (kept->width > 0) {
        c->list = kept->rows;
        c->list_count = kept->count;
        c->list_width = kept->width;
        c->list_kept = true;
        return MEMX_OK;
    }
    memx_status status;
    if (c->walk == WALK_ROWS) {
        memx_count counted;
        c->list_width = 1 + 2 * (size_t)c->stages;
        status = walk_rows(c, false, &counted);
    } else {
        int64_t *split = calloc((size_t)c->stages, sizeof *split);
        double *scratch = calloc((size_t)c->stages, sizeof *scratch);
        c->list_width = 1 + (size_t)c->stages;
        status = split && scratch ? MEMX_OK : MEMX_NOMEM;
        if (!status) {
            rule_split(c, NULL, scratch, split);
            status = around(c, split, list_split, NULL);
        }
        free(split);
        free(scratch);
    }
    if (status) {
        free(c->list);
        c->list = NULL;
        c->list_count = c->list_capacity = c->list_width = 0;
        return status;
    }
    if (c->list_count > 1) {
        qsort(c->list, c->list_count, c->list_width * sizeof *c->list, compare_rows);
    }
    keep_list(c);
    return MEMX_OK;
}
/* ---- finding ---- */

memx_status memx_choices_find_row(memx_choices *c) {
    uint16_t key[1 + 2 * MEMX_MAX_STAGES] = {(uint16_t)c->list_width};
    for (int32_t s = 0; s < c->stages; s++) {
        key[1 + 2 * s] = (uint16_t)c->split[s];
        key[2 + 2 * s] = (uint16_t)c->level[c->group[s]];
    }
    size_t size = c->list_width * sizeof *c->list;
    const uint16_t *row =
        c->list_count > 0 ? bsearch(key, c->list, c->list_count, size, compare_rows) : NULL;
    if (!row) return MEMX_DONE;
    c->list_at = (size_t)(row - c->list) / c->list_width;
    return MEMX_OK;
}

/* Whether `split` is the rule's or a neighbour of it. */
typedef struct split_search {
    const int64_t *wanted;
    bool found;
} split_search;

static memx_status compare_split(memx_choices *c, void *context, const int64_t *split) {
    split_search *search = context;
    search->found = memcmp(split, search->wanted, (size_t)c->stages * sizeof *split) == 0;
    return search->found ? MEMX_DONE : MEMX_OK;
}

memx_status memx_choices_split_offered(memx_choices *c, bool *offered) {
    int64_t *split = calloc((size_t)c->stages, sizeof *split);
    double *scratch = calloc((size_t)c->stages, sizeof *scratch);
    split_search search = {c->split, false};
    memx_status status = split && scratch ? MEMX_OK : MEMX_NOMEM;
    if (!status) {
        rule_split(c, c->level, scratch, split);
        around(c, split, compare_split, &search);
    }
    *offered = search.found;
    free(split);
    free(scratch);
    return status;
}
