/*
** Listings: eponymous virtual tables whose rows are those of one SELECT over the stored tables, in a file
** of its own under schema/profiling/.
**
**   SELECT * FROM memx_sensitivity;       which parameters move time or memory
**   SELECT * FROM memx_linearity;         along which of them a measurement is a straight line
**   SELECT * FROM memx_augmented;         training rows between the measured ones
**   SELECT * FROM memx_measure('mix20');  the stages still to be measured
**
** A view would say the same, but must be made in every database, and one over MemX's functions breaks
** ALTER TABLE RENAME while MemX is not loaded.
**
** The SELECT is prepared when a scan begins and finalized when it ends, and reads under the reader's guard
** against stored tables that lead back here. Its columns are those of the schema, the arguments, which
** are hidden, last; it sees them as ?1 and so on. A NULL argument gives no row.
*/
#ifndef MEMX_SQL_LISTING_H
#define MEMX_SQL_LISTING_H

#include "sql/session.h"

/* memx_measure's ?3, from its arguments: JSON with the job's model, framework, reserve, levels, and degrees, an array
** [device, tp, dp, micro_batch, seq_length, heads, kv_groups, sequence_parallel, distributed_optimizer,
** least pp, greatest pp, GPUs of the device's largest node] for all that stages of the space have on a
** device. dp is no greater than one node can take, and pipelines with fewer micro batches than stages count
** only where there are no others. Refuses arguments that are missing or wrong. */
memx_status memx_measure_space(memx_session *session, sqlite3_value *const *arguments,
                               memx_text *out, memx_error *error);

#endif
