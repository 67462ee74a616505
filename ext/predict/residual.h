/*
** The analytic model corrected by what was learned: its constants calibrated (constants.h), then each price
** times a factor for its time and one for its memory, all of it but the context.
**
** ln factor = mean + sd * sum of the trees, no more than a clip away from 0, and fading with the distance
** from what was trained on: halved twice for every doubling of a size outside its range. An output whose
** validation did not let it pass keeps the analytic figure.
*/
#ifndef MEMX_PREDICT_RESIDUAL_H
#define MEMX_PREDICT_RESIDUAL_H

#include "predict/constants.h"
#include "predict/features.h"
#include "predict/forest.h"

typedef enum memx_output { MEMX_OUTPUT_TIME, MEMX_OUTPUT_PEAK, MEMX_OUTPUT_COUNT } memx_output;

typedef struct memx_residual {
    char name[MEMX_NAME_SIZE], fingerprint[MEMX_NAME_SIZE]; /* of all that is stored of it */
    struct {
        memx_forest trees;
        double mean, sd, clip; /* of ln(measured / analytic) */
        bool used;
    } outputs[MEMX_OUTPUT_COUNT];
    memx_calibration *calibrations; /* of the devices and frameworks it saw */
    int32_t calibration_count;
    float least[MEMX_FEATURE_COUNT], most[MEMX_FEATURE_COUNT]; /* trained on */
    double
        reserve; /* share of a card to keep free, from the errors of held-out peaks; NAN: unknown */
} memx_residual;

void memx_residual_free(memx_residual *residual);

/* How far outside the ranges each row of features is: 0 within, else doublings. */
void memx_residual_distances(const memx_residual *residual, const float *features, size_t count,
                             double *out);

/* ln factors of the same rows. `scratch` holds a float for each. */
void memx_residual_factors(const memx_residual *residual, memx_output output, const float *features,
                           const double *distances, size_t count, float *scratch, double *out);

/* Prices through it: the pricer keeps a pointer to the residual. The job that it prices for must be under
** the same constants (memx_calibration_job). */
memx_pricer memx_residual_pricer(memx_residual *residual);

#endif
