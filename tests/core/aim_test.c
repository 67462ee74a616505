#include "core/aim.h"

#include <math.h>

#include "support/check.h"

/* 3 GPUs: 1 s, 2 GiB, 4 MiB^2. */
static memx_measures some(void) {
    return (memx_measures){.iteration_ns = 1000000000,
                           .peak_kib = 2097152,
                           .free_share = 0.25,
                           .moment = (memx_u128)4 * 1048576 * 9};
}

static memx_knobs knobs = {.tp = 1, .pp = 1, .cp = 1, .vp = 1, .dp = 3, .seq_length = 1000};
static memx_job job = {.gpus = 3, .global_batch = 6};
static const memx_plan plan = {.job = &job, .knobs = &knobs};

static void values_are_what_rows_show(void **state) {
    const memx_measures m = some();
    (void)state;
    memx_aim aim = memx_aim_at(MEMX_BY_ITERATION);
    assert_same(memx_aim_value(&aim, &m, 3), 1000.0);
    aim.by = MEMX_BY_PEAK;
    assert_same(memx_aim_value(&aim, &m, 3), 2048.0);
    aim.by = MEMX_BY_VARIANCE;
    assert_same(memx_aim_value(&aim, &m, 3), 4.0);
    aim.by = MEMX_BY_PHI;
    aim.reference_phi = 2.0;
    assert_same(memx_aim_value(&aim, &m, 3), memx_phi(1000.0, 2048.0, 4.0, &aim.weights) / 2.0);
}

/* The logarithm of the same product, but for the units. */
static void scores_are_logarithms_of_phi(void **state) {
    const memx_measures m = some();
    (void)state;
    memx_aim aim = memx_aim_at(MEMX_BY_PHI);
    const memx_weights w = memx_aim_weights(&aim);
    double units = w.time * log(1e6) + w.peak * log(1024.0);
    double score = memx_aim_score(&w, m.iteration_ns, m.peak_kib, (double)m.moment / 3.0, 3);
    assert_within(exp(score - units), memx_aim_value(&aim, &m, 3), 1e-12);
    aim.limits.phi.most = memx_aim_value(&aim, &m, 3);
    assert_true(score <= memx_aim_most_score(&aim));
    aim.limits.phi.most *= 1.0 - 1e-6;
    assert_true(score > memx_aim_most_score(&aim));
}

/* Both ends are within; what is above the greatest figures is out, however it was rounded. */
static void limits_include_their_ends(void **state) {
    const memx_measures m = some();
    (void)state;
    memx_aim aim = memx_aim_at(MEMX_BY_PHI);
    assert_true(memx_aim_admits(&aim, &plan, &m));
    assert_whole(memx_aim_most_ns(&aim, &plan), INT64_MAX);
    assert_whole(memx_aim_most_kib(&aim), INT64_MAX);
    aim.limits.iteration_ms = (memx_interval){1000.0, 1000.0};
    aim.limits.peak_mib = (memx_interval){2048.0, 2048.0};
    aim.limits.variance_mib2 = (memx_interval){4.0, 4.0};
    aim.limits.headroom = (memx_interval){0.25, 0.25};
    assert_true(memx_aim_admits(&aim, &plan, &m));
    assert_true(memx_aim_most_ns(&aim, &plan) >= m.iteration_ns &&
                memx_aim_most_ns(&aim, &plan) < m.iteration_ns + 10);
    assert_true(memx_aim_most_kib(&aim) >= m.peak_kib && memx_aim_most_kib(&aim) < m.peak_kib + 10);
    assert_true(memx_aim_most_deviation(&aim, 3) >= (double)m.moment / 3.0);
    aim.limits.headroom.least = nextafter(0.25, 1.0);
    assert_false(memx_aim_admits(&aim, &plan, &m));
}

/* slowdown is NULL in rows where nothing is feasible: no bound on it is true then. */
static void slowdown_needs_a_fastest(void **state) {
    const memx_measures m = some();
    (void)state;
    memx_aim aim = memx_aim_at(MEMX_BY_PHI);
    aim.limits.slowdown.most = 2.0;
    assert_false(memx_aim_admits(&aim, &plan, &m));
    assert_true(memx_aim_most_ns(&aim, &plan) < 0);
    aim.fastest_ns = 500000000;
    assert_true(memx_aim_admits(&aim, &plan, &m));
    assert_true(memx_aim_most_ns(&aim, &plan) >= m.iteration_ns &&
                memx_aim_most_ns(&aim, &plan) < m.iteration_ns + 10);
    aim.fastest_ns = 499999999;
    assert_false(memx_aim_admits(&aim, &plan, &m));
}

/* 6 sequences of 1,000 tokens in a second. */
static void rates_bound_the_iteration(void **state) {
    const memx_measures m = some();
    (void)state;
    memx_aim aim = memx_aim_at(MEMX_BY_PHI);
    aim.limits.tokens_per_s.least = memx_tokens_per_s(&plan, m.iteration_ns);
    assert_true(memx_aim_admits(&aim, &plan, &m));
    assert_true(memx_aim_most_ns(&aim, &plan) >= m.iteration_ns &&
                memx_aim_most_ns(&aim, &plan) < m.iteration_ns + 10);
    aim.limits.tokens_per_s.least *= 1.0 + 1e-12;
    assert_false(memx_aim_admits(&aim, &plan, &m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_what_rows_show), cmocka_unit_test(scores_are_logarithms_of_phi),
        cmocka_unit_test(limits_include_their_ends), cmocka_unit_test(slowdown_needs_a_fastest),
        cmocka_unit_test(rates_bound_the_iteration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
