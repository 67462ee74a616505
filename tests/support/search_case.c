#include "support/search_case.h"

#include <inttypes.h>
#include <stdio.h>

#include "support/layout.h"
#include "support/spaces.h"

static void spaces_text(const memx_space *space, char *out, size_t room) {
    static const char *const rules[] = {"free", "uniform", "compute", "memory", "time"};
    size_t n = (size_t)snprintf(out, room, "order %d span %d split %s skew %d scope %d ignore %d",
                                (int)space->device_order, (int)space->stage_devices,
                                rules[space->layer_split], (int)space->layer_skew,
                                (int)space->recompute_scope, space->ignore_memory);
    for (int32_t i = 0; i < space->level_count && n < room; i++) {
        char level[MEMX_LEVEL_TEXT];
        memx_level_format(space->levels[i], level);
        n += (size_t)snprintf(out + n, room - n, " %s", level);
    }
    for (int a = 0; a < MEMX_AXIS_COUNT; a++) {
        for (int32_t i = 0; i < space->axes[a].count && n < room; i++) {
            n += (size_t)snprintf(out + n, room - n, " %s=%lld", memx_axis_name((memx_axis)a),
                                  (long long)space->axes[a].items[i]);
        }
    }
}

void fail_search_case(const test_case *c, int line, const char *format, ...) {
    char what[1500], space[1500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    spaces_text(&c->space, space, sizeof space);
    check_fail(__FILE__, line, "seed %" PRIu64 ": %s (%s)", c->seed, what, space);
}

bool open_case(test_case *c, uint64_t seed, int64_t limit, tally *t) {
    c->seed = seed;
    c->r = rng_start(seed);
    c->error.text[0] = '\0';
    random_job(&c->r, 8, 7, &c->t);
    if (rng_chance(&c->r, 35)) random_experts(&c->r, &c->t);
    if (rng_chance(&c->r, 90)) random_memory(&c->r, &c->t);
    random_space(&c->r, &c->t.job, &c->space);
    brute_open(&c->t.job, &c->space, limit, &c->b);
    if (c->b.too_large) {
        brute_close(&c->b);
        memx_space_free(&c->space);
        return false;
    }
    memx_extent_start(&c->all);
    memx_status status =
        memx_search_open(&c->t.job, &c->space, &memx_analytic_pricer, NULL, &c->search, &c->error);
    assert_case(c, status == MEMX_OK, "%s", c->error.text);
    t->cases++;
    t->configurations += (int64_t)c->b.count;
    if (c->b.count == 0)
        t->none++;
    else if ((int64_t)c->b.count < c->b.all)
        t->some++;
    else
        t->whole++;
    return true;
}

void close_case(test_case *c) {
    memx_search_close(&c->search);
    brute_close(&c->b);
    memx_space_free(&c->space);
}

memx_count count_all(memx_search *search, const memx_bounds *bounds) {
    memx_count total = memx_count_of(0), count;
    memx_error error = {.text = ""};
    for (size_t i = 0; i < search->skeletons.count; i++) {
        memx_skeleton *skeleton = &search->skeletons.items[i];
        memx_choices *choices = NULL;
        if (!memx_bounds_admit(bounds, &skeleton->knobs)) continue;
        assert_ok(memx_choices_open(&search->setting, skeleton, NULL, &choices, &error), &error);
        assert_ok(memx_choices_count(choices, true, &count), NULL);
        memx_choices_close(choices);
        total = memx_count_add(total, count);
    }
    return total;
}

void random_share(test_case *c, memx_extent *extent, int64_t *from, int64_t *to) {
    int64_t count = 0;
    const memx_bounds bounds = extent->bounds;
    for (size_t i = 0; i < c->b.skeleton_count; i++) {
        const brute_skeleton *k = c->b.skeletons[i];
        if (memx_bounds_admit(&bounds, &k->base.knobs)) count += (int64_t)(k->end - k->begin);
    }
    int64_t shares = rng_between(&c->r, 1, rng_chance(&c->r, 50) ? 4 : count + count / 4 + 1);
    int64_t share = rng_between(&c->r, 0, shares - 1);
    memx_count size;
    memx_status status =
        memx_search_share(&c->search, &bounds, share, shares, NULL, extent, &size, &c->error);
    assert_case(c, status == MEMX_OK, "share: status %d: %s", (int)status, c->error.text);
    *from = share * count / shares;
    *to = (share + 1) * count / shares;
    assert_case(c, memx_count_int64(size) == *to - *from,
                "share %" PRId64 " of %" PRId64 ": %" PRId64 " configurations, wanted %" PRId64,
                share, shares, memx_count_int64(size), *to - *from);
}

brute_choice current_choice(const brute *b, const memx_choices *choices, int64_t pp) {
    memx_stage_choice stages[BRUTE_STAGES];
    brute_choice out = {{0}, {0}};
    memx_choices_stages(choices, stages);
    for (int64_t s = 0; s < pp && s < BRUTE_STAGES; s++) {
        int32_t r = 0;
        while (r < b->level_count && memx_level_compare(b->levels[r], stages[s].level) != 0) r++;
        out.layers[s] = (int8_t)stages[s].layers;
        out.levels[s] = (int8_t)r;
    }
    return out;
}
