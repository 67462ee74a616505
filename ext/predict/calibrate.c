#include "predict/calibrate.h"

#include "core/whole.h"

#include <math.h>
#include <string.h>

static const double TIME_WIDTH = 0.05, TIME_SHRINKAGE = 0.05;
static const double MEMORY_WIDTH = 0.02;
static const double NOMINAL[3] = {0.0, 1.0, 1.0}, SHRINKAGE[3] = {500.0, 0.10, 0.3};
enum { PASSES = 12 };

double memx_price_ms(const memx_stage_price *p) {
    return (double)(p->forward_ns + p->backward_ns) / 1e6;
}

double memx_held_mib(const memx_stage_price *p) {
    return (double)(memx_stage_peak_kib(&p->memory) - p->memory.context_kib) / 1024.0;
}

/* Weighted least squares again and again, each row weighing less the farther it is off. */
static void fit_time(const memx_observation *rows, size_t count, memx_calibration *out) {
    double ln = 0.0;
    for (int pass = 0; pass < PASSES; pass++) {
        double sum = 0.0, weight = 1.0 / (TIME_SHRINKAGE * TIME_SHRINKAGE);
        out->time_rows = 0;
        for (size_t i = 0; i < count; i++) {
            double prior = memx_price_ms(&rows[i].prior);
            if (!(rows[i].time_ms > 0.0) || !(prior > 0.0)) continue;
            double y = log(rows[i].time_ms / prior), z = (y - ln) / TIME_WIDTH;
            double w = 1.0 / sqrt(1.0 + z * z) / (TIME_WIDTH * TIME_WIDTH);
            sum += w * y;
            weight += w;
            out->time_rows++;
        }
        ln = sum / weight;
    }
    out->time_factor = exp(ln);
}

/* x of a x = b, three by three, symmetric and positive: its own prior sees to that. */
static void solve(double a[3][3], double b[3], double x[3]) {
    for (int c = 0; c < 3; c++) {
        for (int r = c + 1; r < 3; r++) {
            double f = a[r][c] / a[c][c];
            for (int k = c; k < 3; k++) a[r][k] -= f * a[c][k];
            b[r] -= f * b[c];
        }
    }
    for (int r = 2; r >= 0; r--) {
        x[r] = b[r];
        for (int k = r + 1; k < 3; k++) x[r] -= a[r][k] * x[k];
        x[r] /= a[r][r];
    }
}

static void fit_memory(const memx_observation *rows, size_t count, memx_calibration *out) {
    double x[3] = {NOMINAL[0], NOMINAL[1], NOMINAL[2]};
    for (int pass = 0; pass < PASSES; pass++) {
        double a[3][3] = {{0.0}}, b[3];
        for (int i = 0; i < 3; i++) {
            a[i][i] = 1.0 / (SHRINKAGE[i] * SHRINKAGE[i]);
            b[i] = NOMINAL[i] * a[i][i];
        }
        out->memory_rows = 0;
        for (size_t i = 0; i < count; i++) {
            const memx_stage_memory *m = &rows[i].prior.memory;
            double y = rows[i].held_mib;
            if (!(y > 0.0)) continue;
            double parts[3] = {1.0, (double)m->static_kib / 1024.0,
                               (double)(m->activation_kib + m->work_kib) / 1024.0};
            double rest = (double)(m->logits_kib + m->optimizer_kib) / 1024.0;
            double off = y - rest;
            for (int k = 0; k < 3; k++) off -= parts[k] * x[k];
            double z = fabs(off / (MEMORY_WIDTH * y));
            double w = (z > 2.0 ? 2.0 / z : 1.0) / (MEMORY_WIDTH * y * MEMORY_WIDTH * y);
            for (int j = 0; j < 3; j++) {
                for (int k = 0; k < 3; k++) a[j][k] += w * parts[j] * parts[k];
                b[j] += w * parts[j] * (y - rest);
            }
            out->memory_rows++;
        }
        solve(a, b, x);
    }
    out->fixed_mib = x[0];
    out->static_factor = x[1];
    out->activation_factor = x[2];
}

void memx_calibrate_rows(const memx_observation *rows, size_t count, memx_calibration *out) {
    fit_time(rows, count, out);
    fit_memory(rows, count, out);
}

int64_t memx_scaled(int64_t whole, double factor, double more, int64_t most) {
    double x = (double)whole * factor + more;
    if (!(x > 0.0)) return 0;
    return x < (double)most ? (int64_t)llround(x) : most;
}

void memx_calibration_apply(const memx_calibration *c, memx_stage_price *p) {
    memx_stage_memory *m = &p->memory;
    p->forward_ns = memx_scaled(p->forward_ns, c->time_factor, 0.0, MEMX_MOST_NS);
    p->backward_ns = memx_scaled(p->backward_ns, c->time_factor, 0.0, MEMX_MOST_NS);
    m->static_kib =
        memx_scaled(m->static_kib, c->static_factor, c->fixed_mib * 1024.0, MEMX_MOST_KIB);
    m->activation_kib = memx_scaled(m->activation_kib, c->activation_factor, 0.0, MEMX_MOST_KIB);
    m->work_kib = memx_scaled(m->work_kib, c->activation_factor, 0.0, MEMX_MOST_KIB);
}
