#include "core/region.h"

#include "core/ways.h"
#include "core/whole.h"

#include <math.h>
#include <stdlib.h>

__extension__ typedef __int128 wide;

void memx_region_close(memx_region *r) {
    free(r->items);
    free(r->begin);
    free(r->span);
    free(r->cells);
    free(r->rest);
    free(r->slices);
    *r = (memx_region){0};
}

/* ---- loading ---- */

/* Room for `count` of `size` bytes: what was there is lost when it grows. */
static memx_status make_room(void **at, size_t *capacity, size_t count, size_t size) {
    if (count <= *capacity) return MEMX_OK;
    free(*at);
    *at = malloc(count * size);
    *capacity = *at ? count : 0;
    return *at ? MEMX_OK : MEMX_NOMEM;
}

static memx_status make_rooms(memx_region *r, size_t items) {
    size_t blocks = (size_t)r->graph->block_count, vertices = (size_t)r->graph->vertex_count;
    size_t cells = blocks * (size_t)r->most + 1, rests = vertices * (size_t)r->most;
    if (make_room((void **)&r->items, &r->item_room, items + 1, sizeof *r->items) ||
        make_room((void **)&r->begin, &r->begin_room, cells, sizeof *r->begin) ||
        make_room((void **)&r->span, &r->span_room, blocks, sizeof *r->span) ||
        make_room((void **)&r->cells, &r->cell_room, cells, sizeof *r->cells)) {
        return MEMX_NOMEM;
    }
    return make_room((void **)&r->rest, &r->rest_room, rests, sizeof *r->rest);
}

static memx_item make_item(const memx_region *r, const memx_graph_block *block, int64_t layers,
                           int32_t level) {
    const memx_option *o = &block->options[(layers - 1) * r->graph->levels + level];
    int64_t gpus = r->graph->stage_gpus;
    wide away1 = (wide)o->s1 - (wide)gpus * r->centre;
    wide away2 = (wide)o->s2 - 2 * (wide)r->centre * o->s1 + (wide)gpus * r->centre * r->centre;
    return (memx_item){.option = o,
                       .time_ns = o->time_ns + 2 * block->hop_after_ns,
                       .slot_ns = o->slot_ns,
                       .tail_ns = o->tail_ns,
                       .peak_kib = o->peak_kib,
                       .away1 = (double)away1,
                       .away2 = (double)away2,
                       .code = (uint32_t)layers << 8 | (uint32_t)level};
}

/* Counts the items, and finds memory that every GPU could have: half of what one stage at most holds.
** Any such centre is right; one amid what there is loses fewer digits. */
static size_t count_items(memx_region *r) {
    const memx_graph *g = r->graph;
    size_t items = 0;
    int64_t most = 0;
    for (int32_t b = 0; b < g->block_count; b++) {
        for (int64_t l = 1; l <= r->most; l++) {
            uint64_t mask = g->blocks[b].masks[l - 1];
            items += (size_t)__builtin_popcountll(mask);
            int32_t any = memx_lowest(mask, 0);
            if (any < 0) continue;
            most = memx_greatest(most, g->blocks[b].options[(l - 1) * g->levels + any].peak_kib);
        }
    }
    r->centre = most / 2;
    return items;
}

memx_status memx_region_load(memx_region *r, const memx_graph *g, double headroom) {
    r->graph = g;
    r->gpus = g->plan.job->gpus;
    r->stages = g->plan.stage_count;
    r->layers = g->plan.layers;
    r->most = g->most;
    r->fixed_ns = memx_whole_ns(g->plan.job->overhead_ms);
    memx_status status = make_rooms(r, count_items(r));
    if (status) return status;
    int32_t at = 0;
    for (int32_t b = 0; b < g->block_count; b++) {
        const memx_graph_block *block = &g->blocks[b];
        r->span[b] = (memx_range){r->most + 1, 0};
        for (int64_t l = 1; l <= r->most; l++) {
            uint64_t mask = block->masks[l - 1];
            int32_t before = at;
            r->begin[b * r->most + l - 1] = at;
            for (int32_t v = memx_lowest(mask, 0); v >= 0; v = memx_lowest(mask, v + 1)) {
                const memx_item item = make_item(r, block, l, v);
                if (item.option->free_share >= headroom) r->items[at++] = item;
            }
            if (at == before) continue;
            r->span[b].least = memx_least(r->span[b].least, l);
            r->span[b].most = l;
        }
    }
    r->begin[g->block_count * r->most] = at;
    return MEMX_OK;
}

/* ---- tables ---- */

/* Neutral: the lesser, or larger, of this and anything is that. */
static const memx_rest nothing = {
    MEMX_NOTHING_NS, INT64_MAX, INT64_MAX, INT64_MAX, INFINITY, -INFINITY, INFINITY,
};

__attribute__((always_inline)) static inline void include(memx_rest *out, const memx_rest *other) {
    out->time_ns = memx_least(out->time_ns, other->time_ns);
    out->slot_ns = memx_least(out->slot_ns, other->slot_ns);
    out->tail_ns = memx_least(out->tail_ns, other->tail_ns);
    out->peak_kib = memx_least(out->peak_kib, other->peak_kib);
    out->away1_least = memx_lesser(out->away1_least, other->away1_least);
    out->away1_most = memx_larger(out->away1_most, other->away1_most);
    out->deviation = memx_lesser(out->deviation, other->deviation);
}

/* Least sum of (x - c)^2 over the stage's GPUs for a mean c in a range. */
static double from_means(const memx_item *item, double gpus, double least, double most) {
    double mean = memx_lesser(memx_larger(item->away1 / gpus, least), most);
    double squares = item->away2 + mean * mean * gpus;
    return memx_larger(0.0, squares - 2.0 * mean * item->away1 - MEMX_ROUNDING * squares);
}

/* Of the items of a cell, a block and a number of layers, that the box admits: the least of each. */
static memx_rest of_items(const memx_region *r, int64_t cell) {
    memx_rest out = nothing;
    double gpus = (double)r->graph->stage_gpus;
    for (int32_t i = r->begin[cell]; i < r->begin[cell + 1]; i++) {
        const memx_item *item = &r->items[i];
        if (!memx_box_admits(&r->box, item)) continue;
        double mean = item->away1 / gpus;
        double near = memx_lesser(memx_larger(mean, r->mean_least), r->mean_most);
        double deviation = item->away2 - 2.0 * near * item->away1 + near * near * gpus;
        deviation =
            memx_larger(0.0, deviation - MEMX_ROUNDING * (item->away2 + near * near * gpus));
        const memx_rest one = {item->time_ns, item->slot_ns, item->tail_ns, item->peak_kib,
                               item->away1,   item->away1,   deviation};
        include(&out, &one);
    }
    return out;
}

__attribute__((always_inline)) static inline memx_rest put_before(const memx_rest *stage,
                                                                  const memx_rest *rest) {
    return (memx_rest){
        stage->time_ns + rest->time_ns,
        memx_greatest(stage->slot_ns, rest->slot_ns),
        memx_greatest(stage->tail_ns, rest->tail_ns),
        memx_greatest(stage->peak_kib, rest->peak_kib),
        stage->away1_least + rest->away1_least,
        stage->away1_most + rest->away1_most,
        stage->deviation + rest->deviation,
    };
}

/* A memory that all GPUs' sum stands for, from the centre, as a mean of each. */
static double mean_of(const memx_region *r, int64_t s1) {
    return (double)((wide)s1 - (wide)r->gpus * r->centre) / (double)r->gpus;
}

bool memx_region_fill(memx_region *r, const memx_box *box) {
    const memx_graph *g = r->graph;
    r->box = *box;
    r->mean_least = mean_of(r, box->s1.least);
    r->mean_most = mean_of(r, box->s1.most);
    for (int64_t cell = 0; cell < g->block_count * r->most; cell++) {
        r->cells[cell] = of_items(r, cell);
    }
    for (int64_t i = 0; i < r->most; i++) r->rest[i] = nothing;
    r->rest[0] = (memx_rest){0}; /* no stage, no layer */
    for (int32_t v = 1; v < g->vertex_count; v++) {
        memx_rest *here = &r->rest[v * r->most];
        for (int64_t i = 0; i < r->most; i++) here[i] = nothing;
        for (int32_t e = g->vertices[v].begin; e < g->vertices[v].end; e++) {
            const memx_edge *edge = &g->edges[e];
            const memx_rest *after = &r->rest[edge->to * r->most];
            const memx_rest *cells = &r->cells[edge->block * r->most];
            int64_t behind = edge->to == 0 ? 1 : r->most;
            for (int64_t l = r->span[edge->block].least; l <= r->span[edge->block].most; l++) {
                const memx_rest stage = cells[l - 1];
                if (stage.time_ns == MEMX_NOTHING_NS) continue;
                for (int64_t i = 0; i < behind && i + l - 1 < r->most; i++) {
                    if (after[i].time_ns == MEMX_NOTHING_NS) continue;
                    const memx_rest all = put_before(&stage, &after[i]);
                    include(&here[i + l - 1], &all);
                }
            }
        }
    }
    return memx_region_all(r) != NULL;
}

/* Means admitted, from the centre. */
typedef struct memx_means {
    double least, most;
} memx_means;

/* The least deviations of a cell's items, slice by slice; INFINITY where the box admits none. */
static void slice_items(const memx_region *r, int64_t cell, const memx_means *means, double *out) {
    double gpus = (double)r->graph->stage_gpus;
    for (int k = 0; k < MEMX_SLICES; k++) out[k] = INFINITY;
    for (int32_t i = r->begin[cell]; i < r->begin[cell + 1]; i++) {
        const memx_item *item = &r->items[i];
        if (!memx_box_admits(&r->box, item)) continue;
        for (int k = 0; k < MEMX_SLICES; k++) {
            out[k] = memx_lesser(out[k], from_means(item, gpus, means[k].least, means[k].most));
        }
    }
}

/* Fills slices of all cells, and behind them of all vertices. */
static void fill_slices(memx_region *r, const memx_means *means) {
    const memx_graph *g = r->graph;
    int64_t row = r->most * MEMX_SLICES;
    double *rest = r->slices + g->block_count * row;
    for (int64_t cell = 0; cell < g->block_count * r->most; cell++) {
        slice_items(r, cell, means, r->slices + cell * MEMX_SLICES);
    }
    for (int64_t i = 0; i < g->vertex_count * row; i++) rest[i] = i < MEMX_SLICES ? 0.0 : INFINITY;
    for (int32_t v = 1; v < g->vertex_count; v++) {
        for (int32_t e = g->vertices[v].begin; e < g->vertices[v].end; e++) {
            const memx_edge *edge = &g->edges[e];
            int64_t behind = edge->to == 0 ? 1 : r->most;
            for (int64_t l = r->span[edge->block].least; l <= r->span[edge->block].most; l++) {
                const double *stage = r->slices + edge->block * row + (l - 1) * MEMX_SLICES;
                for (int64_t i = 0; i < behind && i + l - 1 < r->most; i++) {
                    const double *from = rest + edge->to * row + i * MEMX_SLICES;
                    double *to = rest + v * row + (i + l - 1) * MEMX_SLICES;
                    for (int k = 0; k < MEMX_SLICES; k++) {
                        to[k] = memx_lesser(to[k], stage[k] + from[k]);
                    }
                }
            }
        }
    }
}

memx_status memx_region_slices(memx_region *r, const memx_box *box, memx_range *s1,
                               double *deviation) {
    memx_means means[MEMX_SLICES];
    const memx_graph *g = r->graph;
    int64_t size = (box->s1.most - box->s1.least) / MEMX_SLICES + 1;
    size_t room = (size_t)(g->block_count + g->vertex_count) * (size_t)r->most * MEMX_SLICES;
    memx_status status = make_room((void **)&r->slices, &r->slice_room, room, sizeof *r->slices);
    if (status) return status;
    r->box = *box;
    for (int k = 0; k < MEMX_SLICES; k++) {
        s1[k].least = box->s1.least + k * size;
        s1[k].most = memx_least(box->s1.most, s1[k].least + size - 1);
        means[k] = (memx_means){mean_of(r, s1[k].least), mean_of(r, s1[k].most)};
    }
    fill_slices(r, means);
    const double *all = r->slices + room - MEMX_SLICES; /* the start, with all layers */
    for (int k = 0; k < MEMX_SLICES; k++) {
        deviation[k] = s1[k].least > s1[k].most ? INFINITY : all[k];
    }
    return MEMX_OK;
}

/* Widens what was found to x where x lies in the range. */
static void find(const memx_range *range, memx_range *found, int64_t x) {
    if (x < range->least || x > range->most) return;
    found->least = memx_least(found->least, x);
    found->most = memx_greatest(found->most, x);
}

bool memx_region_snap(const memx_region *r, memx_box *box) {
    memx_range slot = {INT64_MAX, -1}, tail = slot, peak = slot;
    for (int32_t i = 0; i < r->begin[r->graph->block_count * r->most]; i++) {
        const memx_item *item = &r->items[i];
        if (!memx_box_admits(box, item)) continue;
        find(&box->slot_ns, &slot, item->slot_ns);
        find(&box->tail_ns, &tail, item->tail_ns);
        find(&box->peak_kib, &peak, item->peak_kib);
    }
    box->slot_ns = slot;
    box->tail_ns = tail;
    box->peak_kib = peak;
    return slot.most >= 0 && tail.most >= 0 && peak.most >= 0;
}

bool memx_region_whole(const memx_region *r, memx_box *out) {
    const memx_range any = {0, INT64_MAX};
    memx_range s1 = {INT64_MAX, -1};
    *out = (memx_box){any, any, any, any};
    for (int32_t i = 0; i < r->begin[r->graph->block_count * r->most]; i++) {
        find(&any, &s1, r->items[i].option->s1);
    }
    if (s1.most < 0) return false;
    out->s1 = (memx_range){r->stages * s1.least, r->stages * s1.most};
    return memx_region_snap(r, out);
}

memx_box memx_region_shrink(const memx_region *r) {
    const memx_rest *rest = memx_region_all(r);
    memx_box box = r->box;
    double offset = (double)r->gpus * (double)r->centre;
    /* Whole numbers, but above 2^53 rounded. */
    double least = offset + rest->away1_least, most = offset + rest->away1_most;
    box.s1.least = memx_greatest(box.s1.least, (int64_t)(least * (1.0 - 1e-15)) - 1);
    box.s1.most = memx_least(box.s1.most, (int64_t)(most * (1.0 + 1e-15)) + 1);
    box.slot_ns.least = memx_greatest(box.slot_ns.least, rest->slot_ns);
    box.tail_ns.least = memx_greatest(box.tail_ns.least, rest->tail_ns);
    box.peak_kib.least = memx_greatest(box.peak_kib.least, rest->peak_kib);
    return box;
}
