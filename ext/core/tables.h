/*
** Priced options by layers and level, one table per distinct stage shape of a search, shared by all
** skeletons that have such a stage.
*/
#ifndef MEMX_CORE_TABLES_H
#define MEMX_CORE_TABLES_H

#include "core/plan.h"
#include "core/space.h"

enum { MEMX_MOST_LEVELS = 64 };

typedef struct memx_table {
    int32_t references;
    int64_t most_layers;
    size_t key_size;
    char *key;
    memx_option *options; /* [layers - 1][level]; priced where the level is canonical there */
    uint64_t *offered;    /* [layers - 1]: bit per level that the space offers there */
    uint64_t *shown;   /* those a scan could show: under recompute_scope plan one, the fastest that
                           ** fits or, where none does, the smallest; else all of them */
    uint64_t *fitting; /* those shown that fit in memory */
    int64_t *most_fitting; /* [level]: the most layers with which it is shown and fits, or 0 */
    struct memx_table *next;
} memx_table;

typedef struct memx_table_cache {
    memx_table **buckets;
    size_t bucket_count, bytes; /* bytes: of all tables */
} memx_table_cache;

/* What a search is over; everything here outlives what is opened from it. */
typedef struct memx_setting {
    const memx_job *job;
    const memx_space *space;
    const memx_pricer *pricer;
    memx_level *levels;  /* the canonical levels that the space's own can become, ascending */
    int32_t level_count; /* at most MEMX_MOST_LEVELS */
    int8_t *canonical;   /* [layers - 1][level]: what a level is written as there */
    memx_table_cache tables;
    size_t kept_bytes; /* of the lists that skeletons keep */
} memx_setting;

/* Keeps pointers to job, space and pricer. MEMX_INVALID where the space has too many levels. */
memx_status memx_setting_open(const memx_job *job, const memx_space *space,
                              const memx_pricer *pricer, memx_setting *out, memx_error *error);
void memx_setting_close(memx_setting *setting);

/* All that differs between the shapes of one search, byte for byte the same for the same shape; to be
** freed. NULL when memory ends. */
char *memx_shape_key(const memx_shape *shape, size_t *size);

/* The table of a shape, priced now or before. Release it after use: those that nobody uses stay while all
** tables take no more than 36 MiB. */
memx_status memx_table_get(memx_setting *setting, const memx_plan *plan, const memx_shape *shape,
                           const memx_poll *poll, memx_table **out, memx_error *error);
void memx_table_release(memx_setting *setting, memx_table *table);
/* Drops those that nobody uses, until all take no more than so many bytes; they are priced again where they are
** asked for. */
void memx_tables_trim(memx_setting *setting, size_t most_bytes);

/* Those of some levels of one row of options that fit in memory. */
uint64_t memx_fitting_levels(const memx_option *options, uint64_t levels);

/* Of some levels of one row of options: the fastest, the smallest; ties to the first. -1 of none. */
int32_t memx_fastest_level(const memx_option *options, uint64_t levels);
int32_t memx_smallest_level(const memx_option *options, uint64_t levels);

#endif
