/*
** What the tables and functions of ProTrain share: a job, read and opened.
*/
#ifndef MEMX_SQL_PROTRAIN_H
#define MEMX_SQL_PROTRAIN_H

#include "core/protrain_search.h"
#include "sql/session.h"

typedef struct memx_protrain_job {
    memx_study *study;
    memx_operators operators;
    memx_protrain protrain;
} memx_protrain_job;

/* MEMX_INVALID, naming the job, where it cannot be read or is none for ProTrain. Not to be moved while open.
** After a failure it is empty, and closing it does nothing. */
memx_status memx_protrain_job_open(memx_session *session, const char *name, const memx_poll *poll,
                                   memx_protrain_job *out, memx_error *error);
void memx_protrain_job_close(memx_protrain_job *job);

/* A configuration of it; the message names job and config. */
memx_status memx_protrain_job_config(const memx_protrain_job *job, const char *config,
                                     memx_protrain_choice *out, memx_error *error);

#endif
