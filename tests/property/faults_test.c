/*
** Every allocation of ext/core and of the cache fails once: the function says MEMX_NOMEM, or did not need it (a list
** that is not made shorter); nothing is leaked, and the next try succeeds. The program's own malloc
** stands before the C library's; where that cannot be (sanitizers, other libraries) the tests are
** skipped.
*/
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/card_list.h"
#include "core/cards.h"
#include "core/gantt.h"
#include "core/launch.h"
#include "core/megatron_log.h"
#include "core/priced.h"
#include "core/protrain_search.h"
#include "core/ranked.h"
#include "core/search.h"
#include "core/trace.h"
#include "core/words.h"
#include "predict/cache.h"
#include "support/check.h"
#include "support/jobs.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define INTERPOSED 1
#else
#define INTERPOSED 0
#endif

static bool armed;        /* allocations are counted, and one fails */
static int64_t countdown; /* allocations before that one */
static bool failed;       /* it has */
static int64_t held;      /* allocated while armed and not freed */

#if INTERPOSED
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void __libc_free(void *memory);

static bool fails(void) {
    if (!armed || countdown-- != 0) return false;
    failed = true;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) {
    if (fails()) return NULL;
    void *memory = __libc_malloc(size);
    if (armed && memory) held++;
    return memory;
}

void *calloc(size_t n, size_t size) {
    if (fails()) return NULL;
    void *memory = __libc_calloc(n, size);
    if (armed && memory) held++;
    return memory;
}

void *realloc(void *old, size_t size) {
    if (fails()) return NULL;
    void *memory = __libc_realloc(old, size);
    if (armed && !old && memory) held++;
    return memory;
}

void free(void *memory) {
    if (armed && memory) held--;
    __libc_free(memory);
}
#endif

/* A job whose searches use all of the code: mixed stages, a rule or none, too little memory. */
static void mixed_job(test_job *t, memx_space *space, const char *rule) {
    memx_error error = {.text = ""};
    job_start(t);
    t->job.model = model_gpt(5, 256, 4, 1000, 128);
    t->job.global_batch = 4;
    job_device(t, "A", "red", 60.0);
    job_device(t, "B", "red", 4000.0);
    job_node(t, 0, 0, 2);
    job_node(t, 1, 1, 1);
    job_node(t, 2, 0, 1);
    job_finish(t);
    memx_space_start(space, "mine");
    assert_ok(memx_space_add(space, "layer_split", rule, &error), &error);
    assert_ok(memx_space_add(space, "layer_skew", "1", &error), &error);
    assert_ok(memx_space_add(space, "recompute_scope", "device", &error), &error);
}

/* Everything that a search is asked; the first failure ends it. */
static memx_status use_search(const memx_job *job, const memx_space *space) {
    memx_search search;
    memx_scan scan;
    memx_extent extent, share;
    memx_count count;
    memx_reference reference;
    memx_config config;
    memx_error error, example;
    bool exceeds;
    memx_extent_start(&extent);
    memx_status status = memx_search_open(job, space, &memx_analytic_pricer, NULL, &search, &error);
    if (status) return status;
    memx_scan_start(&search, &extent, NULL, &scan);
    while (!status) status = memx_scan_next(&scan, &error);
    memx_scan_stop(&scan);
    if (status == MEMX_DONE) status = MEMX_OK;
    if (!status) status = memx_search_count(&search, &extent.bounds, NULL, &count, &error);
    if (!status) {
        status = memx_search_share(&search, &extent.bounds, 1, 3, NULL, &share, &count, &error);
    }
    memx_scan_start(&search, &share, NULL, &scan);
    while (!status) status = memx_scan_next(&scan, &error);
    memx_scan_stop(&scan);
    if (status == MEMX_DONE) status = MEMX_OK;
    if (!status)
        status = memx_search_exceeds(&search, &extent.bounds, 3, NULL, &exceeds, &count, &error);
    if (!status) status = memx_search_reference(&search, NULL, &reference, &error);
    if (!status) status = refused_by_memory(&search, NULL, &count, &example, &error);
    if (!status) {
        status = memx_config_parse(job, "tp1.dp2.mb1/B(1)|A(1)*2:full,A*3:full", &config, &error);
    }
    if (!status) {
        memx_scan_start(&search, &extent, NULL, &scan);
        status = memx_scan_find(&scan, &config, &error);
        if (status == MEMX_DONE) status = MEMX_OK;
        memx_scan_stop(&scan);
        memx_config_free(&config);
    }
    memx_search_close(&search);
    return status;
}

/* Some rows in each order, from small dives, so that boxes are cut and passes follow each other; then the
** front. */
static memx_status use_ranked(const memx_job *job, const memx_space *space) {
    memx_search search;
    memx_extent extent;
    memx_error error;
    memx_ranked *ranked = NULL;
    memx_extent_start(&extent);
    memx_status status = memx_search_open(job, space, &memx_analytic_pricer, NULL, &search, &error);
    if (status) return status;
    for (int by = MEMX_BY_PHI; by <= MEMX_BY_VARIANCE && !status; by++) {
        const memx_aim aim = memx_aim_at((memx_measure)by);
        status = memx_ranked_open(&search, &extent, &aim, 4, NULL, &ranked);
        if (status) break;
        memx_ranked_tune(ranked, 50, 2000);
        for (int rows = 0; rows < 50 && !status; rows++) status = memx_ranked_next(ranked, &error);
        memx_ranked_close(ranked);
        if (status == MEMX_DONE) status = MEMX_OK;
    }
    if (!status) {
        status = memx_ranked_open_front(&search, &extent, NULL, &ranked, &error);
        while (!status) status = memx_ranked_next(ranked, &error);
        memx_ranked_close(ranked);
        if (status == MEMX_DONE) status = MEMX_OK;
    }
    memx_search_close(&search);
    return status;
}

/* One configuration and its texts. A text that could not grow says so in a flag. */
static memx_status use_config(const memx_job *job, const memx_space *space) {
    (void)space;
    memx_priced priced;
    memx_error error;
    memx_text texts[4] = {{0}};
    int64_t ns;
    memx_status status = memx_priced_open(job, "tp1.dp2.mb1/A*3:full,B(1)|A(1)*2:block1",
                                          &memx_analytic_pricer, &priced, &error);
    if (status) return status;
    status = memx_plan_simulate(&priced.plan, priced.pointers, NULL, &ns);
    memx_config_format(job, &priced.config, &texts[0]);
    memx_config_devices(job, &priced.config, &texts[1]);
    memx_config_layers(&priced.config, &texts[2]);
    memx_config_levels(&priced.config, &texts[3]);
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (texts[i].failed) status = MEMX_NOMEM;
        memx_text_free(&texts[i]);
    }
    memx_priced_close(&priced);
    return status;
}

/* What is drawn and written of one configuration. */
static memx_status use_pictures(const memx_job *job, const memx_space *space) {
    (void)space;
    memx_priced priced;
    memx_timeline timeline = {0};
    memx_cards cards = {0};
    memx_gantt gantt;
    memx_error error;
    memx_text texts[4] = {{0}};
    memx_status status = memx_priced_open(job, "tp1.dp2.mb1/A*3:full,B(1)|A(1)*2:block1",
                                          &memx_analytic_pricer, &priced, &error);
    if (status) return status;
    status = memx_timeline_open(&priced, &memx_analytic_pricer, &timeline, &error);
    if (!status) status = memx_trace_write(&timeline, "analytic", NULL, &texts[0]);
    if (!status) status = memx_gantt_open(&timeline, NULL, &gantt);
    if (!status) status = memx_gantt_draw(&gantt, &timeline, NULL, "g", "t", "d", &texts[1]);
    if (!status) status = memx_cards_open(&priced, &memx_analytic_pricer, &cards, &error);
    if (!status) {
        memx_cards_draw(&cards, job, "c", "t", "d", &texts[2]);
        memx_words_config(job, &priced.config, &texts[3]);
    }
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (texts[i].failed) status = MEMX_NOMEM;
        memx_text_free(&texts[i]);
    }
    memx_cards_close(&cards);
    memx_timeline_close(&timeline);
    memx_priced_close(&priced);
    return status;
}

/* Flags, a log of the same run, and a list of cards. */
static memx_status use_readers(const memx_job *job, const memx_space *space) {
    static const char text[] =
        "  tensor_model_parallel_size .... 1\n  pipeline_model_parallel_size .... 2\n"
        "  world_size .... 4\n  micro_batch_size .... 1\n  num_layers .... 5\n"
        "  num_attention_heads .... 4\n  seq_length .... 128\n"
        "  pipeline_model_parallel_layout .... Et*3|ttL\n"
        " iteration 1/ 9 | elapsed time per iteration (ms): 1.5 |\n"
        " iteration 2/ 9 | elapsed time per iteration (ms): x |\n"
        "[Rank 1] memory (MB) | allocated: 1.5[Rank 0] memory (MB) | allocated: 1.5 |\n";
    (void)space;
    memx_config config;
    memx_error error;
    memx_text flags = {0}, found = {0}, nodes = {0};
    memx_log log;
    memx_log_times times;
    memx_card_list cards = {.cards = NULL};
    memx_status status =
        memx_config_parse(job, "tp1.dp2.mb1/A(1)|B(1)*1:full,A*4:block1", &config, &error);
    if (status) return status;
    status = memx_launch_config(job, &config, -1, &flags, &error);
    memx_config_free(&config);
    if (!status) status = memx_log_read(memx_span_of(text), NULL, &log, &error);
    if (!status) {
        status = memx_log_times_of(&log.runs[0], &times);
        if (!status) {
            status = memx_megatron_config(job, &log.runs[0].arguments, "0,2,1", &found, &error);
        }
        memx_log_free(&log);
    }
    if (!status) status = memx_nvidia_smi_read(memx_span_of("a: L4\nb: T4\n"), &cards, &error);
    memx_card_list_nodes(&cards, &nodes);
    memx_card_list_free(&cards);
    if (flags.failed || found.failed || nodes.failed) status = MEMX_NOMEM;
    memx_text_free(&flags);
    memx_text_free(&found);
    memx_text_free(&nodes);
    return status;
}

/* An unknown device, whose message lists the known ones: refused whatever memory there is. */
static memx_status use_message(const memx_job *job, const memx_space *space) {
    (void)space;
    memx_config config;
    memx_error error;
    memx_status status = memx_config_parse(job, "tp1.dp4.mb1/C*5:none", &config, &error);
    return status == MEMX_INVALID && !failed ? MEMX_OK
           : status == MEMX_INVALID          ? MEMX_NOMEM
                                             : status;
}

static memx_status use_space(const memx_job *job, const memx_space *unused) {
    static const char *const rows[][2] = {{"tp", "1"},
                                          {"tp", "2"},
                                          {"heads", "4"},
                                          {"recompute", "full"},
                                          {"recompute", "block2"},
                                          {"recompute", "none"}};
    memx_space space;
    memx_error error;
    (void)job;
    (void)unused;
    memx_status status = MEMX_OK;
    memx_space_start(&space, "mine");
    for (size_t i = 0; i < COUNT(rows) && !status; i++) {
        status = memx_space_add(&space, rows[i][0], rows[i][1], &error);
    }
    memx_space_free(&space);
    return status;
}

/* Prices through a cache that grows, and is emptied once; what failed for want of memory then succeeds, and
** what is in the cache is right. */
static memx_status use_cache(const memx_job *job, const memx_space *space) {
    enum { MOST = 300 };
    static memx_stage_choice choices[MOST];
    static memx_stage_price prices[MOST], right[MOST];
    const memx_stage_spec spec = {
        .model = job->model, .tp = 1, .dp = 1, .micro_batch = 1, .in_flight = 1, .link_gbs = 50.0};
    memx_cache cache;
    memx_error error;
    memx_status first = MEMX_OK;
    (void)space;
    memx_cache_start(&cache);
    memx_cached cached = {&cache, memx_analytic_pricer, "none"};
    const memx_pricer pricer = memx_cache_pricer(&cached);
    for (int i = 0; i < MOST; i++) choices[i] = (memx_stage_choice){i + 1, {MEMX_NONE, 0, 0}};
    memx_stage_price_all(&job->devices[0], &job->framework, &spec, choices, MOST, right);
    for (size_t count = 1; count <= MOST && !first;
         count = count < 200 ? count + 100 : count + 33) {
        if (count == 234) cache.most_bytes = 0;
        if (count == 267) cache.most_bytes = SIZE_MAX;
        memx_status status =
            pricer.price(pricer.context, job, 0, &spec, choices, count, prices, &error);
        first = status;
        if (status == MEMX_NOMEM) {
            status = pricer.price(pricer.context, job, 0, &spec, choices, count, prices, &error);
        }
        assert_int_equal(status, MEMX_OK);
        for (size_t i = 0; i < count; i++) {
            assert_whole(prices[i].forward_ns, right[i].forward_ns);
            assert_whole(memx_stage_peak_kib(&prices[i].memory),
                         memx_stage_peak_kib(&right[i].memory));
        }
    }
    memx_cache_free(&cache);
    return first;
}

/* ProTrain's rows in both orders, on the job's first device. */
static memx_status use_protrain(const memx_job *job, const memx_space *space) {
    memx_job one = *job;
    memx_device device = job->devices[0];
    memx_node node = {.gpus = 2, .link_gbs = 32.0, .inter_gbs = 10.0};
    memx_protrain p;
    memx_protrain_bounds bounds;
    memx_protrain_row row;
    memx_protrain_ranked *ranked = NULL;
    memx_error error;
    (void)space;
    device.host_gbs = 32.0;
    device.host_efficiency = 0.8;
    device.memory_mib = 24576.0;
    one.devices = &device;
    one.nodes = &node;
    one.device_count = one.node_count = 1;
    one.gpus = 2;
    one.model.hidden = 2048;
    one.model.ffn_hidden = 8192;
    one.model.head_dim = 512;
    memx_status status = memx_protrain_open(&one, NULL, NULL, 0, &p, &error);
    if (status) return status;
    memx_protrain_bounds_start(&bounds);
    memx_protrain_scan scan = {.protrain = &p, .bounds = bounds};
    while (!status) status = memx_protrain_scan_next(&scan, &row);
    memx_protrain_scan_close(&scan);
    if (status == MEMX_DONE) {
        status = memx_protrain_ranked_open(&p, &bounds, NULL, &ranked);
        while (!status) status = memx_protrain_ranked_next(ranked, &row);
        memx_protrain_ranked_close(ranked);
    }
    memx_protrain_close(&p);
    return status == MEMX_DONE ? MEMX_OK : status;
}

typedef memx_status (*use)(const memx_job *job, const memx_space *space);

static void each_allocation_fails_once(use work, const char *rule, int64_t at_least) {
    test_job t;
    memx_space space;
    mixed_job(&t, &space, rule);
    if (!INTERPOSED) {
        memx_space_free(&space);
        skip();
    }
    int64_t n = 0, spared = 0;
    for (;; n++) {
        countdown = n;
        failed = false;
        held = 0;
        armed = true;
        memx_status status = work(&t.job, &space);
        armed = false;
        assert_that(held == 0, "allocation %d fails: %d not freed", (int)n, (int)held);
        if (!failed) {
            assert_int_equal(status, MEMX_OK);
            break;
        }
        assert_that(status == MEMX_NOMEM || status == MEMX_OK, "allocation %d fails: status %d",
                    (int)n, (int)status);
        spared += status == MEMX_OK;
    }
    assert_that(n >= at_least, "only %d allocations", (int)n);
    assert_that(10 * spared <= n, "%d of %d failures without a word", (int)spared, (int)n);
    memx_space_free(&space);
}

static void searches_of_free_splits(void **state) {
    (void)state;
    each_allocation_fails_once(use_search, "free", 100);
}

static void searches_by_a_rule(void **state) {
    (void)state;
    each_allocation_fails_once(use_search, "uniform", 100);
}

static void searches_by_time(void **state) {
    (void)state;
    each_allocation_fails_once(use_search, "time", 100);
}

static void ranked_free_splits(void **state) {
    (void)state;
    each_allocation_fails_once(use_ranked, "free", 100);
}

static void ranked_by_a_rule(void **state) {
    (void)state;
    each_allocation_fails_once(use_ranked, "time", 100);
}

static void configurations(void **state) {
    (void)state;
    each_allocation_fails_once(use_config, "free", 10);
}

static void pictures(void **state) {
    (void)state;
    each_allocation_fails_once(use_pictures, "free", 20);
}

static void readers(void **state) {
    (void)state;
    each_allocation_fails_once(use_readers, "free", 20);
}

static void messages(void **state) {
    (void)state;
    each_allocation_fails_once(use_message, "free", 1);
}

static void spaces(void **state) {
    (void)state;
    each_allocation_fails_once(use_space, "free", 4);
}

static void caches(void **state) {
    (void)state;
    each_allocation_fails_once(use_cache, "free", 20);
}

static void protrain(void **state) {
    (void)state;
    each_allocation_fails_once(use_protrain, "free", 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_of_free_splits),
        cmocka_unit_test(searches_by_a_rule),
        cmocka_unit_test(searches_by_time),
        cmocka_unit_test(ranked_free_splits),
        cmocka_unit_test(ranked_by_a_rule),
        cmocka_unit_test(configurations),
        cmocka_unit_test(pictures),
        cmocka_unit_test(readers),
        cmocka_unit_test(messages),
        cmocka_unit_test(spaces),
        cmocka_unit_test(caches),
        cmocka_unit_test(protrain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
