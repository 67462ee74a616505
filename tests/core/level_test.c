/*
** Tests of core/level.h: texts, canonical spellings, order, and the layers that run twice.
*/
#include "core/level.h"

#include <string.h>

#include "support/check.h"

static memx_level level(memx_level_kind kind, int32_t n) {
    return (memx_level){kind, n, 0};
}

static void assert_level(memx_level found, memx_level wanted) {
    assert_int_equal(found.kind, wanted.kind);
    assert_int_equal(found.n, wanted.n);
    assert_int_equal(found.offload, wanted.offload);
}

static bool parses(const char *text, memx_level *out) {
    return memx_level_parse(text, strlen(text), out);
}

static void texts_go_round(void **state) {
    (void)state;
    static const struct {
        const char *text;
        memx_level level;
    } cases[] = {
        {"none", {MEMX_NONE, 0, 0}},
        {"selective", {MEMX_SELECTIVE, 0, 0}},
        {"full", {MEMX_FULL, 0, 0}},
        {"block0", {MEMX_BLOCK, 0, 0}},
        {"block1", {MEMX_BLOCK, 1, 0}},
        {"block12", {MEMX_BLOCK, 12, 0}},
        {"block99999", {MEMX_BLOCK, 99999, 0}},
        {"uniform1", {MEMX_UNIFORM, 1, 0}},
        {"uniform7", {MEMX_UNIFORM, 7, 0}},
        {"uniform10000", {MEMX_UNIFORM, 10000, 0}},
        {"swap0", {MEMX_SWAP, 0, 0}},
        {"swap3", {MEMX_SWAP, 3, 0}},
        {"offload1", {MEMX_NONE, 0, 1}},
        {"offload100", {MEMX_NONE, 0, 100}},
        {"selective+offload7", {MEMX_SELECTIVE, 0, 7}},
        {"full+offload100", {MEMX_FULL, 0, 100}},
        {"uniform99999+offload100", {MEMX_UNIFORM, 99999, 100}},
        {"swap2+offload50", {MEMX_SWAP, 2, 50}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        memx_level found;
        char text[MEMX_LEVEL_TEXT];
        assert_true(parses(cases[i].text, &found));
        assert_level(found, cases[i].level);
        assert_int_equal(memx_level_format(found, text), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
    for (int32_t n = 1; n <= 10000; n++) {
        for (int kind = MEMX_BLOCK; kind <= MEMX_UNIFORM; kind++) {
            memx_level found;
            char text[MEMX_LEVEL_TEXT];
            size_t length = memx_level_format(level((memx_level_kind)kind, n), text);
            assert_int_equal(length, strlen(text));
            assert_true(memx_level_parse(text, length, &found));
            assert_level(found, level((memx_level_kind)kind, n));
        }
    }
    /* Whatever a level holds, its text has room. */
    char text[MEMX_LEVEL_TEXT];
    assert_true(memx_level_format((memx_level){MEMX_UNIFORM, INT32_MIN, 100}, text) <
                MEMX_LEVEL_TEXT);
    /* Other spellings that are read. */
    memx_level found;
    assert_true(parses("none+offload5", &found));
    assert_level(found, (memx_level){MEMX_NONE, 0, 5});
    assert_true(parses("full+offload0", &found));
    assert_level(found, level(MEMX_FULL, 0));
}

static void other_texts_are_no_levels(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "Full",
        "FULL",
        "ful",
        "fulll",
        "full1",
        "none0",
        "non",
        "select",
        "block",
        "block-1",
        "block+1",
        "block 1",
        "block1 ",
        " block1",
        "block1x",
        "blockx",
        "block1.0",
        "block100000",
        "block99999999999999999999",
        "uniform",
        "uniform0",
        "uniform00",
        "uniform1e3",
        "uniform-1",
        "selective1",
        "auto",
        "0",
        "1",
        "block\xc2\xb2",
        "swap",
        "offload",
        "offload101",
        "offload-1",
        "full+",
        "+offload1",
        "full+offload",
        "full+swap1",
        "offload1+full",
        "full+offload1+offload1",
        "swap1+",
        "full offload1",
        "offload 1",
        "offload1.0",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        memx_level found;
        if (parses(texts[i], &found)) fail_with("'%s' is read as a level", texts[i]);
    }
}

/* Exactly `length` bytes count, with whatever follows them. */
static void length_is_the_callers(void **state) {
    (void)state;
    memx_level found;
    assert_true(memx_level_parse("block12,full", 7, &found));
    assert_level(found, level(MEMX_BLOCK, 12));
    assert_true(memx_level_parse("block12,full", 6, &found));
    assert_level(found, level(MEMX_BLOCK, 1));
    assert_true(memx_level_parse("nonexistent", 4, &found));
    assert_level(found, level(MEMX_NONE, 0));
    assert_false(memx_level_parse("full", 3, &found));
    assert_false(memx_level_parse("full\0x", 5, &found));
    const char unterminated[] = {'f', 'u', 'l', 'l'};
    assert_true(memx_level_parse(unterminated, sizeof unterminated, &found));
    assert_level(found, level(MEMX_FULL, 0));
}

static void canonical_by_hand(void **state) {
    (void)state;
    static const struct {
        memx_level level;
        int64_t layers;
        memx_level wanted;
    } cases[] = {
        {{MEMX_BLOCK, 0, 0}, 5, {MEMX_NONE, 0, 0}},
        {{MEMX_BLOCK, 4, 0}, 5, {MEMX_BLOCK, 4, 0}},
        {{MEMX_BLOCK, 5, 0}, 5, {MEMX_FULL, 0, 0}},
        {{MEMX_BLOCK, 6, 0}, 5, {MEMX_FULL, 0, 0}},
        {{MEMX_BLOCK, 1, 0}, 1, {MEMX_FULL, 0, 0}},
        {{MEMX_UNIFORM, 1, 0}, 5, {MEMX_FULL, 0, 0}},
        {{MEMX_UNIFORM, 2, 0}, 5, {MEMX_UNIFORM, 2, 0}},
        {{MEMX_UNIFORM, 5, 0}, 5, {MEMX_UNIFORM, 5, 0}},
        {{MEMX_UNIFORM, 9, 0}, 5, {MEMX_UNIFORM, 5, 0}},
        {{MEMX_UNIFORM, 9, 0}, 1, {MEMX_FULL, 0, 0}},
        {{MEMX_NONE, 0, 0}, 1, {MEMX_NONE, 0, 0}},
        {{MEMX_SELECTIVE, 0, 0}, 1, {MEMX_SELECTIVE, 0, 0}},
        {{MEMX_FULL, 0, 0}, 7, {MEMX_FULL, 0, 0}},
        {{MEMX_UNIFORM, 99999, 0}, INT64_C(9999999999), {MEMX_UNIFORM, 99999, 0}},
        {{MEMX_SWAP, 0, 0}, 5, {MEMX_NONE, 0, 0}},
        {{MEMX_SWAP, 5, 0}, 5, {MEMX_SWAP, 5, 0}},
        {{MEMX_SWAP, 6, 0}, 5, {MEMX_SWAP, 5, 0}},
        {{MEMX_SWAP, 6, 30}, 5, {MEMX_SWAP, 5, 30}},
        {{MEMX_BLOCK, 0, 30}, 5, {MEMX_NONE, 0, 30}},
        {{MEMX_BLOCK, 5, 30}, 5, {MEMX_FULL, 0, 30}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_level(memx_level_canonical(cases[i].level, cases[i].layers), cases[i].wanted);
    }
}

static memx_level random_level(rng *r) {
    memx_level out = level((memx_level_kind)rng_between(r, MEMX_NONE, MEMX_SWAP), 0);
    if (out.kind == MEMX_BLOCK || out.kind == MEMX_SWAP) out.n = (int32_t)rng_between(r, 0, 12);
    if (out.kind == MEMX_UNIFORM) out.n = (int32_t)rng_between(r, 1, 12);
    if (rng_chance(r, 30)) out.offload = (int32_t)rng_between(r, 0, 3);
    return out;
}

/* How many inputs a stage keeps at a level, how many layers keep everything, how many are computed again at
** once, how many leave, and what is offloaded: what a level means. */
static void meaning(memx_level l, int64_t layers, int64_t out[6]) {
    int64_t n = l.n < layers ? l.n : layers;
    out[3] = l.kind == MEMX_SELECTIVE;
    out[4] = l.kind == MEMX_SWAP ? n : 0;
    out[5] = l.offload;
    switch (l.kind) {
    case MEMX_NONE:
    case MEMX_SELECTIVE: out[0] = 0, out[1] = layers, out[2] = 0; break;
    case MEMX_BLOCK: out[0] = n, out[1] = layers - n, out[2] = n > 0; break;
    case MEMX_UNIFORM: out[0] = (layers + n - 1) / n, out[1] = 0, out[2] = n; break;
    case MEMX_FULL: out[0] = layers, out[1] = 0, out[2] = 1; break;
    case MEMX_SWAP: out[0] = 0, out[1] = layers - n, out[2] = 0; break;
    }
}

/* Two levels mean the same on a stage exactly when they have the same canonical spelling there. */
static void canonical_is_one_spelling_for_one_meaning(void **state) {
    (void)state;
    rng r = rng_start(1);
    for (int i = 0; i < 200000; i++) {
        int64_t layers = rng_between(&r, 1, 9), left[6], right[6];
        memx_level a = random_level(&r), b = random_level(&r);
        memx_level ca = memx_level_canonical(a, layers), cb = memx_level_canonical(b, layers);
        meaning(a, layers, left);
        meaning(b, layers, right);
        assert_int_equal(memcmp(left, right, sizeof left) == 0, memx_level_compare(ca, cb) == 0);
        assert_level(memx_level_canonical(ca, layers), ca);
        assert_whole(memx_level_recomputed_layers(a, layers),
                     memx_level_recomputed_layers(ca, layers));
        assert_whole(memx_level_recomputed_layers(a, layers),
                     a.kind == MEMX_SELECTIVE ? 0 : layers - left[1] - left[4]);
        assert_int_equal(memx_level_uses_host(a), left[4] > 0 || left[5] > 0);
    }
}

static void order_is_by_offload_kind_and_number(void **state) {
    (void)state;
    static const memx_level sorted[] = {
        {MEMX_NONE, 0, 0},   {MEMX_SELECTIVE, 0, 0}, {MEMX_BLOCK, 1, 0},    {MEMX_BLOCK, 2, 0},
        {MEMX_BLOCK, 10, 0}, {MEMX_UNIFORM, 2, 0},   {MEMX_UNIFORM, 10, 0}, {MEMX_FULL, 0, 0},
        {MEMX_SWAP, 1, 0},   {MEMX_SWAP, 9, 0},      {MEMX_NONE, 0, 1},     {MEMX_FULL, 0, 1},
        {MEMX_NONE, 0, 100},
    };
    for (size_t i = 0; i < COUNT(sorted); i++) {
        for (size_t j = 0; j < COUNT(sorted); j++) {
            int found = memx_level_compare(sorted[i], sorted[j]);
            assert_int_equal((found > 0) - (found < 0), (i > j) - (i < j));
        }
    }
}

static void recomputed_layers(void **state) {
    (void)state;
    assert_whole(memx_level_recomputed_layers(level(MEMX_NONE, 0), 8), 0);
    assert_whole(memx_level_recomputed_layers(level(MEMX_SELECTIVE, 0), 8), 0);
    assert_whole(memx_level_recomputed_layers(level(MEMX_BLOCK, 3), 8), 3);
    assert_whole(memx_level_recomputed_layers(level(MEMX_BLOCK, 9), 8), 8);
    assert_whole(memx_level_recomputed_layers(level(MEMX_UNIFORM, 3), 8), 8);
    assert_whole(memx_level_recomputed_layers(level(MEMX_FULL, 0), 8), 8);
    assert_whole(memx_level_recomputed_layers(level(MEMX_SWAP, 3), 8), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_go_round),
        cmocka_unit_test(other_texts_are_no_levels),
        cmocka_unit_test(length_is_the_callers),
        cmocka_unit_test(canonical_by_hand),
        cmocka_unit_test(canonical_is_one_spelling_for_one_meaning),
        cmocka_unit_test(order_is_by_offload_kind_and_number),
        cmocka_unit_test(recomputed_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
