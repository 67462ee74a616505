/*
** What one connection keeps between statements: studies, that is jobs with a space, their
** skeletons, priced stages and references.
**
** Nothing here is ever stale. A study is found by the bytes of everything that the catalog read for
** it, and these are read again for each statement; any change to a device, model, framework,
** cluster, job or space, by this connection or another, is another study. The least recently used
** ones are dropped when there are more than 16 or they take more than 256 MiB, and of
** those in use the tables of stages that nobody stands on. Under them lies the cache of what
** predictors answered (predict/cache.h), of all studies together.
*/
#ifndef MEMX_SQL_SESSION_H
#define MEMX_SQL_SESSION_H

#include "core/priced.h"
#include "core/search.h"
#include "predict/cache.h"
#include "sql/catalog.h"
#include "sql/watch.h"
#include "sqlite3ext.h"

typedef struct memx_session memx_session;

typedef struct memx_study {
    int references;
    memx_session *session;
    memx_text key;
    memx_job_row row;
    memx_pricer pricer; /* of the row, through the cache where it is learned */
    memx_cached cached;
    memx_space space;
    memx_search search;
    bool own_space; /* the job's own: phi and slowdown refer to it */
    bool searched;  /* search is open: only when a space is asked for */
    bool referred;  /* reference is filled */
    memx_reference reference;
    struct memx_study *newer, *older;
} memx_study;

/* One per connection, counted: every registration holds it. */
memx_session *memx_session_new(sqlite3 *db);
void memx_session_retain(memx_session *session);
void memx_session_release(void *session);

/* Around all that reads: a function's call, a cursor's life. `work` is what the outermost one is called,
** up to a parenthesis. The last to go closes the reader, whose statements would keep the connection from
** closing, and a table from disconnecting where a view leads back to it. */
void memx_session_enter(memx_session *session, const char *work);
void memx_session_leave(memx_session *session);
memx_reader *memx_session_reader(memx_session *session);
const memx_cache *memx_session_cache(const memx_session *session);
/* For the long loops of this connection: one clock for all of them. */
const memx_poll *memx_session_poll(const memx_session *session);
/* Where this connection's progress goes (sql/watch.h); loops tell it only while it is `shown`. */
memx_watch *memx_session_watch(memx_session *session);
void memx_session_show(memx_session *session, bool shown);

/* The study of a job under a space (NULL: its own). Without `search`, only the job is read. Release
** it after use. */
memx_status memx_session_study(memx_session *session, const char *job, const char *space,
                               bool search, const memx_poll *poll, memx_study **out,
                               memx_error *error);
memx_study *memx_study_retain(memx_study *study);
void memx_study_release(memx_study *study);

/* The job's own weights; `auto` is resolved on the job's own space. MEMX_INVALID, naming the job,
** where there are none of that name. */
memx_status memx_session_weights(memx_session *session, memx_study *study, const memx_poll *poll,
                                 memx_weights *out, memx_error *error);

/* A configuration of the study's job. The message names job and config. */
memx_status memx_session_priced(const memx_study *study, const char *config, memx_priced *out,
                                memx_error *error);

/* The references of the study's search, computed once. */
memx_status memx_study_reference(memx_study *study, const memx_poll *poll,
                                 const memx_reference **out, memx_error *error);

#endif
