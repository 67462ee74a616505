/*
** Measures for tests/bench.sh; prints milliseconds, one measurement a line.
**
**   host load MEMX                          sqlite3_load_extension alone, first in this process
**   host query MEMX DB TIMES SQL [SETUP]    every run of SQL to its last row, after SETUP
**   host process TIMES COMMAND...           whole processes, output dropped: wall ms, user ms, peak MiB
*/
#define _DEFAULT_SOURCE
#include <sqlite3.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    return 1;
}

/* Opens a database with the extension loaded, and says how long the loading took. */
static sqlite3 *open_with(const char *memx, const char *path, double *load_ms) {
    sqlite3 *db = NULL;
    char *message = NULL;
    if (sqlite3_open(path, &db) != SQLITE_OK) {
        fail(path, sqlite3_errmsg(db));
        return NULL;
    }
    sqlite3_enable_load_extension(db, 1);
    double start = now_ms();
    int rc = sqlite3_load_extension(db, memx, NULL, &message);
    *load_ms = now_ms() - start;
    if (rc == SQLITE_OK) return db;
    fail(memx, message ? message : "does not load");
    return NULL;
}

static int time_load(const char *memx) {
    double ms;
    sqlite3 *db = open_with(memx, ":memory:", &ms);
    if (!db) return 1;
    printf("%.3f\n", ms);
    return sqlite3_close(db) != SQLITE_OK;
}

static int time_query(const char *memx, const char *path, int times, const char *sql,
                      const char *setup) {
    double ms;
    char *message = NULL;
    sqlite3 *db = open_with(memx, path, &ms);
    if (!db) return 1;
    if (sqlite3_exec(db, setup, NULL, NULL, &message) != SQLITE_OK) return fail(setup, message);
    for (int i = 0; i < times; i++) {
        double start = now_ms();
        if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) return fail(sql, message);
        printf("%.3f\n", now_ms() - start);
    }
    return sqlite3_close(db) != SQLITE_OK;
}

static int time_process(int times, char **command) {
    for (int i = 0; i < times; i++) {
        int status = 0;
        struct rusage usage;
        double start = now_ms();
        pid_t child = fork();
        if (child == 0) {
            int null = open("/dev/null", O_RDWR);
            dup2(null, STDIN_FILENO);
            dup2(null, STDOUT_FILENO);
            execvp(command[0], command);
            _exit(127);
        }
        if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
            return fail(command[0], "ended with an error");
        }
        double wall = now_ms() - start;
        double user = (double)usage.ru_utime.tv_sec * 1e3 + (double)usage.ru_utime.tv_usec * 1e-3;
#ifdef __APPLE__
        double peak = (double)usage.ru_maxrss / 1048576.0;
#else
        double peak = (double)usage.ru_maxrss / 1024.0;
#endif
        printf("%.3f %.3f %.1f\n", wall, user, peak);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "load") == 0) return time_load(argv[2]);
    if ((argc == 6 || argc == 7) && strcmp(argv[1], "query") == 0) {
        return time_query(argv[2], argv[3], atoi(argv[4]), argv[5], argc == 7 ? argv[6] : "");
    }
    if (argc >= 4 && strcmp(argv[1], "process") == 0) return time_process(atoi(argv[2]), argv + 3);
    return fail(argv[0], "see the comment at the top of host.c");
}
