/*
** One transformer block as ProTrain sees it (arXiv:2406.08334, 3.2 and appendix A.2): its operators in order
** of execution, what each of them allocates while it runs and leaves behind, and what that makes of a block
** that keeps its activations, recomputes them, or moves them to the host.
**
** Operators come from a profiler, or from the model's shape: arXiv:2205.05198, table 2, taken apart.
** Memory of an operator is relative to what is allocated when it starts. What is allocated between two
** operators (functions that no hook sees, as softmax in attention) belongs to the first of them:
** `inter_bytes`.
*/
#ifndef MEMX_CORE_PROTRAIN_BLOCK_H
#define MEMX_CORE_PROTRAIN_BLOCK_H

#include "core/job.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct memx_operator {
    char name[MEMX_NAME_SIZE];
    bool backward;
    double time_ms;
    double intra_bytes; /* most while it runs */
    double inter_bytes; /* most from its end to the next one's start */
    double kept_bytes;  /* what is left when the next one starts; in backward mostly negative */
} memx_operator;

/* A profiled block at one micro batch: operators in order, forward ones first. */
typedef struct memx_operator_list {
    int64_t micro_batch;
    memx_operator *items;
    int32_t count;
} memx_operator_list;

enum { MEMX_ANALYTIC_OPERATORS = 20, MEMX_MOST_OPERATORS = 10000 };

/* The operators that the shape implies, for one micro batch on one GPU; times share the block's. Returns how
** many: at most MEMX_ANALYTIC_OPERATORS. */
int32_t memx_block_operators(const memx_model *model, const memx_framework *framework,
                             int64_t micro_batch, double forward_ms, double backward_ms,
                             memx_operator *out);

/* What a block needs, KiB. Each is over what is allocated when the block's pass starts; in backward
** that holds the block's own kept activations. `hooked`: what hooks around operators alone would see. */
typedef struct memx_block {
    int64_t forward_ns, backward_ns; /* backward without recomputing */
    int64_t kept_kib;                /* activations until the block's backward pass */
    int64_t input_kib;               /* what a checkpointed block keeps of them */
    int64_t forward_kib, backward_kib;
    int64_t unkept_kib; /* forward without keeping: a checkpointed block's first pass */
    int64_t hooked_forward_kib, hooked_backward_kib, hooked_unkept_kib;
    int32_t intervals; /* forward operators: N_interval */
} memx_block;

/* Walks the operators (eqs. 8 to 10). Without backward ones, backward takes twice the time and, beside the
** kept activations, the memory of forward's greatest operator. `scale` multiplies all. */
void memx_block_walk(const memx_operator *operators, int32_t count, double scale,
                     double input_bytes, memx_block *out);

#endif
