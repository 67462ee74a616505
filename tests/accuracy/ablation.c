/*
** What the analytic model is worth to the trees: the same rows learned without it. Standard input has a line
** per stage, numbers with tabs between them: weight (0: a test), ms and MiB measured, ms and MiB by the
** analytic model, and features. Prints, with tabs, WHAT, METRIC and value in % of the tests' errors:
**
**   no_calibration        labels ln(measured / analytic), the analytic model's figures among the features
**   no_analytic_features  the same labels, without these features
**   raw_labels            labels ln(measured), without these features
*/
#include "predict/boost.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIGURES = 2, CONFIGURATION = 17, FEATURES = CONFIGURATION + 3, OF_LAYERS = 7, LINE = 1024 };

typedef struct row {
    double weight, measured[FIGURES], analytic[FIGURES];
    float features[FEATURES]; /* those of the analytic model last */
} row;

typedef struct variant {
    const char *name;
    bool residual;
    int32_t features;
} variant;

static _Noreturn void fail(const char *what) {
    fprintf(stderr, "ablation: %s\n", what);
    exit(1);
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) fail("out of memory");
    return memory;
}

static double next_number(char **at) {
    char *end = NULL;
    double value = strtod(*at, &end);
    if (end == *at) fail("too few numbers in a line");
    *at = end;
    return value;
}

/* Sizes as logarithms, shares as they are. */
static float scaled(double x) {
    return x > 1.0 ? (float)log2(x) : (float)(x - 1.0);
}

static size_t read_rows(row **out) {
    size_t count = 0, capacity = 0;
    char line[LINE];
    row *rows = NULL;
    while (fgets(line, sizeof line, stdin)) {
        char *at = line;
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 4096;
            rows = realloc(rows, capacity * sizeof *rows);
            if (!rows) fail("out of memory");
        }
        row *r = &rows[count++];
        r->weight = next_number(&at);
        for (int f = 0; f < FIGURES; f++) r->measured[f] = next_number(&at);
        for (int f = 0; f < FIGURES; f++) r->analytic[f] = next_number(&at);
        double layers = 1.0;
        for (int f = 0; f < CONFIGURATION; f++) {
            double x = next_number(&at);
            if (f == OF_LAYERS) layers = x;
            r->features[f] = scaled(x);
        }
        r->features[CONFIGURATION] = (float)log2(r->analytic[0]);
        r->features[CONFIGURATION + 1] = (float)log2(r->analytic[0] / layers);
        r->features[CONFIGURATION + 2] = (float)log2(r->analytic[1]);
    }
    *out = rows;
    return count;
}

static double label(const row *r, const variant *v, int figure) {
    return log(r->measured[figure]) - (v->residual ? log(r->analytic[figure]) : 0.0);
}

/* Learns from the rows with a weight; answers the mean label, which the trees come on top of. */
static double learn(const row *rows, size_t count, const variant *v, int figure, memx_forest *out) {
    const memx_boost_options options = {200, 3, 0.05, 1.0, 1.0, true}; /* memx_train's */
    float *features = allocate(count * FEATURES, sizeof *features);
    float *labels = allocate(count, sizeof *labels), *weights = allocate(count, sizeof *weights);
    double sum = 0.0, weight = 0.0;
    memx_error error = {.text = ""};
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].weight == 0.0 || isnan(rows[i].measured[figure])) continue;
        sum += rows[i].weight * label(&rows[i], v, figure);
        weight += rows[i].weight;
    }
    for (size_t i = 0; i < count; i++) {
        if (rows[i].weight == 0.0 || isnan(rows[i].measured[figure])) continue;
        memcpy(features + n * (size_t)v->features, rows[i].features,
               (size_t)v->features * sizeof *features);
        labels[n] = (float)(label(&rows[i], v, figure) - sum / weight);
        weights[n++] = (float)rows[i].weight;
    }
    const memx_boost_rows boost = {features, labels, weights, n, v->features, 1};
    if (memx_boost_train(&boost, &options, NULL, out, &error)) fail(error.text);
    free(features);
    free(labels);
    free(weights);
    return sum / weight;
}

static void judge(const row *rows, size_t count, const variant *v, int figure) {
    static const char *const metrics[FIGURES][3] = {
        {"stage_time_mape", "stage_max_error", "stage_over_50"},
        {"peak_mape", "peak_max_error", "peak_over_50"}};
    memx_forest trees = {0};
    double mean = learn(rows, count, v, figure, &trees), sum = 0.0, most = 0.0;
    size_t tests = 0, over = 0;
    for (size_t i = 0; i < count; i++) {
        float out = 0.0F;
        if (rows[i].weight > 0.0 || isnan(rows[i].measured[figure])) continue;
        memx_forest_sum(&trees, rows[i].features, 1, &out);
        double ln = mean + (double)out + (v->residual ? log(rows[i].analytic[figure]) : 0.0);
        double error = 100.0 * fabs(exp(ln) / rows[i].measured[figure] - 1.0);
        sum += error;
        most = fmax(most, error);
        over += error > 50.0;
        tests++;
    }
    memx_forest_free(&trees);
    if (tests == 0) fail("no tests");
    printf("%s\t%s\t%.6f\n", v->name, metrics[figure][0], sum / (double)tests);
    printf("%s\t%s\t%.6f\n", v->name, metrics[figure][1], most);
    printf("%s\t%s\t%.6f\n", v->name, metrics[figure][2], 100.0 * (double)over / (double)tests);
}

int main(void) {
    static const variant variants[] = {{"no_calibration", true, FEATURES},
                                       {"no_analytic_features", true, CONFIGURATION},
                                       {"raw_labels", false, CONFIGURATION}};
    row *rows = NULL;
    size_t count = read_rows(&rows);
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        for (int f = 0; f < FIGURES; f++) judge(rows, count, &variants[v], f);
    }
    free(rows);
    return 0;
}
