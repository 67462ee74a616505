/*
** What a ranked search minimises, what its rows must satisfy, and the order of rows.
**
** Every objective is one weighted product, time^a * peak^b * (variance + epsilon)^c: phi under its
** weights, and a single measure with weight 1 for that measure. Bounds compare its logarithm; rows
** compare the number that a user sees, and where that is equal, the order of enumeration.
*/
#ifndef MEMX_CORE_AIM_H
#define MEMX_CORE_AIM_H

#include "core/phi.h"
#include "core/plan.h"

typedef enum memx_measure {
    MEMX_BY_PHI,
    MEMX_BY_ITERATION,
    MEMX_BY_PEAK,
    MEMX_BY_VARIANCE,
    MEMX_BY_SLOWDOWN
} memx_measure;

/* Both ends included. */
typedef struct memx_interval {
    double least, most;
} memx_interval;

/* Bounds on what a row shows, each from -INFINITY to INFINITY where there is none. */
typedef struct memx_limits {
    memx_interval iteration_ms, peak_mib, variance_mib2, phi, slowdown, headroom;
    memx_interval tokens_per_s, tflops_per_gpu;
} memx_limits;

typedef struct memx_aim {
    memx_measure by;
    memx_weights weights; /* of phi; needed where `by` or a limit asks for phi */
    double reference_phi; /* phi is shown divided by this */
    int64_t fastest_ns;   /* slowdown is relative to this; 0: it is shown as NULL */
    memx_limits limits;
} memx_aim;

/* By one measure, without limits. */
memx_aim memx_aim_at(memx_measure by);

/* The weights of the product that orders as `by` does. */
memx_weights memx_aim_weights(const memx_aim *aim);

/* What a row shows in the column that is ordered by. */
double memx_aim_value(const memx_aim *aim, const memx_measures *measures, int64_t gpus);

/* Whether a row is within all limits. */
bool memx_aim_admits(const memx_aim *aim, const memx_plan *plan, const memx_measures *measures);

/* Greatest figures that limits admit; what is above is out, what is not above may be. */
int64_t memx_aim_most_ns(const memx_aim *aim, const memx_plan *plan);
int64_t memx_aim_most_kib(const memx_aim *aim);
double memx_aim_most_deviation(const memx_aim *aim, int64_t gpus); /* sum (x - mean)^2, KiB^2 */

/* Logarithm of the product; `deviation` is the sum over GPUs of (x - mean)^2 in KiB^2. */
double memx_aim_score(const memx_weights *weights, int64_t iteration_ns, int64_t peak_kib,
                      double deviation, int64_t gpus);

/* The score under phi's weights that a phi limit admits at most. */
double memx_aim_most_score(const memx_aim *aim);

#endif
