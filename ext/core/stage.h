/*
** One pipeline stage on one type of device: how long a micro batch takes and what the card must
** hold.
**
** Memory, per GPU:
**   peak = context + alpha_static * state + alpha_act * (n * stored + work)
**        + logit_bytes * logits + optimizer temporaries
** and beside it, on the host, activations swapped and optimizer state offloaded.
** State and activations follow arXiv:2205.05198 (table 2) and Megatron-LM's distributed optimizer. What ZeRO
** divides (arXiv:1910.02054, section 5) is whole for one unit at a time, a layer, the embedding or the head:
** gradients of the one whose backward pass runs, and parameters of that and of the next, which is fetched
** meanwhile, in the format that the pass computes in.
**
** Layers are of two kinds, with and without experts, and a stage's price is a sum over how many it has
** of each. A model's dense layers are its first ones, and all of them are on the first stage, which
** therefore has at least so many: what a stage holds follows from its number of layers and whether it
** is the first, here and in every search. Where recompute or swap takes some of a stage's layers, it
** takes the dense ones first.
**
** Context parallelism cuts every sequence into 2 cp pieces, of which a rank has two, so that causal
** attention is the same work everywhere (Megatron-LM, Transformer Engine). All activations are of these
** tokens alone; each layer's keys and values go around the ring of the cp ranks, hidden behind the
** attention to those that are there, and in the backward pass with their gradients behind twice that.
** Replicas are dp * cp.
**
** Interleaved pipelines give a stage vp equal chunks of layers. A choice is of one chunk, as
** Megatron-LM's recompute settings are; the price is of the whole stage. On the first stage the first
** chunk has the embedding and the dense layers, on the last the last one the head; these ends have
** fewer micro batches in flight.
**
** Experts. A stage's ep neighbouring tensor groups share its routed experts, experts / ep each, every
** one of these split by tp as all else is (Megatron-LM: expert tensor parallel size = tp unless said
** otherwise; expert data parallel size = world / (pp ep etp) = dp cp / ep). Their gradients are summed
** and their optimizer state is divided over these dp cp / ep. Each pass of a layer of experts sends a
** micro batch's tokens to their experts and back, two all-to-alls; the tp ranks of a group gather what
** their experts are sent and scatter the sums, tokens * experts_per_token rows instead of tokens. Kept
** for the backward pass: router's scores, rows sent to experts, and the experts' inner ones
** (Megatron-LM's alltoall dispatcher and grouped GEMM, probabilities applied between the two products).
** With ep above 1 the fullest rank is taken to have a quarter more rows than the mean.
**
** Selective recompute keeps all but the attention core, as in the paper; or, where the framework says
** selective_products, a layer's input and the outputs of attention and of every second matrix product:
** query, value, up and the gated MLP's down (torchtitan's op-wise selective activation checkpointing),
** and recomputes the rest, routed experts among it.
**
** Time is a roofline over the layer's kernels, floored by what the host needs to launch them.
** A stage's price is rounded once, to whole nanoseconds and whole KiB, so that sums are exact.
*/
#ifndef MEMX_CORE_STAGE_H
#define MEMX_CORE_STAGE_H

#include "core/job.h"
#include "core/level.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All that a stage's price depends on besides the device, the framework and its layers and level.
** The model carries the sequence length and head counts of the configuration. */
typedef struct memx_stage_spec {
    memx_model model;
    int64_t tp, dp, micro_batch;
    int64_t in_flight; /* chunks, of a micro batch each */
    int64_t vp;        /* chunks of the stage; 0 is 1 */
    int64_t
        end_in_flight; /* with vp above 1: of in_flight those of the chunk at the pipeline's end */
    int64_t cp;        /* ranks that share a sequence; 0 is 1 */
    int64_t ep;        /* ranks that share a layer's routed experts; 0 is 1 */
    bool first, last;
    bool sequence_parallel;
    int64_t distributed_optimizer; /* a memx_zero */
    double link_gbs;               /* of the tensor parallel group */
    double host_gbs;               /* of one device to its host, each way; 0: not known */
    double
        exchange_gbs; /* with ep above 1: what one device's all-to-all reaches on the narrowest way */
    double ring_gbs; /* with cp above 1: what one device reaches to the next of its ring */
} memx_stage_spec;

typedef struct memx_stage_choice {
    int64_t layers; /* of one chunk */
    memx_level level;
} memx_stage_choice;

typedef struct memx_stage_memory {
    int64_t context_kib, static_kib, activation_kib, work_kib, logits_kib, optimizer_kib;
} memx_stage_memory;

typedef struct memx_stage_price {
    int64_t forward_ns, backward_ns; /* of one micro batch */
    memx_stage_memory memory;        /* its parts add up to the peak */
    int64_t host_kib;                /* on the host, for one device */
    bool extrapolated;               /* beyond what a predictor was trained on */
} memx_stage_price;

int64_t memx_stage_peak_kib(const memx_stage_memory *memory);

/* Prices `count` choices of one stage. Absurd values saturate (core/whole.h). */
void memx_stage_price_all(const memx_device *device, const memx_framework *framework,
                          const memx_stage_spec *spec, const memx_stage_choice *choices,
                          size_t count, memx_stage_price *out);

/* The source of prices for everything above: the analytic model, or a predictor that corrects it.
** `device` indexes the job's devices. */
typedef struct memx_pricer {
    memx_status (*price)(void *context, const memx_job *job, int32_t device,
                         const memx_stage_spec *spec, const memx_stage_choice *choices,
                         size_t count, memx_stage_price *out, memx_error *error);
    void *context;
    const char *name; /* the column `predictor` */
} memx_pricer;

extern const memx_pricer memx_analytic_pricer;

/* Chunks of the stage, ranks that share a sequence, ranks that share routed experts: at least 1. */
static inline int64_t memx_stage_chunks(const memx_stage_spec *spec) {
    return spec->vp > 1 ? spec->vp : 1;
}
static inline int64_t memx_stage_context_ranks(const memx_stage_spec *spec) {
    return spec->cp > 1 ? spec->cp : 1;
}
static inline int64_t memx_stage_expert_ranks(const memx_stage_spec *spec) {
    return spec->ep > 1 ? spec->ep : 1;
}

/* Of so many layers of a stage, or its first chunk, those without experts: the first of them. */
int64_t memx_stage_dense_layers(const memx_stage_spec *spec, int64_t layers);

/* Layers that the (first chunk of the) stage of a pipeline has at least: the first one all that are dense. */
int64_t memx_stage_least_layers(const memx_model *model, bool first);

/* Parameters that one GPU of the stage, with so many layers in a chunk, holds: its share of the layers,
** the embedding on the first stage, the final norm and the head on the last, padded vocabulary. A tied
** head is a second copy when the pipeline has more than one stage. `experts` are the routed experts
** among them (NULL: who asks does not mind). */
double memx_stage_parameters(const memx_stage_spec *spec, int64_t layers, double *experts);

/* Those of them that one GPU's optimizer updates. */
double memx_stage_updated(const memx_stage_spec *spec, int64_t layers);

/* Parameters of the greatest unit that ZeRO has whole at once, and of that and the unit beside it;
** without routed experts where each is on one rank alone, so that nothing of them is divided. */
typedef struct memx_units {
    double one, two;
} memx_units;
memx_units memx_stage_units(const memx_stage_spec *spec, int64_t layers);

/* Bytes that one layer keeps per micro batch in flight at none, selective or full, per GPU, before
** alpha_act: arXiv:2205.05198 table 2, generalised. */
double memx_layer_activation_bytes(const memx_framework *framework, const memx_stage_spec *spec,
                                   memx_layer_kind kind, memx_level_kind level);

#endif
