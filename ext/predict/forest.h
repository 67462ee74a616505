/*
** Boosted regression trees as plain rows, and their sum for given features.
**
** The sum is XGBoost's, bit for bit: single precision throughout, leaves added in order of the trees, a
** feature below the threshold goes to `yes`, one that is NaN to `missing`, any other to `no`. Nothing is
** trusted: memx_forest_check refuses whatever could make an evaluation go astray.
*/
#ifndef MEMX_PREDICT_FOREST_H
#define MEMX_PREDICT_FOREST_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct memx_tree_node {
    int32_t feature;          /* -1: a leaf */
    float value;              /* threshold, or what the leaf adds */
    int32_t yes, no, missing; /* nodes of the same tree, each greater than this one */
} memx_tree_node;

typedef struct memx_forest {
    memx_tree_node *nodes; /* of all trees */
    int32_t
        *roots; /* tree_count + 1: where each tree begins in nodes; its nodes count from there */
    int32_t tree_count, node_count, node_capacity, tree_capacity;
    int32_t features;
} memx_forest;

enum { MEMX_MOST_TREES = 100000, MEMX_MOST_NODES = 20000000 };

/* An empty forest over so many features. */
void memx_forest_start(memx_forest *forest, int32_t features);
void memx_forest_free(memx_forest *forest);

/* Begins a tree, and adds a node to the tree that was begun last. MEMX_NOMEM, or MEMX_INVALID where there
** are too many. */
memx_status memx_forest_tree(memx_forest *forest, memx_error *error);
memx_status memx_forest_node(memx_forest *forest, const memx_tree_node *node, memx_error *error);

/* Whether every tree is one: from its first node each is reached once, over finite thresholds, and every
** way ends at a finite leaf. The message names tree and node. */
memx_status memx_forest_check(const memx_forest *forest, memx_error *error);

/* Sums of a checked forest for `count` rows of its features. */
void memx_forest_sum(const memx_forest *forest, const float *features, size_t count, float *out);

#endif
