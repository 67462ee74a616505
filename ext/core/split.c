#include "core/split.h"

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

/* next[s] is the cost of stage s with one layer more than it has: only the stage that was just
** given one is priced again. */
static bool fill(memx_split_price price, void *context, int32_t stages, int64_t layers,
                 bool within_memory, memx_split_cost *next, int64_t *out) {
    for (int32_t s = 0; s < stages; s++) {
        out[s] = 1;
        if (within_memory && !price(context, s, 1).fits) return false;
        next[s] = price(context, s, 2);
    }
    for (int64_t given = stages; given < layers; given++) {
        int32_t pick = -1;
        for (int32_t s = 0; s < stages; s++) {
            if (within_memory && !next[s].fits) continue;
            if (pick < 0 || next[s].time_ns < next[pick].time_ns) pick = s;
        }
        if (pick < 0) return false;
        out[pick]++;
        next[pick] = price(context, pick, out[pick] + 1);
    }
    return true;
}

void memx_split_time(memx_split_price price, void *context, int32_t stages, int64_t layers,
                     memx_split_cost *scratch, int64_t *out) {
    if (!fill(price, context, stages, layers, true, scratch, out)) {
        fill(price, context, stages, layers, false, scratch, out);
    }
}

void memx_split_static(const memx_plan *plan, memx_split_rule rule, double *scratch, int64_t *out) {
    for (int32_t s = 0; s < plan->stage_count; s++) {
        const memx_shape *shape = &plan->shapes[s];
        scratch[s] = rule == MEMX_SPLIT_UNIFORM ? 1.0 : INFINITY;
        for (int32_t i = 0; i < shape->share_count && rule != MEMX_SPLIT_UNIFORM; i++) {
            const memx_device *d = &plan->job->devices[shape->shares[i].device];
            double weight =
                rule == MEMX_SPLIT_COMPUTE ? d->peak_tflops * d->efficiency : d->memory_mib;
            scratch[s] = fmin(scratch[s], weight);
        }
    }
    memx_split_proportional(scratch, plan->stage_count, plan->model.layers, out);
}
