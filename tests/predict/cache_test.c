#include "predict/cache.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "predict/residual.h"
#include "support/check.h"
#include "support/jobs.h"

/* ---- a predictor by hand ---- */

/* A tree that splits one feature at a threshold. */
static void split(memx_forest *f, memx_feature feature, float at, float below, float above) {
    const memx_tree_node nodes[] = {{(int32_t)feature, at, 1, 2, 2},
                                    {.feature = -1, .value = below},
                                    {.feature = -1, .value = above}};
    assert_int_equal(memx_forest_tree(f, NULL), MEMX_OK);
    for (size_t i = 0; i < COUNT(nodes); i++) {
        assert_int_equal(memx_forest_node(f, &nodes[i], NULL), MEMX_OK);
    }
}

static void start(memx_residual *r) {
    *r = (memx_residual){.name = "mine", .fingerprint = "one"};
    for (int o = 0; o < MEMX_OUTPUT_COUNT; o++) {
        memx_forest *f = &r->outputs[o].trees;
        memx_forest_start(f, MEMX_FEATURE_COUNT);
        split(f, MEMX_FEATURE_LAYERS, 1.5F, 0.3F, -0.7F);
        split(f, MEMX_FEATURE_IN_FLIGHT, 1.0F, -0.2F, 0.4F);
        split(f, MEMX_FEATURE_RECOMPUTED, 0.5F, 0.1F, -0.3F);
        assert_int_equal(memx_forest_check(f, NULL), MEMX_OK);
        r->outputs[o].mean = o == MEMX_OUTPUT_TIME ? 0.1 : -0.05;
        r->outputs[o].sd = 0.1;
        r->outputs[o].clip = 0.5;
        r->outputs[o].used = true;
    }
    for (int f = 0; f < MEMX_FEATURE_COUNT; f++) {
        r->least[f] = -100.0F;
        r->most[f] = 100.0F;
    }
    r->most[MEMX_FEATURE_LAYERS] = 2.0F;
}

/* Counts what it is asked. */
typedef struct counted {
    memx_pricer inner;
    int calls;
    size_t choices;
    memx_status refuse;
} counted;

static memx_status count_price(void *context, const memx_job *job, int32_t device,
                               const memx_stage_spec *spec, const memx_stage_choice *choices,
                               size_t count, memx_stage_price *out, memx_error *error) {
    counted *c = context;
    c->calls++;
    c->choices += count;
    if (c->refuse) return memx_invalid(error, "not today");
    return c->inner.price(c->inner.context, job, device, spec, choices, count, out, error);
}

typedef struct bench {
    test_job t;
    memx_residual residual;
    memx_pricer direct;
    counted counted;
    memx_cache cache;
    memx_cached cached;
    memx_pricer pricer;
} bench;

static void bench_start(bench *b) {
    job_lab(&b->t);
    start(&b->residual);
    b->direct = memx_residual_pricer(&b->residual);
    b->counted = (counted){.inner = b->direct};
    memx_cache_start(&b->cache);
    b->cached = (memx_cached){
        &b->cache, {count_price, &b->counted, b->residual.name}, b->residual.fingerprint};
    b->pricer = memx_cache_pricer(&b->cached);
}

static void bench_end(bench *b) {
    memx_cache_free(&b->cache);
    memx_residual_free(&b->residual);
}

static memx_stage_spec spec_of(const test_job *t) {
    return (memx_stage_spec){.model = t->job.model,
                             .tp = 2,
                             .dp = 2,
                             .micro_batch = 2,
                             .in_flight = 3,
                             .first = true,
                             .last = true,
                             .sequence_parallel = true,
                             .distributed_optimizer = MEMX_ZERO_OPTIMIZER,
                             .link_gbs = 300.0};
}

/* Field by field: the struct has padding. */
static bool same_price(const memx_stage_price *a, const memx_stage_price *b) {
    return a->forward_ns == b->forward_ns && a->backward_ns == b->backward_ns &&
           memcmp(&a->memory, &b->memory, sizeof a->memory) == 0 &&
           a->extrapolated == b->extrapolated;
}

enum { CHOICES = 40 };

/* Layers 1 to 8 at five levels. */
static void all_choices(memx_stage_choice *out) {
    static const memx_level levels[] = {{MEMX_NONE, 0, 0},
                                        {MEMX_SELECTIVE, 0, 0},
                                        {MEMX_BLOCK, 1, 0},
                                        {MEMX_UNIFORM, 2, 0},
                                        {MEMX_FULL, 0, 0}};
    for (int i = 0; i < CHOICES; i++) out[i] = (memx_stage_choice){1 + i / 5, levels[i % 5]};
}

static void ask(const bench *b, const memx_pricer *pricer, int32_t device,
                const memx_stage_spec *spec, const memx_stage_choice *choices, size_t count,
                memx_stage_price *out) {
    memx_error error = {.text = ""};
    assert_ok(pricer->price(pricer->context, &b->t.job, device, spec, choices, count, out, &error),
              &error);
}

/* Prices of 3 * 2 * 2 * 40 stages with the cache and without: 480 signatures. */
enum { SWEPT = 480 };

static void sweep(const bench *b) {
    memx_stage_choice choices[CHOICES];
    memx_stage_price expected[CHOICES], found[CHOICES];
    all_choices(choices);
    for (int i = 0; i < SWEPT / CHOICES; i++) {
        memx_stage_spec spec = spec_of(&b->t);
        spec.in_flight = 1 + i % 3;
        spec.first = i / 3 % 2 == 0;
        ask(b, &b->direct, i / 6, &spec, choices, CHOICES, expected);
        ask(b, &b->pricer, i / 6, &spec, choices, CHOICES, found);
        for (int c = 0; c < CHOICES; c++) assert_true(same_price(&expected[c], &found[c]));
    }
}

/* ---- tests ---- */

static void prices_are_the_same_and_made_once(void **state) {
    bench b;
    (void)state;
    bench_start(&b);
    assert_string_equal(b.pricer.name, "mine");
    sweep(&b);
    assert_int_equal(b.counted.calls, SWEPT / CHOICES);
    assert_int_equal(b.counted.choices, SWEPT);
    assert_int_equal(b.cache.count, SWEPT);
    assert_whole(b.cache.hits, 0);
    sweep(&b);
    sweep(&b);
    assert_int_equal(b.counted.choices, SWEPT);
    assert_int_equal(b.cache.count, SWEPT);
    assert_whole(b.cache.predicted, SWEPT);
    assert_whole(b.cache.hits, 2 * SWEPT);
    for (size_t i = 0; i < b.cache.count; i++) {
        const memx_cache_entry *e = memx_cache_at(&b.cache, i);
        size_t probe = 0;
        assert_whole(e->hits, 2);
        assert_string_equal(e->stage->predictor, "mine");
        assert_int_equal(memx_cache_find(&b.cache, e->signature, &probe), i);
        assert_int_equal(memx_cache_find(&b.cache, e->signature, &probe), -1);
    }
    assert_true(memx_cache_at(&b.cache, CHOICES - 1)->price.extrapolated);
    bench_end(&b);
}

static void only_what_is_missing_is_predicted_in_one_batch(void **state) {
    bench b;
    memx_stage_choice choices[CHOICES];
    memx_stage_price expected[CHOICES], found[CHOICES];
    (void)state;
    bench_start(&b);
    const memx_stage_spec spec = spec_of(&b.t);
    all_choices(choices);
    ask(&b, &b.direct, 0, &spec, choices, CHOICES, expected);
    ask(&b, &b.pricer, 0, &spec, choices + 7, 3, found);
    ask(&b, &b.pricer, 0, &spec, choices + 20, 1, found);
    ask(&b, &b.pricer, 0, &spec, choices, CHOICES, found);
    for (int c = 0; c < CHOICES; c++) assert_true(same_price(&expected[c], &found[c]));
    assert_int_equal(b.counted.calls, 3);
    assert_int_equal(b.counted.choices, CHOICES);
    ask(&b, &b.pricer, 0, &spec, choices, 0, found);
    assert_int_equal(b.counted.calls, 3);
    /* Twice the same in one call is one row. */
    const memx_stage_choice twice[] = {{11, {MEMX_NONE, 0, 0}}, {11, {MEMX_NONE, 0, 0}}};
    ask(&b, &b.pricer, 0, &spec, twice, 2, found);
    assert_true(same_price(&found[0], &found[1]));
    assert_int_equal(b.cache.count, CHOICES + 1);
    bench_end(&b);
}

/* Every hash the same: tuples are compared. */
static void equal_hashes_are_never_mixed_up(void **state) {
    bench b;
    size_t probe = 0, found = 0;
    (void)state;
    bench_start(&b);
    b.cache.hash_bits = 0;
    sweep(&b);
    sweep(&b);
    assert_int_equal(b.cache.count, SWEPT);
    assert_whole(b.cache.predicted, SWEPT);
    while (memx_cache_find(&b.cache, (memx_signature){0, 0}, &probe) >= 0) found++;
    assert_int_equal(found, SWEPT);
    bench_end(&b);
}

/* One bit: tuples share slots and buckets with others, not all with all. */
static void almost_equal_hashes(void **state) {
    bench b;
    (void)state;
    bench_start(&b);
    b.cache.hash_bits = 1;
    sweep(&b);
    sweep(&b);
    assert_whole(b.cache.predicted, SWEPT);
    bench_end(&b);
}

static void other_predictors_are_told_apart(void **state) {
    bench b;
    memx_residual other;
    (void)state;
    bench_start(&b);
    start(&other);
    other.outputs[MEMX_OUTPUT_TIME].mean = 0.2;
    const struct {
        const char *name, *fingerprint;
    } others[] = {{"mine", "two"}, {"yours", "one"}, {"mine/on", "e"}, {"min", "one/e"}};
    const memx_stage_spec spec = spec_of(&b.t);
    const memx_stage_choice choice = {3, {MEMX_NONE, 0, 0}};
    memx_stage_price first, found, expected;
    ask(&b, &b.pricer, 0, &spec, &choice, 1, &first);
    const memx_pricer direct = memx_residual_pricer(&other);
    ask(&b, &direct, 0, &spec, &choice, 1, &expected);
    for (size_t i = 0; i < COUNT(others); i++) {
        snprintf(other.name, sizeof other.name, "%s", others[i].name);
        memx_cached cached = {&b.cache, direct, others[i].fingerprint};
        const memx_pricer pricer = memx_cache_pricer(&cached);
        ask(&b, &pricer, 0, &spec, &choice, 1, &found);
        assert_true(same_price(&found, &expected));
        assert_int_equal(b.cache.count, i + 2);
    }
    ask(&b, &b.pricer, 0, &spec, &choice, 1, &found);
    assert_true(same_price(&found, &first));
    assert_int_equal(b.counted.calls, 1);
    memx_residual_free(&other);
    bench_end(&b);
}

static void a_full_cache_is_emptied(void **state) {
    bench b;
    (void)state;
    for (size_t most = 0; most <= 400000; most = most ? most * 3 : 1) {
        bench_start(&b);
        b.cache.most_bytes = most;
        sweep(&b);
        sweep(&b);
        if (most < 100000) assert_true(b.cache.emptied > 0);
        /* A chunk, the buckets and the slots may go beyond it. */
        assert_true(b.cache.bytes < most + 80000);
        assert_true(b.cache.predicted >= SWEPT);
        bench_end(&b);
    }
    bench_start(&b);
    sweep(&b);
    assert_whole(b.cache.emptied, 0);
    assert_true(b.cache.bytes < 400000);
    bench_end(&b);
}

static void a_refusal_is_passed_on_and_not_kept(void **state) {
    bench b;
    memx_error error = {.text = ""};
    memx_stage_price found;
    (void)state;
    bench_start(&b);
    const memx_stage_spec spec = spec_of(&b.t);
    const memx_stage_choice choice = {3, {MEMX_NONE, 0, 0}};
    b.counted.refuse = MEMX_INVALID;
    assert_refused(b.pricer.price(b.pricer.context, &b.t.job, 0, &spec, &choice, 1, &found, &error),
                   &error, "not today");
    assert_int_equal(b.cache.count, 0);
    assert_whole(b.cache.predicted, 0);
    b.counted.refuse = MEMX_OK;
    sweep(&b);
    bench_end(&b);
}

/* ---- the tuple is complete ---- */

typedef struct inputs {
    memx_device device;
    memx_framework framework;
    memx_stage_spec spec;
    memx_stage_choice choice;
} inputs;

/* What a prediction depends on, and the bytes that stand for it. */
typedef struct outcome {
    memx_stage_price price;
    float features[MEMX_FEATURE_COUNT];
    memx_text tuple;
} outcome;

static outcome outcome_of(const inputs *in) {
    outcome out = {.tuple = {0}};
    memx_stage_price_all(&in->device, &in->framework, &in->spec, &in->choice, 1, &out.price);
    memx_features(&in->device, &in->spec, &in->choice, &out.price, 1, out.features);
    memx_signature_stage("mine", "one", &in->device, &in->framework, &in->spec, &out.tuple);
    memx_signature_choice(&in->choice, &out.tuple);
    return out;
}

/* NAN is what is missing. */
static bool same_features(const float *a, const float *b) {
    for (int f = 0; f < MEMX_FEATURE_COUNT; f++) {
        if (isnan(a[f]) != isnan(b[f]) || (!isnan(a[f]) && a[f] != b[f])) return false;
    }
    return true;
}

static bool same_tuple(const outcome *a, const outcome *b) {
    return a->tuple.length == b->tuple.length &&
           memcmp(a->tuple.data, b->tuple.data, a->tuple.length) == 0;
}

/* Answers whether the prediction depends on the change; then the tuple must tell. */
static bool check_change(const inputs *before, const inputs *after, const char *part, size_t at) {
    outcome a = outcome_of(before), b = outcome_of(after);
    bool matters = !same_price(&a.price, &b.price) || !same_features(a.features, b.features);
    bool told = !same_tuple(&a, &b);
    memx_text_free(&a.tuple);
    memx_text_free(&b.tuple);
    assert_that(told || !matters, "%s, byte %d: another prediction, the same tuple", part, (int)at);
    return matters;
}

/* A stage in whose price nothing is idle. */
static inputs busy_inputs(const test_job *t) {
    inputs in = {t->job.devices[0], framework_2022(), spec_of(t), {4, {MEMX_BLOCK, 2, 0}}};
    in.device.context_mib = 1000.0;
    in.framework.optimizer_temp_bytes = 2.0;
    in.framework.micro_batch_ms = 1.0;
    in.framework.layer_ms = 1.0;
    in.framework.collective_us = 10.0;
    in.framework.tp_overlap = 0.5;
    in.spec.model.qkv_biases = true;
    return in;
}

static void with_experts(memx_stage_spec *spec) {
    memx_model *m = &spec->model;
    m->experts = 8;
    m->experts_per_token = 2;
    m->expert_ffn_hidden = 512;
    m->shared_experts = m->dense_layers = 1;
    m->q_lora_rank = m->kv_lora_rank = 64;
    m->qk_nope_dim = m->qk_rope_dim = m->v_head_dim = 32;
    spec->ep = spec->dp = 4;
    spec->exchange_gbs = 100.0;
}

/* Every byte of a device and of a framework behind the name, so that a field that is added later is among
** them; the lowest bit, which a flag and a double both have. */
static void the_tuple_has_every_figure_of_device_and_framework(void **state) {
    test_job t;
    (void)state;
    job_lab(&t);
    const inputs in = busy_inputs(&t);
    int words = 0;
    for (int part = 0; part < 2; part++) {
        size_t size = part ? sizeof in.framework : sizeof in.device;
        size_t from =
            part ? offsetof(memx_framework, activation_bytes) : offsetof(memx_device, memory_mib);
        bool matters = false;
        for (size_t at = from; at < size; at++) {
            inputs changed = in;
            unsigned char *bytes =
                part ? (unsigned char *)&changed.framework : (unsigned char *)&changed.device;
            bytes[at] ^= 1;
            if (check_change(&in, &changed, part ? "framework" : "device", at)) matters = true;
            if (at % sizeof(double) == sizeof(double) - 1) {
                words += matters;
                matters = false;
            }
        }
    }
    /* All that do: 6 figures of the device; 15 of the framework and its flags, which lie in 2 words. */
    assert_int_equal(words, 6 + 15 + 2);
}

#define FIELD(name)                                                                                \
    { #name, offsetof(inputs, name), sizeof(((inputs *)0)->name) }

/* Whole numbers are changed by one, flags turned over. */
static void change_field(inputs *in, size_t at, size_t size) {
    unsigned char *field = (unsigned char *)in + at;
    if (at == offsetof(inputs, spec.link_gbs)) {
        in->spec.link_gbs = 301.0;
    } else if (at == offsetof(inputs, spec.exchange_gbs)) {
        in->spec.exchange_gbs = 101.0;
    } else if (size == sizeof(bool)) {
        *field ^= 1;
    } else if (size == sizeof(int64_t)) {
        ++*(int64_t *)(void *)field;
    } else {
        ++*(int32_t *)(void *)field;
    }
}

static void the_tuple_has_every_field_of_spec_and_choice(void **state) {
    static const struct {
        const char *name;
        size_t at, size;
    } fields[] = {
        FIELD(spec.model.hidden),
        FIELD(spec.model.heads),
        FIELD(spec.model.kv_groups),
        FIELD(spec.model.head_dim),
        FIELD(spec.model.ffn_hidden),
        FIELD(spec.model.vocab),
        FIELD(spec.model.seq_length),
        FIELD(spec.model.gated_mlp),
        FIELD(spec.model.biases),
        FIELD(spec.model.tied_embeddings),
        FIELD(spec.model.qkv_biases),
        FIELD(spec.model.learned_positions),
        FIELD(spec.model.layernorm),
        FIELD(spec.tp),
        FIELD(spec.dp),
        FIELD(spec.micro_batch),
        FIELD(spec.in_flight),
        FIELD(spec.first),
        FIELD(spec.last),
        FIELD(spec.sequence_parallel),
        FIELD(spec.link_gbs),
        FIELD(spec.distributed_optimizer),
        FIELD(choice.layers),
        FIELD(choice.level.kind),
        FIELD(choice.level.n),
        /* Of experts and latent attention: */
        FIELD(spec.model.experts),
        FIELD(spec.model.experts_per_token),
        FIELD(spec.model.expert_ffn_hidden),
        FIELD(spec.model.shared_experts),
        FIELD(spec.model.dense_layers),
        FIELD(spec.model.q_lora_rank),
        FIELD(spec.model.kv_lora_rank),
        FIELD(spec.model.qk_nope_dim),
        FIELD(spec.model.qk_rope_dim),
        FIELD(spec.model.v_head_dim),
        FIELD(spec.ep),
        FIELD(spec.exchange_gbs),
    };
    enum { EXPERT_FIELDS = 12 };
    test_job t;
    (void)state;
    job_lab(&t);
    for (size_t i = 0; i < COUNT(fields); i++) {
        bool mattered = false;
        /* With and without biases, tied head, both ends: each field counts somewhere. */
        bool dense = i < COUNT(fields) - EXPERT_FIELDS;
        for (int variant = dense ? 0 : 16; variant < 32; variant++) {
            inputs in = busy_inputs(&t);
            if (variant >> 4) with_experts(&in.spec);
            in.spec.model.vocab = 1024;
            in.spec.model.biases = variant & 1;
            in.spec.model.tied_embeddings = variant >> 1 & 1;
            in.spec.first = variant >> 2 & 1;
            in.choice.level = variant >> 3 & 1 ? (memx_level){MEMX_UNIFORM, 2, 0} : in.choice.level;
            inputs changed = in;
            change_field(&changed, fields[i].at, fields[i].size);
            mattered = check_change(&in, &changed, fields[i].name, 0) || mattered;
            outcome a = outcome_of(&in), b = outcome_of(&changed);
            assert_that(!same_tuple(&a, &b), "%s is not in the tuple", fields[i].name);
            memx_text_free(&a.tuple);
            memx_text_free(&b.tuple);
        }
        assert_that(mattered, "%s never matters", fields[i].name);
    }
}

static void the_tuple_has_names_that_constants_go_by(void **state) {
    test_job t;
    (void)state;
    job_lab(&t);
    /* What no stage depends on. */
    const inputs in = busy_inputs(&t);
    inputs renamed = in;
    snprintf(renamed.spec.model.name, sizeof renamed.spec.model.name, "another");
    renamed.spec.model.layers++;
    assert_false(check_change(&in, &renamed, "model name and layers", 0));
    outcome a = outcome_of(&in), b = outcome_of(&renamed);
    assert_true(same_tuple(&a, &b));
    memx_text_free(&a.tuple);
    memx_text_free(&b.tuple);
    /* Names of device and framework: a predictor's constants go by them. */
    for (int part = 0; part < 2; part++) {
        inputs named = in;
        (part ? named.device.name : named.framework.name)[0] ^= 1;
        a = outcome_of(&in), b = outcome_of(&named);
        assert_false(same_tuple(&a, &b));
        memx_text_free(&a.tuple);
        memx_text_free(&b.tuple);
    }
}

static void signatures_are_read_back(void **state) {
    const memx_signature s = {UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210)};
    memx_signature back;
    char text[MEMX_SIGNATURE_TEXT];
    (void)state;
    memx_signature_format(s, text);
    assert_string_equal(text, "0123456789abcdeffedcba9876543210");
    assert_true(memx_signature_parse(text, &back));
    assert_true(back.high == s.high && back.low == s.low);
    assert_false(memx_signature_parse("", &back));
    assert_false(memx_signature_parse("0123456789abcdeffedcba987654321", &back));
    assert_false(memx_signature_parse("0123456789abcdeffedcba98765432100", &back));
    assert_false(memx_signature_parse("0123456789ABCDEFfedcba9876543210", &back));
    assert_false(memx_signature_parse("0123456789abcdefgedcba9876543210", &back));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_are_the_same_and_made_once),
        cmocka_unit_test(only_what_is_missing_is_predicted_in_one_batch),
        cmocka_unit_test(equal_hashes_are_never_mixed_up),
        cmocka_unit_test(almost_equal_hashes),
        cmocka_unit_test(other_predictors_are_told_apart),
        cmocka_unit_test(a_full_cache_is_emptied),
        cmocka_unit_test(a_refusal_is_passed_on_and_not_kept),
        cmocka_unit_test(the_tuple_has_every_figure_of_device_and_framework),
        cmocka_unit_test(the_tuple_has_every_field_of_spec_and_choice),
        cmocka_unit_test(the_tuple_has_names_that_constants_go_by),
        cmocka_unit_test(signatures_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
