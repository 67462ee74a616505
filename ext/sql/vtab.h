/*
** What every eponymous virtual table of MemX shares: the object with its connection and session,
** and how errors leave it.
*/
#ifndef MEMX_SQL_VTAB_H
#define MEMX_SQL_VTAB_H

#include "core/status.h"
#include "sql/session.h"
#include "sqlite3ext.h"

#include <math.h>
#include <stdbool.h>

typedef struct memx_vtab {
    sqlite3_vtab base; /* must be first */
    sqlite3 *db;
    memx_session *session;
    const char *name; /* goes on behind a parenthesis */
    int kind;         /* for modules that serve two tables */
} memx_vtab;

/* The cost of a plan that lacks a parameter which another order of the tables could supply.
** (Refusing the plan could leave SQLite with none: "no query solution" explains nothing.) */
#define MEMX_LAST_RESORT 1e300
/* By how much a plan costs more in which a parameter is read, but not set: terms of an OR may set it, each its
** own value, and only one scan for each term then finds the rows of all. */
#define MEMX_UNSET 1e9
/* Sets of parameters, one bit each in the order of the arguments (at most 6 are read): those that the query reads,
** that it sets, and whose value comes from another table. SQLite asks for the cost of an OR's terms without what
** stands outside of it. What does is rather the job than the config, the space than the weights: the dearer of two
** sets that are not set is the greater number, so also the one that holds the other. */
static inline double memx_plan_cost(uint64_t read, uint64_t set, uint64_t waiting, double cost) {
    uint64_t unset = read & ~set;
    if (waiting & ~set) return MEMX_LAST_RESORT;
    return unset ? cost * MEMX_UNSET * pow(1e4, (double)unset) : cost;
}

/* xBestIndex of tables that have nothing to show without their arguments, the `count` hidden columns from `first`
** on: takes an equality on each, and sets its bit of idxNum; xFilter gets those taken, in order. An argument may be
** spelled freely. visible, or NULL, has for each argument a column that shows it, or -1, an equality on which means
** its exact text: it is taken where the argument is not set. Returns the arguments whose value waits. */
uint64_t memx_take_arguments(sqlite3_index_info *info, int first, int count, const int *visible);

/* xFilter's side of it for a configuration of a job: texts[] gets the job, the config and, up to MEMX_ARGUMENTS,
** what comes behind them, NULL where it was not taken. MEMX_DONE: one is NULL, which no row equals.
** MEMX_INVALID: there is no job or no config; both are columns of `source`. */
enum { MEMX_ARGUMENTS = 3, MEMX_JOB_AND_CONFIG = 3 /* their bits */ };
memx_status memx_taken_texts(const memx_vtab *vtab, int taken, sqlite3_value *const *argv,
                             const char *source, const char *texts[MEMX_ARGUMENTS],
                             memx_error *error);

/* xConnect of all tables: declares the schema; the table touches nothing that SQL could abuse. */
int memx_vtab_connect(sqlite3 *db, memx_session *session, const char *schema, int kind,
                      sqlite3_vtab **out);
int memx_vtab_disconnect(sqlite3_vtab *vtab);

/* What every cursor begins with. */
typedef struct memx_cursor {
    sqlite3_vtab_cursor base; /* must be first */
    uint64_t scan;            /* of the names that its rows have in common */
} memx_cursor;

/* Allocates a zeroed cursor of `size` bytes that begins with a memx_cursor. */
int memx_cursor_open(sqlite3_vtab *vtab, size_t size, sqlite3_vtab_cursor **out);
int memx_cursor_close(memx_cursor *cursor);

/* The cursor's table, and what to poll. */
static inline memx_vtab *memx_cursor_table(const memx_cursor *cursor) {
    return (memx_vtab *)cursor->base.pVtab;
}
static inline const memx_poll *memx_cursor_poll(const memx_cursor *cursor) {
    return memx_session_poll(memx_cursor_table(cursor)->session);
}

/* Rows' numbers: each row's own among all rows of the table, whatever the arguments, since SQLite takes what
** two terms of an OR find under one number for one row. They are made of names, NULL where there is
** none, and of a number under them. */
void memx_cursor_names(memx_cursor *cursor, const char *const *names, int count);
/* The same of copied values, whose texts can be read without memory then, and blobs stay blobs. MEMX_NOMEM: SQLite
** does not notice where a copy cannot become a text. */
memx_status memx_cursor_values(memx_cursor *cursor, sqlite3_value *const *values, int count);
sqlite3_int64 memx_cursor_rowid(const memx_cursor *cursor, int64_t number);

/* Sets the table's message where there is one and returns the SQLite code of a status. */
int memx_vtab_fail(sqlite3_vtab *vtab, memx_status status, const memx_error *error);

/* The same for a function or a column. */
void memx_result_fail(sqlite3_context *context, memx_status status, const memx_error *error);

/* The text of an argument that is not NULL, whole: what it holds behind a NUL character, which no name
** has, is not cut off but refused. `what` names it: "job". */
memx_status memx_argument_text(sqlite3_value *value, const char *what, const char **out,
                               memx_error *error);

/* A whole number, which may come as a real one, as BI tools bind them. MEMX_INVALID: "NAME is 'x'; write a whole
** number from LEAST to MOST", MOST only where it is below INT64_MAX. */
memx_status memx_argument_whole(sqlite3_value *value, const char *name, int64_t least, int64_t most,
                                int64_t *out, memx_error *error);

/* "NAME", or "NAME (extrapolated)" where it predicts beyond what it was trained on. */
void memx_result_predictor(sqlite3_context *context, const char *name, bool extrapolated);

/* Hands a text over to SQLite and empties it. */
void memx_result_text(sqlite3_context *context, memx_text *text);

#endif
