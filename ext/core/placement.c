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

static bool same_devices(const memx_job *job, const memx_placement *p, int32_t a, int32_t b) {
    for (int32_t device = -1;;) {
        int32_t next = next_device(job, p, a, device);
        if (next != next_device(job, p, b, device)) return false;
        if (next < 0) return true;
        device = next;
    }
}

int32_t memx_placement_like(const memx_job *job, const memx_placement *p, int32_t stage) {
    int32_t like = 0;
    while (like < stage && !same_devices(job, p, like, stage)) like++;
    return like;
}

memx_status memx_placement_start(memx_placement *p, int32_t stage_count) {
    *p = (memx_placement){.stage_count = stage_count};
    p->first = calloc((size_t)stage_count + 1, sizeof *p->first);
    return p->first ? MEMX_OK : MEMX_NOMEM;
}

static memx_status room_for_run(memx_placement *p, int32_t end) {
    if (end < p->run_capacity) return MEMX_OK;
    int32_t capacity = p->run_capacity ? 2 * p->run_capacity : 16;
    memx_run *runs = realloc(p->runs, (size_t)capacity * sizeof *runs);
    if (!runs) return MEMX_NOMEM;
    p->runs = runs;
    p->run_capacity = capacity;
    return MEMX_OK;
}

/* Adds GPUs of a node to the stage being built, keeping its runs sorted by node. first[stage + 1]
** is the end of the runs so far. */
memx_status memx_placement_add(memx_placement *p, int32_t stage, int32_t node, int32_t gpus) {
    int32_t begin = p->first[stage], end = p->first[stage + 1];
    memx_status status = room_for_run(p, end);
    if (status) return status;
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

static int compare_runs(const void *left, const void *right) {
    const memx_run *a = left, *b = right;
    return a->node < b->node ? -1 : a->node > b->node;
}

static void sort_runs(memx_placement *p, int32_t stage) {
    size_t count = (size_t)(p->first[stage + 1] - p->first[stage]);
    if (count > 1) qsort(p->runs + p->first[stage], count, sizeof *p->runs, compare_runs);
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
            status = room_for_run(out, out->first[s + 1]);
            if (!status) out->runs[out->first[s + 1]++] = (memx_run){node_order[at], take};
            left -= take;
            need -= take;
        }
        if (!status) sort_runs(out, s);
    }
    if (status) memx_placement_free(out);
    return status;
}

/* ---- half used nodes ---- */

memx_status memx_placement_check(const memx_job *job, const memx_placement *p, int32_t *stage,
                                 int32_t *node) {
    int32_t *used = calloc((size_t)job->node_count, sizeof *used);
    int32_t *half = calloc((size_t)job->device_count, sizeof *half); /* stage + 1 that left one */
    memx_status status = used && half ? MEMX_OK : MEMX_NOMEM;
    for (int32_t s = 0; s < p->stage_count && !status; s++) {
        for (int32_t r = p->first[s]; r < p->first[s + 1] && !status; r++) {
            int32_t n = p->runs[r].node, device = job->nodes[n].device;
            used[n] += p->runs[r].gpus;
            if (used[n] == job->nodes[n].gpus) continue;
            if (half[device] == s + 1) status = MEMX_INVALID;
            half[device] = s + 1;
            *stage = s;
            *node = n;
        }
    }
    free(used);
    free(half);
    return status;
}

/* ---- equal nodes ---- */

typedef struct indexed_node {
    const memx_node *node;
    int32_t index;
} indexed_node;

static int compare_nodes(const memx_node *a, const memx_node *b) {
    if (a->device != b->device) return a->device < b->device ? -1 : 1;
    if (a->gpus != b->gpus) return a->gpus < b->gpus ? -1 : 1;
    if (a->link_gbs != b->link_gbs) return a->link_gbs < b->link_gbs ? -1 : 1;
    if (a->inter_gbs != b->inter_gbs) return a->inter_gbs < b->inter_gbs ? -1 : 1;
    if (a->host_memory_mib != b->host_memory_mib)
        return a->host_memory_mib < b->host_memory_mib ? -1 : 1;
    if (a->host_memory_gbs != b->host_memory_gbs)
        return a->host_memory_gbs < b->host_memory_gbs ? -1 : 1;
    return 0;
}

static int compare_indexed(const void *left, const void *right) {
    const indexed_node *a = left, *b = right;
    int order = compare_nodes(a->node, b->node);
    return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

memx_status memx_node_chains_open(const memx_job *job, memx_node_chains *out) {
    size_t nodes = (size_t)job->node_count;
    indexed_node *sorted = calloc(nodes, sizeof *sorted);
    *out = (memx_node_chains){calloc(nodes, sizeof *out->first), calloc(nodes, sizeof *out->next)};
    memx_status status = sorted && out->first && out->next ? MEMX_OK : MEMX_NOMEM;
    for (int32_t i = 0; i < job->node_count && !status; i++) {
        sorted[i] = (indexed_node){&job->nodes[i], i};
    }
    if (!status) qsort(sorted, nodes, sizeof *sorted, compare_indexed);
    for (size_t i = 0; i < nodes && !status; i++) {
        int32_t n = sorted[i].index;
        bool alike = i > 0 && compare_nodes(sorted[i - 1].node, sorted[i].node) == 0;
        out->first[n] = alike ? out->first[sorted[i - 1].index] : n;
        if (alike) out->next[sorted[i - 1].index] = n;
        out->next[n] = -1;
    }
    free(sorted);
    if (status) memx_node_chains_close(out);
    return status;
}

void memx_node_chains_close(memx_node_chains *chains) {
    free(chains->first);
    free(chains->next);
    *chains = (memx_node_chains){NULL, NULL};
}

/* Names the nodes of one stage that have none yet: those it uses up first, then the others. A name is
** the first node of the chain that stands for none, which is the chain's head. */
static void name_nodes(const memx_job *job, const memx_placement *p, int32_t stage,
                       const memx_node_chains *chains, int32_t *heads, int32_t *used,
                       int32_t *names) {
    for (int32_t r = p->first[stage]; r < p->first[stage + 1]; r++) {
        used[p->runs[r].node] += p->runs[r].gpus;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t r = p->first[stage]; r < p->first[stage + 1]; r++) {
            int32_t node = p->runs[r].node;
            bool used_up = used[node] == job->nodes[node].gpus;
            if (names[node] >= 0 || (pass == 0 && !used_up)) continue;
            int32_t *unnamed = &heads[chains->first[node]];
            names[node] = *unnamed;
            *unnamed = chains->next[*unnamed];
        }
    }
}

memx_status memx_placement_canonical(const memx_job *job, memx_placement *p) {
    size_t nodes = (size_t)job->node_count;
    int32_t *used = calloc(nodes, sizeof *used), *names = malloc(nodes * sizeof *names);
    int32_t *heads = malloc(nodes * sizeof *heads);
    memx_node_chains chains = {NULL, NULL};
    memx_status status = used && names && heads ? memx_node_chains_open(job, &chains) : MEMX_NOMEM;
    for (size_t n = 0; n < nodes && !status; n++) {
        names[n] = -1;
        heads[n] = (int32_t)n;
    }
    for (int32_t s = 0; s < p->stage_count && !status; s++) {
        name_nodes(job, p, s, &chains, heads, used, names);
    }
    for (int32_t s = 0; s < p->stage_count && !status; s++) {
        for (int32_t r = p->first[s]; r < p->first[s + 1]; r++) {
            p->runs[r].node = names[p->runs[r].node];
        }
        sort_runs(p, s);
    }
    free(used);
    free(names);
    free(heads);
    memx_node_chains_close(&chains);
    return status;
}

/* ---- writing ---- */

/* GPUs of a stage on one device, from its run `from` on; 0 where an earlier run had that device. */
static int32_t gpus_on_device(const memx_job *job, const memx_placement *p, int32_t stage,
                              int32_t from) {
    int32_t device = job->nodes[p->runs[from].node].device, gpus = 0;
    for (int32_t r = p->first[stage]; r < p->first[stage + 1]; r++) {
        if (job->nodes[p->runs[r].node].device != device) continue;
        if (r < from) return 0;
        gpus += p->runs[r].gpus;
    }
    return gpus;
}

/* Whether the type's nodes in order of ordinals would give these GPUs. */
static bool follows_ordinals(const memx_job *job, const memx_placement *p, int32_t stage,
                             int32_t device, const int32_t *used) {
    int32_t n = 0;
    for (int32_t r = p->first[stage]; r < p->first[stage + 1]; r++) {
        const memx_run *run = &p->runs[r];
        if (job->nodes[run->node].device != device) continue;
        while (job->nodes[n].device != device || used[n] == job->nodes[n].gpus) n++;
        if (n != run->node) return false;
        /* All but the last of its nodes are used up. */
        n++;
        for (int32_t q = r + 1; q < p->first[stage + 1]; q++) {
            if (job->nodes[p->runs[q].node].device != device) continue;
            if (used[run->node] + run->gpus < job->nodes[run->node].gpus) return false;
            break;
        }
    }
    return true;
}

/* @ordinals: nodes that the stage uses up, then one that it does not. */
static void write_ordinals(const memx_job *job, const memx_placement *p, int32_t stage,
                           int32_t device, const int32_t *used, memx_text *out) {
    const char *separator = "@";
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t r = p->first[stage]; r < p->first[stage + 1]; r++) {
            const memx_node *node = &job->nodes[p->runs[r].node];
            bool used_up = used[p->runs[r].node] + p->runs[r].gpus == node->gpus;
            if (node->device != device || used_up != (pass == 0)) continue;
            memx_text_printf(out, "%s%lld", separator, (long long)node->ordinal);
            separator = "+";
        }
    }
}

static void write_devices(const memx_job *job, const memx_placement *p, int32_t stage,
                          const int32_t *used, memx_text *out) {
    int32_t begin = p->first[stage], end = p->first[stage + 1], width = 0;
    for (int32_t r = begin; r < end; r++) width += p->runs[r].gpus;
    for (int32_t r = begin; r < end; r++) {
        int32_t device = job->nodes[p->runs[r].node].device;
        int32_t gpus = gpus_on_device(job, p, stage, r);
        if (gpus == 0) continue;
        memx_text_printf(out, "%s%s", r > begin ? "|" : "", job->devices[device].name);
        if (gpus < width) memx_text_printf(out, "(%d)", (int)gpus);
        if (used && !follows_ordinals(job, p, stage, device, used)) {
            write_ordinals(job, p, stage, device, used, out);
        }
    }
}

void memx_stage_devices(const memx_job *job, const memx_placement *p, int32_t stage,
                        memx_text *out) {
    write_devices(job, p, stage, NULL, out);
}

void memx_stage_places(const memx_job *job, const memx_placement *p, int32_t stage, int32_t *used,
                       memx_text *out) {
    write_devices(job, p, stage, used, out);
    for (int32_t r = p->first[stage]; r < p->first[stage + 1]; r++) {
        used[p->runs[r].node] += p->runs[r].gpus;
    }
}
