/*
** How long transfers take: collectives inside a node and between nodes, and the hop of activations
** from one pipeline stage to the next. Times are milliseconds, sizes bytes, rates 1e9 bytes/s.
**
** Ring costs: an all-reduce of S bytes over n ranks moves 2 (n-1)/n S through every rank's link,
** a reduce-scatter or all-gather half of it.
*/
#ifndef MEMX_CORE_NETWORK_H
#define MEMX_CORE_NETWORK_H

#include <stdint.h>

/* All-reduce over n GPUs of one node. */
double memx_all_reduce_ms(double bytes, int64_t n, double link_gbs);

/* All-to-all of `bytes` of every one of n GPUs, (n-1)/n of which leave it, at what one GPU reaches. */
double memx_all_to_all_ms(double bytes, int64_t n, double reached_gbs);

/* One message to the next rank of a ring, at what one GPU reaches. */
double memx_ring_step_ms(double bytes, double reached_gbs);

/* What one GPU's transfers reach within a node, and to other nodes where `flows` GPUs of its node send at
** once. */
double memx_reached_intra_gbs(double link_gbs);
double memx_reached_inter_gbs(int64_t flows, double inter_gbs, double flow_gbs,
                              double inter_efficiency);

/* One replica group's gradient sync. */
typedef struct memx_sync {
    double bytes;     /* that one ring pass moves: the size of an all-gather's result */
    double passes;    /* all-reduce 2, reduce-scatter or all-gather 1 each */
    int64_t replicas; /* ranks in the ring */
    int64_t nodes;    /* that the ring touches */
    int64_t rings;    /* rings that share a node's network at once: one per tensor rank */
    double link_gbs;  /* least link on the way, within nodes */
    double inter_gbs; /* least node total on the way */
    double flow_gbs;  /* one GPU's most; a ring uses the NICs of all its GPUs in a node */
    double inter_efficiency;
    double latency_us;
} memx_sync;

double memx_sync_ms(const memx_sync *sync);

/* One message from every one of `flows` GPUs of a node to another node, all at once. */
double memx_hop_inter_ms(double bytes, int64_t flows, double inter_gbs, double flow_gbs,
                         double inter_efficiency, double latency_us);

/* One message between two GPUs of a node. */
double memx_hop_intra_ms(double bytes, double link_gbs);

#endif
