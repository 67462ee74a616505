/*
** Calibration on made-up measurements: the model under other constants, with noise. Synthetic.
*/
#include "predict/calibrate.h"

#include "predict/residual.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/jobs.h"

enum { ROWS = 300 };

typedef struct made {
    test_job t;
    memx_sample rows[ROWS];
    memx_calibration truth;
} made;

/* Stages of the first device: small and large, with and without head, tensor parallelism, recompute. */
static void make(uint64_t seed, double noise, made *out) {
    rng r = rng_start(seed);
    for (int i = 0; i < ROWS; i++) {
        memx_sample *s = &out->rows[i];
        memx_stage_price price;
        *s = (memx_sample){.device = &out->t.devices[0],
                           .framework = &out->t.job.framework,
                           .context_mib = NAN,
                           .weight = 1.0,
                           .source = i};
        s->spec = (memx_stage_spec){
            .model = model_gpt(24, (int64_t)256 << rng_between(&r, 0, 5), 16, 50257, 1024),
            .tp = (int64_t)1 << rng_between(&r, 0, 3),
            .dp = 1,
            .micro_batch = rng_between(&r, 1, 16),
            .in_flight = rng_between(&r, 1, 4),
            .last = rng_chance(&r, 30),
            .link_gbs = 300.0};
        s->choice = (memx_stage_choice){rng_between(&r, 1, 12), {MEMX_NONE, 0, 0}};
        if (rng_chance(&r, 50)) s->choice.level.kind = MEMX_FULL;
        memx_calibration_price(&out->truth, s->device, s->framework, &s->spec, &s->choice, 1,
                               &price);
        s->time_ms = memx_price_ms(&price) * exp(rng_real(&r, -noise, noise));
        s->held_mib = memx_held_mib(&price) * exp(rng_real(&r, -noise / 2.0, noise / 2.0));
    }
}

static void start(made *m) {
    job_lab(&m->t);
    memx_calibration_start(&m->truth, m->t.devices[0].name, m->t.job.framework.name);
}

static void calibrate(const made *m, size_t count, memx_calibration *out) {
    const memx_rows rows = {.samples = m->rows, .count = count, .metric = MEMX_RESERVED};
    memx_calibration *found = NULL;
    memx_error error = {.text = ""};
    int32_t pairs = 0;
    assert_ok(memx_calibrate_pairs(&rows, &found, &pairs, &error), &error);
    assert_int_equal(pairs, 1);
    assert_ok(memx_calibrate(&rows, found, pairs, NULL, &error), &error);
    *out = *found;
    free(found);
}

/* Nothing measured: nothing moves, and the price is the analytic one. */
static void without_rows_constants_are_nominal(void **state) {
    static made m;
    memx_calibration found;
    memx_stage_price prior, then;
    (void)state;
    start(&m);
    make(1, 0.0, &m);
    for (int i = 0; i < ROWS; i++) m.rows[i].time_ms = m.rows[i].held_mib = NAN;
    calibrate(&m, ROWS, &found);
    for (int c = 0; c < MEMX_CONSTANT_COUNT; c++) {
        assert_same(found.factor[c], 1.0);
        assert_same(found.known[c], 0.0);
    }
    assert_within(found.static_factor, 1.0, 1e-12);
    assert_within(found.activation_factor, 1.0, 1e-12);
    assert_true(fabs(found.fixed_mib) < 1e-9 && fabs(found.context_shift_mib) < 1e-9);
    assert_true(found.time_rows == 0 && found.memory_rows == 0 && found.runs == 0);
    const memx_sample *s = &m.rows[0];
    memx_stage_price_all(s->device, s->framework, &s->spec, &s->choice, 1, &prior);
    memx_calibration_price(&found, s->device, s->framework, &s->spec, &s->choice, 1, &then);
    assert_memory_equal(&prior.memory, &then.memory, sizeof prior.memory);
    assert_whole(then.forward_ns, prior.forward_ns);
    assert_whole(then.backward_ns, prior.backward_ns);
}

/* Constants come back through 2 % noise and odd rows, as far as the rows tell them apart; and
** predictions do. */
static void constants_come_back(void **state) {
    static made m;
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        memx_calibration found;
        rng r = rng_start(100 + seed);
        double worst = 0.0, held = 0.0;
        start(&m);
        m.truth.factor[MEMX_CONSTANT_EFFICIENCY] = exp(rng_real(&r, -0.2, 0.1));
        m.truth.factor[MEMX_CONSTANT_LINK] = exp(rng_real(&r, -0.3, 0.3));
        m.truth.factor[MEMX_CONSTANT_LAYER] = exp(rng_real(&r, -0.5, 0.5));
        m.truth.fixed_mib = rng_real(&r, 50.0, 600.0);
        m.truth.static_factor = rng_real(&r, 0.95, 1.15);
        m.truth.activation_factor = rng_real(&r, 0.9, 1.5);
        make(seed, 0.02, &m);
        m.rows[3].time_ms *= 5.0;
        m.rows[7].held_mib *= 1.5;
        calibrate(&m, ROWS, &found);
        for (int c = 0; c < MEMX_CONSTANT_COUNT; c++) {
            if (found.known[c] < 0.95) continue;
            assert_that(fabs(log(found.factor[c] / m.truth.factor[c])) < 0.06, "%s: %g, not %g",
                        memx_constant_name((memx_constant)c), found.factor[c], m.truth.factor[c]);
        }
        assert_true(found.known[MEMX_CONSTANT_EFFICIENCY] > 0.9);
        for (int i = 0; i < ROWS; i++) {
            memx_sample *s = &m.rows[i];
            memx_stage_price p;
            if (i == 3 || i == 7) continue;
            memx_calibration_price(&found, s->device, s->framework, &s->spec, &s->choice, 1, &p);
            worst = fmax(worst, fabs(memx_price_ms(&p) / s->time_ms - 1.0));
            held = fmax(held, fabs(memx_held_mib(&p) / s->held_mib - 1.0));
        }
        assert_that(worst < 0.06 && held < 0.06, "%g and %g off", worst, held);
    }
}

/* One row is not believed as forty are. */
static void few_rows_move_it_less(void **state) {
    static made m;
    memx_calibration one, all;
    (void)state;
    start(&m);
    m.truth.factor[MEMX_CONSTANT_EFFICIENCY] = 0.7;
    make(2, 0.0, &m);
    for (int i = 1; i < ROWS; i++) { /* the slowest is bound by arithmetic */
        if (m.rows[i].time_ms > m.rows[0].time_ms) m.rows[0] = m.rows[i];
    }
    calibrate(&m, 1, &one);
    calibrate(&m, ROWS, &all);
    double f = one.factor[MEMX_CONSTANT_EFFICIENCY];
    assert_that(f < 0.99 && f > 0.75, "%g", f);
    assert_within(all.factor[MEMX_CONSTANT_EFFICIENCY], 0.7, 0.02);
    assert_true(one.known[MEMX_CONSTANT_EFFICIENCY] < all.known[MEMX_CONSTANT_EFFICIENCY]);
}

/* Tensors alone say what a byte of state is without alpha_static; the whole card what the context is. */
static void metrics_are_kept_apart(void **state) {
    static made m;
    memx_calibration found;
    memx_error error = {.text = ""};
    memx_rows rows = {.samples = m.rows, .count = ROWS, .metric = MEMX_ALLOCATED};
    (void)state;
    start(&m);
    m.t.devices[0].alpha_static = 1.05;
    m.truth.fixed_mib = 100.0;
    make(3, 0.0, &m);
    for (int i = 0; i < ROWS; i++) {
        memx_sample *s = &m.rows[i];
        memx_stage_price p;
        memx_calibration_price(&m.truth, s->device, s->framework, &s->spec, &s->choice, 1, &p);
        s->held_mib = memx_held_mib(&p) -
                      (double)p.memory.static_kib / 1024.0 * (1.0 - 1.0 / 1.05); /* in tensors */
        s->context_mib = s->device->context_mib + 700.0;
    }
    memx_calibration_start(&found, m.t.devices[0].name, m.t.job.framework.name);
    assert_ok(memx_calibrate(&rows, &found, 1, NULL, &error), &error);
    assert_within(found.static_factor, 1.0, 0.002);
    assert_within(found.fixed_mib, 100.0, 5.0);
    assert_within(found.context_shift_mib, 700.0, 1.0);
}

/* Whole runs tell the constants of an iteration; a run that is held out tells nothing. */
static void runs_tell_the_network(void **state) {
    static char configs[][96] = {
        "tp4.dp1.mb1/A-80*6:none,B_32*2:none,A-80*4:none",
        "tp2.dp2.mb1/A-80*5:none,B_32*3:none,A-80*4:full",
        "tp1.dp4.mb1/A-80*5:none,B_32*2:none,A-80*5:none",
        "tp2.dp2.mb4/A-80*4:full,B_32*4:none,A-80*4:none",
        "tp1.dp4.mb4/A-80*4:none,B_32*4:none,A-80*4:none",
        "tp4.dp1.mb8/A-80*5:none,B_32*3:none,A-80*4:none",
    };
    enum { RUNS = sizeof configs / sizeof configs[0] };
    test_job t;
    memx_run_sample runs[RUNS];
    int32_t group[RUNS] = {0}, pairs = 0;
    memx_rows rows = {.runs = runs, .run_count = RUNS};
    memx_calibration *found = NULL, truth[2];
    memx_error error = {.text = ""};
    (void)state;
    job_lab(&t);
    t.job.flow_gbs = 0.5; /* transfers matter */
    memx_calibration_start(&truth[0], "A-80", t.job.framework.name);
    memx_calibration_start(&truth[1], "B_32", t.job.framework.name);
    truth[0].factor[MEMX_CONSTANT_NETWORK] = truth[1].factor[MEMX_CONSTANT_NETWORK] = 0.5;
    truth[0].factor[MEMX_CONSTANT_EFFICIENCY] = 0.8;
    for (int i = 0; i < RUNS; i++) {
        memx_residual r = {.name = "truth", .calibrations = truth, .calibration_count = 2};
        const memx_pricer pricer = memx_residual_pricer(&r);
        runs[i] = (memx_run_sample){.job = &t.job, .config = configs[i], .source = -i};
        assert_ok(memx_run_ms(&runs[i], truth, 2, &pricer, &runs[i].iteration_ms, &error), &error);
    }
    assert_ok(memx_calibrate_pairs(&rows, &found, &pairs, &error), &error);
    assert_int_equal(pairs, 2);
    assert_ok(memx_calibrate(&rows, found, pairs, NULL, &error), &error);
    assert_int_equal(found[0].runs, RUNS);
    assert_that(found[0].factor[MEMX_CONSTANT_NETWORK] < 0.95, "%g",
                found[0].factor[MEMX_CONSTANT_NETWORK]);
    for (int i = 0; i < RUNS; i++) {
        memx_residual r = {.name = "found", .calibrations = found, .calibration_count = 2};
        const memx_pricer pricer = memx_residual_pricer(&r);
        double nominal = 0.0, ms = 0.0;
        assert_ok(memx_run_ms(&runs[i], NULL, 0, &memx_analytic_pricer, &nominal, &error), &error);
        assert_ok(memx_run_ms(&runs[i], found, 2, &pricer, &ms, &error), &error);
        assert_that(
            fabs(log(ms / runs[i].iteration_ms)) < 0.5 * fabs(log(nominal / runs[i].iteration_ms)),
            "%s: %g ms, %g predicted, %g before", configs[i], runs[i].iteration_ms, ms, nominal);
    }
    rows.group = group;
    assert_ok(memx_calibrate(&rows, found, pairs, NULL, &error), &error);
    for (int c = 0; c < MEMX_CONSTANT_COUNT; c++) assert_same(found[0].factor[c], 1.0);
    free(found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_rows_constants_are_nominal),
        cmocka_unit_test(constants_come_back),
        cmocka_unit_test(few_rows_move_it_less),
        cmocka_unit_test(metrics_are_kept_apart),
        cmocka_unit_test(runs_tell_the_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
