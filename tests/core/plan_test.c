/*
** Tests of core/plan.h and core/priced.h: what a configuration costs, from the prices of its stages
** and the definitions in the header; and from the definition over single GPUs.
*/
#include "core/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/network.h"
#include "core/pipeline.h"
#include "core/priced.h"
#include "core/whole.h"
#include "support/check.h"
#include "support/jobs.h"
#include "support/layout.h"

/* Price of a stage on every device that it has, one a share. */
static memx_stage_price share_price(const memx_priced *p, int64_t stage, int32_t share) {
    memx_stage_price out;
    memx_error error = {.text = ""};
    assert_ok(memx_plan_price(&p->plan, &p->plan.shapes[stage], share, &memx_analytic_pricer,
                              &p->config.stages[stage], &out, &error),
              &error);
    return out;
}

static void check_options(const test_job *t, const layout *l, const memx_priced *p, uint64_t seed) {
    for (int64_t s = 0; s < l->knobs.pp; s++) {
        const memx_shape *shape = &p->plan.shapes[s];
        const memx_option *o = &p->options[s];
        int64_t slowest = 0, peak = 0, least_free = INT64_MAX, missing = 0, s1 = 0, gpus = 0;
        double least_share = INFINITY;
        memx_u128 s2 = 0;
        for (int32_t i = 0; i < shape->share_count; i++) {
            const memx_share *share = &shape->shares[i];
            memx_stage_price price = share_price(p, s, i);
            int64_t x = memx_stage_peak_kib(&price.memory),
                    card = memx_card_kib(&t->job, share->device);
            int64_t vp = l->knobs.vp; /* the mean of its chunks */
            slowest = memx_greatest(slowest, (price.forward_ns + vp / 2) / vp +
                                                 (price.backward_ns + vp / 2) / vp);
            peak = memx_greatest(peak, x);
            least_free = memx_least(least_free, card - x);
            least_share = fmin(least_share, (double)(card - x) / (double)card);
            if (price.host_kib > 0)
                least_share = fmin(least_share, (double)(share->host_kib - price.host_kib) /
                                                    (double)memx_greatest(share->host_kib, 1));
            missing = memx_greatest(missing, x - memx_usable_kib(&t->job, share->device));
            missing = memx_greatest(missing, price.host_kib - share->host_kib);
            s1 += share->gpus * x;
            s2 += (memx_u128)share->gpus * (memx_u128)x * (memx_u128)x;
            gpus += share->gpus;
        }
        assert_that(gpus == memx_knobs_stage_gpus(&l->knobs) &&
                        (l->knobs.distributed_optimizer < 2 ? o->time_ns == slowest
                                                            : o->time_ns >= slowest) &&
                        memx_option_backward_ns(o) >= 0 && o->peak_kib == peak &&
                        o->free_kib == least_free && o->free_share == least_share &&
                        o->short_kib == missing && o->s1 == s1 && o->s2 == s2,
                    "seed %" PRIu64 ", stage %d", seed, (int)s);
        assert_true(o->tail_ns >= o->sync_ns && o->sync_ns >= 0);
        assert_whole(o->slot_ns,
                     memx_pipeline_slot_ns(
                         o->time_ns, shape->hop_before_ns + shape->wrap_ns, shape->hop_after_ns,
                         l->knobs.vp > 1 ? t->job.framework.p2p_overlap_interleaved
                                         : t->job.framework.p2p_overlap));
    }
}

static void check_units(const test_job *t, const layout *l, const memx_priced *p,
                        const memx_measures *m) {
    double seconds = (double)m->iteration_ns / 1e9;
    double tokens = (double)(t->job.global_batch * l->knobs.seq_length);
    assert_within(memx_ms(m->iteration_ns), seconds * 1e3, 1e-15);
    assert_within(memx_mib(m->peak_kib), (double)m->peak_kib / 1024.0, 1e-15);
    assert_within(memx_tokens_per_s(&p->plan, m->iteration_ns), tokens / seconds, 1e-12);
    assert_within(memx_tflops_per_gpu(&p->plan, m->iteration_ns),
                  tokens * memx_model_flops(&p->plan.model) / seconds / (double)t->job.gpus / 1e12,
                  1e-12);
    double bubble = memx_bubble(&p->plan, m);
    assert_true(bubble >= 0.0 && bubble < 1.0);
    assert_within(1.0 - bubble,
                  (double)(l->knobs.vp * p->plan.micro_batches) * (double)m->slowest_ns /
                      (double)m->iteration_ns,
                  1e-12);
}

static void check_measures(const test_job *t, const layout *l, const memx_priced *p,
                           uint64_t seed) {
    memx_pipeline_stage stages[LAYOUT_STAGES];
    memx_measures m;
    const memx_framework *f = &t->job.framework;
    const memx_schedule schedule = {l->knobs.pp, l->knobs.vp, p->plan.micro_batches,
                                    l->knobs.vp > 1 ? f->p2p_overlap_interleaved : f->p2p_overlap};
    memx_schedule hidden = schedule;
    int64_t pp = l->knobs.pp, tail = 0, slowest = 0, hops = 0, peak = 0, least_free = INT64_MAX;
    int64_t overhead = memx_whole_ns(t->job.overhead_ms), simulated = 0, wanted = 0;
    bool fits = true;
    double least_share = INFINITY, sum = 0.0, squares = 0.0;
    for (int64_t s = 0; s < pp; s++) {
        const memx_option *o = &p->options[s];
        const memx_shape *shape = &p->plan.shapes[s];
        stages[s] =
            (memx_pipeline_stage){o->forward_ns, memx_option_backward_ns(o), shape->hop_after_ns};
        assert_whole(shape->hop_before_ns, s ? p->plan.shapes[s - 1].hop_after_ns : 0);
        assert_int_equal(shape->hop_after_ns > 0, s + 1 < pp);
        assert_whole(shape->spec.in_flight, memx_in_flight(&schedule, s));
        assert_whole(shape->wrap_ns, s == 0 || s + 1 == pp
                                         ? memx_pipeline_wrap_ns(p->plan.wrap_ns, l->knobs.vp)
                                         : 0);
        assert_true(shape->spec.first == (s == 0) && shape->spec.last == (s + 1 == pp));
        hops += shape->hop_after_ns;
        tail = memx_greatest(tail, o->tail_ns);
        slowest = memx_greatest(slowest, o->time_ns);
        peak = memx_greatest(peak, o->peak_kib);
        least_free = memx_least(least_free, o->free_kib);
        least_share = fmin(least_share, o->free_share);
        fits = fits && o->short_kib == 0;
        for (int32_t i = 0; i < shape->share_count; i++) {
            memx_stage_price price = share_price(p, s, i);
            double mib = (double)memx_stage_peak_kib(&price.memory) / 1024.0;
            sum += shape->shares[i].gpus * mib;
            squares += shape->shares[i].gpus * mib * mib;
        }
    }
    double mean = sum / (double)t->job.gpus, variance = squares / (double)t->job.gpus - mean * mean;
    assert_whole(p->plan.micro_batches, t->job.global_batch / l->knobs.dp / l->knobs.micro_batch);
    assert_whole(p->plan.hops_ns, hops);
    assert_int_equal(p->plan.wrap_ns > 0, l->knobs.vp > 1);
    stages[pp - 1].hop_ns = p->plan.wrap_ns;
    hidden.overlap = 1.0;
    memx_plan_measure(&p->plan, p->pointers, &m);
    int64_t pipeline = memx_pipeline_formula_ns(stages, &schedule);
    assert_that(m.iteration_ns == pipeline + tail + overhead,
                "seed %" PRIu64 ": %" PRId64 " ns, wanted %" PRId64, seed, m.iteration_ns,
                pipeline + tail + overhead);
    assert_that(m.peak_kib == peak && m.free_kib == least_free && m.free_share == least_share &&
                    m.fits == fits && m.slowest_ns == slowest,
                "seed %" PRIu64, seed);
    assert_whole(p->options[m.slowest].time_ns, slowest);
    assert_same(p->options[m.tightest].free_share, least_share);
    double found = memx_variance_mib2(m.moment, t->job.gpus);
    assert_that(fabs(found - variance) <= 1e-9 * squares, "seed %" PRIu64 ": variance %.9g, %.9g",
                seed, found, variance);
    /* What transfers cost is what the formula loses without them. */
    for (int64_t s = 0; s < pp; s++) stages[s].hop_ns = 0;
    wanted = pipeline - memx_pipeline_formula_ns(stages, &hidden);
    assert_that(m.p2p_ns == wanted, "seed %" PRIu64 ": transfers %" PRId64 ", wanted %" PRId64,
                seed, m.p2p_ns, wanted);
    for (int64_t s = 0; s < pp; s++) stages[s].hop_ns = p->plan.shapes[s].hop_after_ns;
    stages[pp - 1].hop_ns = p->plan.wrap_ns;
    assert_int_equal(memx_plan_simulate(&p->plan, p->pointers, NULL, &simulated), MEMX_OK);
    assert_int_equal(memx_pipeline_simulate_ns(stages, &schedule, NULL, NULL, &wanted), MEMX_OK);
    assert_whole(simulated, wanted + tail + overhead);
    check_units(t, l, p, &m);
}

static void measures_follow_their_definitions(void **state) {
    (void)state;
    static char text[LAYOUT_TEXT];
    int64_t cases = 0;
    for (uint64_t seed = 1; seed <= 6000; seed++) {
        rng r = rng_start(seed);
        test_job t;
        layout l;
        memx_priced p;
        memx_error error = {.text = ""};
        random_job(&r, 8, 16, &t);
        if (!random_layout(&r, &t.job, &l)) continue;
        layout_text(&t.job, &l, text);
        memx_status status = memx_priced_open(&t.job, text, &memx_analytic_pricer, &p, &error);
        assert_that(status == MEMX_OK, "seed %" PRIu64 ": %s", seed, error.text);
        check_options(&t, &l, &p, seed);
        check_measures(&t, &l, &p, seed);
        memx_priced_close(&p);
        cases++;
    }
    assert_true(cases > 3000);
}

/* ---- by hand ---- */

static void open_text(const test_job *t, const char *text, memx_priced *p) {
    memx_error error = {.text = ""};
    assert_ok(memx_priced_open(&t->job, text, &memx_analytic_pricer, p, &error), &error);
}

/* Two nodes of 4, A and B; 12 layers. */
static void two_nodes(test_job *t) {
    job_start(t);
    job_device(t, "A", "red", 81920.0);
    job_device(t, "B", "red", 40960.0);
    t->devices[1].peak_tflops = 100.0;
    job_node(t, 0, 0, 4);
    job_node(t, 1, 1, 4);
    job_finish(t);
}

/* A stage on several devices is as slow as its slowest replica; each replica's memory counts. */
static void a_mixed_stage(void **state) {
    (void)state;
    test_job t;
    memx_priced p;
    two_nodes(&t);
    t.devices[0].context_mib = 512.0;
    open_text(&t, "tp1.dp8.mb1/A(4)|B(4)*12:none", &p);
    assert_int_equal(p.plan.shapes[0].share_count, 2);
    memx_stage_price a = share_price(&p, 0, 0), b = share_price(&p, 0, 1);
    const memx_option *o = &p.options[0];
    assert_true(b.forward_ns > a.forward_ns);
    assert_whole(o->forward_ns, b.forward_ns);
    int64_t x = memx_stage_peak_kib(&a.memory), y = memx_stage_peak_kib(&b.memory);
    assert_whole(x, y + 512 * 1024);
    assert_whole(o->peak_kib, x);
    assert_whole(o->s1, 4 * x + 4 * y);
    assert_int_equal(o->tightest, 1); /* half as large a card */
    memx_measures m;
    memx_plan_measure(&p.plan, p.pointers, &m);
    /* Half of the GPUs hold 512 MiB more: a variance of 256^2. */
    assert_within(memx_variance_mib2(m.moment, 8), 256.0 * 256.0, 1e-12);
    memx_priced_close(&p);
}

/* Stages of one node send over its link; between nodes the senders of a node share its network. */
static void hops(void **state) {
    (void)state;
    test_job t;
    memx_priced p;
    two_nodes(&t);
    double bytes = 2.0 * 1024 * 768; /* one micro batch */
    open_text(&t, "tp1.dp2.mb1/A*3:none,A*3:none,B*3:none,B*3:none", &p);
    assert_whole(p.plan.shapes[0].hop_after_ns, memx_whole_ns(memx_hop_intra_ms(bytes, 300.0)));
    assert_whole(p.plan.shapes[1].hop_after_ns,
                 memx_whole_ns(memx_hop_inter_ms(bytes, 2, 100.0, 25.0, 0.8, 20.0)));
    assert_whole(p.plan.shapes[2].hop_after_ns, memx_whole_ns(memx_hop_intra_ms(bytes, 300.0)));
    assert_whole(p.plan.shapes[3].hop_after_ns, 0);
    memx_priced_close(&p);
    /* The slower end counts. */
    t.nodes[1].inter_gbs = 8.0;
    open_text(&t, "tp1.dp4.mb1/A*6:none,B*6:none", &p);
    assert_whole(p.plan.shapes[0].hop_after_ns,
                 memx_whole_ns(memx_hop_inter_ms(bytes, 4, 8.0, 25.0, 0.8, 20.0)));
    memx_priced_close(&p);
}

/* Every tensor rank sends its part; without sequence parallelism the receivers gather the whole. */
static void hops_of_tensor_ranks(void **state) {
    (void)state;
    test_job t;
    memx_priced p;
    two_nodes(&t);
    double bytes = 2.0 * 1024 * 768; /* of one micro batch */
    open_text(&t, "tp2.dp2.mb1.sp1/A*6:none,B*6:none", &p);
    double part = memx_hop_inter_ms(bytes / 2.0, 4, 100.0, 25.0, 0.8, 20.0);
    assert_whole(p.plan.shapes[0].hop_after_ns, memx_whole_ns(part));
    memx_priced_close(&p);
    open_text(&t, "tp2.dp2.mb1.sp0/A*6:none,B*6:none", &p);
    assert_whole(p.plan.shapes[0].hop_after_ns,
                 memx_whole_ns(part + memx_hop_intra_ms(bytes / 2.0, 300.0)));
    memx_priced_close(&p);
}

/* What test jobs say of their network, for replicas on so many nodes. */
static memx_sync sync_of(int64_t replicas, int64_t nodes, int64_t rings, double passes) {
    return (memx_sync){.passes = passes,
                       .replicas = replicas,
                       .nodes = nodes,
                       .rings = rings,
                       .link_gbs = 300.0,
                       .inter_gbs = 100.0,
                       .flow_gbs = 25.0,
                       .inter_efficiency = 0.8,
                       .latency_us = 20.0};
}

/* Gradients: an all-reduce, or with a distributed optimizer a reduce-scatter of gradients and an
** all-gather of parameters. The optimizer's step streams through memory, on the slowest device. */
static void tails(void **state) {
    (void)state;
    for (int distributed = 0; distributed <= 1; distributed++) {
        for (int overlap = 0; overlap <= 2; overlap++) {
            test_job t;
            memx_priced p;
            char text[100];
            two_nodes(&t);
            t.job.model.tied_embeddings = false;
            t.job.framework.dp_overlap = overlap / 2.0;
            t.devices[0].memory_gbs = 500.0;
            snprintf(text, sizeof text, "tp2.dp4.mb1.do%d/A(4)|B(4)*12:none", distributed);
            open_text(&t, text, &p);
            double parameters = memx_stage_parameters(&p.plan.shapes[0].spec, 12, NULL);
            memx_sync sync = sync_of(4, 2, 2, distributed ? 1.0 : 2.0);
            sync.bytes = parameters * (distributed ? 4.0 + 2.0 : 4.0);
            int64_t ns = memx_whole_ns(memx_sync_ms(&sync));
            int64_t hidden = memx_least(ns, memx_option_backward_ns(&p.options[0]));
            int64_t exposed = ns - llround(overlap / 2.0 * (double)hidden);
            double step = 36.0 * parameters / (distributed ? 4.0 : 1.0) / (500e6 * 0.75);
            assert_whole(p.options[0].sync_ns, exposed);
            assert_whole(p.options[0].tail_ns, exposed + memx_whole_ns(step));
            memx_priced_close(&p);
        }
    }
}

/* ZeRO-2 reduces gradients with every micro batch, layer by layer, and gathers parameters at the end; ZeRO-3
** gathers them in both passes and leaves nothing for the end. A pass hides what the framework can. */
static void transfers_of_zero(void **state) {
    (void)state;
    for (int zero = 2; zero <= 3; zero++) {
        for (int overlap = 0; overlap <= 2; overlap++) {
            test_job t;
            memx_priced p;
            char text[100];
            two_nodes(&t);
            t.job.model.tied_embeddings = false;
            t.job.framework.dp_overlap = overlap / 2.0;
            snprintf(text, sizeof text, "tp2.dp4.mb1.do%d/A(4)|B(4)*12:none", zero);
            open_text(&t, text, &p);
            memx_stage_price a = share_price(&p, 0, 0), b = share_price(&p, 0, 1);
            if (b.forward_ns + b.backward_ns > a.forward_ns + a.backward_ns) a = b;
            double parameters = memx_stage_parameters(&p.plan.shapes[0].spec, 12, NULL);
            memx_sync sync = sync_of(4, 2, 2, 1.0);
            sync.bytes = parameters * 2.0 / 12.0;
            double gather = zero == 3 ? 12.0 * memx_sync_ms(&sync) : 0.0;
            sync.bytes = parameters * 4.0 / 12.0;
            double scatter = 12.0 * memx_sync_ms(&sync);
            int64_t there = memx_whole_ns(gather), back = memx_whole_ns(gather + scatter);
            there -= llround(overlap / 2.0 * (double)memx_least(there, a.forward_ns));
            back -= llround(overlap / 2.0 * (double)memx_least(back, a.backward_ns));
            assert_whole(p.options[0].forward_ns, a.forward_ns + there);
            assert_whole(p.options[0].time_ns, a.forward_ns + there + a.backward_ns + back);
            sync.bytes = parameters * 2.0;
            int64_t end = zero == 2 ? memx_whole_ns(memx_sync_ms(&sync)) : 0;
            end -= llround(overlap / 2.0 *
                           (double)memx_least(end, memx_option_backward_ns(&p.options[0])));
            assert_whole(p.options[0].sync_ns, end);
            memx_priced_close(&p);
        }
    }
}

/* The part of the optimizer's step that is on the host goes on beside the rest: the slowest of updating there, with
** its share of the host's memory, and moving gradients there or parameters back. */
static void a_step_on_the_host(void **state) {
    (void)state;
    static const struct {
        double host_gbs, memory_gbs;
        const char *slowest;
    } cases[] = {{4.0, 150.0, "moving"}, {1000.0, 150.0, "updating"}, {1000.0, 1e9, "the card"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        test_job t;
        memx_priced p;
        two_nodes(&t);
        t.job.model.tied_embeddings = false;
        for (int n = 0; n < 2; n++) {
            t.devices[n].host_gbs = cases[i].host_gbs;
            t.devices[n].host_efficiency = 0.5;
            t.nodes[n].host_memory_gbs = cases[i].memory_gbs;
            t.nodes[n].host_memory_mib = 400000.0;
        }
        open_text(&t, "tp1.dp4.mb1.do0/A*6:offload40,B*6:none", &p);
        double parameters = memx_stage_parameters(&p.plan.shapes[0].spec, 6, NULL);
        double gpus = (double)t.nodes[0].gpus;
        double link = fmin(cases[i].host_gbs * 0.5, cases[i].memory_gbs / gpus);
        double moving = 0.4 * parameters * 4.0 / (link * 1e6); /* gradients of 4 bytes */
        double updating = 0.4 * parameters * 36.0 * gpus / (cases[i].memory_gbs * 1e6);
        double card = 0.6 * parameters * 36.0 / (2000e6 * 0.75);
        double wanted = i == 0 ? moving : i == 1 ? updating : card;
        if (wanted < fmax(moving, fmax(updating, card)))
            fail_with("%s is not the slowest", cases[i].slowest);
        const memx_option *o = &p.options[0];
        assert_whole(o->tail_ns - o->sync_ns, memx_whole_ns(wanted));
        assert_whole(o->short_kib, 0);
        memx_priced_close(&p);
        /* What one card's part of the host's memory cannot hold does not fit. */
        t.nodes[0].host_memory_mib = 100.0;
        open_text(&t, "tp1.dp4.mb1.do0/A*6:offload40,B*6:none", &p);
        int64_t held = memx_whole_kib(0.4 * 12.0 * parameters);
        int64_t part = (int64_t)floor(100.0 * 1024.0 * 0.95) / t.nodes[0].gpus;
        assert_whole(p.options[0].short_kib, held - part);
        assert_true(p.options[0].short_on_host && !p.options[1].short_on_host);
        memx_priced_close(&p);
    }
}

/* A tied embedding's gradients are summed over the first and the last stage, when these are two. */
static void tied_embeddings_are_synced(void **state) {
    (void)state;
    test_job t;
    memx_priced tied, untied;
    two_nodes(&t);
    double bytes = 50304.0 * 768 * 4.0; /* fp32 gradients of the padded table */
    int64_t hop = memx_whole_ns(memx_hop_inter_ms(bytes, 2, 100.0, 25.0, 0.8, 20.0));
    static const char text[] = "tp1.dp2.mb1/A*3:none,A*3:none,B*3:none,B*3:none";
    open_text(&t, text, &tied);
    t.job.model.tied_embeddings = false;
    open_text(&t, text, &untied);
    for (int s = 0; s < 4; s++) {
        int64_t more = tied.options[s].sync_ns - untied.options[s].sync_ns;
        assert_whole(more, s == 0 || s == 3 ? hop : 0);
    }
    memx_priced_close(&tied);
    memx_priced_close(&untied);
    t.job.model.tied_embeddings = true;
    open_text(&t, "tp1.dp8.mb1/A(4)|B(4)*12:none", &tied);
    assert_whole(tied.plan.shapes[0].tied_sync_ns, 0);
    memx_priced_close(&tied);
}

static void usable_memory(void **state) {
    (void)state;
    test_job t;
    memx_priced p;
    memx_measures m;
    two_nodes(&t);
    assert_whole(memx_card_kib(&t.job, 1), 40960 * 1024);
    assert_whole(memx_usable_kib(&t.job, 1), 40960 * 1024);
    t.job.reserve = 0.1;
    assert_whole(memx_card_kib(&t.job, 1), 40960 * 1024);
    assert_whole(memx_usable_kib(&t.job, 1), 36864 * 1024);
    /* A configuration fits to the last KiB, and not one further. */
    t.job.reserve = 0.0;
    open_text(&t, "tp1.dp8.mb1/A(4)|B(4)*12:none", &p);
    int64_t peak = p.options[0].peak_kib;
    memx_priced_close(&p);
    for (int64_t less = 0; less <= 1; less++) {
        t.devices[0].memory_mib = t.devices[1].memory_mib = (double)(peak - less) / 1024.0;
        open_text(&t, "tp1.dp8.mb1/A(4)|B(4)*12:none", &p);
        memx_plan_measure(&p.plan, p.pointers, &m);
        assert_int_equal(m.fits, less == 0);
        assert_whole(p.options[0].short_kib, less);
        assert_whole(m.free_kib, -less);
        memx_priced_close(&p);
    }
}

/* arXiv:2104.04473 and every user's first question: more layers on the heavy end weigh. */
static void first_and_last_stage_are_heavier(void **state) {
    (void)state;
    test_job t;
    memx_priced p;
    two_nodes(&t);
    t.job.model = model_gpt(12, 1024, 16, 250000, 1024);
    open_text(&t, "tp1.dp2.mb1/A*3:none,A*3:none,B*3:none,B*3:none", &p);
    assert_true(p.options[0].peak_kib > p.options[1].peak_kib);
    assert_true(p.options[1].peak_kib > p.options[2].peak_kib); /* in flight */
    assert_true(p.options[3].peak_kib > p.options[2].peak_kib);
    memx_priced_close(&p);
}

/* A failed opening leaves nothing. */
static void bad_texts(void **state) {
    (void)state;
    test_job t;
    memx_priced p;
    memx_error error = {.text = ""};
    two_nodes(&t);
    memset(&p, 0xa5, sizeof p);
    assert_refused(memx_priced_open(&t.job, "tp1.dp8.mb1/A(4)|B(4)*11:none", &memx_analytic_pricer,
                                    &p, &error),
                   &error, "layers add up to 11~1 missing");
    assert_null(p.options);
    memx_priced_close(&p);
}

/* A pricer that fails is heard, and its message kept. */
static memx_status refuse_to_price(void *context, const memx_job *job, int32_t device,
                                   const memx_stage_spec *spec, const memx_stage_choice *choices,
                                   size_t count, memx_stage_price *out, memx_error *error) {
    (void)job;
    (void)device;
    (void)spec;
    (void)choices;
    (void)count;
    (void)out;
    if (*(memx_status *)context == MEMX_INVALID) return memx_invalid(error, "no tree");
    return *(memx_status *)context;
}

static void a_pricer_that_fails(void **state) {
    (void)state;
    test_job t;
    memx_priced p;
    memx_error error = {.text = ""};
    two_nodes(&t);
    memx_status answers[] = {MEMX_INVALID, MEMX_NOMEM, MEMX_FAILED, MEMX_INTERRUPTED};
    for (size_t i = 0; i < COUNT(answers); i++) {
        const memx_pricer pricer = {refuse_to_price, &answers[i], "none"};
        assert_int_equal(
            memx_priced_open(&t.job, "tp1.dp8.mb1/A(4)|B(4)*12:none", &pricer, &p, &error),
            answers[i]);
        assert_null(p.options);
    }
    assert_string_equal(error.text, "no tree");
}

/* Absurd figures saturate; nothing overflows. */
static void absurd_iterations_saturate(void **state) {
    (void)state;
    test_job t;
    memx_priced p;
    memx_measures m;
    two_nodes(&t);
    t.job.global_batch = 1000000000;
    t.devices[0].peak_tflops = t.devices[1].peak_tflops = 1e-9;
    t.devices[0].alpha_static = t.devices[1].alpha_static = 1e9;
    open_text(&t,
              "tp1.dp1.mb1/A*1:none,A*1:none,A*1:none,A*1:none,B*1:none,B*1:none,B*1:none,B*5:none",
              &p);
    memx_plan_measure(&p.plan, p.pointers, &m);
    assert_whole(m.iteration_ns, MEMX_MOST_ITERATION_NS);
    assert_true(m.p2p_ns >= 0 && m.peak_kib > 0 && m.free_kib < 0 && !m.fits);
    assert_true(memx_variance_mib2(m.moment, 8) >= 0.0);
    assert_true(isnan(memx_bubble(&p.plan, &m))); /* of what is not known */
    memx_priced_close(&p);
    t.job.global_batch = 100000; /* fewer to simulate */
    int64_t ns;
    open_text(&t,
              "tp1.dp1.mb1/A*1:none,A*1:none,A*1:none,A*1:none,B*1:none,B*1:none,B*1:none,B*5:none",
              &p);
    assert_int_equal(memx_plan_simulate(&p.plan, p.pointers, NULL, &ns), MEMX_OK);
    assert_whole(ns, MEMX_MOST_ITERATION_NS);
    memx_priced_close(&p);
}

/* ---- context parallelism ---- */

/* The ranks of a ring are consecutive tensor groups. Inside a node they use its links; where a ring goes on to the
** next node, each of its tensor ranks sends there, and so do those of another ring that is cut there. Hops
** are of a rank's own tokens. */
static void rings_go_the_narrowest_way(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double gbs;
    } cases[] = {
        {"tp2.dp4.mb1/A(4)|B(4)*12:none", 0.0},
        {"tp2.dp2.cp2.mb1/A(4)|B(4)*12:none", 0.77 * 300.0},
        {"tp2.dp1.cp4.mb1/A(4)|B(4)*12:none", 0.8 * 25.0}, /* 2 flows of 100 GB/s: a NIC each */
        {"tp1.dp1.cp8.mb1/A(4)|B(4)*12:none", 0.8 * 25.0}, /* 1 flow */
        {"tp4.dp1.cp2.mb1/A(4)|B(4)*12:none", 0.8 * 100.0 / 4.0}, /* 4 flows */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        test_job t;
        memx_priced p;
        two_nodes(&t);
        open_text(&t, cases[i].text, &p);
        assert_same(p.plan.shapes[0].spec.ring_gbs, cases[i].gbs);
        memx_priced_close(&p);
    }
    test_job t;
    memx_priced whole, halves;
    two_nodes(&t);
    open_text(&t, "tp1.dp4.mb1/A*6:none,B*6:none", &whole);
    open_text(&t, "tp1.dp2.cp2.mb1/A*6:none,B*6:none", &halves);
    double bytes = 2.0 * (double)t.job.model.seq_length * (double)t.job.model.hidden;
    for (int c = 1; c <= 2; c++) {
        assert_whole((c == 1 ? &whole : &halves)->plan.hops_ns,
                     memx_whole_ns(memx_hop_inter_ms(bytes / c, 4, 100.0, 25.0, 0.8, 20.0)));
    }
    assert_whole(halves.plan.micro_batches, 2 * whole.plan.micro_batches);
    assert_whole(halves.options[0].sync_ns, whole.options[0].sync_ns); /* over four either way */
    memx_priced_close(&whole);
    memx_priced_close(&halves);
}

/* ---- experts ---- */

static void make_experts(test_job *t) {
    memx_error error = {.text = ""};
    t->job.model.biases = t->job.model.qkv_biases = false;
    t->job.model.experts = 24;
    t->job.model.experts_per_token = 2;
    t->job.model.expert_ffn_hidden = 1536;
    t->job.global_batch = 24;
    assert_ok(memx_job_check(&t->job, &error), &error);
}

static double exchange_of(const memx_job *job, const char *text) {
    memx_priced p;
    memx_error error = {.text = ""};
    assert_ok(memx_priced_open(job, text, &memx_analytic_pricer, &p, &error), &error);
    double gbs = p.plan.shapes[0].spec.exchange_gbs;
    memx_priced_close(&p);
    return gbs;
}

/* Expert groups are ep neighbouring tensor groups of a stage: three nodes of 4 GPUs, 100 GB/s each to the others,
** four fifths of it reached, links of 300 GB/s within. */
static void all_to_alls_go_the_narrowest_way(void **state) {
    (void)state;
    test_job t;
    job_lab(&t);
    make_experts(&t);
    double link = memx_reached_intra_gbs(300.0), inter = 0.8 * 100.0 / 4.0;
    const struct {
        const char *text;
        double wanted;
    } cases[] = {
        {"tp1.dp12.mb1/A-80(8)|B_32(4)*12:full", 0.0},
        {"tp1.dp12.mb1.ep2/A-80(8)|B_32(4)*12:full", link},
        {"tp1.dp12.mb1.ep4/A-80(8)|B_32(4)*12:full", link},
        {"tp2.dp6.mb1.ep2/A-80(8)|B_32(4)*12:full", link},
        /* 4 + 2 ranks, 2 + 4: of five others four elsewhere at worst. */
        {"tp1.dp12.mb1.ep6/A-80(8)|B_32(4)*12:full", inter * 5.0 / 4.0},
        /* Tensor groups of two: 2 + 1 ranks, 1 + 2. */
        {"tp2.dp6.mb1.ep3/A-80(8)|B_32(4)*12:full", inter * 2.0 / 2.0},
        /* 4 ranks on each node: eight of eleven others elsewhere. */
        {"tp1.dp12.mb1.ep12/A-80(8)|B_32(4)*12:full", inter * 11.0 / 8.0},
        /* A stage a node. */
        {"tp1.dp4.mb1.ep4/A-80*4:full,A-80*4:full,B_32*4:full", link},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        double found = exchange_of(&t.job, cases[i].text);
        assert_that(fabs(found - cases[i].wanted) <= 1e-9 * cases[i].wanted, "%s: %.17g",
                    cases[i].text, found);
    }
}

/* Gradients and optimizer: experts over dp / ep, all else over dp. With experts on one rank each nothing of them
** is summed. */
static void experts_sync_over_fewer(void **state) {
    (void)state;
    test_job t;
    job_lab(&t);
    make_experts(&t);
    t.job.framework.dp_overlap = 0.0;
    memx_error error = {.text = ""};
    memx_priced all, none;
    assert_ok(memx_priced_open(&t.job, "tp1.dp12.mb1.ep12/A-80(8)|B_32(4)*12:full",
                               &memx_analytic_pricer, &all, &error),
              &error);
    const memx_shape *shape = &all.plan.shapes[0];
    double routed = 0.0, held = memx_stage_parameters(&shape->spec, 12, &routed);
    memx_sync sync = sync_of(12, 3, 1, 1.0);
    sync.bytes = (held - routed) * 6.0;
    assert_whole(all.options[0].sync_ns, memx_whole_ns(memx_sync_ms(&sync)));
    assert_ok(memx_priced_open(&t.job, "tp1.dp12.mb1.ep4/A-80(8)|B_32(4)*12:full",
                               &memx_analytic_pricer, &none, &error),
              &error);
    held = memx_stage_parameters(&none.plan.shapes[0].spec, 12, &routed);
    double shared_ms = memx_sync_ms(&sync);
    sync.bytes = routed * 6.0; /* one rank of every node in each of four rings */
    sync.replicas = 3;
    sync.rings = 4;
    assert_whole(none.options[0].sync_ns, memx_whole_ns(shared_ms + memx_sync_ms(&sync)));
    memx_priced_close(&all);
    memx_priced_close(&none);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_to_alls_go_the_narrowest_way),
        cmocka_unit_test(experts_sync_over_fewer),
        cmocka_unit_test(rings_go_the_narrowest_way),
        cmocka_unit_test(measures_follow_their_definitions),
        cmocka_unit_test(a_mixed_stage),
        cmocka_unit_test(hops),
        cmocka_unit_test(hops_of_tensor_ranks),
        cmocka_unit_test(tails),
        cmocka_unit_test(transfers_of_zero),
        cmocka_unit_test(a_step_on_the_host),
        cmocka_unit_test(tied_embeddings_are_synced),
        cmocka_unit_test(usable_memory),
        cmocka_unit_test(first_and_last_stage_are_heavier),
        cmocka_unit_test(bad_texts),
        cmocka_unit_test(a_pricer_that_fails),
        cmocka_unit_test(absurd_iterations_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
