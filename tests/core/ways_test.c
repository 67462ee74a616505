/*
** Tests of core/ways.h: counts, samples and reach of random small offers, against all of them one
** by one.
*/
#include "core/ways.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

enum { MOST_STAGES = 5, MOST_LAYERS = 9, MOST_LEVELS = 4, MOST_ALL = 1 << 16 };

/* What a configuration is: layers of every stage and level of every group, unused ones 0. */
typedef struct choice {
    int8_t layers[MOST_STAGES], levels[MOST_STAGES];
} choice;

typedef struct offers {
    memx_ways ways;
    int32_t group[MOST_STAGES];
    uint64_t masks[MOST_STAGES][MOST_LAYERS];
    const uint64_t *rows[MOST_STAGES];
} offers;

/* Not to be moved: it points into itself. */
static void random_offers(rng *r, offers *o) {
    memx_ways *w = &o->ways;
    *o = (offers){.ways = {.stages = (int32_t)rng_between(r, 1, MOST_STAGES)}};
    w->layers = rng_between(r, w->stages, MOST_LAYERS);
    w->most = w->layers - w->stages + 1;
    w->levels = (int32_t)rng_between(r, 1, MOST_LEVELS);
    int percent = (int)rng_between(r, 10, 100), like = (int)rng_between(r, 0, 100);
    for (int32_t s = 0; s < w->stages; s++) {
        bool own = s == 0 || !rng_chance(r, like);
        o->group[s] = own ? w->groups++ : (int32_t)rng_between(r, 0, w->groups - 1);
        for (int64_t l = 0; l < w->most; l++) {
            for (int32_t v = 0; v < w->levels; v++) {
                if (rng_chance(r, percent)) o->masks[s][l] |= UINT64_C(1) << v;
            }
        }
        o->rows[s] = o->masks[s];
    }
    w->group = o->group;
    w->masks = o->rows;
}

/* All configurations, for the stages before s fixed. */
static size_t enumerate(const offers *o, int32_t s, int64_t left, choice *c, choice *out,
                        size_t count) {
    const memx_ways *w = &o->ways;
    if (s == w->stages || s == MOST_STAGES) {
        if (left > 0) return count;
        assert_true(count < MOST_ALL);
        out[count++] = *c;
        return count;
    }
    int32_t g = o->group[s];
    bool first = true;
    for (int32_t q = 0; q < s; q++) first = first && o->group[q] != g;
    for (int64_t l = 1; l <= w->most && l <= left; l++) {
        for (int32_t v = 0; v < w->levels; v++) {
            if (!(o->masks[s][l - 1] >> v & 1) || (!first && c->levels[g] != v)) continue;
            int8_t kept = c->levels[g];
            c->layers[s] = (int8_t)l;
            c->levels[g] = (int8_t)v;
            count = enumerate(o, s + 1, left - l, c, out, count);
            c->levels[g] = kept;
        }
    }
    c->layers[s] = 0;
    return count;
}

typedef struct visited {
    const memx_ways *ways;
    choice *items;
    size_t count, capacity;
} visited;

static void visit(void *context, const int64_t *split, const int32_t *level) {
    visited *v = context;
    choice c = {{0}, {0}};
    assert_true(v->count < v->capacity);
    for (int32_t s = 0; s < v->ways->stages; s++) c.layers[s] = (int8_t)split[s];
    for (int32_t g = 0; g < v->ways->groups; g++) c.levels[g] = (int8_t)level[g];
    v->items[v->count++] = c;
}

static int compare(const void *a, const void *b) {
    return memcmp(a, b, sizeof(choice));
}

static void counts_and_samples_equal_enumeration(void **state) {
    (void)state;
    static choice all[MOST_ALL], found[MOST_ALL];
    static memx_count numbers[MOST_ALL];
    static offers o;
    int64_t empty = 0, grouped = 0;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        rng r = rng_start(seed);
        choice c = {{0}, {0}};
        memx_count count;
        random_offers(&r, &o);
        size_t n = enumerate(&o, 0, o.ways.layers, &c, all, 0);
        assert_ok(memx_ways_count(&o.ways, &count), NULL);
        assert_that(memx_count_int64(count) == (int64_t)n,
                    "seed %" PRIu64 ": %" PRId64 ", wanted %zu", seed, memx_count_int64(count), n);
        visited v = {&o.ways, found, 0, n};
        for (size_t i = 0; i < n; i++) numbers[i] = memx_count_of(i);
        assert_ok(memx_ways_sample(&o.ways, numbers, n, visit, &v), NULL);
        assert_that(v.count == n, "seed %" PRIu64 ": %zu of %zu visited", seed, v.count, n);
        /* A few numbers alone, one of them twice, are the same configurations. */
        for (int i = 0; i < 5 && n > 0; i++) {
            choice few[3];
            size_t at = (size_t)rng_between(&r, 0, (int64_t)n - 1);
            visited alone = {&o.ways, few, 0, COUNT(few)};
            memx_count three[] = {memx_count_of(at / 2), memx_count_of(at), memx_count_of(at)};
            assert_ok(memx_ways_sample(&o.ways, three, COUNT(three), visit, &alone), NULL);
            assert_that(alone.count == 3 && compare(&few[0], &found[at / 2]) == 0 &&
                            compare(&few[1], &found[at]) == 0 && compare(&few[2], &few[1]) == 0,
                        "seed %" PRIu64 ": number %zu", seed, at);
        }
        if (n > 0) {
            qsort(all, n, sizeof *all, compare);
            qsort(found, n, sizeof *found, compare);
        }
        assert_that(n == 0 || memcmp(all, found, n * sizeof *all) == 0, "seed %" PRIu64, seed);
        empty += n == 0;
        grouped += n > 0 && o.ways.groups < o.ways.stages;
    }
    assert_true(empty > 100 && grouped > 500);
}

/* Whether there is some way from a stage on with so many layers left, levels aside. */
static bool some_way(const offers *o, int32_t s, int64_t left) {
    if (s == o->ways.stages) return left == 0;
    for (int64_t l = 1; l <= o->ways.most && l <= left; l++) {
        if (o->masks[s][l - 1] && some_way(o, s + 1, left - l)) return true;
    }
    return false;
}

static void reach_is_some_way(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        static offers o;
        rng r = rng_start(seed);
        uint8_t reach[(MOST_STAGES + 1) * (MOST_LAYERS + 1)] = {0};
        random_offers(&r, &o);
        assert_int_equal(memx_ways_reach(&o.ways, reach), MEMX_OK);
        for (int32_t s = 0; s <= o.ways.stages; s++) {
            for (int64_t left = 0; left <= o.ways.layers; left++) {
                bool found = reach[s * (o.ways.layers + 1) + left];
                assert_that(found == some_way(&o, s, left), "seed %" PRIu64 ": stage %d, %d left",
                            seed, (int)s, (int)left);
            }
        }
    }
}

static void vectors_count_up(void **state) {
    (void)state;
    int32_t vector[3] = {0};
    for (int n = 0; n < 64; n++) {
        assert_int_equal(vector[0] * 16 + vector[1] * 4 + vector[2], n);
        assert_int_equal(memx_ways_next_vector(3, 4, vector), n < 63);
    }
    assert_int_equal(vector[0] + vector[1] + vector[2], 0);
    assert_false(memx_ways_next_vector(2, 1, vector));
}

static void lowest_bits(void **state) {
    (void)state;
    assert_int_equal(memx_lowest(0, 0), -1);
    assert_int_equal(memx_lowest(1, 0), 0);
    assert_int_equal(memx_lowest(1, 1), -1);
    assert_int_equal(memx_lowest(UINT64_C(1) << 63, 0), 63);
    assert_int_equal(memx_lowest(UINT64_C(1) << 63, 63), 63);
    assert_int_equal(memx_lowest(UINT64_MAX, 64), -1);
    assert_int_equal(memx_lowest(UINT64_MAX, 65), -1);
    for (int32_t from = 0; from < 64; from++) assert_int_equal(memx_lowest(UINT64_MAX, from), from);
}

/* ---- large ---- */

/* 64 levels of one stage each: 64^p in all, and every level is met. */
static void sixty_four_levels(void **state) {
    (void)state;
    static const int32_t group[] = {0, 1};
    static const uint64_t mask[] = {UINT64_MAX};
    static const uint64_t *const masks[] = {mask, mask};
    const memx_ways w = {.stages = 2,
                         .groups = 2,
                         .levels = 64,
                         .layers = 2,
                         .most = 1,
                         .group = group,
                         .masks = masks};
    static choice found[4096];
    static memx_count numbers[4096];
    visited v = {&w, found, 0, COUNT(found)};
    memx_count count;
    assert_ok(memx_ways_count(&w, &count), NULL);
    assert_whole(memx_count_int64(count), 4096);
    for (size_t i = 0; i < COUNT(numbers); i++) numbers[i] = memx_count_of(i);
    assert_ok(memx_ways_sample(&w, numbers, COUNT(numbers), visit, &v), NULL);
    for (size_t i = 0; i < COUNT(found); i++) {
        assert_int_equal(found[i].levels[0] * 64 + found[i].levels[1], i);
    }
}

static int stop_at_once(void *context) {
    ++*(int *)context;
    return 1;
}

/* 1,024 stages, 8,000 layers: long, and stopped. */
static void a_long_count_stops(void **state) {
    (void)state;
    int asked = 0;
    const memx_poll poll = {.stop = stop_at_once, .context = &asked};
    memx_ways w = {
        .stages = 1024, .groups = 1024, .levels = 2, .layers = 8000, .most = 6977, .poll = &poll};
    uint64_t *mask = allocate((size_t)w.most, sizeof *mask);
    const uint64_t **masks = allocate((size_t)w.stages, sizeof *masks);
    int32_t *group = allocate((size_t)w.stages, sizeof *group);
    memx_count count;
    for (int64_t l = 0; l < w.most; l++) mask[l] = 3;
    for (int32_t s = 0; s < w.stages; s++) {
        masks[s] = mask;
        group[s] = s;
    }
    w.group = group;
    w.masks = masks;
    assert_int_equal(memx_ways_count(&w, &count), MEMX_INTERRUPTED);
    assert_int_equal(asked, 1);
    free(mask);
    free(masks);
    free(group);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_samples_equal_enumeration),
        cmocka_unit_test(reach_is_some_way),
        cmocka_unit_test(vectors_count_up),
        cmocka_unit_test(lowest_bits),
        cmocka_unit_test(sixty_four_levels),
        cmocka_unit_test(a_long_count_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
