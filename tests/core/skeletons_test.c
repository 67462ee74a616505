/*
** Tests of core/skeletons.h: degrees, knobs and placements of small clusters in their order,
** written out by hand, and the reasons why others were left out.
*/
#include "core/skeletons.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/jobs.h"

static void add(memx_space *space, const char *param, const char *value) {
    memx_error error = {.text = ""};
    assert_ok(memx_space_add(space, param, value, &error), &error);
}

/* A-80 and B_32 of one vendor, C of another. */
static void three_types(test_job *t) {
    job_start(t);
    job_device(t, "A-80", "red", 81920.0);
    job_device(t, "B_32", "red", 32768.0);
    job_device(t, "C", "blue", 32768.0);
}

/* A skeleton as a text: the knobs that vary, and each stage's devices. */
static char *skeleton_text(const memx_job *job, const memx_skeleton *k) {
    memx_text text = {0};
    memx_text_printf(&text, "tp%d pp%d dp%d mb%d", (int)k->knobs.tp, (int)k->knobs.pp,
                     (int)k->knobs.dp, (int)k->knobs.micro_batch);
    if (k->knobs.seq_length != job->model.seq_length) {
        memx_text_printf(&text, " seq%d", (int)k->knobs.seq_length);
    }
    if (k->knobs.heads != job->model.heads) memx_text_printf(&text, " hd%d", (int)k->knobs.heads);
    if (k->knobs.kv_groups != job->model.kv_groups) {
        memx_text_printf(&text, " kv%d", (int)k->knobs.kv_groups);
    }
    if (k->knobs.sequence_parallel) memx_text_printf(&text, " sp");
    if (k->knobs.distributed_optimizer) memx_text_printf(&text, " do");
    if (k->knobs.distributed_optimizer > 1) {
        memx_text_printf(&text, "%d", (int)k->knobs.distributed_optimizer);
    }
    for (int32_t s = 0; s < k->placement.stage_count; s++) {
        memx_text_printf(&text, s ? "," : " ");
        memx_stage_devices(job, &k->placement, s, &text);
    }
    assert_false(text.failed);
    return text.data;
}

static void check(const test_job *t, const memx_space *space, const char *const *wanted,
                  size_t count) {
    memx_skeletons found;
    memx_error error = {.text = ""};
    assert_ok(memx_skeletons_open(&t->job, space, NULL, &found), &error);
    for (size_t i = 0; i < found.count && i < count; i++) {
        char *text = skeleton_text(&t->job, &found.items[i]);
        assert_that(strcmp(text, wanted[i]) == 0, "number %zu is '%s', wanted '%s'", i, text,
                    wanted[i]);
        free(text);
    }
    assert_that(found.count == count, "%zu skeletons, wanted %zu", found.count, count);
    memx_skeletons_close(&found);
}

#define CHECK(t, space, ...)                                                                       \
    do {                                                                                           \
        static const char *const list[] = {__VA_ARGS__};                                           \
        check(t, space, list, COUNT(list));                                                        \
    } while (0)

/* Everything that divides: tp by nodes and heads, pp by what is left, micro by global batch. */
static void one_node_by_default(void **state) {
    (void)state;
    test_job t;
    memx_space space;
    three_types(&t);
    t.job.device_count = 1;
    t.job.global_batch = 4;
    job_node(&t, 0, 0, 4);
    job_finish(&t);
    memx_space_start(&space, "mine");
    CHECK(&t, &space, "tp1 pp1 dp4 mb1 do A-80", "tp1 pp2 dp2 mb1 do A-80,A-80",
          "tp1 pp2 dp2 mb2 do A-80,A-80", "tp1 pp4 dp1 mb1 A-80,A-80,A-80,A-80",
          "tp1 pp4 dp1 mb2 A-80,A-80,A-80,A-80", "tp1 pp4 dp1 mb4 A-80,A-80,A-80,A-80",
          "tp2 pp1 dp2 mb1 sp do A-80", "tp2 pp1 dp2 mb2 sp do A-80",
          "tp2 pp2 dp1 mb1 sp A-80,A-80", "tp2 pp2 dp1 mb2 sp A-80,A-80",
          "tp2 pp2 dp1 mb4 sp A-80,A-80", "tp4 pp1 dp1 mb1 sp A-80", "tp4 pp1 dp1 mb2 sp A-80",
          "tp4 pp1 dp1 mb4 sp A-80");
    /* Nothing was left out, since defaults are what divides. */
    memx_skeletons found;
    memx_error error = {.text = ""};
    assert_ok(memx_skeletons_open(&t.job, &space, NULL, &found), &error);
    for (int r = 0; r < MEMX_REASON_COUNT; r++) assert_whole(found.drops[r].count, 0);
    memx_skeletons_close(&found);
    memx_space_free(&space);
}

/* Nodes 0 C, 1 A, 2 C, 3 B of one GPU each: types in order of their first node are C, A, B. */
static void orders_of_types(void **state) {
    (void)state;
    test_job t;
    memx_space space;
    three_types(&t);
    memx_device a = t.devices[0];
    t.devices[0] = t.devices[2];
    t.devices[2] = t.devices[1];
    t.devices[1] = a;
    job_node(&t, 0, 0, 1);
    job_node(&t, 1, 1, 1);
    job_node(&t, 2, 0, 1);
    job_node(&t, 3, 2, 1);
    job_finish(&t);
    memx_space_start(&space, "mine");
    add(&space, "micro_batch", "1");
    add(&space, "pp", "4");
    CHECK(&t, &space, "tp1 pp4 dp1 mb1 C,C,A-80,B_32", "tp1 pp4 dp1 mb1 C,C,B_32,A-80",
          "tp1 pp4 dp1 mb1 A-80,C,C,B_32", "tp1 pp4 dp1 mb1 A-80,B_32,C,C",
          "tp1 pp4 dp1 mb1 B_32,C,C,A-80", "tp1 pp4 dp1 mb1 B_32,A-80,C,C");
    add(&space, "device_order", "given");
    CHECK(&t, &space, "tp1 pp4 dp1 mb1 C,A-80,C,B_32");
    memx_space_free(&space);

    /* Stages of two GPUs: A and B may share one, being of one vendor; orders that give the same
    ** stages are one. */
    memx_space_start(&space, "mine");
    add(&space, "micro_batch", "1");
    add(&space, "pp", "2");
    CHECK(&t, &space, "tp1 pp2 dp2 mb1 do C,A-80(1)|B_32(1)",
          "tp1 pp2 dp2 mb1 do A-80(1)|B_32(1),C");
    add(&space, "stage_devices", "any");
    CHECK(&t, &space, "tp1 pp2 dp2 mb1 do C,A-80(1)|B_32(1)",
          "tp1 pp2 dp2 mb1 do C(1)|A-80(1),C(1)|B_32(1)", "tp1 pp2 dp2 mb1 do A-80(1)|B_32(1),C",
          "tp1 pp2 dp2 mb1 do C(1)|B_32(1),A-80(1)|C(1)");
    add(&space, "device_order", "given");
    CHECK(&t, &space, "tp1 pp2 dp2 mb1 do C(1)|A-80(1),C(1)|B_32(1)");
    memx_space_free(&space);

    memx_skeletons found;
    memx_error error = {.text = ""};
    memx_space_start(&space, "mine");
    add(&space, "pp", "2");
    add(&space, "stage_devices", "one");
    assert_ok(memx_skeletons_open(&t.job, &space, NULL, &found), &error);
    assert_int_equal(found.count, 0);
    assert_true(found.drops[MEMX_REASON_STAGE_DEVICES].count > 0);
    assert_refused(MEMX_INVALID, &found.drops[MEMX_REASON_STAGE_DEVICES].example,
                   "tp 1~dp 2~stage 1~A-80(1)|B_32(1)~");
    memx_skeletons_close(&found);
    memx_space_free(&space);
}

/* Every order of nodes; of equal ones none is first. */
static void orders_of_nodes(void **state) {
    (void)state;
    test_job t;
    memx_space space;
    three_types(&t);
    t.job.device_count = 2;
    job_node(&t, 0, 0, 1);
    job_node(&t, 1, 1, 1);
    job_node(&t, 2, 0, 1);
    job_finish(&t);
    memx_space_start(&space, "mine");
    add(&space, "micro_batch", "1");
    add(&space, "pp", "3");
    add(&space, "device_order", "nodes");
    CHECK(&t, &space, "tp1 pp3 dp1 mb1 A-80,A-80,B_32", "tp1 pp3 dp1 mb1 A-80,B_32,A-80",
          "tp1 pp3 dp1 mb1 B_32,A-80,A-80");
    /* With another network the two A-80 nodes differ. */
    t.nodes[2].inter_gbs = 50.0;
    memx_skeletons found;
    memx_error error = {.text = ""};
    assert_ok(memx_skeletons_open(&t.job, &space, NULL, &found), &error);
    assert_int_equal(found.count, 6);
    memx_skeletons_close(&found);

    /* Ten nodes: five equal and five equal have 252 orders; all different they are 10!, of
    ** which those with the types together are looked at, and the given one. */
    job_start(&t);
    job_device(&t, "A-80", "red", 81920.0);
    job_device(&t, "B_32", "red", 81920.0);
    for (int n = 0; n < 10; n++) job_node(&t, n, n % 2, 1);
    job_finish(&t);
    memx_space_free(&space);
    memx_space_start(&space, "mine");
    add(&space, "micro_batch", "1");
    add(&space, "pp", "10");
    add(&space, "device_order", "nodes");
    assert_ok(memx_skeletons_open(&t.job, &space, NULL, &found), &error);
    assert_int_equal(found.count, 252);
    memx_skeletons_close(&found);
    for (int n = 0; n < 10; n++) t.nodes[n].inter_gbs = 50.0 + n;
    CHECK(&t, &space, "tp1 pp10 dp1 mb1 A-80,A-80,A-80,A-80,A-80,B_32,B_32,B_32,B_32,B_32",
          "tp1 pp10 dp1 mb1 B_32,B_32,B_32,B_32,B_32,A-80,A-80,A-80,A-80,A-80",
          "tp1 pp10 dp1 mb1 A-80,B_32,A-80,B_32,A-80,B_32,A-80,B_32,A-80,B_32");
    memx_space_free(&space);
}

/* Sequence lengths, heads, groups and flags, ascending, the last fastest. */
static void tasks_and_flags(void **state) {
    (void)state;
    test_job t;
    memx_space space;
    three_types(&t);
    t.job.device_count = 1;
    job_node(&t, 0, 0, 4);
    job_finish(&t);
    memx_space_start(&space, "mine");
    add(&space, "tp", "2");
    add(&space, "pp", "1");
    add(&space, "micro_batch", "4");
    add(&space, "seq_length", "1024");
    add(&space, "seq_length", "512");
    add(&space, "heads", "6");
    add(&space, "heads", "12");
    add(&space, "kv_groups", "6");
    add(&space, "sequence_parallel", "1");
    CHECK(&t, &space, "tp2 pp1 dp2 mb4 seq512 hd6 kv6 sp do A-80",
          "tp2 pp1 dp2 mb4 seq512 kv6 sp do A-80", "tp2 pp1 dp2 mb4 hd6 kv6 sp do A-80",
          "tp2 pp1 dp2 mb4 kv6 sp do A-80");
    memx_space_free(&space);
    memx_space_start(&space, "mine");
    add(&space, "pp", "1");
    add(&space, "tp", "2");
    add(&space, "tp", "4");
    add(&space, "micro_batch", "8");
    add(&space, "sequence_parallel", "1");
    add(&space, "sequence_parallel", "0");
    add(&space, "distributed_optimizer", "1");
    add(&space, "distributed_optimizer", "0");
    /* No distributed optimizer at dp 1. */
    CHECK(&t, &space, "tp2 pp1 dp2 mb8 A-80", "tp2 pp1 dp2 mb8 do A-80", "tp2 pp1 dp2 mb8 sp A-80",
          "tp2 pp1 dp2 mb8 sp do A-80", "tp4 pp1 dp1 mb8 A-80", "tp4 pp1 dp1 mb8 sp A-80");
    memx_space_free(&space);
}

/* Each reason, alone, with its example. */
static void reasons(void **state) {
    (void)state;
    static const struct {
        memx_reason reason;
        const char *param, *value, *param_2, *value_2, *example;
    } cases[] = {
        {MEMX_REASON_TP_NODE, "tp", "8", "pp", "1", "~8"},
        {MEMX_REASON_HEADS_TP, "tp", "4", "pp", "1", "heads 6 ~ tp 4~"},
        {MEMX_REASON_KV_TP, "tp", "4", "kv_groups", "2", "kv_groups 2 ~below tp 4~"},
        {MEMX_REASON_KV_TP, "tp", "4", "kv_groups", "6", "kv_groups 6 ~not divisible by tp 4~"},
        {MEMX_REASON_PP_LAYERS, "tp", "1", "pp", "16", "16 stages for 12 layers~"},
        {MEMX_REASON_BATCH, "pp", "1", "micro_batch", "3", "global_batch 16 ~ micro_batch 3~"},
        {MEMX_REASON_DEGREES, "tp", "3", "pp", "1", "tp 3 ~ 16 GPUs~"},
        {MEMX_REASON_DEGREES, "tp", "1", "pp", "7", "pp 7 ~ 16 GPUs~"},
        {MEMX_REASON_TASK, "pp", "2", "heads", "7", "~7 heads~"},
        {MEMX_REASON_TASK, "pp", "2", "kv_groups", "5", "~kv_groups 5~"},
        {MEMX_REASON_TASK, "pp", "2", "seq_length", "1000000000", "~seq_length~"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        test_job t;
        memx_space space;
        memx_skeletons found;
        memx_error error = {.text = ""};
        three_types(&t);
        t.job.device_count = 1;
        for (int n = 0; n < 4; n++) job_node(&t, n, 0, 4);
        if (cases[i].reason == MEMX_REASON_HEADS_TP) {
            t.job.model = model_gpt(12, 768, 6, 50257, 1024);
        }
        job_finish(&t);
        memx_space_start(&space, "mine");
        if (strcmp(cases[i].param, "tp") != 0) add(&space, "tp", "1");
        add(&space, cases[i].param, cases[i].value);
        add(&space, cases[i].param_2, cases[i].value_2);
        assert_ok(memx_skeletons_open(&t.job, &space, NULL, &found), &error);
        assert_that(found.count == 0, "case %zu: %zu skeletons", i, found.count);
        for (int r = 0; r < MEMX_REASON_COUNT; r++) {
            bool wanted = r == (int)cases[i].reason;
            assert_that((found.drops[r].count > 0) == wanted, "case %zu, reason %d: %lld '%s'", i,
                        r, (long long)found.drops[r].count, found.drops[r].example.text);
        }
        assert_refused(MEMX_INVALID, &found.drops[cases[i].reason].example, cases[i].example);
        memx_skeletons_close(&found);
        memx_space_free(&space);
    }
}

/* A listed dp that no degrees leave over explains why there is nothing. */
static void a_dp_that_is_never_left_has_a_reason(void **state) {
    (void)state;
    test_job t;
    memx_space space;
    memx_skeletons found;
    memx_error error = {.text = ""};
    int64_t reasons_given = 0;
    three_types(&t);
    t.job.device_count = 1;
    job_node(&t, 0, 0, 4);
    job_finish(&t);
    memx_space_start(&space, "mine");
    add(&space, "dp", "3");
    assert_ok(memx_skeletons_open(&t.job, &space, NULL, &found), &error);
    assert_int_equal(found.count, 0);
    for (int r = 0; r < MEMX_REASON_COUNT; r++) reasons_given += found.drops[r].count;
    assert_true(reasons_given > 0);
    memx_skeletons_close(&found);
    memx_space_free(&space);
}

/* Beyond 5,040 orders those nearest to the types as given, by memory and by speed. */
static void too_many_types(void **state) {
    (void)state;
    test_job t;
    memx_space space;
    memx_skeletons found;
    memx_error error = {.text = ""};
    const int64_t gib[] = {40, 80, 20, 32, 24, 64, 16, 48};
    job_start(&t);
    for (int d = 0; d < 8; d++) {
        char name[] = {(char)('A' + d), '\0'};
        job_device(&t, name, "red", (double)gib[d] * 1024.0);
        job_node(&t, d, d, 1);
    }
    job_finish(&t);
    memx_space_start(&space, "mine");
    add(&space, "pp", "8");
    add(&space, "micro_batch", "1");
    assert_ok(memx_skeletons_open(&t.job, &space, NULL, &found), &error);
    assert_int_equal(found.count, 120);
    assert_true(found.orders == 40320.0 && found.orders_taken == 120.0);
    assert_whole(found.drops[MEMX_REASON_ORDERS].count, 40320 - 120);
    assert_refused(MEMX_INVALID, &found.drops[MEMX_REASON_ORDERS].example,
                   "120 of 40320 device orders are searched~one of your own");
    bool given = true, falling = false, rising = false;
    for (size_t i = 0; i < found.count; i++) {
        bool down = true, up = true, same = i == 0;
        for (int32_t s = 0; s < 8; s++) {
            const memx_placement *p = &found.items[i].placement;
            int32_t here = p->runs[p->first[s]].node,
                    before = s ? p->runs[p->first[s - 1]].node : 0;
            same = same && here == s;
            down = down && (s == 0 || gib[here] < gib[before]);
            up = up && (s == 0 || gib[here] > gib[before]);
        }
        given = given && (i > 0 || same);
        falling = falling || down;
        rising = rising || up;
    }
    assert_true(given && falling && rising);
    memx_skeletons_close(&found);
    memx_space_free(&space);

    memx_space_start(&space, "mine");
    add(&space, "pp", "8");
    add(&space, "micro_batch", "1");
    add(&space, "device_order", "given");
    CHECK(&t, &space, "tp1 pp8 dp1 mb1 A,B,C,D,E,F,G,H");
    memx_space_free(&space);
}

static int stop_at_once(void *context) {
    ++*(int *)context;
    return 1;
}

/* The 5,040 orders of seven types take a while, and can be stopped. */
static void many_orders(void **state) {
    (void)state;
    test_job t;
    memx_space space;
    memx_skeletons found;
    memx_error error = {.text = ""};
    int asked = 0;
    const memx_poll poll = {.stop = stop_at_once, .context = &asked};
    job_start(&t);
    for (int d = 0; d < 7; d++) {
        char name[] = {(char)('A' + d), '\0'};
        job_device(&t, name, "red", 81920.0);
        job_node(&t, d, d, 1);
    }
    job_finish(&t);
    memx_space_start(&space, "mine");
    add(&space, "pp", "7");
    add(&space, "micro_batch", "1");
    assert_ok(memx_skeletons_open(&t.job, &space, NULL, &found), &error);
    assert_int_equal(found.count, 5040);
    memx_skeletons_close(&found);
    assert_int_equal(memx_skeletons_open(&t.job, &space, &poll, &found), MEMX_INTERRUPTED);
    assert_int_equal(asked, 1);
    memx_skeletons_close(&found);
    memx_space_free(&space);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_node_by_default),
        cmocka_unit_test(orders_of_types),
        cmocka_unit_test(orders_of_nodes),
        cmocka_unit_test(tasks_and_flags),
        cmocka_unit_test(reasons),
        cmocka_unit_test(a_dp_that_is_never_left_has_a_reason),
        cmocka_unit_test(too_many_types),
        cmocka_unit_test(many_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
