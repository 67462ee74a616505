#include "core/orders.h"

#include "core/placement.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct builder {
    const memx_job *job;
    const memx_poll *poll;
    memx_orders *out;
} builder;

/* Nodes of a type together by ordinal, the types in the given order. */
static void order_nodes(const memx_job *job, const int32_t *types, int32_t *out) {
    int32_t n = 0;
    for (int32_t t = 0; t < job->device_count; t++) {
        for (int32_t i = 0; i < job->node_count; i++) {
            if (job->nodes[i].device == types[t]) out[n++] = i;
        }
    }
}

/* The lexicographically next permutation; false after the last. */
static bool next_permutation(int32_t *items, int32_t count) {
    int32_t i = count - 1;
    /* All `count` are set. NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
    while (i > 0 && items[i - 1] >= items[i]) i--;
    if (i <= 0) return false;
    int32_t j = count - 1;
    while (items[j] <= items[i - 1]) j--;
    int32_t swap = items[i - 1];
    items[i - 1] = items[j];
    items[j] = swap;
    for (int32_t a = i, z = count - 1; a < z; a++, z--) {
        swap = items[a];
        items[a] = items[z];
        items[z] = swap;
    }
    return true;
}

/* Room for `count` orders. */
static memx_status start_orders(builder *b, size_t count) {
    b->out->nodes = calloc(count * (size_t)b->job->node_count, sizeof *b->out->nodes);
    return b->out->nodes ? MEMX_OK : MEMX_NOMEM;
}

static int32_t *next_order(builder *b) {
    return b->out->nodes + b->out->count++ * (size_t)b->job->node_count;
}

/* ---- types ---- */

static double type_figure(const memx_job *job, int32_t type, bool rate) {
    const memx_device *d = &job->devices[type];
    return rate ? memx_reached_tflops(d) : d->memory_mib;
}

/* Types by a figure, ties as given. */
static void sort_types(const memx_job *job, bool rate, bool rising, int32_t *types) {
    for (int32_t t = 0; t < job->device_count; t++) {
        double here = type_figure(job, t, rate);
        int32_t i = t;
        for (; i > 0; i--) {
            double there = type_figure(job, types[i - 1], rate);
            if (rising ? there <= here : there >= here) break;
            types[i] = types[i - 1];
        }
        types[i] = t;
    }
}

/* The last of `count` permutations, unless it is among those before it. */
static bool is_new(const int32_t *all, size_t count, size_t width) {
    const int32_t *last = all + (count - 1) * width;
    for (size_t i = 0; i + 1 < count; i++) {
        if (memcmp(all + i * width, last, width * sizeof *last) == 0) return false;
    }
    return true;
}

/* `all` holds MEMX_NEAR_ORDERS permutations, and one more. */
static void near_permutations(const memx_job *job, int32_t *all) {
    size_t width = (size_t)job->device_count, count = 0;
    for (int seed = 0; seed < 5; seed++) {
        int32_t *types = all + count++ * width;
        for (int32_t t = 0; t < job->device_count; t++) types[t] = t;
        if (seed > 0) sort_types(job, seed > 2, seed % 2 == 0, types);
        count -= !is_new(all, count, width);
    }
    for (size_t from = 0; from < count; from++) {
        for (size_t i = 0; i + 1 < width && count < MEMX_NEAR_ORDERS; i++) {
            int32_t *types = all + count++ * width;
            memcpy(types, all + from * width, width * sizeof *types);
            types[i] = all[from * width + i + 1];
            types[i + 1] = all[from * width + i];
            count -= !is_new(all, count, width);
        }
    }
}

static memx_status near_orders(builder *b) {
    size_t width = (size_t)b->job->device_count;
    int32_t *all = calloc((MEMX_NEAR_ORDERS + 1) * width, sizeof *all);
    memx_status status = all ? start_orders(b, MEMX_NEAR_ORDERS + 1) : MEMX_NOMEM;
    if (!status) near_permutations(b->job, all);
    for (size_t o = 0; o < MEMX_NEAR_ORDERS && !status; o++) {
        order_nodes(b->job, all + o * width, next_order(b));
        if (memx_poll_stop(b->poll)) status = MEMX_INTERRUPTED;
    }
    free(all);
    return status;
}

static memx_status orders_of_types(builder *b) {
    const memx_job *job = b->job;
    b->out->all = 1.0;
    for (int32_t t = 1; t < job->device_count; t++) b->out->all *= (double)t + 1.0;
    if (b->out->all > MEMX_MOST_ORDERS) return near_orders(b);
    int32_t *types = calloc((size_t)job->device_count, sizeof *types);
    memx_status status = types ? start_orders(b, (size_t)b->out->all + 1) : MEMX_NOMEM;
    for (int32_t t = 0; t < job->device_count && !status; t++) types[t] = t;
    while (!status) {
        order_nodes(job, types, next_order(b));
        if (!next_permutation(types, job->device_count)) break;
    }
    free(types);
    return status;
}

/* ---- nodes ---- */

/* n! over the factorials of the numbers of equal nodes. `alike` holds a zero for every node. */
static double count_orders(const memx_job *job, const memx_node_chains *chains, int32_t *alike) {
    double count = 1.0;
    for (int32_t i = 0; i < job->node_count; i++) {
        count *= (double)(i + 1) / (double)++alike[chains->first[i]];
    }
    return floor(count + 0.5);
}

static int compare_int32(const void *left, const void *right) {
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return a < b ? -1 : a > b;
}

/* Each distinct order. `heads`: room for every class's first node without a place. */
static memx_status every_order(builder *b, const memx_node_chains *chains, int32_t *class,
                               int32_t *heads) {
    size_t nodes = (size_t)b->job->node_count;
    memx_status status = start_orders(b, (size_t)b->out->all);
    memcpy(class, chains->first, nodes * sizeof *class);
    qsort(class, nodes, sizeof *class, compare_int32);
    while (!status) {
        int32_t *order = next_order(b);
        memcpy(heads, chains->first, nodes * sizeof *heads);
        for (size_t i = 0; i < nodes; i++) {
            int32_t *head = &heads[class[i]];
            order[i] = *head;
            *head = chains->next[*head];
        }
        if (memx_poll_stop(b->poll)) status = MEMX_INTERRUPTED;
        if (!next_permutation(class, b->job->node_count)) break;
    }
    return status;
}

static void given_order(builder *b) {
    int32_t *order = next_order(b);
    for (int32_t i = 0; i < b->job->node_count; i++) order[i] = i;
}

static memx_status orders_of_nodes(builder *b) {
    size_t nodes = (size_t)b->job->node_count;
    int32_t *class = calloc(nodes, sizeof *class); /* in the present order: a node's first equal */
    int32_t *heads = calloc(nodes, sizeof *heads);
    memx_node_chains chains = {NULL, NULL};
    memx_status status = class && heads ? memx_node_chains_open(b->job, &chains) : MEMX_NOMEM;
    double all = status ? 0.0 : count_orders(b->job, &chains, heads);
    if (!status && all <= MEMX_MOST_ORDERS) {
        b->out->all = all;
        status = every_order(b, &chains, class, heads);
    } else if (!status) {
        status = orders_of_types(b);
        b->out->all = all;
        if (!status) {
            given_order(b);
            b->out->count -= !is_new(b->out->nodes, b->out->count, nodes);
        }
    }
    memx_node_chains_close(&chains);
    free(class);
    free(heads);
    return status;
}

/* ---- the interface ---- */

memx_status memx_orders_open(const memx_job *job, memx_device_order kind, const memx_poll *poll,
                             memx_orders *out) {
    builder b = {job, poll, out};
    memx_status status = MEMX_OK;
    *out = (memx_orders){.all = 1.0};
    switch (kind) {
    case MEMX_ORDER_TYPES: status = orders_of_types(&b); break;
    case MEMX_ORDER_NODES: status = orders_of_nodes(&b); break;
    case MEMX_ORDER_GIVEN:
        status = start_orders(&b, 1);
        if (!status) given_order(&b);
        break;
    }
    if (status) memx_orders_close(out);
    return status;
}

void memx_orders_text(double taken, double all, char out[MEMX_ORDERS_TEXT]) {
    char digits[40] = "more than 10^308";
    if (all < INFINITY) snprintf(digits, sizeof digits, all < 1e15 ? "%.0f" : "%.2g", all);
    snprintf(out, MEMX_ORDERS_TEXT, "%.0f of %s device orders", taken, digits);
}

void memx_orders_close(memx_orders *orders) {
    free(orders->nodes);
    *orders = (memx_orders){.nodes = NULL};
}
