/*
** What functions of (job, config, ...) work on: the study of their first argument, and their second,
** priced.
*/
#ifndef MEMX_SQL_SUBJECT_H
#define MEMX_SQL_SUBJECT_H

#include "sql/session.h"

#include <stdbool.h>

typedef struct memx_subject {
    memx_session *session;
    memx_study *study;
    memx_priced priced;
} memx_subject;

/* `work`: the function's name. `search`: with a space, the job's own where `space` is NULL. Enters the
** session: close it, whatever this answers. */
memx_status memx_subject_open(sqlite3_context *context, const char *work, sqlite3_value **argv,
                              bool search, sqlite3_value *space, memx_subject *out,
                              memx_error *error);
void memx_subject_close(memx_subject *subject);

bool memx_any_null(int argc, sqlite3_value **argv);

#endif
