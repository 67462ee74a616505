#include "core/region.h"

#include "core/ways.h"
#include "core/whole.h"

#include <math.h>
#include <stdlib.h>

__extension__ typedef __int128 wide;

void memx_region_close(memx_region *r) {
    free(r->items);
    free(r->begin);
    free(r->gpus_to);
    free(r->span);
    free(r->rest);
    free(r->slices);
    *r = (memx_region){0};
}

/* ---- loading ---- */

static memx_status make_room(memx_region *r, size_t items) {
    size_t stages = (size_t)r->stages, cells = (stages + 1) * (size_t)r->most + 1;
    if (items > r->item_capacity) {
        free(r->items);
        r->items = malloc(items * sizeof *r->items);
        r->item_capacity = r->items ? items : 0;
        if (!r->items) return MEMX_NOMEM;
    }
    if (cells > r->cell_capacity) {
        free(r->begin);
        free(r->rest);
        r->begin = malloc(cells * sizeof *r->begin);
        r->rest = malloc(cells * sizeof *r->rest);
        r->cell_capacity = r->begin && r->rest ? cells : 0;
        if (r->cell_capacity == 0) return MEMX_NOMEM;
    }
    size_t slices = 2 * (size_t)r->most * MEMX_SLICES;
    if (slices > r->slice_capacity) {
        free(r->slices);
        r->slices = malloc(slices * sizeof *r->slices);
        r->slice_capacity = r->slices ? slices : 0;
        if (!r->slices) return MEMX_NOMEM;
    }
    if (stages > r->stage_capacity) {
        free(r->gpus_to);
        free(r->span);
        r->gpus_to = malloc(stages * sizeof *r->gpus_to);
        r->span = malloc(stages * sizeof *r->span);
        r->stage_capacity = r->gpus_to && r->span ? stages : 0;
        if (r->stage_capacity == 0) return MEMX_NOMEM;
    }
    return MEMX_OK;
}

static int64_t stage_gpus(const memx_plan *plan, int32_t s) {
    int64_t gpus = 0;
    for (int32_t i = 0; i < plan->shapes[s].share_count; i++) {
        gpus += plan->shapes[s].shares[i].gpus;
    }
    return gpus;
}

static memx_item make_item(const memx_region *r, int64_t gpus, const memx_option *o, int64_t layers,
                           int32_t level) {
    wide away1 = (wide)o->s1 - (wide)gpus * r->centre;
    wide away2 = (wide)o->s2 - 2 * (wide)r->centre * o->s1 + (wide)gpus * r->centre * r->centre;
    return (memx_item){.option = o,
                       .time_ns = o->time_ns,
                       .slot_ns = o->slot_ns,
                       .tail_ns = o->tail_ns,
                       .peak_kib = o->peak_kib,
                       .away1 = (double)away1,
                       .away2 = (double)away2,
                       .code = (uint32_t)layers << 8 | (uint32_t)level};
}

/* Memory that every GPU could have: half of what one stage at most holds. Any value is right; one
** amid what there is loses fewer digits. */
static int64_t find_centre(const memx_region *r) {
    int64_t most = 0;
    for (int32_t s = 0; s < r->stages; s++) {
        for (int64_t l = 1; l <= r->most; l++) {
            uint64_t mask = memx_choices_mask(r->choices, s, l);
            for (int32_t v = memx_lowest(mask, 0); v >= 0; v = memx_lowest(mask, v + 1)) {
                const memx_option *o = memx_choices_option(r->choices, s, l, v);
                most = memx_greatest(most, o->peak_kib);
            }
        }
    }
    return most / 2;
}

memx_status memx_region_load(memx_region *r, memx_choices *choices, size_t piece, double headroom) {
    memx_choices_take_piece(choices, piece);
    const memx_plan *plan = memx_choices_plan(choices);
    r->choices = choices;
    r->plan = plan;
    r->gpus = plan->job->gpus;
    r->stages = plan->stage_count;
    r->layers = plan->model.layers;
    r->most = r->layers - r->stages + 1;
    r->fixed_ns = 2 * plan->hops_ns + memx_whole_ns(plan->job->overhead_ms);
    size_t items = 0;
    for (int32_t s = 0; s < r->stages; s++) {
        for (int64_t l = 1; l <= r->most; l++) {
            items += (size_t)__builtin_popcountll(memx_choices_mask(choices, s, l));
        }
    }
    memx_status status = make_room(r, items);
    if (status) return status;
    r->centre = find_centre(r);
    int32_t at = 0;
    int64_t gpus_to = 0;
    for (int32_t s = 0; s < r->stages; s++) {
        int64_t gpus = stage_gpus(plan, s);
        r->gpus_to[s] = gpus_to += gpus;
        r->span[s] = (memx_range){r->most + 1, 0};
        for (int64_t l = 1; l <= r->most; l++) {
            uint64_t mask = memx_choices_mask(choices, s, l);
            int32_t before = at;
            r->begin[s * r->most + l - 1] = at;
            for (int32_t v = memx_lowest(mask, 0); v >= 0; v = memx_lowest(mask, v + 1)) {
                const memx_option *o = memx_choices_option(choices, s, l, v);
                if (o->free_share >= headroom) r->items[at++] = make_item(r, gpus, o, l, v);
            }
            if (at == before) continue;
            r->span[s].least = memx_least(r->span[s].least, l);
            r->span[s].most = l;
        }
    }
    r->begin[(int64_t)r->stages * r->most] = at;
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

/* Of a stage's items with so many layers that the box admits: the least of each. */
static memx_rest of_items(const memx_region *r, int32_t s, int64_t layers, double gpus) {
    memx_rest out = nothing;
    int64_t cell = s * r->most + layers - 1;
    for (int32_t i = r->begin[cell]; i < r->begin[cell + 1]; i++) {
        const memx_item *item = &r->items[i];
        if (item->slot_ns > r->box.slot_ns.most || item->peak_kib > r->box.peak_kib.most) continue;
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
    r->box = *box;
    r->mean_least = mean_of(r, box->s1.least);
    r->mean_most = mean_of(r, box->s1.most);
    memx_rest *after = &r->rest[(int64_t)r->stages * r->most];
    for (int64_t i = 0; i < r->most; i++) after[i] = nothing;
    after[0] = (memx_rest){0}; /* no stage, no layer */
    for (int32_t s = r->stages; s-- > 0;) {
        memx_rest *here = &r->rest[s * r->most];
        double gpus = (double)(r->gpus_to[s] - (s > 0 ? r->gpus_to[s - 1] : 0));
        for (int64_t i = 0; i < r->most; i++) here[i] = nothing;
        after = here + r->most;
        int64_t behind = s + 1 == r->stages ? 1 : r->most;
        for (int64_t l = r->span[s].least; l <= r->span[s].most; l++) {
            const memx_rest stage = of_items(r, s, l, gpus);
            if (stage.time_ns == MEMX_NOTHING_NS) continue;
            for (int64_t i = 0; i < behind && i + l - 1 < r->most; i++) {
                if (after[i].time_ns == MEMX_NOTHING_NS) continue;
                const memx_rest all = put_before(&stage, &after[i]);
                include(&here[i + l - 1], &all);
            }
        }
    }
    return memx_region_rest(r, 0, r->layers) != NULL;
}

/* The least deviations of a stage's items with so many layers, slice by slice. */
static bool slice_items(const memx_region *r, int32_t s, int64_t layers, double gpus,
                        const double *means, double *out) {
    int64_t cell = s * r->most + layers - 1;
    bool any = false;
    for (int k = 0; k < MEMX_SLICES; k++) out[k] = INFINITY;
    for (int32_t i = r->begin[cell]; i < r->begin[cell + 1]; i++) {
        const memx_item *item = &r->items[i];
        if (item->slot_ns > r->box.slot_ns.most || item->peak_kib > r->box.peak_kib.most) continue;
        any = true;
        for (int k = 0; k < MEMX_SLICES; k++) {
            out[k] = memx_lesser(out[k], from_means(item, gpus, means[2 * k], means[2 * k + 1]));
        }
    }
    return any;
}

void memx_region_slices(memx_region *r, const memx_box *box, memx_range *s1, double *deviation) {
    double means[2 * MEMX_SLICES];
    int64_t size = (box->s1.most - box->s1.least) / MEMX_SLICES + 1;
    double *here = r->slices, *after = r->slices + r->most * MEMX_SLICES;
    r->box = *box;
    for (int k = 0; k < MEMX_SLICES; k++) {
        s1[k].least = box->s1.least + k * size;
        s1[k].most = memx_least(box->s1.most, s1[k].least + size - 1);
        means[2 * k] = mean_of(r, s1[k].least);
        means[2 * k + 1] = mean_of(r, s1[k].most);
    }
    for (int64_t i = 0; i < r->most * MEMX_SLICES; i++) after[i] = i < MEMX_SLICES ? 0.0 : INFINITY;
    for (int32_t s = r->stages; s-- > 0;) {
        double gpus = (double)(r->gpus_to[s] - (s > 0 ? r->gpus_to[s - 1] : 0));
        for (int64_t i = 0; i < r->most * MEMX_SLICES; i++) here[i] = INFINITY;
        int64_t behind = s + 1 == r->stages ? 1 : r->most;
        for (int64_t l = r->span[s].least; l <= r->span[s].most; l++) {
            double stage[MEMX_SLICES];
            if (!slice_items(r, s, l, gpus, means, stage)) continue;
            for (int64_t i = 0; i < behind && i + l - 1 < r->most; i++) {
                const double *from = after + i * MEMX_SLICES;
                double *to = here + (i + l - 1) * MEMX_SLICES;
                for (int k = 0; k < MEMX_SLICES; k++)
                    to[k] = memx_lesser(to[k], stage[k] + from[k]);
            }
        }
        double *swap = here;
        here = after;
        after = swap;
    }
    for (int k = 0; k < MEMX_SLICES; k++) {
        deviation[k] = s1[k].least > s1[k].most ? INFINITY : after[(r->most - 1) * MEMX_SLICES + k];
    }
}

/* Widens what was found to x where x lies in the range. */
static void find(const memx_range *range, memx_range *found, int64_t x) {
    if (x < range->least || x > range->most) return;
    found->least = memx_least(found->least, x);
    found->most = memx_greatest(found->most, x);
}

bool memx_region_snap(const memx_region *r, memx_box *box) {
    memx_range slot = {INT64_MAX, -1}, peak = slot;
    for (int32_t i = 0; i < r->begin[(int64_t)r->stages * r->most]; i++) {
        const memx_item *item = &r->items[i];
        if (item->slot_ns > box->slot_ns.most || item->peak_kib > box->peak_kib.most) continue;
        find(&box->slot_ns, &slot, item->slot_ns);
        find(&box->peak_kib, &peak, item->peak_kib);
    }
    box->slot_ns = slot;
    box->peak_kib = peak;
    return slot.most >= 0 && peak.most >= 0;
}

bool memx_region_whole(const memx_region *r, memx_box *out) {
    const memx_range any = {0, INT64_MAX};
    *out = (memx_box){any, any, {0, 0}};
    for (int32_t s = 0; s < r->stages; s++) {
        memx_range s1 = {INT64_MAX, -1};
        for (int32_t i = r->begin[s * r->most]; i < r->begin[(s + 1) * r->most]; i++) {
            find(&any, &s1, r->items[i].option->s1);
        }
        if (s1.most < 0) return false;
        out->s1.least += s1.least;
        out->s1.most += s1.most;
    }
    return memx_region_snap(r, out);
}

memx_box memx_region_shrink(const memx_region *r) {
    const memx_rest *rest = memx_region_rest(r, 0, r->layers);
    memx_box box = r->box;
    double offset = (double)r->gpus * (double)r->centre;
    /* Whole numbers, but above 2^53 rounded. */
    double least = offset + rest->away1_least, most = offset + rest->away1_most;
    box.s1.least = memx_greatest(box.s1.least, (int64_t)(least * (1.0 - 1e-15)) - 1);
    box.s1.most = memx_least(box.s1.most, (int64_t)(most * (1.0 + 1e-15)) + 1);
    box.slot_ns.least = memx_greatest(box.slot_ns.least, rest->slot_ns);
    box.peak_kib.least = memx_greatest(box.peak_kib.least, rest->peak_kib);
    return box;
}
