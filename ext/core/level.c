#include "core/level.h"

#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = {"none", "selective", "block", "uniform", "full"};

static bool takes_number(memx_level_kind kind) {
    return kind == MEMX_BLOCK || kind == MEMX_UNIFORM;
}

bool memx_level_parse(const char *text, size_t length, memx_level *out) {
    for (int kind = MEMX_NONE; kind <= MEMX_FULL; kind++) {
        size_t name = strlen(kind_names[kind]);
        if (length < name || memcmp(text, kind_names[kind], name) != 0) continue;
        int64_t n = 0;
        if (takes_number((memx_level_kind)kind)) {
            if (length == name || length > name + 5) return false;
            for (size_t i = name; i < length; i++) {
                if (text[i] < '0' || text[i] > '9') return false;
                n = n * 10 + (text[i] - '0');
            }
            if (kind == MEMX_UNIFORM && n == 0) return false;
        } else if (length != name) {
            return false;
        }
        *out = (memx_level){(memx_level_kind)kind, (int32_t)n};
        return true;
    }
    return false;
}

size_t memx_level_format(memx_level level, char *out) {
    int length = takes_number(level.kind)
                     ? snprintf(out, MEMX_LEVEL_TEXT, "%s%d", kind_names[level.kind], (int)level.n)
                     : snprintf(out, MEMX_LEVEL_TEXT, "%s", kind_names[level.kind]);
    return (size_t)length;
}

memx_level memx_level_canonical(memx_level level, int64_t layers) {
    const memx_level none = {MEMX_NONE, 0}, full = {MEMX_FULL, 0};
    if (level.kind == MEMX_BLOCK) {
        if (level.n == 0) return none;
        if (level.n >= layers) return full;
    }
    if (level.kind == MEMX_UNIFORM) {
        if (level.n > layers) level.n = (int32_t)layers;
        if (level.n == 1) return full;
    }
    return level;
}

int memx_level_compare(memx_level a, memx_level b) {
    if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
    return a.n < b.n ? -1 : a.n > b.n;
}

int64_t memx_level_recomputed_layers(memx_level level, int64_t layers) {
    switch (level.kind) {
    case MEMX_NONE:
    case MEMX_SELECTIVE: return 0;
    case MEMX_BLOCK: return level.n < layers ? level.n : layers;
    case MEMX_UNIFORM:
    case MEMX_FULL: return layers;
    }
    return 0;
}
