/*
** Training through the XGBoost C API: gradient boosted trees for one or more outputs.
**
** One thread, no sampling, base score 0: same rows, same trees, whatever the machine's cores. The library
** writes nothing, and no model of it is ever read back: trees leave as rows (forest.h).
*/
#ifndef MEMX_PREDICT_BOOST_H
#define MEMX_PREDICT_BOOST_H

#include "predict/forest.h"

typedef struct memx_boost_options {
    int32_t rounds, depth;
    double eta, lambda, least_weight; /* least_weight: of a leaf's rows */
    bool exact;                       /* splits between any two values; else between 256 bins */
} memx_boost_options;

/* Rows in order, each of `features` floats, NaN where missing, and `outputs` labels; weights may be NULL.
** All finite but for NaN among the features. */
typedef struct memx_boost_rows {
    const float *features, *labels, *weights;
    size_t count;
    int32_t feature_count, outputs;
} memx_boost_rows;

/* Trains one forest for each output; out[] is empty on any failure. MEMX_INVALID where rows or options
** cannot be trained on; MEMX_INTERRUPTED between rounds. */
memx_status memx_boost_train(const memx_boost_rows *rows, const memx_boost_options *options,
                             const memx_poll *poll, memx_forest *out, memx_error *error);

/* "1.7.4" */
void memx_boost_version(char *out, size_t size);

#endif
