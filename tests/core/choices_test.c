/*
** Tests of core/choices.h by hand: which splits and levels a skeleton has, their order and number,
** and samples of spaces that no walk comes to the end of. tests/property/search_test.c has random
** jobs.
*/
#include "core/choices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "support/check.h"
#include "support/jobs.h"

static void add(memx_space *space, const char *param, const char *value) {
    memx_error error = {.text = ""};
    assert_ok(memx_space_add(space, param, value, &error), &error);
}

/* One search with one skeleton: nodes of A, `gpus` GPUs each, one stage a GPU. */
typedef struct line {
    test_job t;
    memx_space space;
    memx_search search;
    memx_choices *choices;
} line;

static void line_start(line *l, int nodes, int32_t gpus, int64_t layers) {
    char stages[20];
    job_start(&l->t);
    l->t.job.model = model_gpt(layers, 256, 4, 1000, 128);
    job_device(&l->t, "A", "red", 81920.0);
    for (int i = 0; i < nodes; i++) job_node(&l->t, i, 0, gpus);
    job_finish(&l->t);
    memx_space_start(&l->space, "mine");
    snprintf(stages, sizeof stages, "%d", nodes * (int)gpus);
    add(&l->space, "tp", "1");
    add(&l->space, "pp", stages);
    add(&l->space, "micro_batch", "1");
}

static memx_status line_try(line *l, memx_error *error) {
    memx_status status =
        memx_search_open(&l->t.job, &l->space, &memx_analytic_pricer, NULL, &l->search, error);
    if (status) return status;
    assert_int_equal(l->search.skeletons.count, 1);
    return memx_choices_open(&l->search.setting, &l->search.skeletons.items[0], NULL, &l->choices,
                             error);
}

static void line_open(line *l) {
    memx_error error = {.text = ""};
    assert_ok(line_try(l, &error), &error);
}

static void line_close(line *l) {
    memx_choices_close(l->choices);
    memx_search_close(&l->search);
    memx_space_free(&l->space);
}

/* The walk, one line a choice: layers and levels. */
static char *walked(line *l) {
    memx_text text = {0};
    memx_stage_choice stages[64];
    int32_t count = memx_choices_plan(l->choices)->stage_count;
    memx_status status = memx_choices_first(l->choices);
    for (; status == MEMX_OK; status = memx_choices_next(l->choices)) {
        memx_choices_stages(l->choices, stages);
        for (int32_t s = 0; s < count; s++) {
            char level[MEMX_LEVEL_TEXT];
            memx_level_format(stages[s].level, level);
            memx_text_printf(&text, "%s%d:%s", s ? "," : "", (int)stages[s].layers, level);
        }
        memx_text_printf(&text, "\n");
    }
    assert_int_equal(status, MEMX_DONE);
    memx_text_printf(&text, "end");
    assert_false(text.failed);
    return text.data;
}

static void check_walk(line *l, int64_t count, const char *wanted) {
    memx_count found;
    char *text = walked(l);
    assert_that(strcmp(text, wanted) == 0, "found\n%s\nwanted\n%s", text, wanted);
    free(text);
    assert_ok(memx_choices_count(l->choices, false, &found), NULL);
    assert_whole(memx_count_int64(found), count);
    text = walked(l); /* a second walk is the same, also after counting */
    assert_string_equal(text, wanted);
    free(text);
}

static void every_split_and_level(void **state) {
    (void)state;
    line l;
    line_start(&l, 1, 2, 3);
    add(&l.space, "recompute", "full");
    add(&l.space, "recompute", "none");
    line_open(&l);
    check_walk(&l, 8,
               "1:none,2:none\n1:none,2:full\n1:full,2:none\n1:full,2:full\n"
               "2:none,1:none\n2:none,1:full\n2:full,1:none\n2:full,1:full\nend");
    line_close(&l);
}

/* block2 on one or two layers is full, and so stands beside full there. */
static void levels_by_their_canonical_names(void **state) {
    (void)state;
    line l;
    line_start(&l, 1, 2, 4);
    add(&l.space, "recompute", "block2");
    add(&l.space, "recompute", "uniform2");
    line_open(&l);
    check_walk(&l, 2 + 4 + 2,
               "1:full,3:block2\n1:full,3:uniform2\n"
               "2:uniform2,2:uniform2\n2:uniform2,2:full\n2:full,2:uniform2\n2:full,2:full\n"
               "3:block2,1:full\n3:uniform2,1:full\nend");
    line_close(&l);
}

/* One level everywhere: block2 and full are not the same, even where one space value gives both. */
static void one_level_for_all(void **state) {
    (void)state;
    line l;
    line_start(&l, 1, 2, 6);
    add(&l.space, "recompute", "none");
    add(&l.space, "recompute", "block2");
    add(&l.space, "recompute_scope", "global");
    line_open(&l);
    check_walk(&l, 6,
               "1:none,5:none\n2:none,4:none\n3:none,3:none\n3:block2,3:block2\n4:none,2:none\n"
               "5:none,1:none\nend");
    line_close(&l);
}

static void rules_and_skew(void **state) {
    (void)state;
    line l;
    line_start(&l, 1, 3, 7);
    add(&l.space, "recompute", "none");
    add(&l.space, "layer_split", "uniform");
    line_open(&l);
    check_walk(&l, 1, "3:none,2:none,2:none\nend");
    line_close(&l);
    line_start(&l, 1, 3, 7);
    add(&l.space, "recompute", "none");
    add(&l.space, "layer_split", "uniform");
    add(&l.space, "layer_skew", "2");
    line_open(&l);
    /* 3,2,2 with up to two layers moved over one boundary, none left empty. */
    check_walk(&l, 6,
               "1:none,4:none,2:none\n2:none,3:none,2:none\n3:none,1:none,3:none\n"
               "3:none,2:none,2:none\n3:none,3:none,1:none\n4:none,1:none,2:none\nend");
    line_close(&l);
}

/* The rule `time` splits for each assignment of levels: recompute moves layers away. */
static void splits_by_time(void **state) {
    (void)state;
    line l;
    line_start(&l, 1, 2, 12);
    l.t.job.framework.layer_ms = l.t.job.framework.micro_batch_ms = 0.0;
    l.t.job.framework.head_bytes = 0.0;
    l.t.job.model.vocab = 1;
    add(&l.space, "recompute", "none");
    add(&l.space, "recompute", "full");
    add(&l.space, "layer_split", "time");
    add(&l.space, "recompute_scope", "stage");
    line_open(&l);
    /* A layer of full takes 4/3 of one of none: 7 of none are 5 1/4 of full. */
    check_walk(&l, 4, "5:full,7:none\n6:none,6:none\n6:full,6:full\n7:none,5:full\nend");
    line_close(&l);
}

/* Where memory is ignored the split by time is the plain least slowest stage; else it gives way. */
static void splits_by_time_ignore_memory(void **state) {
    (void)state;
    static const char *const limits[] = {"hard", "ignore"};
    static const char *const splits[] = {"8:none,4:none\nend", "6:none,6:none\nend"};
    for (size_t i = 0; i < COUNT(limits); i++) {
        line l;
        line_start(&l, 1, 1, 12);
        job_device(&l.t, "B", "red", 81920.0);
        job_node(&l.t, 1, 1, 1);
        l.t.job.framework.layer_ms = l.t.job.framework.micro_batch_ms = 0.0;
        l.t.job.framework.head_bytes = 0.0;
        l.t.job.model.vocab = 1;
        /* Room for four layers and not for five on B, the last stage. */
        memx_stage_spec spec = {.model = l.t.job.model,
                                .tp = 1,
                                .dp = 1,
                                .micro_batch = 1,
                                .in_flight = 1,
                                .last = true,
                                .link_gbs = 300.0};
        memx_stage_choice four = {4, {MEMX_NONE, 0, 0}};
        memx_stage_price price;
        memx_stage_price_all(&l.t.devices[1], &l.t.job.framework, &spec, &four, 1, &price);
        l.t.devices[1].memory_mib = (double)(memx_stage_peak_kib(&price.memory) + 1) / 1024.0;
        job_finish(&l.t);
        memx_space_free(&l.space);
        memx_space_start(&l.space, "mine");
        add(&l.space, "tp", "1");
        add(&l.space, "pp", "2");
        add(&l.space, "micro_batch", "1");
        add(&l.space, "device_order", "given");
        add(&l.space, "recompute", "none");
        add(&l.space, "layer_split", "time");
        add(&l.space, "memory_limit", limits[i]);
        line_open(&l);
        check_walk(&l, 1, splits[i]);
        line_close(&l);
    }
}

/* Fused attention stores nothing that selective could drop; with stored scores it stands. */
static void selective_where_it_saves(void **state) {
    (void)state;
    line l;
    line_start(&l, 1, 1, 4);
    line_open(&l);
    check_walk(&l, 2, "4:none\n4:full\nend");
    line_close(&l);
    line_start(&l, 1, 1, 4);
    l.t.job.framework = framework_2022();
    l.t.job.model.seq_length = 4096;
    line_open(&l);
    check_walk(&l, 3, "4:none\n4:selective\n4:full\nend");
    line_close(&l);
}

/* What does not fit is not walked, but counted with the rest. */
static void memory_cuts(void **state) {
    (void)state;
    line l;
    line_start(&l, 1, 2, 4);
    l.t.job.framework = framework_2022();
    l.t.job.model = model_gpt(4, 1024, 16, 1000, 1024);
    memx_stage_spec spec = {.model = l.t.job.model,
                            .tp = 1,
                            .dp = 1,
                            .micro_batch = 1,
                            .in_flight = 2,
                            .first = true,
                            .link_gbs = 300.0};
    memx_stage_choice choices[] = {
        {2, {MEMX_NONE, 0, 0}}, {3, {MEMX_FULL, 0, 0}}, {2, {MEMX_FULL, 0, 0}}};
    memx_stage_price prices[3];
    memx_stage_price_all(&l.t.devices[0], &l.t.job.framework, &spec, choices, 3, prices);
    /* The first stage can hold two layers at full, and not three; nor two at none. */
    int64_t two = memx_stage_peak_kib(&prices[2].memory);
    assert_true(memx_stage_peak_kib(&prices[0].memory) > two);
    assert_true(memx_stage_peak_kib(&prices[1].memory) > two);
    l.t.devices[0].memory_mib = (double)two / 1024.0;
    job_finish(&l.t);
    add(&l.space, "recompute", "none");
    add(&l.space, "recompute", "full");
    line_open(&l);
    memx_count fitting, all;
    assert_ok(memx_choices_count(l.choices, false, &fitting), NULL);
    assert_ok(memx_choices_count(l.choices, true, &all), NULL);
    assert_whole(memx_count_int64(all), 3 * 4);
    assert_true(memx_count_compare(fitting, all) < 0 && !memx_count_is_zero(fitting));
    char *text = walked(&l);
    assert_null(strstr(text, "\n3:"));
    assert_null(strstr(text, "2:none,"));
    assert_non_null(strstr(text, "2:full,2:"));
    free(text);
    line_close(&l);
    /* The same space, memory ignored. */
    memx_space_start(&l.space, "mine");
    add(&l.space, "tp", "1");
    add(&l.space, "pp", "2");
    add(&l.space, "micro_batch", "1");
    add(&l.space, "recompute", "none");
    add(&l.space, "recompute", "full");
    add(&l.space, "memory_limit", "ignore");
    line_open(&l);
    assert_ok(memx_choices_count(l.choices, false, &fitting), NULL);
    assert_whole(memx_count_int64(fitting), 12);
    line_close(&l);
}

/* Scope `device`: nodes of one type are one type, whatever their links. */
static void one_level_per_device_type(void **state) {
    (void)state;
    static const double links[] = {300.0, 10.0};
    for (size_t i = 0; i < COUNT(links); i++) {
        line l;
        line_start(&l, 2, 3, 6);
        memx_space_free(&l.space);
        memx_space_start(&l.space, "mine");
        add(&l.space, "tp", "1");
        add(&l.space, "pp", "3"); /* the middle stage has one GPU of each node */
        add(&l.space, "micro_batch", "1");
        add(&l.space, "layer_split", "uniform");
        add(&l.space, "recompute", "none");
        add(&l.space, "recompute", "full");
        add(&l.space, "recompute_scope", "device");
        l.t.nodes[1].link_gbs = links[i];
        line_open(&l);
        check_walk(&l, 2, "2:none,2:none,2:none\n2:full,2:full,2:full\nend");
        line_close(&l);
    }
}

/* A mixed stage is a type of its own, in whichever order its ranks are. */
static void one_level_per_mix_of_types(void **state) {
    (void)state;
    line l;
    line_start(&l, 1, 3, 6);
    job_device(&l.t, "B", "red", 81920.0);
    job_node(&l.t, 1, 1, 2); /* A(3) B(2) A(1) in twos: A; A|B; B|A */
    job_node(&l.t, 2, 0, 1);
    job_finish(&l.t);
    memx_space_free(&l.space);
    memx_space_start(&l.space, "mine");
    add(&l.space, "tp", "1");
    add(&l.space, "pp", "3");
    add(&l.space, "micro_batch", "1");
    add(&l.space, "device_order", "given");
    add(&l.space, "layer_split", "uniform");
    add(&l.space, "recompute", "none");
    add(&l.space, "recompute", "full");
    add(&l.space, "recompute_scope", "device");
    line_open(&l);
    check_walk(&l, 4,
               "2:none,2:none,2:none\n2:none,2:full,2:full\n2:full,2:none,2:none\n"
               "2:full,2:full,2:full\nend");
    line_close(&l);
}

/* ---- numbers beyond any walk ---- */

/* C(n, k), by Pascal's triangle. */
static memx_count binomial(int n, int k) {
    static memx_count row[300];
    for (int j = 0; j <= n; j++) row[j] = memx_count_of(j == 0);
    for (int i = 1; i <= n; i++) {
        for (int j = i; j >= 1; j--) row[j] = memx_count_add(row[j], row[j - 1]);
    }
    return row[k];
}

static void assert_count(memx_count found, memx_count wanted) {
    char a[MEMX_COUNT_TEXT], b[MEMX_COUNT_TEXT];
    memx_count_text(found, a);
    memx_count_text(wanted, b);
    assert_string_equal(a, b);
}

/* C(L - 1, p - 1) splits, 2^p levels. */
static void free_spaces_are_counted_exactly(void **state) {
    (void)state;
    static const int sizes[][2] = {{126, 64}, {80, 64}, {200, 48}, {64, 64}, {250, 3}};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        line l;
        memx_count found;
        int layers = sizes[i][0], stages = sizes[i][1];
        line_start(&l, 1, stages, layers);
        add(&l.space, "recompute", "none");
        add(&l.space, "recompute", "full");
        line_open(&l);
        memx_count wanted = binomial(layers - 1, stages - 1);
        for (int s = 0; s < stages; s++) wanted = memx_count_times(wanted, 2);
        assert_ok(memx_choices_count(l.choices, false, &found), NULL);
        assert_count(found, wanted);
        line_close(&l);
    }
}

/* Layers and levels of a sample, as bytes. */
typedef struct seen {
    uint8_t choices[8][128];
    size_t count;
} seen;

static void see(void *context, const memx_choices *choices) {
    seen *s = context;
    memx_stage_choice stages[64];
    int32_t count = memx_choices_plan(choices)->stage_count;
    assert_true(s->count < COUNT(s->choices));
    memx_choices_stages(choices, stages);
    for (int32_t i = 0; i < count; i++) {
        s->choices[s->count][2 * i] = (uint8_t)stages[i].layers;
        s->choices[s->count][2 * i + 1] =
            (uint8_t)((int32_t)stages[i].level.kind * 16 + stages[i].level.n);
    }
    s->count++;
}

/* Numbers that differ stand for configurations that differ, also beyond 2^63. */
static void check_samples_differ(line *l, memx_count first) {
    seen s = {.count = 0};
    memx_count indices[8];
    for (size_t i = 0; i < COUNT(indices); i++) {
        indices[i] = memx_count_add(first, memx_count_of((uint64_t)i * 12345));
    }
    assert_ok(memx_choices_sample(l->choices, indices, COUNT(indices), see, &s), NULL);
    assert_int_equal(s.count, COUNT(indices));
    for (size_t i = 0; i < s.count; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_that(memcmp(s.choices[i], s.choices[j], sizeof s.choices[i]) != 0,
                        "layer_split %d: samples %zu and %zu are one configuration",
                        (int)l->space.layer_split, j, i);
        }
    }
}

static void samples_beyond_64_bits(void **state) {
    (void)state;
    static const char *const rules[] = {"free", "uniform"};
    for (size_t i = 0; i < COUNT(rules); i++) {
        line l;
        memx_count count;
        line_start(&l, 1, 64, 128);
        add(&l.space, "recompute", "none");
        add(&l.space, "recompute", "block1");
        add(&l.space, "recompute", "full");
        add(&l.space, "layer_split", rules[i]);
        add(&l.space, "recompute_scope", "stage");
        line_open(&l);
        assert_ok(memx_choices_count(l.choices, false, &count), NULL);
        assert_true(count.limb[1] > 0);
        if (i == 1) { /* 3^64 */
            memx_count wanted = memx_count_of(1);
            for (int s = 0; s < 64; s++) wanted = memx_count_times(wanted, 3);
            assert_count(count, wanted);
        }
        check_samples_differ(&l, memx_count_of(0));
        check_samples_differ(&l, (memx_count){{0, 1, 0, 0}});
        check_samples_differ(&l, memx_count_subtract(count, memx_count_of(8 * 12345)));
        line_close(&l);
    }
}

/* ---- refusals ---- */

static void too_many_assignments(void **state) {
    (void)state;
    static const char *const scopes[] = {"stage", "device"};
    static const char *const advice[] = {
        "space 'mine': layer_split time ~9 stages~"
        "write recompute_scope device, or layer_split free",
        "space 'mine': layer_split time ~9 stages~"
        "write recompute_scope plan or global, or give the job space 'free'"};
    for (size_t i = 0; i < COUNT(scopes); i++) {
        line l;
        memx_error error = {.text = ""};
        line_start(&l, 1, 1, 20);
        for (int d = 1; d < 9; d++) { /* nine types, or none would be too many */
            char name[] = {(char)('A' + d), '\0'};
            job_node(&l.t, d, job_device(&l.t, name, "red", 81920.0), 1);
        }
        job_finish(&l.t);
        memx_space_free(&l.space);
        memx_space_start(&l.space, "mine");
        add(&l.space, "tp", "1");
        add(&l.space, "pp", "9");
        add(&l.space, "micro_batch", "1");
        add(&l.space, "device_order", "given");
        add(&l.space, "layer_split", "time");
        add(&l.space, "recompute_scope", scopes[i]);
        l.choices = NULL;
        assert_refused(line_try(&l, &error), &error, advice[i]);
        assert_null(l.choices);
        line_close(&l);
    }
}

/* layer_split time alone, on more stages than could each have a level: one for each device type. */
static void time_alone_is_no_refusal(void **state) {
    (void)state;
    line l;
    line_start(&l, 1, 9, 20);
    add(&l.space, "layer_split", "time");
    line_open(&l);
    memx_count count;
    assert_ok(memx_choices_count(l.choices, false, &count), NULL);
    assert_whole(memx_count_int64(count), 2); /* none and full: selective saves nothing here */
    line_close(&l);
}

static void too_many_levels(void **state) {
    (void)state;
    line l;
    memx_error error = {.text = ""};
    line_start(&l, 1, 1, 100);
    add(&l.space, "recompute", "uniform90");
    l.choices = NULL;
    assert_refused(line_try(&l, &error), &error,
                   "space 'mine' has more than 64 recompute levels; ~");
    line_close(&l);
    /* 64 of them are not too many. */
    line_start(&l, 1, 1, 100);
    add(&l.space, "recompute", "uniform64");
    line_open(&l);
    check_walk(&l, 1, "100:uniform64\nend");
    line_close(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_split_and_level),
        cmocka_unit_test(levels_by_their_canonical_names),
        cmocka_unit_test(one_level_for_all),
        cmocka_unit_test(rules_and_skew),
        cmocka_unit_test(splits_by_time),
        cmocka_unit_test(splits_by_time_ignore_memory),
        cmocka_unit_test(selective_where_it_saves),
        cmocka_unit_test(memory_cuts),
        cmocka_unit_test(one_level_per_device_type),
        cmocka_unit_test(one_level_per_mix_of_types),
        cmocka_unit_test(free_spaces_are_counted_exactly),
        cmocka_unit_test(samples_beyond_64_bits),
        cmocka_unit_test(too_many_assignments),
        cmocka_unit_test(time_alone_is_no_refusal),
        cmocka_unit_test(too_many_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
