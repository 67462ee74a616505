/*
** The 1F1B schedule (one forward, one backward; PipeDream-Flush, Megatron-LM's default) of p stages
** and m micro batches: what it holds in flight, how long an iteration takes, and a simulation of
** it. All times are whole nanoseconds.
**
**   stage 0  F1 F2 F3 F4 B1 F5 B2 F6 B3 ...
**   stage 1     F1 F2 F3 B1 F4 B2 F5 ...
**   stage 2        F1 F2 B1 F3 B2 ...
**   stage 3           F1 B1 F2 B2 ...
**
** Interleaved (arXiv:2104.04473 section 2.2), a stage has v chunks of the layers instead of one: chunk
** c of all stages comes before chunk c + 1 of the first, so that the last stage sends to the first,
** over the wrap. Micro batches go in groups of p, of which m must be a multiple: each group through
** chunk 0, then through chunk 1, backward through the last chunk first. A stage then counts m v
** forwards and backwards, of a chunk each.
*/
#ifndef MEMX_CORE_PIPELINE_H
#define MEMX_CORE_PIPELINE_H

#include "core/status.h"
#include "core/whole.h"

#include <stdbool.h>
#include <stdint.h>

/* The shape of a schedule. */
typedef struct memx_schedule {
    int64_t stages, chunks; /* p, v */
    int64_t micro_batches;  /* m */
    double overlap;         /* share of messages that keeps nobody busy, 0 to 1 */
} memx_schedule;

/* Chunks whose activations stage `stage` (from 0) holds at once: min(m, p - stage), arXiv:2205.05198
** appendix C; interleaved min(m v, 2 (p - stage - 1) + (v - 1) p + 1), as Megatron-LM warms up. */
int64_t memx_in_flight(const memx_schedule *schedule, int64_t stage);

/* Of these on the first stage at most so many of its first chunk, on the last of its last one. */
int64_t memx_end_in_flight(const memx_schedule *schedule, int64_t stage);

typedef struct memx_pipeline_stage {
    int64_t forward_ns, backward_ns; /* of one micro batch in one chunk, recompute in backward */
    int64_t
        hop_ns; /* one message to the next stage; of the last one over the wrap, 0 without chunks */
} memx_pipeline_stage;

/* (m v - 1) max_s(t_s + (1 - overlap) c_s) + sum_s t_s + 2 sum of hops, where t_s is of one chunk and
** c_s are the messages that stage s sends or receives with it: two over each of its boundaries. With
** overlap 1 and v 1 this is the MemX paper's formula, never below the simulation without transfers; of
** equal stages it is exact: the bubble is (p - 1) / (v m) of the rest, arXiv:2104.04473 section 2.2.2.
** For tests: a plan adds it up from what follows, since a search does so stage by stage. */
int64_t memx_pipeline_formula_ns(const memx_pipeline_stage *stages, const memx_schedule *schedule);

/* What a stage's message over the wrap is per chunk: all chunks but one have it. */
int64_t memx_pipeline_wrap_ns(int64_t hop_ns, int64_t chunks);

/* All slots but one, m v - 1, and the rest of that formula; saturates, as the simulation does, since a
** billion micro batches can pass 2^63 ns. */
static inline int64_t memx_pipeline_total_ns(int64_t slots, int64_t slot_ns, int64_t rest_ns) {
    __extension__ typedef __int128 wide;
    wide ns = (wide)(slots - 1) * slot_ns + rest_ns;
    return ns < MEMX_MOST_ITERATION_NS ? (int64_t)ns : MEMX_MOST_ITERATION_NS;
}

/* The slot of one stage in that formula: t_s + (1 - overlap) c_s. */
int64_t memx_pipeline_slot_ns(int64_t time_ns, int64_t hop_before_ns, int64_t hop_after_ns,
                              double overlap);

/* One forward or backward of one micro batch in one chunk of a stage. The stage was free from free_ns
** on, took its input in the receive_ns before start_ns, and sends its result in the send_ns after
** end_ns. */
typedef struct memx_task {
    int64_t stage, chunk, micro_batch; /* from 0 */
    int64_t order;                     /* from 0: among the stage's forwards, or its backwards */
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
** O(p m v) time, O(p^2 v) memory. watch NULL: nobody watches. MEMX_NOMEM, MEMX_INTERRUPTED. */
memx_status memx_pipeline_simulate_ns(const memx_pipeline_stage *stages,
                                      const memx_schedule *schedule, const memx_poll *poll,
                                      const memx_task_watch *watch, int64_t *out);

#endif
