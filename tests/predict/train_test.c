/*
** Learning on made-up measurements: the analytic model times something, with noise. Synthetic.
*/
#include "predict/train.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/jobs.h"

enum { ROWS = 400 };

/* What the measurements follow: the analytic price times exp of this. */
typedef double (*truth)(const memx_stage_spec *spec, const memx_stage_choice *choice, int device);

static double nothing(const memx_stage_spec *spec, const memx_stage_choice *choice, int device) {
    (void)spec;
    (void)choice;
    (void)device;
    return 0.0;
}

/* A constant of each device, which calibration finds. */
static double constant(const memx_stage_spec *spec, const memx_stage_choice *choice, int device) {
    (void)spec;
    (void)choice;
    return device == 0 ? 0.15 : -0.12;
}

/* A library that is slow on small products, and a device whose full recompute is cheap. */
static double quirky(const memx_stage_spec *spec, const memx_stage_choice *choice, int device) {
    double tokens = (double)(spec->micro_batch * spec->model.seq_length);
    double small = tokens * (double)spec->model.hidden / (double)spec->tp < 4e6 ? 0.18 : -0.04;
    return small + (device == 1 && choice->level.kind == MEMX_FULL ? -0.12 : 0.0);
}

typedef struct made {
    test_job t;
    memx_sample rows[ROWS];
} made;

static void make(uint64_t seed, truth time, double noise, made *out) {
    static const int64_t hidden[] = {1024, 2048, 4096, 5120, 8192};
    rng r = rng_start(seed);
    job_lab(&out->t);
    for (int i = 0; i < ROWS; i++) {
        memx_sample *s = &out->rows[i];
        int device = (int)rng_between(&r, 0, 1);
        int64_t h = hidden[rng_between(&r, 0, 4)];
        *s = (memx_sample){.device = &out->t.devices[device],
                           .framework = &out->t.job.framework,
                           .context_mib = NAN,
                           .weight = 1.0,
                           .source = i};
        s->spec = (memx_stage_spec){.model = model_gpt(24, h, 16, 50257, 1024),
                                    .tp = (int64_t)1 << rng_between(&r, 0, 3),
                                    .dp = 1,
                                    .micro_batch = rng_between(&r, 1, 16),
                                    .in_flight = rng_between(&r, 1, 4),
                                    .link_gbs = 300.0};
        s->choice = (memx_stage_choice){rng_between(&r, 1, 12), {MEMX_NONE, 0, 0}};
        if (rng_chance(&r, 50)) s->choice.level.kind = MEMX_FULL;
        memx_stage_price price;
        memx_stage_price_all(s->device, s->framework, &s->spec, &s->choice, 1, &price);
        s->time_ms = memx_price_ms(&price) *
                     exp(time(&s->spec, &s->choice, device) + rng_real(&r, -noise, noise));
        s->held_mib = memx_held_mib(&price) * exp(rng_real(&r, -0.02, 0.02));
    }
}

static double average(const memx_validation *by, bool learned) {
    double sum = 0.0;
    int count = 0;
    for (int g = 0; g < MEMX_GROUPING_COUNT; g++) {
        if (by[g].groups < 2) continue;
        sum += learned ? by[g].learned_mape : by[g].prior_mape;
        count++;
    }
    return sum / count;
}

static void learn_some(made *m, size_t count, memx_residual *out, memx_train_report *report) {
    const memx_train_options options = memx_train_defaults();
    const memx_rows rows = {.samples = m->rows, .count = count, .metric = MEMX_RESERVED};
    memx_error error = {.text = ""};
    assert_ok(memx_train(&rows, &options, NULL, out, report, &error), &error);
}

static void learn(made *m, memx_residual *out, memx_train_report *report) {
    learn_some(m, ROWS, out, report);
}

/* Groups it has not seen come out better, and what it was not told about memory stays as it is. */
static void quirks_are_learned(void **state) {
    static made m;
    memx_residual r;
    memx_train_report report;
    (void)state;
    make(1, quirky, 0.02, &m);
    learn(&m, &r, &report);
    assert_int_equal(report.verdict[MEMX_OUTPUT_TIME], MEMX_VERDICT_USED);
    assert_int_equal(report.verdict[MEMX_OUTPUT_PEAK], MEMX_VERDICT_NO_BETTER);
    assert_int_equal(report.figures[MEMX_OUTPUT_TIME].rows, ROWS);
    const memx_validation *by = report.figures[MEMX_OUTPUT_TIME].by;
    assert_that(average(by, true) < 0.85 * average(by, false), "%.2f %% of %.2f %%",
                average(by, true), average(by, false));
    assert_true(report.figures[MEMX_OUTPUT_TIME].learned_mape < 3.0);
    memx_residual_free(&r);
}

/* A constant needs no trees; noise must not be learned. */
static void constants_are_calibrated_and_noise_is_not_learned(void **state) {
    static made m;
    memx_residual r;
    memx_train_report report;
    (void)state;
    make(2, constant, 0.03, &m);
    learn(&m, &r, &report);
    assert_int_equal(report.verdict[MEMX_OUTPUT_TIME], MEMX_VERDICT_NO_BETTER);
    assert_int_equal(r.calibration_count, 2);
    assert_true(report.figures[MEMX_OUTPUT_TIME].calibrated_mape < 2.0);
    assert_true(report.figures[MEMX_OUTPUT_TIME].nominal_mape > 10.0);
    memx_residual_free(&r);
    make(3, nothing, 0.05, &m);
    learn(&m, &r, &report);
    assert_int_equal(report.verdict[MEMX_OUTPUT_TIME], MEMX_VERDICT_NO_BETTER);
    memx_residual_free(&r);
}

static void few_rows_are_calibrated_on_only(void **state) {
    static made m;
    const memx_train_options options = memx_train_defaults();
    const memx_rows none = {.samples = m.rows};
    memx_residual r;
    memx_train_report report;
    memx_error error = {.text = ""};
    (void)state;
    make(4, constant, 0.02, &m);
    m.rows[3].time_ms = NAN;
    m.rows[4].time_ms = -1.0;
    m.rows[5].held_mib = INFINITY;
    learn_some(&m, 12, &r, &report);
    assert_int_equal(report.verdict[MEMX_OUTPUT_TIME], MEMX_VERDICT_TOO_FEW);
    assert_int_equal(report.figures[MEMX_OUTPUT_TIME].rows, 10);
    assert_int_equal(report.figures[MEMX_OUTPUT_PEAK].rows, 11);
    assert_int_equal(r.outputs[MEMX_OUTPUT_TIME].trees.tree_count, 0);
    assert_true(report.figures[MEMX_OUTPUT_TIME].calibrated_mape <
                report.figures[MEMX_OUTPUT_TIME].nominal_mape);
    memx_residual_free(&r);
    assert_refused(memx_train(&none, &options, NULL, &r, &report, &error), &error,
                   "there are no rows to learn from");
}

/* As the options say, whatever validation says; and peaks that are off by a tenth need a greater reserve. */
static void options_and_reserve(void **state) {
    static made m;
    memx_train_options options = memx_train_defaults();
    const memx_rows rows = {.samples = m.rows, .count = ROWS, .metric = MEMX_RESERVED};
    memx_residual r;
    memx_train_report report;
    memx_error error = {.text = ""};
    double least = 0.0;
    (void)state;
    make(6, quirky, 0.02, &m);
    options.trees = MEMX_TREES_NEVER;
    assert_ok(memx_train(&rows, &options, NULL, &r, &report, &error), &error);
    assert_int_equal(report.verdict[MEMX_OUTPUT_TIME], MEMX_VERDICT_OFF);
    least = report.reserve;
    assert_true(least >= 0.05 && least < 0.07);
    memx_residual_free(&r);
    rng other = rng_start(7);
    for (int i = 0; i < ROWS; i++) m.rows[i].held_mib *= exp(rng_real(&other, -0.15, 0.15));
    options.trees = MEMX_TREES_ALWAYS;
    assert_ok(memx_train(&rows, &options, NULL, &r, &report, &error), &error);
    assert_int_equal(report.verdict[MEMX_OUTPUT_PEAK], MEMX_VERDICT_USED);
    assert_true(report.reserve > 0.2 && report.reserve == r.reserve);
    memx_residual_free(&r);
}

static void same_rows_give_the_same(void **state) {
    static made m;
    memx_residual a, b;
    memx_train_report ra, rb;
    (void)state;
    make(5, quirky, 0.02, &m);
    learn(&m, &a, &ra);
    learn(&m, &b, &rb);
    ra.fit_seconds = rb.fit_seconds = ra.validation_seconds = rb.validation_seconds = 0.0;
    assert_memory_equal(&ra, &rb, sizeof ra);
    assert_memory_equal(a.calibrations, b.calibrations, 2 * sizeof *a.calibrations);
    for (int o = 0; o < MEMX_OUTPUT_COUNT; o++) {
        const memx_forest *x = &a.outputs[o].trees, *y = &b.outputs[o].trees;
        assert_int_equal(x->node_count, y->node_count);
        assert_memory_equal(x->nodes, y->nodes, (size_t)x->node_count * sizeof *x->nodes);
    }
    memx_residual_free(&a);
    memx_residual_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quirks_are_learned),
        cmocka_unit_test(constants_are_calibrated_and_noise_is_not_learned),
        cmocka_unit_test(few_rows_are_calibrated_on_only),
        cmocka_unit_test(options_and_reserve),
        cmocka_unit_test(same_rows_give_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
