/*
** A search space: which values every parameter may take. Read from rows (param, value); a parameter
** without rows takes its default.
**
**   tp pp dp micro_batch          whole numbers; default: everything that divides
**   cp                            whole numbers; default: 1
**   vp                            whole numbers; default: 1, a pipeline that is not interleaved
**   ep                            whole numbers; default: all that divide dp * cp and the experts;
**                                 1 without experts
**   seq_length heads kv_groups    whole numbers; default: the job's own
**   sequence_parallel             0, 1; default: the framework's own
**   distributed_optimizer         0 to 3, ZeRO's stage (memx_zero); default: the framework's own
**   device_order     types (nodes of a type together, every order of types), given (by ordinal),
**                    nodes (every distinct order of nodes)
**   stage_devices    vendor, one, any: which device types a stage may span
**   layer_split      free, uniform, compute, memory, time (the least slowest stage, within memory
**                    where possible unless memory_limit is ignore)
**   layer_skew       layers that may move between two neighbouring stages from there
**   recompute        levels
**   recompute_scope  stage, device (one level per type; a mix of types is one of its own), global,
**                    plan (each split once, every stage at its fastest level that fits); default:
**                    stage where layer_split is free, device under a rule
**   memory_limit     hard, ignore (what does not fit comes too)
*/
#ifndef MEMX_CORE_SPACE_H
#define MEMX_CORE_SPACE_H

#include "core/config.h"
#include "core/level.h"
#include "core/model.h"
#include "core/split.h"
#include "core/status.h"

typedef enum memx_axis {
    MEMX_AXIS_TP,
    MEMX_AXIS_PP,
    MEMX_AXIS_DP,
    MEMX_AXIS_MICRO_BATCH,
    MEMX_AXIS_SEQ_LENGTH,
    MEMX_AXIS_HEADS,
    MEMX_AXIS_KV_GROUPS,
    MEMX_AXIS_CP,
    MEMX_AXIS_EP,
    MEMX_AXIS_VP,
    MEMX_AXIS_SEQUENCE_PARALLEL,
    MEMX_AXIS_DISTRIBUTED_OPTIMIZER,
    MEMX_AXIS_COUNT
} memx_axis;

/* What the knobs have on an axis. */
int64_t memx_knob(const memx_knobs *knobs, memx_axis axis);
bool memx_knobs_equal(const memx_knobs *a, const memx_knobs *b);

typedef enum memx_device_order {
    MEMX_ORDER_TYPES,
    MEMX_ORDER_GIVEN,
    MEMX_ORDER_NODES
} memx_device_order;
typedef enum memx_stage_span { MEMX_SPAN_VENDOR, MEMX_SPAN_ONE, MEMX_SPAN_ANY } memx_stage_span;
typedef enum memx_scope {
    MEMX_SCOPE_STAGE,
    MEMX_SCOPE_DEVICE,
    MEMX_SCOPE_GLOBAL,
    MEMX_SCOPE_PLAN
} memx_scope;

typedef struct memx_values {
    int64_t *items; /* ascending, no repeats */
    int32_t count;  /* 0: the default */
} memx_values;

typedef struct memx_space {
    char name[MEMX_NAME_SIZE];
    memx_values axes[MEMX_AXIS_COUNT];
    memx_device_order device_order;
    memx_stage_span stage_devices;
    memx_split_rule layer_split;
    int64_t layer_skew;
    memx_level *levels;  /* as written, in order, no repeats */
    int32_t level_count; /* 0: the default */
    memx_scope recompute_scope;
    bool scope_given; /* else recompute_scope follows layer_split */
    bool ignore_memory;
} memx_space;

/* An empty space: every parameter at its default. */
void memx_space_start(memx_space *space, const char *name);
void memx_space_free(memx_space *space);

/* Adds one row. MEMX_INVALID names the parameter, the value and what to write. */
memx_status memx_space_add(memx_space *space, const char *param, const char *value,
                           memx_error *error);

/* Its levels, those of the default, none, selective and full, where it names none; borrowed. */
const memx_level *memx_space_levels(const memx_space *space, int32_t *count);

const char *memx_axis_name(memx_axis axis); /* for tests */
/* Reads one of the rules uniform, compute, memory, time. */
memx_status memx_split_rule_parse(const char *text, memx_split_rule *out, memx_error *error);
const char *memx_split_name(memx_split_rule rule);
const char *memx_scope_name(memx_scope scope);
bool memx_values_allow(const memx_values *values, int64_t value);

#endif
