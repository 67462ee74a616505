/*
** What every eponymous virtual table of MemX shares: the object with its connection and session,
** and how errors leave it.
*/
#ifndef MEMX_SQL_VTAB_H
#define MEMX_SQL_VTAB_H

#include "core/status.h"
#include "sql/session.h"
#include "sqlite3ext.h"

#include <stdbool.h>

typedef struct memx_vtab {
    sqlite3_vtab base; /* must be first */
    sqlite3 *db;
    memx_session *session;
    int kind; /* for modules that serve two tables */
} memx_vtab;

/* The cost of a plan that lacks a parameter which another order of the tables could supply.
** (Refusing the plan could leave SQLite with none: "no query solution" explains nothing.) */
#define MEMX_LAST_RESORT 1e99

/* xConnect of all tables: declares the schema; the table touches nothing that SQL could abuse. */
int memx_vtab_connect(sqlite3 *db, memx_session *session, const char *schema, int kind,
                      sqlite3_vtab **out);
int memx_vtab_disconnect(sqlite3_vtab *vtab);

/* Sets the table's message where there is one and returns the SQLite code of a status. */
int memx_vtab_fail(sqlite3_vtab *vtab, memx_status status, const memx_error *error);

/* The same for a function or a column. */
void memx_result_fail(sqlite3_context *context, memx_status status, const memx_error *error);

/* Hands a text over to SQLite and empties it. */
void memx_result_text(sqlite3_context *context, memx_text *text);

#endif
