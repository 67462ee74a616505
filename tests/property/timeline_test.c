/*
** Random configurations: the slices of core/timeline.h leave no gap and do not overlap, each stage does
** every forward and backward once, in its price's time, and all ends with the simulation; the trace of
** core/trace.h says the same.
*/
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/timeline.h"
#include "core/trace.h"
#include "core/whole.h"
#include "support/check.h"
#include "support/layout.h"

typedef struct seen {
    uint64_t seed;
    const memx_priced *priced;
    const memx_pricer *pricer;
    int64_t at_ns[LAYOUT_STAGES], ns[LAYOUT_STAGES][MEMX_SLICE_KINDS];
    int64_t forwards[LAYOUT_STAGES],
        backwards[LAYOUT_STAGES]; /* their micro batches come in order */
    int64_t slices, stop_after;
} seen;

/* The place of a slice's task among the forwards, or backwards, of its stage: groups of micro batches, in each the
** chunks. */
static int64_t in_order(const seen *t, const memx_slice *x) {
    int64_t p = t->priced->plan.stage_count, v = t->priced->config.knobs.vp;
    int64_t chunk = x->forward ? x->chunk : v - 1 - x->chunk;
    return x->micro_batch / p * p * v + chunk * p + x->micro_batch % p;
}

static memx_status see(void *context, const memx_slice *x) {
    seen *t = context;
    if (++t->slices == t->stop_after) return MEMX_INTERRUPTED;
    assert_that(x->begin_ns == t->at_ns[x->stage] && x->end_ns > x->begin_ns,
                "seed %" PRIu64 ": stage %d goes on at %" PRId64 " from %" PRId64, t->seed,
                (int)x->stage, x->begin_ns, t->at_ns[x->stage]);
    t->at_ns[x->stage] = x->end_ns;
    t->ns[x->stage][x->kind] += x->end_ns - x->begin_ns;
    int64_t tasks = t->forwards[x->stage] + t->backwards[x->stage];
    bool before = x->kind == MEMX_SLICE_IDLE || x->kind == MEMX_SLICE_RECEIVE ||
                  x->kind == MEMX_SLICE_FORWARD || x->kind == MEMX_SLICE_RECOMPUTE;
    if (x->kind == MEMX_SLICE_FORWARD) assert_whole(in_order(t, x), t->forwards[x->stage]++);
    if (x->kind == MEMX_SLICE_RECOMPUTE) assert_whole(in_order(t, x), t->backwards[x->stage]);
    if (x->kind == MEMX_SLICE_BACKWARD) {
        assert_whole(x->task, tasks);
        assert_whole(in_order(t, x), t->backwards[x->stage]++);
    }
    if (before) assert_whole(x->task, tasks);
    if (x->kind == MEMX_SLICE_SEND) assert_whole(x->task, tasks - 1);
    if (x->kind >= MEMX_SLICE_SYNC) assert_true(x->micro_batch == -1);
    return MEMX_OK;
}

static void check_sums(const seen *t, const memx_timeline *timeline, int64_t end) {
    const memx_plan *plan = &t->priced->plan;
    int64_t m = plan->slots, simulated = 0;
    assert_int_equal(memx_plan_simulate(plan, t->priced->pointers, NULL, &simulated), MEMX_OK);
    assert_whole(end, simulated);
    for (int32_t s = 0; s < plan->stage_count; s++) {
        const memx_option *o = &t->priced->options[s];
        const int64_t *ns = t->ns[s];
        assert_whole(t->at_ns[s], end);
        assert_whole(t->forwards[s], m);
        assert_whole(ns[MEMX_SLICE_FORWARD], m * o->forward_ns);
        assert_whole(ns[MEMX_SLICE_RECOMPUTE] + ns[MEMX_SLICE_BACKWARD],
                     m * memx_option_backward_ns(o));
        assert_whole(ns[MEMX_SLICE_RECOMPUTE], m * timeline->recompute_ns[s]);
        assert_whole(ns[MEMX_SLICE_SYNC], o->sync_ns);
        assert_whole(ns[MEMX_SLICE_OPTIMIZER], o->tail_ns - o->sync_ns);
        assert_whole(ns[MEMX_SLICE_OVERHEAD], memx_whole_ns(plan->job->overhead_ms));
        memx_level_kind kind = t->priced->config.stages[s].level.kind;
        bool again = kind != MEMX_NONE && kind != MEMX_SWAP;
        assert_that((timeline->recompute_ns[s] > 0) == again || kind == MEMX_SELECTIVE,
                    "seed %" PRIu64 ": stage %d recomputes for %" PRId64 " ns", t->seed, (int)s,
                    timeline->recompute_ns[s]);
    }
}

static int64_t occurrences(const char *text, const char *what) {
    int64_t n = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what)) n++;
    return n;
}

static void check_trace(const seen *t, const memx_timeline *timeline, int64_t end) {
    const memx_plan *plan = &t->priced->plan;
    memx_text text = {0};
    char wanted[64];
    assert_int_equal(memx_trace_write(timeline, "analytic", NULL, &text), MEMX_OK);
    int64_t shown = plan->stage_count * plan->slots;
    assert_whole(occurrences(text.data, "{\"name\":\"forward\""), shown);
    assert_whole(occurrences(text.data, "{\"name\":\"backward\""), shown);
    shown -= plan->micro_batches;
    assert_whole(occurrences(text.data, "{\"name\":\"activations\""), shown);
    assert_whole(occurrences(text.data, "{\"name\":\"gradients\""), shown);
    snprintf(wanted, sizeof wanted, "\"simulated_ms\":%" PRId64 ".%06d,", end / 1000000,
             (int)(end % 1000000));
    assert_non_null(strstr(text.data, wanted));
    assert_non_null(strstr(text.data, "\"left_out\":0}"));
    memx_text_free(&text);
}

static void check_case(seen *t) {
    memx_timeline timeline;
    memx_error error = {.text = ""};
    int64_t end = 0;
    assert_ok(memx_timeline_open(t->priced, t->pricer, &timeline, &error), &error);
    assert_int_equal(memx_timeline_walk(&timeline, NULL, see, t, &end), MEMX_OK);
    check_sums(t, &timeline, end);
    check_trace(t, &timeline, end);
    /* A visit that gives up is heard. */
    seen again = {.priced = t->priced, .stop_after = t->slices};
    again.stop_after = 1 + (int64_t)(t->seed % (uint64_t)t->slices);
    assert_int_equal(memx_timeline_walk(&timeline, NULL, see, &again, &end), MEMX_INTERRUPTED);
    assert_whole(again.slices, again.stop_after);
    memx_timeline_close(&timeline);
}

static void slices_fill_the_iteration(void **state) {
    (void)state;
    static char text[LAYOUT_TEXT];
    int64_t cases = 0;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        rng r = rng_start(seed);
        test_job t;
        layout l;
        memx_priced p;
        memx_error error = {.text = ""};
        random_job(&r, 8, 16, &t);
        if (!random_layout(&r, &t.job, &l)) continue;
        t.job.framework.p2p_overlap = rng_chance(&r, 50) ? 0.0 : rng_real(&r, 0, 1);
        layout_text(&t.job, &l, text);
        memx_status status = memx_priced_open(&t.job, text, &memx_analytic_pricer, &p, &error);
        assert_that(status == MEMX_OK, "seed %" PRIu64 ": %s", seed, error.text);
        seen x = {.seed = seed, .priced = &p, .pricer = &memx_analytic_pricer};
        check_case(&x);
        memx_priced_close(&p);
        cases++;
    }
    assert_true(cases > 1500);
}

/* 100,000 micro batches on two stages: the trace shows 12,500 tasks at either end of each, and sums of the rest. */
static void long_iterations_are_cut(void **state) {
    (void)state;
    test_job t;
    memx_priced p;
    memx_timeline timeline;
    memx_text text = {0};
    memx_error error = {.text = ""};
    job_start(&t);
    job_device(&t, "A", "red", 81920.0);
    job_node(&t, 0, 0, 2);
    t.job.global_batch = 100000;
    job_finish(&t);
    assert_ok(memx_priced_open(&t.job, "tp1.dp1.mb1/A*4:full,A*8:none", &memx_analytic_pricer, &p,
                               &error),
              &error);
    assert_ok(memx_timeline_open(&p, &memx_analytic_pricer, &timeline, &error), &error);
    assert_int_equal(memx_trace_write(&timeline, "analytic", NULL, &text), MEMX_OK);
    assert_whole(occurrences(text.data, "{\"name\":\"left out\""), 2);
    assert_whole(occurrences(text.data, "\"forwards_and_backwards\":175000"), 2);
    assert_whole(occurrences(text.data, "{\"name\":\"forward\"") +
                     occurrences(text.data, "{\"name\":\"backward\""),
                 MEMX_TRACE_TASKS);
    assert_non_null(strstr(text.data, "\"left_out\":175000}"));
    memx_text_free(&text);
    memx_timeline_close(&timeline);
    memx_priced_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_fill_the_iteration),
        cmocka_unit_test(long_iterations_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
