#include "core/space.h"

#include "core/job.h"
#include "core/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const axis_names[MEMX_AXIS_COUNT] = {
    "tp",        "pp", "dp", "micro_batch", "seq_length",        "heads",
    "kv_groups", "cp", "ep", "vp",          "sequence_parallel", "distributed_optimizer"};

/* Values of the word parameters, in the order of their enumerations. */
static const char *const order_words[] = {"types", "given", "nodes", NULL};
static const char *const span_words[] = {"vendor", "one", "any", NULL};
static const char *const split_words[] = {"free", "uniform", "compute", "memory", "time", NULL};
static const char *const scope_words[] = {"stage", "device", "global", "plan", NULL};
static const char *const limit_words[] = {"hard", "ignore", NULL};

const char *memx_axis_name(memx_axis axis) {
    return axis_names[axis];
}

int64_t memx_knob(const memx_knobs *k, memx_axis axis) {
    switch (axis) {
    case MEMX_AXIS_TP: return k->tp;
    case MEMX_AXIS_PP: return k->pp;
    case MEMX_AXIS_DP: return k->dp;
    case MEMX_AXIS_MICRO_BATCH: return k->micro_batch;
    case MEMX_AXIS_SEQ_LENGTH: return k->seq_length;
    case MEMX_AXIS_HEADS: return k->heads;
    case MEMX_AXIS_KV_GROUPS: return k->kv_groups;
    case MEMX_AXIS_CP: return k->cp;
    case MEMX_AXIS_EP: return k->ep;
    case MEMX_AXIS_VP: return k->vp;
    case MEMX_AXIS_SEQUENCE_PARALLEL: return k->sequence_parallel;
    case MEMX_AXIS_DISTRIBUTED_OPTIMIZER: return k->distributed_optimizer;
    case MEMX_AXIS_COUNT: break;
    }
    return 0;
}

bool memx_knobs_equal(const memx_knobs *a, const memx_knobs *b) {
    for (int i = 0; i < MEMX_AXIS_COUNT; i++) {
        if (memx_knob(a, (memx_axis)i) != memx_knob(b, (memx_axis)i)) return false;
    }
    return true;
}

memx_status memx_split_rule_parse(const char *text, memx_split_rule *out, memx_error *error) {
    for (int rule = MEMX_SPLIT_UNIFORM; rule <= MEMX_SPLIT_TIME; rule++) {
        if (strcmp(text, split_words[rule]) != 0) continue;
        *out = (memx_split_rule)rule;
        return MEMX_OK;
    }
    return memx_invalid(error, "no rule '%.40s'; write uniform, compute, memory or time", text);
}

const char *memx_split_name(memx_split_rule rule) {
    return split_words[rule];
}

const char *memx_scope_name(memx_scope scope) {
    return scope_words[scope];
}

bool memx_values_allow(const memx_values *values, int64_t value) {
    for (int32_t i = 0; i < values->count; i++) {
        if (values->items[i] == value) return true;
    }
    return values->count == 0;
}

static memx_status add_value(memx_values *values, int64_t value) {
    int32_t at = values->count, count = values->count;
    int64_t *items = values->items;
    while (at > 0 && items[at - 1] >= value) at--;
    if (at < count && items[at] == value) return MEMX_OK;
    /* There is room for the next power of two. */
    if ((count & (count - 1)) == 0) {
        items = realloc(items, (count ? 2 * (size_t)count : 1) * sizeof *items);
        if (!items) return MEMX_NOMEM;
    }
    memmove(items + at + 1, items + at, (size_t)(values->count - at) * sizeof *items);
    items[at] = value;
    values->items = items;
    values->count++;
    return MEMX_OK;
}

static memx_status add_level(memx_space *space, memx_level level) {
    int32_t at = space->level_count;
    while (at > 0 && memx_level_compare(space->levels[at - 1], level) >= 0) at--;
    if (at < space->level_count && memx_level_compare(space->levels[at], level) == 0) {
        return MEMX_OK;
    }
    memx_level *levels = realloc(space->levels, (size_t)(space->level_count + 1) * sizeof *levels);
    if (!levels) return MEMX_NOMEM;
    memmove(levels + at + 1, levels + at, (size_t)(space->level_count - at) * sizeof *levels);
    levels[at] = level;
    space->levels = levels;
    space->level_count++;
    return MEMX_OK;
}

void memx_space_start(memx_space *space, const char *name) {
    *space = (memx_space){.layer_split = MEMX_SPLIT_FREE};
    snprintf(space->name, sizeof space->name, "%s", name);
}

const memx_level *memx_space_levels(const memx_space *space, int32_t *count) {
    static const memx_level usual[] = {
        {MEMX_NONE, 0, 0}, {MEMX_SELECTIVE, 0, 0}, {MEMX_FULL, 0, 0}};
    *count = space->level_count ? space->level_count : (int32_t)(sizeof usual / sizeof usual[0]);
    return space->level_count ? space->levels : usual;
}

void memx_space_free(memx_space *space) {
    for (int axis = 0; axis < MEMX_AXIS_COUNT; axis++) free(space->axes[axis].items);
    free(space->levels);
    *space = (memx_space){0};
}

static bool whole(const char *text, int64_t least, int64_t most, int64_t *out) {
    memx_span rest = memx_span_of(text);
    return memx_take_whole(&rest, out) && rest.length == 0 && *out >= least && *out <= most;
}

static memx_status refuse(const memx_space *space, const char *param, const char *value,
                          const char *want, memx_error *error) {
    return memx_invalid(error, "space '%s': %s is '%.40s'; write %s", space->name, param, value,
                        want);
}

static memx_status add_word(const memx_space *space, const char *param, const char *value,
                            const char *const *words, int *out, memx_error *error) {
    char want[160] = "";
    for (int i = 0; words[i]; i++) {
        if (strcmp(value, words[i]) == 0) {
            *out = i;
            return MEMX_OK;
        }
        size_t length = strlen(want);
        snprintf(want + length, sizeof want - length, "%s%s",
                 i ? (words[i + 1] ? ", " : " or ") : "", words[i]);
    }
    return refuse(space, param, value, want, error);
}

memx_status memx_space_add(memx_space *space, const char *param, const char *value,
                           memx_error *error) {
    int64_t n = 0;
    int word = 0;
    for (int axis = 0; axis < MEMX_AXIS_COUNT; axis++) {
        if (strcmp(param, axis_names[axis]) != 0) continue;
        bool flag = axis == MEMX_AXIS_SEQUENCE_PARALLEL,
             zero = axis == MEMX_AXIS_DISTRIBUTED_OPTIMIZER;
        int64_t most = flag ? 1 : zero ? MEMX_ZERO_PARAMETERS : 1000000000;
        if (!whole(value, flag || zero ? 0 : 1, most, &n)) {
            return refuse(space, param, value,
                          flag   ? "0 or 1"
                          : zero ? "0, 1, 2 or 3"
                                 : "a whole number from 1",
                          error);
        }
        return add_value(&space->axes[axis], n);
    }
    if (strcmp(param, "layer_skew") == 0) {
        if (!whole(value, 0, 8, &n)) return refuse(space, param, value, "0 to 8", error);
        space->layer_skew = n;
        return MEMX_OK;
    }
    if (strcmp(param, "recompute") == 0) {
        memx_level level;
        if (!memx_level_parse(value, strlen(value), &level)) {
            return refuse(space, param, value,
                          "none, selective, full, block<N>, uniform<N>, swap<N>, offload<X> or "
                          "LEVEL+offload<X>, as block2 or full+offload100",
                          error);
        }
        return add_level(space, level);
    }
    const struct {
        const char *name;
        const char *const *words;
    } parameters[] = {{"device_order", order_words},
                      {"stage_devices", span_words},
                      {"layer_split", split_words},
                      {"recompute_scope", scope_words},
                      {"memory_limit", limit_words}};
    for (int i = 0; i < 5; i++) {
        if (strcmp(param, parameters[i].name) != 0) continue;
        memx_status status = add_word(space, param, value, parameters[i].words, &word, error);
        if (status) return status;
        switch (i) {
        case 0: space->device_order = (memx_device_order)word; break;
        case 1: space->stage_devices = (memx_stage_span)word; break;
        case 2: space->layer_split = (memx_split_rule)word; break;
        case 3:
            space->recompute_scope = (memx_scope)word;
            space->scope_given = true;
            break;
        default: space->ignore_memory = word == 1; break;
        }
        if (!space->scope_given) {
            space->recompute_scope =
                space->layer_split == MEMX_SPLIT_FREE ? MEMX_SCOPE_STAGE : MEMX_SCOPE_DEVICE;
        }
        return MEMX_OK;
    }
    return memx_invalid(
        error,
        "space '%s': no parameter '%.40s'; write tp, pp, dp, micro_batch, "
        "seq_length, heads, kv_groups, cp, ep, vp, sequence_parallel, distributed_optimizer, "
        "device_order, stage_devices, layer_split, layer_skew, recompute, "
        "recompute_scope or memory_limit",
        space->name, param);
}
