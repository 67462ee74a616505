/*
** Lets a long loop inside the extension notice sqlite3_interrupt and progress handlers.
**
** SQLite 3.40 has no call for it; stepping a prepared "SELECT 1" answers SQLITE_INTERRUPT after the
** one and runs the other, for about a microsecond. It reads no table, so it disturbs nobody.
*/
#ifndef MEMX_SQL_PROBE_H
#define MEMX_SQL_PROBE_H

#include "core/status.h"
#include "sqlite3ext.h"

typedef struct memx_probe {
    sqlite3_stmt *statement;
    memx_poll poll; /* to hand to ext/core */
} memx_probe;

/* The probe must not move after this: its poll points at it. Returns an SQLite code. */
int memx_probe_open(memx_probe *probe, sqlite3 *db);
void memx_probe_close(memx_probe *probe);

#endif
