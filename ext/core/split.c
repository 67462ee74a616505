#include "core/split.h"

#include "core/heap.h"

#include <math.h>

void memx_split_proportional(const double *weights, int32_t stages, int64_t layers, int64_t *out) {
    double sum = 0.0;
    int64_t given = 0;
    for (int32_t s = 0; s < stages; s++) sum += weights[s];
    for (int32_t s = 0; s < stages; s++) {
        out[s] = (int64_t)floor((double)layers * weights[s] / sum);
        if (out[s] < 1) out[s] = 1;
        given += out[s];
    }
    /* One at a time to, or from, the stage farthest below, or above, its share. */
    for (; given != layers; given += given < layers ? 1 : -1) {
        int32_t pick = -1;
        double farthest = -INFINITY, direction = given < layers ? 1.0 : -1.0;
        for (int32_t s = 0; s < stages; s++) {
            double off = direction * ((double)layers * weights[s] / sum - (double)out[s]);
            /* Equal remainders must not part by rounding: ties go to earlier stages. */
            if ((direction > 0.0 || out[s] > 1) && off > farthest + 1e-9) {
                farthest = off;
                pick = s;
            }
        }
        out[pick] += given < layers ? 1 : -1;
    }
}

static bool before(const memx_split_next *a, const memx_split_next *b) {
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->stage < b->stage;
}

MEMX_HEAP(stages, memx_split_next, before)

/* The heap holds the stages that may have one layer more: only the one that was just given one is
** priced again. */
static bool fill(memx_split_price price, void *context, int32_t stages, int64_t layers,
                 int64_t least, bool within_memory, memx_split_next *heap, int64_t *out) {
    size_t count = 0;
    for (int32_t s = 0; s < stages; s++) {
        out[s] = s == 0 ? least : 1;
        if (within_memory && !price(context, s, out[s]).fits) return false;
        memx_split_cost next = price(context, s, out[s] + 1);
        if (next.fits || !within_memory) heap[count++] = (memx_split_next){next.time_ns, s};
    }
    for (size_t i = count / 2; i-- > 0;) stages_sink(heap, count, i);
    for (int64_t given = stages - 1 + least; given < layers; given++) {
        if (count == 0) return false;
        int32_t pick = heap[0].stage;
        memx_split_cost next = price(context, pick, ++out[pick] + 1);
        if (next.fits || !within_memory) {
            heap[0].time_ns = next.time_ns;
        } else {
            heap[0] = heap[--count];
        }
        stages_sink(heap, count, 0);
    }
    return true;
}

void memx_split_time(memx_split_price price, void *context, int32_t stages, int64_t layers,
                     int64_t least, memx_split_next *scratch, int64_t *out) {
    if (!fill(price, context, stages, layers, least, true, scratch, out)) {
        fill(price, context, stages, layers, least, false, scratch, out);
    }
}

void memx_split_static(const memx_plan *plan, memx_split_rule rule, double *scratch, int64_t *out) {
    for (int32_t s = 0; s < plan->stage_count; s++) {
        const memx_shape *shape = &plan->shapes[s];
        scratch[s] = rule == MEMX_SPLIT_UNIFORM ? 1.0 : INFINITY;
        for (int32_t i = 0; i < shape->share_count && rule != MEMX_SPLIT_UNIFORM; i++) {
            const memx_device *d = &plan->job->devices[shape->shares[i].device];
            double weight = rule == MEMX_SPLIT_COMPUTE ? memx_reached_tflops(d) : d->memory_mib;
            scratch[s] = fmin(scratch[s], weight);
        }
    }
    memx_split_proportional(scratch, plan->stage_count, plan->layers, out);
    /* What the first stage still needs comes from whichever has most, ties from later ones. */
    for (int64_t least = memx_stage_least_layers(&plan->model, true); out[0] < least; out[0]++) {
        int32_t most = 1;
        for (int32_t s = 2; s < plan->stage_count; s++) most = out[s] >= out[most] ? s : most;
        out[most]--;
    }
}
