/*
** Every order of the nodes of random small jobs: the placements that it gives, their texts with
** node ordinals, and that nodes which are equal are no choice.
*/
#include "core/placement.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "core/priced.h"
#include "support/check.h"
#include "support/jobs.h"
#include "support/layout.h"

enum { MOST_ORDERS = 24, NODES = 4 };

/* Degrees of a job, as one node order after the other fills them. */
typedef struct test_case {
    uint64_t seed;
    rng r;
    test_job t;
    memx_knobs knobs;
    int32_t orders[MOST_ORDERS][NODES];
    size_t order_count;
} test_case;

static void permute(test_case *c, int32_t *order, int32_t n) {
    int32_t nodes = c->t.job.node_count;
    if (n == nodes) {
        memcpy(c->orders[c->order_count++], order, (size_t)nodes * sizeof *order);
        return;
    }
    for (int32_t i = 0; i < nodes; i++) {
        bool used = false;
        for (int32_t k = 0; k < n; k++) used = used || order[k] == i;
        if (used) continue;
        order[n] = i;
        permute(c, order, n + 1);
    }
}

static bool open_case(test_case *c, uint64_t seed) {
    int32_t order[NODES];
    layout l;
    *c = (test_case){.seed = seed, .r = rng_start(seed)};
    random_job(&c->r, 8, 12, &c->t);
    if (rng_chance(&c->r, 60)) { /* nodes of a type mostly equal */
        for (int32_t i = 0; i < c->t.job.node_count; i++) {
            c->t.nodes[i].inter_gbs = 100.0;
            c->t.nodes[i].link_gbs = c->t.devices[c->t.nodes[i].device].link_gbs;
        }
    }
    if (!random_layout(&c->r, &c->t.job, &l)) return false;
    c->knobs = l.knobs;
    permute(c, order, 0);
    return true;
}

static bool equal_nodes(const memx_node *a, const memx_node *b) {
    return a->device == b->device && a->gpus == b->gpus && a->link_gbs == b->link_gbs &&
           a->inter_gbs == b->inter_gbs && a->host_memory_mib == b->host_memory_mib &&
           a->host_memory_gbs == b->host_memory_gbs;
}

/* Stages take the next GPUs in the order of nodes; levels and layers are any. */
static void fill(test_case *c, const int32_t *order, layout *l) {
    int32_t at = 0, used = 0;
    int64_t left = c->t.job.model.layers / c->knobs.vp;
    *l = (layout){.knobs = c->knobs};
    for (int64_t s = 0; s < c->knobs.pp; s++) {
        for (int64_t gpu = 0; gpu < memx_knobs_stage_gpus(&c->knobs); gpu++, used++) {
            if (used == c->t.nodes[order[at]].gpus) {
                at++;
                used = 0;
            }
            l->gpus[s][order[at]]++;
        }
        l->layers[s] = s + 1 < c->knobs.pp ? 1 : left;
        left -= l->layers[s];
        l->levels[s] = (memx_level){MEMX_FULL, 0, 0};
    }
}

/* A stage's devices with all ordinals, in the order in which their GPUs are taken. */
static size_t write_stage(const test_case *c, const layout *l, int64_t s, const int32_t *order,
                          char *out) {
    size_t n = 0;
    bool written[TEST_DEVICES] = {false};
    for (int32_t i = 0; i < c->t.job.node_count; i++) {
        int32_t device = c->t.nodes[order[i]].device, gpus = 0;
        char ordinals[100] = "";
        size_t length = 0;
        if (l->gpus[s][order[i]] == 0 || written[device]) continue;
        for (int32_t k = i; k < c->t.job.node_count; k++) {
            const memx_node *node = &c->t.nodes[order[k]];
            if (node->device != device || l->gpus[s][order[k]] == 0) continue;
            gpus += l->gpus[s][order[k]];
            length += (size_t)sprintf(ordinals + length, "%s%lld", length ? "+" : "@",
                                      (long long)node->ordinal);
        }
        n += (size_t)sprintf(out + n, "%s%s(%d)%s", n ? "|" : "", c->t.devices[device].name,
                             (int)gpus, ordinals);
        written[device] = true;
    }
    return n;
}

static void write_all(const test_case *c, const layout *l, const int32_t *order, char *out) {
    const memx_knobs *k = &c->knobs;
    size_t n = (size_t)sprintf(out, "tp%d.dp%d.mb%d.cp%d.vp%d", (int)k->tp, (int)k->dp,
                               (int)k->micro_batch, (int)k->cp, (int)k->vp);
    for (int64_t s = 0; s < k->pp; s++) {
        out[n++] = s ? ',' : '/';
        n += write_stage(c, l, s, order, out + n);
        n += (size_t)sprintf(out + n, "*%d:full", (int)(k->vp * l->layers[s]));
    }
}

/* The least of a placement's forms when equal nodes change places: one for each choice. */
static void least_form(const test_case *c, const layout *l, layout *out) {
    bool first = true;
    for (size_t o = 0; o < c->order_count; o++) {
        const int32_t *to = c->orders[o];
        layout form = *l;
        bool good = true;
        for (int32_t i = 0; i < c->t.job.node_count && good; i++) {
            good = equal_nodes(&c->t.nodes[i], &c->t.nodes[to[i]]);
            for (int64_t s = 0; s < c->knobs.pp; s++) form.gpus[s][to[i]] = l->gpus[s][i];
        }
        if (!good) continue;
        if (first || memcmp(form.gpus, out->gpus, sizeof form.gpus) < 0) *out = form;
        first = false;
    }
}

static void layout_of(const test_case *c, const memx_config *config, layout *out) {
    *out = (layout){.knobs = c->knobs};
    for (int32_t s = 0; s < config->placement.stage_count; s++) {
        for (int32_t r = config->placement.first[s]; r < config->placement.first[s + 1]; r++) {
            out->gpus[s][config->placement.runs[r].node] = config->placement.runs[r].gpus;
        }
    }
}

/* Reads a text, checks that it is a fixed point, and answers its canonical form. */
static char *canonical(const test_case *c, const char *text, memx_config *config) {
    memx_error error = {.text = ""};
    memx_config again;
    memx_status status = memx_config_parse(&c->t.job, text, config, &error);
    assert_that(status == MEMX_OK, "seed %" PRIu64 ": '%s': %s", c->seed, text, error.text);
    char *found = config_text(&c->t.job, config);
    status = memx_config_parse(&c->t.job, found, &again, &error);
    assert_that(status == MEMX_OK, "seed %" PRIu64 ": '%s': %s", c->seed, found, error.text);
    char *second = config_text(&c->t.job, &again);
    assert_that(strcmp(found, second) == 0 &&
                    memx_placement_equal(&config->placement, &again.placement),
                "seed %" PRIu64 ": '%s' is '%s', then '%s'", c->seed, text, found, second);
    free(second);
    memx_config_free(&again);
    return found;
}

/* Two orders have one text exactly when they differ by equal nodes alone. */
static void a_choice_has_one_text(void **state) {
    (void)state;
    static test_case c;
    static char text[LAYOUT_TEXT];
    static layout forms[MOST_ORDERS];
    int64_t cases = 0, named = 0, merged = 0;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        char *texts[MOST_ORDERS];
        if (!open_case(&c, seed)) continue;
        for (size_t o = 0; o < c.order_count; o++) {
            layout l, found;
            memx_config config;
            fill(&c, c.orders[o], &l);
            least_form(&c, &l, &forms[o]);
            write_all(&c, &l, c.orders[o], text);
            texts[o] = canonical(&c, text, &config);
            /* What was read is that choice. */
            layout_of(&c, &config, &l);
            least_form(&c, &l, &found);
            assert_that(memcmp(found.gpus, forms[o].gpus, sizeof found.gpus) == 0,
                        "seed %" PRIu64 ": '%s' became '%s'", seed, text, texts[o]);
            memx_config_free(&config);
            named += strchr(texts[o], '@') != NULL;
            for (size_t q = 0; q < o; q++) {
                bool same = memcmp(forms[q].gpus, forms[o].gpus, sizeof forms[o].gpus) == 0;
                assert_that(same == (strcmp(texts[q], texts[o]) == 0),
                            "seed %" PRIu64 ": '%s' and '%s'", seed, texts[q], texts[o]);
                merged += same;
            }
        }
        for (size_t o = 0; o < c.order_count; o++) free(texts[o]);
        cases++;
    }
    assert_that(cases > 1500 && named > 1000 && merged > 1000,
                "%" PRId64 " cases, %" PRId64 " with ordinals, %" PRId64 " merged", cases, named,
                merged);
}

/* The canonical placement is the filled one with equal nodes renamed: stages cost the same
** (messages need not, since ranks go by node), and it is its own canonical form. */
static void canonical_placements_cost_the_same(void **state) {
    (void)state;
    static test_case c;
    static char text[LAYOUT_TEXT];
    for (uint64_t seed = 10001; seed <= 11500; seed++) {
        if (!open_case(&c, seed)) continue;
        const int32_t *order = c.orders[rng_between(&c.r, 0, (int64_t)c.order_count - 1)];
        memx_placement filled, twice;
        memx_priced priced;
        memx_plan plan;
        memx_measures wanted, found;
        memx_error error = {.text = ""};
        layout l;
        fill(&c, order, &l);
        write_all(&c, &l, order, text);
        int64_t width = memx_knobs_stage_gpus(&c.knobs);
        assert_ok(memx_placement_fill(&c.t.job, order, width, (int32_t)c.knobs.pp, &filled), NULL);
        assert_that(layout_placed(&c.t.job, &l, &filled), "seed %" PRIu64 ": filled", seed);
        memx_status status =
            memx_priced_open(&c.t.job, text, &memx_analytic_pricer, &priced, &error);
        assert_that(status == MEMX_OK, "seed %" PRIu64 ": '%s': %s", seed, text, error.text);
        assert_ok(memx_plan_build(&c.t.job, &priced.config.knobs, &filled, &plan, &error), &error);
        memx_option options[LAYOUT_STAGES];
        const memx_option *pointers[LAYOUT_STAGES];
        for (int64_t s = 0; s < c.knobs.pp; s++) {
            assert_ok(memx_plan_options(&plan, &plan.shapes[s], &memx_analytic_pricer,
                                        &priced.config.stages[s], 1, &options[s], &error),
                      &error);
            pointers[s] = &options[s];
        }
        memx_plan_measure(&plan, pointers, &wanted);
        memx_plan_measure(&priced.plan, priced.pointers, &found);
        assert_that(found.peak_kib == wanted.peak_kib && found.moment == wanted.moment &&
                        found.slowest_ns == wanted.slowest_ns,
                    "seed %" PRIu64 ": '%s'", seed, text);
        assert_ok(memx_placement_canonical(&c.t.job, &filled), NULL);
        assert_that(memx_placement_equal(&filled, &priced.config.placement),
                    "seed %" PRIu64 ": '%s' is placed otherwise", seed, text);
        assert_ok(memx_placement_fill(&c.t.job, order, width, (int32_t)c.knobs.pp, &twice), NULL);
        assert_ok(memx_placement_canonical(&c.t.job, &twice), NULL);
        assert_ok(memx_placement_canonical(&c.t.job, &twice), NULL);
        assert_that(memx_placement_equal(&filled, &twice), "seed %" PRIu64 ": twice", seed);
        memx_placement_free(&twice);
        memx_placement_free(&filled);
        memx_plan_free(&plan);
        memx_priced_close(&priced);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_choice_has_one_text),
        cmocka_unit_test(canonical_placements_cost_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
