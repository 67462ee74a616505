#include "predict/train.h"

#include "core/clock.h"
#include "core/priced.h"
#include "core/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_GROUPS = 8,
    MOST_ROWS_OUT = 40, /* one by one, or in as many runs of neighbours */
    MOST_PAIRS = 200000,
    MOST_VALIDATED = 2000, /* samples that validation works on, evenly picked */
    MOST_EXCHANGED = 1000
};
/* Trees must be better than the calibrated model by this much. */
static const double GAIN[MEMX_OUTPUT_COUNT] = {0.95, 0.9};
static const double LEAST_GAIN = 0.1; /* %: less is nothing, whatever its share */
/* Pairs closer than this are not asked for their order. */
static const double APART = 0.10;
/* So many deviations of held-out peaks leave about 1 % of configurations that are right at the limit
** without memory, measured on published runs; and what GPUs of one stage differ by. */
static const double RESERVE_DEVIATIONS = 2.5, RESERVE_SPREAD = 0.01;
static const double LEAST_RESERVE = 0.05, MOST_RESERVE = 0.30;

memx_train_options memx_train_defaults(void) {
    return (memx_train_options){.boost = {200, 3, 0.05, 1.0, 1.0, true},
                                .clip = {0.2, 0.1},
                                .least_rows = 20,
                                .trees = MEMX_TREES_AUTO,
                                .validate = true};
}

const char *memx_grouping_name(memx_grouping grouping) {
    static const char *const names[] = {"hidden", "tp", "tokens", "layers", "device", "row"};
    return names[grouping];
}

const char *memx_figure_name(memx_figure figure) {
    static const char *const names[] = {"time", "peak", "iteration"};
    return names[figure];
}

typedef struct pair_tally {
    double error[MEMX_OUTPUT_COUNT][2]; /* of the calibrated model, of the learned one */
    int64_t rows[MEMX_OUTPUT_COUNT];
} pair_tally;

/* What training works on. */
typedef struct work {
    memx_rows rows;
    const memx_train_options *options;
    const memx_poll *poll;
    memx_error *error;
    const memx_residual *whole;         /* learned from all rows: where fits start from */
    int32_t *group;                     /* of samples, then of runs */
    float *features, *labels, *weights; /* scratch of one training */
    pair_tally *pairs;                  /* held-out errors of each device and framework */
} work;

static size_t all_rows(const work *w) {
    return w->rows.count + w->rows.run_count;
}

static memx_status work_open(work *w) {
    size_t n = w->rows.count ? w->rows.count : 1;
    w->group = calloc(all_rows(w) + 1, sizeof *w->group);
    w->features = malloc(n * MEMX_FEATURE_COUNT * sizeof *w->features);
    w->labels = malloc(n * sizeof *w->labels);
    w->weights = malloc(n * sizeof *w->weights);
    return w->group && w->features && w->labels && w->weights ? MEMX_OK : MEMX_NOMEM;
}

static void work_free(work *w) {
    free(w->group);
    free(w->features);
    free(w->labels);
    free(w->weights);
    free(w->pairs);
}

static double measured(const work *w, size_t i, memx_output output) {
    const memx_sample *s = &w->rows.samples[i];
    double x = output == MEMX_OUTPUT_TIME ? s->time_ms : s->held_mib;
    return x > 0.0 && x < INFINITY ? x : NAN;
}

/* As the metric of these rows counts it. */
static double predicted(const work *w, size_t i, const memx_stage_price *price,
                        memx_output output) {
    if (output == MEMX_OUTPUT_TIME) return memx_price_ms(price);
    double held = memx_held_mib(price), alpha = w->rows.samples[i].device->alpha_static;
    if (w->rows.metric != MEMX_ALLOCATED) return held;
    return held - memx_mib(price->memory.static_kib) * (1.0 - 1.0 / alpha);
}

static const memx_calibration *calibration_of(const memx_residual *r, const memx_sample *s) {
    return memx_calibration_find(r->calibrations, r->calibration_count, s->device->name,
                                 s->framework->name);
}

static memx_stage_price calibrated(const work *w, const memx_residual *r, size_t i) {
    const memx_sample *s = &w->rows.samples[i];
    memx_stage_price price;
    memx_calibration_price(calibration_of(r, s), s->device, s->framework, &s->spec, &s->choice, 1,
                           &price);
    return price;
}

static void features_of(const work *w, const memx_stage_price *price, size_t i, float *out) {
    const memx_sample *s = &w->rows.samples[i];
    memx_features(s->device, &s->spec, &s->choice, price, 1, out);
}

/* ---- learning from the rows that are not held out ---- */

static const memx_calibration *in_whole(const work *w, const memx_calibration *c) {
    return memx_calibration_find(w->whole->calibrations, w->whole->calibration_count, c->device,
                                 c->framework);
}

static memx_status calibrate(const work *w, memx_residual *out) {
    memx_status status =
        memx_calibrate_pairs(&w->rows, &out->calibrations, &out->calibration_count, w->error);
    if (status) return status;
    for (int32_t p = 0; p < out->calibration_count && w->whole; p++) {
        memx_calibration *own = &out->calibrations[p];
        *own = *in_whole(w, own); /* close to where it will settle */
    }
    return memx_calibrate(&w->rows, out->calibrations, out->calibration_count, w->poll, w->error);
}

static void widen(memx_residual *out, const float *features) {
    for (int f = 0; f < MEMX_FEATURE_COUNT; f++) {
        float x = features[f];
        if (isnan(out->least[f]) || x < out->least[f]) out->least[f] = x;
        if (isnan(out->most[f]) || x > out->most[f]) out->most[f] = x;
    }
}

/* What a run's stages are like. */
static memx_status see_run(const work *w, const memx_run_sample *run, memx_residual *out) {
    const memx_pricer pricer = memx_residual_pricer(out);
    memx_job job = *run->job; /* its arrays are shared, and only read */
    memx_priced priced;
    memx_calibration_job(out->calibrations, out->calibration_count, &job);
    memx_status status = memx_priced_open(&job, run->config, &pricer, &priced, w->error);
    if (status) return status;
    for (int32_t s = 0; s < priced.plan.stage_count && !status; s++) {
        const memx_shape *shape = &priced.plan.shapes[s];
        for (int32_t i = 0; i < shape->share_count && !status; i++) {
            const memx_stage_choice *choice = &priced.config.stages[s];
            memx_stage_spec spec = shape->spec;
            memx_stage_price price;
            float features[MEMX_FEATURE_COUNT];
            status = memx_plan_price(&priced.plan, shape, i, &pricer, choice, &price, w->error);
            if (status) break;
            spec.link_gbs = shape->shares[i].link_gbs;
            memx_features(&job.devices[shape->shares[i].device], &spec, choice, &price, 1,
                          features);
            widen(out, features);
        }
    }
    memx_priced_close(&priced);
    return status;
}

/* The ranges of all that is learned from: beyond them is extrapolation. */
static memx_status see(const work *w, memx_residual *out) {
    memx_status status = MEMX_OK;
    for (int f = 0; f < MEMX_FEATURE_COUNT; f++) out->least[f] = out->most[f] = NAN;
    for (size_t i = 0; i < w->rows.count; i++) {
        float features[MEMX_FEATURE_COUNT];
        if (memx_rows_left_out(&w->rows, i)) continue;
        const memx_stage_price price = calibrated(w, out, i);
        features_of(w, &price, i, features);
        widen(out, features);
    }
    for (size_t i = 0; i < w->rows.run_count && !status; i++) {
        if (memx_rows_left_out(&w->rows, w->rows.count + i)) continue;
        status = see_run(w, &w->rows.runs[i], out);
    }
    return status;
}

static bool trees_off(const memx_train_options *o) {
    return o->trees == MEMX_TREES_NEVER || (o->trees == MEMX_TREES_AUTO && !o->validate);
}

/* Trees for one output; none where there are too few rows. */
static memx_status learn(work *w, memx_output output, memx_residual *out) {
    size_t count = 0, measured_rows = 0;
    double clip = w->options->clip[output];
    out->outputs[output].sd = 1.0;
    out->outputs[output].clip = clip;
    if (trees_off(w->options)) return MEMX_OK;
    for (size_t i = 0; i < w->rows.count; i++) {
        double y = measured(w, i, output);
        if (isnan(y) || memx_rows_left_out(&w->rows, i)) continue;
        const memx_stage_price price = calibrated(w, out, i);
        double prior = predicted(w, i, &price, output);
        if (!(prior > 0.0)) continue;
        features_of(w, &price, i, w->features + count * MEMX_FEATURE_COUNT);
        w->labels[count] = (float)fmax(-clip, fmin(clip, log(y / prior)));
        w->weights[count++] = (float)w->rows.samples[i].weight;
        measured_rows += !w->rows.samples[i].interpolated;
    }
    if (measured_rows < (size_t)w->options->least_rows) return MEMX_OK;
    const memx_boost_rows rows = {w->features, w->labels, w->weights, count, MEMX_FEATURE_COUNT, 1};
    memx_status status =
        memx_boost_train(&rows, &w->options->boost, w->poll, &out->outputs[output].trees, w->error);
    out->outputs[output].used = status == MEMX_OK;
    return status;
}

static memx_status learn_all(work *w, memx_residual *out) {
    *out = (memx_residual){.name = "", .reserve = NAN};
    memx_status status = calibrate(w, out);
    if (!status) status = see(w, out);
    for (int o = 0; o < MEMX_OUTPUT_COUNT && !status; o++) {
        status = learn(w, (memx_output)o, out);
    }
    return status;
}

/* ---- predicting ---- */

/* One row's figure: measured, by the calibrated model, and with the trees. NAN: not measured. */
typedef struct told {
    double measured, nominal, prior, learned;
    bool calibrated; /* a peak: rows of the same device and framework were learned from */
} told;

static void factors(const memx_residual *r, memx_output output, const float *features, size_t count,
                    float *scratch, double *out) {
    memx_residual_distances(r, features, count,
                            out); /* each is read before its factor is written */
    memx_residual_factors(r, output, features, out, count, scratch, out);
}

static told tell_sample(const work *w, memx_residual *r, size_t i, memx_output output) {
    float features[MEMX_FEATURE_COUNT], scratch;
    double factor;
    const memx_sample *s = &w->rows.samples[i];
    memx_stage_price nominal;
    told t = {.measured = measured(w, i, output)};
    if (isnan(t.measured)) return t;
    memx_stage_price_all(s->device, s->framework, &s->spec, &s->choice, 1, &nominal);
    const memx_stage_price price = calibrated(w, r, i);
    features_of(w, &price, i, features);
    factors(r, output, features, 1, &scratch, &factor);
    t.nominal = predicted(w, i, &nominal, output);
    t.prior = predicted(w, i, &price, output);
    t.learned = t.prior * exp(factor);
    t.calibrated = calibration_of(r, s)->memory_rows > 0;
    return t;
}

static memx_status tell_run(const work *w, memx_residual *r, size_t i, told *out) {
    const memx_run_sample *run = &w->rows.runs[i];
    *out = (told){.measured = run->iteration_ms};
    if (isnan(out->measured)) return MEMX_OK;
    memx_status status = memx_run_ms(run, NULL, 0, &memx_analytic_pricer, &out->nominal, w->error);
    if (status) return status;
    memx_residual plain = *r; /* shares the constants */
    for (int o = 0; o < MEMX_OUTPUT_COUNT; o++) plain.outputs[o].used = false;
    const memx_pricer prior = memx_residual_pricer(&plain), learned = memx_residual_pricer(r);
    status = memx_run_ms(run, r->calibrations, r->calibration_count, &prior, &out->prior, w->error);
    out->learned = out->prior;
    if (status || !r->outputs[MEMX_OUTPUT_TIME].used) return status;
    return memx_run_ms(run, r->calibrations, r->calibration_count, &learned, &out->learned,
                       w->error);
}

static size_t rows_of(const work *w, memx_figure figure) {
    return figure == MEMX_FIGURE_ITERATION ? w->rows.run_count : w->rows.count;
}

static memx_status tell(const work *w, memx_residual *r, memx_figure figure, size_t i, told *out) {
    if (figure == MEMX_FIGURE_ITERATION) return tell_run(w, r, i, out);
    *out = tell_sample(w, r, i, (memx_output)figure);
    return MEMX_OK;
}

/* ---- validation ---- */

typedef struct keyed {
    double hidden, tp, tokens, layers, pair, row;
} keyed;

static keyed key_of(const work *w, const memx_residual *r, size_t row) {
    if (row < w->rows.count) {
        const memx_sample *s = &w->rows.samples[row];
        const memx_calibration *c = calibration_of(r, s);
        return (keyed){(double)s->spec.model.hidden,
                       (double)s->spec.tp,
                       (double)(s->spec.micro_batch * s->spec.model.seq_length),
                       (double)(memx_stage_chunks(&s->spec) * s->choice.layers),
                       (double)(c - r->calibrations),
                       (double)s->source};
    }
    const memx_run_sample *run = &w->rows.runs[row - w->rows.count];
    const memx_calibration *c = memx_calibration_find(
        r->calibrations, r->calibration_count, run->job->devices[0].name, run->job->framework.name);
    return (keyed){(double)run->job->model.hidden,
                   (double)run->knobs.tp,
                   (double)(run->knobs.micro_batch * run->knobs.seq_length),
                   (double)run->job->model.layers / (double)run->knobs.pp,
                   (double)(c - r->calibrations),
                   (double)run->source};
}

static double key_by(const keyed *k, memx_grouping grouping) {
    switch (grouping) {
    case MEMX_BY_HIDDEN: return k->hidden;
    case MEMX_BY_TP: return k->tp;
    case MEMX_BY_TOKENS: return k->tokens;
    case MEMX_BY_LAYERS: return k->layers;
    case MEMX_BY_DEVICE: return k->pair;
    case MEMX_BY_ROW:
    case MEMX_GROUPING_COUNT: break;
    }
    return k->row;
}

static int compare_doubles(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Numbers the groups; many values are taken together in runs of neighbours. Answers how many. */
static memx_status find_groups(const work *w, const memx_residual *r, memx_grouping grouping,
                               int32_t *count) {
    size_t n = all_rows(w), distinct = 0;
    int32_t most = grouping == MEMX_BY_ROW ? MOST_ROWS_OUT : MOST_GROUPS;
    double *keys = malloc(2 * (n ? n : 1) * sizeof *keys);
    double *own = keys ? keys + n : NULL;
    if (!keys) return MEMX_NOMEM;
    for (size_t i = 0; i < n; i++) {
        const keyed k = key_of(w, r, i);
        keys[i] = own[i] = key_by(&k, grouping);
    }
    if (n > 1) qsort(keys, n, sizeof *keys, compare_doubles);
    for (size_t i = 0; i < n; i++) {
        if (distinct == 0 || keys[i] != keys[distinct - 1]) keys[distinct++] = keys[i];
    }
    *count = distinct < (size_t)most ? (int32_t)distinct : most;
    for (size_t i = 0; i < n; i++) {
        const double *at = bsearch(&own[i], keys, distinct, sizeof *keys, compare_doubles);
        w->group[i] = at ? (int32_t)((size_t)(at - keys) * (size_t)*count / distinct) : 0;
    }
    free(keys);
    return MEMX_OK;
}

typedef struct tally {
    double error[2];   /* of the calibrated model, of the learned one */
    double squares[2]; /* of those whose device a job may rely on: it was learned from */
    int64_t calibrated, rows, pairs, right[2];
} tally;

/* Adds a held-out group's errors, and the order of its pairs, evenly picked where there are many. */
static void tally_group(const told *rows, size_t count, tally *t) {
    for (size_t i = 0; i < count; i++) {
        const double x[2] = {rows[i].prior, rows[i].learned};
        for (int k = 0; k < 2; k++) {
            double ln = log(x[k] / rows[i].measured);
            t->error[k] += fabs(x[k] / rows[i].measured - 1.0);
            if (rows[i].calibrated) t->squares[k] += ln * ln;
        }
        t->calibrated += rows[i].calibrated;
    }
    t->rows += (int64_t)count;
    double all = (double)count * (double)(count - 1) / 2.0;
    size_t stride = memx_stride((size_t)all, MOST_PAIRS);
    for (size_t n = 0, i = 0; i + 1 < count; i++) {
        for (size_t j = i + 1; j < count; j++, n++) {
            const told *a = &rows[i], *b = &rows[j];
            if (n % stride != 0 || fabs(log(a->measured / b->measured)) <= APART) continue;
            t->pairs++;
            t->right[0] += (a->measured < b->measured) == (a->prior < b->prior);
            t->right[1] += (a->measured < b->measured) == (a->learned < b->learned);
        }
    }
}

/* Not where a device was held out whole: jobs rely on what is known of theirs. */
static void tally_pair(const work *w, const memx_residual *r, size_t i, memx_figure figure,
                       const told *row) {
    const memx_calibration *c = calibration_of(r, &w->rows.samples[i]);
    pair_tally *t = &w->pairs[in_whole(w, c) - w->whole->calibrations];
    if ((figure == MEMX_FIGURE_TIME ? c->time_rows + c->runs : c->memory_rows) == 0) return;
    t->error[figure][0] += fabs(row->prior / row->measured - 1.0);
    t->error[figure][1] += fabs(row->learned / row->measured - 1.0);
    t->rows[figure]++;
}

/* Learns without one group, and predicts it. */
static memx_status hold_out(work *w, int32_t group, tally out[MEMX_FIGURE_COUNT]) {
    memx_residual r;
    told *rows = malloc((all_rows(w) + 1) * sizeof *rows);
    if (!rows) return MEMX_NOMEM;
    w->rows.group = w->group;
    w->rows.held = group;
    memx_status status = learn_all(w, &r);
    w->rows.group = NULL;
    for (int f = 0; f < MEMX_FIGURE_COUNT && !status; f++) {
        memx_figure figure = (memx_figure)f;
        size_t first = figure == MEMX_FIGURE_ITERATION ? w->rows.count : 0, count = 0;
        for (size_t i = 0; i < rows_of(w, figure) && !status; i++) {
            if (w->group[first + i] != group) continue;
            status = tell(w, &r, figure, i, &rows[count]);
            if (status || isnan(rows[count].measured)) continue;
            if (figure != MEMX_FIGURE_ITERATION) tally_pair(w, &r, i, figure, &rows[count]);
            count++;
        }
        if (!status) tally_group(rows, count, &out[f]);
    }
    free(rows);
    memx_residual_free(&r);
    return status;
}

static memx_status validate(work *w, memx_grouping grouping, memx_train_report *report,
                            tally *peaks) {
    tally t[MEMX_FIGURE_COUNT] = {{.rows = 0}};
    int32_t groups = 0;
    memx_status status = find_groups(w, w->whole, grouping, &groups);
    memx_loop loop = {"groups held out, by", memx_grouping_name(grouping), 0, groups};
    if (groups > 1) memx_loop_begin(&loop, w->poll);
    for (int32_t g = 0; g < groups && groups > 1 && !status; g++) {
        status = memx_poll_stop(w->poll) ? MEMX_INTERRUPTED : hold_out(w, g, t);
        if (!status) loop.done++;
    }
    memx_loop_end(&loop, w->poll);
    for (int f = 0; f < MEMX_FIGURE_COUNT && !status && groups > 1; f++) {
        memx_validation *v = &report->figures[f].by[grouping];
        if (t[f].rows == 0) continue;
        int64_t pairs = t[f].pairs > 0 ? t[f].pairs : 1;
        if (t[f].pairs == 0) t[f].right[0] = t[f].right[1] = 1;
        *v = (memx_validation){groups,
                               t[f].rows,
                               100.0 * t[f].error[0] / (double)t[f].rows,
                               100.0 * t[f].error[1] / (double)t[f].rows,
                               100.0 * (double)t[f].right[0] / (double)pairs,
                               100.0 * (double)t[f].right[1] / (double)pairs};
    }
    peaks->calibrated += t[MEMX_FIGURE_PEAK].calibrated;
    for (int k = 0; k < 2; k++) peaks->squares[k] += t[MEMX_FIGURE_PEAK].squares[k];
    return status;
}

/* By every grouping, on some of the samples where there are many: measured ones, from all over. */
static memx_status validate_all(work *w, memx_train_report *report, tally *peaks) {
    const memx_rows all = w->rows;
    memx_sample *some = malloc((all.count + 1) * sizeof *some);
    size_t measured_rows = 0, seen = 0, count = 0;
    memx_status status = some ? MEMX_OK : MEMX_NOMEM;
    for (size_t i = 0; i < all.count; i++) measured_rows += !all.samples[i].interpolated;
    for (size_t i = 0; i < all.count && !status; i++) {
        size_t stride = memx_stride(measured_rows, MOST_VALIDATED);
        if (all.samples[i].interpolated || seen++ % stride != 0) continue;
        some[count++] = all.samples[i];
    }
    w->rows.samples = some;
    w->rows.count = count;
    for (int g = 0; g < MEMX_GROUPING_COUNT && !status; g++) {
        if (g == MEMX_BY_ROW && !w->options->leave_one_out) continue;
        status = validate(w, (memx_grouping)g, report, peaks);
    }
    w->rows = all;
    free(some);
    return status;
}

/* Better on average over the groupings, no less in order, and no worse for whole iterations. Without a row
** of a device trees are not used for it, so that holding devices out says nothing here. */
static bool passes(const memx_train_report *report, memx_output output) {
    double prior = 0.0, learned = 0.0, order = 0.0, iteration = 0.0;
    int groupings = 0;
    for (int g = 0; g < MEMX_BY_DEVICE; g++) {
        const memx_validation *v = &report->figures[output].by[g];
        const memx_validation *runs = &report->figures[MEMX_FIGURE_ITERATION].by[g];
        iteration += runs->learned_mape - runs->prior_mape;
        if (v->groups < 2) continue;
        groupings++;
        prior += v->prior_mape;
        learned += v->learned_mape;
        order += v->learned_order - v->prior_order;
    }
    if (output == MEMX_OUTPUT_TIME && iteration > 0.0) return false;
    return learned < GAIN[output] * prior && prior - learned > LEAST_GAIN * groupings &&
           order >= 0.0;
}

/* `grown`: there are trees. */
static memx_verdict judge(const work *w, const memx_train_report *report, memx_output output,
                          bool grown) {
    const memx_train_options *o = w->options;
    if (trees_off(o)) return MEMX_VERDICT_OFF;
    if (!grown) return MEMX_VERDICT_TOO_FEW;
    if (o->trees == MEMX_TREES_ALWAYS) return MEMX_VERDICT_USED;
    return passes(report, output) ? MEMX_VERDICT_USED : MEMX_VERDICT_NO_BETTER;
}

/* ---- all of it ---- */

static memx_status tell_fit(const work *w, memx_residual *r, memx_train_report *report) {
    memx_status status = MEMX_OK;
    for (int f = 0; f < MEMX_FIGURE_COUNT && !status; f++) {
        double error[3] = {0.0};
        int64_t rows = 0;
        for (size_t i = 0; i < rows_of(w, (memx_figure)f) && !status; i++) {
            told t = {.measured = NAN};
            if (i % 1024 == 0 && memx_poll_stop(w->poll)) return MEMX_INTERRUPTED;
            if (f != MEMX_FIGURE_ITERATION && w->rows.samples[i].interpolated) continue;
            status = tell(w, r, (memx_figure)f, i, &t);
            if (status || isnan(t.measured)) continue;
            error[0] += fabs(t.nominal / t.measured - 1.0);
            error[1] += fabs(t.prior / t.measured - 1.0);
            error[2] += fabs(t.learned / t.measured - 1.0);
            rows++;
        }
        report->figures[f].rows = rows;
        if (rows == 0) continue;
        report->figures[f].nominal_mape = 100.0 * error[0] / (double)rows;
        report->figures[f].calibrated_mape = 100.0 * error[1] / (double)rows;
        report->figures[f].learned_mape = 100.0 * error[2] / (double)rows;
    }
    return status;
}

/* Every feature in turn from another row: what the trees then say differently. */
static memx_status tell_features(work *w, const memx_residual *r, memx_train_report *report) {
    size_t stride = memx_stride(w->rows.count, MOST_EXCHANGED), count = 0;
    for (size_t i = 0; i < w->rows.count; i += stride) {
        const memx_stage_price price = calibrated(w, r, i);
        features_of(w, &price, i, w->features + count++ * MEMX_FEATURE_COUNT);
    }
    double *plain = malloc((count + 1) * sizeof *plain);
    if (!plain) return MEMX_NOMEM;
    for (int o = 0; o < MEMX_OUTPUT_COUNT; o++) {
        if (!r->outputs[o].used) continue;
        factors(r, (memx_output)o, w->features, count, w->labels, plain);
        for (int f = 0; f < MEMX_FEATURE_COUNT; f++) {
            double sum = 0.0;
            for (size_t i = 0; i < count; i++) {
                float row[MEMX_FEATURE_COUNT], scratch;
                double other;
                memcpy(row, w->features + i * MEMX_FEATURE_COUNT, sizeof row);
                row[f] = w->features[(i + count / 2) % count * MEMX_FEATURE_COUNT + (size_t)f];
                factors(r, (memx_output)o, row, 1, &scratch, &other);
                sum += fabs(other - plain[i]);
            }
            report->matters[o][f] = 100.0 * sum / (double)(count ? count : 1);
        }
    }
    free(plain);
    return MEMX_OK;
}

memx_status memx_train(const memx_rows *rows, const memx_train_options *options,
                       const memx_poll *poll, memx_residual *out, memx_train_report *report,
                       memx_error *error) {
    work w = {.rows = *rows, .options = options, .poll = poll, .error = error};
    tally peaks = {.rows = 0};
    *out = (memx_residual){.name = "", .reserve = NAN};
    *report = (memx_train_report){.reserve = NAN};
    if (all_rows(&w) == 0) return memx_invalid(error, "there are no rows to learn from");
    memx_status status = work_open(&w);
    int64_t begin = memx_clock_ns();
    if (!status) status = learn_all(&w, out);
    report->fit_seconds = memx_clock_seconds_since(begin);
    w.whole = out;
    if (!status) {
        w.pairs = calloc((size_t)out->calibration_count, sizeof *w.pairs);
        if (!w.pairs) status = MEMX_NOMEM;
    }
    if (!status && options->validate) status = validate_all(&w, report, &peaks);
    report->validation_seconds = memx_clock_seconds_since(begin) - report->fit_seconds;
    for (int o = 0; o < MEMX_OUTPUT_COUNT && !status; o++) {
        report->verdict[o] = judge(&w, report, (memx_output)o, out->outputs[o].used);
        out->outputs[o].used = report->verdict[o] == MEMX_VERDICT_USED;
        if (!out->outputs[o].used) memx_forest_free(&out->outputs[o].trees);
    }
    for (int32_t p = 0; p < out->calibration_count && !status; p++) {
        for (int o = 0; o < MEMX_OUTPUT_COUNT; o++) {
            if (w.pairs[p].rows[o] == 0) continue;
            out->calibrations[p].held_out_mape[o] =
                100.0 * w.pairs[p].error[o][out->outputs[o].used] / (double)w.pairs[p].rows[o];
        }
    }
    if (peaks.calibrated > 0) {
        double squares = peaks.squares[out->outputs[MEMX_OUTPUT_PEAK].used ? 1 : 0];
        double reserve =
            RESERVE_DEVIATIONS * sqrt(squares / (double)peaks.calibrated) + RESERVE_SPREAD;
        out->reserve = fmax(LEAST_RESERVE, fmin(MOST_RESERVE, reserve));
    }
    report->reserve = out->reserve;
    if (!status) status = tell_fit(&w, out, report);
    if (!status) status = tell_features(&w, out, report);
    work_free(&w);
    if (status) memx_residual_free(out);
    return status;
}
