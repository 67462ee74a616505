/*
** Tests of core/space.h: every parameter with every kind of value, and everything that is refused.
*/
#include "core/space.h"

#include <stdio.h>
#include <string.h>

#include "support/check.h"

static void add(memx_space *space, const char *param, const char *value) {
    memx_error error = {.text = ""};
    assert_ok(memx_space_add(space, param, value, &error), &error);
}

static memx_space started(void) {
    memx_space space;
    memx_space_start(&space, "mine");
    return space;
}

static void defaults(void **state) {
    (void)state;
    memx_space space = started();
    assert_string_equal(space.name, "mine");
    for (int axis = 0; axis < MEMX_AXIS_COUNT; axis++) {
        assert_int_equal(space.axes[axis].count, 0);
        assert_true(memx_values_allow(&space.axes[axis], 1));
        assert_true(memx_values_allow(&space.axes[axis], 123456));
    }
    assert_int_equal(space.device_order, MEMX_ORDER_TYPES);
    assert_int_equal(space.stage_devices, MEMX_SPAN_VENDOR);
    assert_int_equal(space.layer_split, MEMX_SPLIT_FREE);
    assert_whole(space.layer_skew, 0);
    assert_int_equal(space.level_count, 0);
    assert_int_equal(space.recompute_scope, MEMX_SCOPE_STAGE);
    assert_false(space.ignore_memory);
    memx_space_free(&space);
    assert_int_equal(space.level_count, 0);
    memx_space_free(&space);
}

static void axes_keep_values_sorted_and_once(void **state) {
    (void)state;
    static const char *const names[] = {"tp",    "pp",        "dp", "micro_batch", "seq_length",
                                        "heads", "kv_groups", "cp", "ep",          "vp"};
    static const char *const values[] = {"8", "1", "1000000000", "4", "8", "1", "16", "04"};
    static const int64_t sorted[] = {1, 4, 8, 16, 1000000000};
    memx_space space = started();
    for (size_t n = 0; n < COUNT(names); n++) {
        assert_string_equal(memx_axis_name((memx_axis)n), names[n]);
        for (size_t i = 0; i < COUNT(values); i++) add(&space, names[n], values[i]);
        const memx_values *axis = &space.axes[n];
        assert_int_equal(axis->count, COUNT(sorted));
        for (size_t i = 0; i < COUNT(sorted); i++) {
            assert_whole(axis->items[i], sorted[i]);
            assert_true(memx_values_allow(axis, sorted[i]));
        }
        assert_false(memx_values_allow(axis, 2));
        assert_false(memx_values_allow(axis, 0));
        assert_false(memx_values_allow(axis, -1));
    }
    memx_space_free(&space);
}

static void flags_take_0_and_1(void **state) {
    (void)state;
    static const char *const names[] = {"sequence_parallel", "distributed_optimizer"};
    for (size_t n = 0; n < COUNT(names); n++) {
        memx_space space = started();
        const memx_values *axis = &space.axes[MEMX_AXIS_SEQUENCE_PARALLEL + (int)n];
        assert_string_equal(memx_axis_name((memx_axis)(MEMX_AXIS_SEQUENCE_PARALLEL + (int)n)),
                            names[n]);
        add(&space, names[n], "1");
        assert_int_equal(axis->count, 1);
        assert_true(memx_values_allow(axis, 1));
        assert_false(memx_values_allow(axis, 0));
        add(&space, names[n], "0");
        assert_int_equal(axis->count, 2);
        assert_whole(axis->items[0], 0);
        assert_whole(axis->items[1], 1);
        memx_space_free(&space);
    }
}

static void random_values_as_a_set(void **state) {
    (void)state;
    rng r = rng_start(1);
    for (int i = 0; i < 200; i++) {
        memx_space space = started();
        bool in[41] = {false};
        int32_t count = 0;
        for (int64_t n = rng_between(&r, 1, 60); n > 0; n--) {
            int64_t value = rng_between(&r, 1, 40);
            char text[24];
            snprintf(text, sizeof text, "%lld", (long long)value);
            add(&space, "micro_batch", text);
            count += !in[value];
            in[value] = true;
        }
        const memx_values *axis = &space.axes[MEMX_AXIS_MICRO_BATCH];
        assert_int_equal(axis->count, count);
        for (int32_t k = 1; k < axis->count; k++) assert_true(axis->items[k - 1] < axis->items[k]);
        for (int64_t value = 1; value <= 40; value++) {
            assert_int_equal(memx_values_allow(axis, value), in[value]);
        }
        memx_space_free(&space);
    }
}

static void words(void **state) {
    (void)state;
    memx_space space = started();
    add(&space, "device_order", "given");
    assert_int_equal(space.device_order, MEMX_ORDER_GIVEN);
    add(&space, "device_order", "types");
    assert_int_equal(space.device_order, MEMX_ORDER_TYPES);
    add(&space, "stage_devices", "one");
    assert_int_equal(space.stage_devices, MEMX_SPAN_ONE);
    add(&space, "stage_devices", "any");
    assert_int_equal(space.stage_devices, MEMX_SPAN_ANY);
    add(&space, "stage_devices", "vendor");
    assert_int_equal(space.stage_devices, MEMX_SPAN_VENDOR);
    static const struct {
        const char *word;
        memx_split_rule rule;
    } rules[] = {{"uniform", MEMX_SPLIT_UNIFORM},
                 {"compute", MEMX_SPLIT_COMPUTE},
                 {"memory", MEMX_SPLIT_MEMORY},
                 {"time", MEMX_SPLIT_TIME},
                 {"free", MEMX_SPLIT_FREE}};
    for (size_t i = 0; i < COUNT(rules); i++) {
        add(&space, "layer_split", rules[i].word);
        assert_int_equal(space.layer_split, rules[i].rule);
        /* The scope follows while it is not given. */
        assert_int_equal(space.recompute_scope,
                         rules[i].rule == MEMX_SPLIT_FREE ? MEMX_SCOPE_STAGE : MEMX_SCOPE_DEVICE);
    }
    add(&space, "recompute_scope", "device");
    assert_int_equal(space.recompute_scope, MEMX_SCOPE_DEVICE);
    add(&space, "recompute_scope", "global");
    assert_int_equal(space.recompute_scope, MEMX_SCOPE_GLOBAL);
    add(&space, "recompute_scope", "plan");
    assert_int_equal(space.recompute_scope, MEMX_SCOPE_PLAN);
    add(&space, "recompute_scope", "stage");
    assert_int_equal(space.recompute_scope, MEMX_SCOPE_STAGE);
    add(&space, "layer_split", "time");
    assert_int_equal(space.recompute_scope, MEMX_SCOPE_STAGE);
    add(&space, "memory_limit", "ignore");
    assert_true(space.ignore_memory);
    add(&space, "memory_limit", "hard");
    assert_false(space.ignore_memory);
    for (int64_t n = 0; n <= 8; n++) {
        char text[] = {(char)('0' + n), '\0'};
        add(&space, "layer_skew", text);
        assert_whole(space.layer_skew, n);
    }
    memx_space_free(&space);
}

static void levels_are_sorted_and_once(void **state) {
    (void)state;
    static const char *const texts[] = {"full",   "block12", "none",   "uniform3", "selective",
                                        "block2", "full",    "block2", "uniform1"};
    static const memx_level sorted[] = {
        {MEMX_NONE, 0, 0},    {MEMX_SELECTIVE, 0, 0}, {MEMX_BLOCK, 2, 0}, {MEMX_BLOCK, 12, 0},
        {MEMX_UNIFORM, 1, 0}, {MEMX_UNIFORM, 3, 0},   {MEMX_FULL, 0, 0}};
    memx_space space = started();
    for (size_t i = 0; i < COUNT(texts); i++) add(&space, "recompute", texts[i]);
    assert_int_equal(space.level_count, COUNT(sorted));
    for (size_t i = 0; i < COUNT(sorted); i++) {
        assert_int_equal(memx_level_compare(space.levels[i], sorted[i]), 0);
    }
    memx_space_free(&space);
}

#define NUMBER "a whole number from 1"
#define LEVEL                                                                                      \
    "none, selective, full, block<N>, uniform<N>, swap<N>, offload<X> or LEVEL+offload<X>, as "    \
    "block2 or full+offload100"

/* The message says what is wrong with which value and what to write; the space stays as it was. */
static void refusals(void **state) {
    (void)state;
    static const struct {
        const char *param, *value, *want;
    } cases[] = {
        {"tp", "0", NUMBER},
        {"pp", "-1", NUMBER},
        {"dp", "", NUMBER},
        {"micro_batch", "1.5", NUMBER},
        {"micro_batch", "1 ", NUMBER},
        {"micro_batch", "+1", NUMBER},
        {"seq_length", "1000000001", NUMBER},
        {"seq_length", "99999999999999999999", NUMBER},
        {"heads", "eight", NUMBER},
        {"kv_groups", "1e3", NUMBER},
        {"kv_groups", "0x8", NUMBER},
        {"sequence_parallel", "2", "0 or 1"},
        {"sequence_parallel", "true", "0 or 1"},
        {"distributed_optimizer", "", "0, 1, 2 or 3"},
        {"distributed_optimizer", "4", "0, 1, 2 or 3"},
        {"distributed_optimizer", "-1", "0, 1, 2 or 3"},
        {"device_order", "random", "types~given~"},
        {"device_order", "", "types~given~"},
        {"stage_devices", "two", "vendor, one or any"},
        {"layer_split", "Free", "free, uniform, compute, memory or time"},
        {"layer_skew", "9", "0 to 8"},
        {"layer_skew", "-1", "0 to 8"},
        {"layer_skew", "", "0 to 8"},
        {"recompute", "half", LEVEL},
        {"recompute", "", LEVEL},
        {"recompute", "block", LEVEL},
        {"recompute", "uniform0", LEVEL},
        {"recompute", "none,full", LEVEL},
        {"recompute_scope", "stages", "stage, device~global~"},
        {"memory_limit", "soft", "hard or ignore"},
    };
    memx_space space = started();
    for (size_t i = 0; i < COUNT(cases); i++) {
        char wanted[300];
        memx_error error = {.text = ""};
        memx_space before = space;
        snprintf(wanted, sizeof wanted, "space 'mine': %s is '%s'; write %s", cases[i].param,
                 cases[i].value, cases[i].want);
        assert_refused(memx_space_add(&space, cases[i].param, cases[i].value, &error), &error,
                       wanted);
        assert_memory_equal(&space, &before, sizeof space);
        assert_int_equal(memx_space_add(&space, cases[i].param, cases[i].value, NULL),
                         MEMX_INVALID);
    }
    static const char *const unknown[] = {"", "TP", "tp ", "batch", "recompute_levels", "space"};
    for (size_t i = 0; i < COUNT(unknown); i++) {
        char wanted[400];
        memx_error error = {.text = ""};
        snprintf(
            wanted, sizeof wanted,
            "space 'mine': no parameter '%s'; write tp, pp, dp, micro_batch, seq_length, heads, "
            "kv_groups, cp, ep, vp, sequence_parallel, distributed_optimizer, device_order, "
            "stage_devices, "
            "layer_split, layer_skew, recompute, recompute_scope or memory_limit",
            unknown[i]);
        assert_refused(memx_space_add(&space, unknown[i], "1", &error), &error, wanted);
    }
    memx_space_free(&space);
}

/* A long name or value is cut, not overrun. */
static void long_texts_are_cut(void **state) {
    (void)state;
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    memx_space space;
    memx_error error = {.text = ""};
    memx_space_start(&space, text);
    assert_int_equal(strlen(space.name), MEMX_NAME_SIZE - 1);
    assert_int_equal(memx_space_add(&space, "tp", text, &error), MEMX_INVALID);
    assert_true(strlen(error.text) < sizeof error.text);
    assert_non_null(strstr(error.text, "write a whole number from 1"));
    assert_int_equal(memx_space_add(&space, text, "1", &error), MEMX_INVALID);
    assert_non_null(strstr(error.text, "or memory_limit"));
    memx_space_free(&space);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(axes_keep_values_sorted_and_once),
        cmocka_unit_test(flags_take_0_and_1),
        cmocka_unit_test(random_values_as_a_set),
        cmocka_unit_test(words),
        cmocka_unit_test(levels_are_sorted_and_once),
        cmocka_unit_test(refusals),
        cmocka_unit_test(long_texts_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
