/*
** Tests of core/pipeline.h: micro batches in flight, the formula and the simulation on schedules
** that were drawn by hand. tests/property/pipeline_test.c has random ones.
*/
#include "core/pipeline.h"

#include "support/check.h"

static memx_schedule plain(int64_t p, int64_t m, double overlap) {
    return (memx_schedule){.stages = p, .chunks = 1, .micro_batches = m, .overlap = overlap};
}

static int64_t simulated_by(const memx_pipeline_stage *stages, const memx_schedule *schedule) {
    int64_t ns = -1;
    assert_int_equal(memx_pipeline_simulate_ns(stages, schedule, NULL, NULL, &ns), MEMX_OK);
    return ns;
}

static int64_t simulated(const memx_pipeline_stage *stages, int64_t p, int64_t m, double overlap) {
    const memx_schedule schedule = plain(p, m, overlap);
    return simulated_by(stages, &schedule);
}

static int64_t formula(const memx_pipeline_stage *stages, int64_t p, int64_t m, double overlap) {
    const memx_schedule schedule = plain(p, m, overlap);
    return memx_pipeline_formula_ns(stages, &schedule);
}

static int64_t held(int64_t m, int64_t p, int64_t v, int64_t stage) {
    const memx_schedule schedule = {.stages = p, .chunks = v, .micro_batches = m};
    return memx_in_flight(&schedule, stage);
}

/* arXiv:2205.05198 appendix C. */
static void in_flight(void **state) {
    (void)state;
    for (int64_t s = 0; s < 4; s++) assert_whole(held(8, 4, 1, s), 4 - s);
    static const int64_t few[] = {2, 2, 2, 1};
    for (int64_t s = 0; s < 4; s++) assert_whole(held(2, 4, 1, s), few[s]);
    assert_whole(held(1, 4, 1, 0), 1);
    assert_whole(held(100, 1, 1, 0), 1);
}

/* Megatron-LM's warm-up and one more; stage 0 holds (1 + (p - 1) / (p v)) of the model's layers, arXiv:2205.05198
** section 4.2.3: of p v chunks p v + p - 1. */
static void chunks_in_flight(void **state) {
    (void)state;
    static const int64_t wanted[] = {11, 9, 7, 5}; /* 4 stages, 2 chunks */
    for (int64_t s = 0; s < 4; s++) assert_whole(held(8, 4, 2, s), wanted[s]);
    assert_whole(held(8, 4, 3, 0), 3 * 4 + 4 - 1);
    assert_whole(held(4, 4, 2, 0), 8); /* there are no more */
    assert_whole(held(4, 4, 2, 3), 5);
}

/* arXiv:2104.04473 figure 4, below: 4 stages, 2 chunks, 8 micro batches of 1 and 2 a chunk: 8 * 6 and a bubble of
** (4 - 1) 6 / 2. Over the wrap 7 micro batches' first chunks come a message later, once. */
static void an_interleaved_pipeline(void **state) {
    (void)state;
    memx_pipeline_stage stages[] = {{1, 2, 0}, {1, 2, 0}, {1, 2, 0}, {1, 2, 0}};
    memx_schedule schedule = {.stages = 4, .chunks = 2, .micro_batches = 8, .overlap = 1.0};
    assert_whole(simulated_by(stages, &schedule), 57);
    assert_whole(memx_pipeline_formula_ns(stages, &schedule), 57);
    schedule.chunks = 1;
    for (int s = 0; s < 4; s++) stages[s] = (memx_pipeline_stage){2, 4, 0};
    assert_whole(simulated_by(stages, &schedule), 66);
    /* Two stages, two chunks, two micro batches, a message of 10 over the wrap alone:
    **   stage 0  F1 F2 .......... F1'F2'...    F1 and F2 reach stage 1 at 1 and 2, come back at 12 and 13
    **   stage 1     F1 F2 .......... F1'B1'F2'B2'... */
    memx_pipeline_stage two[] = {{1, 1, 0}, {1, 1, 10}};
    const memx_schedule small = {.stages = 2, .chunks = 2, .micro_batches = 2, .overlap = 1.0};
    assert_whole(simulated_by(two, &small), 30);
    /* A stage sends or receives over the wrap with one chunk of two: 2 * 5 a slot when nothing is hidden. */
    const memx_schedule blocking = {.stages = 2, .chunks = 2, .micro_batches = 2, .overlap = 0.0};
    assert_whole(memx_pipeline_formula_ns(two, &blocking), 3 * (2 + 2 * 5) + 4);
    assert_whole(memx_pipeline_wrap_ns(10, 2), 5);
    assert_whole(memx_pipeline_wrap_ns(10, 1), 0);
}

static void formula_by_hand(void **state) {
    (void)state;
    const memx_pipeline_stage two[] = {{1, 2, 10}, {2, 4, 0}};
    /* (m - 1) 6 + 3 + 6, and two hops. */
    assert_whole(formula(two, 2, 1, 1.0), 9 + 20);
    assert_whole(formula(two, 2, 8, 1.0), 7 * 6 + 9 + 20);
    /* Blocking: each stage sends one and receives a message a micro batch over its one boundary. */
    assert_whole(formula(two, 2, 8, 0.0), 7 * (6 + 20) + 9 + 20);
    assert_whole(formula(two, 2, 8, 0.75), 7 * (6 + 5) + 9 + 20);
    /* A middle stage has two boundaries. */
    const memx_pipeline_stage three[] = {{1, 2, 3}, {1, 2, 5}, {1, 2, 0}};
    assert_whole(formula(three, 3, 5, 0.0), 4 * (3 + 2 * 8) + 9 + 2 * 8);
    assert_whole(formula(three, 3, 5, 1.0), 4 * 3 + 9 + 2 * 8);
    /* A single stage sends nothing, whatever its hop says. */
    const memx_pipeline_stage one[] = {{3, 6, 99}};
    assert_whole(formula(one, 1, 4, 0.0), 36);
}

static void slot_by_hand(void **state) {
    (void)state;
    assert_whole(memx_pipeline_slot_ns(100, 7, 9, 1.0), 100);
    assert_whole(memx_pipeline_slot_ns(100, 7, 9, 0.0), 132);
    assert_whole(memx_pipeline_slot_ns(100, 7, 9, 0.5), 116);
    assert_whole(memx_pipeline_slot_ns(100, 0, 0, 0.0), 100);
}

/*   stage 0  F1 F2 . . . . B1 . . . . B2      F 1, B 1
**   stage 1     F1F1 B1B1B1 F2F2 B2B2B2       F 2, B 3 */
static void two_unequal_stages(void **state) {
    (void)state;
    const memx_pipeline_stage stages[] = {{1, 1, 0}, {2, 3, 0}};
    assert_whole(simulated(stages, 2, 1, 0.0), 7);
    assert_whole(simulated(stages, 2, 2, 0.0), 12);
    assert_whole(simulated(stages, 2, 3, 0.0), 17);
    assert_whole(formula(stages, 2, 2, 0.0), 12);
}

/*   0  F1 F2 F3 . . . . . B1B1 . . B2B2 . . B3B3       F 1, B 2
**   1  .  F1F1 F2F2 . . B1 F3F3 . B2 . . . B3          F 2, B 1
**   2  .  . . F1 B1B1B1 F2 B2B2B2 F3 B3B3B3            F 1, B 3 */
static void three_unequal_stages(void **state) {
    (void)state;
    const memx_pipeline_stage stages[] = {{1, 2, 0}, {2, 1, 0}, {1, 3, 0}};
    assert_whole(simulated(stages, 3, 3, 0.0), 18);
    assert_whole(formula(stages, 3, 3, 0.0), 18);
}

/* Stage 0 is slow in both directions: it never waits but for the first micro batch's way back.
**   0  F1F1F1 F2F2F2 B1B1B1 F3F3F3 B2B2B2 B3B3B3
**   1         F1B1   F2B2          F3B3 */
static void a_slow_first_stage(void **state) {
    (void)state;
    const memx_pipeline_stage stages[] = {{3, 3, 0}, {1, 1, 0}};
    assert_whole(simulated(stages, 2, 3, 0.0), 18);
    assert_whole(formula(stages, 2, 3, 0.0), 20);
}

static void equal_stages(void **state) {
    (void)state;
    memx_pipeline_stage stages[9];
    for (size_t i = 0; i < COUNT(stages); i++) stages[i] = (memx_pipeline_stage){5, 11, 0};
    for (int64_t p = 1; p <= 9; p++) {
        for (int64_t m = 1; m <= 30; m++) {
            assert_whole(simulated(stages, p, m, 0.0), (m + p - 1) * 16);
            assert_whole(formula(stages, p, m, 0.0), (m + p - 1) * 16);
        }
    }
}

/* One message on its way while both ends work: F 1, B 1, hop 1, two in flight on stage 0.
**   0  F1 F2 . . . B1 F3 B2 . . . B3
**   1  .  .  F1 B1 F2 B2 . . F3 B3 . */
static void messages_in_the_background(void **state) {
    (void)state;
    const memx_pipeline_stage stages[] = {{1, 1, 1}, {1, 1, 0}};
    assert_whole(simulated(stages, 2, 1, 1.0), 6);
    assert_whole(formula(stages, 2, 1, 1.0), 6);
    /* Two micro batches in flight do not cover the way there and back: the formula is below. */
    assert_whole(simulated(stages, 2, 3, 1.0), 12);
    assert_whole(formula(stages, 2, 3, 1.0), 10);
}

/* Both ends are busy with a message (s sends, r receives).
**   0  F1 s F2 s r B1 . . r B2
**   1  .  r F1 B1 s r F2 B2 s . */
static void blocking_messages(void **state) {
    (void)state;
    const memx_pipeline_stage stages[] = {{1, 1, 1}, {1, 1, 0}};
    assert_whole(simulated(stages, 2, 1, 0.0), 6);
    assert_whole(simulated(stages, 2, 2, 0.0), 10);
    assert_whole(formula(stages, 2, 2, 0.0), 10);
}

static int stop_at_once(void *context) {
    ++*(int *)context;
    return 1;
}

/* 2 * 10^4 tasks of 13 days are more than 2^63 ns. */
static void absurd_times_saturate(void **state) {
    (void)state;
    const int64_t most = MEMX_MOST_NS;
    const memx_pipeline_stage stages[] = {{most, most, most}, {most, most, most}, {most, most, 0}};
    for (int overlap = 0; overlap < 2; overlap++) {
        assert_whole(simulated(stages, 3, 10000, overlap), MEMX_MOST_ITERATION_NS);
        assert_whole(formula(stages, 3, 10000, overlap), MEMX_MOST_ITERATION_NS);
    }
}

static void a_long_simulation_stops(void **state) {
    (void)state;
    int asked = 0;
    const memx_poll poll = {.stop = stop_at_once, .context = &asked};
    const memx_pipeline_stage stages[] = {{1, 1, 0}, {1, 1, 0}};
    int64_t ns;
    const memx_schedule endless = plain(2, INT64_C(1) << 40, 0.0);
    assert_int_equal(memx_pipeline_simulate_ns(stages, &endless, &poll, NULL, &ns),
                     MEMX_INTERRUPTED);
    assert_int_equal(asked, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_flight),
        cmocka_unit_test(chunks_in_flight),
        cmocka_unit_test(an_interleaved_pipeline),
        cmocka_unit_test(formula_by_hand),
        cmocka_unit_test(slot_by_hand),
        cmocka_unit_test(two_unequal_stages),
        cmocka_unit_test(three_unequal_stages),
        cmocka_unit_test(a_slow_first_stage),
        cmocka_unit_test(equal_stages),
        cmocka_unit_test(messages_in_the_background),
        cmocka_unit_test(blocking_messages),
        cmocka_unit_test(absurd_times_saturate),
        cmocka_unit_test(a_long_simulation_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
