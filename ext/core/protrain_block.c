#include "core/protrain_block.h"

#include "core/whole.h"

#include <stdio.h>

/* ---- analytic operators ---- */

/* Bytes of the tensors of a block, one micro batch. */
typedef struct tensors {
    double rows;           /* tokens x hidden */
    double query, qkv, up; /* outputs of these projections; up without its gate */
    double scores;         /* one tensor of attention scores; 0 with a fused kernel */
    double core;           /* what attention keeps of its inside */
    double mask;           /* of a dropout on rows, one byte an element */
    double dropped;        /* rows after dropout, before the residual sum; 0 without dropout */
    double gate;           /* as up where the MLP is gated */
} tensors;

static tensors block_tensors(const memx_model *m, const memx_framework *f, int64_t micro_batch) {
    double e = f->activation_bytes, n = (double)micro_batch * (double)m->seq_length;
    double query = (double)m->heads * (double)m->head_dim;
    double kv = (double)m->kv_groups * (double)m->head_dim;
    double elements = n * (double)m->heads * (double)m->seq_length;
    tensors t = {
        .rows = e * n * (double)m->hidden,
        .query = e * n * query,
        .qkv = e * n * (query + 2.0 * kv),
        .up = e * n * (double)m->ffn_hidden,
        .gate = m->gated_mlp ? e * n * (double)m->ffn_hidden : 0.0,
    };
    if (f->dropout) {
        t.mask = n * (double)m->hidden;
        t.dropped = t.rows;
    }
    if (f->fused_attention) {
        t.core = 4.0 * n * (double)m->heads; /* one fp32 statistic a row */
    } else {
        t.scores = e * elements;
        t.core = t.scores + (f->dropout ? t.scores + elements : 0.0);
    }
    return t;
}

/* A forward operator and its backward one, in the same terms. */
typedef struct pair {
    const char *name;
    double flops; /* shares of the block's time */
    double kept;  /* its output and what it leaves */
    double intra, inter;
    double backward; /* gradients of its outputs and inputs, at once */
} pair;

enum { PAIRS = 10 };

static void block_pairs(const memx_model *m, const memx_framework *f, const tensors *t,
                        pair out[PAIRS]) {
    double query = (double)m->heads * (double)m->head_dim, h = (double)m->hidden;
    double kv = (double)m->kv_groups * (double)m->head_dim, ffn = (double)m->ffn_hidden;
    double gated = m->gated_mlp ? 1.0 : 0.0, thin = f->elementwise_bytes;
    /* Raw and masked scores, beside the softmax that stays; in backward the gradients of both, and of what
    ** dropout made. A fused kernel sums the query's gradient in fp32. */
    double raw = 2.0 * t->scores;
    double scores_back = t->scores > 0.0 ? (f->dropout ? 3.0 : 2.0) * t->scores
                                         : 4.0 / f->activation_bytes * t->query;
    double residual =
        t->rows + t->dropped; /* a branch's output, and that after dropout, until the sum */
    const pair pairs[PAIRS] = {
        {"norm_attention", thin * h / 4.0, t->rows, t->rows, t->rows, 2.0 * t->rows},
        {"qkv", 2.0 * h * (query + 2.0 * kv), t->qkv, t->qkv, t->qkv, t->qkv + t->rows},
        {"attention", memx_layer_attention_flops(m), t->core + t->query, t->core + t->query,
         t->core + t->query + raw, scores_back + t->query + t->qkv},
        {"projection", 2.0 * h * query, t->rows + t->mask, t->rows, t->rows + t->mask + residual,
         t->rows + t->query},
        {"norm_mlp", thin * h / 4.0, t->rows, t->rows, t->rows, 2.0 * t->rows},
        {"up", 2.0 * h * ffn, t->up, t->up, t->up, t->up + t->rows},
        {"gate", 2.0 * h * ffn * gated, t->gate, t->gate, t->gate, t->gate + t->rows},
        {"activation", thin * h / 2.0, t->up, t->up, 2.0 * t->up, 2.0 * t->up + t->gate},
        {"down", 2.0 * h * ffn, t->rows, t->rows, t->rows, t->rows + t->up},
        {"residual", 0.0, t->mask, t->mask, t->mask + residual, t->rows + t->dropped},
    };
    for (int i = 0; i < PAIRS; i++) out[i] = pairs[i];
}

int32_t memx_block_operators(const memx_model *m, const memx_framework *f, int64_t micro_batch,
                             double forward_ms, double backward_ms, memx_operator *out) {
    const tensors t = block_tensors(m, f, micro_batch);
    pair pairs[PAIRS];
    double flops = 0.0;
    int32_t count = 0;
    block_pairs(m, f, &t, pairs);
    for (int i = 0; i < PAIRS; i++) flops += pairs[i].flops;
    for (int back = 0; back < 2; back++) {
        for (int n = 0; n < PAIRS; n++) {
            const pair *p = &pairs[back ? PAIRS - 1 - n : n];
            if (p->inter <= 0.0 && p->flops <= 0.0) continue; /* a gate that there is not */
            memx_operator *o = &out[count++];
            *o = (memx_operator){.backward = back != 0};
            snprintf(o->name, sizeof o->name, "%s", p->name);
            o->time_ms = (back ? backward_ms : forward_ms) * p->flops / flops;
            /* The gradient of the residual stream is there all along. */
            o->intra_bytes = back ? t.rows + p->backward : p->intra;
            o->inter_bytes = back ? t.rows : p->inter;
            o->kept_bytes = back ? -p->kept : p->kept;
        }
    }
    return count;
}

/* ---- the walk ---- */

typedef struct bytes {
    double forward, backward, unkept;
} bytes;

static double larger3(double a, double b, double c) {
    return memx_larger(memx_larger(a, b), c);
}

void memx_block_walk(const memx_operator *operators, int32_t count, double scale,
                     double input_bytes, memx_block *out) {
    double level = 0.0, forward_ms = 0.0, backward_ms = 0.0, before = 0.0, greatest = 0.0;
    bytes all = {0.0, 0.0, 0.0}, hooked = {0.0, 0.0, 0.0};
    *out = (memx_block){0};
    for (int32_t i = 0; i < count; i++) {
        const memx_operator *o = &operators[i];
        if (o->backward) continue;
        double most = larger3(o->intra_bytes, o->inter_bytes, o->kept_bytes);
        all.forward = memx_larger(all.forward, level + most);
        all.unkept = memx_larger(all.unkept, before + most);
        greatest = memx_larger(greatest, most);
        level += o->kept_bytes;
        hooked.forward = memx_larger(hooked.forward, level);
        hooked.unkept = memx_larger(hooked.unkept, before + o->kept_bytes);
        before = memx_larger(o->kept_bytes, 0.0);
        forward_ms += o->time_ms;
        out->intervals++;
    }
    out->kept_kib = memx_whole_kib(scale * memx_larger(level, 0.0));
    level = 0.0;
    bool backward = false;
    for (int32_t i = 0; i < count; i++) {
        const memx_operator *o = &operators[i];
        if (!o->backward) continue;
        backward = true;
        all.backward =
            memx_larger(all.backward, level + larger3(o->intra_bytes, o->inter_bytes, 0.0));
        level += o->kept_bytes;
        hooked.backward = memx_larger(hooked.backward, level);
        backward_ms += o->time_ms;
    }
    if (!backward) {
        backward_ms = 2.0 * forward_ms;
        all.backward = greatest;
    }
    out->forward_ns = memx_whole_ns(scale * forward_ms);
    out->backward_ns = memx_whole_ns(scale * backward_ms);
    out->input_kib = memx_whole_kib(input_bytes);
    out->forward_kib = memx_whole_kib(scale * all.forward);
    out->backward_kib = memx_whole_kib(scale * all.backward);
    out->unkept_kib = memx_whole_kib(scale * all.unkept);
    out->hooked_forward_kib = memx_whole_kib(scale * hooked.forward);
    out->hooked_backward_kib = memx_whole_kib(scale * hooked.backward);
    out->hooked_unkept_kib = memx_whole_kib(scale * hooked.unkept);
}
