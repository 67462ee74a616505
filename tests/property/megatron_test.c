/*
** Random jobs and configurations through core/launch.h and core/megatron.h: the flags that start a
** configuration, printed as a log prints its arguments, are that configuration again. And random bytes
** through every reader of core: no text is too damaged to be refused or read.
*/
#include "core/card_list.h"
#include "core/launch.h"
#include "core/layout.h"
#include "core/megatron_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/jobs.h"
#include "support/layout.h"

/* ---- going round ---- */

/* What one flag sets, as Megatron-LM prints it. */
static void print_argument(const char *flag, const char *value, memx_text *out) {
    char name[64];
    size_t n = 0;
    for (const char *c = flag + 2; *c && n < sizeof name - 1; c++)
        name[n++] = (char)(*c == '-' ? '_' : *c);
    name[n] = '\0';
    memx_text_printf(out, "0:   %s ", name);
    for (; n < 48; n++) memx_text_add(out, ".", 1);
    memx_text_printf(out, " %s\r\n", value);
}

/* The first line of flags as a block of arguments. */
static void print_block(const char *flags, int64_t gpus, memx_text *out) {
    char text[8192];
    size_t length = strcspn(flags, "\n");
    assert_true(length < sizeof text);
    memcpy(text, flags, length);
    text[length] = '\0';
    memx_text_printf(out, "using world size: %lld\r\n--- arguments ---\r\n", (long long)gpus);
    memx_text_printf(out, "  world_size ......... %lld\r\n  bf16 .......... False\r\n",
                     (long long)gpus);
    memx_text_printf(out, "  sequence_parallel ......... False\r\n"
                          "  use_distributed_optimizer ......... False\r\n"
                          "  recompute_granularity ......... None\r\n");
    for (char *word = text; *word;) {
        char *next = word + strcspn(word, " "), value[4096] = "True";
        while (*next == ' ') *next++ = '\0';
        if (*next && strncmp(next, "--", 2) != 0) {
            size_t quoted = *next == '\'', end = strcspn(next, " ");
            snprintf(value, sizeof value, "%.*s", (int)(end - 2 * quoted), next + quoted);
            next += end + strspn(next + end, " ");
        }
        print_argument(word, value, out);
        word = next;
    }
    memx_text_printf(out, "-------------------- end of arguments ---------------------\r\n");
}

/* What stands behind a word in the comments; NULL where it does not stand there. */
static const char *said(const char *flags, const char *word, char out[256]) {
    const char *at = strstr(flags, word);
    if (!at) return NULL;
    at += strlen(word);
    snprintf(out, 256, "%.*s", (int)strcspn(at, "\n"), at);
    return out;
}

/* A configuration whose stages recompute alike, more often than chance would have it. */
static void even_levels(rng *r, layout *l) {
    memx_level level = random_level_for(r, l->layers[0]);
    for (int64_t s = 0; s < l->knobs.pp; s++) {
        l->levels[s] = memx_level_canonical(level, l->layers[s]);
    }
}

typedef struct tally {
    int64_t whole, by_stage, mapped, refused, reordered;
} tally;

static void one_round(uint64_t seed, tally *t) {
    static char text[LAYOUT_TEXT];
    rng r = rng_start(seed);
    test_job job;
    layout l;
    random_job(&r, 8, rng_chance(&r, 80) ? 12 : 48, &job);
    if (rng_chance(&r, 20)) random_experts(&r, &job);
    if (!random_layout(&r, &job.job, &l)) return;
    if (rng_chance(&r, 70)) even_levels(&r, &l);
    memx_config config;
    memx_error error = {.text = ""};
    layout_text(&job.job, &l, text);
    assert_ok(memx_config_parse(&job.job, text, &config, &error), &error);
    memx_text flags = {0}, block = {0}, found = {0};
    char nodes_text[256], levels[256];
    for (int64_t s = 0; s < l.knobs.pp; s++) { /* no flag swaps */
        memx_level *level = &config.stages[s].level;
        if (level->kind == MEMX_SWAP) *level = (memx_level){MEMX_NONE, 0, level->offload};
    }
    memx_status status = memx_launch_config(&job.job, &config, -1, &flags, &error);
    if (status == MEMX_INVALID) {
        assert_true(strncmp(error.text, "Megatron-LM refuses", 19) == 0);
        t->refused++;
    } else if (strstr(flags.data, "# Ranks go back")) {
        t->mapped++;
    } else {
        const char *nodes = said(flags.data, "# nodes in the order of ranks: ", nodes_text);
        t->reordered += nodes != NULL;
        memx_log log;
        bool differ = said(flags.data, "# levels by stage: ", levels) != NULL;
        if (differ) { /* its first stage's flags: what rank 0 would print */
            flags.length = 0;
            assert_ok(memx_launch_config(&job.job, &config, 0, &flags, &error), &error);
            for (int64_t s = 0; s < l.knobs.pp; s++) {
                config.stages[s].level =
                    memx_level_canonical(config.stages[0].level, config.stages[s].layers);
            }
        }
        print_block(flags.data, job.job.gpus, &block);
        assert_ok(memx_log_read((memx_span){block.data, block.length}, NULL, &log, &error), &error);
        assert_whole((int64_t)log.run_count, 1);
        /* framework_bf16 says half; the block says neither. */
        log.runs[0].arguments.bf16 = log.runs[0].arguments.fp16 = -1;
        status = memx_megatron_config(&job.job, &log.runs[0].arguments, nodes, &found, &error);
        assert_that(status == MEMX_OK, "seed %" PRIu64 ": %s: %s", seed, error.text, block.data);
        char *wanted = config_text(&job.job, &config);
        assert_that(strcmp(found.data, wanted) == 0, "seed %" PRIu64 ": '%s', wanted '%s' from %s",
                    seed, found.data, wanted, flags.data);
        free(wanted);
        memx_log_free(&log);
        *(differ ? &t->by_stage : &t->whole) += 1;
    }
    memx_text_free(&flags);
    memx_text_free(&block);
    memx_text_free(&found);
    memx_config_free(&config);
}

static void flags_are_their_configuration(void **state) {
    (void)state;
    tally t = {0};
    for (uint64_t seed = 1; seed <= 4000; seed++) one_round(seed, &t);
    assert_that(t.whole > 500 && t.by_stage > 100 && t.mapped > 10 && t.reordered > 100,
                "%lld whole, %lld by stage, %lld mapped by hand, %lld refused, %lld reordered",
                (long long)t.whole, (long long)t.by_stage, (long long)t.mapped,
                (long long)t.refused, (long long)t.reordered);
}

/* ---- layouts ---- */

static void a_layout_is_its_layers(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        rng r = rng_start(seed);
        int64_t layers[64];
        int32_t found[64], count = 0, stages = (int32_t)rng_between(&r, 2, 64);
        memx_text text = {0};
        memx_error error = {.text = ""};
        for (int32_t s = 0; s < stages; s++)
            layers[s] = rng_between(&r, 1, rng_chance(&r, 50) ? 2 : 99);
        memx_layout_write(layers, stages, &text);
        memx_span span = {text.data, text.length};
        assert_ok(memx_layout_read(span, found, &count, 64, &error), &error);
        assert_whole(count, stages);
        for (int32_t s = 0; s < stages; s++) assert_whole(found[s], layers[s]);
        memx_text_free(&text);
    }
}

/* ---- damage ---- */

static const char sample[] =
    "0: ------------------------ arguments ------------------------\n"
    "0:   tensor_model_parallel_size ...................... 2\n"
    "  pipeline_model_parallel_size .................... 2\r\n"
    "  pipeline_model_parallel_layout .................. Et*3|(t|)*2,t*2L\n"
    "  decoder_pipeline_manual_split_list .............. [2, 3]\n"
    "  world_size ...................................... 12\n"
    "  data_parallel_size .............................. 3\n"
    "  micro_batch_size ................................ 1\n"
    "  num_attention_heads ............................. 12\n"
    "  seq_length ...................................... 1024\n"
    "  decoder_first_pipeline_num_layers ............... 7\n"
    "  recompute_num_layers ............................ 99\n"
    "  recompute_granularity ........................... full\n"
    "  recompute_method ................................ block\n"
    "  num_layers ...................................... 12\n"
    " [2024-04-06 02:55:45] iteration        2/     100 | consumed samples:          256 | elapsed "
    "time "
    "per iteration (ms): 5630.1 | throughput per GPU (TFLOP/s/GPU): 231.9 | global batch size:   "
    "128 |\n"
    "[default1]:[Rank 1] (after 1 iterations) memory (MB) | allocated: 54250.97 | max allocated: "
    "54250.98 "
    "| reserved: 61480.0 | max reserved: 61480.0[Rank 0] (after 1 iterations) memory (MB) | "
    "allocated: 1\n"
    "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.20 GiB. GPU 3 has\n"
    "node1: index, name, memory.total [MiB]\nnode1: 0, NVIDIA A100-SXM4-80GB, 81920 MiB\n";

static void read_all(const char *bytes, size_t length) {
    memx_error error = {.text = ""};
    memx_log log;
    memx_card_list cards = {.cards = NULL};
    memx_span span = {bytes, length};
    int32_t layers[16], count = 0;
    if (memx_log_read(span, NULL, &log, &error) == MEMX_OK) {
        for (size_t i = 0; i < log.run_count; i++) {
            memx_log_times times;
            memx_log_times_of(&log.runs[i], &times);
            test_job t;
            memx_text config = {0};
            job_lab(&t);
            memx_megatron_config(&t.job, &log.runs[i].arguments, "0,4,2", &config, &error);
            memx_text_free(&config);
        }
        memx_log_free(&log);
    } else {
        assert_true(strlen(error.text) > 0);
    }
    memx_nvidia_smi_read(span, &cards, &error);
    memx_text nodes = {0};
    memx_card_list_nodes(&cards, &nodes);
    memx_text_free(&nodes);
    memx_card_list_free(&cards);
    memx_layout_read(span, layers, &count, 16, &error);
}

/* Exactly as long as it is, so that a sanitizer sees a read behind it. */
static void read_copy(const char *bytes, size_t length) {
    char *copy = malloc(length ? length : 1);
    memcpy(copy, bytes, length);
    read_all(copy, length);
    free(copy);
}

static void damaged_texts_are_refused_or_read(void **state) {
    (void)state;
    char bytes[sizeof sample];
    for (size_t cut = 0; cut < sizeof sample; cut++) read_copy(sample, cut);
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        rng r = rng_start(seed);
        memcpy(bytes, sample, sizeof sample);
        for (int64_t n = rng_between(&r, 1, 40); n > 0; n--) {
            size_t at = (size_t)rng_between(&r, 0, sizeof sample - 1);
            static const char liked[] = "|:.,()*[]\n\r 0919tEL\0\xff";
            bytes[at] = (char)rng_between(&r, 0, 255);
            if (rng_chance(&r, 70)) bytes[at] = liked[rng_between(&r, 0, sizeof liked - 1)];
        }
        size_t from = (size_t)rng_between(&r, 0, sizeof sample / 2);
        read_copy(bytes + from, (size_t)rng_between(&r, 0, (int64_t)(sizeof sample - from)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_are_their_configuration),
        cmocka_unit_test(a_layout_is_its_layers),
        cmocka_unit_test(damaged_texts_are_refused_or_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
