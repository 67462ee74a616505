/*
** Functions that plan one configuration:
**
**   recompute_plan(job, config [, objective [, space]])         'full,none,none': the levels that the
**                                                     two-step rule gives its stages; NULL where
**                                                     nothing fits
**   recompute_plan_detail(job, config [, objective [, space]])  the same as JSON, with reasons and
**                                                     rates
**   layer_split(job, config, rule)                    '8,12,12': its layers by a rule
**
** objective: time (default), phi (under the job's weights), headroom=0.1. space: whose levels; the
** job's own unless given. rule: uniform, compute, memory, time. The configuration gives the degrees,
** the devices and, for the plan, the layers; for the split by time its levels. NULL in, NULL out.
*/
#include "core/recompute.h"
#include "core/split.h"
#include "sql/modules.h"
#include "sql/subject.h"
#include "sql/vtab.h"

#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* ---- recompute_plan ---- */

static void recompute(sqlite3_context *context, int argc, sqlite3_value **argv, bool detail) {
    memx_subject subject;
    memx_objective objective = {.kind = MEMX_FOR_TIME};
    memx_recompute_plan plan = {.failed = -1};
    memx_error error = {.text = ""};
    memx_text text = {0};
    if (memx_any_null(argc, argv)) return;
    memx_status status = memx_subject_open(context, "recompute_plan", argv, true,
                                           argc > 3 ? argv[3] : NULL, &subject, &error);
    if (!status && argc > 2) {
        const char *words = NULL;
        status = memx_argument_text(argv[2], "objective", &words, &error);
        if (!status) status = memx_objective_parse(words, &objective, &error);
    }
    if (!status && objective.kind == MEMX_FOR_PHI) {
        status =
            memx_session_weights(subject.session, subject.study, memx_session_poll(subject.session),
                                 &objective.weights, &error);
    }
    if (!status) {
        status =
            memx_recompute_plan_open(&subject.study->search.setting, &subject.priced, &objective,
                                     memx_session_poll(subject.session), &plan, &error);
    }
    if (status) {
        memx_result_fail(context, status, &error);
    } else if (detail || plan.failed < 0) {
        if (detail) {
            memx_recompute_detail(&plan, &text);
        } else {
            memx_recompute_levels(&plan, &text);
        }
        memx_result_text(context, &text);
    }
    memx_recompute_plan_close(&plan);
    memx_subject_close(&subject);
}

void memx_recompute_plan_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    recompute(context, argc, argv, false);
}

void memx_recompute_plan_detail_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    recompute(context, argc, argv, true);
}

/* ---- layer_split ---- */

typedef struct config_price {
    const memx_subject *subject;
    memx_status status;
    memx_error *error;
} config_price;

/* A stage with so many layers at the configuration's own level. */
static memx_split_cost price_config(void *context, int32_t stage, int64_t layers) {
    config_price *p = context;
    const memx_priced *priced = &p->subject->priced;
    memx_option option = {.time_ns = INT64_MAX};
    if (!p->status && memx_poll_stop(memx_session_poll(p->subject->session))) {
        p->status = MEMX_INTERRUPTED;
    }
    if (layers > priced->plan.layers || p->status) return (memx_split_cost){INT64_MAX, false};
    memx_level level = priced->config.stages[stage].level;
    memx_stage_choice choice = {layers, memx_level_canonical(level, layers)};
    p->status = memx_plan_options(&priced->plan, &priced->plan.shapes[stage],
                                  &p->subject->study->pricer, &choice, 1, &option, p->error);
    return (memx_split_cost){option.time_ns, option.short_kib == 0};
}

static memx_status split_layers(const memx_subject *subject, memx_split_rule rule, int64_t *out,
                                memx_error *error) {
    const memx_plan *plan = &subject->priced.plan;
    config_price price = {subject, MEMX_OK, error};
    if (rule != MEMX_SPLIT_TIME) {
        double *scratch = calloc((size_t)plan->stage_count, sizeof *scratch);
        if (!scratch) return MEMX_NOMEM;
        memx_split_static(plan, rule, scratch, out);
        free(scratch);
        return MEMX_OK;
    }
    memx_split_next *costs = calloc((size_t)plan->stage_count, sizeof *costs);
    if (!costs) return MEMX_NOMEM;
    memx_split_time(price_config, &price, plan->stage_count, plan->layers,
                    memx_stage_least_layers(&plan->model, true), costs, out);
    free(costs);
    return price.status;
}

void memx_layer_split_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    memx_subject subject;
    memx_error error = {.text = ""};
    memx_text text = {0};
    memx_split_rule rule = MEMX_SPLIT_FREE;
    int64_t *layers = NULL;
    if (memx_any_null(argc, argv)) return;
    memx_status status =
        memx_subject_open(context, "layer_split", argv, false, NULL, &subject, &error);
    if (!status) {
        const char *word = NULL;
        status = memx_argument_text(argv[2], "rule", &word, &error);
        if (!status) status = memx_split_rule_parse(word, &rule, &error);
    }
    if (!status) {
        layers = calloc((size_t)subject.priced.plan.stage_count, sizeof *layers);
        status = layers ? split_layers(&subject, rule, layers, &error) : MEMX_NOMEM;
    }
    if (status) {
        memx_result_fail(context, status, &error);
    } else {
        for (int32_t s = 0; s < subject.priced.plan.stage_count; s++) {
            memx_text_printf(&text, "%s%lld", s ? "," : "",
                             (long long)layers[s] * subject.priced.config.knobs.vp);
        }
        memx_result_text(context, &text);
    }
    free(layers);
    memx_subject_close(&subject);
}
