/*
** Which GPUs every pipeline stage runs on.
**
** A stage takes whole runs of consecutive GPUs of nodes. Inside a stage runs are in order of nodes,
** so that two ways to the same GPUs are one placement.
*/
#ifndef MEMX_CORE_PLACEMENT_H
#define MEMX_CORE_PLACEMENT_H

#include "core/job.h"
#include "core/status.h"
#include "core/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Consecutive GPUs of one node. */
typedef struct memx_run {
    int32_t node; /* index into the job's nodes */
    int32_t gpus;
} memx_run;

/* The GPUs of every stage: stage s owns runs[first[s]] to runs[first[s + 1] - 1], by node. */
typedef struct memx_placement {
    int32_t stage_count;
    int32_t *first; /* stage_count + 1 */
    memx_run *runs;
    int32_t run_capacity;
} memx_placement;

void memx_placement_free(memx_placement *placement);
bool memx_placement_equal(const memx_placement *a, const memx_placement *b);

/* The first stage on the same device types, in whatever numbers: `stage` itself where none before it is. */
int32_t memx_placement_like(const memx_job *job, const memx_placement *placement, int32_t stage);

/* Stage by stage, for a reader of texts: start, then for every stage open, and add GPUs of nodes to
** it. After a failure the placement must still be freed. */
memx_status memx_placement_start(memx_placement *placement, int32_t stage_count);
void memx_placement_open(memx_placement *placement, int32_t stage);
memx_status memx_placement_add(memx_placement *placement, int32_t stage, int32_t node,
                               int32_t gpus);

/* Gives stages of `stage_gpus` GPUs to nodes taken in the given order (node indices). */
memx_status memx_placement_fill(const memx_job *job, const int32_t *node_order, int64_t stage_gpus,
                                int32_t stage_count, memx_placement *out);

/* Whether every stage uses up the nodes of a type, but for one of them: only such a stage has a text.
** Otherwise *stage and *node name the second that it leaves half used. */
memx_status memx_placement_check(const memx_job *job, const memx_placement *placement,
                                 int32_t *stage, int32_t *node);

/* Equal nodes (device, GPUs, links, what their hosts have) are one choice: gives them names in the order in which the stages
** use them up, so that a choice has one placement. */
memx_status memx_placement_canonical(const memx_job *job, memx_placement *placement);

/* Nodes that are interchangeable, as chains: for every node the first one equal to it, and the next
** one, or -1. */
typedef struct memx_node_chains {
    int32_t *first, *next;
} memx_node_chains;

memx_status memx_node_chains_open(const memx_job *job, memx_node_chains *out);
void memx_node_chains_close(memx_node_chains *chains);

/* One stage's devices as the column `devices` writes them. */
void memx_stage_devices(const memx_job *job, const memx_placement *placement, int32_t stage,
                        memx_text *out);

/* The same as a configuration text has it: with @ordinals of the nodes where taking the GPUs from the
** type's nodes in order of ordinals would not give this placement. `used` holds the GPUs taken of
** every node by the stages before, and is moved on. */
void memx_stage_places(const memx_job *job, const memx_placement *placement, int32_t stage,
                       int32_t *used, memx_text *out);

#endif
