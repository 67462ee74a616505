#include "core/extent.h"

#include "core/choices.h"

/* ---- bounds ---- */

void memx_bounds_start(memx_bounds *bounds) {
    for (int i = 0; i < MEMX_AXIS_COUNT; i++) {
        bounds->least[i] = INT64_MIN;
        bounds->most[i] = INT64_MAX;
    }
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

bool memx_extent_admits(const memx_extent *extent, int64_t skeleton, const uint32_t *codes,
                        int32_t stages) {
    if (skeleton == extent->first.skeleton &&
        memx_compare_codes(codes, extent->first.codes, stages) < 0) {
        return false;
    }
    return skeleton != extent->last.skeleton ||
           memx_compare_codes(codes, extent->last.codes, stages) <= 0;
}
