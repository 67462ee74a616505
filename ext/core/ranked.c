#include "core/ranked.h"

#include "core/dive.h"
#include "core/heap.h"
#include "core/pareto.h"
#include "core/whole.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST_ROWS = 16, GROWTH = 8, OPEN_SKELETONS = 16 };
/* Bytes that the rows of one pass may take. */
static const size_t MOST_ROW_BYTES = (size_t)64 << 20;
/* Items that a dive may look at before its box is cut, and as many again for each row it wants. */
static const int64_t DIVE_ITEMS = 20000;
/* A pass that has looked at so many items tries listing instead, up to so many configurations: bounds
** say little where many rows tie, or where a lower bound leaves few of many. */
static const int64_t PATIENCE_ITEMS = 20000000, MOST_LISTED = 4000000;
/* Under a rule for the layers there are most often fewer than this: they are listed at once. */
static const int64_t FEW_LISTED = 1000000;

/* A box to be searched: of a piece of a skeleton, of a group of skeletons, or what of these was not opened
** yet. */
typedef struct task {
    double score;            /* no row of it has less */
    int32_t skeleton, count; /* the first of them, and how many */
    bool opened;
    size_t piece;
    double patience; /* grows from box to part, so that every search comes to an end */
    memx_box box;
} task;

typedef struct heap {
    task *items;
    size_t count, capacity;
} heap;

typedef struct opened {
    int32_t skeleton;
    memx_choices *choices;
} opened;

struct memx_ranked {
    memx_search *search;
    const memx_extent *extent;
    memx_aim aim;
    const memx_poll *poll;
    memx_best best;
    memx_dive dive;
    heap tasks;
    memx_graph *groups; /* by their first skeleton, once they are known */
    bool grouped;       /* whether the space's stages choose freely */
    memx_graph chain;   /* of the loaded skeleton */
    memx_graph *loaded_group;
    memx_region region; /* of what is loaded: `count` skeletons, 0 where none are */
    int32_t loaded, loaded_count;
    size_t loaded_piece;
    double *scores; /* least of each skeleton in one piece, and group, once known; else NAN */
    opened open[OPEN_SKELETONS];
    size_t k, at; /* rows of this pass, and the next to give out */
    int64_t dive_items, patience_items;
    bool last_pass;
    memx_extent everything;        /* of a front: where what beats a row may be */
    const memx_extent *shown;      /* of a front: where its rows may be */
    bool listable, unlistable;     /* all is known to be, or not to be, few enough to list */
    const memx_skeleton *skeleton; /* of the current row */
    const memx_choices *choices;
    double value;
    memx_ranked_work work;
};

/* ---- tasks ---- */

/* The more promising first; among equals in the order of enumeration. */
static bool before(const task *a, const task *b) {
    if (a->score != b->score) return a->score < b->score;
    if (a->skeleton != b->skeleton) return a->skeleton < b->skeleton;
    return a->piece < b->piece;
}

MEMX_HEAP(tasks, task, before)

static memx_status push(heap *h, const task *new) {
    if (h->count == h->capacity) {
        size_t capacity = h->capacity ? 2 * h->capacity : 256;
        task *items = realloc(h->items, capacity * sizeof *items);
        if (!items) return MEMX_NOMEM;
        h->items = items;
        h->capacity = capacity;
    }
    h->items[h->count] = *new;
    tasks_rise(h->items, h->count++);
    return MEMX_OK;
}

static task pop(heap *h) {
    const task top = h->items[0];
    h->items[0] = h->items[--h->count];
    tasks_sink(h->items, h->count, 0);
    return top;
}

/* ---- opening ---- */

static memx_skeleton *skeleton_of(const memx_ranked *r, int32_t number) {
    return &r->search->skeletons.items[number];
}

static void unload(memx_ranked *r) {
    memx_graph_free(&r->chain);
    if (r->loaded_group) memx_graph_unload(r->loaded_group);
    r->loaded_group = NULL;
    r->loaded_count = 0;
}

/* The choices of a skeleton; some stay open. */
static memx_status open_choices(memx_ranked *r, int32_t number, memx_choices **out,
                                memx_error *error) {
    opened *slot = &r->open[number % OPEN_SKELETONS];
    if (!slot->choices || slot->skeleton != number) {
        if (slot->choices && r->loaded_count == 1 && slot->skeleton == r->loaded) unload(r);
        memx_choices_close(slot->choices);
        slot->choices = NULL;
        memx_status status = memx_choices_open(&r->search->setting, skeleton_of(r, number), r->poll,
                                               &slot->choices, error);
        if (status) return status;
        slot->skeleton = number;
    }
    *out = slot->choices;
    return MEMX_OK;
}

static memx_status load_chain(memx_ranked *r, const task *t, memx_error *error) {
    memx_choices *choices = NULL;
    size_t pieces = 0;
    memx_status status = open_choices(r, t->skeleton, &choices, error);
    if (!status) status = memx_choices_pieces(choices, &pieces);
    if (status) return status;
    memx_choices_take_piece(choices, t->piece);
    return memx_graph_chain(choices, &r->chain);
}

static memx_status load_group(memx_ranked *r, const task *t, memx_error *error) {
    memx_graph *group = &r->groups[t->skeleton];
    memx_setting *setting = &r->search->setting;
    const memx_skeleton *first = skeleton_of(r, t->skeleton);
    memx_status status = MEMX_OK;
    if (group->vertex_count == 0) {
        status = memx_graph_group(setting, first, t->count, r->poll, group, error);
    }
    if (!status) status = memx_graph_load(setting, first, group, r->poll, error);
    if (!status) r->loaded_group = group;
    return status;
}

static memx_status load_region(memx_ranked *r, const task *t, memx_error *error) {
    if (r->loaded == t->skeleton && r->loaded_count == t->count && r->loaded_piece == t->piece) {
        return MEMX_OK;
    }
    unload(r);
    memx_status status = t->count > 1 ? load_group(r, t, error) : load_chain(r, t, error);
    if (!status) {
        status = memx_region_load(&r->region, t->count > 1 ? r->loaded_group : &r->chain,
                                  r->aim.limits.headroom.least);
    }
    if (status) {
        unload(r);
        return status;
    }
    memx_dive_enter(&r->dive, &r->region.graph->plan);
    r->loaded = t->skeleton;
    r->loaded_count = t->count;
    r->loaded_piece = t->piece;
    return MEMX_OK;
}

/* Whether nothing of this score can be among the rows that are wanted. */
static bool hopeless(const memx_ranked *r, double score) {
    return score == INFINITY || score > memx_dive_most_score(&r->dive);
}

/* Makes tasks of a box's slices, its tables being filled. */
static memx_status push_slices(memx_ranked *r, const task *t) {
    memx_range s1[MEMX_SLICES];
    double deviation[MEMX_SLICES];
    memx_status status = memx_region_slices(&r->region, &t->box, s1, deviation);
    for (int k = 0; k < MEMX_SLICES && !status; k++) {
        task slice = *t;
        if (!(deviation[k] < INFINITY)) continue;
        slice.box.s1 = s1[k];
        slice.score = fmax(t->score, memx_dive_least_score(&r->dive, &r->region, deviation[k]));
        if (!hopeless(r, slice.score)) status = push(&r->tasks, &slice);
    }
    return status;
}

/* Loads what a task is about, and finds its box and least score: INFINITY where it is empty. */
static memx_status score_whole(memx_ranked *r, task *t, memx_error *error) {
    t->score = INFINITY;
    memx_status status = load_region(r, t, error);
    if (status || !memx_region_whole(&r->region, &t->box) ||
        !memx_region_fill(&r->region, &t->box)) {
        return status;
    }
    t->box = memx_region_shrink(&r->region);
    t->score = memx_dive_least_score(&r->dive, &r->region, 0.0);
    return MEMX_OK;
}

static memx_status push_whole(memx_ranked *r, const task *t) {
    if (hopeless(r, t->score)) return MEMX_OK;
    bool spread = r->dive.weights.variance > 0.0 || r->dive.most_phi < INFINITY;
    return spread ? push_slices(r, t) : push(&r->tasks, t);
}

static memx_status offer_listed(memx_ranked *r, int32_t skeleton, memx_choices *choices) {
    memx_status status = memx_choices_first(choices);
    while (!status) {
        status = memx_dive_offer(&r->dive, choices, skeleton);
        if (!status) status = memx_choices_next(choices);
    }
    return status == MEMX_DONE ? MEMX_OK : status;
}

/* How many skeletons from this one on have its knobs, and are whole in the extent. */
static int32_t group_size(const memx_ranked *r, int32_t first) {
    int32_t end = first + 1;
    if (!r->grouped || !memx_extent_whole(r->extent, first)) return 1;
    while (end < (int32_t)r->search->skeletons.count && memx_extent_whole(r->extent, end) &&
           memx_knobs_equal(&skeleton_of(r, first)->knobs, &skeleton_of(r, end)->knobs)) {
        end++;
    }
    return end - first;
}

/* A skeleton's pieces become tasks; where its configurations are listed they are looked at. */
static memx_status open_skeleton(memx_ranked *r, int32_t number, memx_error *error) {
    memx_choices *choices = NULL;
    size_t pieces = 0;
    r->work.skeletons++;
    memx_status status = open_choices(r, number, &choices, error);
    if (status) return status;
    if (memx_choices_listed(choices)) return offer_listed(r, number, choices);
    status = memx_choices_pieces(choices, &pieces);
    for (size_t piece = 0; piece < pieces && !status; piece++) {
        task t = {.skeleton = number, .count = 1, .opened = true, .piece = piece, .patience = 1.0};
        if (memx_poll_stop(r->poll)) return MEMX_INTERRUPTED;
        status = score_whole(r, &t, error);
        if (!status) status = push_whole(r, &t);
        if (pieces == 1 && group_size(r, number) == 1) r->scores[number] = t.score;
    }
    return status;
}

/* Ties of one measure go by skeleton first, which only single skeletons can be searched by. */
static memx_status open_group(memx_ranked *r, const task *t, memx_error *error) {
    task all = *t;
    r->work.skeletons += t->count;
    all.opened = true;
    all.patience = 1.0;
    memx_status status = score_whole(r, &all, error);
    if (status) return status;
    r->scores[t->skeleton] = all.score;
    if (!r->dive.single) return push_whole(r, &all);
    if (hopeless(r, all.score)) return MEMX_OK;
    for (int32_t i = 0; i < t->count && !status; i++) {
        const task one = {.score = all.score, .skeleton = t->skeleton + i, .count = 1};
        status = push(&r->tasks, &one);
    }
    return status;
}

/* ---- cutting ---- */

enum { RANGE_SLOT, RANGE_PEAK, RANGE_S1, RANGE_TAIL, RANGES };

static memx_range *range_of(memx_box *box, int which) {
    switch (which) {
    case RANGE_SLOT: return &box->slot_ns;
    case RANGE_PEAK: return &box->peak_kib;
    case RANGE_TAIL: return &box->tail_ns;
    default: return &box->s1;
    }
}

/* How much the score can differ between the ends of each range, other things equal. */
static void spans(const memx_ranked *r, const task *t, double out[RANGES]) {
    const memx_region *region = &r->region;
    const memx_dive *d = &r->dive;
    const memx_weights *w = &d->weights;
    /* A measure that is only limited counts a little. */
    const memx_weights *phi = &d->aim->weights;
    double limited = d->most_phi < INFINITY ? 0.5 : 0.0;
    double of_time = w->time > 0.0 ? w->time : d->most_ns < INT64_MAX ? 0.1 : limited * phi->time;
    double of_peak = w->peak > 0.0 ? w->peak : d->most_kib < INT64_MAX ? 0.1 : limited * phi->peak;
    double of_variance = w->variance > 0.0              ? w->variance
                         : d->most_deviation < INFINITY ? 0.1
                                                        : limited * phi->variance;
    const memx_rest *rest = memx_region_all(region);
    int64_t rest_ns = rest->time_ns + rest->tail_ns + region->fixed_ns;
    int64_t least_ns = memx_plan_iteration_ns(&region->graph->plan, t->box.slot_ns.least, rest_ns);
    int64_t most_ns = memx_plan_iteration_ns(&region->graph->plan, t->box.slot_ns.most, rest_ns);
    double half = (region->mean_most - region->mean_least) / 2.0, gpus = (double)region->gpus;
    double least = rest->deviation, most = least + gpus * half * half;
    const memx_weights time = {of_time, 0.0, 0.0, 1.0}, peak = {0.0, of_peak, 0.0, 1.0};
    const memx_weights variance = {0.0, 0.0, of_variance, w->epsilon};
    int64_t tail_ns = t->box.tail_ns.most - t->box.tail_ns.least;
    out[RANGE_TAIL] = memx_aim_score(&time, least_ns + tail_ns, 1, 0.0, 1) -
                      memx_aim_score(&time, least_ns, 1, 0.0, 1);
    out[RANGE_SLOT] =
        memx_aim_score(&time, most_ns, 1, 0.0, 1) - memx_aim_score(&time, least_ns, 1, 0.0, 1);
    out[RANGE_PEAK] = memx_aim_score(&peak, 1, t->box.peak_kib.most, 0.0, 1) -
                      memx_aim_score(&peak, 1, t->box.peak_kib.least, 0.0, 1);
    out[RANGE_S1] = memx_aim_score(&variance, 1, 1, most, region->gpus) -
                    memx_aim_score(&variance, 1, 1, least, region->gpus);
}

static memx_status push_half(memx_ranked *r, const task *t) {
    task half = *t;
    if (!memx_region_fill(&r->region, &t->box)) return MEMX_OK;
    half.score = fmax(t->score, memx_dive_least_score(&r->dive, &r->region, 0.0));
    return hopeless(r, half.score) ? MEMX_OK : push(&r->tasks, &half);
}

/* Cuts a box along the range that leaves most open and pushes the parts. *whole where it is a single
** point. */
static memx_status cut(memx_ranked *r, const task *t, bool *whole) {
    double span[RANGES];
    int widest = -1;
    spans(r, t, span);
    for (int which = 0; which < RANGES; which++) {
        task part = *t;
        const memx_range *range = range_of(&part.box, which);
        if (range->least >= range->most || span[which] <= 0.0) continue;
        if (widest < 0 || span[which] > span[widest]) widest = which;
    }
    *whole = widest < 0;
    if (widest < 0) return MEMX_OK;
    if (widest == RANGE_S1) return push_slices(r, t);
    task low = *t, high = *t;
    memx_range *range = range_of(&low.box, widest);
    range->most = range->least + (range->most - range->least) / 2;
    range_of(&high.box, widest)->least = range->most + 1;
    memx_status status = push_half(r, &low);
    return status ? status : push_half(r, &high);
}

static double width(const memx_range *range) {
    return (double)range->most - (double)range->least;
}

/* Narrows a box to what can still be among the best; its tables are filled. False where that is
** nothing. */
static bool narrow(memx_ranked *r, task *t) {
    memx_region *region = &r->region;
    for (;;) {
        int64_t most_ns, most_kib, m = region->graph->plan.slots;
        if (!memx_region_fill(region, &t->box)) return false;
        double score = memx_dive_least_score(&r->dive, region, 0.0);
        if (hopeless(r, score)) return false;
        t->score = fmax(t->score, score);
        memx_box box = memx_region_shrink(region);
        memx_dive_caps(&r->dive, region, &most_ns, &most_kib);
        if (most_ns < MEMX_MOST_ITERATION_NS) {
            const memx_rest *rest = memx_region_all(region);
            int64_t slots = most_ns - rest->time_ns - box.tail_ns.least - region->fixed_ns;
            int64_t tail = most_ns - rest->time_ns - region->fixed_ns;
            if (m > 1) box.slot_ns.most = memx_least(box.slot_ns.most, slots / (m - 1) + 1);
            box.tail_ns.most = memx_least(box.tail_ns.most, tail);
        }
        box.peak_kib.most = memx_least(box.peak_kib.most, most_kib);
        if (box.s1.least > box.s1.most || !memx_region_snap(region, &box)) return false;
        /* Tables of a box that is hardly smaller would say hardly more. */
        bool narrower = width(&box.slot_ns) < 0.9 * width(&t->box.slot_ns) ||
                        width(&box.tail_ns) < 0.9 * width(&t->box.tail_ns) ||
                        width(&box.peak_kib) < 0.9 * width(&t->box.peak_kib) ||
                        width(&box.s1) < 0.9 * width(&t->box.s1);
        if (!narrower) return true;
        t->box = box;
    }
}

static memx_status work_on(memx_ranked *r, task *t, memx_error *error) {
    bool whole = false;
    if (!t->opened) {
        return t->count > 1 ? open_group(r, t, error) : open_skeleton(r, t->skeleton, error);
    }
    r->work.boxes++;
    if (memx_poll_stop(r->poll)) return MEMX_INTERRUPTED;
    memx_status status = load_region(r, t, error);
    if (status || !narrow(r, t)) return status;
    double budget = (double)r->dive_items * (1.0 + (double)r->k / 256.0) * t->patience;
    t->patience *= 1.25;
    status = memx_dive_search(&r->dive, &r->region, t->skeleton,
                              budget < 1e15 ? (int64_t)budget : INT64_MAX, &whole);
    if (status || whole) return status;
    bool point = false;
    status = cut(r, t, &point);
    if (status || !point) return status;
    return memx_dive_search(&r->dive, &r->region, t->skeleton, INT64_MAX, &whole);
}

/* ---- passes ---- */

static memx_status start_pass(memx_ranked *r) {
    memx_status status = MEMX_OK;
    int32_t count = (int32_t)r->search->skeletons.count;
    for (int32_t i = 0, size; i < count && !status; i += size) {
        size = group_size(r, i);
        const task t = {
            .score = isnan(r->scores[i]) ? -INFINITY : r->scores[i], .skeleton = i, .count = size};
        if (!memx_extent_has(r->extent, i, &skeleton_of(r, i)->knobs)) continue;
        if (t.score < INFINITY) status = push(&r->tasks, &t);
    }
    return status;
}

/* Looks at every configuration; gives up where there are more than `most`. */
static memx_status list_all(memx_ranked *r, int64_t most, memx_error *error) {
    memx_scan scan;
    const memx_skeleton *first = r->search->skeletons.items;
    memx_status status = MEMX_OK;
    r->unlistable = most == MOST_LISTED;
    memx_scan_start(r->search, r->extent, r->poll, &scan);
    for (int64_t n = 0; n <= most && !status; n++) {
        status = memx_scan_next(&scan, error);
        if (status == MEMX_DONE) {
            r->listable = true;
            r->unlistable = false;
        }
        if (!status) status = memx_dive_offer(&r->dive, scan.choices, scan.skeleton - first);
        if (n % 4096 == 4095 && memx_poll_stop(r->poll)) status = MEMX_INTERRUPTED;
    }
    memx_scan_stop(&scan);
    return status == MEMX_DONE ? MEMX_OK : status;
}

static memx_status run_pass(memx_ranked *r, memx_error *error) {
    r->work.passes++;
    r->at = 0;
    int64_t patience = r->dive.looked_at + r->patience_items;
    bool rule = r->search->setting.space->layer_split != MEMX_SPLIT_FREE;
    memx_status status = MEMX_OK;
    r->tasks.count = 0;
    if (r->listable || (rule && r->work.passes == 1)) {
        status = list_all(r, r->listable ? INT64_MAX - 1 : FEW_LISTED, error);
    }
    if (!status && !r->listable) status = start_pass(r);
    r->dive.loop = (memx_loop){"stages looked at in the ranked search", NULL, 0, 0};
    memx_loop_begin(&r->dive.loop, r->poll);
    while (!status && r->tasks.count > 0) {
        r->dive.loop.done = r->dive.looked_at;
        if (r->dive.looked_at > patience && !r->unlistable) {
            status = list_all(r, MOST_LISTED, error);
            if (status || r->listable) break;
        }
        task t = pop(&r->tasks);
        if (t.score > memx_dive_most_score(&r->dive)) break; /* so are all others */
        status = work_on(r, &t, error);
    }
    memx_loop_end(&r->dive.loop, r->poll);
    if (status) return status;
    memx_best_finish(&r->best);
    r->last_pass = r->best.count < r->k;
    return MEMX_OK;
}

/* ---- the interface ---- */

memx_status memx_ranked_open(memx_search *search, const memx_extent *extent, const memx_aim *aim,
                             int64_t wanted, const memx_poll *poll, memx_ranked **out) {
    memx_ranked *r = calloc(1, sizeof *r);
    int32_t width = 1;
    *out = NULL;
    if (!r) return MEMX_NOMEM;
    r->search = search;
    r->extent = extent;
    r->aim = *aim;
    r->poll = poll;
    r->grouped = search->setting.space->layer_split == MEMX_SPLIT_FREE &&
                 (search->setting.space->recompute_scope == MEMX_SCOPE_STAGE ||
                  search->setting.space->recompute_scope == MEMX_SCOPE_PLAN);
    r->dive_items = DIVE_ITEMS;
    r->patience_items = PATIENCE_ITEMS;
    size_t count = search->skeletons.count;
    for (size_t i = 0; i < count; i++) {
        int32_t stages = search->skeletons.items[i].placement.stage_count;
        if (stages > width) width = stages;
    }
    r->k = wanted > 0 && wanted < 1 << 20 ? (size_t)wanted : FIRST_ROWS;
    r->scores = malloc((count ? count : 1) * sizeof *r->scores);
    r->groups = calloc(count + 1, sizeof *r->groups);
    memx_status status =
        r->scores && r->groups ? memx_best_open(r->k, width, &r->best) : MEMX_NOMEM;
    if (status) {
        memx_ranked_close(r);
        return status;
    }
    for (size_t i = 0; i < count; i++) r->scores[i] = NAN;
    memx_dive_open(&r->aim, &r->best, extent, poll, search->setting.job->gpus, &r->dive);
    *out = r;
    return MEMX_OK;
}

void memx_ranked_tune(memx_ranked *r, int64_t dive_items, int64_t patience_items) {
    r->dive_items = dive_items;
    r->patience_items = patience_items;
}

void memx_ranked_close(memx_ranked *r) {
    if (!r) return;
    unload(r);
    for (size_t i = 0; r->groups && i < r->search->skeletons.count; i++) {
        memx_graph_free(&r->groups[i]);
    }
    free(r->groups);
    for (int i = 0; i < OPEN_SKELETONS; i++) memx_choices_close(r->open[i].choices);
    memx_region_close(&r->region);
    memx_dive_close(&r->dive);
    memx_best_close(&r->best);
    free(r->scores);
    free(r->tasks.items);
    free(r);
}

static memx_status next_pass(memx_ranked *r, memx_error *error) {
    if (r->work.passes > 0) {
        size_t row = sizeof(memx_ranked_row) + (size_t)r->best.width * sizeof(uint32_t);
        size_t most = MOST_ROW_BYTES / row;
        r->k = r->k * GROWTH < most ? r->k * GROWTH : most > r->k ? most : r->k;
        memx_status status = memx_best_advance(&r->best, r->k);
        if (status) return status;
    }
    return run_pass(r, error);
}

memx_status memx_ranked_next(memx_ranked *r, memx_error *error) {
    memx_choices *choices = NULL;
    if (r->work.passes == 0 || (r->at == r->best.count && !r->last_pass)) {
        memx_status status = next_pass(r, error);
        if (status) return status;
    }
    if (r->at == r->best.count) return MEMX_DONE;
    const memx_ranked_row *row = &r->best.rows[r->at++];
    memx_status status = open_choices(r, row->skeleton, &choices, error);
    if (status) return status;
    memx_choices_put(choices, row->codes);
    r->skeleton = skeleton_of(r, row->skeleton);
    r->choices = choices;
    r->value = row->value;
    return MEMX_OK;
}

/* ---- the front ---- */

enum { EXACT_FRONT = 1 << 20 };

/* All of the search as points, by number in the enumeration. */
static memx_status gather_points(const memx_ranked *r, size_t count, memx_point *out,
                                 memx_error *error) {
    memx_scan scan;
    memx_scan_start(r->search, r->extent, r->poll, &scan);
    memx_status status = MEMX_OK;
    for (size_t i = 0; i < count && !status; i++) {
        memx_measures m;
        status = memx_scan_next(&scan, error);
        if (status) break;
        memx_plan_measure(memx_choices_plan(scan.choices), memx_choices_options(scan.choices), &m);
        out[i] = (memx_point){m.iteration_ns, m.peak_kib, m.moment, i};
        if (i % 65536 == 65535 && memx_poll_stop(r->poll)) status = MEMX_INTERRUPTED;
    }
    memx_scan_stop(&scan);
    return status == MEMX_DONE ? MEMX_FAILED : status; /* fewer than counted: cannot happen */
}

/* Keeps a configuration that is shown: in order of enumeration, since all have the same value. */
static void keep(memx_ranked *r, const memx_skeleton *skeleton, const memx_choices *choices) {
    uint32_t codes[MEMX_MAX_STAGES];
    int64_t number = skeleton - r->search->skeletons.items;
    int32_t stages = skeleton->placement.stage_count;
    memx_choices_codes(choices, codes);
    const memx_ranked_row row = {.skeleton = (int32_t)number, .stages = stages, .codes = codes};
    if (!memx_extent_has(r->shown, number, &skeleton->knobs) ||
        !memx_extent_admits(r->shown, number, codes, stages)) {
        return;
    }
    memx_best_offer(&r->best, &row);
}

static memx_status exact_front(memx_ranked *r, size_t count, memx_error *error) {
    memx_point *points = malloc((count ? count : 1) * sizeof *points);
    memx_scan scan;
    size_t kept = 0, at = 0;
    if (!points) return MEMX_NOMEM;
    memx_status status = gather_points(r, count, points, error);
    if (!status) status = memx_pareto(points, count, r->poll, &kept);
    if (!status) status = memx_best_advance(&r->best, kept + 1);
    memx_scan_start(r->search, r->extent, r->poll, &scan);
    for (size_t i = 0; at < kept && !status; i++) {
        status = memx_scan_next(&scan, error);
        if (status || points[at].number != i) continue;
        keep(r, scan.skeleton, scan.choices);
        at++;
    }
    memx_scan_stop(&scan);
    free(points);
    return status;
}

/* The best by phi is kept: under positive weights and a bound on time, what beats it would be within and
** better. Of several that are fastest, the first may be beaten. */
static memx_status corner(memx_ranked *r, const memx_aim *aim, int64_t *ns, memx_error *error) {
    memx_ranked *best = NULL;
    memx_status status = memx_ranked_open(r->search, r->extent, aim, 1, r->poll, &best);
    if (!status) status = memx_ranked_next(best, error);
    if (!status) {
        memx_measures m;
        memx_plan_measure(memx_choices_plan(best->choices), memx_choices_options(best->choices),
                          &m);
        *ns = m.iteration_ns;
        if (aim->by == MEMX_BY_PHI) keep(r, best->skeleton, best->choices);
    }
    memx_ranked_close(best);
    return status;
}

static memx_status corners(memx_ranked *r, memx_error *error) {
    static const memx_weights weightings[] = {
        {0.02, 0.49, 0.49, 1e-6}, {0.01, 0.98, 0.01, 1e-6}, {0.01, 0.01, 0.98, 1e-6}};
    static const double slowdowns[] = {1.0, 1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2.0, INFINITY};
    int64_t ns = 0;
    memx_aim aim = memx_aim_at(MEMX_BY_ITERATION);
    memx_status status = corner(r, &aim, &ns, error);
    aim = memx_aim_at(MEMX_BY_PHI);
    aim.fastest_ns = ns;
    for (size_t w = 0; w < sizeof weightings / sizeof *weightings && !status; w++) {
        aim.weights = weightings[w];
        for (size_t i = 0; i < sizeof slowdowns / sizeof *slowdowns && !status; i++) {
            aim.limits.slowdown.most = slowdowns[i];
            status = corner(r, &aim, &ns, error);
        }
    }
    return status == MEMX_DONE ? MEMX_OK : status;
}

memx_status memx_ranked_open_front(memx_search *search, const memx_extent *extent,
                                   const memx_poll *poll, memx_ranked **out, memx_error *error) {
    const memx_aim aim = memx_aim_at(MEMX_BY_PHI);
    memx_count count;
    memx_status status = memx_ranked_open(search, extent, &aim, 64, poll, out);
    memx_ranked *r = *out;
    if (status) return status;
    memx_extent_start(&r->everything);
    r->extent = &r->everything;
    r->shown = extent;
    status = memx_search_count(search, &r->everything.bounds, poll, &count, error);
    if (!status) {
        status = memx_count_compare(count, memx_count_of(EXACT_FRONT)) > 0
                     ? corners(r, error)
                     : exact_front(r, (size_t)memx_count_int64(count), error);
    }
    if (status) {
        memx_ranked_close(r);
        *out = NULL;
        return status;
    }
    memx_best_finish(&r->best);
    r->work.passes = 1;
    r->last_pass = true;
    return MEMX_OK;
}

/* ---- the current row ---- */

const memx_skeleton *memx_ranked_skeleton(const memx_ranked *r) {
    return r->skeleton;
}

const memx_choices *memx_ranked_choices(const memx_ranked *r) {
    return r->choices;
}

double memx_ranked_value(const memx_ranked *r) {
    return r->value;
}

memx_ranked_work memx_ranked_worked(const memx_ranked *r) {
    memx_ranked_work work = r->work;
    work.items = r->dive.looked_at;
    return work;
}
