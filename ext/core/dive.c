#include "core/dive.h"

#include "core/whole.h"

#include <math.h>
#include <stdlib.h>

/* Scores are logarithms, rounded: rows closer than this may tie. */
static const double SLACK = 1e-9;

enum { POLL_EVERY = 1 << 14 };

void memx_dive_open(const memx_aim *aim, memx_best *best, const memx_poll *poll, int64_t gpus,
                    memx_dive *out) {
    const memx_weights w = memx_aim_weights(aim);
    *out = (memx_dive){
        .aim = aim,
        .best = best,
        .poll = poll,
        .weights = w,
        .single = (w.time > 0.0) + (w.peak > 0.0) + (w.variance > 0.0) == 1,
        .most_score = memx_aim_most_score(aim),
        .most_deviation = memx_aim_most_deviation(aim, gpus),
        .most_ns = memx_aim_most_ns(aim),
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

static memx_status make_room(memx_dive *d, size_t stages, size_t items) {
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
    if (items > d->child_capacity) {
        free(d->children);
        d->children = malloc(items * sizeof *d->children);
        d->child_capacity = d->children ? items : 0;
        if (!d->children) return MEMX_NOMEM;
    }
    return MEMX_OK;
}

/* ---- what is out ---- */

double memx_dive_most_score(const memx_dive *d) {
    const memx_ranked_row *worst = memx_best_worst(d->best);
    return fmin(d->most_score, worst ? worst->score + SLACK : INFINITY);
}

/* Least measures of a set of configurations. */
typedef struct least {
    int64_t ns, kib;
    double deviation; /* negative: there is none */
    double score;
} least;

static double score_of(const memx_dive *d, const least *l, int64_t gpus) {
    return l->deviation < 0.0 || l->ns > d->most_ns || l->kib > d->most_kib ||
                   l->deviation > d->most_deviation
               ? INFINITY
               : memx_aim_score(&d->weights, l->ns, l->kib, l->deviation, gpus);
}

static least measure(const memx_dive *d, const memx_region *r, const memx_front *f, int64_t gpus_to,
                     const memx_rest *rest) {
    least out = {memx_region_least_ns(r, f, rest), memx_region_least_kib(r, f, rest),
                 memx_region_least_deviation(r, f, gpus_to, rest), 0.0};
    out.score = score_of(d, &out, r->gpus);
    return out;
}

/* Whether all that begins with these codes is worse than the worst row, or no better and behind it. */
static bool beaten(const memx_dive *d, const least *l, int32_t skeleton, const uint32_t *codes,
                   int32_t count) {
    const memx_ranked_row *worst = d->single ? memx_best_worst(d->best) : NULL;
    if (!worst) return false;
    /* As rows show them: scores that differ by a nanosecond are one within their slack. */
    double ms = d->weights.time > 0.0 ? memx_ms(l->ns) - memx_ms(worst->iteration_ns) : 0.0;
    double mib = d->weights.peak > 0.0 ? memx_mib(l->kib) - memx_mib(worst->peak_kib) : 0.0;
    if (ms != 0.0 || mib != 0.0) return ms + mib > 0.0;
    if (d->weights.variance > 0.0 && !worst->even) return false;
    if (skeleton != worst->skeleton) return skeleton > worst->skeleton;
    for (int32_t s = 0; s < count; s++) {
        if (codes[s] != worst->codes[s]) return codes[s] > worst->codes[s];
    }
    return false;
}

double memx_dive_least_score(const memx_dive *d, const memx_region *r, double deviation) {
    const memx_front front = {.left = r->layers};
    const memx_rest *rest = memx_region_rest(r, 0, r->layers);
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
    const least l = measure(d, r, &front, 0, memx_region_rest(r, 0, r->layers));
    const caps cap = caps_beside(d, r, &l);
    *ns = cap.ns;
    *kib = cap.kib;
}

/* ---- rows ---- */

static void offer(memx_dive *d, const memx_plan *plan, const memx_measures *m, int32_t skeleton) {
    int64_t gpus = plan->job->gpus;
    if (!memx_aim_admits(d->aim, m, gpus)) return;
    const memx_ranked_row row = {
        .value = memx_aim_value(d->aim, m, gpus),
        .score = memx_aim_score(&d->weights, m->iteration_ns, m->peak_kib,
                                (double)m->moment / (double)gpus, gpus),
        .iteration_ns = m->iteration_ns,
        .peak_kib = m->peak_kib,
        .even = m->moment == 0,
        .skeleton = skeleton,
        .stages = plan->stage_count,
        .codes = d->codes,
    };
    memx_best_offer(d->best, &row);
}

memx_status memx_dive_offer(memx_dive *d, const memx_choices *choices, int32_t skeleton) {
    const memx_plan *plan = memx_choices_plan(choices);
    memx_measures m;
    memx_status status = make_room(d, (size_t)plan->stage_count, 0);
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
    return f->slot_ns < r->box.slot_ns.least || f->peak_kib < r->box.peak_kib.least ||
           s1 < r->box.s1.least || s1 > r->box.s1.most;
}

static void offer_path(memx_dive *d, const memx_region *r, const memx_front *f, int32_t skeleton) {
    memx_measures m;
    if (elsewhere(d, r, f)) return;
    memx_plan_measure(r->plan, d->options, &m);
    offer(d, r->plan, &m, skeleton);
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
    return a->item->code < b->item->code ? -1 : a->item->code > b->item->code;
}

/* Looks at every item of stage s: whole pipelines are offered, others that can be among the best
** become children, the best first. */
static void expand(memx_dive *d, const memx_region *r, int32_t s, int32_t skeleton) {
    memx_depth *depth = &d->depths[s];
    const memx_front *f = &depth->front;
    bool last = s + 1 == r->stages;
    int32_t leader = memx_choices_leader(r->choices, s);
    const memx_range *span = &r->span[s];
    int64_t most = memx_least(span->most, f->left - (r->stages - s - 1));
    const memx_rest *here = memx_region_rest(r, s, f->left);
    depth->end = depth->at;
    if (!here) return;
    const least now = measure(d, r, f, s > 0 ? r->gpus_to[s - 1] : 0, here);
    const caps cap = caps_beside(d, r, &now);
    for (int64_t l = last ? f->left : span->least; l <= most; l++) {
        const memx_rest *rest = memx_region_rest(r, s + 1, f->left - l);
        if (!rest) continue;
        int64_t cell = s * r->most + l - 1;
        d->looked_at += r->begin[cell + 1] - r->begin[cell];
        for (int32_t i = r->begin[cell]; i < r->begin[cell + 1]; i++) {
            const memx_item *item = &r->items[i];
            if (item->slot_ns > r->box.slot_ns.most || item->peak_kib > r->box.peak_kib.most ||
                (leader < s && ((item->code ^ d->codes[leader]) & 0xff) != 0)) {
                continue;
            }
            const memx_front front = go_on(f, item);
            /* What is cheap first. */
            int64_t ns = memx_region_least_ns(r, &front, rest);
            if (ns > cap.ns || memx_region_least_kib(r, &front, rest) > cap.kib) continue;
            double deviation = memx_region_least_deviation(r, &front, r->gpus_to[s], rest);
            if (deviation < 0.0 || deviation > cap.deviation) continue;
            const least then = measure(d, r, &front, r->gpus_to[s], rest);
            if (!(then.score <= memx_dive_most_score(d))) continue;
            take(d, s, item);
            if (beaten(d, &then, skeleton, d->codes, s + 1)) continue;
            if (last) {
                offer_path(d, r, &front, skeleton);
            } else {
                d->children[depth->end++] = (memx_child){then.score, item};
            }
        }
    }
    if (depth->end > depth->at + 1) {
        qsort(d->children + depth->at, depth->end - depth->at, sizeof *d->children,
              compare_children);
    }
}

/* Whether what begins as d->codes up to stage s, there with `item`, is out by now. */
static bool out_by_now(const memx_dive *d, const memx_region *r, int32_t s, const memx_child *child,
                       const memx_front *front, int32_t skeleton) {
    if (!(child->score <= memx_dive_most_score(d))) return true;
    if (!d->single) return false;
    const least l = measure(d, r, front, r->gpus_to[s], memx_region_rest(r, s + 1, front->left));
    return beaten(d, &l, skeleton, d->codes, s + 1);
}

memx_status memx_dive_search(memx_dive *d, const memx_region *r, int32_t skeleton, int64_t budget,
                             bool *whole) {
    memx_status status =
        make_room(d, (size_t)r->stages, (size_t)r->begin[(int64_t)r->stages * r->most]);
    if (status) return status;
    int64_t stop = budget < INT64_MAX - d->looked_at ? d->looked_at + budget : INT64_MAX;
    int64_t poll = d->looked_at + POLL_EVERY;
    int32_t s = 0;
    *whole = true;
    d->depths[0] = (memx_depth){.front = {.left = r->layers}};
    expand(d, r, 0, skeleton);
    while (s >= 0) {
        memx_depth *depth = &d->depths[s];
        if (d->looked_at > poll) {
            poll = d->looked_at + POLL_EVERY;
            if (memx_poll_stop(d->poll)) return MEMX_INTERRUPTED;
        }
        if (depth->at == depth->end || s + 1 == r->stages) {
            s--;
            continue;
        }
        if (d->looked_at > stop) {
            *whole = false;
            return MEMX_OK;
        }
        const memx_child *child = &d->children[depth->at++];
        const memx_front front = go_on(&depth->front, child->item);
        take(d, s, child->item);
        if (out_by_now(d, r, s, child, &front, skeleton)) continue;
        s++;
        d->depths[s] = (memx_depth){.front = front, .at = depth->end};
        expand(d, r, s, skeleton);
    }
    return MEMX_OK;
}
