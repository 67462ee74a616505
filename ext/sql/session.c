#include "sql/session.h"

#include "sql/probe.h"

#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

enum { MOST_STUDIES = 16, MOST_BYTES = 256 << 20 };

struct memx_session {
    int references, users, count;
    memx_reader reader;
    memx_probe probe;
    memx_watch watch;
    memx_study *newest, *oldest;
    memx_cache cache;
};

memx_session *memx_session_new(sqlite3 *db) {
    memx_session *session = calloc(1, sizeof *session);
    if (!session) return NULL;
    session->references = 1;
    memx_reader_open(&session->reader, db);
    memx_watch_start(&session->watch, db);
    memx_probe_open(&session->probe, db, &session->watch);
    memx_cache_start(&session->cache);
    return session;
}

void memx_session_enter(memx_session *session, const char *work) {
    if (session->users++ > 0) return;
    memx_probe_resume(&session->probe);
    memx_watch_begin(&session->watch, work);
}

void memx_session_leave(memx_session *session) {
    if (--session->users > 0) return;
    memx_reader_close(&session->reader);
    memx_probe_pause(&session->probe);
    memx_watch_end(&session->watch);
}

const memx_poll *memx_session_poll(const memx_session *session) {
    return &session->probe.poll;
}

memx_watch *memx_session_watch(memx_session *session) {
    return &session->watch;
}

void memx_session_show(memx_session *session, bool shown) {
    session->probe.poll.progress = shown ? &session->watch.progress : NULL;
}

memx_reader *memx_session_reader(memx_session *session) {
    return &session->reader;
}

const memx_cache *memx_session_cache(const memx_session *session) {
    return &session->cache;
}

void memx_session_retain(memx_session *session) {
    session->references++;
}

static void study_free(memx_study *study) {
    if (study->searched) memx_search_close(&study->search);
    memx_space_free(&study->space);
    memx_catalog_job_free(&study->row);
    memx_text_free(&study->key);
    free(study);
}

static void unlink_study(memx_study *study) {
    memx_session *session = study->session;
    *(study->newer ? &study->newer->older : &session->newest) = study->older;
    *(study->older ? &study->older->newer : &session->oldest) = study->newer;
    study->newer = study->older = NULL;
    session->count--;
}

static void link_newest(memx_session *session, memx_study *study) {
    study->older = session->newest;
    *(session->newest ? &session->newest->newer : &session->oldest) = study;
    session->newest = study;
    session->count++;
}

static size_t study_bytes(const memx_study *study) {
    return study->key.length + (size_t)study->row.job.node_count * sizeof *study->row.job.nodes +
           memx_search_bytes(&study->search);
}

/* Drops studies that nobody uses, the least recently used first, while there are too many or they are too
** large; and of those in use, since a ranking over jobs uses all at once, what can be priced again. */
static void shrink(memx_session *session) {
    size_t bytes = 0;
    for (memx_study *study = session->oldest; study; study = study->newer) {
        bytes += study_bytes(study);
    }
    for (memx_study *study = session->oldest;
         study && (session->count > MOST_STUDIES || bytes > MOST_BYTES);) {
        memx_study *newer = study->newer;
        size_t before = study_bytes(study);
        if (study->references == 0) {
            bytes -= before;
            unlink_study(study);
            study_free(study);
        } else if (bytes > MOST_BYTES) {
            memx_tables_trim(&study->search.setting, 0);
            bytes -= before - study_bytes(study);
        }
        study = newer;
    }
}

void memx_session_release(void *context) {
    memx_session *session = context;
    if (--session->references > 0) return;
    for (memx_study *study = session->oldest, *newer; study; study = newer) {
        newer = study->newer;
        study_free(study);
    }
    memx_cache_free(&session->cache);
    memx_watch_stop(&session->watch);
    free(session);
}

memx_study *memx_study_retain(memx_study *study) {
    study->references++;
    return study;
}

void memx_study_release(memx_study *study) {
    if (study && --study->references == 0) shrink(study->session);
}

/* The memo: same bytes read, same study. */
static memx_study *find(memx_session *session, const memx_text *key) {
    for (memx_study *study = session->newest; study; study = study->older) {
        if (study->key.length == key->length &&
            memcmp(study->key.data, key->data, key->length) == 0) {
            return study;
        }
    }
    return NULL;
}

memx_status memx_session_study(memx_session *session, const char *job, const char *space,
                               bool search, const memx_poll *poll, memx_study **out,
                               memx_error *error) {
    *out = NULL;
    if (memx_poll_stop(poll)) return MEMX_INTERRUPTED;
    memx_study *study = calloc(1, sizeof *study);
    if (!study) return MEMX_NOMEM;
    study->session = session;
    memx_text_add(&study->key, search ? "search" : "job", search ? 7 : 4);
    memx_text_add(&study->key, job, strlen(job) + 1);
    memx_status status =
        memx_catalog_job(&session->reader, job, false, &study->row, &study->key, error);
    if (status) goto failed;
    study->pricer = memx_job_pricer(&study->row);
    if (study->row.residual) {
        study->cached =
            (memx_cached){&session->cache, study->pricer, study->row.residual->fingerprint};
        study->pricer = memx_cache_pricer(&study->cached);
    }
    if (!space) space = study->row.space;
    study->own_space = strcmp(space, study->row.space) == 0;
    if (search) {
        memx_text_add(&study->key, space, strlen(space) + 1);
        status = memx_catalog_space(&session->reader, space, &study->space, &study->key, error);
        if (status && study->own_space) memx_prefix_job(error, status, job, NULL);
        if (status) goto failed;
    }
    if (study->key.failed) {
        status = MEMX_NOMEM;
        goto failed;
    }
    memx_study *known = find(session, &study->key);
    if (known) {
        study_free(study);
        study = known;
        unlink_study(study);
    } else if (search) {
        status = memx_search_open(&study->row.job, &study->space, &study->pricer, poll,
                                  &study->search, error);
        memx_prefix_job(error, status, job, NULL);
        if (status) goto failed;
        study->searched = true;
    }
    study->references++;
    link_newest(session, study);
    shrink(session);
    *out = study;
    return MEMX_OK;
failed:
    study_free(study);
    return status;
}

/* The weights that `auto` stands for, from the job's own space. */
static memx_status auto_weights(memx_session *session, memx_study *study, const memx_poll *poll,
                                memx_weights *out, memx_error *error) {
    const memx_reference *reference = NULL;
    memx_study *own = NULL;
    memx_status status =
        memx_session_study(session, study->row.job.name, NULL, true, poll, &own, error);
    /* A study that is referred to is never dropped. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
    if (!status) status = memx_study_reference(own, poll, &reference, error);
    if (!status) {
        const char *name = memx_weights_auto(&own->row.job, reference->fastest_free_share);
        *out = *memx_weights_shipped(name);
    }
    memx_study_release(own);
    return status;
}

memx_status memx_session_weights(memx_session *session, memx_study *study, const memx_poll *poll,
                                 memx_weights *out, memx_error *error) {
    if (strcmp(study->row.weights, "auto") == 0) {
        return auto_weights(session, study, poll, out, error);
    }
    memx_status status = memx_catalog_weights(&session->reader, study->row.weights, out, error);
    return memx_prefix_job(error, status, study->row.job.name, NULL);
}

memx_status memx_session_priced(const memx_study *study, const char *config, memx_priced *out,
                                memx_error *error) {
    if (memx_poll_stop(memx_session_poll(study->session))) return MEMX_INTERRUPTED;
    memx_status status = memx_priced_open(&study->row.job, config, &study->pricer, out, error);
    return memx_prefix_job(error, status, study->row.job.name, config);
}

memx_status memx_study_reference(memx_study *study, const memx_poll *poll,
                                 const memx_reference **out, memx_error *error) {
    if (!study->referred) {
        memx_status status = memx_search_reference(&study->search, poll, &study->reference, error);
        if (status) return status;
        study->referred = true;
    }
    *out = &study->reference;
    return MEMX_OK;
}
