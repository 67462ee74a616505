/*
** The SQL aggregates median, mape, spearman and r2; see aggregates.c.
*/
#ifndef MEMX_SQL_AGGREGATES_H
#define MEMX_SQL_AGGREGATES_H

#include "sqlite3ext.h"

/* Registers them on this connection. Returns SQLITE_OK or the first error code. */
int memx_register_aggregates(sqlite3 *db);

#endif
