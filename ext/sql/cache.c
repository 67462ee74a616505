/*
** What predictors answered on this connection, a row per signature, in the order of their predictions:
**
**   SELECT device, layers, recompute, time_ms, peak_mib, hits FROM memx_cache;
**   SELECT s.stage, c.hits FROM memx_stages('mix20', '...') AS s JOIN memx_cache AS c USING (signature);
**
** Only learned predictions are here (predict/cache.h). Columns are named as in memx_stages and
** memx_model; a model's name and number of layers are no part of a signature. What else is part of it
** is not shown, and two rows may differ in that alone: the figures of device and framework, which a
** change to their rows makes others, the links between context and between expert ranks, an interleaved
** stage's micro batches at the end, and what a model has of experts beyond their number and of latent
** attention. A scan sees what was there when it began.
*/
#include "sql/modules.h"
#include "sql/vtab.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

enum {
    CACHE_SIGNATURE,
    CACHE_PREDICTOR,
    CACHE_DEVICE,
    CACHE_FRAMEWORK,
    CACHE_LAYERS,
    CACHE_FIRST,
    CACHE_LAST,
    CACHE_TP,
    CACHE_DP,
    CACHE_MICRO_BATCH,
    CACHE_SEQ_LENGTH,
    CACHE_HEADS,
    CACHE_KV_GROUPS,
    CACHE_RECOMPUTE,
    CACHE_IN_FLIGHT,
    CACHE_SEQUENCE_PARALLEL,
    CACHE_DISTRIBUTED_OPTIMIZER,
    CACHE_CP,
    CACHE_EP,
    CACHE_VP,
    CACHE_LINK_GBS,
    CACHE_HIDDEN,
    CACHE_HEAD_DIM,
    CACHE_FFN_HIDDEN,
    CACHE_VOCAB,
    CACHE_GATED_MLP,
    CACHE_TIED_EMBEDDINGS,
    CACHE_BIASES,
    CACHE_QKV_BIASES,
    CACHE_LEARNED_POSITIONS,
    CACHE_NORM,
    CACHE_EXPERTS,
    CACHE_TIME_MS,
    CACHE_FORWARD_MS,
    CACHE_BACKWARD_MS,
    CACHE_PEAK_MIB,
    CACHE_EXTRAPOLATED,
    CACHE_HITS,
};

static const char cache_schema[] =
    "CREATE TABLE memx_cache(signature VARCHAR(32), predictor VARCHAR(64), device VARCHAR(64), "
    "framework VARCHAR(64), layers BIGINT, first_stage BIGINT, last_stage BIGINT, tp BIGINT, "
    "dp BIGINT, micro_batch BIGINT, seq_length BIGINT, heads BIGINT, kv_groups BIGINT, "
    "recompute VARCHAR(24), in_flight BIGINT, sequence_parallel BIGINT, "
    "distributed_optimizer BIGINT, cp BIGINT, ep BIGINT, vp BIGINT, link_gbs DOUBLE, "
    "hidden BIGINT, head_dim BIGINT, ffn_hidden BIGINT, vocab BIGINT, gated_mlp BIGINT, "
    "tied_embeddings BIGINT, biases BIGINT, qkv_biases BIGINT, learned_positions BIGINT, "
    "norm VARCHAR(16), experts BIGINT, time_ms DOUBLE, "
    "forward_ms DOUBLE, backward_ms DOUBLE, peak_mib DOUBLE, extrapolated BIGINT, hits BIGINT)";

typedef struct cache_cursor {
    memx_cursor base; /* must be first */
    memx_signature signature;
    bool by_signature, done;
    size_t next, end; /* numbers of entries; by signature: next is the probe */
    int64_t emptied;
    int64_t number;         /* of the row's entry */
    memx_cache_entry entry; /* copies: the row's other tables may empty the cache */
    memx_cache_stage stage;
} cache_cursor;

static int cache_connect(sqlite3 *db, void *session, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **message) {
    (void)argc, (void)argv, (void)message;
    return memx_vtab_connect(db, session, cache_schema, 0, out);
}

/* idxNum 1: the signature is the argument. */
static int cache_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
    info->estimatedRows = 10000;
    info->estimatedCost = 10000.0;
    for (int i = 0; i < info->nConstraint; i++) {
        if (info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ ||
            info->aConstraint[i].iColumn != CACHE_SIGNATURE || !info->aConstraint[i].usable ||
            strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0) {
            continue;
        }
        info->aConstraintUsage[i].argvIndex = 1;
        info->idxNum = 1;
        info->estimatedRows = 1;
        info->estimatedCost = 1.0;
        break;
    }
    (void)base;
    return SQLITE_OK;
}

static int cache_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
    return memx_cursor_open(vtab, sizeof(cache_cursor), out);
}

static int cache_close(sqlite3_vtab_cursor *base) {
    return memx_cursor_close((memx_cursor *)base);
}

static int cache_next(sqlite3_vtab_cursor *base) {
    cache_cursor *cursor = (cache_cursor *)base;
    const memx_cache *cache = memx_session_cache(memx_cursor_table(&cursor->base)->session);
    cursor->number = -1;
    if (cursor->emptied == cache->emptied) {
        if (cursor->by_signature) {
            cursor->number = memx_cache_find(cache, cursor->signature, &cursor->next);
        } else if (cursor->next < cursor->end) {
            cursor->number = (int64_t)cursor->next++;
        }
    }
    cursor->done = cursor->number < 0;
    if (cursor->done) return SQLITE_OK;
    cursor->entry = *memx_cache_at(cache, (size_t)cursor->number);
    cursor->stage = *cursor->entry.stage;
    return SQLITE_OK;
}

static int cache_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                        sqlite3_value **argv) {
    cache_cursor *cursor = (cache_cursor *)base;
    const memx_cache *cache = memx_session_cache(memx_cursor_table(&cursor->base)->session);
    (void)text, (void)argc;
    cursor->next = 0;
    cursor->end = cache->count;
    cursor->emptied = cache->emptied;
    cursor->by_signature = plan == 1;
    if (cursor->by_signature) {
        const char *value = NULL;
        if (sqlite3_value_type(argv[0]) != SQLITE_NULL) {
            value = (const char *)sqlite3_value_text(argv[0]);
            if (!value) return SQLITE_NOMEM;
        }
        /* No other text is equal to a signature. */
        if (!value || !memx_signature_parse(value, &cursor->signature)) {
            cursor->done = true;
            return SQLITE_OK;
        }
    }
    return cache_next(base);
}

static int cache_eof(sqlite3_vtab_cursor *base) {
    return ((cache_cursor *)base)->done;
}

static int cache_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out) {
    *out = ((cache_cursor *)base)->number;
    return SQLITE_OK;
}

static int cache_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    const cache_cursor *cursor = (cache_cursor *)base;
    const memx_cache_entry *e = &cursor->entry;
    const memx_stage_spec *s = &cursor->stage.spec;
    const memx_model *m = &s->model;
    char text[MEMX_SIGNATURE_TEXT], level[MEMX_LEVEL_TEXT];
    switch (column) {
    case CACHE_SIGNATURE:
        memx_signature_format(e->signature, text);
        sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
        break;
    case CACHE_PREDICTOR:
        sqlite3_result_text(context, cursor->stage.predictor, -1, SQLITE_TRANSIENT);
        break;
    case CACHE_DEVICE:
        sqlite3_result_text(context, cursor->stage.device, -1, SQLITE_TRANSIENT);
        break;
    case CACHE_FRAMEWORK:
        sqlite3_result_text(context, cursor->stage.framework, -1, SQLITE_TRANSIENT);
        break;
    case CACHE_LAYERS:
        sqlite3_result_int64(context, memx_stage_chunks(s) * e->choice.layers);
        break;
    case CACHE_FIRST: sqlite3_result_int(context, s->first); break;
    case CACHE_LAST: sqlite3_result_int(context, s->last); break;
    case CACHE_TP: sqlite3_result_int64(context, s->tp); break;
    case CACHE_DP: sqlite3_result_int64(context, s->dp); break;
    case CACHE_MICRO_BATCH: sqlite3_result_int64(context, s->micro_batch); break;
    case CACHE_SEQ_LENGTH: sqlite3_result_int64(context, m->seq_length); break;
    case CACHE_HEADS: sqlite3_result_int64(context, m->heads); break;
    case CACHE_KV_GROUPS: sqlite3_result_int64(context, m->kv_groups); break;
    case CACHE_RECOMPUTE:
        memx_level_format(e->choice.level, level);
        sqlite3_result_text(context, level, -1, SQLITE_TRANSIENT);
        break;
    case CACHE_IN_FLIGHT: sqlite3_result_int64(context, s->in_flight); break;
    case CACHE_SEQUENCE_PARALLEL: sqlite3_result_int(context, s->sequence_parallel); break;
    case CACHE_DISTRIBUTED_OPTIMIZER:
        sqlite3_result_int64(context, s->distributed_optimizer);
        break;
    case CACHE_CP: sqlite3_result_int64(context, memx_stage_context_ranks(s)); break;
    case CACHE_EP: sqlite3_result_int64(context, memx_stage_expert_ranks(s)); break;
    case CACHE_VP: sqlite3_result_int64(context, memx_stage_chunks(s)); break;
    case CACHE_LINK_GBS: sqlite3_result_double(context, s->link_gbs); break;
    case CACHE_HIDDEN: sqlite3_result_int64(context, m->hidden); break;
    case CACHE_HEAD_DIM: sqlite3_result_int64(context, m->head_dim); break;
    case CACHE_FFN_HIDDEN: sqlite3_result_int64(context, m->ffn_hidden); break;
    case CACHE_VOCAB: sqlite3_result_int64(context, m->vocab); break;
    case CACHE_GATED_MLP: sqlite3_result_int(context, m->gated_mlp); break;
    case CACHE_TIED_EMBEDDINGS: sqlite3_result_int(context, m->tied_embeddings); break;
    case CACHE_BIASES: sqlite3_result_int(context, m->biases); break;
    case CACHE_QKV_BIASES: sqlite3_result_int(context, m->qkv_biases); break;
    case CACHE_LEARNED_POSITIONS: sqlite3_result_int(context, m->learned_positions); break;
    case CACHE_NORM:
        sqlite3_result_text(context, m->layernorm ? "layernorm" : "rmsnorm", -1, SQLITE_STATIC);
        break;
    case CACHE_EXPERTS: /* NULL: dense, as in memx_model */
        if (m->experts > 0) sqlite3_result_int64(context, m->experts);
        break;
    case CACHE_TIME_MS:
        sqlite3_result_double(context, memx_ms(e->price.forward_ns + e->price.backward_ns));
        break;
    case CACHE_FORWARD_MS: sqlite3_result_double(context, memx_ms(e->price.forward_ns)); break;
    case CACHE_BACKWARD_MS: sqlite3_result_double(context, memx_ms(e->price.backward_ns)); break;
    case CACHE_PEAK_MIB:
        sqlite3_result_double(context, memx_mib(memx_stage_peak_kib(&e->price.memory)));
        break;
    case CACHE_EXTRAPOLATED: sqlite3_result_int(context, e->price.extrapolated); break;
    case CACHE_HITS: sqlite3_result_int64(context, e->hits); break;
    default: break;
    }
    return SQLITE_OK;
}

const sqlite3_module memx_cache_module = {
    .xConnect = cache_connect,
    .xBestIndex = cache_best_index,
    .xDisconnect = memx_vtab_disconnect,
    .xOpen = cache_open,
    .xClose = cache_close,
    .xFilter = cache_filter,
    .xNext = cache_next,
    .xEof = cache_eof,
    .xColumn = cache_column,
    .xRowid = cache_rowid,
};
