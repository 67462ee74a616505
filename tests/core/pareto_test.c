#include "core/pareto.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

static bool beats(const memx_point *a, const memx_point *b) {
    return a->iteration_ns <= b->iteration_ns && a->peak_kib <= b->peak_kib &&
           a->moment <= b->moment &&
           (a->iteration_ns < b->iteration_ns || a->peak_kib < b->peak_kib ||
            a->moment < b->moment);
}

static void nothing_of_nothing(void **state) {
    size_t kept = 7;
    memx_point none;
    (void)state;
    assert_int_equal(memx_pareto(&none, 0, NULL, &kept), MEMX_OK);
    assert_int_equal(kept, 0);
}

static void equal_points_stay_together(void **state) {
    memx_point points[] = {{5, 5, 5, 0}, {4, 6, 5, 1}, {5, 5, 5, 2}, {5, 6, 5, 3}, {4, 6, 5, 4}};
    const size_t wanted[] = {0, 1, 2, 4};
    size_t kept = 0;
    (void)state;
    assert_int_equal(memx_pareto(points, COUNT(points), NULL, &kept), MEMX_OK);
    assert_int_equal(kept, COUNT(wanted));
    for (size_t i = 0; i < kept; i++) assert_int_equal(points[i].number, wanted[i]);
}

/* Few values, so that ties of one or two measures abound; large ones, beyond 64 bits. */
static void equals_the_definition(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        rng r = rng_start(seed);
        memx_point points[60], all[60];
        size_t count = (size_t)rng_between(&r, 1, 60), kept = 0, at = 0;
        int64_t values = rng_between(&r, 1, 12);
        for (size_t i = 0; i < count; i++) {
            points[i] = (memx_point){rng_between(&r, 1, values), rng_between(&r, 1, values),
                                     (memx_u128)rng_between(&r, 0, values) << 70, i};
        }
        memcpy(all, points, sizeof all);
        assert_int_equal(memx_pareto(points, count, NULL, &kept), MEMX_OK);
        for (size_t i = 0; i < count; i++) {
            bool beaten = false;
            for (size_t j = 0; j < count; j++) beaten = beaten || beats(&all[j], &all[i]);
            if (beaten) continue;
            assert_that(at < kept && points[at].number == i, "seed %" PRIu64 ": point %zu", seed,
                        i);
            at++;
        }
        assert_int_equal(at, kept);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_of_nothing),
        cmocka_unit_test(equal_points_stay_together),
        cmocka_unit_test(equals_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
