#include "core/extent.h"

/* ---- bounds ---- */

void memx_bounds_start(memx_bounds *bounds) {
    for (int i = 0; i < MEMX_AXIS_COUNT; i++) {
        bounds->least[i] = INT64_MIN;
        bounds->most[i] = INT64_MAX;
    }
}

int64_t memx_knob(const memx_knobs *k, memx_axis axis) {
    switch (axis) {
    case MEMX_AXIS_TP: return k->tp;
    case MEMX_AXIS_PP: return k->pp;
    case MEMX_AXIS_DP: return k->dp;
    case MEMX_AXIS_MICRO_BATCH: return k->micro_batch;
    case MEMX_AXIS_SEQ_LENGTH: return k->seq_length;
    case MEMX_AXIS_HEADS: return k->heads;
    case MEMX_AXIS_KV_GROUPS: return k->kv_groups;
    case MEMX_AXIS_CP: return k->cp;
    case MEMX_AXIS_EP: return k->ep;
    case MEMX_AXIS_VP: return k->vp;
    case MEMX_AXIS_SEQUENCE_PARALLEL: return k->sequence_parallel;
    case MEMX_AXIS_DISTRIBUTED_OPTIMIZER: return k->distributed_optimizer;
    case MEMX_AXIS_COUNT: break;
    }
    return 0;
}

bool memx_knobs_equal(const memx_knobs *a, const memx_knobs *b) {
    for (int i = 0; i < MEMX_AXIS_COUNT; i++) {
        if (memx_knob(a, (memx_axis)i) != memx_knob(b, (memx_axis)i)) return false;
    }
    return true;
}

bool memx_bounds_admit(const memx_bounds *bounds, const memx_knobs *knobs) {
    for (int i = 0; i < MEMX_AXIS_COUNT; i++) {
        int64_t value = memx_knob(knobs, (memx_axis)i);
        if (value < bounds->least[i] || value > bounds->most[i]) return false;
    }
    return true;
}

/* ---- places ---- */

void memx_extent_start(memx_extent *extent) {
    memx_bounds_start(&extent->bounds);
    extent->first.skeleton = -1;
    extent->last.skeleton = INT64_MAX;
}

bool memx_extent_has(const memx_extent *extent, int64_t skeleton, const memx_knobs *knobs) {
    return skeleton >= extent->first.skeleton && skeleton <= extent->last.skeleton &&
           memx_bounds_admit(&extent->bounds, knobs);
}

static int compare_codes(const uint32_t *a, const uint32_t *b, int32_t count) {
    for (int32_t s = 0; s < count; s++) {
        if (a[s] != b[s]) return a[s] < b[s] ? -1 : 1;
    }
    return 0;
}

bool memx_extent_admits(const memx_extent *extent, int64_t skeleton, const uint32_t *codes,
                        int32_t stages) {
    if (skeleton == extent->first.skeleton &&
        compare_codes(codes, extent->first.codes, stages) < 0) {
        return false;
    }
    return skeleton != extent->last.skeleton ||
           compare_codes(codes, extent->last.codes, stages) <= 0;
}
