/*
** Megatron-LM's arguments as its logs print them, and the configuration that they say.
**
**   tensor_model_parallel_size ...................... 2
**   pipeline_model_parallel_layout .................. Et*13|t*10|t*9L
**
** Ranks are Megatron-LM's (core/launch.h). A log names no devices: which node is which says the job's
** cluster, in the order of its ordinals unless another one is given.
*/
#ifndef MEMX_CORE_MEGATRON_H
#define MEMX_CORE_MEGATRON_H

#include "core/config.h"
#include "core/lines.h"

enum { MEMX_WORD_SIZE = 24 };

/* Arguments as Megatron-LM prints them. Numbers and flags are -1 where they were not printed, or are None. */
typedef struct memx_megatron {
    int64_t world_size, data_parallel, tp, pp, micro_batch, global_batch;
    int64_t layers, hidden, ffn_hidden, heads, head_dim, query_groups, seq_length;
    int64_t first_layers, last_layers, recompute_layers, cpu_offload, offload_percent;
    int64_t sequence_parallel, distributed_optimizer, zero_stage, fsdp, torch_fsdp, grouped_query;
    int64_t bf16, fp16;
    int64_t gated, untied;
    int64_t cp, vp, batch_group;
    int64_t experts, ep, etp, latent;    /* experts of a layer, and the sizes of their groups */
    int64_t count_embedding, count_loss; /* as a layer each, in cutting the pipeline */
    int64_t checkpointed;                /* recompute all, as it was said before 2022 */
    bool old; /* such an argument was printed: what was not, did not exist */
    char granularity[MEMX_WORD_SIZE]; /* "" where not printed or None */
    char method[MEMX_WORD_SIZE];
    char sharding[MEMX_WORD_SIZE];  /* of FSDP */
    int32_t split[MEMX_MAX_STAGES]; /* layers of every stage, or chunk, from a layout or list */
    int32_t split_count;
    int64_t first_line; /* 0: no argument was read */
    /* The first argument that cannot be read, or that MemX does not model, with its line; "": none. */
    char problem[256];
} memx_megatron;

void memx_megatron_start(memx_megatron *arguments);

/* One printed argument. False where its name means nothing here. */
bool memx_megatron_argument(memx_megatron *arguments, memx_span name, memx_span value,
                            int64_t line);

/* What they say of themselves, without a job. */
int64_t memx_megatron_cp(const memx_megatron *arguments); /* 1 where not printed */
int64_t memx_megatron_vp(const memx_megatron *arguments); /* the same, or as a layout has it */
int64_t memx_megatron_dp(const memx_megatron *arguments); /* -1: not known */
const char *
memx_megatron_precision(const memx_megatron *arguments);    /* bf16, fp16, single; NULL: not said */
int64_t memx_megatron_zero(const memx_megatron *arguments); /* a memx_zero; -1: not said */
/* Of one chunk of each stage. */
memx_status memx_megatron_layers(const memx_megatron *arguments, int64_t *layers /* of pp */,
                                 memx_error *error);
memx_status memx_megatron_level(const memx_megatron *arguments, memx_level *out, memx_error *error);

/* Their configuration on a job's cluster, canonical. `nodes`: ordinals of all nodes in the order of their
** ranks, as 2,0,1; NULL: ascending. MEMX_INVALID says what does not go together. */
memx_status memx_megatron_config(const memx_job *job, const memx_megatron *arguments,
                                 const char *nodes, memx_text *out, memx_error *error);

#endif
