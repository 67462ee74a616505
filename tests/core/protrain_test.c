/*
** Tests of core/protrain.h, protrain_block.h and protrain_chunks.h: each equation on a search of two blocks and
** four chunks whose numbers are round, worked out by hand beside the test.
*/
#include "core/protrain.h"

#include "core/protrain_search.h"
#include "core/stage.h"

#include <math.h>
#include <string.h>

#include "support/check.h"
#include "support/jobs.h"

/* Two blocks of two chunks each; one micro batch. A chunk takes 50 ns forward and 100 backward to compute, 70
** to come (10 to gather, 60 to copy), 20 to reduce, 40 to go; a block's swap takes 80 each way. */
typedef struct round_job {
    memx_job job;
    memx_protrain p;
    memx_piece pieces[4];
    memx_protrain_batch batch;
    memx_protrain_host host;
    int64_t gpu_update_ns[5], cpu_update_ns[5];
} round_job;

static void start(round_job *r) {
    *r = (round_job){
        .job = {.model = {.name = "two", .layers = 2},
                .framework = {.parameter_bytes = 2.0},
                .gpus = 4},
        .pieces = {{1, 0, 1.0, 0.5}, {1, 1, 1.0, 0.5}, {2, 2, 1.0, 0.5}, {2, 3, 1.0, 0.5}},
        .batch = {.micro_batch = 4,
                  .steps = 1,
                  .block = {.forward_ns = 100,
                            .backward_ns = 200,
                            .kept_kib = 1000,
                            .input_kib = 100,
                            .forward_kib = 1500,
                            .backward_kib = 700,
                            .unkept_kib = 600,
                            .intervals = 9},
                  .swap_out_ns = 80,
                  .swap_in_ns = 80},
        .host = {.gpus = 2, .memory_kib = 10000, .usable_kib = 9500},
        .gpu_update_ns = {0, 5, 10, 15, 20},
        .cpu_update_ns = {1000, 750, 500, 250, 0},
        .p = {.chunks = {.mib = 64, .count = 4, .piece_count = 4},
              .blocks = 2,
              .batch_count = 1,
              .host_count = 1,
              .fetch_gather_ns = 10,
              .fetch_copy_ns = 60,
              .reduce_ns = 20,
              .offload_ns = 40,
              .persist_kib = 30,
              .buffer_kib = 20,
              .gradient_kib = 10,
              .host_kib = 40,
              .card_kib = 4000,
              .usable_kib = 4000,
              .context_kib = 50},
    };
    r->p.job = &r->job;
    r->p.chunks.pieces = r->pieces;
    r->p.batches = &r->batch;
    r->p.hosts = &r->host;
    r->p.gpu_update_ns = r->gpu_update_ns;
    r->p.cpu_update_ns = r->cpu_update_ns;
}

static memx_protrain_time time_of(const round_job *r, int32_t swap, int32_t checkpoint,
                                  int32_t persist, int32_t buffer) {
    memx_protrain_choice choice = {0, swap, checkpoint, persist, buffer};
    memx_protrain_row row;
    assert_int_equal(memx_protrain_row_at(&r->p, &choice, &row), MEMX_OK);
    return row.time;
}

/* Eqs. 3 and 4: max(50, 0) for a chunk that persists, max(50, 10 + 60) for another. */
static void forward_waits_for_chunks_that_come(void **state) {
    (void)state;
    round_job r;
    start(&r);
    assert_whole(time_of(&r, 0, 0, 0, 2).forward_ns, 4 * 70);
    assert_whole(time_of(&r, 0, 0, 1, 2).forward_ns, 50 + 3 * 70);
    assert_whole(time_of(&r, 0, 0, 4, 0).forward_ns, 4 * 50);
    assert_whole(time_of(&r, 0, 0, 4, 0).exposed_ns, 0);
    assert_whole(time_of(&r, 0, 0, 0, 4).exposed_ns, 4 * 20); /* backward: all in buffers */
}

/* Eqs. 5 to 7: max(100, 20) where it persists; max(100, 20 + 40) in a buffer; max(100, 20 + 40 + 70). */
static void backward_fetches_what_left_its_buffer(void **state) {
    (void)state;
    round_job r;
    start(&r);
    assert_whole(time_of(&r, 0, 0, 0, 2).backward_ns, 2 * 130 + 2 * 100);
    assert_whole(time_of(&r, 0, 0, 0, 4).backward_ns, 4 * 100);
    assert_whole(time_of(&r, 0, 0, 1, 2).backward_ns, 100 + 130 + 2 * 100);
    assert_whole(time_of(&r, 0, 0, 4, 0).backward_ns, 4 * 100);
    /* Both blocks computed again: 50 more a chunk, which hide the transfers. */
    assert_whole(time_of(&r, 0, 2, 0, 2).backward_ns, 4 * 150);
    /* Block 0 alone. */
    assert_whole(time_of(&r, 0, 1, 0, 2).backward_ns, 2 * 150 + 2 * 100);
}

/* Swapped block 0: its chunks take 70 + 40; those of block 1 come while it swaps, 10 + 60 * 1.5. Backward:
** 20 + 40 + 70 + 40 for the first, buffers for the others. */
static void swapping_takes_the_link(void **state) {
    (void)state;
    round_job r;
    start(&r);
    assert_whole(time_of(&r, 1, 0, 0, 2).forward_ns, 2 * 110 + 2 * 100);
    assert_whole(time_of(&r, 1, 0, 0, 2).backward_ns, 2 * 170 + 2 * 100);
    /* Both swapped: forward 110, 110, 10 + 90 + 40 twice; backward without buffers 20 + 40 + 10 + 90 + 40 in
    ** block 0, which follows block 1. */
    assert_whole(time_of(&r, 2, 0, 0, 2).forward_ns, 2 * 110 + 2 * 140);
    assert_whole(time_of(&r, 2, 0, 0, 2).backward_ns, 2 * 200 + 2 * 100);
}

/* Eq. 2: the host's update runs beside backward and the GPU's. */
static void optimizers_overlap_backward(void **state) {
    (void)state;
    round_job r;
    start(&r);
    assert_whole(time_of(&r, 0, 0, 0, 2).iteration_ns, 280 + 1000);
    assert_whole(time_of(&r, 0, 0, 4, 0).iteration_ns, 200 + 400 + 20);
    assert_whole(time_of(&r, 0, 0, 3, 1).iteration_ns, 220 + 400 + 15);
    r.batch.steps = 3; /* 3 * 280 + 2 * 460 + max(460, 1000) */
    assert_whole(time_of(&r, 0, 0, 0, 2).iteration_ns, 840 + 920 + 1000);
    assert_whole(time_of(&r, 0, 0, 0, 2).forward_ns, 840);
}

/* Eqs. 8 to 10, by hand: what is live, and what the block needs on top. */
static void activations_peak(void **state) {
    (void)state;
    round_job r;
    start(&r);
    /* Backward of block 1: 100 + 1000 (block 0) + 1000 + 700. */
    assert_whole(memx_protrain_activations_kib(&r.p, 0, 0, 0, false), 2800);
    /* Backward of block 1: 100 + 100 (input of block 0) + 100 + 1000 + 700. */
    assert_whole(memx_protrain_activations_kib(&r.p, 0, 0, 2, false), 2000);
    /* Block 0 keeps its input; backward of block 1: 200 + 1700, of block 0: 100 + 100 + 1700. */
    assert_whole(memx_protrain_activations_kib(&r.p, 0, 0, 1, false), 1900);
    /* Block 0 is swapped: in backward of block 1 it arrives, 100 + 1700 + 1000. */
    assert_whole(memx_protrain_activations_kib(&r.p, 0, 1, 0, false), 2800);
    /* In forward of block 1, swapped or not, block 0 still leaves: 100 + 3000 + 1000. */
    r.batch.block.forward_kib = 3000;
    assert_whole(memx_protrain_activations_kib(&r.p, 0, 1, 0, false), 4100);
    assert_whole(memx_protrain_activations_kib(&r.p, 0, 2, 0, false), 4100);
    r.batch.block.forward_kib = 1500;
    /* Both are: the same as one; beside the head block 1 is on its way, 100 + 2000 + 1000. */
    assert_whole(memx_protrain_activations_kib(&r.p, 0, 2, 0, false), 2800);
    r.batch.head_kib = 2000;
    assert_whole(memx_protrain_activations_kib(&r.p, 0, 2, 0, false), 3100);
    r.batch.head_kib = 5000; /* with everything live: 100 + 2 * 1000 */
    assert_whole(memx_protrain_activations_kib(&r.p, 0, 0, 0, false), 7100);
}

/* Eq. 11: 50 + 1.1 (1000 + 10 + 2 * 30 + 3 * 20), rounded up. */
static void peak_has_ten_percent_of_fragmentation(void **state) {
    (void)state;
    round_job r;
    start(&r);
    assert_whole(memx_protrain_gpu_kib(&r.p, 1000, 2, 3), 50 + 1243);
    assert_whole(memx_protrain_gpu_kib(&r.p, 1001, 2, 3), 50 + 1245);
}

/* 3 chunks of 40 on 4 GPUs, 2 of them here: 60; and block 0's activations of both. */
static void host_holds_the_rest(void **state) {
    (void)state;
    round_job r;
    start(&r);
    memx_protrain_choice choice = {0, 1, 0, 1, 2};
    assert_whole(memx_protrain_host_kib(&r.p, &r.host, &choice), 60 + 2000);
    choice.swap = 0;
    assert_whole(memx_protrain_host_kib(&r.p, &r.host, &choice), 60);
}

/* What fits is what the two memories say. */
static void room_is_what_peaks_leave(void **state) {
    (void)state;
    round_job r;
    memx_protrain_pair pair;
    start(&r);
    r.p.usable_kib = 50 + 1210; /* 1100 without fragmentation: 1090 beside gradients */
    r.batch.block = (memx_block){.kept_kib = 490, .backward_kib = 480};
    memx_protrain_pair_at(&r.p, 0, 0, 2, &pair); /* 970: leaves 120 */
    assert_whole(pair.activation_kib, 970);
    assert_int_equal(pair.gpu_most, 4); /* 4 * 30 */
    r.batch.block.backward_kib = 481;
    memx_protrain_pair_at(&r.p, 0, 0, 2, &pair); /* 119: 3 * 30 + 20 */
    assert_int_equal(pair.gpu_most, 3);
    assert_int_equal(pair.host_least, 0);
    r.host.usable_kib = 59; /* 2 chunks are 40, 3 are 60 */
    memx_protrain_pair_at(&r.p, 0, 0, 2, &pair);
    assert_int_equal(pair.host_least, 2);
    assert_int_equal(memx_protrain_most_buffer(&r.p, &pair, 2), 2); /* 119 - 60, two are left */
    assert_int_equal(memx_protrain_least_buffer(&r.p, 0), 2);
    assert_int_equal(memx_protrain_least_buffer(&r.p, 3), 1);
    assert_int_equal(memx_protrain_least_buffer(&r.p, 4), 0);
}

static void blocks_are_swapped_first_and_kept_last(void **state) {
    (void)state;
    const struct {
        int32_t blocks, swap, checkpoint;
        const char *modes;
    } cases[] = {
        {5, 0, 0, "nnnnn"}, {5, 0, 5, "ccccc"},   {5, 0, 2, "cncnn"}, {5, 0, 3, "ccncn"},
        {5, 0, 4, "ccccn"}, {5, 2, 1, "sscnn"},   {5, 2, 3, "ssccc"}, {6, 0, 3, "cncncn"},
        {1, 1, 0, "s"},     {7, 1, 2, "scnncnn"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int32_t b = 0; b < cases[i].blocks; b++) {
            memx_block_mode mode =
                memx_protrain_mode(cases[i].blocks, cases[i].swap, cases[i].checkpoint, b);
            assert_that("scn"[mode] == cases[i].modes[b], "case %zu, block %d: %c, wanted %c", i,
                        (int)b, "scn"[mode], cases[i].modes[b]);
        }
    }
}

/* Two operators: (intra, inter, kept) = (5, 7, 3), (4, 2, 2) forward, (6, 0, -2), (9, 0, -3) backward. */
static void operators_are_walked(void **state) {
    (void)state;
    const double k = 1024.0;
    const memx_operator operators[] = {
        {.time_ms = 1.0, .intra_bytes = 5 * k, .inter_bytes = 7 * k, .kept_bytes = 3 * k},
        {.time_ms = 2.0, .intra_bytes = 4 * k, .inter_bytes = 2 * k, .kept_bytes = 2 * k},
        {.backward = true, .time_ms = 3.0, .intra_bytes = 6 * k, .kept_bytes = -2 * k},
        {.backward = true, .time_ms = 4.0, .intra_bytes = 9 * k, .kept_bytes = -3 * k},
    };
    memx_block block;
    memx_block_walk(operators, 4, 1.0, 100 * k, &block);
    assert_whole(block.forward_ns, 3000000);
    assert_whole(block.backward_ns, 7000000);
    assert_whole(block.kept_kib, 5);
    assert_whole(block.input_kib, 100);
    assert_whole(block.forward_kib, 7);        /* 0 + 7, 3 + 4 */
    assert_whole(block.unkept_kib, 7);         /* the same: the output before is an input */
    assert_whole(block.backward_kib, 7);       /* 0 + 6, -2 + 9 */
    assert_whole(block.hooked_forward_kib, 5); /* at the ends of operators: 3, 5 */
    assert_whole(block.hooked_backward_kib, 0);
    assert_int_equal(block.intervals, 2);
    memx_block_walk(operators, 2, 2.0, 100 * k, &block); /* twice the micro batch, forward alone */
    assert_whole(block.forward_ns, 6000000);
    assert_whole(block.backward_ns, 12000000);
    assert_whole(block.kept_kib, 10);
    assert_whole(block.backward_kib, 14);
}

/* The analytic operators leave what arXiv:2205.05198's table 2 says. */
static void analytic_operators_keep_a_layers_activations(void **state) {
    (void)state;
    const memx_framework frameworks[] = {framework_bf16(), framework_fp16(), framework_2022(),
                                         framework_zero()};
    const memx_model models[] = {model_gpt(12, 1024, 16, 50257, 512),
                                 model_llama(12, 1024, 16, 4, 2816, 32000, 2048)};
    for (size_t f = 0; f < COUNT(frameworks); f++) {
        for (size_t m = 0; m < COUNT(models); m++) {
            memx_stage_spec spec = {.model = models[m], .tp = 1, .dp = 1, .micro_batch = 3};
            memx_operator operators[MEMX_ANALYTIC_OPERATORS];
            int32_t count =
                memx_block_operators(&models[m], &frameworks[f], 3, 1.0, 2.0, operators);
            double kept = 0.0, freed = 0.0, forward_ms = 0.0, backward_ms = 0.0;
            assert_true(count <= MEMX_ANALYTIC_OPERATORS);
            for (int32_t i = 0; i < count; i++) {
                *(operators[i].backward ? &freed : &kept) += operators[i].kept_bytes;
                *(operators[i].backward ? &backward_ms : &forward_ms) += operators[i].time_ms;
                assert_true(operators[i].intra_bytes >= 0.0 && *operators[i].name);
            }
            assert_within(kept,
                          memx_layer_activation_bytes(&frameworks[f], &spec, MEMX_DENSE, MEMX_NONE),
                          1e-12);
            assert_within(freed, -kept, 1e-12);
            assert_within(forward_ms, 1.0, 1e-12);
            assert_within(backward_ms, 2.0, 1e-12);
        }
    }
}

/* Units of one size: a block of h = 1024 has 12,596,224 parameters, 24.03 MiB in half precision: one in 32 MiB,
** two in 64, five in 128, ten in 256. 20 of them are 480.5 MiB. The table, 50,304 rows, is 98.25 MiB with 512
** positions at 1 MiB, the final norm small. */
static void chunks_waste_least(void **state) {
    (void)state;
    memx_model m = model_gpt(20, 1024, 16, 50257, 512);
    memx_chunks chunks;
    memx_error error = {.text = ""};
    double units = 50304.0 * 1024 + 512.0 * 1024 + 20 * 12596224.0 + 2048;
    assert_within(memx_layer_parameters(&m, MEMX_DENSE), 12596224.0, 0.0);
    assert_ok(memx_chunks_open(&m, 2.0, &chunks, &error), &error);
    /* 256: table and 6, 10, 4: 768. 128: table and 1, 5, 5, 5, 4: 640. 64: table (98.25 + 1 of 128) and 1, then
    ** 2 each, the last with one: 768. 32: 4 chunks and 20: 768, the norm in the last one's rest. */
    assert_int_equal(chunks.mib, 128);
    assert_int_equal(chunks.count, 5);
    assert_int_equal(chunks.table, 1);
    assert_within(chunks.parameters, units, 1e-12);
    double share = 0.0;
    int32_t unit = 0, chunk = 0;
    for (int32_t i = 0; i < chunks.piece_count; i++) { /* in order, and no block is cut */
        const memx_piece *piece = &chunks.pieces[i];
        assert_true(piece->unit >= unit && piece->chunk >= chunk);
        unit = piece->unit;
        chunk = piece->chunk;
        share += piece->share;
    }
    assert_within(share, 22.0, 1e-12);
    assert_int_equal(chunks.piece_count, 22);
    memx_chunks_close(&chunks);
    /* A block larger than a chunk goes tensor by tensor, behind the embedding: query, key and value of 8 MiB;
    ** output, since 32.6 is too much; up of 32 alone, its bias, down alone, its bias. */
    m = model_gpt(1, 2048, 16, 128, 16);
    assert_ok(memx_chunks_lay(&m, 2.0, 32, &chunks, &error), &error);
    assert_int_equal(chunks.count, 6);
    memx_chunks_close(&chunks);
    m = model_gpt(10000, 1000000, 16, 128, 16);
    assert_refused(memx_chunks_open(&m, 2.0, &chunks, &error), &error,
                   "model 'gpt' takes more than 65536 chunks of 256 MiB");
    memx_chunks_close(&chunks);
}

static void texts_are_read(void **state) {
    (void)state;
    round_job r;
    memx_error error = {.text = ""};
    memx_protrain_choice choice = {0, 1, 1, 1, 3}, read;
    char text[MEMX_PROTRAIN_TEXT];
    start(&r);
    memx_protrain_format(&r.p, &choice, text);
    assert_string_equal(text, "mb4.chunk64.persist1.buffer3.swap1.ckpt1");
    assert_ok(memx_protrain_parse(&r.p, text, &read, &error), &error);
    assert_memory_equal(&read, &choice, sizeof read);
    const struct {
        const char *text, *message;
    } wrong[] = {
        {"", "'' is no configuration; write it as ~"},
        {"mb4.chunk64.persist1.buffer3.swap1", "'~' is no configuration; write it as ~"},
        {"mb4.chunk64.persist1.buffer3.swap1.ckpt1.", "'~' is no configuration; write it as ~"},
        {"mb04.chunk64.persist1.buffer3.swap1.ckpt1", "'~' is no configuration; write it as ~"},
        {"mb4.chunk64.persist99999999999.buffer3.swap1.ckpt1",
         "'~' is no configuration; write it as ~"},
        {"mb2.chunk64.persist1.buffer3.swap1.ckpt1",
         "micro batch 2 is none of the job's; there are: 4"},
        {"mb4.chunk32.persist1.buffer3.swap1.ckpt1", "the job's chunks are of 64 MiB, not 32"},
        {"mb4.chunk64.persist1.buffer1.swap1.ckpt1",
         "buffer1: the 3 chunks that do not persist need 2"},
        {"mb4.chunk64.persist5.buffer0.swap1.ckpt1",
         "persist5 and buffer0 are more than the 4 chunks"},
        {"mb4.chunk64.persist1.buffer4.swap1.ckpt1",
         "persist1 and buffer4 are more than the 4 chunks"},
        {"mb4.chunk64.persist1.buffer3.swap2.ckpt1", "swap2 and ckpt1 are more than the 2 blocks"},
        {"mb4.chunk64.persist1.buffer3.swap0.ckpt3", "swap0 and ckpt3 are more than the 2 blocks"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_refused(memx_protrain_parse(&r.p, wrong[i].text, &read, &error), &error,
                       wrong[i].message);
    }
    r.batch.block.intervals = 1;
    assert_refused(
        memx_protrain_parse(&r.p, "mb4.chunk64.persist1.buffer3.swap2.ckpt0", &read, &error),
        &error, "swap2: at most 1 blocks are swapped, as many as a block has operators");
}

/* What a job must be. */
static void jobs_are_refused(void **state) {
    (void)state;
    test_job t;
    memx_protrain p;
    memx_error error = {.text = ""};
    int64_t odd[] = {3};
    const memx_values three = {odd, 1};
    job_start(&t);
    int32_t a = job_device(&t, "A", "V", 40000.0);
    job_node(&t, 0, a, 4);
    job_finish(&t);
    t.devices[a].host_gbs = 0.0;
    assert_refused(memx_protrain_open(&t.job, NULL, NULL, 0, &p, &error), &error,
                   "device 'A' has no host_gbs; ~");
    t.devices[a].host_gbs = 32.0;
    t.devices[a].host_efficiency = 0.8;
    t.job.global_batch = 10;
    assert_refused(memx_protrain_open(&t.job, NULL, NULL, 0, &p, &error), &error,
                   "global_batch 10 does not divide by the 4 GPUs; ~");
    t.job.global_batch = 16;
    assert_refused(memx_protrain_open(&t.job, &three, NULL, 0, &p, &error), &error,
                   "no micro batch of the job's space divides its 4 sequences a GPU; ~");
    t.job.model.layers = 1025;
    assert_refused(memx_protrain_open(&t.job, NULL, NULL, 0, &p, &error), &error,
                   "model 'gpt' has 1025 layers; ProTrain's search takes up to 1024");
    t.job.model.layers = 12;
    assert_ok(memx_protrain_open(&t.job, NULL, NULL, 0, &p, &error), &error);
    assert_int_equal(p.batch_count, 3); /* 1, 2, 4 */
    assert_whole(p.batches[1].micro_batch, 2);
    assert_whole(p.batches[1].steps, 2);
    /* Half of 32 * 0.8 GB/s where the host's memory gives 51.2 to four. */
    int64_t fast = p.fetch_copy_ns;
    memx_protrain_close(&p);
    t.nodes[0].host_memory_gbs = 51.2;
    assert_ok(memx_protrain_open(&t.job, NULL, NULL, 0, &p, &error), &error);
    assert_within((double)p.fetch_copy_ns, 2.0 * (double)fast, 1e-6);
    memx_protrain_close(&p);
    int32_t b = job_device(&t, "B", "V", 40000.0);
    job_node(&t, 1, b, 4);
    job_finish(&t);
    assert_refused(memx_protrain_open(&t.job, NULL, NULL, 0, &p, &error), &error,
                   "ProTrain needs one device type; cluster 'lab' has 2, A and B among them; ~");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_waits_for_chunks_that_come),
        cmocka_unit_test(backward_fetches_what_left_its_buffer),
        cmocka_unit_test(swapping_takes_the_link),
        cmocka_unit_test(optimizers_overlap_backward),
        cmocka_unit_test(activations_peak),
        cmocka_unit_test(peak_has_ten_percent_of_fragmentation),
        cmocka_unit_test(host_holds_the_rest),
        cmocka_unit_test(room_is_what_peaks_leave),
        cmocka_unit_test(blocks_are_swapped_first_and_kept_last),
        cmocka_unit_test(operators_are_walked),
        cmocka_unit_test(analytic_operators_keep_a_layers_activations),
        cmocka_unit_test(chunks_waste_least),
        cmocka_unit_test(texts_are_read),
        cmocka_unit_test(jobs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
