#include "support/jobs.h"

#include <stdio.h>
#include <stdlib.h>

memx_framework framework_bf16(void) {
    return (memx_framework){
        .name = "megatron-bf16",
        .activation_bytes = 2.0,
        .parameter_bytes = 2.0,
        .gradient_bytes = 4.0,
        .optimizer_bytes = 12.0,
        .logit_bytes = 6.0,
        .logits_sharded = true,
        .alpha_act = 1.0,
        .fused_attention = true,
        .sequence_parallel = true,
        .distributed_optimizer = MEMX_ZERO_OPTIMIZER,
        .matmul_share = 1.0,
        .elementwise_bytes = 50.0,
        .head_bytes = 50.0,
        .layer_ms = 1.0,
        .collective_us = 50.0,
        .micro_batch_ms = 1.5,
        .update_bytes = 36.0,
    };
}

memx_framework framework_fp16(void) {
    memx_framework f = framework_bf16();
    snprintf(f.name, sizeof f.name, "megatron-fp16");
    f.gradient_bytes = 2.0;
    f.optimizer_bytes = 16.0;
    return f;
}

memx_framework framework_2022(void) {
    memx_framework f = framework_fp16();
    snprintf(f.name, sizeof f.name, "megatron-2022");
    f.fused_attention = f.sequence_parallel = false;
    f.distributed_optimizer = MEMX_ZERO_NOTHING;
    f.dropout = true;
    f.score_bytes = 12.0;
    return f;
}

memx_framework framework_zero(void) {
    memx_framework f = framework_fp16();
    snprintf(f.name, sizeof f.name, "deepspeed-fp16");
    f.optimizer_bytes = 12.0;
    f.optimizer_temp_bytes = 4.0;
    f.alpha_act = 1.1;
    f.sequence_parallel = false;
    return f;
}

memx_model model_gpt(int64_t layers, int64_t hidden, int64_t heads, int64_t vocab, int64_t seq) {
    return (memx_model){
        .name = "gpt",
        .layers = layers,
        .hidden = hidden,
        .heads = heads,
        .kv_groups = heads,
        .head_dim = hidden / heads,
        .ffn_hidden = 4 * hidden,
        .vocab = vocab,
        .seq_length = seq,
        .tied_embeddings = true,
        .biases = true,
        .qkv_biases = true,
        .learned_positions = true,
        .layernorm = true,
    };
}

memx_model model_llama(int64_t layers, int64_t hidden, int64_t heads, int64_t kv_groups,
                       int64_t ffn, int64_t vocab, int64_t seq) {
    return (memx_model){
        .name = "llama",
        .layers = layers,
        .hidden = hidden,
        .heads = heads,
        .kv_groups = kv_groups,
        .head_dim = hidden / heads,
        .ffn_hidden = ffn,
        .vocab = vocab,
        .seq_length = seq,
        .gated_mlp = true,
    };
}

void job_start(test_job *t) {
    *t = (test_job){
        .job =
            {
                .name = "job",
                .cluster = "lab",
                .model = model_gpt(12, 768, 12, 50257, 1024),
                .framework = framework_bf16(),
                .global_batch = 16,
                .flow_gbs = 25.0,
                .inter_efficiency = 0.8,
                .latency_us = 20.0,
                .overhead_ms = 10.0,
            },
    };
    t->job.devices = t->devices;
    t->job.nodes = t->nodes;
}

int32_t job_device(test_job *t, const char *name, const char *vendor, double memory_mib) {
    int32_t index = t->job.device_count++;
    assert_true(index < TEST_DEVICES);
    memx_device *d = &t->devices[index];
    *d = (memx_device){
        .memory_mib = memory_mib,
        .peak_tflops = 312.0,
        .efficiency = 0.8,
        .memory_gbs = 2000.0,
        .memory_efficiency = 0.75,
        .host_gbs = 16.0,
        .host_efficiency = 0.8,
        .link_gbs = 300.0,
        .alpha_static = 1.0,
    };
    snprintf(d->name, sizeof d->name, "%s", name);
    snprintf(d->vendor, sizeof d->vendor, "%s", vendor);
    return index;
}

void job_node(test_job *t, int64_t ordinal, int32_t device, int32_t gpus) {
    int32_t index = t->job.node_count++;
    assert_true(index < TEST_NODES);
    t->nodes[index] = (memx_node){
        .ordinal = ordinal,
        .device = device,
        .gpus = gpus,
        .link_gbs = t->devices[device].link_gbs,
        .inter_gbs = 100.0,
    };
}

void job_finish(test_job *t) {
    memx_error error = {.text = ""};
    assert_ok(memx_job_check(&t->job, &error), &error);
}

char *config_text(const memx_job *job, const memx_config *config) {
    memx_text text = {0};
    memx_config_format(job, config, &text);
    assert_false(text.failed);
    return text.data;
}

memx_status refused_by_memory(memx_search *search, const memx_poll *poll, memx_count *count,
                              memx_error *example, memx_error *error) {
    memx_refusals refusals;
    memx_status status = memx_search_refusals(search, poll, &refusals, error);
    *count = refusals.memory;
    *example = refusals.memory_example;
    return status;
}

void job_lab(test_job *t) {
    job_start(t);
    job_device(t, "A-80", "red", 81920.0);
    job_device(t, "B_32", "blue", 32768.0);
    job_node(t, 0, 0, 4);
    job_node(t, 2, 1, 4);
    job_node(t, 4, 0, 4);
    job_finish(t);
}
