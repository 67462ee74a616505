/*
** From a placement to measures: what each stage of a pipeline may choose, what every choice costs
** there, and what a whole choice adds up to.
**
** A shape is everything about a stage except its layers and level. An option is one such choice on
** one shape, priced; shapes that are equal share their options. Measures of a configuration are
** sums and maxima over one option per stage, so a search never goes back to the model:
**
**   iteration = (m v - 1) max slot + sum time + 2 sum of hops + max tail + overhead
**   peak      = max peak        variance = (N * sum s2 - (sum s1)^2) / N^2
**
** where v is 1, or the chunks of an interleaved stage and all times those of one, slot is a stage's
** time with its exposed transfers, tail its gradient sync and optimizer step, and s1, s2 the sums of x
** and x^2 over its GPUs' memory x in KiB. Whole numbers throughout: equal is equal on every machine and
** in every order of summing.
*/
#ifndef MEMX_CORE_PLAN_H
#define MEMX_CORE_PLAN_H

#include "core/config.h"
#include "core/job.h"
#include "core/pipeline.h"
#include "core/stage.h"
#include "core/whole.h"

/* Aligned as a pointer is: hosts' allocators promise no more. */
__extension__ typedef unsigned __int128 memx_u128 __attribute__((aligned(8)));

/* GPUs of a stage on one device type with one link, and with hosts alike. */
typedef struct memx_share {
    int32_t device, gpus;
    double link_gbs;
    double host_gbs,
        host_memory_gbs; /* of one device: to its host, of its part of the host's memory */
    int64_t host_kib;    /* of its host's memory, one device's part */
} memx_share;

typedef struct memx_shape {
    memx_stage_spec spec; /* link_gbs unset: each share has its own */
    int64_t hop_before_ns, hop_after_ns;
    int64_t
        wrap_ns; /* of the first and the last: what a chunk's message between them is on average */
    int64_t tied_sync_ns; /* sync of a tied embedding with the other end of the pipeline */
    int32_t sync_nodes;   /* that a gradient ring touches */
    double sync_link_gbs, sync_inter_gbs;
    int32_t share_count;
    memx_share *shares;
} memx_shape;

/* Searches hold millions: no padding, and nothing that the rest tells. */
typedef struct memx_option {
    int64_t forward_ns, time_ns, slot_ns; /* time: forward and backward, of a chunk */
    int64_t sync_ns, tail_ns;             /* exposed sync; that and the optimizer step */
    int64_t peak_kib;                     /* greatest over its GPUs */
    int64_t free_kib; /* least over its GPUs, of the whole card; negative: does not fit */
    double
        free_share; /* least over its GPUs, of the card or of its part of the host where that is used */
    int64_t s1;
    memx_u128 s2;
    int64_t short_kib;   /* beyond what the job may use, of a card or of a host; 0 when it fits */
    int32_t tightest;    /* index of the share with the least free share */
    int32_t short_share; /* of the one with the greatest short_kib */
    bool extrapolated;   /* any of its shares */
    bool short_on_host;  /* short_kib is of a host */
} memx_option;

static inline int64_t memx_option_backward_ns(const memx_option *option) {
    return option->time_ns - option->forward_ns;
}

/* The fixed part of a pipeline: its stages' shapes and the hops between them. */
typedef struct memx_plan {
    const memx_job *job;
    const memx_knobs *knobs;
    memx_model model;      /* as these knobs train it */
    int64_t layers;        /* that the stages' chunks share out: the model's over vp */
    int64_t micro_batches; /* m */
    int64_t slots;         /* m v: forwards of a stage in an iteration */
    int64_t hops_ns;       /* sum over boundaries, one way */
    int64_t wrap_ns;       /* from the last stage to the first; 0 without chunks */
    int32_t stage_count;
    memx_shape *shapes;
} memx_plan;

/* Knobs must fit (memx_knobs_misfit). The plan keeps pointers to job and knobs. */
memx_status memx_plan_build(const memx_job *job, const memx_knobs *knobs,
                            const memx_placement *placement, memx_plan *out, memx_error *error);
void memx_plan_free(memx_plan *plan);

/* Which of the shape's shares the devices of one of its nodes are in. */
int32_t memx_shape_share(const memx_job *job, const memx_shape *shape, const memx_node *node);

/* Prices choices on a shape. A level that uses the host wants to know the way there: MEMX_INVALID. */
memx_status memx_plan_options(const memx_plan *plan, const memx_shape *shape,
                              const memx_pricer *pricer, const memx_stage_choice *choices,
                              size_t count, memx_option *out, memx_error *error);

/* The price of a choice on one of the shape's shares. */
memx_status memx_plan_price(const memx_plan *plan, const memx_shape *shape, int32_t share,
                            const memx_pricer *pricer, const memx_stage_choice *choice,
                            memx_stage_price *out, memx_error *error);

typedef struct memx_measures {
    int64_t iteration_ns;
    int64_t slowest_ns; /* stage time of the slowest stage, of a chunk */
    int64_t p2p_ns;     /* exposed: what the iteration would save without transfers */
    int64_t sync_ns;    /* exposed */
    int64_t peak_kib;
    int64_t free_kib;  /* least over all GPUs */
    double free_share; /* least over all GPUs */
    memx_u128 moment;  /* N s2 - s1^2: variance times N^2, exact */
    int32_t slowest, tightest;
    bool fits;
} memx_measures;

/* `options[s]` is the option of stage s. */
void memx_plan_measure(const memx_plan *plan, const memx_option *const *options,
                       memx_measures *out);

/* An iteration with this greatest slot, and the rest. */
static inline int64_t memx_plan_iteration_ns(const memx_plan *plan, int64_t slot_ns,
                                             int64_t rest_ns) {
    return memx_pipeline_total_ns(plan->slots, slot_ns, rest_ns);
}

/* One stage at another option: what the iteration then measures, and what each MiB that the stage
** saves costs in ms of its own time (of all chunks) and of the iteration; NAN where it saves nothing. */
typedef struct memx_move {
    memx_measures after;
    double rate_local, rate_iteration;
} memx_move;

/* `now` measures `options`, which are changed and put back. */
void memx_plan_move(const memx_plan *plan, const memx_option **options, const memx_measures *now,
                    int32_t stage, const memx_option *then, memx_move *out);

/* Event simulation of the same options, with the same tail and overhead. */
memx_status memx_plan_simulate(const memx_plan *plan, const memx_option *const *options,
                               const memx_poll *poll, int64_t *out_ns);

/* The same, its pipeline watched (NULL: by nobody). */
memx_status memx_plan_watch(const memx_plan *plan, const memx_option *const *options,
                            const memx_poll *poll, const memx_task_watch *watch, int64_t *out_ns);

/* Units that users see. */
double memx_variance_mib2(memx_u128 moment, int64_t gpus);
/* NAN where the iteration is saturated. */
double memx_bubble(const memx_plan *plan, const memx_measures *measures);
double memx_tokens_per_s(const memx_plan *plan, int64_t iteration_ns);
double memx_tflops_per_gpu(const memx_plan *plan, int64_t iteration_ns);

#endif
