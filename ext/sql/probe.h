/*
** Lets a long loop inside the extension notice sqlite3_interrupt and progress handlers.
**
** SQLite 3.40 has no call for it, but a statement that is stepped answers SQLITE_INTERRUPT after the
** one and runs the other, once in every N steps of its virtual machine. So work is made to count as
** steps: a poll that comes a millisecond or more after the last steps a statement for about 4,000 of
** them for each millisecond, which takes 2 % of it. A handler with N = 100,000 is then asked every 25
** ms. The statement reads no table, so it disturbs nobody; a poll that comes earlier only looks at the
** clock.
**
** SQLite counts the steps of each statement alone, and a connection with one cannot be closed, so it
** lasts no longer than the call that polls. Where calls are short, what a statement stood for is kept
** for the next one, which comes once that time has doubled: after 1, 2, 4 ms and so on, until one has
** stood for enough. That takes 4 % at most.
*/
#ifndef MEMX_SQL_PROBE_H
#define MEMX_SQL_PROBE_H

#include "core/status.h"
#include "sql/watch.h"
#include "sqlite3ext.h"

#include <stdint.h>

typedef struct memx_probe {
    sqlite3 *db;
    memx_watch *watch;       /* is shown how far the work is */
    sqlite3_stmt *statement; /* NULL until a poll needs it */
    int64_t last_ns, paused_ns;
    int64_t wait_ns;  /* from last_ns to the next step */
    int64_t stood_ns; /* what the statement's steps have stood for */
    memx_poll poll;   /* to hand to ext/core */
} memx_probe;

/* The probe must not move after this: its poll points at it. */
void memx_probe_open(memx_probe *probe, sqlite3 *db, memx_watch *watch);

/* Between pause and resume time does not count, and no statement is kept. A probe opens paused. */
void memx_probe_resume(memx_probe *probe);
void memx_probe_pause(memx_probe *probe);

#endif
