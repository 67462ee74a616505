#include "core/level.h"

#include "core/lines.h"

#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = {"none", "selective", "block", "uniform", "full", "swap"};
static const char offload_name[] = "offload";

static bool takes_number(memx_level_kind kind) {
    return kind == MEMX_BLOCK || kind == MEMX_UNIFORM || kind == MEMX_SWAP;
}

/* A number below 100,000 that is all of the text. */
static bool parse_number(const char *text, size_t length, int32_t *out) {
    memx_span rest = {text, length};
    int64_t n = 0;
    if (!memx_take_whole(&rest, &n) || rest.length > 0 || n >= 100000) return false;
    *out = (int32_t)n;
    return true;
}

static bool parse_kind(const char *text, size_t length, memx_level *out) {
    for (int kind = MEMX_NONE; kind <= MEMX_SWAP; kind++) {
        size_t name = strlen(kind_names[kind]);
        if (length < name || memcmp(text, kind_names[kind], name) != 0) continue;
        out->kind = (memx_level_kind)kind;
        if (!takes_number(out->kind)) return length == name;
        return parse_number(text + name, length - name, &out->n) &&
               (out->kind != MEMX_UNIFORM || out->n > 0);
    }
    return false;
}

static bool parse_offload(const char *text, size_t length, memx_level *out) {
    size_t name = sizeof offload_name - 1;
    return length > name && memcmp(text, offload_name, name) == 0 &&
           parse_number(text + name, length - name, &out->offload) && out->offload <= 100;
}

bool memx_level_parse(const char *text, size_t length, memx_level *out) {
    const char *plus = memchr(text, '+', length);
    memx_level level = {MEMX_NONE, 0, 0};
    bool read;
    if (plus) {
        size_t kind = (size_t)(plus - text);
        read = parse_kind(text, kind, &level) && parse_offload(plus + 1, length - kind - 1, &level);
    } else {
        read = parse_kind(text, length, &level) || parse_offload(text, length, &level);
    }
    if (read) *out = level;
    return read;
}

size_t memx_level_format(memx_level level, char *out) {
    size_t length = 0, room = MEMX_LEVEL_TEXT;
    if (level.kind != MEMX_NONE || level.offload == 0)
        length = (size_t)snprintf(out, room, "%s", kind_names[level.kind]);
    if (takes_number(level.kind))
        length += (size_t)snprintf(out + length, room - length, "%d", (int)level.n);
    if (level.offload > 0)
        length += (size_t)snprintf(out + length, room - length, "%s%s%d", length ? "+" : "",
                                   offload_name, (int)level.offload);
    return length;
}

memx_level memx_level_canonical(memx_level level, int64_t layers) {
    if ((level.kind == MEMX_UNIFORM || level.kind == MEMX_SWAP) && level.n > layers)
        level.n = (int32_t)layers;
    if ((level.kind == MEMX_BLOCK || level.kind == MEMX_SWAP) && level.n == 0)
        level.kind = MEMX_NONE;
    if ((level.kind == MEMX_BLOCK && level.n >= layers) ||
        (level.kind == MEMX_UNIFORM && level.n == 1)) {
        level.kind = MEMX_FULL;
        level.n = 0;
    }
    return level;
}

int memx_level_compare(memx_level a, memx_level b) {
    if (a.offload != b.offload) return a.offload < b.offload ? -1 : 1;
    if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
    return a.n < b.n ? -1 : a.n > b.n;
}

int64_t memx_level_recomputed_layers(memx_level level, int64_t layers) {
    switch (level.kind) {
    case MEMX_NONE:
    case MEMX_SELECTIVE:
    case MEMX_SWAP: return 0;
    case MEMX_BLOCK: return level.n < layers ? level.n : layers;
    case MEMX_UNIFORM:
    case MEMX_FULL: return layers;
    }
    return 0;
}

bool memx_level_uses_host(memx_level level) {
    return level.offload > 0 || (level.kind == MEMX_SWAP && level.n > 0);
}
