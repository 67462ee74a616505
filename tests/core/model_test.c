/*
** Tests of core/model.h: parameters of published models, FLOPs of published runs, and what is
** refused.
*/
#include "core/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/jobs.h"

/* Shapes as their makers publish them (config.json on huggingface.co, or the paper named), and the
** parameters that they state, in millions. The gpt2 counts have three digits. */
static const struct {
    const char *name, *source;
    int64_t layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length;
    char family; /* g: gpt, l: llama, q: qwen2 (biases on query, key and value) */
    bool tied;
    double millions, tolerance;
} published[] = {
    {"gpt2", "openai-community/gpt2", 12, 768, 12, 12, 64, 3072, 50257, 1024, 'g', true, 124, 4e-3},
    {"gpt2-medium", "openai-community/gpt2-medium", 24, 1024, 16, 16, 64, 4096, 50257, 1024, 'g',
     true, 355, 4e-3},
    {"gpt2-large", "openai-community/gpt2-large", 36, 1280, 20, 20, 64, 5120, 50257, 1024, 'g',
     true, 774, 4e-3},
    {"gpt2-xl", "openai-community/gpt2-xl", 48, 1600, 25, 25, 64, 6400, 50257, 1024, 'g', true,
     1558, 4e-3},
    {"gpt3-175b", "arXiv:2005.14165 table 2.1", 96, 12288, 96, 96, 128, 49152, 50257, 2048, 'g',
     true, 174600, 1e-3},
    {"mt-nlg-530b", "arXiv:2104.04473 table 1", 105, 20480, 128, 128, 160, 81920, 51200, 2048, 'g',
     true, 529600, 1e-3},
    {"llama-7b", "arXiv:2302.13971 table 2", 32, 4096, 32, 32, 128, 11008, 32000, 2048, 'l', false,
     6738, 1e-3},
    {"llama-13b", "arXiv:2302.13971 table 2", 40, 5120, 40, 40, 128, 13824, 32000, 2048, 'l', false,
     13016, 1e-3},
    {"llama-30b", "arXiv:2302.13971 table 2", 60, 6656, 52, 52, 128, 17920, 32000, 2048, 'l', false,
     32529, 1e-3},
    {"llama-65b", "arXiv:2302.13971 table 2", 80, 8192, 64, 64, 128, 22016, 32000, 2048, 'l', false,
     65286, 1e-3},
    {"llama2-7b", "meta-llama/Llama-2-7b-hf", 32, 4096, 32, 32, 128, 11008, 32000, 4096, 'l', false,
     6738, 1e-3},
    {"llama2-13b", "meta-llama/Llama-2-13b-hf", 40, 5120, 40, 40, 128, 13824, 32000, 4096, 'l',
     false, 13016, 1e-3},
    {"llama2-70b", "meta-llama/Llama-2-70b-hf", 80, 8192, 64, 8, 128, 28672, 32000, 4096, 'l',
     false, 68977, 1e-3},
    {"llama3-8b", "meta-llama/Meta-Llama-3-8B", 32, 4096, 32, 8, 128, 14336, 128256, 8192, 'l',
     false, 8030, 1e-3},
    {"llama3-70b", "meta-llama/Meta-Llama-3-70B", 80, 8192, 64, 8, 128, 28672, 128256, 8192, 'l',
     false, 70554, 1e-3},
    {"llama3.1-405b", "meta-llama/Llama-3.1-405B", 126, 16384, 128, 8, 128, 53248, 128256, 8192,
     'l', false, 405853, 1e-3},
    {"llama3.2-1b", "meta-llama/Llama-3.2-1B", 16, 2048, 32, 8, 64, 8192, 128256, 8192, 'l', true,
     1236, 1e-3},
    {"llama3.2-3b", "meta-llama/Llama-3.2-3B", 28, 3072, 24, 8, 128, 8192, 128256, 8192, 'l', true,
     3213, 1e-3},
    {"mistral-7b", "mistralai/Mistral-7B-v0.1", 32, 4096, 32, 8, 128, 14336, 32000, 8192, 'l',
     false, 7242, 1e-3},
    {"qwen2.5-0.5b", "Qwen/Qwen2.5-0.5B", 24, 896, 14, 2, 64, 4864, 151936, 32768, 'q', true, 494,
     1e-3},
    {"qwen2.5-1.5b", "Qwen/Qwen2.5-1.5B", 28, 1536, 12, 2, 128, 8960, 151936, 32768, 'q', true,
     1544, 1e-3},
    {"qwen2.5-3b", "Qwen/Qwen2.5-3B", 36, 2048, 16, 2, 128, 11008, 151936, 32768, 'q', true, 3086,
     1e-3},
    {"qwen2.5-7b", "Qwen/Qwen2.5-7B", 28, 3584, 28, 4, 128, 18944, 152064, 32768, 'q', false, 7616,
     1e-3},
    {"qwen2.5-14b", "Qwen/Qwen2.5-14B", 48, 5120, 40, 8, 128, 13824, 152064, 32768, 'q', false,
     14770, 1e-3},
    {"qwen2.5-32b", "Qwen/Qwen2.5-32B", 64, 5120, 40, 8, 128, 27648, 152064, 32768, 'q', false,
     32764, 1e-3},
    {"qwen2.5-72b", "Qwen/Qwen2.5-72B", 80, 8192, 64, 8, 128, 29568, 152064, 32768, 'q', false,
     72706, 1e-3},
};

/* Mixtures of experts, as their config.json has them: all parameters and those that a token uses, by a count
** over the tensors of the published checkpoints (without multi-token prediction), and what the makers round
** them to: arXiv:2401.04088 (46.7 and 12.9 B), mistral.ai/news/mixtral-8x22b (141 and 39 B), arXiv:2405.04434
** (236 and 21 B; Lite 15.7 and 2.4 B, whose active ones leave the 0.21 B of the token table out),
** arXiv:2412.19437 (671 and 37 B, the same without the 0.93 B of the table). */
static const struct {
    memx_model model;
    double published, active;   /* billions, as the makers round them */
    double exact, exact_active; /* billions, of the checkpoints */
    bool without_table;
} experts[] = {
    {{.name = "mixtral-8x7b",
      .layers = 32,
      .hidden = 4096,
      .heads = 32,
      .kv_groups = 8,
      .head_dim = 128,
      .ffn_hidden = 14336,
      .vocab = 32000,
      .seq_length = 32768,
      .experts = 8,
      .experts_per_token = 2,
      .expert_ffn_hidden = 14336,
      .gated_mlp = true},
     46.7,
     12.9,
     46.702792704,
     12.88,
     false},
    {{.name = "mixtral-8x22b",
      .layers = 56,
      .hidden = 6144,
      .heads = 48,
      .kv_groups = 8,
      .head_dim = 128,
      .ffn_hidden = 16384,
      .vocab = 32768,
      .seq_length = 65536,
      .experts = 8,
      .experts_per_token = 2,
      .expert_ffn_hidden = 16384,
      .gated_mlp = true},
     141,
     39,
     140.630071296,
     39.16,
     false},
    {{.name = "deepseek-v2",
      .layers = 60,
      .hidden = 5120,
      .heads = 128,
      .kv_groups = 128,
      .head_dim = 192,
      .ffn_hidden = 12288,
      .vocab = 102400,
      .seq_length = 4096,
      .experts = 160,
      .experts_per_token = 6,
      .expert_ffn_hidden = 1536,
      .shared_experts = 2,
      .dense_layers = 1,
      .q_lora_rank = 1536,
      .kv_lora_rank = 512,
      .qk_nope_dim = 128,
      .qk_rope_dim = 64,
      .v_head_dim = 128,
      .gated_mlp = true},
     236,
     21,
     235.741434880,
     21.376,
     false},
    {{.name = "deepseek-v2-lite",
      .layers = 27,
      .hidden = 2048,
      .heads = 16,
      .kv_groups = 16,
      .head_dim = 192,
      .ffn_hidden = 10944,
      .vocab = 102400,
      .seq_length = 4096,
      .experts = 64,
      .experts_per_token = 6,
      .expert_ffn_hidden = 1408,
      .shared_experts = 2,
      .dense_layers = 1,
      .kv_lora_rank = 512,
      .qk_nope_dim = 128,
      .qk_rope_dim = 64,
      .v_head_dim = 128,
      .gated_mlp = true},
     15.7,
     2.4,
     15.706484224,
     2.661,
     true},
    {{.name = "deepseek-v3",
      .layers = 61,
      .hidden = 7168,
      .heads = 128,
      .kv_groups = 128,
      .head_dim = 192,
      .ffn_hidden = 18432,
      .vocab = 129280,
      .seq_length = 4096,
      .experts = 256,
      .experts_per_token = 8,
      .expert_ffn_hidden = 2048,
      .shared_experts = 1,
      .dense_layers = 3,
      .q_lora_rank = 1536,
      .kv_lora_rank = 512,
      .qk_nope_dim = 128,
      .qk_rope_dim = 64,
      .v_head_dim = 128,
      .gated_mlp = true},
     671,
     37,
     671.026419200,
     37.55,
     true},
};

static void published_experts(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(experts); i++) {
        const memx_model *m = &experts[i].model;
        memx_error error = {.text = ""};
        assert_ok(memx_model_check(m, &error), &error);
        double found = memx_model_parameters(m), active = memx_active_parameters(m);
        double table = experts[i].without_table ? (double)(m->vocab * m->hidden) : 0.0;
        assert_within(found, experts[i].exact * 1e9, 1e-3);
        assert_within(active, experts[i].exact_active * 1e9, 1e-3);
        /* What they round, 2.45 to 2.4 among them. */
        double digit = experts[i].published < 100 ? 0.1 : 1.0;
        assert_true(fabs(found / 1e9 - experts[i].published) <= 0.6 * digit);
        digit = experts[i].active < 20 ? 0.1 : 1.0;
        assert_true(fabs((active - table) / 1e9 - experts[i].active) <= 0.6 * digit);
    }
}

static void published_parameters(void **state) {
    (void)state;
    assert_int_equal(COUNT(published), 26);
    for (size_t i = 0; i < COUNT(published); i++) {
        bool gpt = published[i].family == 'g';
        memx_model m = {
            .layers = published[i].layers,
            .hidden = published[i].hidden,
            .heads = published[i].heads,
            .kv_groups = published[i].kv_groups,
            .head_dim = published[i].head_dim,
            .ffn_hidden = published[i].ffn_hidden,
            .vocab = published[i].vocab,
            .seq_length = published[i].seq_length,
            .gated_mlp = !gpt,
            .tied_embeddings = published[i].tied,
            .biases = gpt,
            .qkv_biases = gpt || published[i].family == 'q',
            .learned_positions = gpt,
            .layernorm = gpt,
        };
        memx_error error = {.text = ""};
        snprintf(m.name, sizeof m.name, "%s", published[i].name);
        assert_ok(memx_model_check(&m, &error), &error);
        double found = memx_model_parameters(&m), wanted = published[i].millions * 1e6;
        if (!(fabs(found / wanted - 1.0) <= published[i].tolerance)) {
            fail_with("%s (%s): %.0f parameters, published %.0f, off by %.3f %%", m.name,
                      published[i].source, found, wanted, 100.0 * (found / wanted - 1.0));
        }
    }
}

static memx_model random_gpt(rng *r) {
    int64_t heads = rng_between(r, 1, 128), width = 8 * rng_between(r, 1, 32);
    return model_gpt(rng_between(r, 1, 200), heads * width, heads, rng_between(r, 1, 300000),
                     rng_between(r, 1, 32768));
}

/* P = 12 L h^2 (1 + 13 / (12 h) + (V + s) / (12 L h)); the equation leaves the final norm out. */
static void parameters_of_gpt_are_equation_2(void **state) {
    (void)state;
    rng r = rng_start(1);
    for (int i = 0; i < 10000; i++) {
        memx_model m = random_gpt(&r);
        double L = (double)m.layers, h = (double)m.hidden, V = (double)m.vocab,
               s = (double)m.seq_length;
        double equation = 12.0 * L * h * h * (1.0 + 13.0 / (12.0 * h) + (V + s) / (12.0 * L * h));
        assert_within(memx_model_parameters(&m) - memx_norm_parameters(&m), equation, 1e-12);
        assert_same(memx_norm_parameters(&m), 2.0 * h);
    }
}

/* A layer's parts by hand: h = 8, 4 heads of 2, 2 groups, f = 12. */
static void layer_parameters_by_hand(void **state) {
    (void)state;
    memx_model m = model_llama(1, 8, 4, 2, 12, 100, 16);
    double attention = 8 * 8 + 2 * 8 * 4 + 8 * 8, mlp = 3 * 8 * 12;
    assert_same(memx_norm_parameters(&m), 8.0);
    assert_same(memx_layer_sharded_parameters(&m, MEMX_DENSE), attention + mlp);
    assert_same(memx_layer_parameters(&m, MEMX_DENSE), attention + mlp + 2 * 8);
    assert_same(memx_model_parameters(&m), attention + mlp + 2 * 8 + 8 + 2 * 800);
    m.tied_embeddings = true;
    assert_same(memx_model_parameters(&m), attention + mlp + 2 * 8 + 8 + 800);
    m.qkv_biases = true; /* column-parallel: split by tensor parallelism */
    assert_same(memx_layer_sharded_parameters(&m, MEMX_DENSE), attention + mlp + 8 + 2 * 4);
    m.biases = true; /* gate and up 2 f, split; projection and MLP down 2 h, not */
    assert_same(memx_layer_sharded_parameters(&m, MEMX_DENSE),
                attention + mlp + 8 + 2 * 4 + 2 * 12);
    assert_same(memx_layer_parameters(&m, MEMX_DENSE),
                attention + mlp + 8 + 2 * 4 + 2 * 12 + 2 * 8 + 2 * 8);
    m.layernorm = true;
    assert_same(memx_norm_parameters(&m), 16.0);
    m.learned_positions = true;
    m.layers = 3;
    assert_same(memx_model_parameters(&m),
                3 * memx_layer_parameters(&m, MEMX_DENSE) + 16 + 16 * 8 + 800);
}

/* The query width may differ from hidden (gemma, qwen3): heads * head_dim counts. */
static void query_width_is_its_own(void **state) {
    (void)state;
    memx_model m = model_llama(1, 8, 4, 2, 12, 100, 16);
    m.head_dim = 5;
    assert_same(memx_layer_sharded_parameters(&m, MEMX_DENSE),
                8 * 20 + 2 * 8 * 10 + 20 * 8 + 3 * 8 * 12);
    assert_same(memx_layer_attention_flops(&m), 4.0 * 16 * 20);
}

/* arXiv:2205.05198 table 5: the runs, their times, and the model FLOPs utilisation that they state,
** within 0.1 beyond what the rounding of a time to 0.01 s leaves open (0.19 for 1.10 s). */
static void published_mfu(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int64_t heads, hidden, layers, gpus, batch;
        double seconds, mfu;
    } runs[] = {
        {"22B", 64, 6144, 48, 8, 4, 1.10, 41.5},
        {"175B", 96, 12288, 96, 64, 64, 13.75, 51.4},
        {"530B", 128, 20480, 105, 280, 280, 37.83, 56.0},
        {"1T", 160, 25600, 128, 512, 512, 71.49, 56.3},
        {"530B, 8-way data parallel", 128, 20480, 105, 2240, 2240, 39.15, 54.2},
    };
    for (size_t i = 0; i < COUNT(runs); i++) {
        memx_model m = model_gpt(runs[i].layers, runs[i].hidden, runs[i].heads, 51200, 2048);
        double flops = memx_model_flops(&m) * 2048.0 * (double)runs[i].batch;
        double mfu = 100.0 * flops / (runs[i].seconds * (double)runs[i].gpus * 312e12);
        if (!(fabs(mfu - runs[i].mfu) <= 0.1 + mfu * 0.005 / runs[i].seconds)) {
            fail_with("%s: %.2f %%, published %.1f %%", runs[i].name, mfu, runs[i].mfu);
        }
    }
}

/* Forward of a layer: 24 B s h^2 + 4 B s^2 h (arXiv:2104.04473, appendix). Whole iteration, eq. 7
** of arXiv:2205.05198: 72 B L s h^2 (1 + s / (6 h) + V / (12 h L)). */
static void flops_of_gpt_are_the_papers(void **state) {
    (void)state;
    rng r = rng_start(2);
    for (int i = 0; i < 10000; i++) {
        memx_model m = random_gpt(&r);
        double L = (double)m.layers, h = (double)m.hidden, V = (double)m.vocab,
               s = (double)m.seq_length;
        assert_within(memx_layer_matrix_flops(&m, MEMX_DENSE), 24.0 * h * h, 1e-14);
        assert_within(memx_layer_attention_flops(&m), 4.0 * s * h, 1e-14);
        assert_within(memx_head_flops(&m, m.vocab), 2.0 * h * V, 1e-14);
        assert_within(memx_model_flops(&m),
                      72.0 * L * h * h * (1.0 + s / (6.0 * h) + V / (12.0 * h * L)), 1e-12);
    }
}

/* Gated MLP and grouped queries: two FLOPs a weight and token. */
static void flops_of_llama(void **state) {
    (void)state;
    memx_model m = model_llama(2, 8, 4, 2, 12, 100, 16);
    double weights = 8 * 8 + 2 * 8 * 4 + 8 * 8 + 3 * 8 * 12;
    assert_same(memx_layer_matrix_flops(&m, MEMX_DENSE), 2.0 * weights);
    assert_same(memx_layer_attention_flops(&m), 4.0 * 16 * 8);
    assert_same(memx_model_flops(&m), 3.0 * (2 * (2.0 * weights + 4.0 * 16 * 8) + 2.0 * 8 * 100));
}

static void vocabulary_is_padded_as_megatron_does(void **state) {
    (void)state;
    static const struct {
        int64_t vocab, tp, padded;
    } cases[] = {
        {151669, 4, 152064}, {151669, 1, 151680}, {50257, 1, 50304}, {50257, 8, 51200},
        {51200, 8, 51200},   {128, 1, 128},       {1, 1, 128},       {129, 1, 256},
        {1, 64, 8192},       {256, 2, 256},       {257, 2, 512},
    };
    memx_model m = model_gpt(1, 8, 1, 1, 1);
    for (size_t i = 0; i < COUNT(cases); i++) {
        m.vocab = cases[i].vocab;
        assert_whole(memx_padded_vocab(&m, cases[i].tp), cases[i].padded);
    }
    rng r = rng_start(3);
    for (int i = 0; i < 10000; i++) {
        m.vocab = rng_between(&r, 1, 1000000);
        int64_t tp = rng_between(&r, 1, 64), padded = memx_padded_vocab(&m, tp);
        assert_true(padded >= m.vocab && padded < m.vocab + 128 * tp && padded % (128 * tp) == 0);
    }
}

static void good_models_are_accepted(void **state) {
    (void)state;
    memx_error error = {.text = ""};
    memx_model m = model_gpt(1, 1, 1, 1, 1);
    assert_ok(memx_model_check(&m, &error), &error);
    m = model_llama(10000, 1000000, 1000000, 1000000, 10000000, 100000000, 100000000);
    m.head_dim = 1000000;
    assert_ok(memx_model_check(&m, &error), &error);
}

static void bad_models_are_refused(void **state) {
    (void)state;
    static const struct {
        size_t offset;
        int64_t most;
        const char *name;
    } sizes[] = {
        {offsetof(memx_model, layers), 10000, "layers"},
        {offsetof(memx_model, hidden), 1000000, "hidden"},
        {offsetof(memx_model, heads), 1000000, "heads"},
        {offsetof(memx_model, kv_groups), 1000000, "kv_groups"},
        {offsetof(memx_model, head_dim), 1000000, "head_dim"},
        {offsetof(memx_model, ffn_hidden), 10000000, "ffn_hidden"},
        {offsetof(memx_model, vocab), 100000000, "vocab"},
        {offsetof(memx_model, seq_length), 100000000, "seq_length"},
    };
    for (size_t i = 0; i < COUNT(sizes); i++) {
        const int64_t bad[] = {0, -1, INT64_MIN, sizes[i].most + 1, INT64_MAX};
        for (size_t j = 0; j < COUNT(bad); j++) {
            memx_model m = model_gpt(12, 768, 12, 50257, 1024);
            memx_error error = {.text = ""};
            char wanted[200];
            memcpy((char *)&m + sizes[i].offset, &bad[j], sizeof bad[j]);
            snprintf(wanted, sizeof wanted,
                     "model 'gpt': %s is %lld; write a whole number from 1 to %lld", sizes[i].name,
                     (long long)bad[j], (long long)sizes[i].most);
            assert_refused(memx_model_check(&m, &error), &error, wanted);
            assert_int_equal(memx_model_check(&m, NULL), MEMX_INVALID);
        }
    }
    memx_model m = model_llama(2, 8, 4, 3, 12, 100, 16);
    memx_error error = {.text = ""};
    assert_refused(memx_model_check(&m, &error), &error,
                   "model 'llama': kv_groups 3 does not divide heads 4; write ~");
}

/* Other heads cut the same query width: the matrices of queries and outputs keep their size. */
static void models_vary(void **state) {
    (void)state;
    memx_model m = model_llama(2, 64, 8, 4, 96, 100, 16), out;
    memx_error error = {.text = ""};
    assert_ok(memx_model_vary(&m, 16, 8, 4, &out, &error), &error);
    assert_memory_equal(&m, &out, sizeof m);
    assert_ok(memx_model_vary(&m, 32, 16, 2, &out, &error), &error);
    assert_whole(out.seq_length, 32);
    assert_whole(out.heads, 16);
    assert_whole(out.kv_groups, 2);
    assert_whole(out.head_dim, 4);
    assert_whole(out.hidden, 64);
    assert_refused(memx_model_vary(&m, 16, 7, 7, &out, &error), &error,
                   "model 'llama': 7 heads do not divide its query width 64");
    assert_refused(memx_model_vary(&m, 16, 0, 1, &out, &error), &error,
                   "model 'llama': 0 heads do not divide its query width 64");
    assert_refused(memx_model_vary(&m, 16, 8, 3, &out, &error), &error,
                   "model 'llama': kv_groups 3 does not divide heads 8; write ~");
    assert_refused(memx_model_vary(&m, 0, 8, 4, &out, &error), &error,
                   "model 'llama': seq_length is 0; write a whole number from 1 to 100000000");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_parameters),
        cmocka_unit_test(published_experts),
        cmocka_unit_test(parameters_of_gpt_are_equation_2),
        cmocka_unit_test(layer_parameters_by_hand),
        cmocka_unit_test(query_width_is_its_own),
        cmocka_unit_test(published_mfu),
        cmocka_unit_test(flops_of_gpt_are_the_papers),
        cmocka_unit_test(flops_of_llama),
        cmocka_unit_test(vocabulary_is_padded_as_megatron_does),
        cmocka_unit_test(good_models_are_accepted),
        cmocka_unit_test(bad_models_are_refused),
        cmocka_unit_test(models_vary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
