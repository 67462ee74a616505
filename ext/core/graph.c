#include "core/graph.h"

#include "core/hash.h"

#include <stdlib.h>
#include <string.h>

void memx_graph_unload(memx_graph *g) {
    for (int32_t b = 0; b < g->block_count; b++) {
        if (g->blocks[b].table) memx_table_release(g->setting, g->blocks[b].table);
        g->blocks[b].table = NULL;
    }
}

void memx_graph_free(memx_graph *g) {
    memx_graph_unload(g);
    free(g->vertices);
    free(g->edges);
    free(g->blocks);
    free(g->masks);
    *g = (memx_graph){.levels = 0};
}

static void take_plan(memx_graph *g, const memx_plan *plan) {
    g->plan = *plan;
    g->plan.shapes = NULL;
    g->plan.hops_ns = 0;
    g->most = plan->layers - plan->stage_count + 1;
    g->stage_gpus = memx_knobs_stage_gpus(plan->knobs);
}

/* ---- chains ---- */

memx_status memx_graph_chain(memx_choices *choices, memx_graph *out) {
    const memx_plan *plan = memx_choices_plan(choices);
    int32_t stages = plan->stage_count;
    *out = (memx_graph){.choices = choices};
    take_plan(out, plan);
    out->vertices = calloc((size_t)stages + 1, sizeof *out->vertices);
    out->edges = calloc((size_t)stages, sizeof *out->edges);
    out->blocks = calloc((size_t)stages, sizeof *out->blocks);
    out->masks = calloc((size_t)stages * (size_t)out->most, sizeof *out->masks);
    if (!out->vertices || !out->edges || !out->blocks || !out->masks) {
        memx_graph_free(out);
        return MEMX_NOMEM;
    }
    out->vertex_count = stages + 1;
    out->edge_count = out->block_count = stages;
    out->levels = memx_choices_levels(choices);
    out->vertices[0] = (memx_vertex){stages, 0, 0, 1};
    for (int32_t s = 0; s < stages; s++) {
        uint64_t *masks = out->masks + s * out->most;
        for (int64_t l = 1; l <= out->most; l++) masks[l - 1] = memx_choices_mask(choices, s, l);
        out->blocks[s] = (memx_graph_block){.options = memx_choices_option(choices, s, 1, 0),
                                            .masks = masks,
                                            .hop_after_ns = plan->shapes[s].hop_after_ns};
        out->edges[s] = (memx_edge){s, stages - s - 1, 0};
        out->vertices[stages - s] = (memx_vertex){s, s, s + 1, 1};
    }
    return MEMX_OK;
}

/* ---- sets of byte strings ---- */

typedef struct entry {
    uint64_t hash;
    size_t at, size; /* of its bytes */
} entry;

/* Distinct byte strings, numbered as they come. */
typedef struct set {
    entry *entries;
    int32_t count, capacity;
    int32_t *slots; /* open addressing; -1: free */
    size_t slot_count;
    memx_text bytes;
} set;

static void set_free(set *s) {
    free(s->entries);
    free(s->slots);
    memx_text_free(&s->bytes);
}

static memx_status set_grow(set *s) {
    int32_t capacity = s->capacity ? 2 * s->capacity : 64;
    entry *entries = realloc(s->entries, (size_t)capacity * sizeof *entries);
    if (!entries) return MEMX_NOMEM;
    s->entries = entries;
    int32_t *slots = malloc(4 * (size_t)capacity * sizeof *slots);
    if (!slots) return MEMX_NOMEM;
    free(s->slots);
    s->slots = slots;
    s->capacity = capacity;
    s->slot_count = 4 * (size_t)capacity;
    memset(slots, 0xff, s->slot_count * sizeof *slots);
    for (int32_t i = 0; i < s->count; i++) {
        size_t slot = s->entries[i].hash % s->slot_count;
        while (slots[slot] >= 0) slot = (slot + 1) % s->slot_count;
        slots[slot] = i;
    }
    return MEMX_OK;
}

/* *number of the bytes, which are new where it was the count. */
static memx_status set_add(set *s, const void *bytes, size_t size, int32_t *number) {
    uint64_t hash = memx_hash(bytes, size);
    if (s->count == s->capacity) {
        memx_status status = set_grow(s);
        if (status) return status;
    }
    size_t slot = hash % s->slot_count;
    for (; s->slots[slot] >= 0; slot = (slot + 1) % s->slot_count) {
        const entry *e = &s->entries[s->slots[slot]];
        /* A slot in use names an entry, and an entry with bytes has them.
        ** NOLINTBEGIN(clang-analyzer-core.*) */
        if (e->hash == hash && e->size == size &&
            (size == 0 || memcmp(s->bytes.data + e->at, bytes, size) == 0)) {
            /* NOLINTEND(clang-analyzer-core.*) */
            *number = s->slots[slot];
            return MEMX_OK;
        }
    }
    *number = s->count;
    s->slots[slot] = s->count;
    s->entries[s->count++] = (entry){hash, s->bytes.length, size};
    memx_text_add(&s->bytes, bytes, size);
    return s->bytes.failed ? MEMX_NOMEM : MEMX_OK;
}

/* ---- groups ---- */

typedef struct builder {
    memx_graph *graph;
    const memx_skeleton *first;
    int32_t count, stages;
    int32_t *blocks;   /* [skeleton][stage] */
    int32_t *common;   /* of a skeleton and the one before it: stages with the same blocks */
    int32_t *vertices; /* where a run of skeletons begins: what follows the stages they share */
    set shapes, lists;
    int32_t edge_capacity, vertex_capacity;
} builder;

static memx_status build_plan(const memx_setting *setting, const memx_skeleton *skeleton,
                              memx_plan *out, memx_error *error) {
    return memx_plan_build(setting->job, &skeleton->knobs, &skeleton->placement, out, error);
}

/* The blocks of every skeleton. */
static memx_status find_blocks(builder *b, const memx_setting *setting, const memx_poll *poll,
                               memx_error *error) {
    memx_graph *g = b->graph;
    memx_status status = MEMX_OK;
    for (int32_t i = 0; i < b->count && !status; i++) {
        memx_plan plan;
        if (i % 64 == 63 && memx_poll_stop(poll)) return MEMX_INTERRUPTED;
        status = build_plan(setting, &b->first[i], &plan, error);
        if (status) return status;
        if (i == 0) take_plan(g, &plan);
        for (int32_t s = 0; s < b->stages && !status; s++) {
            size_t size = 0;
            int32_t number = 0;
            char *key = memx_shape_key(&plan.shapes[s], &size);
            status = key ? set_add(&b->shapes, key, size, &number) : MEMX_NOMEM;
            free(key);
            b->blocks[i * b->stages + s] = number;
            if (status || number < g->block_count) continue;
            memx_graph_block *blocks =
                realloc(g->blocks, (size_t)b->shapes.capacity * sizeof *g->blocks);
            if (!blocks) {
                status = MEMX_NOMEM;
                break;
            }
            g->blocks = blocks;
            g->blocks[g->block_count++] = (memx_graph_block){
                .hop_after_ns = plan.shapes[s].hop_after_ns, .skeleton = i, .stage = s};
        }
        memx_plan_free(&plan);
    }
    return status;
}

static void find_common(builder *b) {
    for (int32_t i = 1; i < b->count; i++) {
        const int32_t *here = b->blocks + (size_t)i * (size_t)b->stages, *last = here - b->stages;
        int32_t s = 0;
        while (s < b->stages && here[s] == last[s]) s++;
        b->common[i] = s;
    }
}

static memx_status add_vertex(builder *b, int32_t stage, const memx_edge *edges, int32_t count,
                              int64_t skeletons, int32_t *number) {
    memx_graph *g = b->graph;
    memx_status status = set_add(&b->lists, edges, (size_t)count * sizeof *edges, number);
    /* Edges lead to vertices of the next depth: equal lists are of one depth. The end has none. */
    if (status || *number < g->vertex_count) return status;
    if (g->edge_count + count > b->edge_capacity) {
        int32_t capacity = 2 * (g->edge_count + count);
        memx_edge *grown = realloc(g->edges, (size_t)capacity * sizeof *grown);
        if (!grown) return MEMX_NOMEM;
        g->edges = grown;
        b->edge_capacity = capacity;
    }
    if (g->vertex_count == b->vertex_capacity) {
        int32_t capacity = 2 * b->vertex_capacity + 64;
        memx_vertex *grown = realloc(g->vertices, (size_t)capacity * sizeof *grown);
        if (!grown) return MEMX_NOMEM;
        g->vertices = grown;
        b->vertex_capacity = capacity;
    }
    if (count > 0) memcpy(g->edges + g->edge_count, edges, (size_t)count * sizeof *edges);
    g->vertices[g->vertex_count++] =
        (memx_vertex){stage, g->edge_count, g->edge_count + count, skeletons};
    g->edge_count += count;
    return MEMX_OK;
}

/* Vertices from the last depth to the first: skeletons stand in runs that share the stages before. */
static memx_status find_vertices(builder *b) {
    memx_edge *edges = calloc((size_t)b->count, sizeof *edges);
    int32_t end = 0;
    memx_status status = edges ? MEMX_OK : MEMX_NOMEM;
    if (!status) status = add_vertex(b, b->stages, edges, 0, 1, &end);
    for (int32_t i = 0; i < b->count; i++) b->vertices[i] = end;
    for (int32_t s = b->stages; s-- > 0 && !status;) {
        for (int32_t begin = 0, next; begin < b->count && !status; begin = next) {
            int32_t count = 0;
            /* A run ends where an earlier stage differs, its parts where this one does. */
            for (next = begin; next < b->count && (next == begin || b->common[next] >= s); next++) {
                if (next > begin && b->common[next] > s) continue;
                edges[count++] =
                    (memx_edge){b->blocks[next * b->stages + s], b->vertices[next], next - begin};
            }
            status = add_vertex(b, s, edges, count, next - begin, &b->vertices[begin]);
        }
    }
    free(edges);
    return status;
}

memx_status memx_graph_group(memx_setting *setting, const memx_skeleton *first, int32_t count,
                             const memx_poll *poll, memx_graph *out, memx_error *error) {
    builder b = {
        .graph = out, .first = first, .count = count, .stages = first->placement.stage_count};
    *out = (memx_graph){.levels = setting->level_count};
    b.blocks = malloc((size_t)count * (size_t)b.stages * sizeof *b.blocks);
    b.common = calloc((size_t)count, sizeof *b.common);
    b.vertices = calloc((size_t)count, sizeof *b.vertices);
    memx_status status = b.blocks && b.common && b.vertices ? MEMX_OK : MEMX_NOMEM;
    if (!status) status = find_blocks(&b, setting, poll, error);
    if (!status) {
        find_common(&b);
        status = find_vertices(&b);
    }
    free(b.blocks);
    free(b.common);
    free(b.vertices);
    set_free(&b.shapes);
    set_free(&b.lists);
    if (status) memx_graph_free(out);
    return status;
}

memx_status memx_graph_load(memx_setting *setting, const memx_skeleton *first, memx_graph *g,
                            const memx_poll *poll, memx_error *error) {
    memx_status status = MEMX_OK;
    g->setting = setting;
    for (int32_t b = 0, next; b < g->block_count && !status; b = next) {
        memx_plan plan; /* blocks come in order of the skeletons that they are found in */
        status = build_plan(setting, &first[g->blocks[b].skeleton], &plan, error);
        if (status) return status;
        for (next = b; next < g->block_count && !status; next++) {
            memx_graph_block *block = &g->blocks[next];
            if (block->skeleton != g->blocks[b].skeleton) break;
            status = memx_table_get(setting, &plan, &plan.shapes[block->stage], poll, &block->table,
                                    error);
            if (status) break;
            block->options = block->table->options;
            block->masks = block->table->fitting;
        }
        memx_plan_free(&plan);
    }
    if (status) memx_graph_unload(g);
    return status;
}
