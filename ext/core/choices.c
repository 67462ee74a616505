#include "core/choices_state.h"

#include "core/whole.h"

#include <stdlib.h>
#include <string.h>

/* A piece fixes the levels of so many groups that there are no more than this many of them a split. */
enum { MOST_PIECES = 1 << 12 };

const memx_plan *memx_choices_plan(const memx_choices *c) {
    return &c->plan;
}

const memx_option *const *memx_choices_options(const memx_choices *c) {
    return c->options;
}

void memx_choices_stages(const memx_choices *c, memx_stage_choice *out) {
    for (int32_t s = 0; s < c->stages; s++) {
        out[s] = (memx_stage_choice){c->split[s], c->setting->levels[c->level[c->group[s]]]};
    }
}

/* ---- opening ---- */

static void assign_groups(memx_choices *c) {
    memx_scope scope = c->setting->space->recompute_scope;
    const memx_job *job = c->setting->job;
    for (int32_t s = 0; s < c->stages; s++) {
        int32_t like = s;
        if (scope == MEMX_SCOPE_GLOBAL) like = 0;
        if (scope == MEMX_SCOPE_DEVICE) like = memx_placement_like(job, &c->skeleton->placement, s);
        c->leader[s] = like;
        c->group[s] = like < s ? c->group[like] : c->groups++;
    }
}

memx_status memx_choices_open(memx_setting *setting, memx_skeleton *skeleton, const memx_poll *poll,
                              memx_choices **out, memx_error *error) {
    memx_choices *c = calloc(1, sizeof *c);
    *out = NULL;
    if (!c) return MEMX_NOMEM;
    c->setting = setting;
    c->skeleton = skeleton;
    c->poll = poll;
    memx_status status =
        memx_plan_build(setting->job, &skeleton->knobs, &skeleton->placement, &c->plan, error);
    if (status) goto cleanup;
    c->stages = c->plan.stage_count;
    c->levels = setting->level_count;
    c->layers = c->plan.layers;
    c->most = c->layers - c->stages + 1;
    size_t stages = (size_t)c->stages;
    c->tables = calloc(stages, sizeof *c->tables);
    c->offered = calloc(stages, sizeof *c->offered);
    c->fitting = calloc(stages, sizeof *c->fitting);
    c->group = calloc(stages, sizeof *c->group);
    c->leader = calloc(stages, sizeof *c->leader);
    c->split = calloc(stages, sizeof *c->split);
    c->left = calloc(stages, sizeof *c->left);
    c->from = calloc(stages, sizeof *c->from);
    c->to = calloc(stages, sizeof *c->to);
    c->level = calloc(stages, sizeof *c->level);
    c->group_mask = calloc(stages, sizeof *c->group_mask);
    c->options = calloc(stages, sizeof *c->options);
    c->costs = calloc(stages, sizeof *c->costs);
    c->piece_level = calloc(stages, sizeof *c->piece_level);
    c->reach = calloc((stages + 1) * ((size_t)c->layers + 1), 1);
    if (!c->tables || !c->offered || !c->fitting || !c->group || !c->leader || !c->split ||
        !c->left || !c->from || !c->to || !c->level || !c->group_mask || !c->options || !c->costs ||
        !c->piece_level || !c->reach) {
        status = MEMX_NOMEM;
    }
    for (int32_t s = 0; s < c->stages && !status; s++) {
        status = memx_table_get(setting, &c->plan, &c->plan.shapes[s], poll, &c->tables[s], error);
        if (status) break;
        c->offered[s] = c->tables[s]->shown;
        c->fitting[s] = c->tables[s]->fitting;
    }
    if (status) goto cleanup;
    assign_groups(c);
    memx_ways ways;
    switch (setting->space->layer_split) {
    case MEMX_SPLIT_FREE:
        c->walk = WALK_FREE;
        ways = ways_of(c, false);
        status = memx_ways_reach(&ways, c->reach);
        break;
    case MEMX_SPLIT_UNIFORM:
    case MEMX_SPLIT_COMPUTE:
    case MEMX_SPLIT_MEMORY: c->walk = WALK_SPLITS; break;
    case MEMX_SPLIT_TIME:
        /* With planned levels there is one split by time, not one for each assignment. */
        c->walk = setting->space->recompute_scope == MEMX_SCOPE_PLAN ? WALK_SPLITS : WALK_ROWS;
        if (c->walk == WALK_ROWS) status = memx_choices_listable(c, error);
        break;
    }
cleanup:
    if (status) {
        memx_choices_close(c);
    } else {
        *out = c;
    }
    return status;
}

void memx_choices_close(memx_choices *c) {
    if (!c) return;
    for (int32_t s = 0; c->tables && s < c->stages; s++)
        memx_table_release(c->setting, c->tables[s]);
    free(c->tables);
    free(c->offered);
    free(c->fitting);
    free(c->group);
    free(c->leader);
    free(c->split);
    free(c->left);
    free(c->from);
    free(c->to);
    free(c->level);
    free(c->group_mask);
    free(c->options);
    free(c->costs);
    free(c->piece_level);
    free(c->reach);
    if (!c->list_kept) free(c->list);
    memx_plan_free(&c->plan);
    free(c);
}
/* ---- the walk ---- */

static bool reachable(const memx_choices *c, int32_t s, int64_t left) {
    return left >= 0 && c->reach[(size_t)s * ((size_t)c->layers + 1) + (size_t)left];
}

/* The least number of layers, from `least` on, that stage s may have after the stages before it; -1
** when none is left. */
static int64_t next_layers(const memx_choices *c, int32_t s, int64_t least) {
    int64_t left = c->left[s];
    if (c->walk == WALK_FREE) {
        bool last = s + 1 == c->stages;
        for (int64_t l = last ? memx_greatest(least, left) : least; l <= c->most && l <= left;
             l++) {
            if (reachable(c, s + 1, left - l)) return l;
        }
        return -1;
    }
    for (size_t i = c->from[s]; i < c->to[s]; i++) {
        int64_t l = c->list[i * c->list_width + 1 + (size_t)s];
        if (l >= least) return l;
    }
    return -1;
}

/* Levels that stage s may take with so many layers: where its group has one already, that one. */
static uint64_t next_levels(const memx_choices *c, int32_t s, int64_t layers) {
    uint64_t mask = offers(c, s, layers, false);
    return c->leader[s] == s ? mask : mask & UINT64_C(1) << c->level[c->group[s]];
}

/* Moves stage s to its next choice, with the stages before it as they are. */
static bool step_stage(memx_choices *c, int32_t s) {
    int32_t level = c->split[s] == 0 ? -1
                    : c->leader[s] == s
                        ? memx_lowest(next_levels(c, s, c->split[s]), c->level[c->group[s]] + 1)
                        : -1;
    for (int64_t l = c->split[s]; level < 0;) {
        l = next_layers(c, s, l + 1);
        if (l < 0) return false;
        level = memx_lowest(next_levels(c, s, l), 0);
        c->split[s] = l;
    }
    c->level[c->group[s]] = level;
    c->options[s] = option_at(c, s, c->split[s], level);
    return true;
}

void memx_choices_enter(memx_choices *c, int32_t s) {
    c->split[s] = 0;
    c->left[s] = s == 0 ? c->layers : c->left[s - 1] - c->split[s - 1];
    if (c->walk == WALK_FREE) return;
    c->from[s] = s == 0 ? 0 : c->from[s - 1];
    c->to[s] = s == 0 ? c->list_count : c->to[s - 1];
    if (s == 0) return;
    const uint16_t *column = c->list + s; /* of stage s - 1 */
    while (column[c->from[s] * c->list_width] != c->split[s - 1]) c->from[s]++;
    while (column[(c->to[s] - 1) * c->list_width] != c->split[s - 1]) c->to[s]--;
}

/* From stage s on, which stands on a choice or before its first, to the next whole one. */
static memx_status settle(memx_choices *c, int32_t s) {
    /* A group's level can leave a later stage without any: many dead ends may follow one another. */
    for (int64_t steps = 1; s >= 0; steps++) {
        if (!step_stage(c, s)) {
            s--;
        } else if (++s == c->stages) {
            return MEMX_OK;
        } else {
            memx_choices_enter(c, s);
        }
        if (steps % 65536 == 0 && memx_poll_stop(c->poll)) return MEMX_INTERRUPTED;
    }
    return MEMX_DONE;
}

void memx_choices_load_row(memx_choices *c) {
    const uint16_t *row = c->list + c->list_at * c->list_width + 1;
    for (int32_t s = 0; s < c->stages; s++, row += 2) {
        c->split[s] = row[0];
        c->level[c->group[s]] = row[1];
        c->options[s] = option_at(c, s, row[0], row[1]);
    }
}

memx_status memx_choices_first(memx_choices *c) {
    memx_status status = c->walk == WALK_FREE ? MEMX_OK : memx_choices_list(c);
    if (status) return status;
    if (c->walk != WALK_FREE && c->list_count == 0) return MEMX_DONE;
    if (c->walk == WALK_ROWS) {
        c->list_at = 0;
        memx_choices_load_row(c);
        return MEMX_OK;
    }
    memx_choices_enter(c, 0);
    return settle(c, 0);
}

memx_status memx_choices_next(memx_choices *c) {
    if (c->walk != WALK_ROWS) return settle(c, c->stages - 1);
    if (++c->list_at >= c->list_count) return MEMX_DONE;
    memx_choices_load_row(c);
    return MEMX_OK;
}

void memx_choices_point(memx_choices *c) {
    for (int32_t s = 0; s < c->stages; s++) {
        c->options[s] = option_at(c, s, c->split[s], c->level[c->group[s]]);
    }
}
/* ---- pieces ---- */

bool memx_choices_listed(const memx_choices *c) {
    return c->walk == WALK_ROWS;
}

memx_status memx_choices_pieces(memx_choices *c, size_t *count) {
    c->piece_groups = 0;
    c->piece_vectors = 1;
    /* Where each stage is its own group nothing is gained. */
    while (c->groups < c->stages && c->piece_groups < c->groups &&
           c->piece_vectors * (size_t)c->levels <= MOST_PIECES) {
        c->piece_vectors *= (size_t)c->levels;
        c->piece_groups++;
    }
    *count = c->piece_vectors;
    if (c->walk == WALK_FREE) return MEMX_OK;
    memx_status status = memx_choices_list(c);
    *count *= c->list_count;
    return status;
}

void memx_choices_take_piece(memx_choices *c, size_t piece) {
    size_t vector = piece % c->piece_vectors;
    c->piece = NULL;
    if (c->walk != WALK_FREE) c->piece = c->list + piece / c->piece_vectors * c->list_width + 1;
    for (int32_t g = 0; g < c->piece_groups; g++) {
        c->piece_level[g] = (int32_t)(vector % (size_t)c->levels);
        vector /= (size_t)c->levels;
    }
}

uint64_t memx_choices_mask(const memx_choices *c, int32_t s, int64_t layers) {
    if (c->piece && c->piece[s] != layers) return 0;
    uint64_t mask = offers(c, s, layers, false);
    if (c->group[s] >= c->piece_groups) return mask;
    return mask & UINT64_C(1) << c->piece_level[c->group[s]];
}

int32_t memx_choices_levels(const memx_choices *c) {
    return c->levels;
}

int32_t memx_choices_leader(const memx_choices *c, int32_t s) {
    return c->leader[s];
}

const memx_option *memx_choices_option(const memx_choices *c, int32_t s, int64_t layers,
                                       int32_t level) {
    return option_at(c, s, layers, level);
}

static void take_code(memx_choices *c, int32_t s, uint32_t code) {
    c->split[s] = code >> 8;
    c->level[c->group[s]] = (int32_t)(code & 0xff);
}

void memx_choices_put(memx_choices *c, const uint32_t *codes) {
    for (int32_t s = 0; s < c->stages; s++) {
        take_code(c, s, codes[s]);
    }
    memx_choices_point(c);
}

memx_status memx_choices_resume(memx_choices *c, const uint32_t *codes) {
    memx_status status = c->walk == WALK_FREE ? MEMX_OK : memx_choices_list(c);
    if (status) return status;
    for (int32_t s = 0; s < c->stages; s++) {
        if (c->walk != WALK_ROWS) memx_choices_enter(c, s);
        take_code(c, s, codes[s]);
    }
    memx_choices_point(c);
    return c->walk == WALK_ROWS ? memx_choices_find_row(c) : MEMX_OK;
}

void memx_choices_codes(const memx_choices *c, uint32_t *out) {
    for (int32_t s = 0; s < c->stages; s++) {
        out[s] = (uint32_t)c->split[s] << 8 | (uint32_t)c->level[c->group[s]];
    }
}
/* ---- finding ---- */

/* The stages' levels as one level per group; false when a group's stages differ or it is
** unknown. */
static bool load_stages(memx_choices *c, const memx_stage_choice *stages) {
    for (int32_t g = 0; g < c->groups; g++) c->level[g] = -1;
    for (int32_t s = 0; s < c->stages; s++) {
        int32_t r = 0, *group = &c->level[c->group[s]];
        while (r < c->levels && memx_level_compare(c->setting->levels[r], stages[s].level) != 0)
            r++;
        if (r == c->levels || (*group >= 0 && *group != r)) return false;
        *group = r;
        c->split[s] = stages[s].layers;
    }
    return memx_choices_offered(c, c->split, c->level, false);
}

memx_status memx_choices_find(memx_choices *c, const memx_stage_choice *stages) {
    if (!load_stages(c, stages)) return MEMX_DONE;
    if (c->walk != WALK_FREE) {
        bool offered = false;
        memx_status status = memx_choices_split_offered(c, &offered);
        if (status || !offered) return status ? status : MEMX_DONE;
    }
    memx_choices_point(c);
    return MEMX_OK;
}
/* ---- explaining ---- */

/* What a choice of a stage lacks. */
static void describe(const memx_choices *c, int32_t s, int64_t layers, int32_t r,
                     memx_shortage *out) {
    const memx_option *option = option_at(c, s, layers, r);
    const memx_share *share = &c->plan.shapes[s].shares[option->short_share];
    *out = (memx_shortage){s,
                           share->device,
                           option->short_on_host ? share->host_kib
                                                 : memx_usable_kib(c->setting->job, share->device),
                           option->short_kib,
                           option->short_on_host,
                           {layers, c->setting->levels[r]}};
}

/* The stage of c->split under one level that is shortest of memory. False where all fit. */
static bool worst_stage(const memx_choices *c, int32_t level, memx_shortage *out) {
    bool found = false;
    for (int32_t s = 0; s < c->stages; s++) {
        int32_t r = c->setting->canonical[(c->split[s] - 1) * c->levels + level];
        if (option_at(c, s, c->split[s], r)->short_kib <= (found ? out->short_kib : 0)) continue;
        describe(c, s, c->split[s], r, out);
        found = true;
    }
    return found;
}

/* Of all that the stages offer, the choice that lacks least. */
static bool nearest_choice(const memx_choices *c, memx_shortage *out) {
    bool found = false;
    for (int32_t s = 0; s < c->stages; s++) {
        for (int64_t l = 1; l <= c->most; l++) {
            uint64_t refused = c->offered[s][l - 1] & ~c->fitting[s][l - 1];
            for (int32_t r = memx_lowest(refused, 0); r >= 0; r = memx_lowest(refused, r + 1)) {
                if (found && option_at(c, s, l, r)->short_kib >= out->short_kib) continue;
                describe(c, s, l, r, out);
                found = true;
            }
        }
    }
    return found;
}

memx_status memx_choices_shortage(memx_choices *c, memx_shortage *out) {
    int32_t *vector = calloc((size_t)c->stages, sizeof *vector);
    bool found = false, stopped = false;
    if (!vector) return MEMX_NOMEM;
    for (int32_t level = 0; level < c->levels && !stopped; level++) {
        stopped = memx_poll_stop(c->poll);
        memx_shortage worst;
        for (int32_t g = 0; g < c->groups; g++) vector[g] = level;
        memx_choices_split_by_time(c, vector, c->split);
        if (!worst_stage(c, level, &worst)) continue;
        if (!found || worst.short_kib < out->short_kib) *out = worst;
        found = true;
    }
    free(vector);
    if (stopped) return MEMX_INTERRUPTED;
    return found || nearest_choice(c, out) ? MEMX_OK : MEMX_DONE;
}
