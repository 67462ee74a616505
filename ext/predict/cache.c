#include "predict/cache.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { MOST_BYTES = 64 << 20, CHUNK = 256, FIRST_SLOTS = 1024 };

void memx_cache_start(memx_cache *cache) {
    *cache = (memx_cache){.most_bytes = MOST_BYTES, .hash_bits = UINT64_MAX};
}

static void empty(memx_cache *cache) {
    for (size_t i = 0; i < cache->chunk_count; i++) free(cache->chunks[i]);
    for (size_t b = 0; cache->stages && b < MEMX_CACHE_BUCKETS; b++) {
        for (memx_cache_stage *stage = cache->stages[b], *next; stage; stage = next) {
            next = stage->next;
            free(stage);
        }
    }
    free(cache->chunks);
    free(cache->slots);
    free(cache->stages);
    cache->chunks = NULL;
    cache->slots = NULL;
    cache->stages = NULL;
    cache->count = cache->chunk_count = cache->slot_count = cache->bytes = 0;
    cache->emptied++;
}

void memx_cache_free(memx_cache *cache) {
    empty(cache);
    memx_text_free(&cache->tuple);
}

/* ---- looking ---- */

static memx_cache_entry *entry_at(const memx_cache *cache, size_t number) {
    return &cache->chunks[number / CHUNK][number % CHUNK];
}

const memx_cache_entry *memx_cache_at(const memx_cache *cache, size_t number) {
    return entry_at(cache, number);
}

static bool same_signature(memx_signature a, memx_signature b) {
    return a.high == b.high && a.low == b.low;
}

int64_t memx_cache_find(const memx_cache *cache, memx_signature signature, size_t *probe) {
    const size_t mask = cache->slot_count - 1;
    if (!cache->slots) return -1;
    for (;;) {
        uint32_t slot = cache->slots[(signature.low + (*probe)++) & mask];
        if (slot == 0) return -1;
        if (same_signature(entry_at(cache, slot - 1)->signature, signature)) return slot - 1;
    }
}

/* The entry of this very tuple. */
static memx_cache_entry *find_tuple(const memx_cache *cache, memx_signature signature,
                                    const memx_cache_stage *stage,
                                    const memx_stage_choice *choice) {
    size_t probe = 0;
    memx_cache_entry *e;
    do {
        int64_t number = memx_cache_find(cache, signature, &probe);
        e = number >= 0 ? entry_at(cache, (size_t)number) : NULL;
    } while (e && (e->stage != stage || e->choice.layers != choice->layers ||
                   memx_level_compare(e->choice.level, choice->level) != 0));
    return e;
}

static memx_cache_stage *find_stage(const memx_cache *cache, uint64_t hash, const char *tuple,
                                    size_t size) {
    if (!cache->stages) return NULL;
    memx_cache_stage *stage = cache->stages[hash % MEMX_CACHE_BUCKETS];
    while (stage &&
           (stage->hash != hash || stage->size != size || memcmp(stage->tuple, tuple, size) != 0)) {
        stage = stage->next;
    }
    return stage;
}

/* ---- adding ---- */

/* What a price call is about; its tuple without the choice stands in the cache's scratch. */
typedef struct call {
    memx_cache *cache;
    const char *predictor;
    const memx_device *device;
    const memx_framework *framework;
    const memx_stage_spec *spec;
    memx_cache_stage *stage; /* NULL: not in the cache */
    uint64_t hash;
    size_t size;
} call;

static memx_status add_stage(call *c) {
    memx_cache *cache = c->cache;
    if (!cache->stages) {
        cache->stages = calloc(MEMX_CACHE_BUCKETS, sizeof(memx_cache_stage *));
        if (!cache->stages) return MEMX_NOMEM;
        cache->bytes += MEMX_CACHE_BUCKETS * sizeof(memx_cache_stage *);
    }
    memx_cache_stage **bucket = &cache->stages[c->hash % MEMX_CACHE_BUCKETS];
    memx_cache_stage *stage = malloc(sizeof *stage + c->size);
    if (!stage) return MEMX_NOMEM;
    *stage =
        (memx_cache_stage){.next = *bucket, .hash = c->hash, .spec = *c->spec, .size = c->size};
    memcpy(stage->predictor, c->predictor, strlen(c->predictor) + 1);
    memcpy(stage->device, c->device->name, sizeof stage->device);
    memcpy(stage->framework, c->framework->name, sizeof stage->framework);
    memcpy(stage->tuple, cache->tuple.data, c->size);
    *bucket = c->stage = stage;
    cache->bytes += sizeof *stage + c->size;
    return MEMX_OK;
}

static void place(memx_cache *cache, size_t number) {
    const size_t mask = cache->slot_count - 1;
    size_t slot = entry_at(cache, number)->signature.low & mask;
    while (cache->slots[slot]) slot = (slot + 1) & mask;
    cache->slots[slot] = (uint32_t)number + 1;
}

/* Room for one entry more. */
static memx_status grow(memx_cache *cache) {
    if (cache->count == cache->chunk_count * CHUNK) {
        size_t chunks = cache->chunk_count + 1;
        memx_cache_entry **list = realloc(cache->chunks, chunks * sizeof *list);
        if (!list) return MEMX_NOMEM;
        cache->chunks = list;
        list[cache->chunk_count] = malloc(CHUNK * sizeof **list);
        if (!list[cache->chunk_count]) return MEMX_NOMEM;
        cache->chunk_count = chunks;
        cache->bytes += sizeof *list + CHUNK * sizeof **list;
    }
    if (2 * (cache->count + 1) > cache->slot_count) {
        size_t before = cache->slot_count, after = before ? 2 * before : FIRST_SLOTS;
        uint32_t *slots = calloc(after, sizeof *slots);
        if (!slots) return MEMX_NOMEM;
        free(cache->slots);
        cache->slots = slots;
        cache->slot_count = after;
        cache->bytes += (after - before) * sizeof *slots;
        for (size_t i = 0; i < cache->count; i++) place(cache, i);
    }
    return MEMX_OK;
}

static memx_status add(call *c, memx_signature signature, const memx_stage_choice *choice,
                       const memx_stage_price *price) {
    memx_cache *cache = c->cache;
    if (cache->bytes > cache->most_bytes) {
        empty(cache);
        c->stage = NULL;
    }
    memx_status status = c->stage ? MEMX_OK : add_stage(c);
    if (!status) status = grow(cache);
    if (status || find_tuple(cache, signature, c->stage, choice)) return status;
    *entry_at(cache, cache->count) = (memx_cache_entry){signature, c->stage, *choice, *price, 0};
    place(cache, cache->count++);
    return MEMX_OK;
}

/* ---- pricing ---- */

/* Choices that one call did not find, and where their prices belong in its answer. */
typedef struct misses {
    size_t count;
    size_t *at;
    memx_stage_choice *choices;
    memx_signature *signatures;
    memx_stage_price *prices;
} misses;

static void free_misses(misses *m) {
    free(m->at);
    free(m->choices);
    free(m->signatures);
    free(m->prices);
}

static memx_status add_miss(misses *m, size_t at, size_t most, const memx_stage_choice *choice,
                            memx_signature signature) {
    if (m->count == 0) {
        m->at = malloc(most * sizeof *m->at);
        m->choices = malloc(most * sizeof *m->choices);
        m->signatures = malloc(most * sizeof *m->signatures);
        m->prices = malloc(most * sizeof *m->prices);
        if (!m->at || !m->choices || !m->signatures || !m->prices) return MEMX_NOMEM;
    }
    m->at[m->count] = at;
    m->choices[m->count] = *choice;
    m->signatures[m->count++] = signature;
    return MEMX_OK;
}

static memx_signature sign(const call *c, const memx_stage_choice *choice) {
    memx_text *tuple = &c->cache->tuple;
    tuple->length = c->size;
    memx_signature_choice(choice, tuple);
    memx_signature signature = memx_signature_of(tuple);
    signature.high &= c->cache->hash_bits;
    signature.low &= c->cache->hash_bits;
    return signature;
}

static memx_status price(void *context, const memx_job *job, int32_t device,
                         const memx_stage_spec *spec, const memx_stage_choice *choices,
                         size_t count, memx_stage_price *out, memx_error *error) {
    const memx_cached *cached = context;
    memx_cache *cache = cached->cache;
    const memx_pricer *inner = &cached->inner;
    call c = {.cache = cache,
              .predictor = inner->name,
              .device = &job->devices[device],
              .framework = &job->framework,
              .spec = spec};
    misses missing = {0};
    memx_status status = MEMX_OK;
    if (cache->tuple.failed) memx_text_free(&cache->tuple);
    cache->tuple.length = 0;
    memx_signature_stage(inner->name, cached->fingerprint, c.device, c.framework, spec,
                         &cache->tuple);
    c.size = cache->tuple.length;
    /* Room for a choice's bytes, so that appending one cannot fail later. */
    memx_signature_choice(&(memx_stage_choice){0}, &cache->tuple);
    if (cache->tuple.failed) return MEMX_NOMEM;
    c.hash = XXH3_64bits(cache->tuple.data, c.size) & cache->hash_bits;
    c.stage = find_stage(cache, c.hash, cache->tuple.data, c.size);
    for (size_t i = 0; i < count && !status; i++) {
        memx_signature signature = sign(&c, &choices[i]);
        memx_cache_entry *entry =
            c.stage ? find_tuple(cache, signature, c.stage, &choices[i]) : NULL;
        if (entry) {
            out[i] = entry->price;
            entry->hits++;
            cache->hits++;
        } else {
            status = add_miss(&missing, i, count - i, &choices[i], signature);
        }
    }
    if (!status && missing.count > 0) {
        status = inner->price(inner->context, job, device, spec, missing.choices, missing.count,
                              missing.prices, error);
        if (!status) cache->predicted += (int64_t)missing.count;
    }
    for (size_t m = 0; m < missing.count && !status; m++) {
        out[missing.at[m]] = missing.prices[m];
        status = add(&c, missing.signatures[m], &missing.choices[m], &missing.prices[m]);
    }
    free_misses(&missing);
    return status;
}

memx_pricer memx_cache_pricer(memx_cached *cached) {
    return (memx_pricer){price, cached, cached->inner.name};
}
