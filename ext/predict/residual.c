#include "predict/residual.h"

#include "core/whole.h"

#include <math.h>
#include <stdlib.h>

/* A stage within this of a range, in doublings over all sizes, is as good as inside. */
static const double OUTSIDE = 0.1;

void memx_residual_free(memx_residual *r) {
    for (int i = 0; i < MEMX_OUTPUT_COUNT; i++) memx_forest_free(&r->outputs[i].trees);
    free(r->calibrations);
    *r = (memx_residual){.name = ""};
}

void memx_residual_distances(const memx_residual *r, const float *features, size_t count,
                             double *out) {
    for (size_t i = 0; i < count; i++) out[i] = 0.0;
    for (int f = 0; f < MEMX_FEATURE_COUNT; f++) {
        double least = (double)r->least[f], most = (double)r->most[f];
        if (!memx_feature_is_size((memx_feature)f)) continue;
        for (size_t i = 0; i < count; i++) {
            double x = (double)features[i * MEMX_FEATURE_COUNT + (size_t)f];
            if (x < least) out[i] += least - x; /* a missing one is neither */
            if (x > most) out[i] += x - most;
        }
    }
}

void memx_residual_factors(const memx_residual *r, memx_output output, const float *features,
                           const double *distances, size_t count, float *scratch, double *out) {
    double clip = r->outputs[output].clip;
    if (!r->outputs[output].used) {
        for (size_t i = 0; i < count; i++) out[i] = 0.0;
        return;
    }
    memx_forest_sum(&r->outputs[output].trees, features, count, scratch);
    for (size_t i = 0; i < count; i++) {
        double ln = r->outputs[output].mean + r->outputs[output].sd * (double)scratch[i];
        out[i] = exp2(-2.0 * distances[i]) * fmax(-clip, fmin(clip, ln));
    }
}

/* ---- pricing ---- */

static void scale(memx_stage_price *price, double time, double peak) {
    memx_stage_memory *m = &price->memory;
    price->forward_ns = memx_scaled(price->forward_ns, time, 0.0, MEMX_MOST_NS);
    price->backward_ns = memx_scaled(price->backward_ns, time, 0.0, MEMX_MOST_NS);
    m->static_kib = memx_scaled(m->static_kib, peak, 0.0, MEMX_MOST_KIB);
    m->activation_kib = memx_scaled(m->activation_kib, peak, 0.0, MEMX_MOST_KIB);
    m->work_kib = memx_scaled(m->work_kib, peak, 0.0, MEMX_MOST_KIB);
    m->logits_kib = memx_scaled(m->logits_kib, peak, 0.0, MEMX_MOST_KIB);
    m->optimizer_kib = memx_scaled(m->optimizer_kib, peak, 0.0, MEMX_MOST_KIB);
}

/* Corrects calibrated prices by the trees. */
static memx_status correct(const memx_residual *r, const memx_device *device,
                           const memx_stage_spec *spec, const memx_stage_choice *choices,
                           size_t count, memx_stage_price *out) {
    float *features = malloc(count * (MEMX_FEATURE_COUNT + 1) * sizeof *features);
    double *factors = malloc(3 * count * sizeof *factors);
    if (!features || !factors) {
        free(features);
        free(factors);
        return MEMX_NOMEM;
    }
    float *scratch = features + count * MEMX_FEATURE_COUNT;
    double *distances = factors + 2 * count;
    memx_features(device, spec, choices, out, count, features);
    memx_residual_distances(r, features, count, distances);
    memx_residual_factors(r, MEMX_OUTPUT_TIME, features, distances, count, scratch, factors);
    memx_residual_factors(r, MEMX_OUTPUT_PEAK, features, distances, count, scratch,
                          factors + count);
    for (size_t i = 0; i < count; i++) {
        scale(&out[i], exp(factors[i]), exp(factors[count + i]));
        /* No stage was measured whose host helps. */
        out[i].extrapolated = distances[i] > OUTSIDE || memx_level_uses_host(choices[i].level);
    }
    free(features);
    free(factors);
    return MEMX_OK;
}

static memx_status price(void *context, const memx_job *job, int32_t device,
                         const memx_stage_spec *spec, const memx_stage_choice *choices,
                         size_t count, memx_stage_price *out, memx_error *error) {
    const memx_residual *r = context;
    const memx_device *d = &job->devices[device];
    (void)error;
    if (!memx_calibrations_price(r->calibrations, r->calibration_count, d, &job->framework, spec,
                                 choices, count, out)) { /* a device that it has not seen */
        for (size_t i = 0; i < count; i++) out[i].extrapolated = true;
        return MEMX_OK;
    }
    return count > 0 ? correct(r, d, spec, choices, count, out) : MEMX_OK;
}

memx_pricer memx_residual_pricer(memx_residual *residual) {
    return (memx_pricer){price, residual, residual->name};
}
