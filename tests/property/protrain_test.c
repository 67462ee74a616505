/*
** ProTrain's search against brute force: for random small jobs every choice of the four numbers is walked
** chunk by chunk and block by block; the scan, the ranking, the count and the refusals must agree, row for
** row, ties included, with and without bounds. The paper's own search, by memory and cut at the capacity,
** finds the ranking's first row.
*/
#include "core/protrain_search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/jobs.h"

enum { CASES = 300, MOST_CHUNKS = 64 };

typedef struct row {
    memx_protrain_choice choice;
    int64_t time_ns, forward_ns, backward_ns, gpu_kib, host_short_kib;
    int64_t host_kib; /* of the host that is used most, and how much of it */
    double host_used;
    size_t number;
} row;

typedef struct test_case {
    uint64_t seed;
    rng r;
    test_job t;
    memx_protrain p;
    row *rows; /* every choice, fitting or not, in order of enumeration */
    size_t count;
} test_case;

/* ---- the naive model ---- */

/* Which of the blocks are checkpointed, by putting them down one by one. */
static void naive_modes(int32_t blocks, int32_t swap, int32_t checkpoint, memx_block_mode *out) {
    for (int32_t b = 0; b < blocks; b++) out[b] = b < swap ? MEMX_BLOCK_SWAP : MEMX_BLOCK_NONE;
    for (int32_t k = 0; k < checkpoint; k++) {
        out[swap + (int64_t)k * (blocks - swap) / checkpoint] = MEMX_BLOCK_CHECKPOINT;
    }
}

static int64_t share_ns(double share, int64_t ns) {
    return llround(share * (double)ns);
}

static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Forward from the first chunk to the last, backward from the last to the first; a chunk that comes takes a
** buffer, the oldest one goes. */
static void naive_time(const memx_protrain *p, const memx_protrain_choice *c, row *out) {
    const memx_protrain_batch *b = &p->batches[c->batch];
    memx_block_mode modes[32];
    int32_t buffers[MOST_CHUNKS], used = 0;
    bool tied = p->job->model.tied_embeddings;
    int64_t forward = b->fixed_forward_ns, backward = b->fixed_backward_ns;
    naive_modes(p->blocks, c->swap, c->checkpoint, modes);
    for (int32_t turn = 0; turn < 2; turn++) {
        for (int32_t n = 0; n < p->chunks.count; n++) {
            int32_t k = turn ? p->chunks.count - 1 - n : n, first = -2, last = -2;
            int64_t computing = 0, swapping = 0, moving = 0;
            for (int32_t i = 0; i < p->chunks.piece_count; i++) {
                const memx_piece *piece = &p->chunks.pieces[i];
                int32_t block = piece->unit - 1;
                if (piece->chunk != k) continue;
                if (first == -2) first = block;
                last = block;
                if (block < 0 || (block == p->blocks && tied)) continue;
                if (block == p->blocks) {
                    computing +=
                        share_ns(piece->share, turn ? b->head_backward_ns : b->head_forward_ns);
                    continue;
                }
                int64_t ns = turn ? b->block.backward_ns : b->block.forward_ns;
                if (turn && modes[block] == MEMX_BLOCK_CHECKPOINT) ns += b->block.forward_ns;
                computing += share_ns(piece->share, ns);
                if (modes[block] == MEMX_BLOCK_SWAP) {
                    swapping += share_ns(piece->share, turn ? b->swap_in_ns : b->swap_out_ns);
                }
            }
            int32_t beside = turn ? last + 1 : first - 1; /* computed while the chunk comes */
            bool slow = beside >= 0 && beside < p->blocks && modes[beside] == MEMX_BLOCK_SWAP;
            int64_t copy = p->fetch_copy_ns + (slow ? llround((double)p->fetch_copy_ns * 0.5) : 0);
            bool here = k < c->persist;
            for (int32_t i = 0; turn && i < used; i++) here = here || buffers[i] == k;
            if (!here) moving += p->fetch_gather_ns + copy;
            if (turn) moving += p->reduce_ns + (k >= c->persist ? p->offload_ns : 0);
            *(turn ? &backward : &forward) += most(computing, moving + swapping);
            if (turn == 0 && k >= c->persist) {
                if (used == c->buffer)
                    memmove(buffers, buffers + 1, (size_t)--used * sizeof *buffers);
                buffers[used++] = k;
            }
        }
    }
    for (int32_t k = 0; tied && k < p->chunks.table; k++) {
        int64_t part = b->head_forward_ns / p->chunks.table;
        forward += k < c->persist ? part : most(part, p->fetch_gather_ns + p->fetch_copy_ns);
    }
    if (tied) backward += b->head_backward_ns;
    int64_t gpu = p->gpu_update_ns[c->persist], cpu = p->cpu_update_ns[c->persist];
    out->forward_ns = b->steps * forward;
    out->backward_ns = b->steps * backward;
    out->time_ns = b->steps * forward + (b->steps - 1) * backward + most(backward + gpu, cpu) +
                   llround(p->job->overhead_ms * 1e6);
}

/* Everything that is live, added up anew at every block. */
static int64_t naive_activations(const memx_protrain *p, const memx_protrain_choice *c) {
    const memx_protrain_batch *b = &p->batches[c->batch];
    memx_block_mode modes[32];
    int64_t peak = 0;
    naive_modes(p->blocks, c->swap, c->checkpoint, modes);
    for (int32_t at = 0; at <= p->blocks; at++) {
        int64_t live = b->block.input_kib;
        for (int32_t i = 0; i < at; i++) {
            live += modes[i] == MEMX_BLOCK_NONE         ? b->block.kept_kib
                    : modes[i] == MEMX_BLOCK_CHECKPOINT ? b->block.input_kib
                                                        : 0;
        }
        /* The swapped block below is leaving, later arriving. */
        if (at > 0 && modes[at - 1] == MEMX_BLOCK_SWAP) live += b->block.kept_kib;
        if (at == p->blocks) return most(peak, live + b->head_kib);
        int64_t back = b->block.kept_kib + b->block.backward_kib, there = b->block.forward_kib;
        if (modes[at] == MEMX_BLOCK_CHECKPOINT) {
            back = b->block.input_kib + most(b->block.forward_kib, back);
            there = b->block.input_kib + b->block.unkept_kib;
        }
        peak = most(peak, live + most(there, back));
    }
    return peak;
}

static void naive_row(const memx_protrain *p, const memx_protrain_choice *c, row *out) {
    int64_t raw = naive_activations(p, c) + p->gradient_kib + c->persist * p->persist_kib +
                  c->buffer * p->buffer_kib;
    naive_time(p, c, out);
    out->choice = *c;
    out->gpu_kib = p->context_kib + (raw * 11 + 9) / 10;
    out->host_short_kib = INT64_MIN;
    out->host_used = -1.0;
    for (int32_t i = 0; i < p->job->node_count; i++) {
        const memx_node *node = &p->job->nodes[i];
        int64_t all = (p->chunks.count - c->persist) * p->host_kib * node->gpus;
        int64_t kib = (all + p->job->gpus - 1) / p->job->gpus +
                      c->swap * p->batches[c->batch].block.kept_kib * node->gpus;
        int64_t usable = (int64_t)floor(node->host_memory_mib * 1024.0 * 0.95);
        out->host_short_kib = most(out->host_short_kib, kib - usable);
        double used = (double)kib / floor(node->host_memory_mib * 1024.0);
        if (used > out->host_used) {
            out->host_used = used;
            out->host_kib = kib;
        }
    }
}

/* ---- cases ---- */

static void random_job_of(test_case *c) {
    rng *r = &c->r;
    int64_t hidden = 256 * rng_between(r, 2, 8);
    job_start(&c->t);
    c->t.job.model = rng_chance(r, 60)
                         ? model_gpt(rng_between(r, 1, 6), hidden, 8, rng_between(r, 1, 60000), 256)
                         : model_llama(rng_between(r, 1, 6), hidden, 8, 4, 3 * hidden,
                                       rng_between(r, 1, 40000), 512);
    c->t.job.model.tied_embeddings = rng_chance(r, 50);
    if (rng_chance(r, 40)) c->t.job.framework = framework_2022();
    int32_t device = job_device(&c->t, "A", "V", 24576.0);
    c->t.devices[device].host_gbs = rng_real(r, 2.0, 64.0);
    c->t.devices[device].host_efficiency = 0.8;
    c->t.devices[device].link_gbs = rng_real(r, 2.0, 300.0);
    int64_t nodes = rng_between(r, 1, 3);
    for (int64_t n = 0; n < nodes; n++) job_node(&c->t, n, device, (int32_t)rng_between(r, 1, 4));
    for (int64_t n = 0; n < nodes; n++) {
        c->t.nodes[n].host_memory_mib = 1e6;
        c->t.nodes[n].host_memory_gbs = rng_real(r, 5.0, 300.0);
    }
    job_finish(&c->t);
    c->t.job.global_batch = c->t.job.gpus * rng_between(r, 1, 6);
}

/* Sets both memories to where some rows lie, now and then. */
static void random_memory_of(test_case *c) {
    rng *r = &c->r;
    const row *one = &c->rows[rng_between(r, 0, (int64_t)c->count - 1)];
    const row *two = &c->rows[rng_between(r, 0, (int64_t)c->count - 1)];
    if (rng_chance(r, 80)) c->p.usable_kib = one->gpu_kib - (int64_t)rng_chance(r, 10);
    if (rng_chance(r, 50)) {
        for (int32_t n = 0; n < c->t.job.node_count; n++) {
            int64_t usable = (int64_t)floor(c->t.nodes[n].host_memory_mib * 1024.0 * 0.95);
            double mib = (double)(usable + two->host_short_kib) / 0.95 / 1024.0 + 0.01;
            c->t.nodes[n].host_memory_mib = mib > 1.0 ? mib : 1.0;
        }
        int64_t usable = c->p.usable_kib;
        memx_protrain_close(&c->p);
        memx_error error = {.text = ""};
        assert_ok(memx_protrain_open(&c->t.job, NULL, NULL, 0, &c->p, &error), &error);
        c->p.usable_kib = usable;
        for (size_t i = 0; i < c->count; i++) {
            memx_protrain_choice choice = c->rows[i].choice;
            naive_row(&c->p, &choice, &c->rows[i]);
            c->rows[i].number = i;
        }
    }
}

static bool open_case(test_case *c, uint64_t seed) {
    memx_error error = {.text = ""};
    *c = (test_case){.seed = seed, .r = rng_start(seed)};
    random_job_of(c);
    assert_ok(memx_protrain_open(&c->t.job, NULL, NULL, 0, &c->p, &error), &error);
    if (c->p.chunks.count > MOST_CHUNKS) {
        memx_protrain_close(&c->p);
        return false;
    }
    int32_t n = c->p.chunks.count, blocks = c->p.blocks;
    for (int turn = 0; turn < 2; turn++) {
        c->count = 0;
        for (int32_t b = 0; b < c->p.batch_count; b++)
            for (int32_t swap = 0; swap <= blocks; swap++)
                for (int32_t ckpt = 0; ckpt + swap <= blocks; ckpt++)
                    for (int32_t persist = 0; persist <= n; persist++)
                        for (int32_t buffer = 0; buffer + persist <= n; buffer++) {
                            if (buffer < 2 && buffer + persist < n) continue;
                            if (turn) {
                                memx_protrain_choice choice = {b, swap, ckpt, persist, buffer};
                                naive_row(&c->p, &choice, &c->rows[c->count]);
                                c->rows[c->count].number = c->count;
                            }
                            c->count++;
                        }
        if (!turn) c->rows = allocate(c->count, sizeof *c->rows);
    }
    random_memory_of(c);
    return true;
}

static void close_case(test_case *c) {
    memx_protrain_close(&c->p);
    free(c->rows);
}

static bool allowed(const memx_protrain_bounds *b, const memx_protrain *p, const row *r) {
    const int64_t values[MEMX_PROTRAIN_AXES] = {
        [MEMX_PROTRAIN_MICRO_BATCH] = p->batches[r->choice.batch].micro_batch,
        [MEMX_PROTRAIN_SWAP] = r->choice.swap,
        [MEMX_PROTRAIN_CHECKPOINT] = r->choice.checkpoint,
        [MEMX_PROTRAIN_PERSIST] = r->choice.persist,
        [MEMX_PROTRAIN_BUFFER] = r->choice.buffer,
    };
    for (int i = 0; i < MEMX_PROTRAIN_AXES; i++) {
        if (values[i] < b->least[i] || values[i] > b->most[i]) return false;
    }
    return r->gpu_kib >= b->gpu_least_kib && r->gpu_kib <= b->gpu_most_kib &&
           r->host_kib >= b->host_least_kib && r->host_kib <= b->host_most_kib &&
           r->host_used >= b->host_least_used && r->host_used <= b->host_most_used;
}

static bool fits(const test_case *c, const row *r) {
    return r->gpu_kib <= c->p.usable_kib && r->host_short_kib <= 0;
}

static void check_row(const test_case *c, const row *want, const memx_protrain_row *got) {
    char one[MEMX_PROTRAIN_TEXT], two[MEMX_PROTRAIN_TEXT];
    memx_protrain_format(&c->p, &want->choice, one);
    memx_protrain_format(&c->p, &got->choice, two);
    assert_that(strcmp(one, two) == 0, "seed %" PRIu64 ": found %s, wanted %s", c->seed, two, one);
    assert_that(got->time.iteration_ns == want->time_ns &&
                    got->time.forward_ns == want->forward_ns &&
                    got->time.backward_ns == want->backward_ns,
                "seed %" PRIu64 ", %s: %" PRId64 " ns (forward %" PRId64 ", backward %" PRId64
                "), wanted %" PRId64 " (%" PRId64 ", %" PRId64 ")",
                c->seed, one, got->time.iteration_ns, got->time.forward_ns, got->time.backward_ns,
                want->time_ns, want->forward_ns, want->backward_ns);
    int64_t gpu =
        memx_protrain_gpu_kib(&c->p, got->activation_kib, got->choice.persist, got->choice.buffer);
    assert_that(gpu == want->gpu_kib, "seed %" PRIu64 ", %s: %" PRId64 " KiB, wanted %" PRId64,
                c->seed, one, gpu, want->gpu_kib);
}

static int by_time(const void *left, const void *right) {
    const row *a = left, *b = right;
    if (a->time_ns != b->time_ns) return a->time_ns < b->time_ns ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int by_memory(const void *left, const void *right) {
    const row *a = left, *b = right;
    if (a->gpu_kib != b->gpu_kib) return a->gpu_kib < b->gpu_kib ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static memx_protrain_bounds random_bounds(test_case *c) {
    memx_protrain_bounds bounds;
    const int64_t tops[MEMX_PROTRAIN_AXES] = {6, c->p.blocks, c->p.blocks, c->p.chunks.count,
                                              c->p.chunks.count};
    memx_protrain_bounds_start(&bounds);
    for (int i = 0; i < MEMX_PROTRAIN_AXES; i++) {
        if (rng_chance(&c->r, 25)) bounds.least[i] = rng_between(&c->r, -1, tops[i]);
        if (rng_chance(&c->r, 25)) bounds.most[i] = rng_between(&c->r, 0, tops[i] + 1);
    }
    const row *some[4]; /* bounds are what rows have */
    for (int i = 0; i < 4; i++) some[i] = &c->rows[rng_between(&c->r, 0, (int64_t)c->count - 1)];
    if (rng_chance(&c->r, 25)) bounds.least_ns = some[0]->time_ns + rng_between(&c->r, 0, 1);
    if (rng_chance(&c->r, 25)) bounds.most_ns = some[1]->time_ns;
    if (rng_chance(&c->r, 25)) bounds.gpu_least_kib = some[2]->gpu_kib + rng_between(&c->r, 0, 1);
    if (rng_chance(&c->r, 25)) bounds.gpu_most_kib = some[3]->gpu_kib - rng_between(&c->r, 0, 1);
    bounds.hosts = rng_chance(&c->r, 40);
    if (!bounds.hosts) return bounds;
    if (rng_chance(&c->r, 25)) bounds.host_least_kib = some[0]->host_kib;
    if (rng_chance(&c->r, 25)) bounds.host_most_kib = some[1]->host_kib;
    if (rng_chance(&c->r, 25)) bounds.host_least_used = some[2]->host_used;
    if (rng_chance(&c->r, 25)) bounds.host_most_used = some[3]->host_used;
    return bounds;
}

/* The scan, the count and the ranking under some bounds. */
static void check_search(const test_case *c, const memx_protrain_bounds *bounds) {
    memx_protrain_scan scan = {.protrain = &c->p, .bounds = *bounds};
    memx_protrain_ranked *ranked = NULL;
    memx_protrain_row got;
    row *kept = allocate(c->count, sizeof *kept);
    size_t count = 0;
    int64_t counted = -1;
    for (size_t i = 0; i < c->count; i++) {
        if (fits(c, &c->rows[i]) && allowed(bounds, &c->p, &c->rows[i])) kept[count++] = c->rows[i];
    }
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(memx_protrain_scan_next(&scan, &got), MEMX_OK);
        check_row(c, &kept[i], &got);
    }
    assert_int_equal(memx_protrain_scan_next(&scan, &got), MEMX_DONE);
    memx_protrain_scan_close(&scan);
    assert_int_equal(memx_protrain_count(&c->p, bounds, NULL, &counted), MEMX_OK);
    assert_whole(counted, (int64_t)count);
    size_t timed = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept[i].time_ns >= bounds->least_ns && kept[i].time_ns <= bounds->most_ns) {
            kept[timed++] = kept[i];
        }
    }
    count = timed;
    qsort(kept, count, sizeof *kept, by_time);
    assert_int_equal(memx_protrain_ranked_open(&c->p, bounds, NULL, &ranked), MEMX_OK);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(memx_protrain_ranked_next(ranked, &got), MEMX_OK);
        check_row(c, &kept[i], &got);
    }
    assert_int_equal(memx_protrain_ranked_next(ranked, &got), MEMX_DONE);
    memx_protrain_ranked_close(ranked);
    free(kept);
}

/* 3.3 of the paper: by memory, cut at the capacity, the fastest so far is kept. */
static void check_papers_search(const test_case *c) {
    memx_protrain_bounds bounds;
    memx_protrain_ranked *ranked = NULL;
    memx_protrain_row got;
    const row *best = NULL;
    row *rows = allocate(c->count, sizeof *rows);
    memcpy(rows, c->rows, c->count * sizeof *rows);
    qsort(rows, c->count, sizeof *rows, by_memory);
    for (size_t i = 0; i < c->count && rows[i].gpu_kib <= c->p.usable_kib; i++) {
        if (rows[i].host_short_kib <= 0 && (!best || by_time(&rows[i], best) < 0)) best = &rows[i];
    }
    memx_protrain_bounds_start(&bounds);
    assert_int_equal(memx_protrain_ranked_open(&c->p, &bounds, NULL, &ranked), MEMX_OK);
    assert_int_equal(memx_protrain_ranked_next(ranked, &got), best ? MEMX_OK : MEMX_DONE);
    if (best) check_row(c, best, &got);
    memx_protrain_ranked_close(ranked);
    free(rows);
}

static void check_refusals(const test_case *c) {
    memx_protrain_refusals refusals;
    int64_t gpu = 0, host = 0, feasible = 0, gpu_short = INT64_MAX, host_short = INT64_MAX;
    bool on_card = false; /* a choice that the host alone rules out */
    assert_int_equal(memx_protrain_refused(&c->p, NULL, &refusals), MEMX_OK);
    for (size_t i = 0; i < c->count; i++) {
        const row *r = &c->rows[i];
        if (r->host_short_kib > 0) {
            bool card = r->gpu_kib <= c->p.usable_kib;
            host++;
            if (card > on_card || (card == on_card && r->host_short_kib < host_short)) {
                host_short = r->host_short_kib;
                on_card = card;
            }
        } else if (r->gpu_kib > c->p.usable_kib) {
            gpu++;
            gpu_short = r->gpu_kib < gpu_short ? r->gpu_kib : gpu_short;
        } else {
            feasible++;
        }
        assert_int_equal(memx_protrain_fits(&c->p, &r->choice), fits(c, r));
    }
    assert_whole(refusals.host, host);
    assert_whole(refusals.gpu, gpu);
    assert_whole(refusals.feasible, feasible);
    row nearest;
    if (gpu > 0) { /* the examples are ruled out, and none is nearer */
        naive_row(&c->p, &refusals.gpu_nearest, &nearest);
        assert_true(nearest.host_short_kib <= 0 && nearest.gpu_kib > c->p.usable_kib);
        assert_whole(nearest.gpu_kib, gpu_short);
    }
    if (host > 0) {
        naive_row(&c->p, &refusals.host_nearest, &nearest);
        assert_int_equal(nearest.gpu_kib <= c->p.usable_kib, on_card);
        assert_that(nearest.host_short_kib > 0, "seed %" PRIu64 ": the host has room", c->seed);
    }
    assert_int_equal(*refusals.gpu_example.text != '\0', gpu > 0);
    assert_int_equal(*refusals.host_example.text != '\0', host > 0);
}

static void search_is_brute_force(void **state) {
    (void)state;
    int64_t cases = 0, none = 0, some = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        test_case c;
        memx_protrain_bounds all;
        if (!open_case(&c, seed)) continue;
        size_t feasible = 0;
        for (size_t i = 0; i < c.count; i++) feasible += fits(&c, &c.rows[i]);
        cases++;
        none += feasible == 0;
        some += feasible > 0 && feasible < c.count;
        memx_protrain_bounds_start(&all);
        check_search(&c, &all);
        for (int i = 0; i < 3; i++) {
            memx_protrain_bounds bounds = random_bounds(&c);
            check_search(&c, &bounds);
        }
        check_papers_search(&c);
        check_refusals(&c);
        close_case(&c);
    }
    assert_that(cases > CASES / 2 && some > CASES / 4 && none > 0,
                "%" PRId64 " cases, %" PRId64 " with nothing that fits, %" PRId64 " with some",
                cases, none, some);
}

/* A poll that says stop ends every loop. */
static int stop_now(void *context) {
    (void)context;
    return 1;
}

static void searches_stop(void **state) {
    (void)state;
    test_case c;
    const memx_poll poll = {.stop = stop_now};
    memx_protrain_bounds bounds;
    memx_protrain_ranked *ranked = NULL;
    memx_protrain_refusals refusals;
    memx_protrain_row got;
    int64_t count = 0;
    assert_true(open_case(&c, 3));
    memx_protrain_bounds_start(&bounds);
    memx_protrain_scan scan = {.protrain = &c.p, .bounds = bounds, .poll = &poll};
    assert_int_equal(memx_protrain_scan_next(&scan, &got), MEMX_INTERRUPTED);
    memx_protrain_scan_close(&scan);
    assert_int_equal(memx_protrain_ranked_open(&c.p, &bounds, &poll, &ranked), MEMX_INTERRUPTED);
    memx_protrain_ranked_close(ranked);
    assert_int_equal(memx_protrain_count(&c.p, &bounds, &poll, &count), MEMX_INTERRUPTED);
    assert_int_equal(memx_protrain_refused(&c.p, &poll, &refusals), MEMX_INTERRUPTED);
    close_case(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search_is_brute_force),
        cmocka_unit_test(searches_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
