/*
** Recompute levels, with Megatron-LM's meaning:
**
**   none       every activation is kept
**   selective  only the attention core is computed again (--recompute-activations)
**   block<N>   the first N layers of the stage keep only their input (--recompute-method block)
**   uniform<N> all layers, in groups of N that keep one input each (--recompute-method uniform)
**   full       every layer keeps only its input: uniform1
**
** One choice has one spelling: on a stage of l layers block<N >= l> and uniform1 are full, block0
** is none, uniform<N > l> is uniform<l>. memx_level_canonical gives that spelling.
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
    MEMX_FULL
} memx_level_kind;

typedef struct memx_level {
    memx_level_kind kind;
    int32_t n; /* layers of block and uniform, 0 otherwise */
} memx_level;

enum { MEMX_LEVEL_TEXT = 24 }; /* room for the longest text and its NUL */

/* Reads exactly `length` bytes of text. False when they are no level. */
bool memx_level_parse(const char *text, size_t length, memx_level *out);

/* Writes the text and returns its length; `out` holds MEMX_LEVEL_TEXT bytes. */
size_t memx_level_format(memx_level level, char *out);

memx_level memx_level_canonical(memx_level level, int64_t layers);

/* Orders levels: by kind as listed above, then by N. Negative, zero, positive. */
int memx_level_compare(memx_level a, memx_level b);

/* How many of a stage's layers run their forward pass twice. */
int64_t memx_level_recomputed_layers(memx_level level, int64_t layers);

#endif
