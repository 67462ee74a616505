/*
** What the learned part of a prediction looks at: a stage's configuration, and what the analytic model
** says about it.
**
** Sizes are logarithms to base 2, so that a distance outside what was trained on means the same on each
** of them; shares are of the analytic time or peak. (Trees do not interpolate raw labels; ratios to a
** good prior, with the prior among the features, they do.)
*/
#ifndef MEMX_PREDICT_FEATURES_H
#define MEMX_PREDICT_FEATURES_H

#include "core/stage.h"

typedef enum memx_feature {
    MEMX_FEATURE_TOKENS,            /* log2 of a micro batch's tokens on one rank */
    MEMX_FEATURE_SEQ_LENGTH,        /* log2 */
    MEMX_FEATURE_HIDDEN,            /* log2 */
    MEMX_FEATURE_HIDDEN_PER_TP,     /* log2 of hidden / tp */
    MEMX_FEATURE_WORK_PER_TP,       /* log2 of tokens * hidden / tp */
    MEMX_FEATURE_LAYERS,            /* log2, of all chunks */
    MEMX_FEATURE_TP,                /* log2 */
    MEMX_FEATURE_DP,                /* log2 */
    MEMX_FEATURE_IN_FLIGHT,         /* log2, in micro batches of the whole stage */
    MEMX_FEATURE_RECOMPUTED,        /* share of the layers, 0 to 1 */
    MEMX_FEATURE_SELECTIVE,         /* 0 or 1 */
    MEMX_FEATURE_SEQUENCE_PARALLEL, /* 0 or 1 */
    MEMX_FEATURE_FIRST,             /* 0 or 1 */
    MEMX_FEATURE_LAST,              /* 0 or 1 */
    MEMX_FEATURE_TFLOPS,            /* log2 of what the device reaches */
    MEMX_FEATURE_MEMORY_GBS,        /* log2 of what it reaches */
    MEMX_FEATURE_LINK_GBS,          /* log2 */
    MEMX_FEATURE_TIME,              /* log2 of the analytic ms */
    MEMX_FEATURE_TIME_PER_LAYER,    /* log2 of the analytic ms of one layer's micro batch */
    MEMX_FEATURE_PEAK,              /* log2 of the analytic MiB without the context */
    MEMX_FEATURE_STATIC_SHARE,      /* of that, 0 to 1 */
    MEMX_FEATURE_ACTIVATION_SHARE,
    MEMX_FEATURE_WORK_SHARE,
    MEMX_FEATURE_LOGITS_SHARE,
    MEMX_FEATURE_EXPERTS, /* log2 of 1 and the routed experts of a layer: 0 of a dense model */
    MEMX_FEATURE_EP,      /* log2 of the ranks that share them */
    MEMX_FEATURE_CP,      /* log2 of the ranks that share a sequence */
    MEMX_FEATURE_VP,      /* log2 of the stage's chunks */
    MEMX_FEATURE_COUNT,
    /* The first predictors had these: what follows is 0 in all that those without it know. */
    MEMX_FEATURES_DENSE = MEMX_FEATURE_EXPERTS
} memx_feature;

/* "tokens" and so on, as memx_tree.feature has them; NULL beyond the last. */
const char *memx_feature_name(int32_t feature);

/* Whether distances on it count as extrapolation: sizes do, shares and flags do not. */
bool memx_feature_is_size(memx_feature feature);

/* Of choices of a stage, a row each; `prices` are the calibrated ones. */
void memx_features(const memx_device *device, const memx_stage_spec *spec,
                   const memx_stage_choice *choices, const memx_stage_price *prices, size_t count,
                   float *out);

#endif
