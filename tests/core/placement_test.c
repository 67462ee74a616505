/*
** Tests of core/placement.h: filling stages in an order of nodes, building them piece by piece, and
** comparing them.
*/
#include "core/placement.h"

#include <string.h>

#include "support/check.h"
#include "support/jobs.h"

static void placements_fill_in_node_order(void **state) {
    (void)state;
    test_job t;
    memx_placement a, b;
    job_lab(&t);
    static const int32_t types[] = {0, 2, 1}, given[] = {0, 1, 2};
    assert_int_equal(memx_placement_fill(&t.job, types, 6, 2, &a), MEMX_OK);
    static const int32_t first[] = {0, 2, 4};
    /* A stage's runs are in order of nodes, whatever the order of filling. */
    static const memx_run runs[] = {{0, 4}, {2, 2}, {1, 4}, {2, 2}};
    assert_memory_equal(a.first, first, sizeof first);
    assert_memory_equal(a.runs, runs, sizeof runs);
    assert_int_equal(memx_placement_fill(&t.job, given, 6, 2, &b), MEMX_OK);
    assert_false(memx_placement_equal(&a, &b));
    memx_placement_free(&b);
    assert_int_equal(memx_placement_fill(&t.job, types, 12, 1, &b), MEMX_OK);
    assert_false(memx_placement_equal(&a, &b));
    memx_placement_free(&a);
    assert_int_equal(memx_placement_fill(&t.job, given, 12, 1, &a), MEMX_OK);
    assert_true(memx_placement_equal(&a, &b));
    memx_placement_free(&a);
    memx_placement_free(&b);
    memx_placement_free(&b);
}

static void stage(const test_job *t, memx_placement *p, int32_t s, const int32_t *gpus) {
    memx_placement_open(p, s);
    for (int32_t node = t->job.node_count; node-- > 0;) { /* last node first: sorted anyway */
        if (gpus[node] == 0) continue;
        /* In two pieces, which become one run. */
        assert_int_equal(memx_placement_add(p, s, node, 1), MEMX_OK);
        if (gpus[node] == 1) continue;
        assert_int_equal(memx_placement_add(p, s, node, gpus[node] - 1), MEMX_OK);
    }
}

static void pieces_become_runs(void **state) {
    (void)state;
    test_job t;
    memx_placement p;
    job_lab(&t);
    assert_int_equal(memx_placement_start(&p, 3), MEMX_OK);
    stage(&t, &p, 0, (const int32_t[]){1, 2, 1});
    stage(&t, &p, 1, (const int32_t[]){0, 1, 3});
    stage(&t, &p, 2, (const int32_t[]){3, 1, 0});
    static const int32_t first[] = {0, 3, 5, 7};
    static const memx_run runs[] = {{0, 1}, {1, 2}, {2, 1}, {1, 1}, {2, 3}, {0, 3}, {1, 1}};
    assert_memory_equal(p.first, first, sizeof first);
    assert_memory_equal(p.runs, runs, sizeof runs);
    static const char *const devices[] = {"A-80(2)|B_32(2)", "B_32(1)|A-80(3)", "A-80(3)|B_32(1)"};
    for (int32_t s = 0; s < 3; s++) {
        memx_text text = {0};
        memx_stage_devices(&t.job, &p, s, &text);
        assert_string_equal(text.data, devices[s]);
        memx_text_free(&text);
    }
    memx_placement_free(&p);
}

/* The same types, in whatever numbers, order or nodes. */
static void stages_on_the_same_devices(void **state) {
    (void)state;
    static const int32_t stages[][3] = {{1, 0, 0}, {0, 0, 2}, {1, 0, 1}, {0, 1, 0},
                                        {1, 1, 0}, {0, 1, 1}, {1, 1, 1}};
    static const int32_t first[] = {0, 0, 0, 3, 4, 4, 4};
    test_job t;
    memx_placement p;
    job_lab(&t);
    assert_int_equal(memx_placement_start(&p, (int32_t)COUNT(stages)), MEMX_OK);
    for (size_t s = 0; s < COUNT(stages); s++) stage(&t, &p, (int32_t)s, stages[s]);
    for (size_t s = 0; s < COUNT(stages); s++) {
        assert_int_equal(memx_placement_like(&t.job, &p, (int32_t)s), first[s]);
    }
    memx_placement_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placements_fill_in_node_order),
        cmocka_unit_test(pieces_become_runs),
        cmocka_unit_test(stages_on_the_same_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
