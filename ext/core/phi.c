#include "core/phi.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    memx_weights weights;
} shipped[] = {
    {"default", {0.4, 0.2, 0.4, 1e-6}},
    {"safe", {0.3, 0.5, 0.2, 1e-6}},
    {"throughput", {0.7, 0.2, 0.1, 1e-6}},
};

const memx_weights *memx_weights_shipped(const char *name) {
    for (size_t i = 0; i < sizeof shipped / sizeof shipped[0]; i++) {
        if (strcmp(shipped[i].name, name) == 0) return &shipped[i].weights;
    }
    return NULL;
}

/* (greatest - least) / greatest of a figure over the job's devices. */
static double spread(const memx_job *job, double (*figure)(const memx_device *)) {
    double least = INFINITY, most = 0.0;
    for (int32_t i = 0; i < job->device_count; i++) {
        least = fmin(least, figure(&job->devices[i]));
        most = fmax(most, figure(&job->devices[i]));
    }
    return (most - least) / most;
}

static double memory(const memx_device *device) {
    return device->memory_mib;
}

const char *memx_weights_auto(const memx_job *job, double fastest_free_share) {
    if (fastest_free_share < 0.10) return "safe";
    return spread(job, memory) < 0.1 && spread(job, memx_reached_tflops) < 0.1 ? "throughput"
                                                                               : "default";
}

static bool share(double x) {
    return x >= 0.0 && x <= 1.0;
}

memx_status memx_weights_check(const memx_weights *w, memx_error *error) {
    if (!share(w->time) || !share(w->peak) || !share(w->variance)) {
        return memx_invalid(error, "%g, %g, %g: each must be from 0 to 1", w->time, w->peak,
                            w->variance);
    }
    double sum = w->time + w->peak + w->variance;
    if (fabs(sum - 1.0) > 1e-9) {
        return memx_invalid(error, "%g, %g, %g add up to %g; they must add up to 1", w->time,
                            w->peak, w->variance, sum);
    }
    if (!(isfinite(w->epsilon) && w->epsilon > 0.0)) {
        return memx_invalid(error, "epsilon is %g; write a positive number of MiB^2, as 1e-6",
                            w->epsilon);
    }
    return MEMX_OK;
}

double memx_phi(double time, double peak, double variance, const memx_weights *w) {
    return pow(time, w->time) * pow(peak, w->peak) * pow(variance + w->epsilon, w->variance);
}
