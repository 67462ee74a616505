/*
** The first step of learning: the constants of the analytic model (constants.h), fitted to measured stages
** and runs, and pulled towards their nominal values.
**
** Minimised, over all rows at once:
**   time    sum of soft_l1(ln(measured / predicted) / 0.05) + sum of (ln factor / (spread / 2))^2
**   memory  sum of w ((measured - predicted) / (0.02 measured))^2 + sum of ((x - nominal) / s)^2,
**           w = min(1, 2 / |z|); s = 500 MiB, 0.10 and 0.3 for fixed_mib and the two factors; of
**           allocated memory 0.02 for state; of total memory 3000 MiB
** soft_l1(z) = 2 (sqrt(1 + z^2) - 1): an odd row pulls with a bounded force. The widths predicted published
** runs best that were left out of the fit, whole models or degrees at a time; with wider ones a constant
** follows a few odd rows. What the rows cannot tell keeps its nominal value.
*/
#ifndef MEMX_PREDICT_CALIBRATE_H
#define MEMX_PREDICT_CALIBRATE_H

#include "core/config.h"
#include "predict/constants.h"

/* Which peak held_mib is, of all rows alike. */
typedef enum memx_metric {
    MEMX_RESERVED,  /* by the allocator */
    MEMX_ALLOCATED, /* in tensors: without alpha_static */
    MEMX_TOTAL      /* with the context, less what the catalog says that this takes */
} memx_metric;

/* A measured stage: of a profile, or of a run whose GPUs' memory was measured. */
typedef struct memx_sample {
    const memx_device *device;
    const memx_framework *framework;
    memx_stage_spec spec; /* with link_gbs */
    memx_stage_choice choice;
    double time_ms, held_mib; /* NAN: not measured */
    double context_mib;       /* total less reserved; NAN: not measured */
    double weight;            /* 1 for a measured row */
    int64_t source;           /* equal: from one row or run, which are held out together */
    bool interpolated;        /* between measured rows: for trees, constants follow from those */
} memx_sample;

/* A measured iteration. */
typedef struct memx_run_sample {
    const memx_job *job; /* as the catalog has it */
    char *config;        /* that memx_priced_open takes */
    memx_knobs knobs;    /* of it */
    double iteration_ms; /* NAN: not measured */
    int64_t source;
} memx_run_sample;

typedef struct memx_rows {
    const memx_sample *samples;
    size_t count;
    const memx_run_sample *runs;
    size_t run_count;
    memx_metric metric;
    /* Rows that are left out: those whose group is `held`. NULL: none. Samples come first, then runs; none of them is
    ** interpolated, since what lies between rows that are held out tells of them. */
    const int32_t *group;
    int32_t held;
} memx_rows;

/* Whether a row is left out: its group is held out. */
bool memx_rows_left_out(const memx_rows *rows, size_t row);

/* Every pair of device and framework that a sample or a run has, as they come, nominal. Free *out. */
memx_status memx_calibrate_pairs(const memx_rows *rows, memx_calibration **out, int32_t *count,
                                 memx_error *error);

/* Fits the calibrations, from where they are. Same rows, same constants. MEMX_INTERRUPTED, MEMX_NOMEM. */
memx_status memx_calibrate(const memx_rows *rows, memx_calibration *calibrations, int32_t count,
                           const memx_poll *poll, memx_error *error);

/* Every how many-th of `all` to take, that at most `most` are taken. */
static inline size_t memx_stride(size_t all, size_t most) {
    return 1 + (all > 0 ? (all - 1) / most : 0);
}

/* ms that a run takes: stages by the pricer, the rest with the constants that act on whole iterations. */
memx_status memx_run_ms(const memx_run_sample *run, const memx_calibration *calibrations,
                        int32_t count, const memx_pricer *pricer, double *out, memx_error *error);

#endif
