#include "core/recompute.h"

#include "core/lines.h"
#include "core/ways.h"
#include "core/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A share below 1 that is all of the text. */
static bool parse_share(const char *text, double *out) {
    memx_span rest = memx_span_of(text);
    return memx_take_number(&rest, out) && rest.length == 0 && *out >= 0.0 && *out < 1.0;
}

memx_status memx_objective_parse(const char *text, memx_objective *out, memx_error *error) {
    static const char prefix[] = "headroom=";
    if (strcmp(text, "time") == 0) {
        out->kind = MEMX_FOR_TIME;
    } else if (strcmp(text, "phi") == 0) {
        out->kind = MEMX_FOR_PHI;
    } else if (strncmp(text, prefix, sizeof prefix - 1) == 0 &&
               parse_share(text + sizeof prefix - 1, &out->headroom)) {
        out->kind = MEMX_FOR_HEADROOM;
    } else {
        return memx_invalid(error,
                            "objective '%.40s'; write time, phi or headroom=0.1 (a share of every "
                            "card, below 1)",
                            text);
    }
    return MEMX_OK;
}

/* ---- measuring ---- */

static void measure(const memx_recompute_plan *plan, memx_measures *out) {
    memx_plan_measure(&plan->priced->plan, plan->options, out);
}

static double objective_of(const memx_recompute_plan *plan, const memx_measures *m) {
    if (plan->objective.kind == MEMX_FOR_TIME) return memx_ms(m->iteration_ns);
    if (plan->objective.kind == MEMX_FOR_HEADROOM) return m->free_share;
    return memx_phi(memx_ms(m->iteration_ns), memx_mib(m->peak_kib),
                    memx_variance_mib2(m->moment, plan->setting->job->gpus),
                    &plan->objective.weights);
}

static const memx_option *option_of(const memx_recompute_plan *plan, int32_t stage, int32_t level) {
    return &plan->stages[stage].options[level];
}

/* One stage at another level. */
static void move_stage(const memx_recompute_plan *plan, const memx_measures *now, int32_t stage,
                       int32_t level, memx_move *out) {
    memx_plan_move(&plan->priced->plan, plan->options, now, stage, option_of(plan, stage, level),
                   out);
}

void memx_recompute_rates(const memx_recompute_plan *plan, int32_t stage, int32_t level,
                          double *local, double *iteration) {
    memx_measures now;
    memx_move move;
    measure(plan, &now);
    move_stage(plan, &now, stage, level, &move);
    *local = move.rate_local;
    *iteration = move.rate_iteration;
}

/* ---- step one ---- */

static void choose(memx_recompute_plan *plan, int32_t stage, int32_t level) {
    plan->stages[stage].level = level;
    plan->options[stage] = option_of(plan, stage, level);
}

/* Levels that fit and leave the bound free on every card of the stage. */
static uint64_t roomy(const memx_stage_levels *stage, double headroom) {
    uint64_t levels = 0;
    for (int32_t r = memx_lowest(stage->fitting, 0); r >= 0;
         r = memx_lowest(stage->fitting, r + 1)) {
        if (stage->options[r].free_share >= headroom) levels |= UINT64_C(1) << r;
    }
    return levels;
}

/* Those whose tail is within a bound. */
static uint64_t within_tail(const memx_option *options, uint64_t levels, int64_t tail_ns) {
    uint64_t within = 0;
    for (int32_t r = memx_lowest(levels, 0); r >= 0; r = memx_lowest(levels, r + 1)) {
        if (options[r].tail_ns <= tail_ns) within |= UINT64_C(1) << r;
    }
    return within;
}

/* Every stage at its fastest roomy level with a tail within the bound. False, and the stage, where one
** has none. */
static bool choose_within(memx_recompute_plan *plan, double headroom, int64_t tail_ns,
                          int32_t *failed) {
    for (int32_t s = 0; s < plan->stage_count; s++) {
        const memx_stage_levels *stage = &plan->stages[s];
        uint64_t levels = within_tail(stage->options, roomy(stage, headroom), tail_ns);
        int32_t r = memx_fastest_level(stage->options, levels);
        if (r < 0) {
            *failed = s;
            return false;
        }
        choose(plan, s, r);
    }
    return true;
}

/* The fastest plan that leaves so much free; sets `failed` where there is none. Under a bound on the
** greatest tail stages do not matter to each other, so each takes its fastest level, and the best over
** all bounds is the best of all. Levels that offload differ in tail, and others where part of the sync hides behind a
** backward (dp_overlap): without either the first bound is the last. */
static memx_status find_fastest(memx_recompute_plan *plan, double headroom, const memx_poll *poll) {
    memx_measures best = {0}, now;
    int64_t best_bound = 0, bound = INT64_MAX;
    bool found = false;
    int32_t failed = -1;
    while (choose_within(plan, headroom, bound, &failed)) {
        if (memx_poll_stop(poll)) return MEMX_INTERRUPTED;
        measure(plan, &now);
        if (!found || now.iteration_ns < best.iteration_ns) {
            best = now;
            best_bound = bound;
            found = true;
        }
        int64_t tail = 0;
        for (int32_t s = 0; s < plan->stage_count; s++)
            tail = memx_greatest(tail, plan->options[s]->tail_ns);
        bound = tail - 1;
    }
    if (found) {
        choose_within(plan, headroom, best_bound, &failed);
    } else {
        plan->failed = failed;
    }
    return MEMX_OK;
}

static memx_status make_it_fit(memx_recompute_plan *plan, const memx_poll *poll) {
    memx_status status = find_fastest(plan, -INFINITY, poll);
    for (int32_t s = 0; s < plan->stage_count; s++) {
        memx_stage_levels *stage = &plan->stages[s];
        if (plan->failed >= 0) stage->level = memx_fastest_level(stage->options, stage->fitting);
        stage->start = stage->level;
    }
    return status;
}

/* ---- step two ---- */

static memx_status take_step(memx_recompute_plan *plan, int32_t stage, int32_t level, double rate) {
    memx_measures after;
    if (plan->step_count == plan->step_capacity) {
        size_t capacity = plan->step_capacity ? 2 * plan->step_capacity : 16;
        memx_step *steps = realloc(plan->steps, capacity * sizeof *steps);
        if (!steps) return MEMX_NOMEM;
        plan->steps = steps;
        plan->step_capacity = capacity;
    }
    int32_t from = plan->stages[stage].level;
    choose(plan, stage, level);
    measure(plan, &after);
    plan->steps[plan->step_count++] =
        (memx_step){stage, from, level, rate, objective_of(plan, &after)};
    return MEMX_OK;
}

/* Among the moves that improve the objective, the one with the least rate; ties to the first stage
** and level. False when none does. */
static bool cheapest_improvement(const memx_recompute_plan *plan, int32_t *stage, int32_t *level,
                                 double *rate) {
    memx_measures now;
    bool found = false;
    measure(plan, &now);
    double objective = objective_of(plan, &now);
    for (int32_t s = 0; s < plan->stage_count; s++) {
        uint64_t levels = plan->stages[s].fitting;
        for (int32_t r = memx_lowest(levels, 0); r >= 0; r = memx_lowest(levels, r + 1)) {
            memx_move move;
            move_stage(plan, &now, s, r, &move);
            if (isnan(move.rate_iteration)) continue; /* saves nothing */
            if (!(objective_of(plan, &move.after) < objective)) continue;
            if (found && move.rate_iteration >= *rate) continue;
            *stage = s;
            *level = r;
            *rate = move.rate_iteration;
            found = true;
        }
    }
    return found;
}

static memx_status trade(memx_recompute_plan *plan) {
    int32_t stage = 0, level = 0;
    double rate = 0.0;
    memx_status status = MEMX_OK;
    while (!status && cheapest_improvement(plan, &stage, &level, &rate)) {
        status = take_step(plan, stage, level, rate);
    }
    return status;
}

/* Stages go one by one, the cheapest first, to the levels of the fastest plan that leaves the bound free. */
static memx_status make_room(memx_recompute_plan *plan, const memx_poll *poll) {
    size_t stages = (size_t)plan->stage_count;
    int32_t *goal = malloc(stages * sizeof *goal);
    if (!goal) return MEMX_NOMEM;
    memx_status status = find_fastest(plan, plan->objective.headroom, poll);
    for (int32_t s = 0; s < plan->stage_count; s++) {
        goal[s] = plan->stages[s].level;
        if (plan->stages[s].start >= 0) choose(plan, s, plan->stages[s].start);
    }
    while (!status && plan->failed < 0) {
        int32_t stage = -1;
        double rate = 0.0, local, cost;
        for (int32_t s = 0; s < plan->stage_count; s++) {
            if (plan->stages[s].level == goal[s]) continue;
            memx_recompute_rates(plan, s, goal[s], &local, &cost);
            if (stage >= 0 && !(cost < rate)) continue;
            stage = s;
            rate = cost;
        }
        if (stage < 0) break;
        status = take_step(plan, stage, goal[stage], rate);
    }
    free(goal);
    return status;
}

/* ---- the plan ---- */

static memx_status load_stages(memx_setting *setting, const memx_poll *poll,
                               memx_recompute_plan *plan, memx_error *error) {
    const memx_priced *priced = plan->priced;
    for (int32_t s = 0; s < plan->stage_count; s++) {
        memx_table *table = NULL;
        int64_t row = priced->config.stages[s].layers - 1;
        memx_status status =
            memx_table_get(setting, &priced->plan, &priced->plan.shapes[s], poll, &table, error);
        if (status) return status;
        plan->tables[s] = table;
        memx_stage_levels *stage = &plan->stages[s];
        stage->options = table->options + row * setting->level_count;
        stage->offered = table->offered[row];
        /* Not the table's own answer: a space may ignore memory, a plan may not. */
        stage->fitting = memx_fitting_levels(stage->options, stage->offered);
    }
    return MEMX_OK;
}

memx_status memx_recompute_plan_open(memx_setting *setting, const memx_priced *priced,
                                     const memx_objective *objective, const memx_poll *poll,
                                     memx_recompute_plan *out, memx_error *error) {
    size_t stages = (size_t)priced->plan.stage_count;
    *out = (memx_recompute_plan){.setting = setting,
                                 .priced = priced,
                                 .objective = *objective,
                                 .stage_count = priced->plan.stage_count,
                                 .failed = -1};
    out->stages = calloc(stages, sizeof *out->stages);
    out->tables = calloc(stages, sizeof *out->tables);
    out->options = calloc(stages, sizeof *out->options);
    memx_status status = out->stages && out->tables && out->options ? MEMX_OK : MEMX_NOMEM;
    if (!status) status = load_stages(setting, poll, out, error);
    if (!status) {
        status = make_it_fit(out, poll);
        if (!status && out->failed < 0) {
            if (objective->kind == MEMX_FOR_PHI) status = trade(out);
            if (objective->kind == MEMX_FOR_HEADROOM) status = make_room(out, poll);
        }
    }
    if (!status && out->failed < 0) measure(out, &out->measures);
    if (status) memx_recompute_plan_close(out);
    return status;
}

void memx_recompute_plan_close(memx_recompute_plan *plan) {
    for (int32_t s = 0; plan->tables && s < plan->stage_count; s++) {
        memx_table_release(plan->setting, plan->tables[s]);
    }
    free(plan->stages);
    free(plan->tables);
    free(plan->options);
    free(plan->steps);
    *plan = (memx_recompute_plan){.failed = -1};
}

/* ---- writing ---- */

static void add_level(const memx_recompute_plan *plan, int32_t level, memx_text *out) {
    char text[MEMX_LEVEL_TEXT];
    size_t length = memx_level_format(plan->setting->levels[level], text);
    memx_text_add(out, text, length);
}

void memx_recompute_levels(const memx_recompute_plan *plan, memx_text *out) {
    for (int32_t s = 0; s < plan->stage_count; s++) {
        if (s) memx_text_add(out, ",", 1);
        add_level(plan, plan->stages[s].level, out);
    }
}

static void add_number(memx_text *out, const char *name, double x, int digits) {
    memx_text_printf(out, ",\"%s\":", name);
    memx_text_number(out, x, digits);
}

/* The level next above in what it saves, for a rate to show where the plan did not move. */
static int32_t cheapest_saving(const memx_recompute_plan *plan, int32_t s) {
    int32_t best = -1;
    double least = 0.0, local, iteration;
    uint64_t levels = plan->stages[s].fitting;
    for (int32_t r = memx_lowest(levels, 0); r >= 0; r = memx_lowest(levels, r + 1)) {
        memx_recompute_rates(plan, s, r, &local, &iteration);
        if (isnan(iteration) || (best >= 0 && iteration >= least)) continue;
        best = r;
        least = iteration;
    }
    return best;
}

static void add_lack(const memx_recompute_plan *plan, const memx_shape *shape,
                     const memx_option *option, memx_text *out) {
    memx_text_printf(out, " lacks %.0f MiB on %s%s", memx_mib(option->short_kib),
                     option->short_on_host ? "the host of " : "",
                     plan->setting->job->devices[shape->shares[option->short_share].device].name);
}

static void add_percent(memx_text *out, const char *before, double share, const char *after) {
    memx_text_printf(out, "%s", before);
    memx_text_decimal(out, 100.0 * share, 1);
    memx_text_printf(out, " %%%s", after);
}

static void add_reason(const memx_recompute_plan *plan, int32_t s, memx_text *out) {
    const memx_stage_levels *stage = &plan->stages[s];
    const memx_shape *shape = &plan->priced->plan.shapes[s];
    int32_t smallest = memx_smallest_level(stage->options, stage->offered);
    int32_t fastest = memx_fastest_level(stage->options, stage->offered);
    memx_text_printf(out, ",\"reason\":\"");
    if (smallest < 0) {
        memx_text_printf(out, "the space offers no level with this many layers");
    } else if (stage->start < 0) {
        const memx_option *option = &stage->options[smallest];
        memx_text_printf(out, "even at ");
        add_level(plan, smallest, out);
        memx_text_printf(out, " it");
        add_lack(plan, shape, option, out);
    } else if (plan->failed == s) { /* it fits, but never with the headroom that is wanted */
        memx_text_printf(out, "even at ");
        add_level(plan, smallest, out);
        add_percent(out, " it leaves ", stage->options[smallest].free_share, " of a card free");
        add_percent(out, ", wanted is ", plan->objective.headroom, "");
    } else if (stage->level != stage->start) {
        memx_text_printf(out, "raised from ");
        add_level(plan, stage->start, out);
        memx_text_printf(out, plan->objective.kind == MEMX_FOR_PHI ? " since phi gains"
                                                                   : " for headroom");
        add_percent(out, ": it left ", stage->options[stage->start].free_share, " of a card free");
        if (plan->objective.kind == MEMX_FOR_HEADROOM)
            add_percent(out, ", wanted is ", plan->objective.headroom, "");
    } else if (stage->options[fastest].short_kib > 0) {
        memx_text_printf(out, "forced: ");
        add_level(plan, fastest, out);
        add_lack(plan, shape, &stage->options[fastest], out);
    } else {
        add_percent(out, "fits, with ", stage->options[stage->level].free_share, " of a card free");
    }
    memx_text_printf(out, "\"");
}

/* Of the stage's smallest card: the whole, and what the job's reserve leaves of it. */
static void add_capacity(const memx_recompute_plan *plan, int32_t s, memx_text *out) {
    const memx_job *job = plan->setting->job;
    const memx_shape *shape = &plan->priced->plan.shapes[s];
    int32_t smallest = shape->shares[0].device;
    for (int32_t i = 1; i < shape->share_count; i++) {
        int32_t device = shape->shares[i].device;
        if (memx_card_kib(job, device) < memx_card_kib(job, smallest)) smallest = device;
    }
    add_number(out, "capacity_mib", memx_mib(memx_card_kib(job, smallest)), 10);
    add_number(out, "usable_mib", memx_mib(memx_usable_kib(job, smallest)), 10);
}

static void add_stage(const memx_recompute_plan *plan, int32_t s, memx_text *out) {
    const memx_stage_levels *stage = &plan->stages[s];
    memx_text_printf(out, "%s{\"stage\":%d,\"device\":\"", s ? "," : "", (int)s);
    memx_stage_devices(plan->setting->job, &plan->priced->config.placement, s, out);
    memx_text_printf(
        out, "\",\"layers\":%lld,\"level\":",
        (long long)memx_knobs_layers(&plan->priced->config.knobs, &plan->priced->config.stages[s]));
    if (stage->level < 0 || plan->failed == s) {
        memx_text_printf(out, "null");
    } else {
        memx_text_add(out, "\"", 1);
        add_level(plan, stage->level, out);
        memx_text_add(out, "\"", 1);
    }
    add_reason(plan, s, out);
    add_capacity(plan, s, out);
    memx_text_printf(out, ",\"levels\":[");
    for (int32_t r = memx_lowest(stage->offered, 0), n = 0; r >= 0;
         r = memx_lowest(stage->offered, r + 1), n++) {
        const memx_option *option = &stage->options[r];
        memx_text_printf(out, "%s{\"level\":\"", n ? "," : "");
        add_level(plan, r, out);
        memx_text_add(out, "\"", 1);
        add_number(out, "time_ms", memx_ms(plan->priced->config.knobs.vp * option->time_ns), 6);
        add_number(out, "peak_mib", memx_mib(option->peak_kib), 10);
        add_number(out, "free_mib", memx_mib(option->free_kib), 10);
        add_number(out, "short_mib", memx_mib(option->short_kib), 10);
        memx_text_printf(out, ",\"fits\":%s}", option->short_kib == 0 ? "true" : "false");
    }
    memx_text_printf(out, "]");
    double local = NAN, iteration = NAN;
    if (plan->failed < 0) {
        int32_t next = cheapest_saving(plan, s);
        if (next >= 0) memx_recompute_rates(plan, s, next, &local, &iteration);
    }
    add_number(out, "rate_local", local, 6);
    add_number(out, "rate_iteration", iteration, 6);
    memx_text_printf(out, "}");
}

void memx_recompute_detail(const memx_recompute_plan *plan, memx_text *out) {
    static const char *const names[] = {"time", "phi", "headroom"};
    memx_text_printf(out, "{\"objective\":\"%s\",\"found\":%s", names[plan->objective.kind],
                     plan->failed < 0 ? "true" : "false");
    if (plan->failed < 0) {
        add_number(out, "iteration_ms", memx_ms(plan->measures.iteration_ns), 6);
        add_number(out, "peak_mib", memx_mib(plan->measures.peak_kib), 6);
        add_number(out, "headroom", plan->measures.free_share, 6);
    } else {
        memx_text_printf(out, ",\"failed_stage\":%d", (int)plan->failed);
    }
    memx_text_printf(out, ",\"stages\":[");
    for (int32_t s = 0; s < plan->stage_count; s++) add_stage(plan, s, out);
    memx_text_printf(out, "],\"steps\":[");
    for (size_t i = 0; i < plan->step_count; i++) {
        const memx_step *step = &plan->steps[i];
        memx_text_printf(out, "%s{\"stage\":%d,\"from\":\"", i ? "," : "", (int)step->stage);
        add_level(plan, step->from, out);
        memx_text_printf(out, "\",\"to\":\"");
        add_level(plan, step->to, out);
        memx_text_printf(out, "\"");
        add_number(out, "rate", step->rate, 6);
        add_number(out, "objective", step->objective, 6);
        memx_text_printf(out, "}");
    }
    memx_text_printf(out, "]}");
}
