#include "predict/calibrate.h"

#include <inttypes.h>
#include <math.h>

#include "support/check.h"

enum { ROWS = 40 };

/* Stages with different shares of state and activations. */
static memx_observation row(rng *r) {
    memx_observation o = {.time_ms = NAN, .held_mib = NAN};
    o.prior.forward_ns = rng_between(r, 1000000, 90000000);
    o.prior.backward_ns = 2 * o.prior.forward_ns;
    o.prior.memory = (memx_stage_memory){.context_kib = 4000 * 1024,
                                         .static_kib = rng_between(r, 1, 20) * 1048576,
                                         .activation_kib = rng_between(r, 1, 30) * 1048576,
                                         .work_kib = rng_between(r, 0, 1048576),
                                         .logits_kib = rng_between(r, 0, 1) * 500000};
    return o;
}

static void without_rows_constants_are_nominal(void **state) {
    rng r = rng_start(1);
    memx_calibration c = {.device = ""};
    memx_observation o = row(&r);
    (void)state;
    memx_calibrate_rows(&o, 1, &c);
    assert_same(c.time_factor, 1.0);
    assert_within(c.static_factor, 1.0, 1e-12);
    assert_within(c.activation_factor, 1.0, 1e-12);
    assert_true(fabs(c.fixed_mib) < 1e-9);
    assert_true(c.time_rows == 0 && c.memory_rows == 0);
    memx_stage_price then = o.prior;
    memx_calibration_apply(&c, &then);
    assert_whole(memx_stage_peak_kib(&then.memory), memx_stage_peak_kib(&o.prior.memory));
    assert_whole(then.forward_ns, o.prior.forward_ns);
}

/* Made with known constants, 1 % noise and two rows that are far off: the constants come back. */
static void constants_come_back(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        rng r = rng_start(seed);
        memx_observation rows[ROWS];
        memx_calibration found = {.device = ""};
        double time = rng_real(&r, 0.85, 1.2), fixed = rng_real(&r, -200.0, 600.0);
        double state_factor = rng_real(&r, 0.95, 1.15), act = rng_real(&r, 0.9, 1.5);
        for (int i = 0; i < ROWS; i++) {
            rows[i] = row(&r);
            const memx_stage_memory *m = &rows[i].prior.memory;
            rows[i].time_ms = time * memx_price_ms(&rows[i].prior) * exp(rng_real(&r, -0.01, 0.01));
            rows[i].held_mib = (fixed + state_factor * (double)m->static_kib / 1024.0 +
                                act * (double)(m->activation_kib + m->work_kib) / 1024.0 +
                                (double)m->logits_kib / 1024.0) *
                               exp(rng_real(&r, -0.005, 0.005));
        }
        rows[3].time_ms *= 5.0;
        rows[7].held_mib *= 1.5;
        memx_calibrate_rows(rows, ROWS, &found);
        assert_within(found.time_factor, time, 0.02);
        assert_within(found.static_factor, state_factor, 0.05);
        assert_within(found.activation_factor, act, 0.05);
        for (int i = 0; i < ROWS; i++) {
            memx_stage_price p = rows[i].prior;
            memx_calibration_apply(&found, &p);
            if (i == 3 || i == 7) continue;
            assert_within(memx_held_mib(&p), rows[i].held_mib, 0.1);
        }
    }
}

/* One row is not believed as forty are. */
static void few_rows_move_it_less(void **state) {
    rng r = rng_start(2);
    memx_observation rows[ROWS];
    memx_calibration one = {.device = ""}, all = one;
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        rows[i] = row(&r);
        rows[i].time_ms = 1.2 * memx_price_ms(&rows[i].prior);
    }
    memx_calibrate_rows(rows, 1, &one);
    memx_calibrate_rows(rows, ROWS, &all);
    assert_true(one.time_factor > 1.02 && one.time_factor < all.time_factor - 0.02);
    assert_within(all.time_factor, 1.2, 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_rows_constants_are_nominal),
        cmocka_unit_test(constants_come_back),
        cmocka_unit_test(few_rows_move_it_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
