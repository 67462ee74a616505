/*
** Tests of core/stage.h: activations and model state in bytes against the closed forms of the
** papers, and how time and memory respond to layers, levels and degrees. One file, though a long one:
** all of its tests make their stages with the same few helpers.
*/
#include "core/stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/network.h"
#include "core/whole.h"
#include "support/check.h"
#include "support/jobs.h"

/* A device without context, so that every KiB is computed. */
static memx_device device_of(void) {
    test_job t;
    job_start(&t);
    job_device(&t, "A", "x", 81920.0);
    return t.devices[0];
}

/* A middle stage: neither embedding nor head. */
static memx_stage_spec spec_of(memx_model model, int64_t tp) {
    return (memx_stage_spec){
        .model = model, .tp = tp, .dp = 1, .micro_batch = 1, .in_flight = 1, .link_gbs = 300.0};
}

static memx_level level(memx_level_kind kind, int32_t n) {
    return (memx_level){kind, n, 0};
}

static memx_stage_price price(const memx_framework *f, const memx_stage_spec *spec, int64_t layers,
                              memx_level l) {
    const memx_device d = device_of();
    const memx_stage_choice choice = {layers, l};
    memx_stage_price out;
    memx_stage_price_all(&d, f, spec, &choice, 1, &out);
    return out;
}

static memx_model random_gpt(rng *r, int64_t tp) {
    int64_t heads = tp * rng_between(r, 1, 16);
    return model_gpt(rng_between(r, 1, 96), heads * 8 * rng_between(r, 1, 16), heads,
                     rng_between(r, 100, 200000), 8 * rng_between(r, 1, 1024));
}

static memx_model model_experts(int64_t dense_layers) {
    memx_model m = model_llama(12, 1024, 16, 8, 4096, 32000, 2048);
    m.experts = 8;
    m.experts_per_token = 2;
    m.expert_ffn_hidden = 1536;
    m.shared_experts = 1;
    m.dense_layers = dense_layers;
    return m;
}

/* ---- activations ---- */

/* arXiv:2205.05198 table 2, on random shapes. Every figure is a whole number of bytes. */
static void layer_bytes_are_table_2(void **state) {
    (void)state;
    memx_framework f = framework_2022();
    rng r = rng_start(1);
    for (int i = 0; i < 20000; i++) {
        int64_t tp = INT64_C(1) << rng_between(&r, 0, 3);
        memx_stage_spec spec = spec_of(random_gpt(&r, tp), tp);
        spec.micro_batch = rng_between(&r, 1, 8);
        double b = (double)spec.micro_batch, s = (double)spec.model.seq_length,
               h = (double)spec.model.hidden, a = (double)spec.model.heads, t = (double)tp;
        double sbh = s * b * h, core = 5.0 * a * s * s * b / t; /* sbh 5 a s / (h t) */
        assert_same(memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_NONE),
                    10.0 * sbh + 24.0 * sbh / t + core);
        assert_same(memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_SELECTIVE),
                    10.0 * sbh + 24.0 * sbh / t);
        assert_same(memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_FULL), 2.0 * sbh);
        if (tp == 1) {
            assert_same(memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_NONE),
                        34.0 * sbh + core);
        }
        spec.sequence_parallel = true;
        assert_same(memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_NONE),
                    34.0 * sbh / t + core);
        assert_same(memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_SELECTIVE),
                    34.0 * sbh / t);
        assert_same(memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_FULL), 2.0 * sbh / t);
    }
}

/* LLaMA with a fused kernel and no dropout, bytes per token: two norm and two linear inputs; query,
** key, value and attention output; gate, up and product; one fp32 statistic per head. */
static void layer_bytes_of_llama(void **state) {
    (void)state;
    memx_framework f = framework_bf16();
    rng r = rng_start(2);
    for (int i = 0; i < 20000; i++) {
        int64_t tp = INT64_C(1) << rng_between(&r, 0, 3), groups = tp * rng_between(&r, 1, 4);
        int64_t heads = groups * rng_between(&r, 1, 8), dim = 8 * rng_between(&r, 1, 16);
        memx_model m = model_llama(8, heads * dim, heads, groups, 8 * rng_between(&r, 1, 4096),
                                   32000, 8 * rng_between(&r, 1, 1024));
        if (rng_chance(&r, 30)) m.hidden = 8 * rng_between(&r, 1, 1024); /* its own query width */
        memx_stage_spec spec = spec_of(m, tp);
        spec.micro_batch = rng_between(&r, 1, 8);
        spec.sequence_parallel = tp > 1 && rng_chance(&r, 50);
        double tokens = (double)(spec.micro_batch * m.seq_length), t = (double)tp;
        double h = (double)m.hidden, a = (double)heads, g = (double)groups, d = (double)dim,
               ffn = (double)m.ffn_hidden, rows = spec.sequence_parallel ? t : 1.0;
        double core = 4.0 * a / t;
        double kept = 8.0 * h / rows + (2.0 * (a + 2.0 * g) * d + 2.0 * a * d + 6.0 * ffn) / t;
        assert_within(memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_NONE),
                      tokens * (kept + core), 1e-14);
        assert_within(memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_SELECTIVE),
                      tokens * kept, 1e-14);
        assert_within(memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_FULL),
                      tokens * 2.0 * h / rows, 1e-14);
    }
    /* LLaMA2-7B: 12 h + 4 h + 6 f is 32.1 h a token; LLaMA3-8B: 34 h. Statistics come on top. */
    memx_stage_spec spec = spec_of(model_llama(32, 4096, 32, 32, 11008, 32000, 4096), 1);
    double sbh = 4096.0 * 4096.0;
    assert_within(memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_SELECTIVE) / sbh, 32.125,
                  1e-14);
    spec.model = model_llama(32, 4096, 32, 8, 14336, 128256, 4096);
    assert_within(memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_SELECTIVE) / sbh, 34.0,
                  1e-14);
}

/* Dropout has two masks of a byte in a layer's rows; unfused attention keeps its scores. */
static void dropout_and_fusion(void **state) {
    (void)state;
    memx_framework f = framework_2022();
    memx_stage_spec spec = spec_of(model_gpt(4, 64, 4, 1000, 16), 1);
    double sbh = 16.0 * 64.0, scores = 4.0 * 16.0 * 16.0;
    assert_same(memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_NONE),
                34.0 * sbh + 5.0 * scores);
    f.dropout = false;
    assert_same(memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_NONE),
                32.0 * sbh + 2.0 * scores);
    f.fused_attention = true;
    assert_same(memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_NONE),
                32.0 * sbh + 4.0 * 4.0 * 16.0);
    f.activation_bytes = 4.0; /* fp32: all but the masks and the statistic double */
    assert_same(memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_NONE),
                64.0 * sbh + 4.0 * 4.0 * 16.0);
    assert_same(memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_FULL), 4.0 * sbh);
}

/* What a stage of l layers stores and works with at every level, from a layer's bytes. */
static void stage_activations_by_level(void **state) {
    (void)state;
    rng r = rng_start(3);
    for (int i = 0; i < 20000; i++) {
        memx_framework f = rng_chance(&r, 50) ? framework_2022() : framework_bf16();
        int64_t tp = INT64_C(1) << rng_between(&r, 0, 2), l = rng_between(&r, 1, 20);
        memx_stage_spec spec = spec_of(random_gpt(&r, tp), tp);
        spec.micro_batch = rng_between(&r, 1, 4);
        spec.in_flight = rng_between(&r, 1, 9);
        spec.sequence_parallel = tp > 1 && rng_chance(&r, 50);
        f.alpha_act = rng_real(&r, 0.9, 1.3);
        double kept = memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_NONE);
        double input = memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_FULL);
        double selective = memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_SELECTIVE);
        int32_t n = (int32_t)rng_between(&r, 1, 25);
        double layers = (double)l, first = (double)(n < l ? n : l);
        const struct {
            memx_level level;
            double stored, work;
        } cases[] = {
            {level(MEMX_NONE, 0), layers * kept, 0.0},
            {level(MEMX_SELECTIVE, 0), layers * selective, kept - selective},
            {level(MEMX_BLOCK, 0), layers * kept, 0.0},
            {level(MEMX_BLOCK, n), first * input + (layers - first) * kept, kept},
            {level(MEMX_UNIFORM, n), (double)((l + n - 1) / n) * input, first * kept},
            {level(MEMX_FULL, 0), layers * input, kept},
            {level(MEMX_SWAP, n), (layers - first) * kept, first < 2.0 ? kept : 2.0 * kept},
        };
        for (size_t c = 0; c < COUNT(cases); c++) {
            memx_stage_memory m = price(&f, &spec, l, cases[c].level).memory;
            double stored = f.alpha_act * (double)spec.in_flight * cases[c].stored / 1024.0;
            double work = f.alpha_act * cases[c].work / 1024.0;
            if (!(fabs((double)m.activation_kib - stored) <= 0.5 + 1e-12 * stored) ||
                !(fabs((double)m.work_kib - work) <= 0.5 + 1e-9 * work)) {
                char text[MEMX_LEVEL_TEXT];
                memx_level_format(cases[c].level, text);
                fail_with("case %d, %s on %lld layers: %lld + %lld KiB, wanted %.1f + %.1f", i,
                          text, (long long)l, (long long)m.activation_kib, (long long)m.work_kib,
                          stored, work);
            }
        }
    }
}

/* Swapped layers leave and come back within a pass, which lasts as long as that at least; optimizer state on
** the host is none on the card. LLaMA2-7B's layer: 32.125 h and a statistic a token, 202,383,360 parameters. */
static void what_the_host_holds(void **state) {
    (void)state;
    memx_framework f = framework_bf16(); /* 2 bytes of weights, 4 of gradients, 12 of optimizer */
    memx_stage_spec spec = spec_of(model_llama(32, 4096, 32, 32, 11008, 32000, 4096), 1);
    spec.in_flight = 3;
    spec.host_gbs = 10.0;
    double kept = 4096.0 * (32.125 * 4096.0 + 4.0 * 32.0), parameters = 202383360.0;
    memx_stage_price none = price(&f, &spec, 4, level(MEMX_NONE, 0));
    memx_stage_price swap = price(&f, &spec, 4, level(MEMX_SWAP, 3));
    assert_whole(none.host_kib, 0);
    assert_whole(swap.host_kib, memx_whole_kib(3.0 * 3.0 * kept));
    assert_whole(swap.memory.activation_kib, memx_whole_kib(f.alpha_act * 3.0 * kept));
    assert_whole(swap.memory.static_kib, none.memory.static_kib);
    int64_t moving = memx_whole_ns(3.0 * kept / 10e6); /* 162 ms, longer than either pass */
    assert_true(moving > none.forward_ns && moving > none.backward_ns);
    assert_whole(swap.forward_ns, moving);
    assert_whole(swap.backward_ns, moving);
    spec.host_gbs = 1e6; /* hidden behind computing */
    swap = price(&f, &spec, 4, level(MEMX_SWAP, 3));
    assert_whole(swap.forward_ns, none.forward_ns);
    assert_whole(swap.backward_ns, none.backward_ns);

    memx_level quarter = {MEMX_NONE, 0, 25};
    memx_stage_price offloaded = price(&f, &spec, 4, quarter);
    assert_whole(offloaded.host_kib, memx_whole_kib(0.25 * 12.0 * 4.0 * parameters));
    assert_whole(offloaded.memory.static_kib, memx_whole_kib((2.0 + 4.0 + 9.0) * 4.0 * parameters));
    assert_whole(offloaded.forward_ns, none.forward_ns);
    assert_whole(offloaded.backward_ns, none.backward_ns);
    spec.dp = 4;
    spec.distributed_optimizer = MEMX_ZERO_OPTIMIZER;
    offloaded = price(&f, &spec, 4, quarter);
    assert_whole(offloaded.host_kib, memx_whole_kib(0.25 * 3.0 * 4.0 * parameters));
}

/* The first stage keeps the embedding's output, with dropout its mask; the last the inputs of the
** final norm and of the head. Each per micro batch in flight. */
static void ends_of_the_pipeline_keep_more(void **state) {
    (void)state;
    memx_framework f = framework_2022();
    memx_stage_spec spec = spec_of(model_gpt(4, 1024, 4, 1000, 1024), 1);
    spec.in_flight = 3;
    int64_t input = 2 * 1024 * 1024 / 1024; /* KiB of one micro batch's rows */
    int64_t middle = price(&f, &spec, 2, level(MEMX_FULL, 0)).memory.activation_kib;
    assert_whole(middle, 3 * 2 * input);
    spec.first = true;
    assert_whole(price(&f, &spec, 2, level(MEMX_FULL, 0)).memory.activation_kib - middle,
                 3 * (input + input / 2));
    f.dropout = false;
    assert_whole(price(&f, &spec, 2, level(MEMX_FULL, 0)).memory.activation_kib - middle,
                 3 * input);
    spec.first = false;
    spec.last = true;
    assert_whole(price(&f, &spec, 2, level(MEMX_FULL, 0)).memory.activation_kib - middle,
                 3 * 2 * input);
}

/* A level and its canonical spelling cost the same. */
static void spelling_does_not_matter(void **state) {
    (void)state;
    rng r = rng_start(4);
    for (int i = 0; i < 20000; i++) {
        memx_framework f = rng_chance(&r, 50) ? framework_2022() : framework_bf16();
        memx_stage_spec spec = spec_of(random_gpt(&r, 1), 1);
        spec.in_flight = rng_between(&r, 1, 4);
        spec.last = rng_chance(&r, 50);
        int64_t layers = rng_between(&r, 1, 8);
        memx_level l = rng_chance(&r, 50) ? level(MEMX_BLOCK, (int32_t)rng_between(&r, 0, 12))
                                          : level(MEMX_UNIFORM, (int32_t)rng_between(&r, 1, 12));
        memx_stage_price a = price(&f, &spec, layers, l);
        memx_stage_price b = price(&f, &spec, layers, memx_level_canonical(l, layers));
        assert_memory_equal(&a, &b, sizeof a);
    }
}

/* ---- interleaved pipelines ---- */

/* A stage of chunks holds the parameters of all its layers and takes their time; its first chunk has the embedding,
** fewer of which are in flight; a level is of every chunk. */
static void a_stage_of_chunks(void **state) {
    (void)state;
    memx_framework f = framework_bf16();
    memx_model m = model_gpt(24, 1024, 8, 1000, 1024);
    memx_stage_spec whole = spec_of(m, 1), chunks = spec_of(m, 1);
    f.micro_batch_ms = 0.0; /* which every chunk has */
    whole.first = chunks.first = true;
    chunks.vp = 3;
    chunks.in_flight = 15; /* p 4: 3 * 4 + 3 */
    chunks.end_in_flight = 8;
    const memx_level levels[] = {{MEMX_NONE, 0, 0}, {MEMX_FULL, 0, 0}, {MEMX_SELECTIVE, 0, 0}};
    for (size_t i = 0; i < COUNT(levels); i++) {
        memx_stage_price a = price(&f, &whole, 12, levels[i]), b = price(&f, &chunks, 4, levels[i]);
        assert_true(a.forward_ns == b.forward_ns && a.backward_ns == b.backward_ns);
        assert_whole(a.memory.static_kib, b.memory.static_kib);
        assert_whole(a.memory.work_kib, b.memory.work_kib);
        double layer = memx_layer_activation_bytes(&f, &whole, MEMX_DENSE, levels[i].kind);
        double input = 2.0 * 1024.0 * 1024.0;
        assert_whole(b.memory.activation_kib, memx_whole_kib(15.0 * 4.0 * layer + 8.0 * input));
    }
    assert_same(memx_stage_parameters(&whole, 12, NULL), memx_stage_parameters(&chunks, 4, NULL));
    /* block2 in each of three chunks recomputes what block6 does in one of twelve layers. */
    memx_stage_price a = price(&f, &whole, 12, level(MEMX_BLOCK, 6)),
                     b = price(&f, &chunks, 4, level(MEMX_BLOCK, 2));
    assert_true(a.forward_ns == b.forward_ns && a.backward_ns == b.backward_ns);
    /* Only the first chunk of the first stage has dense layers. */
    memx_model experts = model_experts(2);
    chunks.model = experts;
    double routed = 0.0;
    memx_stage_parameters(&chunks, 4, &routed);
    assert_same(routed, 10.0 * memx_layer_expert_parameters(&experts, MEMX_EXPERTS));
}

/* ---- context parallelism ---- */

/* The greater of two that hinder each other a little. */
static double smooth(double a, double b) {
    return cbrt(a * a * a + b * b * b);
}

/* A rank holds what one of so many tokens would, its state divided over dp * cp; keys and values that arrive in time
** cost next to nothing, others what the steps of attention do not hide, in all three passes. */
static void context_ranks_share_sequences(void **state) {
    (void)state;
    memx_framework f = framework_bf16(); /* fused attention: nothing grows with the square */
    memx_model m = model_gpt(8, 1024, 8, 1000, 4096), shorter = m;
    shorter.seq_length = 1024;
    f.layer_ms = f.collective_us = 0.0;
    memx_stage_spec one = spec_of(shorter, 2), four = spec_of(m, 2);
    one.last = four.last = true;
    one.in_flight = four.in_flight = 3;
    one.distributed_optimizer = four.distributed_optimizer = MEMX_ZERO_OPTIMIZER;
    one.dp = 8;
    four.dp = 2;
    four.cp = 4;
    four.ring_gbs = 1e9;
    memx_stage_price a = price(&f, &one, 5, level(MEMX_NONE, 0)),
                     b = price(&f, &four, 5, level(MEMX_NONE, 0));
    assert_memory_equal(&a.memory, &b.memory, sizeof a.memory);
    assert_true(b.forward_ns > a.forward_ns); /* to the keys of all tokens */
    four.ring_gbs = 0.01;
    memx_device d = device_of();
    double step =
        1024.0 * memx_layer_attention_flops(&m) / 2.0 / (d.peak_tflops * 1e9 * d.efficiency) / 4.0;
    double bytes = 2.0 * 1024.0 * 2.0 * 1024.0 / 2.0;
    double move = memx_ring_step_ms(bytes, 0.01), before = memx_ring_step_ms(bytes, 1e9);
    memx_stage_price slow = price(&f, &four, 5, level(MEMX_NONE, 0));
    assert_true(before > step); /* a message's own time */
    int64_t forward = llround(5.0 * 3.0 * (smooth(move, step) - smooth(before, step)) * 1e6);
    assert_true(llabs(slow.forward_ns - b.forward_ns - forward) <= 1);
    assert_true(llabs(slow.backward_ns - b.backward_ns - 2 * forward) <= 2);
    /* Selective recompute goes around the ring once more. */
    memx_stage_price again = price(&f, &four, 5, level(MEMX_SELECTIVE, 0));
    int64_t core = llround(5.0 * (step + 3.0 * smooth(move, step)) * 1e6);
    assert_true(llabs(again.backward_ns - slow.backward_ns - core) <= 2);
    four.model.seq_length = 65536; /* long enough to hide the ring */
    four.ring_gbs = 100.0;
    b = price(&f, &four, 5, level(MEMX_NONE, 0));
    four.ring_gbs = 1e9;
    slow = price(&f, &four, 5, level(MEMX_NONE, 0));
    assert_true(b.forward_ns > slow.forward_ns && b.backward_ns > slow.backward_ns);
    assert_true((double)b.forward_ns < 1.01 * (double)slow.forward_ns);
}

/* ---- model state ---- */

/* Bytes a parameter: Megatron-LM docs (dist_optimizer), arXiv:1910.02054 for ZeRO stage 1. */
static void state_bytes(void **state) {
    (void)state;
    const struct {
        memx_framework framework;
        double whole, fixed, divided, temporary;
    } cases[] = {
        {framework_bf16(), 18.0, 6.0, 12.0, 0.0},
        {framework_fp16(), 20.0, 4.0, 16.0, 0.0},
        {framework_zero(), 16.0, 4.0, 12.0, 4.0},
    };
    rng r = rng_start(5);
    for (int i = 0; i < 5000; i++) {
        for (size_t c = 0; c < COUNT(cases); c++) {
            const memx_framework *f = &cases[c].framework;
            int64_t layers = rng_between(&r, 1, 20);
            memx_stage_spec spec = spec_of(random_gpt(&r, 2), 2);
            spec.dp = rng_between(&r, 1, 16);
            spec.first = rng_chance(&r, 50);
            spec.last = rng_chance(&r, 50);
            double D = (double)spec.dp, parameters = memx_stage_parameters(&spec, layers, NULL);
            memx_stage_memory m = price(f, &spec, layers, level(MEMX_NONE, 0)).memory;
            assert_whole(m.static_kib, llround(cases[c].whole * parameters / 1024.0));
            assert_whole(m.optimizer_kib, llround(cases[c].temporary * parameters / 1024.0));
            spec.distributed_optimizer = MEMX_ZERO_OPTIMIZER;
            m = price(f, &spec, layers, level(MEMX_NONE, 0)).memory;
            double wanted = (cases[c].fixed + cases[c].divided / D) * parameters / 1024.0;
            assert_true(fabs((double)m.static_kib - wanted) <= 0.5 + 1e-12 * wanted);
            wanted = cases[c].temporary / D * parameters / 1024.0;
            assert_true(fabs((double)m.optimizer_kib - wanted) <= 0.5 + 1e-12 * wanted);
        }
    }
}

/* arXiv:1910.02054 figure 1: gradients from stage 2 on, parameters from stage 3 on. Whole are the gradients of one
** unit, in stage 3 the parameters of two neighbours: of layers, or of a layer and a table at the ends. */
static void zero_divides_one_after_the_other(void **state) {
    (void)state;
    memx_framework f = framework_bf16(); /* 2, 4 and 12 bytes */
    memx_model m = model_gpt(6, 64, 8, 1000, 32);
    const double layer = 12.0 * 64 * 64 + 13.0 * 64, table = 1024.0 * 64;
    assert_true(table > layer);
    for (int end = 0; end <= 1; end++) {
        memx_stage_spec spec = spec_of(m, 1);
        spec.last = end == 1;
        spec.dp = 4;
        double all = memx_stage_parameters(&spec, 3, NULL);
        double one = end ? table : layer, two = end ? table + layer : 2.0 * layer;
        const double wanted[] = {18.0 * all, 6.0 * all + 12.0 * all / 4.0,
                                 2.0 * all + 16.0 * all / 4.0 + 4.0 * one,
                                 18.0 * all / 4.0 + 4.0 * one + 2.0 * two};
        for (int zero = 0; zero <= 3; zero++) {
            spec.distributed_optimizer = zero;
            assert_whole(price(&f, &spec, 3, level(MEMX_NONE, 0)).memory.static_kib,
                         memx_whole_kib(wanted[zero]));
        }
    }
    /* Experts that one rank alone has are not divided, and so never gathered. */
    memx_stage_spec routed = spec_of(model_experts(0), 1);
    routed.dp = routed.ep = 8;
    memx_units alone = memx_stage_units(&routed, 2);
    routed.dp = 16;
    memx_units shared = memx_stage_units(&routed, 2);
    assert_same(shared.one - alone.one,
                memx_layer_expert_parameters(&routed.model, MEMX_EXPERTS) / 8.0);
    memx_stage_spec spec = spec_of(m, 1);
    memx_units single = memx_stage_units(&spec, 1); /* nothing beside it */
    assert_true(single.one == layer && single.two == layer);
}

/* One GPU's share: matrices and column biases over tp, the rest on every rank; tables padded. */
static void stage_parameters_by_hand(void **state) {
    (void)state;
    memx_model m = model_gpt(6, 64, 8, 1000, 32);
    memx_stage_spec spec = spec_of(m, 4);
    double layer = (12.0 * 64 * 64 + 7.0 * 64) / 4 + 2.0 * 64 + 4.0 * 64;
    assert_same(memx_stage_parameters(&spec, 3, NULL), 3 * layer);
    double table = 64.0 * 1024 / 4; /* 1000 padded to 2 * 128 * 4 */
    spec.first = true;
    assert_same(memx_stage_parameters(&spec, 3, NULL), 3 * layer + table + 64.0 * 32);
    spec.last = true; /* one stage: the tied head is the same table */
    assert_same(memx_stage_parameters(&spec, 3, NULL), 3 * layer + table + 64.0 * 32 + 128);
    spec.first = false; /* another stage's table: a copy */
    assert_same(memx_stage_parameters(&spec, 3, NULL), 3 * layer + table + 128);
    spec.model.tied_embeddings = false;
    spec.first = true;
    assert_same(memx_stage_parameters(&spec, 3, NULL), 3 * layer + 2 * table + 64.0 * 32 + 128);
}

/* A pipeline's stages hold the whole model: its parameters once, tied tables twice. */
static void stages_hold_the_model(void **state) {
    (void)state;
    rng r = rng_start(6);
    for (int i = 0; i < 5000; i++) {
        memx_model m = random_gpt(&r, 1);
        m.tied_embeddings = rng_chance(&r, 50);
        m.vocab = 128 * rng_between(&r, 1, 1000);
        int64_t stages = rng_between(&r, 1, m.layers < 8 ? m.layers : 8), left = m.layers;
        double sum = 0.0;
        for (int64_t s = 0; s < stages; s++) {
            memx_stage_spec spec = spec_of(m, 1);
            int64_t layers = s + 1 < stages ? rng_between(&r, 1, left - (stages - s - 1)) : left;
            spec.first = s == 0;
            spec.last = s + 1 == stages;
            left -= layers;
            sum += memx_stage_parameters(&spec, layers, NULL);
        }
        double copy = m.tied_embeddings && stages > 1 ? (double)(m.vocab * m.hidden) : 0.0;
        assert_within(sum, memx_model_parameters(&m) + copy, 1e-13);
    }
}

static void logits_are_on_the_last_stage(void **state) {
    (void)state;
    memx_framework f = framework_bf16();
    memx_stage_spec spec = spec_of(model_llama(4, 64, 8, 8, 128, 151669, 1024), 4);
    spec.micro_batch = 2;
    assert_whole(price(&f, &spec, 2, level(MEMX_NONE, 0)).memory.logits_kib, 0);
    spec.first = true;
    assert_whole(price(&f, &spec, 2, level(MEMX_NONE, 0)).memory.logits_kib, 0);
    spec.last = true;
    assert_whole(price(&f, &spec, 2, level(MEMX_NONE, 0)).memory.logits_kib,
                 INT64_C(6) * 2 * 152064 / 4);
    f.logits_sharded = false;
    f.logit_bytes = 12.0;
    assert_whole(price(&f, &spec, 2, level(MEMX_NONE, 0)).memory.logits_kib,
                 INT64_C(12) * 2 * 152064);
    /* They are there once, whatever is in flight. */
    spec.in_flight = 7;
    assert_whole(price(&f, &spec, 2, level(MEMX_NONE, 0)).memory.logits_kib,
                 INT64_C(12) * 2 * 152064);
}

/* ---- random stages ---- */

static memx_framework random_framework(rng *r) {
    memx_framework f;
    switch (rng_between(r, 0, 3)) {
    case 0: f = framework_bf16(); break;
    case 1: f = framework_fp16(); break;
    case 2: f = framework_2022(); break;
    default: f = framework_zero(); break;
    }
    if (rng_chance(r, 30)) f.layer_ms = f.collective_us = f.micro_batch_ms = 0.0;
    return f;
}

static memx_stage_spec random_spec(rng *r) {
    int64_t tp = INT64_C(1) << rng_between(r, 0, 3);
    memx_stage_spec spec = spec_of(random_gpt(r, tp), tp);
    spec.dp = rng_between(r, 1, 8);
    spec.micro_batch = rng_between(r, 1, 8);
    spec.in_flight = rng_between(r, 1, 8);
    spec.first = rng_chance(r, 30);
    spec.last = rng_chance(r, 30);
    spec.sequence_parallel = tp > 1 && rng_chance(r, 50);
    spec.distributed_optimizer = spec.dp > 1 && rng_chance(r, 50);
    spec.link_gbs = rng_real(r, 10, 900);
    return spec;
}

static memx_level random_level(rng *r) {
    memx_level_kind kind = (memx_level_kind)rng_between(r, MEMX_NONE, MEMX_FULL);
    bool counted = kind == MEMX_BLOCK || kind == MEMX_UNIFORM;
    return level(kind, counted ? (int32_t)rng_between(r, 1, 9) : 0);
}

static int64_t time_of(memx_stage_price p) {
    return p.forward_ns + p.backward_ns;
}

static void parts_add_up(void **state) {
    (void)state;
    rng r = rng_start(7);
    for (int i = 0; i < 20000; i++) {
        memx_framework f = random_framework(&r);
        memx_device d = device_of();
        memx_stage_spec spec = random_spec(&r);
        memx_stage_choice choice = {rng_between(&r, 1, 20), random_level(&r)};
        memx_stage_price p;
        d.context_mib = 300.0;
        d.alpha_static = rng_real(&r, 0.9, 1.3);
        memx_stage_price_all(&d, &f, &spec, &choice, 1, &p);
        const memx_stage_memory *m = &p.memory;
        assert_whole(m->context_kib, 300 * 1024);
        assert_true(m->static_kib > 0 && m->activation_kib > 0 && m->work_kib >= 0 &&
                    m->logits_kib >= 0 && m->optimizer_kib >= 0);
        assert_whole(memx_stage_peak_kib(m), m->context_kib + m->static_kib + m->activation_kib +
                                                 m->work_kib + m->logits_kib + m->optimizer_kib);
        /* A batch of choices costs what each costs alone. */
        memx_stage_choice many[3] = {{1, {MEMX_NONE, 0, 0}}, choice, {7, {MEMX_FULL, 0, 0}}};
        memx_stage_price out[3];
        memx_stage_price_all(&d, &f, &spec, many, 3, out);
        assert_memory_equal(&out[1], &p, offsetof(memx_stage_price, extrapolated));
        assert_true(p.forward_ns > 0 && p.backward_ns > p.forward_ns);
    }
}

/* One layer more: longer, and never less memory, at any level. More in flight: the same. */
static void monotone_in_layers_and_in_flight(void **state) {
    (void)state;
    rng r = rng_start(8);
    for (int i = 0; i < 20000; i++) {
        memx_framework f = random_framework(&r);
        memx_stage_spec spec = random_spec(&r);
        memx_level l = random_level(&r);
        int64_t layers = rng_between(&r, 1, 20);
        memx_stage_price less = price(&f, &spec, layers, l), more = price(&f, &spec, layers + 1, l);
        if (!(time_of(more) > time_of(less) && more.forward_ns > less.forward_ns &&
              memx_stage_peak_kib(&more.memory) > memx_stage_peak_kib(&less.memory))) {
            char text[MEMX_LEVEL_TEXT];
            memx_level_format(l, text);
            fail_with("case %d: %s, %lld layers and one more", i, text, (long long)layers);
        }
        spec.in_flight++;
        memx_stage_price flight = price(&f, &spec, layers, l);
        assert_true(memx_stage_peak_kib(&flight.memory) > memx_stage_peak_kib(&less.memory));
        assert_whole(time_of(flight), time_of(less));
    }
}

/* Without host time, what a level adds is exactly what it computes again. */
static void levels_add_what_they_compute_again(void **state) {
    (void)state;
    rng r = rng_start(9);
    for (int i = 0; i < 20000; i++) {
        memx_framework f = random_framework(&r);
        f.layer_ms = f.collective_us = f.micro_batch_ms = 0.0;
        memx_stage_spec spec = random_spec(&r);
        spec.last = false;
        int64_t layers = rng_between(&r, 2, 20);
        memx_stage_price none = price(&f, &spec, layers, level(MEMX_NONE, 0));
        memx_stage_price one = price(&f, &spec, 1, level(MEMX_NONE, 0));
        memx_stage_price full = price(&f, &spec, layers, level(MEMX_FULL, 0));
        memx_stage_price group = price(&f, &spec, layers, level(MEMX_UNIFORM, 2));
        memx_stage_price block = price(&f, &spec, layers, level(MEMX_BLOCK, 1));
        memx_stage_price selective = price(&f, &spec, layers, level(MEMX_SELECTIVE, 0));
        assert_whole(full.forward_ns, none.forward_ns);
        assert_whole(block.forward_ns, none.forward_ns);
        assert_whole(selective.forward_ns, none.forward_ns);
        /* One more forward of the stage, or of one layer; nanoseconds are rounded. */
        int64_t again = full.backward_ns - none.backward_ns;
        assert_true(llabs(again - none.forward_ns) <= 2);
        assert_true(group.backward_ns == full.backward_ns);
        assert_true(llabs(block.backward_ns - none.backward_ns - one.forward_ns) <= 2);
        assert_true(selective.backward_ns > none.backward_ns &&
                    selective.backward_ns < full.backward_ns);
        /* Backward is two forwards. */
        assert_true(spec.tp > 1 || llabs(none.backward_ns - 2 * none.forward_ns) <= 2);
    }
    /* Selective is little: s / (6 h) of a forward with the attention core alone, here 1/18. */
    memx_framework f = framework_2022();
    f.layer_ms = f.collective_us = f.micro_batch_ms = f.elementwise_bytes = f.score_bytes = 0.0;
    memx_stage_spec spec = spec_of(model_gpt(8, 12288, 96, 51200, 2048), 1);
    memx_stage_price none = price(&f, &spec, 8, level(MEMX_NONE, 0));
    memx_stage_price selective = price(&f, &spec, 8, level(MEMX_SELECTIVE, 0));
    double extra = (double)(selective.backward_ns - none.backward_ns) / (double)time_of(none);
    assert_true(extra > 0.005 && extra < 2048.0 / (18.0 * 12288.0));
}

/* Tensor parallelism divides the products: with links that cost nothing, never slower. */
static void tp_cuts_compute(void **state) {
    (void)state;
    rng r = rng_start(10);
    for (int i = 0; i < 20000; i++) {
        memx_framework f = random_framework(&r);
        f.layer_ms = f.collective_us = f.micro_batch_ms = 0.0;
        memx_stage_spec spec = spec_of(random_gpt(&r, 8), 1);
        spec.micro_batch = rng_between(&r, 1, 8);
        spec.model.hidden *= 8;
        spec.model.head_dim *= 8;
        spec.model.ffn_hidden *= 8;
        int64_t collectives = 0;
        memx_stage_price one = price(&f, &spec, 4, level(MEMX_NONE, 0));
        for (int64_t tp = 2; tp <= 8; tp *= 2) {
            memx_stage_spec split = spec;
            split.tp = tp;
            split.link_gbs = 1e12;
            split.sequence_parallel = rng_chance(&r, 50);
            memx_stage_price p = price(&f, &split, 4, level(MEMX_NONE, 0));
            /* Four collectives a layer remain, of latency alone: at most 0.2 ms each. */
            collectives = 4 * 4 * 200000;
            assert_true(time_of(p) < time_of(one) + collectives);
            assert_true(p.memory.static_kib < one.memory.static_kib);
            assert_true(p.memory.activation_kib < one.memory.activation_kib);
        }
    }
    /* On large layers nearly tp times faster. */
    memx_framework f = framework_bf16();
    memx_stage_spec spec = spec_of(model_gpt(4, 12288, 96, 51200, 2048), 1);
    spec.micro_batch = 4;
    int64_t one = time_of(price(&f, &spec, 4, level(MEMX_NONE, 0)));
    spec.tp = 8;
    spec.sequence_parallel = true;
    int64_t eight = time_of(price(&f, &spec, 4, level(MEMX_NONE, 0)));
    assert_true(one > 5 * eight && one < 8 * eight);
}

/* arXiv:2205.05198 table 4: one layer of the 22B model, tp 8, micro batch 4, on A100: 7.7 ms
** forward, 11.9 backward, 19.5 with full recompute. The nominal constants come within a quarter. */
static void a_measured_layer(void **state) {
    (void)state;
    memx_framework f = framework_2022();
    f.micro_batch_ms = 0.0;
    memx_device d = device_of();
    d.efficiency = 0.87;
    d.memory_gbs = 2039.0;
    memx_stage_spec spec = spec_of(model_gpt(48, 6144, 64, 51200, 2048), 8);
    spec.micro_batch = 4;
    memx_stage_choice choices[] = {{48, {MEMX_NONE, 0, 0}}, {48, {MEMX_FULL, 0, 0}}};
    memx_stage_price out[2];
    memx_stage_price_all(&d, &f, &spec, choices, 2, out);
    assert_within((double)out[0].forward_ns / 48e6, 7.7, 0.25);
    assert_within((double)out[0].backward_ns / 48e6, 11.9, 0.25);
    assert_within((double)out[1].backward_ns / 48e6, 19.5, 0.25);
}

/* Milliseconds of C[M,N] = A[M,K] B[K,N] in half precision: arithmetic and a pass over all.
** */
static double product_ms(double m, double n, double k, double flops_ms, double bytes_ms) {
    return 2.0 * m * n * k / flops_ms + 2.0 * (m * k + k * n + m * n) / bytes_ms;
}

/* The prior of the time model, term by term: four products, attention, elementwise traffic of which
** 0.4 is on whole rows, two all-reduces; backward is two forwards and two all-reduces; the head. */
static void times_by_hand(void **state) {
    (void)state;
    const memx_device d = device_of();
    double e = 312e9 * 0.8, w = 2000e6 * 0.75;
    rng r = rng_start(11);
    for (int i = 0; i < 5000; i++) {
        memx_framework f = framework_2022();
        f.layer_ms = f.collective_us = f.micro_batch_ms = 0.0;
        int64_t tp = INT64_C(1) << rng_between(&r, 0, 3);
        memx_stage_spec spec = spec_of(random_gpt(&r, tp), tp);
        spec.micro_batch = rng_between(&r, 1, 8);
        spec.sequence_parallel = tp > 1 && rng_chance(&r, 50);
        spec.last = rng_chance(&r, 50);
        f.tp_overlap = rng_chance(&r, 50) ? 0.0 : rng_real(&r, 0, 1);
        double n = (double)(spec.micro_batch * spec.model.seq_length), t = (double)tp;
        double s = (double)spec.model.seq_length, h = (double)spec.model.hidden;
        double scores = (double)(spec.micro_batch * spec.model.heads) * s * s / t;
        double whole_rows = spec.sequence_parallel ? 0.4 / t : 0.4;
        double compute = product_ms(n, 3.0 * h / t, h, e, w) + product_ms(n, h, h / t, e, w) +
                         product_ms(n, 4.0 * h / t, h, e, w) + product_ms(n, h, 4.0 * h / t, e, w) +
                         4.0 * n * s * h / t / e + 12.0 * scores / w +
                         50.0 * n * h * (whole_rows + 0.6 / t) / w;
        double collective = 1.1 * memx_all_reduce_ms(2.0 * n * h, tp, 300.0);
        /* Weight gradients can hide two of the backward's, one with sequence parallelism. */
        double hidden = f.tp_overlap * (spec.sequence_parallel ? 1.0 : 2.0);
        double vocab = (double)memx_padded_vocab(&spec.model, tp) / t;
        double head = spec.last ? product_ms(n, vocab, h, e, w) : 0.0;
        double logits = spec.last ? 50.0 * n * vocab / w : 0.0;
        int64_t l = rng_between(&r, 1, 12);
        memx_stage_choice choice = {l, {MEMX_NONE, 0, 0}};
        memx_stage_price p;
        memx_stage_price_all(&d, &f, &spec, &choice, 1, &p);
        double forward = (double)l * (compute + 2.0 * collective) + head + logits / 3.0;
        double backward = (double)l * (2.0 * compute + (2.0 - hidden) * collective) + 2.0 * head +
                          logits * 2.0 / 3.0;
        assert_true(fabs((double)p.forward_ns - forward * 1e6) <= 1.0 + 1e-12 * forward * 1e6);
        assert_true(fabs((double)p.backward_ns - backward * 1e6) <= 1.0 + 1e-12 * backward * 1e6);
    }
}

/* Where selective recompute keeps every second product, the others are computed again: key and output of
** attention, and of the MLP the gate, or without one the product down; kept are a layer's input and what
** query, value, attention, up and a gated MLP's down put out. */
static void selective_keeps_every_second_product(void **state) {
    (void)state;
    const memx_device d = device_of();
    double e = 312e9 * 0.8, w = 2000e6 * 0.75;
    rng r = rng_start(23);
    for (int i = 0; i < 2000; i++) {
        memx_framework f = framework_bf16();
        f.layer_ms = f.collective_us = f.micro_batch_ms = 0.0;
        f.selective_products = true;
        bool gated = rng_chance(&r, 50);
        int64_t heads = rng_between(&r, 1, 8), dim = 16 * rng_between(&r, 1, 8);
        memx_model m = model_llama(8, heads * dim, heads, heads, 8 * rng_between(&r, 1, 2048),
                                   32000, 8 * rng_between(&r, 1, 512));
        m.gated_mlp = gated;
        memx_stage_spec spec = spec_of(m, 1);
        spec.micro_batch = rng_between(&r, 1, 4);
        double n = (double)(spec.micro_batch * m.seq_length), h = (double)m.hidden;
        double ffn = (double)m.ffn_hidden, outer = gated ? 2.0 : 1.0;
        assert_same(memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_SELECTIVE),
                    n * (2.0 * (outer * h + 3.0 * h + ffn) + 4.0 * (double)heads));
        double attention = product_ms(n, 3.0 * h, h, e, w) + product_ms(n, h, h, e, w);
        double mlp = gated ? product_ms(n, 2.0 * ffn, h, e, w) / 2.0 : product_ms(n, h, ffn, e, w);
        double again = attention / 2.0 + mlp + f.elementwise_bytes * n * h / w;
        memx_stage_choice choices[] = {{4, {MEMX_NONE, 0, 0}}, {4, {MEMX_SELECTIVE, 0, 0}}};
        memx_stage_price p[2];
        memx_stage_price_all(&d, &f, &spec, choices, 2, p);
        double found = (double)(p[1].backward_ns - p[0].backward_ns);
        assert_that(fabs(found - 4e6 * again) <= 2.0 + 1e-12 * 4e6 * again, "%g, wanted %g", found,
                    4e6 * again);
    }
}

/* Where launching takes longer than computing, the host sets the time; each micro batch has a fixed
** cost besides. */
static void the_host_launches(void **state) {
    (void)state;
    memx_framework f = framework_bf16();
    f.layer_ms = 100.0;
    f.collective_us = 1000.0;
    f.micro_batch_ms = 3.0;
    memx_stage_spec spec = spec_of(model_gpt(4, 64, 4, 1000, 16), 1);
    memx_stage_price p = price(&f, &spec, 4, level(MEMX_NONE, 0));
    assert_within((double)p.forward_ns / 1e6, 4 * 100.0 + 1.0, 1e-4);
    assert_within((double)p.backward_ns / 1e6, 4 * 100.0 + 2.0, 1e-4);
    p = price(&f, &spec, 4, level(MEMX_FULL, 0)); /* launched once more */
    assert_within((double)p.backward_ns / 1e6, 4 * 200.0 + 2.0, 1e-4);
    spec.tp = 4; /* two collectives a pass, of 1 ms each to launch */
    p = price(&f, &spec, 4, level(MEMX_NONE, 0));
    assert_within((double)p.forward_ns / 1e6, 4 * 102.0 + 1.0, 1e-4);
    assert_within((double)p.backward_ns / 1e6, 4 * 102.0 + 2.0, 1e-4);
}

/* A host that launches in no time sets none, however little it is. */
static void a_host_that_takes_nothing(void **state) {
    (void)state;
    memx_framework f = framework_bf16();
    memx_stage_spec spec = spec_of(model_gpt(4, 64, 4, 1000, 16), 1);
    f.layer_ms = 0.0;
    memx_stage_price wanted = price(&f, &spec, 4, level(MEMX_FULL, 0));
    f.layer_ms = 1e-300;
    memx_stage_price found = price(&f, &spec, 4, level(MEMX_FULL, 0));
    assert_whole(found.forward_ns, wanted.forward_ns);
    assert_whole(found.backward_ns, wanted.backward_ns);
}

/* The output head, on the last stage alone, costs time that no layer explains. */
static void the_head_takes_time(void **state) {
    (void)state;
    memx_framework f = framework_bf16();
    memx_stage_spec spec = spec_of(model_llama(4, 1024, 8, 8, 4096, 32000, 1024), 1);
    memx_stage_price middle = price(&f, &spec, 2, level(MEMX_NONE, 0));
    spec.first = true;
    assert_whole(time_of(price(&f, &spec, 2, level(MEMX_NONE, 0))), time_of(middle));
    spec.last = true;
    memx_stage_price last = price(&f, &spec, 2, level(MEMX_NONE, 0));
    double product_ms = 2.0 * 1024 * 1024 * 32000 / (312e9 * 0.8);
    assert_true((double)(last.forward_ns - middle.forward_ns) > product_ms * 1e6);
    spec.model.vocab *= 8;
    memx_stage_price large = price(&f, &spec, 2, level(MEMX_NONE, 0));
    assert_within((double)(large.forward_ns - middle.forward_ns),
                  8.0 * (double)(last.forward_ns - middle.forward_ns), 0.05);
}

/* Absurd sizes saturate: no overflow, no negative figure. */
static void absurd_sizes_saturate(void **state) {
    (void)state;
    memx_framework f = framework_2022();
    memx_model m = model_gpt(10000, 1000000, 1, 100000000, 100000000);
    m.heads = m.kv_groups = m.head_dim = 1000000;
    m.ffn_hidden = 10000000;
    memx_stage_spec spec = spec_of(m, 1);
    spec.micro_batch = 1000000000;
    spec.in_flight = 1000;
    spec.first = spec.last = true;
    f.optimizer_temp_bytes = 64.0;
    f.alpha_act = 1e12;
    f.logit_bytes = 1e12;
    memx_stage_price p = price(&f, &spec, 10000, level(MEMX_NONE, 0));
    assert_whole(p.forward_ns, MEMX_MOST_NS);
    assert_whole(p.backward_ns, MEMX_MOST_NS);
    assert_whole(p.memory.activation_kib, MEMX_MOST_KIB);
    assert_whole(p.memory.logits_kib, MEMX_MOST_KIB);
    assert_true(memx_stage_peak_kib(&p.memory) > 0);
    assert_true(memx_stage_peak_kib(&p.memory) <= 6 * MEMX_MOST_KIB);
}

/* The analytic pricer is this model. */
static void the_analytic_pricer(void **state) {
    (void)state;
    test_job t;
    job_start(&t);
    job_device(&t, "A", "x", 40960.0);
    job_device(&t, "B", "x", 81920.0);
    t.devices[1].peak_tflops = 900.0;
    memx_stage_spec spec = spec_of(t.job.model, 1);
    memx_stage_choice choices[] = {{1, {MEMX_NONE, 0, 0}}, {5, {MEMX_FULL, 0, 0}}};
    memx_stage_price found[2], wanted[2];
    memx_error error = {.text = ""};
    assert_string_equal(memx_analytic_pricer.name, "analytic");
    assert_ok(memx_analytic_pricer.price(memx_analytic_pricer.context, &t.job, 1, &spec, choices, 2,
                                         found, &error),
              &error);
    memx_stage_price_all(&t.devices[1], &t.job.framework, &spec, choices, 2, wanted);
    for (int i = 0; i < 2; i++) {
        assert_whole(found[i].forward_ns, wanted[i].forward_ns);
        assert_whole(found[i].backward_ns, wanted[i].backward_ns);
        assert_memory_equal(&found[i].memory, &wanted[i].memory, sizeof found[i].memory);
        assert_false(found[i].extrapolated);
    }
}

/* ---- experts ---- */

/* All stages together hold the model: routed experts once in ep tensor groups. */
static void stages_hold_all_experts(void **state) {
    (void)state;
    for (int64_t ep = 1; ep <= 8; ep *= 2) {
        const memx_model m = model_experts(3);
        const int64_t layers[] = {5, 4, 3};
        double sum = 0.0;
        for (int s = 0; s < 3; s++) {
            double routed = 0.0;
            memx_stage_spec spec = spec_of(m, 1);
            spec.ep = ep;
            spec.dp = 8;
            spec.first = s == 0;
            spec.last = s == 2;
            double all = memx_stage_parameters(&spec, layers[s], &routed);
            assert_same(routed,
                        (double)(s == 0 ? 2 : layers[s]) * 8.0 * 3.0 * 1024 * 1536 / (double)ep);
            sum += all - routed + (double)ep * routed;
        }
        memx_model whole = m;
        whole.vocab = memx_padded_vocab(&m, 1);
        assert_within(sum, memx_model_parameters(&whole), 1e-13);
    }
    assert_whole(memx_stage_least_layers(&(memx_model){.layers = 4}, true), 1);
    const memx_model m = model_experts(3);
    assert_whole(memx_stage_least_layers(&m, true), 3);
    assert_whole(memx_stage_least_layers(&m, false), 1);
}

/* Optimizer state of experts is divided over dp / ep alone. */
static void state_of_experts(void **state) {
    (void)state;
    memx_framework f = framework_bf16(); /* 6 + 12 / ranks */
    memx_device d = device_of();
    memx_stage_spec spec = spec_of(model_experts(0), 1);
    spec.dp = 16;
    spec.ep = 4;
    spec.distributed_optimizer = MEMX_ZERO_OPTIMIZER;
    spec.exchange_gbs = 100.0;
    double routed = 0.0, all = memx_stage_parameters(&spec, 3, &routed);
    double bytes = (all - routed) * (6.0 + 12.0 / 16.0) + routed * (6.0 + 12.0 / 4.0);
    assert_whole(price(&f, &spec, 3, level(MEMX_NONE, 0)).memory.static_kib,
                 llround(d.alpha_static * bytes / 1024.0));
}

/* What a layer of experts keeps, by hand, and levels on a stage that has both kinds. */
static void activations_of_experts(void **state) {
    (void)state;
    memx_framework f = framework_bf16();
    const memx_model m = model_experts(3);
    memx_stage_spec spec = spec_of(m, 2);
    spec.micro_batch = 1;
    spec.sequence_parallel = true;
    double n = 2048.0;
    double rows = 8.0 * 1024 / 2, attention = 2.0 * (1024 + 1024 + 1024) / 2, core = 4.0 * 16 / 2;
    double dense = n * (rows + attention + 6.0 * 4096 / 2 + core);
    double experts = n * (rows + attention + 6.0 * 1536 / 2 + core + 8.0 * 8 / 2) +
                     2.0 * n * (2.0 * 1024 + 6.0 * 1536 / 2);
    assert_within(memx_layer_activation_bytes(&f, &spec, MEMX_DENSE, MEMX_NONE), dense, 1e-14);
    assert_within(memx_layer_activation_bytes(&f, &spec, MEMX_EXPERTS, MEMX_NONE), experts, 1e-14);
    spec.ep = 2; /* the fullest rank has a quarter more rows */
    spec.exchange_gbs = 100.0;
    double more = experts + 0.5 * n * (2.0 * 1024 + 6.0 * 1536 / 2);
    assert_within(memx_layer_activation_bytes(&f, &spec, MEMX_EXPERTS, MEMX_NONE), more, 1e-14);
    spec.first = true;
    spec.in_flight = 1;
    double input = n * 2.0 * 1024 / 2; /* of a layer, and the embedding's output */
    const struct {
        memx_level level;
        double stored, work;
    } cases[] = {
        {{MEMX_NONE, 0, 0}, 3 * dense + 2 * more, 0},
        {{MEMX_FULL, 0, 0}, 5 * input, fmax(dense, more)},
        {{MEMX_BLOCK, 2, 0}, 2 * input + dense + 2 * more, dense},
        {{MEMX_BLOCK, 4, 0}, 4 * input + more, fmax(dense, more)},
        {{MEMX_UNIFORM, 2, 0}, 3 * input, fmax(2 * dense, dense + more)},
        {{MEMX_UNIFORM, 4, 0}, 2 * input, 3 * dense + more},
        {{MEMX_SWAP, 3, 0}, 2 * more, 2 * dense},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        memx_stage_price p = price(&f, &spec, 5, cases[i].level);
        assert_whole(p.memory.activation_kib, llround((cases[i].stored + input) / 1024.0));
        assert_whole(p.memory.work_kib, llround(cases[i].work / 1024.0));
    }
}

/* A stage's time grows by a dense layer's, then by a layer's with experts; all-to-alls add two a pass. */
static void time_of_experts(void **state) {
    (void)state;
    memx_framework f = framework_bf16();
    f.layer_ms = f.collective_us = 0.0;
    memx_stage_spec spec = spec_of(model_experts(3), 1);
    spec.first = true;
    int64_t last = 0, steps[8] = {0};
    for (int64_t l = 1; l <= 7; l++) {
        int64_t now = price(&f, &spec, l, level(MEMX_NONE, 0)).forward_ns;
        steps[l] = now - last;
        last = now;
    }
    assert_true(llabs(steps[2] - steps[3]) <= 2 && llabs(steps[4] - steps[5]) <= 2);
    assert_true(llabs(steps[6] - steps[7]) <= 2 && llabs(steps[3] - steps[4]) > 1000);
    spec.first = false;
    spec.ep = 4;
    spec.dp = 4;
    spec.exchange_gbs = 1e9;
    memx_stage_price fast = price(&f, &spec, 1, level(MEMX_NONE, 0));
    memx_stage_price again = price(&f, &spec, 1, level(MEMX_FULL, 0));
    spec.exchange_gbs = 50.0;
    memx_stage_price slow = price(&f, &spec, 1, level(MEMX_NONE, 0));
    memx_stage_price slow_again = price(&f, &spec, 1, level(MEMX_FULL, 0));
    double sent = 1.25 * 2.0 * (double)spec.micro_batch * 2048 * 1024 * 2.0 * 3.0 / 4.0;
    double wanted = 2.0 * 1.1 * sent / 50e9 * 1e9;
    assert_within((double)(slow.forward_ns - fast.forward_ns), wanted, 1e-4);
    assert_within((double)(slow.backward_ns - fast.backward_ns), wanted, 1e-4);
    assert_within((double)(slow_again.backward_ns - again.backward_ns), 2.0 * wanted, 1e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_hold_all_experts),
        cmocka_unit_test(state_of_experts),
        cmocka_unit_test(activations_of_experts),
        cmocka_unit_test(time_of_experts),
        cmocka_unit_test(layer_bytes_are_table_2),
        cmocka_unit_test(layer_bytes_of_llama),
        cmocka_unit_test(dropout_and_fusion),
        cmocka_unit_test(stage_activations_by_level),
        cmocka_unit_test(what_the_host_holds),
        cmocka_unit_test(ends_of_the_pipeline_keep_more),
        cmocka_unit_test(spelling_does_not_matter),
        cmocka_unit_test(context_ranks_share_sequences),
        cmocka_unit_test(a_stage_of_chunks),
        cmocka_unit_test(state_bytes),
        cmocka_unit_test(zero_divides_one_after_the_other),
        cmocka_unit_test(stage_parameters_by_hand),
        cmocka_unit_test(stages_hold_the_model),
        cmocka_unit_test(logits_are_on_the_last_stage),
        cmocka_unit_test(parts_add_up),
        cmocka_unit_test(monotone_in_layers_and_in_flight),
        cmocka_unit_test(levels_add_what_they_compute_again),
        cmocka_unit_test(tp_cuts_compute),
        cmocka_unit_test(a_measured_layer),
        cmocka_unit_test(times_by_hand),
        cmocka_unit_test(selective_keeps_every_second_product),
        cmocka_unit_test(the_host_launches),
        cmocka_unit_test(a_host_that_takes_nothing),
        cmocka_unit_test(the_head_takes_time),
        cmocka_unit_test(absurd_sizes_saturate),
        cmocka_unit_test(the_analytic_pricer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
