#include "core/protrain.h"

#include "core/host.h"
#include "core/network.h"
#include "core/stage.h"
#include "core/whole.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Eq. 11: alpha = 1.10 for fragmentation (3.3), as tenths. */
static const int64_t FRAGMENTATION_TENTHS = 11;
/* What swapping takes from a prefetch: axolotl's 0.5 (integrations/protrain, cost/bandwidth.py). The paper,
** too, takes a lower bandwidth for chunks that meet swapping (3.3). */
static const double SWAP_CONTENTION = 0.5;
/* Gradients of chunks: one being computed, one being reduced (ours). */
static const int64_t GRADIENT_CHUNKS = 2;
/* A chunk's time is cut here (4.9 hours), so that 65,536 of them add up. */
#define MOST_CHUNK_NS (INT64_C(1) << 44)
#define MOST_KIB (INT64_C(1) << 60)

/* The product, at most `most`. */
static int64_t times(int64_t a, int64_t b, int64_t most) {
    double product = (double)a * (double)b;
    return product < (double)most ? a * b : most;
}

/* ---- opening ---- */

static memx_status check_job(const memx_job *job, memx_error *error) {
    const memx_device *d = &job->devices[0];
    if (job->device_count > 1) {
        return memx_invalid(error,
                            "ProTrain needs one device type; cluster '%s' has %d, %s and %s among "
                            "them; write a cluster of one",
                            job->cluster, (int)job->device_count, d->name, job->devices[1].name);
    }
    if (!(d->host_gbs > 0.0)) {
        return memx_invalid(error,
                            "device '%s' has no host_gbs; write its link to the host, GB/s per "
                            "direction, into memx_device",
                            d->name);
    }
    if (job->model.layers > MEMX_MOST_BLOCKS) {
        return memx_invalid(error, "model '%s' has %lld layers; ProTrain's search takes up to %d",
                            job->model.name, (long long)job->model.layers, (int)MEMX_MOST_BLOCKS);
    }
    if (job->model.experts > 0 || job->model.kv_lora_rank > 0) {
        return memx_invalid(error,
                            "model '%s' has %s, which ProTrain's blocks do not have; write a model "
                            "without, or ask memx_configs",
                            job->model.name,
                            job->model.experts > 0 ? "experts" : "latent attention (kv_lora_rank)");
    }
    if (job->global_batch % job->gpus != 0) {
        return memx_invalid(error,
                            "global_batch %lld does not divide by the %lld GPUs; write a multiple",
                            (long long)job->global_batch, (long long)job->gpus);
    }
    return MEMX_OK;
}

static memx_status open_hosts(memx_protrain *p) {
    const memx_job *job = p->job;
    p->hosts = calloc((size_t)job->node_count, sizeof *p->hosts);
    if (!p->hosts) return MEMX_NOMEM;
    for (int32_t i = 0; i < job->node_count; i++) {
        const memx_node *node = &job->nodes[i];
        memx_protrain_host host = {
            .gpus = node->gpus,
            .memory_kib = (int64_t)floor(memx_host_mib(job, node) * 1024.0),
            .usable_kib = memx_host_usable_kib(job, node),
            .ordinal = node->ordinal,
        };
        int32_t known = 0;
        while (known < p->host_count && p->hosts[known].gpus != host.gpus) known++;
        if (known == p->host_count) {
            p->hosts[p->host_count++] = host;
        } else if (host.memory_kib < p->hosts[known].memory_kib) {
            p->hosts[known] = host;
        }
    }
    return MEMX_OK;
}

/* A collective of all GPUs that passes `bytes` once. */
static int64_t collective_ns(const memx_job *job, double bytes) {
    memx_sync sync = {
        .bytes = bytes,
        .passes = 1.0,
        .replicas = job->gpus,
        .nodes = job->node_count,
        .rings = 1,
        .link_gbs = INFINITY,
        .inter_gbs = INFINITY,
        .flow_gbs = job->flow_gbs,
        .inter_efficiency = job->inter_efficiency,
        .latency_us = job->latency_us,
    };
    for (int32_t i = 0; i < job->node_count; i++) {
        sync.link_gbs = fmin(sync.link_gbs, job->nodes[i].link_gbs);
        sync.inter_gbs = fmin(sync.inter_gbs, job->nodes[i].inter_gbs);
    }
    return memx_least(memx_whole_ns(memx_sync_ms(&sync)), MOST_CHUNK_NS);
}

/* Of one GPU, while all GPUs of its node do the same. */
static double host_link_gbs(const memx_job *job) {
    double gbs = INFINITY;
    for (int32_t i = 0; i < job->node_count; i++)
        gbs = fmin(gbs, memx_host_link_gbs(job, &job->nodes[i]));
    return gbs;
}

static int64_t copy_ns(const memx_job *job, double bytes) {
    return memx_least(memx_whole_ns(bytes / (host_link_gbs(job) * 1e6)), MOST_CHUNK_NS);
}

static memx_status open_chunks(memx_protrain *p, memx_error *error) {
    const memx_job *job = p->job;
    const memx_framework *f = &job->framework;
    memx_status status = memx_chunks_open(&job->model, f->parameter_bytes, &p->chunks, error);
    if (status) return status;
    double dp = (double)job->gpus, bytes = (double)p->chunks.mib * 1048576.0;
    double gradients = bytes * f->gradient_bytes / f->parameter_bytes;
    double optimizer = bytes * f->optimizer_bytes / f->parameter_bytes;
    p->fetch_gather_ns = collective_ns(job, bytes);
    p->fetch_copy_ns = copy_ns(job, bytes / dp);
    p->reduce_ns = collective_ns(job, gradients);
    p->offload_ns = copy_ns(job, gradients / dp);
    p->buffer_kib = memx_whole_kib(bytes);
    p->persist_kib = memx_whole_kib(bytes + (gradients + optimizer) / dp);
    p->gradient_kib = memx_least(GRADIENT_CHUNKS, p->chunks.count) * memx_whole_kib(gradients);
    p->host_kib = memx_whole_kib(bytes + gradients + optimizer);
    return MEMX_OK;
}

static memx_status open_updates(memx_protrain *p) {
    const memx_job *job = p->job;
    const memx_device *d = &job->devices[0];
    size_t n = (size_t)p->chunks.count + 1;
    double *parameters = calloc(n, sizeof *parameters);
    p->gpu_update_ns = calloc(n, sizeof *p->gpu_update_ns);
    p->cpu_update_ns = calloc(n, sizeof *p->cpu_update_ns);
    if (!parameters || !p->gpu_update_ns || !p->cpu_update_ns) {
        free(parameters);
        return MEMX_NOMEM;
    }
    double slowest = 0.0, traffic = job->framework.update_bytes;
    for (int32_t i = 0; i < job->node_count; i++) {
        const memx_node *node = &job->nodes[i];
        slowest =
            fmax(slowest, (double)node->gpus / (double)job->gpus / (memx_host_gbs(node) * 1e6));
    }
    double rate = d->memory_gbs * 1e6 * d->memory_efficiency * (double)job->gpus;
    for (int32_t i = 0; i < p->chunks.piece_count; i++) {
        parameters[p->chunks.pieces[i].chunk] += p->chunks.pieces[i].parameters;
    }
    for (int32_t k = 0; k < p->chunks.count; k++) {
        int64_t ns = memx_whole_ns(traffic * parameters[k] / rate) + p->fetch_gather_ns;
        p->gpu_update_ns[k + 1] = p->gpu_update_ns[k] + memx_least(ns, MOST_CHUNK_NS);
    }
    for (int32_t k = p->chunks.count; k-- > 0;) {
        int64_t ns = memx_whole_ns(traffic * parameters[k] * slowest);
        p->cpu_update_ns[k] = p->cpu_update_ns[k + 1] + memx_least(ns, MOST_CHUNK_NS);
    }
    free(parameters);
    return MEMX_OK;
}

/* The operators of one micro batch: measured at it, or in proportion at the greatest that was; NULL: none. */
static const memx_operator_list *profile_of(const memx_operator_list *profiles, int32_t count,
                                            int64_t micro_batch) {
    for (int32_t i = 0; i < count; i++) {
        if (profiles[i].micro_batch == micro_batch) return &profiles[i];
    }
    return count > 0 ? &profiles[count - 1] : NULL;
}

static void open_batch(const memx_protrain *p, int64_t micro_batch,
                       const memx_operator_list *profile, memx_protrain_batch *out) {
    const memx_job *job = p->job;
    const memx_framework *f = &job->framework;
    const memx_model *m = &job->model;
    const memx_stage_choice choices[] = {{1, {MEMX_NONE, 0, 0}}, {2, {MEMX_NONE, 0, 0}}};
    memx_stage_spec spec = {.model = *m,
                            .tp = 1,
                            .dp = job->gpus,
                            .micro_batch = micro_batch,
                            .in_flight = 1,
                            .link_gbs = job->devices[0].link_gbs};
    memx_stage_price price[2], last[2];
    memx_operator analytic[MEMX_ANALYTIC_OPERATORS];
    memx_stage_price_all(&job->devices[0], f, &spec, choices, 2, price);
    spec.last = true;
    memx_stage_price_all(&job->devices[0], f, &spec, choices, 2, last);
    double tokens = (double)micro_batch * (double)m->seq_length;
    double input = f->activation_bytes * tokens * (double)m->hidden;
    double logits = tokens * (double)memx_padded_vocab(m, 1);
    int64_t forward = price[1].forward_ns - price[0].forward_ns;
    int64_t backward = price[1].backward_ns - price[0].backward_ns;
    *out = (memx_protrain_batch){
        .micro_batch = micro_batch,
        .steps = job->global_batch / job->gpus / micro_batch,
        .profiled = profile != NULL,
        .scaled = profile && profile->micro_batch != micro_batch,
        .head_forward_ns = last[0].forward_ns - price[0].forward_ns,
        .head_backward_ns = last[0].backward_ns - price[0].backward_ns,
        .fixed_forward_ns = memx_greatest(0, price[0].forward_ns - forward),
        .fixed_backward_ns = memx_greatest(0, price[0].backward_ns - backward),
        .head_kib = memx_whole_kib(2.0 * input + f->logit_bytes * logits),
        .hooked_head_kib = memx_whole_kib(2.0 * input + f->activation_bytes * logits),
    };
    if (profile) {
        memx_block_walk(profile->items, profile->count,
                        (double)micro_batch / (double)profile->micro_batch, input, &out->block);
    } else {
        int32_t count = memx_block_operators(m, f, micro_batch, (double)forward * 1e-6,
                                             (double)backward * 1e-6, analytic);
        memx_block_walk(analytic, count, 1.0, input, &out->block);
        out->block.forward_ns = forward;
        out->block.backward_ns = backward;
    }
    out->swap_out_ns = out->swap_in_ns = copy_ns(job, (double)out->block.kept_kib * 1024.0);
}

static memx_status open_batches(memx_protrain *p, const memx_values *allowed,
                                const memx_operator_list *profiles, int32_t profile_count,
                                memx_error *error) {
    int64_t per_gpu = p->job->global_batch / p->job->gpus;
    for (int turn = 0; turn < 2;
         turn++) { /* counts, then fills: d up to the root, then their partners */
        int32_t count = 0;
        for (int64_t d = 1; d * d <= per_gpu; d++) {
            if (per_gpu % d != 0) continue;
            int64_t both[2] = {d, per_gpu / d};
            for (int i = 0; i < (both[0] == both[1] ? 1 : 2); i++) {
                if (allowed && allowed->count > 0 && !memx_values_allow(allowed, both[i])) continue;
                if (turn == 1) p->batches[count].micro_batch = both[i];
                count++;
            }
        }
        if (count == 0) {
            return memx_invalid(error,
                                "no micro batch of the job's space divides its %lld sequences a "
                                "GPU; write one that does",
                                (long long)per_gpu);
        }
        if (turn == 0) p->batches = calloc((size_t)count, sizeof *p->batches);
        if (!p->batches) return MEMX_NOMEM;
        p->batch_count = count;
    }
    for (int32_t i = 1; i < p->batch_count; i++) { /* few: by insertion */
        memx_protrain_batch batch = p->batches[i];
        int32_t at = i;
        for (; at > 0 && p->batches[at - 1].micro_batch > batch.micro_batch; at--) {
            p->batches[at] = p->batches[at - 1];
        }
        p->batches[at] = batch;
    }
    for (int32_t i = 0; i < p->batch_count; i++) {
        int64_t micro_batch = p->batches[i].micro_batch;
        open_batch(p, micro_batch, profile_of(profiles, profile_count, micro_batch),
                   &p->batches[i]);
    }
    return MEMX_OK;
}

memx_status memx_protrain_open(const memx_job *job, const memx_values *micro_batches,
                               const memx_operator_list *profiles, int32_t profile_count,
                               memx_protrain *out, memx_error *error) {
    *out = (memx_protrain){.job = job};
    memx_status status = check_job(job, error);
    if (status) return status;
    out->blocks = (int32_t)job->model.layers;
    out->card_kib = memx_card_kib(job, 0);
    out->usable_kib = memx_usable_kib(job, 0);
    out->context_kib = memx_whole_kib(job->devices[0].context_mib * 1048576.0);
    status = open_hosts(out);
    if (!status) status = open_chunks(out, error);
    if (!status) status = open_updates(out);
    if (!status) status = open_batches(out, micro_batches, profiles, profile_count, error);
    if (status) memx_protrain_close(out);
    return status;
}

void memx_protrain_close(memx_protrain *p) {
    memx_chunks_close(&p->chunks);
    free(p->batches);
    free(p->hosts);
    free(p->gpu_update_ns);
    free(p->cpu_update_ns);
    *p = (memx_protrain){0};
}

/* ---- memory ---- */

memx_block_mode memx_protrain_mode(int32_t blocks, int32_t swap, int32_t checkpoint,
                                   int32_t block) {
    if (block < swap) return MEMX_BLOCK_SWAP;
    if (checkpoint < 1) return MEMX_BLOCK_NONE;
    /* The k-th checkpointed block is number floor(k rest / checkpoint) of the rest: the last one keeps
    ** all. */
    int64_t rest = blocks - swap, at = block - swap;
    int64_t k = (at * checkpoint + rest - 1) / rest;
    return k < checkpoint && k * rest / checkpoint == at ? MEMX_BLOCK_CHECKPOINT : MEMX_BLOCK_NONE;
}

int32_t memx_protrain_most_swap(const memx_protrain *p, int32_t batch, int32_t checkpoint) {
    int32_t others = p->blocks - checkpoint, intervals = p->batches[batch].block.intervals;
    return others < intervals ? others : intervals;
}

/* What a block keeps from forward to backward. */
static int64_t stored_kib(const memx_block *block, memx_block_mode mode) {
    if (mode == MEMX_BLOCK_NONE) return block->kept_kib;
    return mode == MEMX_BLOCK_CHECKPOINT ? block->input_kib : 0;
}

/* Beside block `at` (the head: one more than the last) the swapped one before it is on its way. */
static int64_t moving_kib(const memx_block *block, int32_t swap, int32_t at) {
    return at > 0 && at <= swap ? block->kept_kib : 0;
}

int64_t memx_protrain_activations_kib(const memx_protrain *p, int32_t batch, int32_t swap,
                                      int32_t checkpoint, bool hooked) {
    const memx_protrain_batch *b = &p->batches[batch];
    const memx_block *block = &b->block;
    int64_t forward = hooked ? block->hooked_forward_kib : block->forward_kib;
    int64_t backward = hooked ? block->hooked_backward_kib : block->backward_kib;
    int64_t unkept = hooked ? block->hooked_unkept_kib : block->unkept_kib;
    int64_t live = block->input_kib, peak = 0; /* the embedding's output */
    for (int32_t i = 0; i < p->blocks; i++) {
        memx_block_mode mode = memx_protrain_mode(p->blocks, swap, checkpoint, i);
        int64_t need = mode == MEMX_BLOCK_CHECKPOINT ? block->input_kib + unkept : forward;
        peak = memx_greatest(peak, live + need + moving_kib(block, swap, i));
        live += stored_kib(block, mode);
    }
    int64_t head = hooked ? b->hooked_head_kib : b->head_kib;
    peak = memx_greatest(peak, live + head + moving_kib(block, swap, p->blocks));
    for (int32_t i = p->blocks; i-- > 0;) {
        memx_block_mode mode = memx_protrain_mode(p->blocks, swap, checkpoint, i);
        int64_t need = block->kept_kib + backward;
        if (mode == MEMX_BLOCK_CHECKPOINT) {
            need = block->input_kib + memx_greatest(forward, need);
        }
        live -= stored_kib(block, mode);
        peak = memx_greatest(peak, live + need + moving_kib(block, swap, i));
    }
    return peak;
}

int64_t memx_protrain_gpu_kib(const memx_protrain *p, int64_t activation_kib, int32_t persist,
                              int32_t buffer) {
    int64_t raw =
        activation_kib + p->gradient_kib + persist * p->persist_kib + buffer * p->buffer_kib;
    return p->context_kib + (raw * FRAGMENTATION_TENTHS + 9) / 10;
}

static int64_t swapped_kib(const memx_protrain *p, const memx_protrain_host *host, int32_t batch,
                           int32_t swap) {
    int64_t of_gpu = swap * p->batches[batch].block.kept_kib;
    return times(of_gpu, host->gpus, MOST_KIB);
}

int64_t memx_protrain_host_kib(const memx_protrain *p, const memx_protrain_host *host,
                               const memx_protrain_choice *c) {
    int64_t all = (p->chunks.count - c->persist) * p->host_kib * host->gpus;
    return (all + p->job->gpus - 1) / p->job->gpus + swapped_kib(p, host, c->batch, c->swap);
}

const memx_protrain_host *memx_protrain_tightest(const memx_protrain *p,
                                                 const memx_protrain_choice *c) {
    const memx_protrain_host *tightest = p->hosts;
    double most = -1.0;
    for (int32_t i = 0; i < p->host_count; i++) {
        double used =
            (double)memx_protrain_host_kib(p, &p->hosts[i], c) / (double)p->hosts[i].memory_kib;
        if (used > most) {
            most = used;
            tightest = &p->hosts[i];
        }
    }
    return tightest;
}

int32_t memx_protrain_least_buffer(const memx_protrain *p, int32_t persist) {
    int32_t others = p->chunks.count - persist;
    return others < 2 ? others : 2;
}

int32_t memx_protrain_most_buffer(const memx_protrain *p, const memx_protrain_pair *pair,
                                  int32_t persist) {
    int64_t room = (pair->room_kib - persist * p->persist_kib) / p->buffer_kib;
    int32_t others = p->chunks.count - persist;
    return room < others ? (int32_t)room : others;
}

static int32_t most_persist(const memx_protrain *p, int64_t room) {
    int32_t n = p->chunks.count;
    for (int32_t buffers = 0; buffers < 2 && n - buffers >= 0; buffers++) {
        if ((n - buffers) * p->persist_kib + buffers * p->buffer_kib <= room) return n - buffers;
    }
    int64_t rest = room - 2 * p->buffer_kib;
    if (n < 2 || rest < 0) return -1;
    return (int32_t)memx_least(n - 2, rest / p->persist_kib);
}

int64_t memx_protrain_raw_kib(const memx_protrain *p, int64_t gpu_kib) {
    if (gpu_kib < p->context_kib) return -1;
    int64_t room = gpu_kib - p->context_kib;
    return room > MOST_KIB ? MOST_KIB : room * 10 / FRAGMENTATION_TENTHS;
}

void memx_protrain_pair_narrow(const memx_protrain *p, int64_t usable_kib,
                               memx_protrain_pair *pair) {
    pair->room_kib = memx_protrain_raw_kib(p, usable_kib) - p->gradient_kib - pair->activation_kib;
    pair->gpu_most = most_persist(p, pair->room_kib);
}

void memx_protrain_pair_at(const memx_protrain *p, int32_t batch, int32_t swap, int32_t checkpoint,
                           memx_protrain_pair *out) {
    int64_t activation = memx_protrain_activations_kib(p, batch, swap, checkpoint, false);
    int64_t least = 0;
    for (int32_t i = 0; i < p->host_count; i++) {
        const memx_protrain_host *host = &p->hosts[i];
        int64_t room = host->usable_kib - swapped_kib(p, host, batch, swap);
        int64_t most = room < 0 ? -1 : room * p->job->gpus / (p->host_kib * host->gpus);
        least = memx_greatest(least, p->chunks.count - memx_least(most, p->chunks.count));
    }
    *out = (memx_protrain_pair){.batch = batch,
                                .swap = swap,
                                .checkpoint = checkpoint,
                                .activation_kib = activation,
                                .host_least = (int32_t)least};
    memx_protrain_pair_narrow(p, p->usable_kib, out);
}

/* ---- time ---- */

/* One chunk under a pair. */
typedef struct chunk_work {
    int64_t forward_ns, backward_ns; /* computing */
    int64_t swap_out_ns, swap_in_ns;
    bool slow_forward, slow_backward; /* its prefetch meets swapping */
} chunk_work;

static int64_t part_ns(double share, int64_t ns) {
    return llround(share * (double)ns);
}

static void add_piece(const memx_protrain *p, const memx_protrain_pair *pair,
                      const memx_piece *piece, bool first, chunk_work *work) {
    const memx_protrain_batch *b = &p->batches[pair->batch];
    int32_t block = piece->unit - 1; /* -1: embedding; blocks: head */
    if (first) work->slow_forward = block >= 1 && block <= pair->swap;
    work->slow_backward = block + 1 < pair->swap;
    if (block < 0) return;
    if (block == p->blocks) {
        if (p->job->model.tied_embeddings) return;
        work->forward_ns += part_ns(piece->share, b->head_forward_ns);
        work->backward_ns += part_ns(piece->share, b->head_backward_ns);
        return;
    }
    memx_block_mode mode = memx_protrain_mode(p->blocks, pair->swap, pair->checkpoint, block);
    int64_t again = mode == MEMX_BLOCK_CHECKPOINT ? b->block.forward_ns : 0;
    work->forward_ns += part_ns(piece->share, b->block.forward_ns);
    work->backward_ns += part_ns(piece->share, b->block.backward_ns + again);
    if (mode == MEMX_BLOCK_SWAP) {
        work->swap_out_ns += part_ns(piece->share, b->swap_out_ns);
        work->swap_in_ns += part_ns(piece->share, b->swap_in_ns);
    }
}

static int64_t slowed(int64_t ns, bool slow) {
    return slow ? ns + llround((double)ns * SWAP_CONTENTION) : ns;
}

static int64_t term(int64_t computing, int64_t moving) {
    return memx_least(memx_greatest(computing, moving), MOST_CHUNK_NS);
}

/* Puts the terms of chunk k at [k + 1] of sums from below, [k] of sums from above. */
static void put_chunk(const memx_protrain *p, const memx_protrain_pair *pair,
                      const chunk_work *work, int32_t k, memx_protrain_sums *s) {
    const memx_protrain_batch *b = &p->batches[pair->batch];
    int64_t fetch = p->fetch_gather_ns + slowed(p->fetch_copy_ns, work->slow_forward);
    int64_t again = p->fetch_gather_ns + slowed(p->fetch_copy_ns, work->slow_backward);
    int64_t kept = p->reduce_ns + p->offload_ns + work->swap_in_ns;
    s->forward_persist[k + 1] = term(work->forward_ns, work->swap_out_ns);
    s->forward_fetch[k] = term(work->forward_ns, fetch + work->swap_out_ns);
    if (p->job->model.tied_embeddings && k < p->chunks.table) { /* the head uses the table */
        int64_t head = b->head_forward_ns / p->chunks.table;
        s->forward_persist[k + 1] += head;
        s->forward_fetch[k] += term(head, p->fetch_gather_ns + p->fetch_copy_ns);
        s->computing_ns[0] += head;
    }
    s->backward_persist[k + 1] = term(work->backward_ns, p->reduce_ns + work->swap_in_ns);
    s->backward_fetch[k + 1] = term(work->backward_ns, kept + again);
    s->backward_kept[k] = term(work->backward_ns, kept);
    s->computing_ns[0] += work->forward_ns;
    s->computing_ns[1] += work->backward_ns;
}

memx_status memx_protrain_sum(const memx_protrain *p, const memx_protrain_pair *pair,
                              memx_protrain_sums *s) {
    const memx_protrain_batch *b = &p->batches[pair->batch];
    size_t n = (size_t)p->chunks.count + 1;
    if (!s->memory) s->memory = calloc(5 * n, sizeof *s->memory);
    if (!s->memory) return MEMX_NOMEM;
    int64_t **const lists[] = {&s->forward_persist, &s->forward_fetch, &s->backward_persist,
                               &s->backward_fetch, &s->backward_kept};
    for (size_t i = 0; i < 5; i++) *lists[i] = s->memory + i * n;
    s->forward_persist[0] = s->backward_persist[0] = s->backward_fetch[0] = 0;
    s->forward_fetch[n - 1] = s->backward_kept[n - 1] = 0;
    bool tied = p->job->model.tied_embeddings;
    s->computing_ns[0] = b->fixed_forward_ns;
    s->computing_ns[1] = b->fixed_backward_ns + (tied ? b->head_backward_ns : 0);
    for (int32_t i = 0; i < p->chunks.piece_count;) {
        chunk_work work = {0};
        int32_t k = p->chunks.pieces[i].chunk;
        for (bool first = true; i < p->chunks.piece_count && p->chunks.pieces[i].chunk == k; i++) {
            add_piece(p, pair, &p->chunks.pieces[i], first, &work);
            first = false;
        }
        put_chunk(p, pair, &work, k, s);
    }
    for (size_t k = 1; k < n; k++) {
        s->forward_persist[k] += s->forward_persist[k - 1];
        s->backward_persist[k] += s->backward_persist[k - 1];
        s->backward_fetch[k] += s->backward_fetch[k - 1];
        s->forward_fetch[n - 1 - k] += s->forward_fetch[n - k];
        s->backward_kept[n - 1 - k] += s->backward_kept[n - k];
    }
    return MEMX_OK;
}

void memx_protrain_sums_free(memx_protrain_sums *sums) {
    free(sums->memory);
    *sums = (memx_protrain_sums){0};
}

/* Forward and backward of one micro batch. */
static void passes(const memx_protrain *p, const memx_protrain_pair *pair,
                   const memx_protrain_sums *s, int32_t persist, int32_t buffer, int64_t *forward,
                   int64_t *backward) {
    const memx_protrain_batch *b = &p->batches[pair->batch];
    int32_t kept = p->chunks.count - buffer; /* from here on chunks are still in their buffers */
    *forward = b->fixed_forward_ns + s->forward_persist[persist] + s->forward_fetch[persist];
    *backward = b->fixed_backward_ns + s->backward_persist[persist] +
                (s->backward_fetch[kept] - s->backward_fetch[persist]) + s->backward_kept[kept];
    if (p->job->model.tied_embeddings) *backward += b->head_backward_ns;
}

/* Eq. 2. */
static int64_t iteration(const memx_protrain *p, int64_t steps, int64_t forward, int64_t backward,
                         int64_t gpu, int64_t cpu) {
    int64_t before = times(steps, forward, MEMX_MOST_ITERATION_NS / 4) +
                     times(steps - 1, backward, MEMX_MOST_ITERATION_NS / 4);
    return memx_capped_ns(before + memx_greatest(backward + gpu, cpu) +
                          memx_whole_ns(p->job->overhead_ms));
}

int64_t memx_protrain_bound_ns(const memx_protrain *p, const memx_protrain_pair *pair,
                               const memx_protrain_sums *sums) {
    int64_t forward = 0, backward = 0;
    int32_t most = pair->gpu_most;
    passes(p, pair, sums, most, p->chunks.count - most, &forward, &backward);
    return iteration(p, p->batches[pair->batch].steps, forward, backward,
                     p->gpu_update_ns[pair->host_least], p->cpu_update_ns[most]);
}

void memx_protrain_time_at(const memx_protrain *p, const memx_protrain_pair *pair,
                           const memx_protrain_sums *sums, int32_t persist, int32_t buffer,
                           memx_protrain_time *out) {
    int64_t steps = p->batches[pair->batch].steps, most = MEMX_MOST_ITERATION_NS / 4;
    int64_t forward = 0, backward = 0;
    passes(p, pair, sums, persist, buffer, &forward, &backward);
    int64_t exposed = forward - sums->computing_ns[0] + backward - sums->computing_ns[1];
    *out = (memx_protrain_time){
        .forward_ns = times(steps, forward, most),
        .backward_ns = times(steps, backward, most),
        .exposed_ns = times(steps, exposed, most),
        .gpu_optimizer_ns = p->gpu_update_ns[persist],
        .cpu_optimizer_ns = p->cpu_update_ns[persist],
    };
    out->iteration_ns =
        iteration(p, steps, forward, backward, out->gpu_optimizer_ns, out->cpu_optimizer_ns);
}

/* ---- blocks ---- */

/* Moving of a whole chunk, forward and backward, swapping apart. */
static int64_t chunk_moving_ns(const memx_protrain *p, const memx_protrain_choice *c,
                               int32_t chunk) {
    if (chunk < c->persist) return p->reduce_ns;
    bool again = chunk < p->chunks.count - c->buffer;
    int64_t fetch = p->fetch_gather_ns + p->fetch_copy_ns;
    return (again ? 2 : 1) * fetch + p->reduce_ns + p->offload_ns;
}

void memx_protrain_block_at(const memx_protrain *p, const memx_protrain_choice *c, int32_t block,
                            memx_protrain_block *out) {
    const memx_protrain_batch *b = &p->batches[c->batch];
    const memx_block *one = &b->block;
    memx_block_mode mode = memx_protrain_mode(p->blocks, c->swap, c->checkpoint, block);
    int64_t moving = mode == MEMX_BLOCK_SWAP ? b->swap_out_ns + b->swap_in_ns : 0;
    int64_t computing = one->forward_ns + one->backward_ns;
    double whole = (double)p->chunks.mib * 1048576.0 / p->job->framework.parameter_bytes;
    *out = (memx_protrain_block){
        .mode = mode,
        .first_chunk = -1,
        .kept_kib = stored_kib(one, mode),
        .swapped_kib = mode == MEMX_BLOCK_SWAP ? one->kept_kib : 0,
        .recomputed_kib = mode == MEMX_BLOCK_CHECKPOINT ? one->kept_kib : 0,
    };
    if (mode == MEMX_BLOCK_CHECKPOINT) computing += one->forward_ns;
    for (int32_t i = 0; i < p->chunks.piece_count; i++) {
        const memx_piece *piece = &p->chunks.pieces[i];
        if (piece->unit != block + 1) continue;
        if (out->first_chunk < 0) out->first_chunk = piece->chunk;
        out->last_chunk = piece->chunk;
        out->parameters += piece->parameters;
        moving += part_ns(piece->parameters / whole, chunk_moving_ns(p, c, piece->chunk));
    }
    out->computing_ns = times(b->steps, computing, MEMX_MOST_ITERATION_NS);
    out->moving_ns = times(b->steps, moving, MEMX_MOST_ITERATION_NS);
}

/* ---- text ---- */

void memx_protrain_format(const memx_protrain *p, const memx_protrain_choice *c,
                          char out[MEMX_PROTRAIN_TEXT]) {
    snprintf(out, MEMX_PROTRAIN_TEXT, "mb%lld.chunk%d.persist%d.buffer%d.swap%d.ckpt%d",
             (long long)p->batches[c->batch].micro_batch, (int)p->chunks.mib, (int)c->persist,
             (int)c->buffer, (int)c->swap, (int)c->checkpoint);
}

/* "NAME<number>" and a dot, or the end behind the last one; digits without leading zeros. */
static bool read_number(const char **text, const char *name, bool last, int64_t *out) {
    size_t length = strlen(name);
    if (strncmp(*text, name, length) != 0) return false;
    const char *digit = *text + length;
    if (!isdigit((unsigned char)*digit) || (digit[0] == '0' && isdigit((unsigned char)digit[1]))) {
        return false;
    }
    for (*out = 0; isdigit((unsigned char)*digit); digit++) {
        if (*out > 1000000000) return false;
        *out = 10 * *out + (*digit - '0');
    }
    *text = digit + !last;
    return *digit == (last ? '\0' : '.');
}

static memx_status no_micro_batch(const memx_protrain *p, int64_t micro_batch, memx_error *error) {
    char known[128];
    int length = 0;
    for (int32_t i = 0; i < p->batch_count; i++) {
        if (length > (int)sizeof known - 32) {
            snprintf(known + length, sizeof known - (size_t)length, ", ...");
            break;
        }
        length += snprintf(known + length, sizeof known - (size_t)length, "%s%lld",
                           i > 0 ? ", " : "", (long long)p->batches[i].micro_batch);
    }
    return memx_invalid(error, "micro batch %lld is none of the job's; there are: %s",
                        (long long)micro_batch, known);
}

/* Says which rule is broken. */
static memx_status check_numbers(const memx_protrain *p, int32_t batch, int64_t persist,
                                 int64_t buffer, int64_t swap, int64_t checkpoint,
                                 memx_error *error) {
    int32_t chunks = p->chunks.count, most_swap = p->batches[batch].block.intervals;
    if (persist + buffer > chunks) {
        return memx_invalid(error, "persist%lld and buffer%lld are more than the %d chunks",
                            (long long)persist, (long long)buffer, (int)chunks);
    }
    int32_t least = memx_protrain_least_buffer(p, (int32_t)persist);
    if (buffer < least) {
        return memx_invalid(error, "buffer%lld: the %d chunks that do not persist need %d",
                            (long long)buffer, (int)(chunks - persist), (int)least);
    }
    if (swap + checkpoint > p->blocks) {
        return memx_invalid(error, "swap%lld and ckpt%lld are more than the %d blocks",
                            (long long)swap, (long long)checkpoint, (int)p->blocks);
    }
    if (swap > most_swap) {
        return memx_invalid(error,
                            "swap%lld: at most %d blocks are swapped, as many as a block has "
                            "operators",
                            (long long)swap, (int)most_swap);
    }
    return MEMX_OK;
}

memx_status memx_protrain_parse(const memx_protrain *p, const char *text, memx_protrain_choice *out,
                                memx_error *error) {
    static const char *const names[] = {"mb", "chunk", "persist", "buffer", "swap", "ckpt"};
    enum { NAMES = sizeof names / sizeof names[0] };
    int64_t n[NAMES] = {0};
    const char *at = text;
    for (int i = 0; i < NAMES; i++) {
        if (read_number(&at, names[i], i + 1 == NAMES, &n[i])) continue;
        return memx_invalid(error,
                            "'%.80s' is no configuration; write it as "
                            "mb4.chunk64.persist12.buffer3.swap0.ckpt8",
                            text);
    }
    *out = (memx_protrain_choice){.batch = 0};
    while (out->batch < p->batch_count && p->batches[out->batch].micro_batch != n[0]) out->batch++;
    if (out->batch == p->batch_count) return no_micro_batch(p, n[0], error);
    if (n[1] != p->chunks.mib) {
        return memx_invalid(error, "the job's chunks are of %d MiB, not %lld", (int)p->chunks.mib,
                            (long long)n[1]);
    }
    memx_status status = check_numbers(p, out->batch, n[2], n[3], n[4], n[5], error);
    if (status) return status;
    out->persist = (int32_t)n[2];
    out->buffer = (int32_t)n[3];
    out->swap = (int32_t)n[4];
    out->checkpoint = (int32_t)n[5];
    return MEMX_OK;
}
