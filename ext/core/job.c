#include "core/job.h"

#include <math.h>

static bool positive(double x) {
    return isfinite(x) && x > 0.0 && x <= 1e12;
}

static bool at_least_zero(double x) {
    return isfinite(x) && x >= 0.0 && x <= 1e12;
}

static bool share(double x) {
    return isfinite(x) && x >= 0.0 && x <= 1.0;
}

static memx_status check_device(const memx_device *d, memx_error *error) {
    const struct {
        const char *name;
        double value;
        bool good;
    } figures[] = {
        {"memory_mib", d->memory_mib, positive(d->memory_mib)},
        {"peak_tflops", d->peak_tflops, positive(d->peak_tflops)},
        {"efficiency", d->efficiency, positive(d->efficiency) && d->efficiency <= 1.0},
        {"memory_gbs", d->memory_gbs, positive(d->memory_gbs)},
        {"memory_efficiency", d->memory_efficiency,
         positive(d->memory_efficiency) && d->memory_efficiency <= 1.0},
        {"link_gbs", d->link_gbs, positive(d->link_gbs)},
        {"context_mib", d->context_mib, at_least_zero(d->context_mib)},
        {"alpha_static", d->alpha_static, positive(d->alpha_static)},
    };
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        if (!figures[i].good) {
            return memx_invalid(error, "device '%s': %s is %g; write a positive number", d->name,
                                figures[i].name, figures[i].value);
        }
    }
    return MEMX_OK;
}

static memx_status check_framework(const memx_framework *f, memx_error *error) {
    const struct {
        const char *name;
        double value;
        bool good;
    } figures[] = {
        {"activation_bytes", f->activation_bytes, positive(f->activation_bytes)},
        {"parameter_bytes", f->parameter_bytes, positive(f->parameter_bytes)},
        {"gradient_bytes", f->gradient_bytes, at_least_zero(f->gradient_bytes)},
        {"optimizer_bytes", f->optimizer_bytes, at_least_zero(f->optimizer_bytes)},
        {"optimizer_temp_bytes", f->optimizer_temp_bytes, at_least_zero(f->optimizer_temp_bytes)},
        {"logit_bytes", f->logit_bytes, at_least_zero(f->logit_bytes)},
        {"alpha_act", f->alpha_act, positive(f->alpha_act)},
        {"matmul_share", f->matmul_share, positive(f->matmul_share)},
        {"elementwise_bytes", f->elementwise_bytes, at_least_zero(f->elementwise_bytes)},
        {"score_bytes", f->score_bytes, at_least_zero(f->score_bytes)},
        {"head_bytes", f->head_bytes, at_least_zero(f->head_bytes)},
        {"layer_ms", f->layer_ms, at_least_zero(f->layer_ms)},
        {"collective_us", f->collective_us, at_least_zero(f->collective_us)},
        {"micro_batch_ms", f->micro_batch_ms, at_least_zero(f->micro_batch_ms)},
        {"update_bytes", f->update_bytes, at_least_zero(f->update_bytes)},
        {"p2p_overlap", f->p2p_overlap, share(f->p2p_overlap)},
        {"dp_overlap", f->dp_overlap, share(f->dp_overlap)},
    };
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        if (!figures[i].good) {
            return memx_invalid(error, "framework '%s': %s is %g, out of its range", f->name,
                                figures[i].name, figures[i].value);
        }
    }
    return MEMX_OK;
}

memx_status memx_job_check(memx_job *job, memx_error *error) {
    memx_status status = memx_model_check(&job->model, error);
    if (!status) status = check_framework(&job->framework, error);
    for (int32_t i = 0; i < job->device_count && !status; i++) {
        status = check_device(&job->devices[i], error);
    }
    if (status) return status;
    if (job->node_count < 1) {
        return memx_invalid(error, "cluster '%s' has no nodes; insert them into memx_node",
                            job->cluster);
    }
    job->gpus = 0;
    for (int32_t i = 0; i < job->node_count; i++) {
        const memx_node *node = &job->nodes[i];
        if (node->gpus < 1 || !positive(node->link_gbs) || !positive(node->inter_gbs)) {
            return memx_invalid(error,
                                "node %lld of cluster '%s': gpus, link_gbs and inter_gbs must be "
                                "positive",
                                (long long)node->ordinal, job->cluster);
        }
        job->gpus += node->gpus;
    }
    if (job->gpus > MEMX_MAX_GPUS) {
        return memx_invalid(error, "cluster '%s' has %lld GPUs; MemX searches up to %d",
                            job->cluster, (long long)job->gpus, (int)MEMX_MAX_GPUS);
    }
    if (job->global_batch < 1 || job->global_batch > 1000000000) {
        return memx_invalid(error, "global_batch is %lld; write 1 to 1000000000",
                            (long long)job->global_batch);
    }
    if (!share(job->reserve) || job->reserve >= 1.0) {
        return memx_invalid(error, "reserve is %g; write a share from 0 to 0.9", job->reserve);
    }
    if (!positive(job->flow_gbs) || !positive(job->inter_efficiency) ||
        job->inter_efficiency > 1.0 || !at_least_zero(job->latency_us) ||
        !at_least_zero(job->overhead_ms)) {
        return memx_invalid(error,
                            "cluster '%s': flow_gbs and inter_efficiency must be positive, "
                            "latency_us and overhead_ms at least 0",
                            job->cluster);
    }
    return MEMX_OK;
}

int64_t memx_card_kib(const memx_job *job, int32_t device) {
    return (int64_t)floor(job->devices[device].memory_mib * 1024.0);
}

int64_t memx_usable_kib(const memx_job *job, int32_t device) {
    return (int64_t)floor(job->devices[device].memory_mib * 1024.0 * (1.0 - job->reserve));
}
