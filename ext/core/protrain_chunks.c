#include "core/protrain_chunks.h"

#include <math.h>
#include <stdlib.h>

static const int32_t SIZES_MIB[] = {256, 128, 64, 32};

enum { MOST_TENSORS = 12 };

/* Parameters of a unit's tensors, in order of use. Returns how many. */
static int unit_tensors(const memx_model *m, int32_t unit, double out[MOST_TENSORS]) {
    double h = (double)m->hidden, table = h * (double)memx_padded_vocab(m, 1);
    double query = (double)m->heads * (double)m->head_dim;
    double kv = (double)m->kv_groups * (double)m->head_dim, f = (double)m->ffn_hidden;
    double norm = memx_norm_parameters(m), up = m->gated_mlp ? 2.0 : 1.0;
    double tensors[MOST_TENSORS];
    int n = 0, count = 0;
    if (unit == 0) {
        tensors[n++] = table;
        tensors[n++] = m->learned_positions ? h * (double)m->seq_length : 0.0;
    } else if (unit > m->layers) {
        tensors[n++] = norm;
        tensors[n++] = m->tied_embeddings ? 0.0 : table;
    } else {
        tensors[n++] = norm;
        tensors[n++] = h * query;
        tensors[n++] = h * kv;
        tensors[n++] = h * kv;
        tensors[n++] = m->biases || m->qkv_biases ? query + 2.0 * kv : 0.0;
        tensors[n++] = query * h;
        tensors[n++] = norm + (m->biases ? h : 0.0);
        tensors[n++] = h * f;
        tensors[n++] = up > 1.0 ? h * f : 0.0;
        tensors[n++] = m->biases ? up * f : 0.0;
        tensors[n++] = f * h;
        tensors[n++] = m->biases ? h : 0.0;
    }
    for (int i = 0; i < n; i++) {
        if (tensors[i] > 0.0) out[count++] = tensors[i];
    }
    return count;
}

/* Where the next parameter goes. Without pieces, chunks are only counted. */
typedef struct cursor {
    double size; /* parameters of a chunk */
    double used; /* of the current chunk */
    double chunk;
    int32_t unit;
    memx_chunks *out; /* NULL: count */
    int32_t capacity;
    memx_status status;
} cursor;

static void next_chunk(cursor *c) {
    if (c->used > 0.0) c->chunk += 1.0;
    c->used = 0.0;
}

static void add_piece(cursor *c, double parameters) {
    memx_chunks *out = c->out;
    memx_piece *last = out && out->piece_count > 0 ? &out->pieces[out->piece_count - 1] : NULL;
    c->used += parameters;
    if (!out || c->status || c->chunk >= MEMX_MOST_CHUNKS) return;
    if (last && last->unit == c->unit && last->chunk == (int32_t)c->chunk) {
        last->parameters += parameters;
        return;
    }
    if (out->piece_count == c->capacity) {
        int32_t capacity = 2 * c->capacity + 64;
        memx_piece *pieces = realloc(out->pieces, (size_t)capacity * sizeof *pieces);
        if (!pieces) {
            c->status = MEMX_NOMEM;
            return;
        }
        out->pieces = pieces;
        c->capacity = capacity;
    }
    out->pieces[out->piece_count++] = (memx_piece){c->unit, (int32_t)c->chunk, parameters, 0.0};
}

static void place_tensor(cursor *c, double parameters) {
    if (parameters <= c->size) {
        if (c->used + parameters > c->size) next_chunk(c);
        add_piece(c, parameters);
        return;
    }
    while (parameters > 0.0 && c->chunk < MEMX_MOST_CHUNKS) {
        if (c->used >= c->size) next_chunk(c);
        double part = fmin(parameters, c->size - c->used);
        add_piece(c, part);
        parameters -= part;
    }
}

static void place_unit(cursor *c, const memx_model *model) {
    double tensors[MOST_TENSORS], total = 0.0;
    int count = unit_tensors(model, c->unit, tensors);
    int32_t first = c->out ? c->out->piece_count : 0;
    for (int i = 0; i < count; i++) total += tensors[i];
    if (total <= c->size && c->used + total > c->size) next_chunk(c);
    for (int i = 0; i < count; i++) {
        place_tensor(c, tensors[i]);
        if (c->unit == 0 && i == 0 && c->out) c->out->table = (int32_t)c->chunk + 1;
    }
    if (!c->out || c->status) return;
    for (int32_t i = first; i < c->out->piece_count; i++) {
        c->out->pieces[i].share = c->out->pieces[i].parameters / total;
    }
    c->out->parameters += total;
}

/* Chunks that the model takes, more than MEMX_MOST_CHUNKS where it is too large. */
static double place_all(cursor *c, const memx_model *model) {
    for (c->unit = 0; c->unit < (int32_t)model->layers + 2; c->unit++) {
        place_unit(c, model);
        if (c->chunk >= MEMX_MOST_CHUNKS) return 2.0 * MEMX_MOST_CHUNKS;
    }
    return c->chunk + 1.0;
}

static double chunk_parameters(double parameter_bytes, int32_t mib) {
    return floor((double)mib * 1048576.0 / parameter_bytes);
}

memx_status memx_chunks_lay(const memx_model *model, double parameter_bytes, int32_t mib,
                            memx_chunks *out, memx_error *error) {
    *out = (memx_chunks){.mib = mib};
    if (!(parameter_bytes > 0.0)) {
        return memx_invalid(error, "the framework's parameter_bytes is 0; chunks need a size");
    }
    cursor c = {.size = chunk_parameters(parameter_bytes, mib), .out = out};
    double count = place_all(&c, model);
    if (c.status) return c.status;
    if (count > MEMX_MOST_CHUNKS) {
        return memx_invalid(error, "model '%s' takes more than %d chunks of %d MiB", model->name,
                            (int)MEMX_MOST_CHUNKS, (int)mib);
    }
    out->count = (int32_t)count;
    return MEMX_OK;
}

memx_status memx_chunks_open(const memx_model *model, double parameter_bytes, memx_chunks *out,
                             memx_error *error) {
    double least = INFINITY;
    int32_t best = SIZES_MIB[0];
    if (parameter_bytes > 0.0) {
        for (size_t i = 0; i < sizeof SIZES_MIB / sizeof SIZES_MIB[0]; i++) {
            cursor c = {.size = chunk_parameters(parameter_bytes, SIZES_MIB[i])};
            double count = place_all(&c, model), bytes = count * (double)SIZES_MIB[i];
            if (count <= MEMX_MOST_CHUNKS && bytes < least) {
                least = bytes;
                best = SIZES_MIB[i];
            }
        }
    }
    return memx_chunks_lay(model, parameter_bytes, best, out, error);
}

void memx_chunks_close(memx_chunks *chunks) {
    free(chunks->pieces);
    *chunks = (memx_chunks){0};
}
