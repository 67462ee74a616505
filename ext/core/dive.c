#include "core/dive.h"

#include "core/whole.h"

#include <math.h>
#include <stdlib.h>

/* Scores are logarithms, rounded: rows closer than this may tie. */
static const double SLACK = 1e-9;

enum { POLL_EVERY = 1 << 14 };

void memx_dive_open(const memx_aim *aim, memx_best *best, const memx_extent *extent,
                    const memx_poll *poll, int64_t gpus, memx_dive *out) {
    const memx_weights w = memx_aim_weights(aim);
    *out = (memx_dive){
        .aim = aim,
        .best = best,
        .extent = extent,
        .poll = poll,
        .weights = w,
        .single = (w.time > 0.0) + (w.peak > 0.0) + (w.variance > 0.0) == 1,
        .most_phi = memx_aim_most_score(aim),
        .most_deviation = memx_aim_most_deviation(aim, gpus),
        .most_ns = INT64_MAX,
        .most_kib = memx_aim_most_kib(aim),
    };
}

void memx_dive_close(memx_dive *d) {
    free(d->depths);
    free(d->options);
    free(d->codes);
    free(d->children);
    *d = (memx_dive){0};
}

static memx_status make_room(memx_dive *d, size_t stages) {
    if (stages > d->depth_capacity) {
        free(d->depths);
        free(d->options);
        free(d->codes);
        d->depths = malloc(stages * sizeof *d->depths);
        d->options = malloc(stages * sizeof *d->options);
        d->codes = malloc(stages * sizeof *d->codes);
        d->depth_capacity = d->depths && d->options && d->codes ? stages : 0;
        if (d->depth_capacity == 0) return MEMX_NOMEM;
    }
    return MEMX_OK;
}

/* Children of one depth are added behind those of the depths before. */
static memx_status add_child(memx_dive *d, size_t at, const memx_child *child) {
    if (at == d->child_capacity) {
        size_t capacity = d->child_capacity ? 2 * d->child_capacity : 1024;
        memx_child *children = realloc(d->children, capacity * sizeof *children);
        if (!children) return MEMX_NOMEM;
        d->children = children;
        d->child_capacity = capacity;
    }
    d->children[at] = *child;
    return MEMX_OK;
}

/* ---- what is out ---- */

double memx_dive_most_score(const memx_dive *d) {
    const memx_ranked_row *worst = memx_best_worst(d->best);
    double most = d->aim->by == MEMX_BY_PHI ? d->most_phi : INFINITY;
    return worst ? memx_lesser(most, worst->score + SLACK) : most;
}

/* Least measures of a set of configurations. */
typedef struct least {
    int64_t ns, kib;
    double deviation; /* negative: there is none */
    double score;
} least;

static double score_of(const memx_dive *d, const least *l, int64_t gpus) {
    if (l->deviation < 0.0 || l->ns > d->most_ns || l->kib > d->most_kib ||
        l->deviation > d->most_deviation) {
        return INFINITY;
    }
    if (d->most_phi < INFINITY && d->aim->by != MEMX_BY_PHI &&
        memx_aim_score(&d->aim->weights, l->ns, l->kib, l->deviation, gpus) > d->most_phi) {
        return INFINITY;
    }
    return memx_aim_score(&d->weights, l->ns, l->kib, l->deviation, gpus);
}

void memx_dive_enter(memx_dive *d, const memx_plan *plan) {
    d->most_ns = memx_aim_most_ns(d->aim, plan);
}

static least measure(const memx_dive *d, const memx_region *r, const memx_front *f, int64_t gpus_to,
                     const memx_rest *rest) {
    least out = {memx_region_least_ns(r, f, rest), memx_region_least_kib(r, f, rest),
                 memx_region_least_deviation(r, f, gpus_to, rest), 0.0};
    out.score = score_of(d, &out, r->gpus);
    return out;
}

/* Whether all that begins with these codes is worse than the worst row, or no better and behind it. */
static bool beaten(const memx_dive *d, const least *l, int64_t skeleton, int64_t skeletons,
                   const uint32_t *codes, int32_t count) {
    const memx_ranked_row *worst = d->single ? memx_best_worst(d->best) : NULL;
    if (!worst) return false;
    /* As rows show them: scores that differ by a nanosecond are one within their slack. */
    double ms = d->weights.time > 0.0 ? memx_ms(l->ns) - memx_ms(worst->iteration_ns) : 0.0;
    double mib = d->weights.peak > 0.0 ? memx_mib(l->kib) - memx_mib(worst->peak_kib) : 0.0;
    if (ms != 0.0 || mib != 0.0) return ms + mib > 0.0;
    if (d->weights.variance > 0.0 && !worst->even) return false;
    if (skeleton != worst->skeleton) return skeleton > worst->skeleton;
    if (skeletons > 1) return false;
    return memx_compare_codes(codes, worst->codes, count) > 0;
}

double memx_dive_least_score(const memx_dive *d, const memx_region *r, double deviation) {
    const memx_front front = {.left = r->layers};
    const memx_rest *rest = memx_region_all(r);
    if (!rest) return INFINITY;
    least l = measure(d, r, &front, 0, rest);
    if (l.deviation >= 0.0) l.deviation = memx_larger(l.deviation, deviation);
    return score_of(d, &l, r->gpus);
}

/* The figure of weight w at which the score reaches its limit, the other figures' part given. */
static double figure_at(double most, double others, double w) {
    return w > 0.0 && most < INFINITY ? exp((most - others) / w) * (1.0 + SLACK) : INFINITY;
}

static int64_t whole_below(double figure, int64_t most) {
    return figure < 9e18 ? memx_least(most, (int64_t)figure + 1) : most;
}

/* What each figure can be at most, beside the least of the others, among the best. */
typedef struct caps {
    int64_t ns, kib;
    double deviation;
} caps;

static caps caps_beside(const memx_dive *d, const memx_region *r, const least *l) {
    const memx_weights *w = &d->weights;
    double most = memx_dive_most_score(d), gpus = (double)r->gpus;
    if (!(most < INFINITY) || l->deviation < 0.0) {
        return (caps){d->most_ns, d->most_kib, d->most_deviation};
    }
    const memx_weights time = {w->time, 0.0, 0.0, w->epsilon}, peak = {0.0, w->peak, 0.0, 1.0};
    double of_time = memx_aim_score(&time, l->ns, 1, 0.0, r->gpus);
    double of_peak = memx_aim_score(&peak, 1, l->kib, 0.0, r->gpus);
    double of_variance =
        memx_aim_score(w, l->ns, l->kib, l->deviation, r->gpus) - of_time - of_peak;
    double variance = figure_at(most, of_time + of_peak, w->variance) - w->epsilon;
    return (caps){
        whole_below(figure_at(most, of_peak + of_variance, w->time), d->most_ns),
        whole_below(figure_at(most, of_time + of_variance, w->peak), d->most_kib),
        memx_lesser(d->most_deviation, (variance + SLACK) * gpus * 1048576.0),
    };
}

void memx_dive_caps(const memx_dive *d, const memx_region *r, int64_t *ns, int64_t *kib) {
    const memx_front front = {.left = r->layers};
    const least l = measure(d, r, &front, 0, memx_region_all(r));
    const caps cap = caps_beside(d, r, &l);
    *ns = cap.ns;
    *kib = cap.kib;
}

/* ---- rows ---- */

static void offer(memx_dive *d, const memx_plan *plan, const memx_measures *m, int64_t skeleton) {
    int64_t gpus = plan->job->gpus;
    if (!memx_extent_admits(d->extent, skeleton, d->codes, plan->stage_count) ||
        !memx_aim_admits(d->aim, plan, m)) {
        return;
    }
    const memx_ranked_row row = {
        .value = memx_aim_value(d->aim, m, gpus),
        .score = memx_aim_score(&d->weights, m->iteration_ns, m->peak_kib,
                                (double)m->moment / (double)gpus, gpus),
        .iteration_ns = m->iteration_ns,
        .peak_kib = m->peak_kib,
        .even = m->moment == 0,
        .skeleton = (int32_t)skeleton,
        .stages = plan->stage_count,
        .codes = d->codes,
    };
    memx_best_offer(d->best, &row);
}

memx_status memx_dive_offer(memx_dive *d, const memx_choices *choices, int64_t skeleton) {
    const memx_plan *plan = memx_choices_plan(choices);
    memx_measures m;
    memx_status status = make_room(d, (size_t)plan->stage_count);
    if (status) return status;
    memx_choices_codes(choices, d->codes);
    memx_plan_measure(plan, memx_choices_options(choices), &m);
    offer(d, plan, &m, skeleton);
    return MEMX_OK;
}

/* Rows of other boxes are left to these. (Where one measure alone orders, any row helps: rows that tie
** come in order of enumeration, wherever they are found.) */
static bool elsewhere(const memx_dive *d, const memx_region *r, const memx_front *f) {
    int64_t s1 = 0;
    if (d->single) return false;
    for (int32_t s = 0; s < r->stages; s++) s1 += d->options[s]->s1;
    return f->slot_ns < r->box.slot_ns.least || f->tail_ns < r->box.tail_ns.least ||
           f->peak_kib < r->box.peak_kib.least || s1 < r->box.s1.least || s1 > r->box.s1.most;
}

static void offer_path(memx_dive *d, const memx_region *r, const memx_front *f, int64_t hops_ns,
                       int64_t skeleton) {
    memx_measures m;
    memx_plan plan = r->graph->plan;
    if (elsewhere(d, r, f)) return;
    plan.hops_ns = hops_ns;
    memx_plan_measure(&plan, d->options, &m);
    offer(d, &plan, &m, skeleton);
}

/* ---- the search ---- */

static memx_front go_on(const memx_front *f, const memx_item *item) {
    return (memx_front){
        f->time_ns + item->time_ns,
        memx_greatest(f->slot_ns, item->slot_ns),
        memx_greatest(f->tail_ns, item->tail_ns),
        memx_greatest(f->peak_kib, item->peak_kib),
        f->left - (item->code >> 8),
        f->away1 + item->away1,
        f->away2 + item->away2,
    };
}

static void take(memx_dive *d, int32_t s, const memx_item *item) {
    d->options[s] = item->option;
    d->codes[s] = item->code;
}

static int compare_children(const void *left, const void *right) {
    const memx_child *a = left, *b = right;
    if (a->score != b->score) return a->score < b->score ? -1 : 1;
    if (a->edge != b->edge) return a->edge < b->edge ? -1 : 1;
    return a->item->code < b->item->code ? -1 : a->item->code > b->item->code;
}

/* What all items of a depth have in common. */
typedef struct moment {
    int32_t s, edge, leader;
    caps cap;
} moment;

/* An item of an edge, with what can follow it: a whole pipeline is offered, another that can be among the
** best becomes a child. */
static memx_status try_item(memx_dive *d, const memx_region *r, const moment *now,
                            const memx_item *item, const memx_rest *rest) {
    memx_depth *depth = &d->depths[now->s];
    int32_t s = now->s;
    if (!memx_box_admits(&r->box, item) ||
        (now->leader < s && ((item->code ^ d->codes[now->leader]) & 0xff) != 0)) {
        return MEMX_OK;
    }
    const memx_front front = go_on(&depth->front, item);
    int64_t gpus_to = memx_region_gpus(r, s + 1);
    /* What is cheap first. */
    if (memx_region_least_ns(r, &front, rest) > now->cap.ns ||
        memx_region_least_kib(r, &front, rest) > now->cap.kib) {
        return MEMX_OK;
    }
    double deviation = memx_region_least_deviation(r, &front, gpus_to, rest);
    if (deviation < 0.0 || deviation > now->cap.deviation) return MEMX_OK;
    const least then = measure(d, r, &front, gpus_to, rest);
    if (!(then.score <= memx_dive_most_score(d))) return MEMX_OK;
    const memx_edge *edge = &r->graph->edges[now->edge];
    int64_t skeleton = depth->skeleton + edge->before;
    take(d, s, item);
    if (!memx_extent_admits(d->extent, skeleton, d->codes, s + 1) ||
        beaten(d, &then, skeleton, r->graph->vertices[edge->to].skeletons, d->codes, s + 1)) {
        return MEMX_OK;
    }
    if (s + 1 == r->stages) {
        offer_path(d, r, &front, depth->hops_ns, skeleton); /* no hop follows the last stage */
        return MEMX_OK;
    }
    const memx_child child = {then.score, item, now->edge};
    memx_status status = add_child(d, depth->end, &child);
    depth->end += status == MEMX_OK;
    return status;
}

/* Looks at every item that can be the next stage; the best child comes first. */
static memx_status expand(memx_dive *d, const memx_region *r, int32_t s) {
    memx_depth *depth = &d->depths[s];
    const memx_graph *g = r->graph;
    const memx_vertex *vertex = &g->vertices[depth->vertex];
    const memx_rest *here = memx_region_rest(r, depth->vertex, depth->front.left);
    bool last = s + 1 == r->stages;
    memx_status status = MEMX_OK;
    depth->end = depth->at;
    if (!here) return MEMX_OK;
    const least all = measure(d, r, &depth->front, memx_region_gpus(r, s), here);
    moment now = {s, 0, g->choices ? memx_choices_leader(g->choices, s) : s,
                  caps_beside(d, r, &all)};
    for (now.edge = vertex->begin; now.edge < vertex->end && !status; now.edge++) {
        const memx_edge *edge = &g->edges[now.edge];
        const memx_range *span = &r->span[edge->block];
        int64_t left = depth->front.left;
        int64_t most = memx_least(span->most, left - (r->stages - s - 1));
        for (int64_t l = last ? left : span->least; l <= most && !status; l++) {
            const memx_rest *rest = memx_region_rest(r, edge->to, left - l);
            if (!rest) continue;
            int64_t cell = edge->block * r->most + l - 1;
            d->looked_at += r->begin[cell + 1] - r->begin[cell];
            for (int32_t i = r->begin[cell]; i < r->begin[cell + 1] && !status; i++) {
                status = try_item(d, r, &now, &r->items[i], rest);
            }
        }
    }
    if (depth->end > depth->at + 1) {
        qsort(d->children + depth->at, depth->end - depth->at, sizeof *d->children,
              compare_children);
    }
    return status;
}

/* Whether a child, which d->codes end with, is out by now. */
static bool out_by_now(const memx_dive *d, const memx_region *r, int32_t s, double score,
                       const memx_depth *then) {
    if (!(score <= memx_dive_most_score(d))) return true;
    if (!d->single) return false;
    const memx_rest *rest = memx_region_rest(r, then->vertex, then->front.left);
    const least l = measure(d, r, &then->front, memx_region_gpus(r, s + 1), rest);
    return beaten(d, &l, then->skeleton, r->graph->vertices[then->vertex].skeletons, d->codes,
                  s + 1);
}

memx_status memx_dive_search(memx_dive *d, const memx_region *r, int64_t skeleton, int64_t budget,
                             bool *whole) {
    const memx_graph *g = r->graph;
    memx_status status = make_room(d, (size_t)r->stages);
    if (status) return status;
    int64_t stop = budget < INT64_MAX - d->looked_at ? d->looked_at + budget : INT64_MAX;
    int64_t poll = d->looked_at + POLL_EVERY;
    int32_t s = 0;
    *whole = true;
    d->depths[0] = (memx_depth){
        .front = {.left = r->layers}, .vertex = g->vertex_count - 1, .skeleton = skeleton};
    status = expand(d, r, 0);
    while (s >= 0 && !status) {
        memx_depth *depth = &d->depths[s];
        if (d->looked_at > poll) {
            poll = d->looked_at + POLL_EVERY;
            d->loop.done = d->looked_at;
            if (memx_poll_stop(d->poll)) return MEMX_INTERRUPTED;
        }
        if (depth->at == depth->end) {
            s--;
            continue;
        }
        if (d->looked_at > stop) {
            *whole = false;
            return MEMX_OK;
        }
        const memx_child child = d->children[depth->at++];
        const memx_edge *edge = &g->edges[child.edge];
        const memx_depth then = {
            .front = go_on(&depth->front, child.item),
            .vertex = edge->to,
            .skeleton = depth->skeleton + edge->before,
            .hops_ns = depth->hops_ns + g->blocks[edge->block].hop_after_ns,
            .at = depth->end,
        };
        take(d, s, child.item);
        if (out_by_now(d, r, s, child.score, &then)) continue;
        d->depths[++s] = then;
        status = expand(d, r, s);
    }
    return status;
}
