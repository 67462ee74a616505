/*
** Ranked search against sorting everything: for random small jobs and spaces every row of every
** ranking, in order, ties included, with and without bounds, shares and limits, and under budgets so small
** that boxes are cut all the time.
*/
#include "core/ranked.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/search_case.h"

typedef struct row {
    double value;
    size_t number; /* of the enumeration */
    const brute_skeleton *skeleton;
    memx_measures measures;
} row;

static int compare_rows(const void *left, const void *right) {
    const row *a = left, *b = right;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* All that brute force found. */
static row *measure_all(const test_case *c) {
    row *rows = allocate(c->b.count + 1, sizeof *rows);
    for (size_t i = 0; i < c->b.skeleton_count; i++) {
        const brute_skeleton *k = c->b.skeletons[i];
        for (size_t n = k->begin; n < k->end; n++) {
            const memx_option *options[BRUTE_STAGES];
            brute_options(&c->b, k, &c->b.choices[n], options);
            rows[n] = (row){.number = n, .skeleton = k};
            memx_plan_measure(&k->plan, options, &rows[n].measures);
        }
    }
    return rows;
}

/* An interval around where some row stands. */
static memx_interval random_interval(rng *r, double x) {
    memx_interval out = {-INFINITY, INFINITY};
    if (rng_chance(r, 80)) out.most = x * (rng_chance(r, 50) ? 1.0 : rng_real(r, 0.9, 1.5));
    if (rng_chance(r, 30)) out.least = x * (rng_chance(r, 50) ? 1.0 : rng_real(r, 0.5, 1.1));
    return out;
}

static memx_aim random_aim(test_case *c, const row *rows) {
    rng *r = &c->r;
    int64_t gpus = c->t.job.gpus;
    memx_aim aim = memx_aim_at((memx_measure)rng_between(r, 0, 4));
    if (rng_chance(r, 60)) {
        double a = rng_real(r, 0.0, 1.0), b = rng_real(r, 0.0, 1.0 - a);
        if (rng_chance(r, 20)) a = 0.0;
        if (rng_chance(r, 20)) b = 0.0;
        if (rng_chance(r, 10)) b = 1.0 - a;
        aim.weights = (memx_weights){a, b, 1.0 - a - b, rng_chance(r, 50) ? 1e-6 : 10.0};
    }
    aim.reference_phi = rng_chance(r, 30) ? 1.0 : rng_real(r, 0.1, 1000.0);
    for (size_t i = 0; i < c->b.count; i++) {
        int64_t ns = rows[i].measures.iteration_ns;
        if (i == 0 || ns < aim.fastest_ns) aim.fastest_ns = ns;
    }
    if (c->b.count == 0) return aim;
    const memx_measures *m = &rows[rng_between(r, 0, (int64_t)c->b.count - 1)].measures;
    memx_aim phi = aim;
    phi.by = MEMX_BY_PHI;
    memx_limits *l = &aim.limits;
    if (rng_chance(r, 15)) l->iteration_ms = random_interval(r, memx_ms(m->iteration_ns));
    if (rng_chance(r, 15)) l->peak_mib = random_interval(r, memx_mib(m->peak_kib));
    if (rng_chance(r, 15)) {
        l->variance_mib2 = random_interval(r, memx_variance_mib2(m->moment, gpus));
    }
    if (rng_chance(r, 15)) l->phi = random_interval(r, memx_aim_value(&phi, m, gpus));
    if (rng_chance(r, 15)) {
        l->slowdown = random_interval(r, (double)m->iteration_ns / (double)aim.fastest_ns);
    }
    if (rng_chance(r, 8)) {
        l->tokens_per_s.least = 1e3 * (double)c->t.job.global_batch *
                                (double)c->t.job.model.seq_length / memx_ms(m->iteration_ns);
    }
    if (rng_chance(r, 15)) l->headroom = random_interval(r, m->free_share);
    return aim;
}

static bool inside(const memx_interval *i, double x) {
    return x >= i->least && x <= i->most;
}

/* Whether a query with these limits would keep a row. */
static bool kept(const test_case *c, const memx_aim *aim, const row *w) {
    const memx_measures *m = &w->measures;
    const memx_limits *l = &aim->limits;
    double ms = memx_ms(m->iteration_ns), mib = memx_mib(m->peak_kib);
    double variance = memx_variance_mib2(m->moment, c->t.job.gpus);
    double phi = memx_phi(ms, mib, variance, &aim->weights) / aim->reference_phi;
    return inside(&l->iteration_ms, ms) && inside(&l->peak_mib, mib) &&
           inside(&l->variance_mib2, variance) && inside(&l->phi, phi) &&
           inside(&l->headroom, m->free_share) &&
           memx_tokens_per_s(&w->skeleton->plan, m->iteration_ns) >= l->tokens_per_s.least &&
           inside(&l->slowdown, (double)m->iteration_ns / (double)aim->fastest_ns);
}

static double value_of(const test_case *c, const memx_aim *aim, const row *w) {
    const memx_measures *m = &w->measures;
    double ms = memx_ms(m->iteration_ns), mib = memx_mib(m->peak_kib);
    double variance = memx_variance_mib2(m->moment, c->t.job.gpus);
    if (aim->by == MEMX_BY_ITERATION) return ms;
    if (aim->by == MEMX_BY_PEAK) return mib;
    if (aim->by == MEMX_BY_SLOWDOWN) return (double)m->iteration_ns / (double)aim->fastest_ns;
    if (aim->by == MEMX_BY_VARIANCE) return variance;
    return memx_phi(ms, mib, variance, &aim->weights) / aim->reference_phi;
}

typedef struct seen {
    int64_t cases, rows, ties, limited, shared, boxes;
} seen;

static void check_ranking(test_case *c, const row *rows, seen *total) {
    memx_aim aim = random_aim(c, rows);
    memx_extent extent;
    memx_extent_start(&extent);
    int64_t from = 0, to = INT64_MAX, number = 0; /* among what the bounds leave */
    if (rng_chance(&c->r, 20)) extent.bounds.most[MEMX_AXIS_TP] = rng_between(&c->r, 1, 4);
    if (rng_chance(&c->r, 20)) extent.bounds.least[MEMX_AXIS_PP] = rng_between(&c->r, 1, 4);
    bool shared = rng_chance(&c->r, 40);
    if (shared) random_share(c, &extent, &from, &to);
    row *wanted = allocate(c->b.count + 1, sizeof *wanted);
    size_t count = 0;
    for (size_t i = 0; i < c->b.count; i++) {
        if (!memx_bounds_admit(&extent.bounds, &rows[i].skeleton->base.knobs)) continue;
        int64_t at = number++;
        if (at < from || at >= to || !kept(c, &aim, &rows[i])) continue;
        wanted[count] = rows[i];
        wanted[count++].value = value_of(c, &aim, &rows[i]);
    }
    if (count > 0) qsort(wanted, count, sizeof *wanted, compare_rows);
    memx_ranked *ranked = NULL;
    int64_t hint = rng_chance(&c->r, 50) ? 0 : rng_between(&c->r, 1, 40);
    memx_status status = memx_ranked_open(&c->search, &extent, &aim, hint, NULL, &ranked);
    assert_case(c, status == MEMX_OK, "status %d", (int)status);
    if (rng_chance(&c->r, 70)) {
        int64_t patience = rng_chance(&c->r, 80) ? INT64_MAX / 2 : rng_between(&c->r, 0, 3000);
        memx_ranked_tune(ranked, rng_between(&c->r, 1, 200) * 10, patience);
    }
    for (size_t i = 0; i < count; i++) {
        const row *w = &wanted[i];
        status = memx_ranked_next(ranked, &c->error);
        assert_case(c, status == MEMX_OK, "by %d: ends after %zu of %zu rows (status %d, %s)",
                    (int)aim.by, i, count, (int)status, c->error.text);
        assert_case(c, memx_ranked_value(ranked) == w->value,
                    "by %d: row %zu of %zu is %.17g, wanted %.17g", (int)aim.by, i, count,
                    memx_ranked_value(ranked), w->value);
        const memx_skeleton *k = memx_ranked_skeleton(ranked);
        brute_choice found =
            current_choice(&c->b, memx_ranked_choices(ranked), w->skeleton->base.knobs.pp);
        assert_case(c,
                    memcmp(&found, &c->b.choices[w->number], sizeof found) == 0 &&
                        memx_placement_equal(&k->placement, &w->skeleton->config.placement),
                    "by %d: row %zu of %zu is another that ties", (int)aim.by, i, count);
        total->ties += i > 0 && w->value == wanted[i - 1].value;
    }
    status = memx_ranked_next(ranked, &c->error);
    assert_case(c, status == MEMX_DONE, "by %d: goes on after %zu rows", (int)aim.by, count);
    assert_int_equal(memx_ranked_next(ranked, &c->error), MEMX_DONE);
    total->cases++;
    total->rows += (int64_t)count;
    total->limited += count < c->b.count;
    total->shared += shared && count > 0;
    total->boxes += memx_ranked_worked(ranked).boxes;
    memx_ranked_close(ranked);
    free(wanted);
}

static void rankings_equal_sorting(void **state) {
    static test_case c;
    tally t = {0};
    seen total = {0};
    (void)state;
    for (uint64_t seed = 1; seed <= 6000; seed++) {
        if (!open_case(&c, seed, 6000, &t)) continue;
        row *rows = measure_all(&c);
        for (int i = 0; i < 3; i++) check_ranking(&c, rows, &total);
        free(rows);
        close_case(&c);
    }
    print_message(
        "%lld rankings, %lld rows, %lld ties, %lld limited, %lld of a share, %lld boxes\n",
        (long long)total.cases, (long long)total.rows, (long long)total.ties,
        (long long)total.limited, (long long)total.shared, (long long)total.boxes);
    assert_true(total.cases > 5000 && total.rows > 500000 && total.ties > 10000);
    assert_true(total.limited > 1000 && total.shared > 1000 && total.boxes > 100000);
}

static bool beats(const memx_measures *a, const memx_measures *b) {
    return a->iteration_ns <= b->iteration_ns && a->peak_kib <= b->peak_kib &&
           a->moment <= b->moment &&
           (a->iteration_ns < b->iteration_ns || a->peak_kib < b->peak_kib ||
            a->moment < b->moment);
}

static void fronts_follow_their_definition(void **state) {
    static test_case c;
    tally t = {0};
    int64_t kept = 0;
    (void)state;
    for (uint64_t seed = 20001; seed <= 20600; seed++) {
        if (!open_case(&c, seed, 1500, &t)) continue;
        row *rows = measure_all(&c);
        memx_ranked *front = NULL;
        memx_extent extent;
        memx_extent_start(&extent);
        int64_t from = 0, to = INT64_MAX;
        if (rng_chance(&c.r, 30)) random_share(&c, &extent, &from, &to);
        assert_ok(memx_ranked_open_front(&c.search, &extent, NULL, &front, &c.error), &c.error);
        for (size_t i = 0; i < c.b.count; i++) {
            bool beaten = false;
            for (size_t j = 0; j < c.b.count && !beaten; j++) {
                beaten = beats(&rows[j].measures, &rows[i].measures);
            }
            if (beaten || (int64_t)i < from || (int64_t)i >= to) continue;
            memx_status status = memx_ranked_next(front, &c.error);
            assert_case(&c, status == MEMX_OK, "row %zu is missing (status %d)", i, (int)status);
            brute_choice found =
                current_choice(&c.b, memx_ranked_choices(front), rows[i].skeleton->base.knobs.pp);
            assert_case(&c, memcmp(&found, &c.b.choices[i], sizeof found) == 0,
                        "another instead of row %zu", i);
            kept++;
        }
        assert_case(&c, memx_ranked_next(front, &c.error) == MEMX_DONE, "goes on");
        memx_ranked_close(front);
        free(rows);
        close_case(&c);
    }
    assert_true(kept > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rankings_equal_sorting),
        cmocka_unit_test(fronts_follow_their_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
