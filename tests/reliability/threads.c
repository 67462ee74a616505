/*
** Threads with a connection each on one database, for some seconds: readers that rank, scan and report, trainers that
** train under names of their own and under one and the same, threads that load and unload the library again and again;
** then a child that is forked after all that trains and searches as well. Every answer of a reader is the one that a single thread
** got before; nothing fails but with SQLITE_BUSY.
**
**   threads DATABASE SECONDS [EXTENSION]   DATABASE: with base.sql in it; EXTENSION: loaded by every connection; else the one linked in
*/
#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "reliability/answer.h"

extern int sqlite3_memx_init(sqlite3 *db, char **message, const struct sqlite3_api_routines *api);

enum { READERS = 4, TRAINERS = 3, LOADERS = 1, THREADS = READERS + TRAINERS + LOADERS };

static const char *const questions[] = {
    "SELECT config, phi, iteration_ms, peak_mib FROM memx_configs WHERE job = 'mix20' AND space = "
    "'free' ORDER BY phi LIMIT 3",
    "SELECT count(*), max(phi + 0) FROM memx_configs WHERE job = 'xy'",
    "SELECT stage, time_ms, peak_mib FROM memx_stages('lab6', (SELECT config FROM memx_configs "
    "WHERE job = 'lab6' ORDER BY phi LIMIT 1))",
    "SELECT reason, count FROM memx_why('xy')",
    "SELECT length(memx_report('xy'))",
    "SELECT phi(1, 2, 3), recompute_plan('xy', (SELECT config FROM memx_configs WHERE job = 'xy' "
    "ORDER BY iteration_ms LIMIT 1))",
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

static const char *path, *extension;
static time_t end;
static uint64_t wanted[QUESTIONS];

typedef struct worker {
    pthread_t thread;
    int number;
    int64_t done, busy, wrong;
} worker;

static sqlite3 *connect_to(void) {
    sqlite3 *db = NULL;
    char *message = NULL;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL)) return NULL;
    sqlite3_busy_timeout(db, 20000);
    if (extension) {
        sqlite3_enable_load_extension(db, 1);
        if (sqlite3_load_extension(db, extension, NULL, &message)) {
            printf("threads: %s\n", message);
            sqlite3_close(db);
            return NULL;
        }
    }
    return db;
}

static void complain(worker *w, sqlite3 *db, const char *sql, const char *what) {
    if (w->wrong++ < 3)
        printf("threads: %d: %.60s: %s (%s)\n", w->number, sql, what, db ? sqlite3_errmsg(db) : "");
}

static void try(worker *w, sqlite3 *db, const char *sql, const uint64_t *answer) {
    uint64_t hash;
    int rc = answer_of(db, sql, &hash);
    if (rc == SQLITE_BUSY) {
        w->busy++;
    } else if (rc) {
        complain(w, db, sql, "failed");
    } else if (answer && hash != *answer) {
        complain(w, db, sql, "another answer");
    } else {
        w->done++;
    }
}

static void *work(void *context) {
    worker *w = context;
    char train[200];
    bool loads = w->number >= READERS + TRAINERS, trains = !loads && w->number >= READERS;
    /* One trains what the readers use, from the same rows and so to the same trees; two share a name. */
    snprintf(train, sizeof train,
             "SELECT length(memx_train('%s', '{\"rounds\": 20, \"least_rows\": 5}'))",
             w->number == READERS ? "served" : "again");
    sqlite3 *db = connect_to();
    for (int n = 0; db && time(NULL) < end; n++) {
        int q = (n + w->number) % QUESTIONS;
        try(w, db, trains ? train : questions[q], trains ? NULL : &wanted[q]);
        if (!loads) continue;
        if (sqlite3_close(db)) complain(w, NULL, "", "does not close");
        db = connect_to();
    }
    if (!db || sqlite3_close(db)) complain(w, db, "", "does not open, or close");
    return NULL;
}

int main(int argc, char **argv) {
    static worker workers[THREADS];
    int64_t done = 0, busy = 0, wrong = 0;
    if (argc < 3) return printf("threads DATABASE SECONDS [EXTENSION]\n"), 2;
    path = argv[1];
    extension = argc > 3 ? argv[3] : NULL;
    if (!extension) sqlite3_auto_extension((void (*)(void))sqlite3_memx_init);
    sqlite3 *db = connect_to();
    uint64_t ignored;
    if (!db || answer_of(db, "PRAGMA journal_mode = wal", &ignored))
        return printf("threads: no database\n"), 2;
    for (int q = 0; q < QUESTIONS; q++) {
        if (answer_of(db, questions[q], &wanted[q]))
            return printf("threads: %s\n", sqlite3_errmsg(db)), 2;
    }
    sqlite3_close(db);
    end = time(NULL) + atoi(argv[2]);
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i])) return 2;
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        done += workers[i].done;
        busy += workers[i].busy;
        wrong += workers[i].wrong;
    }
    (void)fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        uint64_t hash = 0;
        db = connect_to();
        int bad = !db ||
                  answer_of(db, "SELECT memx_train('child', '{\"least_rows\": 5}')", &ignored) ||
                  answer_of(db, questions[0], &hash) || hash != wanted[0];
        _exit(bad);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) {
        printf("threads: the child that was forked after training fails\n");
        wrong++;
    }
    printf("threads.statements\t%lld\tstatements\tby %d readers, %d trainers, %d that load again "
           "and again; busy: %lld; wrong: %lld\n",
           (long long)done, READERS, TRAINERS, LOADERS, (long long)busy, (long long)wrong);
    return wrong > 0;
}
