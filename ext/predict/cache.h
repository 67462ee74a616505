/*
** What predictors answered, by signature: a prediction is made once, whichever job, space or query
** asks for it.
**
** Nothing here is ever stale, and nothing is reused for another stage. A prediction is found by its
** signature, and taken only where the tuple behind it is the same byte for byte; the tuple holds
** the figures themselves, so a changed row is another tuple. All that one price call does not find
** goes to the predictor in one batch.
**
** Only learned predictions are kept: the analytic model costs less than a lookup. All of it is
** dropped once it takes more than 64 MiB, about 500,000 predictions.
*/
#ifndef MEMX_PREDICT_CACHE_H
#define MEMX_PREDICT_CACHE_H

#include "predict/signature.h"

/* The part of tuples that one price call has in common, kept once. */
typedef struct memx_cache_stage {
    struct memx_cache_stage *next; /* in its bucket */
    uint64_t hash;
    char predictor[MEMX_NAME_SIZE], device[MEMX_NAME_SIZE], framework[MEMX_NAME_SIZE];
    memx_stage_spec spec;
    size_t size;
    char tuple[];
} memx_cache_stage;

typedef struct memx_cache_entry {
    memx_signature signature;
    const memx_cache_stage *stage; /* with the choice: the whole tuple */
    memx_stage_choice choice;
    memx_stage_price price;
    int64_t hits; /* times it was asked for again */
} memx_cache_entry;

enum { MEMX_CACHE_BUCKETS = 4096 };

typedef struct memx_cache {
    memx_cache_entry **chunks; /* entries, in order of their predictions */
    size_t count, chunk_count;
    uint32_t *slots; /* a power of two, at most half full: number of the entry + 1, 0 for none */
    size_t slot_count;
    memx_cache_stage **stages; /* MEMX_CACHE_BUCKETS */
    size_t bytes;
    int64_t emptied;         /* how often */
    int64_t predicted, hits; /* of its whole life, for tests */
    memx_text tuple;         /* scratch */
    size_t most_bytes;       /* for tests, as is which bits of a hash count */
    uint64_t hash_bits;
} memx_cache;

void memx_cache_start(memx_cache *cache);
void memx_cache_free(memx_cache *cache);

/* A predictor seen through a cache. The fingerprint tells its trees and constants from those of any
** other of its name. */
typedef struct memx_cached {
    memx_cache *cache;
    memx_pricer inner;
    const char *fingerprint;
} memx_cached;

/* The same prices, bit for bit. The pricer keeps a pointer to `cached`. MEMX_NOMEM leaves the cache
** as good as before. */
memx_pricer memx_cache_pricer(memx_cached *cached);

/* An entry by its number, below count. It is gone when `emptied` changes. */
const memx_cache_entry *memx_cache_at(const memx_cache *cache, size_t number);

/* The number of the next entry of a signature, of which there is more than one only where hashes collide; -1
** after the last. `probe` is 0 at first. */
int64_t memx_cache_find(const memx_cache *cache, memx_signature signature, size_t *probe);

#endif
