#include "support/spaces.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/priced.h"
#include "support/check.h"
#include "support/layout.h"

__attribute__((format(printf, 3, 4))) static void add(memx_space *space, const char *param,
                                                      const char *format, ...) {
    char value[40];
    memx_error error = {.text = ""};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    assert_ok(memx_space_add(space, param, value, &error), &error);
}

/* A few values, most often one among them with which a configuration is known. */
static void add_numbers(rng *r, memx_space *space, const char *param, int64_t known, int64_t most) {
    if (rng_chance(r, 90)) add(space, param, "%lld", (long long)known);
    for (int64_t n = rng_between(r, 1, 3); n > 0; n--) {
        add(space, param, "%lld", (long long)rng_between(r, 1, most));
    }
}

static void add_levels(rng *r, memx_space *space) {
    if (rng_chance(r, 70)) add(space, "recompute", "none");
    if (rng_chance(r, 50)) add(space, "recompute", "selective");
    if (rng_chance(r, 60)) add(space, "recompute", "full");
    while (rng_chance(r, 40)) add(space, "recompute", "block%d", (int)rng_between(r, 0, 5));
    while (rng_chance(r, 30)) add(space, "recompute", "uniform%d", (int)rng_between(r, 1, 5));
    while (rng_chance(r, 20)) add(space, "recompute", "swap%d", (int)rng_between(r, 1, 5));
    while (rng_chance(r, 20)) add(space, "recompute", "offload%d", (int)rng_between(r, 1, 100));
    if (rng_chance(r, 20)) add(space, "recompute", "full+offload%d", (int)rng_between(r, 1, 100));
}

void random_space(rng *r, const memx_job *job, memx_space *space) {
    static const char *const rules[] = {"free", "uniform", "compute", "memory", "time", "time"};
    static const char *const scopes[] = {"stage", "device", "global", "plan"};
    static const char *const spans_of[] = {"vendor", "one", "any"};
    layout l;
    const memx_knobs *k = &l.knobs;
    if (!random_layout(r, job, &l)) {
        l.knobs = (memx_knobs){.tp = 1,
                               .pp = 1,
                               .dp = job->gpus,
                               .micro_batch = 1,
                               .seq_length = 64,
                               .heads = job->model.heads,
                               .kv_groups = job->model.heads,
                               .cp = 1,
                               .ep = 1,
                               .vp = 1};
    }
    memx_space_start(space, "mine");
    if (rng_chance(r, 30)) add_numbers(r, space, "tp", k->tp, 4);
    if (rng_chance(r, 25)) add_numbers(r, space, "pp", k->pp, 8);
    if (rng_chance(r, 10)) add_numbers(r, space, "dp", k->dp, job->gpus);
    if (rng_chance(r, 60)) add_numbers(r, space, "micro_batch", k->micro_batch, 4);
    if (rng_chance(r, 15)) add_numbers(r, space, "seq_length", k->seq_length, 600);
    if (rng_chance(r, 15)) add_numbers(r, space, "heads", k->heads, job->model.heads);
    if (rng_chance(r, 15)) add_numbers(r, space, "kv_groups", k->kv_groups, job->model.heads);
    if (rng_chance(r, 40)) add_numbers(r, space, "cp", k->cp, 4);
    if (rng_chance(r, 40)) add_numbers(r, space, "vp", k->vp, 4);
    if (job->model.experts > 0 && rng_chance(r, 30)) add_numbers(r, space, "ep", k->ep, 4);
    if (rng_chance(r, 30)) add(space, "sequence_parallel", "%d", (int)rng_between(r, 0, 1));
    if (rng_chance(r, 15)) add(space, "sequence_parallel", "%d", (int)rng_between(r, 0, 1));
    if (rng_chance(r, 30)) add(space, "distributed_optimizer", "%d", (int)rng_between(r, 0, 3));
    if (rng_chance(r, 15)) add(space, "distributed_optimizer", "%d", (int)rng_between(r, 0, 3));
    if (rng_chance(r, 60)) add(space, "device_order", "%s", rng_chance(r, 50) ? "given" : "nodes");
    add(space, "stage_devices", "%s", spans_of[rng_between(r, 0, 2)]);
    add(space, "layer_split", "%s", rules[rng_between(r, 0, 5)]);
    if (rng_chance(r, 60)) add(space, "layer_skew", "%d", (int)rng_between(r, 0, 3));
    if (rng_chance(r, 80)) add_levels(r, space);
    add(space, "recompute_scope", "%s", scopes[rng_between(r, 0, 3)]);
    if (rng_chance(r, 15)) add(space, "memory_limit", "ignore");
}

void random_memory(rng *r, test_job *t) {
    static char text[LAYOUT_TEXT];
    layout l;
    memx_priced priced;
    memx_error error = {.text = ""};
    if (!random_layout(r, &t->job, &l)) return;
    layout_text(&t->job, &l, text);
    assert_ok(memx_priced_open(&t->job, text, &memx_analytic_pricer, &priced, &error), &error);
    for (int64_t s = 0; s < l.knobs.pp; s++) {
        for (int32_t i = 0; i < t->job.node_count; i++) {
            if (l.gpus[s][i] == 0) continue;
            double peak = (double)priced.options[s].peak_kib / 1024.0 / (1.0 - t->job.reserve);
            double memory = peak * rng_real(r, 0.8, 1.8);
            t->devices[t->nodes[i].device].memory_mib = memory < 1.0 ? 1.0 : memory;
        }
    }
    memx_priced_close(&priced);
    job_finish(t);
}
