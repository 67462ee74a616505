#include "predict/residual.h"

#include <math.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/jobs.h"

/* A forest that adds x to everything. */
static void always(memx_forest *f, float x) {
    const memx_tree_node leaf = {.feature = -1, .value = x};
    memx_forest_start(f, MEMX_FEATURE_COUNT);
    assert_int_equal(memx_forest_tree(f, NULL), MEMX_OK);
    assert_int_equal(memx_forest_node(f, &leaf, NULL), MEMX_OK);
}

/* 10 % slower, 5 % smaller; trained on everything up to 4 layers, on the job's first device. */
static void start(const test_job *t, memx_residual *r) {
    *r = (memx_residual){.name = "mine"};
    r->calibrations = malloc(sizeof *r->calibrations);
    assert_non_null(r->calibrations);
    r->calibration_count = 1;
    memx_calibration_start(r->calibrations, t->devices[0].name, t->job.framework.name);
    always(&r->outputs[MEMX_OUTPUT_TIME].trees, 1.0F);
    always(&r->outputs[MEMX_OUTPUT_PEAK].trees, -1.0F);
    r->outputs[MEMX_OUTPUT_TIME].mean = log(1.1) - 0.05;
    r->outputs[MEMX_OUTPUT_TIME].sd = 0.05;
    r->outputs[MEMX_OUTPUT_PEAK].mean = log(0.95) + 0.02;
    r->outputs[MEMX_OUTPUT_PEAK].sd = 0.02;
    for (int o = 0; o < MEMX_OUTPUT_COUNT; o++) {
        r->outputs[o].clip = 0.2;
        r->outputs[o].used = true;
    }
    for (int f = 0; f < MEMX_FEATURE_COUNT; f++) {
        r->least[f] = -100.0F;
        r->most[f] = 100.0F;
    }
    r->most[MEMX_FEATURE_LAYERS] = 2.0F;
}

static memx_stage_spec spec_of(const test_job *t) {
    return (memx_stage_spec){.model = t->job.model,
                             .tp = 2,
                             .dp = 2,
                             .micro_batch = 2,
                             .in_flight = 3,
                             .first = true,
                             .last = true,
                             .sequence_parallel = true,
                             .distributed_optimizer = MEMX_ZERO_OPTIMIZER,
                             .link_gbs = 300.0};
}

static void price(const test_job *t, const memx_pricer *pricer, int64_t layers,
                  memx_stage_price *out) {
    const memx_stage_spec spec = spec_of(t);
    const memx_stage_choice choice = {layers, {MEMX_NONE, 0, 0}};
    memx_error error = {.text = ""};
    assert_ok(pricer->price(pricer->context, &t->job, 0, &spec, &choice, 1, out, &error), &error);
}

static double ms(const memx_stage_price *p) {
    return (double)(p->forward_ns + p->backward_ns) / 1e6;
}

static double held(const memx_stage_price *p) {
    return (double)(memx_stage_peak_kib(&p->memory) - p->memory.context_kib);
}

static void factors_apply_to_time_and_to_all_but_the_context(void **state) {
    test_job t;
    memx_residual r;
    memx_stage_price prior, found;
    (void)state;
    job_lab(&t);
    start(&t, &r);
    const memx_pricer pricer = memx_residual_pricer(&r);
    assert_string_equal(pricer.name, "mine");
    price(&t, &memx_analytic_pricer, 4, &prior);
    price(&t, &pricer, 4, &found);
    assert_within(ms(&found) / ms(&prior), 1.1, 1e-6);
    assert_within(held(&found) / held(&prior), 0.95, 1e-5);
    assert_whole(found.memory.context_kib, prior.memory.context_kib);
    memx_residual_free(&r);
}

/* One doubling outside leaves a quarter of the logarithm, two a sixteenth. */
static void it_fades_outside_what_it_was_trained_on(void **state) {
    test_job t;
    memx_residual r;
    (void)state;
    job_lab(&t);
    start(&t, &r);
    const memx_pricer pricer = memx_residual_pricer(&r);
    for (int doublings = 1; doublings <= 2; doublings++) {
        memx_stage_price prior, found;
        price(&t, &memx_analytic_pricer, 4 << doublings, &prior);
        price(&t, &pricer, 4 << doublings, &found);
        assert_within(log(ms(&found) / ms(&prior)), log(1.1) / (doublings == 1 ? 4.0 : 16.0), 1e-3);
    }
    memx_residual_free(&r);
}

static void what_did_not_pass_is_not_used_and_clips_hold(void **state) {
    test_job t;
    memx_residual r;
    memx_stage_price prior, found;
    (void)state;
    job_lab(&t);
    start(&t, &r);
    const memx_pricer pricer = memx_residual_pricer(&r);
    r.outputs[MEMX_OUTPUT_PEAK].used = false;
    r.outputs[MEMX_OUTPUT_TIME].mean = 3.0;
    price(&t, &memx_analytic_pricer, 2, &prior);
    price(&t, &pricer, 2, &found);
    assert_whole(memx_stage_peak_kib(&found.memory), memx_stage_peak_kib(&prior.memory));
    assert_within(ms(&found) / ms(&prior), exp(0.2), 1e-6);
    memx_residual_free(&r);
}

/* It corrects no device that it has not seen, and says so. */
static void other_devices_keep_the_analytic_price(void **state) {
    test_job t;
    memx_residual r;
    memx_stage_price prior, found;
    (void)state;
    job_lab(&t);
    start(&t, &r);
    const memx_pricer pricer = memx_residual_pricer(&r);
    price(&t, &pricer, 4, &found);
    assert_false(found.extrapolated);
    memx_calibration_start(r.calibrations, "another", t.job.framework.name);
    price(&t, &memx_analytic_pricer, 4, &prior);
    price(&t, &pricer, 4, &found);
    assert_whole(found.forward_ns, prior.forward_ns);
    assert_true(found.extrapolated);
    memx_residual_free(&r);
}

static void features_are_what_they_are_called(void **state) {
    test_job t;
    memx_stage_price prior;
    float f[MEMX_FEATURE_COUNT];
    (void)state;
    job_lab(&t);
    const memx_stage_spec spec = spec_of(&t);
    const memx_stage_choice choice = {4, {MEMX_BLOCK, 1, 0}};
    price(&t, &memx_analytic_pricer, 4, &prior);
    memx_features(&t.job.devices[0], &spec, &choice, &prior, 1, f);
    assert_same(f[MEMX_FEATURE_TOKENS], 11.0); /* 2 * 1024 */
    assert_same(f[MEMX_FEATURE_LAYERS], 2.0);
    assert_same(f[MEMX_FEATURE_RECOMPUTED], 0.25);
    assert_same(f[MEMX_FEATURE_FIRST], 1.0);
    assert_within(exp2((double)f[MEMX_FEATURE_TIME]), ms(&prior), 1e-6);
    assert_within(exp2((double)f[MEMX_FEATURE_PEAK]), held(&prior) / 1024.0, 1e-6);
    assert_within(f[MEMX_FEATURE_STATIC_SHARE] + f[MEMX_FEATURE_ACTIVATION_SHARE] +
                      f[MEMX_FEATURE_WORK_SHARE] + f[MEMX_FEATURE_LOGITS_SHARE],
                  1.0, 1e-5);
    /* The same layers in two chunks: what a price is of is the whole stage. */
    memx_stage_spec halves = spec;
    halves.vp = 2;
    const memx_stage_choice half = {2, {MEMX_BLOCK, 1, 0}};
    float g[MEMX_FEATURE_COUNT];
    memx_features(&t.job.devices[0], &halves, &half, &prior, 1, g);
    assert_same(g[MEMX_FEATURE_LAYERS], f[MEMX_FEATURE_LAYERS]);
    assert_same(g[MEMX_FEATURE_TIME_PER_LAYER], f[MEMX_FEATURE_TIME_PER_LAYER]);
    assert_same(g[MEMX_FEATURE_RECOMPUTED], 0.5);
    assert_same(g[MEMX_FEATURE_VP], 1.0);
    for (int i = 0; i < MEMX_FEATURE_COUNT; i++) assert_non_null(memx_feature_name(i));
    assert_null(memx_feature_name(MEMX_FEATURE_COUNT));
    assert_null(memx_feature_name(-1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_apply_to_time_and_to_all_but_the_context),
        cmocka_unit_test(it_fades_outside_what_it_was_trained_on),
        cmocka_unit_test(what_did_not_pass_is_not_used_and_clips_hold),
        cmocka_unit_test(other_devices_keep_the_analytic_price),
        cmocka_unit_test(features_are_what_they_are_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
