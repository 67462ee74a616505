/*
** Tests of core/split.h: proportional shares by hand and against largest remainders, the rule
** `time` against every split of small instances, and the rules that read a plan.
*/
#include "core/split.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/check.h"
#include "support/jobs.h"

enum { MOST_STAGES = 6, MOST_LAYERS = 12 };

static int64_t sum_of(const int64_t *split, int32_t stages) {
    int64_t sum = 0;
    for (int32_t s = 0; s < stages; s++) sum += split[s];
    return sum;
}

static void assert_split(const int64_t *found, const int64_t *wanted, int32_t stages) {
    for (int32_t s = 0; s < stages; s++) {
        assert_that(found[s] == wanted[s], "stage %d has %" PRId64 " layers, wanted %" PRId64,
                    (int)s, found[s], wanted[s]);
    }
}

static void proportional_by_hand(void **state) {
    (void)state;
    static const struct {
        int32_t stages;
        int64_t layers;
        double weights[4];
        int64_t wanted[4];
    } cases[] = {
        {1, 32, {5}, {32}},
        {4, 32, {1, 1, 1, 1}, {8, 8, 8, 8}},
        {4, 30, {1, 1, 1, 1}, {8, 8, 7, 7}}, /* what is left over goes to the first */
        {3, 7, {1, 1, 1}, {3, 2, 2}},
        {2, 32, {300, 256}, {17, 15}}, /* 17.27 and 14.73 */
        {2, 32, {70, 86}, {14, 18}},   /* 14.36 and 17.64 */
        {3, 10, {5, 3, 2}, {5, 3, 2}},
        {3, 10, {1000, 1, 1}, {8, 1, 1}}, /* each stage one at least */
        {3, 10, {1, 1, 1000}, {1, 1, 8}},
        {4, 4, {9, 1, 1, 1}, {1, 1, 1, 1}},
        {4, 5, {1, 1, 1, 9}, {1, 1, 1, 2}},
        {3, 5, {1e-30, 1e30, 1}, {1, 3, 1}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t found[4] = {0};
        memx_split_proportional(cases[i].weights, cases[i].stages, cases[i].layers, found);
        assert_split(found, cases[i].wanted, cases[i].stages);
    }
}

/* 22 layers over 4 : 1 : 1 are 14 2/3, 3 2/3 and 3 2/3: three equal remainders, two layers left. */
static void ties_go_to_earlier_stages(void **state) {
    (void)state;
    const double weights[] = {240, 60, 60};
    int64_t found[3];
    memx_split_proportional(weights, 3, 22, found);
    assert_split(found, (const int64_t[]){15, 4, 3}, 3);
}

/* Shares of whole weights in whole numbers: the quotient, one more for the largest remainders. */
static void largest_remainders(const int64_t *weights, int32_t stages, int64_t layers,
                               int64_t *out) {
    int64_t sum = sum_of(weights, stages), given = 0;
    bool more[MOST_STAGES] = {false};
    for (int32_t s = 0; s < stages; s++) given += out[s] = layers * weights[s] / sum;
    for (; given < layers; given++) {
        int32_t best = -1;
        for (int32_t s = 0; s < stages; s++) {
            if (more[s]) continue;
            if (best < 0 || layers * weights[s] % sum > layers * weights[best] % sum) best = s;
        }
        more[best] = true;
        out[best]++;
    }
}

static void proportional_is_largest_remainders(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 100000; seed++) {
        rng r = rng_start(seed);
        int32_t stages = (int32_t)rng_between(&r, 1, MOST_STAGES);
        int64_t layers = rng_between(&r, stages, 200), weights[MOST_STAGES];
        int64_t found[MOST_STAGES], wanted[MOST_STAGES];
        double real[MOST_STAGES];
        bool enough = true;
        for (int32_t s = 0; s < stages; s++) {
            weights[s] = rng_between(&r, 1, rng_chance(&r, 50) ? 8 : 1000);
            real[s] = (double)weights[s];
        }
        memx_split_proportional(real, stages, layers, found);
        assert_that(sum_of(found, stages) == layers, "seed %" PRIu64 ": sum", seed);
        for (int32_t s = 0; s < stages; s++) {
            assert_that(found[s] >= 1, "seed %" PRIu64 ": no layer", seed);
            for (int32_t q = 0; q < stages; q++) {
                assert_that(weights[s] <= weights[q] || found[s] >= found[q],
                            "seed %" PRIu64 ": more weight, fewer layers", seed);
            }
            enough = enough && layers * weights[s] >= sum_of(weights, stages);
        }
        if (!enough) continue; /* some stage had to be lifted to one layer */
        largest_remainders(weights, stages, layers, wanted);
        for (int32_t s = 0; s < stages; s++) {
            /* Remainders that are equal but for rounding may change places. */
            bool close = found[s] - wanted[s] <= 1 && wanted[s] - found[s] <= 1;
            assert_that(found[s] == wanted[s] || close, "seed %" PRIu64, seed);
        }
        bool power = (sum_of(weights, stages) & (sum_of(weights, stages) - 1)) == 0;
        if (power) assert_split(found, wanted, stages); /* exact in binary */
    }
}

/* ---- by time ---- */

typedef struct costs {
    int64_t time[MOST_STAGES][MOST_LAYERS + 1];
    int64_t room[MOST_STAGES]; /* layers that fit */
    int32_t stages;
    int64_t layers;
} costs;

static memx_split_cost cost(void *context, int32_t stage, int64_t layers) {
    const costs *c = context;
    assert_true(stage >= 0 && stage < c->stages && layers >= 1);
    if (layers > c->layers) return (memx_split_cost){INT64_MAX, false};
    return (memx_split_cost){c->time[stage][layers], layers <= c->room[stage]};
}

/* The least greatest time over every split from stage s on, -1 when there is none that fits. */
static int64_t best_from(const costs *c, int32_t s, int64_t left, bool fitting) {
    if (s == c->stages) return left == 0 ? 0 : -1;
    int64_t best = -1;
    for (int64_t l = 1; l <= left; l++) {
        if (fitting && l > c->room[s]) break;
        int64_t rest = best_from(c, s + 1, left - l, fitting);
        if (rest < 0) continue;
        int64_t most = c->time[s][l] > rest ? c->time[s][l] : rest;
        if (best < 0 || most < best) best = most;
    }
    return best;
}

/* Times grow with layers, evenly or in steps, now and then not at all; memory holds a number of
** them. */
static costs random_costs(rng *r) {
    costs c = {.stages = (int32_t)rng_between(r, 1, MOST_STAGES)};
    c.layers = rng_between(r, c.stages, MOST_LAYERS);
    bool tight = rng_chance(r, 60);
    for (int32_t s = 0; s < c.stages; s++) {
        int64_t step = rng_between(r, 1, 20);
        c.room[s] = tight ? rng_between(r, rng_chance(r, 10) ? 0 : 1, MOST_LAYERS) : MOST_LAYERS;
        c.time[s][0] = rng_between(r, 0, 30);
        for (int64_t l = 1; l <= MOST_LAYERS; l++) {
            c.time[s][l] = c.time[s][l - 1] + (rng_chance(r, 80) ? step : rng_between(r, 0, 20));
        }
    }
    return c;
}

static void time_is_the_least_of_all_splits(void **state) {
    (void)state;
    int64_t fitting = 0, refused = 0;
    for (uint64_t seed = 1; seed <= 30000; seed++) {
        rng r = rng_start(seed);
        costs c = random_costs(&r);
        memx_split_next scratch[MOST_STAGES];
        int64_t split[MOST_STAGES], most = 0;
        bool fits = true;
        memx_split_time(cost, &c, c.stages, c.layers, 1, scratch, split);
        assert_that(sum_of(split, c.stages) == c.layers, "seed %" PRIu64 ": sum", seed);
        for (int32_t s = 0; s < c.stages; s++) {
            assert_that(split[s] >= 1, "seed %" PRIu64 ": no layer", seed);
            if (c.time[s][split[s]] > most) most = c.time[s][split[s]];
            fits = fits && split[s] <= c.room[s];
        }
        int64_t within = best_from(&c, 0, c.layers, true);
        int64_t best = within >= 0 ? within : best_from(&c, 0, c.layers, false);
        assert_that(most == best && (fits || within < 0),
                    "seed %" PRIu64 ": slowest %" PRId64 ", least %" PRId64 "%s", seed, most, best,
                    within < 0 ? ""
                    : fits     ? ""
                               : ", and a split that fits was missed");
        fitting += within >= 0;
        refused += within < 0;
    }
    assert_true(fitting > 3000 && refused > 1000);
}

/* Equal stages, equal layers; what is left over goes to the first. */
static void time_of_equal_stages(void **state) {
    (void)state;
    costs c = {.stages = 4, .layers = 10};
    memx_split_next scratch[MOST_STAGES];
    int64_t split[MOST_STAGES];
    static const int64_t wanted[] = {3, 3, 2, 2};
    for (int32_t s = 0; s < 4; s++) {
        c.room[s] = 10;
        for (int64_t l = 1; l <= 10; l++) c.time[s][l] = 7 * l;
    }
    memx_split_time(cost, &c, 4, 10, 1, scratch, split);
    assert_split(split, wanted, 4);
}

/* It takes a fraction of a second; looking at every stage for every layer would take many minutes. */
static memx_split_cost one_each(void *context, int32_t stage, int64_t layers) {
    (void)context;
    return (memx_split_cost){layers + stage % 2, true};
}

static void time_of_many_stages(void **state) {
    (void)state;
    enum { STAGES = 400000, LAYERS = 3 * STAGES };
    memx_split_next *scratch = malloc(STAGES * sizeof *scratch);
    int64_t *split = malloc(STAGES * sizeof *split);
    assert_true(scratch && split);
    clock_t start = clock();
    memx_split_time(one_each, NULL, STAGES, LAYERS, 1, scratch, split);
    assert_true(clock() - start < 20 * CLOCKS_PER_SEC);
    /* Even stages are one ahead, and the last round gets half way. */
    for (int32_t s = 0; s < STAGES; s++) assert_whole(split[s], 3 - s % 2 + (s < STAGES / 2));
    free(scratch);
    free(split);
}

/* ---- from a plan ---- */

/* Stages: A alone; A and B mixed; B alone. */
static void static_rules_take_the_weakest_device(void **state) {
    (void)state;
    test_job t;
    memx_config config;
    memx_plan plan;
    memx_error error = {.text = ""};
    double scratch[3];
    int64_t split[3];
    job_start(&t);
    t.job.model.layers = 22;
    job_device(&t, "A", "x", 81920.0);
    job_device(&t, "B", "x", 32768.0);
    t.devices[0].peak_tflops = 300.0;
    t.devices[0].efficiency = 0.8; /* 240 */
    t.devices[1].peak_tflops = 100.0;
    t.devices[1].efficiency = 0.5; /* 50 */
    job_node(&t, 0, 0, 3);
    job_node(&t, 1, 1, 3);
    job_finish(&t);
    assert_ok(memx_config_parse(&t.job, "tp1.dp2.mb1/A*20:none,A(1)|B(1)*1:none,B*1:none", &config,
                                &error),
              &error);
    assert_ok(memx_plan_build(&t.job, &config.knobs, &config.placement, &plan, &error), &error);
    memx_split_static(&plan, MEMX_SPLIT_UNIFORM, scratch, split);
    assert_split(split, (const int64_t[]){8, 7, 7}, 3);
    memx_split_static(&plan, MEMX_SPLIT_COMPUTE, scratch, split); /* 240 : 50 : 50 */
    assert_split(split, (const int64_t[]){16, 3, 3}, 3);          /* 15.53, 3.24, 3.24 */
    memx_split_static(&plan, MEMX_SPLIT_MEMORY, scratch, split);  /* 80 : 32 : 32 */
    assert_split(split, (const int64_t[]){12, 5, 5}, 3);          /* 12.22, 4.89, 4.89 */
    memx_plan_free(&plan);
    memx_config_free(&config);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proportional_by_hand),
        cmocka_unit_test(ties_go_to_earlier_stages),
        cmocka_unit_test(proportional_is_largest_remainders),
        cmocka_unit_test(time_is_the_least_of_all_splits),
        cmocka_unit_test(time_of_equal_stages),
        cmocka_unit_test(time_of_many_stages),
        cmocka_unit_test(static_rules_take_the_weakest_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
