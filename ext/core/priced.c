#include "core/priced.h"

#include <stdlib.h>

memx_status memx_priced_open(const memx_job *job, const char *text, const memx_pricer *pricer,
                             memx_priced *out, memx_error *error) {
    *out = (memx_priced){.options = NULL};
    memx_status status = memx_config_parse(job, text, &out->config, error);
    if (status) return status;
    status = memx_plan_build(job, &out->config.knobs, &out->config.placement, &out->plan, error);
    size_t stages = (size_t)out->config.knobs.pp;
    out->options = calloc(stages, sizeof *out->options);
    out->pointers = calloc(stages, sizeof *out->pointers);
    if (!status && (!out->options || !out->pointers)) status = MEMX_NOMEM;
    for (size_t s = 0; s < stages && !status; s++) {
        status = memx_plan_options(&out->plan, &out->plan.shapes[s], pricer, &out->config.stages[s],
                                   1, &out->options[s], error);
        out->pointers[s] = &out->options[s];
    }
    if (status) memx_priced_close(out);
    return status;
}

void memx_priced_close(memx_priced *priced) {
    memx_plan_free(&priced->plan);
    memx_config_free(&priced->config);
    free(priced->options);
    free(priced->pointers);
    *priced = (memx_priced){.options = NULL};
}
