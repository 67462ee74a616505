#include "core/skeletons.h"

#include "core/hash.h"
#include "core/orders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct builder {
    memx_skeletons *out;
    const memx_job *job;
    const memx_space *space;
    const memx_poll *poll;
    memx_orders orders;
    uint64_t *hashes; /* of the placements of one set of knobs */
} builder;

static void drop(memx_skeletons *all, memx_reason reason, const memx_error *example) {
    memx_drop *d = &all->drops[reason];
    if (d->count++ == 0) d->example = *example;
}

static memx_status drop_misfit(builder *b, const memx_knobs *knobs, memx_misfit misfit) {
    static const memx_reason reasons[] = {
        [MEMX_TP_NODE] = MEMX_REASON_TP_NODE,
        [MEMX_HEADS_TP] = MEMX_REASON_HEADS_TP,
        [MEMX_KV_TP] = MEMX_REASON_KV_TP,
        [MEMX_BATCH] = MEMX_REASON_BATCH,
        [MEMX_PP_LAYERS] = MEMX_REASON_PP_LAYERS,
        [MEMX_EP] = MEMX_REASON_EP,
        [MEMX_CP] = MEMX_REASON_CP,
        [MEMX_VP] = MEMX_REASON_VP,
    };
    memx_error example;
    memx_misfit_message(b->job, knobs, misfit, &example);
    drop(b->out, reasons[misfit], &example);
    return MEMX_OK;
}

/* Orders that are not looked at, which only large clusters have. */
static void drop_orders(const builder *b) {
    double left = b->orders.all - (double)b->orders.count;
    memx_drop *d = &b->out->drops[MEMX_REASON_ORDERS];
    if (left < 1.0) return;
    d->count = left < 9e18 ? (int64_t)left : INT64_MAX;
    b->out->orders = b->orders.all;
    b->out->orders_taken = (double)b->orders.count;
    char text[MEMX_ORDERS_TEXT];
    memx_orders_text((double)b->orders.count, b->orders.all, text);
    memx_invalid(&d->example, "%s are searched: %s; device_order given is one of your own", text,
                 b->space->device_order == MEMX_ORDER_NODES
                     ? "nodes of a type together, and the given one"
                     : "those nearest to types as given, by memory and by speed");
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

static memx_status add_skeleton(memx_skeletons *all, const memx_knobs *knobs,
                                memx_placement *placement) {
    if (all->count == all->capacity) {
        size_t capacity = all->capacity ? 2 * all->capacity : 64;
        memx_skeleton *items = realloc(all->items, capacity * sizeof *items);
        if (!items) return MEMX_NOMEM;
        all->items = items;
        all->capacity = capacity;
    }
    all->bytes += sizeof *all->items + (size_t)placement->run_capacity * sizeof *placement->runs +
                  (size_t)(placement->stage_count + 1) * sizeof *placement->first;
    all->items[all->count++] = (memx_skeleton){.knobs = *knobs, .placement = *placement};
    *placement = (memx_placement){0};
    return MEMX_OK;
}

static uint64_t placement_hash(const memx_placement *p) {
    return memx_hash(p->runs, (size_t)p->first[p->stage_count] * sizeof *p->runs);
}

/* Every device order of one set of knobs; orders that give the same stages are one. */
static memx_status add_orders(builder *b, const memx_knobs *knobs) {
    memx_skeletons *all = b->out;
    size_t begin = all->count;
    memx_error example = {.text = ""};
    bool any = false;
    for (size_t o = 0; o < b->orders.count; o++) {
        memx_placement placement;
        memx_status status =
            memx_placement_fill(b->job, b->orders.nodes + o * (size_t)b->job->node_count,
                                memx_knobs_stage_gpus(knobs), (int32_t)knobs->pp, &placement);
        if (status) return status;
        int32_t wide = stage_too_wide(b, &placement);
        bool same = false;
        any = any || wide < 0;
        if (wide < 0) {
            status = memx_placement_canonical(b->job, &placement);
            uint64_t mark = placement_hash(&placement);
            for (size_t i = begin; i < all->count && !same && !status; i++) {
                same = b->hashes[i - begin] == mark &&
                       memx_placement_equal(&all->items[i].placement, &placement);
            }
            if (!same) b->hashes[all->count - begin] = mark;
        }
        if (wide >= 0 && !*example.text) {
            memx_text devices = {0};
            memx_stage_devices(b->job, &placement, wide, &devices);
            memx_invalid(&example,
                         "tp %lld dp %lld: stage %d would be %.200s; stage_devices any "
                         "allows it",
                         (long long)knobs->tp, (long long)knobs->dp, (int)wide,
                         devices.failed ? "mixed" : devices.data);
            memx_text_free(&devices);
        }
        if (wide < 0 && !same && !status) status = add_skeleton(all, knobs, &placement);
        memx_placement_free(&placement);
        if (status) return status;
        if (memx_poll_stop(b->poll)) return MEMX_INTERRUPTED;
    }
    if (!any) drop(all, MEMX_REASON_STAGE_DEVICES, &example);
    return MEMX_OK;
}

/* Visits an axis: the space's values, or every divisor of `of`. */
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

/* A setting that is 0 where nothing is there to be divided. */
static bool setting_allowed(const memx_values *values, int64_t own, bool possible, int64_t value) {
    if (!possible) return value == 0;
    return values->count > 0 ? memx_values_allow(values, value) : value == own;
}

static memx_status add_settings(builder *b, memx_knobs *knobs) {
    const memx_values *axes = b->space->axes;
    const memx_framework *f = &b->job->framework;
    memx_status status = MEMX_OK;
    for (int sp = 0; sp <= 1 && !status; sp++) {
        if (!setting_allowed(&axes[MEMX_AXIS_SEQUENCE_PARALLEL], f->sequence_parallel,
                             knobs->tp > 1, sp)) {
            continue;
        }
        for (int zero = MEMX_ZERO_NOTHING; zero <= MEMX_ZERO_PARAMETERS && !status; zero++) {
            if (!setting_allowed(&axes[MEMX_AXIS_DISTRIBUTED_OPTIMIZER], f->distributed_optimizer,
                                 memx_knobs_replicas(knobs) > 1, zero)) {
                continue;
            }
            knobs->sequence_parallel = sp != 0;
            knobs->distributed_optimizer = zero;
            status = add_orders(b, knobs);
        }
    }
    return status;
}

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Chunks of a task that is good without. */
static memx_status add_chunks(builder *b, memx_knobs *knobs) {
    memx_status status = MEMX_OK;
    for (int64_t vp = 0; !status;) {
        vp = next_value(&b->space->axes[MEMX_AXIS_VP], 1, vp);
        if (vp < 0) break;
        knobs->vp = knobs->pp > 1 ? vp : 1; /* one stage has nothing to interleave */
        memx_misfit misfit = memx_knobs_misfit(b->job, knobs);
        status = misfit ? drop_misfit(b, knobs, misfit) : add_settings(b, knobs);
        if (knobs->pp == 1) break;
    }
    knobs->vp = 1;
    return status;
}

/* Expert parallel degrees of a task that is good: a listed one that does not divide is dropped. */
static memx_status add_experts(builder *b, memx_knobs *knobs) {
    int64_t experts = b->job->model.experts;
    int64_t most = experts > 0 ? common_divisor(experts, memx_knobs_replicas(knobs)) : 1;
    memx_status status = MEMX_OK;
    for (int64_t ep = 0; !status;) {
        ep = next_value(&b->space->axes[MEMX_AXIS_EP], most, ep);
        if (ep < 0) break;
        knobs->ep = ep;
        memx_misfit misfit = memx_knobs_misfit(b->job, knobs);
        status = misfit ? drop_misfit(b, knobs, misfit) : add_chunks(b, knobs);
    }
    knobs->ep = 1;
    return status;
}

/* Sequence lengths, heads and groups inside fixed degrees. */
static memx_status add_tasks(builder *b, memx_knobs *knobs) {
    const memx_values *axes = b->space->axes;
    const memx_model *m = &b->job->model;
    const memx_values own_seq = {(int64_t[]){m->seq_length}, 1};
    const memx_values own_heads = {(int64_t[]){m->heads}, 1};
    const memx_values own_kv = {(int64_t[]){m->kv_groups}, 1};
    const memx_values *seqs =
        axes[MEMX_AXIS_SEQ_LENGTH].count ? &axes[MEMX_AXIS_SEQ_LENGTH] : &own_seq;
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
                if (memx_poll_stop(b->poll)) return MEMX_INTERRUPTED;
                if (memx_knobs_model(b->job, knobs, &model, &example)) {
                    drop(b->out, MEMX_REASON_TASK, &example);
                } else if (misfit) {
                    status = drop_misfit(b, knobs, misfit);
                } else {
                    status = add_experts(b, knobs);
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

/* A listed degree that does not divide the GPUs. (dp is what is left: a list only picks from
** it.) */
static void drop_degrees(builder *b, const char *axis, int64_t value, int64_t tp, int64_t pp) {
    memx_error example;
    char beside[60] = "";
    if (pp > 0) {
        snprintf(beside, sizeof beside, " beside tp %lld and pp %lld", (long long)tp,
                 (long long)pp);
    } else if (tp > 0) {
        snprintf(beside, sizeof beside, " beside tp %lld", (long long)tp);
    }
    memx_invalid(&example, "%s %lld%s does not divide the %lld GPUs of cluster '%s'", axis,
                 (long long)value, beside, (long long)b->job->gpus, b->job->cluster);
    drop(b->out, MEMX_REASON_DEGREES, &example);
}

/* Context parallel degrees of given tp and pp; dp follows. */
static memx_status add_contexts(builder *b, memx_knobs *knobs) {
    const memx_values *axes = b->space->axes;
    int64_t left = b->job->gpus / knobs->tp / knobs->pp;
    memx_status status = MEMX_OK;
    for (int64_t cp = 0; !status;) {
        cp = next_value(&axes[MEMX_AXIS_CP], 1, cp);
        if (cp <= 0) break;
        if (left % cp != 0) {
            drop_degrees(b, "cp", cp, knobs->tp, knobs->pp);
            continue;
        }
        knobs->cp = cp;
        knobs->dp = left / cp;
        memx_knobs_default(b->job, knobs);
        if (!memx_values_allow(&axes[MEMX_AXIS_DP], knobs->dp)) {
            memx_error example;
            char context[40] = "";
            if (cp > 1) snprintf(context, sizeof context, " and cp %lld", (long long)cp);
            memx_invalid(&example,
                         "tp %lld and pp %lld%s leave dp %lld, which the space does not list",
                         (long long)knobs->tp, (long long)knobs->pp, context, (long long)knobs->dp);
            drop(b->out, MEMX_REASON_DEGREES, &example);
            continue;
        }
        status = add_micro_batches(b, knobs);
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
        if (tp <= 0) break;
        if (job->gpus % tp != 0) {
            drop_degrees(b, "tp", tp, 0, 0);
            continue;
        }
        memx_knobs knobs = {.tp = tp, .pp = 1, .dp = job->gpus / tp, .cp = 1, .micro_batch = 1};
        memx_knobs_default(job, &knobs);
        memx_misfit misfit = memx_knobs_misfit(job, &knobs);
        if (misfit == MEMX_TP_NODE ||
            (!heads_vary && (misfit == MEMX_HEADS_TP || misfit == MEMX_KV_TP))) {
            status = drop_misfit(b, &knobs, misfit);
            continue;
        }
        for (int64_t pp = 0; !status;) {
            pp = next_value(&axes[MEMX_AXIS_PP], job->gpus / tp, pp);
            if (pp <= 0) break;
            if (job->gpus / tp % pp != 0) {
                drop_degrees(b, "pp", pp, tp, 0);
                continue;
            }
            if (pp > MEMX_MAX_STAGES) continue; /* beyond any model's layers */
            knobs.pp = pp;
            status = add_contexts(b, &knobs);
        }
    }
    return status;
}

memx_status memx_skeletons_open(const memx_job *job, const memx_space *space, const memx_poll *poll,
                                memx_skeletons *out) {
    builder b = {.out = out, .job = job, .space = space, .poll = poll};
    *out = (memx_skeletons){.count = 0};
    memx_status status = memx_orders_open(job, space->device_order, poll, &b.orders);
    if (!status) {
        b.hashes = calloc(b.orders.count, sizeof *b.hashes);
        status = b.hashes ? MEMX_OK : MEMX_NOMEM;
    }
    if (!status) {
        drop_orders(&b);
        status = add_degrees(&b);
    }
    memx_orders_close(&b.orders);
    free(b.hashes);
    if (status) memx_skeletons_close(out);
    return status;
}

void memx_skeletons_close(memx_skeletons *skeletons) {
    for (size_t i = 0; i < skeletons->count; i++) {
        memx_placement_free(&skeletons->items[i].placement);
        free(skeletons->items[i].list.rows);
    }
    free(skeletons->items);
    *skeletons = (memx_skeletons){.count = 0};
}
