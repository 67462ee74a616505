/*
** A row of memx_profile, and the stage that it describes: one reading for all that asks.
*/
#ifndef MEMX_SQL_PROFILE_H
#define MEMX_SQL_PROFILE_H

#include "core/stage.h"

typedef struct memx_profile_row {
    int64_t id, layers, tp, dp, micro_batch, seq_length;
    int64_t heads, kv_groups; /* 0: the model's */
    int64_t in_flight;
    char device[MEMX_NAME_SIZE], model[MEMX_NAME_SIZE], framework[MEMX_NAME_SIZE];
    char recompute[MEMX_NAME_SIZE];
    bool first, last, sequence_parallel, distributed_optimizer;
    double time_ms, allocated_mib, reserved_mib; /* NAN: not measured */
    double weight;
} memx_profile_row;

/* The stage on a device of this model, but for spec->link_gbs. MEMX_INVALID says what cannot be. */
memx_status memx_profile_stage(const memx_profile_row *row, const memx_model *model,
                               memx_stage_spec *spec, memx_stage_choice *choice, memx_error *error);

#endif
