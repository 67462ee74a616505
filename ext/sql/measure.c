#include "sql/measure.h"

#include "core/hash.h"
#include "sql/vtab.h"

#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* What stages of the space have on a device. Whole words only: compared byte by byte. */
typedef struct degrees {
    int64_t device, tp, dp, micro_batch, seq_length, heads, kv_groups;
    int64_t sequence_parallel, distributed_optimizer;
} degrees;

typedef struct entry {
    degrees of;
    int64_t least_pp, most_pp; /* 0: empty */
} entry;

typedef struct table {
    entry *entries;
    size_t count, capacity; /* a power of two, at most half full */
} table;

static entry *find(const table *t, const degrees *of) {
    size_t at = (size_t)memx_hash(of, sizeof *of) & (t->capacity - 1);
    while (t->entries[at].most_pp && memcmp(&t->entries[at].of, of, sizeof *of) != 0) {
        at = (at + 1) & (t->capacity - 1);
    }
    return &t->entries[at];
}

static memx_status grow(table *t) {
    table larger = {.count = t->count, .capacity = t->capacity ? 2 * t->capacity : 256};
    larger.entries = calloc(larger.capacity, sizeof *larger.entries);
    if (!larger.entries) return MEMX_NOMEM;
    for (size_t i = 0; i < t->capacity; i++) {
        if (t->entries[i].most_pp) *find(&larger, &t->entries[i].of) = t->entries[i];
    }
    free(t->entries);
    *t = larger;
    return MEMX_OK;
}

static memx_status add(table *t, const degrees *of, int64_t pp) {
    memx_status status = 2 * t->count >= t->capacity ? grow(t) : MEMX_OK;
    if (status) return status;
    entry *e = find(t, of);
    if (!e->most_pp) {
        t->count++;
        *e = (entry){*of, pp, pp};
    }
    if (pp < e->least_pp) e->least_pp = pp;
    if (pp > e->most_pp) e->most_pp = pp;
    return MEMX_OK;
}

/* GPUs of the largest node of a device. */
static int64_t node_gpus(const memx_job *job, int32_t device) {
    int64_t most = 0;
    for (int32_t i = 0; i < job->node_count; i++) {
        if (job->nodes[i].device == device && job->nodes[i].gpus > most) most = job->nodes[i].gpus;
    }
    return most;
}

static memx_status add_skeleton(table *t, const memx_job *job, const int64_t *most_gpus,
                                const memx_skeleton *skeleton) {
    const memx_knobs *k = &skeleton->knobs;
    const memx_placement *p = &skeleton->placement;
    for (int32_t run = 0; run < p->first[p->stage_count]; run++) {
        int32_t device = job->nodes[p->runs[run].node].device;
        int64_t room = most_gpus[device] / k->tp;
        int64_t dp = k->dp <= room ? k->dp : room;
        degrees of = {device,
                      k->tp,
                      dp,
                      k->micro_batch,
                      k->seq_length,
                      k->heads,
                      k->kv_groups,
                      k->sequence_parallel,
                      dp > 1 ? k->distributed_optimizer : 0};
        memx_status status = add(t, &of, k->pp);
        if (status) return status;
    }
    return MEMX_OK;
}

/* Whether the pipeline is ever full. */
static bool fills(const memx_job *job, const memx_knobs *knobs) {
    return job->global_batch / (knobs->dp * knobs->micro_batch) >= knobs->pp;
}

/* With `all` false only pipelines that fill. */
static memx_status add_space(table *t, const memx_study *study, const int64_t *most_gpus, bool all,
                             const memx_poll *poll) {
    const memx_job *job = &study->row.job;
    const memx_skeletons *skeletons = &study->search.skeletons;
    for (size_t i = 0; i < skeletons->count; i++) {
        memx_status status = memx_poll_stop(poll) ? MEMX_INTERRUPTED : MEMX_OK;
        if (!status && (all || fills(job, &skeletons->items[i].knobs))) {
            status = add_skeleton(t, job, most_gpus, &skeletons->items[i]);
        }
        if (status) return status;
    }
    return MEMX_OK;
}

static void write_text(memx_text *out, const char *text) {
    memx_text_add(out, "\"", 1);
    memx_text_json(out, text);
    memx_text_add(out, "\"", 1);
}

static memx_status write_space(const table *t, const memx_study *study, const int64_t *most_gpus,
                               memx_text *out, memx_error *error) {
    const memx_job *job = &study->row.job;
    memx_text_printf(out, "{\"model\":");
    write_text(out, job->model.name);
    memx_text_printf(out, ",\"framework\":");
    write_text(out, job->framework.name);
    memx_text_printf(out, ",\"reserve\":");
    memx_text_decimal(out, job->reserve, 6);
    memx_text_printf(out, ",\"levels\":[");
    const char *comma = "";
    int32_t level_count;
    const memx_level *levels = memx_space_levels(&study->space, &level_count);
    for (int32_t i = 0; i < level_count; i++) {
        if (memx_level_uses_host(levels[i])) continue; /* memx_profile has no such stages */
        char level[MEMX_LEVEL_TEXT];
        memx_level_format(levels[i], level);
        memx_text_printf(out, "%s\"%s\"", comma, level);
        comma = ",";
    }
    if (!*comma) {
        return memx_invalid(error,
                            "memx_measure: all recompute levels of space '%s' use the host, and "
                            "memx_profile has no such stages; add none or full to the space",
                            study->space.name);
    }
    memx_text_printf(out, "],\"degrees\":[");
    comma = "";
    for (size_t i = 0; i < t->capacity; i++) {
        const entry *e = &t->entries[i];
        const degrees *of = &e->of;
        if (!e->most_pp) continue;
        memx_text_printf(out, "%s[", comma);
        comma = ",";
        write_text(out, job->devices[of->device].name);
        memx_text_printf(out, ",%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld]",
                         (long long)of->tp, (long long)of->dp, (long long)of->micro_batch,
                         (long long)of->seq_length, (long long)of->heads, (long long)of->kv_groups,
                         (long long)of->sequence_parallel, (long long)of->distributed_optimizer,
                         (long long)e->least_pp, (long long)e->most_pp,
                         (long long)most_gpus[of->device]);
    }
    memx_text_printf(out, "]}");
    return MEMX_OK;
}

static memx_status check_arguments(sqlite3_value *const *arguments, const char **job,
                                   memx_error *error) {
    if (!arguments[0]) {
        return memx_invalid(error, "memx_measure needs a job: SELECT * FROM memx_measure('JOB')");
    }
    sqlite3_value *jitter = arguments[1];
    int type = jitter ? sqlite3_value_type(jitter) : SQLITE_INTEGER;
    double number = jitter ? sqlite3_value_double(jitter) : 0;
    if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || (number != 0 && number != 1)) {
        const char *text = (const char *)sqlite3_value_text(jitter);
        return memx_invalid(error,
                            "memx_measure: jitter is '%.40s'; write 0 for a grid or 1 for points "
                            "off it",
                            text ? text : "");
    }
    return memx_argument_text(arguments[0], "job", job, error);
}

memx_status memx_measure_space(memx_session *session, sqlite3_value *const *arguments,
                               memx_text *out, memx_error *error) {
    const memx_poll *poll = memx_session_poll(session);
    const char *job = NULL;
    memx_study *study = NULL;
    int64_t *most_gpus = NULL;
    table found = {0};
    memx_status status = check_arguments(arguments, &job, error);
    if (!status) status = memx_session_study(session, job, NULL, true, poll, &study, error);
    if (status) return status;
    const memx_job *of = &study->row.job;
    most_gpus = calloc((size_t)of->device_count, sizeof *most_gpus);
    if (!most_gpus) status = MEMX_NOMEM;
    for (int32_t i = 0; i < of->device_count && !status; i++) most_gpus[i] = node_gpus(of, i);
    if (!status) status = add_space(&found, study, most_gpus, false, poll);
    if (!status && found.count == 0) status = add_space(&found, study, most_gpus, true, poll);
    if (!status) status = write_space(&found, study, most_gpus, out, error);
    free(found.entries);
    free(most_gpus);
    memx_study_release(study);
    return status;
}
