/*
** The 1F1B schedule (one forward, one backward; PipeDream-Flush, Megatron-LM's default) of p stages
** and m micro batches: what it holds in flight, how long an iteration takes, and a simulation of
** it. All times are whole nanoseconds.
**
**   stage 0  F1 F2 F3 F4 B1 F5 B2 F6 B3 ...
**   stage 1     F1 F2 F3 B1 F4 B2 F5 ...
**   stage 2        F1 F2 B1 F3 B2 ...
**   stage 3           F1 B1 F2 B2 ...
*/
#ifndef MEMX_CORE_PIPELINE_H
#define MEMX_CORE_PIPELINE_H

#include "core/status.h"
#include "core/whole.h"

#include <stdbool.h>
#include <stdint.h>

/* Micro batches whose activations stage `stage` (from 0) holds at once: min(m, p - stage).
** arXiv:2205.05198 appendix C. */
int64_t memx_in_flight(int64_t micro_batches, int64_t stages, int64_t stage);

typedef struct memx_pipeline_stage {
    int64_t forward_ns, backward_ns; /* of one micro batch, recompute in backward */
    int64_t hop_ns;                  /* one message to the next stage; 0 on the last */
} memx_pipeline_stage;

/* (m-1) max_s(t_s + (1 - overlap) c_s) + sum_s t_s + 2 sum of hops, where c_s are the messages that
** stage s sends or receives per micro batch: two over each of its boundaries. With overlap 1 this
** is the MemX paper's formula; without transfers it is never below the simulation. */
int64_t memx_pipeline_formula_ns(const memx_pipeline_stage *stages, int64_t stage_count,
                                 int64_t micro_batches, double overlap);

/* (m - 1) slots and the rest of that formula; saturates, as the simulation does, since a billion micro
** batches can pass 2^63 ns. */
static inline int64_t memx_pipeline_total_ns(int64_t micro_batches, int64_t slot_ns,
                                             int64_t rest_ns) {
    __extension__ typedef __int128 wide;
    wide ns = (wide)(micro_batches - 1) * slot_ns + rest_ns;
    return ns < MEMX_MOST_ITERATION_NS ? (int64_t)ns : MEMX_MOST_ITERATION_NS;
}

/* The slot of one stage in that formula: t_s + (1 - overlap) c_s. */
int64_t memx_pipeline_slot_ns(int64_t time_ns, int64_t hop_before_ns, int64_t hop_after_ns,
                              double overlap);

/* One forward or backward of one micro batch on one stage. The stage was free from free_ns on, took
** its input in the receive_ns before start_ns, and sends its result in the send_ns after end_ns. */
typedef struct memx_task {
    int64_t stage, micro_batch; /* from 0 */
    bool forward;
    int64_t free_ns, receive_ns, start_ns, end_ns, send_ns;
} memx_task;

/* Told of every task: each stage's in their order, from free_ns 0 or the last one's end_ns + send_ns
** on. What it answers, other than MEMX_OK, ends the simulation. */
typedef struct memx_task_watch {
    memx_status (*see)(void *context, const memx_task *task);
    void *context;
} memx_task_watch;

/* The same schedule, event by event: a stage starts a task when it is free and its input has
** arrived; a message takes hop_ns, and keeps its two ends busy for (1 - overlap) of that.
** O(p m) time, O(p min(m, p)) memory. MEMX_NOMEM, MEMX_INTERRUPTED. */
memx_status memx_pipeline_simulate_ns(const memx_pipeline_stage *stages, int64_t stage_count,
                                      int64_t micro_batches, double overlap, const memx_poll *poll,
                                      int64_t *out);

/* The same, watched (NULL: by nobody). */
memx_status memx_pipeline_watch_ns(const memx_pipeline_stage *stages, int64_t stage_count,
                                   int64_t micro_batches, double overlap, const memx_poll *poll,
                                   const memx_task_watch *watch, int64_t *out);

#endif
