/*
** The MemX paper's two-step rule: which recompute level each stage of a pipeline should have.
**
** Step one makes it fit, as fast as it can be: a stage that fits at none starts there, else at the
** fastest level that fits. A level that offloads is as fast but has a longer optimizer step, which only
** the slowest stage's matters: the best over all bounds on that step. Where a stage fits at none of its
** levels there is no plan.
**
** Step two trades. rho = (T(r') - T(r)) / (peak(r) - peak(r')) is what a MiB costs when one stage goes
** from level r to r', in ms of the whole iteration. Single stages move along the least rho:
**   time      none: the start is the fastest plan
**   phi       while the score under given weights improves; where only two stages moved together would
**             gain, it stops
**   headroom  to the levels of the fastest plan that leaves the bound free on every card; no plan where
**             a stage has no such level
*/
#ifndef MEMX_CORE_RECOMPUTE_H
#define MEMX_CORE_RECOMPUTE_H

#include "core/phi.h"
#include "core/priced.h"
#include "core/tables.h"

typedef enum memx_objective_kind {
    MEMX_FOR_TIME,
    MEMX_FOR_PHI,
    MEMX_FOR_HEADROOM
} memx_objective_kind;

typedef struct memx_objective {
    memx_objective_kind kind;
    double headroom;      /* share of every card */
    memx_weights weights; /* of phi */
} memx_objective;

/* Reads "time", "phi" or "headroom=0.1". */
memx_status memx_objective_parse(const char *text, memx_objective *out, memx_error *error);

typedef struct memx_stage_levels {
    const memx_option *options; /* by level of the setting */
    uint64_t offered;           /* levels of the space with this many layers */
    uint64_t fitting;           /* those that fit in memory */
    int32_t start, level;       /* after step one, after step two; -1 where nothing fits */
} memx_stage_levels;

typedef struct memx_step {
    int32_t stage, from, to; /* levels */
    double rate;             /* ms of the iteration per MiB of the stage */
    double objective;        /* after the step: ms, score, or least share free */
} memx_step;

typedef struct memx_recompute_plan {
    memx_setting *setting;
    const memx_priced *priced;
    memx_objective objective;
    int32_t stage_count;
    memx_stage_levels *stages;
    memx_table **tables;
    const memx_option **options; /* of the levels chosen so far */
    memx_step *steps;
    size_t step_count, step_capacity;
    int32_t failed; /* the first stage that fits at no level or lacks headroom at all; or -1 */
    memx_measures measures; /* of the plan, unless it failed */
} memx_recompute_plan;

/* Plans the levels of a configuration's skeleton and layers; its own levels do not matter. Keeps
** pointers to setting and priced. */
memx_status memx_recompute_plan_open(memx_setting *setting, const memx_priced *priced,
                                     const memx_objective *objective, const memx_poll *poll,
                                     memx_recompute_plan *out, memx_error *error);
void memx_recompute_plan_close(memx_recompute_plan *plan);

/* ms per MiB of moving one stage of the finished plan to another level: of the stage's own time, and
** of the iteration. NAN where nothing is saved. */
void memx_recompute_rates(const memx_recompute_plan *plan, int32_t stage, int32_t level,
                          double *local, double *iteration);

/* The plan's levels as the column `recompute` writes them. */
void memx_recompute_levels(const memx_recompute_plan *plan, memx_text *out);

/* The whole plan as JSON: per stage the level and why, every level's peak and time against the
** memory it may use, rates, and the steps taken. */
void memx_recompute_detail(const memx_recompute_plan *plan, memx_text *out);

#endif
