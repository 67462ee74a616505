/*
** Tests of core/tables.h: tables are shared, and those that nobody uses are bounded in bytes.
*/
#include "core/tables.h"

#include <stdio.h>

#include "support/check.h"
#include "support/jobs.h"

typedef struct case_of_tables {
    test_job t;
    memx_space space;
    memx_setting setting;
    memx_config config;
    memx_plan plan;
} case_of_tables;

/* One stage of 2,000 layers with 64 levels: a table is 2,000 * 64 options. */
static void start(case_of_tables *c) {
    memx_error error = {.text = ""};
    job_start(&c->t);
    c->t.job.model = model_gpt(2000, 256, 4, 1000, 128);
    job_device(&c->t, "A", "red", 80000.0);
    job_node(&c->t, 0, 0, 1);
    job_finish(&c->t);
    memx_space_start(&c->space, "mine");
    for (int n = 1; n < MEMX_MOST_LEVELS; n++) {
        char text[24];
        snprintf(text, sizeof text, "block%d", n);
        assert_ok(memx_space_add(&c->space, "recompute", text, &error), &error);
    }
    assert_ok(memx_setting_open(&c->t.job, &c->space, &memx_analytic_pricer, &c->setting, &error),
              &error);
    assert_int_equal(c->setting.level_count, MEMX_MOST_LEVELS);
    assert_ok(memx_config_parse(&c->t.job, "tp1.dp1.mb1/A*2000:full", &c->config, &error), &error);
    assert_ok(memx_plan_build(&c->t.job, &c->config.knobs, &c->config.placement, &c->plan, &error),
              &error);
}

static void finish(case_of_tables *c) {
    memx_plan_free(&c->plan);
    memx_config_free(&c->config);
    memx_setting_close(&c->setting);
    memx_space_free(&c->space);
}

/* The table of a stage with so many micro batches in flight. */
static memx_table *get(case_of_tables *c, int64_t in_flight) {
    memx_error error = {.text = ""};
    memx_table *table = NULL;
    memx_shape shape = c->plan.shapes[0];
    shape.spec.in_flight = in_flight;
    assert_ok(memx_table_get(&c->setting, &c->plan, &shape, NULL, &table, &error), &error);
    return table;
}

static void equal_shapes_share_a_table(void **state) {
    (void)state;
    static case_of_tables c;
    start(&c);
    memx_table *table = get(&c, 1), *other = get(&c, 2);
    assert_ptr_equal(get(&c, 1), table);
    assert_ptr_not_equal(table, other);
    assert_int_equal(table->references, 2);
    memx_table_release(&c.setting, other);
    assert_ptr_equal(get(&c, 2), other); /* kept for the next */
    finish(&c);
}

static void unused_tables_are_bounded(void **state) {
    (void)state;
    enum { COUNT_OF_TABLES = 12, MOST = 36 << 20 };
    static case_of_tables c;
    memx_table *tables[COUNT_OF_TABLES];
    start(&c);
    const memx_table_cache *cache = &c.setting.tables;
    size_t one = 2000 * MEMX_MOST_LEVELS * sizeof(memx_option);
    for (int i = 0; i < COUNT_OF_TABLES; i++) { /* one at a time */
        memx_table_release(&c.setting, get(&c, i + 1));
        assert_true(cache->bytes <= MOST && (i > 0 || cache->bytes >= one));
    }
    for (int i = 0; i < COUNT_OF_TABLES; i++) tables[i] = get(&c, i + 1); /* all at once */
    assert_true(cache->bytes >= COUNT_OF_TABLES * one);
    for (int i = 0; i < COUNT_OF_TABLES; i++) { /* all of them as they were */
        assert_int_equal(tables[i]->references, 1);
        assert_ptr_equal(get(&c, i + 1), tables[i]);
        memx_table_release(&c.setting, tables[i]);
    }
    for (int i = 0; i < COUNT_OF_TABLES; i++) memx_table_release(&c.setting, tables[i]);
    assert_true(cache->bytes <= MOST && cache->bytes >= one);
    finish(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_shapes_share_a_table),
        cmocka_unit_test(unused_tables_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
