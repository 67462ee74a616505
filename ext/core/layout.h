/*
** Megatron-LM's --pipeline-model-parallel-layout: which layers every pipeline stage holds.
**
**   Et*3|(t*5|)*2t*4L     3, 5, 5 and 4 layers; E embedding, t layer, L loss, commas mean nothing
**
** Also read: the list that it stands for, [['embedding', 'decoder'], ['decoder', 'loss']].
*/
#ifndef MEMX_CORE_LAYOUT_H
#define MEMX_CORE_LAYOUT_H

#include "core/lines.h"
#include "core/text.h"

/* Writes the layout of two or more stages; of an interleaved pipeline, of the first chunk of every
** stage, then of the second. */
void memx_layout_write(const int64_t *layers, int64_t count, memx_text *out);

/* Layers of every stage, at most `most` of them. MEMX_INVALID says what is no layout, or one that MemX does
** not model: multi-token prediction, stages without a layer. */
memx_status memx_layout_read(memx_span text, int32_t *layers, int32_t *count, int32_t most,
                             memx_error *error);

#endif
