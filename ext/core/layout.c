#include "core/layout.h"

#include <string.h>

/* MOST_BYTES bounds the work: a group is read as often as it is repeated. */
enum { MOST_REPEATS = 10000, MOST_LAYERS = 10000, MOST_BYTES = 16384 };

/* ---- writing ---- */

void memx_layout_write(const int64_t *layers, int64_t count, memx_text *out) {
    memx_text_printf(out, "Et*%lld|", (long long)layers[0]);
    for (int64_t s = 1; s < count - 1;) {
        int64_t same = 1;
        while (s + same < count - 1 && layers[s + same] == layers[s]) same++;
        if (same > 1) {
            memx_text_printf(out, "(t*%lld|)*%lld", (long long)layers[s], (long long)same);
        } else {
            memx_text_printf(out, "t*%lld|", (long long)layers[s]);
        }
        s += same;
    }
    memx_text_printf(out, "t*%lldL", (long long)layers[count - 1]);
}

/* ---- reading ---- */

typedef struct reader {
    int32_t *layers;
    int32_t count, most; /* stages so far, the open one among them */
    bool embedding, loss;
    memx_error *error;
} reader;

static memx_status next_stage(reader *r) {
    if (r->count == r->most) {
        return memx_invalid(r->error, "a layout of more than %d stages", (int)r->most);
    }
    r->layers[r->count++] = 0;
    return MEMX_OK;
}

static memx_status add_layers(reader *r, int64_t n) {
    int32_t *open = &r->layers[r->count - 1];
    if (r->loss) return memx_invalid(r->error, "a layer behind the loss");
    if (!r->embedding) return memx_invalid(r->error, "a layer before the embedding");
    if (n > MOST_LAYERS || *open + n > MOST_LAYERS) {
        return memx_invalid(r->error, "a stage of more than %d layers", (int)MOST_LAYERS);
    }
    *open += (int32_t)n;
    return MEMX_OK;
}

static memx_status add_item(reader *r, char item, int64_t times) {
    memx_status status = MEMX_OK;
    switch (item) {
    case 't': return add_layers(r, times);
    case '|':
        for (int64_t i = 0; i < times && !status; i++) status = next_stage(r);
        return status;
    case 'E':
        if (times != 1 || r->embedding || r->count != 1) {
            return memx_invalid(r->error, "E stands once, on the first stage");
        }
        r->embedding = true;
        return MEMX_OK;
    case 'L':
        if (times != 1 || r->loss) return memx_invalid(r->error, "L stands once, at the end");
        r->loss = true;
        return MEMX_OK;
    case 'm':
        return memx_invalid(r->error, "multi-token prediction (m), which MemX does not model");
    default:
        return memx_invalid(r->error, "'%c' is none of E, t, L, |, ( and )",
                            item >= ' ' && item < 0x7f ? item : '?');
    }
}

static memx_status take_times(reader *r, memx_span *text, int64_t *times) {
    *times = 1;
    while (memx_take(text, ",")) continue;
    if (!memx_take(text, "*")) return MEMX_OK;
    if (memx_take_whole(text, times) && *times <= MOST_REPEATS) return MEMX_OK;
    return memx_invalid(r->error, "'*' is followed by no number up to %d", (int)MOST_REPEATS);
}

/* Items with their repetitions; commas were never there. */
static memx_status read_items(reader *r, memx_span text) {
    memx_status status = MEMX_OK;
    while (text.length > 0 && !status) {
        char item = text.at[0];
        int64_t times = 1;
        text = memx_span_from(text, 1);
        if (item == ',') continue;
        status = take_times(r, &text, &times);
        if (!status && times > 0) status = add_item(r, item, times);
    }
    return status;
}

static memx_status read_letters(reader *r, memx_span text) {
    memx_status status = next_stage(r);
    while (text.length > 0 && !status) {
        size_t open = memx_span_find(text, "(");
        int64_t times = 1;
        status = read_items(r, (memx_span){text.at, open});
        text = memx_span_from(text, open);
        if (status || !memx_take(&text, "(")) continue;
        size_t close = memx_span_find(text, ")");
        memx_span group = {text.at, close};
        text = memx_span_from(text, close);
        if (!memx_take(&text, ")") || group.length == 0 || !memx_span_begins(text, "*")) {
            return memx_invalid(r->error, "'(' without ')*' and a number behind it");
        }
        status = take_times(r, &text, &times);
        for (int64_t i = 0; i < times && !status; i++) status = read_items(r, group);
    }
    return status;
}

/* [['embedding', 'decoder'], ...]: the words of each inner list. */
static memx_status read_list(reader *r, memx_span text) {
    static const struct {
        const char *word;
        char item;
    } words[] = {{"embedding", 'E'}, {"decoder", 't'}, {"loss", 'L'}, {"mtp", 'm'}};
    memx_status status = MEMX_OK;
    int depth = 0;
    while (text.length > 0 && !status) {
        char c = text.at[0];
        size_t w = 0;
        while (w < sizeof words / sizeof words[0] && !memx_span_begins(text, words[w].word)) w++;
        if (w < sizeof words / sizeof words[0] && depth == 2) {
            status = add_item(r, words[w].item, 1);
            text = memx_span_from(text, strlen(words[w].word));
            continue;
        }
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (depth < 0 || depth > 2 || c == '\0' || !strchr("[]'\", ", c)) {
            return memx_invalid(r->error, "a list that is no list of stages");
        }
        if (c == '[' && depth == 2) status = next_stage(r);
        text = memx_span_from(text, 1);
    }
    if (!status && depth != 0) return memx_invalid(r->error, "a list without its end");
    return status;
}

memx_status memx_layout_read(memx_span text, int32_t *layers, int32_t *count, int32_t most,
                             memx_error *error) {
    reader r = {.most = most, .error = error};
    r.layers = layers;
    if (text.length > MOST_BYTES) {
        return memx_invalid(error, "a layout of more than %d characters", (int)MOST_BYTES);
    }
    memx_status status = memx_span_begins(text, "[") ? read_list(&r, text) : read_letters(&r, text);
    if (status) return status;
    if (!r.embedding || !r.loss) {
        return memx_invalid(error, "a layout without %s", r.embedding ? "L" : "E");
    }
    for (int32_t s = 0; s < r.count; s++) {
        if (layers[s] > 0) continue;
        return memx_invalid(error, "stage %d has no layer, which MemX does not model", (int)s);
    }
    *count = r.count;
    return MEMX_OK;
}
