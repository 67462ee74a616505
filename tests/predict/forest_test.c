#include "predict/forest.h"

#include <inttypes.h>
#include <math.h>

#include "support/check.h"

static void add(memx_forest *f, int32_t feature, float value, int32_t yes, int32_t no,
                int32_t missing) {
    const memx_tree_node node = {feature, value, yes, no, missing};
    assert_int_equal(memx_forest_node(f, &node, NULL), MEMX_OK);
}

/* f0 < 2 ? (f1 < 0 ? 10 : 20, missing 20) : 30, missing 30; and a tree of one leaf, 0.5. */
static void two_trees(memx_forest *f) {
    memx_forest_start(f, 2);
    assert_int_equal(memx_forest_tree(f, NULL), MEMX_OK);
    add(f, 0, 2.0F, 1, 2, 2);
    add(f, 1, 0.0F, 3, 4, 4);
    add(f, -1, 30.0F, 0, 0, 0);
    add(f, -1, 10.0F, 0, 0, 0);
    add(f, -1, 20.0F, 0, 0, 0);
    assert_int_equal(memx_forest_tree(f, NULL), MEMX_OK);
    add(f, -1, 0.5F, 0, 0, 0);
}

static void sums_follow_the_splits(void **state) {
    const float rows[][2] = {{1.0F, -1.0F}, {1.0F, 0.0F}, {2.0F, -1.0F}, {1.0F, NAN}, {NAN, -1.0F}};
    const float wanted[] = {10.5F, 20.5F, 30.5F, 20.5F, 30.5F};
    float found[COUNT(rows)];
    memx_forest f;
    memx_error error = {.text = ""};
    (void)state;
    two_trees(&f);
    assert_ok(memx_forest_check(&f, &error), &error);
    memx_forest_sum(&f, &rows[0][0], COUNT(rows), found);
    for (size_t i = 0; i < COUNT(rows); i++) assert_same(found[i], wanted[i]);
    memx_forest_free(&f);
}

/* Every single damage to a node of the first tree is noticed. */
static void damage_is_refused(void **state) {
    static const struct {
        int32_t node;
        memx_tree_node then;
        const char *message;
    } cases[] = {
        {0, {0, 2.0F, 0, 2, 2}, "tree 0, node 0 leads to node 0~"},
        {1, {1, 0.0F, 0, 4, 4}, "tree 0, node 1 leads to node 0~"},
        {1, {1, 0.0F, 3, 5, 5}, "tree 0, node 1 leads to node 5~"},
        {1, {1, 0.0F, -1, 4, 4}, "tree 0, node 1 leads to node -1~"},
        {0, {2, 2.0F, 1, 2, 2}, "tree 0, node 0: there is no feature 2"},
        {0, {0, NAN, 1, 2, 2}, "tree 0, node 0: its threshold~"},
        {3, {-1, INFINITY, 0, 0, 0}, "tree 0, node 3: its leaf~"},
        {0, {0, 2.0F, 1, 1, 1}, "tree 0, node 0: yes and no must differ~"},
        {0, {0, 2.0F, 1, 2, 3}, "tree 0, node 0: yes and no must differ~"},
        {1, {1, 0.0F, 2, 4, 4}, "tree 0, node 1 leads where another node does"},
        {1, {-1, 7.0F, 0, 0, 0}, "tree 0, node 3: no other node leads there"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        memx_forest f;
        memx_error error = {.text = ""};
        two_trees(&f);
        f.nodes[cases[i].node] = cases[i].then;
        assert_refused(memx_forest_check(&f, &error), &error, cases[i].message);
        memx_forest_free(&f);
    }
    memx_forest empty;
    memx_error error = {.text = ""};
    memx_forest_start(&empty, 1);
    assert_int_equal(memx_forest_tree(&empty, NULL), MEMX_OK);
    assert_refused(memx_forest_check(&empty, &error), &error, "tree 0 has no node 0");
    memx_forest_free(&empty);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_follow_the_splits),
        cmocka_unit_test(damage_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
