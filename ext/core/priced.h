/*
** One configuration read from its text, with its plan and the priced option of every stage.
*/
#ifndef MEMX_CORE_PRICED_H
#define MEMX_CORE_PRICED_H

#include "core/plan.h"

typedef struct memx_priced {
    memx_config config;
    memx_plan plan; /* refers to config.knobs: do not move the struct */
    memx_option *options;
    const memx_option **pointers; /* to each of options */
} memx_priced;

/* On any failure *out is empty. */
memx_status memx_priced_open(const memx_job *job, const char *text, const memx_pricer *pricer,
                             memx_priced *out, memx_error *error);
void memx_priced_close(memx_priced *priced);

#endif
