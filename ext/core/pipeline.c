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

/* Runs a stage's next task if its input exists. The ring of p + 2 finish times suffices: a stage
** runs at most p - s forwards ahead of the backward that its neighbour's forward makes possible. */
static int run_next(sim_stage *sims, const memx_pipeline_stage *stages, int64_t p, int64_t m,
                    int64_t s, int64_t ring, double overlap) {
    sim_stage *sim = &sims[s];
    int64_t warm_up = memx_least(m, p - s - 1);
    int forward = sim->forwards < m && sim->forwards - sim->backwards <= warm_up;
    int64_t j = forward ? sim->forwards : sim->backwards;
    int64_t hop = 0, input = 0;
    if (forward && s > 0) {
        if (sims[s - 1].forwards <= j) return 0;
        hop = stages[s - 1].hop_ns;
        input = sims[s - 1].forward_done[j % ring];
    } else if (!forward && s + 1 < p) {
        if (sims[s + 1].backwards <= j) return 0;
        hop = stages[s].hop_ns;
        input = sims[s + 1].backward_done[j % ring];
    }
    int64_t start = memx_greatest(sim->free_ns + exposed_ns(hop, overlap), input + hop);
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
    sim->free_ns = memx_capped_ns(done + exposed_ns(sent, overlap));
    return 1;
}

memx_status memx_pipeline_simulate_ns(const memx_pipeline_stage *stages, int64_t p, int64_t m,
                                      double overlap, const memx_poll *poll, int64_t *out) {
    int64_t ring = p + 2, unpolled = 0, end = 0;
    sim_stage *sims = calloc((size_t)p, sizeof *sims);
    int64_t *times = calloc((size_t)(2 * p * ring), sizeof *times);
    memx_status status = sims && times ? MEMX_OK : MEMX_NOMEM;
    if (status) goto cleanup;
    for (int64_t s = 0; s < p; s++) {
        sims[s].forward_done = times + 2 * s * ring;
        sims[s].backward_done = times + (2 * s + 1) * ring;
    }
    while (sims[0].backwards < m) {
        for (int64_t s = 0; s < p; s++) unpolled += run_next(sims, stages, p, m, s, ring, overlap);
        for (int64_t s = p; s-- > 0;) unpolled += run_next(sims, stages, p, m, s, ring, overlap);
        if (unpolled > 100000) {
            unpolled = 0;
            if (memx_poll_stop(poll)) {
                status = MEMX_INTERRUPTED;
                goto cleanup;
            }
        }
    }
    for (int64_t s = 0; s < p; s++) {
        end = memx_greatest(end, sims[s].backward_done[(m - 1) % ring]);
    }
    *out = end;
cleanup:
    free(sims);
    free(times);
    return status;
}
