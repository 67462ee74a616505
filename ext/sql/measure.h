/*
** What C does for the listing memx_measure: reads its arguments, and the degrees that the stages of a job's
** space have. What is measured of them says schema/profiling/measure.sql.
*/
#ifndef MEMX_SQL_MEASURE_H
#define MEMX_SQL_MEASURE_H

#include "sql/session.h"

/* memx_measure's ?3, from its arguments: JSON with the job's model, framework, reserve, levels, and
** degrees, an array [device, tp, dp, micro_batch, seq_length, heads, kv_groups, sequence_parallel,
** distributed_optimizer, least pp, greatest pp, GPUs of the device's largest node] for all that stages
** of the space have on a device. dp is no greater than one node can take, and pipelines with fewer
** micro batches than stages count only where there are no others. Refuses arguments that are missing or
** wrong. */
memx_status memx_measure_space(memx_session *session, sqlite3_value *const *arguments,
                               memx_text *out, memx_error *error);

#endif
