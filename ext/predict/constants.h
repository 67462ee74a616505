/*
** The constants of the analytic model that measurements correct: one set for each device with a framework.
**
** Each is a factor on a figure of the catalog, 1 where nothing is known. The first act on a stage, the
** others on a whole iteration: there a job of several devices takes their geometric mean over its GPUs,
** since a network and its fixed costs belong to no device alone.
*/
#ifndef MEMX_PREDICT_CONSTANTS_H
#define MEMX_PREDICT_CONSTANTS_H

#include "core/stage.h"

typedef enum memx_constant {
    MEMX_CONSTANT_EFFICIENCY,        /* memx_device.efficiency */
    MEMX_CONSTANT_MEMORY_EFFICIENCY, /* memx_device.memory_efficiency */
    MEMX_CONSTANT_LINK,              /* memx_device.link_gbs, memx_node.link_gbs */
    MEMX_CONSTANT_LINK_SHARING,      /* the same, again for every doubling of tp beyond 2 */
    MEMX_CONSTANT_ELEMENTWISE,       /* memx_framework.elementwise_bytes */
    MEMX_CONSTANT_SCORE,             /* memx_framework.score_bytes */
    MEMX_CONSTANT_HEAD,              /* memx_framework.head_bytes */
    MEMX_CONSTANT_LAYER,             /* memx_framework.layer_ms */
    MEMX_CONSTANT_COLLECTIVE,        /* memx_framework.collective_us */
    MEMX_CONSTANT_MICRO_BATCH,       /* memx_framework.micro_batch_ms */
    MEMX_STAGE_CONSTANTS,            /* so many act on a stage */
    MEMX_CONSTANT_UPDATE = MEMX_STAGE_CONSTANTS, /* memx_framework.update_bytes */
    MEMX_CONSTANT_NETWORK,                       /* memx_cluster.inter_efficiency */
    MEMX_CONSTANT_FLOW,                          /* memx_cluster.flow_gbs */
    MEMX_CONSTANT_LATENCY,                       /* memx_cluster.latency_us */
    MEMX_CONSTANT_OVERHEAD,                      /* memx_cluster.overhead_ms */
    MEMX_CONSTANT_COUNT
} memx_constant;

/* Each with its name in SQL and its spread: the standard deviation of the factor's logarithm among fits to
** published measurements of several devices and frameworks. With wider ones a constant follows a few odd
** rows. */
#define MEMX_EACH_CONSTANT(X)                                                                      \
    X(MEMX_CONSTANT_EFFICIENCY, "efficiency", 0.10)                                                \
    X(MEMX_CONSTANT_MEMORY_EFFICIENCY, "memory_efficiency", 0.15)                                  \
    X(MEMX_CONSTANT_LINK, "link_gbs", 0.2)                                                         \
    X(MEMX_CONSTANT_LINK_SHARING, "link_sharing", 0.2)                                             \
    X(MEMX_CONSTANT_ELEMENTWISE, "elementwise_bytes", 0.35)                                        \
    X(MEMX_CONSTANT_SCORE, "score_bytes", 0.35)                                                    \
    X(MEMX_CONSTANT_HEAD, "head_bytes", 0.4)                                                       \
    X(MEMX_CONSTANT_LAYER, "layer_ms", 0.4)                                                        \
    X(MEMX_CONSTANT_COLLECTIVE, "collective_us", 0.6)                                              \
    X(MEMX_CONSTANT_MICRO_BATCH, "micro_batch_ms", 0.8)                                            \
    X(MEMX_CONSTANT_UPDATE, "update_bytes", 0.3)                                                   \
    X(MEMX_CONSTANT_NETWORK, "inter_efficiency", 0.2)                                              \
    X(MEMX_CONSTANT_FLOW, "flow_gbs", 0.4)                                                         \
    X(MEMX_CONSTANT_LATENCY, "latency_us", 0.5)                                                    \
    X(MEMX_CONSTANT_OVERHEAD, "overhead_ms", 1.0)

typedef struct memx_calibration {
    char device[MEMX_NAME_SIZE], framework[MEMX_NAME_SIZE];
    double factor[MEMX_CONSTANT_COUNT];
    /* Memory: held = fixed + static_factor * state + activation_factor * activations + the rest. */
    double fixed_mib, static_factor, activation_factor;
    double context_shift_mib; /* more than memx_device.context_mib */
    /* How much the rows say about each factor, 0 to 1: 1 - variance with them / variance without. */
    double known[MEMX_CONSTANT_COUNT];
    int64_t time_rows, memory_rows, runs;
    double held_out_mape
        [2]; /* of time and peak, in %, on rows held out of training; NAN: there were none */
} memx_calibration;

const char *memx_constant_name(memx_constant constant);
double memx_constant_spread(memx_constant constant);

/* All factors 1, memory as the analytic model has it. */
void memx_calibration_start(memx_calibration *out, const char *device, const char *framework);

/* Prices with these constants, as memx_stage_price_all does without. */
void memx_calibration_price(const memx_calibration *calibration, const memx_device *device,
                            const memx_framework *framework, const memx_stage_spec *spec,
                            const memx_stage_choice *choices, size_t count, memx_stage_price *out);

/* Of a device with a framework; NULL where there is none. */
const memx_calibration *memx_calibration_find(const memx_calibration *calibrations, int32_t count,
                                              const char *device, const char *framework);

/* The same with those of the device and framework among several, or as the catalog has them: false where
** there are none. */
bool memx_calibrations_price(const memx_calibration *calibrations, int32_t calibration_count,
                             const memx_device *device, const memx_framework *framework,
                             const memx_stage_spec *spec, const memx_stage_choice *choices,
                             size_t count, memx_stage_price *out);

/* The constants that act on a whole iteration, on the job's own figures. */
void memx_calibration_job(const memx_calibration *calibrations, int32_t count, memx_job *job);

/* whole * factor + more, from 0 to `most`. */
int64_t memx_scaled(int64_t whole, double factor, double more, int64_t most);

/* Of the allocator: the peak without the context. */
double memx_held_mib(const memx_stage_price *price);
double memx_price_ms(const memx_stage_price *price);

#endif
