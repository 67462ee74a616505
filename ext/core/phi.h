/*
** The score: phi = time^w_time * peak^w_peak * (variance + epsilon)^w_variance.
**
** A weight reads as an elasticity: one measure 1 % higher raises phi by about its weight in %.
** epsilon keeps a variance of 0 from making phi 0. Source: the MemX paper's weighted product.
*/
#ifndef MEMX_CORE_PHI_H
#define MEMX_CORE_PHI_H

#include "core/job.h"
#include "core/status.h"

#include <stdbool.h>

typedef struct memx_weights {
    double time, peak, variance; /* sum 1 */
    double epsilon;              /* MiB^2 */
} memx_weights;

/* The three weight sets that come with MemX; NULL for another name. Unchangeable. */
const memx_weights *memx_weights_shipped(const char *name);

/* The shipped name that `auto` stands for, in this order: safe where the job's fastest configuration
** leaves less than 10 % of some card free; throughput where neither memory nor compute of its devices
** spreads by 10 % of the greatest; else default. (The MemX paper chooses its three so.) */
const char *memx_weights_auto(const memx_job *job, double fastest_free_share);

/* Each 0 to 1, sum 1 within 1e-9, epsilon above 0. */
memx_status memx_weights_check(const memx_weights *weights, memx_error *error);

/* Measures in any unit, as long as it is always the same; none negative. */
double memx_phi(double time, double peak, double variance, const memx_weights *weights);

#endif
