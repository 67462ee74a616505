/*
** Reads rows of stored tables into C structs, checking every value's type on the way. From the first read
** until it is closed, or lets go, all of them see one state of the database.
**
** A reader keeps its prepared statements for one connection, since a lookup is read anew for each
** query. It must be closed before the connection is; session.h ties it to the virtual tables.
*/
#ifndef MEMX_SQL_READER_H
#define MEMX_SQL_READER_H

#include "core/status.h"
#include "core/text.h"
#include "sqlite3ext.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef enum memx_field_type {
    MEMX_F_COUNT,          /* int64_t from INTEGER */
    MEMX_F_FLAG,           /* bool from 0 or 1 */
    MEMX_F_NUMBER,         /* double from REAL or INTEGER */
    MEMX_F_NUMBER_OR_NULL, /* the same; NULL keeps what the struct held */
    MEMX_F_NAME            /* char[MEMX_NAME_SIZE] from TEXT of 1 to 64 bytes */
} memx_field_type;

typedef struct memx_field {
    const char *column; /* an SQL expression; messages name what follows its " AS " */
    memx_field_type type;
    size_t offset;
} memx_field;

/* What is read: columns of "FROM <rest>" with one text parameter, ?1. Constant: statements are kept
** by its address. */
typedef struct memx_query {
    const char *table; /* for messages */
    const char *rest;
    const memx_field *fields;
    int count;
} memx_query;

/* Of an array of fields. */
#define MEMX_QUERY(table, rest, fields)                                                            \
    { table, rest, fields, (int)(sizeof(fields) / sizeof(fields)[0]) }

enum { MEMX_READER_STATEMENTS = 16 };

typedef struct memx_reader {
    sqlite3 *db;
    struct {
        const memx_query *query;
        sqlite3_stmt *statement;
    } kept[MEMX_READER_STATEMENTS];
    int kept_count;
    sqlite3_stmt *state; /* under way while reads are to see one state of the database */
    int depth; /* of reads inside reads: stored tables must not be views that lead back to MemX */
} memx_reader;

void memx_reader_open(memx_reader *reader, sqlite3 *db);
void memx_reader_close(memx_reader *reader);
/* Before long work after the last read, and before writing: who reads keeps others from writing. */
void memx_reader_let_go(memx_reader *reader);

/* One row: MEMX_OK, MEMX_DONE where there is none, or a failure with its message. Every value read
** is appended to `key` where that is not NULL. */
memx_status memx_reader_one(memx_reader *reader, const memx_query *query, const char *parameter,
                            void *out, memx_text *key, memx_error *error);

/* Whether the query can be prepared; the message names the table. */
memx_status memx_reader_check(memx_reader *reader, const memx_query *query, memx_error *error);

/* Every row: `visit` is called with `buffer` filled, after `blank` has been copied into it. */
typedef memx_status (*memx_row_visit)(void *context, const void *row, memx_error *error);
memx_status memx_reader_each(memx_reader *reader, const memx_query *query, const char *parameter,
                             const void *blank, void *buffer, size_t size, memx_row_visit visit,
                             void *context, memx_text *key, memx_error *error);

/* Around every other read of a stored table: refuses a read inside reads inside reads. What reads
** on a connection shares one reader, so that no view can go round the count. */
memx_status memx_reader_enter(memx_reader *reader, const char *table, memx_error *error);
void memx_reader_leave(memx_reader *reader);

/* A text where it is JSON, else another. Until 3.41 or so json_valid() answers 0 for want of memory as well: so it is
** asked again, of a copy, and what is wanting then is an error. */
#define MEMX_SQL_JSON(text, otherwise)                                                             \
    "CASE WHEN json_valid(" text ") OR json_valid(" text " || '') THEN " text                      \
    " || '' ELSE " otherwise " END"

/* MEMX_INVALID where this SQLite reads 1.5 in JSON as 1: some builds until 3.41 do, in hosts
** whose locale has another decimal point. To be asked before JSON is read. */
memx_status memx_reader_check_json(memx_reader *reader, memx_error *error);

/* Whether a failure is SQLite's that a text is no JSON. */
static inline bool memx_no_json(memx_status status, const memx_error *error) {
    return status == MEMX_FAILED && strncmp(error->text, "malformed JSON", 14) == 0;
}

/* SQLITE_BUSY and SQLITE_LOCKED, in whichever form, which hosts ask again on; else 0. */
int memx_host_code(int rc);

/* Turns a failed prepare or step into a status and a message. */
memx_status memx_sql_failed(sqlite3 *db, int rc, memx_error *error);

/* "; nearest: a, b, c" of the names in a query's first column, those closest in spelling; or, where
** none is alike, "; there are: ..., and 30 more". Where it has a second column, names that share its
** value count as one, and one of them is that value. "" where there are none. */
void memx_nearest_names(memx_reader *reader, const char *table, const char *sql, const char *name,
                        memx_text *out);

#endif
