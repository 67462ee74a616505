#include "core/placement.h"

#include <stdlib.h>
#include <string.h>

void memx_placement_free(memx_placement *p) {
    free(p->first);
    free(p->runs);
    *p = (memx_placement){0};
}

bool memx_placement_equal(const memx_placement *a, const memx_placement *b) {
    if (a->stage_count != b->stage_count) return false;
    size_t stages = (size_t)a->stage_count;
    return memcmp(a->first, b->first, (stages + 1) * sizeof *a->first) == 0 &&
           memcmp(a->runs, b->runs, (size_t)a->first[stages] * sizeof *a->runs) == 0;
}

/* The next device type of a stage after `after`, by number; -1 after the last. */
static int32_t next_device(const memx_job *job, const memx_placement *p, int32_t stage,
                           int32_t after) {
    int32_t next = -1;
    for (int32_t r = p->first[stage]; r < p->first[stage + 1]; r++) {
        int32_t device = job->nodes[p->runs[r].node].device;
        if (device > after && (next < 0 || device < next)) next = device;
    }
    return next;
}

bool memx_placement_same_devices(const memx_job *job, const memx_placement *p, int32_t a,
                                 int32_t b) {
    for (int32_t device = -1;;) {
        int32_t next = next_device(job, p, a, device);
        if (next != next_device(job, p, b, device)) return false;
        if (next < 0) return true;
        device = next;
    }
}

memx_status memx_placement_start(memx_placement *p, int32_t stage_count) {
    *p = (memx_placement){.stage_count = stage_count};
    p->first = calloc((size_t)stage_count + 1, sizeof *p->first);
    return p->first ? MEMX_OK : MEMX_NOMEM;
}

/* Adds GPUs of a node to the stage being built, keeping its runs sorted by node. first[stage + 1]
** is the end of the runs so far. */
memx_status memx_placement_add(memx_placement *p, int32_t stage, int32_t node, int32_t gpus) {
    int32_t begin = p->first[stage], end = p->first[stage + 1];
    if (end == p->run_capacity) {
        int32_t capacity = p->run_capacity ? 2 * p->run_capacity : 16;
        memx_run *runs = realloc(p->runs, (size_t)capacity * sizeof *runs);
        if (!runs) return MEMX_NOMEM;
        p->runs = runs;
        p->run_capacity = capacity;
    }
    int32_t at = end;
    while (at > begin && p->runs[at - 1].node >= node) at--;
    if (at < end && p->runs[at].node == node) {
        p->runs[at].gpus += gpus;
        return MEMX_OK;
    }
    memmove(p->runs + at + 1, p->runs + at, (size_t)(end - at) * sizeof *p->runs);
    p->runs[at] = (memx_run){node, gpus};
    p->first[stage + 1] = end + 1;
    return MEMX_OK;
}

void memx_placement_open(memx_placement *p, int32_t stage) {
    p->first[stage + 1] = p->first[stage];
}

memx_status memx_placement_fill(const memx_job *job, const int32_t *node_order, int64_t stage_gpus,
                                int32_t stage_count, memx_placement *out) {
    memx_status status = memx_placement_start(out, stage_count);
    int32_t at = 0, left = job->nodes[node_order[0]].gpus;
    for (int32_t s = 0; s < stage_count && !status; s++) {
        memx_placement_open(out, s);
        for (int64_t need = stage_gpus; need > 0 && !status;) {
            if (left == 0) left = job->nodes[node_order[++at]].gpus;
            int32_t take = need < left ? (int32_t)need : left;
            status = memx_placement_add(out, s, node_order[at], take);
            left -= take;
            need -= take;
        }
    }
    if (status) memx_placement_free(out);
    return status;
}

void memx_stage_devices(const memx_job *job, const memx_placement *p, int32_t stage,
                        memx_text *out) {
    int32_t begin = p->first[stage], end = p->first[stage + 1];
    bool mixed = false;
    for (int32_t r = begin; r < end; r++) {
        mixed =
            mixed || job->nodes[p->runs[r].node].device != job->nodes[p->runs[begin].node].device;
    }
    for (int32_t r = begin; r < end; r++) {
        int32_t device = job->nodes[p->runs[r].node].device;
        int32_t gpus = 0;
        bool seen = false;
        for (int32_t q = begin; q < end; q++) {
            if (job->nodes[p->runs[q].node].device != device) continue;
            seen = seen || q < r;
            gpus += p->runs[q].gpus;
        }
        if (seen) continue;
        memx_text_printf(out, "%s%s", r > begin ? "|" : "", job->devices[device].name);
        if (mixed) memx_text_printf(out, "(%d)", (int)gpus);
    }
}
