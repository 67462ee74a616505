#include "core/launch.h"

#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/jobs.h"

/* On job_lab: nodes 0 and 4 of A-80, node 2 of B_32, four GPUs each; 12 layers, batch 16. */
static char *flags_of(const char *config_text, int64_t stage) {
    test_job t;
    memx_config config;
    memx_error error = {.text = ""};
    memx_text out = {0};
    job_lab(&t);
    t.job.framework.bf16 = true;
    t.job.global_batch = 48;
    assert_ok(memx_config_parse(&t.job, config_text, &config, &error), &error);
    assert_ok(memx_launch_config(&t.job, &config, stage, &out, &error), &error);
    memx_config_free(&config);
    return out.data;
}

static void has(const char *config_text, int64_t stage, const char *wanted) {
    char *flags = flags_of(config_text, stage);
    assert_that(strstr(flags, wanted) != NULL, "no '%s' in '%s'", wanted, flags);
    free(flags);
}

static void has_not(const char *config_text, int64_t stage, const char *unwanted) {
    char *flags = flags_of(config_text, stage);
    assert_that(strstr(flags, unwanted) == NULL, "'%s' in '%s'", unwanted, flags);
    free(flags);
}

static void all_of_them(void **state) {
    (void)state;
    char *flags = flags_of("tp2.dp2.mb1.seq1024/A-80*4:none,B_32*4:none,A-80*4:none", -1);
    assert_string_equal(
        flags,
        "--num-layers 12 --hidden-size 768 --ffn-hidden-size 3072 --num-attention-heads 12 "
        "--kv-channels 64 --seq-length 1024 --max-position-embeddings 1024 "
        "--tensor-model-parallel-size 2 --pipeline-model-parallel-size 3 --sequence-parallel "
        "--use-distributed-optimizer --micro-batch-size 1 --global-batch-size 48 --bf16 "
        "--attention-dropout 0 --hidden-dropout 0");
    free(flags);
}

static void layers(void **state) {
    (void)state;
    static const char even[] = "tp2.dp2.mb1.seq1024/A-80*4:none,B_32*4:none,A-80*4:none";
    static const char first[] = "tp2.dp2.mb1.seq1024/A-80*2:none,B_32*5:none,A-80*5:none";
    static const char last[] = "tp2.dp2.mb1.seq1024/A-80*5:none,B_32*5:none,A-80*2:none";
    static const char both[] = "tp2.dp2.mb1.seq1024/A-80*3:none,B_32*5:none,A-80*4:none";
    static const char odd[] =
        "tp2.dp1.mb1.seq1024/"
        "A-80*1:none,A-80*2:none,B_32*2:none,B_32*2:none,A-80*4:none,A-80*1:none";
    has_not(even, -1, "pipeline-num-layers");
    has(first, -1, " --decoder-first-pipeline-num-layers 2");
    has_not(first, -1, "--decoder-last");
    has(last, -1, " --decoder-last-pipeline-num-layers 2");
    has_not(last, -1, "--decoder-first");
    has(both, -1, " --decoder-first-pipeline-num-layers 3 --decoder-last-pipeline-num-layers 4");
    has(odd, -1, " --pipeline-model-parallel-layout 'Et*1|(t*2|)*3t*4|t*1L'");
}

static void levels(void **state) {
    (void)state;
    static const char alike[] = "tp2.dp2.mb1.seq1024/A-80*3:full,B_32*7:block5,A-80*2:full";
    static const char differ[] = "tp2.dp2.mb1.seq1024/A-80*4:none,B_32*4:uniform2,A-80*4:selective";
    has(alike, -1,
        " --recompute-granularity full --recompute-method block --recompute-num-layers 5");
    has_not(alike, -1, "#");
    has_not(differ, -1, "--recompute");
    has(differ, -1, "\n# levels by stage: none,uniform2,selective\n# No flag says that.");
    has_not(differ, 0, "--recompute");
    has(differ, 1,
        " --recompute-granularity full --recompute-method uniform --recompute-num-layers 2");
    has(differ, 2, " --recompute-granularity selective");
    has_not(differ, 2, "--recompute-method");
    has_not(differ, 2, "#");
}

/* Offloading takes the precision-aware optimizer, and that the distributed one, also without replicas. */
static void offload(void **state) {
    (void)state;
    static const char one[] = "tp4.dp1.mb1.seq1024/A-80*4:offload50,B_32*4:none,A-80*4:full";
    static const char none[] = "tp4.dp1.mb1.seq1024/A-80*4:none,B_32*4:none,A-80*4:full";
    static const char many[] =
        "tp2.dp2.mb1.seq1024/A-80*4:offload50,B_32*4:offload50,A-80*4:offload50";
    test_job t;
    memx_config config;
    memx_error error = {.text = ""};
    memx_text out = {0};
    for (int64_t stage = -1; stage < 3; stage++) {
        has(one, stage, " --use-distributed-optimizer");
        has_not(none, stage, " --use-distributed-optimizer");
        has(many, stage, " --use-distributed-optimizer");
    }
    has(one, -1, "# levels by stage: offload50,none,full");
    has(many, -1,
        " --optimizer-cpu-offload --optimizer-offload-fraction 0.50 "
        "--bf16 --use-precision-aware-optimizer");
    job_lab(&t);
    assert_ok(memx_config_parse(&t.job,
                                "tp2.dp2.mb1.seq1024.do0/A-80*4:none,B_32*4:offload50,A-80*4:none",
                                &config, &error),
              &error);
    assert_refused(memx_launch_config(&t.job, &config, -1, &out, &error), &error,
                   "Megatron-LM refuses to offload the optimizer's state without a distributed "
                   "optimizer; give the config with do1");
    memx_text_free(&out);
    memx_config_free(&config);
}

static void nodes(void **state) {
    (void)state;
    has("tp2.dp2.mb1.seq1024/B_32*4:none,A-80*4:none,A-80*4:none", -1,
        "\n# nodes in the order of ranks: 2,0,4");
    /* Stage 0 opens node 2, stage 1 goes on in it. */
    has_not("tp2.dp3.mb1.seq1024/A-80(4)|B_32(2)*6:none,A-80(4)|B_32(2)*6:none", -1, "#");
    has("tp2.dp1.mb1.seq1024/"
        "A-80*2:none,B_32*2:none,A-80*2:none,B_32*2:none,A-80*2:none,A-80*2:none",
        -1, "\n# Ranks go back to a node after another");
}

static void refusals(void **state) {
    (void)state;
    test_job t;
    memx_config config;
    memx_error error = {.text = ""};
    memx_text out = {0};
    job_lab(&t);
    t.job.model.ffn_hidden = 3071;
    assert_ok(memx_config_parse(&t.job, "tp2.dp2.mb1.seq1023/A-80*4:none,B_32*4:none,A-80*4:none",
                                &config, &error),
              &error);
    assert_refused(memx_launch_config(&t.job, &config, -1, &out, &error), &error,
                   "Megatron-LM refuses ffn_hidden 3071: it is not divisible by tp 2");
    t.job.model.ffn_hidden = 3072;
    assert_refused(memx_launch_config(&t.job, &config, -1, &out, &error), &error,
                   "Megatron-LM refuses seq_length 1023: it is not divisible by tp 2 under "
                   "sequence parallelism");
    config.knobs.sequence_parallel = false;
    assert_refused(memx_launch_config(&t.job, &config, 3, &out, &error), &error,
                   "stage is 3; write 0 to 2");
    assert_null(out.data);
    memx_config_free(&config);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_them), cmocka_unit_test(layers),   cmocka_unit_test(levels),
        cmocka_unit_test(nodes),       cmocka_unit_test(refusals), cmocka_unit_test(offload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
