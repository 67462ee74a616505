/*
** Samples and references of random small jobs against every configuration found by brute force
** (support/brute.h), and of a space that is too large for all of it.
*/
#include "core/search.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/priced.h"
#include "support/brute.h"
#include "support/check.h"
#include "support/jobs.h"
#include "support/search_case.h"

/* ---- sampling ---- */

typedef struct visited {
    const brute *b;
    brute_choice *items;
    size_t count, capacity;
    bool overrun;
} visited;

static void visit(void *context, const memx_choices *choices) {
    visited *v = context;
    v->overrun = v->overrun || v->count == v->capacity;
    if (v->overrun) return;
    v->items[v->count++] = current_choice(v->b, choices, memx_choices_plan(choices)->stage_count);
}

/* Every number stands for one configuration, always the same, and each configuration has one. */
static void check_samples(test_case *c, const brute_skeleton *k, memx_choices *choices) {
    size_t count = k->end - k->begin, some = 0;
    memx_count *indices = allocate(count, sizeof *indices);
    visited all = {&c->b, allocate(count, sizeof(brute_choice)), 0, count, false}, few = all;
    few.items = allocate(count, sizeof(brute_choice));
    size_t *numbers = allocate(count, sizeof *numbers);
    for (size_t i = 0; i < count; i++) indices[i] = memx_count_of(i);
    assert_ok(memx_choices_sample(choices, indices, count, visit, &all), NULL);
    assert_case(c, all.count == count && !all.overrun, "%zu samples, %zu visited", count,
                all.count);
    for (size_t i = 0; i < count; i++) {
        /* Some of the numbers, now and then twice. */
        for (int64_t n = rng_between(&c->r, 0, 6) / 3; n > 0 && some < count; n--) {
            numbers[some] = i;
            indices[some++] = memx_count_of(i);
        }
    }
    assert_ok(memx_choices_sample(choices, indices, some, visit, &few), NULL);
    assert_case(c, few.count == some && !few.overrun, "%zu of %zu samples, %zu visited", some,
                count, few.count);
    for (size_t i = 0; i < some; i++) {
        assert_case(c, memcmp(&few.items[i], &all.items[numbers[i]], sizeof *few.items) == 0,
                    "number %zu is another among fewer", numbers[i]);
    }
    if (count > 0) qsort(all.items, count, sizeof *all.items, brute_compare);
    for (size_t i = 0; i < count; i++) {
        assert_case(c, memcmp(&all.items[i], &c->b.choices[k->begin + i], sizeof *all.items) == 0,
                    "configuration %zu is sampled never or twice", i);
    }
    free(indices);
    free(numbers);
    free(all.items);
    free(few.items);
}

static void samples_are_numbered_configurations(void **state) {
    (void)state;
    static test_case c;
    tally t = {0};
    int64_t sampled = 0;
    for (uint64_t seed = 50001; seed <= 50500; seed++) {
        if (!open_case(&c, seed, 10000, &t)) continue;
        assert_case(&c, c.search.skeletons.count == c.b.skeleton_count, "%zu skeletons, wanted %zu",
                    c.search.skeletons.count, c.b.skeleton_count);
        for (size_t i = 0; i < c.b.skeleton_count; i++) {
            const brute_skeleton *k = c.b.skeletons[i];
            memx_choices *choices = NULL;
            memx_count count;
            assert_ok(memx_choices_open(&c.search.setting, &c.search.skeletons.items[i], NULL,
                                        &choices, &c.error),
                      &c.error);
            assert_ok(memx_choices_count(choices, false, &count), NULL);
            assert_case(&c, memx_count_int64(count) == (int64_t)(k->end - k->begin),
                        "skeleton %zu has %" PRId64 ", wanted %zu", i, memx_count_int64(count),
                        k->end - k->begin);
            assert_ok(memx_choices_count(choices, true, &count), NULL);
            assert_whole(memx_count_int64(count), k->all);
            check_samples(&c, k, choices);
            sampled += k->end > k->begin;
            memx_choices_close(choices);
        }
        close_case(&c);
    }
    assert_that(t.cases > 300 && sampled > 1000, "%" PRId64 " cases, %" PRId64 " skeletons",
                t.cases, sampled);
}

/* ---- references ---- */

static int compare_int64(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int compare_double(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median_of(double *values, size_t count) { /* of one at least */
    qsort(values, count, sizeof *values, compare_double);
    return (values[(count - 1) / 2] + values[count / 2]) / 2.0;
}

/* Population variance over all GPUs, MiB^2, from its definition. */
static double variance(const test_case *c, const brute_skeleton *k, const brute_choice *choice) {
    double sum = 0.0, squares = 0.0, count = 0.0;
    for (int64_t s = 0; s < k->base.knobs.pp; s++) {
        const memx_shape *shape = &k->plan.shapes[s];
        memx_stage_choice stage = {choice->layers[s], c->b.levels[choice->levels[s]]};
        for (int32_t i = 0; i < shape->share_count; i++) {
            memx_stage_price price;
            assert_ok(
                memx_plan_price(&k->plan, shape, i, &memx_analytic_pricer, &stage, &price, NULL),
                NULL);
            double mib = (double)memx_stage_peak_kib(&price.memory) / 1024.0;
            sum += shape->shares[i].gpus * mib;
            squares += shape->shares[i].gpus * mib * mib;
            count += shape->shares[i].gpus;
        }
    }
    assert_same(count, (double)c->t.job.gpus);
    return squares / count - sum / count * (sum / count);
}

static void references_are_medians(void **state) {
    (void)state;
    static test_case c;
    tally t = {0};
    for (uint64_t seed = 60001; seed <= 60500; seed++) {
        if (!open_case(&c, seed, 5000, &t)) continue;
        size_t count = c.b.count, n = 0;
        double *times = allocate(count, sizeof *times), *peaks = allocate(count, sizeof *peaks);
        double *variances = allocate(count, sizeof *variances);
        int64_t fastest = INT64_MAX;
        for (size_t i = 0; i < c.b.skeleton_count; i++) {
            const brute_skeleton *k = c.b.skeletons[i];
            for (size_t at = k->begin; at < k->end; at++, n++) {
                const memx_option *options[BRUTE_STAGES];
                memx_measures m;
                brute_options(&c.b, k, &c.b.choices[at], options);
                memx_plan_measure(&k->plan, options, &m);
                times[n] = (double)m.iteration_ns / 1e6;
                peaks[n] = (double)m.peak_kib / 1024.0;
                variances[n] = memx_variance_mib2(m.moment, c.t.job.gpus);
                if (n % 7 == 0) { /* from its definition: equal but for the rounding of doubles */
                    double wanted = variance(&c, k, &c.b.choices[at]);
                    assert_case(&c, fabs(variances[n] - wanted) <= 1e-9 * peaks[n] * peaks[n],
                                "variance %.9g, wanted %.9g", variances[n], wanted);
                }
                if (m.iteration_ns < fastest) fastest = m.iteration_ns;
            }
        }
        memx_reference ref;
        memx_status status = memx_search_reference(&c.search, NULL, &ref, &c.error);
        assert_case(&c, status == MEMX_OK, "status %d", (int)status);
        assert_case(&c, !ref.sampled && memx_count_int64(ref.feasible) == (int64_t)count,
                    "feasible %" PRId64 ", wanted %zu", memx_count_int64(ref.feasible), count);
        if (count == 0) {
            assert_case(&c,
                        ref.iteration_ms == 0.0 && ref.peak_mib == 0.0 &&
                            ref.variance_mib2 == 0.0 && ref.fastest_ns == 0,
                        "medians of nothing");
        } else {
            double time = median_of(times, count), peak = median_of(peaks, count);
            double spread = median_of(variances, count);
            assert_case(&c, ref.iteration_ms == time, "time %.17g, wanted %.17g", ref.iteration_ms,
                        time);
            assert_case(&c, ref.peak_mib == peak, "peak %.17g, wanted %.17g", ref.peak_mib, peak);
            assert_case(&c, ref.variance_mib2 == spread, "variance %.17g, wanted %.17g",
                        ref.variance_mib2, spread);
            assert_case(&c, ref.fastest_ns == fastest, "fastest %" PRId64 ", wanted %" PRId64,
                        ref.fastest_ns, fastest);
        }
        free(times);
        free(peaks);
        free(variances);
        close_case(&c);
    }
    assert_true(t.cases > 300 && t.some > 80);
}

/* A job of one node of 8 GPUs with `layers` layers, all of it on 8 stages. */
static void eight_stages(test_job *t, memx_space *space, int64_t layers) {
    memx_error error = {.text = ""};
    job_start(t);
    t->job.model = model_gpt(layers, 256, 4, 1000, 128);
    job_device(t, "A", "red", 81920.0);
    job_node(t, 0, 0, 8);
    job_finish(t);
    memx_space_start(space, "eight");
    assert_ok(memx_space_add(space, "tp", "1", &error), &error);
    assert_ok(memx_space_add(space, "pp", "8", &error), &error);
    assert_ok(memx_space_add(space, "micro_batch", "1", &error), &error);
    assert_ok(memx_space_add(space, "recompute", "none", &error), &error);
    assert_ok(memx_space_add(space, "recompute", "full", &error), &error);
}

/* Share of the sorted values below x, counting half of those equal to it. */
static double rank_of(const int64_t *sorted, size_t count, double x) {
    size_t below = 0, equal = 0;
    for (size_t i = 0; i < count; i++) {
        below += (double)sorted[i] < x;
        equal += (double)sorted[i] == x;
    }
    return ((double)below + (double)equal / 2.0) / (double)count;
}

/* C(14, 7) splits of 15 layers, 2^8 levels: above 2^15 samples, below what a test can sort? 878,592
** is exact; one layer more makes 1,647,360, and those are sampled: near the true median in rank,
** and the same each time. */
static void large_spaces_are_sampled(void **state) {
    (void)state;
    test_job t;
    memx_space space;
    memx_search search;
    memx_reference ref, again;
    memx_extent extent;
    memx_error error = {.text = ""};
    memx_extent_start(&extent);
    eight_stages(&t, &space, 15);
    assert_ok(memx_search_open(&t.job, &space, &memx_analytic_pricer, NULL, &search, &error),
              &error);
    assert_ok(memx_search_reference(&search, NULL, &ref, &error), &error);
    assert_false(ref.sampled);
    assert_whole(memx_count_int64(ref.feasible), 3432 * 256);
    memx_search_close(&search);

    t.job.model.layers = 16;
    assert_ok(memx_search_open(&t.job, &space, &memx_analytic_pricer, NULL, &search, &error),
              &error);
    assert_ok(memx_search_reference(&search, NULL, &ref, &error), &error);
    assert_ok(memx_search_reference(&search, NULL, &again, &error), &error);
    assert_true(ref.sampled);
    assert_memory_equal(&ref, &again, sizeof ref);
    assert_whole(memx_count_int64(ref.feasible), 6435 * 256);
    size_t count = 6435 * 256, n = 0;
    int64_t *times = allocate(count, sizeof *times), *peaks = allocate(count, sizeof *peaks);
    memx_scan scan;
    memx_scan_start(&search, &extent, NULL, &scan);
    while (memx_scan_next(&scan, &error) == MEMX_OK) {
        memx_measures m;
        assert_true(n < count);
        memx_plan_measure(memx_choices_plan(scan.choices), memx_choices_options(scan.choices), &m);
        times[n] = m.iteration_ns;
        peaks[n++] = m.peak_kib;
    }
    memx_scan_stop(&scan);
    assert_true(n == count);
    qsort(times, count, sizeof *times, compare_int64);
    qsort(peaks, count, sizeof *peaks, compare_int64);
    /* 65,536 samples: a standard deviation of 0.2 % in rank; ties make steps of time. */
    assert_true(fabs(rank_of(times, count, ref.iteration_ms * 1e6) - 0.5) < 0.03);
    assert_true(fabs(rank_of(peaks, count, ref.peak_mib * 1024.0) - 0.5) < 0.03);
    assert_true(ref.fastest_ns >= times[0]);
    free(times);
    free(peaks);
    memx_search_close(&search);
    memx_space_free(&space);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_numbered_configurations),
        cmocka_unit_test(references_are_medians),
        cmocka_unit_test(large_spaces_are_sampled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
