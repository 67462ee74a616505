/*
** Rounding to whole nanoseconds and KiB, once per stage price, so that all later sums are exact.
**
** Both saturate: a stage of 13 days per micro batch or 1 PiB is absurd, and below these caps no sum
** over 1,024 stages and no moment over 65,536 GPUs overflows.
*/
#ifndef MEMX_CORE_WHOLE_H
#define MEMX_CORE_WHOLE_H

#include <math.h>
#include <stdint.h>

#define MEMX_MOST_NS (INT64_C(1) << 50)
#define MEMX_MOST_KIB (INT64_C(1) << 40)
#define MEMX_MOST_ITERATION_NS (INT64_C(1) << 62)

static inline int64_t memx_whole_ns(double ms) {
    double ns = ms * 1e6;
    return ns < (double)MEMX_MOST_NS ? (int64_t)llround(ns) : MEMX_MOST_NS;
}

static inline int64_t memx_whole_kib(double bytes) {
    double kib = bytes / 1024.0;
    return kib < (double)MEMX_MOST_KIB ? (int64_t)llround(kib) : MEMX_MOST_KIB;
}

/* In the units that users see. */
static inline double memx_ms(int64_t ns) {
    return (double)ns / 1e6;
}

static inline double memx_mib(int64_t kib) {
    return (double)kib / 1024.0;
}

/* Times that add up to an iteration's end stay below its cap. */
static inline int64_t memx_capped_ns(int64_t ns) {
    return ns < MEMX_MOST_ITERATION_NS ? ns : MEMX_MOST_ITERATION_NS;
}

static inline int64_t memx_least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t memx_greatest(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* As fmin and fmax, without their care for NaN, which costs a call each. */
static inline double memx_lesser(double a, double b) {
    return a < b ? a : b;
}

static inline double memx_larger(double a, double b) {
    return a > b ? a : b;
}

#endif
