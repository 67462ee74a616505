#include "core/network.h"

#include "core/whole.h"

/* Set by hand to measured NCCL all-reduces of 2 to 8 A100 (VIA-Research/vTrain, all-reduce table), whose bus
** bandwidth settles at 0.66 to 0.77 of the 300 GB/s link. From 16 MiB on, as training sends, this is 9 to 17 %
** too fast on 2 GPUs and within 7 % on 4 and 8; at 1 MiB, where latency is all, 17 to 48 % too slow. */
static const double LINK_EFFICIENCY = 0.77;
static const double COLLECTIVE_BASE_MS = 0.040;
static const double COLLECTIVE_RANK_MS = 0.0075;

static double transfer_ms(double bytes, double gbs) {
    return bytes / (gbs * 1e6);
}

static double collective_latency_ms(int64_t n) {
    return COLLECTIVE_BASE_MS + COLLECTIVE_RANK_MS * (double)n;
}

double memx_all_reduce_ms(double bytes, int64_t n, double link_gbs) {
    if (n < 2) return 0.0;
    double volume = 2.0 * (double)(n - 1) / (double)n * bytes;
    return collective_latency_ms(n) + transfer_ms(volume, memx_reached_intra_gbs(link_gbs));
}

double memx_all_to_all_ms(double bytes, int64_t n, double reached_gbs) {
    if (n < 2) return 0.0;
    return collective_latency_ms(n) + transfer_ms((double)(n - 1) / (double)n * bytes, reached_gbs);
}

double memx_ring_step_ms(double bytes, double reached_gbs) {
    return COLLECTIVE_BASE_MS + transfer_ms(bytes, reached_gbs);
}

double memx_reached_intra_gbs(double link_gbs) {
    return LINK_EFFICIENCY * link_gbs;
}

double memx_reached_inter_gbs(int64_t flows, double inter_gbs, double flow_gbs,
                              double inter_efficiency) {
    return inter_efficiency * memx_lesser(inter_gbs / (double)flows, flow_gbs);
}

double memx_sync_ms(const memx_sync *sync) {
    if (sync->replicas < 2) return 0.0;
    double n = (double)sync->replicas;
    double volume = sync->passes * (n - 1.0) / n * sync->bytes;
    double rate = memx_reached_intra_gbs(sync->link_gbs);
    double latency = collective_latency_ms(sync->replicas);
    if (sync->nodes > 1) {
        double local = n / (double)sync->nodes;
        double ring = memx_lesser(sync->inter_gbs / (double)sync->rings, sync->flow_gbs * local);
        rate = memx_lesser(rate, sync->inter_efficiency * ring);
        latency += 2.0 * (double)(sync->nodes - 1) * sync->latency_us * 1e-3;
    }
    return latency + transfer_ms(volume, rate);
}

double memx_hop_inter_ms(double bytes, int64_t flows, double inter_gbs, double flow_gbs,
                         double inter_efficiency, double latency_us) {
    return latency_us * 1e-3 +
           transfer_ms(bytes, memx_reached_inter_gbs(flows, inter_gbs, flow_gbs, inter_efficiency));
}

double memx_hop_intra_ms(double bytes, double link_gbs) {
    return memx_ring_step_ms(bytes, memx_reached_intra_gbs(link_gbs));
}
