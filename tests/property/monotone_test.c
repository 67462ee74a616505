/*
** What more of something can never do, on random jobs and spaces: more memory never makes a job infeasible, a faster
** device never makes the best time worse, a further recompute level never makes the best phi worse. Found by searching
** twice; and no measure of any row is ever NaN, infinite or negative.
**
** Only free splits are looked at for the last two: a rule may move layers to where they help less. Selective recompute
** is left out of the levels: whether it is offered depends on what else is.
*/
#include <inttypes.h>
#include <math.h>

#include "core/ranked.h"
#include "support/search_case.h"

typedef struct best {
    bool any;
    int64_t iteration_ns;
    double phi; /* as it is, over no reference */
} best;

static void check_row(const test_case *c, const memx_plan *plan, const memx_measures *m) {
    double variance = memx_variance_mib2(m->moment, c->t.job.gpus), bubble = memx_bubble(plan, m);
    assert_case(c,
                m->iteration_ns > 0 && m->peak_kib > 0 && isfinite(variance) && variance >= 0.0 &&
                    isfinite(m->free_share) && m->free_share <= 1.0 && m->p2p_ns >= 0 &&
                    m->sync_ns >= 0 && (isnan(bubble) || (bubble >= 0.0 && bubble < 1.0)) &&
                    isfinite(memx_tokens_per_s(plan, m->iteration_ns)) &&
                    isfinite(memx_tflops_per_gpu(plan, m->iteration_ns)),
                "a row that cannot be");
}

static best search(test_case *c) {
    static const memx_weights weights = {0.4, 0.2, 0.4, 1e-6};
    best out = {false, INT64_MAX, INFINITY};
    memx_search s;
    memx_error error = {.text = ""};
    assert_ok(memx_search_open(&c->t.job, &c->space, &memx_analytic_pricer, NULL, &s, &error),
              &error);
    for (int by = 0; by < 2; by++) {
        memx_aim aim = memx_aim_at(by ? MEMX_BY_PHI : MEMX_BY_ITERATION);
        memx_ranked *ranked = NULL;
        aim.weights = weights;
        aim.reference_phi = 1.0;
        assert_int_equal(memx_ranked_open(&s, &c->all, &aim, 3, NULL, &ranked), MEMX_OK);
        for (int n = 0; n < 3 && memx_ranked_next(ranked, &error) == MEMX_OK; n++) {
            const memx_choices *choices = memx_ranked_choices(ranked);
            memx_measures m;
            memx_plan_measure(memx_choices_plan(choices), memx_choices_options(choices), &m);
            check_row(c, memx_choices_plan(choices), &m);
            double phi = memx_phi(memx_ms(m.iteration_ns), memx_mib(m.peak_kib),
                                  memx_variance_mib2(m.moment, c->t.job.gpus), &weights);
            out.any = true;
            if (m.iteration_ns < out.iteration_ns) out.iteration_ns = m.iteration_ns;
            if (phi < out.phi) out.phi = phi;
        }
        memx_ranked_close(ranked);
    }
    memx_search_close(&s);
    return out;
}

static bool has_selective(const memx_space *space) {
    bool found = space->level_count == 0;
    for (int32_t i = 0; i < space->level_count; i++)
        found = found || space->levels[i].kind == MEMX_SELECTIVE;
    return found;
}

static int64_t judged[3];

/* Whether the space is as it was of the properties' concern. */
static void try_case(test_case *c) {
    best before = search(c);
    bool free_split = c->space.layer_split == MEMX_SPLIT_FREE;
    int32_t device = (int32_t)rng_between(&c->r, 0, c->t.job.device_count - 1);
    memx_device kept = c->t.devices[device];
    memx_error error = {.text = ""};
    c->t.devices[device].memory_mib *= rng_real(&c->r, 1.0, 3.0);
    best roomier = search(c);
    assert_case(c, !before.any || roomier.any, "with more memory nothing fits");
    judged[0] += before.any;
    if (free_split) {
        assert_case(c, roomier.iteration_ns <= before.iteration_ns,
                    "%" PRId64 " ns with more memory, %" PRId64 " before", roomier.iteration_ns,
                    before.iteration_ns);
    }
    c->t.devices[device] = kept;
    if (!free_split) return;
    double faster = rng_real(&c->r, 1.0, 3.0);
    c->t.devices[device].peak_tflops *= faster;
    c->t.devices[device].memory_gbs *= faster;
    best quick = search(c);
    /* Each stage is rounded to whole nanoseconds, as often as there are layers, chunks and messages. */
    assert_case(c, quick.iteration_ns <= before.iteration_ns + 1000 || !before.any,
                "%" PRId64 " ns with a faster device, %" PRId64 " before", quick.iteration_ns,
                before.iteration_ns);
    judged[1] += before.any;
    c->t.devices[device] = kept;
    if (has_selective(&c->space) || c->space.recompute_scope == MEMX_SCOPE_PLAN) return;
    assert_int_equal(memx_space_add(&c->space, "recompute", "full", &error), MEMX_OK);
    best wider = search(c);
    assert_case(c, wider.phi <= before.phi, "phi %.17g with one level more, %.17g before",
                wider.phi, before.phi);
    judged[2] += before.any;
}

static void more_is_never_worse(void **state) {
    (void)state;
    static test_case c;
    tally t = {0};
    for (uint64_t seed = 300001; seed <= 302500; seed++) {
        if (!open_case(&c, seed, 3000, &t)) continue;
        try_case(&c);
        close_case(&c);
    }
    assert_that(judged[0] > 300 && judged[1] > 100 && judged[2] > 30,
                "judged %" PRId64 ", %" PRId64 ", %" PRId64, judged[0], judged[1], judged[2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_is_never_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
