/*
** Ranked search without SQLite, on synthetic clusters of any size:
**
**   ranked GPUS TYPES LAYERS LEVELS BY K [SLOWDOWN [ORDER]]
**
** The cluster has nodes of 8 GPUs, as many of each of TYPES types; the model has LAYERS layers of hidden
** size 4096, or is Llama 3.1 405B where LAYERS is 405b (126 layers; arXiv:2407.21783 table 3). Searched is every split with LEVELS recompute levels a stage, in every order of the types,
** or in the device_order named. BY: phi, iteration, peak, variance; SLOWDOWN 0: no bound. Prints
** milliseconds of the processor, skeletons, boxes, items looked at, peak MiB of this process, and the value of the last
** of K rows. BY count prints the decimal logarithm of the number of feasible
** configurations, and milliseconds.
*/
#define _DEFAULT_SOURCE
#include "core/ranked.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* one thread: others do not disturb it */
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int fail(const char *what) {
    fprintf(stderr, "ranked: %s\n", what);
    return 1;
}

/* Round figures of no card in particular, each type with its own vendor, rate and memory. */
static void make_job(int32_t gpus, int32_t types, const char *layers, memx_job *job) {
    static const double tflops[] = {312.0, 180.0, 362.0, 90.0, 240.0, 142.0, 989.0, 121.0};
    static const double memory[] = {81920.0, 32768.0, 49152.0, 24576.0,
                                    65536.0, 40960.0, 98304.0, 16384.0};
    static const double gbs[] = {2000.0, 1100.0, 860.0, 900.0, 1600.0, 700.0, 3350.0, 320.0};
    *job = (memx_job){
        .name = "bench",
        .cluster = "bench",
        .model = {.name = "bench",
                  .layers = atoi(layers),
                  .hidden = 4096,
                  .heads = 32,
                  .kv_groups = 8,
                  .head_dim = 128,
                  .ffn_hidden = 11008,
                  .vocab = 32000,
                  .seq_length = 2048,
                  .gated_mlp = true},
        .framework = {.name = "bench",
                      .activation_bytes = 2.0,
                      .parameter_bytes = 2.0,
                      .gradient_bytes = 4.0,
                      .optimizer_bytes = 12.0,
                      .logit_bytes = 6.0,
                      .logits_sharded = true,
                      .alpha_act = 1.0,
                      .fused_attention = true,
                      .sequence_parallel = true,
                      .distributed_optimizer = MEMX_ZERO_OPTIMIZER,
                      .matmul_share = 1.0,
                      .elementwise_bytes = 50.0,
                      .head_bytes = 50.0,
                      .layer_ms = 1.0,
                      .collective_us = 50.0,
                      .micro_batch_ms = 1.5,
                      .update_bytes = 36.0},
        .global_batch = gpus * 4,
        .reserve = 0.1,
        .devices = calloc((size_t)types, sizeof *job->devices),
        .device_count = types,
        .nodes = calloc((size_t)gpus / 8, sizeof *job->nodes),
        .node_count = gpus / 8,
        .flow_gbs = 25.0,
        .inter_efficiency = 0.8,
        .latency_us = 20.0,
        .overhead_ms = 10.0,
    };
    if (strcmp(layers, "405b") == 0) {
        memx_model *m = &job->model;
        m->layers = 126;
        m->hidden = 16384;
        m->heads = 128;
        m->ffn_hidden = 53248;
        m->vocab = 128256;
        m->seq_length = 8192;
    }
    for (int32_t i = 0; job->devices && i < types; i++) {
        memx_device *d = &job->devices[i];
        *d = (memx_device){.memory_mib = memory[i],
                           .peak_tflops = tflops[i],
                           .efficiency = 0.8,
                           .memory_gbs = gbs[i],
                           .memory_efficiency = 0.75,
                           .link_gbs = 100.0,
                           .bf16 = true,
                           .context_mib = 1000.0,
                           .alpha_static = 1.0};
        snprintf(d->name, sizeof d->name, "type%d", (int)i);
        snprintf(d->vendor, sizeof d->vendor, "vendor%d", (int)i);
    }
    for (int32_t i = 0; job->nodes && i < job->node_count; i++) {
        job->nodes[i] = (memx_node){.ordinal = i,
                                    .device = (int32_t)((int64_t)i * types / job->node_count),
                                    .gpus = 8,
                                    .link_gbs = 100.0,
                                    .inter_gbs = 100.0};
    }
}

static memx_status make_space(int levels, const char *order, memx_space *space, memx_error *error) {
    static const char *const names[] = {"none",   "full",   "block1", "block2", "block3",
                                        "block4", "block5", "block6", "block7", "block8"};
    memx_space_start(space, "bench");
    memx_status status = memx_space_add(space, "device_order", order, error);
    for (int i = 0; i < levels && i < 10 && !status; i++) {
        status = memx_space_add(space, "recompute", names[i], error);
    }
    return status;
}

static int run(const memx_job *job, const memx_space *space, long k, memx_measure by,
               double slowdown) {
    memx_search search;
    memx_ranked *ranked = NULL;
    memx_extent extent;
    memx_error error = {.text = ""};
    memx_aim aim = memx_aim_at(by);
    double value = 0.0, before = now_ms();
    memx_extent_start(&extent);
    memx_status status = memx_search_open(job, space, &memx_analytic_pricer, NULL, &search, &error);
    if (status) return fail(error.text);
    if (slowdown > 0.0) {
        const memx_aim fastest = memx_aim_at(MEMX_BY_ITERATION);
        memx_measures m;
        status = memx_ranked_open(&search, &extent, &fastest, 1, NULL, &ranked);
        if (!status) status = memx_ranked_next(ranked, &error);
        if (status) return fail("nothing is feasible");
        const memx_choices *choices = memx_ranked_choices(ranked);
        memx_plan_measure(memx_choices_plan(choices), memx_choices_options(choices), &m);
        aim.fastest_ns = m.iteration_ns;
        aim.limits.slowdown.most = slowdown;
        memx_ranked_close(ranked);
    }
    status = memx_ranked_open(&search, &extent, &aim, k, NULL, &ranked);
    for (long i = 0; i < k && !status; i++) {
        status = memx_ranked_next(ranked, &error);
        if (!status) value = memx_ranked_value(ranked);
    }
    if (status && status != MEMX_DONE) return fail(error.text);
    double ms = now_ms() - before;
    memx_ranked_work work = memx_ranked_worked(ranked);
    memx_ranked_close(ranked);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%.1f %lld %lld %lld %.1f %.9g\n", ms, (long long)work.skeletons, (long long)work.boxes,
           (long long)work.items, (double)usage.ru_maxrss / 1024.0, value);
    memx_search_close(&search);
    return 0;
}

static int count(const memx_job *job, const memx_space *space) {
    memx_search search;
    memx_extent extent;
    memx_error error = {.text = ""};
    memx_count feasible;
    double before = now_ms();
    memx_extent_start(&extent);
    memx_status status = memx_search_open(job, space, &memx_analytic_pricer, NULL, &search, &error);
    if (!status) status = memx_search_count(&search, &extent.bounds, NULL, &feasible, &error);
    if (status) return fail(error.text);
    printf("%.1f %.0f\n", log10(memx_count_double(feasible)), now_ms() - before);
    memx_search_close(&search);
    return 0;
}

int main(int argc, char **argv) {
    static const char *const measures[] = {"phi", "iteration", "peak", "variance", "count"};
    memx_job job;
    memx_space space;
    memx_error error = {.text = ""};
    int by = 0;
    if (argc < 7) return fail("GPUS TYPES LAYERS LEVELS BY K [SLOWDOWN [ORDER]]");
    while (by < 5 && strcmp(argv[5], measures[by]) != 0) by++;
    int32_t gpus = atoi(argv[1]), types = atoi(argv[2]);
    if (by == 5 || gpus < 8 || gpus % 8 != 0 || types < 1 || types > 8) return fail("arguments");
    make_job(gpus, types, argv[3], &job);
    if (!job.devices || !job.nodes || memx_job_check(&job, &error)) return fail(error.text);
    if (make_space(atoi(argv[4]), argc > 8 ? argv[8] : "types", &space, &error)) {
        return fail(error.text);
    }
    int result = by == 4 ? count(&job, &space)
                         : run(&job, &space, atol(argv[6]), (memx_measure)by,
                               argc > 7 ? atof(argv[7]) : 0.0);
    memx_space_free(&space);
    free(job.devices);
    free(job.nodes);
    return result;
}
