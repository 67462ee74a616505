#include "core/choices.h"

#include "core/ways.h"

#include "core/whole.h"

#include <stdlib.h>
#include <string.h>

/* More assignments of levels than this are not listed under layer_split = time. */
enum { MOST_VECTORS = 1 << 12 };
/* A piece fixes the levels of so many groups that there are no more than this many of them a split. */
enum { MOST_PIECES = 1 << 12 };
/* Bytes of lists that stay with their skeletons. */
enum { MOST_KEPT = 32 << 20 };

typedef enum walk { WALK_FREE, WALK_SPLITS, WALK_ROWS } walk;

struct memx_choices {
    memx_setting *setting;
    memx_skeleton *skeleton;
    const memx_poll *poll;
    memx_plan plan;
    int32_t stages, levels, groups;
    int64_t layers; /* of the model */
    int64_t most;   /* of one stage */
    memx_table **tables;
    const uint64_t **offered, **fitting; /* of the tables */
    int32_t *group;                      /* of every stage; numbered by first stage */
    int32_t *leader;                     /* the first stage of this stage's group */
    walk walk;

    /* Where the walk stands. */
    int64_t *split;
    int64_t *left;     /* layers for this stage and those after it */
    size_t *from, *to; /* WALK_SPLITS: rows of the list that begin as the stages before this one */
    int32_t *level;    /* of every group */
    uint64_t *group_mask; /* levels that every stage of the group can take under this split */
    const memx_option **options;
    memx_split_next *costs; /* scratch of splits by time */

    int32_t piece_groups;  /* that have one level in a piece */
    size_t piece_vectors;  /* pieces of one split */
    const uint16_t *piece; /* layers of every stage, or NULL */
    int32_t *piece_level;  /* of the groups that have one */

    uint8_t *reach; /* WALK_FREE: [stage][layers left], some completion exists */

    /* WALK_SPLITS: splits of `stages` cells. WALK_ROWS: layers and level of every stage. Both sorted,
    ** each led by its width for the comparison. */
    uint16_t *list;
    bool list_kept; /* with the skeleton, not ours to free */
    size_t list_count, list_capacity, list_width, list_at;
};

const memx_plan *memx_choices_plan(const memx_choices *c) {
    return &c->plan;
}

const memx_option *const *memx_choices_options(const memx_choices *c) {
    return c->options;
}

static const memx_option *option_at(const memx_choices *c, int32_t s, int64_t layers, int32_t r) {
    return &c->tables[s]->options[(layers - 1) * c->levels + r];
}

/* Levels that the stage offers with so many layers, fitting ones or all. */
static uint64_t offers(const memx_choices *c, int32_t s, int64_t layers, bool all) {
    if (layers < 1 || layers > c->most) return 0;
    return all ? c->offered[s][layers - 1] : c->fitting[s][layers - 1];
}

/* What the stages offer, for counting: the fitting levels or all. */
static memx_ways ways_of(const memx_choices *c, bool all) {
    return (memx_ways){
        .stages = c->stages,
        .groups = c->groups,
        .levels = c->levels,
        .layers = c->layers,
        .most = c->most,
        .group = c->group,
        .masks = all ? c->offered : c->fitting,
        .poll = c->poll,
    };
}

void memx_choices_stages(const memx_choices *c, memx_stage_choice *out) {
    for (int32_t s = 0; s < c->stages; s++) {
        out[s] = (memx_stage_choice){c->split[s], c->setting->levels[c->level[c->group[s]]]};
    }
}

/* ---- opening ---- */

static void assign_groups(memx_choices *c) {
    memx_scope scope = c->setting->space->recompute_scope;
    const memx_job *job = c->setting->job;
    for (int32_t s = 0; s < c->stages; s++) {
        int32_t like = s;
        if (scope == MEMX_SCOPE_GLOBAL) like = 0;
        for (int32_t q = 0; scope == MEMX_SCOPE_DEVICE && q < s; q++) {
            if (!memx_placement_same_devices(job, &c->skeleton->placement, q, s)) continue;
            like = q;
            break;
        }
        c->leader[s] = like;
        c->group[s] = like < s ? c->group[like] : c->groups++;
    }
}

static bool vectors_listable(const memx_choices *c) {
    int64_t vectors = 1;
    for (int32_t g = 0; g < c->groups; g++) {
        vectors *= c->levels;
        if (vectors > MOST_VECTORS) return false;
    }
    return true;
}

memx_status memx_choices_open(memx_setting *setting, memx_skeleton *skeleton, const memx_poll *poll,
                              memx_choices **out, memx_error *error) {
    memx_choices *c = calloc(1, sizeof *c);
    *out = NULL;
    if (!c) return MEMX_NOMEM;
    c->setting = setting;
    c->skeleton = skeleton;
    c->poll = poll;
    memx_status status =
        memx_plan_build(setting->job, &skeleton->knobs, &skeleton->placement, &c->plan, error);
    if (status) goto cleanup;
    c->stages = c->plan.stage_count;
    c->levels = setting->level_count;
    c->layers = c->plan.layers;
    c->most = c->layers - c->stages + 1;
    size_t stages = (size_t)c->stages;
    c->tables = calloc(stages, sizeof *c->tables);
    c->offered = calloc(stages, sizeof *c->offered);
    c->fitting = calloc(stages, sizeof *c->fitting);
    c->group = calloc(stages, sizeof *c->group);
    c->leader = calloc(stages, sizeof *c->leader);
    c->split = calloc(stages, sizeof *c->split);
    c->left = calloc(stages, sizeof *c->left);
    c->from = calloc(stages, sizeof *c->from);
    c->to = calloc(stages, sizeof *c->to);
    c->level = calloc(stages, sizeof *c->level);
    c->group_mask = calloc(stages, sizeof *c->group_mask);
    c->options = calloc(stages, sizeof *c->options);
    c->costs = calloc(stages, sizeof *c->costs);
    c->piece_level = calloc(stages, sizeof *c->piece_level);
    c->reach = calloc((stages + 1) * ((size_t)c->layers + 1), 1);
    if (!c->tables || !c->offered || !c->fitting || !c->group || !c->leader || !c->split ||
        !c->left || !c->from || !c->to || !c->level || !c->group_mask || !c->options || !c->costs ||
        !c->piece_level || !c->reach) {
        status = MEMX_NOMEM;
    }
    for (int32_t s = 0; s < c->stages && !status; s++) {
        status = memx_table_get(setting, &c->plan, &c->plan.shapes[s], poll, &c->tables[s], error);
        if (status) break;
        c->offered[s] = c->tables[s]->shown;
        c->fitting[s] = c->tables[s]->fitting;
    }
    if (status) goto cleanup;
    assign_groups(c);
    memx_ways ways;
    switch (setting->space->layer_split) {
    case MEMX_SPLIT_FREE:
        c->walk = WALK_FREE;
        ways = ways_of(c, false);
        status = memx_ways_reach(&ways, c->reach);
        break;
    case MEMX_SPLIT_UNIFORM:
    case MEMX_SPLIT_COMPUTE:
    case MEMX_SPLIT_MEMORY: c->walk = WALK_SPLITS; break;
    case MEMX_SPLIT_TIME:
        /* With planned levels there is one split by time, not one for each assignment. */
        c->walk = setting->space->recompute_scope == MEMX_SCOPE_PLAN ? WALK_SPLITS : WALK_ROWS;
        if (c->walk == WALK_ROWS && !vectors_listable(c)) {
            status = memx_invalid(error,
                                  "space '%s': layer_split time gives each of more than %d level "
                                  "assignments of %d stages its own split; write %s",
                                  setting->space->name, MOST_VECTORS, (int)c->stages,
                                  setting->space->recompute_scope == MEMX_SCOPE_STAGE
                                      ? "recompute_scope device, or layer_split free"
                                      : "recompute_scope plan or global");
        }
        break;
    }
cleanup:
    if (status) {
        memx_choices_close(c);
    } else {
        *out = c;
    }
    return status;
}

void memx_choices_close(memx_choices *c) {
    if (!c) return;
    for (int32_t s = 0; c->tables && s < c->stages; s++)
        memx_table_release(c->setting, c->tables[s]);
    free(c->tables);
    free(c->offered);
    free(c->fitting);
    free(c->group);
    free(c->leader);
    free(c->split);
    free(c->left);
    free(c->from);
    free(c->to);
    free(c->level);
    free(c->group_mask);
    free(c->options);
    free(c->costs);
    free(c->piece_level);
    free(c->reach);
    if (!c->list_kept) free(c->list);
    memx_plan_free(&c->plan);
    free(c);
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

static void split_by_time(memx_choices *c, const int32_t *vector, int64_t *out) {
    time_price price = {c, vector};
    memx_split_time(price_time, &price, c->stages, c->layers,
                    memx_stage_least_layers(&c->plan.model, true), c->costs, out);
}

/* The split of the space's rule under one assignment of levels. */
static void rule_split(memx_choices *c, const int32_t *vector, double *scratch, int64_t *out) {
    if (c->setting->space->layer_split == MEMX_SPLIT_TIME) {
        split_by_time(c, c->walk == WALK_ROWS ? vector : NULL, out);
    } else {
        memx_split_static(&c->plan, c->setting->space->layer_split, scratch, out);
    }
}

typedef struct row_visit {
    const int32_t *vector;
    bool all;
    memx_count counted;
} row_visit;

static bool row_offered(const memx_choices *c, const int64_t *split, const int32_t *vector,
                        bool all) {
    for (int32_t s = 0; s < c->stages; s++) {
        if (!(offers(c, s, split[s], all) >> vector[c->group[s]] & 1)) return false;
    }
    return true;
}

static memx_status visit_row(memx_choices *c, void *context, const int64_t *split) {
    row_visit *visit = context;
    if (!row_offered(c, split, visit->vector, visit->all)) return MEMX_OK;
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
            split_by_time(c, vector, split);
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

static memx_status build_list(memx_choices *c) {
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

/* ---- the walk ---- */

static bool reachable(const memx_choices *c, int32_t s, int64_t left) {
    return left >= 0 && c->reach[(size_t)s * ((size_t)c->layers + 1) + (size_t)left];
}

/* The least number of layers, from `least` on, that stage s may have after the stages before it; -1
** when none is left. */
static int64_t next_layers(const memx_choices *c, int32_t s, int64_t least) {
    int64_t left = c->left[s];
    if (c->walk == WALK_FREE) {
        bool last = s + 1 == c->stages;
        for (int64_t l = last ? memx_greatest(least, left) : least; l <= c->most && l <= left;
             l++) {
            if (reachable(c, s + 1, left - l)) return l;
        }
        return -1;
    }
    for (size_t i = c->from[s]; i < c->to[s]; i++) {
        int64_t l = c->list[i * c->list_width + 1 + (size_t)s];
        if (l >= least) return l;
    }
    return -1;
}

/* Levels that stage s may take with so many layers: where its group has one already, that one. */
static uint64_t next_levels(const memx_choices *c, int32_t s, int64_t layers) {
    uint64_t mask = offers(c, s, layers, false);
    return c->leader[s] == s ? mask : mask & UINT64_C(1) << c->level[c->group[s]];
}

/* Moves stage s to its next choice, with the stages before it as they are. */
static bool step_stage(memx_choices *c, int32_t s) {
    int32_t level = c->split[s] == 0 ? -1
                    : c->leader[s] == s
                        ? memx_lowest(next_levels(c, s, c->split[s]), c->level[c->group[s]] + 1)
                        : -1;
    for (int64_t l = c->split[s]; level < 0;) {
        l = next_layers(c, s, l + 1);
        if (l < 0) return false;
        level = memx_lowest(next_levels(c, s, l), 0);
        c->split[s] = l;
    }
    c->level[c->group[s]] = level;
    c->options[s] = option_at(c, s, c->split[s], level);
    return true;
}

/* Puts stage s before its first choice. */
static void enter_stage(memx_choices *c, int32_t s) {
    c->split[s] = 0;
    c->left[s] = s == 0 ? c->layers : c->left[s - 1] - c->split[s - 1];
    if (c->walk == WALK_FREE) return;
    c->from[s] = s == 0 ? 0 : c->from[s - 1];
    c->to[s] = s == 0 ? c->list_count : c->to[s - 1];
    if (s == 0) return;
    const uint16_t *column = c->list + s; /* of stage s - 1 */
    while (column[c->from[s] * c->list_width] != c->split[s - 1]) c->from[s]++;
    while (column[(c->to[s] - 1) * c->list_width] != c->split[s - 1]) c->to[s]--;
}

/* From stage s on, which stands on a choice or before its first, to the next whole one. */
static memx_status settle(memx_choices *c, int32_t s) {
    /* A group's level can leave a later stage without any: many dead ends may follow one another. */
    for (int64_t steps = 1; s >= 0; steps++) {
        if (!step_stage(c, s)) {
            s--;
        } else if (++s == c->stages) {
            return MEMX_OK;
        } else {
            enter_stage(c, s);
        }
        if (steps % 65536 == 0 && memx_poll_stop(c->poll)) return MEMX_INTERRUPTED;
    }
    return MEMX_DONE;
}

/* A row of a list that has levels. */
static void load_row(memx_choices *c) {
    const uint16_t *row = c->list + c->list_at * c->list_width + 1;
    for (int32_t s = 0; s < c->stages; s++, row += 2) {
        c->split[s] = row[0];
        c->level[c->group[s]] = row[1];
        c->options[s] = option_at(c, s, row[0], row[1]);
    }
}

memx_status memx_choices_first(memx_choices *c) {
    memx_status status = c->walk == WALK_FREE ? MEMX_OK : build_list(c);
    if (status) return status;
    if (c->walk != WALK_FREE && c->list_count == 0) return MEMX_DONE;
    if (c->walk == WALK_ROWS) {
        c->list_at = 0;
        load_row(c);
        return MEMX_OK;
    }
    enter_stage(c, 0);
    return settle(c, 0);
}

memx_status memx_choices_next(memx_choices *c) {
    if (c->walk != WALK_ROWS) return settle(c, c->stages - 1);
    if (++c->list_at >= c->list_count) return MEMX_DONE;
    load_row(c);
    return MEMX_OK;
}

static void point_options(memx_choices *c) {
    for (int32_t s = 0; s < c->stages; s++) {
        c->options[s] = option_at(c, s, c->split[s], c->level[c->group[s]]);
    }
}

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
        if (all) return walk_rows(c, true, out);
        memx_status status = build_list(c);
        if (!status) *out = memx_count_of(c->list_count);
        return status;
    }
    memx_status status = build_list(c);
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
    point_options(s->choices);
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
    memx_status status = build_list(c);
    memx_count before = memx_count_of(0);
    size_t at = 0;
    for (c->list_at = 0; !status && c->list_at < c->list_count && at < count; c->list_at++) {
        if (c->walk == WALK_ROWS) {
            load_row(c);
        } else {
            load_split(c);
            mask_groups(c, false);
        }
        memx_count ways = c->walk == WALK_ROWS ? memx_count_of(1) : levels_under_split(c);
        memx_count after = memx_count_add(before, ways);
        if (memx_poll_stop(c->poll)) status = MEMX_INTERRUPTED;
        for (; at < count && memx_count_compare(numbers[at], after) < 0 && !status; at++) {
            if (c->walk == WALK_SPLITS) pick_levels(c, memx_count_subtract(numbers[at], before));
            point_options(c);
            visit(context, c);
        }
        before = after;
    }
    return status;
}

/* ---- pieces ---- */

bool memx_choices_listed(const memx_choices *c) {
    return c->walk == WALK_ROWS;
}

memx_status memx_choices_pieces(memx_choices *c, size_t *count) {
    c->piece_groups = 0;
    c->piece_vectors = 1;
    /* Where each stage is its own group nothing is gained. */
    while (c->groups < c->stages && c->piece_groups < c->groups &&
           c->piece_vectors * (size_t)c->levels <= MOST_PIECES) {
        c->piece_vectors *= (size_t)c->levels;
        c->piece_groups++;
    }
    *count = c->piece_vectors;
    if (c->walk == WALK_FREE) return MEMX_OK;
    memx_status status = build_list(c);
    *count *= c->list_count;
    return status;
}

void memx_choices_take_piece(memx_choices *c, size_t piece) {
    size_t vector = piece % c->piece_vectors;
    c->piece = NULL;
    if (c->walk != WALK_FREE) c->piece = c->list + piece / c->piece_vectors * c->list_width + 1;
    for (int32_t g = 0; g < c->piece_groups; g++) {
        c->piece_level[g] = (int32_t)(vector % (size_t)c->levels);
        vector /= (size_t)c->levels;
    }
}

uint64_t memx_choices_mask(const memx_choices *c, int32_t s, int64_t layers) {
    if (c->piece && c->piece[s] != layers) return 0;
    uint64_t mask = offers(c, s, layers, false);
    if (c->group[s] >= c->piece_groups) return mask;
    return mask & UINT64_C(1) << c->piece_level[c->group[s]];
}

int32_t memx_choices_levels(const memx_choices *c) {
    return c->levels;
}

int32_t memx_choices_leader(const memx_choices *c, int32_t s) {
    return c->leader[s];
}

const memx_option *memx_choices_option(const memx_choices *c, int32_t s, int64_t layers,
                                       int32_t level) {
    return option_at(c, s, layers, level);
}

void memx_choices_put(memx_choices *c, const uint32_t *codes) {
    for (int32_t s = 0; s < c->stages; s++) {
        c->split[s] = codes[s] >> 8;
        c->level[c->group[s]] = (int32_t)(codes[s] & 0xff);
    }
    point_options(c);
}

void memx_choices_codes(const memx_choices *c, uint32_t *out) {
    for (int32_t s = 0; s < c->stages; s++) {
        out[s] = (uint32_t)c->split[s] << 8 | (uint32_t)c->level[c->group[s]];
    }
}

/* ---- finding ---- */

/* The stages' levels as one level per group; false when a group's stages differ or it is
** unknown. */
static bool load_stages(memx_choices *c, const memx_stage_choice *stages) {
    for (int32_t g = 0; g < c->groups; g++) c->level[g] = -1;
    for (int32_t s = 0; s < c->stages; s++) {
        int32_t r = 0, *group = &c->level[c->group[s]];
        while (r < c->levels && memx_level_compare(c->setting->levels[r], stages[s].level) != 0)
            r++;
        if (r == c->levels || (*group >= 0 && *group != r)) return false;
        *group = r;
        c->split[s] = stages[s].layers;
    }
    return row_offered(c, c->split, c->level, false);
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

static memx_status split_offered(memx_choices *c, bool *offered) {
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

memx_status memx_choices_find(memx_choices *c, const memx_stage_choice *stages) {
    if (!load_stages(c, stages)) return MEMX_DONE;
    if (c->walk != WALK_FREE) {
        bool offered = false;
        memx_status status = split_offered(c, &offered);
        if (status || !offered) return status ? status : MEMX_DONE;
    }
    point_options(c);
    return MEMX_OK;
}

/* ---- explaining ---- */

/* What a choice of a stage lacks. */
static void describe(const memx_choices *c, int32_t s, int64_t layers, int32_t r,
                     memx_shortage *out) {
    const memx_option *option = option_at(c, s, layers, r);
    const memx_share *share = &c->plan.shapes[s].shares[option->short_share];
    *out = (memx_shortage){s,
                           share->device,
                           option->short_on_host ? share->host_kib
                                                 : memx_usable_kib(c->setting->job, share->device),
                           option->short_kib,
                           option->short_on_host,
                           {layers, c->setting->levels[r]}};
}

/* The stage of c->split under one level that is shortest of memory. False where all fit. */
static bool worst_stage(const memx_choices *c, int32_t level, memx_shortage *out) {
    bool found = false;
    for (int32_t s = 0; s < c->stages; s++) {
        int32_t r = c->setting->canonical[(c->split[s] - 1) * c->levels + level];
        if (option_at(c, s, c->split[s], r)->short_kib <= (found ? out->short_kib : 0)) continue;
        describe(c, s, c->split[s], r, out);
        found = true;
    }
    return found;
}

/* Of all that the stages offer, the choice that lacks least. */
static bool nearest_choice(const memx_choices *c, memx_shortage *out) {
    bool found = false;
    for (int32_t s = 0; s < c->stages; s++) {
        for (int64_t l = 1; l <= c->most; l++) {
            uint64_t refused = c->offered[s][l - 1] & ~c->fitting[s][l - 1];
            for (int32_t r = memx_lowest(refused, 0); r >= 0; r = memx_lowest(refused, r + 1)) {
                if (found && option_at(c, s, l, r)->short_kib >= out->short_kib) continue;
                describe(c, s, l, r, out);
                found = true;
            }
        }
    }
    return found;
}

memx_status memx_choices_shortage(memx_choices *c, memx_shortage *out) {
    int32_t *vector = calloc((size_t)c->stages, sizeof *vector);
    bool found = false, stopped = false;
    if (!vector) return MEMX_NOMEM;
    for (int32_t level = 0; level < c->levels && !stopped; level++) {
        stopped = memx_poll_stop(c->poll);
        memx_shortage worst;
        for (int32_t g = 0; g < c->groups; g++) vector[g] = level;
        split_by_time(c, vector, c->split);
        if (!worst_stage(c, level, &worst)) continue;
        if (!found || worst.short_kib < out->short_kib) *out = worst;
        found = true;
    }
    free(vector);
    if (stopped) return MEMX_INTERRUPTED;
    return found || nearest_choice(c, out) ? MEMX_OK : MEMX_DONE;
}
