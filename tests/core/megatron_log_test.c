#include "core/megatron_log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

static memx_log read_log(const char *text) {
    memx_log log;
    memx_error error = {.text = ""};
    assert_ok(memx_log_read(memx_span_of(text), NULL, &log, &error), &error);
    return log;
}

static void refused(memx_span text, const char *wanted) {
    memx_log log;
    memx_error error = {.text = ""};
    assert_refused(memx_log_read(text, NULL, &log, &error), &error, wanted);
    assert_null(log.runs);
}

/* ---- spellings ---- */

/* As one line each: rank, allocated and reserved, from Megatron-LM of 2019 to now. */
static void memory_lines(void **state) {
    (void)state;
    static const struct {
        const char *line;
        int64_t rank;
        double allocated, reserved, total; /* 0: not said */
    } cases[] = {
        {"after 5 iterations memory (MB) | allocated: 10250.5693359375 | max allocated: "
         "12606.06201171875 | reserved: 17482.0 | max reserved: 17482.0",
         0, 12606.06201171875, 17482.0, 0},
        {"after 5 iterations memory (MB) | allocated: 10.5 | max allocated: 12.5 | cached: 17.5 | "
         "max "
         "cached: 18.0",
         0, 12.5, 18.0, 0},
        {"[Rank 7] (after 1 iterations) memory (MB) | allocated: 3270.16 | max allocated: 5670.39 "
         "| "
         "reserved: 6406.00 | max reserved: 6406.00\n",
         7, 5670.39, 6406.0, 0},
        {"12: [Rank 12] (after 10 iterations) memory (MB) | allocated: 3270.16 | max allocated: "
         "5670.39 | reserved: 6406.00 | max reserved: 6408.00 | total device memory used: 9001.5\n",
         12, 5670.39, 6408.0, 9001.5},
        {"[default3]:[Rank 19] (after 10 iterations) memory (MB) | allocated: 1.5 | max allocated: "
         "2.5 | reserved: 3.5 | max reserved: 4.5\r\n",
         19, 2.5, 4.5, 0},
        {"[rank2]:after 5 iterations memory (MB) | allocated: 1.5 | max allocated: 2.5\n", 2, 2.5,
         0, 0},
        {"2024-04-06T02:55:45.123Z [Rank 1] (after 2 iterations) memory (MB) | allocated: 1 | max "
         "allocated: 2 | reserved: 0 | max reserved: 4\n",
         1, 2.0, 4.0, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        memx_log log = read_log(cases[i].line);
        assert_whole((int64_t)log.runs[0].gpu_count, 1);
        assert_whole(log.note_count, 0);
        const memx_log_gpu *gpu = log.runs[0].gpus;
        assert_whole(gpu->rank, cases[i].rank);
        assert_same(isnan(gpu->allocated_mib) ? 0.0 : gpu->allocated_mib, cases[i].allocated);
        assert_same(isnan(gpu->reserved_mib) ? 0.0 : gpu->reserved_mib, cases[i].reserved);
        assert_same(isnan(gpu->total_mib) ? 0.0 : gpu->total_mib, cases[i].total);
        memx_log_free(&log);
    }
}

/* Several ranks on one line, twice each, in any order: the greatest of each. */
static void ranks_on_one_line(void **state) {
    (void)state;
    memx_log log = read_log(
        "[Rank 4] (after 2 iterations) memory (MB) | allocated: 1.0 | max allocated: 5.0 | "
        "reserved: "
        "6.0 | max reserved: 6.5[Rank 0] (after 2 iterations) memory (MB) | allocated: 1.0 | max "
        "allocated: 2.0 | reserved: 3.0 | max reserved: 3.5 iteration 3/ 9 | elapsed time per "
        "iteration (ms): 700.5 |[Rank 4] (after 3 iterations) memory (MB) | allocated: 1.0 | max "
        "allocated: 4.0 | reserved: 7.0 | max reserved: 7.5\n");
    const memx_log_run *run = &log.runs[0];
    assert_whole((int64_t)run->gpu_count, 2);
    assert_whole(run->gpus[1].rank, 4);
    assert_same(run->gpus[0].allocated_mib, 2.0);
    assert_same(run->gpus[1].allocated_mib, 5.0);
    assert_same(run->gpus[1].reserved_mib, 7.5);
    assert_whole((int64_t)run->iteration_count, 1);
    assert_same(run->iterations[0].ms, 700.5);
    memx_log_free(&log);
}

static void iteration_lines(void **state) {
    (void)state;
    static const char *const lines[] = {
        " iteration       10/  120000 | elapsed time per iteration (ms): 1993.9 | learning rate: "
        "0.0 |\n",
        " iteration       10/     100 | consumed samples:          256 | elapsed time per "
        "iteration "
        "(ms): 1993.9 | throughput per GPU (TFLOP/s/GPU): 231.9 | global batch size:   128 |\n",
        "15:  [2024-04-06 02:55:45] iteration       10/     100 | elapsed time per iteration (ms): "
        "1993.9 |",
        "[default7]: [2026-07-10 05:46:31.627699] iteration       10/      20 | elapsed time per "
        "iteration (ms): 1993.9 | global batch size:    16 |\n",
        " iteration 10/ 100 | elapsed time per iteration (ms): 1993.9/2000.1 |\n",
        " iteration       10/     100 | consumed samples:  20480 | elapsed time per iteration (s): "
        "1.9939 | "
        "global batch size:  2048 | TFLOPs: 131.5 |\n",
        "[2024-09-16 22:59:19.287338][INFO][training_log:661] -  iteration=      10/  635782 | "
        "elapsed_time_per_iteration_ms=1993.9 | global_batch_size=768 | [LM]TFLOPs=20.30 |\n",
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        memx_log log = read_log(lines[i]);
        assert_whole((int64_t)log.runs[0].iteration_count, 1);
        assert_within(log.runs[0].iterations[0].ms, 1993.9, 1e-12);
        assert_whole(log.runs[0].iterations[0].number, 10);
        assert_whole(log.note_count, 0);
        memx_log_free(&log);
    }
}

/* ---- times ---- */

static void times_without_warm_up(void **state) {
    (void)state;
    static const struct {
        int lines, warm_up;
        double median, mean;
    } cases[] = {{1, 0, 1.0, 1.0}, {2, 1, 2.0, 2.0}, {5, 2, 4.0, 4.0}, {20, 5, 13.0, 13.0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        memx_text text = {0};
        memx_log_times times;
        for (int n = 1; n <= cases[i].lines; n++) {
            memx_text_printf(&text, " iteration %d/ 99 | elapsed time per iteration (ms): %d.0 |\n",
                             n, n);
        }
        memx_log log = read_log(text.data);
        assert_whole(memx_log_times_of(&log.runs[0], &times), MEMX_OK);
        assert_whole(times.lines, cases[i].lines);
        assert_whole(times.warm_up, cases[i].warm_up);
        assert_same(times.median_ms, cases[i].median);
        assert_same(times.mean_ms, cases[i].mean);
        assert_true(isnan(times.tflops));
        memx_log_free(&log);
        memx_text_free(&text);
    }
}

/* Batch sizes that grow: only those of the last; ranks that repeat an iteration: the slowest. */
static void ramps_and_repeats(void **state) {
    (void)state;
    memx_log log = read_log(
        " iteration 1/ 9 | elapsed time per iteration (ms): 10.0 | global batch size: 8 |\n"
        " iteration 2/ 9 | elapsed time per iteration (ms): 11.0 | global batch size: 8 |\n"
        " iteration 3/ 9 | elapsed time per iteration (ms): 90.0 | global batch size: 16 |\n"
        " iteration 4/ 9 | elapsed time per iteration (ms): 20.0 | global batch size: 16 |\n"
        " iteration 4/ 9 | elapsed time per iteration (ms): 21.0 | global batch size: 16 |\n");
    memx_log_times times;
    assert_whole(memx_log_times_of(&log.runs[0], &times), MEMX_OK);
    assert_whole(times.lines, 2);
    assert_whole(times.batch, 16);
    assert_same(times.median_ms, 21.0);
    memx_log_free(&log);
}

/* Of the arguments' batch where an iteration has it, else of the commonest, wherever the log ends. */
static void reference_batch(void **state) {
    (void)state;
    static const char line[] = " iteration %d/ 9 | elapsed time per iteration (ms): %d.0 | global "
                               "batch size: %d |\n";
    static const struct {
        int arguments, batches[6], wanted, lines;
    } cases[] = {
        {0, {8, 8, 16, 16, 16, 8}, 16, 3},  {0, {8, 8, 8, 8, 8, 16}, 8, 5},
        {16, {8, 8, 8, 8, 8, 16}, 16, 1},   {32, {8, 8, 8, 8, 8, 16}, 8, 5},
        {0, {16, 16, 32, 32, 4, 8}, 32, 2},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        memx_text text = {0};
        memx_log_times times;
        if (cases[i].arguments)
            memx_text_printf(&text, "  global_batch_size ..... %d\n", cases[i].arguments);
        for (int n = 0; n < 6; n++)
            memx_text_printf(&text, line, n + 1, n + 1, cases[i].batches[n]);
        memx_log log = read_log(text.data);
        assert_whole(memx_log_times_of(&log.runs[0], &times), MEMX_OK);
        assert_whole(times.batch, cases[i].wanted);
        assert_whole(times.lines, cases[i].lines);
        memx_log_free(&log);
        memx_text_free(&text);
    }
}

/* Cut anywhere in its last line, a log says what its whole lines do, to a digit. */
static void cut_anywhere(void **state) {
    (void)state;
    static const char whole[] =
        " iteration 1/ 9 | elapsed time per iteration (ms): 900.0 | throughput per GPU "
        "(TFLOP/s/GPU): 9.5 | global batch size:   128 |\n"
        " iteration 2/ 9 | elapsed time per iteration (ms): 100.0 | throughput per GPU "
        "(TFLOP/s/GPU): 92.5 | global batch size:   128 |\n"
        " iteration 3/ 9 | elapsed time per iteration (ms): 102.0 | throughput per GPU "
        "(TFLOP/s/GPU): 92.5 | global batch size:   128 |\n";
    static const char last[] =
        " iteration 4/ 9 | elapsed time per iteration (ms): 104.0 | throughput per GPU "
        "(TFLOP/s/GPU): 92.5 | global batch size:   128 | lm loss: 1.0 |\n";
    size_t batch = (size_t)(strstr(last, "128") + 4 - last);
    size_t time = (size_t)(strstr(last, "(ms):") + 5 - last);
    for (size_t cut = 0; cut < strlen(last); cut++) {
        memx_text text = {0};
        memx_log_times times;
        memx_text_add(&text, whole, strlen(whole));
        memx_text_add(&text, last, cut);
        memx_log log = read_log(text.data);
        assert_whole(memx_log_times_of(&log.runs[0], &times), MEMX_OK);
        assert_whole(times.batch, 128);
        assert_whole(times.lines, cut >= batch ? 4 : 3);
        assert_whole(log.note_count, cut >= time && cut < batch);
        assert_same(times.median_ms,
                    cut >= batch || cut >= time ? cut >= batch ? 103.0 : 102.0 : 101.0);
        assert_same(times.tflops, 92.5);
        memx_log_free(&log);
        memx_text_free(&text);
    }
}

/* The first iteration takes longer than all others: alone it is no measurement, once others are known of. */
static void warm_up_alone(void **state) {
    (void)state;
    memx_log_times times;
    memx_log log = read_log(" iteration 1/ 9 | elapsed time per iteration (ms): 900.0 |\n"
                            " iteration 2/ 9 | elapsed time per iteration (ms): ab |\n"
                            " iteration 3/ 9 | elapsed time per iteration (ms): cd |\n");
    assert_whole(memx_log_times_of(&log.runs[0], &times), MEMX_OK);
    assert_true(isnan(times.median_ms) && isnan(times.mean_ms));
    assert_whole(times.lines, 1);
    assert_whole(times.warm_up, 1);
    assert_non_null(strstr(log.notes.data, "; the run of line 1: no iteration behind its warm-up"));
    memx_log_free(&log);
    log = read_log(" iteration 1/ 9 | elapsed time per iteration (ms): ab |\n"
                   " iteration 2/ 9 | elapsed time per iteration (ms): 100.0 |\n");
    assert_whole(memx_log_times_of(&log.runs[0], &times), MEMX_OK);
    assert_same(times.median_ms, 100.0);
    memx_log_free(&log);
}

/* Timers follow their iteration, of one rank or of all, in the old layout and the new one. */
static void timers(void **state) {
    (void)state;
    static const char *const layouts[] = {
        "time (ms) | forward-compute: 30.5 | backward-compute: 60.5 | optimizer: 7.0\n",
        "(min, max) time across ranks (ms):\n    forward-compute ......: (10.25, 30.50)\n"
        "    backward-compute .....: (60.50, 60.00)\n    forward-backward .....: (99.0, 99.5)\n",
        "max time across ranks (ms):\n    forward-compute ......: 30.50\n    backward-compute "
        "....: 60.50\n",
    };
    for (size_t i = 0; i < COUNT(layouts); i++) {
        memx_text text = {0};
        memx_log_times times;
        memx_text_printf(&text, "%s", layouts[i]); /* of no iteration */
        for (int n = 1; n <= 4; n++) {
            memx_text_printf(&text,
                             " iteration %d/ 9 | elapsed time per iteration (ms): 99.5 |\n%s", n,
                             layouts[i]);
        }
        memx_text_printf(&text, " iteration 5/ 9 | elapsed time per iteration (ms): 99.5 |\n");
        memx_log log = read_log(text.data);
        assert_whole(memx_log_times_of(&log.runs[0], &times), MEMX_OK);
        assert_same(times.compute_ms, 91.0);
        assert_whole(log.note_count, 0);
        memx_log_free(&log);
        memx_text_free(&text);
    }
}

/* ---- out of memory ---- */

static void out_of_memory(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t line, rank;
    } cases[] = {
        {"x\n[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.20 GiB.", 2,
         3},
        {"torch.cuda.OutOfMemoryError: HIP out of memory. Tried to allocate 1.20 GiB. GPU 0 has", 1,
         -1},
        {"RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 15.90 GiB total", 1,
         -1},
        {"RuntimeError: NPU out of memory. Tried to allocate 22.00 MiB (NPU 0; 60.97 GiB total", 1,
         -1},
        {"RuntimeError: CUDA error: out of memory", 1, -1},
        {"  world_size ......... 8\n7: x\n5: RuntimeError: CUDA out of memory. Tried", 3, 5},
        {"  world_size ......... 16\n7: x\n5: RuntimeError: CUDA out of memory. Tried", 3, -1},
        {"  world_size ......... 4\n[default3]:x\n[default1]:torch.OutOfMemoryError: CUDA", 3, 1},
        {"  world_size ......... 8\n1: [default3]:x\n1: [default2]:torch.OutOfMemoryError: x", 3,
         6},
        {"  world_size ......... 12\n9: torch.OutOfMemoryError: CUDA out of memory.", 2, 9},
        {"  world_size ......... 8\n9: torch.OutOfMemoryError: CUDA out of memory.", 2, -1},
        {"node2: [rank9]: torch.OutOfMemoryError: CUDA out of memory. Tried", 1, 9},
        {"node2:[rank9]: torch.OutOfMemoryError: CUDA out of memory. Tried", 1, 9},
        {"(node2) 3: [rank9]: torch.OutOfMemoryError: CUDA out of memory. Tried", 1, 9},
        {"2025-03-01 10:00:20 [rank9]: torch.OutOfMemoryError: CUDA out of memory.", 1, 9},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        memx_log log = read_log(cases[i].text);
        assert_whole(log.runs[0].oom_line, cases[i].line);
        assert_whole(log.runs[0].oom_rank, cases[i].rank);
        memx_log_free(&log);
    }
    static const char *const others[] = {
        "iteration 1/ 2 | elapsed time per iteration (ms): 3.5 |\nOut of memory: Killed process "
        "7\n",
        "iteration 1/ 2 | elapsed time per iteration (ms): 3.5 |\nran out of memory on the host\n",
        /* caught: the run went on */
        "CUDA out of memory. Tried to allocate\n iteration 1/ 2 | elapsed time per iteration (ms): "
        "3.5 |\n"
        " iteration 2/ 2 | elapsed time per iteration (ms): 3.5 |\n",
    };
    for (size_t i = 0; i < COUNT(others); i++) {
        memx_log log = read_log(others[i]);
        assert_whole(log.runs[0].oom_line, 0);
        memx_log_free(&log);
    }
}

/* ---- runs ---- */

static void arguments_begin_a_run(void **state) {
    (void)state;
    memx_log log =
        read_log("------ arguments ------\n  micro_batch_size ...... 1\n  zero_stage ..... 1\n"
                 "--- arguments ---\n  micro_batch_size ...... 2\n"
                 "------ end of arguments ------\n"
                 " iteration 1/ 9 | elapsed time per iteration (ms): 10.5 |\n"
                 "loading checkpoint from here ... done\n"
                 "------ arguments ------\n  micro_batch_size ...... 4\n"
                 "CUDA out of memory. Tried\n  micro_batch_size ...... 8\n"
                 "[Rank 0] memory (MB) | allocated: 1.5 |\n");
    static const int64_t micro[] = {2, 4, 8}, lines[] = {1, 9, 12};
    assert_whole((int64_t)log.run_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_whole(log.runs[i].arguments.micro_batch, micro[i]);
        assert_whole(log.runs[i].first_line, lines[i]);
    }
    assert_whole(log.runs[0].arguments.zero_stage, -1); /* of the block before */
    assert_whole(log.runs[1].oom_line, 11);
    assert_whole((int64_t)log.runs[2].gpu_count, 1);
    memx_log_free(&log);
}

/* ---- what is cut, garbled or something else ---- */

static void notes_name_the_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *note;
        int64_t iterations, gpus;
    } cases[] = {
        {"x\n iteration 1/ 2 | elapsed time per iteration (ms): abc |\n micro_batch_size ... 1",
         "line 2: elapsed time per iteration is 'abc |'", 0, 0},
        {"micro_batch_size ... 1\n iteration 1/ 2 | elapsed time per iteration (ms): 19",
         "line 2: elapsed time per iteration is '19'", 0, 0},
        {"micro_batch_size ... 1\n iteration 1/ 2 | elapsed time per iteration (ms): 19.",
         "line 2: elapsed time per iteration is '19.'", 0, 0},
        {"micro_batch_size ... 1\n iteration 1/ 2 | elapsed time per iteration (ms): -4.0 |",
         "line 2: elapsed time per iteration is '-4.0 |'", 0, 0},
        {"[Rank 1] memory (MB) | allocated: 12.5 | max allocated: 1e99 |\n",
         "line 1: max allocated is '1e99 |'", 0, 1},
        {"[Rank 1] memory (MB) | allocated: 12.5 | max allocated: 126",
         "line 1: max allocated is '126'", 0, 1},
        {"[Rank 1] memory (MB) | allocated: 12.5 | max allo",
         "line 1: the end of the file is 'max allo'", 0, 1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        memx_log log = read_log(cases[i].text);
        assert_whole(log.note_count, 1);
        assert_string_equal(log.notes.data, cases[i].note);
        assert_whole((int64_t)log.runs[0].iteration_count, cases[i].iterations);
        assert_whole((int64_t)log.runs[0].gpu_count, cases[i].gpus);
        memx_log_free(&log);
    }
}

static void other_texts_are_refused(void **state) {
    (void)state;
    refused(memx_span_of(""), "the text is empty");
    refused(memx_span_of(" \r\n \t"), "the text is empty");
    refused((memx_span){NULL, 0}, "the text is empty");
    refused(memx_span_of("one\ntwo\n"), "lines 1 to 2: none has 'elapsed time~");
    refused((memx_span){"\xff\xfe"
                        "i\0t\0",
                        6},
            "line 1: the text is UTF-16~");
    refused((memx_span){"\0\0\0\xff\n\xc3(", 7}, "lines 1 to 2: none has~");
    refused(memx_span_of("done with setup ...\nloading from ... x\n"), "lines 1 to 2: none~");
}

/* NULs, as a full disk leaves them, and bytes that are no UTF-8 do not end the reading. */
static void junk_is_passed_over(void **state) {
    (void)state;
    static const char text[] =
        "\0\0\0\xff\xfe\xc3(\n iteration 1/ 2 | elapsed time per iteration (ms): 3.5 "
        "| \0\xff\n[Rank 0] memory (MB) | allocated: 1.5 \0 | max allocated: 2.5\n";
    memx_log log;
    memx_error error = {.text = ""};
    assert_ok(memx_log_read((memx_span){text, sizeof text - 1}, NULL, &log, &error), &error);
    assert_whole((int64_t)log.runs[0].iteration_count, 1);
    assert_same(log.runs[0].gpus[0].allocated_mib, 2.5);
    memx_log_free(&log);
}

static void too_many_runs(void **state) {
    (void)state;
    memx_text text = {0};
    for (int i = 0; i < 1001; i++) {
        memx_text_printf(
            &text,
            "micro_batch_size ... 1\n iteration 1/ 2 | elapsed time per iteration (ms): 3.5 |\n");
    }
    refused((memx_span){text.data, text.length}, "line 2001: more than 1000 runs in one log");
    memx_text_free(&text);
}

static int stop(void *context) {
    return ++*(int *)context > 2;
}

/* 10 MB of a log's lines in a moment; and a reader that is asked to stop does. */
static void ten_megabytes(void **state) {
    (void)state;
    memx_text text = {0};
    int64_t lines = 0;
    while (text.length < 10000000) {
        memx_text_printf(
            &text,
            "%lld: [Rank %lld] (after 1 iterations) memory (MB) | allocated: 1.5 | max "
            "allocated: %lld.5 | reserved: 2.0 | max reserved: 3.0 | ...\n",
            (long long)lines, (long long)(lines * 7919 % 5000), (long long)lines);
        lines++;
    }
    memx_log log = read_log(text.data);
    assert_whole(log.lines, lines);
    assert_whole((int64_t)log.runs[0].gpu_count, 5000);
    memx_log_free(&log);
    int asked = 0;
    memx_poll poll = {.stop = stop, .context = &asked};
    memx_span span = {text.data, text.length};
    assert_whole(memx_log_read(span, &poll, &log, NULL), MEMX_INTERRUPTED);
    assert_whole(asked, 3);
    memx_text_free(&text);
}

/* One line of 10 MB, whatever it repeats, takes no longer than its length. */
static void one_long_line(void **state) {
    (void)state;
    static const char *const pieces[] = {
        "[rank1]:",      "memory (MB) |",   "[Rank 1", " ...", "elapsed time per iteration (ms):",
        "out of memory", "forward-compute", " ",       "0: ",  "memory (MB) | allocated: 1 "};
    for (size_t i = 0; i < COUNT(pieces); i++) {
        memx_text text = {0};
        memx_log log;
        while (text.length < 10000000) memx_text_add(&text, pieces[i], strlen(pieces[i]));
        if (memx_log_read((memx_span){text.data, text.length}, NULL, &log, NULL) == MEMX_OK) {
            memx_log_free(&log);
        }
        memx_text_free(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_lines),
        cmocka_unit_test(ranks_on_one_line),
        cmocka_unit_test(iteration_lines),
        cmocka_unit_test(times_without_warm_up),
        cmocka_unit_test(ramps_and_repeats),
        cmocka_unit_test(timers),
        cmocka_unit_test(reference_batch),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(warm_up_alone),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(arguments_begin_a_run),
        cmocka_unit_test(notes_name_the_line),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(junk_is_passed_over),
        cmocka_unit_test(too_many_runs),
        cmocka_unit_test(ten_megabytes),
        cmocka_unit_test(one_long_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
