/*
** MemX: the search for a training configuration as a SQLite extension.
**
**   .load ./memx
**   SELECT memx_init();
**   SELECT config, iteration_ms, peak_mib, phi FROM memx_configs
**   WHERE cluster = 'mix20' ORDER BY phi LIMIT 10;
**
** This file is the entry point and the one table of everything that is registered. ext/sql knows
** SQLite, ext/predict XGBoost, ext/core neither.
*/
#include "sqlite3ext.h"

SQLITE_EXTENSION_INIT1

#include "sql/aggregates.h"
#include "sql/modules.h"
#include "sql/session.h"

/* What reads tables is not deterministic; what writes may not be called from views and triggers. */
enum {
    READS = SQLITE_UTF8 | SQLITE_INNOCUOUS,
    PURE = SQLITE_UTF8 | SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC,
    WRITES = SQLITE_UTF8 | SQLITE_DIRECTONLY,
};

static const struct {
    const char *name;
    int arguments, flags;
    void (*call)(sqlite3_context *, int, sqlite3_value **);
} functions[] = {
    {"phi", 3, PURE, memx_phi_function},
    {"phi", 4, READS, memx_phi_function},
    {"recompute_plan", 2, READS, memx_recompute_plan_function},
    {"recompute_plan", 3, READS, memx_recompute_plan_function},
    {"recompute_plan", 4, READS, memx_recompute_plan_function},
    {"recompute_plan_detail", 2, READS, memx_recompute_plan_detail_function},
    {"recompute_plan_detail", 3, READS, memx_recompute_plan_detail_function},
    {"recompute_plan_detail", 4, READS, memx_recompute_plan_detail_function},
    {"layer_split", 3, READS, memx_layer_split_function},
    {"memx_report", 1, READS, memx_report_function},
    {"memx_report", 2, READS, memx_report_function},
    {"memx_trace", 2, READS, memx_trace_function},
    {"memx_train", 0, WRITES, memx_train_function},
    {"memx_train", 1, WRITES, memx_train_function},
    {"memx_train", 2, WRITES, memx_train_function},
    {"memx_calibrate", 1, WRITES, memx_calibrate_function},
    {"memx_calibrate", 2, WRITES, memx_calibrate_function},
    {"memx_calibrate", 3, WRITES, memx_calibrate_function},
    {"config_problem", 2, READS, memx_config_problem_function},
    {"stage_estimate", 16, READS, memx_stage_estimate_function},
    {"deepspeed_config", 2, READS, deepspeed_config_function},
    {"stage_flags", 13, READS, memx_stage_flags_function},
    {"megatron_args", 2, READS, memx_megatron_args_function},
    {"megatron_args", 3, READS, memx_megatron_args_function},
    {"memx_watch", 1, WRITES, memx_watch_function},
    {"memx_init", 0, WRITES, memx_init_function},
    {"memx_views", 0, WRITES, memx_views_function},
    {"memx_version", 0, PURE, memx_version_function},
    {"memx_debug", 0, PURE, memx_debug_function},
};

static const struct {
    const char *name;
    const sqlite3_module *module;
} modules[] = {
    {"memx_configs", &memx_configs_module},
    {"memx_predict", &memx_predict_module},
    {"memx_stages", &memx_stages_module},
    {"memx_gpus", &memx_gpus_module},
    {"memx_reference", &memx_reference_module},
    {"memx_why", &memx_why_module},
    {"memx_cache", &memx_cache_module},
    {"memx_sensitivity", &memx_listing_module},
    {"memx_linearity", &memx_listing_module},
    {"memx_augmented", &memx_listing_module},
    {"memx_measure", &memx_listing_module},
    {"memx_estimates", &memx_estimates_module},
    {"protrain_configs", &protrain_configs_module},
    {"protrain_blocks", &protrain_blocks_module},
    {"protrain_why", &protrain_why_module},
    {"megatron_log", &memx_listing_module},
    {"megatron_log_gpus", &memx_listing_module},
    {"hf_config", &memx_listing_module},
    {"nvidia_smi", &memx_listing_module},
    {"rocm_smi", &memx_listing_module},
};

/* sqlite3_vtab_rhs_value came with 3.38. */
enum { OLDEST_SQLITE = 3038000 };

static int register_all(sqlite3 *db, memx_session *session) {
    int rc = memx_register_aggregates(db);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0] && rc == SQLITE_OK; i++) {
        memx_session_retain(session);
        rc = sqlite3_create_function_v2(db, functions[i].name, functions[i].arguments,
                                        functions[i].flags, session, functions[i].call, NULL, NULL,
                                        memx_session_release);
    }
    for (size_t i = 0; i < sizeof modules / sizeof modules[0] && rc == SQLITE_OK; i++) {
        memx_session_retain(session);
        rc = sqlite3_create_module_v2(db, modules[i].name, modules[i].module, session,
                                      memx_session_release);
    }
    return rc;
}

/* As SQLITE_EXTENSION_INIT2, but written only once: other connections may be reading it, and those
 * of another SQLite in the same process would call into the wrong one. */
static bool use_api(const sqlite3_api_routines *api) {
    const sqlite3_api_routines *used = __atomic_load_n(&sqlite3_api, __ATOMIC_ACQUIRE);
    return used == api ||
           (!used && (__atomic_compare_exchange_n(&sqlite3_api, &used, api, false, __ATOMIC_ACQ_REL,
                                                  __ATOMIC_ACQUIRE) ||
                      used == api));
}

__attribute__((visibility("default"))) int sqlite3_memx_init(sqlite3 *db, char **message,
                                                             const sqlite3_api_routines *api);

int sqlite3_memx_init(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
    if (!use_api(api)) {
        *message =
            api->mprintf("MemX already serves another copy of SQLite in this process; load a "
                         "copy of its file, as memx2, here");
        return SQLITE_ERROR;
    }
    if (sqlite3_libversion_number() < OLDEST_SQLITE) {
        *message =
            sqlite3_mprintf("MemX needs SQLite 3.38 or newer; this is %s", sqlite3_libversion());
        return SQLITE_ERROR;
    }
    memx_session *session = memx_session_new(db);
    if (!session) return SQLITE_NOMEM;
    int rc = register_all(db, session);
    memx_session_release(session);
    if (rc != SQLITE_OK) {
        *message = sqlite3_mprintf("MemX could not be registered: %s", sqlite3_errmsg(db));
        return rc;
    }
    /* While a statement runs, SQLite from 3.41 on refuses to find out that a database is in UTF-16: so that
    ** SELECT memx_init() can be the first one on a connection, the schema is read now. No harm if it cannot be. */
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v2(db, "SELECT 1 FROM sqlite_schema", -1, &statement, NULL);
    sqlite3_finalize(statement);
    /* XGBoost brings OpenMP, which must not be unloaded under its threads. */
    return SQLITE_OK_LOAD_PERMANENTLY;
}
