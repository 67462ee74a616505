/*
** Tests of core/search.h by hand: the order of a whole search, single configurations, bounds, and
** the sentences about what memory refuses. tests/property/search_test.c has random jobs.
*/
#include "core/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/jobs.h"

static void add(memx_space *space, const char *param, const char *value) {
    memx_error error = {.text = ""};
    assert_ok(memx_space_add(space, param, value, &error), &error);
}

typedef struct hunt {
    test_job t;
    memx_space space;
    memx_search search;
    memx_extent extent;
    memx_error error;
} hunt;

/* Two nodes of one GPU: A and B, of one vendor; three layers. */
static void hunt_start(hunt *h) {
    h->error.text[0] = '\0';
    job_start(&h->t);
    h->t.job.model = model_gpt(3, 256, 4, 1000, 128);
    h->t.job.global_batch = 2;
    job_device(&h->t, "A", "red", 81920.0);
    job_device(&h->t, "B", "red", 81920.0);
    job_node(&h->t, 0, 0, 1);
    job_node(&h->t, 1, 1, 1);
    memx_space_start(&h->space, "mine");
    memx_extent_start(&h->extent);
}

static void hunt_open(hunt *h) {
    job_finish(&h->t);
    assert_ok(
        memx_search_open(&h->t.job, &h->space, &memx_analytic_pricer, NULL, &h->search, &h->error),
        &h->error);
}

static void hunt_close(hunt *h) {
    memx_search_close(&h->search);
    memx_space_free(&h->space);
}

static char *scan_text(const hunt *h, const memx_scan *scan) {
    memx_stage_choice stages[64];
    memx_choices_stages(scan->choices, stages);
    memx_config config = {scan->skeleton->knobs, scan->skeleton->placement, stages};
    return config_text(&h->t.job, &config);
}

static void check_scan(hunt *h, const char *const *wanted, size_t count) {
    memx_scan scan;
    memx_count found;
    memx_scan_start(&h->search, &h->extent, NULL, &scan);
    for (size_t i = 0; i < count; i++) {
        memx_status status = memx_scan_next(&scan, &h->error);
        assert_that(status == MEMX_OK, "ends (%d) before '%s'", (int)status, wanted[i]);
        char *text = scan_text(h, &scan);
        assert_that(strcmp(text, wanted[i]) == 0, "number %zu is '%s', wanted '%s'", i, text,
                    wanted[i]);
        free(text);
    }
    assert_int_equal(memx_scan_next(&scan, &h->error), MEMX_DONE);
    assert_int_equal(memx_scan_next(&scan, &h->error), MEMX_DONE);
    memx_scan_stop(&scan);
    memx_scan_stop(&scan);
    assert_ok(memx_search_count(&h->search, &h->extent.bounds, NULL, &found, &h->error), &h->error);
    assert_whole(memx_count_int64(found), (int64_t)count);
}

static const char *const all_of_it[] = {
    "tp1.dp2.mb1.seq128/A(1)|B(1)*3:none",  "tp1.dp2.mb1.seq128/A(1)|B(1)*3:full",
    "tp1.dp1.mb1.seq128/A*1:none,B*2:none", "tp1.dp1.mb1.seq128/A*1:none,B*2:full",
    "tp1.dp1.mb1.seq128/A*1:full,B*2:none", "tp1.dp1.mb1.seq128/A*1:full,B*2:full",
    "tp1.dp1.mb1.seq128/A*2:none,B*1:none", "tp1.dp1.mb1.seq128/A*2:none,B*1:full",
    "tp1.dp1.mb1.seq128/A*2:full,B*1:none", "tp1.dp1.mb1.seq128/A*2:full,B*1:full",
    "tp1.dp1.mb1.seq128/B*1:none,A*2:none", "tp1.dp1.mb1.seq128/B*1:none,A*2:full",
    "tp1.dp1.mb1.seq128/B*1:full,A*2:none", "tp1.dp1.mb1.seq128/B*1:full,A*2:full",
    "tp1.dp1.mb1.seq128/B*2:none,A*1:none", "tp1.dp1.mb1.seq128/B*2:none,A*1:full",
    "tp1.dp1.mb1.seq128/B*2:full,A*1:none", "tp1.dp1.mb1.seq128/B*2:full,A*1:full",
    "tp1.dp1.mb2.seq128/A*1:none,B*2:none", /* and so on */
};

static void a_whole_search_in_order(void **state) {
    (void)state;
    hunt h;
    hunt_start(&h);
    add(&h.space, "micro_batch", "1");
    hunt_open(&h);
    check_scan(&h, all_of_it, 18);
    hunt_close(&h);
    /* Without the list of micro batches: two at dp 1. */
    hunt_start(&h);
    hunt_open(&h);
    memx_scan scan;
    memx_scan_start(&h.search, &h.extent, NULL, &scan);
    for (size_t i = 0; i < 2 + 16 + 16; i++) {
        assert_int_equal(memx_scan_next(&scan, &h.error), MEMX_OK);
        char *text = scan_text(&h, &scan);
        if (i < COUNT(all_of_it))
            assert_string_equal(text, all_of_it[i]);
        else
            assert_memory_equal(text, "tp1.dp1.mb2.seq128/", 19);
        free(text);
    }
    assert_int_equal(memx_scan_next(&scan, &h.error), MEMX_DONE);
    memx_scan_stop(&scan);
    hunt_close(&h);
}

static void bounds_by_hand(void **state) {
    (void)state;
    hunt h;
    hunt_start(&h);
    add(&h.space, "micro_batch", "1");
    hunt_open(&h);
    h.extent.bounds.most[MEMX_AXIS_PP] = 1;
    check_scan(&h, all_of_it, 2);
    memx_bounds_start(&h.extent.bounds);
    h.extent.bounds.least[MEMX_AXIS_PP] = 2;
    check_scan(&h, all_of_it + 2, 16);
    h.extent.bounds.least[MEMX_AXIS_PP] = 3;
    check_scan(&h, NULL, 0);
    memx_bounds_start(&h.extent.bounds);
    h.extent.bounds.least[MEMX_AXIS_DISTRIBUTED_OPTIMIZER] = 1;
    check_scan(&h, all_of_it, 2);
    h.extent.bounds.most[MEMX_AXIS_DISTRIBUTED_OPTIMIZER] = 0;
    check_scan(&h, NULL, 0);
    memx_bounds_start(&h.extent.bounds);
    h.extent.bounds.least[MEMX_AXIS_SEQ_LENGTH] = h.extent.bounds.most[MEMX_AXIS_SEQ_LENGTH] = 128;
    check_scan(&h, all_of_it, 18);
    /* A look-up keeps to them. */
    memx_bounds_start(&h.extent.bounds);
    h.extent.bounds.most[MEMX_AXIS_PP] = 1;
    for (size_t i = 0; i < 18; i++) {
        memx_scan scan;
        memx_config config;
        assert_ok(memx_config_parse(&h.t.job, all_of_it[i], &config, &h.error), &h.error);
        memx_scan_start(&h.search, &h.extent, NULL, &scan);
        assert_int_equal(memx_scan_find(&scan, &config, &h.error), i < 2 ? MEMX_OK : MEMX_DONE);
        memx_scan_stop(&scan);
        memx_config_free(&config);
    }
    hunt_close(&h);
}

/* Two scans of one search, and a look-up between them, do not disturb each other. */
static void scans_are_independent(void **state) {
    (void)state;
    static const char *const rules[] = {"free", "uniform", "time"};
    for (size_t i = 0; i < COUNT(rules); i++) {
        hunt h;
        memx_scan a, b, look;
        memx_config config;
        memx_reference ref;
        hunt_start(&h);
        add(&h.space, "layer_split", rules[i]);
        add(&h.space, "layer_skew", "1");
        hunt_open(&h);
        memx_scan_start(&h.search, &h.extent, NULL, &a);
        memx_scan_start(&h.search, &h.extent, NULL, &b);
        int rows = 0;
        while (memx_scan_next(&a, &h.error) == MEMX_OK) {
            char *left = scan_text(&h, &a);
            assert_ok(memx_config_parse(&h.t.job, left, &config, &h.error), &h.error);
            memx_scan_start(&h.search, &h.extent, NULL, &look);
            assert_int_equal(memx_scan_find(&look, &config, &h.error), MEMX_OK);
            assert_int_equal(memx_scan_next(&look, &h.error), MEMX_DONE);
            memx_scan_stop(&look);
            memx_config_free(&config);
            if (rows % 5 == 0) {
                assert_ok(memx_search_reference(&h.search, NULL, &ref, &h.error), &h.error);
            }
            assert_int_equal(memx_scan_next(&b, &h.error), MEMX_OK);
            char *right = scan_text(&h, &b);
            assert_string_equal(left, right);
            free(left);
            free(right);
            rows++;
        }
        assert_int_equal(memx_scan_next(&b, &h.error), MEMX_DONE);
        assert_true(rows >= 10);
        memx_scan_stop(&a);
        memx_scan_stop(&b);
        hunt_close(&h);
    }
}

static void nothing_at_all(void **state) {
    (void)state;
    hunt h;
    memx_reference ref;
    memx_count count;
    memx_error example = {.text = "x"};
    hunt_start(&h);
    h.t.devices[0].memory_mib = h.t.devices[1].memory_mib = 1.0;
    hunt_open(&h);
    check_scan(&h, NULL, 0);
    assert_ok(memx_search_reference(&h.search, NULL, &ref, &h.error), &h.error);
    assert_true(memx_count_is_zero(ref.feasible) && !ref.sampled);
    assert_same(ref.iteration_ms, 0.0);
    assert_same(ref.peak_mib, 0.0);
    assert_same(ref.variance_mib2, 0.0);
    assert_whole(ref.fastest_ns, 0);
    assert_ok(refused_by_memory(&h.search, NULL, &count, &example, &h.error), &h.error);
    assert_whole(memx_count_int64(count), 2 + 16 + 16);
    assert_refused(MEMX_INVALID, &example,
                   "tp 1 pp ~ dp ~ mb 1: stage ~ on ~ layer~ at full needs ~ "
                   "MiB, ~ MiB more than the 1 MiB it may use");
    hunt_close(&h);
}

/* With equal layers everything fits; the search has other splits, and memory refuses some. Whatever
** is refused, there is an example of it. */
static void every_count_has_an_example(void **state) {
    (void)state;
    hunt h;
    memx_count count, fitting;
    memx_error example = {.text = "x"};
    hunt_start(&h);
    h.t.job.model = model_gpt(8, 1024, 4, 1000, 128);
    add(&h.space, "pp", "2");
    add(&h.space, "micro_batch", "1");
    add(&h.space, "recompute", "none");
    /* Five layers on the first stage and no more. */
    memx_stage_spec spec = {.model = h.t.job.model,
                            .tp = 1,
                            .dp = 1,
                            .micro_batch = 1,
                            .in_flight = 2,
                            .first = true,
                            .link_gbs = 300.0};
    memx_stage_choice choice = {5, {MEMX_NONE, 0, 0}};
    memx_stage_price price;
    memx_stage_price_all(&h.t.devices[0], &h.t.job.framework, &spec, &choice, 1, &price);
    double memory = (double)memx_stage_peak_kib(&price.memory) / 1024.0;
    h.t.devices[0].memory_mib = h.t.devices[1].memory_mib = memory;
    hunt_open(&h);
    assert_ok(refused_by_memory(&h.search, NULL, &count, &example, &h.error), &h.error);
    assert_ok(memx_search_count(&h.search, &h.extent.bounds, NULL, &fitting, &h.error), &h.error);
    assert_true(!memx_count_is_zero(count) && !memx_count_is_zero(fitting));
    assert_whole(memx_count_int64(count) + memx_count_int64(fitting), 2 * 7);
    assert_that(*example.text, "%d refused without an example", (int)memx_count_int64(count));
    hunt_close(&h);
}

/* On a mixed stage the figures are those of the device that the sentence names. A has a context
** that takes nearly all of a large card; B is too small. */
static void an_example_is_about_one_device(void **state) {
    (void)state;
    hunt h;
    memx_count count;
    memx_error example = {.text = "x"};
    hunt_start(&h);
    h.t.devices[0].memory_mib = 1000.0;
    h.t.devices[0].context_mib = 900.0;
    h.t.devices[1].memory_mib = 10.0;
    add(&h.space, "pp", "1");
    hunt_open(&h);
    assert_ok(refused_by_memory(&h.search, NULL, &count, &example, &h.error), &h.error);
    assert_whole(memx_count_int64(count), 2);
    assert_refused(MEMX_INVALID, &example,
                   "~stage 0 on B with ~ MiB more than the 10 MiB it may use");
    double needs = 0.0, more = 0.0;
    const char *figures = strstr(example.text, "needs ");
    assert_non_null(figures);
    assert_int_equal(sscanf(figures, "needs %lf MiB, %lf MiB", &needs, &more), 2);
    assert_true(fabs(needs - more - 10.0) <= 1.0);
    hunt_close(&h);
}

/* Seven mixes of three types, in given order: A, B, C, A|B, B|C, C|A, A|B|C. A cheap bound on the
** rows must not be below them. */
static void exceeds_with_many_mixes(void **state) {
    (void)state;
    static const struct {
        int32_t device, gpus;
    } nodes[] = {{0, 3}, {1, 3}, {2, 3}, {0, 2}, {1, 3}, {2, 3}, {0, 2}, {1, 1}, {2, 1}};
    test_job t;
    memx_space space;
    memx_search search;
    memx_bounds bounds;
    memx_count count;
    memx_error error = {.text = ""};
    job_start(&t);
    t.job.model = model_gpt(14, 256, 4, 1000, 128);
    t.job.global_batch = 3;
    job_device(&t, "A", "red", 81920.0);
    job_device(&t, "B", "red", 81920.0);
    job_device(&t, "C", "red", 81920.0);
    for (size_t i = 0; i < COUNT(nodes); i++) {
        job_node(&t, (int64_t)i, nodes[i].device, nodes[i].gpus);
    }
    job_finish(&t);
    memx_space_start(&space, "mine");
    add(&space, "tp", "1");
    add(&space, "pp", "7");
    add(&space, "device_order", "given");
    add(&space, "layer_split", "uniform");
    add(&space, "recompute", "none");
    add(&space, "recompute", "block1");
    add(&space, "recompute", "full");
    add(&space, "recompute_scope", "device");
    memx_bounds_start(&bounds);
    assert_ok(memx_search_open(&t.job, &space, &memx_analytic_pricer, NULL, &search, &error),
              &error);
    assert_ok(memx_search_count(&search, &bounds, NULL, &count, &error), &error);
    assert_whole(memx_count_int64(count), 3 * 3 * 3 * 3 * 3 * 3 * 3);
    for (int64_t most = 0; most <= 2300; most += 50) {
        bool exceeds = false;
        assert_ok(memx_search_exceeds(&search, &bounds, most, NULL, &exceeds, &count, &error),
                  &error);
        assert_that(exceeds == (most < 2187), "more than %d of 2187 rows: %d", (int)most, exceeds);
    }
    memx_search_close(&search);
    memx_space_free(&space);
}

static void knobs_by_axis(void **state) {
    (void)state;
    const memx_knobs k = {.tp = 1,
                          .pp = 2,
                          .dp = 3,
                          .micro_batch = 4,
                          .seq_length = 5,
                          .heads = 6,
                          .kv_groups = 7,
                          .cp = 8,
                          .ep = 9,
                          .vp = 10,
                          .sequence_parallel = true,
                          .distributed_optimizer = MEMX_ZERO_NOTHING};
    static const int64_t wanted[MEMX_AXIS_COUNT] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 0};
    memx_bounds bounds;
    memx_bounds_start(&bounds);
    assert_true(memx_bounds_admit(&bounds, &k));
    for (int a = 0; a < MEMX_AXIS_COUNT; a++) {
        assert_whole(memx_knob(&k, (memx_axis)a), wanted[a]);
        memx_bounds_start(&bounds);
        bounds.least[a] = bounds.most[a] = wanted[a];
        assert_true(memx_bounds_admit(&bounds, &k));
        bounds.most[a] = wanted[a] - 1;
        assert_false(memx_bounds_admit(&bounds, &k));
        bounds.least[a] = bounds.most[a] = wanted[a] + 1;
        assert_false(memx_bounds_admit(&bounds, &k));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_search_in_order),
        cmocka_unit_test(bounds_by_hand),
        cmocka_unit_test(scans_are_independent),
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(every_count_has_an_example),
        cmocka_unit_test(an_example_is_about_one_device),
        cmocka_unit_test(exceeds_with_many_mixes),
        cmocka_unit_test(knobs_by_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
