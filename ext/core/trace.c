#include "core/trace.h"

#include "core/whole.h"

#include <stdlib.h>
#include <string.h>

enum { STAGES = 1, MESSAGES = 2 }; /* processes */
enum { POLL_EVERY = 4096 };        /* slices between two polls */

/* What a stage does not show: slices in a row. */
typedef struct left_out {
    int64_t begin_ns, end_ns;
    int64_t ns[MEMX_SLICE_KINDS];
} left_out;

typedef struct writer {
    const memx_timeline *timeline;
    const memx_poll *poll;
    memx_text *out;
    int64_t shown; /* tasks at either end of each stage */
    left_out *left;
    int64_t slices;
} writer;

static void add_us(memx_text *out, const char *name, int64_t ns) {
    memx_text_printf(out, ",\"%s\":%lld.%03d", name, (long long)(ns / 1000), (int)(ns % 1000));
}

static void begin_event(writer *w, const char *name, const char *category) {
    memx_text_printf(w->out, ",\n{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\"", name, category);
}

static void add_span(writer *w, int64_t begin_ns, int64_t end_ns, int process, int64_t thread) {
    add_us(w->out, "ts", begin_ns);
    add_us(w->out, "dur", end_ns - begin_ns);
    memx_text_printf(w->out, ",\"pid\":%d,\"tid\":%lld", process, (long long)thread);
}

/* ---- messages ---- */

/* The boundary that a stage's results go over, named by the stage before it: the last one's is the wrap. */
static int32_t boundary_of(const memx_plan *plan, int32_t stage, bool forward) {
    return forward ? stage : (stage + plan->stage_count - 1) % plan->stage_count;
}

static int64_t hop_over(const memx_plan *plan, int32_t boundary) {
    return boundary + 1 < plan->stage_count ? plan->shapes[boundary].hop_after_ns : plan->wrap_ns;
}

/* That can be in flight, and one more. */
static int64_t most_lanes(const memx_plan *plan) {
    return plan->shapes[0].spec.in_flight + 1;
}

/* Messages of one boundary and direction that can be on their way at once: departures are at least a task
** apart, and none is of more than is in flight. */
static int64_t lanes(const memx_timeline *timeline, int32_t stage, bool forward) {
    const memx_priced *priced = timeline->priced;
    const memx_plan *plan = &priced->plan;
    int64_t hop = hop_over(plan, boundary_of(plan, stage, forward));
    const memx_option *option = &priced->options[stage];
    int64_t task = forward ? option->forward_ns : memx_option_backward_ns(option);
    if (hop == 0) return 0;
    return memx_least(hop / memx_greatest(task, 1) + 1, most_lanes(plan));
}

/* Threads of messages follow those of stages, stage_thread. Some readers take 0 for no thread, and one
** number in two processes for one thread. */
static int64_t stage_thread(int32_t stage) {
    return stage + 1;
}

static int64_t lane_thread(const memx_timeline *timeline, int32_t stage, bool forward,
                           int64_t lane) {
    const memx_plan *plan = &timeline->priced->plan;
    int64_t boundary = boundary_of(plan, stage, forward);
    return MEMX_MAX_STAGES + 1 + lane + (2 * boundary + !forward) * (most_lanes(plan) + 1);
}

/* Whether a stage sends what its forwards, or its backwards, make in a chunk. */
static bool sends(const memx_timeline *timeline, int32_t stage, int64_t chunk, bool forward) {
    const memx_plan *plan = &timeline->priced->plan;
    if (forward) return stage + 1 < plan->stage_count || chunk + 1 < plan->knobs->vp;
    return stage > 0 || chunk > 0;
}

/* Which micro batch, and where there are several, in which chunk. */
static void add_unit(writer *w, const memx_slice *slice) {
    memx_text_printf(w->out, ",\"args\":{\"micro_batch\":%lld", (long long)slice->micro_batch + 1);
    if (w->timeline->priced->plan.knobs->vp > 1) {
        memx_text_printf(w->out, ",\"chunk\":%lld", (long long)slice->chunk + 1);
    }
}

static void add_message(writer *w, const memx_slice *slice) {
    const memx_plan *plan = &w->timeline->priced->plan;
    if (!sends(w->timeline, slice->stage, slice->chunk, slice->forward)) return;
    int64_t count = lanes(w->timeline, slice->stage, slice->forward);
    if (count == 0) return;
    int64_t hop = hop_over(plan, boundary_of(plan, slice->stage, slice->forward));
    begin_event(w, slice->forward ? "activations" : "gradients", "message");
    add_span(w, slice->end_ns, slice->end_ns + hop, MESSAGES,
             lane_thread(w->timeline, slice->stage, slice->forward, slice->order % count));
    add_unit(w, slice);
    memx_text_printf(w->out, "}}");
}

/* ---- stages ---- */

static const char *category(memx_slice_kind kind) {
    switch (kind) {
    case MEMX_SLICE_FORWARD:
    case MEMX_SLICE_RECOMPUTE:
    case MEMX_SLICE_BACKWARD: return "compute";
    case MEMX_SLICE_RECEIVE:
    case MEMX_SLICE_SEND: return "transfer";
    case MEMX_SLICE_IDLE: return "idle";
    case MEMX_SLICE_SYNC:
    case MEMX_SLICE_OPTIMIZER:
    case MEMX_SLICE_OVERHEAD:
    case MEMX_SLICE_KINDS: break;
    }
    return "end";
}

static void add_left_out(writer *w, int32_t stage) {
    left_out *left = &w->left[stage];
    int64_t tasks = 2 * (w->timeline->priced->plan.slots - w->shown);
    begin_event(w, "left out", "left out");
    add_span(w, left->begin_ns, left->end_ns, STAGES, stage_thread(stage));
    memx_text_printf(w->out, ",\"args\":{\"forwards_and_backwards\":%lld", (long long)tasks);
    for (int kind = 0; kind <= MEMX_SLICE_IDLE; kind++) {
        memx_text_printf(w->out, ",\"%s_ms\":%lld.%06d", memx_slice_name((memx_slice_kind)kind),
                         (long long)(left->ns[kind] / 1000000), (int)(left->ns[kind] % 1000000));
    }
    memx_text_printf(w->out, "}}");
    left->end_ns = 0;
}

static memx_status see_slice(void *context, const memx_slice *slice) {
    writer *w = context;
    const memx_plan *plan = &w->timeline->priced->plan;
    left_out *left = &w->left[slice->stage];
    if (++w->slices % POLL_EVERY == 0 && memx_poll_stop(w->poll)) return MEMX_INTERRUPTED;
    if (slice->task >= w->shown && slice->task < 2 * plan->slots - w->shown) {
        if (left->end_ns == 0) left->begin_ns = slice->begin_ns;
        left->end_ns = slice->end_ns;
        left->ns[slice->kind] += slice->end_ns - slice->begin_ns;
        return MEMX_OK;
    }
    if (left->end_ns > 0) add_left_out(w, slice->stage);
    begin_event(w, memx_slice_name(slice->kind), category(slice->kind));
    add_span(w, slice->begin_ns, slice->end_ns, STAGES, stage_thread(slice->stage));
    if (slice->micro_batch < 0) {
        memx_text_add(w->out, "}", 1);
    } else if (slice->kind == MEMX_SLICE_IDLE) { /* for its neighbour's result, or for nobody's */
        int32_t from = boundary_of(plan, slice->stage, false);
        if (!slice->forward) from = (slice->stage + 1) % plan->stage_count;
        add_unit(w, slice);
        memx_text_printf(w->out, ",\"waits_for\":\"stage %d\"}}", (int)from);
    } else {
        add_unit(w, slice);
        memx_text_printf(w->out, "}}");
    }
    if (slice->kind == MEMX_SLICE_FORWARD || slice->kind == MEMX_SLICE_BACKWARD) {
        add_message(w, slice);
    }
    return w->out->failed ? MEMX_NOMEM : MEMX_OK;
}

/* ---- names ---- */

static void name_process(writer *w, int process, const char *name) {
    memx_text_printf(w->out,
                     "%s\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"name\":"
                     "\"%s\"}},\n{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":%d,"
                     "\"args\":{\"sort_index\":%d}}",
                     process == STAGES ? "" : ",", process, name, process, process);
}

static void begin_name(writer *w, int process, int64_t thread) {
    memx_text_printf(w->out,
                     ",\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":%d,\"tid\":%lld,"
                     "\"args\":{\"sort_index\":%lld}},\n{\"name\":\"thread_name\",\"ph\":\"M\","
                     "\"pid\":%d,\"tid\":%lld,\"args\":{\"name\":\"",
                     process, (long long)thread, (long long)thread, process, (long long)thread);
}

static void name_stage(writer *w, int32_t s) {
    const memx_priced *priced = w->timeline->priced;
    const memx_placement *placement = &priced->config.placement;
    char level[MEMX_LEVEL_TEXT];
    memx_level_format(priced->config.stages[s].level, level);
    begin_name(w, STAGES, stage_thread(s));
    memx_text_printf(w->out, "stage %d: ", (int)s);
    int64_t gpus = memx_knobs_stage_gpus(&priced->config.knobs);
    size_t before = w->out->length;
    memx_stage_devices(priced->plan.job, placement, s, w->out);
    if (!w->out->failed && !strchr(w->out->data + before, '|')) {
        memx_text_printf(w->out, " x%lld", (long long)gpus);
    }
    long long layers =
        (long long)memx_knobs_layers(&priced->config.knobs, &priced->config.stages[s]);
    memx_text_printf(w->out, ", %lld layer%s, %s\"}}", layers, memx_s(layers), level);
}

static void name_messages(writer *w, int32_t s, bool forward) {
    const memx_plan *plan = &w->timeline->priced->plan;
    int64_t most = plan->knobs->vp - 1; /* its chunk that sends, if any does */
    if (!sends(w->timeline, s, forward ? 0 : most, forward)) return;
    for (int64_t lane = 0; lane < lanes(w->timeline, s, forward); lane++) {
        begin_name(w, MESSAGES, lane_thread(w->timeline, s, forward, lane));
        memx_text_printf(
            w->out, "%s, stage %d to %d\"}}", forward ? "activations" : "gradients", (int)s,
            (int)(forward ? (s + 1) % plan->stage_count : boundary_of(plan, s, false)));
    }
}

/* ---- all of it ---- */

memx_status memx_trace_write(const memx_timeline *timeline, const char *predictor,
                             const memx_poll *poll, memx_text *out) {
    const memx_priced *priced = timeline->priced;
    const memx_plan *plan = &priced->plan;
    int64_t m = plan->slots, end = 0;
    writer w = {.timeline = timeline, .poll = poll, .out = out, .shown = m};
    if (m > MEMX_TRACE_TASKS / (2 * (int64_t)plan->stage_count)) {
        w.shown = memx_greatest(MEMX_TRACE_TASKS / (2 * (int64_t)plan->stage_count), 1);
    }
    w.left = calloc((size_t)plan->stage_count, sizeof *w.left);
    if (!w.left) return MEMX_NOMEM;
    memx_text_printf(out, "{\"traceEvents\":[");
    name_process(&w, STAGES, "stages");
    if (plan->stage_count > 1) name_process(&w, MESSAGES, "messages between stages");
    for (int32_t s = 0; s < plan->stage_count; s++) {
        name_stage(&w, s);
        name_messages(&w, s, true);
        name_messages(&w, s, false);
    }
    memx_status status = memx_timeline_walk(timeline, poll, see_slice, &w, &end);
    memx_text_printf(out,
                     "\n],\n\"displayTimeUnit\":\"ms\",\"otherData\":{\"job\":\"%s\",\"config\":\"",
                     plan->job->name);
    memx_config_format(plan->job, &priced->config, out);
    memx_text_printf(out, "\",\"predictor\":\"%s\",\"simulated_ms\":%lld.%06d", predictor,
                     (long long)(end / 1000000), (int)(end % 1000000));
    memx_text_printf(out, ",\"micro_batches\":%lld,\"left_out\":%lld}}\n",
                     (long long)plan->micro_batches, 2 * (long long)(m - w.shown));
    free(w.left);
    if (!status && out->failed) status = MEMX_NOMEM;
    return status;
}
