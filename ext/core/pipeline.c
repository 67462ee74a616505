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
    int64_t hop_ns, busy_ns; /* a message to the next stage: on its way, and what it keeps busy */
    int64_t forwards, backwards; /* finished so far */
    int64_t free_ns;             /* when it can start again */
    int64_t *forward_done;       /* finish times of the last `ring` forwards, by micro batch */
    int64_t *backward_done;
} sim_stage;

/* Everything that a simulation goes by, and where it is. */
typedef struct simulation {
    const memx_pipeline_stage *stages;
    int64_t p, m, ring;
    sim_stage *sims;
    const memx_task_watch *watch;
    memx_status status; /* of the watch */
} simulation;

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
    const sim_stage *from = NULL; /* whose hop the input takes */
    int64_t hop = 0, receive = 0, input = 0, send = 0;
    if (forward && s > 0) {
        from = sim - 1;
        if (from->forwards <= j) return 0;
        input = from->forward_done[j % ring];
    } else if (!forward && s + 1 < p) {
        from = sim;
        if (sim[1].backwards <= j) return 0;
        input = sim[1].backward_done[j % ring];
    }
    if (from) {
        hop = from->hop_ns;
        receive = from->busy_ns;
    }
    int64_t start = memx_greatest(sim->free_ns + receive, input + hop);
    int64_t done = memx_capped_ns(start + (forward ? stages[s].forward_ns : stages[s].backward_ns));
    if (forward) {
        sim->forward_done[j % ring] = done;
        sim->forwards++;
        if (s + 1 < p) send = sim->busy_ns;
    } else {
        sim->backward_done[j % ring] = done;
        sim->backwards++;
        if (s > 0) send = sim[-1].busy_ns;
    }
    if (x->watch && !x->status) { /* where times saturate, one may start after its end */
        memx_task task = {s,    j,   forward, sim->free_ns, receive, memx_least(start, done),
                          done, send};
        x->status = x->watch->see(x->watch->context, &task);
    }
    sim->free_ns = memx_capped_ns(done + send);
    return 1;
}

memx_status memx_pipeline_watch_ns(const memx_pipeline_stage *stages, int64_t p, int64_t m,
                                   double overlap, const memx_poll *poll,
                                   const memx_task_watch *watch, int64_t *out) {
    simulation x = {.stages = stages, .p = p, .m = m, .ring = p + 2};
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
        sims[s].hop_ns = stages[s].hop_ns;
        sims[s].busy_ns = exposed_ns(stages[s].hop_ns, overlap);
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
