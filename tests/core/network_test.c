/*
** Tests of core/network.h: volumes of ring collectives, whose link is the narrowest, who shares it.
**
** Fixed latencies and the share of a link that transfers reach are the module's own constants: the
** tests look at how times grow with sizes, at what must not change them, and at what was measured.
*/
#include "core/network.h"

#include <math.h>

#include "support/check.h"

static const double MIB = 1048576.0;

/* Share of a link's data sheet that transfers within a node reach. */
static double link_share(void) {
    return MIB / ((memx_hop_intra_ms(2 * MIB, 1.0) - memx_hop_intra_ms(MIB, 1.0)) * 1e6);
}

static double all_reduce_slope(int64_t n, double link_gbs) {
    return (memx_all_reduce_ms(65 * MIB, n, link_gbs) - memx_all_reduce_ms(MIB, n, link_gbs)) /
           (64 * MIB);
}

/* 2 (n - 1) / n of the bytes pass every rank's link. */
static void all_reduce_moves_a_rings_volume(void **state) {
    (void)state;
    double share = link_share();
    assert_true(share > 0.5 && share <= 1.0);
    for (int64_t n = 2; n <= 64; n++) {
        double volume = 2.0 * (double)(n - 1) / (double)n;
        assert_within(all_reduce_slope(n, 300.0), volume / (share * 300e6), 1e-9);
        assert_within(all_reduce_slope(n, 25.0), volume / (share * 25e6), 1e-9);
        assert_true(memx_all_reduce_ms(0.0, n, 300.0) > 0.0);
        assert_true(memx_all_reduce_ms(MIB, n + 1, 300.0) > memx_all_reduce_ms(MIB, n, 300.0));
    }
}

static void one_gpu_sends_nothing(void **state) {
    (void)state;
    assert_same(memx_all_reduce_ms(1e9, 1, 300.0), 0.0);
    memx_sync sync = {.bytes = 1e9,
                      .passes = 2,
                      .replicas = 1,
                      .nodes = 1,
                      .rings = 1,
                      .link_gbs = 300,
                      .inter_gbs = 25,
                      .flow_gbs = 25,
                      .inter_efficiency = 1};
    assert_same(memx_sync_ms(&sync), 0.0);
}

/* NCCL on 2 to 8 A100 of one node (VIA-Research/vTrain): 0.66 to 0.77 of 300 GB/s. */
static void large_all_reduces_reach_measured_bandwidth(void **state) {
    (void)state;
    for (int64_t n = 2; n <= 8; n++) {
        double bytes = 1024 * MIB, ms = memx_all_reduce_ms(bytes, n, 300.0);
        double bus = 2.0 * (double)(n - 1) / (double)n * bytes / (ms * 1e6);
        assert_true(bus > 0.6 * 300.0 && bus < 0.8 * 300.0);
    }
}

static memx_sync sync_of(double bytes, double passes, int64_t replicas, int64_t nodes) {
    return (memx_sync){.bytes = bytes,
                       .passes = passes,
                       .replicas = replicas,
                       .nodes = nodes,
                       .rings = 1,
                       .link_gbs = 300.0,
                       .inter_gbs = 100.0,
                       .flow_gbs = 25.0,
                       .inter_efficiency = 0.8,
                       .latency_us = 20.0};
}

static double sync_slope(memx_sync sync) {
    double small, large;
    sync.bytes = MIB;
    small = memx_sync_ms(&sync);
    sync.bytes = 65 * MIB;
    large = memx_sync_ms(&sync);
    return (large - small) / (64 * MIB);
}

/* ms of that table: the means of its out-of-place and in-place columns. The formula is a line through curves. */
static void all_reduces_take_what_was_measured(void **state) {
    static const struct {
        double mib;
        int64_t n;
        double ms, least, most; /* of predicted / measured */
    } measured[] = {
        {1, 2, 0.0447, 1.0, 1.5},   {1, 4, 0.0521, 1.0, 1.5},   {1, 8, 0.0925, 1.0, 1.5},
        {16, 2, 0.1307, 0.8, 1.1},  {16, 4, 0.1787, 0.9, 1.1},  {16, 8, 0.2317, 0.9, 1.1},
        {64, 2, 0.4044, 0.8, 1.1},  {64, 4, 0.5422, 0.9, 1.1},  {64, 8, 0.5798, 0.9, 1.1},
        {256, 2, 1.4551, 0.8, 1.1}, {256, 4, 1.9284, 0.9, 1.1}, {256, 8, 2.1602, 0.9, 1.1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(measured); i++) {
        double ratio =
            memx_all_reduce_ms(measured[i].mib * MIB, measured[i].n, 300.0) / measured[i].ms;
        assert_true(ratio > measured[i].least && ratio < measured[i].most);
    }
}

static void sync_within_a_node_is_the_same_ring(void **state) {
    (void)state;
    for (int64_t n = 2; n <= 16; n++) {
        memx_sync sync = sync_of(3 * MIB, 2.0, n, 1);
        assert_within(memx_sync_ms(&sync), memx_all_reduce_ms(3 * MIB, n, 300.0), 1e-12);
        /* A reduce-scatter or an all-gather moves half of it. */
        assert_within(sync_slope(sync_of(0.0, 1.0, n, 1)), sync_slope(sync) / 2.0, 1e-9);
        /* The network between nodes plays no part. */
        memx_sync other = sync;
        other.inter_gbs = 1e-3;
        other.flow_gbs = 1e-3;
        other.rings = 7;
        other.latency_us = 1e6;
        assert_same(memx_sync_ms(&other), memx_sync_ms(&sync));
    }
}

static void sync_between_nodes_by_hand(void **state) {
    (void)state;
    /* 4 ranks on 2 nodes, 2 in each: a ring has 2 NICs of 25 GB/s, and the 100 GB/s to itself. */
    memx_sync sync = sync_of(0.0, 2.0, 4, 2);
    assert_within(sync_slope(sync), 2.0 * 3.0 / 4.0 / (0.8 * 50e6), 1e-9);
    /* 4 rings share the 100 GB/s. */
    sync.rings = 4;
    assert_within(sync_slope(sync), 2.0 * 3.0 / 4.0 / (0.8 * 25e6), 1e-9);
    sync.rings = 8;
    assert_within(sync_slope(sync), 2.0 * 3.0 / 4.0 / (0.8 * 12.5e6), 1e-9);
    /* A slow link within the nodes is the narrowest then. */
    sync.link_gbs = 5.0;
    assert_within(sync_slope(sync), 2.0 * 3.0 / 4.0 / (link_share() * 5e6), 1e-9);
    /* One rank a node: one NIC. */
    sync = sync_of(0.0, 1.0, 4, 4);
    assert_within(sync_slope(sync), 3.0 / 4.0 / (0.8 * 25e6), 1e-9);
    /* Each further node is one more hop each way. */
    memx_sync none = sync, some = sync;
    none.latency_us = 0.0;
    assert_within(memx_sync_ms(&some) - memx_sync_ms(&none), 2.0 * 3.0 * 20e-3, 1e-9);
}

static void hops_by_hand(void **state) {
    (void)state;
    /* 4 GPUs send at once: 100 GB/s shared is 25 each, no more than a NIC. */
    assert_within(memx_hop_inter_ms(1e6, 4, 100.0, 50.0, 0.8, 20.0), 0.020 + 1.0 / (0.8 * 25.0),
                  1e-12);
    assert_within(memx_hop_inter_ms(1e6, 1, 100.0, 50.0, 0.8, 20.0), 0.020 + 1.0 / (0.8 * 50.0),
                  1e-12);
    assert_within(memx_hop_inter_ms(0.0, 8, 100.0, 50.0, 0.8, 20.0), 0.020, 1e-12);
    double slope = (memx_hop_intra_ms(9e6, 300.0) - memx_hop_intra_ms(1e6, 300.0)) / 8e6;
    assert_within(slope, 1.0 / (link_share() * 300e6), 1e-9);
}

/* More bytes take longer, a wider way less, company more. */
static void times_are_monotone(void **state) {
    (void)state;
    rng r = rng_start(1);
    for (int i = 0; i < 10000; i++) {
        memx_sync a = {.bytes = rng_real(&r, 0, 1e10),
                       .passes = (double)rng_between(&r, 1, 2),
                       .replicas = rng_between(&r, 2, 64),
                       .nodes = 1,
                       .rings = rng_between(&r, 1, 8),
                       .link_gbs = rng_real(&r, 1, 900),
                       .inter_gbs = rng_real(&r, 1, 400),
                       .flow_gbs = rng_real(&r, 1, 50),
                       .inter_efficiency = rng_real(&r, 0.1, 1),
                       .latency_us = rng_real(&r, 0, 100)};
        a.nodes = rng_between(&r, 1, a.replicas);
        memx_sync b = a;
        switch (rng_between(&r, 0, 6)) {
        case 0: b.bytes *= 1.5; break;
        case 1: b.passes = 2.0; break;
        case 2: b.rings++; break;
        case 3: b.link_gbs /= 1.5; break;
        case 4: b.inter_gbs /= 1.5; break;
        case 5: b.flow_gbs /= 1.5; break;
        default: b.latency_us += 1.0; break;
        }
        double less = memx_sync_ms(&a), more = memx_sync_ms(&b);
        assert_true(isfinite(less) && less > 0.0 && more >= less);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_reduce_moves_a_rings_volume),
        cmocka_unit_test(one_gpu_sends_nothing),
        cmocka_unit_test(large_all_reduces_reach_measured_bandwidth),
        cmocka_unit_test(all_reduces_take_what_was_measured),
        cmocka_unit_test(sync_within_a_node_is_the_same_ring),
        cmocka_unit_test(sync_between_nodes_by_hand),
        cmocka_unit_test(hops_by_hand),
        cmocka_unit_test(times_are_monotone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
