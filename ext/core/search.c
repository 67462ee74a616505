#include "core/search.h"

#include "core/ranked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_BITS = 20, SAMPLES = 65536 };

memx_status memx_search_open(const memx_job *job, const memx_space *space,
                             const memx_pricer *pricer, const memx_poll *poll, memx_search *out,
                             memx_error *error) {
    *out = (memx_search){.setting = {.job = NULL}};
    memx_status status = memx_setting_open(job, space, pricer, &out->setting, error);
    if (!status) status = memx_skeletons_open(job, space, poll, &out->skeletons);
    if (status) memx_search_close(out);
    return status;
}

void memx_search_close(memx_search *search) {
    memx_skeletons_close(&search->skeletons);
    memx_setting_close(&search->setting);
    *search = (memx_search){.setting = {.job = NULL}};
}

size_t memx_search_bytes(const memx_search *search) {
    const memx_setting *s = &search->setting;
    return search->skeletons.bytes + s->tables.bytes + s->kept_bytes;
}

/* ---- scanning ---- */

void memx_scan_start(memx_search *search, const memx_extent *extent, const memx_poll *poll,
                     memx_scan *out) {
    *out = (memx_scan){.search = search, .extent = extent, .poll = poll, .number = -1};
}

void memx_scan_stop(memx_scan *scan) {
    memx_choices_close(scan->choices);
    scan->choices = NULL;
    scan->skeleton = NULL;
}

/* Whether the scan stands on a configuration behind its extent. */
static bool passed(const memx_scan *scan) {
    uint32_t codes[MEMX_MAX_STAGES];
    if (scan->number != scan->extent->last.skeleton) return false;
    memx_choices_codes(scan->choices, codes);
    return !memx_extent_admits(scan->extent, scan->number, codes,
                               scan->skeleton->placement.stage_count);
}

/* Opens the next skeleton of the extent and stands on its first configuration there. */
static memx_status open_next(memx_scan *scan, memx_error *error) {
    memx_search *search = scan->search;
    const memx_extent *extent = scan->extent;
    memx_scan_stop(scan);
    scan->number++;
    if (scan->number < extent->first.skeleton) scan->number = extent->first.skeleton;
    while (scan->number < (int64_t)search->skeletons.count &&
           !memx_extent_has(extent, scan->number, &search->skeletons.items[scan->number].knobs)) {
        scan->number++;
    }
    if (scan->number >= (int64_t)search->skeletons.count) return MEMX_DONE;
    if (memx_poll_stop(scan->poll)) return MEMX_INTERRUPTED;
    scan->skeleton = &search->skeletons.items[scan->number];
    memx_status status =
        memx_choices_open(&search->setting, scan->skeleton, scan->poll, &scan->choices, error);
    if (status) return status;
    return scan->number == extent->first.skeleton
               ? memx_choices_resume(scan->choices, extent->first.codes)
               : memx_choices_first(scan->choices);
}

memx_status memx_scan_next(memx_scan *scan, memx_error *error) {
    if (scan->single) return MEMX_DONE;
    memx_status status = scan->choices ? memx_choices_next(scan->choices) : MEMX_DONE;
    for (;;) {
        if (!status && passed(scan)) status = MEMX_DONE;
        if (status != MEMX_DONE || scan->number >= (int64_t)scan->search->skeletons.count) {
            return status;
        }
        status = open_next(scan, error);
    }
}

memx_status memx_scan_find(memx_scan *scan, const memx_config *config, memx_error *error) {
    memx_search *search = scan->search;
    memx_scan_stop(scan);
    scan->single = true;
    for (size_t i = 0; i < search->skeletons.count; i++) {
        memx_skeleton *skeleton = &search->skeletons.items[i];
        if (!memx_knobs_equal(&skeleton->knobs, &config->knobs) ||
            !memx_placement_equal(&skeleton->placement, &config->placement) ||
            !memx_extent_has(scan->extent, (int64_t)i, &skeleton->knobs)) {
            continue;
        }
        memx_status status =
            memx_choices_open(&search->setting, skeleton, scan->poll, &scan->choices, error);
        if (!status) status = memx_choices_find(scan->choices, config->stages);
        if (!status) {
            uint32_t codes[MEMX_MAX_STAGES];
            memx_choices_codes(scan->choices, codes);
            if (!memx_extent_admits(scan->extent, (int64_t)i, codes,
                                    skeleton->placement.stage_count)) {
                status = MEMX_DONE;
            }
        }
        if (status) {
            memx_scan_stop(scan);
        } else {
            scan->skeleton = skeleton;
        }
        return status;
    }
    return MEMX_DONE;
}

/* ---- counting ---- */

/* Opens each skeleton in turn. */
typedef memx_status (*choices_visit)(void *context, size_t skeleton, memx_choices *choices);

static memx_status each_skeleton(memx_search *search, const memx_poll *poll, choices_visit visit,
                                 void *context, memx_error *error) {
    memx_status status = MEMX_OK;
    memx_loop loop = {"skeletons looked at", NULL, 0, (int64_t)search->skeletons.count};
    memx_loop_begin(&loop, poll);
    for (size_t i = 0; i < search->skeletons.count && !status; i++) {
        memx_choices *choices = NULL;
        loop.done = (int64_t)i;
        if (memx_poll_stop(poll)) {
            status = MEMX_INTERRUPTED;
            break;
        }
        status =
            memx_choices_open(&search->setting, &search->skeletons.items[i], poll, &choices, error);
        if (!status) status = visit(context, i, choices);
        memx_choices_close(choices);
    }
    memx_loop_end(&loop, poll);
    return status;
}

/* How many configurations a skeleton has that fit: counted once. */
static memx_status count_skeleton(memx_search *search, size_t number, const memx_poll *poll,
                                  memx_count *out, memx_error *error) {
    memx_skeleton *skeleton = &search->skeletons.items[number];
    memx_status status = MEMX_OK;
    if (!skeleton->counted) {
        memx_choices *choices = NULL;
        if (memx_poll_stop(poll)) return MEMX_INTERRUPTED;
        status = memx_choices_open(&search->setting, skeleton, poll, &choices, error);
        if (!status) status = memx_choices_count(choices, false, &skeleton->fitting);
        memx_choices_close(choices);
        skeleton->counted = status == MEMX_OK;
    }
    *out = skeleton->fitting;
    return status;
}

memx_status memx_search_count(memx_search *search, const memx_bounds *bounds, const memx_poll *poll,
                              memx_count *out, memx_error *error) {
    memx_status status = MEMX_OK;
    memx_loop loop = {"skeletons looked at", NULL, 0, (int64_t)search->skeletons.count};
    *out = memx_count_of(0);
    memx_loop_begin(&loop, poll);
    for (size_t i = 0; i < search->skeletons.count && !status; i++) {
        memx_count count;
        loop.done = (int64_t)i;
        if (!memx_bounds_admit(bounds, &search->skeletons.items[i].knobs)) continue;
        status = count_skeleton(search, i, poll, &count, error);
        if (!status) *out = memx_count_add(*out, count);
    }
    memx_loop_end(&loop, poll);
    return status;
}

/* The place of a configuration, given by its number among those within bounds; all skeletons are counted. */
static memx_status place_at(memx_search *search, const memx_bounds *bounds, memx_count number,
                            const memx_poll *poll, memx_place *out, memx_error *error) {
    size_t i = 0;
    for (; i + 1 < search->skeletons.count; i++) {
        const memx_skeleton *skeleton = &search->skeletons.items[i];
        if (!memx_bounds_admit(bounds, &skeleton->knobs)) continue;
        if (memx_count_compare(number, skeleton->fitting) < 0) break;
        number = memx_count_subtract(number, skeleton->fitting);
    }
    memx_choices *choices = NULL;
    memx_status status =
        memx_choices_open(&search->setting, &search->skeletons.items[i], poll, &choices, error);
    out->skeleton = (int64_t)i;
    if (!status) status = memx_choices_at(choices, number);
    if (!status) memx_choices_codes(choices, out->codes);
    memx_choices_close(choices);
    return status;
}

memx_status memx_search_share(memx_search *search, const memx_bounds *bounds, int64_t share,
                              int64_t shares, const memx_poll *poll, memx_extent *out,
                              memx_count *size, memx_error *error) {
    memx_count all;
    memx_extent_start(out);
    out->bounds = *bounds;
    memx_status status = memx_search_count(search, bounds, poll, &all, error);
    if (status) return status;
    if (memx_count_is_most(all)) {
        return memx_invalid(error,
                            "space '%s' has 2^256 configurations or more, which cannot be cut "
                            "into shards; bound tp, pp, dp or micro_batch",
                            search->setting.space->name);
    }
    const memx_count begin = memx_count_share(all, (uint64_t)share, (uint64_t)shares);
    const memx_count end = memx_count_share(all, (uint64_t)share + 1, (uint64_t)shares);
    *size = memx_count_subtract(end, begin);
    if (memx_count_is_zero(*size)) {
        out->last.skeleton = -1; /* before the first */
        out->first.skeleton = INT64_MAX;
        return MEMX_OK;
    }
    status = place_at(search, bounds, begin, poll, &out->first, error);
    if (status) return status;
    return place_at(search, bounds, memx_count_subtract(end, memx_count_of(1)), poll, &out->last,
                    error);
}

/* Distinct sets of device types among the stages: groups of the recompute scope `device`. */
static int64_t device_groups(const memx_job *job, const memx_placement *p) {
    int64_t groups = 0;
    for (int32_t s = 0; s < p->stage_count; s++) {
        groups += memx_placement_like(job, p, s) == s;
    }
    return groups;
}

/* At most this many: one list of splits for each assignment of levels. Free splits have no such
** bound. */
static double upper_bound(const memx_search *search, const memx_skeleton *skeleton) {
    const memx_space *space = search->setting.space;
    int64_t groups = 1, stages = skeleton->placement.stage_count;
    if (space->layer_split == MEMX_SPLIT_FREE) return INFINITY;
    if (space->recompute_scope == MEMX_SCOPE_STAGE) groups = stages;
    if (space->recompute_scope == MEMX_SCOPE_PLAN) groups = 0;
    if (space->recompute_scope == MEMX_SCOPE_DEVICE) {
        groups = device_groups(search->setting.job, &skeleton->placement);
    }
    double splits = 1.0 + 2.0 * (double)space->layer_skew * (double)(stages - 1);
    return splits * pow((double)search->setting.level_count, (double)groups);
}

memx_status memx_search_exceeds(memx_search *search, const memx_bounds *bounds, int64_t most,
                                const memx_poll *poll, bool *exceeds, memx_count *count,
                                memx_error *error) {
    double bound = 0.0;
    *exceeds = false;
    *count = memx_count_of(0);
    for (size_t i = 0; i < search->skeletons.count; i++) {
        const memx_skeleton *skeleton = &search->skeletons.items[i];
        if (memx_poll_stop(poll)) return MEMX_INTERRUPTED;
        if (memx_bounds_admit(bounds, &skeleton->knobs)) bound += upper_bound(search, skeleton);
    }
    if (bound <= (double)most) return MEMX_OK;
    memx_status status = memx_search_count(search, bounds, poll, count, error);
    *exceeds = memx_count_compare(*count, memx_count_of((uint64_t)most)) > 0;
    return status;
}

/* ---- references ---- */

typedef struct gathering {
    memx_search *search;
    const memx_poll *poll;
    memx_u128 *iteration_ns, *peak_kib, *moment;
    size_t count, capacity;
    int64_t fastest_ns;
    double fastest_free_share;
} gathering;

static bool gather(gathering *g, const memx_choices *choices) {
    memx_measures m;
    if (g->count == g->capacity) return false;
    memx_plan_measure(memx_choices_plan(choices), memx_choices_options(choices), &m);
    if (g->count == 0 || m.iteration_ns < g->fastest_ns) {
        g->fastest_ns = m.iteration_ns;
        g->fastest_free_share = m.free_share;
    }
    g->iteration_ns[g->count] = (memx_u128)m.iteration_ns;
    g->peak_kib[g->count] = (memx_u128)m.peak_kib;
    g->moment[g->count++] = m.moment;
    return true;
}

static memx_status visit_gather(void *context, size_t skeleton, memx_choices *choices) {
    gathering *g = context;
    (void)skeleton;
    memx_status status = memx_choices_first(choices);
    while (!status) {
        if (!gather(g, choices)) return MEMX_FAILED; /* more than counted: cannot happen */
        if (g->count % 1024 == 0 && memx_poll_stop(g->poll)) return MEMX_INTERRUPTED;
        status = memx_choices_next(choices);
    }
    return status == MEMX_DONE ? MEMX_OK : status;
}

static void visit_sample(void *context, const memx_choices *choices) {
    gather(context, choices);
}

/* splitmix64 (Steele, Lea, Flood 2014): a fixed sequence, the same on every machine. */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Uniform below `total`, by rejection under its highest bit. */
static memx_count random_below(uint64_t *state, memx_count total) {
    int top = 3;
    while (top > 0 && total.limb[top] == 0) top--;
    uint64_t mask = UINT64_MAX >> (total.limb[top] ? __builtin_clzll(total.limb[top]) : 63);
    for (;;) {
        memx_count n = memx_count_of(0);
        for (int i = 0; i <= top; i++) n.limb[i] = next_random(state);
        n.limb[top] &= mask;
        if (memx_count_compare(n, total) < 0) return n;
    }
}

static int compare_counts(const void *a, const void *b) {
    return memx_count_compare(*(const memx_count *)a, *(const memx_count *)b);
}

/* Opens only the skeletons that hold a sample. */
static memx_status gather_samples(gathering *g, memx_count total, memx_error *error) {
    memx_search *search = g->search;
    const memx_poll *poll = g->poll;
    memx_count *indices = malloc(SAMPLES * sizeof *indices);
    uint64_t state = 20; /* the fixed seed */
    if (!indices) return MEMX_NOMEM;
    for (int i = 0; i < SAMPLES; i++) indices[i] = random_below(&state, total);
    qsort(indices, SAMPLES, sizeof *indices, compare_counts);
    memx_count before = memx_count_of(0);
    memx_status status = MEMX_OK;
    size_t at = 0;
    for (size_t i = 0; i < search->skeletons.count && at < SAMPLES && !status; i++) {
        memx_count after = memx_count_add(before, search->skeletons.items[i].fitting);
        size_t begin = at;
        while (at < SAMPLES && memx_count_compare(indices[at], after) < 0) {
            indices[at] = memx_count_subtract(indices[at], before);
            at++;
        }
        before = after;
        if (at == begin) continue;
        memx_choices *choices = NULL;
        if (memx_poll_stop(poll)) status = MEMX_INTERRUPTED;
        if (!status) {
            status = memx_choices_open(&search->setting, &search->skeletons.items[i], poll,
                                       &choices, error);
        }
        if (!status) {
            status = memx_choices_sample(choices, indices + begin, at - begin, visit_sample, g);
        }
        memx_choices_close(choices);
    }
    free(indices);
    return status;
}

/* The value that sorting would put at `k`; all that is less comes before it, all that is greater after.
** Sorting a million takes too long to be polled. */
static memx_u128 select_value(memx_u128 *values, size_t count, size_t k) {
    int64_t low = 0, high = (int64_t)count - 1, at = (int64_t)k;
    uint64_t state = 20;
    while (low < high) {
        const memx_u128 pivot =
            values[low + (int64_t)(next_random(&state) % (uint64_t)(high - low + 1))];
        int64_t i = low, j = high;
        while (i <= j) {
            while (values[i] < pivot) i++;
            while (values[j] > pivot) j--;
            if (i > j) break;
            memx_u128 swap = values[i];
            values[i++] = values[j];
            values[j--] = swap;
        }
        if (at <= j) {
            high = j;
        } else if (at >= i) {
            low = i;
        } else {
            break;
        }
    }
    return values[k];
}

/* The middle two of `count` values, which may be one. */
static memx_status middle(gathering *g, memx_u128 *values, memx_u128 out[2]) {
    size_t low = (g->count - 1) / 2;
    out[0] = out[1] = select_value(values, g->count, low);
    if (g->count % 2 == 0) {
        out[1] = values[low + 1];
        for (size_t i = low + 2; i < g->count; i++) {
            if (values[i] < out[1]) out[1] = values[i];
        }
    }
    return memx_poll_stop(g->poll) ? MEMX_INTERRUPTED : MEMX_OK;
}

static memx_status take_medians(gathering *g, memx_reference *out) {
    int64_t gpus = g->search->setting.job->gpus;
    memx_u128 time[2], peak[2], moment[2];
    memx_status status = middle(g, g->iteration_ns, time);
    if (!status) status = middle(g, g->peak_kib, peak);
    if (!status) status = middle(g, g->moment, moment);
    if (status) return status;
    out->iteration_ms = (memx_ms((int64_t)time[0]) + memx_ms((int64_t)time[1])) / 2.0;
    out->peak_mib = (memx_mib((int64_t)peak[0]) + memx_mib((int64_t)peak[1])) / 2.0;
    out->variance_mib2 =
        (memx_variance_mib2(moment[0], gpus) + memx_variance_mib2(moment[1], gpus)) / 2.0;
    out->fastest_ns = g->fastest_ns;
    out->fastest_free_share = g->fastest_free_share;
    return MEMX_OK;
}

/* Samples miss the fastest of all: a ranked search finds it. */
static memx_status find_fastest(memx_search *search, const memx_poll *poll, memx_reference *out,
                                memx_error *error) {
    const memx_aim aim = memx_aim_at(MEMX_BY_ITERATION);
    memx_ranked *ranked = NULL;
    memx_measures m;
    memx_extent all;
    memx_extent_start(&all);
    memx_status status = memx_ranked_open(search, &all, &aim, 1, poll, &ranked);
    if (!status) status = memx_ranked_next(ranked, error);
    if (!status) {
        const memx_choices *choices = memx_ranked_choices(ranked);
        memx_plan_measure(memx_choices_plan(choices), memx_choices_options(choices), &m);
        out->fastest_ns = m.iteration_ns;
        out->fastest_free_share = m.free_share;
    }
    memx_ranked_close(ranked);
    return status;
}

memx_status memx_search_reference(memx_search *search, const memx_poll *poll, memx_reference *out,
                                  memx_error *error) {
    gathering g = {.search = search, .poll = poll};
    memx_bounds all;
    memx_count feasible;
    *out = (memx_reference){.feasible = memx_count_of(0)};
    memx_bounds_start(&all);
    memx_status status = memx_search_count(search, &all, poll, &feasible, error);
    if (status || memx_count_is_zero(feasible)) return status;
    out->feasible = feasible;
    out->sampled = memx_count_compare(feasible, memx_count_of(UINT64_C(1) << EXACT_BITS)) > 0;
    g.capacity = out->sampled ? SAMPLES : (size_t)memx_count_int64(feasible);
    g.iteration_ns = malloc(g.capacity * sizeof *g.iteration_ns);
    g.peak_kib = malloc(g.capacity * sizeof *g.peak_kib);
    g.moment = malloc(g.capacity * sizeof *g.moment);
    if (!g.iteration_ns || !g.peak_kib || !g.moment) status = MEMX_NOMEM;
    if (!status) {
        status = out->sampled ? gather_samples(&g, feasible, error)
                              : each_skeleton(search, poll, visit_gather, &g, error);
    }
    if (!status) status = take_medians(&g, out);
    if (!status && out->sampled) status = find_fastest(search, poll, out, error);
    free(g.iteration_ns);
    free(g.peak_kib);
    free(g.moment);
    return status;
}

/* ---- explaining ---- */

typedef struct memory_drop {
    memx_search *search;
    memx_refusals *out;
    memx_count fitting, all;
    memx_shortage nearest;
    bool found;
    size_t skeleton;
} memory_drop;

enum { DEGREES_SIZE = 160 };

/* "tp 2 pp 4 dp 2 mb 1", and the degrees that are not 1. */
static void write_degrees(const memx_knobs *k, char out[DEGREES_SIZE]) {
    const struct {
        const char *name;
        int64_t value;
    } others[] = {{"cp", k->cp}, {"ep", k->ep}, {"vp", k->vp}};
    int length = snprintf(out, DEGREES_SIZE, "tp %lld pp %lld dp %lld mb %lld", (long long)k->tp,
                          (long long)k->pp, (long long)k->dp, (long long)k->micro_batch);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (others[i].value < 2) continue;
        length += snprintf(out + length, (size_t)(DEGREES_SIZE - length), " %s %lld",
                           others[i].name, (long long)others[i].value);
    }
}

static memx_status visit_memory(void *context, size_t skeleton, memx_choices *choices) {
    memory_drop *d = context;
    memx_count fitting, all;
    memx_status status = memx_choices_count(choices, false, &fitting);
    if (!status) status = memx_choices_count(choices, true, &all);
    if (status) return status;
    if (memx_count_is_zero(all) && d->out->empty++ == 0) {
        char degrees[DEGREES_SIZE];
        write_degrees(&d->search->skeletons.items[skeleton].knobs, degrees);
        memx_invalid(&d->out->empty_example,
                     "%s: no level of the space is the same level on all "
                     "stages that share one; recompute_scope stage allows different ones",
                     degrees);
    }
    d->fitting = memx_count_add(d->fitting, fitting);
    d->all = memx_count_add(d->all, all);
    if (memx_count_compare(fitting, all) == 0) return MEMX_OK;
    memx_shortage shortage;
    status = memx_choices_shortage(choices, &shortage);
    if (status) return status == MEMX_DONE ? MEMX_OK : status;
    if (!d->found || shortage.short_kib < d->nearest.short_kib) {
        d->nearest = shortage;
        d->found = true;
        d->skeleton = skeleton;
    }
    return MEMX_OK;
}

memx_status memx_search_refusals(memx_search *search, const memx_poll *poll, memx_refusals *out,
                                 memx_error *error) {
    memory_drop d = {.search = search, .out = out};
    const memx_job *job = search->setting.job;
    *out = (memx_refusals){.empty = 0};
    memx_status status = each_skeleton(search, poll, visit_memory, &d, error);
    if (status || memx_count_compare(d.all, d.fitting) <= 0) return status;
    out->memory = memx_count_subtract(d.all, d.fitting);
    if (!d.found) return MEMX_OK;
    const memx_shortage *n = &d.nearest;
    const memx_knobs *k = &search->skeletons.items[d.skeleton].knobs;
    int64_t layers = memx_knobs_layers(k, &n->choice);
    char level[MEMX_LEVEL_TEXT], degrees[DEGREES_SIZE];
    write_degrees(k, degrees);
    memx_level_format(n->choice.level, level);
    memx_invalid(&out->memory_example,
                 "%s: stage %d on %s with %lld layer%s at %s needs %.0f "
                 "MiB%s, %.0f MiB more than the %.0f MiB it may use",
                 degrees, (int)n->stage, job->devices[n->device].name, (long long)layers,
                 memx_s(layers), level, memx_mib(n->may_kib + n->short_kib),
                 n->on_host ? " of its part of the host" : "", ceil(memx_mib(n->short_kib)),
                 memx_mib(n->may_kib));
    return MEMX_OK;
}
