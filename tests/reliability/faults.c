/*
** Runs a script's statements one after the other, each again and again with one fault at another point: an allocation
** of SQLite's, one of the library's own, an interrupt, a write or sync that fails, a full disk. A statement that a fault
** meets gives an error, or its usual answer; then the database is what it was before it, and the same statement
** succeeds. Nothing is leaked, and the last connection closes.
**
**   faults SCRIPT POINTS DIRECTORY [KIND]   POINTS: at most so many a statement and kind of fault, of allocations, writes and
**                                    syncs one for every way that calls lead there
**
** Prints `name value unit note`, separated by tabs, for each kind; exit code 1 when something was wrong. Linked with
** the library's objects, whose malloc, calloc, realloc and free go through the wrappers here.
*/
#include <execinfo.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reliability/answer.h"

extern int sqlite3_memx_init(sqlite3 *db, char **message, const struct sqlite3_api_routines *api);

typedef enum fault {
    OF_SQLITE,
    OF_SQLITE_LASTING,
    OF_LIBRARY,
    INTERRUPT,
    IO_ERROR,
    DISK_FULL,
    FAULTS
} fault;
static const char *const names[FAULTS] = {"sqlite_allocations", "sqlite_allocations_lasting",
                                          "own_allocations",    "interrupts",
                                          "io_errors",          "full_disks"};

static fault kind;
static bool armed;
static int64_t seen, at; /* points so far, and the one that fails */
static bool struck;
enum { FRAMES = 512 };
static void *struck_at[FRAMES];
static int struck_depth;
static int64_t live; /* the library's own allocations */

/* While a statement runs without a fault: the first point of every call path, in a hash table of their own. A path is
** the program's own calls, from the statement on, and the innermost of SQLite's: how its parser nests in between makes
** no other way for us to fail. */
enum { PATHS = 1 << 17, INNERMOST = 2 };
extern char __executable_start, etext; /* the program, by the linker */
typedef struct call_path {
    uint64_t hash;
    int64_t point;
} call_path;
static call_path *paths; /* NULL: they are not wanted */
static int64_t path_count;

static void note_path(void) {
    void *frames[FRAMES];
    int n = backtrace(frames, FRAMES), kept = 0, others = 0;
    for (int i = 0; i < n; i++) {
        const char *to = frames[i];
        bool ours = to >= &__executable_start && to < &etext;
        if (ours || others++ < INNERMOST) frames[kept++] = frames[i];
    }
    uint64_t hash = answer_mix(ANSWER_START, frames, (size_t)kept * sizeof *frames) | 1;
    for (uint64_t i = hash % PATHS; path_count < PATHS / 2; i = (i + 1) % PATHS) {
        if (paths[i].hash == hash) return;
        if (paths[i].hash) continue;
        paths[i] = (call_path){hash, seen};
        path_count++;
        return;
    }
}

static bool fails(fault of) {
    if (!armed || answer_reading || (kind != of && !(kind == OF_SQLITE_LASTING && of == OF_SQLITE)))
        return false;
    bool now = kind == OF_SQLITE_LASTING || kind == DISK_FULL ? seen >= at : seen == at;
    if (paths && of != INTERRUPT) note_path();
    seen++;
    if (now && !struck) struck_depth = backtrace(struck_at, FRAMES);
    struck = struck || now;
    return now;
}

/* ---- allocations ---- */

extern void *__real_malloc(size_t n);
extern void *__real_calloc(size_t n, size_t size);
extern void *__real_realloc(void *p, size_t n);
extern void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void __wrap_free(void *p);

void *__wrap_malloc(size_t n) {
    void *p = fails(OF_LIBRARY) ? NULL : __real_malloc(n);
    live += p != NULL;
    return p;
}
void *__wrap_calloc(size_t n, size_t size) {
    void *p = fails(OF_LIBRARY) ? NULL : __real_calloc(n, size);
    live += p != NULL;
    return p;
}
void *__wrap_realloc(void *old, size_t n) {
    void *p = fails(OF_LIBRARY) ? NULL : __real_realloc(old, n);
    live += p != NULL && !old;
    return p;
}
void __wrap_free(void *p) {
    live -= p != NULL;
    __real_free(p);
}

static sqlite3_mem_methods usual;
static void *sqlite_malloc(int n) {
    return fails(OF_SQLITE) ? NULL : usual.xMalloc(n);
}
static void *sqlite_realloc(void *p, int n) {
    return fails(OF_SQLITE) ? NULL : usual.xRealloc(p, n);
}

static int interrupts(void *unused) {
    (void)unused;
    return fails(INTERRUPT);
}

/* ---- files ---- */

/* A file of the usual kind behind one whose writing can fail. */
typedef struct shim {
    sqlite3_file base;
    sqlite3_file *real;
} shim;
#define REAL(file) (((shim *)(file))->real)
#define PASS(method, ...) return REAL(file)->pMethods->method(REAL(file), ##__VA_ARGS__)

static int refuses(void) {
    if (fails(IO_ERROR)) return SQLITE_IOERR_WRITE;
    return fails(DISK_FULL) ? SQLITE_FULL : SQLITE_OK;
}
static int shim_close(sqlite3_file *file) {
    PASS(xClose);
}
static int shim_read(sqlite3_file *file, void *to, int n, sqlite3_int64 offset) {
    PASS(xRead, to, n, offset);
}
static int shim_write(sqlite3_file *file, const void *from, int n, sqlite3_int64 offset) {
    int rc = refuses();
    if (rc) return rc;
    PASS(xWrite, from, n, offset);
}
static int shim_truncate(sqlite3_file *file, sqlite3_int64 size) {
    PASS(xTruncate, size);
}
static int shim_sync(sqlite3_file *file, int flags) {
    if (fails(IO_ERROR)) return SQLITE_IOERR_FSYNC;
    PASS(xSync, flags);
}
static int shim_size(sqlite3_file *file, sqlite3_int64 *size) {
    PASS(xFileSize, size);
}
static int shim_lock(sqlite3_file *file, int level) {
    PASS(xLock, level);
}
static int shim_unlock(sqlite3_file *file, int level) {
    PASS(xUnlock, level);
}
static int shim_reserved(sqlite3_file *file, int *out) {
    PASS(xCheckReservedLock, out);
}
static int shim_control(sqlite3_file *file, int op, void *argument) {
    PASS(xFileControl, op, argument);
}
static int shim_sector(sqlite3_file *file) {
    PASS(xSectorSize);
}
static int shim_characteristics(sqlite3_file *file) {
    PASS(xDeviceCharacteristics);
}
static const sqlite3_io_methods shim_methods = {
    .iVersion = 1,
    .xClose = shim_close,
    .xRead = shim_read,
    .xWrite = shim_write,
    .xTruncate = shim_truncate,
    .xSync = shim_sync,
    .xFileSize = shim_size,
    .xLock = shim_lock,
    .xUnlock = shim_unlock,
    .xCheckReservedLock = shim_reserved,
    .xFileControl = shim_control,
    .xSectorSize = shim_sector,
    .xDeviceCharacteristics = shim_characteristics,
};

static sqlite3_vfs *real_vfs;
static int shim_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
                     int *out) {
    shim *s = (shim *)file;
    (void)vfs;
    s->real = (sqlite3_file *)&s[1];
    s->base.pMethods = NULL;
    int rc = real_vfs->xOpen(real_vfs, name, s->real, flags, out);
    if (rc == SQLITE_OK) s->base.pMethods = &shim_methods;
    return rc;
}

/* It is always the same time. */
static int noon(sqlite3_vfs *vfs, sqlite3_int64 *ms) {
    (void)vfs;
    *ms = INT64_C(212727600000000);
    return SQLITE_OK;
}

/* ---- a database ---- */

static const char *directory;

static void path_of(char out[512], const char *name) {
    snprintf(out, 512, "%s/%s", directory, name);
}

static bool on_file(void) {
    return kind == IO_ERROR || kind == DISK_FULL;
}

static void die(const char *what, sqlite3 *db) {
    printf("faults: %.70s: %s\n", what, db ? sqlite3_errmsg(db) : "");
    exit(2);
}

/* The image as a database in memory, or in a file whose writes can fail. */
static sqlite3 *open_image(const unsigned char *image, sqlite3_int64 size) {
    sqlite3 *db = NULL;
    if (on_file()) {
        char path[512], journal[560];
        path_of(path, "image.db");
        snprintf(journal, sizeof journal, "%s-journal", path);
        remove(journal);
        FILE *f = fopen(path, "wb");
        if (!f || (size > 0 && fwrite(image, (size_t)size, 1, f) != 1) || fclose(f))
            die("no file", NULL);
        if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL))
            die("open", db);
        sqlite3_exec(db, "PRAGMA cache_size = 20", NULL, NULL,
                     NULL); /* it spills, so that more is written */
        return db;
    }
    if (sqlite3_open(":memory:", &db)) die("open", db);
    if (size > 0) {
        unsigned char *copy = sqlite3_malloc64((sqlite3_uint64)size);
        if (!copy) die("no memory", NULL);
        memcpy(copy, image, (size_t)size);
        if (sqlite3_deserialize(db, "main", copy, size, size,
                                SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)) {
            die("deserialize", db);
        }
    }
    return db;
}

/* All that is stored: schema and rows. */
static uint64_t contents(sqlite3 *db) {
    sqlite3_stmt *tables = NULL;
    uint64_t all = 0, one = 0;
    if (answer_of(db, "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name", &all))
        die("schema", db);
    if (sqlite3_prepare_v2(db,
                           "SELECT printf('SELECT * FROM \"%w\"', name) FROM sqlite_schema WHERE "
                           "type = 'table' ORDER BY name",
                           -1, &tables, NULL)) {
        die("tables", db);
    }
    while (sqlite3_step(tables) == SQLITE_ROW) {
        if (answer_of(db, (const char *)sqlite3_column_text(tables, 0), &one)) die("rows", db);
        all = answer_mix(all, &one, sizeof one);
    }
    sqlite3_finalize(tables);
    return all;
}

/* ---- one statement ---- */

typedef struct step {
    char *sql;
    unsigned char *image; /* of the database before it */
    sqlite3_int64 size;
    uint64_t before, after, answer;
} step;

typedef struct tally {
    int64_t statements, points, places, injected, errors, wrong;
} tally;

static void complain(tally *t, const step *s, const char *what, sqlite3 *db) {
    printf("faults: %s, point %lld of '%.70s': %s (%s)\n", names[kind], (long long)at, s->sql, what,
           db ? sqlite3_errmsg(db) : "");
    (void)fflush(stdout);
    if (struck) backtrace_symbols_fd(struck_at, struck_depth, STDOUT_FILENO); /* for addr2line */
    t->wrong++;
}

static bool intact(sqlite3 *db) {
    sqlite3_stmt *check = NULL;
    bool ok = sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &check, NULL) == SQLITE_OK &&
              sqlite3_step(check) == SQLITE_ROW &&
              strcmp((const char *)sqlite3_column_text(check, 0), "ok") == 0;
    sqlite3_finalize(check);
    return ok;
}

/* The statement with a fault at a point: false when it has no such point. */
static bool strike(const step *s, int64_t point, tally *t) {
    sqlite3 *db = open_image(s->image, s->size);
    uint64_t answer = 0;
    if (kind == INTERRUPT) sqlite3_progress_handler(db, 1, interrupts, NULL);
    seen = 0;
    at = point;
    struck = false;
    armed = true;
    int rc = answer_of(db, s->sql, &answer);
    armed = false;
    sqlite3_progress_handler(db, 0, NULL, NULL);
    bool met = struck;
    t->injected += met;
    t->errors += met && rc != SQLITE_OK;
    if (!met && rc) complain(t, s, "fails without a fault", db);
    if (rc == SQLITE_OK && answer != s->answer) complain(t, s, "another answer", db);
    if (!sqlite3_get_autocommit(db)) complain(t, s, "a transaction is open", db);
    if (on_file()) { /* as the next process finds it */
        sqlite3_close(db);
        char path[512];
        path_of(path, "image.db");
        if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL)) die("open again", db);
        if (!intact(db)) complain(t, s, "the file is damaged", db);
    }
    uint64_t now = contents(db);
    if (now != s->before && now != s->after) complain(t, s, "the database is half changed", db);
    /* SQLite looks for an interrupt once more after an INSERT has committed; a commit that did not hear of its last
     * sync may stand as well. */
    if (rc != SQLITE_OK && rc != SQLITE_INTERRUPT && now != s->before && !on_file())
        complain(t, s, "failed, and changed the database", db);
    if (now == s->before && rc != SQLITE_OK) {
        rc = answer_of(db, s->sql, &answer);
        if (rc || answer != s->answer) complain(t, s, "does not succeed afterwards", db);
        if (contents(db) != s->after) complain(t, s, "does another thing afterwards", db);
    }
    if (sqlite3_close(db)) complain(t, s, "the connection does not close", NULL);
    return met;
}

static int earlier(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The first allocation of every call path, else every point; where these are more than `points`, so many of them. */
static void strike_all(const step *s, int64_t points, tally t[FAULTS]) {
    paths = sqlite3_malloc(PATHS * sizeof *paths);
    if (!paths) die("no memory", NULL);
    memset(paths, 0, PATHS * sizeof *paths);
    path_count = 0;
    strike(s, INT64_MAX, &t[kind]); /* which never comes */
    int64_t last = seen, count = path_count > 0 ? path_count : last;
    int64_t *first = sqlite3_malloc64((sqlite3_uint64)(path_count + 1) * sizeof *first);
    if (!first) die("no memory", NULL);
    for (int64_t i = 0, n = 0; i < PATHS; i++) {
        if (paths[i].hash) first[n++] = paths[i].point;
    }
    qsort(first, (size_t)path_count, sizeof *first, earlier);
    sqlite3_free(paths);
    paths = NULL;
    int64_t most = count < points ? count : points;
    for (int64_t n = 0; n < most; n++) {
        int64_t of = n * count / most, point = path_count > 0 ? first[of] : of;
        strike(s, point, &t[kind]);
        if (kind != OF_SQLITE) continue;
        kind = OF_SQLITE_LASTING;
        strike(s, point, &t[kind]);
        kind = OF_SQLITE;
    }
    sqlite3_free(first);
    for (fault f = kind; f <= (kind == OF_SQLITE ? OF_SQLITE_LASTING : kind); f++) {
        t[f].statements++;
        t[f].places += count;
        t[f].points += last;
    }
}

/* ---- all of it ---- */

static char *read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text =
        f ? sqlite3_malloc(1 << 20) : NULL; /* SQLite's: only the library's own are counted */
    if (text) memset(text, 0, 1 << 20);
    if (!text || fread(text, 1, (1 << 20) - 1, f) == 0) die(path, NULL);
    (void)fclose(f);
    return text;
}

/* Runs the script once without faults and keeps what was before and after every statement. */
static size_t prepare(const char *script, step *steps, size_t most) {
    sqlite3 *db = NULL;
    size_t count = 0;
    if (sqlite3_open(":memory:", &db)) die("open", db);
    for (const char *sql = script, *tail = NULL; *sql; sql = tail) {
        sqlite3_stmt *statement = NULL;
        step *s = &steps[count];
        unsigned char *image = sqlite3_serialize(db, "main", &s->size, 0);
        if (sqlite3_prepare_v2(db, sql, -1, &statement, &tail)) die(sql, db);
        if (!statement) {
            sqlite3_free(image);
            continue;
        }
        if (count == most) die("too many statements", NULL);
        s->before = contents(db);
        if (answer_run(statement, &s->answer)) die(sql, db);
        s->image = image;
        s->sql = sqlite3_mprintf("%s", sqlite3_sql(statement));
        sqlite3_finalize(statement);
        s->after = contents(db);
        count++;
    }
    if (sqlite3_close(db)) die("the connection does not close", NULL);
    return count;
}

int main(int argc, char **argv) {
    static step steps[128];
    static tally all[FAULTS];
    static sqlite3_vfs faulty;
    if (argc < 4) return printf("faults SCRIPT POINTS DIRECTORY [KIND]\n"), 2;
    directory = argv[3];
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual);
    sqlite3_mem_methods methods = usual;
    methods.xMalloc = sqlite_malloc;
    methods.xRealloc = sqlite_realloc;
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    sqlite3_auto_extension((void (*)(void))sqlite3_memx_init);
    real_vfs = sqlite3_vfs_find(NULL);
    faulty = *real_vfs;
    faulty.zName = "faulty";
    faulty.szOsFile = (int)sizeof(shim) + real_vfs->szOsFile;
    faulty.xOpen = shim_open;
    faulty.xCurrentTimeInt64 = noon;
    sqlite3_vfs_register(&faulty, 1); /* whose clock all use */
    char *script = read_file(argv[1]);
    size_t count = prepare(script, steps, sizeof steps / sizeof steps[0]);
    int64_t before = live, wrong = 0;
    for (kind = 0; kind < FAULTS; kind++) {
        if (kind == OF_SQLITE_LASTING) continue; /* done with the others of SQLite's */
        if (argc > 4 && strcmp(argv[4], names[kind]) != 0) continue;
        for (size_t s = 0; s < count; s++) {
            if (on_file() && steps[s].before == steps[s].after) continue; /* writes nothing */
            strike_all(&steps[s], atoll(argv[2]), all);
        }
    }
    for (const tally *t = all; t < all + FAULTS; t++) {
        if (t->statements == 0) continue;
        printf("faults.%s\t%lld\tfaults\tof %lld places (%lld times) in %lld statements, %lld of "
               "them errors and the others harmless; wrong: %lld\n",
               names[t - all], (long long)t->injected, (long long)t->places, (long long)t->points,
               (long long)t->statements, (long long)t->errors, (long long)t->wrong);
        wrong += t->wrong;
    }
    for (size_t s = 0; s < count; s++) {
        sqlite3_free(steps[s].image);
        sqlite3_free(steps[s].sql);
    }
    sqlite3_free(script);
    if (live != before) wrong++;
    printf("faults.left\t%lld\tallocations\tof the library's own that nothing freed\n",
           (long long)(live - before));
    sqlite3_reset_auto_extension();
    sqlite3_shutdown();
    return wrong > 0;
}
