/*
** Recompute levels, with Megatron-LM's meaning:
**
**   none       every activation is kept
**   selective  only the attention core is computed again (--recompute-activations)
**   block<N>   the first N layers of the stage keep only their input (--recompute-method block)
**   uniform<N> all layers, in groups of N that keep one input each (--recompute-method uniform)
**   full       every layer keeps only its input: uniform1
**
** and two that ProTrain has and pipelines have not (MLSys 2026), with the same meaning for a stage:
**
**   swap<N>    the first N layers of the stage move their activations to the host and back
**   LEVEL+offload<X>, or offload<X> for none+offload<X>
**              X % of the optimizer's state live on the host and are updated there
**
** One choice has one spelling: on a stage of l layers block<N >= l> and uniform1 are full, block0 and
** swap0 are none, uniform<N > l> is uniform<l>, swap<N > l> swap<l>. memx_level_canonical gives that
** spelling.
*/
#ifndef MEMX_CORE_LEVEL_H
#define MEMX_CORE_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum memx_level_kind {
    MEMX_NONE,
    MEMX_SELECTIVE,
    MEMX_BLOCK,
    MEMX_UNIFORM,
    MEMX_FULL,
    MEMX_SWAP
} memx_level_kind;

typedef struct memx_level {
    memx_level_kind kind;
    int32_t n;       /* layers of block, uniform and swap, 0 otherwise */
    int32_t offload; /* % of the optimizer's state on the host */
} memx_level;

enum { MEMX_LEVEL_TEXT = 32 }; /* room for the longest text and its NUL */

/* Reads exactly `length` bytes of text. False when they are no level. */
bool memx_level_parse(const char *text, size_t length, memx_level *out);

/* Writes the text and returns its length; `out` holds MEMX_LEVEL_TEXT bytes. */
size_t memx_level_format(memx_level level, char *out);

memx_level memx_level_canonical(memx_level level, int64_t layers);

/* Orders levels: by what is offloaded, by kind as listed above, then by N. Negative, zero, positive. */
int memx_level_compare(memx_level a, memx_level b);

/* How many of a stage's layers run their forward pass twice. */
int64_t memx_level_recomputed_layers(memx_level level, int64_t layers);

/* Whether it needs the host. */
bool memx_level_uses_host(memx_level level);

#endif
