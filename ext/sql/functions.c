/*
** The scalar functions:
**
**   phi(time, peak, variance [, weights])   the score; weights: a name or a JSON array
**   memx_init()                             creates the tables, fills the catalog; again: no harm
**   memx_views()                            views for BI tools
**   memx_version(), memx_debug()            what is loaded, and how it was built
*/
#include "core/lines.h"
#include "core/phi.h"
#include "core/text.h"
#include "predict/boost.h"
#include "schema.h"
#include "sql/bracket.h"
#include "sql/catalog.h"
#include "sql/modules.h"
#include "sql/subject.h"
#include "sql/vtab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* A version 2 will need a script that brings version 1 there, run before those of memx_init(). */
#define SCHEMA_VERSION 1
#define QUOTED(x) #x
#define TEXT(x) QUOTED(x)

/* ---- phi ---- */

/* The weights of a constant fourth argument are read once per statement. False after an error. */
static bool weights_argument(sqlite3_context *context, sqlite3_value *value, memx_weights *out) {
    const memx_weights *known = sqlite3_get_auxdata(context, 3);
    if (known) {
        *out = *known;
        return true;
    }
    memx_error error = {.text = ""};
    const char *text = NULL;
    memx_weights *kept = sqlite3_malloc(sizeof *kept);
    memx_status status = kept ? memx_argument_text(value, "weights", &text, &error) : MEMX_NOMEM;
    if (!status) {
        memx_session *session = sqlite3_user_data(context);
        memx_session_enter(session, "phi");
        status = memx_catalog_weights(memx_session_reader(session), text, out, &error);
        memx_session_leave(session);
    }
    if (status) {
        sqlite3_free(kept);
        memx_result_fail(context, status, &error);
        return false;
    }
    *kept = *out;
    sqlite3_set_auxdata(context, 3, kept, sqlite3_free);
    return true;
}

void memx_phi_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    static const char *const names[] = {"time", "peak", "variance"};
    double measures[3];
    memx_error error = {.text = ""};
    if (memx_any_null(argc, argv)) return;
    for (int i = 0; i < 3; i++) {
        int type = sqlite3_value_type(argv[i]);
        measures[i] = sqlite3_value_double(argv[i]);
        if (type == SQLITE_TEXT || type == SQLITE_BLOB) {
            const char *text = (const char *)sqlite3_value_text(argv[i]);
            memx_invalid(&error, "phi(): %s is '%.40s'; write a number, as CAST(x AS REAL)",
                         names[i], text ? text : "");
            memx_result_fail(context, MEMX_INVALID, &error);
            return;
        }
        if (!(measures[i] >= 0.0) || isinf(measures[i])) {
            memx_invalid(&error, "phi(): %s is %g; write a finite number from 0", names[i],
                         measures[i]);
            memx_result_fail(context, MEMX_INVALID, &error);
            return;
        }
    }
    memx_weights weights = *memx_weights_shipped("default");
    if (argc > 3) {
        if (sqlite3_value_type(argv[3]) != SQLITE_TEXT) {
            memx_invalid(&error, "phi(): weights must be a name, as 'default', or a JSON array, as "
                                 "'[0.4, 0.2, 0.4]'");
            memx_result_fail(context, MEMX_INVALID, &error);
            return;
        }
        if (!weights_argument(context, argv[3], &weights)) return;
    }
    double phi = memx_phi(measures[0], measures[1], measures[2], &weights);
    if (isfinite(phi)) sqlite3_result_double(context, phi);
}

/* ---- set-up ---- */

static int check_tables(sqlite3 *db, char **message) {
    memx_error error = {.text = ""};
    memx_reader reader;
    memx_reader_open(&reader, db);
    memx_status status = memx_catalog_check(&reader, &error);
    memx_reader_close(&reader);
    switch (status) {
    case MEMX_OK: return SQLITE_OK;
    case MEMX_NOMEM: return SQLITE_NOMEM;
    case MEMX_INTERRUPTED: return SQLITE_INTERRUPT;
    default: *message = sqlite3_mprintf("%s", error.text); return SQLITE_ERROR;
    }
}

/* All scripts or none of them; what they made is then checked. The answer is a constant, so that nothing can fail
** after the commit. */
static void run_all(sqlite3_context *context, const char *what, const char *const *scripts,
                    size_t count, int (*check)(sqlite3 *db, char **message), const char *answer) {
    sqlite3 *db = sqlite3_context_db_handle(context);
    char *message = NULL;
    memx_bracket b = {0};
    int rc = memx_bracket_open(db, &b);
    if (rc == SQLITE_OK) {
        for (size_t i = 0; i < count && rc == SQLITE_OK; i++) {
            rc = sqlite3_exec(db, scripts[i], NULL, NULL, &message);
        }
        if (rc == SQLITE_OK) rc = check(db, &message);
        rc = memx_bracket_close(&b, rc);
    }
    if (rc == SQLITE_OK) {
        sqlite3_result_text(context, answer, -1, SQLITE_STATIC);
    } else if (rc == SQLITE_NOMEM) {
        sqlite3_result_error_nomem(context);
    } else if (rc == SQLITE_INTERRUPT) {
        memx_result_fail(context, MEMX_INTERRUPTED, NULL);
    } else {
        memx_error error = {.host_code = memx_host_code(rc)};
        memx_invalid(&error, "%s: %s", what, message ? message : memx_bracket_why(&b, rc));
        memx_result_fail(context, MEMX_INVALID, &error);
    }
    sqlite3_free(message);
}

/* The number that a query answers; -1 when it cannot be read. */
static int number_of(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement = NULL;
    int number = -1;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        number = sqlite3_column_int(statement, 0);
    }
    sqlite3_finalize(statement);
    return number;
}

/* The version of the tables in this database: 0 without any, -1 when it cannot be read. */
static int stored_version(sqlite3 *db) {
    int tables = number_of(db, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' "
                               "AND name = 'memx_schema'");
    return tables > 0 ? number_of(db, "SELECT version FROM memx_schema") : tables;
}

void memx_init_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc, (void)argv;
    static const char *const scripts[] = {memx_sql_tables, memx_sql_devices, memx_sql_models,
                                          memx_sql_frameworks, memx_sql_spaces};
    sqlite3 *db = sqlite3_context_db_handle(context);
    int version = stored_version(db);
    memx_error error = {.text = ""};
    if (version > SCHEMA_VERSION) {
        memx_invalid(&error,
                     "memx_init(): this database has MemX tables of version %d, this library "
                     "knows %d; load a newer memx",
                     version, SCHEMA_VERSION);
        memx_result_fail(context, MEMX_INVALID, &error);
        return;
    }
    if (version == SCHEMA_VERSION && sqlite3_db_readonly(db, "main") == 1) {
        sqlite3_result_text(context, "MemX " MEMX_VERSION ": tables are there (read-only database)",
                            -1, SQLITE_STATIC);
        return;
    }
    run_all(context, "memx_init()", scripts, sizeof scripts / sizeof scripts[0], check_tables,
            "MemX " MEMX_VERSION ": tables of version " TEXT(SCHEMA_VERSION));
}

static const char *const view_names[] = {"memx_best", "memx_fastest", "memx_all_configs",
                                         "memx_run_stages", "memx_measured"};
enum { VIEWS = sizeof view_names / sizeof view_names[0] };
#define MAIN "CREATE VIEW main."

/* A view's statement in views.sql, behind MAIN, without its semicolon. */
static memx_span view_text(const char *name) {
    char begin[64];
    snprintf(begin, sizeof begin, MAIN "%s AS", name);
    const char *at = strstr(memx_sql_views, begin);
    at += sizeof MAIN - 1;
    return (memx_span){at, (size_t)(strstr(at, ";\n") - at)};
}

/* Whether main has the view as it is here; SQLite keeps a view's text, but for the schema's name. */
static int view_stands(sqlite3 *db, const char *name, bool *stands) {
    static const char sql[] =
        "SELECT sql FROM main.sqlite_schema WHERE type = 'view' AND name = ?1";
    static const char begin[] = "CREATE VIEW ";
    const memx_span ours = view_text(name);
    sqlite3_stmt *statement = NULL;
    *stands = false;
    int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        *stands = text && strncmp(text, begin, sizeof begin - 1) == 0 &&
                  strlen(text) == sizeof begin - 1 + ours.length &&
                  memcmp(text + sizeof begin - 1, ours.at, ours.length) == 0;
    }
    sqlite3_finalize(statement);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* An authorizer may have had statements ignored. */
static int check_views(sqlite3 *db, char **message) {
    for (int i = 0; i < VIEWS; i++) {
        bool stands;
        int rc = view_stands(db, view_names[i], &stands);
        if (rc != SQLITE_OK) return rc;
        if (stands) continue;
        *message =
            sqlite3_mprintf("view %s was not made; does an authorizer ignore it?", view_names[i]);
        return SQLITE_ERROR;
    }
    return SQLITE_OK;
}

void memx_views_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc, (void)argv;
    static const char answer[] =
        "memx_best, memx_fastest, memx_all_configs, memx_run_stages, memx_measured";
    sqlite3 *db = sqlite3_context_db_handle(context);
    memx_text script = {0};
    int rc = SQLITE_OK;
    for (int i = 0; i < VIEWS && rc == SQLITE_OK; i++) {
        bool stands;
        const memx_span text = view_text(view_names[i]);
        rc = view_stands(db, view_names[i], &stands);
        if (rc != SQLITE_OK || stands) continue;
        memx_text_printf(&script, "DROP VIEW IF EXISTS main.%s;" MAIN, view_names[i]);
        memx_text_add(&script, text.at, text.length);
        memx_text_add(&script, ";", 1);
    }
    if (script.failed) rc = SQLITE_NOMEM;
    if (rc != SQLITE_OK) {
        memx_error error = {.text = ""};
        memx_result_fail(context, memx_sql_failed(db, rc, &error), &error);
    } else if (!script.data) {
        sqlite3_result_text(context, answer, -1, SQLITE_STATIC);
    } else {
        const char *const scripts[] = {script.data};
        run_all(context, "memx_views()", scripts, 1, check_views, answer);
    }
    memx_text_free(&script);
}

/* ---- versions ---- */

void memx_version_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc, (void)argv;
    sqlite3_result_text(context, MEMX_VERSION, -1, SQLITE_STATIC);
}

void memx_debug_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc, (void)argv;
    char xgboost[32];
    memx_boost_version(xgboost, sizeof xgboost);
    char *text = sqlite3_mprintf(
        "memx %s, commit %s, schema %d; built for SQLite %s, running in %s; XGBoost %s; "
        "compiler %s",
        MEMX_VERSION, MEMX_COMMIT, SCHEMA_VERSION, SQLITE_VERSION, sqlite3_libversion(), xgboost,
        __VERSION__);
    if (!text) {
        sqlite3_result_error_nomem(context);
        return;
    }
    sqlite3_result_text(context, text, -1, sqlite3_free);
}
