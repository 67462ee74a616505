/*
** Learning from measured stages and runs, and deciding what of it to use.
**
** First the few constants of each device and framework are calibrated (calibrate.h), then trees learn what
** is left of the stages: ln(measured / calibrated), of time and of memory. Each output's trees are used only
** where they are better than the calibrated model on rows they have not seen, in error and in order. Rows are
** held out by whole groups, a hidden size, a degree, a number of tokens, of layers, a device at a time, since
** trees that know a row's neighbours on a grid always look good. How far held-out peaks are off also says
** how much of a card a job must keep free.
*/
#ifndef MEMX_PREDICT_TRAIN_H
#define MEMX_PREDICT_TRAIN_H

#include "predict/boost.h"
#include "predict/calibrate.h"
#include "predict/residual.h"

/* When to use trees. */
typedef enum memx_trees { MEMX_TREES_AUTO, MEMX_TREES_ALWAYS, MEMX_TREES_NEVER } memx_trees;

typedef struct memx_train_options {
    memx_boost_options boost;
    double clip[MEMX_OUTPUT_COUNT];
    int32_t least_rows; /* fewer are calibrated on only */
    memx_trees trees;
    bool
        validate; /* hold groups out; else automatic trees are off and nothing is said about errors */
    bool leave_one_out; /* hold out every row or run by itself, too: for few rows without trees */
} memx_train_options;

/* exact, depth 3, 200 rounds, eta 0.05, lambda 1; clip 0.2 of time, 0.1 of memory; 20 rows. The clips are ours: about
** what the calibrated model is wrong by where it is good. */
memx_train_options memx_train_defaults(void);

typedef enum memx_grouping {
    MEMX_BY_HIDDEN,
    MEMX_BY_TP,
    MEMX_BY_TOKENS, /* of a micro batch */
    MEMX_BY_LAYERS, /* of a stage */
    MEMX_BY_DEVICE,
    MEMX_BY_ROW, /* one by one: only with leave_one_out */
    MEMX_GROUPING_COUNT
} memx_grouping;

const char *memx_grouping_name(memx_grouping grouping);

/* What is predicted: a stage's time, a stage's peak, a run's iteration. The first two are the outputs. */
typedef enum memx_figure {
    MEMX_FIGURE_TIME = MEMX_OUTPUT_TIME,
    MEMX_FIGURE_PEAK = MEMX_OUTPUT_PEAK,
    MEMX_FIGURE_ITERATION,
    MEMX_FIGURE_COUNT
} memx_figure;

const char *memx_figure_name(memx_figure figure);

/* Of rows held out by one grouping: MAPE in %, and of pairs in the same group that differ by more than
** 10 % the share that comes out in order, in %. */
typedef struct memx_validation {
    int32_t groups; /* fewer than two: not done */
    int64_t rows;
    double prior_mape, learned_mape, prior_order, learned_order;
} memx_validation;

/* Why an output's trees are used, or not. */
typedef enum memx_verdict {
    MEMX_VERDICT_OFF,       /* options.trees, or nothing to judge them by */
    MEMX_VERDICT_TOO_FEW,   /* rows, for options.least_rows */
    MEMX_VERDICT_NO_BETTER, /* than the calibrated model, on held-out rows */
    MEMX_VERDICT_USED
} memx_verdict;

typedef struct memx_train_report {
    struct {
        int64_t rows;
        memx_validation by[MEMX_GROUPING_COUNT];
        double nominal_mape, calibrated_mape, learned_mape; /* in sample, % */
    } figures[MEMX_FIGURE_COUNT];
    /* By how much, %, an output's factor changes where a feature's values are exchanged between rows. */
    double matters[MEMX_OUTPUT_COUNT][MEMX_FEATURE_COUNT];
    memx_verdict verdict[MEMX_OUTPUT_COUNT];
    double reserve;                         /* as in the residual */
    double fit_seconds, validation_seconds; /* of learning once; of learning without each group */
} memx_train_report;

/* Same rows in the same order, same residual. MEMX_INVALID where there is nothing to learn from. rows.group
** must be NULL. */
memx_status memx_train(const memx_rows *rows, const memx_train_options *options,
                       const memx_poll *poll, memx_residual *out, memx_train_report *report,
                       memx_error *error);

#endif
