/*
** One configuration: how a job's GPUs are cut into pipeline stages and replicas, and what every
** stage computes and recomputes. Its canonical text stands for the whole choice:
**
**   tp2.dp2.mb1.seq4096/A100-80GB*12:none,B-32GB*5:full,B-32GB*5:full,C-32GB*10:full
**
** Before the slash: degrees, micro batch, sequence length, and where they differ from the job's own
** sp0|sp1 (sequence parallel), do0 to do3 (distributed optimizer: ZeRO's stage), hd<N> (heads), kv<N>
** (groups); and cp<N> (context parallel), ep<N> (expert parallel), vp<N> (chunks of an interleaved
** pipeline) where they are not 1. After it the stages in pipeline order, device*layers:level, layers of
** all chunks; a stage on several devices lists them in rank order with the GPUs of each:
** RTX-3090(2)|RTX-2080(1)*12:none.
**
** A device type's nodes are used in order of their ordinal; where a stage is on others, their ordinals
** follow, RTX3090@3+1*12:none, each node used up before the next. Equal nodes are no choice: they have
** the ordinals that this order gives them, and it is this form that is priced. Inside a mixed stage
** ranks are in order of node ordinals: the order in which a stage's own devices are written is no
** choice.
*/
#ifndef MEMX_CORE_CONFIG_H
#define MEMX_CORE_CONFIG_H

#include "core/job.h"
#include "core/level.h"
#include "core/placement.h"
#include "core/stage.h"
#include "core/status.h"
#include "core/text.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct memx_knobs {
    int64_t tp, pp, dp, micro_batch, seq_length, heads, kv_groups;
    bool sequence_parallel;        /* false where tp is 1 */
    int64_t distributed_optimizer; /* a memx_zero; 0 where dp * cp is 1 */
    int64_t cp;                    /* context parallel: ranks that share a sequence */
    int64_t ep; /* expert parallel: of dp * cp ranks, those that share a layer's experts */
    int64_t vp; /* virtual pipeline: equal chunks of layers of every stage, which are interleaved */
} memx_knobs;

/* Layers of a stage: of all its chunks. */
static inline int64_t memx_knobs_layers(const memx_knobs *knobs, const memx_stage_choice *stage) {
    return knobs->vp * stage->layers;
}

/* Tensor groups of a stage: each holds the same parameters, but for experts. */
static inline int64_t memx_knobs_replicas(const memx_knobs *knobs) {
    return knobs->dp * knobs->cp;
}

static inline int64_t memx_knobs_stage_gpus(const memx_knobs *knobs) {
    return knobs->tp * memx_knobs_replicas(knobs);
}

typedef struct memx_config {
    memx_knobs knobs;
    memx_placement placement;
    memx_stage_choice *stages; /* knobs.pp of them */
} memx_config;

/* The job's own knobs at given degrees: what the text leaves out. */
void memx_knobs_default(const memx_job *job, memx_knobs *knobs);

/* The model as these knobs train it. */
memx_status memx_knobs_model(const memx_job *job, const memx_knobs *knobs, memx_model *out,
                             memx_error *error);

/* Whether the degrees can run at all: why not, or MEMX_FITS. Reasons are values of memx_misfit. */
typedef enum memx_misfit {
    MEMX_FITS,
    MEMX_HEADS_TP,  /* heads not divisible by tp */
    MEMX_KV_TP,     /* kv_groups below tp or not divisible by it */
    MEMX_BATCH,     /* global batch not divisible by dp * micro_batch */
    MEMX_TP_NODE,   /* a node cannot be cut into whole tensor parallel groups */
    MEMX_PP_LAYERS, /* more stages than layers, or than layers beside the dense ones of the first */
    MEMX_EP,        /* ep does not divide dp * cp, or the experts */
    MEMX_CP,        /* the sequence cannot be cut into 2 cp pieces */
    MEMX_VP,        /* vp without a pipeline, or one that does not divide layers or micro batches */
    MEMX_GPUS       /* tp * cp * pp * dp is not the number of GPUs */
} memx_misfit;

memx_misfit memx_knobs_misfit(const memx_job *job, const memx_knobs *knobs);

/* The sentence for a misfit, with the numbers of these knobs. */
memx_status memx_misfit_message(const memx_job *job, const memx_knobs *knobs, memx_misfit misfit,
                                memx_error *error);

/* Reads and checks a text. MEMX_INVALID names the position (from 1) or the figure that is wrong,
** not the config itself. On any failure *out is empty. */
memx_status memx_config_parse(const memx_job *job, const char *text, memx_config *out,
                              memx_error *error);
void memx_config_free(memx_config *config);

/* Writes the canonical text; and the three lists of its stages, comma-separated. */
void memx_config_format(const memx_job *job, const memx_config *config, memx_text *out);
void memx_config_devices(const memx_job *job, const memx_config *config, memx_text *out);
void memx_config_layers(const memx_config *config, memx_text *out);
void memx_config_levels(const memx_config *config, memx_text *out);

#endif
