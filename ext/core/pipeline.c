#include "core/pipeline.h"

#include "core/whole.h"

#include <math.h>
#include <stdlib.h>

static int64_t exposed_ns(int64_t ns, double overlap) {
    return llround((1.0 - overlap) * (double)ns);
}

/* Forwards of a stage before it alternates. Interleaved, the first stage's first backward waits for a
** whole group to pass all chunks but the last, and 1F1B's distance counts twice, for the sends in
** between. */
static int64_t warm_up(const memx_schedule *w, int64_t stage) {
    int64_t behind = w->stages - stage - 1, all = w->micro_batches * w->chunks;
    return memx_least(all, w->chunks == 1 ? behind : 2 * behind + (w->chunks - 1) * w->stages);
}

int64_t memx_in_flight(const memx_schedule *w, int64_t stage) {
    return memx_least(w->micro_batches * w->chunks, warm_up(w, stage) + 1);
}

int64_t memx_end_in_flight(const memx_schedule *w, int64_t stage) {
    if (w->chunks == 1) return memx_in_flight(w, stage);
    return stage == 0 ? memx_least(w->micro_batches, 2 * w->stages) : 1;
}

int64_t memx_pipeline_wrap_ns(int64_t hop_ns, int64_t chunks) {
    return hop_ns - hop_ns / chunks;
}

int64_t memx_pipeline_slot_ns(int64_t time_ns, int64_t hop_before_ns, int64_t hop_after_ns,
                              double overlap) {
    return time_ns + exposed_ns(2 * (hop_before_ns + hop_after_ns), overlap);
}

int64_t memx_pipeline_formula_ns(const memx_pipeline_stage *stages, const memx_schedule *w) {
    int64_t last = w->stages - 1, slot = 0, sum = 0;
    int64_t wrap = memx_pipeline_wrap_ns(stages[last].hop_ns, w->chunks), before = wrap;
    for (int64_t s = 0; s <= last; s++) {
        int64_t after = s < last ? stages[s].hop_ns : wrap;
        int64_t time = stages[s].forward_ns + stages[s].backward_ns;
        slot = memx_greatest(slot, memx_pipeline_slot_ns(time, before, after, w->overlap));
        sum += time + (s < last ? 2 * after : 0);
        before = after;
    }
    return memx_pipeline_total_ns(w->micro_batches * w->chunks, slot, sum);
}

/* One stage's place in its task list. */
typedef struct sim_stage {
    int64_t hop_ns, busy_ns; /* a message to the next stage: on its way, and what it keeps busy */
    int64_t warm_up;
    int64_t forwards, backwards; /* finished so far */
    int64_t free_ns;             /* when it can start again */
    int64_t *forward_done;       /* finish times of the last `ring` forwards, by their order */
    int64_t *backward_done;
} sim_stage;

/* Everything that a simulation goes by, and where it is. */
typedef struct simulation {
    const memx_pipeline_stage *stages;
    int64_t p, v, all; /* all: forwards of a stage */
    int64_t ring;
    sim_stage *sims;
    const memx_task_watch *watch;
    memx_status status; /* of the watch */
} simulation;

/* The order of tasks is the same on every stage: groups of p micro batches, in each the chunks, forward
** from the first, backward from the last. */
typedef struct unit {
    int64_t chunk, micro_batch;
} unit;

static unit unit_of(const simulation *x, int64_t order, bool forward) {
    int64_t in_group = order % (x->p * x->v), chunk = in_group / x->p;
    return (unit){forward ? chunk : x->v - 1 - chunk,
                  order / (x->p * x->v) * x->p + in_group % x->p};
}

/* The task whose result a stage's next one takes, and the message that brings it; `stage` NULL: none. */
typedef struct source {
    const sim_stage *stage, *boundary;
    int64_t order;
} source;

static source source_of(const simulation *x, int64_t s, unit of, int64_t order, bool forward) {
    sim_stage *sims = x->sims;
    int64_t last = x->p - 1;
    if (forward && s > 0) return (source){&sims[s - 1], &sims[s - 1], order};
    if (!forward && s < last) return (source){&sims[s + 1], &sims[s], order};
    bool begins = forward ? of.chunk == 0 : of.chunk == x->v - 1;
    if (begins) return (source){NULL, NULL, 0};
    /* Over the wrap, from the chunk before, p tasks earlier. */
    return (source){&sims[forward ? last : 0], &sims[last], order - x->p};
}

/* What sending a task's result keeps the stage busy for. */
static int64_t send_ns(const simulation *x, int64_t s, unit of, bool forward) {
    int64_t last = x->p - 1;
    if (forward) return s < last || of.chunk < x->v - 1 ? x->sims[s].busy_ns : 0;
    if (s > 0) return x->sims[s - 1].busy_ns;
    return of.chunk > 0 ? x->sims[last].busy_ns : 0;
}

/* Runs a stage's next task if its input exists. */
static int run_next(simulation *x, int64_t s) {
    sim_stage *sim = &x->sims[s];
    bool forward = sim->forwards < x->all && sim->forwards - sim->backwards <= sim->warm_up;
    int64_t order = forward ? sim->forwards : sim->backwards, ready = 0, receive = 0;
    if (order == x->all) return 0;
    const unit of = unit_of(x, order, forward);
    const source from = source_of(x, s, of, order, forward);
    if (from.stage) {
        if ((forward ? from.stage->forwards : from.stage->backwards) <= from.order) return 0;
        const int64_t *done = forward ? from.stage->forward_done : from.stage->backward_done;
        ready = done[from.order % x->ring] + from.boundary->hop_ns;
        receive = from.boundary->busy_ns;
    }
    const memx_pipeline_stage *stage = &x->stages[s];
    int64_t start = memx_greatest(sim->free_ns + receive, ready);
    int64_t done = memx_capped_ns(start + (forward ? stage->forward_ns : stage->backward_ns));
    int64_t send = send_ns(x, s, of, forward);
    (forward ? sim->forward_done : sim->backward_done)[order % x->ring] = done;
    sim->forwards += forward;
    sim->backwards += !forward;
    if (x->watch && !x->status) { /* where times saturate, one may start after its end */
        memx_task task = {s,       of.chunk,     of.micro_batch, order,
                          forward, sim->free_ns, receive,        memx_least(start, done),
                          done,    send};
        x->status = x->watch->see(x->watch->context, &task);
    }
    sim->free_ns = memx_capped_ns(done + send);
    return 1;
}

memx_status memx_pipeline_simulate_ns(const memx_pipeline_stage *stages, const memx_schedule *w,
                                      const memx_poll *poll, const memx_task_watch *watch,
                                      int64_t *out) {
    int64_t p = w->stages, v = w->chunks, all = w->micro_batches * v, unpolled = 0, end = 0;
    *out = 0;
    if (p < 1 || v < 1 || all < 1) return MEMX_OK; /* nothing takes no time */
    /* A stage has at most (v + 1) p chunks in flight, and a backward that has come says that its group went
    ** forward everywhere: whoever reads a time is less than so many tasks behind whoever writes it. */
    simulation x = {.stages = stages, .p = p, .v = v, .all = all, .watch = watch};
    x.ring = v == 1 ? p + 2 : memx_least(all, (3 * v + 1) * p + 2);
    sim_stage *sims = calloc((size_t)p, sizeof *sims);
    int64_t *times = calloc((size_t)(2 * p * x.ring), sizeof *times);
    memx_status status = sims && times ? MEMX_OK : MEMX_NOMEM;
    if (status) goto cleanup;
    x.sims = sims;
    for (int64_t s = 0; s < p; s++) {
        sims[s].forward_done = times + 2 * s * x.ring;
        sims[s].backward_done = times + (2 * s + 1) * x.ring;
        sims[s].hop_ns = stages[s].hop_ns;
        sims[s].busy_ns = exposed_ns(stages[s].hop_ns, w->overlap);
        sims[s].warm_up = warm_up(w, s);
    }
    while (sims[0].backwards < all && !x.status) {
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
        end = memx_greatest(end, sims[s].backward_done[(all - 1) % x.ring]);
    }
    *out = end;
cleanup:
    free(sims);
    free(times);
    return status;
}
