/*
** Tests of core/config.h: texts and what they stand for, canonical spellings, and every refusal
** with its position. tests/property/config_test.c has random jobs, configurations and damage.
*/
#include "core/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/jobs.h"

static void texts_are_canonical_after_one_round(void **state) {
    (void)state;
    static const struct {
        const char *text, *canonical;
    } cases[] = {
        {"tp2.dp2.mb1.seq1024/A-80*4:none,B_32*4:full,A-80*4:selective", NULL},
        {"tp1.dp6.mb1.seq1024/A-80(4)|B_32(2)*5:none,B_32(2)|A-80(4)*7:uniform3", NULL},
        {"tp4.dp1.mb16.seq1024/A-80*1:none,B_32*1:none,A-80*10:block3", NULL},
        /* What the text leaves out is the job's. */
        {"tp2.dp2.mb1/A-80*4:none,B_32*4:full,A-80*4:full",
         "tp2.dp2.mb1.seq1024/A-80*4:none,B_32*4:full,A-80*4:full"},
        /* The order of knobs, and leading zeros. */
        {"seq01024.mb1.dp02.tp2/A-80*04:none,B_32*4:full,A-80*4:full",
         "tp2.dp2.mb1.seq1024/A-80*4:none,B_32*4:full,A-80*4:full"},
        /* Knobs that are the job's own, or mean nothing at degree 1. */
        {"tp2.dp2.mb1.sp1.do1.hd12.kv12/A-80*4:none,B_32*4:full,A-80*4:full",
         "tp2.dp2.mb1.seq1024/A-80*4:none,B_32*4:full,A-80*4:full"},
        {"tp2.dp2.mb1.do0.sp0/A-80*4:none,B_32*4:full,A-80*4:full",
         "tp2.dp2.mb1.seq1024.sp0.do0/A-80*4:none,B_32*4:full,A-80*4:full"},
        {"tp1.dp4.mb1.sp1/A-80*4:none,B_32*4:full,A-80*4:full",
         "tp1.dp4.mb1.seq1024/A-80*4:none,B_32*4:full,A-80*4:full"},
        {"tp4.dp1.mb1.do0/A-80*4:none,B_32*4:full,A-80*4:full",
         "tp4.dp1.mb1.seq1024/A-80*4:none,B_32*4:full,A-80*4:full"},
        {"tp2.dp2.mb1.seq512.sp0.hd6.kv2/A-80*4:none,B_32*4:full,A-80*4:full", NULL},
        /* Levels by their canonical names. */
        {"tp2.dp2.mb1.seq1024/A-80*4:block0,B_32*4:block4,A-80*4:uniform1",
         "tp2.dp2.mb1.seq1024/A-80*4:none,B_32*4:full,A-80*4:full"},
        {"tp2.dp2.mb1.seq1024/A-80*4:block3,B_32*4:uniform4,A-80*4:uniform9",
         "tp2.dp2.mb1.seq1024/A-80*4:block3,B_32*4:uniform4,A-80*4:uniform4"},
        /* A count that says nothing, and a device in two pieces. */
        {"tp2.dp2.mb1.seq1024/A-80(4)*4:none,B_32(2)|B_32(2)*4:full,A-80*4:full",
         "tp2.dp2.mb1.seq1024/A-80*4:none,B_32*4:full,A-80*4:full"},
        /* Inside a mixed stage ranks go by node ordinals. */
        {"tp1.dp4.mb1.seq1024/B_32(1)|A-80(3)*4:none,A-80(1)|B_32(3)*4:full,A-80*4:full",
         "tp1.dp4.mb1.seq1024/A-80(3)|B_32(1)*4:none,A-80(1)|B_32(3)*4:full,A-80*4:full"},
        {"tp1.dp4.mb1.seq1024/A-80*4:none,A-80(1)|B_32(3)*4:full,A-80(3)|B_32(1)*4:full",
         "tp1.dp4.mb1.seq1024/A-80*4:none,B_32(3)|A-80(1)*4:full,B_32(1)|A-80(3)*4:full"},
    };
    test_job t;
    job_lab(&t);
    t.job.global_batch = 48;
    for (size_t i = 0; i < COUNT(cases); i++) {
        memx_config config, again;
        memx_error error = {.text = ""};
        const char *canonical = cases[i].canonical ? cases[i].canonical : cases[i].text;
        assert_ok(memx_config_parse(&t.job, cases[i].text, &config, &error), &error);
        char *text = config_text(&t.job, &config), *second;
        assert_string_equal(text, canonical);
        assert_ok(memx_config_parse(&t.job, text, &again, &error), &error);
        assert_true(memx_placement_equal(&config.placement, &again.placement));
        second = config_text(&t.job, &again);
        assert_string_equal(second, canonical);
        free(text);
        free(second);
        memx_config_free(&config);
        memx_config_free(&again);
    }
}

static void fields_of_a_text(void **state) {
    (void)state;
    test_job t;
    memx_config c;
    memx_error error = {.text = ""};
    job_lab(&t);
    t.job.global_batch = 48;
    assert_ok(memx_config_parse(&t.job,
                                "tp2.dp3.mb1.seq512.sp0.hd24.kv6/"
                                "A-80(4)|B_32(2)*7:block2,B_32(2)|A-80(4)*5:selective",
                                &c, &error),
              &error);
    assert_whole(c.knobs.tp, 2);
    assert_whole(c.knobs.pp, 2);
    assert_whole(c.knobs.dp, 3);
    assert_whole(c.knobs.micro_batch, 1);
    assert_whole(c.knobs.seq_length, 512);
    assert_whole(c.knobs.heads, 24);
    assert_whole(c.knobs.kv_groups, 6);
    assert_false(c.knobs.sequence_parallel);
    assert_true(c.knobs.distributed_optimizer);
    assert_int_equal(c.placement.stage_count, 2);
    static const int32_t first[] = {0, 2, 4};
    static const memx_run runs[] = {{0, 4}, {1, 2}, {1, 2}, {2, 4}};
    assert_memory_equal(c.placement.first, first, sizeof first);
    assert_memory_equal(c.placement.runs, runs, sizeof runs);
    assert_whole(c.stages[0].layers, 7);
    assert_int_equal(c.stages[0].level.kind, MEMX_BLOCK);
    assert_int_equal(c.stages[0].level.n, 2);
    assert_whole(c.stages[1].layers, 5);
    assert_int_equal(c.stages[1].level.kind, MEMX_SELECTIVE);

    memx_text devices = {0}, layers = {0}, levels = {0}, one = {0};
    memx_config_devices(&t.job, &c, &devices);
    memx_config_layers(&c, &layers);
    memx_config_levels(&c, &levels);
    memx_stage_devices(&t.job, &c.placement, 1, &one);
    assert_string_equal(devices.data, "A-80(4)|B_32(2),B_32(2)|A-80(4)");
    assert_string_equal(layers.data, "7,5");
    assert_string_equal(levels.data, "block2,selective");
    assert_string_equal(one.data, "B_32(2)|A-80(4)");
    memx_text_free(&devices);
    memx_text_free(&layers);
    memx_text_free(&levels);
    memx_text_free(&one);

    memx_model model;
    assert_ok(memx_knobs_model(&t.job, &c.knobs, &model, &error), &error);
    assert_whole(model.heads, 24);
    assert_whole(model.head_dim, 32);
    assert_whole(model.seq_length, 512);
    memx_config_free(&c);
    assert_null(c.stages);
    memx_config_free(&c);
}

/* Stages begin at position 13. */
#define HEAD "tp2.dp2.mb1/"
#define GOOD "tp2.dp2.mb1/A-80*4:none,B_32*4:full,A-80*4:full"

static const struct {
    const char *text, *message;
} refused[] = {
    /* Knobs. */
    {"", "the text ends at position 1; ~tp, dp, mb, seq, sp, do, hd, kv~"},
    {" tp2", "position 1, at ' tp2': ~tp, dp, mb~"},
    {"/A-80*12:none", "position 1, at '/A-80*12:none': ~tp, dp, mb~"},
    {"xy2.dp2.mb1/A-80*12:none", "position 1, at 'xy2.dp2.mb1/A-80*12:': ~tp, dp, mb~"},
    {"tp", "the text ends at position 3; ~whole number~"},
    {"tp.dp2", "position 3, at '.dp2': ~whole number~"},
    {"tp-2.dp2", "position 3, at '-2.dp2': ~whole number~"},
    {"tp+2.dp2", "position 3, at '+2.dp2': ~whole number~"},
    {"tp0.dp2", "position 3, at '0.dp2': ~whole number~"},
    {"tp2", "the text ends at position 4; ~'/'~"},
    {"tp2,dp2", "position 4, at ',dp2': ~'.'~'/'~"},
    {"tp2.", "the text ends at position 5; ~tp, dp, mb~"},
    {"tp2..dp2", "position 5, at '.dp2': ~tp, dp, mb~"},
    {"tp2.tp2.dp2.mb1/A-80*12:none", "position 5, at 'tp2.dp2.mb1/A-80*12:': ~each once~"},
    {"tp2.dp2.mb1.seq8.seq8/A-80*12:none", "position 18, at 'seq8/A-80*12:none': ~each once~"},
    {"tp2.dp2.mb1.sp0.sp1/A-80*12:none", "position 17, at 'sp1/A-80*12:none': ~each once~"},
    {"tp2.dp2.mb1.sp2/A-80*12:none", "position 15, at '2/A-80*12:none': ~0 or 1~"},
    {"tp2.dp2.mb1.do/A-80*12:none", "position 15, at '/A-80*12:none': ~0, 1, 2 or 3~"},
    {"tp2.dp2.mb1.do4/A-80*12:none", "position 15, at '4/A-80*12:none': ~0, 1, 2 or 3~"},
    {"tp2.dp2.mb1.sp10/A-80*12:none", "position 16, at '0/A-80*12:none': ~'.'~'/'~"},
    {"tp2.dp2.mb12345678901/A-80*12:none",
     "position 11, at '12345678901/A-80*12:': ~whole number~"},
    {"tp99999999999999999999.dp2", "position 3, at '99999999999999999999': ~whole number~"},
    {"tp2.dp2.mb1", "the text ends at position 12; ~'.'~'/'~"},
    {"tp2.dp2.mb1A-80*12:none", "position 12, at 'A-80*12:none': ~'.'~'/'~"},
    {"dp2.mb1/A-80*12:none", "tp is missing~"},
    {"tp2.mb1/A-80*12:none", "dp is missing~"},
    {"tp2.dp2/A-80*12:none", "mb is missing~"},
    {"seq8.kv1/A-80*12:none", "tp is missing~"},
    {"tp13.dp1.mb1/A-80*12:none", "tp 13 and dp 1: cluster 'lab' has 12 GPUs"},
    {"tp1.dp9999999999.mb1/A-80*12:none", "tp 1 and dp 9999999999: cluster 'lab' has 12 GPUs"},

    /* Devices. */
    {HEAD, "the text ends at position 13; ~device~"},
    {HEAD ",", "position 13, at ',': ~device~"},
    {HEAD "*12:none", "position 13, at '*12:none': ~device~"},
    {HEAD "C*12:none", "position 13: no device 'C' in cluster 'lab'; it has A-80, B_32"},
    {HEAD "a-80*12:none", "position 13: no device 'a-80' in cluster 'lab'; it has A-80, B_32"},
    {HEAD "A-8*12:none", "position 13: no device 'A-8' in cluster 'lab'; it has A-80, B_32"},
    {HEAD "A-80*4:none,X.Y*8:none", "position 25: no device 'X.Y' in cluster 'lab'~A-80, B_32"},
    {HEAD "A-80@*12:none", "position 18, at '*12:none': ~ordinal~"},
    {HEAD "A-80@7*12:none", "position 18: ~has no node 7 of 'A-80'~"},
    {HEAD "A-80(*12:none", "position 18, at '*12:none': ~number of GPUs~"},
    {HEAD "A-80(0)*12:none", "position 18, at '0)*12:none': ~number of GPUs~"},
    {HEAD "A-80(4*12:none", "position 19, at '*12:none': ~')'~"},
    {HEAD "A-80(3)*12:none", "stage 0 takes 3 GPUs of 'A-80', ~ 2"},
    {HEAD "A-80(2)*12:none", "position 13: stage 0 has 2 GPUs; tp 2 * dp 2 makes 4"},
    {HEAD "A-80(6)*12:none", "position 13: stage 0 has 6 GPUs; tp 2 * dp 2 makes 4"},
    {HEAD "A-80(2)|B_32(4)*12:none", "position 13: stage 0 has 6 GPUs; tp 2 * dp 2 makes 4"},
    {HEAD "A-80|B_32(2)*12:none", "position 17, at '|B_32(2)*12:none': ~'('~"},
    {HEAD "A-80(2)|B_32*12:none", "position 25, at '*12:none': ~'('~"},
    {HEAD "A-80(2)|*12:none", "position 21, at '*12:none': ~device~"},
    {HEAD "A-80(2)|C(2)*12:none", "position 21: no device 'C' in cluster 'lab'~"},
    {HEAD "A-80(9999999999)*12:none", "position 13: stage 0 has 9999999999 GPUs; ~ makes 4"},
    {HEAD "B_32*4:none,B_32*8:none",
     "stage 1 needs 4 more GPUs of 'B_32' than cluster 'lab' has left; others are held by stage 0"},
    {"tp3.dp1.mb1/A-80*4:none,A-80*8:none",
     "stage 1 cuts a tensor parallel group of 3 between nodes"},

    /* Layers and levels. */
    {HEAD "A-80", "the text ends at position 17; ~'*'~"},
    {HEAD "A-80:none", "position 17, at ':none': ~'*'~"},
    {HEAD "A-80*", "the text ends at position 18; ~layers~"},
    {HEAD "A-80*:none", "position 18, at ':none': ~layers~"},
    {HEAD "A-80*0:none", "position 18, at '0:none': ~layers~"},
    {HEAD "A-80*-1:none", "position 18, at '-1:none': ~layers~"},
    {HEAD "A-80*1.5:none", "position 19, at '.5:none': ~':'~"},
    {HEAD "A-80*99999999999:none", "position 18, at '99999999999:none': ~layers~"},
    {HEAD "A-80*4", "the text ends at position 19; ~':'~"},
    {HEAD "A-80*4,B_32*4:full", "position 19, at ',B_32*4:full': ~':'~"},
    {HEAD "A-80*4:", "the text ends at position 20; ~none, selective, full, block<N>~uniform<N>~"},
    {HEAD "A-80*4:,", "position 20, at ',': ~none, selective, full~"},
    {HEAD "A-80*4:half", "position 20, at 'half': ~none, selective, full~"},
    {HEAD "A-80*4:block", "position 20, at 'block': ~none, selective, full~"},
    {HEAD "A-80*4:uniform0", "position 20, at 'uniform0': ~none, selective, full~"},
    {HEAD "A-80*4:none none", "position 24, at ' none': ~','~"},
    {HEAD "A-80*4:none;B_32", "position 24, at ';B_32': ~','~"},

    /* The whole. */
    {GOOD ",", "the text ends at position 49; ~device~"},
    {GOOD ".", "position 48, at '.': ~','~"},
    {GOOD " ", "position 48, at ' ': ~','~"},
    {GOOD "/", "position 48, at '/': ~','~"},
    {GOOD ",A-80*1:none", "stage 3 needs 4 more GPUs of 'A-80' than cluster 'lab' has left; others "
                          "are held by stages 0, 2"},
    {HEAD "A-80*4:none,B_32*4:none,A-80*3:none",
     "layers add up to 11; model 'gpt' has 12: 1 missing"},
    {HEAD "A-80*4:none,B_32*4:none,A-80*9:none",
     "layers add up to 17; model 'gpt' has 12: 5 too many"},
    {HEAD "A-80*1:none,B_32*1:none,A-80*9999999999:none",
     "layers add up to 10000000001; model 'gpt' has 12: 9999999989 too many"},
    {HEAD "A-80*6:none,B_32*6:none", "tp 2 * pp 2 * dp 2 is not the 12 GPUs of cluster 'lab'"},
    {"tp2.dp3.mb1/A-80*12:none", "tp 2 * pp 1 * dp 3 is not the 12 GPUs of cluster 'lab'"},
    {"tp1.dp3.mb1/A-80*3:none,A-80*3:none,A-80(2)|B_32(1)*3:none,B_32*3:none",
     "global_batch 16 is not divisible by dp 3 times micro_batch 1"},
    {"tp2.dp2.mb3/A-80*4:none,B_32*4:full,A-80*4:full",
     "global_batch 16 is not divisible by dp 2 times micro_batch 3"},
    {"tp2.dp2.mb9999999999/A-80*4:none,B_32*4:full,A-80*4:full",
     "global_batch 16 is not divisible by dp 2 times micro_batch 9999999999"},
    {"tp4.dp1.mb1.hd6.kv6/A-80*4:none,B_32*4:full,A-80*4:full", "heads 6 ~not divisible by tp 4~"},
    {"tp2.dp2.mb1.kv1/A-80*4:none,B_32*4:full,A-80*4:full", "kv_groups 1 ~below tp 2~"},
    {"tp2.dp2.mb1.kv3/A-80*4:none,B_32*4:full,A-80*4:full", "kv_groups 3 ~not divisible by tp 2~"},
    {"tp2.dp2.mb1.kv8/A-80*4:none,B_32*4:full,A-80*4:full",
     "~kv_groups 8 does not divide heads 12~"},
    {"tp2.dp2.mb1.hd10/A-80*4:none,B_32*4:full,A-80*4:full",
     "~10 heads do not divide ~ width 768~"},
    {"tp2.dp2.mb1.hd9999999998/A-80*4:none,B_32*4:full,A-80*4:full",
     "~9999999998 heads do not divide ~ width 768~"},
    {"tp2.dp2.mb1.seq100000001/A-80*4:none,B_32*4:full,A-80*4:full",
     "~seq_length is 100000001~ 100000000"},
    {"tp1.dp1.mb1/"
     "A-80*1:none,A-80*1:none,A-80*1:none,A-80*1:none,A-80*1:none,A-80*1:none,A-80*1:none,"
     "A-80*1:none,B_32*1:none,B_32*1:none,B_32*1:none,B_32*1:none,B_32*1:none",
     "~13 stages; cluster 'lab' has 12 GPUs"},
};

static void refusals_name_position_or_figure(void **state) {
    (void)state;
    test_job t;
    job_lab(&t);
    for (size_t i = 0; i < COUNT(refused); i++) {
        memx_config config;
        memx_error error = {.text = ""};
        memset(&config, 0xa5, sizeof config);
        memx_status status = memx_config_parse(&t.job, refused[i].text, &config, &error);
        if (status == MEMX_OK) fail_with("'%s' is accepted", refused[i].text);
        assert_refused(status, &error, refused[i].message);
        /* Nothing is left behind, and nobody has to ask for the message. */
        assert_null(config.stages);
        assert_null(config.placement.first);
        assert_null(config.placement.runs);
        assert_int_equal(memx_config_parse(&t.job, refused[i].text, &config, NULL), MEMX_INVALID);
    }
}

/* Two equal nodes of A, 4 GPUs each, and B between them. */
static void pair(test_job *t) {
    job_start(t);
    t->job.global_batch = 48;
    job_device(t, "A", "red", 81920.0);
    job_device(t, "B", "red", 81920.0);
    job_node(t, 1, 0, 4);
    job_node(t, 3, 1, 4);
    job_node(t, 7, 0, 4);
    job_finish(t);
}

static void check_canonical(const test_job *t, const char *text, const char *canonical) {
    memx_config config;
    memx_error error = {.text = ""};
    assert_ok(memx_config_parse(&t->job, text, &config, &error), &error);
    char *found = config_text(&t->job, &config);
    assert_string_equal(found, canonical);
    free(found);
    memx_config_free(&config);
}

static void nodes_by_their_ordinals(void **state) {
    (void)state;
    test_job t;
    pair(&t);
    /* Equal nodes are no choice, and ordinals that say nothing are left out. */
    static const char plain[] = "tp1.dp4.mb1.seq1024/A*4:none,B*4:none,A*4:none";
    check_canonical(&t, "tp1.dp4.mb1/A@1*4:none,B@3*4:none,A@7*4:none", plain);
    check_canonical(&t, "tp1.dp4.mb1/A@7*4:none,B*4:none,A@1*4:none", plain);
    check_canonical(&t, "tp1.dp4.mb1/A@7*4:none,B*4:none,A*4:none", plain);
    check_canonical(&t, "tp1.dp6.mb1/A(4)@7|B(2)*5:none,B(2)|A(4)*7:none",
                    "tp1.dp6.mb1.seq1024/A(4)|B(2)*5:none,B(2)|A(4)*7:none");
    check_canonical(&t, "tp1.dp6.mb1/A@7+1*5:none,A(2)@1|B(4)*7:none",
                    "tp1.dp6.mb1.seq1024/A*5:none,B(4)|A(2)*7:none");
    /* With another network they are two choices. */
    t.nodes[2].inter_gbs = 50.0;
    check_canonical(&t, "tp1.dp4.mb1/A@1*4:none,B*4:none,A@7*4:none", plain);
    check_canonical(&t, "tp1.dp4.mb1/A@7*4:none,B*4:none,A@1*4:none",
                    "tp1.dp4.mb1.seq1024/A@7*4:none,B*4:none,A*4:none");
    check_canonical(&t, "tp1.dp6.mb1/A@7+1*5:none,A(2)@1|B(4)*7:none",
                    "tp1.dp6.mb1.seq1024/A@7+1*5:none,A(2)|B(4)*7:none");
    check_canonical(&t, "tp1.dp6.mb1/A@1+7*5:none,B(4)|A(2)*7:none",
                    "tp1.dp6.mb1.seq1024/A*5:none,B(4)|A(2)*7:none");
    memx_config config;
    memx_error error = {.text = ""};
    static const char *const bad[][2] = {
        {"tp1.dp4.mb1/A@3*4:none,B*4:none,A*4:none", "position 15: ~no node 3 of 'A'~"},
        {"tp1.dp4.mb1/A@*4:none,B*4:none,A*4:none", "position 15, at '*4:none~ordinal~"},
        {"tp1.dp4.mb1/A@1+*4:none,B*4:none,A*4:none", "position 17, at '*4:none~ordinal~"},
        {"tp1.dp4.mb1/A@-1*4:none,B*4:none,A*4:none", "position 15, at '-1*4:none~ordinal~"},
        {"tp1.dp4.mb1/A@99999999999*4:none", "position 15: ~no node ~ of 'A'~"},
        {"tp1.dp4.mb1/A@1*4:none,A@1*4:none,B*4:none", "stage 1 needs 4 more GPUs of 'A'~"},
        {"tp1.dp6.mb1/A@1*6:none,A*6:none", "stage 0 needs 2 more GPUs of 'A'~"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_refused(memx_config_parse(&t.job, bad[i][0], &config, &error), &error, bad[i][1]);
    }
}

/* Parts of two nodes in one stage: no device order gives that. Whether it is refused or has a text
** of its own, it must not turn into another configuration. */
static void parts_of_two_nodes(void **state) {
    (void)state;
    test_job t;
    memx_config config, again;
    memx_error error = {.text = ""};
    pair(&t);
    memx_status status = memx_config_parse(
        &t.job, "tp1.dp4.mb1/A(1)@1|A(3)@7*4:none,A*4:none,B*4:none", &config, &error);
    if (status == MEMX_INVALID) return;
    assert_ok(status, &error);
    char *text = config_text(&t.job, &config);
    assert_ok(memx_config_parse(&t.job, text, &again, &error), &error);
    bool same = memx_placement_equal(&config.placement, &again.placement);
    char *second = config_text(&t.job, &again);
    memx_config_free(&config);
    memx_config_free(&again);
    assert_that(same, "'%s', then '%s'", text, second);
    free(text);
    free(second);
}

/* Layers of several absurd stages are all counted. */
static void absurd_layers_are_all_counted(void **state) {
    (void)state;
    test_job t;
    memx_config config;
    memx_error error = {.text = ""};
    job_lab(&t);
    memx_status status = memx_config_parse(
        &t.job, HEAD "A-80*9999999999:none,B_32*9999999999:none,A-80*4:none", &config, &error);
    assert_refused(status, &error,
                   "layers add up to 20000000002; model 'gpt' has 12: 19999999990 too many");
}

/* A text cut anywhere, and one with a byte that fits nowhere: refused at that place, or at the
** start of the word that the place is in (a stage's devices are one word). */
static void damage_is_found_where_it_is(void **state) {
    (void)state;
    static const char text[] = "tp2.dp3.mb1.seq512.sp0.hd24.kv6/"
                               "A-80(4)|B_32(2)*7:block2,B_32(2)|A-80(4)*5:selective";
    test_job t;
    job_lab(&t);
    t.job.global_batch = 18;
    for (size_t at = 0; at < sizeof text; at++) {
        for (int cut = 0; cut <= 1; cut++) {
            char damaged[sizeof text];
            memx_config config;
            memx_error error = {.text = ""};
            memcpy(damaged, text, sizeof text);
            damaged[at] = cut ? '\0' : '!';
            if (at == sizeof text - 1 && !cut) continue;
            memx_status status = memx_config_parse(&t.job, damaged, &config, &error);
            if (cut && at == sizeof text - 1) {
                assert_ok(status, &error);
                memx_config_free(&config);
                continue;
            }
            assert_int_equal(status, MEMX_INVALID);
            const char *found = strstr(error.text, "position ");
            if (!found) { /* what was left reads well, with too few layers or GPUs */
                assert_that(cut || strncmp(error.text, "stage ", 6) == 0, "'%s': %s", damaged,
                            error.text);
                continue;
            }
            size_t position = (size_t)atoi(found + strlen("position "));
            assert_that(position >= 1 && position <= at + 1, "'%s': %s", damaged, error.text);
            size_t word = position - 1;
            while (word < at && strchr("./,*:!", damaged[word]) == NULL) word++;
            assert_that(word == at, "'%s': %s", damaged, error.text);
        }
    }
}

static bool one_line(const char *text) {
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == 127) return false;
    }
    return true;
}

/* status.h: a message is one line, since ODBC shows one line, whatever the text that it quotes. */
static void messages_are_one_line(void **state) {
    (void)state;
    static const char *const texts[] = {"tp2\n.dp2", "tp2.dp2.mb1/A-80\r\n*12:none", "\t",
                                        GOOD "\n"};
    test_job t;
    job_lab(&t);
    for (size_t i = 0; i < COUNT(texts); i++) {
        memx_config config;
        memx_error error = {.text = ""};
        assert_int_equal(memx_config_parse(&t.job, texts[i], &config, &error), MEMX_INVALID);
        assert_that(one_line(error.text), "'%s'", error.text);
    }
}

/* A quoted piece ends where a character ends: hosts take messages as UTF-8. */
static void messages_keep_characters_whole(void **state) {
    (void)state;
    static const char text[] = "tp2.dp2.mb1/A-80*12:none\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
                               "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"; /* euro signs */
    test_job t;
    memx_config config;
    memx_error error = {.text = ""};
    job_lab(&t);
    assert_int_equal(memx_config_parse(&t.job, text, &config, &error), MEMX_INVALID);
    size_t open = 0;
    for (const char *c = error.text; *c; c++) {
        bool rest = ((unsigned char)*c & 0xc0) == 0x80;
        assert_that(rest == (open > 0), "'%s'", error.text);
        open = rest ? open - 1 : (unsigned char)*c >= 0xe0 ? 2 : 0;
    }
}

/* A cluster of many devices, and of one GPU. */
static void small_and_large_clusters(void **state) {
    (void)state;
    test_job t;
    memx_config config;
    memx_error error = {.text = ""};
    job_start(&t);
    job_device(&t, "A", "red", 81920.0);
    job_node(&t, 7, 0, 1);
    job_finish(&t);
    assert_ok(memx_config_parse(&t.job, "tp1.dp1.mb1/A*12:none", &config, &error), &error);
    memx_config_free(&config);
    assert_refused(memx_config_parse(&t.job, "tp1.dp1.mb1/A*6:none,A*6:none", &config, &error),
                   &error, "~2 stages; cluster 'lab' has 1 GPU~");
    /* 2,000 GPUs, but no more stages than MEMX_MAX_STAGES. */
    t.nodes[0].gpus = 2000;
    t.job.model.layers = 2000;
    job_finish(&t);
    char *text = allocate(1, 2000 * 16), *at = text;
    for (int stages = 1023; stages <= 1025; stages++) {
        at = text + sprintf(text, "tp1.dp1.mb1/A*1:none");
        for (int s = 1; s < stages; s++) at += sprintf(at, ",A*1:none");
        assert_int_equal(memx_config_parse(&t.job, text, &config, &error), MEMX_INVALID);
        char wanted[100];
        snprintf(wanted, sizeof wanted, "layers add up to %d; model 'gpt' has 2000: %d missing",
                 stages, 2000 - stages);
        assert_refused(MEMX_INVALID, &error, stages > MEMX_MAX_STAGES ? "~1025 stages; ~" : wanted);
    }
    free(text);
}

/* ---- knobs ---- */

static void misfits(void **state) {
    (void)state;
    static const struct {
        memx_knobs knobs; /* tp, pp, dp, micro batch, sequence, heads, groups */
        memx_misfit misfit;
    } cases[] = {
        {{2, 3, 2, 1, 8, 12, 12, 0, 0, 1, 1, 1}, MEMX_FITS},
        {{2, 3, 2, 8, 8, 12, 12, 0, 0, 1, 1, 1}, MEMX_FITS},
        {{2, 2, 2, 1, 8, 12, 12, 0, 0, 1, 1, 1}, MEMX_GPUS},
        {{5, 1, 1, 1, 8, 12, 12, 0, 0, 1, 1, 1}, MEMX_GPUS},
        {{1, 5, 2, 1, 8, 12, 12, 0, 0, 1, 1, 1}, MEMX_GPUS},
        {{INT64_C(9999999999), INT64_C(9999999999), INT64_C(9999999999), 1, 8, 12, 12, 0, 0, 1, 1,
          1},
         MEMX_GPUS},
        {{3, 4, 1, 1, 8, 12, 12, 0, 0, 1, 1, 1}, MEMX_TP_NODE},
        {{12, 1, 1, 1, 8, 12, 12, 0, 0, 1, 1, 1}, MEMX_TP_NODE},
        {{4, 3, 1, 1, 8, 6, 6, 0, 0, 1, 1, 1}, MEMX_HEADS_TP},
        {{4, 3, 1, 1, 8, 12, 2, 0, 0, 1, 1, 1}, MEMX_KV_TP},
        {{4, 3, 1, 1, 8, 12, 6, 0, 0, 1, 1, 1}, MEMX_KV_TP},
        {{1, 4, 3, 1, 8, 12, 12, 0, 0, 1, 1, 1}, MEMX_BATCH},
        {{1, 3, 4, 3, 8, 12, 12, 0, 0, 1, 1, 1}, MEMX_BATCH},
        {{1, 3, 4, 8, 8, 12, 12, 0, 0, 1, 1, 1}, MEMX_BATCH},
        {{2, 3, 1, 1, 8, 12, 12, 0, 0, 2, 1, 1}, MEMX_FITS},
        {{2, 3, 1, 1, 6, 12, 12, 0, 0, 2, 1, 1}, MEMX_CP},
        {{2, 3, 2, 1, 8, 12, 12, 0, 0, 2, 1, 1}, MEMX_GPUS},
        {{2, 3, 2, 4, 8, 12, 12, 0, 0, 1, 1, 2}, MEMX_VP}, /* 4 micro batches on 3 stages */
        {{2, 2, 3, 1, 8, 12, 12, 0, 0, 1, 1, 2}, MEMX_BATCH},
        {{4, 3, 1, 1, 8, 12, 12, 0, 0, 1, 1, 5}, MEMX_PP_LAYERS},
        {{1, 12, 1, 1, 8, 12, 12, 0, 0, 1, 1, 2}, MEMX_PP_LAYERS},
        {{4, 1, 3, 1, 8, 12, 12, 0, 0, 1, 1, 2}, MEMX_VP},
        {{2, 2, 2, 1, 8, 12, 12, 0, 0, 1, 1, 2}, MEMX_GPUS},
        {{2, 3, 1, 1, 8, 12, 12, 0, 0, 5, 1, 1}, MEMX_GPUS},
    };
    test_job t;
    job_lab(&t);
    for (size_t i = 0; i < COUNT(cases); i++) {
        memx_error error = {.text = ""};
        memx_misfit found = memx_knobs_misfit(&t.job, &cases[i].knobs);
        assert_that(found == cases[i].misfit, "case %zu: %d", i, (int)found);
        memx_status status = memx_misfit_message(&t.job, &cases[i].knobs, found, &error);
        assert_int_equal(status, found == MEMX_FITS ? MEMX_OK : MEMX_INVALID);
        assert_int_equal(strlen(error.text) > 0, found != MEMX_FITS);
    }
    t.job.model.layers = 2;
    assert_int_equal(memx_knobs_misfit(&t.job, &cases[0].knobs), MEMX_PP_LAYERS);
    memx_error error = {.text = ""};
    assert_refused(memx_misfit_message(&t.job, &cases[0].knobs, MEMX_PP_LAYERS, &error), &error,
                   "3 stages for 2 layers; ~");
    assert_refused(memx_misfit_message(&t.job, &cases[6].knobs, MEMX_TP_NODE, &error), &error,
                   "node 0 has 4 GPUs, ~ 3");
}

static void knobs_by_default(void **state) {
    (void)state;
    test_job t;
    job_lab(&t);
    memx_knobs k = {.tp = 2, .cp = 1, .dp = 1, .vp = 1};
    memx_knobs_default(&t.job, &k);
    assert_whole(k.seq_length, 1024);
    assert_whole(k.heads, 12);
    assert_whole(k.kv_groups, 12);
    assert_true(k.sequence_parallel);
    assert_false(k.distributed_optimizer); /* nobody to divide with */
    k.tp = 1;
    k.dp = 2;
    memx_knobs_default(&t.job, &k);
    assert_false(k.sequence_parallel);
    assert_true(k.distributed_optimizer);
    t.job.framework.distributed_optimizer = MEMX_ZERO_NOTHING;
    memx_knobs_default(&t.job, &k);
    assert_false(k.distributed_optimizer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_canonical_after_one_round),
        cmocka_unit_test(fields_of_a_text),
        cmocka_unit_test(refusals_name_position_or_figure),
        cmocka_unit_test(nodes_by_their_ordinals),
        cmocka_unit_test(parts_of_two_nodes),
        cmocka_unit_test(absurd_layers_are_all_counted),
        cmocka_unit_test(damage_is_found_where_it_is),
        cmocka_unit_test(messages_are_one_line),
        cmocka_unit_test(messages_keep_characters_whole),
        cmocka_unit_test(small_and_large_clusters),
        cmocka_unit_test(misfits),
        cmocka_unit_test(knobs_by_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
