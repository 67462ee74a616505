#include "sql/profile.h"

#include <string.h>

static memx_status whole(const char *name, int64_t value, int64_t least, int64_t most,
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
    };
    memx_status status = MEMX_OK;
    for (size_t i = 0; i < sizeof figures / sizeof figures[0] && !status; i++) {
        status = whole(figures[i].name, figures[i].value, figures[i].least, figures[i].most, error);
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
        .distributed_optimizer = r->distributed_optimizer && r->dp > 1,
    };
    status = train_model(r, model, &spec->model, error);
    if (status) return status;
    if (spec->model.heads % r->tp != 0 || spec->model.kv_groups % r->tp != 0) {
        return memx_invalid(error, "tp %lld does not divide heads %lld and kv_groups %lld",
                            (long long)r->tp, (long long)spec->model.heads,
                            (long long)spec->model.kv_groups);
    }
    choice->layers = r->layers;
    if (!memx_level_parse(r->recompute, strlen(r->recompute), &choice->level)) {
        return memx_invalid(error,
                            "recompute is '%.40s'; write none, selective, full, block<N> or "
                            "uniform<N>",
                            r->recompute);
    }
    choice->level = memx_level_canonical(choice->level, choice->layers);
    return MEMX_OK;
}
