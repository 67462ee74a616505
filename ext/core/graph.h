/*
** Skeletons as paths through a graph.
**
** An edge of depth s is a stage s: a block, that is its shape's options and which of them it may take. A
** vertex of depth s is what can follow the stages before it. One skeleton is a chain. The skeletons of
** one set of knobs, which differ in the order of their devices, share what they have in common from any
** stage on: vertices with the same edges are one, so that 560 orders of eight nodes become some hundred
** vertices, and the bounds of all are found at once. Edges of a vertex are in order of skeletons, and
** know how many come before, so that a path is a skeleton's number.
*/
#ifndef MEMX_CORE_GRAPH_H
#define MEMX_CORE_GRAPH_H

#include "core/choices.h"

typedef struct memx_graph_block {
    const memx_option *options; /* [layers - 1][level] */
    const uint64_t *masks;      /* [layers - 1]: levels that may be taken */
    int64_t hop_after_ns;
    memx_table *table;       /* of a group, while it is loaded */
    int32_t skeleton, stage; /* of a group: where the shape is found */
} memx_graph_block;

typedef struct memx_edge {
    int32_t block, to;
    int64_t before; /* skeletons by earlier edges of the same vertex */
} memx_edge;

typedef struct memx_vertex {
    int32_t stage, begin, end; /* edges */
    int64_t skeletons;         /* paths from here */
} memx_vertex;

typedef struct memx_graph {
    memx_plan plan; /* of any of the skeletons, without shapes and hops */
    int32_t levels;
    int64_t most;                /* layers of one stage */
    int64_t stage_gpus;          /* of every stage */
    const memx_choices *choices; /* of a chain: says which stages must show one level; else NULL */
    memx_vertex *vertices;       /* the end first, the start last */
    memx_edge *edges;
    memx_graph_block *blocks;
    int32_t vertex_count, edge_count, block_count;
    uint64_t *masks;       /* of a chain's blocks */
    memx_setting *setting; /* of a group that is loaded */
} memx_graph;

/* One skeleton's choices, within the piece that they are in (memx_choices_take_piece). */
memx_status memx_graph_chain(memx_choices *choices, memx_graph *out);

/* Skeletons of the same knobs, the first of them and how many, in a space whose stages choose freely.
** Load it before its options are looked at. */
memx_status memx_graph_group(memx_setting *setting, const memx_skeleton *first, int32_t count,
                             const memx_poll *poll, memx_graph *out, memx_error *error);
memx_status memx_graph_load(memx_setting *setting, const memx_skeleton *first, memx_graph *graph,
                            const memx_poll *poll, memx_error *error);
void memx_graph_unload(memx_graph *graph);
void memx_graph_free(memx_graph *graph);

#endif
