/*
** Writing all or nothing from within a function, which is itself called by a statement under way.
**
** A transaction or, inside one, a savepoint. SQLite prepares nothing more once memory has run out or an
** interrupt has come, until the statement that called us ends, and an index made meanwhile outdates what
** was prepared before. But it rolls back all that is open when a statement that counts as writing is
** stepped then: the guard, which is under way all along. So nothing in between may DROP a
** table: SQLite refuses that beside it.
*/
#ifndef MEMX_SQL_BRACKET_H
#define MEMX_SQL_BRACKET_H

#include "sqlite3ext.h"

#include <stdbool.h>

typedef struct memx_bracket {
    sqlite3 *db;
    bool nested;
    sqlite3_stmt *guard;
    char message[200]; /* why it could not be opened or kept; what is undone says something else */
} memx_bracket;

/* SQLite's code; after a failure nothing is open, and nothing was written. */
int memx_bracket_open(sqlite3 *db, memx_bracket *out);

/* Keeps what was done if `rc` is SQLITE_OK, and undoes it if not, or where keeping fails: SQLITE_BUSY
** where another connection is reading, SQLITE_ERROR where the calling statement is writing. */
int memx_bracket_close(memx_bracket *bracket, int rc);

/* Why it was not opened or kept, as a user reads it. */
const char *memx_bracket_why(const memx_bracket *bracket, int rc);

#endif
