#include "predict/signature.h"

#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static void add_numbers(memx_text *out, const double *numbers, size_t count) {
    memx_text_add(out, (const char *)numbers, count * sizeof *numbers);
}

void memx_signature_tuple(const char *predictor, const memx_device *d, const memx_framework *f,
                          const memx_stage_spec *s, const memx_stage_choice *c, memx_text *out) {
    const memx_model *m = &s->model;
    const double device[] = {d->memory_mib,        d->peak_tflops, d->efficiency,  d->memory_gbs,
                             d->memory_efficiency, s->link_gbs,    d->context_mib, d->alpha_static};
    const double framework[] = {
        f->activation_bytes,     f->parameter_bytes, f->gradient_bytes, f->optimizer_bytes,
        f->optimizer_temp_bytes, f->logit_bytes,     f->logits_sharded, f->alpha_act,
        f->fused_attention,      f->dropout,         f->matmul_share,   f->elementwise_bytes,
        f->score_bytes,          f->head_bytes,      f->layer_ms,       f->collective_us,
        f->micro_batch_ms,       f->tp_overlap};
    const double model[] = {
        (double)m->hidden,     (double)m->heads, (double)m->kv_groups,  (double)m->head_dim,
        (double)m->ffn_hidden, (double)m->vocab, (double)m->seq_length, m->gated_mlp,
        m->tied_embeddings,    m->biases,        m->qkv_biases,         m->learned_positions,
        m->layernorm};
    const double stage[] = {(double)s->tp,
                            (double)s->dp,
                            (double)s->micro_batch,
                            (double)s->in_flight,
                            s->first,
                            s->last,
                            s->sequence_parallel,
                            s->distributed_optimizer,
                            (double)c->layers,
                            (double)c->level.kind,
                            (double)c->level.n};
    memx_text_printf(out, "%s/%s/%s/", predictor, d->name, f->name);
    add_numbers(out, device, sizeof device / sizeof *device);
    add_numbers(out, framework, sizeof framework / sizeof *framework);
    add_numbers(out, model, sizeof model / sizeof *model);
    add_numbers(out, stage, sizeof stage / sizeof *stage);
}

void memx_signature_hash(const memx_text *tuple, char out[MEMX_SIGNATURE_TEXT]) {
    XXH128_hash_t hash = XXH3_128bits(tuple->data, tuple->length);
    snprintf(out, MEMX_SIGNATURE_TEXT, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}
