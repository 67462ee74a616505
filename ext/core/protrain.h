/*
** ProTrain (arXiv:2406.08334): data parallelism whose memory four numbers decide. Equations 2 to 11 are
** read from a reimplementation (axolotl, src/axolotl/integrations/protrain); what is ours, not the
** paper's, says so.
**
** Parameters lie in chunks (protrain_chunks.h), activations in blocks (protrain_block.h).
**   n_persist     the first chunks stay on the GPU: parameters whole, gradients and optimizer state divided
**                 over data parallelism, as in ZeRO-2 (ours). All others live on the host, divided over the
**                 GPUs, and are updated there.
**   n_buffer      chunks that come and go share so many buffers. One is in use while the next one comes, so
**                 there are two at least, if there are two such chunks (ours). The last ones of the forward
**                 pass are still there in backward.
**   n_swap        the first blocks move their activations to the host, at most as many as a block has
**                 operators (N_interval).
**   n_checkpoint  so many of the others keep only their input, spread evenly, a block that keeps
**                 everything last (3.1.2).
**
** Time (eq. 2), with `steps` micro batches an iteration (more than one: ours):
**   T = steps T_fwd + (steps - 1) T_bwd + max(T_bwd + T_gpu_opt, T_cpu_opt) + the cluster's overhead
**   T_fwd = sum over chunks of max(C, comm)                                               (eqs. 3, 4)
**     comm = swap                        where the chunk persists
**          = gather + S / h2d + swap     elsewhere
**   T_bwd = sum over chunks of max(C' + recomputing, comm')                               (eqs. 5 to 7)
**     comm' = reduce + swap              where it persists
**           = reduce + S / d2h + swap    in a buffer
**           = the same + gather + S / h2d elsewhere
** C: the blocks' time in proportion to their parameters in the chunk. S / h2d: each GPU moves its own
** share, S / dp, and a gather over the network makes the chunk whole. swap: activations of the chunk's
** blocks, d2h in forward, h2d in backward. While it runs a prefetch gets 1 / (1 + SWAP_CONTENTION) of
** the link: the chunks of the block after a swapped one, in order of the pass. A tied head uses the
** token table once more: its chunks come again in forward unless they persist, and are still there when
** backward begins (ours).
**
** Memory (eqs. 8 to 11):
**   peak = context + FRAGMENTATION (n_persist P + n_buffer S + gradients + activations)
** P: what a persistent chunk holds; gradients: chunks being reduced. Activations: the walk over the
** blocks, forward, head, and backward, each with what its operators need on top. Since swapping
** overlaps computing, a swapped block's activations are on the card while its neighbour runs, too:
** still leaving beside the next one in forward, already arriving beside it in backward. The host of a
** node holds the rest of the model state and the swapped activations; a reserve of it (host.c) stays free.
**
** Times are whole nanoseconds and memory whole KiB, so that equal is equal on every machine.
*/
#ifndef MEMX_CORE_PROTRAIN_H
#define MEMX_CORE_PROTRAIN_H

#include "core/job.h"
#include "core/protrain_block.h"
#include "core/protrain_chunks.h"
#include "core/space.h"

#include <stdbool.h>
#include <stdint.h>

enum { MEMX_MOST_BLOCKS = 1024 };

typedef enum memx_block_mode {
    MEMX_BLOCK_SWAP,
    MEMX_BLOCK_CHECKPOINT,
    MEMX_BLOCK_NONE
} memx_block_mode;

/* What depends on the micro batch. */
typedef struct memx_protrain_batch {
    int64_t micro_batch, steps;
    memx_block block;
    bool profiled;                   /* operators are measured ones */
    bool scaled;                     /* measured at another micro batch */
    int64_t swap_out_ns, swap_in_ns; /* of one block */
    int64_t head_forward_ns, head_backward_ns;
    int64_t fixed_forward_ns, fixed_backward_ns;
    int64_t head_kib, hooked_head_kib; /* logits and what stands before them */
} memx_protrain_batch;

/* Of the nodes with so many GPUs, the one with the least memory: the first to be full. */
typedef struct memx_protrain_host {
    int64_t gpus, memory_kib, usable_kib, ordinal;
} memx_protrain_host;

typedef struct memx_protrain {
    const memx_job *job;
    memx_chunks chunks;
    int32_t blocks;
    memx_protrain_batch *batches; /* by micro batch, ascending */
    int32_t batch_count;
    memx_protrain_host *hosts;
    int32_t host_count;
    int64_t fetch_gather_ns, fetch_copy_ns; /* of one chunk */
    int64_t reduce_ns, offload_ns;
    int64_t *gpu_update_ns; /* [n]: of the first n chunks, gathering their parameters included */
    int64_t *cpu_update_ns; /* [n]: of the others, on the slowest node */
    int64_t persist_kib, buffer_kib, gradient_kib; /* of one chunk; of all that are being reduced */
    int64_t host_kib;                              /* of one chunk on all hosts together */
    int64_t usable_kib, card_kib, context_kib;
} memx_protrain;

typedef struct memx_protrain_choice {
    int32_t batch; /* number in batches */
    int32_t swap, checkpoint, persist, buffer;
} memx_protrain_choice;

/* Times of an iteration. */
typedef struct memx_protrain_time {
    int64_t iteration_ns;
    int64_t forward_ns, backward_ns; /* of all micro batches */
    int64_t exposed_ns;              /* of these, what computing does not cover */
    int64_t gpu_optimizer_ns, cpu_optimizer_ns;
} memx_protrain_time;

/* A choice of swap and checkpoint: its activations' peak, and from how many to how many chunks may persist.
** least > most: nothing fits. */
typedef struct memx_protrain_pair {
    int32_t batch, swap, checkpoint;
    int64_t activation_kib, room_kib; /* room: for chunks */
    int32_t host_least;               /* fewer do not fit the host; count + 1: none does */
    int32_t gpu_most;                 /* more do not fit the card; -1: none does */
} memx_protrain_pair;

/* Running sums over chunks under one pair; all have count + 1 entries. */
typedef struct memx_protrain_sums {
    int64_t *memory;                                            /* owns the five */
    int64_t *forward_persist, *forward_fetch;                   /* [n]: chunks below n; from n on */
    int64_t *backward_persist, *backward_fetch, *backward_kept; /* below n; below n; from n on */
    int64_t computing_ns[2]; /* forward and backward, without transfers */
} memx_protrain_sums;

/* Reads nothing but its arguments; keeps the pointer to the job. `micro_batches`: those allowed, none for all
** that divide. `profiles`: measured operators, by micro batch ascending. Close it in any case. MEMX_INVALID:
** the job is none for ProTrain; the message says why. */
memx_status memx_protrain_open(const memx_job *job, const memx_values *micro_batches,
                               const memx_operator_list *profiles, int32_t profile_count,
                               memx_protrain *out, memx_error *error);
void memx_protrain_close(memx_protrain *protrain);

memx_block_mode memx_protrain_mode(int32_t blocks, int32_t swap, int32_t checkpoint, int32_t block);
/* The most blocks that may be swapped beside so many checkpointed ones. */
int32_t memx_protrain_most_swap(const memx_protrain *protrain, int32_t batch, int32_t checkpoint);
/* The fewest buffers beside so many persistent chunks, and the most that the pair's room has. */
int32_t memx_protrain_least_buffer(const memx_protrain *protrain, int32_t persist);
int32_t memx_protrain_most_buffer(const memx_protrain *protrain, const memx_protrain_pair *pair,
                                  int32_t persist);

/* Eqs. 8 to 10: the peak of activations; hooked: as hooks around operators would see it. */
int64_t memx_protrain_activations_kib(const memx_protrain *protrain, int32_t batch, int32_t swap,
                                      int32_t checkpoint, bool hooked);
/* Eq. 11. */
int64_t memx_protrain_gpu_kib(const memx_protrain *protrain, int64_t activation_kib,
                              int32_t persist, int32_t buffer);
/* Of a node's host; the node with the least share left is the one that counts. */
int64_t memx_protrain_host_kib(const memx_protrain *protrain, const memx_protrain_host *host,
                               const memx_protrain_choice *choice);
const memx_protrain_host *memx_protrain_tightest(const memx_protrain *protrain,
                                                 const memx_protrain_choice *choice);

void memx_protrain_pair_at(const memx_protrain *protrain, int32_t batch, int32_t swap,
                           int32_t checkpoint, memx_protrain_pair *out);

/* The same with less of the card. */
void memx_protrain_pair_narrow(const memx_protrain *protrain, int64_t usable_kib,
                               memx_protrain_pair *pair);
/* What may lie on a card before fragmentation, where its peak may be so much; -1: nothing. */
int64_t memx_protrain_raw_kib(const memx_protrain *protrain, int64_t gpu_kib);

/* `sums` may hold those of another pair of the same search; zeroed at first. Free them. */
memx_status memx_protrain_sum(const memx_protrain *protrain, const memx_protrain_pair *pair,
                              memx_protrain_sums *sums);
void memx_protrain_sums_free(memx_protrain_sums *sums);

/* No row of the pair is faster: forward and backward as if `most` chunks persisted and all others had a
** buffer, the optimizers at their own best. */
int64_t memx_protrain_bound_ns(const memx_protrain *protrain, const memx_protrain_pair *pair,
                               const memx_protrain_sums *sums);
void memx_protrain_time_at(const memx_protrain *protrain, const memx_protrain_pair *pair,
                           const memx_protrain_sums *sums, int32_t persist, int32_t buffer,
                           memx_protrain_time *out);

/* A block of a choice. Times are of all micro batches, forward and backward. Of a chunk that it shares its
** part counts. */
typedef struct memx_protrain_block {
    memx_block_mode mode;
    int32_t first_chunk, last_chunk;
    double parameters;
    int64_t kept_kib, swapped_kib, recomputed_kib; /* of one micro batch */
    int64_t computing_ns, moving_ns;
} memx_protrain_block;

void memx_protrain_block_at(const memx_protrain *protrain, const memx_protrain_choice *choice,
                            int32_t block, memx_protrain_block *out);

enum { MEMX_PROTRAIN_TEXT = 128 };
/* "mb4.chunk64.persist12.buffer3.swap0.ckpt8" */
void memx_protrain_format(const memx_protrain *protrain, const memx_protrain_choice *choice,
                          char out[MEMX_PROTRAIN_TEXT]);
/* Reads it. MEMX_INVALID: no such text, or numbers that the job does not have; fitting is not asked. */
memx_status memx_protrain_parse(const memx_protrain *protrain, const char *text,
                                memx_protrain_choice *out, memx_error *error);

#endif
