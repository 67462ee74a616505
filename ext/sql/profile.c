#include "sql/profile.h"

#include "core/whole.h"
#include "sql/vtab.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

/* ---- columns ---- */

enum {
    DEVICE,
    MODEL,
    FRAMEWORK,
    LAYERS,
    FIRST_STAGE,
    LAST_STAGE,
    TP,
    DP,
    MICRO_BATCH,
    SEQ_LENGTH,
    HEADS,
    KV_GROUPS,
    RECOMPUTE,
    IN_FLIGHT,
    SEQUENCE_PARALLEL,
    DISTRIBUTED_OPTIMIZER
};

const char *const memx_profile_columns[MEMX_PROFILE_COLUMNS] = {
    "device",
    "model",
    "framework",
    "layers",
    "first_stage",
    "last_stage",
    "tp",
    "dp",
    "micro_batch",
    "seq_length",
    "heads",
    "kv_groups",
    "recompute",
    "in_flight",
    "sequence_parallel",
    "distributed_optimizer",
};

bool memx_profile_may_be_null(int column) {
    return column == HEADS || column == KV_GROUPS;
}

static memx_status whole(sqlite3_value **values, int which, int64_t *out, memx_error *error) {
    *out = sqlite3_value_int64(values[which]);
    if (sqlite3_value_type(values[which]) == SQLITE_INTEGER) return MEMX_OK;
    const unsigned char *text = sqlite3_value_text(values[which]);
    return memx_invalid(error, "%s is '%.40s'; write a whole number", memx_profile_columns[which],
                        text ? (const char *)text : "NULL");
}

static memx_status flag(sqlite3_value **values, int which, bool *out, memx_error *error) {
    int64_t value = 0;
    memx_status status = whole(values, which, &value, error);
    *out = value != 0;
    if (status || value == 0 || value == 1) return status;
    return memx_invalid(error, "%s is '%lld'; write 0 or 1", memx_profile_columns[which],
                        (long long)value);
}

/* NULL is the model's own. */
static memx_status heads(sqlite3_value **values, int which, int64_t *out, memx_error *error) {
    *out = 0;
    if (sqlite3_value_type(values[which]) == SQLITE_NULL) return MEMX_OK;
    memx_status status = whole(values, which, out, error);
    if (status || *out > 0) return status;
    return memx_invalid(error, "%s is '%lld'; write NULL or a whole number from 1",
                        memx_profile_columns[which], (long long)*out);
}

static memx_status text(sqlite3_value **values, int which, char out[MEMX_NAME_SIZE],
                        memx_error *error) {
    const char *name = memx_profile_columns[which], *found = NULL;
    if (sqlite3_value_type(values[which]) == SQLITE_NULL) {
        return memx_invalid(error, "%s is NULL; write 1 to 64 bytes", name);
    }
    memx_status status = memx_argument_text(values[which], name, &found, error);
    if (status) return status;
    size_t length = strlen(found);
    if (length > 0 && length < MEMX_NAME_SIZE) {
        memcpy(out, found, length + 1);
        return MEMX_OK;
    }
    return memx_invalid(error, "%s is '%.40s'; write 1 to 64 bytes", name, found);
}

memx_status memx_profile_read(sqlite3_value **values, memx_profile_row *row, memx_error *error) {
    memx_status status = text(values, DEVICE, row->device, error);
    if (!status) status = text(values, MODEL, row->model, error);
    if (!status) status = text(values, FRAMEWORK, row->framework, error);
    if (!status) status = text(values, RECOMPUTE, row->recompute, error);
    if (!status) status = whole(values, LAYERS, &row->layers, error);
    if (!status) status = whole(values, TP, &row->tp, error);
    if (!status) status = whole(values, DP, &row->dp, error);
    if (!status) status = whole(values, MICRO_BATCH, &row->micro_batch, error);
    if (!status) status = whole(values, SEQ_LENGTH, &row->seq_length, error);
    if (!status) status = whole(values, IN_FLIGHT, &row->in_flight, error);
    if (!status) status = heads(values, HEADS, &row->heads, error);
    if (!status) status = heads(values, KV_GROUPS, &row->kv_groups, error);
    if (!status) status = flag(values, FIRST_STAGE, &row->first, error);
    if (!status) status = flag(values, LAST_STAGE, &row->last, error);
    if (!status) status = flag(values, SEQUENCE_PARALLEL, &row->sequence_parallel, error);
    if (!status) status = whole(values, DISTRIBUTED_OPTIMIZER, &row->distributed_optimizer, error);
    return status;
}

/* ---- the stage ---- */

static memx_status within(const char *name, int64_t value, int64_t least, int64_t most,
                          memx_error *error) {
    if (value >= least && value <= most) return MEMX_OK;
    return memx_invalid(error, "%s is '%lld'; write a whole number from %lld to %lld", name,
                        (long long)value, (long long)least, (long long)most);
}

/* The model as the row trains it: without figures of its own as published. */
static memx_status train_model(const memx_profile_row *r, const memx_model *model, memx_model *out,
                               memx_error *error) {
    int64_t heads = r->heads > 0 ? r->heads : model->heads;
    int64_t groups = r->kv_groups;
    if (groups < 1) groups = model->kv_groups == model->heads ? heads : model->kv_groups;
    return memx_model_vary(model, r->seq_length, heads, groups, out, error);
}

memx_status memx_profile_level(const char *text, memx_level *out, memx_error *error) {
    if (memx_level_parse(text, strlen(text), out) && !memx_level_uses_host(*out)) return MEMX_OK;
    return memx_invalid(
        error, "recompute is '%.40s'; write none, selective, full, block<N> or uniform<N>", text);
}

memx_status memx_profile_divides(int64_t tp, int64_t heads, int64_t kv_groups, memx_error *error) {
    if (heads % tp == 0 && kv_groups % tp == 0) return MEMX_OK;
    return memx_invalid(error, "tp %lld does not divide heads %lld and kv_groups %lld",
                        (long long)tp, (long long)heads, (long long)kv_groups);
}

memx_status memx_profile_stage(const memx_profile_row *r, const memx_model *model,
                               memx_stage_spec *spec, memx_stage_choice *choice,
                               memx_error *error) {
    const struct {
        const char *name;
        int64_t value, least, most;
    } figures[] = {
        {"layers", r->layers, 1, model->layers},
        {"tp", r->tp, 1, 100000},
        {"dp", r->dp, 1, 10000000},
        {"micro_batch", r->micro_batch, 1, 1000000000},
        {"in_flight", r->in_flight, 1, 1000000},
        {"seq_length", r->seq_length, 1, 100000000},
        {"heads", r->heads, 0, 100000},
        {"kv_groups", r->kv_groups, 0, 100000},
        {"distributed_optimizer", r->distributed_optimizer, 0, MEMX_ZERO_PARAMETERS},
    };
    memx_status status = MEMX_OK;
    for (size_t i = 0; i < sizeof figures / sizeof figures[0] && !status; i++) {
        status =
            within(figures[i].name, figures[i].value, figures[i].least, figures[i].most, error);
    }
    if (status) return status;
    *spec = (memx_stage_spec){
        .tp = r->tp,
        .dp = r->dp,
        .micro_batch = r->micro_batch,
        .in_flight = r->in_flight,
        .first = r->first,
        .last = r->last,
        .sequence_parallel = r->sequence_parallel && r->tp > 1,
        .distributed_optimizer = r->dp > 1 ? r->distributed_optimizer : 0,
    };
    status = train_model(r, model, &spec->model, error);
    if (status) return status;
    status = memx_profile_divides(r->tp, spec->model.heads, spec->model.kv_groups, error);
    if (!status) status = memx_profile_level(r->recompute, &choice->level, error);
    if (status) return status;
    choice->layers = r->layers;
    choice->level = memx_level_canonical(choice->level, choice->layers);
    return MEMX_OK;
}

void memx_profile_figures(const memx_device *device, const memx_stage_price *price,
                          memx_stage_figures *out) {
    const memx_stage_memory *m = &price->memory;
    double total = memx_mib(memx_stage_peak_kib(m));
    double held = total - memx_mib(m->context_kib);
    double overhead = memx_mib(m->static_kib) * (1.0 - 1.0 / device->alpha_static);
    *out = (memx_stage_figures){memx_ms(price->forward_ns + price->backward_ns), held - overhead,
                                held, total};
}
