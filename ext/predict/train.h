/*
** Learning from measured stages, and deciding what of it to use.
**
** First the few constants of each device and framework are calibrated (calibrate.h), then trees learn what
** is left: ln(measured / calibrated), for time and memory at once. Each output's trees are used only where
** they are better than the calibrated model on rows they have not seen, in error and in order; rows are held
** out by whole groups, a hidden size, a degree, a number of tokens, of layers, a device at a time, since
** trees that know a row's neighbours on a grid always look good.
*/
#ifndef MEMX_PREDICT_TRAIN_H
#define MEMX_PREDICT_TRAIN_H

#include "predict/boost.h"
#include "predict/residual.h"

typedef struct memx_sample {
    const memx_device *device;
    const memx_framework *framework;
    memx_stage_spec spec; /* with link_gbs */
    memx_stage_choice choice;
    double time_ms, held_mib; /* NAN: not measured; held: the allocator's peak */
    double weight;            /* 1 for a measured row */
} memx_sample;

typedef struct memx_train_options {
    memx_boost_options boost;
    double clip[MEMX_OUTPUT_COUNT];
    int32_t least_rows; /* fewer are calibrated on only */
} memx_train_options;

/* exact, depth 3, 200 rounds, eta 0.05, lambda 1; clip 0.2 of time, 0.1 of memory; 20 rows. */
memx_train_options memx_train_defaults(void);

typedef enum memx_grouping {
    MEMX_BY_HIDDEN,
    MEMX_BY_TP,
    MEMX_BY_TOKENS,
    MEMX_BY_LAYERS,
    MEMX_BY_DEVICE,
    MEMX_GROUPING_COUNT
} memx_grouping;

const char *memx_grouping_name(memx_grouping grouping);

/* Of rows held out by one grouping: MAPE in %, and of pairs in the same group that differ by more than
** 10 % the share that comes out in order, in %. */
typedef struct memx_validation {
    int32_t groups; /* fewer than two: not done */
    double prior_mape, learned_mape, prior_order, learned_order;
} memx_validation;

typedef struct memx_train_report {
    struct {
        int64_t rows;
        memx_validation by[MEMX_GROUPING_COUNT];
        double nominal_mape, calibrated_mape, learned_mape; /* in sample */
        bool used;
    } outputs[MEMX_OUTPUT_COUNT];
} memx_train_report;

/* Same samples in the same order, same residual. MEMX_INVALID where there is nothing to learn from. */
memx_status memx_train(const memx_sample *samples, size_t count, const memx_train_options *options,
                       const memx_poll *poll, memx_residual *out, memx_train_report *report,
                       memx_error *error);

#endif
