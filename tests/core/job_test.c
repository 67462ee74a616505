/*
** Tests of core/job.h: figures that no job may have, and the memory that a job may use.
*/
#include "core/job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/jobs.h"

static void good(test_job *t) {
    job_start(t);
    job_device(t, "A", "red", 81920.0);
    job_device(t, "B", "blue", 40960.0);
    job_node(t, 0, 0, 4);
    job_node(t, 1, 1, 2);
    job_finish(t);
    assert_whole(t->job.gpus, 6);
}

#define FIGURE(type, name)                                                                         \
    { #name, offsetof(type, name) }

typedef struct figure {
    const char *name;
    size_t offset;
} figure;

/* Every figure of a struct refuses what is no number, infinite, or negative, by its name. */
static void check_figures(test_job *t, void *holder, const figure *figures, size_t count,
                          const char *what) {
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, -1.0, -1e-300, 1e300};
    for (size_t i = 0; i < count; i++) {
        double *value = (double *)(void *)((char *)holder + figures[i].offset), kept = *value;
        for (size_t b = 0; b < COUNT(bad); b++) {
            memx_error error = {.text = ""};
            char wanted[100];
            *value = bad[b];
            snprintf(wanted, sizeof wanted, "~%s~%s~", what, figures[i].name);
            assert_refused(memx_job_check(&t->job, &error), &error, wanted);
            assert_int_equal(memx_job_check(&t->job, NULL), MEMX_INVALID);
        }
        *value = kept;
        memx_error error = {.text = ""};
        assert_ok(memx_job_check(&t->job, &error), &error);
    }
}

static void figures_of_devices(void **state) {
    (void)state;
    static const figure figures[] = {
        FIGURE(memx_device, memory_mib),        FIGURE(memx_device, peak_tflops),
        FIGURE(memx_device, efficiency),        FIGURE(memx_device, memory_gbs),
        FIGURE(memx_device, memory_efficiency), FIGURE(memx_device, link_gbs),
        FIGURE(memx_device, context_mib),       FIGURE(memx_device, alpha_static),
    };
    test_job t;
    good(&t);
    check_figures(&t, &t.devices[1], figures, COUNT(figures), "device 'B'");
    memx_error error = {.text = ""};
    t.devices[0].efficiency = 1.0;
    assert_ok(memx_job_check(&t.job, &error), &error);
    t.devices[0].efficiency = 1.01;
    assert_refused(memx_job_check(&t.job, &error), &error, "device 'A'~efficiency~");
    t.devices[0].efficiency = 0.0;
    assert_refused(memx_job_check(&t.job, &error), &error, "device 'A'~efficiency~");
}

/* A name must be readable in a configuration's text. */
static void names_of_devices(void **state) {
    (void)state;
    test_job t;
    memx_error error = {.text = ""};
    good(&t);
    for (const char *c = "*:,|()/@ "; *c; c++) {
        snprintf(t.devices[1].name, sizeof t.devices[1].name, "B%c1", *c);
        assert_refused(memx_job_check(&t.job, &error), &error, "device 'B~1'~");
    }
    snprintf(t.devices[1].name, sizeof t.devices[1].name, "B-1_x.9");
    assert_ok(memx_job_check(&t.job, &error), &error);
}

static void figures_of_frameworks(void **state) {
    (void)state;
    static const figure figures[] = {
        FIGURE(memx_framework, activation_bytes),
        FIGURE(memx_framework, parameter_bytes),
        FIGURE(memx_framework, gradient_bytes),
        FIGURE(memx_framework, optimizer_bytes),
        FIGURE(memx_framework, optimizer_temp_bytes),
        FIGURE(memx_framework, logit_bytes),
        FIGURE(memx_framework, alpha_act),
        FIGURE(memx_framework, matmul_share),
        FIGURE(memx_framework, elementwise_bytes),
        FIGURE(memx_framework, score_bytes),
        FIGURE(memx_framework, head_bytes),
        FIGURE(memx_framework, layer_ms),
        FIGURE(memx_framework, collective_us),
        FIGURE(memx_framework, micro_batch_ms),
        FIGURE(memx_framework, update_bytes),
        FIGURE(memx_framework, tp_overlap),
        FIGURE(memx_framework, p2p_overlap),
        FIGURE(memx_framework, dp_overlap),
    };
    test_job t;
    good(&t);
    check_figures(&t, &t.job.framework, figures, COUNT(figures), "framework 'megatron-bf16'");
    memx_error error = {.text = ""};
    t.job.framework.p2p_overlap = 1.5;
    assert_refused(memx_job_check(&t.job, &error), &error, "framework~p2p_overlap~");
}

static void figures_of_clusters_and_jobs(void **state) {
    (void)state;
    static const figure cluster[] = {FIGURE(memx_job, flow_gbs), FIGURE(memx_job, inter_efficiency),
                                     FIGURE(memx_job, latency_us), FIGURE(memx_job, overhead_ms)};
    static const figure own[] = {FIGURE(memx_job, reserve)};
    static const figure node[] = {FIGURE(memx_node, link_gbs), FIGURE(memx_node, inter_gbs)};
    test_job t;
    memx_error error = {.text = ""};
    good(&t);
    check_figures(&t, &t.job, cluster, COUNT(cluster), "'lab'");
    check_figures(&t, &t.job, own, COUNT(own), "");
    check_figures(&t, &t.nodes[1], node, COUNT(node), "node 1");
    static const int64_t batches[] = {0, -1, 1000000001, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < COUNT(batches); i++) {
        t.job.global_batch = batches[i];
        assert_refused(memx_job_check(&t.job, &error), &error, "~global_batch~");
    }
    t.job.global_batch = 1000000000;
    assert_ok(memx_job_check(&t.job, &error), &error);
    t.job.reserve = 0.9;
    assert_ok(memx_job_check(&t.job, &error), &error);
    t.job.reserve = 1.0;
    assert_refused(memx_job_check(&t.job, &error), &error, "~reserve~");
    t.job.reserve = 0.0;
    t.job.model.layers = 0;
    assert_refused(memx_job_check(&t.job, &error), &error, "model 'gpt'~layers~");
}

static void nodes(void **state) {
    (void)state;
    test_job t;
    memx_error error = {.text = ""};
    good(&t);
    t.nodes[1].gpus = 0;
    assert_refused(memx_job_check(&t.job, &error), &error, "~node 1~gpus~");
    t.nodes[1].gpus = -4;
    assert_refused(memx_job_check(&t.job, &error), &error, "~node 1~gpus~");
    t.nodes[0].gpus = MEMX_MAX_GPUS;
    t.nodes[1].gpus = 1;
    assert_refused(memx_job_check(&t.job, &error), &error, "cluster 'lab' has 65537 GPUs~65536");
    t.nodes[0].gpus = MEMX_MAX_GPUS - 1;
    assert_ok(memx_job_check(&t.job, &error), &error);
    assert_whole(t.job.gpus, MEMX_MAX_GPUS);
    t.job.node_count = 0;
    assert_refused(memx_job_check(&t.job, &error), &error, "cluster 'lab' has no nodes~memx_node");
}

/* Nodes and devices go together. */
static void nodes_are_of_known_devices(void **state) {
    (void)state;
    test_job t;
    good(&t);
    t.nodes[1].device = 2;
    assert_int_equal(memx_job_check(&t.job, NULL), MEMX_INVALID);
    t.nodes[1].device = -1;
    assert_int_equal(memx_job_check(&t.job, NULL), MEMX_INVALID);
}

/* A framework that computes in bf16 needs devices that can. */
static void bf16(void **state) {
    (void)state;
    test_job t;
    memx_error error = {.text = ""};
    good(&t);
    t.job.framework.bf16 = true;
    t.devices[0].bf16 = true;
    assert_refused(memx_job_check(&t.job, &error), &error, "framework 'megatron-bf16'~bf16~'B'~");
    t.devices[1].bf16 = true;
    assert_ok(memx_job_check(&t.job, &error), &error);
}

static void memory_in_kib(void **state) {
    (void)state;
    test_job t;
    good(&t);
    t.devices[0].memory_mib = 1000.7; /* down to whole KiB */
    assert_whole(memx_card_kib(&t.job, 0), 1024716);
    assert_whole(memx_usable_kib(&t.job, 0), 1024716);
    assert_whole(memx_card_kib(&t.job, 1), 40960 * 1024);
    t.job.reserve = 0.25;
    assert_whole(memx_card_kib(&t.job, 1), 40960 * 1024);
    assert_whole(memx_usable_kib(&t.job, 1), 30720 * 1024);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_of_devices),
        cmocka_unit_test(names_of_devices),
        cmocka_unit_test(figures_of_frameworks),
        cmocka_unit_test(figures_of_clusters_and_jobs),
        cmocka_unit_test(nodes),
        cmocka_unit_test(nodes_are_of_known_devices),
        cmocka_unit_test(bf16),
        cmocka_unit_test(memory_in_kib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
