/*
** A row of memx_profile, and the stage that it describes: one reading for all that asks.
*/
#ifndef MEMX_SQL_PROFILE_H
#define MEMX_SQL_PROFILE_H

#include "core/stage.h"
#include "sqlite3ext.h"

typedef struct memx_profile_row {
    int64_t id, layers, tp, dp, micro_batch, seq_length;
    int64_t heads, kv_groups; /* 0: the model's */
    int64_t in_flight;
    char device[MEMX_NAME_SIZE], model[MEMX_NAME_SIZE], framework[MEMX_NAME_SIZE];
    char recompute[MEMX_NAME_SIZE];
    bool first, last, sequence_parallel;
    int64_t distributed_optimizer;               /* a memx_zero */
    double time_ms, allocated_mib, reserved_mib; /* NAN: not measured */
    double weight;
} memx_profile_row;

/* The columns that describe the stage, in this order: of the table, and arguments of stage_estimate(). */
enum { MEMX_PROFILE_COLUMNS = 16 };
extern const char *const memx_profile_columns[MEMX_PROFILE_COLUMNS];
bool memx_profile_may_be_null(int column);

/* Reads them. MEMX_INVALID says which of them cannot be. */
memx_status memx_profile_read(sqlite3_value **values, memx_profile_row *row, memx_error *error);

/* The stage on a device of this model, but for spec->link_gbs. MEMX_INVALID says what cannot be. */
memx_status memx_profile_stage(const memx_profile_row *row, const memx_model *model,
                               memx_stage_spec *spec, memx_stage_choice *choice, memx_error *error);

/* Of that: a level that a stage can be measured at, which uses no host; and whether tp divides heads and groups. */
memx_status memx_profile_level(const char *text, memx_level *out, memx_error *error);
memx_status memx_profile_divides(int64_t tp, int64_t heads, int64_t kv_groups, memx_error *error);

/* A price as measurements are: allocated_mib is what tensors take, the peak without the context and
** without what alpha_static adds; reserved_mib without the context. */
typedef struct memx_stage_figures {
    double time_ms, allocated_mib, reserved_mib, total_mib;
} memx_stage_figures;

void memx_profile_figures(const memx_device *device, const memx_stage_price *price,
                          memx_stage_figures *out);

#endif
