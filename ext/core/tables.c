#include "core/tables.h"

#include "core/hash.h"
#include "core/host.h"
#include "core/ways.h"

#include <stdlib.h>
#include <string.h>

/* Tables that nobody uses are dropped once all take so many bytes. */
enum { MOST_BYTES = 36 << 20 };
/* Selective recompute must save this share of a stage's peak at none, or it is not offered. The MemX paper
** drops the level on devices where it "saves almost nothing"; the share is ours, and memx_measure's too
** (schema/profiling/measure.sql). */
static const double SELECTIVE_SAVES = 0.03;

static void table_free(memx_table *table) {
    free(table->key);
    free(table->options);
    free(table->offered);
    free(table->shown);
    free(table->fitting);
    free(table->most_fitting);
    free(table);
}

static size_t table_bytes(const memx_setting *setting, const memx_table *table) {
    size_t levels = (size_t)setting->level_count;
    size_t row = levels * sizeof *table->options + sizeof *table->offered + sizeof *table->shown +
                 sizeof *table->fitting;
    return sizeof *table + table->key_size + (size_t)table->most_layers * row +
           levels * sizeof *table->most_fitting;
}

static void cache_free(memx_table_cache *cache) {
    for (size_t b = 0; b < cache->bucket_count; b++) {
        for (memx_table *table = cache->buckets[b], *next; table; table = next) {
            next = table->next;
            table_free(table);
        }
    }
    free(cache->buckets);
    *cache = (memx_table_cache){0};
}

/* ---- levels ---- */

/* Inserts a level unless it is there. False when there is no room. */
static bool add_level(memx_setting *setting, memx_level level) {
    int32_t at = setting->level_count;
    while (at > 0 && memx_level_compare(setting->levels[at - 1], level) > 0) at--;
    if (at > 0 && memx_level_compare(setting->levels[at - 1], level) == 0) return true;
    if (setting->level_count == MEMX_MOST_LEVELS) return false;
    memmove(setting->levels + at + 1, setting->levels + at,
            (size_t)(setting->level_count - at) * sizeof *setting->levels);
    setting->levels[at] = level;
    setting->level_count++;
    return true;
}

/* Levels that use the host want to know the way there from every device. */
static memx_status check_host(const memx_setting *setting, memx_error *error) {
    const memx_job *job = setting->job;
    for (int32_t r = 0; r < setting->level_count; r++) {
        if (!memx_level_uses_host(setting->levels[r])) continue;
        for (int32_t n = 0; n < job->node_count; n++) {
            if (memx_host_link_gbs(job, &job->nodes[n]) > 0.0) continue;
            char level[MEMX_LEVEL_TEXT];
            memx_level_format(setting->levels[r], level);
            return memx_invalid(
                error,
                "space '%s' has level %s, which uses the host, but device '%s' has no "
                "host_gbs; write its link to the host, GB/s per direction, into "
                "memx_device",
                setting->space->name, level, job->devices[job->nodes[n].device].name);
        }
    }
    return MEMX_OK;
}

static memx_status close_levels(memx_setting *setting, memx_error *error) {
    const memx_space *space = setting->space;
    int32_t own_count;
    const memx_level *own = memx_space_levels(space, &own_count);
    setting->levels = calloc(MEMX_MOST_LEVELS, sizeof *setting->levels);
    if (!setting->levels) return MEMX_NOMEM;
    for (int32_t i = 0; i < own_count; i++) {
        memx_level last = {MEMX_NONE, -1, 0};
        for (int64_t l = 1; l <= setting->job->model.layers; l++) {
            memx_level level = memx_level_canonical(own[i], l);
            if (memx_level_compare(level, last) == 0) continue; /* as on nearly all layers */
            last = level;
            if (add_level(setting, level)) continue;
            return memx_invalid(error,
                                "space '%s' has more than %d recompute levels; list fewer "
                                "block<N>, uniform<N> and swap<N>",
                                space->name, MEMX_MOST_LEVELS);
        }
    }
    return MEMX_OK;
}

static memx_status find_canonical(memx_setting *setting) {
    int64_t layers = setting->job->model.layers;
    int32_t count = setting->level_count;
    setting->canonical = malloc((size_t)(layers * count) * sizeof *setting->canonical);
    if (!setting->canonical) return MEMX_NOMEM;
    for (int64_t l = 1; l <= layers; l++) {
        for (int32_t r = 0; r < count; r++) {
            memx_level level = memx_level_canonical(setting->levels[r], l);
            /* Nearly always what it is on one layer less. */
            int32_t at = l > 1 ? setting->canonical[(l - 2) * count + r] : 0;
            if (memx_level_compare(setting->levels[at], level) != 0) at = 0;
            /* A level that the space's own never become there has no canonical one in the list. */
            while (at < count && memx_level_compare(setting->levels[at], level) != 0) at++;
            setting->canonical[(l - 1) * count + r] = (int8_t)(at < count ? at : r);
        }
    }
    return MEMX_OK;
}

memx_status memx_setting_open(const memx_job *job, const memx_space *space,
                              const memx_pricer *pricer, memx_setting *out, memx_error *error) {
    *out = (memx_setting){.job = job, .space = space, .pricer = pricer};
    memx_status status = close_levels(out, error);
    if (!status) status = check_host(out, error);
    if (!status) status = find_canonical(out);
    if (status) memx_setting_close(out);
    return status;
}

void memx_setting_close(memx_setting *setting) {
    free(setting->levels);
    free(setting->canonical);
    cache_free(&setting->tables);
    *setting = (memx_setting){.job = NULL};
}

/* Whether one of the space's levels is `level` on a stage of `layers` layers. */
static bool level_offered(const memx_space *space, memx_level level, int64_t layers) {
    int32_t count;
    const memx_level *own = memx_space_levels(space, &count);
    for (int32_t i = 0; i < count; i++) {
        if (memx_level_compare(memx_level_canonical(own[i], layers), level) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- one table ---- */

char *memx_shape_key(const memx_shape *shape, size_t *size) {
    const memx_stage_spec *spec = &shape->spec;
    const int64_t whole[] = {
        spec->model.seq_length,
        spec->model.heads,
        spec->model.kv_groups,
        spec->tp,
        spec->dp,
        spec->micro_batch,
        spec->in_flight,
        spec->vp,
        spec->end_in_flight,
        spec->cp,
        spec->ep,
        spec->first,
        spec->last,
        spec->sequence_parallel,
        spec->distributed_optimizer,
        shape->hop_before_ns,
        shape->hop_after_ns,
        shape->wrap_ns,
        shape->tied_sync_ns,
        shape->sync_nodes,
        shape->share_count,
    };
    const double rates[] = {shape->sync_link_gbs, shape->sync_inter_gbs, spec->exchange_gbs,
                            spec->ring_gbs};
    size_t share = 2 * sizeof(int32_t) + 4 * sizeof(double);
    *size = sizeof whole + sizeof rates + (size_t)shape->share_count * share;
    char *key = malloc(*size), *at = key;
    if (!key) return NULL;
    memcpy(at, whole, sizeof whole);
    at += sizeof whole;
    memcpy(at, rates, sizeof rates);
    at += sizeof rates;
    for (int32_t i = 0; i < shape->share_count; i++) {
        const memx_share *s = &shape->shares[i];
        memcpy(at, &s->device, sizeof s->device);
        memcpy(at + sizeof s->device, &s->gpus, sizeof s->gpus);
        const double figures[] = {s->link_gbs, s->host_gbs, s->host_memory_gbs,
                                  (double)s->host_kib};
        memcpy(at + 2 * sizeof(int32_t), figures, sizeof figures);
        at += share;
    }
    return key;
}

/* Choices priced at once: many, for a predictor's sake, and few enough to poll in between. */
enum { BATCH = 4096 };

typedef struct batch {
    memx_stage_choice choices[BATCH];
    size_t places[BATCH]; /* in the table */
    memx_option options[BATCH];
    size_t count;
} batch;

static memx_status price_batch(const memx_setting *setting, const memx_plan *plan,
                               const memx_shape *shape, batch *b, memx_table *table,
                               memx_error *error) {
    size_t levels = (size_t)setting->level_count;
    int64_t least = memx_stage_least_layers(&plan->model, shape->spec.first);
    memx_status status =
        memx_plan_options(plan, shape, setting->pricer, b->choices, b->count, b->options, error);
    for (size_t c = 0; c < b->count && !status; c++) {
        const memx_stage_choice *choice = &b->choices[c];
        table->options[b->places[c]] = b->options[c];
        if (choice->layers < least) continue;
        if (!level_offered(setting->space, choice->level, choice->layers)) continue;
        table->offered[b->places[c] / levels] |= UINT64_C(1) << b->places[c] % levels;
    }
    b->count = 0;
    return status;
}

/* Prices every level where it is canonical. */
static memx_status table_price(const memx_setting *setting, const memx_plan *plan,
                               const memx_shape *shape, const memx_poll *poll, memx_table *table,
                               memx_error *error) {
    size_t levels = (size_t)setting->level_count;
    batch *b = malloc(sizeof *b);
    memx_status status = b ? MEMX_OK : MEMX_NOMEM;
    if (b) b->count = 0;
    for (int64_t l = 1; l <= table->most_layers && !status; l++) {
        for (size_t r = 0; r < levels; r++) {
            memx_level level = setting->levels[r];
            if (memx_level_compare(memx_level_canonical(level, l), level) != 0) continue;
            b->choices[b->count] = (memx_stage_choice){l, level};
            b->places[b->count++] = (size_t)(l - 1) * levels + r;
        }
        /* A row more must have room. */
        if (b->count + levels <= BATCH && l < table->most_layers) continue;
        status = price_batch(setting, plan, shape, b, table, error);
        if (!status && memx_poll_stop(poll)) status = MEMX_INTERRUPTED;
    }
    free(b);
    return status;
}

/* The offered level that keeps all activations and offloads as much; -1 of none. */
static int32_t none_beside(const memx_setting *setting, uint64_t offered, memx_level level) {
    const memx_level none = {MEMX_NONE, 0, level.offload};
    for (int32_t r = memx_lowest(offered, 0); r >= 0; r = memx_lowest(offered, r + 1)) {
        if (memx_level_compare(setting->levels[r], none) == 0) return r;
    }
    return -1;
}

/* Selective goes where it saves too little. */
static uint64_t worth_offering(const memx_setting *setting, const memx_option *options,
                               uint64_t offered) {
    uint64_t left = offered;
    for (int32_t r = memx_lowest(offered, 0); r >= 0; r = memx_lowest(offered, r + 1)) {
        if (setting->levels[r].kind != MEMX_SELECTIVE) continue;
        int32_t none = none_beside(setting, offered, setting->levels[r]);
        if (none < 0) continue;
        double least = (1.0 - SELECTIVE_SAVES) * (double)options[none].peak_kib;
        if ((double)options[r].peak_kib > least) left &= ~(UINT64_C(1) << r);
    }
    return left;
}

uint64_t memx_fitting_levels(const memx_option *options, uint64_t levels) {
    uint64_t fitting = 0;
    for (int32_t r = memx_lowest(levels, 0); r >= 0; r = memx_lowest(levels, r + 1)) {
        if (options[r].short_kib == 0) fitting |= UINT64_C(1) << r;
    }
    return fitting;
}

int32_t memx_fastest_level(const memx_option *options, uint64_t levels) {
    int32_t best = -1;
    for (int32_t r = memx_lowest(levels, 0); r >= 0; r = memx_lowest(levels, r + 1)) {
        if (best < 0 || options[r].time_ns < options[best].time_ns) best = r;
    }
    return best;
}

int32_t memx_smallest_level(const memx_option *options, uint64_t levels) {
    int32_t best = -1;
    for (int32_t r = memx_lowest(levels, 0); r >= 0; r = memx_lowest(levels, r + 1)) {
        if (best < 0 || options[r].peak_kib < options[best].peak_kib) best = r;
    }
    return best;
}

/* What the space's scope and memory limit leave of the offered levels. */
static void table_offers(const memx_setting *setting, memx_table *table) {
    const memx_space *space = setting->space;
    for (int64_t row = 0; row < table->most_layers; row++) {
        const memx_option *options = table->options + row * setting->level_count;
        uint64_t offered = worth_offering(setting, options, table->offered[row]);
        uint64_t fitting = memx_fitting_levels(options, offered), shown = offered;
        if (space->recompute_scope == MEMX_SCOPE_PLAN) {
            int32_t level = fitting ? memx_fastest_level(options, fitting)
                                    : memx_smallest_level(options, offered);
            if (level >= 0) shown = UINT64_C(1) << level;
        }
        table->offered[row] = offered;
        table->shown[row] = shown;
        table->fitting[row] = space->ignore_memory ? shown : shown & fitting;
        for (int32_t r = memx_lowest(table->fitting[row], 0); r >= 0;
             r = memx_lowest(table->fitting[row], r + 1)) {
            table->most_fitting[r] = row + 1;
        }
    }
}

/* ---- the cache ---- */

/* Those of one bucket that nobody uses. */
static void drop_unused(memx_setting *setting, memx_table **at) {
    while (*at) {
        memx_table *table = *at;
        if (table->references > 0) {
            at = &table->next;
            continue;
        }
        *at = table->next;
        setting->tables.bytes -= table_bytes(setting, table);
        table_free(table);
    }
}

static memx_table **bucket_of(const memx_table_cache *cache, const char *key, size_t size) {
    return &cache->buckets[memx_hash(key, size) % cache->bucket_count];
}

memx_status memx_table_get(memx_setting *setting, const memx_plan *plan, const memx_shape *shape,
                           const memx_poll *poll, memx_table **out, memx_error *error) {
    memx_table_cache *cache = &setting->tables;
    size_t size = 0;
    if (!cache->buckets) {
        cache->buckets = calloc(4096, sizeof *cache->buckets);
        if (!cache->buckets) return MEMX_NOMEM;
        cache->bucket_count = 4096;
    }
    char *key = memx_shape_key(shape, &size);
    if (!key) return MEMX_NOMEM;
    memx_table **bucket = bucket_of(cache, key, size);
    for (memx_table *table = *bucket; table; table = table->next) {
        if (table->key_size == size && memcmp(table->key, key, size) == 0) {
            free(key);
            table->references++;
            *out = table;
            return MEMX_OK;
        }
    }
    memx_table *table = calloc(1, sizeof *table);
    if (!table) {
        free(key);
        return MEMX_NOMEM;
    }
    size_t rows = (size_t)(plan->layers - plan->stage_count + 1);
    size_t options = rows * (size_t)setting->level_count;
    table->key = key;
    table->key_size = size;
    table->most_layers = (int64_t)rows;
    table->options = calloc(options, sizeof *table->options);
    table->offered = calloc(rows, sizeof *table->offered);
    table->shown = calloc(rows, sizeof *table->shown);
    table->fitting = calloc(rows, sizeof *table->fitting);
    table->most_fitting = calloc((size_t)setting->level_count, sizeof *table->most_fitting);
    memx_status status =
        table->options && table->offered && table->shown && table->fitting && table->most_fitting
            ? MEMX_OK
            : MEMX_NOMEM;
    if (!status) status = table_price(setting, plan, shape, poll, table, error);
    if (status) {
        table_free(table);
        return status;
    }
    table_offers(setting, table);
    cache->bytes += table_bytes(setting, table);
    memx_tables_trim(setting, MOST_BYTES);
    table->references = 1;
    table->next = *bucket;
    *bucket = table;
    *out = table;
    return MEMX_OK;
}

void memx_tables_trim(memx_setting *setting, size_t most_bytes) {
    memx_table_cache *cache = &setting->tables;
    for (size_t b = 0; b < cache->bucket_count && cache->bytes > most_bytes; b++) {
        drop_unused(setting, &cache->buckets[b]);
    }
}

void memx_table_release(memx_setting *setting, memx_table *table) {
    memx_table_cache *cache = &setting->tables;
    if (!table || --table->references > 0 || cache->bytes <= MOST_BYTES) return;
    drop_unused(setting, bucket_of(cache, table->key, table->key_size));
}
