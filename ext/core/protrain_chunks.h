/*
** Model parameters as chunks of one size (arXiv:2406.08334, 3.1.1 and appendix B.1).
**
** Parameters stand in order of execution, grouped by unit: the embedding, the blocks, then final norm
** and head. A unit that fits into one chunk is never cut: it starts a new one where the rest is too
** small. A larger unit goes on in the present chunk, tensor by tensor; only a tensor larger than a
** chunk is cut itself. Of 32, 64, 128 and 256 MiB the size with the least waste is taken, the larger
** one among equals.
*/
#ifndef MEMX_CORE_PROTRAIN_CHUNKS_H
#define MEMX_CORE_PROTRAIN_CHUNKS_H

#include "core/job.h"

#include <stdint.h>

/* The part of a unit that lies in one chunk; in order of unit, then chunk. */
typedef struct memx_piece {
    int32_t unit; /* 0: embedding; 1 to layers: blocks; layers + 1: final norm and head */
    int32_t chunk;
    double parameters;
    double share; /* of the unit's parameters */
} memx_piece;

typedef struct memx_chunks {
    int32_t mib; /* of one chunk */
    int32_t count;
    int32_t table; /* the token table lies in chunks 0 to table - 1 */
    double parameters;
    memx_piece *pieces;
    int32_t piece_count;
} memx_chunks;

enum { MEMX_MOST_CHUNKS = 65536 };

/* Close it in any case. MEMX_INVALID where the model takes more than MEMX_MOST_CHUNKS. */
memx_status memx_chunks_open(const memx_model *model, double parameter_bytes, memx_chunks *out,
                             memx_error *error);
/* The same with a size that is given. */
memx_status memx_chunks_lay(const memx_model *model, double parameter_bytes, int32_t mib,
                            memx_chunks *out, memx_error *error);
void memx_chunks_close(memx_chunks *chunks);

#endif
