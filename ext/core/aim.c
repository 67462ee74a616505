#include "core/aim.h"

#include "core/whole.h"

#include <math.h>

static const memx_interval any = {-INFINITY, INFINITY};
static const double KIB2_PER_MIB2 = 1048576.0;
/* Limits are compared with doubles that were rounded on the way: a little more may be within. */
static const double SLACK = 1e-9;

memx_aim memx_aim_at(memx_measure by) {
    return (memx_aim){.by = by,
                      .weights = *memx_weights_shipped("default"),
                      .reference_phi = 1.0,
                      .limits = {any, any, any, any, any, any, any, any}};
}

memx_weights memx_aim_weights(const memx_aim *aim) {
    switch (aim->by) {
    case MEMX_BY_PHI: break;
    case MEMX_BY_SLOWDOWN:
    case MEMX_BY_ITERATION: return (memx_weights){1.0, 0.0, 0.0, 1e-6};
    case MEMX_BY_PEAK: return (memx_weights){0.0, 1.0, 0.0, 1e-6};
    case MEMX_BY_VARIANCE: return (memx_weights){0.0, 0.0, 1.0, 1e-6};
    }
    return aim->weights;
}

static double shown_phi(const memx_aim *aim, const memx_measures *m, int64_t gpus) {
    return memx_phi(memx_ms(m->iteration_ns), memx_mib(m->peak_kib),
                    memx_variance_mib2(m->moment, gpus), &aim->weights) /
           aim->reference_phi;
}

double memx_aim_value(const memx_aim *aim, const memx_measures *m, int64_t gpus) {
    switch (aim->by) {
    case MEMX_BY_PHI: break;
    case MEMX_BY_ITERATION: return memx_ms(m->iteration_ns);
    case MEMX_BY_PEAK: return memx_mib(m->peak_kib);
    case MEMX_BY_VARIANCE: return memx_variance_mib2(m->moment, gpus);
    case MEMX_BY_SLOWDOWN:
        return aim->fastest_ns > 0 ? (double)m->iteration_ns / (double)aim->fastest_ns : 0.0;
    }
    return shown_phi(aim, m, gpus);
}

static bool within(const memx_interval *interval, double x) {
    return x >= interval->least && x <= interval->most;
}

static bool bounded(const memx_interval *interval) {
    return interval->least > -INFINITY || interval->most < INFINITY;
}

bool memx_aim_admits(const memx_aim *aim, const memx_plan *plan, const memx_measures *m) {
    const memx_limits *l = &aim->limits;
    int64_t gpus = plan->job->gpus;
    if (!within(&l->iteration_ms, memx_ms(m->iteration_ns)) ||
        !within(&l->peak_mib, memx_mib(m->peak_kib)) ||
        !within(&l->variance_mib2, memx_variance_mib2(m->moment, gpus)) ||
        !within(&l->headroom, m->free_share)) {
        return false;
    }
    if (bounded(&l->tokens_per_s) &&
        !within(&l->tokens_per_s, memx_tokens_per_s(plan, m->iteration_ns))) {
        return false;
    }
    if (bounded(&l->tflops_per_gpu) &&
        !within(&l->tflops_per_gpu, memx_tflops_per_gpu(plan, m->iteration_ns))) {
        return false;
    }
    if (bounded(&l->slowdown) &&
        !(aim->fastest_ns > 0 &&
          within(&l->slowdown, (double)m->iteration_ns / (double)aim->fastest_ns))) {
        return false;
    }
    return !bounded(&l->phi) || within(&l->phi, shown_phi(aim, m, gpus));
}

/* Rounded up, a little beyond, as far as whole numbers go. */
static int64_t above(double x) {
    double most = x + fabs(x) * SLACK + 1.0;
    if (!(most < 9e18)) return INT64_MAX;
    return most < 0.0 ? -1 : (int64_t)most;
}

/* Of a rate: what one second's work would take at the least rate. */
static int64_t most_at_rate(double in_a_second, double least) {
    return least > 0.0 ? above(in_a_second / least * 1e9) : INT64_MAX;
}

int64_t memx_aim_most_ns(const memx_aim *aim, const memx_plan *plan) {
    const memx_limits *l = &aim->limits;
    int64_t most = above(l->iteration_ms.most * 1e6);
    if (aim->fastest_ns > 0) {
        most = memx_least(most, above(l->slowdown.most * (double)aim->fastest_ns));
    } else if (bounded(&l->slowdown)) {
        return -1; /* NULL is within no bound */
    }
    if (l->tokens_per_s.least > 0.0) {
        double rate = memx_tokens_per_s(plan, 1000000000);
        most = memx_least(most, most_at_rate(rate, l->tokens_per_s.least));
    }
    if (l->tflops_per_gpu.least > 0.0) {
        double rate = memx_tflops_per_gpu(plan, 1000000000);
        most = memx_least(most, most_at_rate(rate, l->tflops_per_gpu.least));
    }
    return most;
}

int64_t memx_aim_most_kib(const memx_aim *aim) {
    return above(aim->limits.peak_mib.most * 1024.0);
}

double memx_aim_most_deviation(const memx_aim *aim, int64_t gpus) {
    double most = aim->limits.variance_mib2.most * KIB2_PER_MIB2 * (double)gpus;
    return most + fabs(most) * SLACK;
}

double memx_aim_score(const memx_weights *w, int64_t iteration_ns, int64_t peak_kib,
                      double deviation, int64_t gpus) {
    double score = 0.0;
    if (w->time > 0.0) score += w->time * log((double)iteration_ns);
    if (w->peak > 0.0) score += w->peak * log((double)peak_kib);
    if (w->variance > 0.0) {
        score += w->variance * log(deviation / (double)gpus / KIB2_PER_MIB2 + w->epsilon);
    }
    return score;
}

double memx_aim_most_score(const memx_aim *aim) {
    double most = aim->limits.phi.most * aim->reference_phi;
    if (most == INFINITY) return INFINITY;
    if (!(most > 0.0)) return -INFINITY;
    return log(most) + aim->weights.time * log(1e6) + aim->weights.peak * log(1024.0) + SLACK;
}
