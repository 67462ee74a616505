/*
** Jobs for tests: a struct that owns what a memx_job points to, with round figures, and the
** frameworks of schema/frameworks.sql that the tests compare with papers.
*/
#ifndef MEMX_TESTS_SUPPORT_JOBS_H
#define MEMX_TESTS_SUPPORT_JOBS_H

#include "core/config.h"
#include "core/job.h"
#include "core/search.h"

#include "support/check.h"

enum { TEST_DEVICES = 10, TEST_NODES = 12 };

/* Not to be moved or copied once started: the job points into it. */
typedef struct test_job {
    memx_job job;
    memx_device devices[TEST_DEVICES];
    memx_node nodes[TEST_NODES];
} test_job;

memx_framework framework_bf16(void); /* megatron-bf16: 2 + 4 + 12 bytes, fused attention */
memx_framework framework_fp16(void); /* megatron-fp16: 2 + 2 + 16 bytes */
memx_framework framework_2022(void); /* of arXiv:2205.05198: fp16, unfused attention, dropout */
memx_framework framework_zero(void); /* deepspeed-fp16: ZeRO stage 1 */

/* h hidden, heads of h / heads, ffn 4h; GPT: tied, biases, learned positions, layernorm. */
memx_model model_gpt(int64_t layers, int64_t hidden, int64_t heads, int64_t vocab, int64_t seq);
/* LLaMA family: gated, rmsnorm, no bias. */
memx_model model_llama(int64_t layers, int64_t hidden, int64_t heads, int64_t kv_groups,
                       int64_t ffn, int64_t vocab, int64_t seq);

/* A job without devices or nodes: a GPT of 12 layers, hidden 768, batch 16, megatron-bf16. */
void job_start(test_job *t);
/* One more device type of a vendor; answers its index. */
int32_t job_device(test_job *t, const char *name, const char *vendor, double memory_mib);
/* One more node, ordinals ascending. */
void job_node(test_job *t, int64_t ordinal, int32_t device, int32_t gpus);
/* Checks the job, which must be good. */
void job_finish(test_job *t);

/* The canonical text of a configuration; to be freed. */
char *config_text(const memx_job *job, const memx_config *config);

/* 12 GPUs: nodes 0 and 4 of A-80, node 2 of B_32, 4 each. 12 layers, 12 heads, batch 16. */
void job_lab(test_job *t);

/* The part of memx_search_refusals that is memory's. */
memx_status refused_by_memory(memx_search *search, const memx_poll *poll, memx_count *count,
                              memx_error *example, memx_error *error);

#endif
