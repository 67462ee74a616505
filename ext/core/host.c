#include "core/host.h"

#include <math.h>

/* Of a host's memory: the system, loaders, page cache (ours). */
static const double RESERVE = 0.05;
/* Twice that of its devices, what systems are commonly sold with (ours). */
static const double MEMORY_SHARE = 2.0;
/* CPU Adam: about 2.5 s for 10 B parameters on a server of two Xeons (ZeRO-Offload, arXiv:2101.06840), at 36
** bytes of traffic a parameter. */
static const double MEMORY_GBS = 150.0;

double memx_host_mib(const memx_job *job, const memx_node *node) {
    if (node->host_memory_mib > 0.0) return node->host_memory_mib;
    return MEMORY_SHARE * job->devices[node->device].memory_mib * (double)node->gpus;
}

int64_t memx_host_usable_kib(const memx_job *job, const memx_node *node) {
    return (int64_t)floor(memx_host_mib(job, node) * 1024.0 * (1.0 - RESERVE));
}

int64_t memx_host_device_kib(const memx_job *job, const memx_node *node) {
    return memx_host_usable_kib(job, node) / node->gpus;
}

double memx_host_gbs(const memx_node *node) {
    return node->host_memory_gbs > 0.0 ? node->host_memory_gbs : MEMORY_GBS;
}

double memx_host_link_gbs(const memx_job *job, const memx_node *node) {
    const memx_device *d = &job->devices[node->device];
    if (!(d->host_gbs > 0.0)) return 0.0; /* not known */
    return fmin(d->host_gbs * d->host_efficiency, memx_host_gbs(node) / (double)node->gpus);
}
