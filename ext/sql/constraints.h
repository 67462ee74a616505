/*
** What the tables that search (memx_configs, protrain_configs) make of constraints and orders alike.
**
** A constraint has a code of one character: '=', '<', '>', 'l' (<=), 'g' (>=).
*/
#ifndef MEMX_SQL_CONSTRAINTS_H
#define MEMX_SQL_CONSTRAINTS_H

#include "sqlite3ext.h"

#include <stdbool.h>
#include <stdint.h>

/* Rows that a query may take where it says no max_rows. */
enum { MEMX_DEFAULT_MAX_ROWS = 10000000 };

/* The code of an operator, or 0 for what is left to SQLite. `bounded`: a column whose bounds the search
** takes; `looked_up`: one whose equality it takes. */
char memx_constraint_code(unsigned char op, bool bounded, bool looked_up);

/* Whether a constraint's value stands in the query itself: `job = 'x'` names a job, a join does not. */
bool memx_constraint_literal(sqlite3_index_info *info, int constraint);

/* Whether the rows can come in the order that is asked for: by job; ranked; or job by job, ranked.
** `measured`: the order's last column can be ranked by. */
bool memx_can_order(const sqlite3_index_info *info, int job_column, bool measured, bool *ranked,
                    bool *job_by_job);

/* The number that a whole one is bounded by. False for what is none, or is beyond every degree: SQLite's own
** comparison decides. */
bool memx_constraint_number(sqlite3_value *value, double *out);

/* Narrows whole numbers. */
void memx_constraint_narrow(int64_t *least, int64_t *most, char code, double x);

/* A value that equals no name, though its bytes up to a NUL may. */
bool memx_no_name(sqlite3_value *value);

#endif
