#include "predict/constants.h"

#include "core/whole.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    double spread;
} constants[MEMX_CONSTANT_COUNT] = {
#define ROW(constant, name, spread) [constant] = {name, spread},
    MEMX_EACH_CONSTANT(ROW)
#undef ROW
};

const char *memx_constant_name(memx_constant constant) {
    return constants[constant].name;
}

double memx_constant_spread(memx_constant constant) {
    return constants[constant].spread;
}

void memx_calibration_start(memx_calibration *out, const char *device, const char *framework) {
    *out = (memx_calibration){
        .static_factor = 1.0, .activation_factor = 1.0, .held_out_mape = {NAN, NAN}};
    snprintf(out->device, sizeof out->device, "%s", device);
    snprintf(out->framework, sizeof out->framework, "%s", framework);
    for (int c = 0; c < MEMX_CONSTANT_COUNT; c++) out->factor[c] = 1.0;
}

double memx_price_ms(const memx_stage_price *p) {
    return memx_ms(p->forward_ns + p->backward_ns);
}

double memx_held_mib(const memx_stage_price *p) {
    return memx_mib(memx_stage_peak_kib(&p->memory) - p->memory.context_kib);
}

int64_t memx_scaled(int64_t whole, double factor, double more, int64_t most) {
    double x = (double)whole * factor + more;
    if (!(x > 0.0)) return 0;
    return x < (double)most ? (int64_t)llround(x) : most;
}

void memx_calibration_price(const memx_calibration *c, const memx_device *device,
                            const memx_framework *framework, const memx_stage_spec *spec,
                            const memx_stage_choice *choices, size_t count, memx_stage_price *out) {
    memx_device d = *device;
    memx_framework f = *framework;
    memx_stage_spec s = *spec;
    d.context_mib = fmax(0.0, d.context_mib + c->context_shift_mib);
    d.efficiency *= c->factor[MEMX_CONSTANT_EFFICIENCY];
    d.memory_efficiency *= c->factor[MEMX_CONSTANT_MEMORY_EFFICIENCY];
    s.link_gbs *= c->factor[MEMX_CONSTANT_LINK];
    if (s.tp > 2) { /* GPUs on one PCIe bridge share it; those on a switch do not */
        s.link_gbs *= pow(c->factor[MEMX_CONSTANT_LINK_SHARING], log2((double)s.tp) - 1.0);
    }
    f.elementwise_bytes *= c->factor[MEMX_CONSTANT_ELEMENTWISE];
    f.score_bytes *= c->factor[MEMX_CONSTANT_SCORE];
    f.head_bytes *= c->factor[MEMX_CONSTANT_HEAD];
    f.layer_ms *= c->factor[MEMX_CONSTANT_LAYER];
    f.collective_us *= c->factor[MEMX_CONSTANT_COLLECTIVE];
    f.micro_batch_ms *= c->factor[MEMX_CONSTANT_MICRO_BATCH];
    memx_stage_price_all(&d, &f, &s, choices, count, out);
    for (size_t i = 0; i < count; i++) {
        memx_stage_memory *m = &out[i].memory;
        m->static_kib =
            memx_scaled(m->static_kib, c->static_factor, c->fixed_mib * 1024.0, MEMX_MOST_KIB);
        m->activation_kib =
            memx_scaled(m->activation_kib, c->activation_factor, 0.0, MEMX_MOST_KIB);
        m->work_kib = memx_scaled(m->work_kib, c->activation_factor, 0.0, MEMX_MOST_KIB);
    }
}

const memx_calibration *memx_calibration_find(const memx_calibration *calibrations, int32_t count,
                                              const char *device, const char *framework) {
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(calibrations[i].device, device) == 0 &&
            strcmp(calibrations[i].framework, framework) == 0) {
            return &calibrations[i];
        }
    }
    return NULL;
}

bool memx_calibrations_price(const memx_calibration *calibrations, int32_t calibration_count,
                             const memx_device *device, const memx_framework *framework,
                             const memx_stage_spec *spec, const memx_stage_choice *choices,
                             size_t count, memx_stage_price *out) {
    const memx_calibration *found =
        memx_calibration_find(calibrations, calibration_count, device->name, framework->name);
    if (found) {
        memx_calibration_price(found, device, framework, spec, choices, count, out);
    } else {
        memx_stage_price_all(device, framework, spec, choices, count, out);
    }
    return found != NULL;
}

/* ---- whole iterations ---- */

void memx_calibration_job(const memx_calibration *calibrations, int32_t count, memx_job *job) {
    double ln[MEMX_CONSTANT_COUNT] = {0.0};
    for (int32_t n = 0; n < job->node_count; n++) {
        const memx_calibration *c = memx_calibration_find(
            calibrations, count, job->devices[job->nodes[n].device].name, job->framework.name);
        for (int k = MEMX_STAGE_CONSTANTS; c && k < MEMX_CONSTANT_COUNT; k++) {
            ln[k] += job->nodes[n].gpus * log(c->factor[k]);
        }
    }
    for (int k = MEMX_STAGE_CONSTANTS; k < MEMX_CONSTANT_COUNT; k++) {
        ln[k] = exp(ln[k] / (double)job->gpus);
    }
    job->framework.update_bytes *= ln[MEMX_CONSTANT_UPDATE];
    job->inter_efficiency *= ln[MEMX_CONSTANT_NETWORK];
    job->flow_gbs *= ln[MEMX_CONSTANT_FLOW];
    job->latency_us *= ln[MEMX_CONSTANT_LATENCY];
    job->overhead_ms *= ln[MEMX_CONSTANT_OVERHEAD];
}
