/*
** Training, and our own sums of its trees against those of the library.
*/
#include "predict/boost.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xgboost/c_api.h>

#include "support/check.h"

enum { FEATURES = 6, OUTPUTS = 2 };

typedef struct data {
    float *features, *labels, *weights;
    memx_boost_rows rows;
} data;

/* Rows of which two features are now and then missing, and labels that depend on all of them. */
static void make_data(rng *r, size_t count, data *out) {
    out->features = allocate(count * FEATURES, sizeof(float));
    out->labels = allocate(count * OUTPUTS, sizeof(float));
    out->weights = allocate(count, sizeof(float));
    for (size_t i = 0; i < count; i++) {
        float *f = &out->features[i * FEATURES];
        for (int c = 0; c < FEATURES; c++) f[c] = (float)rng_real(r, -3.0, 3.0);
        f[0] = floorf(f[0]);
        out->labels[i * OUTPUTS] = f[0] * f[1] + (f[2] > 0.5F ? 2.0F : f[3]);
        out->labels[i * OUTPUTS + 1] = f[4] - f[5] * f[0];
        out->weights[i] = (float)rng_real(r, 0.2, 2.0);
        if (rng_chance(r, 10)) f[4] = NAN;
        if (rng_chance(r, 10)) f[2] = NAN;
    }
    out->rows =
        (memx_boost_rows){out->features, out->labels, out->weights, count, FEATURES, OUTPUTS};
}

static void free_data(data *d) {
    free(d->features);
    free(d->labels);
    free(d->weights);
}

/* The library's own training and prediction, with the options that boost.c promises. */
static void library_sums(const memx_boost_rows *rows, const memx_boost_options *o, float *out) {
    char array[160], number[32];
    DMatrixHandle matrix;
    BoosterHandle booster;
    snprintf(array, sizeof array,
             "{\"data\":[%llu,true],\"shape\":[%zu,%d],\"typestr\":\"<f4\",\"version\":3}",
             (unsigned long long)(uintptr_t)rows->features, rows->count, FEATURES);
    assert_int_equal(XGDMatrixCreateFromDense(array, "{\"missing\":NaN,\"nthread\":1}", &matrix),
                     0);
    char labels[160];
    snprintf(labels, sizeof labels,
             "{\"data\":[%llu,true],\"shape\":[%zu,%d],\"typestr\":\"<f4\",\"version\":3}",
             (unsigned long long)(uintptr_t)rows->labels, rows->count, OUTPUTS);
    assert_int_equal(XGDMatrixSetInfoFromInterface(matrix, "label", labels), 0);
    snprintf(labels, sizeof labels,
             "{\"data\":[%llu,true],\"shape\":[%zu],\"typestr\":\"<f4\",\"version\":3}",
             (unsigned long long)(uintptr_t)rows->weights, rows->count);
    assert_int_equal(XGDMatrixSetInfoFromInterface(matrix, "weight", labels), 0);
    assert_int_equal(XGBoosterCreate(&matrix, 1, &booster), 0);
    XGBoosterSetParam(booster, "nthread", "1");
    XGBoosterSetParam(booster, "seed", "20");
    XGBoosterSetParam(booster, "base_score", "0");
    XGBoosterSetParam(booster, "objective", "reg:squarederror");
    XGBoosterSetParam(booster, "tree_method", o->exact ? "exact" : "hist");
    snprintf(number, sizeof number, "%d", (int)o->depth);
    XGBoosterSetParam(booster, "max_depth", number);
    snprintf(number, sizeof number, "%.9g", o->eta);
    XGBoosterSetParam(booster, "eta", number);
    snprintf(number, sizeof number, "%.9g", o->lambda);
    XGBoosterSetParam(booster, "lambda", number);
    snprintf(number, sizeof number, "%.9g", o->least_weight);
    XGBoosterSetParam(booster, "min_child_weight", number);
    for (int i = 0; i < o->rounds; i++)
        assert_int_equal(XGBoosterUpdateOneIter(booster, i, matrix), 0);
    const bst_ulong *shape = NULL;
    bst_ulong dimensions = 0;
    const float *found = NULL;
    assert_int_equal(
        XGBoosterPredictFromDense(booster, array,
                                  "{\"type\":0,\"training\":false,\"iteration_begin\":0,"
                                  "\"iteration_end\":0,\"strict_shape\":true,\"missing\":NaN,"
                                  "\"cache_id\":0}",
                                  NULL, &shape, &dimensions, &found),
        0);
    memcpy(out, found, rows->count * OUTPUTS * sizeof *out);
    XGBoosterFree(booster);
    XGDMatrixFree(matrix);
}

static void sums_are_the_library_s_bit_for_bit(void **state) {
    static const memx_boost_options options[] = {
        {40, 6, 0.1, 1.0, 1.0, false}, {60, 3, 0.05, 1.0, 0.5, true}, {1, 1, 1.0, 0.0, 0.0, true}};
    (void)state;
    for (size_t o = 0; o < COUNT(options); o++) {
        rng r = rng_start(o + 1);
        data d;
        memx_forest forests[OUTPUTS];
        memx_error error = {.text = ""};
        make_data(&r, 700, &d);
        float *wanted = allocate(d.rows.count * OUTPUTS, sizeof *wanted);
        float *found = allocate(d.rows.count, sizeof *found);
        library_sums(&d.rows, &options[o], wanted);
        assert_ok(memx_boost_train(&d.rows, &options[o], NULL, forests, &error), &error);
        for (int out = 0; out < OUTPUTS; out++) {
            assert_int_equal(forests[out].tree_count, options[o].rounds);
            memx_forest_sum(&forests[out], d.features, d.rows.count, found);
            for (size_t i = 0; i < d.rows.count; i++) {
                assert_that(found[i] == wanted[i * OUTPUTS + (size_t)out],
                            "options %zu, output %d, row %zu: %.9g, wanted %.9g", o, out, i,
                            (double)found[i], (double)wanted[i * OUTPUTS + (size_t)out]);
            }
            memx_forest_free(&forests[out]);
        }
        free(wanted);
        free(found);
        free_data(&d);
    }
}

static void same_rows_give_same_trees(void **state) {
    const memx_boost_options o = {30, 4, 0.2, 1.0, 1.0, true};
    rng r = rng_start(9);
    data d;
    memx_forest a[OUTPUTS], b[OUTPUTS];
    memx_error error = {.text = ""};
    (void)state;
    make_data(&r, 300, &d);
    assert_ok(memx_boost_train(&d.rows, &o, NULL, a, &error), &error);
    assert_ok(memx_boost_train(&d.rows, &o, NULL, b, &error), &error);
    for (int i = 0; i < OUTPUTS; i++) {
        assert_int_equal(a[i].node_count, b[i].node_count);
        assert_memory_equal(a[i].nodes, b[i].nodes, (size_t)a[i].node_count * sizeof *a[i].nodes);
        memx_forest_free(&a[i]);
        memx_forest_free(&b[i]);
    }
    free_data(&d);
}

static void what_cannot_be_trained_on_is_refused(void **state) {
    const memx_boost_options good = {3, 3, 0.1, 1.0, 1.0, true};
    memx_forest out[OUTPUTS];
    memx_error error = {.text = ""};
    rng r = rng_start(3);
    data d;
    (void)state;
    make_data(&r, 20, &d);
    memx_boost_rows none = d.rows;
    none.count = 0;
    assert_refused(memx_boost_train(&none, &good, NULL, out, &error), &error, "~no rows~");
    memx_boost_options bad = good;
    bad.depth = 99;
    assert_refused(memx_boost_train(&d.rows, &bad, NULL, out, &error), &error, "~depth 1 to 16~");
    d.labels[7] = INFINITY;
    assert_refused(memx_boost_train(&d.rows, &good, NULL, out, &error), &error, "~label~");
    d.labels[7] = 0.0F;
    d.features[3] = -INFINITY;
    assert_refused(memx_boost_train(&d.rows, &good, NULL, out, &error), &error, "~feature~");
    d.features[3] = 0.0F;
    d.weights[2] = -1.0F;
    assert_refused(memx_boost_train(&d.rows, &good, NULL, out, &error), &error, "~weight~");
    free_data(&d);
}

static int stop_at_three(void *context) {
    return ++*(int *)context == 3;
}

static void training_stops_between_rounds(void **state) {
    const memx_boost_options o = {1000, 6, 0.1, 1.0, 1.0, false};
    int asked = 0;
    const memx_poll poll = {.stop = stop_at_three, .context = &asked};
    memx_forest out[OUTPUTS];
    memx_error error = {.text = ""};
    rng r = rng_start(4);
    data d;
    (void)state;
    make_data(&r, 200, &d);
    assert_int_equal(memx_boost_train(&d.rows, &o, &poll, out, &error), MEMX_INTERRUPTED);
    assert_int_equal(asked, 3);
    free_data(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_the_library_s_bit_for_bit),
        cmocka_unit_test(same_rows_give_same_trees),
        cmocka_unit_test(what_cannot_be_trained_on_is_refused),
        cmocka_unit_test(training_stops_between_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
