/*
** Statistics of measured against predicted values, and medians. stats.h states the contracts.
**
** median    quickselect; sorts what is left when the pivots turn out badly, so that no input
**           costs more than O(n log n).
** spearman  sorts by each side in turn and replaces the values by their ranks, then correlates.
** r2        scales all values by one power of two, which is exact, so that squares stay in range,
**           and takes deviations from the first value, so that close values keep their digits.
** ordered   a weight-balanced tree: each node knows the size of its subtree, which both keeps
**           the tree balanced and finds the k-th value.
*/
#include "core/stats.h"

#include <math.h>
#include <stdlib.h>

/* Ranges this short are sorted, since choosing pivots no longer pays. */
enum { SELECT_SORTED = 16 };

/* A subtree may weigh at most BALANCE_RATIO times its sibling; a double rotation is due when the
** inner grandchild weighs ROTATE_RATIO times the outer one. A weight is the size plus 1. These are
** the only whole numbers that keep the tree balanced under inserts and removals: Hirai and
** Yamamoto, Balancing weight-balanced trees, Journal of Functional Programming 21(3), 2011. */
enum { BALANCE_RATIO = 3, ROTATE_RATIO = 2 };

static int compare_doubles(double a, double b) {
    return (a > b) - (a < b);
}

static int compare_values(const void *a, const void *b) {
    return compare_doubles(*(const double *)a, *(const double *)b);
}

static int compare_measured(const void *a, const void *b) {
    const memx_pair *left = a;
    const memx_pair *right = b;
    return compare_doubles(left->measured, right->measured);
}

static int compare_predicted(const void *a, const void *b) {
    const memx_pair *left = a;
    const memx_pair *right = b;
    return compare_doubles(left->predicted, right->predicted);
}

static bool pairs_are_finite(const memx_pair *pairs, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(pairs[i].measured) || !isfinite(pairs[i].predicted)) {
            return false;
        }
    }
    return true;
}

/* Mean of two finite values. Halving first would lose a bit of the very smallest, so that is left
** for sums that overflow. */
static double midpoint(double a, double b) {
    double sum = a + b;
    return isfinite(sum) ? sum / 2 : a / 2 + b / 2;
}

static double median_of_three(double a, double b, double c) {
    if (a > b) {
        double swap = a;
        a = b;
        b = swap;
    }
    return c <= a ? a : c >= b ? b : c;
}

/* Returns the value of rank k (from 0), and leaves no greater value before it. */
static double select_rank(double *values, size_t n, size_t k) {
    ptrdiff_t first = 0;
    ptrdiff_t last = (ptrdiff_t)n - 1;
    ptrdiff_t rank = (ptrdiff_t)k;
    int rounds = 0;
    for (size_t left = n; left > 0; left /= 2) {
        rounds += 2;
    }
    while (last - first >= SELECT_SORTED && rounds-- > 0) {
        double pivot =
            median_of_three(values[first], values[first + (last - first) / 2], values[last]);
        ptrdiff_t i = first;
        ptrdiff_t j = last;
        while (i <= j) {
            while (values[i] < pivot) {
                i++;
            }
            while (values[j] > pivot) {
                j--;
            }
            if (i <= j) {
                double swap = values[i];
                values[i++] = values[j];
                values[j--] = swap;
            }
        }
        if (rank <= j) {
            last = j;
        } else if (rank >= i) {
            first = i;
        } else {
            return values[rank];
        }
    }
    qsort(values + first, (size_t)(last - first + 1), sizeof *values, compare_values);
    return values[rank];
}

bool memx_median(double *values, size_t n, double *median) {
    if (n == 0) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    double upper = select_rank(values, n, n / 2);
    if (n % 2 == 1) {
        *median = upper;
        return true;
    }
    double lower = values[0];
    for (size_t i = 1; i < n / 2; i++) {
        if (values[i] > lower) {
            lower = values[i];
        }
    }
    *median = midpoint(lower, upper);
    return true;
}

bool memx_mape(const memx_pair *pairs, size_t n, double *percent) {
    if (n == 0 || !pairs_are_finite(pairs, n)) {
        return false;
    }
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double measured = pairs[i].measured;
        if (measured == 0) {
            return false;
        }
        /* The difference keeps more digits of a small error; the quotient cannot overflow where
        ** only the difference does. */
        double difference = pairs[i].predicted - measured;
        sum +=
            fabs(isfinite(difference) ? difference / measured : pairs[i].predicted / measured - 1);
    }
    *percent = 100 * (sum / (double)n);
    return true;
}

/* The end of the run of equal values that starts at first in pairs sorted by that side. */
static size_t run_end(const memx_pair *pairs, size_t n, size_t first,
                      int (*compare)(const void *, const void *)) {
    size_t end = first + 1;
    while (end < n && compare(&pairs[first], &pairs[end]) == 0) {
        end++;
    }
    return end;
}

bool memx_spearman(memx_pair *pairs, size_t n, double *rho) {
    if (n < 2 || !pairs_are_finite(pairs, n)) {
        return false;
    }
    /* Ranks are counted from the middle one, so that their mean is 0. They are multiples of 1/2,
    ** and all sums below are exact up to some hundred thousand rows. */
    double middle = (double)(n - 1) / 2;
    qsort(pairs, n, sizeof *pairs, compare_measured);
    for (size_t first = 0, end; first < n; first = end) {
        end = run_end(pairs, n, first, compare_measured);
        double rank = ((double)first + (double)(end - 1)) / 2 - middle;
        for (size_t i = first; i < end; i++) {
            pairs[i].measured = rank;
        }
    }
    qsort(pairs, n, sizeof *pairs, compare_predicted);
    for (size_t first = 0, end; first < n; first = end) {
        end = run_end(pairs, n, first, compare_predicted);
        double rank = ((double)first + (double)(end - 1)) / 2 - middle;
        for (size_t i = first; i < end; i++) {
            pairs[i].predicted = rank;
        }
    }
    double both = 0;
    double measured = 0;
    double predicted = 0;
    for (size_t i = 0; i < n; i++) {
        both += pairs[i].measured * pairs[i].predicted;
        measured += pairs[i].measured * pairs[i].measured;
        predicted += pairs[i].predicted * pairs[i].predicted;
    }
    if (measured == 0 || predicted == 0) {
        return false;
    }
    /* One root of the product, not two: it gives exactly 1 for equal rankings. */
    *rho = fmax(-1, fmin(1, both / sqrt(measured * predicted)));
    return true;
}

bool memx_r2(const memx_pair *pairs, size_t n, double *r2) {
    if (n < 2 || !pairs_are_finite(pairs, n)) {
        return false;
    }
    bool varies = false;
    double greatest = 0;
    for (size_t i = 0; i < n; i++) {
        varies = varies || pairs[i].measured != pairs[0].measured;
        greatest = fmax(greatest, fmax(fabs(pairs[i].measured), fabs(pairs[i].predicted)));
    }
    if (!varies) {
        return false;
    }
    int exponent = 0;
    (void)frexp(greatest, &exponent);
    double origin = ldexp(pairs[0].measured, -exponent);
    double mean = 0; /* of measured, counted from origin */
    for (size_t i = 0; i < n; i++) {
        mean += ldexp(pairs[i].measured, -exponent) - origin;
    }
    mean /= (double)n;
    double residual = 0;
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        double measured = ldexp(pairs[i].measured, -exponent);
        double error = ldexp(pairs[i].predicted, -exponent) - measured;
        double deviation = measured - origin - mean;
        residual += error * error;
        total += deviation * deviation;
    }
    /* total underflows to 0 only where predicted is beyond measured by a factor of 10^150 or
    ** more; then the quotient is an infinity, as it should be. */
    *r2 = 1 - residual / total;
    return true;
}

static uint64_t weight(const memx_ordered_node *nodes, uint32_t node) {
    return (uint64_t)nodes[node].size + 1;
}

static void resize(memx_ordered_node *nodes, uint32_t node) {
    nodes[node].size = nodes[nodes[node].child[0]].size + nodes[nodes[node].child[1]].size + 1;
}

/* Lifts the child on that side above node; returns the child. */
static uint32_t rotate(memx_ordered_node *nodes, uint32_t node, int side) {
    uint32_t top = nodes[node].child[side];
    nodes[node].child[side] = nodes[top].child[!side];
    nodes[top].child[!side] = node;
    resize(nodes, node);
    resize(nodes, top);
    return top;
}

/* Restores size and balance at node after a change by one below it; returns the new top. */
static uint32_t rebalance(memx_ordered_node *nodes, uint32_t node) {
    resize(nodes, node);
    for (int side = 0; side < 2; side++) {
        uint32_t heavy = nodes[node].child[side];
        uint32_t light = nodes[node].child[!side];
        if (weight(nodes, heavy) <= BALANCE_RATIO * weight(nodes, light)) {
            continue;
        }
        uint64_t inner = weight(nodes, nodes[heavy].child[!side]);
        uint64_t outer = weight(nodes, nodes[heavy].child[side]);
        if (inner >= ROTATE_RATIO * outer) {
            nodes[node].child[side] = rotate(nodes, heavy, !side);
        }
        return rotate(nodes, node, side);
    }
    return node;
}

/* The tree is balanced: with 2^32 nodes, none of the following goes deeper than 80 calls.
** NOLINTBEGIN(misc-no-recursion) */

static uint32_t insert_below(memx_ordered_node *nodes, uint32_t top, uint32_t fresh) {
    if (top == 0) {
        return fresh;
    }
    int side = nodes[fresh].value >= nodes[top].value;
    nodes[top].child[side] = insert_below(nodes, nodes[top].child[side], fresh);
    return rebalance(nodes, top);
}

/* Takes the least node out of a tree that is not empty. */
static uint32_t remove_least(memx_ordered_node *nodes, uint32_t top, uint32_t *least) {
    if (nodes[top].child[0] == 0) {
        *least = top;
        return nodes[top].child[1];
    }
    nodes[top].child[0] = remove_least(nodes, nodes[top].child[0], least);
    return rebalance(nodes, top);
}

/* Takes a node of that value out of the tree; *removed stays 0 when there is none. */
static uint32_t remove_below(memx_ordered_node *nodes, uint32_t top, double value,
                             uint32_t *removed) {
    if (top == 0) {
        return 0;
    }
    uint32_t lesser = nodes[top].child[0];
    uint32_t greater = nodes[top].child[1];
    if (value < nodes[top].value) {
        nodes[top].child[0] = remove_below(nodes, lesser, value, removed);
        return rebalance(nodes, top);
    }
    if (value > nodes[top].value) {
        nodes[top].child[1] = remove_below(nodes, greater, value, removed);
        return rebalance(nodes, top);
    }
    *removed = top;
    if (lesser == 0 || greater == 0) {
        return lesser == 0 ? greater : lesser;
    }
    uint32_t next = 0;
    greater = remove_least(nodes, greater, &next);
    nodes[next].child[0] = lesser;
    nodes[next].child[1] = greater;
    return rebalance(nodes, next);
}
/* NOLINTEND(misc-no-recursion) */

static double value_of_rank(const memx_ordered *set, uint32_t rank) {
    const memx_ordered_node *nodes = set->nodes;
    uint32_t node = set->root;
    for (;;) {
        uint32_t lesser = nodes[nodes[node].child[0]].size;
        if (rank == lesser) {
            return nodes[node].value;
        }
        if (rank < lesser) {
            node = nodes[node].child[0];
        } else {
            rank -= lesser + 1;
            node = nodes[node].child[1];
        }
    }
}

bool memx_ordered_full(const memx_ordered *set) {
    return set->spare == 0 && set->used >= set->capacity;
}

void memx_ordered_use(memx_ordered *set, memx_ordered_node *nodes, uint32_t capacity) {
    set->nodes = nodes;
    set->capacity = capacity;
    if (set->used == 0) {
        nodes[0] = (memx_ordered_node){0};
        set->used = 1;
    }
}

void memx_ordered_insert(memx_ordered *set, double value) {
    uint32_t fresh = set->spare;
    if (fresh != 0) {
        set->spare = set->nodes[fresh].child[0];
    } else {
        fresh = set->used++;
    }
    set->nodes[fresh] = (memx_ordered_node){.value = value, .size = 1};
    set->root = insert_below(set->nodes, set->root, fresh);
}

bool memx_ordered_remove(memx_ordered *set, double value) {
    uint32_t removed = 0;
    if (set->root != 0) {
        set->root = remove_below(set->nodes, set->root, value, &removed);
    }
    if (removed == 0) {
        return false;
    }
    set->nodes[removed].child[0] = set->spare;
    set->spare = removed;
    return true;
}

bool memx_ordered_median(const memx_ordered *set, double *median) {
    if (set->root == 0) {
        return false;
    }
    uint32_t n = set->nodes[set->root].size;
    *median = midpoint(value_of_rank(set, (n - 1) / 2), value_of_rank(set, n / 2));
    return true;
}
