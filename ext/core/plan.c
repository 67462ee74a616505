#include "core/plan.h"

#include "core/host.h"
#include "core/network.h"
#include "core/pipeline.h"
#include "core/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double memx_variance_mib2(memx_u128 moment, int64_t gpus) {
    double n = (double)gpus;
    return (double)moment / (n * n) / 1048576.0;
}

/* ---- building ---- */

/* Walks the ranks of two stages in step: piece after piece, so many GPUs of one run of each. Start with
** pieces = {from, to} and stop when `next_piece` answers false. */
typedef struct pieces {
    int32_t from, to; /* the stages */
    int32_t a, b;     /* runs, by index */
    int32_t gpus;     /* of this piece */
    int32_t left_a, left_b;
} pieces;

static bool next_piece(const memx_placement *p, pieces *w) {
    if (w->gpus == 0) {
        w->a = p->first[w->from];
        w->b = p->first[w->to];
        w->left_a = p->runs[w->a].gpus;
        w->left_b = p->runs[w->b].gpus;
    } else {
        w->left_a -= w->gpus;
        w->left_b -= w->gpus;
        if (w->left_a == 0) {
            if (++w->a == p->first[w->from + 1]) return false;
            w->left_a = p->runs[w->a].gpus;
        }
        if (w->left_b == 0) w->left_b = p->runs[++w->b].gpus;
    }
    w->gpus = w->left_a < w->left_b ? w->left_a : w->left_b;
    return true;
}

/* The message of one micro batch from one stage to another: its slowest pair of ranks. Every tensor
** rank sends its part of the activation (arXiv:2104.04473 section 4.1); without sequence
** parallelism the receivers gather the whole over their link. `flows` holds a zero for each run of
** the placement: the GPUs that send out of, or receive into, its node at once. */
static double hop_ms(const memx_plan *plan, const memx_placement *p, int32_t from_stage,
                     int32_t to_stage, int64_t *flows) {
    const memx_job *job = plan->job;
    const memx_knobs *k = plan->knobs;
    double whole = job->framework.activation_bytes * (double)k->micro_batch *
                   (double)k->seq_length / (double)k->cp * (double)plan->model.hidden;
    double bytes = whole / (double)k->tp, slowest = 0.0;
    for (pieces w = {.from = from_stage, .to = to_stage}; next_piece(p, &w);) {
        if (p->runs[w.a].node == p->runs[w.b].node) continue;
        flows[w.a] += w.gpus;
        flows[w.b] += w.gpus;
    }
    for (pieces w = {.from = from_stage, .to = to_stage}; next_piece(p, &w);) {
        const memx_node *from = &job->nodes[p->runs[w.a].node];
        const memx_node *to = &job->nodes[p->runs[w.b].node];
        double ms;
        if (from == to) {
            ms = memx_hop_intra_ms(bytes, from->link_gbs);
        } else {
            ms = fmax(memx_hop_inter_ms(bytes, flows[w.a], from->inter_gbs, job->flow_gbs,
                                        job->inter_efficiency, job->latency_us),
                      memx_hop_inter_ms(bytes, flows[w.b], to->inter_gbs, job->flow_gbs,
                                        job->inter_efficiency, job->latency_us));
        }
        if (k->tp > 1 && !k->sequence_parallel)
            ms += memx_hop_intra_ms(whole - bytes, to->link_gbs);
        slowest = fmax(slowest, ms);
    }
    const int32_t ends[] = {from_stage, to_stage};
    for (int i = 0; i < 2; i++) {
        int32_t begin = p->first[ends[i]], end = p->first[ends[i] + 1];
        memset(flows + begin, 0, (size_t)(end - begin) * sizeof *flows);
    }
    return slowest;
}

static memx_share share_of(const memx_job *job, const memx_node *node) {
    return (memx_share){.device = node->device,
                        .link_gbs = node->link_gbs,
                        .host_gbs = memx_host_link_gbs(job, node),
                        .host_memory_gbs = memx_host_gbs(node) / (double)node->gpus,
                        .host_kib = memx_host_device_kib(job, node)};
}

int32_t memx_shape_share(const memx_job *job, const memx_shape *shape, const memx_node *node) {
    const memx_share one = share_of(job, node);
    int32_t i = 0;
    for (; i < shape->share_count; i++) {
        const memx_share *s = &shape->shares[i];
        if (s->device == one.device && s->link_gbs == one.link_gbs && s->host_gbs == one.host_gbs &&
            s->host_memory_gbs == one.host_memory_gbs && s->host_kib == one.host_kib) {
            break;
        }
    }
    return i;
}

/* Merges the stage's runs into shares and finds its gradient ring's narrowest links. */
static memx_status shape_runs(const memx_job *job, const memx_placement *p, int32_t stage,
                              memx_shape *shape) {
    int32_t begin = p->first[stage], end = p->first[stage + 1];
    shape->shares = calloc((size_t)(end - begin), sizeof *shape->shares);
    if (!shape->shares) return MEMX_NOMEM;
    shape->sync_nodes = end - begin;
    shape->sync_link_gbs = shape->sync_inter_gbs = INFINITY;
    for (int32_t r = begin; r < end; r++) {
        const memx_node *node = &job->nodes[p->runs[r].node];
        shape->sync_link_gbs = fmin(shape->sync_link_gbs, node->link_gbs);
        shape->sync_inter_gbs = fmin(shape->sync_inter_gbs, node->inter_gbs);
        int32_t i = memx_shape_share(job, shape, node);
        if (i == shape->share_count) shape->shares[shape->share_count++] = share_of(job, node);
        shape->shares[i].gpus += p->runs[r].gpus;
    }
    return MEMX_OK;
}

/* What groups of consecutive ranks do. */
typedef enum traffic { EXCHANGE, RING } traffic;

/* GB/s that one GPU reaches inside groups of `width` consecutive ranks of a stage (Megatron-LM's order
** tp-cp-ep-dp-pp), on the narrowest way of any such group. An all-to-all of a group on several nodes
** sends all but its own part away from a node, and shares the network with all of the stage's GPUs
** there; of a ring only one tensor group sends to the next node. */
static double group_gbs(const memx_job *job, const memx_knobs *k, const memx_placement *p,
                        int32_t stage, int64_t width, traffic of) {
    int64_t end = p->first[stage + 1], begun = 0;
    double narrowest = INFINITY;
    if (width == k->tp) return 0.0;
    for (int64_t r = p->first[stage]; r < end; r++) {
        const memx_node *node = &job->nodes[p->runs[r].node];
        int64_t gpus = p->runs[r].gpus, head = begun > 0 ? memx_least(width - begun, gpus) : 0;
        int64_t rest = (gpus - head) % width;
        /* Groups that began on an earlier node, or go on on the next: so many of their ranks are here. */
        const int64_t parts[] = {head, rest};
        int64_t cut = (head > 0) + (rest > 0), flows = of == RING ? cut * k->tp : gpus;
        narrowest = fmin(narrowest, memx_reached_intra_gbs(node->link_gbs));
        for (int i = 0; i < 2; i++) {
            if (parts[i] == 0) continue;
            double inter = memx_reached_inter_gbs(flows, node->inter_gbs, job->flow_gbs,
                                                  job->inter_efficiency);
            double away = of == RING ? 1.0 : (double)(width - parts[i]) / (double)(width - k->tp);
            narrowest = fmin(narrowest, inter / away);
        }
        begun = rest > 0 ? rest : (begun + head) % width;
    }
    return narrowest;
}

/* Tied embeddings live on the first and the last stage; their gradients are summed at the end. */
static double tied_sync_ms(const memx_plan *plan, const memx_placement *p) {
    const memx_job *job = plan->job;
    const memx_knobs *k = plan->knobs;
    const memx_node *first = &job->nodes[p->runs[0].node];
    const memx_node *last = &job->nodes[p->runs[p->first[p->stage_count] - 1].node];
    double bytes = (double)memx_padded_vocab(&plan->model, k->tp) * (double)plan->model.hidden /
                   (double)k->tp * job->framework.gradient_bytes;
    if (first == last) return memx_all_reduce_ms(bytes, 2, first->link_gbs);
    int64_t flows = memx_knobs_stage_gpus(k);
    int64_t gpus = first->gpus < last->gpus ? first->gpus : last->gpus;
    return memx_hop_inter_ms(bytes, flows < gpus ? flows : gpus,
                             fmin(first->inter_gbs, last->inter_gbs), job->flow_gbs,
                             job->inter_efficiency, job->latency_us);
}

/* Megatron-LM sends in the background where there are chunks, and only there. */
static double p2p_overlap(const memx_plan *plan) {
    const memx_framework *f = &plan->job->framework;
    return plan->knobs->vp > 1 ? f->p2p_overlap_interleaved : f->p2p_overlap;
}

static memx_schedule plan_schedule(const memx_plan *plan) {
    return (memx_schedule){plan->stage_count, plan->knobs->vp, plan->micro_batches,
                           p2p_overlap(plan)};
}

memx_status memx_plan_build(const memx_job *job, const memx_knobs *k,
                            const memx_placement *placement, memx_plan *out, memx_error *error) {
    *out = (memx_plan){.job = job, .knobs = k, .stage_count = placement->stage_count};
    memx_status status = memx_knobs_model(job, k, &out->model, error);
    if (status) return status;
    out->layers = out->model.layers / k->vp;
    out->micro_batches = job->global_batch / k->dp / k->micro_batch;
    out->slots = out->micro_batches * k->vp;
    const memx_schedule schedule = plan_schedule(out);
    out->shapes = calloc((size_t)out->stage_count, sizeof *out->shapes);
    int64_t *flows = calloc((size_t)placement->first[out->stage_count], sizeof *flows);
    if (!out->shapes || !flows) status = MEMX_NOMEM;
    int64_t before = 0, tied = 0;
    if (out->model.tied_embeddings && k->pp > 1) tied = memx_whole_ns(tied_sync_ms(out, placement));
    if (k->vp > 1 && !status) {
        out->wrap_ns = memx_whole_ns(hop_ms(out, placement, out->stage_count - 1, 0, flows));
    }
    for (int32_t s = 0; s < out->stage_count && !status; s++) {
        memx_shape *shape = &out->shapes[s];
        bool first = s == 0, last = s + 1 == out->stage_count;
        int64_t after = last ? 0 : memx_whole_ns(hop_ms(out, placement, s, s + 1, flows));
        shape->spec = (memx_stage_spec){
            .model = out->model,
            .tp = k->tp,
            .dp = k->dp,
            .micro_batch = k->micro_batch,
            .in_flight = memx_in_flight(&schedule, s),
            .vp = k->vp,
            .end_in_flight = memx_end_in_flight(&schedule, s),
            .cp = k->cp,
            .ep = k->ep,
            .first = first,
            .last = last,
            .sequence_parallel = k->sequence_parallel,
            .distributed_optimizer = k->distributed_optimizer,
            .exchange_gbs = group_gbs(job, k, placement, s, k->ep * k->tp, EXCHANGE),
            .ring_gbs = group_gbs(job, k, placement, s, k->cp * k->tp, RING),
        };
        shape->hop_before_ns = before;
        shape->hop_after_ns = after;
        shape->tied_sync_ns = first || last ? tied : 0;
        shape->wrap_ns = first || last ? memx_pipeline_wrap_ns(out->wrap_ns, k->vp) : 0;
        status = shape_runs(job, placement, s, shape);
        out->hops_ns += after;
        before = after;
    }
    free(flows);
    if (status) memx_plan_free(out);
    return status;
}

void memx_plan_free(memx_plan *plan) {
    for (int32_t s = 0; plan->shapes && s < plan->stage_count; s++) free(plan->shapes[s].shares);
    free(plan->shapes);
    *plan = (memx_plan){0};
}

/* ---- options ---- */

/* ms of the optimizer step on one device. Its part on the host goes on beside the device's: gradients there,
** the update at the speed of the host's memory, parameters back, in pieces that overlap, as DeepSpeed's
** CPUAdam does (arXiv:2101.06840, 4). */
static double update_ms(const memx_plan *plan, const memx_share *share, double parameters,
                        double offloaded) {
    const memx_framework *f = &plan->job->framework;
    const memx_device *d = &plan->job->devices[share->device];
    double rate = d->memory_gbs * 1e6 * d->memory_efficiency;
    double here = f->update_bytes * (1.0 - offloaded) * parameters / rate;
    if (!(offloaded > 0.0)) return here;
    double moved = fmax(f->gradient_bytes, f->parameter_bytes) / share->host_gbs;
    double there = offloaded * parameters * fmax(moved, f->update_bytes / share->host_memory_gbs);
    return fmax(here, there * 1e-6);
}

/* A ring of a routed expert's replicas: one in every ep of the stage's tensor groups. Groups on one node
** leave a ring on every node; groups on several, on one of each. */
static void ring_of_experts(const memx_knobs *k, memx_sync *sync) {
    int64_t nodes = sync->nodes;
    sync->replicas = memx_knobs_replicas(k) / k->ep;
    sync->nodes = memx_least(nodes, sync->replicas);
    sync->rings = memx_greatest(1, k->tp * k->ep * sync->nodes / nodes);
}

/* ms of a collective of so many bytes a parameter over the replicas of a stage's parameters, in `parts` one
** after the other. */
static double replicas_ms(const memx_plan *plan, const memx_shape *shape,
                          const memx_stage_choice *choice, double passes, double bytes,
                          double parts) {
    const memx_job *job = plan->job;
    const memx_knobs *k = plan->knobs;
    if (bytes <= 0.0) return 0.0;
    double experts = 0.0, all = memx_stage_parameters(&shape->spec, choice->layers, &experts);
    memx_sync sync = {
        .bytes = (k->ep > 1 ? all - experts : all) * bytes / parts,
        .passes = passes,
        .replicas = memx_knobs_replicas(k),
        .nodes = shape->sync_nodes,
        .rings = k->tp,
        .link_gbs = shape->sync_link_gbs,
        .inter_gbs = shape->sync_inter_gbs,
        .flow_gbs = job->flow_gbs,
        .inter_efficiency = job->inter_efficiency,
        .latency_us = job->latency_us,
    };
    double ms = memx_sync_ms(&sync);
    if (k->ep > 1) {
        ring_of_experts(k, &sync);
        sync.bytes = experts * bytes / parts;
        ms += memx_sync_ms(&sync);
    }
    return parts * ms;
}

/* A pass with transfers beside it, of which it hides what the framework can. */
static int64_t with_transfers_ns(const memx_plan *plan, int64_t pass_ns, double transfers_ms) {
    int64_t ns = memx_whole_ns(transfers_ms), hidden = memx_least(ns, pass_ns);
    return memx_capped_ns(pass_ns + ns - llround(plan->job->framework.dp_overlap * (double)hidden));
}

/* ZeRO-2 reduces the gradients of every micro batch, unit by unit, since nobody keeps them whole;
** ZeRO-3 gathers the parameters as well, in both passes (arXiv:1910.02054, section 7). */
static void option_add_transfers(const memx_plan *plan, const memx_shape *shape,
                                 const memx_stage_choice *choice, memx_option *option) {
    const memx_framework *f = &plan->job->framework;
    int64_t zero = plan->knobs->distributed_optimizer;
    double chunks = (double)memx_stage_chunks(&shape->spec), gather = 0.0;
    double units = chunks * (double)choice->layers;
    if (zero < MEMX_ZERO_GRADIENTS) return;
    if (zero == MEMX_ZERO_PARAMETERS) {
        gather = replicas_ms(plan, shape, choice, 1.0, f->activation_bytes, units);
    }
    double scatter = replicas_ms(plan, shape, choice, 1.0, f->gradient_bytes, units);
    int64_t backward = memx_option_backward_ns(option);
    option->forward_ns = with_transfers_ns(plan, option->forward_ns, gather / chunks);
    option->time_ns = memx_capped_ns(
        option->forward_ns + with_transfers_ns(plan, backward, (gather + scatter) / chunks));
}

/* Gradient sync and optimizer step of one choice: both grow with the stage's parameters. */
static void option_tail(const memx_plan *plan, const memx_shape *shape,
                        const memx_stage_choice *choice, memx_option *option) {
    const memx_framework *f = &plan->job->framework;
    double sync_ms = 0.0, slowest_ms = 0.0, offloaded = (double)choice->level.offload / 100.0;
    switch ((memx_zero)plan->knobs->distributed_optimizer) {
    case MEMX_ZERO_NOTHING: /* an all-reduce of gradients */
        sync_ms = replicas_ms(plan, shape, choice, 2.0, f->gradient_bytes, 1.0);
        break;
    case MEMX_ZERO_OPTIMIZER: /* their reduce-scatter, and an all-gather of parameters */
        sync_ms =
            replicas_ms(plan, shape, choice, 1.0, f->gradient_bytes + f->parameter_bytes, 1.0);
        break;
    case MEMX_ZERO_GRADIENTS:
        sync_ms = replicas_ms(plan, shape, choice, 1.0, f->parameter_bytes, 1.0);
        break;
    case MEMX_ZERO_PARAMETERS: break;
    }
    double updated = memx_stage_updated(&shape->spec, choice->layers);
    int64_t ns = memx_whole_ns(sync_ms);
    int64_t backward = memx_stage_chunks(&shape->spec) * memx_option_backward_ns(option);
    int64_t hidden = memx_least(ns, backward);
    for (int32_t i = 0; i < shape->share_count; i++)
        slowest_ms = fmax(slowest_ms, update_ms(plan, &shape->shares[i], updated, offloaded));
    option->sync_ns = ns - llround(f->dp_overlap * (double)hidden) + shape->tied_sync_ns;
    option->tail_ns = option->sync_ns + memx_whole_ns(slowest_ms);
}

/* The mean of a stage's chunks, half a nanosecond up. */
static int64_t per_chunk_ns(int64_t ns, int64_t chunks) {
    return (ns + chunks / 2) / chunks;
}

/* Adds one share's GPUs to an option: the slowest replica sets the time, memory counts per GPU. */
static void option_add_share(const memx_plan *plan, const memx_share *share, int32_t index,
                             const memx_stage_price *price, memx_option *option) {
    int64_t peak = memx_stage_peak_kib(&price->memory);
    int64_t card = memx_card_kib(plan->job, share->device);
    int64_t missing = peak - memx_usable_kib(plan->job, share->device);
    double free_share = (double)(card - peak) / (double)card;
    if (price->host_kib > 0) { /* a full host ends the run as a full card does */
        free_share = fmin(free_share, (double)(share->host_kib - price->host_kib) /
                                          (double)memx_greatest(share->host_kib, 1));
    }
    int64_t chunks = plan->knobs->vp;
    int64_t forward = per_chunk_ns(price->forward_ns, chunks);
    int64_t time = forward + per_chunk_ns(price->backward_ns, chunks);
    if (time > option->time_ns) {
        option->time_ns = time;
        option->forward_ns = forward;
    }
    option->extrapolated = option->extrapolated || price->extrapolated;
    option->peak_kib = memx_greatest(option->peak_kib, peak);
    if (index == 0 || card - peak < option->free_kib) option->free_kib = card - peak;
    if (index == 0 || free_share < option->free_share) {
        option->free_share = free_share;
        option->tightest = index;
    }
    int64_t missing_on_host = price->host_kib - share->host_kib;
    if (memx_greatest(missing, missing_on_host) > option->short_kib) {
        option->short_kib = memx_greatest(missing, missing_on_host);
        option->short_share = index;
        option->short_on_host = missing_on_host > missing;
    }
    option->s1 += share->gpus * peak;
    option->s2 += (memx_u128)share->gpus * (memx_u128)peak * (memx_u128)peak;
}

/* A level that uses the host needs to know the way there. */
static memx_status check_host(const memx_plan *plan, const memx_share *share,
                              const memx_stage_choice *choices, size_t count, memx_error *error) {
    if (share->host_gbs > 0.0) return MEMX_OK;
    for (size_t c = 0; c < count; c++) {
        if (!memx_level_uses_host(choices[c].level)) continue;
        char level[MEMX_LEVEL_TEXT];
        memx_level_format(choices[c].level, level);
        return memx_invalid(
            error,
            "level %s uses the host, but device '%s' has no host_gbs; write its link "
            "to the host, GB/s per direction, into memx_device",
            level, plan->job->devices[share->device].name);
    }
    return MEMX_OK;
}

memx_status memx_plan_options(const memx_plan *plan, const memx_shape *shape,
                              const memx_pricer *pricer, const memx_stage_choice *choices,
                              size_t count, memx_option *out, memx_error *error) {
    memx_stage_price *prices = malloc((count ? count : 1) * sizeof *prices);
    if (!prices) return MEMX_NOMEM;
    memx_status status = MEMX_OK;
    memset(out, 0, count * sizeof *out);
    for (int32_t i = 0; i < shape->share_count && !status; i++) {
        const memx_share *share = &shape->shares[i];
        memx_stage_spec spec = shape->spec;
        spec.link_gbs = share->link_gbs;
        spec.host_gbs = share->host_gbs;
        status = check_host(plan, share, choices, count, error);
        if (status) break;
        status = pricer->price(pricer->context, plan->job, share->device, &spec, choices, count,
                               prices, error);
        for (size_t c = 0; c < count && !status; c++) {
            option_add_share(plan, share, i, &prices[c], &out[c]);
        }
    }
    for (size_t c = 0; c < count && !status; c++) {
        memx_option *option = &out[c];
        option_add_transfers(plan, shape, &choices[c], option);
        option->slot_ns =
            memx_pipeline_slot_ns(option->time_ns, shape->hop_before_ns + shape->wrap_ns,
                                  shape->hop_after_ns, p2p_overlap(plan));
        option_tail(plan, shape, &choices[c], option);
    }
    free(prices);
    return status;
}

memx_status memx_plan_price(const memx_plan *plan, const memx_shape *shape, int32_t share,
                            const memx_pricer *pricer, const memx_stage_choice *choice,
                            memx_stage_price *out, memx_error *error) {
    memx_stage_spec spec = shape->spec;
    spec.link_gbs = shape->shares[share].link_gbs;
    spec.host_gbs = shape->shares[share].host_gbs;
    memx_status status = check_host(plan, &shape->shares[share], choice, 1, error);
    if (status) return status;
    return pricer->price(pricer->context, plan->job, shape->shares[share].device, &spec, choice, 1,
                         out, error);
}

/* ---- measures ---- */

void memx_plan_measure(const memx_plan *plan, const memx_option *const *options,
                       memx_measures *out) {
    int64_t slot = 0, slowest = -1, sum = 0, tail = -1, s1 = 0, peak = 0;
    memx_u128 s2 = 0;
    *out = (memx_measures){.fits = true};
    for (int32_t s = 0; s < plan->stage_count; s++) {
        const memx_option *o = options[s];
        slot = memx_greatest(slot, o->slot_ns);
        sum += o->time_ns;
        if (o->time_ns > slowest) {
            slowest = o->time_ns;
            out->slowest = s;
        }
        if (o->tail_ns > tail) {
            tail = o->tail_ns;
            out->sync_ns = o->sync_ns;
        }
        peak = memx_greatest(peak, o->peak_kib);
        if (s == 0 || o->free_kib < out->free_kib) out->free_kib = o->free_kib;
        if (s == 0 || o->free_share < out->free_share) {
            out->free_share = o->free_share;
            out->tightest = s;
        }
        s1 += o->s1;
        s2 += o->s2;
        out->fits = out->fits && o->short_kib == 0;
    }
    out->slowest_ns = slowest;
    out->p2p_ns = memx_plan_iteration_ns(plan, slot - slowest, 2 * plan->hops_ns);
    out->iteration_ns = memx_plan_iteration_ns(
        plan, slot, sum + 2 * plan->hops_ns + tail + memx_whole_ns(plan->job->overhead_ms));
    out->peak_kib = peak;
    out->moment = (memx_u128)plan->job->gpus * s2 - (memx_u128)s1 * (memx_u128)s1;
}

void memx_plan_move(const memx_plan *plan, const memx_option **options, const memx_measures *now,
                    int32_t stage, const memx_option *then, memx_move *out) {
    const memx_option *kept = options[stage];
    int64_t saved_kib = kept->peak_kib - then->peak_kib;
    options[stage] = then;
    memx_plan_measure(plan, options, &out->after);
    options[stage] = kept;
    out->rate_local = out->rate_iteration = NAN;
    if (saved_kib <= 0) return;
    out->rate_local =
        memx_ms(plan->knobs->vp * (then->time_ns - kept->time_ns)) / memx_mib(saved_kib);
    out->rate_iteration =
        memx_ms(out->after.iteration_ns - now->iteration_ns) / memx_mib(saved_kib);
}

memx_status memx_plan_watch(const memx_plan *plan, const memx_option *const *options,
                            const memx_poll *poll, const memx_task_watch *watch, int64_t *out_ns) {
    memx_pipeline_stage *stages = calloc((size_t)plan->stage_count, sizeof *stages);
    if (!stages) return MEMX_NOMEM;
    const memx_schedule schedule = plan_schedule(plan);
    int64_t tail = 0;
    for (int32_t s = 0; s < plan->stage_count; s++) {
        stages[s] =
            (memx_pipeline_stage){options[s]->forward_ns, memx_option_backward_ns(options[s]),
                                  plan->shapes[s].hop_after_ns};
        if (s + 1 == plan->stage_count) stages[s].hop_ns = plan->wrap_ns;
        tail = memx_greatest(tail, options[s]->tail_ns);
    }
    memx_status status = memx_pipeline_simulate_ns(stages, &schedule, poll, watch, out_ns);
    if (!status) {
        *out_ns = memx_capped_ns(*out_ns + tail + memx_whole_ns(plan->job->overhead_ms));
    }
    free(stages);
    return status;
}

memx_status memx_plan_simulate(const memx_plan *plan, const memx_option *const *options,
                               const memx_poll *poll, int64_t *out_ns) {
    return memx_plan_watch(plan, options, poll, NULL, out_ns);
}

double memx_bubble(const memx_plan *plan, const memx_measures *m) {
    if (m->iteration_ns == MEMX_MOST_ITERATION_NS) return NAN;
    return 1.0 - (double)plan->slots * (double)m->slowest_ns / (double)m->iteration_ns;
}

double memx_tokens_per_s(const memx_plan *plan, int64_t iteration_ns) {
    double tokens = (double)plan->job->global_batch * (double)plan->knobs->seq_length;
    return tokens / ((double)iteration_ns * 1e-9);
}

double memx_tflops_per_gpu(const memx_plan *plan, int64_t iteration_ns) {
    return memx_tokens_per_s(plan, iteration_ns) * memx_model_flops(&plan->model) /
           (double)plan->job->gpus * 1e-12;
}
