#include "predict/features.h"

#include "predict/constants.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    bool size;
} features[MEMX_FEATURE_COUNT] = {
    [MEMX_FEATURE_TOKENS] = {"tokens", true},
    [MEMX_FEATURE_SEQ_LENGTH] = {"seq_length", true},
    [MEMX_FEATURE_HIDDEN] = {"hidden", true},
    [MEMX_FEATURE_HIDDEN_PER_TP] = {"hidden_per_tp", true},
    [MEMX_FEATURE_WORK_PER_TP] = {"work_per_tp", true},
    [MEMX_FEATURE_LAYERS] = {"layers", true},
    [MEMX_FEATURE_TP] = {"tp", true},
    [MEMX_FEATURE_DP] = {"dp", true},
    [MEMX_FEATURE_IN_FLIGHT] = {"in_flight", true},
    [MEMX_FEATURE_RECOMPUTED] = {"recomputed", false},
    [MEMX_FEATURE_SELECTIVE] = {"selective", false},
    [MEMX_FEATURE_SEQUENCE_PARALLEL] = {"sequence_parallel", false},
    [MEMX_FEATURE_FIRST] = {"first", false},
    [MEMX_FEATURE_LAST] = {"last", false},
    [MEMX_FEATURE_TFLOPS] = {"tflops", true},
    [MEMX_FEATURE_MEMORY_GBS] = {"memory_gbs", true},
    [MEMX_FEATURE_LINK_GBS] = {"link_gbs", true},
    [MEMX_FEATURE_TIME] = {"time", true},
    [MEMX_FEATURE_TIME_PER_LAYER] = {"time_per_layer", true},
    [MEMX_FEATURE_PEAK] = {"peak", true},
    [MEMX_FEATURE_STATIC_SHARE] = {"static_share", false},
    [MEMX_FEATURE_ACTIVATION_SHARE] = {"activation_share", false},
    [MEMX_FEATURE_WORK_SHARE] = {"work_share", false},
    [MEMX_FEATURE_LOGITS_SHARE] = {"logits_share", false},
    [MEMX_FEATURE_EXPERTS] = {"experts", true},
    [MEMX_FEATURE_EP] = {"ep", true},
    [MEMX_FEATURE_CP] = {"cp", true},
    [MEMX_FEATURE_VP] = {"vp", true},
};

const char *memx_feature_name(int32_t feature) {
    return feature >= 0 && feature < MEMX_FEATURE_COUNT ? features[feature].name : NULL;
}

bool memx_feature_is_size(memx_feature feature) {
    return features[feature].size;
}

/* Nothing is 0 that a stage has; where it is, the feature is missing. */
static float size(double x) {
    return x > 0.0 ? (float)log2(x) : NAN;
}

static float share(int64_t part, double whole) {
    return whole > 0.0 ? (float)((double)part / whole) : 0.0F;
}

/* What all choices of a stage have alike. */
static void of_stage(const memx_device *device, const memx_stage_spec *spec, float *out) {
    const memx_model *m = &spec->model;
    double context = (double)memx_stage_context_ranks(spec);
    double tokens = (double)spec->micro_batch * (double)m->seq_length / context;
    double chunks = (double)memx_stage_chunks(spec);
    double h = (double)m->hidden, t = (double)spec->tp;
    out[MEMX_FEATURE_TOKENS] = size(tokens);
    out[MEMX_FEATURE_SEQ_LENGTH] = size((double)m->seq_length);
    out[MEMX_FEATURE_HIDDEN] = size(h);
    out[MEMX_FEATURE_HIDDEN_PER_TP] = size(h / t);
    out[MEMX_FEATURE_WORK_PER_TP] = size(tokens * h / t);
    out[MEMX_FEATURE_TP] = size(t);
    out[MEMX_FEATURE_DP] = size((double)spec->dp);
    out[MEMX_FEATURE_IN_FLIGHT] = size((double)spec->in_flight / chunks);
    out[MEMX_FEATURE_SEQUENCE_PARALLEL] = spec->sequence_parallel ? 1.0F : 0.0F;
    out[MEMX_FEATURE_FIRST] = spec->first ? 1.0F : 0.0F;
    out[MEMX_FEATURE_LAST] = spec->last ? 1.0F : 0.0F;
    out[MEMX_FEATURE_TFLOPS] = size(memx_reached_tflops(device));
    out[MEMX_FEATURE_MEMORY_GBS] = size(device->memory_gbs * device->memory_efficiency);
    out[MEMX_FEATURE_LINK_GBS] = size(spec->link_gbs);
    out[MEMX_FEATURE_EXPERTS] = size(1.0 + (double)m->experts);
    out[MEMX_FEATURE_EP] = size((double)memx_stage_expert_ranks(spec));
    out[MEMX_FEATURE_CP] = size(context);
    out[MEMX_FEATURE_VP] = size(chunks);
}

static void of_choice(const memx_stage_spec *spec, const memx_stage_choice *choice,
                      const memx_stage_price *price, float *out) {
    const memx_stage_memory *memory = &price->memory;
    double of_chunk = (double)choice->layers;
    double layers = (double)memx_stage_chunks(spec) * of_chunk;
    double ms = memx_price_ms(price), held = 1024.0 * memx_held_mib(price);
    double again = (double)memx_level_recomputed_layers(choice->level, choice->layers);
    out[MEMX_FEATURE_LAYERS] = size(layers);
    out[MEMX_FEATURE_RECOMPUTED] = (float)(again / of_chunk);
    out[MEMX_FEATURE_SELECTIVE] = choice->level.kind == MEMX_SELECTIVE ? 1.0F : 0.0F;
    out[MEMX_FEATURE_TIME] = size(ms);
    out[MEMX_FEATURE_TIME_PER_LAYER] = size(ms / layers);
    out[MEMX_FEATURE_PEAK] = size(held / 1024.0);
    out[MEMX_FEATURE_STATIC_SHARE] = share(memory->static_kib, held);
    out[MEMX_FEATURE_ACTIVATION_SHARE] = share(memory->activation_kib, held);
    out[MEMX_FEATURE_WORK_SHARE] = share(memory->work_kib, held);
    out[MEMX_FEATURE_LOGITS_SHARE] = share(memory->logits_kib, held);
}

void memx_features(const memx_device *device, const memx_stage_spec *spec,
                   const memx_stage_choice *choices, const memx_stage_price *prices, size_t count,
                   float *out) {
    for (size_t i = 0; i < count; i++) {
        float *row = out + i * MEMX_FEATURE_COUNT;
        if (i == 0) {
            of_stage(device, spec, row);
        } else {
            memcpy(row, out, MEMX_FEATURE_COUNT * sizeof *row);
        }
        of_choice(spec, &choices[i], &prices[i], row);
    }
}
