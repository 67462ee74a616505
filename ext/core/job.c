#include "core/job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A figure and what it may be: from `least` (exclusive where `above`) to `most`. */
typedef struct figure {
    const char *name;
    double value, least, most;
    bool above;
} figure;

static const double MOST = 1e12;
enum { WHAT_SIZE = MEMX_NAME_SIZE + 40 };

#define ABOVE_0(holder, name)                                                                      \
    { #name, (holder)->name, 0.0, MOST, true }
#define FROM_0(holder, name)                                                                       \
    { #name, (holder)->name, 0.0, MOST, false }
#define SHARE(holder, name)                                                                        \
    { #name, (holder)->name, 0.0, 1.0, false }
#define SHARE_ABOVE_0(holder, name)                                                                \
    { #name, (holder)->name, 0.0, 1.0, true }

static memx_status check_figures(const char *what, const figure *figures, size_t count,
                                 memx_error *error) {
    for (size_t i = 0; i < count; i++) {
        const figure *f = &figures[i];
        bool enough = f->above ? f->value > f->least : f->value >= f->least;
        if (enough && f->value <= f->most) continue; /* NaN is neither */
        memx_invalid(error, "%s is %g; write a number %s %g, at most %g", f->name, f->value,
                     f->above ? "above" : "from", f->least, f->most);
        return what ? memx_prefix(error, MEMX_INVALID, what) : MEMX_INVALID;
    }
    return MEMX_OK;
}

#define CHECK(what, figures, error)                                                                \
    check_figures(what, figures, sizeof(figures) / sizeof(figures)[0], error)

static memx_status check_device(const memx_device *d, memx_error *error) {
    char what[WHAT_SIZE];
    const figure figures[] = {
        {"memory_mib", d->memory_mib, 1.0, 1e9, false},
        ABOVE_0(d, peak_tflops),
        SHARE_ABOVE_0(d, efficiency),
        ABOVE_0(d, memory_gbs),
        SHARE_ABOVE_0(d, memory_efficiency),
        ABOVE_0(d, link_gbs),
        FROM_0(d, context_mib),
        ABOVE_0(d, alpha_static),
    };
    for (const char *c = d->name; *c; c++) {
        /* These end a device's name in a configuration text. */
        if (strchr("*:,|()/@ ", *c)) {
            return memx_invalid(error,
                                "device '%s': the name holds '%c'; write letters, digits, "
                                "'.', '_' and '-'",
                                d->name, *c);
        }
    }
    snprintf(what, sizeof what, "device '%s'", d->name);
    return CHECK(what, figures, error);
}

static memx_status check_framework(const memx_framework *f, memx_error *error) {
    char what[WHAT_SIZE];
    const figure figures[] = {
        ABOVE_0(f, activation_bytes),
        ABOVE_0(f, parameter_bytes),
        FROM_0(f, gradient_bytes),
        FROM_0(f, optimizer_bytes),
        FROM_0(f, optimizer_temp_bytes),
        FROM_0(f, logit_bytes),
        ABOVE_0(f, alpha_act),
        SHARE_ABOVE_0(f, matmul_share),
        FROM_0(f, elementwise_bytes),
        FROM_0(f, score_bytes),
        FROM_0(f, head_bytes),
        FROM_0(f, layer_ms),
        FROM_0(f, collective_us),
        FROM_0(f, micro_batch_ms),
        FROM_0(f, update_bytes),
        SHARE(f, tp_overlap),
        SHARE(f, p2p_overlap),
        SHARE(f, p2p_overlap_interleaved),
        SHARE(f, dp_overlap),
    };
    snprintf(what, sizeof what, "framework '%s'", f->name);
    if (f->distributed_optimizer < 0 || f->distributed_optimizer > MEMX_ZERO_PARAMETERS) {
        return memx_invalid(error, "%s: distributed_optimizer is %lld; write 0, 1, 2 or 3", what,
                            (long long)f->distributed_optimizer);
    }
    return CHECK(what, figures, error);
}

static memx_status check_cluster(memx_job *job, memx_error *error) {
    const figure figures[] = {
        ABOVE_0(job, flow_gbs),
        SHARE_ABOVE_0(job, inter_efficiency),
        FROM_0(job, latency_us),
        FROM_0(job, overhead_ms),
    };
    char what[WHAT_SIZE];
    memx_status status = MEMX_OK;
    if (job->node_count < 1) {
        return memx_invalid(error, "cluster '%s' has no nodes; insert them into memx_node",
                            job->cluster);
    }
    job->gpus = 0;
    for (int32_t i = 0; i < job->node_count && !status; i++) {
        const memx_node *node = &job->nodes[i];
        if (node->device < 0 || node->device >= job->device_count) {
            return memx_invalid(error, "cluster '%s', node %lld: its device is not among the job's",
                                job->cluster, (long long)node->ordinal);
        }
        const figure links[] = {ABOVE_0(node, link_gbs),
                                ABOVE_0(node, inter_gbs),
                                {"gpus", node->gpus, 1.0, MEMX_MAX_GPUS, false}};
        snprintf(what, sizeof what, "cluster '%s', node %lld", job->cluster,
                 (long long)node->ordinal);
        status = CHECK(what, links, error);
        job->gpus += node->gpus;
    }
    if (!status && job->gpus > MEMX_MAX_GPUS) {
        return memx_invalid(error, "cluster '%s' has %lld GPUs; MemX searches up to %d",
                            job->cluster, (long long)job->gpus, (int)MEMX_MAX_GPUS);
    }
    snprintf(what, sizeof what, "cluster '%s'", job->cluster);
    return status ? status : CHECK(what, figures, error);
}

memx_status memx_job_check(memx_job *job, memx_error *error) {
    const figure figures[] = {{"reserve", job->reserve, 0.0, 0.9, false},
                              {"global_batch", (double)job->global_batch, 1.0, 1e9, false}};
    memx_status status = memx_model_check(&job->model, error);
    if (!status) status = check_framework(&job->framework, error);
    for (int32_t i = 0; i < job->device_count && !status; i++) {
        const memx_device *device = &job->devices[i];
        status = check_device(device, error);
        if (!status && job->framework.bf16 && !device->bf16) {
            return memx_invalid(error,
                                "framework '%s' computes in bf16, which device '%s' does not have; "
                                "write another framework, as megatron-fp16",
                                job->framework.name, device->name);
        }
    }
    if (!status) status = check_cluster(job, error);
    return status ? status : CHECK(NULL, figures, error);
}

int64_t memx_card_kib(const memx_job *job, int32_t device) {
    return (int64_t)floor(job->devices[device].memory_mib * 1024.0);
}

int64_t memx_usable_kib(const memx_job *job, int32_t device) {
    return (int64_t)floor(job->devices[device].memory_mib * 1024.0 * (1.0 - job->reserve));
}
