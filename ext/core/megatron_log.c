#include "core/megatron_log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 1000, MOST_RANK = 100000000, MOST_NOTES = 5, MOST_QUOTED = 30 };
static const double MOST_MS = 1e12, MOST_MIB = 1e9;

/* One line, and what its launcher says of it. */
typedef struct log_line {
    memx_log *log;
    memx_span text;
    int64_t number;
    int64_t rank, task, local; /* [rank3]:, 3:, [default3]:; -1: none */
    bool ended;                /* by a line end: what stands last is whole */
} log_line;

static void note(const log_line *line, const char *what, memx_span value) {
    memx_error text;
    if (line->log->note_count++ >= MOST_NOTES) return;
    memx_invalid(&text, "line %lld: %s is '%.*s'", (long long)line->number, what,
                 value.length < MOST_QUOTED ? (int)value.length : MOST_QUOTED,
                 value.length ? value.at : "");
    memx_text_printf(&line->log->notes, "%s%s", line->log->notes.length ? "; " : "", text.text);
}

/* A number that is whole: at the end of a file it may have been cut, unless a fraction shows it. */
static bool take_figure(const log_line *line, memx_span *at, double most, double *out) {
    memx_span rest = *at;
    if (!memx_take_number(&rest, out) || !(*out > 0.0) || *out > most) return false;
    memx_span number = {at->at, at->length - rest.length};
    bool fraction = memx_span_find(number, ".") < number.length;
    if (!line->ended && !fraction && (rest.length == 0 || memx_span_equal(rest, "."))) return false;
    *at = rest;
    return true;
}

/* ---- launchers ---- */

static bool take_bracket(memx_span *text, const char *word, int64_t *out) {
    memx_span rest = *text;
    int64_t n = 0;
    if (!memx_take(&rest, "[") || !memx_take(&rest, word) || !memx_take_whole(&rest, &n) ||
        !memx_take(&rest, "]")) {
        return false;
    }
    memx_take(&rest, ":");
    *out = n;
    *text = rest;
    return true;
}

/* "node2: " and "node2:", "(node2) ", "[node2] ", "2025-03-01 10:00:20 " and so on before a bracket. */
static bool skip_host(memx_span *rest) {
    enum { LONGEST = 100 };
    memx_span front = {rest->at, rest->length < LONGEST ? rest->length : LONGEST};
    size_t rank = memx_span_find(front, "[rank"), local = memx_span_find(front, "[default");
    size_t at = rank < local ? rank : local;
    if (at == front.length || at == 0) return false;
    *rest = memx_span_from(*rest, at);
    return true;
}

static void read_prefix(log_line *line) {
    memx_span rest = line->text;
    int64_t n = 0;
    bool skipped = false;
    for (;;) {
        memx_span start = memx_span_skip(rest), number = start;
        if (take_bracket(&start, "rank", &line->rank) ||
            take_bracket(&start, "default", &line->local)) {
            rest = start;
        } else if (line->task < 0 && memx_take_whole(&number, &n) && memx_take(&number, ":") &&
                   (memx_span_begins(number, " ") || memx_span_begins(number, "["))) {
            line->task = n;
            rest = number;
        } else if (skipped || line->rank >= 0 || line->local >= 0 ||
                   !(skipped = skip_host(&rest))) {
            break;
        }
    }
    memx_log *log = line->log;
    if (line->task > log->most_task) log->most_task = line->task;
    if (line->local > log->most_local) log->most_local = line->local;
}

/* ---- runs ---- */

static memx_log_run *last_run(memx_log *log) {
    return &log->runs[log->run_count - 1];
}

static bool measured(const memx_log_run *run) {
    return run->iteration_count > 0 || run->gpu_count > 0 || run->oom_line > 0;
}

static memx_status add_run(memx_log *log, int64_t line, memx_error *error) {
    if (log->run_count == MOST_RUNS) {
        return memx_invalid(error, "line %lld: more than %d runs in one log", (long long)line,
                            (int)MOST_RUNS);
    }
    memx_log_run *runs = realloc(log->runs, (log->run_count + 1) * sizeof *runs);
    if (!runs) return MEMX_NOMEM;
    log->runs = runs;
    memx_log_run *run = &runs[log->run_count++];
    *run = (memx_log_run){.first_line = line, .oom_rank = -1, .oom_task = -1, .oom_local = -1};
    memx_megatron_start(&run->arguments);
    return MEMX_OK;
}

/* Room for one more of `count` items. */
static void *room(void *items, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) return items;
    void *more = realloc(items, (2 * *capacity + 16) * size);
    if (more) *capacity = 2 * *capacity + 16;
    return more;
}

/* ---- arguments ---- */

static bool in_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* "name ..... value"; of a block's title, that it begins one. */
static memx_status read_argument(const log_line *line, memx_error *error) {
    memx_log *log = line->log;
    if (memx_span_find(line->text, "--- arguments ---") < line->text.length) {
        if (measured(last_run(log))) return add_run(log, line->number, error);
        memx_megatron_start(&last_run(log)->arguments);
        return MEMX_OK;
    }
    size_t dots = memx_span_find(line->text, " ..."), begin = dots;
    if (dots == line->text.length) return MEMX_OK;
    while (begin > 0 && in_name(line->text.at[begin - 1])) begin--;
    memx_span name = {line->text.at + begin, dots - begin};
    memx_span value = memx_span_from(line->text, dots + 1);
    while (memx_take(&value, ".")) continue;
    memx_megatron scratch;
    if (name.length == 0 || value.length == 0 || value.at[0] != ' ') return MEMX_OK;
    value = memx_span_trim(value);
    if (measured(last_run(log))) {
        memx_megatron_start(&scratch);
        if (!memx_megatron_argument(&scratch, name, value, line->number)) return MEMX_OK;
        memx_status status = add_run(log, line->number, error);
        if (status) return status;
    }
    memx_megatron_argument(&last_run(log)->arguments, name, value, line->number);
    return MEMX_OK;
}

/* ---- iterations ---- */

/* Megatron-DeepSpeed says seconds, or everything with an equals sign. */
static const struct {
    const char *elapsed, *rate, *number, *batch;
    double ms;
} spellings[] = {
    {"elapsed time per iteration (ms):", "throughput per GPU (TFLOP/s/GPU):", "iteration ",
     "global batch size:", 1.0},
    {"elapsed time per iteration (s):", "TFLOPs:", "iteration ", "global batch size:", 1000.0},
    {"elapsed_time_per_iteration_ms=", "TFLOPs=", "iteration=", "global_batch_size=", 1.0},
};
enum { SPELLINGS = sizeof spellings / sizeof spellings[0] };

/* What follows a word of the line, or precedes `before`; -1 where it is not there. */
static int64_t whole_after(memx_span text, const char *word) {
    int64_t n = -1;
    size_t at = memx_span_find(text, word);
    if (at == text.length) return -1;
    text = memx_span_skip(memx_span_from(text, at + strlen(word)));
    return memx_take_whole(&text, &n) ? n : -1;
}

/* A number behind a word of the line; NAN where it is not there, or the file ends within. */
static double rate_after(const log_line *line, memx_span text, const char *word) {
    double rate = NAN;
    size_t at = memx_span_find(text, word);
    if (at == text.length) return NAN;
    memx_span number = memx_span_skip(memx_span_from(text, at + strlen(word)));
    if (!memx_take_number(&number, &rate) || !(rate > 0.0)) return NAN;
    return line->ended || number.length > 0 ? rate : NAN;
}

/* What cannot be read still counts among the iterations: those before it are no less warm-up. */
static void note_iteration(const log_line *line, const char *what, memx_span value) {
    memx_log_run *run = last_run(line->log);
    run->unread += run->iteration_count > 0;
    note(line, what, value);
}

/* Whether the file ends within the line: its batch is missing, or may lack digits. */
static bool was_cut(const log_line *line, const memx_log_run *run, int64_t batch,
                    const char *word) {
    memx_span rest = memx_span_from(line->text, memx_span_find(line->text, word));
    int64_t n = 0;
    if (line->ended) return false;
    if (batch < 0) return run->iteration_count > 0 && run->iterations[0].batch >= 0;
    rest = memx_span_skip(memx_span_from(rest, strlen(word)));
    return memx_take_whole(&rest, &n) && rest.length == 0;
}

static memx_status read_iteration(const log_line *line) {
    memx_log_run *run = last_run(line->log);
    size_t spelling = 0, at = line->text.length;
    for (size_t i = 0; i < SPELLINGS && at == line->text.length; i++) {
        at = memx_span_find(line->text, spellings[spelling = i].elapsed);
    }
    if (at == line->text.length) return MEMX_OK;
    memx_span before = {line->text.at, at};
    memx_span rest = memx_span_from(line->text, at + strlen(spellings[spelling].elapsed));
    memx_log_iteration found = {.number = whole_after(before, spellings[spelling].number),
                                .forward_ms = NAN,
                                .backward_ms = NAN};
    rest = memx_span_skip(rest);
    if (!take_figure(line, &rest, MOST_MS, &found.ms)) {
        note_iteration(line, "elapsed time per iteration", rest);
        return MEMX_OK;
    }
    found.ms *= spellings[spelling].ms;
    found.batch = whole_after(rest, spellings[spelling].batch);
    found.tflops = rate_after(line, rest, spellings[spelling].rate);
    if (was_cut(line, run, found.batch, spellings[spelling].batch)) {
        size_t tail = rest.length < MOST_QUOTED ? 0 : rest.length - MOST_QUOTED + 1;
        note_iteration(line, "the end of the file", memx_span_from(rest, tail));
        return MEMX_OK;
    }
    if (run->oom_line > 0) run->iterations_after_oom++;
    memx_log_iteration *last =
        run->iteration_count > 0 ? &run->iterations[run->iteration_count - 1] : NULL;
    if (last && found.number >= 0 && last->number == found.number) {
        if (found.ms > last->ms) *last = found; /* another rank's line */
        return MEMX_OK;
    }
    void *items = room(run->iterations, run->iteration_count, &run->iteration_capacity,
                       sizeof *run->iterations);
    if (!items) return MEMX_NOMEM;
    run->iterations = items;
    run->iterations[run->iteration_count++] = found;
    return MEMX_OK;
}

/* ---- timers ---- */

static void at_least(double *greatest, double value) {
    if (isnan(*greatest) || value > *greatest) *greatest = value;
}

/* The greater of "name ....: (1855.21, 1860.51)", or the one of "name: 1860.51", into what it is
** more than. */
static void read_timer(const log_line *line, const char *name, double *ms) {
    size_t at = memx_span_find(line->text, name);
    double found = 0.0;
    if (at == line->text.length) return;
    memx_span rest = memx_span_from(line->text, at + strlen(name));
    while (rest.length > 0 && rest.at[0] && strchr(" .:(", rest.at[0]))
        rest = memx_span_from(rest, 1);
    if (!take_figure(line, &rest, MOST_MS, &found)) return;
    at_least(ms, found);
    if (memx_take(&rest, ", ") && take_figure(line, &rest, MOST_MS, &found)) at_least(ms, found);
}

/* They follow the line of their iteration. */
static void read_timers(const log_line *line) {
    memx_log_run *run = last_run(line->log);
    if (run->iteration_count == 0) return;
    memx_log_iteration *last = &run->iterations[run->iteration_count - 1];
    read_timer(line, "forward-compute", &last->forward_ms);
    read_timer(line, "backward-compute", &last->backward_ms);
}

/* ---- memory ---- */

/* " | max allocated: 5670.39" and so on, each taken off the front; what is greatest wins. */
static void read_fields(const log_line *line, memx_span *rest, memx_log_gpu *gpu) {
    static const struct {
        const char *name;
        size_t offset;
    } fields[] = {
        {"allocated", offsetof(memx_log_gpu, allocated_mib)},
        {"max allocated", offsetof(memx_log_gpu, allocated_mib)},
        {"reserved", offsetof(memx_log_gpu, reserved_mib)},
        {"max reserved", offsetof(memx_log_gpu, reserved_mib)},
        {"cached", offsetof(memx_log_gpu, reserved_mib)}, /* before 2020 */
        {"max cached", offsetof(memx_log_gpu, reserved_mib)},
        {"total device memory used", offsetof(memx_log_gpu, total_mib)},
    };
    enum { LONGEST_NAME = 40 };
    for (;;) {
        memx_span at = memx_span_skip(*rest);
        if (!memx_take(&at, "|")) return;
        memx_span front = {at.at, at.length < LONGEST_NAME ? at.length : LONGEST_NAME};
        size_t colon = memx_span_find(front, ":"), which = 0;
        memx_span name = memx_span_trim((memx_span){at.at, colon});
        while (which < sizeof fields / sizeof fields[0] &&
               !memx_span_equal(name, fields[which].name)) {
            which++;
        }
        if (which == sizeof fields / sizeof fields[0]) {
            if (!line->ended && colon == at.length) note(line, "the end of the file", name);
            return;
        }
        at = memx_span_skip(memx_span_from(at, colon + 1));
        double mib = 0.0;
        memx_span number = at;
        if (!take_figure(line, &at, MOST_MIB, &mib)) {
            memx_span zero = number;
            if (!memx_take_number(&zero, &mib) || mib != 0.0) {
                note(line, fields[which].name, number);
                return;
            }
            at = zero;
        } else {
            at_least((double *)(void *)((char *)gpu + fields[which].offset), mib);
        }
        *rest = at;
    }
}

static memx_status read_memory(const log_line *line) {
    static const char memory[] = "memory (MB)";
    memx_log_run *run = last_run(line->log);
    memx_span rest = line->text;
    for (;;) {
        size_t at = memx_span_find(rest, memory);
        if (at == rest.length) return MEMX_OK;
        memx_span before = {rest.at, at};
        memx_log_gpu gpu = {line->rank >= 0 ? line->rank : 0, NAN, NAN, NAN};
        /* The last of them: others may stand before it on the line. */
        for (size_t b; (b = memx_span_find(before, "[Rank ")) < before.length;) {
            before = memx_span_from(before, b + strlen("[Rank "));
            memx_take_whole(&before, &gpu.rank);
        }
        rest = memx_span_from(rest, at + strlen(memory));
        read_fields(line, &rest, &gpu);
        if (isnan(gpu.allocated_mib) && isnan(gpu.reserved_mib) && isnan(gpu.total_mib)) continue;
        if (gpu.rank > MOST_RANK) continue;
        void *items = room(run->gpus, run->gpu_count, &run->gpu_capacity, sizeof *run->gpus);
        if (!items) return MEMX_NOMEM;
        run->gpus = items;
        run->gpus[run->gpu_count++] = gpu;
    }
}

/* ---- out of memory ---- */

static bool says_oom(memx_span text) {
    static const char *const makers[] = {"CUDA", "HIP", "NPU",  "XPU", "MUSA",
                                         "MLU",  "GCU", "SDAA", "HPU", "MACA"};
    if (memx_span_find(text, "OutOfMemoryError") < text.length) return true;
    size_t at = memx_span_find(text, "out of memory");
    if (at == text.length) return false;
    memx_span before = memx_span_trim((memx_span){text.at, at});
    static const char error[] = "error:";
    if (before.length >= strlen(error) &&
        memcmp(before.at + before.length - strlen(error), error, strlen(error)) == 0) {
        before.length -= strlen(error);
        before = memx_span_trim(before);
    }
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        size_t length = strlen(makers[i]);
        if (before.length >= length &&
            memcmp(before.at + before.length - length, makers[i], length) == 0) {
            return true;
        }
    }
    return false;
}

static void read_oom(const log_line *line) {
    memx_log_run *run = last_run(line->log);
    if (run->oom_line > 0 || !says_oom(line->text)) return;
    run->oom_line = line->number;
    run->oom_rank = line->rank;
    run->oom_task = line->task;
    run->oom_local = line->local;
    run->iterations_after_oom = 0;
}

/* A launcher's numbers of tasks are ranks where they go beyond half of the GPUs: fewer nodes than that
** hold them, or each has one. Those within a node are where they are as many as GPUs; a node's with
** them where all is full. A run that goes on for two iterations did not end there: one may be printed
** late. */
static void settle_oom(const memx_log *log, memx_log_run *run) {
    int64_t gpus = run->arguments.world_size;
    if (run->iterations_after_oom > 1) run->oom_line = 0;
    if (run->oom_line == 0) {
        run->oom_rank = -1;
    } else if (run->oom_rank < 0 && gpus > 0) {
        if (run->oom_task >= 0 && log->most_task >= gpus / 2 && log->most_task < gpus) {
            run->oom_rank = run->oom_task;
        } else if (run->oom_local >= 0 && log->most_local + 1 == gpus) {
            run->oom_rank = run->oom_local;
        } else if (run->oom_task >= 0 && run->oom_local >= 0 &&
                   (log->most_task + 1) * (log->most_local + 1) == gpus) {
            run->oom_rank = run->oom_task * (log->most_local + 1) + run->oom_local;
        }
    }
}

/* ---- the log ---- */

static int by_rank(const void *left, const void *right) {
    const memx_log_gpu *a = left, *b = right;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* One of each rank. */
static void merge_gpus(memx_log_run *run) {
    size_t count = 0;
    if (run->gpu_count > 1) qsort(run->gpus, run->gpu_count, sizeof *run->gpus, by_rank);
    for (size_t i = 0; i < run->gpu_count; i++) {
        memx_log_gpu *gpu = &run->gpus[i], *last = count ? &run->gpus[count - 1] : NULL;
        if (!last || last->rank != gpu->rank) {
            run->gpus[count++] = *gpu;
            continue;
        }
        if (!isnan(gpu->allocated_mib)) at_least(&last->allocated_mib, gpu->allocated_mib);
        if (!isnan(gpu->reserved_mib)) at_least(&last->reserved_mib, gpu->reserved_mib);
        if (!isnan(gpu->total_mib)) at_least(&last->total_mib, gpu->total_mib);
    }
    run->gpu_count = count;
}

/* Says where what can be read of a run is warm-up alone. */
static memx_status note_warm_up(memx_log *log, const memx_log_run *run) {
    memx_log_times times;
    memx_status status = memx_log_times_of(run, &times);
    if (status || run->unread == 0 || times.warm_up < times.lines) return status;
    memx_text_printf(&log->notes,
                     "; the run of line %lld: no iteration behind its warm-up can be read",
                     (long long)run->first_line);
    return MEMX_OK;
}

static memx_status read_line(log_line *line, memx_error *error) {
    read_prefix(line);
    memx_status status = read_argument(line, error);
    if (!status) status = read_iteration(line);
    if (!status) status = read_memory(line);
    if (!status) read_timers(line);
    if (!status) read_oom(line);
    return status;
}

static memx_status read_lines(memx_span text, const memx_poll *poll, memx_log *log,
                              memx_error *error) {
    enum { LINES_PER_POLL = 1024 };
    memx_status status = add_run(log, 1, error);
    memx_span rest = text, found;
    while (!status && memx_next_line(&rest, &found)) {
        const char *end = found.at + found.length;
        log_line line = {.log = log, .text = found, .number = ++log->lines};
        line.rank = line.task = line.local = -1;
        line.ended = end < text.at + text.length;
        if (log->lines % LINES_PER_POLL == 0 && memx_poll_stop(poll)) return MEMX_INTERRUPTED;
        status = read_line(&line, error);
    }
    return status;
}

memx_status memx_log_read(memx_span text, const memx_poll *poll, memx_log *out, memx_error *error) {
    *out = (memx_log){.most_task = -1, .most_local = -1};
    bool utf16 = memx_text_is_utf16(&text), any = false;
    if (memx_span_trim(text).length == 0) return memx_invalid(error, "the text is empty");
    if (utf16) {
        return memx_invalid(error, "line 1: the text is UTF-16; write it as UTF-8, as by "
                                   "iconv -f UTF-16 -t UTF-8");
    }
    memx_status status = read_lines(text, poll, out, error);
    for (size_t i = 0; i < out->run_count && !status; i++) {
        memx_log_run *run = &out->runs[i];
        settle_oom(out, run);
        merge_gpus(run);
        status = note_warm_up(out, run);
        any = any || measured(run) || run->arguments.first_line > 0;
    }
    if (!status && !any) {
        status = memx_invalid(
            error,
            "lines 1 to %lld: none has 'elapsed time per iteration (ms): 1234.5', 'memory (MB) | "
            "allocated: ...' or an argument, as 'micro_batch_size ...... 1'; give a training log "
            "of "
            "Megatron-LM%s%s",
            (long long)out->lines, out->note_count ? ". " : "",
            out->note_count && out->notes.data ? out->notes.data : "");
    }
    if (!status && out->notes.failed) status = MEMX_NOMEM;
    if (status) memx_log_free(out);
    return status;
}

void memx_log_free(memx_log *log) {
    for (size_t i = 0; i < log->run_count; i++) {
        free(log->runs[i].iterations);
        free(log->runs[i].gpus);
    }
    free(log->runs);
    memx_text_free(&log->notes);
    *log = (memx_log){.runs = NULL};
}

/* ---- times ---- */

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static double median(double *values, size_t count) {
    if (count == 0) return NAN;
    qsort(values, count, sizeof *values, by_size);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2.0;
}

static size_t lines_of(const memx_log_run *run, int64_t batch) {
    size_t lines = 0;
    for (size_t i = 0; i < run->iteration_count; i++) lines += run->iterations[i].batch == batch;
    return lines;
}

static int by_batch(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

/* The arguments' where an iteration has it, else the commonest, the greatest of several. */
static memx_status batch_of(const memx_log_run *run, int64_t *out) {
    size_t most = 0, begin = 0, count = run->iteration_count;
    *out = run->arguments.global_batch;
    if (*out > 0 && lines_of(run, *out) > 0) return MEMX_OK;
    int64_t *batches = malloc(count * sizeof *batches);
    if (!batches) return MEMX_NOMEM;
    for (size_t i = 0; i < count; i++) batches[i] = run->iterations[i].batch;
    qsort(batches, count, sizeof *batches, by_batch);
    for (size_t i = 0; i < count; i++) {
        if (batches[i] != batches[begin]) begin = i;
        if (i - begin + 1 < most) continue;
        most = i - begin + 1;
        *out = batches[i];
    }
    free(batches);
    return MEMX_OK;
}

memx_status memx_log_times_of(const memx_log_run *run, memx_log_times *out) {
    enum { MOST_WARM_UP = 5 };
    size_t lines = 0, kept = 0, rates = 0, timed = 0, warm_up, seen = 0;
    double sum = 0.0;
    *out = (memx_log_times){
        .median_ms = NAN, .mean_ms = NAN, .tflops = NAN, .compute_ms = NAN, .batch = -1};
    if (run->iteration_count == 0) return MEMX_OK;
    memx_status status = batch_of(run, &out->batch);
    if (status) return status;
    lines = lines_of(run, out->batch);
    warm_up = (lines + run->unread) / 2 < MOST_WARM_UP ? (lines + run->unread) / 2 : MOST_WARM_UP;
    out->lines = (int64_t)lines;
    out->warm_up = (int64_t)(warm_up < lines ? warm_up : lines);
    if (warm_up >= lines) return MEMX_OK;
    double *ms = malloc(3 * (lines - warm_up) * sizeof *ms);
    if (!ms) return MEMX_NOMEM;
    double *tflops = ms + (lines - warm_up), *compute = tflops + (lines - warm_up);
    for (size_t i = 0; i < run->iteration_count; i++) {
        const memx_log_iteration *iteration = &run->iterations[i];
        double both = iteration->forward_ms + iteration->backward_ms;
        if (iteration->batch != out->batch || seen++ < warm_up) continue;
        sum += iteration->ms;
        ms[kept++] = iteration->ms;
        if (!isnan(iteration->tflops)) tflops[rates++] = iteration->tflops;
        if (!isnan(both)) compute[timed++] = both;
    }
    out->mean_ms = sum / (double)kept;
    out->median_ms = median(ms, kept);
    out->tflops = median(tflops, rates);
    out->compute_ms = median(compute, timed);
    free(ms);
    return MEMX_OK;
}
