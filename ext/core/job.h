/*
** What a search is about: a model to train, with a framework, on a cluster of nodes.
**
** Plain data, filled by the catalog reader or by a test. One GB/s is 1e9 bytes per second, per
** direction. Sources of the constants: schema/ documents each column.
*/
#ifndef MEMX_CORE_JOB_H
#define MEMX_CORE_JOB_H

#include "core/model.h"
#include "core/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct memx_device {
    char name[MEMX_NAME_SIZE];
    char vendor[MEMX_NAME_SIZE];
    double memory_mib;  /* the whole card */
    double peak_tflops; /* dense, half precision */
    double efficiency;  /* share of it that large matrix products reach */
    double memory_gbs;
    double memory_efficiency; /* share of it that streaming kernels reach */
    double link_gbs;          /* one GPU, within the node */
    double host_gbs;          /* one GPU, to its host and back; 0: unknown */
    double host_efficiency;   /* share of it that pinned transfers reach */
    bool bf16;                /* has it */
    double context_mib;       /* driver context and communicators, outside the allocator */
    double alpha_static;      /* held over computed bytes of model state */
} memx_device;

/* What its large matrix products reach. */
static inline double memx_reached_tflops(const memx_device *device) {
    return device->peak_tflops * device->efficiency;
}

/* What data parallel ranks divide among themselves: nothing, the optimizer's state (ZeRO-1, Megatron-LM's
** distributed optimizer), gradients too (ZeRO-2), parameters too (ZeRO-3, FSDP). arXiv:1910.02054. */
typedef enum memx_zero {
    MEMX_ZERO_NOTHING,
    MEMX_ZERO_OPTIMIZER,
    MEMX_ZERO_GRADIENTS,
    MEMX_ZERO_PARAMETERS
} memx_zero;

typedef struct memx_framework {
    char name[MEMX_NAME_SIZE];
    double activation_bytes; /* per element: 2 in half precision, 4 in fp32 */
    double parameter_bytes, gradient_bytes,
        optimizer_bytes;         /* per parameter, before ZeRO divides */
    double optimizer_temp_bytes; /* per parameter / dp, held beside all else (ZeRO) */
    double logit_bytes;          /* per logit, on the last stage */
    bool logits_sharded;         /* tensor parallelism splits them */
    double alpha_act;            /* held over computed bytes of activations */
    bool fused_attention, dropout;
    bool selective_products;       /* what selective recompute keeps: core/stage.h */
    bool bf16;                     /* needs it */
    bool sequence_parallel;        /* a job's own setting */
    int64_t distributed_optimizer; /* the same; a memx_zero */
    double matmul_share;           /* of the device's half-precision rate */
    double elementwise_bytes; /* memory traffic per token and hidden unit of a layer's forward */
    double score_bytes;       /* memory traffic per attention score, 0 with fused attention */
    double head_bytes;        /* memory traffic per logit, forward and backward */
    double layer_ms;          /* host time to launch one layer's forward */
    double collective_us;     /* host time to launch one collective */
    double micro_batch_ms;    /* host time per stage, or chunk, and micro batch */
    double update_bytes;      /* memory traffic of the optimizer per parameter it updates */
    double tp_overlap;        /* share of the backward's collectives hidden that can be, 0 to 1 */
    double p2p_overlap;       /* share of steady-state stage transfers hidden, 0 to 1 */
    double p2p_overlap_interleaved; /* the same where stages have chunks */
    double dp_overlap; /* share of the last backward that hides gradient sync, and of each
                              ** pass that hides ZeRO's transfers, 0 to 1 */
} memx_framework;

typedef struct memx_node {
    int64_t ordinal;
    int32_t device; /* index into devices */
    int32_t gpus;
    double link_gbs;        /* within the node */
    double inter_gbs;       /* the node's total to other nodes */
    double host_memory_mib; /* of the host; 0: not given */
    double host_memory_gbs; /* what its processors reach; 0: not given */
} memx_node;

typedef struct memx_job {
    char name[MEMX_NAME_SIZE];
    char cluster[MEMX_NAME_SIZE];
    memx_model model; /* seq_length is the job's */
    memx_framework framework;
    int64_t global_batch;
    double reserve;       /* share of every card to keep free */
    memx_device *devices; /* the types in use, in order of their first node */
    int32_t device_count;
    memx_node *nodes; /* by ordinal */
    int32_t node_count;
    int64_t gpus;            /* of all nodes */
    double flow_gbs;         /* the most one GPU's flow between nodes can use: one NIC */
    double inter_efficiency; /* share of the network's data sheet that transfers reach */
    double latency_us;       /* of one message between nodes */
    double overhead_ms;      /* fixed, per iteration */
} memx_job;

enum { MEMX_MAX_GPUS = 65536, MEMX_MAX_STAGES = 1024 };

/* Checks that every figure is in its range; sets `gpus`. The message names what is wrong, not the
** job. */
memx_status memx_job_check(memx_job *job, memx_error *error);

/* KiB of a device that a configuration may use: the card less the job's reserve, and the whole. */
int64_t memx_usable_kib(const memx_job *job, int32_t device);
int64_t memx_card_kib(const memx_job *job, int32_t device);

#endif
