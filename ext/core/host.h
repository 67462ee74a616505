/*
** The host beside a node's devices: what it holds and how fast it moves and updates what was offloaded to
** it. What a node does not say is assumed here, once for all that uses it.
*/
#ifndef MEMX_CORE_HOST_H
#define MEMX_CORE_HOST_H

#include "core/job.h"

/* MiB that the host has: as given, else twice what its devices have. */
double memx_host_mib(const memx_job *job, const memx_node *node);

/* KiB of it that training may use, and one device's part of these. */
int64_t memx_host_usable_kib(const memx_job *job, const memx_node *node);
int64_t memx_host_device_kib(const memx_job *job, const memx_node *node);

/* GB/s of memory that its processors reach: as given, else 150. */
double memx_host_gbs(const memx_node *node);

/* GB/s per direction between one device and its host while all devices of the node do the same; 0: the
** device has no host_gbs. */
double memx_host_link_gbs(const memx_job *job, const memx_node *node);

#endif
