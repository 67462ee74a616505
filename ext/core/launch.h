/*
** The flags that start a configuration with Megatron-LM.
**
**   --num-layers 32 ... --tensor-model-parallel-size 2 --pipeline-model-parallel-size 3
**   --pipeline-model-parallel-layout 'Et*13|t*10|t*9L' --recompute-granularity full ...
**
** Ranks are Megatron-LM's: tensor parallel first, then context, data parallel, pipeline stages last; so
** stage s has ranks s * tp * cp * dp and on, and nodes are used up one after the other. Layers that do
** not divide evenly are said by --decoder-first-pipeline-num-layers and
** --decoder-last-pipeline-num-layers where that is enough, else by a layout, which lists the chunks of
** an interleaved pipeline in their order. Recompute is one setting for all stages: a process reads its
** own, though, so that stages may be started with different ones.
*/
#ifndef MEMX_CORE_LAUNCH_H
#define MEMX_CORE_LAUNCH_H

#include "core/config.h"
#include "core/text.h"

/* What is started. */
typedef struct memx_launch {
    const memx_model
        *model; /* layers of all stages; sequence length, heads and groups as trained */
    const memx_framework *framework;
    int64_t tp, pp, micro_batch, global_batch;
    bool sequence_parallel;
    int64_t distributed_optimizer; /* a memx_zero */
    const memx_level *level;       /* of every stage; NULL: they differ, so nothing is said */
    int64_t cp, ep;
} memx_launch;

/* Shape, degrees, batch, recompute and precision, on one line; the stages' layers are not among them. */
void memx_launch_flags(const memx_launch *launch, memx_text *out);

/* The flags of a configuration: of all its stages (`stage` -1) or as one stage needs them. Lines that
** begin with # follow where flags cannot say all of it: levels that differ, nodes in another order.
** MEMX_INVALID for what Megatron-LM refuses. */
memx_status memx_launch_config(const memx_job *job, const memx_config *config, int64_t stage,
                               memx_text *out, memx_error *error);

#endif
