#include "sql/constraints.h"

#include "core/whole.h"

#include <math.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

char memx_constraint_code(unsigned char op, bool bounded, bool looked_up) {
    if (op == SQLITE_INDEX_CONSTRAINT_EQ && (bounded || looked_up)) return '=';
    if (!bounded) return 0;
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_LT: return '<';
    case SQLITE_INDEX_CONSTRAINT_GT: return '>';
    case SQLITE_INDEX_CONSTRAINT_LE: return 'l';
    case SQLITE_INDEX_CONSTRAINT_GE: return 'g';
    default: return 0;
    }
}

bool memx_constraint_literal(sqlite3_index_info *info, int constraint) {
    sqlite3_value *value = NULL;
    return sqlite3_vtab_rhs_value(info, constraint, &value) == SQLITE_OK && value;
}

bool memx_can_order(const sqlite3_index_info *info, int job_column, bool measured, bool *ranked,
                    bool *job_by_job) {
    int n = info->nOrderBy;
    *ranked = n > 0 && measured;
    *job_by_job = n > 0 && info->aOrderBy[0].iColumn == job_column;
    for (int i = 0; i < n; i++) {
        if (info->aOrderBy[i].desc) return false;
    }
    return n > 0 && n == *ranked + *job_by_job;
}

bool memx_constraint_number(sqlite3_value *value, double *out) {
    int type = sqlite3_value_type(value);
    *out = sqlite3_value_double(value);
    return (type == SQLITE_INTEGER || type == SQLITE_FLOAT) && fabs(*out) < 1e15;
}

void memx_constraint_narrow(int64_t *least, int64_t *most, char code, double x) {
    int64_t from = (int64_t)ceil(x), to = (int64_t)floor(x);
    if (code == '<' && (double)to == x) to--;
    if (code == '>' && (double)from == x) from++;
    if (code != '<' && code != 'l') *least = memx_greatest(*least, from);
    if (code != '>' && code != 'g') *most = memx_least(*most, to);
}

bool memx_no_name(sqlite3_value *value) {
    if (sqlite3_value_type(value) == SQLITE_BLOB) return true;
    const char *text = (const char *)sqlite3_value_text(value);
    return text && strlen(text) != (size_t)sqlite3_value_bytes(value);
}
