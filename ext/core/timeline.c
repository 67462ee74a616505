#include "core/timeline.h"

#include "core/whole.h"

#include <stdlib.h>

const char *memx_slice_name(memx_slice_kind kind) {
    static const char *const names[MEMX_SLICE_KINDS] = {
        [MEMX_SLICE_FORWARD] = "forward",    [MEMX_SLICE_RECOMPUTE] = "recompute",
        [MEMX_SLICE_BACKWARD] = "backward",  [MEMX_SLICE_RECEIVE] = "receive",
        [MEMX_SLICE_SEND] = "send",          [MEMX_SLICE_IDLE] = "idle",
        [MEMX_SLICE_SYNC] = "gradient sync", [MEMX_SLICE_OPTIMIZER] = "optimizer",
        [MEMX_SLICE_OVERHEAD] = "overhead",
    };
    return names[kind];
}

memx_status memx_timeline_open(const memx_priced *priced, const memx_pricer *pricer,
                               memx_timeline *out, memx_error *error) {
    const memx_plan *plan = &priced->plan;
    *out = (memx_timeline){.priced = priced};
    out->recompute_ns = calloc((size_t)plan->stage_count, sizeof *out->recompute_ns);
    memx_status status = out->recompute_ns ? MEMX_OK : MEMX_NOMEM;
    for (int32_t s = 0; s < plan->stage_count && !status; s++) {
        memx_level level = priced->config.stages[s].level;
        memx_stage_choice bare = {priced->config.stages[s].layers, {MEMX_NONE, 0, 0}};
        memx_option option;
        if (level.kind == MEMX_NONE || level.kind == MEMX_SWAP) continue; /* waits, at most */
        status = memx_plan_options(plan, &plan->shapes[s], pricer, &bare, 1, &option, error);
        if (status) break;
        int64_t backward = memx_option_backward_ns(&priced->options[s]);
        int64_t more = backward - memx_option_backward_ns(&option);
        out->recompute_ns[s] = memx_least(backward, memx_greatest(more, 0));
    }
    if (status) memx_timeline_close(out);
    return status;
}

void memx_timeline_close(memx_timeline *timeline) {
    free(timeline->recompute_ns);
    *timeline = (memx_timeline){0};
}

typedef struct walk {
    const memx_timeline *timeline;
    int64_t *at_ns; /* of each stage: the end of its last slice */
    int64_t *tasks; /* of each stage: begun */
    memx_slice_visit see;
    void *context;
    memx_status status;
} walk;

/* One more slice of a stage, up to end_ns, unless it is empty. */
static void put(walk *w, memx_slice *slice, memx_slice_kind kind, int64_t end_ns) {
    slice->kind = kind;
    slice->begin_ns = w->at_ns[slice->stage];
    slice->end_ns = memx_capped_ns(end_ns);
    if (slice->end_ns <= slice->begin_ns || w->status) return;
    w->at_ns[slice->stage] = slice->end_ns;
    w->status = w->see(w->context, slice);
}

static memx_status see_task(void *context, const memx_task *task) {
    walk *w = context;
    memx_slice slice = {.stage = (int32_t)task->stage,
                        .task = w->tasks[task->stage]++,
                        .micro_batch = task->micro_batch,
                        .chunk = task->chunk,
                        .order = task->order,
                        .forward = task->forward};
    put(w, &slice, MEMX_SLICE_IDLE, task->start_ns - task->receive_ns);
    put(w, &slice, MEMX_SLICE_RECEIVE, task->start_ns);
    if (task->forward) {
        put(w, &slice, MEMX_SLICE_FORWARD, task->end_ns);
    } else {
        int64_t again = w->timeline->recompute_ns[task->stage];
        put(w, &slice, MEMX_SLICE_RECOMPUTE, memx_least(task->start_ns + again, task->end_ns));
        put(w, &slice, MEMX_SLICE_BACKWARD, task->end_ns);
    }
    put(w, &slice, MEMX_SLICE_SEND, task->end_ns + task->send_ns);
    return w->status;
}

/* After the last backward. */
static void put_tails(walk *w, int64_t end_ns) {
    const memx_priced *priced = w->timeline->priced;
    int64_t tail = 0, overhead = memx_whole_ns(priced->plan.job->overhead_ms);
    for (int32_t s = 0; s < priced->plan.stage_count; s++) {
        tail = memx_greatest(tail, priced->options[s].tail_ns);
    }
    int64_t drained = memx_greatest(end_ns - overhead - tail, 0);
    for (int32_t s = 0; s < priced->plan.stage_count; s++) {
        const memx_option *option = &priced->options[s];
        memx_slice slice = {.stage = s, .task = 2 * priced->plan.slots, .micro_batch = -1};
        put(w, &slice, MEMX_SLICE_IDLE, drained);
        put(w, &slice, MEMX_SLICE_SYNC, drained + option->sync_ns);
        put(w, &slice, MEMX_SLICE_OPTIMIZER, drained + option->tail_ns);
        put(w, &slice, MEMX_SLICE_IDLE, drained + tail);
        put(w, &slice, MEMX_SLICE_OVERHEAD, end_ns);
    }
}

memx_status memx_timeline_walk(const memx_timeline *timeline, const memx_poll *poll,
                               memx_slice_visit see, void *context, int64_t *out_ns) {
    const memx_priced *priced = timeline->priced;
    size_t stages = (size_t)priced->plan.stage_count;
    walk w = {.timeline = timeline, .see = see, .context = context};
    w.at_ns = calloc(stages, sizeof *w.at_ns);
    w.tasks = calloc(stages, sizeof *w.tasks);
    memx_task_watch watch = {see_task, &w};
    memx_status status = w.at_ns && w.tasks ? MEMX_OK : MEMX_NOMEM;
    if (!status) status = memx_plan_watch(&priced->plan, priced->pointers, poll, &watch, out_ns);
    if (!status) {
        put_tails(&w, *out_ns);
        status = w.status;
    }
    free(w.at_ns);
    free(w.tasks);
    return status;
}
