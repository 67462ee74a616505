#include "core/search.h"

#include "core/whole.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TYPES = 7, EXACT_BITS = 20, SAMPLES = 65536 };

/* ---- skeletons ---- */

typedef struct builder {
    memx_search *search;
    const memx_job *job;
    const memx_space *space;
    const memx_poll *poll;
    memx_error *error;
    int32_t *orders; /* node indices, node_count for each device order */
    size_t order_count;
    int64_t unpolled;
} builder;

static void drop(memx_search *search, memx_reason reason, const memx_error *example) {
    memx_drop *d = &search->drops[reason];
    if (d->count++ == 0) d->example = *example;
}

static memx_status drop_misfit(builder *b, const memx_knobs *knobs, memx_misfit misfit) {
    static const memx_reason reasons[] = {
        [MEMX_TP_NODE] = MEMX_REASON_TP_NODE,     [MEMX_HEADS_TP] = MEMX_REASON_HEADS_TP,
        [MEMX_KV_TP] = MEMX_REASON_KV_TP,         [MEMX_BATCH] = MEMX_REASON_BATCH,
        [MEMX_PP_LAYERS] = MEMX_REASON_PP_LAYERS,
    };
    memx_error example;
    memx_misfit_message(b->job, knobs, misfit, &example);
    drop(b->search, reasons[misfit], &example);
    return MEMX_OK;
}

/* Nodes of a type together by ordinal, the types in the given order. */
static void order_nodes(const memx_job *job, const int32_t *types, int32_t *out) {
    int32_t n = 0;
    for (int32_t t = 0; t < job->device_count; t++) {
        for (int32_t i = 0; i < job->node_count; i++) {
            if (job->nodes[i].device == types[t]) out[n++] = i;
        }
    }
}

/* The lexicographically next permutation; false after the last. */
static bool next_permutation(int32_t *items, int32_t count) {
    int32_t i = count - 1;
    while (i > 0 && items[i - 1] >= items[i]) i--;
    if (i <= 0) return false;
    int32_t j = count - 1;
    while (items[j] <= items[i - 1]) j--;
    int32_t swap = items[i - 1];
    items[i - 1] = items[j];
    items[j] = swap;
    for (int32_t a = i, z = count - 1; a < z; a++, z--) {
        swap = items[a];
        items[a] = items[z];
        items[z] = swap;
    }
    return true;
}

static memx_status build_orders(builder *b) {
    const memx_job *job = b->job;
    size_t nodes = (size_t)job->node_count, most = 1;
    if (b->space->device_order == MEMX_ORDER_TYPES) {
        if (job->device_count > MOST_TYPES) {
            return memx_invalid(b->error,
                                "space '%s': device_order types has every order of %d device types; "
                                "MemX goes to %d, write device_order given",
                                b->space->name, (int)job->device_count, (int)MOST_TYPES);
        }
        for (int32_t t = 2; t <= job->device_count; t++) most *= (size_t)t;
    }
    b->orders = calloc(most * nodes, sizeof *b->orders);
    if (!b->orders) return MEMX_NOMEM;
    b->order_count = most;
    if (b->space->device_order == MEMX_ORDER_GIVEN) {
        for (int32_t i = 0; i < job->node_count; i++) b->orders[i] = i;
        return MEMX_OK;
    }
    int32_t types[MOST_TYPES];
    for (int32_t t = 0; t < job->device_count; t++) types[t] = t;
    int32_t *at = b->orders;
    do {
        order_nodes(job, types, at);
        at += nodes;
    } while (next_permutation(types, job->device_count));
    return MEMX_OK;
}

/* A stage that spans what the space does not allow; -1 when none does. */
static int32_t stage_too_wide(const builder *b, const memx_placement *p) {
    const memx_job *job = b->job;
    if (b->space->stage_devices == MEMX_SPAN_ANY) return -1;
    for (int32_t s = 0; s < p->stage_count; s++) {
        int32_t like = job->nodes[p->runs[p->first[s]].node].device;
        for (int32_t r = p->first[s] + 1; r < p->first[s + 1]; r++) {
            int32_t device = job->nodes[p->runs[r].node].device;
            if (device == like) continue;
            if (b->space->stage_devices == MEMX_SPAN_ONE) return s;
            if (strcmp(job->devices[device].vendor, job->devices[like].vendor) != 0) return s;
        }
    }
    return -1;
}

static memx_status add_skeleton(memx_search *search, const memx_knobs *knobs,
                                memx_placement *placement) {
    if (search->skeleton_count == search->skeleton_capacity) {
        size_t capacity = search->skeleton_capacity ? 2 * search->skeleton_capacity : 64;
        memx_skeleton *all = realloc(search->skeletons, capacity * sizeof *all);
        if (!all) return MEMX_NOMEM;
        search->skeletons = all;
        search->skeleton_capacity = capacity;
    }
    search->skeletons[search->skeleton_count++] = (memx_skeleton){*knobs, *placement};
    *placement = (memx_placement){0};
    return MEMX_OK;
}

/* Every device order of one set of knobs; orders that give the same stages are one. */
static memx_status add_orders(builder *b, const memx_knobs *knobs) {
    memx_search *search = b->search;
    size_t begin = search->skeleton_count;
    memx_error example = {""};
    bool any = false;
    for (size_t o = 0; o < b->order_count; o++) {
        memx_placement placement;
        memx_status status =
            memx_placement_fill(b->job, b->orders + o * (size_t)b->job->node_count,
                                knobs->tp * knobs->dp, (int32_t)knobs->pp, &placement);
        if (status) return status;
        int32_t wide = stage_too_wide(b, &placement);
        bool same = false;
        for (size_t i = begin; i < search->skeleton_count && !same && wide < 0; i++) {
            same = memx_placement_equal(&search->skeletons[i].placement, &placement);
        }
        any = any || wide < 0;
        if (wide >= 0 && !*example.text) {
            memx_text devices = {0};
            memx_stage_devices(b->job, &placement, wide, &devices);
            memx_invalid(&example, "tp %lld dp %lld: stage %d would be %.200s; stage_devices any "
                         "allows it", (long long)knobs->tp, (long long)knobs->dp, (int)wide,
                         devices.failed ? "mixed" : devices.data);
            memx_text_free(&devices);
        }
        if (wide < 0 && !same) status = add_skeleton(search, knobs, &placement);
        memx_placement_free(&placement);
        if (status) return status;
        b->unpolled += knobs->pp;
        if (b->unpolled > 10000) {
            b->unpolled = 0;
            if (memx_poll_stop(b->poll)) return MEMX_INTERRUPTED;
        }
    }
    if (!any) drop(search, MEMX_REASON_STAGE_DEVICES, &example);
    return MEMX_OK;
}

/* Visits an axis: the space's values, or every divisor of `of`, or `own` alone. */
static int64_t next_value(const memx_values *values, int64_t of, int64_t after) {
    if (values->count > 0) {
        for (int32_t i = 0; i < values->count; i++) {
            if (values->items[i] > after) return values->items[i];
        }
        return -1;
    }
    for (int64_t d = after + 1; d <= of; d++) {
        /* Divisors above the square root come from those below it. */
        if (d * d <= of) {
            if (of % d == 0) return d;
            continue;
        }
        for (int64_t e = of / d; e >= 1; e--) {
            if (of % e == 0 && of / e > after) return of / e;
        }
    }
    return -1;
}

static bool flag_allowed(const memx_values *values, bool own, bool possible, bool flag) {
    if (!possible) return !flag;
    return values->count > 0 ? memx_values_allow(values, flag) : flag == own;
}

static memx_status add_flags(builder *b, memx_knobs *knobs) {
    const memx_values *axes = b->space->axes;
    const memx_framework *f = &b->job->framework;
    memx_status status = MEMX_OK;
    for (int sp = 0; sp <= 1 && !status; sp++) {
        if (!flag_allowed(&axes[MEMX_AXIS_SEQUENCE_PARALLEL], f->sequence_parallel, knobs->tp > 1,
                          sp != 0)) {
            continue;
        }
        for (int dist = 0; dist <= 1 && !status; dist++) {
            if (!flag_allowed(&axes[MEMX_AXIS_DISTRIBUTED_OPTIMIZER], f->distributed_optimizer,
                              knobs->dp > 1, dist != 0)) {
                continue;
            }
            knobs->sequence_parallel = sp != 0;
            knobs->distributed_optimizer = dist != 0;
            status = add_orders(b, knobs);
        }
    }
    return status;
}

/* Sequence lengths, heads and groups inside fixed degrees. */
static memx_status add_tasks(builder *b, memx_knobs *knobs) {
    const memx_values *axes = b->space->axes;
    const memx_model *m = &b->job->model;
    const memx_values own_seq = {(int64_t[]){m->seq_length}, 1};
    const memx_values own_heads = {(int64_t[]){m->heads}, 1};
    const memx_values own_kv = {(int64_t[]){m->kv_groups}, 1};
    const memx_values *seqs = axes[MEMX_AXIS_SEQ_LENGTH].count ? &axes[MEMX_AXIS_SEQ_LENGTH] : &own_seq;
    const memx_values *heads = axes[MEMX_AXIS_HEADS].count ? &axes[MEMX_AXIS_HEADS] : &own_heads;
    const memx_values *kvs = axes[MEMX_AXIS_KV_GROUPS].count ? &axes[MEMX_AXIS_KV_GROUPS] : &own_kv;
    memx_status status = MEMX_OK;
    for (int32_t s = 0; s < seqs->count && !status; s++) {
        for (int32_t h = 0; h < heads->count && !status; h++) {
            for (int32_t g = 0; g < kvs->count && !status; g++) {
                knobs->seq_length = seqs->items[s];
                knobs->heads = heads->items[h];
                knobs->kv_groups = kvs->items[g];
                memx_model model;
                memx_error example;
                memx_misfit misfit = memx_knobs_misfit(b->job, knobs);
                if (misfit) {
                    status = drop_misfit(b, knobs, misfit);
                } else if (memx_knobs_model(b->job, knobs, &model, &example)) {
                    drop(b->search, MEMX_REASON_HEADS_TP, &example);
                } else {
                    status = add_flags(b, knobs);
                }
            }
        }
    }
    return status;
}

static memx_status add_micro_batches(builder *b, memx_knobs *knobs) {
    const memx_values *axes = b->space->axes;
    int64_t batch = b->job->global_batch;
    knobs->micro_batch = 1;
    memx_misfit misfit = memx_knobs_misfit(b->job, knobs);
    if (misfit == MEMX_BATCH || misfit == MEMX_PP_LAYERS) return drop_misfit(b, knobs, misfit);
    memx_status status = MEMX_OK;
    for (int64_t mb = 0; !status;) {
        mb = next_value(&axes[MEMX_AXIS_MICRO_BATCH], batch / knobs->dp, mb);
        if (mb < 0) break;
        knobs->micro_batch = mb;
        status = add_tasks(b, knobs);
    }
    return status;
}

/* Degrees: tp by the nodes, pp by what is left, dp follows. A tp that no configuration can have is
** one drop, not one for each pp and micro batch. */
static memx_status add_degrees(builder *b) {
    const memx_values *axes = b->space->axes;
    const memx_job *job = b->job;
    bool heads_vary = axes[MEMX_AXIS_HEADS].count > 0 || axes[MEMX_AXIS_KV_GROUPS].count > 0;
    memx_status status = MEMX_OK;
    for (int64_t tp = 0; !status;) {
        tp = next_value(&axes[MEMX_AXIS_TP], job->gpus, tp);
        if (tp < 0) break;
        if (job->gpus % tp != 0) continue;
        memx_knobs knobs = {.tp = tp, .pp = 1, .dp = job->gpus / tp, .micro_batch = 1};
        memx_knobs_default(job, &knobs);
        memx_misfit misfit = memx_knobs_misfit(job, &knobs);
        if (misfit == MEMX_TP_NODE ||
            (!heads_vary && (misfit == MEMX_HEADS_TP || misfit == MEMX_KV_TP))) {
            status = drop_misfit(b, &knobs, misfit);
            continue;
        }
        for (int64_t pp = 0; !status;) {
            pp = next_value(&axes[MEMX_AXIS_PP], job->gpus / tp, pp);
            if (pp < 0) break;
            if (job->gpus / tp % pp != 0 || pp > MEMX_MAX_STAGES) continue;
            knobs.pp = pp;
            knobs.dp = job->gpus / tp / pp;
            memx_knobs_default(job, &knobs);
            if (!memx_values_allow(&axes[MEMX_AXIS_DP], knobs.dp)) continue;
            status = add_micro_batches(b, &knobs);
        }
    }
    return status;
}

memx_status memx_search_open(const memx_job *job, const memx_space *space,
                             const memx_pricer *pricer, const memx_poll *poll, memx_search *out,
                             memx_error *error) {
    builder b = {.search = out, .job = job, .space = space, .poll = poll, .error = error};
    *out = (memx_search){.setting = {.job = job, .space = space, .pricer = pricer}};
    memx_status status = memx_levels_close(space, job->model.layers, &out->setting.levels,
                                           &out->setting.level_count, error);
    if (!status) status = build_orders(&b);
    if (!status) status = add_degrees(&b);
    free(b.orders);
    if (status) memx_search_close(out);
    return status;
}

void memx_search_close(memx_search *search) {
    for (size_t i = 0; i < search->skeleton_count; i++) {
        memx_placement_free(&search->skeletons[i].placement);
    }
    free(search->skeletons);
    free(search->setting.levels);
    memx_table_cache_free(&search->setting.tables);
    *search = (memx_search){0};
}

/* ---- bounds ---- */

void memx_bounds_start(memx_bounds *bounds) {
    for (int i = 0; i < MEMX_AXIS_COUNT; i++) {
        bounds->least[i] = INT64_MIN;
        bounds->most[i] = INT64_MAX;
    }
}

int64_t memx_knob(const memx_knobs *k, memx_axis axis) {
    switch (axis) {
    case MEMX_AXIS_TP: return k->tp;
    case MEMX_AXIS_PP: return k->pp;
    case MEMX_AXIS_DP: return k->dp;
    case MEMX_AXIS_MICRO_BATCH: return k->micro_batch;
    case MEMX_AXIS_SEQ_LENGTH: return k->seq_length;
    case MEMX_AXIS_HEADS: return k->heads;
    case MEMX_AXIS_KV_GROUPS: return k->kv_groups;
    case MEMX_AXIS_SEQUENCE_PARALLEL: return k->sequence_parallel;
    case MEMX_AXIS_DISTRIBUTED_OPTIMIZER: return k->distributed_optimizer;
    case MEMX_AXIS_COUNT: break;
    }
    return 0;
}

bool memx_bounds_admit(const memx_bounds *bounds, const memx_knobs *knobs) {
    for (int i = 0; i < MEMX_AXIS_COUNT; i++) {
        int64_t value = memx_knob(knobs, (memx_axis)i);
        if (value < bounds->least[i] || value > bounds->most[i]) return false;
    }
    return true;
}

/* ---- scanning ---- */

void memx_scan_start(memx_search *search, const memx_bounds *bounds, const memx_poll *poll,
                     memx_scan *out) {
    *out = (memx_scan){.search = search, .bounds = *bounds, .poll = poll};
}

void memx_scan_stop(memx_scan *scan) {
    memx_choices_close(scan->choices);
    scan->choices = NULL;
    scan->skeleton = NULL;
}

memx_status memx_scan_next(memx_scan *scan, memx_error *error) {
    memx_search *search = scan->search;
    memx_status status = scan->choices ? memx_choices_next(scan->choices) : MEMX_DONE;
    while (status == MEMX_DONE) {
        memx_scan_stop(scan);
        if (scan->next_skeleton == search->skeleton_count) return MEMX_DONE;
        const memx_skeleton *skeleton = &search->skeletons[scan->next_skeleton++];
        if (!memx_bounds_admit(&scan->bounds, &skeleton->knobs)) continue;
        if (memx_poll_stop(scan->poll)) return MEMX_INTERRUPTED;
        status = memx_choices_open(&search->setting, skeleton, scan->poll, &scan->choices, error);
        if (status) return status;
        scan->skeleton = skeleton;
        status = memx_choices_first(scan->choices);
    }
    return status;
}

static bool same_knobs(const memx_knobs *a, const memx_knobs *b) {
    for (int i = 0; i < MEMX_AXIS_COUNT; i++) {
        if (memx_knob(a, (memx_axis)i) != memx_knob(b, (memx_axis)i)) return false;
    }
    return true;
}

memx_status memx_scan_find(memx_scan *scan, const memx_config *config, memx_error *error) {
    memx_search *search = scan->search;
    memx_scan_stop(scan);
    scan->next_skeleton = search->skeleton_count; /* a following next ends the scan */
    for (size_t i = 0; i < search->skeleton_count; i++) {
        const memx_skeleton *skeleton = &search->skeletons[i];
        if (!same_knobs(&skeleton->knobs, &config->knobs) ||
            !memx_placement_equal(&skeleton->placement, &config->placement) ||
            !memx_bounds_admit(&scan->bounds, &skeleton->knobs)) {
            continue;
        }
        memx_status status =
            memx_choices_open(&search->setting, skeleton, scan->poll, &scan->choices, error);
        if (!status) status = memx_choices_find(scan->choices, config->stages);
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

/* Opens each skeleton within bounds in turn. */
typedef memx_status (*choices_visit)(void *context, size_t skeleton, memx_choices *choices);

static memx_status each_skeleton(memx_search *search, const memx_bounds *bounds,
                                 const memx_poll *poll, choices_visit visit, void *context,
                                 memx_error *error) {
    memx_status status = MEMX_OK;
    for (size_t i = 0; i < search->skeleton_count && !status; i++) {
        memx_choices *choices = NULL;
        if (bounds && !memx_bounds_admit(bounds, &search->skeletons[i].knobs)) continue;
        if (memx_poll_stop(poll)) return MEMX_INTERRUPTED;
        status = memx_choices_open(&search->setting, &search->skeletons[i], poll, &choices, error);
        if (!status) status = visit(context, i, choices);
        memx_choices_close(choices);
    }
    return status;
}

typedef struct counting {
    bool all;
    memx_count total;
    memx_count *each; /* by skeleton, or NULL */
} counting;

static memx_status visit_count(void *context, size_t skeleton, memx_choices *choices) {
    counting *c = context;
    memx_count count;
    memx_status status = memx_choices_count(choices, c->all, &count);
    if (status) return status;
    c->total = memx_count_add(c->total, count);
    if (c->each) c->each[skeleton] = count;
    return MEMX_OK;
}

memx_status memx_search_count(memx_search *search, const memx_bounds *bounds, bool all,
                              const memx_poll *poll, memx_count *out, memx_error *error) {
    counting c = {all, memx_count_of(0), NULL};
    memx_status status = each_skeleton(search, bounds, poll, visit_count, &c, error);
    *out = c.total;
    return status;
}

/* At most this many: one split list for each assignment of levels. Free splits have no such bound. */
static double upper_bound(const memx_search *search, const memx_knobs *knobs) {
    const memx_space *space = search->setting.space;
    int64_t groups = 1;
    if (space->layer_split == MEMX_SPLIT_FREE) return INFINITY;
    if (space->recompute_scope == MEMX_SCOPE_STAGE) groups = knobs->pp;
    if (space->recompute_scope == MEMX_SCOPE_DEVICE) {
        /* Mixed stages count as types of their own: never more groups than stages. */
        groups = memx_least(knobs->pp, 2 * search->setting.job->device_count);
    }
    double splits = 1.0 + 2.0 * (double)space->layer_skew * (double)(knobs->pp - 1);
    return splits * pow((double)search->setting.level_count, (double)groups);
}

memx_status memx_search_exceeds(memx_search *search, const memx_bounds *bounds, int64_t most,
                                const memx_poll *poll, bool *exceeds, memx_count *count,
                                memx_error *error) {
    double bound = 0.0;
    for (size_t i = 0; i < search->skeleton_count; i++) {
        const memx_knobs *knobs = &search->skeletons[i].knobs;
        if (memx_bounds_admit(bounds, knobs)) bound += upper_bound(search, knobs);
    }
    *exceeds = false;
    *count = memx_count_of(0);
    if (bound <= (double)most) return MEMX_OK;
    memx_status status = memx_search_count(search, bounds, false, poll, count, error);
    *exceeds = memx_count_compare(*count, memx_count_of((uint64_t)most)) > 0;
    return status;
}

/* ---- references ---- */

typedef struct gathering {
    memx_search *search;
    int64_t *iteration_ns, *peak_kib;
    memx_u128 *moment;
    size_t count, capacity;
    int64_t fastest_ns;
} gathering;

static bool gather(gathering *g, const memx_choices *choices) {
    memx_measures m;
    if (g->count == g->capacity) return false;
    memx_plan_measure(memx_choices_plan(choices), memx_choices_options(choices), &m);
    if (g->count == 0 || m.iteration_ns < g->fastest_ns) g->fastest_ns = m.iteration_ns;
    g->iteration_ns[g->count] = m.iteration_ns;
    g->peak_kib[g->count] = m.peak_kib;
    g->moment[g->count++] = m.moment;
    return true;
}

static memx_status visit_gather(void *context, size_t skeleton, memx_choices *choices) {
    (void)skeleton;
    memx_status status = memx_choices_first(choices);
    while (!status) {
        if (!gather(context, choices)) return MEMX_FAILED; /* more than counted: cannot happen */
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
static memx_status gather_samples(gathering *g, const counting *counted, const memx_poll *poll,
                                  memx_error *error) {
    memx_search *search = g->search;
    memx_count *indices = malloc(SAMPLES * sizeof *indices);
    uint64_t state = 20; /* the fixed seed */
    if (!indices) return MEMX_NOMEM;
    for (int i = 0; i < SAMPLES; i++) indices[i] = random_below(&state, counted->total);
    qsort(indices, SAMPLES, sizeof *indices, compare_counts);
    memx_count before = memx_count_of(0);
    memx_status status = MEMX_OK;
    size_t at = 0;
    for (size_t i = 0; i < search->skeleton_count && at < SAMPLES && !status; i++) {
        memx_count after = memx_count_add(before, counted->each[i]);
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
            status = memx_choices_open(&search->setting, &search->skeletons[i], poll, &choices,
                                       error);
        }
        if (!status) {
            status = memx_choices_sample(choices, indices + begin, at - begin, visit_sample, g);
        }
        memx_choices_close(choices);
    }
    free(indices);
    return status;
}

static int compare_int64(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int compare_u128(const void *a, const void *b) {
    memx_u128 x = *(const memx_u128 *)a, y = *(const memx_u128 *)b;
    return x < y ? -1 : x > y;
}

static void take_medians(gathering *g, memx_reference *out) {
    size_t high = g->count / 2, low = (g->count - 1) / 2;
    int64_t gpus = g->search->setting.job->gpus;
    qsort(g->iteration_ns, g->count, sizeof *g->iteration_ns, compare_int64);
    qsort(g->peak_kib, g->count, sizeof *g->peak_kib, compare_int64);
    qsort(g->moment, g->count, sizeof *g->moment, compare_u128);
    out->iteration_ms = (memx_ms(g->iteration_ns[low]) + memx_ms(g->iteration_ns[high])) / 2.0;
    out->peak_mib = (memx_mib(g->peak_kib[low]) + memx_mib(g->peak_kib[high])) / 2.0;
    out->variance_mib2 = (memx_variance_mib2(g->moment[low], gpus) +
                          memx_variance_mib2(g->moment[high], gpus)) / 2.0;
    out->fastest_ns = g->fastest_ns;
}

memx_status memx_search_reference(memx_search *search, const memx_poll *poll, memx_reference *out,
                                  memx_error *error) {
    gathering g = {.search = search};
    counting counted = {false, memx_count_of(0), NULL};
    *out = (memx_reference){.feasible = memx_count_of(0)};
    counted.each = calloc(search->skeleton_count + 1, sizeof *counted.each);
    memx_status status = counted.each ? MEMX_OK : MEMX_NOMEM;
    if (!status) status = each_skeleton(search, NULL, poll, visit_count, &counted, error);
    if (status || memx_count_is_zero(counted.total)) goto cleanup;
    out->feasible = counted.total;
    out->sampled = memx_count_compare(counted.total, memx_count_of(UINT64_C(1) << EXACT_BITS)) > 0;
    g.capacity = out->sampled ? SAMPLES : (size_t)memx_count_int64(counted.total);
    g.iteration_ns = malloc(g.capacity * sizeof *g.iteration_ns);
    g.peak_kib = malloc(g.capacity * sizeof *g.peak_kib);
    g.moment = malloc(g.capacity * sizeof *g.moment);
    if (!g.iteration_ns || !g.peak_kib || !g.moment) status = MEMX_NOMEM;
    if (!status) {
        status = out->sampled ? gather_samples(&g, &counted, poll, error)
                              : each_skeleton(search, NULL, poll, visit_gather, &g, error);
    }
    if (!status) take_medians(&g, out);
cleanup:
    free(counted.each);
    free(g.iteration_ns);
    free(g.peak_kib);
    free(g.moment);
    return status;
}

/* ---- explaining ---- */

typedef struct memory_drop {
    memx_search *search;
    memx_count fitting, all;
    memx_shortage nearest;
    bool found;
    size_t skeleton;
} memory_drop;

static memx_status visit_memory(void *context, size_t skeleton, memx_choices *choices) {
    memory_drop *d = context;
    memx_count fitting, all;
    memx_status status = memx_choices_count(choices, false, &fitting);
    if (!status) status = memx_choices_count(choices, true, &all);
    if (status) return status;
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

memx_status memx_search_memory_drop(memx_search *search, const memx_poll *poll, memx_count *out,
                                    memx_error *example, memx_error *error) {
    memory_drop d = {.search = search};
    const memx_job *job = search->setting.job;
    *out = memx_count_of(0);
    example->text[0] = '\0';
    memx_status status = each_skeleton(search, NULL, poll, visit_memory, &d, error);
    if (status || memx_count_compare(d.all, d.fitting) <= 0) return status;
    *out = memx_count_subtract(d.all, d.fitting);
    if (!d.found) return MEMX_OK;
    const memx_knobs *k = &search->skeletons[d.skeleton].knobs;
    const memx_shortage *n = &d.nearest;
    char level[MEMX_LEVEL_TEXT];
    memx_level_format(n->choice.level, level);
    memx_invalid(example,
                 "tp %lld pp %lld dp %lld mb %lld: stage %d on %s with %lld layers at %s needs %.0f "
                 "MiB, %.0f MiB more than the %.0f MiB it may use",
                 (long long)k->tp, (long long)k->pp, (long long)k->dp, (long long)k->micro_batch,
                 (int)n->stage, job->devices[n->device].name, (long long)n->choice.layers, level,
                 memx_mib(n->peak_kib), memx_mib(n->short_kib),
                 memx_mib(n->peak_kib - n->short_kib));
    return MEMX_OK;
}
