/*
** Planned recompute levels of random small jobs against every assignment of levels that fits
** (support/brute.h): the fastest of all, the fastest that leaves room, and a score that no single
** move improves.
*/
#include "core/recompute.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "support/brute.h"
#include "support/check.h"
#include "support/jobs.h"
#include "support/layout.h"
#include "support/spaces.h"

/* One split of one skeleton, and all assignments of levels under it that fit. */
typedef struct test_case {
    uint64_t seed;
    rng r;
    test_job t;
    memx_space space;
    brute b;
    memx_setting setting;
    const brute_skeleton *skeleton;
    brute_choice split; /* its levels: none, as the text has */
    brute_choice *fitting;
    size_t count;
    memx_priced priced;
} test_case;

static void any_split(test_case *c) {
    int64_t pp = c->skeleton->base.knobs.pp,
            left = c->t.job.model.layers / c->skeleton->base.knobs.vp;
    for (int64_t s = 0; s < pp; s++) {
        int64_t layers =
            s + 1 < pp ? rng_between(&c->r, layout_least(&c->t.job, s), left - (pp - s - 1)) : left;
        c->split.layers[s] = (int8_t)layers;
        left -= layers;
    }
}

static bool open_case(test_case *c, uint64_t seed) {
    static char text[LAYOUT_TEXT];
    memx_error error = {.text = ""};
    layout l;
    *c = (test_case){.seed = seed, .r = rng_start(seed)};
    random_job(&c->r, 8, 7, &c->t);
    if (rng_chance(&c->r, 30)) random_experts(&c->r, &c->t);
    random_memory(&c->r, &c->t);
    random_space(&c->r, &c->t.job, &c->space);
    c->space.layer_split = MEMX_SPLIT_FREE;
    c->space.recompute_scope = MEMX_SCOPE_STAGE;
    c->space.ignore_memory = false;
    brute_open(&c->t.job, &c->space, 2000, &c->b);
    if (c->b.too_large || c->b.skeleton_count == 0) {
        brute_close(&c->b);
        memx_space_free(&c->space);
        return false;
    }
    c->skeleton = c->b.skeletons[rng_between(&c->r, 0, (int64_t)c->b.skeleton_count - 1)];
    any_split(c);
    c->fitting = allocate(c->skeleton->end - c->skeleton->begin, sizeof *c->fitting);
    for (size_t i = c->skeleton->begin; i < c->skeleton->end; i++) {
        const brute_choice *choice = &c->b.choices[i];
        if (memcmp(choice->layers, c->split.layers, sizeof choice->layers) != 0) continue;
        c->fitting[c->count++] = *choice;
    }
    brute_layout(&c->b, c->skeleton, &c->split, &l);
    for (int64_t s = 0; s < l.knobs.pp; s++) l.levels[s] = (memx_level){MEMX_NONE, 0, 0};
    layout_text(&c->t.job, &l, text);
    assert_ok(memx_priced_open(&c->t.job, text, &memx_analytic_pricer, &c->priced, &error), &error);
    /* The plan is about the space's levels, not about its scope or memory limit. */
    if (rng_chance(&c->r, 30)) c->space.ignore_memory = true;
    if (rng_chance(&c->r, 30)) c->space.recompute_scope = MEMX_SCOPE_PLAN;
    assert_ok(memx_setting_open(&c->t.job, &c->space, &memx_analytic_pricer, &c->setting, &error),
              &error);
    return true;
}

static void close_case(test_case *c) {
    memx_priced_close(&c->priced);
    memx_setting_close(&c->setting);
    brute_close(&c->b);
    memx_space_free(&c->space);
    free(c->fitting);
}

static void open_plan(test_case *c, const memx_objective *objective, memx_recompute_plan *plan) {
    memx_error error = {.text = ""};
    memx_status status =
        memx_recompute_plan_open(&c->setting, &c->priced, objective, NULL, plan, &error);
    assert_that(status == MEMX_OK, "seed %" PRIu64 ": %s", c->seed, error.text);
}

static void measure(const test_case *c, const brute_choice *choice, memx_measures *out) {
    const memx_option *options[BRUTE_STAGES];
    brute_options(&c->b, c->skeleton, choice, options);
    memx_plan_measure(&c->skeleton->plan, options, out);
}

/* The plan's levels as brute force writes them; they must be one of the assignments that fit. */
static brute_choice chosen(const test_case *c, const memx_recompute_plan *plan) {
    brute_choice out = c->split;
    memx_text levels = {0};
    memx_recompute_levels(plan, &levels);
    const char *at = levels.data;
    for (int64_t s = 0; s < c->skeleton->base.knobs.pp; s++) {
        memx_level level;
        size_t length = strcspn(at, ",");
        assert_true(memx_level_parse(at, length, &level));
        int32_t r = 0;
        while (r < c->b.level_count && memx_level_compare(c->b.levels[r], level) != 0) r++;
        out.levels[s] = (int8_t)r;
        at += length + (at[length] == ',');
    }
    assert_true(*at == '\0');
    bool fits = false;
    for (size_t i = 0; i < c->count; i++) {
        fits = fits || memcmp(&c->fitting[i], &out, sizeof out) == 0;
    }
    assert_that(fits, "seed %" PRIu64 ": %s does not fit", c->seed, levels.data);
    memx_text_free(&levels);
    return out;
}

/* The first stage that fits at none of its levels, or -1. */
static int32_t hopeless(const test_case *c) {
    for (int32_t s = 0; s < c->skeleton->base.knobs.pp; s++) {
        bool some = false;
        for (int32_t r = 0; r < c->b.level_count; r++) {
            some = some || brute_fits(&c->b, c->skeleton, s, c->split.layers[s], r);
        }
        if (!some) return s;
    }
    return -1;
}

static void for_time_it_is_the_fastest(void **state) {
    (void)state;
    static test_case c;
    const memx_objective objective = {.kind = MEMX_FOR_TIME};
    int64_t planned = 0, failed = 0, forced = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        memx_recompute_plan plan;
        if (!open_case(&c, seed)) continue;
        open_plan(&c, &objective, &plan);
        assert_that(plan.failed == hopeless(&c) && (plan.failed >= 0) == (c.count == 0),
                    "seed %" PRIu64 ": failed %d, wanted %d", seed, (int)plan.failed,
                    (int)hopeless(&c));
        if (plan.failed < 0) {
            memx_measures found, m;
            brute_choice choice = chosen(&c, &plan);
            measure(&c, &choice, &found);
            assert_true(found.iteration_ns == plan.measures.iteration_ns &&
                        found.peak_kib == plan.measures.peak_kib);
            assert_true(plan.step_count == 0);
            for (size_t i = 0; i < c.count; i++) {
                measure(&c, &c.fitting[i], &m);
                assert_that(m.iteration_ns >= found.iteration_ns,
                            "seed %" PRIu64 ": %" PRId64 " ns, but %" PRId64 " is possible", seed,
                            found.iteration_ns, m.iteration_ns);
            }
            for (int64_t s = 0; s < c.skeleton->base.knobs.pp; s++) forced += choice.levels[s] > 0;
            planned++;
        }
        failed += plan.failed >= 0;
        memx_recompute_plan_close(&plan);
        close_case(&c);
    }
    assert_that(planned > 300 && failed > 100 && forced > 50,
                "%" PRId64 " planned, %" PRId64 " failed, %" PRId64 " forced", planned, failed,
                forced);
}

/* Stages that lack headroom are raised one by one, each time the one with the least rate. */
static void check_steps(test_case *c, const memx_recompute_plan *plan, double headroom,
                        const brute_choice *end) {
    const memx_objective time = {.kind = MEMX_FOR_TIME};
    memx_recompute_plan fastest;
    open_plan(c, &time, &fastest);
    brute_choice at = chosen(c, &fastest);
    memx_recompute_plan_close(&fastest);
    for (size_t i = 0; i < plan->step_count; i++) {
        double least = INFINITY;
        memx_measures before, after;
        measure(c, &at, &before);
        for (int32_t s = 0; s < c->skeleton->base.knobs.pp; s++) {
            const memx_option *now[BRUTE_STAGES], *then[BRUTE_STAGES];
            brute_choice move = at;
            brute_options(&c->b, c->skeleton, &at, now);
            if (now[s]->free_share >= headroom) continue;
            move.levels[s] = end->levels[s]; /* a stage moves once, to where it ends */
            brute_options(&c->b, c->skeleton, &move, then);
            measure(c, &move, &after);
            double mib = (double)(now[s]->peak_kib - then[s]->peak_kib) / 1024.0;
            double rate = (double)(after.iteration_ns - before.iteration_ns) / 1e6 / mib;
            if (mib > 0.0 && rate < least) least = rate;
        }
        const memx_step *step = &plan->steps[i];
        assert_that(step->rate <= least + 1e-12 * fabs(least) || isinf(least),
                    "seed %" PRIu64 ": step %zu at %.9g, %.9g is possible", c->seed, i, step->rate,
                    least);
        assert_true(at.levels[step->stage] == step->from);
        at.levels[step->stage] = (int8_t)step->to;
    }
    assert_memory_equal(&at, end, sizeof at);
}

static void for_headroom_it_is_the_fastest_that_has_it(void **state) {
    (void)state;
    static test_case c;
    int64_t planned = 0, failed = 0, moved = 0;
    for (uint64_t seed = 10001; seed <= 11000; seed++) {
        memx_recompute_plan plan;
        if (!open_case(&c, seed)) continue;
        memx_objective objective = {.kind = MEMX_FOR_HEADROOM, .headroom = rng_real(&c.r, 0, 0.6)};
        open_plan(&c, &objective, &plan);
        int64_t best = INT64_MAX;
        for (size_t i = 0; i < c.count; i++) {
            memx_measures m;
            measure(&c, &c.fitting[i], &m);
            if (m.free_share >= objective.headroom && m.iteration_ns < best) best = m.iteration_ns;
        }
        assert_that((plan.failed >= 0) == (best == INT64_MAX), "seed %" PRIu64 ": failed %d", seed,
                    (int)plan.failed);
        if (plan.failed < 0) {
            memx_measures found;
            brute_choice choice = chosen(&c, &plan);
            measure(&c, &choice, &found);
            assert_that(found.free_share >= objective.headroom && found.iteration_ns == best,
                        "seed %" PRIu64 ": %" PRId64 " ns with %.3f free, wanted %" PRId64, seed,
                        found.iteration_ns, found.free_share, best);
            assert_true(found.iteration_ns == plan.measures.iteration_ns);
            check_steps(&c, &plan, objective.headroom, &choice);
            moved += plan.step_count > 0;
            planned++;
        }
        failed += plan.failed >= 0;
        memx_recompute_plan_close(&plan);
        close_case(&c);
    }
    assert_that(planned > 150 && failed > 100 && moved > 15,
                "%" PRId64 " planned, %" PRId64 " failed, %" PRId64 " moved", planned, failed,
                moved);
}

static double score(const test_case *c, const brute_choice *choice, const memx_weights *weights) {
    memx_measures m;
    measure(c, choice, &m);
    return memx_phi(memx_ms(m.iteration_ns), memx_mib(m.peak_kib),
                    memx_variance_mib2(m.moment, c->t.job.gpus), weights);
}

/* Steps lower the score one by one; at the end no stage alone can lower it by saving memory. */
static void for_phi_no_move_is_left(void **state) {
    (void)state;
    static test_case c;
    static const char *const names[] = {"default", "safe", "throughput"};
    int64_t planned = 0, steps = 0;
    for (uint64_t seed = 20001; seed <= 21000; seed++) {
        memx_recompute_plan plan, fastest;
        const memx_objective time = {.kind = MEMX_FOR_TIME};
        if (!open_case(&c, seed)) continue;
        memx_objective objective = {
            .kind = MEMX_FOR_PHI, .weights = *memx_weights_shipped(names[rng_between(&c.r, 0, 2)])};
        open_plan(&c, &objective, &plan);
        open_plan(&c, &time, &fastest);
        assert_true(plan.failed == fastest.failed);
        if (plan.failed < 0) {
            brute_choice choice = chosen(&c, &plan), at = chosen(&c, &fastest);
            double before = score(&c, &at, &objective.weights);
            for (size_t i = 0; i < plan.step_count; i++) {
                const memx_step *step = &plan.steps[i];
                at.levels[step->stage] = (int8_t)step->to;
                double after = score(&c, &at, &objective.weights);
                assert_that(after < before && after == step->objective,
                            "seed %" PRIu64 ": step %zu", seed, i);
                before = after;
            }
            assert_memory_equal(&at, &choice, sizeof at);
            for (size_t i = 0; i < c.count; i++) {
                int differ = 0, stage = 0;
                for (int s = 0; s < c.skeleton->base.knobs.pp; s++) {
                    if (c.fitting[i].levels[s] == choice.levels[s]) continue;
                    differ++;
                    stage = s;
                }
                const memx_option *now[BRUTE_STAGES], *then[BRUTE_STAGES];
                brute_options(&c.b, c.skeleton, &choice, now);
                brute_options(&c.b, c.skeleton, &c.fitting[i], then);
                if (differ != 1 || then[stage]->peak_kib >= now[stage]->peak_kib) continue;
                assert_that(score(&c, &c.fitting[i], &objective.weights) >= before,
                            "seed %" PRIu64 ": a move is left", seed);
            }
            steps += (int64_t)plan.step_count;
            planned++;
        }
        memx_recompute_plan_close(&plan);
        memx_recompute_plan_close(&fastest);
        close_case(&c);
    }
    assert_that(planned > 300 && steps > 100, "%" PRId64 " planned, %" PRId64 " steps", planned,
                steps);
}

/* rho = (T(r') - T(r)) / (peak(r) - peak(r')), of the stage's time and of the iteration's. */
static void rates_follow_their_definition(void **state) {
    (void)state;
    static test_case c;
    const memx_objective objective = {.kind = MEMX_FOR_TIME};
    int64_t checked = 0;
    for (uint64_t seed = 30001; seed <= 30500; seed++) {
        memx_recompute_plan plan;
        if (!open_case(&c, seed)) continue;
        open_plan(&c, &objective, &plan);
        for (int32_t s = 0; plan.failed < 0 && s < c.skeleton->base.knobs.pp; s++) {
            brute_choice now = chosen(&c, &plan), then = now;
            for (int32_t r = 0; r < c.b.level_count; r++) {
                const memx_option *before[BRUTE_STAGES], *after[BRUTE_STAGES];
                memx_measures from, to;
                double local, iteration;
                if (!brute_fits(&c.b, c.skeleton, s, now.layers[s], r)) continue;
                then.levels[s] = (int8_t)r;
                brute_options(&c.b, c.skeleton, &now, before);
                brute_options(&c.b, c.skeleton, &then, after);
                measure(&c, &now, &from);
                measure(&c, &then, &to);
                memx_recompute_rates(&plan, s, r, &local, &iteration);
                double mib = (double)(before[s]->peak_kib - after[s]->peak_kib) / 1024.0;
                if (mib <= 0.0) {
                    assert_true(isnan(local) && isnan(iteration));
                    continue;
                }
                int64_t more = c.skeleton->base.knobs.vp * (after[s]->time_ns - before[s]->time_ns);
                assert_within(local, (double)more / 1e6 / mib, 1e-12);
                assert_within(iteration, (double)(to.iteration_ns - from.iteration_ns) / 1e6 / mib,
                              1e-12);
                checked++;
            }
        }
        memx_recompute_plan_close(&plan);
        close_case(&c);
    }
    assert_true(checked > 100);
}

/* ---- the detail ---- */

static const char *json_value(const char *at);

static const char *json_text(const char *at) {
    if (*at++ != '"') return NULL;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < ' ' || *at == '\\') return NULL; /* no escapes are needed */
    }
    return at + 1;
}

static const char *json_list(const char *at, char end, bool pairs) {
    at++;
    if (*at == end) return at + 1;
    for (;; at++) {
        if (pairs) {
            at = json_text(at);
            if (!at || *at++ != ':') return NULL;
        }
        at = json_value(at);
        if (!at) return NULL;
        if (*at == end) return at + 1;
        if (*at != ',') return NULL;
    }
}

/* The end of a JSON value without blanks, or NULL. */
static const char *json_value(const char *at) {
    static const char *const words[] = {"null", "true", "false"};
    char *end;
    if (*at == '{') return json_list(at, '}', true);
    if (*at == '[') return json_list(at, ']', false);
    if (*at == '"') return json_text(at);
    for (size_t i = 0; i < COUNT(words); i++) {
        if (strncmp(at, words[i], strlen(words[i])) == 0) return at + strlen(words[i]);
    }
    if (*at != '-' && (*at < '0' || *at > '9')) return NULL;
    double x = strtod(at, &end);
    return isfinite(x) && end > at ? end : NULL;
}

static void the_detail_is_json(void **state) {
    (void)state;
    static test_case c;
    int64_t checked = 0;
    for (uint64_t seed = 40001; seed <= 40500; seed++) {
        memx_recompute_plan plan;
        if (!open_case(&c, seed)) continue;
        memx_objective objective = {.kind = (memx_objective_kind)rng_between(&c.r, 0, 2),
                                    .headroom = rng_real(&c.r, 0, 0.5),
                                    .weights = *memx_weights_shipped("default")};
        open_plan(&c, &objective, &plan);
        memx_text text = {0};
        memx_recompute_detail(&plan, &text);
        const char *end = json_value(text.data);
        assert_that(end && *end == '\0', "seed %" PRIu64 ": %s", seed, text.data);
        assert_true((strstr(text.data, "\"found\":true") != NULL) == (plan.failed < 0));
        memx_text_free(&text);
        memx_recompute_plan_close(&plan);
        close_case(&c);
        checked++;
    }
    assert_true(checked > 100);
}

static void objectives(void **state) {
    (void)state;
    memx_objective o = {.kind = MEMX_FOR_PHI};
    memx_error error = {.text = ""};
    assert_ok(memx_objective_parse("time", &o, &error), &error);
    assert_int_equal(o.kind, MEMX_FOR_TIME);
    assert_ok(memx_objective_parse("phi", &o, &error), &error);
    assert_int_equal(o.kind, MEMX_FOR_PHI);
    assert_ok(memx_objective_parse("headroom=0.25", &o, &error), &error);
    assert_int_equal(o.kind, MEMX_FOR_HEADROOM);
    assert_same(o.headroom, 0.25);
    assert_ok(memx_objective_parse("headroom=0", &o, &error), &error);
    assert_same(o.headroom, 0.0);
    static const char *const bad[] = {"",           "Time",         "headroom",     "headroom=",
                                      "headroom=1", "headroom=-1",  "headroom=nan", "headroom=x",
                                      "phi ",       "headroom=0.1%"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_refused(memx_objective_parse(bad[i], &o, &error), &error,
                       "objective '~'; write time, phi or headroom~");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(for_time_it_is_the_fastest),
        cmocka_unit_test(for_headroom_it_is_the_fastest_that_has_it),
        cmocka_unit_test(for_phi_no_move_is_left),
        cmocka_unit_test(rates_follow_their_definition),
        cmocka_unit_test(the_detail_is_json),
        cmocka_unit_test(objectives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
