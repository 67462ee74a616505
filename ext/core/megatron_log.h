/*
** Training logs of Megatron-LM, of any age, and of what descends from it.
**
**   tensor_model_parallel_size ...................... 2
**   iteration   10/   100 | ... | elapsed time per iteration (ms): 1993.9 | ... global batch size:  64 |
**   [Rank 0] (after 10 iterations) memory (MB) | allocated: 3270.1 | max allocated: 5670.3 | reserved: ...
**       forward-compute ................................: (1855.21, 1860.51)
**   [rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.20 GiB. ...
**
** Lines may carry what launchers put before them (`3: `, `[default3]:`, `[rank3]:`, times), and several
** ranks may stand on one line. What is none of these is passed over; what is one of them and cannot be
** read is noted with its line. A file may hold several runs: a block of arguments behind measurements
** begins the next.
*/
#ifndef MEMX_CORE_MEGATRON_LOG_H
#define MEMX_CORE_MEGATRON_LOG_H

#include "core/lines.h"
#include "core/megatron.h"
#include "core/text.h"

typedef struct memx_log_iteration {
    int64_t number, batch; /* -1: not said */
    double ms, tflops;     /* tflops: per GPU, NAN: not said */
    double forward_ms,
        backward_ms; /* of all micro batches, on the slowest rank, by timers; NAN: not said */
} memx_log_iteration;

/* The greatest that a rank reports, MiB; NAN: not said. */
typedef struct memx_log_gpu {
    int64_t rank;
    double allocated_mib, reserved_mib, total_mib;
} memx_log_gpu;

typedef struct memx_log_run {
    memx_megatron arguments;
    int64_t first_line;
    memx_log_iteration *iterations;
    size_t iteration_count, iteration_capacity;
    size_t unread;      /* iterations behind the first whose lines could not be read */
    memx_log_gpu *gpus; /* once the log is read: one of each rank, ascending */
    size_t gpu_count, gpu_capacity;
    int64_t oom_line;            /* of the first; 0: none that ended the run */
    int64_t oom_rank;            /* -1: not known */
    int64_t oom_task, oom_local; /* numbers that a launcher gave the line; -1: none */
    int64_t iterations_after_oom;
} memx_log_run;

typedef struct memx_log {
    memx_log_run *runs;
    size_t run_count;
    int64_t lines;
    int64_t most_task, most_local; /* greatest numbers of launchers; -1: none */
    memx_text notes;               /* "line 214: ...; line 300: ...", the first few */
    int64_t note_count;
} memx_log;

/* MEMX_INVALID where it is no such log. On any failure *out is empty. */
memx_status memx_log_read(memx_span text, const memx_poll *poll, memx_log *out, memx_error *error);
void memx_log_free(memx_log *log);

/* Times of a run. Of n lines, those that cannot be read among them, the first n/2, at most five, are
** warm-up and left out; so are those of another global batch than the arguments', or, where none has
** that, than the commonest. NAN where there are none. */
typedef struct memx_log_times {
    int64_t lines, warm_up; /* lines: warm-up among them */
    double median_ms, mean_ms, tflops;
    double compute_ms; /* forward and backward */
    int64_t batch;     /* -1: not said */
} memx_log_times;

memx_status memx_log_times_of(const memx_log_run *run, memx_log_times *out);

#endif
