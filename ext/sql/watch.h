/*
** Progress: how far a long training, calibration or scan of this connection is, for those who asked.
**
**   SELECT memx_watch('stderr');        lines on standard error; on a terminal one that changes
**   SELECT memx_watch('progress.db');   rows of memx_progress in that database, for any connection to read
**   SELECT memx_watch(NULL);            no more of it
**
** Nothing is written unless asked, and nothing by work that ends within half a second. A row is written
** at most every half second, through a connection of its own that waits for nobody, and after 20 times
** as long as the last write took, 5 s at most; a write that fails is left out. The file must be another
** than those of the connection itself, whose locks would keep every row back until the work is done.
**
** Loops tell how far they are through memx_loop (core/status.h); the probe, which they poll, looks here.
*/
#ifndef MEMX_SQL_WATCH_H
#define MEMX_SQL_WATCH_H

#include "core/status.h"
#include "sqlite3ext.h"

#include <stdbool.h>

typedef struct memx_watch {
    sqlite3 *db;
    memx_progress progress;
    char *path;       /* of the file, NULL: none */
    bool lines;       /* on standard error */
    const char *work; /* up to a parenthesis; NULL between two */
    memx_loop loop;   /* as it was shown last; its texts may be gone */
    char text[160];   /* which kept them */
    int64_t began_ns, next_ns;
    bool interrupted, shown;
    sqlite3 *file; /* from the first row of a work to its end */
    sqlite3_int64 row;
} memx_watch;

void memx_watch_start(memx_watch *watch, sqlite3 *db);
void memx_watch_stop(memx_watch *watch);

/* Around a work. */
void memx_watch_begin(memx_watch *watch, const char *work);
void memx_watch_end(memx_watch *watch);

/* Shows how far it is, where it is time for it; `now` as memx_clock_ns has it. */
void memx_watch_look(memx_watch *watch, int64_t now_ns);
void memx_watch_interrupted(memx_watch *watch);

#endif
