/*
** Tests of core/phi.h: the paper's example, weights as elasticities, a variance of zero, and
** weights that are refused.
*/
#include "core/phi.h"

#include <math.h>

#include "support/check.h"

static void the_papers_example(void **state) {
    (void)state;
    const memx_weights *w = memx_weights_shipped("default");
    assert_non_null(w);
    double phi = memx_phi(1.1, 1.0, 0.5, w);
    assert_true(fabs(phi - 0.787) < 0.0005);
    memx_weights exact = *w;
    exact.epsilon = 1e-300;
    assert_within(memx_phi(1.1, 1.0, 0.5, &exact), pow(1.1, 0.4) * pow(0.5, 0.4), 1e-14);
    assert_within(memx_phi(1.0, 1.0, 1.0, &exact), 1.0, 1e-14);
}

static void shipped_weights(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double time, peak, variance;
    } sets[] = {{"default", 0.4, 0.2, 0.4}, {"safe", 0.3, 0.5, 0.2}, {"throughput", 0.7, 0.2, 0.1}};
    for (size_t i = 0; i < COUNT(sets); i++) {
        const memx_weights *w = memx_weights_shipped(sets[i].name);
        memx_error error = {.text = ""};
        assert_non_null(w);
        assert_same(w->time, sets[i].time);
        assert_same(w->peak, sets[i].peak);
        assert_same(w->variance, sets[i].variance);
        assert_same(w->epsilon, 1e-6);
        assert_ok(memx_weights_check(w, &error), &error);
    }
    static const char *const others[] = {"", "Default", "auto", "defaul", "default ", "defaults"};
    for (size_t i = 0; i < COUNT(others); i++) assert_null(memx_weights_shipped(others[i]));
}

static memx_weights random_weights(rng *r) {
    double a = rng_real(r, 0, 1), b = rng_real(r, 0, 1), least = a < b ? a : b,
           most = a < b ? b : a;
    return (memx_weights){least, most - least, 1.0 - most, pow(10.0, rng_real(r, -9, 3))};
}

/* A measure 1 % higher raises phi by about its weight in %: exactly by 1.01 to that power. */
static void weights_are_elasticities(void **state) {
    (void)state;
    rng r = rng_start(1);
    for (int i = 0; i < 20000; i++) {
        memx_weights w = random_weights(&r);
        double t = rng_real(&r, 1, 1e5), m = rng_real(&r, 1, 1e6), v = rng_real(&r, 0, 1e9);
        double phi = memx_phi(t, m, v, &w);
        assert_true(isfinite(phi) && phi > 0.0);
        assert_within(memx_phi(1.01 * t, m, v, &w) / phi, pow(1.01, w.time), 1e-12);
        assert_within(memx_phi(t, 1.01 * m, v, &w) / phi, pow(1.01, w.peak), 1e-12);
        double higher = 1.01 * (v + w.epsilon) - w.epsilon;
        assert_within(memx_phi(t, m, higher, &w) / phi, pow(1.01, w.variance), 1e-9);
        /* Units change phi by one factor, so that they never change an order. */
        double factor = memx_phi(1e3 * t, m / 1024.0, v, &w) / phi;
        assert_within(factor, pow(1e3, w.time) * pow(1024.0, -w.peak), 1e-12);
    }
}

static void zero_variance_is_not_zero(void **state) {
    (void)state;
    const memx_weights *w = memx_weights_shipped("default");
    double phi = memx_phi(100.0, 1000.0, 0.0, w);
    assert_within(phi, pow(100.0, 0.4) * pow(1000.0, 0.2) * pow(1e-6, 0.4), 1e-14);
    /* Among configurations without any spread, time and peak still decide. */
    assert_true(memx_phi(99.0, 1000.0, 0.0, w) < phi);
    assert_true(memx_phi(100.0, 999.0, 0.0, w) < phi);
    assert_true(memx_phi(100.0, 1000.0, 1e-9, w) > phi);
}

static void a_weight_of_zero_ignores_its_measure(void **state) {
    (void)state;
    memx_weights w = {1.0, 0.0, 0.0, 1e-6};
    assert_same(memx_phi(7.0, 0.0, 0.0, &w), 7.0);
    assert_same(memx_phi(7.0, 1e9, 1e9, &w), 7.0);
    w = (memx_weights){0.0, 1.0, 0.0, 1e-6};
    assert_same(memx_phi(0.0, 7.0, 0.0, &w), 7.0);
}

static void weights_are_refused(void **state) {
    (void)state;
    static const struct {
        memx_weights weights;
        const char *message;
    } cases[] = {
        {{0.5, 0.2, 0.4, 1e-6}, "~0.5, 0.2, 0.4 add up to 1.1; ~ 1"},
        {{0.0, 0.0, 0.0, 1e-6}, "~0, 0, 0 add up to 0; ~ 1"},
        {{-0.1, 0.7, 0.4, 1e-6}, "~-0.1, 0.7, 0.4: ~from 0 to 1"},
        {{1.1, -0.1, 0.0, 1e-6}, "~1.1, -0.1, 0: ~from 0 to 1"},
        {{0.4, 0.2, INFINITY, 1e-6}, "~0.4, 0.2, inf: ~from 0 to 1"},
        {{0.4, 0.2, 0.4, 0.0}, "epsilon is 0; write ~MiB^2~"},
        {{0.4, 0.2, 0.4, -1.0}, "epsilon is -1; write ~MiB^2~"},
        {{0.4, 0.2, 0.4, INFINITY}, "epsilon is inf; write ~MiB^2~"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        memx_error error = {.text = ""};
        assert_refused(memx_weights_check(&cases[i].weights, &error), &error, cases[i].message);
        assert_int_equal(memx_weights_check(&cases[i].weights, NULL), MEMX_INVALID);
    }
    const double not_a_number = (double)NAN;
    memx_weights bad[] = {{not_a_number, 0.2, 0.4, 1e-6},
                          {0.4, not_a_number, 0.4, 1e-6},
                          {0.4, 0.2, not_a_number, 1e-6},
                          {0.4, 0.2, 0.4, not_a_number}};
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(memx_weights_check(&bad[i], NULL), MEMX_INVALID);
    }
}

static void weights_within_rounding_are_accepted(void **state) {
    (void)state;
    memx_error error = {.text = ""};
    rng r = rng_start(2);
    for (int i = 0; i < 10000; i++) {
        memx_weights w = random_weights(&r);
        assert_ok(memx_weights_check(&w, &error), &error);
    }
    memx_weights third = {1.0 / 3, 1.0 / 3, 1.0 / 3, 1e-6}, off = {0.4, 0.2, 0.4 + 9e-10, 1e-6};
    assert_ok(memx_weights_check(&third, &error), &error);
    assert_ok(memx_weights_check(&off, &error), &error);
    off.variance = 0.4 + 1.1e-9;
    assert_int_equal(memx_weights_check(&off, &error), MEMX_INVALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers_example),
        cmocka_unit_test(shipped_weights),
        cmocka_unit_test(weights_are_elasticities),
        cmocka_unit_test(zero_variance_is_not_zero),
        cmocka_unit_test(a_weight_of_zero_ignores_its_measure),
        cmocka_unit_test(weights_are_refused),
        cmocka_unit_test(weights_within_rounding_are_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
