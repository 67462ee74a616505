/*
** Searches of random small jobs against every configuration found by brute force (support/brute.h):
** the scan's configurations and their order, counts, shares, single look-ups, bounds, and what is said
** when there is nothing. Samples and references: references_test.c.
*/
#include "core/search.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/priced.h"
#include "support/brute.h"
#include "support/check.h"
#include "support/jobs.h"
#include "support/layout.h"
#include "support/search_case.h"
#include "support/spaces.h"

/* ---- scanning ---- */

static void text_of(const test_case *c, const brute_skeleton *k, const brute_choice *choice,
                    char *out) {
    layout l;
    brute_layout(&c->b, k, choice, &l);
    layout_text(&c->t.job, &l, out);
}

/* The scan gives exactly the configurations of the skeletons that are not skipped, in order: number `from` of
** them up to the one before number `to`. */
static void check_scan(test_case *c, const memx_extent *extent, const bool *skip, int64_t from,
                       int64_t to) {
    static char found[LAYOUT_TEXT], wanted[LAYOUT_TEXT];
    memx_scan scan;
    memx_scan_start(&c->search, extent, NULL, &scan);
    const memx_skeleton *last = NULL;
    int64_t number = 0;
    for (size_t i = 0; i < c->b.skeleton_count; i++) {
        const brute_skeleton *k = c->b.skeletons[i];
        if (skip && skip[i]) continue;
        for (size_t n = k->begin; n < k->end; n++, number++) {
            if (number < from || number >= to) continue;
            memx_status status = memx_scan_next(&scan, &c->error);
            text_of(c, k, &c->b.choices[n], wanted);
            assert_case(c, status == MEMX_OK, "scan ends (%d) before %s", (int)status, wanted);
            brute_choice at = current_choice(&c->b, scan.choices, scan.skeleton->knobs.pp);
            bool placed = scan.skeleton == last; /* compared once a skeleton */
            if (!placed) {
                placed = memx_knobs_equal(&scan.skeleton->knobs, &k->base.knobs) &&
                         layout_placed(&c->t.job, &k->base, &scan.skeleton->placement);
                last = scan.skeleton;
            }
            if (placed && memcmp(&at, &c->b.choices[n], sizeof at) == 0) continue;
            memx_stage_choice stages[LAYOUT_STAGES];
            memx_choices_stages(scan.choices, stages);
            memx_config config = {scan.skeleton->knobs, scan.skeleton->placement, stages};
            char *text = config_text(&c->t.job, &config);
            snprintf(found, sizeof found, "%s", text);
            free(text);
            fail_search_case(c, __LINE__, "number %zu is %s, wanted %s", n, found, wanted);
        }
    }
    memx_status status = memx_scan_next(&scan, &c->error);
    assert_case(c, status == MEMX_DONE, "scan goes on (%d) after %zu", (int)status, c->b.count);
    memx_scan_stop(&scan);
}

static void check_count(test_case *c, const memx_bounds *bounds, int64_t wanted) {
    memx_count count;
    memx_status status = memx_search_count(&c->search, bounds, NULL, &count, &c->error);
    assert_case(c, status == MEMX_OK, "status %d: %s", (int)status, c->error.text);
    assert_case(c, memx_count_int64(count) == wanted, "count %" PRId64 ", wanted %" PRId64,
                memx_count_int64(count), wanted);
}

static void check_all(test_case *c, const memx_bounds *bounds, int64_t wanted) {
    int64_t all = memx_count_int64(count_all(&c->search, bounds));
    assert_case(c, all == wanted, "count of all %" PRId64 ", wanted %" PRId64, all, wanted);
}

static void scan_and_count_equal_brute_force(void **state) {
    (void)state;
    static test_case c;
    tally t = {0};
    int64_t by_rule[5] = {0}, by_scope[4] = {0}, by_span[3] = {0}, by_order[3] = {0}, ignoring = 0;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        if (!open_case(&c, seed, 20000, &t)) continue;
        check_scan(&c, &c.all, NULL, 0, INT64_MAX);
        check_count(&c, &c.all.bounds, (int64_t)c.b.count);
        check_all(&c, &c.all.bounds, c.b.all);
        if (c.b.count > 1) {
            by_rule[c.space.layer_split]++;
            by_scope[c.space.recompute_scope]++;
            by_span[c.space.stage_devices]++;
            by_order[c.space.device_order]++;
            ignoring += c.space.ignore_memory;
        }
        close_case(&c);
    }
    assert_that(t.cases > 2500 && t.some > 500 && t.whole > 500 && t.none > 50,
                "%" PRId64 " cases, %" PRId64 " some, %" PRId64 " whole, %" PRId64 " none", t.cases,
                t.some, t.whole, t.none);
    for (size_t i = 0; i < COUNT(by_rule); i++) assert_true(by_rule[i] > 50);
    for (size_t i = 0; i < COUNT(by_scope); i++) assert_true(by_scope[i] > 100);
    for (size_t i = 0; i < COUNT(by_span); i++) assert_true(by_span[i] > 100);
    assert_true(by_order[0] > 100 && by_order[1] > 100 && by_order[2] > 100 && ignoring > 50);
}

/* Tables of prices that nobody uses are dropped when there are too many: here as if there always
** were. Two scans at once hold on to theirs. */
static void a_full_cache_changes_nothing(void **state) {
    (void)state;
    static test_case c;
    tally t = {0};
    for (uint64_t seed = 10001; seed <= 10300; seed++) {
        if (!open_case(&c, seed, 3000, &t)) continue;
        c.search.setting.tables.bytes = 300 << 20;
        memx_scan other;
        memx_scan_start(&c.search, &c.all, NULL, &other);
        for (int64_t n = rng_between(&c.r, 0, 40); n > 0; n--) memx_scan_next(&other, &c.error);
        check_scan(&c, &c.all, NULL, 0, INT64_MAX);
        int64_t rest = 0;
        while (memx_scan_next(&other, &c.error) == MEMX_OK) rest++;
        memx_scan_stop(&other);
        assert_case(&c, rest <= (int64_t)c.b.count, "%" PRId64 " rows", rest);
        check_count(&c, &c.all.bounds, (int64_t)c.b.count);
        check_all(&c, &c.all.bounds, c.b.all);
        close_case(&c);
    }
    assert_true(t.cases > 200 && t.configurations > 10000);
}

/* ---- shares ---- */

/* Each share is what brute force finds at its numbers, and nothing of another one. */
static void shares_cut_the_order(void **state) {
    static test_case c;
    tally t = {0};
    int64_t shares = 0, cut = 0, empty = 0;
    (void)state;
    for (uint64_t seed = 40001; seed <= 41500; seed++) {
        if (!open_case(&c, seed, 4000, &t)) continue;
        for (int i = 0; i < 6; i++) {
            memx_extent extent;
            int64_t from, to;
            memx_extent_start(&extent);
            if (rng_chance(&c.r, 20)) extent.bounds.most[MEMX_AXIS_TP] = rng_between(&c.r, 1, 4);
            bool *skip = allocate(c.b.skeleton_count + 1, sizeof *skip);
            for (size_t k = 0; k < c.b.skeleton_count; k++) {
                skip[k] = !memx_bounds_admit(&extent.bounds, &c.b.skeletons[k]->base.knobs);
            }
            random_share(&c, &extent, &from, &to);
            check_scan(&c, &extent, skip, from, to);
            shares++;
            cut += extent.first.skeleton == extent.last.skeleton;
            empty += from == to;
            free(skip);
        }
        close_case(&c);
    }
    print_message("%lld shares, %lld within one skeleton, %lld empty\n", (long long)shares,
                  (long long)cut, (long long)empty);
    assert_true(shares > 3000 && cut > 300 && empty > 100);
}

/* ---- bounds ---- */

static void bounds_filter_exactly(void **state) {
    (void)state;
    static test_case c;
    tally t = {0};
    for (uint64_t seed = 20001; seed <= 20400; seed++) {
        if (!open_case(&c, seed, 5000, &t)) continue;
        bool *skip = allocate(c.b.skeleton_count, sizeof *skip);
        for (int round = 0; round < 4 && c.b.skeleton_count > 0; round++) {
            memx_extent extent;
            memx_extent_start(&extent);
            int64_t count = 0, all = 0;
            for (int64_t n = rng_between(&c.r, 1, 3); n > 0; n--) {
                /* A bound on a value that is there, now and then one beside it. */
                int axis = (int)rng_between(&c.r, 0, MEMX_AXIS_COUNT - 1);
                size_t like = (size_t)rng_between(&c.r, 0, (int64_t)c.b.skeleton_count - 1);
                int64_t value = memx_knob(&c.b.skeletons[like]->base.knobs, (memx_axis)axis);
                if (rng_chance(&c.r, 20)) value += rng_between(&c.r, -1, 1);
                if (rng_chance(&c.r, 60)) extent.bounds.least[axis] = value;
                if (rng_chance(&c.r, 60)) extent.bounds.most[axis] = value;
            }
            for (size_t i = 0; i < c.b.skeleton_count; i++) {
                const brute_skeleton *k = c.b.skeletons[i];
                skip[i] = false;
                for (int a = 0; a < MEMX_AXIS_COUNT; a++) {
                    int64_t value = memx_knob(&k->base.knobs, (memx_axis)a);
                    if (value < extent.bounds.least[a] || value > extent.bounds.most[a])
                        skip[i] = true;
                }
                assert_true(memx_bounds_admit(&extent.bounds, &k->base.knobs) == !skip[i]);
                if (skip[i]) continue;
                count += (int64_t)(k->end - k->begin);
                all += k->all;
            }
            check_scan(&c, &extent, skip, 0, INT64_MAX);
            check_count(&c, &extent.bounds, count);
            check_all(&c, &extent.bounds, all);
        }
        free(skip);
        close_case(&c);
    }
    assert_true(t.cases > 200);
}

/* Exceeds tells whether a scan has more than so many rows, and when it does, how many. */
static void exceeds_is_exact(void **state) {
    (void)state;
    static test_case c;
    tally t = {0};
    for (uint64_t seed = 30001; seed <= 30500; seed++) {
        if (!open_case(&c, seed, 20000, &t)) continue;
        int64_t count = (int64_t)c.b.count;
        const int64_t limits[] = {0,     1,         count / 2, count - 1,
                                  count, count + 1, 2 * count, INT64_MAX};
        for (size_t i = 0; i < COUNT(limits); i++) {
            if (limits[i] < 0) continue;
            bool exceeds = false;
            memx_count found;
            memx_status status = memx_search_exceeds(&c.search, &c.all.bounds, limits[i], NULL,
                                                     &exceeds, &found, &c.error);
            assert_case(&c, status == MEMX_OK, "status %d", (int)status);
            assert_case(&c, exceeds == (count > limits[i]),
                        "%" PRId64 " rows, more than %" PRId64 ": %d", count, limits[i], exceeds);
            if (exceeds) {
                assert_case(&c, memx_count_int64(found) == count, "count %" PRId64 " of %" PRId64,
                            memx_count_int64(found), count);
            }
        }
        close_case(&c);
    }
    assert_true(t.cases > 300);
}

/* ---- looking up ---- */

/* Looks for a configuration by its text; it must be found exactly when brute force has it. */
static bool check_find(test_case *c, const layout *l) {
    static char text[LAYOUT_TEXT];
    memx_priced priced;
    memx_scan scan;
    int64_t wanted = brute_find(&c->b, l);
    layout_text(&c->t.job, l, text);
    memx_status status =
        memx_priced_open(&c->t.job, text, &memx_analytic_pricer, &priced, &c->error);
    assert_case(c, status == MEMX_OK, "%s: %s", text, c->error.text);
    memx_scan_start(&c->search, &c->all, NULL, &scan);
    status = memx_scan_find(&scan, &priced.config, &c->error);
    assert_case(c, status == (wanted >= 0 ? MEMX_OK : MEMX_DONE), "find answers %d: %s",
                (int)status, text);
    if (status == MEMX_OK) {
        /* What was found is that configuration, and costs what its text costs. */
        memx_stage_choice stages[LAYOUT_STAGES];
        memx_measures found, priced_alone;
        memx_choices_stages(scan.choices, stages);
        memx_config config = {scan.skeleton->knobs, scan.skeleton->placement, stages};
        assert_case(c, layout_equals(&c->t.job, l, &config), "found another: %s", text);
        memx_plan_measure(memx_choices_plan(scan.choices), memx_choices_options(scan.choices),
                          &found);
        memx_plan_measure(&priced.plan, priced.pointers, &priced_alone);
        assert_case(c,
                    found.iteration_ns == priced_alone.iteration_ns &&
                        found.peak_kib == priced_alone.peak_kib &&
                        found.moment == priced_alone.moment &&
                        found.free_kib == priced_alone.free_kib && found.fits == priced_alone.fits,
                    "measures of %s", text);
        assert_case(c, found.fits || c->space.ignore_memory, "does not fit: %s", text);
        /* One configuration, and no further. */
        assert_case(c, memx_scan_next(&scan, &c->error) == MEMX_DONE, "a scan goes on: %s", text);
    }
    memx_scan_stop(&scan);
    memx_priced_close(&priced);
    return wanted >= 0;
}

/* Changes one thing about a configuration, so that it is a good one still. */
static void change_a_little(rng *r, const memx_job *job, layout *l) {
    int64_t pp = l->knobs.pp, s = rng_between(r, 0, pp - 1), q = rng_between(r, 0, pp - 1);
    switch (rng_between(r, 0, 5)) {
    case 0: /* a layer from one stage to another */
        if (l->layers[s] == layout_least(job, s)) break;
        l->layers[s]--;
        l->layers[q]++;
        l->levels[s] = memx_level_canonical(l->levels[s], l->layers[s]);
        l->levels[q] = memx_level_canonical(l->levels[q], l->layers[q]);
        break;
    case 1: /* the stages' GPUs change places */
        for (int32_t i = 0; i < job->node_count; i++) {
            int32_t gpus = l->gpus[s][i];
            if (job->device_count == job->node_count) { /* else a type's nodes go by ordinal */
                l->gpus[s][i] = l->gpus[q][i];
                l->gpus[q][i] = gpus;
            }
        }
        break;
    case 2:
        if (l->knobs.tp > 1) l->knobs.sequence_parallel = !l->knobs.sequence_parallel;
        break;
    case 3:
        if (memx_knobs_replicas(&l->knobs) > 1) {
            l->knobs.distributed_optimizer = (l->knobs.distributed_optimizer + 1) % 4;
        }
        break;
    case 4: l->knobs.seq_length += 2 * l->knobs.cp * rng_between(r, 0, 1); break;
    default: l->levels[s] = random_level_for(r, l->layers[s]); break;
    }
}

static void find_finds_every_one_and_nothing_else(void **state) {
    (void)state;
    static test_case c;
    tally t = {0};
    int64_t found = 0, refused = 0;
    for (uint64_t seed = 40001; seed <= 40700; seed++) {
        if (!open_case(&c, seed, 5000, &t)) continue;
        for (size_t i = 0; i < c.b.skeleton_count; i++) {
            const brute_skeleton *k = c.b.skeletons[i];
            size_t step = 1 + (k->end - k->begin) / 8; /* all of a small one */
            for (size_t n = k->begin; n < k->end; n += step) {
                layout l;
                brute_layout(&c.b, k, &c.b.choices[n], &l);
                assert_true(check_find(&c, &l));
                for (int64_t changes = rng_between(&c.r, 1, 2); changes > 0; changes--) {
                    change_a_little(&c.r, &c.t.job, &l);
                }
                if (check_find(&c, &l))
                    found++;
                else
                    refused++;
            }
        }
        for (int i = 0; i < 20; i++) {
            layout l;
            if (!random_layout(&c.r, &c.t.job, &l)) continue;
            if (l.knobs.pp > BRUTE_STAGES) continue;
            if (check_find(&c, &l))
                found++;
            else
                refused++;
        }
        close_case(&c);
    }
    assert_that(t.cases > 400 && found > 2000 && refused > 10000,
                "%" PRId64 " cases, %" PRId64 " found, %" PRId64 " refused", t.cases, found,
                refused);
}

/* ---- larger free spaces ---- */

/* Counting needs no visit: against a scan, up to 1e5 configurations of up to 14 layers. */
static void counts_equal_longer_scans(void **state) {
    (void)state;
    int64_t checked = 0, most = 0;
    for (uint64_t seed = 70001; seed <= 70300 && checked < 60; seed++) {
        rng r = rng_start(seed);
        test_job t;
        memx_space space;
        memx_search search;
        memx_extent extent;
        memx_error error = {.text = ""};
        memx_count count, all;
        random_job(&r, 8, 14, &t);
        random_memory(&r, &t);
        random_space(&r, &t.job, &space);
        space.layer_split = MEMX_SPLIT_FREE;
        memx_extent_start(&extent);
        memx_status status =
            memx_search_open(&t.job, &space, &memx_analytic_pricer, NULL, &search, &error);
        assert_that(status == MEMX_OK, "seed %" PRIu64 ": %s", seed, error.text);
        assert_ok(memx_search_count(&search, &extent.bounds, NULL, &count, &error), &error);
        all = count_all(&search, &extent.bounds);
        assert_true(memx_count_compare(count, all) <= 0);
        int64_t wanted = memx_count_int64(count), rows = 0;
        if (wanted > 1000 && wanted <= 100000) {
            memx_scan scan;
            memx_scan_start(&search, &extent, NULL, &scan);
            while ((status = memx_scan_next(&scan, &error)) == MEMX_OK) rows++;
            assert_int_equal(status, MEMX_DONE);
            memx_scan_stop(&scan);
            assert_that(rows == wanted, "seed %" PRIu64 ": %" PRId64 " rows, counted %" PRId64,
                        seed, rows, wanted);
            checked++;
            most = rows > most ? rows : most;
        }
        memx_search_close(&search);
        memx_space_free(&space);
    }
    assert_that(checked >= 40 && most > 30000, "%" PRId64 " checked, largest %" PRId64, checked,
                most);
}

/* ---- when there is nothing ---- */

/* What memory refuses is counted, with an example with figures of the device it names. */
static void memory_refusals_are_explained(void **state) {
    (void)state;
    static test_case c;
    tally t = {0};
    int64_t examples = 0;
    for (uint64_t seed = 80001; seed <= 80600; seed++) {
        if (!open_case(&c, seed, 5000, &t)) continue;
        memx_count refused;
        memx_error example = {.text = "something"};
        memx_status status = refused_by_memory(&c.search, NULL, &refused, &example, &c.error);
        assert_case(&c, status == MEMX_OK, "status %d", (int)status);
        assert_case(&c, memx_count_int64(refused) == c.b.all - (int64_t)c.b.count,
                    "%" PRId64 " refused, wanted %" PRId64, memx_count_int64(refused),
                    c.b.all - (int64_t)c.b.count);
        if (memx_count_is_zero(refused)) {
            assert_case(&c, !*example.text, "an example of nothing: %s", example.text);
            close_case(&c);
            continue;
        }
        char device[MEMX_NAME_SIZE] = "";
        long long tp, pp, dp, mb, layers, cp = 1, ep = 1, vp = 1;
        int stage, length = 0;
        double needs, more, usable;
        char level[40], plural[8];
        assert_case(&c, *example.text, "%" PRId64 " refused without an example",
                    memx_count_int64(refused));
        int degrees =
            sscanf(example.text, "tp %lld pp %lld dp %lld mb %lld%n", &tp, &pp, &dp, &mb, &length);
        const char *rest = example.text + length;
        if (sscanf(rest, " cp %lld%n", &cp, &length) == 1) rest += length;
        if (sscanf(rest, " ep %lld%n", &ep, &length) == 1) rest += length;
        if (sscanf(rest, " vp %lld%n", &vp, &length) == 1) rest += length;
        int read = sscanf(rest, ": stage %d on %64s with %lld %7s at %39s needs %lf MiB%n", &stage,
                          device, &layers, plural, level, &needs, &length);
        rest += length;
        bool on_host = strncmp(rest, " of its part of the host", 24) == 0;
        read +=
            sscanf(rest + (on_host ? 24 : 0), ", %lf MiB more than the %lf MiB", &more, &usable);
        assert_case(&c, degrees == 4 && read == 8, "%d fields: %s", read, example.text);
        int32_t d = 0;
        while (d < c.t.job.device_count && strcmp(c.t.devices[d].name, device) != 0) d++;
        assert_case(&c, d < c.t.job.device_count, "no such device: %s", example.text);
        assert_case(&c,
                    stage >= 0 && stage < pp && layers >= 1 && tp * cp * pp * dp == c.t.job.gpus,
                    "%s", example.text);
        assert_case(
            &c,
            (on_host || fabs(usable - (double)memx_usable_kib(&c.t.job, d) / 1024.0) <= 1.0) &&
                fabs(needs - more - usable) <= 2.0,
            "%s may use %.1f: %s", device, (double)memx_usable_kib(&c.t.job, d) / 1024.0,
            example.text);
        examples++;
        close_case(&c);
    }
    assert_true(examples > 100);
}

/* No skeleton at all: some reason is counted, with its example. And a reason always has one. */
static void no_skeleton_has_a_reason(void **state) {
    (void)state;
    static test_case c;
    tally t = {0};
    int64_t empty = 0;
    for (uint64_t seed = 90001; seed <= 92000; seed++) {
        if (!open_case(&c, seed, 1000, &t)) continue;
        int64_t reasons = 0;
        for (int i = 0; i < MEMX_REASON_COUNT; i++) {
            const memx_drop *drop = &c.search.skeletons.drops[i];
            reasons += drop->count;
            assert_case(&c, (drop->count > 0) == (*drop->example.text != '\0'),
                        "reason %d: %" PRId64 ", '%s'", i, drop->count, drop->example.text);
        }
        assert_case(&c, c.b.skeleton_count > 0 || reasons > 0, "no skeleton and no reason");
        empty += c.b.skeleton_count == 0;
        close_case(&c);
    }
    assert_true(empty > 50);
}

/* ---- stopping ---- */

typedef struct countdown {
    int64_t left, asked;
} countdown;

static int stop(void *context) {
    countdown *c = context;
    c->asked++;
    return c->left-- <= 0;
}

/* Everything that takes long asks whether to stop; whenever that is, it ends in order. */
static void stops_wherever_it_asks(void **state) {
    (void)state;
    static test_case c;
    tally t = {0};
    int64_t stopped = 0;
    for (uint64_t seed = 95001; seed <= 95060; seed++) {
        if (!open_case(&c, seed, 2000, &t)) continue;
        for (int64_t after = 0; after < 12; after++) {
            countdown down = {after, 0};
            memx_poll poll = {.stop = stop, .context = &down};
            memx_search search;
            memx_scan scan;
            memx_extent share;
            memx_count count;
            memx_reference ref;
            memx_error example;
            int64_t rows = 0;
            memx_status status = memx_search_open(&c.t.job, &c.space, &memx_analytic_pricer, &poll,
                                                  &search, &c.error);
            assert_case(&c, status == (down.asked > after ? MEMX_INTERRUPTED : MEMX_OK), "%d",
                        (int)status);
            if (status) {
                status = memx_search_open(&c.t.job, &c.space, &memx_analytic_pricer, NULL, &search,
                                          &c.error);
                assert_case(&c, status == MEMX_OK, "%s", c.error.text);
            }
            down = (countdown){after, 0};
            status = memx_search_count(&search, &c.all.bounds, &poll, &count, &c.error);
            assert_case(&c, status == (down.asked > after ? MEMX_INTERRUPTED : MEMX_OK), "count %d",
                        (int)status);
            stopped += status == MEMX_INTERRUPTED;
            down = (countdown){after, 0};
            status =
                memx_search_share(&search, &c.all.bounds, 1, 3, &poll, &share, &count, &c.error);
            assert_case(&c, status == (down.asked > after ? MEMX_INTERRUPTED : MEMX_OK), "share %d",
                        (int)status);
            down = (countdown){after, 0};
            status = memx_search_reference(&search, &poll, &ref, &c.error);
            assert_case(&c, status == (down.asked > after ? MEMX_INTERRUPTED : MEMX_OK), "ref %d",
                        (int)status);
            down = (countdown){after, 0};
            status = refused_by_memory(&search, &poll, &count, &example, &c.error);
            assert_case(&c, status == (down.asked > after ? MEMX_INTERRUPTED : MEMX_OK), "drop %d",
                        (int)status);
            down = (countdown){after, 0};
            memx_scan_start(&search, &c.all, &poll, &scan);
            while ((status = memx_scan_next(&scan, &c.error)) == MEMX_OK) rows++;
            assert_case(&c, status == (down.asked > after ? MEMX_INTERRUPTED : MEMX_DONE),
                        "scan %d", (int)status);
            assert_case(&c, status == MEMX_INTERRUPTED || rows == (int64_t)c.b.count, "rows");
            memx_scan_stop(&scan);
            memx_search_close(&search);
        }
        close_case(&c);
    }
    assert_true(t.cases > 20 && stopped > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scan_and_count_equal_brute_force),
        cmocka_unit_test(a_full_cache_changes_nothing),
        cmocka_unit_test(shares_cut_the_order),
        cmocka_unit_test(bounds_filter_exactly),
        cmocka_unit_test(exceeds_is_exact),
        cmocka_unit_test(find_finds_every_one_and_nothing_else),
        cmocka_unit_test(counts_equal_longer_scans),
        cmocka_unit_test(memory_refusals_are_explained),
        cmocka_unit_test(no_skeleton_has_a_reason),
        cmocka_unit_test(stops_wherever_it_asks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
