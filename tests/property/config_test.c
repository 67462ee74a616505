/*
** Random jobs and configurations through core/config.h: texts stand for exactly one configuration,
** however they are spelled; and damaged texts are refused or read as another good configuration.
*/
#include "core/config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/priced.h"
#include "support/check.h"
#include "support/jobs.h"
#include "support/layout.h"

/* ---- going round ---- */

/* A job and a configuration of it; false for jobs that have none. */
static bool random_case(uint64_t seed, rng *r, test_job *t, layout *l) {
    *r = rng_start(seed);
    random_job(r, 8, rng_chance(r, 80) ? 12 : 48, t);
    if (rng_chance(r, 30)) random_experts(r, t);
    return random_layout(r, &t->job, l);
}

static void a_text_is_its_configuration(void **state) {
    (void)state;
    static char text[LAYOUT_TEXT];
    int64_t cases = 0, mixed = 0;
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        rng r;
        test_job t;
        layout l;
        if (!random_case(seed, &r, &t, &l)) continue;
        memx_config config;
        memx_error error = {.text = ""};
        layout_text(&t.job, &l, text);
        memx_status status = memx_config_parse(&t.job, text, &config, &error);
        assert_that(status == MEMX_OK, "seed %" PRIu64 ": '%s': %s", seed, text, error.text);
        assert_that(layout_equals(&t.job, &l, &config), "seed %" PRIu64 ": '%s'", seed, text);
        char *found = config_text(&t.job, &config);
        assert_that(strcmp(found, text) == 0, "seed %" PRIu64 ": '%s', wanted '%s'", seed, found,
                    text);
        assert_int_equal(memx_knobs_misfit(&t.job, &config.knobs), MEMX_FITS);
        cases++;
        mixed += strchr(text, '|') != NULL;
        free(found);
        memx_config_free(&config);
    }
    assert_true(cases > 8000 && mixed > 1000);
}

/* ---- other spellings ---- */

typedef struct writer {
    char text[LAYOUT_TEXT];
    size_t length;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    w->length +=
        (size_t)vsnprintf(w->text + w->length, sizeof w->text - w->length, format, arguments);
    va_end(arguments);
}

static void put_number(rng *r, writer *w, int64_t n) {
    put(w, "%s%lld", rng_chance(r, 20) ? "0" : "", (long long)n);
}

static void shuffle(rng *r, int *items, int count) {
    for (int i = count - 1; i > 0; i--) {
        int j = (int)rng_between(r, 0, i), item = items[i];
        items[i] = items[j];
        items[j] = item;
    }
}

/* Knobs in any order, those that are the job's own with or without. */
static void spell_knobs(rng *r, const memx_job *job, const memx_knobs *k, writer *w) {
    static const char *const names[] = {"tp", "dp", "mb", "seq", "hd", "kv",
                                        "cp", "ep", "vp", "sp",  "do"};
    memx_knobs own = *k;
    memx_knobs_default(job, &own);
    const int64_t values[] = {
        k->tp, k->dp, k->micro_batch,       k->seq_length,           k->heads, k->kv_groups, k->cp,
        k->ep, k->vp, k->sequence_parallel, k->distributed_optimizer};
    const int64_t owns[] = {0,
                            0,
                            0,
                            own.seq_length,
                            own.heads,
                            own.kv_groups,
                            1,
                            1,
                            1,
                            own.sequence_parallel,
                            own.distributed_optimizer};
    int order[11] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    bool first = true;
    shuffle(r, order, 11);
    for (int i = 0; i < 11; i++) {
        int knob = order[i];
        if (values[knob] == owns[knob] && rng_chance(r, 60)) continue;
        put(w, "%s%s", first ? "" : ".", names[knob]);
        first = false;
        if (knob < 9) {
            put_number(r, w, values[knob]);
            continue;
        }
        /* Without effect at degree 1: either value. */
        bool idle = (knob == 9 ? k->tp : k->dp * k->cp) == 1;
        put(w, "%d", idle ? (int)rng_between(r, 0, 1) : (int)values[knob]);
    }
}

/* A stage's devices in any order, each in one or several pieces. */
static void spell_devices(rng *r, const memx_job *job, const layout *l, int64_t s, writer *w) {
    int pieces[LAYOUT_STAGES * 8], count = 0;
    int32_t of_device[TEST_DEVICES] = {0};
    int32_t kinds = 0, tp = (int32_t)l->knobs.tp;
    for (int32_t i = 0; i < job->node_count; i++) {
        int32_t *gpus = &of_device[job->nodes[i].device];
        kinds += *gpus == 0 && l->gpus[s][i] > 0;
        *gpus += l->gpus[s][i];
    }
    if (kinds == 1 && rng_chance(r, 70)) {
        for (int32_t d = 0; d < job->device_count; d++) {
            if (of_device[d]) put(w, "%s", job->devices[d].name);
        }
        return;
    }
    for (int32_t d = 0; d < job->device_count; d++) {
        for (int32_t left = of_device[d]; left > 0;) {
            int32_t gpus = rng_chance(r, 70) ? left : tp * (int32_t)rng_between(r, 1, left / tp);
            pieces[count++] = d * 1000 + gpus;
            left -= gpus;
        }
    }
    shuffle(r, pieces, count);
    for (int i = 0; i < count; i++) {
        put(w, "%s%s(", i ? "|" : "", job->devices[pieces[i] / 1000].name);
        put_number(r, w, pieces[i] % 1000);
        put(w, ")");
    }
}

static void spell_level(rng *r, memx_level level, int64_t layers, writer *w) {
    char text[MEMX_LEVEL_TEXT];
    if (level.kind == MEMX_FULL && rng_chance(r, 50)) {
        if (rng_chance(r, 50))
            level.kind = MEMX_UNIFORM, level.n = 1;
        else
            level.kind = MEMX_BLOCK, level.n = (int32_t)(layers + rng_between(r, 0, 5));
    } else if (level.kind == MEMX_NONE && rng_chance(r, 30)) {
        level.kind = rng_chance(r, 50) ? MEMX_BLOCK : MEMX_SWAP;
    } else if ((level.kind == MEMX_UNIFORM || level.kind == MEMX_SWAP) && level.n == layers) {
        level.n += (int32_t)rng_between(r, 0, 5);
    }
    memx_level_format(level, text);
    put(w, "%s", text);
}

static void every_spelling_has_one_canonical_text(void **state) {
    (void)state;
    static char wanted[LAYOUT_TEXT];
    static writer w;
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        rng r;
        test_job t;
        layout l;
        if (!random_case(seed, &r, &t, &l)) continue;
        w.length = 0;
        spell_knobs(&r, &t.job, &l.knobs, &w);
        for (int64_t s = 0; s < l.knobs.pp; s++) {
            put(&w, "%s", s ? "," : "/");
            spell_devices(&r, &t.job, &l, s, &w);
            put(&w, "*");
            put_number(&r, &w, l.knobs.vp * l.layers[s]);
            put(&w, ":");
            spell_level(&r, l.levels[s], l.layers[s], &w);
        }
        memx_config config;
        memx_error error = {.text = ""};
        layout_text(&t.job, &l, wanted);
        memx_status status = memx_config_parse(&t.job, w.text, &config, &error);
        assert_that(status == MEMX_OK, "seed %" PRIu64 ": '%s': %s", seed, w.text, error.text);
        char *found = config_text(&t.job, &config);
        assert_that(strcmp(found, wanted) == 0, "seed %" PRIu64 ": '%s' is '%s', wanted '%s'", seed,
                    w.text, found, wanted);
        assert_true(layout_equals(&t.job, &l, &config));
        free(found);
        memx_config_free(&config);
    }
}

/* ---- damage ---- */

static void damage(rng *r, char *text, size_t room) {
    static const char *const pieces[] = {
        "tp",          "dp",
        "mb",          "seq",
        "sp",          "do",
        "hd",          "kv",
        ".",           "/",
        ",",           "*",
        ":",           "|",
        "(",           ")",
        "0",           "1",
        "2",           "3",
        "9",           "00",
        "99999999999", "4294967296",
        "2147483648",  "18446744073709551616",
        "none",        "full",
        "selective",   "block",
        "uniform",     "block2",
        "A-80",        "B_32",
        "C.x9",        "A-80(2)",
        "@0",          "@1",
        "@2",          "@3",
        "@4",          "+1",
        "+2",          "+4",
        "(1)",         "(2)",
        "|A-80(1)@1",  " ",
        "-",           "+",
        "\n",          "\x80",
        "\xff",        "%s",
        "%n",          "'",
        "\"",          "\x01",
    };
    size_t length = strlen(text);
    size_t at = (size_t)rng_between(r, 0, (int64_t)length);
    switch (rng_between(r, 0, 6)) {
    case 0: /* cut */ text[at] = '\0'; break;
    case 1: /* a few bytes less */
        if (at < length) {
            size_t end = at + (size_t)rng_between(r, 1, 8);
            if (end > length) end = length;
            memmove(text + at, text + end, length - end + 1);
        }
        break;
    case 2: /* any other byte */
        if (at < length) text[at] = (char)rng_between(r, 1, 255);
        break;
    case 3: /* a digit for a digit */
        for (; at < length; at++) {
            if (text[at] < '0' || text[at] > '9') continue;
            text[at] = (char)rng_between(r, '0', '9');
            break;
        }
        break;
    case 4: { /* one part again, or elsewhere */
        size_t from = (size_t)rng_between(r, 0, (int64_t)length);
        size_t n = (size_t)rng_between(r, 0, (int64_t)(length - from)) % 40;
        char part[40];
        if (length + n + 1 > room) break;
        memcpy(part, text + from, n);
        memmove(text + at + n, text + at, length - at + 1);
        memcpy(text + at, part, n);
        break;
    }
    default: { /* a piece that belongs into some text */
        const char *piece = pieces[rng_between(r, 0, (int64_t)COUNT(pieces) - 1)];
        size_t n = strlen(piece);
        if (length + n + 1 > room) break;
        memmove(text + at + n, text + at, length - at + 1);
        memcpy(text + at, piece, n);
        break;
    }
    }
}

/* A configuration that was accepted is a good one: it is priced, and its text is a fixed point. */
static void check_accepted(const test_job *t, const memx_config *config, const char *from,
                           uint64_t seed) {
    memx_error error = {.text = ""};
    memx_config again;
    memx_priced priced;
    char *text = config_text(&t->job, config), *second;
    int64_t layers = 0, gpus[TEST_NODES] = {0};
    assert_int_equal(config->knobs.pp, config->placement.stage_count);
    for (int32_t s = 0; s < config->placement.stage_count; s++) {
        const memx_stage_choice *stage = &config->stages[s];
        int64_t width = 0;
        assert_true(stage->layers >= 1);
        layers += stage->layers;
        assert_int_equal(
            memx_level_compare(memx_level_canonical(stage->level, stage->layers), stage->level), 0);
        for (int32_t r = config->placement.first[s]; r < config->placement.first[s + 1]; r++) {
            const memx_run *run = &config->placement.runs[r];
            assert_true(run->gpus > 0 && run->gpus % config->knobs.tp == 0);
            assert_true(r == config->placement.first[s] || run[-1].node < run->node);
            gpus[run->node] += run->gpus;
            width += run->gpus;
        }
        assert_whole(width, memx_knobs_stage_gpus(&config->knobs));
    }
    assert_whole(config->knobs.vp * layers, t->job.model.layers);
    for (int32_t i = 0; i < t->job.node_count; i++) assert_whole(gpus[i], t->job.nodes[i].gpus);
    assert_int_equal(memx_knobs_misfit(&t->job, &config->knobs), MEMX_FITS);
    memx_status status = memx_config_parse(&t->job, text, &again, &error);
    assert_that(status == MEMX_OK, "seed %" PRIu64 ": '%s' is '%s': %s", seed, from, text,
                error.text);
    second = config_text(&t->job, &again);
    assert_that(strcmp(text, second) == 0, "seed %" PRIu64 ": '%s', then '%s'", seed, text, second);
    assert_true(memx_placement_equal(&config->placement, &again.placement));
    status = memx_priced_open(&t->job, text, &memx_analytic_pricer, &priced, &error);
    assert_that(status == MEMX_OK, "seed %" PRIu64 ": '%s': %s", seed, text, error.text);
    memx_measures measures;
    memx_plan_measure(&priced.plan, priced.pointers, &measures);
    assert_true(measures.iteration_ns > 0 && measures.peak_kib > 0);
    memx_priced_close(&priced);
    memx_config_free(&again);
    free(text);
    free(second);
}

static void damaged_texts(void **state) {
    (void)state;
    int64_t accepted = 0, refused = 0;
    for (uint64_t seed = 1; seed <= 15000; seed++) {
        static char good[LAYOUT_TEXT];
        rng r;
        test_job t;
        layout l;
        if (!random_case(seed, &r, &t, &l)) continue;
        layout_text(&t.job, &l, good);
        for (int round = 0; round < 40; round++) {
            /* Exactly as long as it is, so that a sanitizer sees a read beyond the end. */
            static char text[LAYOUT_TEXT];
            snprintf(text, sizeof text, "%s", good);
            for (int64_t n = rng_between(&r, 1, 3); n > 0; n--) damage(&r, text, sizeof text);
            char *copy = allocate(strlen(text) + 1, 1);
            memcpy(copy, text, strlen(text) + 1);
            memx_config config;
            memx_error error = {.text = ""};
            memx_status status = memx_config_parse(&t.job, copy, &config, &error);
            if (status == MEMX_OK) {
                check_accepted(&t, &config, copy, seed);
                memx_config_free(&config);
                accepted++;
            } else {
                assert_that(status == MEMX_INVALID && strlen(error.text) > 5,
                            "seed %" PRIu64 ": '%s': status %d", seed, copy, (int)status);
                assert_null(config.stages);
                refused++;
            }
            free(copy);
        }
    }
    assert_that(accepted > 8000 && refused > 200000, "%lld accepted, %lld refused",
                (long long)accepted, (long long)refused);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_its_configuration),
        cmocka_unit_test(every_spelling_has_one_canonical_text),
        cmocka_unit_test(damaged_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
