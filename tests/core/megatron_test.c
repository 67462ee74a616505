#include "core/megatron.h"

#include <stddef.h>
#include <string.h>

#include "support/check.h"
#include "support/jobs.h"

/* "name value" lines, their numbers from 1. */
static memx_megatron arguments_of(const char *text) {
    memx_megatron a;
    memx_span rest = memx_span_of(text), line;
    memx_megatron_start(&a);
    for (int64_t number = 1; memx_next_line(&rest, &line); number++) {
        size_t blank = memx_span_find(line, " ");
        memx_span name = {line.at, blank};
        assert_true(
            memx_megatron_argument(&a, name, memx_span_trim(memx_span_from(line, blank)), number));
    }
    return a;
}

/* On 12 GPUs of job_lab: nodes 0 and 4 of A-80, node 2 of B_32, four each; 12 layers, 12 heads, batch 16. */
static const char lab[] =
    "tensor_model_parallel_size 2\npipeline_model_parallel_size 3\nworld_size 12\n"
    "micro_batch_size 1\nglobal_batch_size 16\nnum_layers 12\nhidden_size 768\n"
    "ffn_hidden_size 3072\nnum_attention_heads 12\nkv_channels 64\n"
    "group_query_attention False\nnum_query_groups 1\nseq_length 1024\n"
    "sequence_parallel True\nuse_distributed_optimizer True\nbf16 True\nfp16 False\n";

static void config_is(const char *more, const char *nodes, const char *wanted) {
    test_job t;
    memx_text text = {0}, found = {0};
    memx_error error = {.text = ""};
    job_lab(&t);
    t.job.framework.bf16 = true;
    memx_text_printf(&text, "%s%s", lab, more);
    memx_megatron a = arguments_of(text.data);
    assert_ok(memx_megatron_config(&t.job, &a, nodes, &found, &error), &error);
    assert_string_equal(found.data, wanted);
    memx_text_free(&text);
    memx_text_free(&found);
}

static void refused(const char *more, const char *nodes, const char *wanted) {
    test_job t;
    memx_text text = {0}, found = {0};
    memx_error error = {.text = ""};
    job_lab(&t);
    t.job.framework.bf16 = true;
    memx_text_printf(&text, "%s%s", lab, more);
    memx_megatron a = arguments_of(text.data);
    assert_refused(memx_megatron_config(&t.job, &a, nodes, &found, &error), &error, wanted);
    memx_text_free(&text);
    memx_text_free(&found);
}

static void configurations(void **state) {
    (void)state;
    config_is("", NULL, "tp2.dp2.mb1.seq1024/A-80*4:none,B_32*4:none,A-80*4:none");
    config_is("", " 4, 0,2 ", "tp2.dp2.mb1.seq1024/A-80*4:none,A-80*4:none,B_32*4:none");
    config_is("", "2,0,4", "tp2.dp2.mb1.seq1024/B_32*4:none,A-80*4:none,A-80*4:none");
    config_is("decoder_first_pipeline_num_layers 2\n", NULL,
              "tp2.dp2.mb1.seq1024/A-80*2:none,B_32*5:none,A-80*5:none");
    config_is("decoder_last_pipeline_num_layers 6\n", NULL,
              "tp2.dp2.mb1.seq1024/A-80*3:none,B_32*3:none,A-80*6:none");
    config_is("decoder_first_pipeline_num_layers 1\ndecoder_last_pipeline_num_layers 6\n", NULL,
              "tp2.dp2.mb1.seq1024/A-80*1:none,B_32*5:none,A-80*6:none");
    config_is("pipeline_model_parallel_layout Et*3|t*7|ttL\n", NULL,
              "tp2.dp2.mb1.seq1024/A-80*3:none,B_32*7:none,A-80*2:none");
    config_is("decoder_pipeline_manual_split_list [3, 7, 2]\n", NULL,
              "tp2.dp2.mb1.seq1024/A-80*3:none,B_32*7:none,A-80*2:none");
    config_is(
        "account_for_embedding_in_pipeline_split False\naccount_for_loss_in_pipeline_split False\n",
        NULL, "tp2.dp2.mb1.seq1024/A-80*4:none,B_32*4:none,A-80*4:none");
    config_is(
        "tensor_model_parallel_size 4\n", NULL,
        "tp4.dp1.mb1.seq1024/A-80*4:none,B_32*4:none,A-80*4:none"); /* nothing to shard over */
    config_is("num_layers 12 of them\n", NULL,
              "tp2.dp2.mb1.seq1024/A-80*4:none,B_32*4:none,A-80*4:none");
    config_is("sequence_parallel False\nuse_distributed_optimizer False\nseq_length 2048\n", NULL,
              "tp2.dp2.mb1.seq2048.sp0.do0/A-80*4:none,B_32*4:none,A-80*4:none");
    config_is("context_parallel_size 2\n", NULL,
              "tp2.dp1.mb1.seq1024.cp2/A-80*4:none,B_32*4:none,A-80*4:none");
    config_is("use_torch_fsdp2 True\n", NULL,
              "tp2.dp2.mb1.seq1024.do3/A-80*4:none,B_32*4:none,A-80*4:none");
    config_is("use_megatron_fsdp True\ndata_parallel_sharding_strategy optim_grads\n", NULL,
              "tp2.dp2.mb1.seq1024.do2/A-80*4:none,B_32*4:none,A-80*4:none");
    config_is("use_megatron_fsdp True\ndata_parallel_sharding_strategy no_shard\n", NULL,
              "tp2.dp2.mb1.seq1024.do0/A-80*4:none,B_32*4:none,A-80*4:none");
    config_is("zero_stage 2\nuse_distributed_optimizer False\n", NULL,
              "tp2.dp2.mb1.seq1024.do2/A-80*4:none,B_32*4:none,A-80*4:none");
    config_is(
        "num_attention_heads 24\nkv_channels 32\ngroup_query_attention True\nnum_query_groups 8\n",
        NULL, "tp2.dp2.mb1.seq1024.hd24.kv8/A-80*4:none,B_32*4:none,A-80*4:none");
}

static void levels(void **state) {
    (void)state;
    config_is(
        "recompute_granularity selective\nrecompute_method None\nrecompute_modules ['core_attn']\n",
        NULL, "tp2.dp2.mb1.seq1024/A-80*4:selective,B_32*4:selective,A-80*4:selective");
    config_is("recompute_granularity full\nrecompute_method uniform\nrecompute_num_layers 1\n",
              NULL, "tp2.dp2.mb1.seq1024/A-80*4:full,B_32*4:full,A-80*4:full");
    config_is("recompute_granularity full\nrecompute_method block\nrecompute_num_layers 5\n"
              "pipeline_model_parallel_layout Et*3|t*7|ttL\n",
              NULL, "tp2.dp2.mb1.seq1024/A-80*3:full,B_32*7:block5,A-80*2:full");
    config_is("recompute_granularity full\nrecompute_method uniform\nrecompute_num_layers 3\n"
              "pipeline_model_parallel_layout Et*3|t*7|ttL\n",
              NULL, "tp2.dp2.mb1.seq1024/A-80*3:uniform3,B_32*7:uniform3,A-80*2:uniform2");
    /* before 2022 */
    config_is("checkpoint_activations True\ncheckpoint_num_layers 1\n", NULL,
              "tp2.dp2.mb1.seq1024/A-80*4:full,B_32*4:full,A-80*4:full");
    config_is("activations_checkpoint_method block\nactivations_checkpoint_num_layers 2\n", NULL,
              "tp2.dp2.mb1.seq1024/A-80*4:block2,B_32*4:block2,A-80*4:block2");
    config_is("checkpoint_activations False\ncheckpoint_num_layers 1\n", NULL,
              "tp2.dp2.mb1.seq1024/A-80*4:none,B_32*4:none,A-80*4:none");
}

/* Arguments that an old version did not have were off; otherwise what is not printed is the job's own. */
static void what_is_not_printed(void **state) {
    (void)state;
    const memx_megatron none = arguments_of("");
    int64_t numbers[offsetof(memx_megatron, old) / sizeof(int64_t)];
    memcpy(numbers, &none, sizeof numbers);
    for (size_t i = 0; i < COUNT(numbers); i++) assert_whole(numbers[i], -1);
    static const char shape[] =
        "tensor_model_parallel_size 2\npipeline_model_parallel_size 3\nworld_size 12\n"
        "micro_batch_size 1\nnum_layers 12\nnum_attention_heads 12\nseq_length 1024\n";
    test_job t;
    memx_text found = {0}, old = {0};
    memx_error error = {.text = ""};
    job_lab(&t);
    t.job.framework.bf16 = true;
    t.job.framework.sequence_parallel = true;
    t.job.framework.distributed_optimizer = MEMX_ZERO_OPTIMIZER;
    memx_megatron a = arguments_of(shape);
    assert_ok(memx_megatron_config(&t.job, &a, NULL, &found, &error), &error);
    assert_string_equal(found.data, "tp2.dp2.mb1.seq1024/A-80*4:none,B_32*4:none,A-80*4:none");
    memx_megatron_argument(&a, memx_span_of("activations_checkpoint_method"), memx_span_of("None"),
                           9);
    assert_ok(memx_megatron_config(&t.job, &a, NULL, &old, &error), &error);
    assert_string_equal(old.data,
                        "tp2.dp2.mb1.seq1024.sp0.do0/A-80*4:none,B_32*4:none,A-80*4:none");
    memx_text_free(&found);
    memx_text_free(&old);
}

/* More lines of arguments (beside those of `lab`), the nodes, the message. */
static const struct {
    const char *more, *nodes, *wanted;
} refusals[] = {
    {"micro_batch_size None\nmicro_batch_size x\n", NULL,
     "line 19: micro_batch_size is 'x', no whole number from 1"},
    {"num_layers 0\n", NULL, "line 18: num_layers is '0', no whole number from 1"},
    {"num_layers 99999999999999999999\n", NULL,
     "line 18: num_layers is '99999999999999999999', no whole~"},
    {"bf16 yes\n", NULL, "line 18: bf16 is 'yes', neither True nor False"},
    {"num_layers 24\n", NULL, "num_layers is 24 in the log and 12 in job~"},
    {"hidden_size 1024\n", NULL, "hidden_size is 1024 in the log and 768 in job~"},
    {"kv_channels 128\n", NULL, "num_attention_heads * kv_channels is 1536 in the log and 768~"},
    {"swiglu True\n", NULL, "swiglu is 1 in the log and 0 in job~"},
    {"untie_embeddings_and_output_weights True\n", NULL,
     "untie_embeddings_and_output_weights is 1 in the log and 0~"},
    {"distribute_saved_activations True\n", NULL,
     "line 18: distribute_saved_activations is 'True', which~"},
    {"global_batch_size 32\n", NULL, "global_batch_size is 32 in the log and 16 in job~"},
    {"world_size 24\n", NULL, "world_size is 24 in the log and 12 in job~"},
    {"world_size 16\n", NULL, "world_size 16 is not divisible by tp 2 times pp 3"},
    {"bf16 False\n", NULL, "the log trained in single precision, job~"},
    {"bf16 False\nfp16 True\n", NULL,
     "the log trained in fp16 precision, job 'job' with framework 'megatron-bf16' in bf16; "
     "name a job of the same"},
    {"pipeline_model_parallel_layout 'Et*3|t*7|tL'\n", NULL,
     "the stages have 11 layers, num_layers is 12"},
    {"pipeline_model_parallel_size 4\nworld_size 8\n", NULL, "world_size is 8 in the log and 12~"},
    {"pipeline_model_parallel_size 2\ndecoder_first_pipeline_num_layers 5\n"
     "decoder_last_pipeline_num_layers 6\n",
     NULL,
     "num_layers 12 do not divide over pipeline_model_parallel_size 2 with these first and "
     "last~"},
    {"pipeline_model_parallel_layout Et*3|t*7|t|L\n", NULL,
     "line 18: pipeline_model_parallel_layout is 'Et*3|t*7|t|L': stage 3 has no layer~"},
    {"pipeline_model_parallel_layout Et*3|t*7|tL\n", NULL,
     "the stages have 11 layers, num_layers is 12"},
    {"pipeline_model_parallel_layout Et*3|(t|)*4t*5L\n", NULL,
     "stage 0 has chunks of 3 and 1 layers; MemX models equal chunks"},
    {"pipeline_model_parallel_layout Et*3|(t|)*3t*6L\n", NULL, "the layout has 5 stages for~"},
    {"num_layer_list 3,x,2\n", NULL, "line 18: num_layer_list is '3,x,2', no list of layers"},
    {"context_parallel_size 5\n", NULL,
     "world_size 12 is not divisible by tp 2 times pp 3 times cp 5"},
    {"virtual_pipeline_model_parallel_size 2\n", NULL, "vp 2: 8 micro batches are not~"},
    {"virtual_pipeline_model_parallel_size 3\n", NULL,
     "stage 0 has 4 layers, not divisible by its 3 chunks"},
    {"virtual_pipeline_model_parallel_size 2\ndecoder_first_pipeline_num_layers 4\n", NULL,
     "vp 2: 8 micro batches are not~"},
    {"context_parallel_size 2\ncp_comm_type ['a2a']\n", NULL,
     "line 19: cp_comm_type is '['a2a']', which MemX does not model"},
    {"virtual_pipeline_model_parallel_size 2\nmicrobatch_group_size_per_vp_stage 6\n", NULL,
     "micro batches go in groups of 6 per virtual stage; MemX~"},
    {"pipeline_model_parallel_layout Et*3|t*2|t|t*3|t*2|tL\n", NULL,
     "vp 2: 8 micro batches are not~"},
    {"pipeline_model_parallel_layout Et*3|t*2|t|t*2|t*2|t*2L\n", NULL,
     "stage 0 has chunks of 3 and 2 layers; MemX models equal chunks"},
    {"num_experts 8\n", NULL,
     "num_experts is 8 in the log and 0 in job 'job'; name a job of the same"},
    {"recompute_granularity selective\nrecompute_modules ['mlp', 'core_attn']\n", NULL,
     "line 19: recompute_modules is '['mlp', 'core_attn']', which MemX does not model"},
    {"recompute_granularity full\n", NULL, "recompute_method '' is neither uniform nor block"},
    {"recompute_granularity odd\n", NULL,
     "recompute_granularity 'odd' is neither full nor selective"},
    {"zero_stage 4\n", NULL, "line 18: zero_stage is '4', which MemX does not model"},
    {"use_megatron_fsdp True\n", NULL,
     "use_megatron_fsdp is True and data_parallel_sharding_strategy ''~"},
    {"", "0,2", "nodes '0,2': write the ordinals of all 3 nodes of cluster~"},
    {"", "0,2,2", "nodes '0,2,2': node 2 stands twice"},
    {"", "0,1,2", "nodes '0,1,2': cluster~ has no node 1"},
    {"", "all", "nodes 'all': write the ordinals~"},
    {"tensor_model_parallel_size 6\npipeline_model_parallel_size 1\n", NULL,
     "stage 0 takes 8 GPUs of 'A-80', no whole~"},
    {"pipeline_model_parallel_size 5000\nworld_size 10000\n", NULL,
     "pipeline_model_parallel_size 5000; MemX~"},
};

static void what_does_not_go_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++)
        refused(refusals[i].more, refusals[i].nodes, refusals[i].wanted);
}

static void what_is_missing_is_refused(void **state) {
    (void)state;
    test_job t;
    memx_error error = {.text = ""};
    memx_text found = {0};
    job_lab(&t);
    t.job.framework.bf16 = true;
    memx_megatron a = arguments_of("");
    assert_refused(memx_megatron_config(&t.job, &a, NULL, &found, &error), &error,
                   "the log has no arguments~");
    a = arguments_of("tensor_model_parallel_size 2\n");
    assert_refused(memx_megatron_config(&t.job, &a, NULL, &found, &error), &error,
                   "the log's arguments lack pipeline_model_parallel_size~");
    a = arguments_of(lab);
    a.world_size = -1;
    assert_refused(memx_megatron_config(&t.job, &a, NULL, &found, &error), &error,
                   "the log's arguments lack world_size~");
    a.data_parallel = 1000000000;
    assert_refused(memx_megatron_config(&t.job, &a, NULL, &found, &error), &error,
                   "tensor_model_parallel_size 2, data parallel 1000000000; MemX takes~");
    assert_false(memx_megatron_argument(&a, memx_span_of("lr"), memx_span_of("1"), 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configurations),
        cmocka_unit_test(levels),
        cmocka_unit_test(what_is_not_printed),
        cmocka_unit_test(what_does_not_go_is_refused),
        cmocka_unit_test(what_is_missing_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
