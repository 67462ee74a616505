/*
** Trained predictors as rows: memx_predictor holds one each, memx_tree its trees. What is read is checked
** in full, since anybody can write it: a predictor that is damaged is refused, never followed.
*/
#ifndef MEMX_SQL_PREDICTORS_H
#define MEMX_SQL_PREDICTORS_H

#include "predict/residual.h"
#include "sql/reader.h"

/* Of a row of memx_predictor AS p. */
#define MEMX_SQL_RANGES MEMX_SQL_JSON("p.ranges", "'{}'")

/* MEMX_INVALID where there is none of that name, or it is damaged or made from other features. Everything
** read is appended to `key`, which is not NULL. On any failure *out is empty. */
memx_status memx_predictor_read(memx_reader *reader, const char *name, memx_residual *out,
                                memx_text *key, memx_error *error);

/* The newest predictor that was calibrated on the job's framework and all of its cluster's devices, and is
** for this cluster or any: its name, or "" where there is none. */
memx_status memx_predictor_choose(memx_reader *reader, const char *job, char out[MEMX_NAME_SIZE],
                                  memx_text *key, memx_error *error);

/* Stores a predictor instead of any of the same name. `errors` is JSON. cluster: the one that it is for;
** NULL: any. */
memx_status memx_predictor_write(sqlite3 *db, const memx_residual *residual, const char *cluster,
                                 const char *errors, const char *fingerprint, memx_error *error);

#endif
