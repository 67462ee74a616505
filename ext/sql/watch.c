#define _POSIX_C_SOURCE 200809L /* for isatty. NOLINT */
#include "sql/watch.h"

#include "core/clock.h"
#include "sql/modules.h"
#include "sql/session.h"
#include "sql/vtab.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

SQLITE_EXTENSION_INIT3

static const int64_t NS = 1000000000, ROW_NS = 500000000, LINE_NS = 2000000000,
                     MOST_NS = 5000000000;
enum { PATIENCE = 20 }; /* times as long as the last write took */

/* ---- the file ---- */

static const char table[] =
    "CREATE TABLE IF NOT EXISTS memx_progress("
    "id INTEGER PRIMARY KEY, process BIGINT NOT NULL, work VARCHAR(32) NOT NULL, what TEXT, "
    "done BIGINT, total BIGINT, seconds DOUBLE NOT NULL, started TEXT NOT NULL, "
    "updated TEXT NOT NULL, state VARCHAR(16) NOT NULL)";

static const char first_row[] =
    "INSERT INTO memx_progress(process, work, what, done, total, seconds, started, updated, state) "
    "VALUES (?2, ?3, ?4, ?5, ?6, ?7, strftime('%Y-%m-%d %H:%M:%f', 'now', printf('-%.3f seconds', "
    "?7)), strftime('%Y-%m-%d %H:%M:%f', 'now'), ?8)";
static const char later_row[] =
    "UPDATE memx_progress SET what = ?4, done = ?5, total = ?6, seconds = ?7, "
    "updated = strftime('%Y-%m-%d %H:%M:%f', 'now'), state = ?8 WHERE id = ?1";

/* Whether the connection has this database open, under whatever name. */
static bool is_open(sqlite3 *db, const char *path) {
    struct stat wanted, other;
    sqlite3_stmt *statement = NULL;
    bool found = false;
    if (stat(path, &wanted) != 0) return false;
    int rc = sqlite3_prepare_v2(db, "PRAGMA database_list", -1, &statement, NULL);
    while (rc == SQLITE_OK && !found && sqlite3_step(statement) == SQLITE_ROW) {
        const char *file = (const char *)sqlite3_column_text(statement, 2);
        found = file && stat(file, &other) == 0 && other.st_dev == wanted.st_dev &&
                other.st_ino == wanted.st_ino;
    }
    sqlite3_finalize(statement);
    return found;
}

/* The same, or what SQLite keeps beside such a database. */
static bool is_own(sqlite3 *db, const char *path) {
    static const char *const parts[] = {"", "-journal", "-wal", "-shm"};
    bool own = false;
    for (int i = 0; i < 4 && !own; i++) {
        size_t length = strlen(path), part = strlen(parts[i]);
        if (length < part || strcmp(path + length - part, parts[i]) != 0) continue;
        char *database = sqlite3_mprintf("%.*s", (int)(length - part), path);
        own = database && is_open(db, database);
        sqlite3_free(database);
    }
    return own;
}

/* Whether its table has these columns; SQLITE_ERROR where it is another of that name. */
static int check_table(sqlite3 *file) {
    sqlite3_stmt *first = NULL, *later = NULL;
    int rc = sqlite3_prepare_v2(file, first_row, -1, &first, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_prepare_v2(file, later_row, -1, &later, NULL);
    sqlite3_finalize(first);
    sqlite3_finalize(later);
    return rc;
}

/* With the table in it. To be closed in any case. Where the file holds nothing else, nobody waits for the
** disk: what a crash of the machine could cost is not worth it. */
static int open_file(const char *path, sqlite3 **out) {
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_open_v2(path, out, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_exec(*out, table, NULL, NULL, NULL);
    if (rc == SQLITE_OK) rc = check_table(*out);
    if (rc == SQLITE_OK) {
        rc = sqlite3_prepare_v2(*out, "SELECT 1 FROM sqlite_schema WHERE name <> 'memx_progress'",
                                -1, &statement, NULL);
    }
    bool alone = rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    if (alone) sqlite3_exec(*out, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    return rc;
}

static void close_file(memx_watch *watch) {
    sqlite3_close(watch->file);
    watch->file = NULL;
    watch->row = 0;
}

static int name_length(const memx_watch *watch) {
    return (int)strcspn(watch->work, "(");
}

static void write_row(memx_watch *watch, double seconds, const char *state) {
    sqlite3_stmt *statement = NULL;
    if (!watch->file &&
        (is_own(watch->db, watch->path) || open_file(watch->path, &watch->file) != SQLITE_OK)) {
        close_file(watch);
        return;
    }
    if (sqlite3_prepare_v2(watch->file, watch->row ? later_row : first_row, -1, &statement, NULL) !=
        SQLITE_OK) {
        return;
    }
    if (watch->row) {
        sqlite3_bind_int64(statement, 1, watch->row);
    } else {
        sqlite3_bind_int64(statement, 2, getpid());
        sqlite3_bind_text(statement, 3, watch->work, name_length(watch), SQLITE_TRANSIENT);
    }
    if (watch->text[0]) {
        sqlite3_bind_text(statement, 4, watch->text, -1, SQLITE_TRANSIENT);
        sqlite3_bind_int64(statement, 5, watch->loop.done);
    }
    if (watch->loop.total > 0) sqlite3_bind_int64(statement, 6, watch->loop.total);
    sqlite3_bind_double(statement, 7, seconds);
    sqlite3_bind_text(statement, 8, state, -1, SQLITE_STATIC);
    if (sqlite3_step(statement) == SQLITE_DONE && !watch->row) {
        watch->row = sqlite3_last_insert_rowid(watch->file);
    }
    sqlite3_finalize(statement);
}

/* ---- standard error ---- */

static void write_line(const memx_watch *watch, double seconds, const char *state) {
    char line[320];
    bool terminal = isatty(STDERR_FILENO), running = strcmp(state, "running") == 0;
    int at = snprintf(line, sizeof line, "%.*s", name_length(watch), watch->work);
    if (watch->text[0]) {
        at += snprintf(line + at, sizeof line - (size_t)at, ": %s: %lld", watch->text,
                       (long long)watch->loop.done);
        if (watch->loop.total > 0) {
            at += snprintf(line + at, sizeof line - (size_t)at, " of %lld",
                           (long long)watch->loop.total);
        }
    }
    snprintf(line + at, sizeof line - (size_t)at, ", %.1f s%s%s", seconds, running ? "" : ", ",
             running ? "" : state);
    if (terminal) {
        fprintf(stderr, "\r%-79s%s", line, running ? "" : "\n");
    } else {
        fprintf(stderr, "%s\n", line);
    }
}

/* ---- both ---- */

static void show(memx_watch *watch, int64_t now, const char *state) {
    double seconds = (double)(now - watch->began_ns) / (double)NS;
    const memx_loop *loop = watch->progress.loop;
    if (loop) { /* else what was shown last: between two loops */
        snprintf(watch->text, sizeof watch->text, "%s%s%.100s", loop->what, loop->name ? " " : "",
                 loop->name ? loop->name : "");
        watch->loop = *loop;
    } else if (watch->text[0] && watch->loop.what == watch->progress.ended.what &&
               watch->loop.name == watch->progress.ended.name) {
        watch->loop.done = watch->progress.ended.done;
    }
    watch->shown = true;
    if (watch->path) write_row(watch, seconds, state);
    if (watch->lines) write_line(watch, seconds, state);
}

void memx_watch_look(memx_watch *watch, int64_t now) {
    if (!watch->work || (now < watch->next_ns && !watch->progress.silent)) return;
    watch->progress.silent = 0;
    show(watch, now, "running");
    int64_t after = memx_clock_ns(),
            least = watch->lines && !isatty(STDERR_FILENO) ? LINE_NS : ROW_NS;
    int64_t patient = PATIENCE * (after - now);
    if (patient > MOST_NS) patient = MOST_NS;
    watch->next_ns = after + (patient > least ? patient : least);
}

void memx_watch_begin(memx_watch *watch, const char *work) {
    if (!watch->path && !watch->lines) return;
    watch->work = work;
    watch->loop = (memx_loop){.what = NULL};
    watch->text[0] = '\0';
    watch->began_ns = memx_clock_ns();
    watch->next_ns = watch->began_ns + ROW_NS;
    watch->interrupted = watch->shown = false;
}

/* Between rows SQLite notices by itself that it was interrupted; a statement still does afterwards. */
static bool was_interrupted(sqlite3 *db) {
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(db, "SELECT 1", -1, &statement, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_step(statement);
    sqlite3_finalize(statement);
    return rc == SQLITE_INTERRUPT;
}

void memx_watch_end(memx_watch *watch) {
    /* What nothing looked at in between is told at its end. */
    if (watch->work && (watch->shown || memx_clock_ns() >= watch->began_ns + ROW_NS)) {
        watch->interrupted = watch->interrupted || was_interrupted(watch->db);
        show(watch, memx_clock_ns(), watch->interrupted ? "interrupted" : "ended");
    }
    close_file(watch);
    watch->work = NULL;
    watch->progress = (memx_progress){.loop = NULL};
}

void memx_watch_interrupted(memx_watch *watch) {
    watch->interrupted = true;
}

void memx_watch_start(memx_watch *watch, sqlite3 *db) {
    *watch = (memx_watch){.db = db};
}

void memx_watch_stop(memx_watch *watch) {
    close_file(watch);
    sqlite3_free(watch->path);
    *watch = (memx_watch){.db = watch->db};
}

/* ---- the function ---- */

/* A host that forbids ATTACH forbids this as well. */
static bool may_attach(sqlite3 *db, const char *path) {
    sqlite3_stmt *statement = NULL;
    char *sql = sqlite3_mprintf("ATTACH %Q AS memx_progress", path);
    bool may = sql && sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, -1) > 0 &&
               sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_AUTH;
    sqlite3_finalize(statement);
    sqlite3_free(sql);
    return may;
}

static memx_status watch_file(memx_watch *watch, const char *path, memx_error *error) {
    sqlite3 *file = NULL;
    memx_status status = MEMX_OK;
    if (!may_attach(watch->db, path)) {
        return memx_invalid(error, "memx_watch: '%.200s': this host does not let SQL open files",
                            path);
    }
    if (is_own(watch->db, path)) {
        return memx_invalid(error,
                            "memx_watch: '%.200s' is open in this connection, whose locks would "
                            "hold its progress back; name another file",
                            path);
    }
    int rc = open_file(path, &file);
    const char *full =
        rc == SQLITE_OK || rc == SQLITE_BUSY ? sqlite3_db_filename(file, "main") : NULL;
    if (rc == SQLITE_NOMEM) {
        status = MEMX_NOMEM;
    } else if (rc == SQLITE_ERROR) {
        status = memx_invalid(error,
                              "memx_watch: '%.200s' has a memx_progress of another kind (%.100s); "
                              "name another file",
                              path, sqlite3_errmsg(file));
    } else if (rc != SQLITE_OK && rc != SQLITE_BUSY) {
        status = memx_invalid(error, "memx_watch: '%.200s': %s", path,
                              file ? sqlite3_errmsg(file) : sqlite3_errstr(rc));
    } else if (!full || !*full) {
        status = memx_invalid(error,
                              "memx_watch: '%.200s' is no file; write the name of a database, or "
                              "'stderr'",
                              path);
    } else {
        watch->path = sqlite3_mprintf("%s", full);
        if (!watch->path) status = MEMX_NOMEM;
    }
    sqlite3_close(file);
    return status;
}

void memx_watch_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    memx_session *session = sqlite3_user_data(context);
    memx_watch *watch = memx_session_watch(session);
    const char *target = NULL;
    memx_error error = {.text = ""};
    memx_status status = MEMX_OK;
    (void)argc;
    memx_watch_stop(watch);
    memx_session_show(session, false);
    int type = sqlite3_value_type(argv[0]); /* reading it as a text may change that */
    if (type == SQLITE_NULL) return;
    status = memx_argument_text(argv[0], "memx_watch", &target, &error);
    if (!status && (type != SQLITE_TEXT || sqlite3_stricmp(target, "stdout") == 0 ||
                    sqlite3_stricmp(target, "-") == 0)) {
        status = memx_invalid(&error,
                              "memx_watch: the target is %.60s; write the name of a database file "
                              "as a text, or 'stderr'",
                              target);
    } else if (!status && sqlite3_stricmp(target, "stderr") == 0) {
        watch->lines = true;
    } else if (!status) {
        status = watch_file(watch, target, &error);
    }
    if (status) {
        memx_result_fail(context, status, &error);
        return;
    }
    memx_session_show(session, true);
    sqlite3_result_text(context, watch->path ? watch->path : "stderr", -1, SQLITE_TRANSIENT);
}
