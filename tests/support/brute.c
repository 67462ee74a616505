#include "support/brute.h"

#include <stdlib.h>
#include <string.h>

#include "core/priced.h"

/* More assignments of levels than this are refused under layer_split = time. */
enum { MOST_ASSIGNMENTS = 4096 };

/* ---- what the space allows ---- */

static bool listed(const memx_values *values, int64_t value) {
    for (int32_t i = 0; i < values->count; i++) {
        if (values->items[i] == value) return true;
    }
    return false;
}

static bool allowed(const brute *b, memx_axis axis, int64_t value) {
    const memx_values *values = &b->space->axes[axis];
    return values->count == 0 || listed(values, value);
}

/* The values of an axis whose default is the job's own. */
static int32_t task_values(const brute *b, memx_axis axis, int64_t own, int64_t *out) {
    const memx_values *values = &b->space->axes[axis];
    out[0] = own;
    for (int32_t i = 0; i < values->count; i++) out[i] = values->items[i];
    return values->count ? values->count : 1;
}

/* A flag means nothing at degree 1 and is off there. */
static bool flag_allowed(const brute *b, memx_axis axis, int64_t own, int64_t degree,
                         int64_t flag) {
    if (degree == 1) return flag == 0;
    return b->space->axes[axis].count ? allowed(b, axis, flag) : flag == own;
}

/* ---- levels ---- */

static int32_t own_levels(const memx_space *space, memx_level *out) {
    static const memx_level usual[] = {
        {MEMX_NONE, 0, 0}, {MEMX_SELECTIVE, 0, 0}, {MEMX_FULL, 0, 0}};
    if (space->level_count == 0) memcpy(out, usual, sizeof usual);
    for (int32_t i = 0; i < space->level_count; i++) out[i] = space->levels[i];
    return space->level_count ? space->level_count : 3;
}

static int compare_levels(const void *a, const void *b) {
    return memx_level_compare(*(const memx_level *)a, *(const memx_level *)b);
}

static void find_levels(brute *b) {
    memx_level own[BRUTE_LEVELS], all[BRUTE_LEVELS * 16];
    int32_t own_count = own_levels(b->space, own), n = 0;
    for (int32_t i = 0; i < own_count; i++) {
        for (int64_t l = 1; l <= b->job->model.layers; l++) {
            all[n++] = memx_level_canonical(own[i], l);
        }
    }
    qsort(all, (size_t)n, sizeof *all, compare_levels);
    for (int32_t i = 0; i < n; i++) {
        if (i > 0 && compare_levels(&all[i - 1], &all[i]) == 0) continue;
        assert_true(b->level_count < BRUTE_LEVELS);
        b->levels[b->level_count++] = all[i];
    }
}

/* ---- prices ---- */

static const memx_option *option_at(const brute *b, const brute_skeleton *k, int64_t stage,
                                    int64_t layers, int32_t level) {
    return &k->options[((stage * k->most) + layers - 1) * b->level_count + level];
}

/* Layers that the stages share out: of every one of their chunks. */
static int64_t split_layers(const brute *b, const brute_skeleton *k) {
    return b->job->model.layers / k->base.knobs.vp;
}

/* Reads the skeleton with some layers and levels, and prices all of them on its stages. */
static void price(brute *b, brute_skeleton *k) {
    static char text[LAYOUT_TEXT];
    memx_error error = {.text = ""};
    int64_t pp = k->base.knobs.pp;
    k->most = (int32_t)(split_layers(b, k) - pp + 1);
    for (int64_t s = 0; s < pp; s++) {
        k->base.layers[s] = s == 0 ? k->most : 1;
        k->base.levels[s] = (memx_level){MEMX_NONE, 0, 0};
    }
    layout_text(b->job, &k->base, text);
    assert_ok(memx_config_parse(b->job, text, &k->config, &error), &error);
    assert_ok(memx_plan_build(b->job, &k->config.knobs, &k->config.placement, &k->plan, &error),
              &error);
    size_t each = (size_t)(k->most * b->level_count);
    memx_stage_choice *choices = allocate(each, sizeof *choices);
    k->options = allocate((size_t)pp * each, sizeof *k->options);
    for (size_t i = 0; i < each; i++) {
        int64_t layers = 1 + (int64_t)i / b->level_count;
        memx_level level = b->levels[i % (size_t)b->level_count];
        choices[i] = (memx_stage_choice){layers, memx_level_canonical(level, layers)};
    }
    for (int64_t s = 0; s < pp; s++) {
        assert_ok(memx_plan_options(&k->plan, &k->plan.shapes[s], &memx_analytic_pricer, choices,
                                    each, k->options + (size_t)s * each, &error),
                  &error);
    }
    free(choices);
}

/* Whether a stage may show a level: one of the space's own under its canonical name; selective
** where it saves 3 % of the peak at none, if none is offered too, the same being offloaded. */
static bool offered(const brute *b, const brute_skeleton *k, int64_t stage, int64_t layers,
                    int32_t level) {
    memx_level own[BRUTE_LEVELS];
    int32_t own_count = own_levels(b->space, own);
    bool found = false, none = false;
    if (stage == 0 && layers < layout_least(b->job, 0)) return false;
    memx_level beside = {MEMX_NONE, 0, b->levels[level].offload};
    for (int32_t i = 0; i < own_count; i++) {
        memx_level shown = memx_level_canonical(own[i], layers);
        found = found || memx_level_compare(shown, b->levels[level]) == 0;
        none = none || memx_level_compare(shown, beside) == 0;
    }
    if (!found || b->levels[level].kind != MEMX_SELECTIVE || !none) return found;
    int32_t at = 0;
    while (memx_level_compare(b->levels[at], beside) != 0) at++;
    int64_t selective = option_at(b, k, stage, layers, level)->peak_kib;
    return 100 * selective <= 97 * option_at(b, k, stage, layers, at)->peak_kib;
}

static bool fits(const brute *b, const brute_skeleton *k, int64_t stage, int64_t layers,
                 int32_t level) {
    return b->space->ignore_memory || option_at(b, k, stage, layers, level)->short_kib == 0;
}

bool brute_fits(const brute *b, const brute_skeleton *k, int64_t stage, int64_t layers,
                int32_t level) {
    return offered(b, k, stage, layers, level) &&
           option_at(b, k, stage, layers, level)->short_kib == 0;
}

/* Scope `plan`: the fastest level that fits; where none does, the smallest. Ties to the first. */
static int32_t planned(const brute *b, const brute_skeleton *k, int64_t stage, int64_t layers) {
    int32_t fastest = -1, smallest = -1;
    for (int32_t r = 0; r < b->level_count; r++) {
        const memx_option *o = option_at(b, k, stage, layers, r);
        if (!offered(b, k, stage, layers, r)) continue;
        if (smallest < 0 || o->peak_kib < option_at(b, k, stage, layers, smallest)->peak_kib) {
            smallest = r;
        }
        if (o->short_kib > 0) continue;
        if (fastest < 0 || o->time_ns < option_at(b, k, stage, layers, fastest)->time_ns) {
            fastest = r;
        }
    }
    return fastest >= 0 ? fastest : smallest;
}

/* ---- choices of a skeleton ---- */

/* Takes a choice: its levels must be offered; it is feasible when all of it fits. */
static void take(brute *b, brute_skeleton *k, const brute_choice *choice) {
    bool feasible = true;
    for (int64_t s = 0; s < k->base.knobs.pp; s++) {
        if (!offered(b, k, s, choice->layers[s], choice->levels[s])) return;
        feasible = feasible && fits(b, k, s, choice->layers[s], choice->levels[s]);
    }
    k->all++;
    b->all++;
    b->too_large = b->too_large || b->all > b->limit;
    if (!feasible || b->too_large) return;
    if (b->count == b->capacity) {
        b->capacity = b->capacity ? 2 * b->capacity : 1024;
        b->choices = realloc(b->choices, b->capacity * sizeof *b->choices);
        assert_non_null(b->choices);
    }
    b->choices[b->count++] = *choice;
}

/* Which stages show the same level: those with the same number. */
static void find_groups(const brute *b, const brute_skeleton *k, uint8_t *group) {
    int32_t kinds[BRUTE_STAGES] = {0};
    for (int64_t s = 0; s < k->base.knobs.pp; s++) {
        for (int32_t i = 0; i < b->job->node_count; i++) {
            if (k->base.gpus[s][i]) kinds[s] |= 1 << b->job->nodes[i].device;
        }
        group[s] = (uint8_t)s;
        for (int64_t q = s; q-- > 0;) {
            bool same = b->space->recompute_scope == MEMX_SCOPE_GLOBAL ||
                        (b->space->recompute_scope == MEMX_SCOPE_DEVICE && kinds[q] == kinds[s]);
            if (same) group[s] = group[q];
        }
    }
}

/* Every split, for those before stage s fixed; calls each() with it. */
typedef void (*split_each)(brute *b, brute_skeleton *k, const uint8_t *group, brute_choice *choice);

static void every_split(brute *b, brute_skeleton *k, const uint8_t *group, brute_choice *choice,
                        int64_t s, int64_t left, split_each each) {
    int64_t after = k->base.knobs.pp - s - 1;
    if (b->too_large) return;
    if (after == 0) {
        choice->layers[s] = (int8_t)left;
        each(b, k, group, choice);
        return;
    }
    for (int64_t l = 1; l + after <= left; l++) {
        choice->layers[s] = (int8_t)l;
        every_split(b, k, group, choice, s + 1, left - l, each);
    }
}

static void take_planned(brute *b, brute_skeleton *k, brute_choice *choice) {
    for (int64_t s = 0; s < k->base.knobs.pp; s++) {
        choice->levels[s] = (int8_t)planned(b, k, s, choice->layers[s]);
        if (choice->levels[s] < 0) return;
    }
    take(b, k, choice);
}

static void every_level(brute *b, brute_skeleton *k, const uint8_t *group, brute_choice *choice,
                        int64_t s) {
    if (b->too_large) return;
    if (b->space->recompute_scope == MEMX_SCOPE_PLAN) {
        take_planned(b, k, choice);
        return;
    }
    if (s == k->base.knobs.pp) {
        take(b, k, choice);
        return;
    }
    for (int32_t r = 0; r < b->level_count; r++) {
        if (group[s] < s && choice->levels[group[s]] != r) continue;
        choice->levels[s] = (int8_t)r;
        every_level(b, k, group, choice, s + 1);
    }
}

static void levels_of_split(brute *b, brute_skeleton *k, const uint8_t *group,
                            brute_choice *choice) {
    every_level(b, k, group, choice, 0);
}

/* A rule's split: shares by weight, largest remainders first, at least one layer each. */
static void split_by_weight(const brute *b, const brute_skeleton *k, int64_t *out) {
    int64_t pp = k->base.knobs.pp, layers = split_layers(b, k), given = 0;
    double weights[BRUTE_STAGES], sum = 0.0;
    for (int64_t s = 0; s < pp; s++) {
        weights[s] = 1e300;
        for (int32_t i = 0; i < b->job->node_count; i++) {
            const memx_device *d = &b->job->devices[b->job->nodes[i].device];
            if (k->base.gpus[s][i] == 0) continue;
            double weight = 1.0;
            if (b->space->layer_split == MEMX_SPLIT_COMPUTE)
                weight = d->peak_tflops * d->efficiency;
            if (b->space->layer_split == MEMX_SPLIT_MEMORY) weight = d->memory_mib;
            if (weight < weights[s]) weights[s] = weight;
        }
        sum += weights[s];
    }
    for (int64_t s = 0; s < pp; s++) {
        out[s] = (int64_t)((double)layers * weights[s] / sum);
        if (out[s] < 1) out[s] = 1;
        given += out[s];
    }
    while (given != layers) {
        int64_t step = given < layers ? 1 : -1, best = -1;
        double most = 0.0;
        for (int64_t s = 0; s < pp; s++) {
            double off = (double)step * ((double)layers * weights[s] / sum - (double)out[s]);
            if (step < 0 && out[s] == 1) continue;
            if (best < 0 || off > most + 1e-9) {
                most = off;
                best = s;
            }
        }
        out[best] += step;
        given += step;
    }
    while (out[0] < layout_least(b->job, 0)) {
        int64_t most = pp - 1;
        for (int64_t s = pp - 1; s > 0; s--) most = out[s] > out[most] ? s : most;
        out[most]--;
        out[0]++;
    }
}

/* What a stage costs with so many layers: at its level, or NULL for the planned ones. */
static const memx_option *cost_at(const brute *b, const brute_skeleton *k, const int8_t *levels,
                                  int64_t stage, int64_t layers) {
    return option_at(b, k, stage, layers, levels ? levels[stage] : planned(b, k, stage, layers));
}

/* Layers one by one to the stage that is then fastest; within memory when that comes to an end and
** the space does not ignore it. */
static void split_by_time(const brute *b, const brute_skeleton *k, const int8_t *levels,
                          int64_t *out) {
    int64_t pp = k->base.knobs.pp, layers = split_layers(b, k);
    for (int within = !b->space->ignore_memory; within >= 0; within--) {
        int64_t given = pp - 1 + layout_least(b->job, 0);
        bool stuck = false;
        for (int64_t s = 0; s < pp; s++) {
            out[s] = s == 0 ? layout_least(b->job, 0) : 1;
            stuck = stuck || (within && cost_at(b, k, levels, s, out[s])->short_kib > 0);
        }
        for (; given < layers && !stuck; given++) {
            int64_t best = -1;
            for (int64_t s = 0; s < pp; s++) {
                if (out[s] == k->most) continue;
                const memx_option *o = cost_at(b, k, levels, s, out[s] + 1);
                if (within && o->short_kib > 0) continue;
                if (best < 0 || o->time_ns < cost_at(b, k, levels, best, out[best] + 1)->time_ns) {
                    best = s;
                }
            }
            stuck = best < 0;
            if (!stuck) out[best]++;
        }
        if (!stuck) return;
    }
    fail_with("no split by time");
}

/* Whether a split is the rule's, or has up to layer_skew layers moved between two neighbours. */
static bool near_split(const brute *b, const brute_choice *choice, const int64_t *split,
                       int64_t pp) {
    int64_t first = -1, last = -1;
    for (int64_t s = 0; s < pp; s++) {
        if (choice->layers[s] == split[s]) continue;
        if (first < 0) first = s;
        last = s;
    }
    if (first < 0) return true;
    int64_t moved = choice->layers[first] - split[first];
    if (moved < 0) moved = -moved;
    return last == first + 1 && moved <= b->space->layer_skew;
}

static void levels_of_rule(brute *b, brute_skeleton *k, const uint8_t *group,
                           brute_choice *choice) {
    int64_t split[BRUTE_STAGES];
    split_by_weight(b, k, split);
    if (near_split(b, choice, split, k->base.knobs.pp)) every_level(b, k, group, choice, 0);
}

/* Under the rule `time` the split comes from the levels: all neighbours of it, for every
** assignment. */
static void take_listed(brute *b, brute_skeleton *k, brute_choice *choice) {
    take(b, k, choice);
}

static void rows_of_levels(brute *b, brute_skeleton *k, const uint8_t *group, brute_choice *choice,
                           int64_t s) {
    int64_t pp = k->base.knobs.pp, split[BRUTE_STAGES];
    if (b->too_large) return;
    if (s < pp && b->space->recompute_scope != MEMX_SCOPE_PLAN) {
        for (int32_t r = 0; r < b->level_count; r++) {
            if (group[s] < s && choice->levels[group[s]] != r) continue;
            choice->levels[s] = (int8_t)r;
            rows_of_levels(b, k, group, choice, s + 1);
        }
        return;
    }
    bool plan = b->space->recompute_scope == MEMX_SCOPE_PLAN;
    void (*each)(brute *, brute_skeleton *, brute_choice *) = plan ? take_planned : take_listed;
    split_by_time(b, k, plan ? NULL : choice->levels, split);
    for (int64_t q = 0; q < pp; q++) choice->layers[q] = (int8_t)split[q];
    each(b, k, choice);
    for (int64_t q = 0; q + 1 < pp; q++) {
        for (int64_t n = -b->space->layer_skew; n <= b->space->layer_skew; n++) {
            if (n == 0 || split[q] + n < 1 || split[q + 1] - n < 1) continue;
            choice->layers[q] = (int8_t)(split[q] + n);
            choice->layers[q + 1] = (int8_t)(split[q + 1] - n);
            each(b, k, choice);
            choice->layers[q] = (int8_t)split[q];
            choice->layers[q + 1] = (int8_t)split[q + 1];
        }
    }
}

int brute_compare(const void *left, const void *right) {
    const brute_choice *a = left, *b = right;
    for (int s = 0; s < BRUTE_STAGES; s++) {
        if (a->layers[s] != b->layers[s]) return a->layers[s] < b->layers[s] ? -1 : 1;
        if (a->levels[s] != b->levels[s]) return a->levels[s] < b->levels[s] ? -1 : 1;
    }
    return 0;
}

static void add_choices(brute *b, brute_skeleton *k) {
    brute_choice choice = {{0}, {0}};
    uint8_t group[BRUTE_STAGES];
    int32_t groups = 0;
    int64_t assignments = 1;
    price(b, k);
    find_groups(b, k, group);
    k->begin = b->count;
    switch (b->space->layer_split) {
    case MEMX_SPLIT_FREE:
        every_split(b, k, group, &choice, 0, split_layers(b, k), levels_of_split);
        break;
    case MEMX_SPLIT_UNIFORM:
    case MEMX_SPLIT_COMPUTE:
    case MEMX_SPLIT_MEMORY:
        every_split(b, k, group, &choice, 0, split_layers(b, k), levels_of_rule);
        break;
    case MEMX_SPLIT_TIME:
        for (int64_t s = 0; s < k->base.knobs.pp; s++) groups += group[s] == s;
        if (b->space->recompute_scope == MEMX_SCOPE_PLAN) groups = 0;
        for (; groups > 0 && assignments <= MOST_ASSIGNMENTS; groups--)
            assignments *= b->level_count;
        b->too_large = b->too_large || assignments > MOST_ASSIGNMENTS;
        rows_of_levels(b, k, group, &choice, 0);
        break;
    }
    k->end = b->count;
    if (k->end == k->begin) return;
    qsort(b->choices + k->begin, k->end - k->begin, sizeof *b->choices, brute_compare);
}

/* ---- skeletons ---- */

static bool spans(const brute *b, const int32_t *gpus) {
    int32_t like = -1;
    for (int32_t i = 0; i < b->job->node_count; i++) {
        int32_t device = b->job->nodes[i].device;
        if (gpus[i] == 0) continue;
        if (like < 0) like = device;
        if (device == like || b->space->stage_devices == MEMX_SPAN_ANY) continue;
        if (b->space->stage_devices == MEMX_SPAN_ONE) return false;
        if (strcmp(b->job->devices[device].vendor, b->job->devices[like].vendor) != 0) return false;
    }
    return true;
}

/* The GPUs of every stage as the configuration's text has them: equal nodes are one choice, and
** have the names that reading gives them (tests/property/placement_test.c). */
static void rename_nodes(const brute *b, layout *l) {
    static char text[LAYOUT_TEXT];
    memx_config config;
    memx_error error = {.text = ""};
    layout one = *l;
    for (int64_t s = 0; s < l->knobs.pp; s++) {
        one.layers[s] = s > 0 ? 1 : b->job->model.layers / l->knobs.vp - l->knobs.pp + 1;
        one.levels[s] = (memx_level){MEMX_FULL, 0, 0};
    }
    layout_text(b->job, &one, text);
    assert_ok(memx_config_parse(b->job, text, &config, &error), &error);
    memset(l->gpus, 0, sizeof l->gpus);
    for (int64_t s = 0; s < l->knobs.pp; s++) {
        for (int32_t r = config.placement.first[s]; r < config.placement.first[s + 1]; r++) {
            l->gpus[s][config.placement.runs[r].node] = config.placement.runs[r].gpus;
        }
    }
    memx_config_free(&config);
}

/* Stages take the next GPUs in the order of nodes. */
static void add_order(brute *b, const memx_knobs *knobs, const int32_t *order, size_t begin) {
    brute_skeleton *k = allocate(1, sizeof *k);
    int32_t at = 0, used = 0;
    k->base.knobs = *knobs;
    for (int64_t s = 0; s < knobs->pp; s++) {
        for (int64_t gpu = 0; gpu < memx_knobs_stage_gpus(knobs); gpu++) {
            if (used == b->job->nodes[order[at]].gpus) {
                at++;
                used = 0;
            }
            k->base.gpus[s][order[at]]++;
            used++;
        }
    }
    bool good = true;
    for (int64_t s = 0; s < knobs->pp; s++) good = good && spans(b, k->base.gpus[s]);
    if (good && b->space->device_order == MEMX_ORDER_NODES) rename_nodes(b, &k->base);
    for (size_t i = begin; i < b->skeleton_count; i++) {
        good = good && memcmp(b->skeletons[i]->base.gpus, k->base.gpus, sizeof k->base.gpus) != 0;
    }
    if (!good || b->too_large) {
        free(k);
        return;
    }
    if (b->skeleton_count == b->skeleton_capacity) {
        b->skeleton_capacity = b->skeleton_capacity ? 2 * b->skeleton_capacity : 64;
        b->skeletons = realloc(b->skeletons, b->skeleton_capacity * sizeof(brute_skeleton *));
        assert_non_null(b->skeletons);
    }
    b->skeletons[b->skeleton_count++] = k;
    add_choices(b, k);
}

/* Every order of the types from the n-th on; nodes of a type by ordinal. */
static void every_order(brute *b, const memx_knobs *knobs, int32_t *types, int32_t n,
                        size_t begin) {
    int32_t order[TEST_NODES] = {0}, nodes = 0;
    if (n == b->job->device_count) {
        for (int32_t t = 0; t < n; t++) {
            for (int32_t i = 0; i < b->job->node_count; i++) {
                if (b->job->nodes[i].device == types[t]) order[nodes++] = i;
            }
        }
        add_order(b, knobs, order, begin);
        return;
    }
    for (int32_t d = 0; d < b->job->device_count; d++) {
        bool used = false;
        for (int32_t t = 0; t < n; t++) used = used || types[t] == d;
        if (used) continue;
        types[n] = d;
        every_order(b, knobs, types, n + 1, begin);
    }
}

static bool equal_nodes(const memx_node *a, const memx_node *b) {
    return a->device == b->device && a->gpus == b->gpus && a->link_gbs == b->link_gbs &&
           a->inter_gbs == b->inter_gbs && a->host_memory_mib == b->host_memory_mib &&
           a->host_memory_gbs == b->host_memory_gbs;
}

/* Every distinct order of the nodes from the n-th on: of equal ones the first comes first. */
static void every_node_order(brute *b, const memx_knobs *knobs, int32_t *order, int32_t n,
                             size_t begin) {
    if (n == b->job->node_count) {
        add_order(b, knobs, order, begin);
        return;
    }
    for (int32_t first = 0; first < b->job->node_count; first++) {
        int32_t pick = -1;
        bool class = true; /* `first` is the first of its kind */
        for (int32_t i = 0; i < first; i++) {
            class = class && !equal_nodes(&b->job->nodes[i], &b->job->nodes[first]);
        }
        for (int32_t i = first; i < b->job->node_count && class && pick < 0; i++) {
            bool used = !equal_nodes(&b->job->nodes[i], &b->job->nodes[first]);
            for (int32_t t = 0; t < n; t++) used = used || order[t] == i;
            if (!used) pick = i;
        }
        if (pick < 0) continue;
        order[n] = pick;
        every_node_order(b, knobs, order, n + 1, begin);
    }
}

static void add_knobs(brute *b, const memx_knobs *knobs) {
    int32_t items[TEST_NODES + TEST_DEVICES];
    if (b->space->device_order == MEMX_ORDER_NODES) {
        every_node_order(b, knobs, items, 0, b->skeleton_count);
        return;
    }
    if (b->space->device_order == MEMX_ORDER_TYPES) {
        every_order(b, knobs, items, 0, b->skeleton_count);
        return;
    }
    for (int32_t i = 0; i < b->job->node_count; i++) items[i] = i;
    add_order(b, knobs, items, b->skeleton_count);
}

/* Whether degrees and task can run at all. */
static bool runs(const memx_job *job, const memx_knobs *k) {
    int64_t width = job->model.heads * job->model.head_dim;
    for (int32_t i = 0; i < job->node_count; i++) {
        if (job->nodes[i].gpus % k->tp != 0) return false;
    }
    if (k->pp - 1 + layout_least(job, 0) > job->model.layers / k->vp) return false;
    if (k->vp > 1 && (k->pp == 1 || job->model.layers % k->vp != 0 ||
                      job->global_batch / (k->dp * k->micro_batch) % k->pp != 0)) {
        return false;
    }
    if (k->cp > 1 && k->seq_length % (2 * k->cp) != 0) return false;
    return k->tp * k->cp * k->pp * k->dp == job->gpus && k->heads % k->tp == 0 &&
           k->kv_groups % k->tp == 0 && width % k->heads == 0 && k->heads % k->kv_groups == 0 &&
           (job->model.kv_lora_rank == 0 ||
            (k->heads == job->model.heads && k->kv_groups == k->heads)) &&
           job->global_batch % (k->dp * k->micro_batch) == 0;
}

static void add_flags(brute *b, memx_knobs k) {
    const memx_framework *f = &b->job->framework;
    for (int flags = 0; flags < 8; flags++) {
        k.sequence_parallel = flags >> 2;
        k.distributed_optimizer = flags & 3;
        if (flag_allowed(b, MEMX_AXIS_SEQUENCE_PARALLEL, f->sequence_parallel, k.tp,
                         k.sequence_parallel) &&
            flag_allowed(b, MEMX_AXIS_DISTRIBUTED_OPTIMIZER, f->distributed_optimizer, k.dp * k.cp,
                         k.distributed_optimizer)) {
            add_knobs(b, &k);
        }
    }
}

static void add_chunks(brute *b, memx_knobs k) {
    bool listed = b->space->axes[MEMX_AXIS_VP].count > 0;
    if (k.pp == 1) { /* nothing to interleave */
        add_flags(b, k);
        return;
    }
    for (k.vp = 1; k.vp <= (listed ? b->job->model.layers : 1); k.vp++) {
        if (allowed(b, MEMX_AXIS_VP, k.vp) && runs(b->job, &k)) add_flags(b, k);
    }
}

static void add_tasks(brute *b, memx_knobs k) {
    int64_t experts = b->job->model.experts;
    int64_t seqs[64], heads[64], groups[64];
    int32_t seq_count = task_values(b, MEMX_AXIS_SEQ_LENGTH, b->job->model.seq_length, seqs);
    int32_t head_count = task_values(b, MEMX_AXIS_HEADS, b->job->model.heads, heads);
    int32_t group_count = task_values(b, MEMX_AXIS_KV_GROUPS, b->job->model.kv_groups, groups);
    for (int32_t i = 0; i < seq_count; i++) {
        for (int32_t j = 0; j < head_count; j++) {
            for (int32_t g = 0; g < group_count; g++) {
                k.seq_length = seqs[i];
                k.heads = heads[j];
                k.kv_groups = groups[g];
                if (!runs(b->job, &k)) continue;
                for (k.ep = 1; k.ep <= k.dp * k.cp; k.ep++) {
                    bool divides = k.dp * k.cp % k.ep == 0 && experts % k.ep == 0;
                    if (k.ep > 1 && (experts == 0 || !divides)) continue;
                    if (allowed(b, MEMX_AXIS_EP, k.ep)) add_chunks(b, k);
                }
            }
        }
    }
}

void brute_open(const memx_job *job, const memx_space *space, int64_t limit, brute *out) {
    *out = (brute){.job = job, .space = space, .limit = limit};
    find_levels(out);
    for (int64_t tp = 1; tp <= job->gpus; tp++) {
        for (int64_t pp = 1; tp * pp <= job->gpus; pp++) {
            for (int64_t cp = 1; tp * pp * cp <= job->gpus; cp++) {
                memx_knobs k = {
                    .tp = tp, .pp = pp, .cp = cp, .dp = job->gpus / tp / pp / cp, .vp = 1};
                bool listed = space->axes[MEMX_AXIS_CP].count > 0;
                if (!allowed(out, MEMX_AXIS_TP, tp) || !allowed(out, MEMX_AXIS_PP, pp) ||
                    !allowed(out, MEMX_AXIS_DP, k.dp) || !allowed(out, MEMX_AXIS_CP, cp) ||
                    (cp > 1 && !listed)) {
                    continue;
                }
                for (k.micro_batch = 1; k.micro_batch <= job->global_batch; k.micro_batch++) {
                    if (allowed(out, MEMX_AXIS_MICRO_BATCH, k.micro_batch)) add_tasks(out, k);
                }
            }
        }
    }
}

void brute_close(brute *b) {
    for (size_t i = 0; i < b->skeleton_count; i++) {
        memx_plan_free(&b->skeletons[i]->plan);
        memx_config_free(&b->skeletons[i]->config);
        free(b->skeletons[i]->options);
        free(b->skeletons[i]);
    }
    free(b->skeletons);
    free(b->choices);
    *b = (brute){.job = NULL};
}

/* ---- reading it ---- */

void brute_options(const brute *b, const brute_skeleton *k, const brute_choice *choice,
                   const memx_option **out) {
    for (int64_t s = 0; s < k->base.knobs.pp; s++) {
        out[s] = option_at(b, k, s, choice->layers[s], choice->levels[s]);
    }
}

void brute_layout(const brute *b, const brute_skeleton *k, const brute_choice *choice,
                  layout *out) {
    *out = k->base;
    for (int64_t s = 0; s < k->base.knobs.pp; s++) {
        out->layers[s] = choice->layers[s];
        out->levels[s] = b->levels[choice->levels[s]];
    }
}

static bool same_knobs(const memx_knobs *a, const memx_knobs *b) {
    return a->tp == b->tp && a->pp == b->pp && a->dp == b->dp && a->micro_batch == b->micro_batch &&
           a->seq_length == b->seq_length && a->heads == b->heads && a->kv_groups == b->kv_groups &&
           a->cp == b->cp && a->ep == b->ep && a->vp == b->vp &&
           a->sequence_parallel == b->sequence_parallel &&
           a->distributed_optimizer == b->distributed_optimizer;
}

int64_t brute_find(const brute *b, const layout *l) {
    brute_choice wanted = {{0}, {0}};
    if (l->knobs.pp > BRUTE_STAGES) return -1;
    for (int64_t s = 0; s < l->knobs.pp && s < BRUTE_STAGES; s++) {
        int32_t r = 0;
        while (r < b->level_count && memx_level_compare(b->levels[r], l->levels[s]) != 0) r++;
        wanted.layers[s] = (int8_t)l->layers[s];
        wanted.levels[s] = (int8_t)r;
    }
    for (size_t i = 0; i < b->skeleton_count; i++) {
        const brute_skeleton *k = b->skeletons[i];
        if (!same_knobs(&k->base.knobs, &l->knobs) ||
            memcmp(k->base.gpus, l->gpus, sizeof l->gpus) != 0) {
            continue;
        }
        for (size_t c = k->begin; c < k->end; c++) {
            if (brute_compare(&b->choices[c], &wanted) == 0) return (int64_t)c;
        }
    }
    return -1;
}
