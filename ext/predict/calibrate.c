#include "predict/calibrate.h"

#include "core/priced.h"
#include "core/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SWEEPS = 12,         /* over all pairs */
    HALVINGS = 5,        /* of a step that makes it worse */
    MOST_SAMPLES = 1500, /* of one pair, evenly picked: more say the same again */
    MOST_PAIRS = 256,
    MEMORY_PASSES = 12
};
static const double TIME_WIDTH = 0.05, MEMORY_WIDTH = 0.02;
/* MiB; the context is as little known as 4000 nominal ones are: from 0.5 to more than 4 GiB are reported. */
static const double CONTEXT_WIDTH = 100.0, CONTEXT_SHRINKAGE = 3000.0;
static const double DIFFERENCE = 1e-3; /* of a derivative, in ln */
static const double SETTLED = 1e-4;
static const double MOST_LN = 2.5; /* no factor is more than 12 away */
static const double LEAST_FACTOR = 0.1;
static const double LEAST_KNOWN = 0.02;

bool memx_rows_left_out(const memx_rows *rows, size_t row) {
    return rows->group && rows->group[row] == rows->held;
}

/* ---- pairs ---- */

static memx_status add_pair(const char *device, const char *framework, memx_calibration **pairs,
                            int32_t *count, int32_t *capacity, memx_error *error) {
    if (memx_calibration_find(*pairs, *count, device, framework)) return MEMX_OK;
    if (*count == MOST_PAIRS) {
        return memx_invalid(error,
                            "more than %d pairs of device and framework; delete the rows of some, "
                            "or calibrate one cluster at a time",
                            MOST_PAIRS);
    }
    if (*count == *capacity) {
        int32_t more = *capacity ? 2 * *capacity : 8;
        memx_calibration *moved = realloc(*pairs, (size_t)more * sizeof *moved);
        if (!moved) return MEMX_NOMEM;
        *pairs = moved;
        *capacity = more;
    }
    memx_calibration_start(&(*pairs)[(*count)++], device, framework);
    return MEMX_OK;
}

memx_status memx_calibrate_pairs(const memx_rows *rows, memx_calibration **out, int32_t *count,
                                 memx_error *error) {
    int32_t capacity = 0;
    memx_status status = MEMX_OK;
    *out = NULL;
    *count = 0;
    for (size_t i = 0; i < rows->count && !status; i++) {
        const memx_sample *s = &rows->samples[i];
        status = add_pair(s->device->name, s->framework->name, out, count, &capacity, error);
    }
    for (size_t i = 0; i < rows->run_count && !status; i++) {
        const memx_job *job = rows->runs[i].job;
        for (int32_t d = 0; d < job->device_count && !status; d++) {
            status =
                add_pair(job->devices[d].name, job->framework.name, out, count, &capacity, error);
        }
    }
    if (status) {
        free(*out);
        *out = NULL;
        *count = 0;
    }
    return status;
}

/* ---- a run's time ---- */

typedef struct constants {
    const memx_calibration *calibrations;
    int32_t count;
} constants;

static memx_status price(void *context, const memx_job *job, int32_t device,
                         const memx_stage_spec *spec, const memx_stage_choice *choices,
                         size_t count, memx_stage_price *out, memx_error *error) {
    const constants *c = context;
    (void)error;
    memx_calibrations_price(c->calibrations, c->count, &job->devices[device], &job->framework, spec,
                            choices, count, out);
    return MEMX_OK;
}

memx_status memx_run_ms(const memx_run_sample *run, const memx_calibration *calibrations,
                        int32_t count, const memx_pricer *pricer, double *out, memx_error *error) {
    memx_job job = *run->job; /* its arrays are shared, and only read */
    memx_priced priced;
    memx_measures measures;
    memx_calibration_job(calibrations, count, &job);
    memx_status status = memx_priced_open(&job, run->config, pricer, &priced, error);
    if (status) return status;
    memx_plan_measure(&priced.plan, priced.pointers, &measures);
    *out = memx_ms(measures.iteration_ns);
    memx_priced_close(&priced);
    return MEMX_OK;
}

/* ---- time ---- */

/* One pair's rows, the others' constants standing still. */
typedef struct block {
    const memx_rows *rows;
    memx_calibration *all, *own;
    int32_t count;
    int constants; /* that the rows can tell: without runs those of a stage */
    size_t n, sample_count;
    size_t *index;             /* samples, then runs */
    double *ln, *base, *slope; /* measured; predicted; n x constants */
    memx_error *error;
} block;

static void block_free(block *b) {
    free(b->index);
    free(b->ln);
}

static bool timed_sample(const block *b, size_t i) {
    const memx_sample *s = &b->rows->samples[i];
    return s->time_ms > 0.0 && !s->interpolated && !memx_rows_left_out(b->rows, i) &&
           strcmp(s->device->name, b->own->device) == 0 &&
           strcmp(s->framework->name, b->own->framework) == 0;
}

static bool timed_run(const block *b, size_t i) {
    const memx_run_sample *r = &b->rows->runs[i];
    if (!(r->iteration_ms > 0.0) || memx_rows_left_out(b->rows, b->rows->count + i) ||
        strcmp(r->job->framework.name, b->own->framework) != 0) {
        return false;
    }
    for (int32_t d = 0; d < r->job->device_count; d++) {
        if (strcmp(r->job->devices[d].name, b->own->device) == 0) return true;
    }
    return false;
}

static memx_status block_open(block *b) {
    size_t samples = 0, runs = 0, seen = 0;
    for (size_t i = 0; i < b->rows->count; i++) samples += timed_sample(b, i);
    for (size_t i = 0; i < b->rows->run_count; i++) runs += timed_run(b, i);
    b->own->time_rows = (int64_t)samples;
    b->own->runs = (int64_t)runs;
    b->constants = runs > 0 ? MEMX_CONSTANT_COUNT : samples > 0 ? MEMX_STAGE_CONSTANTS : 0;
    for (int c = b->constants; c < MEMX_CONSTANT_COUNT; c++) {
        b->own->factor[c] = 1.0;
        b->own->known[c] = 0.0;
    }
    size_t stride = memx_stride(samples, MOST_SAMPLES);
    b->sample_count = (samples + stride - 1) / stride;
    b->n = b->sample_count + runs;
    if (b->n == 0) return MEMX_OK;
    b->index = malloc(b->n * sizeof *b->index);
    b->ln = malloc(b->n * (size_t)(b->constants + 2) * sizeof *b->ln);
    if (!b->index || !b->ln) return MEMX_NOMEM;
    b->base = b->ln + b->n;
    b->slope = b->base + b->n;
    size_t n = 0;
    for (size_t i = 0; i < b->rows->count; i++) {
        if (!timed_sample(b, i) || seen++ % stride != 0) continue;
        b->ln[n] = log(b->rows->samples[i].time_ms);
        b->index[n++] = i;
    }
    for (size_t i = 0; i < b->rows->run_count; i++) {
        if (!timed_run(b, i)) continue;
        b->ln[n] = log(b->rows->runs[i].iteration_ms);
        b->index[n++] = i;
    }
    return MEMX_OK;
}

/* ln of every row's predicted time. */
static memx_status predict(const block *b, double *out) {
    for (size_t i = 0; i < b->n; i++) {
        double ms = 0.0;
        if (i < b->sample_count) {
            const memx_sample *s = &b->rows->samples[b->index[i]];
            memx_stage_price p;
            memx_calibration_price(b->own, s->device, s->framework, &s->spec, &s->choice, 1, &p);
            ms = memx_price_ms(&p);
        } else {
            constants context = {b->all, b->count};
            const memx_pricer pricer = {price, &context, "calibrated"};
            memx_status status =
                memx_run_ms(&b->rows->runs[b->index[i]], b->all, b->count, &pricer, &ms, b->error);
            if (status) return status;
        }
        out[i] = log(fmax(ms, 1e-6));
    }
    return MEMX_OK;
}

static double weight_of(const block *b, size_t i) {
    return i < b->sample_count ? b->rows->samples[b->index[i]].weight : 1.0;
}

static double pull(int constant) {
    double width = memx_constant_spread((memx_constant)constant) / 2.0;
    return 1.0 / (width * width);
}

static double loss(const block *b, const double *predicted) {
    double sum = 0.0;
    for (size_t i = 0; i < b->n; i++) {
        double z = (b->ln[i] - predicted[i]) / TIME_WIDTH;
        sum += weight_of(b, i) * 2.0 * (sqrt(1.0 + z * z) - 1.0);
    }
    for (int c = 0; c < b->constants; c++) {
        double x = log(b->own->factor[c]);
        sum += pull(c) * x * x;
    }
    return sum;
}

enum { N = MEMX_CONSTANT_COUNT };

/* a = L L^T in place, positive definite by its own prior. */
static void factorise(double a[N][N], int n) {
    for (int c = 0; c < n; c++) {
        for (int k = 0; k < c; k++) a[c][c] -= a[c][k] * a[c][k];
        a[c][c] = sqrt(a[c][c]);
        for (int r = c + 1; r < n; r++) {
            for (int k = 0; k < c; k++) a[r][c] -= a[r][k] * a[c][k];
            a[r][c] /= a[c][c];
        }
    }
}

static void solve(double l[N][N], int n, double *x) {
    for (int r = 0; r < n; r++) {
        for (int k = 0; k < r; k++) x[r] -= l[r][k] * x[k];
        x[r] /= l[r][r];
    }
    for (int r = n - 1; r >= 0; r--) {
        for (int k = r + 1; k < n; k++) x[r] -= l[k][r] * x[k];
        x[r] /= l[r][r];
    }
}

static memx_status slopes(block *b) {
    double *moved = malloc(b->n * sizeof *moved);
    memx_status status = moved ? predict(b, b->base) : MEMX_NOMEM;
    for (int c = 0; c < b->constants && !status; c++) {
        double kept = b->own->factor[c];
        b->own->factor[c] = kept * exp(DIFFERENCE);
        status = predict(b, moved);
        b->own->factor[c] = kept;
        for (size_t i = 0; i < b->n && !status; i++) {
            b->slope[i * (size_t)b->constants + (size_t)c] = (moved[i] - b->base[i]) / DIFFERENCE;
        }
    }
    free(moved);
    return status;
}

/* The normal equations where the constants stand: a and the right side. */
static void equations(const block *b, double a[N][N], double *x) {
    memset(a, 0, N * sizeof *a);
    for (int c = 0; c < b->constants; c++) {
        a[c][c] = pull(c);
        x[c] = -pull(c) * log(b->own->factor[c]);
    }
    for (size_t i = 0; i < b->n; i++) {
        const double *j = b->slope + i * (size_t)b->constants;
        double e = b->ln[i] - b->base[i], z = e / TIME_WIDTH;
        double w = weight_of(b, i) / sqrt(1.0 + z * z) / (TIME_WIDTH * TIME_WIDTH);
        for (int r = 0; r < b->constants; r++) {
            for (int c = 0; c <= r; c++) a[r][c] += w * j[r] * j[c];
            x[r] += w * j[r] * e;
        }
    }
}

/* One Gauss-Newton step, halved while it makes things worse. *out: how far it went. */
static memx_status step(block *b, double *out) {
    double a[N][N], x[N], from[N];
    *out = 0.0;
    memx_status status = slopes(b);
    if (status) return status;
    double before = loss(b, b->base);
    equations(b, a, x);
    factorise(a, b->constants);
    solve(a, b->constants, x);
    memcpy(from, b->own->factor, sizeof from);
    for (int c = 0; c < b->constants; c++) {
        double unit[N] = {0.0};
        unit[c] = 1.0;
        solve(a, b->constants, unit);
        b->own->known[c] = fmax(0.0, 1.0 - unit[c] * pull(c));
    }
    for (int h = 0; h <= HALVINGS; h++) {
        for (int c = 0; c < b->constants; c++) {
            double ln = log(from[c]) + ldexp(x[c], -h);
            b->own->factor[c] = exp(fmax(-MOST_LN, fmin(MOST_LN, ln)));
        }
        status = predict(b, b->base);
        if (status || loss(b, b->base) <= before) break;
        if (h == HALVINGS) memcpy(b->own->factor, from, sizeof from);
    }
    for (int c = 0; c < b->constants; c++) {
        *out = fmax(*out, fabs(log(b->own->factor[c] / from[c])));
    }
    return status;
}

static memx_status fit_time(const memx_rows *rows, memx_calibration *calibrations, int32_t count,
                            const memx_poll *poll, memx_error *error) {
    memx_status status = MEMX_OK;
    double farthest = INFINITY;
    memx_loop loop = {"sweeps over the constants, at most", NULL, 0, SWEEPS};
    memx_loop_begin(&loop, poll);
    for (int sweep = 0; sweep < SWEEPS && farthest > SETTLED && !status; sweep++) {
        farthest = 0.0;
        loop.done = sweep;
        for (int32_t p = 0; p < count && !status; p++) {
            block b = {.rows = rows,
                       .all = calibrations,
                       .own = &calibrations[p],
                       .count = count,
                       .error = error};
            double moved = 0.0;
            status = memx_poll_stop(poll) ? MEMX_INTERRUPTED : block_open(&b);
            if (!status && b.n > 0) status = step(&b, &moved);
            farthest = fmax(farthest, moved);
            block_free(&b);
        }
    }
    memx_loop_end(&loop, poll);
    for (int32_t p = 0; p < count; p++) {
        for (int c = 0; c < MEMX_CONSTANT_COUNT; c++) {
            if (calibrations[p].known[c] < LEAST_KNOWN) calibrations[p].factor[c] = 1.0;
        }
    }
    return status;
}

/* ---- memory ---- */

/* x of a x = b, three by three, symmetric and positive: its own prior sees to that. */
static void solve3(double a[3][3], double b[3], double x[3]) {
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

/* What a row says: measured less what no constant moves, and what fixed_mib and the two factors multiply. */
typedef struct memory_row {
    double measured, rest, parts[3], weight;
} memory_row;

static bool held_sample(const memx_rows *rows, size_t i, const memx_calibration *pair) {
    const memx_sample *s = &rows->samples[i];
    return s->held_mib > 0.0 && !s->interpolated && !memx_rows_left_out(rows, i) &&
           strcmp(s->device->name, pair->device) == 0 &&
           strcmp(s->framework->name, pair->framework) == 0;
}

/* What the allocator holds of a byte of state: where tensors were measured, that is left out. */
static double state_share(const memx_rows *rows, const memx_sample *s) {
    return rows->metric == MEMX_ALLOCATED ? 1.0 / s->device->alpha_static : 1.0;
}

static memory_row read_memory(const memx_rows *rows, const memx_sample *s) {
    memx_stage_price prior;
    memx_stage_price_all(s->device, s->framework, &s->spec, &s->choice, 1, &prior);
    const memx_stage_memory *m = &prior.memory;
    return (memory_row){.measured = s->held_mib,
                        .rest = memx_mib(m->logits_kib + m->optimizer_kib),
                        .parts = {1.0, memx_mib(m->static_kib) * state_share(rows, s),
                                  memx_mib(m->activation_kib + m->work_kib)},
                        .weight = s->weight};
}

/* Adds one row to the normal equations, weighing less the farther it is off. */
static void add_memory(const memory_row *row, const double x[3], double a[3][3], double b[3]) {
    double y = row->measured, off = y - row->rest;
    for (int k = 0; k < 3; k++) off -= row->parts[k] * x[k];
    double z = fabs(off / (MEMORY_WIDTH * y));
    double w = row->weight * (z > 2.0 ? 2.0 / z : 1.0) / (MEMORY_WIDTH * y * MEMORY_WIDTH * y);
    for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 3; k++) a[j][k] += w * row->parts[j] * row->parts[k];
        b[j] += w * row->parts[j] * (y - row->rest);
    }
}

/* Beyond what the catalog says, from GPUs whose whole use was measured beside the allocator's. */
static void fit_context(const memx_rows *rows, memx_calibration *out) {
    double sum = 0.0, weight = 1.0 / (CONTEXT_SHRINKAGE * CONTEXT_SHRINKAGE);
    for (size_t i = 0; i < rows->count; i++) {
        const memx_sample *s = &rows->samples[i];
        if (!held_sample(rows, i, out) || isnan(s->context_mib)) continue;
        double w = s->weight / (CONTEXT_WIDTH * CONTEXT_WIDTH);
        sum += w * (s->context_mib - s->device->context_mib);
        weight += w;
    }
    out->context_shift_mib = sum / weight;
}

static memx_status fit_memory(const memx_rows *rows, memx_calibration *out) {
    static const double nominal[3] = {0.0, 1.0, 1.0};
    const double shrinkage[3] = {rows->metric == MEMX_TOTAL ? 3000.0 : 500.0,
                                 rows->metric == MEMX_ALLOCATED ? 0.02 : 0.10, 0.3};
    size_t all = 0, seen = 0, n = 0;
    double x[3] = {0.0, 1.0, 1.0}, share = 1.0;
    for (size_t i = 0; i < rows->count; i++) all += held_sample(rows, i, out);
    size_t stride = memx_stride(all, MOST_SAMPLES);
    memory_row *kept = malloc((all / stride + 1) * sizeof *kept);
    if (!kept) return MEMX_NOMEM;
    for (size_t i = 0; i < rows->count; i++) {
        if (!held_sample(rows, i, out) || seen++ % stride != 0) continue;
        share = state_share(rows, &rows->samples[i]);
        kept[n++] = read_memory(rows, &rows->samples[i]);
    }
    for (int pass = 0; pass < MEMORY_PASSES; pass++) {
        double a[3][3] = {{0.0}}, b[3];
        for (int i = 0; i < 3; i++) {
            a[i][i] = 1.0 / (shrinkage[i] * shrinkage[i]);
            b[i] = nominal[i] * a[i][i];
        }
        for (size_t i = 0; i < n; i++) add_memory(&kept[i], x, a, b);
        solve3(a, b, x);
    }
    free(kept);
    fit_context(rows, out);
    out->memory_rows = (int64_t)all;
    out->fixed_mib = x[0] / share; /* it counts as state */
    out->static_factor = fmax(LEAST_FACTOR, x[1]);
    out->activation_factor = fmax(LEAST_FACTOR, x[2]);
    return MEMX_OK;
}

memx_status memx_calibrate(const memx_rows *rows, memx_calibration *calibrations, int32_t count,
                           const memx_poll *poll, memx_error *error) {
    memx_status status = fit_time(rows, calibrations, count, poll, error);
    for (int32_t p = 0; p < count && !status; p++) status = fit_memory(rows, &calibrations[p]);
    return status;
}
