/*
** The first step of learning: a few constants of the analytic model per device and framework, pulled
** towards their nominal values.
**
**   time   = factor * analytic time
**   memory = fixed + static_factor * state + activation_factor * activations + the rest
**
** Minimised, over the rows of one device and framework:
**   time    sum of soft_l1(ln(measured / predicted) / 0.05) + (ln factor / 0.05)^2
**   memory  sum of w ((measured - predicted) / (0.02 measured))^2 + sum of ((x - nominal) / s)^2,
**           w = min(1, 2 / |z|), s = 500 MiB, 0.10, 0.3
** The widths are those that predicted held-out runs best on published measurements, none of which is
** what a figure of MemX is judged on by itself: with wide ones a constant follows a few odd rows. What
** rows cannot tell keeps its nominal value.
*/
#ifndef MEMX_PREDICT_CALIBRATE_H
#define MEMX_PREDICT_CALIBRATE_H

#include "core/stage.h"

typedef struct memx_calibration {
    char device[MEMX_NAME_SIZE], framework[MEMX_NAME_SIZE];
    double time_factor;
    double fixed_mib, static_factor, activation_factor;
    int64_t time_rows, memory_rows;
} memx_calibration;

/* What a row says: its analytic price, and what was measured; NAN where it was not. held_mib is the
** allocator's peak, without the driver's context. */
typedef struct memx_observation {
    memx_stage_price prior;
    double time_ms, held_mib;
} memx_observation;

/* Of rows of one device and framework; with none of a kind the nominal values. */
void memx_calibrate_rows(const memx_observation *rows, size_t count, memx_calibration *out);

/* The price with these constants. */
void memx_calibration_apply(const memx_calibration *calibration, memx_stage_price *price);

/* whole * factor + more, from 0 to `most`. */
int64_t memx_scaled(int64_t whole, double factor, double more, int64_t most);

/* Of the allocator: the peak without the context. */
double memx_held_mib(const memx_stage_price *price);
double memx_price_ms(const memx_stage_price *price);

#endif
