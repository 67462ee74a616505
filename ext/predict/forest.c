#include "predict/forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void memx_forest_start(memx_forest *f, int32_t features) {
    *f = (memx_forest){.features = features};
}

void memx_forest_free(memx_forest *f) {
    free(f->nodes);
    free(f->roots);
    *f = (memx_forest){.features = 0};
}

memx_status memx_forest_tree(memx_forest *f, memx_error *error) {
    if (f->tree_count == MEMX_MOST_TREES) {
        return memx_invalid(error, "more than %d trees", (int)MEMX_MOST_TREES);
    }
    if (f->tree_count + 2 > f->tree_capacity) {
        int32_t capacity = f->tree_capacity ? 2 * f->tree_capacity : 256;
        int32_t *roots = realloc(f->roots, (size_t)capacity * sizeof *roots);
        if (!roots) return MEMX_NOMEM;
        f->roots = roots;
        f->tree_capacity = capacity;
    }
    f->roots[f->tree_count++] = f->node_count;
    f->roots[f->tree_count] = f->node_count;
    return MEMX_OK;
}

memx_status memx_forest_node(memx_forest *f, const memx_tree_node *node, memx_error *error) {
    if (f->node_count == MEMX_MOST_NODES) {
        return memx_invalid(error, "more than %d nodes", (int)MEMX_MOST_NODES);
    }
    if (f->node_count == f->node_capacity) {
        int32_t capacity = f->node_capacity ? 2 * f->node_capacity : 1024;
        memx_tree_node *nodes = realloc(f->nodes, (size_t)capacity * sizeof *nodes);
        if (!nodes) return MEMX_NOMEM;
        f->nodes = nodes;
        f->node_capacity = capacity;
    }
    f->nodes[f->node_count++] = *node;
    f->roots[f->tree_count] = f->node_count;
    return MEMX_OK;
}

/* One tree. Children are greater than their node, so there is no way round in a circle. */
static memx_status check_tree(const memx_forest *f, int32_t tree, uint8_t *reached,
                              memx_error *error) {
    const memx_tree_node *nodes = f->nodes + f->roots[tree];
    int32_t count = f->roots[tree + 1] - f->roots[tree];
    if (count == 0) return memx_invalid(error, "tree %d has no node 0", (int)tree);
    reached[0] = 1;
    for (int32_t n = 0; n < count; n++) {
        const memx_tree_node *node = &nodes[n];
        if (!reached[n]) {
            return memx_invalid(error, "tree %d, node %d: no other node leads there", (int)tree,
                                (int)n);
        }
        if (!isfinite(node->value)) {
            return memx_invalid(error, "tree %d, node %d: its %s is no finite number", (int)tree,
                                (int)n, node->feature < 0 ? "leaf" : "threshold");
        }
        if (node->feature < 0) continue;
        if (node->feature >= f->features) {
            return memx_invalid(error, "tree %d, node %d: there is no feature %d", (int)tree,
                                (int)n, (int)node->feature);
        }
        const int32_t to[] = {node->yes, node->no, node->missing};
        for (int i = 0; i < 3; i++) {
            if (to[i] <= n || to[i] >= count) {
                return memx_invalid(error,
                                    "tree %d, node %d leads to node %d; write one that follows it, "
                                    "below %d",
                                    (int)tree, (int)n, (int)to[i], (int)count);
            }
        }
        if (node->yes == node->no || (node->missing != node->yes && node->missing != node->no)) {
            return memx_invalid(error,
                                "tree %d, node %d: yes and no must differ, and missing be one of "
                                "them",
                                (int)tree, (int)n);
        }
        if (reached[node->yes]++ || reached[node->no]++) {
            return memx_invalid(error, "tree %d, node %d leads where another node does", (int)tree,
                                (int)n);
        }
    }
    return MEMX_OK;
}

memx_status memx_forest_check(const memx_forest *f, memx_error *error) {
    memx_status status = MEMX_OK;
    for (int32_t t = 0; t < f->tree_count && !status; t++) {
        size_t count = (size_t)(f->roots[t + 1] - f->roots[t]);
        uint8_t *reached = calloc(count + 1, 1);
        if (!reached) return MEMX_NOMEM;
        status = check_tree(f, t, reached, error);
        free(reached);
    }
    return status;
}

static const memx_tree_node *next(const memx_tree_node *nodes, const memx_tree_node *node,
                                  const float *row) {
    float x = row[node->feature];
    return nodes + (isnan(x) ? node->missing : x < node->value ? node->yes : node->no);
}

enum { RANGED = 64 };

/* Of the first RANGED features, over all rows; all there is where one is missing. */
static void find_ranges(const memx_forest *f, const float *features, size_t count,
                        float least[RANGED], float most[RANGED]) {
    size_t width = (size_t)f->features;
    for (size_t j = 0; j < width && j < RANGED; j++) {
        least[j] = INFINITY;
        most[j] = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            float x = features[i * width + j];
            if (!(x >= least[j])) least[j] = isnan(x) ? -INFINITY : x;
            if (!(x <= most[j])) most[j] = isnan(x) ? INFINITY : x;
        }
    }
}

/* Stages that are asked for at once are alike in most: where all of them go one way, a tree is asked once. */
void memx_forest_sum(const memx_forest *f, const float *features, size_t count, float *out) {
    float least[RANGED], most[RANGED];
    find_ranges(f, features, count, least, most);
    for (size_t i = 0; i < count; i++) out[i] = 0.0F;
    for (int32_t t = 0; t < f->tree_count; t++) {
        const memx_tree_node *nodes = f->nodes + f->roots[t], *root = nodes;
        while (root->feature >= 0 && root->feature < RANGED) {
            bool all_yes = most[root->feature] < root->value;
            if (!all_yes && !(least[root->feature] >= root->value)) break;
            root = nodes + (all_yes ? root->yes : root->no);
        }
        for (size_t i = 0; i < count; i++) {
            const memx_tree_node *node = root;
            const float *row = features + i * (size_t)f->features;
            while (node->feature >= 0) node = next(nodes, node, row);
            out[i] += node->value;
        }
    }
}
