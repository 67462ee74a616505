#include "predict/train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GROUPS = 8, MOST_PAIRS = 200000 };
/* Trees must be better than the calibrated model by this much. */
static const double GAIN[MEMX_OUTPUT_COUNT] = {0.95, 0.9};
/* Pairs closer than this are not asked for their order. */
static const double APART = 0.10;

memx_train_options memx_train_defaults(void) {
    return (memx_train_options){
        .boost = {200, 3, 0.05, 1.0, 1.0, true}, .clip = {0.2, 0.1}, .least_rows = 20};
}

const char *memx_grouping_name(memx_grouping grouping) {
    static const char *const names[] = {"hidden", "tp", "tokens", "layers", "device"};
    return names[grouping];
}

/* What training works on: rows with their analytic prices. */
typedef struct work {
    const memx_sample *samples;
    size_t count;
    const memx_train_options *options;
    const memx_poll *poll;
    memx_error *error;
    memx_stage_price *prior;
    int32_t *pair; /* of device and framework, numbered as they come */
    int32_t pair_count;
    float *features, *labels, *weights; /* scratch of one training */
    size_t *chosen;                     /* its rows */
} work;

static void work_free(work *w) {
    free(w->prior);
    free(w->pair);
    free(w->features);
    free(w->labels);
    free(w->weights);
    free(w->chosen);
}

static double measured(const work *w, size_t i, memx_output output) {
    const memx_sample *s = &w->samples[i];
    double x = output == MEMX_OUTPUT_TIME ? s->time_ms : s->held_mib;
    return x > 0.0 && x < INFINITY ? x : NAN;
}

static double figure(const memx_stage_price *price, memx_output output) {
    return output == MEMX_OUTPUT_TIME ? memx_price_ms(price) : memx_held_mib(price);
}

static bool same_pair(const memx_sample *a, const memx_sample *b) {
    return strcmp(a->device->name, b->device->name) == 0 &&
           strcmp(a->framework->name, b->framework->name) == 0;
}

static memx_status work_open(work *w) {
    size_t n = w->count ? w->count : 1;
    w->prior = malloc(n * sizeof *w->prior);
    w->pair = malloc(n * sizeof *w->pair);
    w->features = malloc(n * MEMX_FEATURE_COUNT * sizeof *w->features);
    w->labels = malloc(n * sizeof *w->labels);
    w->weights = malloc(n * sizeof *w->weights);
    w->chosen = malloc(n * sizeof *w->chosen);
    if (!w->prior || !w->pair || !w->features || !w->labels || !w->weights || !w->chosen) {
        return MEMX_NOMEM;
    }
    size_t first[256]; /* a row of each pair */
    for (size_t i = 0; i < w->count; i++) {
        const memx_sample *s = &w->samples[i];
        int32_t p = 0;
        memx_stage_price_all(s->device, s->framework, &s->spec, &s->choice, 1, &w->prior[i]);
        while (p < w->pair_count && !same_pair(&w->samples[first[p]], s)) p++;
        if (p == (int32_t)(sizeof first / sizeof *first)) {
            return memx_invalid(w->error, "more than %d pairs of device and framework", (int)p);
        }
        if (p == w->pair_count) first[w->pair_count++] = i;
        w->pair[i] = p;
    }
    return MEMX_OK;
}

/* ---- learning from some rows ---- */

/* `group[i] == held` leaves row i out. */
static memx_status calibrate(const work *w, const int32_t *group, int32_t held,
                             memx_residual *out) {
    memx_observation *rows = malloc((w->count ? w->count : 1) * sizeof *rows);
    out->calibrations =
        calloc((size_t)(w->pair_count ? w->pair_count : 1), sizeof *out->calibrations);
    if (!rows || !out->calibrations) {
        free(rows);
        return MEMX_NOMEM;
    }
    for (int32_t p = 0; p < w->pair_count; p++) {
        size_t count = 0;
        memx_calibration *c = &out->calibrations[p];
        for (size_t i = 0; i < w->count; i++) {
            const memx_sample *s = &w->samples[i];
            if (w->pair[i] != p) continue;
            snprintf(c->device, sizeof c->device, "%s", s->device->name);
            snprintf(c->framework, sizeof c->framework, "%s", s->framework->name);
            if (group && group[i] == held) continue;
            rows[count++] = (memx_observation){w->prior[i], s->time_ms, s->held_mib};
        }
        memx_calibrate_rows(rows, count, c);
    }
    out->calibration_count = w->pair_count;
    free(rows);
    return MEMX_OK;
}

static memx_stage_price calibrated(const work *w, const memx_residual *r, size_t i) {
    memx_stage_price price = w->prior[i];
    memx_calibration_apply(&r->calibrations[w->pair[i]], &price);
    return price;
}

static void features_of(const work *w, const memx_residual *r, size_t i, float *out) {
    const memx_sample *s = &w->samples[i];
    const memx_stage_price price = calibrated(w, r, i);
    memx_features(s->device, &s->spec, &s->choice, &price, out);
}

/* Trees for one output on the rows that are not held out. *out keeps none where there are too few. */
static memx_status learn(work *w, const int32_t *group, int32_t held, memx_output output,
                         memx_residual *out) {
    size_t count = 0;
    double clip = w->options->clip[output];
    for (size_t i = 0; i < w->count; i++) {
        double y = measured(w, i, output);
        if (isnan(y) || (group && group[i] == held)) continue;
        const memx_stage_price price = calibrated(w, out, i);
        double prior = figure(&price, output);
        if (!(prior > 0.0)) continue;
        features_of(w, out, i, w->features + count * MEMX_FEATURE_COUNT);
        w->labels[count] = (float)fmax(-clip, fmin(clip, log(y / prior)));
        w->weights[count++] = (float)w->samples[i].weight;
    }
    for (size_t i = 0; i < count; i++) {
        for (int f = 0; f < MEMX_FEATURE_COUNT; f++) {
            float x = w->features[i * MEMX_FEATURE_COUNT + (size_t)f];
            if (i == 0 && output == MEMX_OUTPUT_TIME) out->least[f] = out->most[f] = x;
            if (isnan(out->least[f]) || x < out->least[f]) out->least[f] = x;
            if (isnan(out->most[f]) || x > out->most[f]) out->most[f] = x;
        }
    }
    out->outputs[output].sd = 1.0;
    out->outputs[output].clip = clip;
    if (count < (size_t)w->options->least_rows) return MEMX_OK;
    const memx_boost_rows rows = {w->features, w->labels, w->weights, count, MEMX_FEATURE_COUNT, 1};
    memx_status status =
        memx_boost_train(&rows, &w->options->boost, w->poll, &out->outputs[output].trees, w->error);
    out->outputs[output].used = status == MEMX_OK;
    return status;
}

/* ---- validation ---- */

static double key_of(const memx_sample *s, memx_grouping grouping) {
    switch (grouping) {
    case MEMX_BY_HIDDEN: return (double)s->spec.model.hidden;
    case MEMX_BY_TP: return (double)s->spec.tp;
    case MEMX_BY_TOKENS: return (double)(s->spec.micro_batch * s->spec.model.seq_length);
    case MEMX_BY_LAYERS: return (double)s->choice.layers;
    case MEMX_BY_DEVICE:
    case MEMX_GROUPING_COUNT: break;
    }
    return 0.0;
}

static int compare_doubles(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Numbers the groups; many values are taken together in runs of neighbours. Answers how many. */
static memx_status find_groups(const work *w, memx_grouping grouping, int32_t *group,
                               int32_t *count) {
    double *keys = malloc((w->count ? w->count : 1) * sizeof *keys);
    size_t distinct = 0;
    if (!keys) return MEMX_NOMEM;
    for (size_t i = 0; i < w->count; i++) {
        keys[i] = grouping == MEMX_BY_DEVICE ? w->pair[i] : key_of(&w->samples[i], grouping);
    }
    if (w->count > 1) qsort(keys, w->count, sizeof *keys, compare_doubles);
    for (size_t i = 0; i < w->count; i++) {
        if (distinct == 0 || keys[i] != keys[distinct - 1]) keys[distinct++] = keys[i];
    }
    *count = distinct < MOST_GROUPS ? (int32_t)distinct : MOST_GROUPS;
    for (size_t i = 0; i < w->count; i++) {
        double key = grouping == MEMX_BY_DEVICE ? w->pair[i] : key_of(&w->samples[i], grouping);
        const double *at = bsearch(&key, keys, distinct, sizeof *keys, compare_doubles);
        group[i] = at ? (int32_t)((size_t)(at - keys) * (size_t)*count / distinct) : 0;
    }
    free(keys);
    return MEMX_OK;
}

typedef struct tally {
    double error[2]; /* of the calibrated model, of the learned one */
    int64_t rows, pairs, right[2];
} tally;

/* Adds a held-out group's errors, and the order of its pairs, evenly picked where there are many. */
static void tally_group(const double *y, double *const predicted[2], size_t count, tally *t) {
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 2; k++) t->error[k] += fabs(predicted[k][i] / y[i] - 1.0);
    }
    t->rows += (int64_t)count;
    double all = (double)count * (double)(count - 1) / 2.0;
    size_t stride = 1 + (size_t)(all / MOST_PAIRS);
    for (size_t n = 0, i = 0; i + 1 < count; i++) {
        for (size_t j = i + 1; j < count; j++, n++) {
            if (n % stride != 0 || fabs(log(y[i] / y[j])) <= APART) continue;
            t->pairs++;
            for (int k = 0; k < 2; k++) {
                t->right[k] += (y[i] < y[j]) == (predicted[k][i] < predicted[k][j]);
            }
        }
    }
}

/* One group held out: learns from the others, predicts it. */
static memx_status hold_out(work *w, const int32_t *group, int32_t held, memx_output output,
                            tally *t) {
    memx_residual r = {.name = ""};
    double *y = malloc(3 * (w->count ? w->count : 1) * sizeof *y);
    double *predicted[2] = {y ? y + w->count : NULL, y ? y + 2 * w->count : NULL};
    size_t count = 0;
    memx_status status = y ? calibrate(w, group, held, &r) : MEMX_NOMEM;
    if (!status) status = learn(w, group, held, output, &r);
    for (size_t i = 0; i < w->count && !status; i++) {
        float features[MEMX_FEATURE_COUNT], scratch;
        double factor;
        if (group[i] != held || isnan(measured(w, i, output))) continue;
        const memx_stage_price price = calibrated(w, &r, i);
        memx_features(w->samples[i].device, &w->samples[i].spec, &w->samples[i].choice, &price,
                      features);
        memx_residual_factors(&r, output, features, 1, &scratch, &factor);
        y[count] = measured(w, i, output);
        predicted[0][count] = figure(&price, output);
        predicted[1][count++] = figure(&price, output) * exp(factor);
    }
    if (!status) tally_group(y, predicted, count, t);
    free(y);
    memx_residual_free(&r);
    return status;
}

static memx_status validate(work *w, memx_output output, memx_grouping grouping, int32_t *group,
                            memx_validation *out) {
    tally t = {{0.0, 0.0}, 0, 0, {0, 0}};
    *out = (memx_validation){0};
    memx_status status = find_groups(w, grouping, group, &out->groups);
    for (int32_t held = 0; held < out->groups && out->groups > 1 && !status; held++) {
        if (memx_poll_stop(w->poll)) return MEMX_INTERRUPTED;
        status = hold_out(w, group, held, output, &t);
    }
    if (status || t.rows == 0) return status;
    out->prior_mape = 100.0 * t.error[0] / (double)t.rows;
    out->learned_mape = 100.0 * t.error[1] / (double)t.rows;
    if (t.pairs == 0) t.pairs = t.right[0] = t.right[1] = 1;
    out->prior_order = 100.0 * (double)t.right[0] / (double)t.pairs;
    out->learned_order = 100.0 * (double)t.right[1] / (double)t.pairs;
    return MEMX_OK;
}

/* Better on average over the groupings, and no less in order. */
static bool passes(const memx_validation *by, memx_output output) {
    double prior = 0.0, learned = 0.0, order = 0.0;
    bool any = false;
    for (int g = 0; g < MEMX_GROUPING_COUNT; g++) {
        if (by[g].groups < 2) continue;
        any = true;
        prior += by[g].prior_mape;
        learned += by[g].learned_mape;
        order += by[g].learned_order - by[g].prior_order;
    }
    return any && learned < GAIN[output] * prior && order >= 0.0;
}

/* ---- all of it ---- */

static void tell_fit(const work *w, const memx_residual *r, memx_output output,
                     memx_train_report *report) {
    double error[3] = {0.0};
    int64_t rows = 0;
    for (size_t i = 0; i < w->count; i++) {
        float features[MEMX_FEATURE_COUNT], scratch;
        double factor, y = measured(w, i, output);
        if (isnan(y)) continue;
        const memx_stage_price price = calibrated(w, r, i);
        features_of(w, r, i, features);
        memx_residual_factors(r, output, features, 1, &scratch, &factor);
        error[0] += fabs(figure(&w->prior[i], output) / y - 1.0);
        error[1] += fabs(figure(&price, output) / y - 1.0);
        error[2] += fabs(figure(&price, output) * exp(factor) / y - 1.0);
        rows++;
    }
    report->outputs[output].rows = rows;
    if (rows == 0) return;
    report->outputs[output].nominal_mape = 100.0 * error[0] / (double)rows;
    report->outputs[output].calibrated_mape = 100.0 * error[1] / (double)rows;
    report->outputs[output].learned_mape = 100.0 * error[2] / (double)rows;
}

memx_status memx_train(const memx_sample *samples, size_t count, const memx_train_options *options,
                       const memx_poll *poll, memx_residual *out, memx_train_report *report,
                       memx_error *error) {
    work w = {.samples = samples, .count = count, .options = options, .poll = poll, .error = error};
    int32_t *group = malloc((count ? count : 1) * sizeof *group);
    *out = (memx_residual){.name = ""};
    *report = (memx_train_report){0};
    memx_status status = group ? work_open(&w) : MEMX_NOMEM;
    if (!status && count == 0) status = memx_invalid(error, "there are no rows to learn from");
    if (!status) status = calibrate(&w, NULL, 0, out);
    for (int o = 0; o < MEMX_OUTPUT_COUNT && !status; o++) {
        memx_output output = (memx_output)o;
        status = learn(&w, NULL, 0, output, out);
        if (!out->outputs[o].used) continue; /* too few rows */
        for (int g = 0; g < MEMX_GROUPING_COUNT && !status; g++) {
            status = validate(&w, output, (memx_grouping)g, group, &report->outputs[o].by[g]);
        }
        out->outputs[o].used = passes(report->outputs[o].by, output);
    }
    for (int o = 0; o < MEMX_OUTPUT_COUNT && !status; o++) {
        tell_fit(&w, out, (memx_output)o, report);
        report->outputs[o].used = out->outputs[o].used;
    }
    free(group);
    work_free(&w);
    if (status) memx_residual_free(out);
    return status;
}
