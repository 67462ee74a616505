/*
** Tests of core/stats.h: hand-worked values, undefined cases, the ends of the range of a double,
** and random data against slower ways to the same result.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void assert_near(double found, double wanted, double tolerance) {
    if (!(fabs(found - wanted) <= tolerance)) {
        fail_msg("found %.17g, wanted %.17g", found, wanted);
    }
}

/* Exactly equal, infinities included. */
static void assert_same(double found, double wanted) {
    if (!(found == wanted)) {
        fail_msg("found %.17g, wanted %.17g", found, wanted);
    }
}

/* A small generator, so that every run tests the same data. */
static uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void *allocate(size_t n, size_t size) {
    void *memory = calloc(n == 0 ? 1 : n, size);
    assert_non_null(memory);
    return memory;
}

static int compare(const void *a, const void *b) {
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median_by_sorting(const double *values, size_t n) {
    double *sorted = allocate(n, sizeof *sorted);
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare);
    double median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    free(sorted);
    return median;
}

/* memx_median() of a copy. */
static double median_of(const double *values, size_t n) {
    double *copy = allocate(n, sizeof *copy);
    memcpy(copy, values, n * sizeof *copy);
    double median = NAN;
    assert_true(memx_median(copy, n, &median));
    free(copy);
    return median;
}

static void median_small(void **state) {
    (void)state;
    assert_same(median_of((double[]){7}, 1), 7);
    assert_same(median_of((double[]){4, 1}, 2), 2.5);
    assert_same(median_of((double[]){3, 1, 2}, 3), 2);
    assert_same(median_of((double[]){5, 1, 3, 2}, 4), 2.5);
    assert_same(median_of((double[]){2, 2, 2, 2}, 4), 2);
    assert_same(median_of((double[]){-1, 0.0, -0.0, 1}, 4), 0);
}

static void median_undefined(void **state) {
    (void)state;
    double median = 42;
    double nan_among[] = {1, NAN, 2};
    double infinite[] = {1, -INFINITY};
    assert_false(memx_median(NULL, 0, &median));
    assert_false(memx_median(nan_among, 3, &median));
    assert_false(memx_median(infinite, 2, &median));
    assert_same(median, 42);
}

static void median_at_the_ends_of_the_range(void **state) {
    (void)state;
    const double huge = 1.7976931348623157e308;
    const double least = 4.9406564584124654e-324;
    assert_same(median_of((double[]){huge, huge}, 2), huge);
    assert_same(median_of((double[]){-huge, -huge}, 2), -huge);
    assert_same(median_of((double[]){huge, -huge}, 2), 0);
    assert_same(median_of((double[]){least, least}, 2), least);
}

/* Patterns that are hard for quickselect, at sizes around its switch to sorting and beyond. */
static void median_equals_sorting(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 15, 16, 17, 18, 33, 100, 1001, 4096, 20000};
    enum { PATTERNS = 6 };
    for (size_t s = 0; s < COUNT(sizes); s++) {
        size_t n = sizes[s];
        double *values = allocate(n, sizeof *values);
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            uint64_t seed = n;
            for (size_t i = 0; i < n; i++) {
                size_t from_end = n - 1 - i;
                switch (pattern) {
                case 0: /* rising */ values[i] = (double)i; break;
                case 1: /* falling */ values[i] = (double)from_end; break;
                case 2: /* rising and falling */
                    values[i] = (double)(i < from_end ? i : from_end);
                    break;
                case 3: /* few distinct values */
                    values[i] = (double)(next_random(&seed) % 3);
                    break;
                case 4: /* two interleaved runs */
                    values[i] = (double)(i % 2 == 0 ? i : n + i);
                    break;
                default: values[i] = (double)next_random(&seed) - 1e9; break;
                }
            }
            assert_same(median_of(values, n), median_by_sorting(values, n));
        }
        free(values);
    }
}

/* Of each range the first and the middle value are the two least, so that a median of three cuts
** off only these two. Without a way out of bad partitions this takes half a minute. */
static void median_worst_case(void **state) {
    (void)state;
    enum { N = 1 << 19 };
    double *values = allocate(N, sizeof *values);
    size_t *origin = allocate(N, sizeof *origin); /* where what stands here came from */
    for (size_t i = 0; i < N; i++) {
        origin[i] = i;
    }
    double next = 0;
    for (size_t first = 0; first < N; first += 2) {
        size_t middle = first + (N - 1 - first) / 2;
        if (middle == first) {
            middle++;
        }
        values[origin[first]] = next++;
        values[origin[middle]] = next++;
        /* The partition swaps the middle one to the front. */
        origin[middle] = origin[first + 1];
    }
    assert_same(median_of(values, N), (N - 1) / 2.0);
    free(origin);
    free(values);
}

static void mape_by_hand(void **state) {
    (void)state;
    static const memx_pair pairs[] = {{2, 3}, {4, 3}, {8, 8}, {-4, -5}};
    double percent = NAN;
    assert_true(memx_mape(pairs, COUNT(pairs), &percent));
    assert_same(percent, 25);
    assert_true(memx_mape(pairs, 1, &percent));
    assert_same(percent, 50);
    assert_true(memx_mape(&pairs[2], 1, &percent));
    assert_same(percent, 0);
}

static void mape_undefined(void **state) {
    (void)state;
    static const memx_pair zero[] = {{1, 1}, {0, 1}};
    static const memx_pair bad[] = {{1, NAN}, {INFINITY, 1}};
    double percent = 42;
    assert_false(memx_mape(NULL, 0, &percent));
    assert_false(memx_mape(zero, 2, &percent));
    assert_false(memx_mape(bad, 1, &percent));
    assert_false(memx_mape(&bad[1], 1, &percent));
    assert_same(percent, 42);
}

static void mape_at_the_ends_of_the_range(void **state) {
    (void)state;
    static const memx_pair opposite[] = {{1.5e308, -1.5e308}};
    static const memx_pair tiny[] = {{1e-320, 2e-320}};
    static const memx_pair beyond[] = {{1e-200, 1e200}};
    double percent = NAN;
    assert_true(memx_mape(opposite, 1, &percent));
    assert_same(percent, 200);
    assert_true(memx_mape(tiny, 1, &percent));
    assert_near(percent, 100, 0.1);
    assert_true(memx_mape(beyond, 1, &percent));
    assert_same(percent, INFINITY);
}

/* memx_spearman() of a copy. */
static bool spearman_of(const memx_pair *pairs, size_t n, double *rho) {
    memx_pair *copy = allocate(n, sizeof *copy);
    memcpy(copy, pairs, n * sizeof *copy);
    bool defined = memx_spearman(copy, n, rho);
    free(copy);
    return defined;
}

static void spearman_by_hand(void **state) {
    (void)state;
    static const memx_pair rising[] = {{1, 1}, {10, 2}, {2, 1.5}, {1e9, 1e300}};
    static const memx_pair falling[] = {{1, 3}, {2, 2}, {3, 1}};
    /* Differences of ranks 0, 1, 1, 0: 1 - 6 * 2 / (4 * 15). */
    static const memx_pair swapped[] = {{1, 1}, {2, 3}, {3, 2}, {4, 4}};
    /* Ranks 1, 2.5, 2.5, 4 and 1.5, 3, 1.5, 4 from the middle: 4.5 / sqrt(4.5 * 4.5). */
    static const memx_pair tied[] = {{1, 1}, {2, 2}, {2, 1}, {3, 3}};
    double rho = NAN;
    assert_true(spearman_of(rising, COUNT(rising), &rho));
    assert_same(rho, 1);
    assert_true(spearman_of(falling, COUNT(falling), &rho));
    assert_same(rho, -1);
    assert_true(spearman_of(swapped, COUNT(swapped), &rho));
    assert_near(rho, 0.8, 1e-15);
    assert_true(spearman_of(tied, COUNT(tied), &rho));
    assert_near(rho, 3.75 / 4.5, 1e-15);
}

static void spearman_undefined(void **state) {
    (void)state;
    static const memx_pair constant_x[] = {{1, 1}, {1, 2}, {1, 3}};
    static const memx_pair constant_y[] = {{1, 0.0}, {2, -0.0}};
    static const memx_pair bad[] = {{1, 1}, {2, NAN}, {3, 3}};
    double rho = 42;
    assert_false(memx_spearman(NULL, 0, &rho));
    assert_false(spearman_of(constant_x, 1, &rho));
    assert_false(spearman_of(constant_x, 3, &rho));
    assert_false(spearman_of(constant_y, 2, &rho));
    assert_false(spearman_of(bad, 3, &rho));
    assert_same(rho, 42);
}

/* Against ranks by counting, and Pearson's formula as textbooks give it. */
static void spearman_equals_counting(void **state) {
    (void)state;
    enum { N = 200 };
    memx_pair pairs[N];
    uint64_t seed = 1;
    for (size_t i = 0; i < N; i++) {
        pairs[i].measured = (double)(next_random(&seed) % 50);
        pairs[i].predicted = pairs[i].measured + (double)(next_random(&seed) % 40);
    }
    double sum_x = 0, sum_y = 0, sum_xx = 0, sum_yy = 0, sum_xy = 0;
    for (size_t i = 0; i < N; i++) {
        double x = 0.5, y = 0.5; /* one less and one equal count half each way */
        for (size_t k = 0; k < N; k++) {
            x += (pairs[k].measured < pairs[i].measured) +
                 0.5 * (pairs[k].measured == pairs[i].measured);
            y += (pairs[k].predicted < pairs[i].predicted) +
                 0.5 * (pairs[k].predicted == pairs[i].predicted);
        }
        sum_x += x;
        sum_y += y;
        sum_xx += x * x;
        sum_yy += y * y;
        sum_xy += x * y;
    }
    double wanted = (N * sum_xy - sum_x * sum_y) /
                    sqrt((N * sum_xx - sum_x * sum_x) * (N * sum_yy - sum_y * sum_y));
    double rho = NAN;
    assert_true(memx_spearman(pairs, N, &rho));
    assert_near(rho, wanted, 1e-12);
}

static void r2_by_hand(void **state) {
    (void)state;
    static const memx_pair perfect[] = {{1, 1}, {2, 2}, {4, 4}};
    static const memx_pair mean[] = {{1, 2}, {2, 2}, {3, 2}};
    static const memx_pair reversed[] = {{1, 3}, {2, 2}, {3, 1}};
    static const memx_pair good[] = {{0, 0}, {2, 1}, {4, 4}};
    double r2 = NAN;
    assert_true(memx_r2(perfect, COUNT(perfect), &r2));
    assert_same(r2, 1);
    assert_true(memx_r2(mean, COUNT(mean), &r2));
    assert_near(r2, 0, 1e-15);
    assert_true(memx_r2(reversed, COUNT(reversed), &r2));
    assert_near(r2, -3, 1e-14);
    assert_true(memx_r2(good, COUNT(good), &r2));
    assert_near(r2, 0.875, 1e-15);
}

static void r2_undefined(void **state) {
    (void)state;
    static const memx_pair constant[] = {{0.1, 1}, {0.1, 2}, {0.1, 3}};
    static const memx_pair zeros[] = {{0, 0}, {0, 0}};
    static const memx_pair bad[] = {{1, 1}, {2, -INFINITY}};
    double r2 = 42;
    assert_false(memx_r2(NULL, 0, &r2));
    assert_false(memx_r2(constant, 1, &r2));
    assert_false(memx_r2(constant, 3, &r2));
    assert_false(memx_r2(zeros, 2, &r2));
    assert_false(memx_r2(bad, 2, &r2));
    assert_same(r2, 42);
}

/* The values of r2_by_hand times any scale, and beside any offset, give the same result. */
static void r2_at_the_ends_of_the_range(void **state) {
    (void)state;
    static const double scales[] = {1e-307, 1e-160, 1e150, 4e307};
    for (size_t i = 0; i < COUNT(scales); i++) {
        double s = scales[i];
        memx_pair pairs[] = {{0, 0}, {2 * s, s}, {4 * s, 4 * s}};
        double r2 = NAN;
        assert_true(memx_r2(pairs, COUNT(pairs), &r2));
        assert_near(r2, 0.875, 1e-14);
    }
    static const memx_pair offset[] = {{1e15, 1e15}, {1e15 + 2, 1e15 + 1}, {1e15 + 4, 1e15 + 4}};
    double r2 = NAN;
    assert_true(memx_r2(offset, COUNT(offset), &r2));
    assert_near(r2, 0.875, 1e-14);

    static const memx_pair beyond[] = {{1e-200, 1e200}, {2e-200, 1e200}};
    assert_true(memx_r2(beyond, COUNT(beyond), &r2));
    assert_same(r2, -INFINITY);
    static const memx_pair opposite[] = {{1.7e308, -1.7e308}, {-1.7e308, 1.7e308}};
    assert_true(memx_r2(opposite, COUNT(opposite), &r2));
    assert_near(r2, -3, 1e-14);
}

static void insert(memx_ordered *set, double value) {
    if (memx_ordered_full(set)) {
        uint32_t capacity = set->capacity == 0 ? 2 : 2 * set->capacity;
        void *nodes = realloc(set->nodes, capacity * sizeof *set->nodes);
        assert_non_null(nodes);
        memx_ordered_use(set, nodes, capacity);
    }
    memx_ordered_insert(set, value);
}

/* Checks sizes, order and balance of a subtree; returns its height. */
static int check_tree(const memx_ordered_node *nodes, uint32_t node, double low, double high) {
    if (node == 0) {
        return 0;
    }
    const memx_ordered_node *top = &nodes[node];
    uint32_t lesser = nodes[top->child[0]].size;
    uint32_t greater = nodes[top->child[1]].size;
    assert_true(low <= top->value && top->value <= high);
    assert_int_equal(top->size, lesser + greater + 1);
    assert_true(lesser + 1 <= 3 * (greater + 1) && greater + 1 <= 3 * (lesser + 1));
    int left = check_tree(nodes, top->child[0], low, top->value);
    int right = check_tree(nodes, top->child[1], top->value, high);
    return 1 + (left > right ? left : right);
}

static void ordered_empty(void **state) {
    (void)state;
    memx_ordered set = {0};
    double median = 42;
    assert_true(memx_ordered_full(&set));
    assert_false(memx_ordered_median(&set, &median));
    assert_false(memx_ordered_remove(&set, 1));
    insert(&set, 1);
    assert_false(memx_ordered_remove(&set, 2));
    assert_true(memx_ordered_remove(&set, 1));
    assert_false(memx_ordered_remove(&set, 1));
    assert_false(memx_ordered_median(&set, &median));
    assert_same(median, 42);
    insert(&set, 5);
    assert_true(memx_ordered_median(&set, &median));
    assert_same(median, 5);
    free(set.nodes);
}

/* A window slides over rising, falling, constant and random values. */
static void ordered_slides(void **state) {
    (void)state;
    enum { N = 1500, WIDTH = 97, PATTERNS = 5 };
    double *values = allocate(N, sizeof *values);
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        uint64_t seed = 7;
        memx_ordered set = {0};
        for (size_t i = 0; i < N; i++) {
            const double shapes[PATTERNS] = {(double)i, -(double)i, 3, (double)(i % 7),
                                             (double)(next_random(&seed) % 1000)};
            values[i] = shapes[pattern];
            insert(&set, values[i]);
            size_t n = i + 1;
            if (n > WIDTH) {
                assert_true(memx_ordered_remove(&set, values[i - WIDTH]));
                n = WIDTH;
            }
            double median = NAN;
            assert_true(memx_ordered_median(&set, &median));
            assert_same(median, median_by_sorting(&values[i + 1 - n], n));
            (void)check_tree(set.nodes, set.root, -INFINITY, INFINITY);
        }
        /* Nodes of removed values are used again. */
        assert_true(set.used <= WIDTH + 2);
        free(set.nodes);
    }
    free(values);
}

/* Values come and go at random, in no order of age; the height stays logarithmic. */
static void ordered_comes_and_goes(void **state) {
    (void)state;
    enum { STEPS = 6000, MOST = 600, VALUES = 200, HEIGHT = 24 };
    double held[MOST];
    size_t n = 0;
    uint64_t seed = 11;
    memx_ordered set = {0};
    for (int step = 0; step < STEPS; step++) {
        bool grows = step / MOST % 2 == 0;
        if (n < MOST && (n == 0 || (next_random(&seed) % 4 != 0) == grows)) {
            held[n] = (double)(next_random(&seed) % VALUES);
            insert(&set, held[n++]);
        } else {
            size_t i = next_random(&seed) % n;
            assert_true(memx_ordered_remove(&set, held[i]));
            held[i] = held[--n];
        }
        assert_true(check_tree(set.nodes, set.root, -INFINITY, INFINITY) <= HEIGHT);
        assert_int_equal(set.nodes[set.root].size, n);
        double median = NAN;
        assert_int_equal(memx_ordered_median(&set, &median), n > 0);
        if (n > 0) {
            assert_same(median, median_by_sorting(held, n));
        }
    }
    free(set.nodes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(median_small),
        cmocka_unit_test(median_undefined),
        cmocka_unit_test(median_at_the_ends_of_the_range),
        cmocka_unit_test(median_equals_sorting),
        cmocka_unit_test(median_worst_case),
        cmocka_unit_test(mape_by_hand),
        cmocka_unit_test(mape_undefined),
        cmocka_unit_test(mape_at_the_ends_of_the_range),
        cmocka_unit_test(spearman_by_hand),
        cmocka_unit_test(spearman_undefined),
        cmocka_unit_test(spearman_equals_counting),
        cmocka_unit_test(r2_by_hand),
        cmocka_unit_test(r2_undefined),
        cmocka_unit_test(r2_at_the_ends_of_the_range),
        cmocka_unit_test(ordered_empty),
        cmocka_unit_test(ordered_slides),
        cmocka_unit_test(ordered_comes_and_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
