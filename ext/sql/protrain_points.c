/*
** One configuration of ProTrain, block by block, and why others are none:
**
**   SELECT * FROM protrain_blocks('mine', 'mb4.chunk64.persist12.buffer3.swap0.ckpt8');
**   SELECT reason, count, example FROM protrain_why('mine');
**   SELECT * FROM protrain_why;                      every job, and those that are none for ProTrain
**
** protrain_blocks answers any configuration that the job has, fitting or not.
*/
#include "core/whole.h"
#include "sql/modules.h"
#include "sql/protrain.h"
#include "sql/vtab.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

/* ---- protrain_blocks ---- */

enum {
    BLOCK_BLOCK,
    BLOCK_WHAT,
    BLOCK_FIRST_CHUNK,
    BLOCK_LAST_CHUNK,
    BLOCK_PERSISTENT,
    BLOCK_PARAMETERS,
    BLOCK_KEPT_MIB,
    BLOCK_SWAPPED_MIB,
    BLOCK_RECOMPUTED_MIB,
    BLOCK_TRANSFER_MS,
    BLOCK_COMPUTE_MS,
    BLOCK_JOB,
    BLOCK_CONFIG,
};

static const char blocks_schema[] =
    "CREATE TABLE protrain_blocks(block BIGINT, what VARCHAR(16), first_chunk BIGINT, "
    "last_chunk BIGINT, persistent_chunks BIGINT, parameters DOUBLE, kept_mib DOUBLE, "
    "swapped_mib DOUBLE, recomputed_mib DOUBLE, transfer_ms DOUBLE, compute_ms DOUBLE, "
    "job HIDDEN VARCHAR(64), config HIDDEN VARCHAR(128))";

typedef struct blocks_cursor {
    memx_cursor base; /* must be first */
    bool open;        /* the job: kept, since a join asks for many of its configurations */
    memx_protrain_job job;
    memx_protrain_choice choice;
    memx_protrain_block block;
    int32_t at, count;
} blocks_cursor;

static int blocks_connect(sqlite3 *db, void *session, int argc, const char *const *argv,
                          sqlite3_vtab **out, char **message) {
    (void)argc, (void)argv, (void)message;
    return memx_vtab_connect(db, session, blocks_schema, 0, out);
}

static int blocks_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
    (void)vtab;
    uint64_t waiting = memx_take_arguments(info, BLOCK_JOB, 2, NULL);
    info->estimatedRows = 32;
    info->estimatedCost =
        memx_plan_cost(MEMX_JOB_AND_CONFIG, (uint64_t)info->idxNum, waiting, 100.0);
    return SQLITE_OK;
}

static int blocks_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
    return memx_cursor_open(vtab, sizeof(blocks_cursor), out);
}

static void blocks_leave(blocks_cursor *cursor) {
    if (cursor->open) memx_protrain_job_close(&cursor->job);
    cursor->open = false;
}

static int blocks_close(sqlite3_vtab_cursor *base) {
    blocks_cursor *cursor = (blocks_cursor *)base;
    blocks_leave(cursor);
    return memx_cursor_close(&cursor->base);
}

static void blocks_load(blocks_cursor *cursor) {
    if (cursor->at >= cursor->count) return;
    memx_protrain_block_at(&cursor->job.protrain, &cursor->choice, cursor->at, &cursor->block);
}

static int blocks_filter(sqlite3_vtab_cursor *base, int taken, const char *plan, int argc,
                         sqlite3_value **argv) {
    blocks_cursor *cursor = (blocks_cursor *)base;
    memx_vtab *vtab = memx_cursor_table(&cursor->base);
    const char *texts[MEMX_ARGUMENTS];
    memx_error error = {.text = ""};
    (void)plan, (void)argc;
    cursor->at = cursor->count = 0;
    memx_status status = memx_taken_texts(vtab, taken, argv, "protrain_configs", texts, &error);
    if (status == MEMX_DONE) return SQLITE_OK;
    if (status) return memx_vtab_fail(base->pVtab, status, &error);
    const char *job = texts[0], *config = texts[1];
    if (cursor->open && strcmp(cursor->job.study->row.job.name, job) != 0) blocks_leave(cursor);
    if (!cursor->open) {
        status = memx_protrain_job_open(vtab->session, job, memx_cursor_poll(&cursor->base),
                                        &cursor->job, &error);
        cursor->open = !status;
    }
    memx_cursor_names(&cursor->base, texts, 2);
    if (!status) status = memx_protrain_job_config(&cursor->job, config, &cursor->choice, &error);
    if (!status) cursor->count = cursor->job.protrain.blocks;
    blocks_load(cursor);
    return memx_vtab_fail(base->pVtab, status, &error);
}

static int blocks_next(sqlite3_vtab_cursor *base) {
    blocks_cursor *cursor = (blocks_cursor *)base;
    cursor->at++;
    blocks_load(cursor);
    return SQLITE_OK;
}

static int blocks_eof(sqlite3_vtab_cursor *base) {
    const blocks_cursor *cursor = (const blocks_cursor *)base;
    return cursor->at >= cursor->count;
}

static int blocks_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out) {
    const blocks_cursor *cursor = (const blocks_cursor *)base;
    *out = memx_cursor_rowid(&cursor->base, cursor->at);
    return SQLITE_OK;
}

static int blocks_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    static const char *const modes[] = {[MEMX_BLOCK_SWAP] = "swap",
                                        [MEMX_BLOCK_CHECKPOINT] = "checkpoint",
                                        [MEMX_BLOCK_NONE] = "none"};
    const blocks_cursor *cursor = (const blocks_cursor *)base;
    const memx_protrain_block *b = &cursor->block;
    int64_t persistent = memx_least(cursor->choice.persist, b->last_chunk + 1) - b->first_chunk;
    char text[MEMX_PROTRAIN_TEXT];
    switch (column) {
    case BLOCK_BLOCK: sqlite3_result_int64(context, cursor->at); break;
    case BLOCK_WHAT: sqlite3_result_text(context, modes[b->mode], -1, SQLITE_STATIC); break;
    case BLOCK_FIRST_CHUNK: sqlite3_result_int64(context, b->first_chunk); break;
    case BLOCK_LAST_CHUNK: sqlite3_result_int64(context, b->last_chunk); break;
    case BLOCK_PERSISTENT: sqlite3_result_int64(context, memx_greatest(persistent, 0)); break;
    case BLOCK_PARAMETERS: sqlite3_result_double(context, b->parameters); break;
    case BLOCK_KEPT_MIB: sqlite3_result_double(context, memx_mib(b->kept_kib)); break;
    case BLOCK_SWAPPED_MIB: sqlite3_result_double(context, memx_mib(b->swapped_kib)); break;
    case BLOCK_RECOMPUTED_MIB: sqlite3_result_double(context, memx_mib(b->recomputed_kib)); break;
    case BLOCK_TRANSFER_MS: sqlite3_result_double(context, memx_ms(b->moving_ns)); break;
    case BLOCK_COMPUTE_MS: sqlite3_result_double(context, memx_ms(b->computing_ns)); break;
    case BLOCK_JOB:
        sqlite3_result_text(context, cursor->job.study->row.job.name, -1, SQLITE_TRANSIENT);
        break;
    default:
        memx_protrain_format(&cursor->job.protrain, &cursor->choice, text);
        sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
    }
    return SQLITE_OK;
}

const sqlite3_module protrain_blocks_module = {
    .xConnect = blocks_connect,
    .xBestIndex = blocks_best_index,
    .xDisconnect = memx_vtab_disconnect,
    .xOpen = blocks_open,
    .xClose = blocks_close,
    .xFilter = blocks_filter,
    .xNext = blocks_next,
    .xEof = blocks_eof,
    .xColumn = blocks_column,
    .xRowid = blocks_rowid,
};

/* ---- protrain_why ---- */

enum { WHY_JOB, WHY_REASON, WHY_COUNT, WHY_UNIT, WHY_EXAMPLE, WHY_JOB_NAME };

static const char why_schema[] =
    "CREATE TABLE protrain_why(job VARCHAR(64), reason VARCHAR(32), count BIGINT, "
    "unit VARCHAR(16), example TEXT, job_name HIDDEN VARCHAR(64))";

typedef enum why_reason { WHY_GPU, WHY_HOST, WHY_UNREADABLE, WHY_FEASIBLE, WHY_REASONS } why_reason;

typedef struct why_cursor {
    memx_cursor base; /* must be first */
    memx_text jobs;   /* names, each with its NUL */
    size_t next_job;
    char job[MEMX_NAME_SIZE];
    memx_protrain_refusals refusals;
    memx_error unreadable; /* empty: it can be read */
    int reason;
    bool done;
} why_cursor;

static int why_connect(sqlite3 *db, void *session, int argc, const char *const *argv,
                       sqlite3_vtab **out, char **message) {
    (void)argc, (void)argv, (void)message;
    return memx_vtab_connect(db, session, why_schema, 0, out);
}

/* idxNum 1: the job is xFilter's argument. */
static int why_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
    int job = -1;
    bool waiting = false;
    (void)vtab;
    for (int i = 0; i < info->nConstraint; i++) {
        int column = info->aConstraint[i].iColumn;
        if (info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
        if (column != WHY_JOB && column != WHY_JOB_NAME) continue;
        if (!info->aConstraint[i].usable) {
            waiting = waiting || column == WHY_JOB_NAME;
        } else if (strcmp(sqlite3_vtab_collation(info, i), "BINARY") == 0 &&
                   (job < 0 || column == WHY_JOB_NAME)) {
            job = i;
        }
    }
    if (job >= 0) {
        info->aConstraintUsage[job].argvIndex = 1;
        info->idxNum = 1;
    }
    info->estimatedRows = job >= 0 ? 3 : 30;
    info->estimatedCost = memx_plan_cost(0, job >= 0, waiting, job >= 0 ? 1e4 : 1e5);
    return SQLITE_OK;
}

static int why_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
    return memx_cursor_open(vtab, sizeof(why_cursor), out);
}

static int why_close(sqlite3_vtab_cursor *base) {
    why_cursor *cursor = (why_cursor *)base;
    memx_text_free(&cursor->jobs);
    return memx_cursor_close(&cursor->base);
}

static memx_status enter_job(why_cursor *cursor, const char *name, memx_error *error) {
    const memx_poll *poll = memx_cursor_poll(&cursor->base);
    memx_protrain_job job;
    memcpy(cursor->job, name, strlen(name) + 1);
    memx_cursor_names(&cursor->base, &name, 1);
    cursor->unreadable = (memx_error){.text = ""};
    cursor->reason = -1;
    memx_status status =
        memx_protrain_job_open(memx_cursor_table(&cursor->base)->session, name, poll, &job, error);
    if (status == MEMX_INVALID) {
        cursor->unreadable = *error;
        return MEMX_OK;
    }
    if (status) return status;
    status = memx_protrain_refused(&job.protrain, poll, &cursor->refusals);
    memx_protrain_job_close(&job);
    return status;
}

static bool reason_applies(const why_cursor *cursor) {
    bool readable = !*cursor->unreadable.text;
    switch ((why_reason)cursor->reason) {
    case WHY_GPU: return readable && cursor->refusals.gpu > 0;
    case WHY_HOST: return readable && cursor->refusals.host > 0;
    case WHY_UNREADABLE: return !readable;
    default: return readable;
    }
}

static int why_advance(why_cursor *cursor) {
    memx_error error = {.text = ""};
    for (;;) {
        while (++cursor->reason < WHY_REASONS) {
            if (reason_applies(cursor)) return SQLITE_OK;
        }
        if (cursor->next_job >= cursor->jobs.length) break;
        const char *name = cursor->jobs.data + cursor->next_job;
        cursor->next_job += strlen(name) + 1;
        memx_status status = enter_job(cursor, name, &error);
        if (status) return memx_vtab_fail(cursor->base.base.pVtab, status, &error);
    }
    cursor->done = true;
    return SQLITE_OK;
}

static int why_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                      sqlite3_value **argv) {
    why_cursor *cursor = (why_cursor *)base;
    memx_error error = {.text = ""};
    memx_status status = MEMX_OK;
    const char *job = NULL;
    (void)text, (void)argc;
    memx_text_free(&cursor->jobs);
    cursor->next_job = 0;
    cursor->done = false;
    cursor->reason = WHY_REASONS;
    if (plan == 1) {
        if (sqlite3_value_type(argv[0]) == SQLITE_NULL) {
            cursor->done = true;
            return SQLITE_OK;
        }
        status = memx_argument_text(argv[0], "job", &job, &error);
        if (!status && strlen(job) >= MEMX_NAME_SIZE) {
            cursor->done = true;
            return SQLITE_OK;
        }
        if (!status) memx_text_add(&cursor->jobs, job, strlen(job) + 1);
    } else {
        status = memx_catalog_jobs(memx_session_reader(memx_cursor_table(&cursor->base)->session),
                                   NULL, NULL, NULL, &cursor->jobs, &error);
    }
    if (!status && cursor->jobs.failed) status = MEMX_NOMEM;
    if (status) return memx_vtab_fail(base->pVtab, status, &error);
    return why_advance(cursor);
}

static int why_next(sqlite3_vtab_cursor *base) {
    return why_advance((why_cursor *)base);
}

static int why_eof(sqlite3_vtab_cursor *base) {
    return ((why_cursor *)base)->done;
}

static int why_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out) {
    const why_cursor *cursor = (const why_cursor *)base;
    *out = memx_cursor_rowid(&cursor->base, cursor->reason);
    return SQLITE_OK;
}

static int why_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    static const char *const reasons[] = {[WHY_GPU] = "GPU memory",
                                          [WHY_HOST] = "host memory",
                                          [WHY_UNREADABLE] = "cannot be read",
                                          [WHY_FEASIBLE] = "feasible"};
    const why_cursor *cursor = (why_cursor *)base;
    const int64_t counts[] = {[WHY_GPU] = cursor->refusals.gpu,
                              [WHY_HOST] = cursor->refusals.host,
                              [WHY_UNREADABLE] = 1,
                              [WHY_FEASIBLE] = cursor->refusals.feasible};
    const char *const examples[] = {[WHY_GPU] = cursor->refusals.gpu_example.text,
                                    [WHY_HOST] = cursor->refusals.host_example.text,
                                    [WHY_UNREADABLE] = cursor->unreadable.text,
                                    [WHY_FEASIBLE] = NULL};
    switch (column) {
    case WHY_REASON:
        sqlite3_result_text(context, reasons[cursor->reason], -1, SQLITE_STATIC);
        break;
    case WHY_COUNT: sqlite3_result_int64(context, counts[cursor->reason]); break;
    case WHY_UNIT:
        sqlite3_result_text(context, cursor->reason == WHY_UNREADABLE ? "jobs" : "configurations",
                            -1, SQLITE_STATIC);
        break;
    case WHY_EXAMPLE:
        if (examples[cursor->reason]) {
            sqlite3_result_text(context, examples[cursor->reason], -1, SQLITE_TRANSIENT);
        }
        break;
    default: sqlite3_result_text(context, cursor->job, -1, SQLITE_TRANSIENT);
    }
    return SQLITE_OK;
}

const sqlite3_module protrain_why_module = {
    .xConnect = why_connect,
    .xBestIndex = why_best_index,
    .xDisconnect = memx_vtab_disconnect,
    .xOpen = why_open,
    .xClose = why_close,
    .xFilter = why_filter,
    .xNext = why_next,
    .xEof = why_eof,
    .xColumn = why_column,
    .xRowid = why_rowid,
};
