#include "core/pipeline.h"

#include "core/whole.h"

#include <math.h>
#include <stdlib.h>

static int64_t exposed_ns(int64_t ns, double overlap) {
    return llround((1.0 - overlap) * (double)ns);
}

int64_t memx_in_flight(int64_t micro_batches, int64_t stages, int64_t stage) {
    return memx_least(micro_batches, stages - stage);
}

int64_t memx_pipeline_slot_ns(int64_t time_ns, int64_t hop_before_ns, int64_t hop_after_ns,
                              double overlap) {
    return time_ns + exposed_ns(2 * (hop_before_ns + hop_after_ns), overlap);
}

int64_t memx_pipeline_formula_ns(const memx_pipeline_stage *stages, int64_t stage_count,
                                 int64_t micro_batches, double overlap) {
    int64_t slot = 0, sum = 0, before = 0;
    for (int64_t s = 0; s < stage_count; s++) {
        int64_t after = s + 1 < stage_count ? stages[s].hop_ns : 0;
        int64_t time = stages[s].forward_ns + stages[s].backward_ns;
        slot = memx_greatest(slot, memx_pipeline_slot_ns(time, before, after, overlap));
        sum += time + 2 * after;
        before = after;
    }
    return memx_pipeline_total_ns(micro_batches, slot, sum);
}

/* One stage's place in its task list. */
typedef struct sim_stage {
    int64_t forwards, backwards; /* finished so far */
    int64_t free_ns;             /* when it can start again */
    int64_t *forward_done;       /* finish times of the last `ring` forwards, by micro batch */
    int64_t *backward_done;
} sim_stage;

/* Everything that a simulation goes by, and where it is. */
typedef struct simulation {
    const memx_pipeline_stage *stages;
    int64_t p, m, ring;
    double overlap;
    sim_stage *sims;
    const memx_task_watch *watch;
    memx_status status; /* of the watch */
} simulation;

static void tell(simulation *x, int64_t s, int64_t j, bool forward, const int64_t times[5]) {
    memx_task task = {s, j, forward, times[0], times[1], times[2], times[3], times[4]};
    task.start_ns = memx_least(task.start_ns, task.end_ns); /* where times saturate */
    if (!x->status) x->status = x->watch->see(x->watch->context, &task);
}

/* Runs a stage's next task if its input exists. The ring of p + 2 finish times suffices: a stage
** runs at most p - s forwards ahead of the backward that its neighbour's forward makes possible. */
static int run_next(simulation *x, int64_t s) {
    const memx_pipeline_stage *stages = x->stages;
    sim_stage *sim = &x->sims[s];
    int64_t p = x->p, m = x->m, ring = x->ring;
    int64_t warm_up = memx_least(m, p - s - 1);
    bool forward = sim->forwards < m && sim->forwards - sim->backwards <= warm_up;
    int64_t j = forward ? sim->forwards : sim->backwards;
    if (j == m) return 0;
    int64_t hop = 0, input = 0;
    if (forward && s > 0) {
        if (x->sims[s - 1].forwards <= j) return 0;
        hop = stages[s - 1].hop_ns;
        input = x->sims[s - 1].forward_done[j % ring];
    } else if (!forward && s + 1 < p) {
        if (x->sims[s + 1].backwards <= j) return 0;
        hop = stages[s].hop_ns;
        input = x->sims[s + 1].backward_done[j % ring];
    }
    int64_t receive = exposed_ns(hop, x->overlap);
    int64_t start = memx_greatest(sim->free_ns + receive, input + hop);
    int64_t done = memx_capped_ns(start + (forward ? stages[s].forward_ns : stages[s].backward_ns));
    int64_t sent = 0;
    if (forward) {
        sim->forward_done[j % ring] = done;
        sim->forwards++;
        if (s + 1 < p) sent = stages[s].hop_ns;
    } else {
        sim->backward_done[j % ring] = done;
        sim->backwards++;
        if (s > 0) sent = stages[s - 1].hop_ns;
    }
    int64_t send = exposed_ns(sent, x->overlap);
    if (x->watch) {
        tell(x, s, j, forward, (const int64_t[5]){sim->free_ns, receive, start, done, send});
    }
    sim->free_ns = memx_capped_ns(done + send);
    return 1;
}

memx_status memx_pipeline_watch_ns(const memx_pipeline_stage *stages, int64_t p, int64_t m,
                                   double overlap, const memx_poll *poll,
                                   const memx_task_watch *watch, int64_t *out) {
    simulation x = {.stages = stages, .p = p, .m = m, .ring = p + 2, .overlap = overlap};
    int64_t unpolled = 0, end = 0;
    sim_stage *sims = calloc((size_t)p, sizeof *sims);
    int64_t *times = calloc((size_t)(2 * p * x.ring), sizeof *times);
    memx_status status = sims && times ? MEMX_OK : MEMX_NOMEM;
    if (status) goto cleanup;
    x.sims = sims;
    x.watch = watch;
    for (int64_t s = 0; s < p; s++) {
        sims[s].forward_done = times + 2 * s * x.ring;
        sims[s].backward_done = times + (2 * s + 1) * x.ring;
    }
    while (sims[0].backwards < m && !x.status) {
        for (int64_t s = 0; s < p; s++) unpolled += run_next(&x, s);
        for (int64_t s = p; s-- > 0;) unpolled += run_next(&x, s);
        if (unpolled > 100000) {
            unpolled = 0;
            if (memx_poll_stop(poll)) {
                status = MEMX_INTERRUPTED;
                goto cleanup;
            }
        }
    }
    status = x.status;
    for (int64_t s = 0; s < p; s++) {
        end = memx_greatest(end, sims[s].backward_done[(m - 1) % x.ring]);
    }
    *out = end;
cleanup:
    free(sims);
    free(times);
    return status;
}

memx_status memx_pipeline_simulate_ns(const memx_pipeline_stage *stages, int64_t p, int64_t m,
                                      double overlap, const memx_poll *poll, int64_t *out) {
    return memx_pipeline_watch_ns(stages, p, m, overlap, poll, NULL, out);
}
