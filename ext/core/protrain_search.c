#include "core/protrain_search.h"

#include "core/heap.h"
#include "core/whole.h"

#include <math.h>
#include <stdlib.h>

void memx_protrain_bounds_start(memx_protrain_bounds *bounds) {
    for (int i = 0; i < MEMX_PROTRAIN_AXES; i++) {
        bounds->least[i] = INT64_MIN;
        bounds->most[i] = INT64_MAX;
    }
    bounds->least_ns = bounds->gpu_least_kib = bounds->host_least_kib = INT64_MIN;
    bounds->most_ns = bounds->gpu_most_kib = bounds->host_most_kib = INT64_MAX;
    bounds->hosts = false;
    bounds->host_least_used = -INFINITY;
    bounds->host_most_used = INFINITY;
}

static bool within(const memx_protrain_bounds *bounds, memx_protrain_axis axis, int64_t value) {
    return value >= bounds->least[axis] && value <= bounds->most[axis];
}

/* ---- pairs ---- */

/* No pair of the batch fits: the block with the least need, or the head, alone is too much. */
static bool batch_is_hopeless(const memx_protrain *p, int32_t batch) {
    const memx_protrain_batch *b = &p->batches[batch];
    int64_t need = memx_greatest(b->block.kept_kib + b->block.backward_kib, b->head_kib);
    return memx_protrain_gpu_kib(p, b->block.input_kib + need, 0,
                                 memx_protrain_least_buffer(p, 0)) > p->usable_kib &&
           memx_protrain_gpu_kib(p, b->block.input_kib + need, p->chunks.count, 0) > p->usable_kib;
}

/* The pair after (batch, swap, checkpoint) in order of enumeration, hopeless batches left out unless `all`.
** False at the end. */
static bool next_pair(const memx_protrain *p, bool all, int32_t *batch, int32_t *swap,
                      int32_t *checkpoint) {
    if (*batch >= 0 && ++*checkpoint <= p->blocks - *swap) return true;
    *checkpoint = 0;
    if (*batch >= 0 && ++*swap <= memx_protrain_most_swap(p, *batch, 0)) return true;
    *swap = 0;
    do {
        ++*batch;
    } while (*batch < p->batch_count && !all && batch_is_hopeless(p, *batch));
    return *batch < p->batch_count;
}

/* The next pair within the bounds that has a row. Position: the pair before. */
static memx_status next_fitting(const memx_protrain *p, const memx_protrain_bounds *bounds,
                                const memx_poll *poll, memx_protrain_pair *pair) {
    int32_t batch = pair->batch, swap = pair->swap, checkpoint = pair->checkpoint;
    while (next_pair(p, false, &batch, &swap, &checkpoint)) {
        if (memx_poll_stop(poll)) return MEMX_INTERRUPTED;
        if (!within(bounds, MEMX_PROTRAIN_MICRO_BATCH, p->batches[batch].micro_batch) ||
            !within(bounds, MEMX_PROTRAIN_SWAP, swap) ||
            !within(bounds, MEMX_PROTRAIN_CHECKPOINT, checkpoint)) {
            continue;
        }
        memx_protrain_pair_at(p, batch, swap, checkpoint, pair);
        if (bounds->gpu_most_kib < p->usable_kib) {
            memx_protrain_pair_narrow(p, bounds->gpu_most_kib, pair);
        }
        if (pair->host_least <= pair->gpu_most) return MEMX_OK;
    }
    return MEMX_DONE;
}

static const memx_protrain_pair before_all = {.batch = -1};

/* Persistent chunks that a pair and the bounds allow; least > most: none. */
static void persist_range(const memx_protrain_pair *pair, const memx_protrain_bounds *bounds,
                          int32_t *least, int32_t *most) {
    int64_t a = memx_greatest(pair->host_least, bounds->least[MEMX_PROTRAIN_PERSIST]);
    int64_t b = memx_least(pair->gpu_most, bounds->most[MEMX_PROTRAIN_PERSIST]);
    *least = (int32_t)memx_least(a, INT32_MAX);
    *most = (int32_t)memx_greatest(b, -1);
}

static bool host_allows(const memx_protrain *p, const memx_protrain_pair *pair,
                        const memx_protrain_bounds *bounds, int32_t persist) {
    const memx_protrain_choice c = {pair->batch, pair->swap, pair->checkpoint, persist, 0};
    const memx_protrain_host *host = memx_protrain_tightest(p, &c);
    int64_t kib = memx_protrain_host_kib(p, host, &c);
    double used = (double)kib / (double)host->memory_kib;
    return kib >= bounds->host_least_kib && kib <= bounds->host_most_kib &&
           used >= bounds->host_least_used && used <= bounds->host_most_used;
}

/* The fewest buffers with which the card's peak is no less than the bounds say. */
static int64_t least_buffer_for(const memx_protrain *p, const memx_protrain_pair *pair,
                                const memx_protrain_bounds *bounds, int32_t persist) {
    if (bounds->gpu_least_kib <= p->context_kib) return 0;
    int64_t least = memx_protrain_raw_kib(p, bounds->gpu_least_kib - 1) + 1;
    int64_t rest = least - pair->activation_kib - p->gradient_kib - persist * p->persist_kib;
    return rest <= 0 ? 0 : (rest + p->buffer_kib - 1) / p->buffer_kib;
}

/* The same of buffers beside so many persistent chunks. */
static void buffer_range(const memx_protrain *p, const memx_protrain_pair *pair,
                         const memx_protrain_bounds *bounds, int32_t persist, int32_t *least,
                         int32_t *most) {
    int64_t a =
        memx_greatest(memx_protrain_least_buffer(p, persist), bounds->least[MEMX_PROTRAIN_BUFFER]);
    int64_t b =
        memx_least(memx_protrain_most_buffer(p, pair, persist), bounds->most[MEMX_PROTRAIN_BUFFER]);
    a = memx_greatest(a, least_buffer_for(p, pair, bounds, persist));
    if (bounds->hosts && !host_allows(p, pair, bounds, persist)) b = -1;
    *least = (int32_t)memx_least(a, INT32_MAX);
    *most = (int32_t)memx_greatest(b, -1);
}

/* ---- single rows and counts ---- */

memx_status memx_protrain_row_at(const memx_protrain *p, const memx_protrain_choice *choice,
                                 memx_protrain_row *out) {
    memx_protrain_pair pair;
    memx_protrain_sums sums = {0};
    memx_protrain_pair_at(p, choice->batch, choice->swap, choice->checkpoint, &pair);
    memx_status status = memx_protrain_sum(p, &pair, &sums);
    if (!status) {
        *out = (memx_protrain_row){.choice = *choice, .activation_kib = pair.activation_kib};
        memx_protrain_time_at(p, &pair, &sums, choice->persist, choice->buffer, &out->time);
    }
    memx_protrain_sums_free(&sums);
    return status;
}

bool memx_protrain_fits(const memx_protrain *p, const memx_protrain_choice *c) {
    memx_protrain_pair pair;
    memx_protrain_pair_at(p, c->batch, c->swap, c->checkpoint, &pair);
    return c->persist >= pair.host_least && c->persist <= pair.gpu_most &&
           c->buffer <= memx_protrain_most_buffer(p, &pair, c->persist);
}

static int64_t rows_of_pair(const memx_protrain *p, const memx_protrain_pair *pair,
                            const memx_protrain_bounds *bounds) {
    int32_t least = 0, most = 0, first = 0, last = 0;
    int64_t rows = 0;
    persist_range(pair, bounds, &least, &most);
    for (int32_t persist = least; persist <= most; persist++) {
        buffer_range(p, pair, bounds, persist, &first, &last);
        if (first <= last) rows += last - first + 1;
    }
    return rows;
}

memx_status memx_protrain_count(const memx_protrain *p, const memx_protrain_bounds *bounds,
                                const memx_poll *poll, int64_t *out) {
    memx_protrain_pair pair = before_all;
    memx_status status = MEMX_OK;
    *out = 0;
    while (!(status = next_fitting(p, bounds, poll, &pair))) {
        *out += rows_of_pair(p, &pair, bounds);
    }
    return status == MEMX_DONE ? MEMX_OK : status;
}

/* ---- in order of enumeration ---- */

memx_status memx_protrain_scan_next(memx_protrain_scan *s, memx_protrain_row *out) {
    const memx_protrain *p = s->protrain;
    int32_t least = 0, most = -1;
    if (!s->begun) {
        s->begun = true;
        s->pair = before_all;
        s->persist = s->most_buffer = -1;
        s->buffer = 0;
    } else {
        persist_range(&s->pair, &s->bounds, &least, &most);
        s->buffer++;
    }
    while (s->buffer > s->most_buffer) {
        if (++s->persist > most) {
            memx_status status = next_fitting(p, &s->bounds, s->poll, &s->pair);
            if (status) return status;
            persist_range(&s->pair, &s->bounds, &least, &most);
            s->persist = least;
            s->most_buffer = -1;
            s->buffer = 0;
            if (least > most) continue;
            status = memx_protrain_sum(p, &s->pair, &s->sums);
            if (status) return status;
        }
        buffer_range(p, &s->pair, &s->bounds, s->persist, &s->buffer, &s->most_buffer);
    }
    *out = (memx_protrain_row){
        .choice = {s->pair.batch, s->pair.swap, s->pair.checkpoint, s->persist, s->buffer},
        .activation_kib = s->pair.activation_kib,
    };
    memx_protrain_time_at(p, &s->pair, &s->sums, s->persist, s->buffer, &out->time);
    return MEMX_OK;
}

void memx_protrain_scan_close(memx_protrain_scan *scan) {
    memx_protrain_sums_free(&scan->sums);
}

/* ---- by time ---- */

typedef struct ranked_pair {
    memx_protrain_pair pair;
    memx_protrain_sums sums; /* while it is open */
    int32_t lanes;
} ranked_pair;

/* A pair that is not open (persist -1), or a lane. */
typedef struct entry {
    int64_t time_ns;
    int32_t pair, persist;
    int32_t buffer, first, last; /* the next row; all from first to last take the same time */
} entry;

struct memx_protrain_ranked {
    const memx_protrain *protrain;
    memx_protrain_bounds bounds;
    const memx_poll *poll;
    ranked_pair *pairs;
    size_t pair_count, pair_capacity;
    entry *heap; /* the least one first */
    size_t count, capacity;
};

/* What may hide an earlier row comes first. */
static bool is_before(const entry *a, const entry *b) {
    if (a->time_ns != b->time_ns) return a->time_ns < b->time_ns;
    if ((a->persist < 0) != (b->persist < 0)) return a->persist < 0;
    if (a->pair != b->pair) return a->pair < b->pair;
    if (a->persist != b->persist) return a->persist < b->persist;
    return a->buffer < b->buffer;
}

MEMX_HEAP(entries, entry, is_before)

static memx_status push(memx_protrain_ranked *r, const entry *new) {
    if (r->count == r->capacity) {
        size_t capacity = 2 * r->capacity + 256;
        entry *heap = realloc(r->heap, capacity * sizeof *heap);
        if (!heap) return MEMX_NOMEM;
        r->heap = heap;
        r->capacity = capacity;
    }
    r->heap[r->count] = *new;
    entries_rise(r->heap, r->count++);
    return MEMX_OK;
}

static void pop(memx_protrain_ranked *r) {
    r->heap[0] = r->heap[--r->count];
    entries_sink(r->heap, r->count, 0);
}

static int64_t time_of(const memx_protrain_ranked *r, const entry *e, int32_t buffer) {
    const ranked_pair *pair = &r->pairs[e->pair];
    memx_protrain_time time;
    memx_protrain_time_at(r->protrain, &pair->pair, &pair->sums, e->persist, buffer, &time);
    return time.iteration_ns;
}

/* The rows with up to `last` buffers: sets the lane to those that take as long as the last one. */
static void set_lane(const memx_protrain_ranked *r, entry *e, int32_t least, int32_t last) {
    int32_t below = least - 1, from = last; /* `below` takes longer, `from` as long */
    e->time_ns = time_of(r, e, last);
    while (from - below > 1) {
        int32_t middle = below + (from - below) / 2;
        if (time_of(r, e, middle) == e->time_ns) {
            from = middle;
        } else {
            below = middle;
        }
    }
    e->buffer = e->first = from;
    e->last = last;
}

static memx_status add_pair(memx_protrain_ranked *r, const memx_protrain_pair *pair,
                            memx_protrain_sums *sums) {
    if (r->pair_count == r->pair_capacity) {
        size_t capacity = 2 * r->pair_capacity + 64;
        ranked_pair *pairs = realloc(r->pairs, capacity * sizeof *pairs);
        if (!pairs) return MEMX_NOMEM;
        r->pairs = pairs;
        r->pair_capacity = capacity;
    }
    memx_status status = memx_protrain_sum(r->protrain, pair, sums);
    if (status) return status;
    entry e = {.pair = (int32_t)r->pair_count, .persist = -1};
    e.time_ns = memx_protrain_bound_ns(r->protrain, pair, sums);
    if (e.time_ns > r->bounds.most_ns) return MEMX_OK;
    r->pairs[r->pair_count++] = (ranked_pair){.pair = *pair};
    return push(r, &e);
}

memx_status memx_protrain_ranked_open(const memx_protrain *protrain,
                                      const memx_protrain_bounds *bounds, const memx_poll *poll,
                                      memx_protrain_ranked **out) {
    memx_protrain_ranked *r = calloc(1, sizeof *r);
    memx_protrain_pair pair = before_all;
    memx_protrain_sums sums = {0};
    *out = r;
    if (!r) return MEMX_NOMEM;
    r->protrain = protrain;
    r->bounds = *bounds;
    r->poll = poll;
    memx_status status = MEMX_OK;
    while (!status && !(status = next_fitting(protrain, bounds, poll, &pair))) {
        int32_t least = 0, most = 0;
        persist_range(&pair, bounds, &least, &most);
        if (least <= most) status = add_pair(r, &pair, &sums);
    }
    memx_protrain_sums_free(&sums);
    return status == MEMX_DONE ? MEMX_OK : status;
}

/* The most buffers with which the lane takes at least as long as the bounds say; least - 1: none. */
static int32_t last_buffer(const memx_protrain_ranked *r, const entry *e, int32_t least,
                           int32_t last) {
    int32_t slow = least - 1, fast = last + 1; /* `slow` takes as long, `fast` does not */
    if (r->bounds.least_ns <= 0 || time_of(r, e, last) >= r->bounds.least_ns) return last;
    while (fast - slow > 1) {
        int32_t middle = slow + (fast - slow) / 2;
        if (time_of(r, e, middle) >= r->bounds.least_ns) {
            slow = middle;
        } else {
            fast = middle;
        }
    }
    return slow;
}

/* Puts a pair's lanes in its place. */
static memx_status open_pair(memx_protrain_ranked *r, int32_t number) {
    ranked_pair *pair = &r->pairs[number];
    int32_t least = 0, most = 0, first = 0, last = 0;
    memx_status status = memx_protrain_sum(r->protrain, &pair->pair, &pair->sums);
    persist_range(&pair->pair, &r->bounds, &least, &most);
    for (int32_t persist = least; persist <= most && !status; persist++) {
        buffer_range(r->protrain, &pair->pair, &r->bounds, persist, &first, &last);
        if (first > last) continue;
        entry e = {.pair = number, .persist = persist};
        last = last_buffer(r, &e, first, last);
        if (first > last || time_of(r, &e, last) > r->bounds.most_ns) continue;
        set_lane(r, &e, first, last);
        status = push(r, &e);
        pair->lanes++;
    }
    if (pair->lanes == 0) memx_protrain_sums_free(&pair->sums);
    return status;
}

/* The lane on top goes to its next row, or goes. */
static void advance(memx_protrain_ranked *r) {
    entry *e = &r->heap[0];
    ranked_pair *pair = &r->pairs[e->pair];
    int32_t least = 0, most = 0;
    buffer_range(r->protrain, &pair->pair, &r->bounds, e->persist, &least, &most);
    if (e->buffer < e->last) {
        e->buffer++;
    } else if (e->first > least) {
        set_lane(r, e, least, e->first - 1);
    } else {
        if (--pair->lanes == 0) memx_protrain_sums_free(&pair->sums);
        pop(r);
        return;
    }
    entries_sink(r->heap, r->count, 0);
}

memx_status memx_protrain_ranked_next(memx_protrain_ranked *r, memx_protrain_row *out) {
    while (r->count > 0 && r->heap[0].persist < 0 && r->heap[0].time_ns <= r->bounds.most_ns) {
        int32_t number = r->heap[0].pair;
        if (memx_poll_stop(r->poll)) return MEMX_INTERRUPTED;
        pop(r);
        memx_status status = open_pair(r, number);
        if (status) return status;
    }
    if (r->count == 0 || r->heap[0].time_ns > r->bounds.most_ns) return MEMX_DONE;
    const entry *e = &r->heap[0];
    const ranked_pair *pair = &r->pairs[e->pair];
    *out = (memx_protrain_row){
        .choice = {pair->pair.batch, pair->pair.swap, pair->pair.checkpoint, e->persist, e->buffer},
        .activation_kib = pair->pair.activation_kib,
    };
    memx_protrain_time_at(r->protrain, &pair->pair, &pair->sums, e->persist, e->buffer, &out->time);
    advance(r);
    return MEMX_OK;
}

void memx_protrain_ranked_close(memx_protrain_ranked *r) {
    if (!r) return;
    for (size_t i = 0; i < r->pair_count; i++) memx_protrain_sums_free(&r->pairs[i].sums);
    free(r->pairs);
    free(r->heap);
    free(r);
}

/* ---- refusals ---- */

/* (n_persist, n_buffer) of n chunks of which `others` do not persist, or fewer. */
static int64_t choices_from(int64_t others) {
    return others < 0 ? 0 : others < 2 ? others + 1 : others * (others - 1) / 2 + 2;
}

/* How much the nearest choices lack of each memory. */
typedef struct nearest {
    int64_t gpu_short_kib, host_short_kib;
    bool fits_card; /* the host's */
} nearest;

/* The choice past the host's test that lacks least of the card: of each n_persist, one buffer too many. */
static void look_at_card(const memx_protrain *p, const memx_protrain_pair *pair, nearest *n,
                         memx_protrain_refusals *out) {
    for (int32_t persist = pair->host_least; persist <= p->chunks.count; persist++) {
        int64_t buffer = memx_protrain_least_buffer(p, persist);
        if (persist <= pair->gpu_most) {
            buffer =
                memx_greatest(buffer, (int64_t)memx_protrain_most_buffer(p, pair, persist) + 1);
        }
        if (buffer > p->chunks.count - persist) continue; /* all fit */
        int64_t kib = memx_protrain_gpu_kib(p, pair->activation_kib, persist, (int32_t)buffer);
        if (kib - p->usable_kib >= n->gpu_short_kib) continue;
        n->gpu_short_kib = kib - p->usable_kib;
        out->gpu_nearest = (memx_protrain_choice){pair->batch, pair->swap, pair->checkpoint,
                                                  persist, (int32_t)buffer};
    }
}

/* The choice that lacks least of the hosts: one persistent chunk too few, or as many as the card takes. */
static void look_at_host(const memx_protrain *p, const memx_protrain_pair *pair, nearest *n,
                         memx_protrain_refusals *out) {
    int32_t persist = pair->host_least - 1;
    if (persist < 0) return;
    bool fits_card = pair->gpu_most >= 0;
    if (fits_card) persist = (int32_t)memx_least(persist, pair->gpu_most);
    memx_protrain_choice c = {pair->batch, pair->swap, pair->checkpoint, persist,
                              memx_protrain_least_buffer(p, persist)};
    const memx_protrain_host *host = memx_protrain_tightest(p, &c);
    int64_t missing = memx_protrain_host_kib(p, host, &c) - host->usable_kib;
    if (fits_card < n->fits_card) return;
    if (fits_card == n->fits_card && missing >= n->host_short_kib) return;
    n->fits_card = fits_card;
    n->host_short_kib = missing;
    out->host_nearest = c;
}

static void write_examples(const memx_protrain *p, const nearest *n, memx_protrain_refusals *out) {
    char text[MEMX_PROTRAIN_TEXT];
    bool none = out->feasible == 0;
    if (out->gpu > 0) {
        memx_protrain_format(p, &out->gpu_nearest, text);
        memx_invalid(&out->gpu_example,
                     "%s is nearest: it needs %.0f MiB of a card's %.0f, of which %.0f may be "
                     "used%s",
                     text, memx_mib(p->usable_kib + n->gpu_short_kib), memx_mib(p->card_kib),
                     memx_mib(p->usable_kib),
                     none ? "; write a smaller micro batch, sequence or reserve, or, where that is "
                            "for the host's sake, more host_memory_mib"
                          : "");
    }
    if (out->host > 0) {
        const memx_protrain_host *host = memx_protrain_tightest(p, &out->host_nearest);
        memx_protrain_format(p, &out->host_nearest, text);
        memx_invalid(&out->host_example,
                     "%s is nearest: it needs %.0f MiB of node %lld's %.0f, of which %.0f may be "
                     "used%s%s",
                     text, memx_mib(memx_protrain_host_kib(p, host, &out->host_nearest)),
                     (long long)host->ordinal, memx_mib(host->memory_kib),
                     memx_mib(host->usable_kib),
                     n->fits_card ? "" : ", and does not fit the card either",
                     none ? "; write more host_memory_mib, or more nodes" : "");
    }
}

memx_status memx_protrain_refused(const memx_protrain *p, const memx_poll *poll,
                                  memx_protrain_refusals *out) {
    int32_t batch = -1, swap = 0, checkpoint = 0;
    nearest n = {.gpu_short_kib = INT64_MAX, .host_short_kib = INT64_MAX};
    memx_protrain_bounds bounds;
    memx_protrain_bounds_start(&bounds);
    *out = (memx_protrain_refusals){0};
    while (next_pair(p, true, &batch, &swap, &checkpoint)) {
        memx_protrain_pair pair;
        if (memx_poll_stop(poll)) return MEMX_INTERRUPTED;
        memx_protrain_pair_at(p, batch, swap, checkpoint, &pair);
        int64_t past_host = choices_from(p->chunks.count - pair.host_least);
        int64_t rows = rows_of_pair(p, &pair, &bounds);
        out->host += choices_from(p->chunks.count) - past_host;
        out->gpu += past_host - rows;
        out->feasible += rows;
        look_at_card(p, &pair, &n, out);
        look_at_host(p, &pair, &n, out);
    }
    write_examples(p, &n, out);
    return MEMX_OK;
}
