#include "predict/signature.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static void add_numbers(memx_text *out, const double *numbers, size_t count) {
    memx_text_add(out, (const char *)numbers, count * sizeof *numbers);
}

static void add_name(memx_text *out, const char *name) {
    memx_text_add(out, name, strlen(name));
    memx_text_add(out, "/", 1);
}

void memx_signature_stage(const char *predictor, const char *fingerprint, const memx_device *d,
                          const memx_framework *f, const memx_stage_spec *s, memx_text *out) {
    const memx_model *m = &s->model;
    const double device[] = {d->memory_mib, d->peak_tflops,       d->efficiency,
                             d->memory_gbs, d->memory_efficiency, s->link_gbs,
                             s->host_gbs,   d->context_mib,       d->alpha_static};
    const double framework[] = {
        f->activation_bytes,     f->parameter_bytes, f->gradient_bytes,    f->optimizer_bytes,
        f->optimizer_temp_bytes, f->logit_bytes,     f->logits_sharded,    f->alpha_act,
        f->fused_attention,      f->dropout,         f->matmul_share,      f->elementwise_bytes,
        f->score_bytes,          f->head_bytes,      f->layer_ms,          f->collective_us,
        f->micro_batch_ms,       f->tp_overlap,      f->selective_products};
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
                            (double)s->distributed_optimizer,
                            (double)memx_stage_context_ranks(s),
                            s->ring_gbs,
                            (double)memx_stage_chunks(s),
                            s->vp > 1 ? (double)s->end_in_flight : 0.0};
    /* Of models that are not dense, or not with ordinary attention: longer tuples. */
    const double experts[] = {(double)m->experts,
                              (double)m->experts_per_token,
                              (double)m->expert_ffn_hidden,
                              (double)m->shared_experts,
                              (double)m->dense_layers,
                              (double)m->q_lora_rank,
                              (double)m->kv_lora_rank,
                              (double)m->qk_nope_dim,
                              (double)m->qk_rope_dim,
                              (double)m->v_head_dim,
                              (double)memx_stage_expert_ranks(s),
                              s->exchange_gbs};
    if (fingerprint) { /* the lengths say where names end, whatever stands in them */
        const double lengths[] = {(double)strlen(fingerprint), (double)strlen(predictor),
                                  (double)strlen(d->name)};
        add_numbers(out, lengths, sizeof lengths / sizeof *lengths);
        add_name(out, fingerprint);
    }
    add_name(out, predictor);
    add_name(out, d->name);
    add_name(out, f->name);
    add_numbers(out, device, sizeof device / sizeof *device);
    add_numbers(out, framework, sizeof framework / sizeof *framework);
    add_numbers(out, model, sizeof model / sizeof *model);
    add_numbers(out, stage, sizeof stage / sizeof *stage);
    if (m->experts > 0 || m->kv_lora_rank > 0)
        add_numbers(out, experts, sizeof experts / sizeof *experts);
}

void memx_signature_choice(const memx_stage_choice *c, memx_text *out) {
    const double choice[] = {(double)c->layers, (double)c->level.kind, (double)c->level.n,
                             (double)c->level.offload};
    add_numbers(out, choice, sizeof choice / sizeof *choice);
}

memx_signature memx_signature_of(const memx_text *tuple) {
    XXH128_hash_t hash = XXH3_128bits(tuple->data, tuple->length);
    return (memx_signature){hash.high64, hash.low64};
}

void memx_signature_format(memx_signature s, char out[MEMX_SIGNATURE_TEXT]) {
    snprintf(out, MEMX_SIGNATURE_TEXT, "%016" PRIx64 "%016" PRIx64, s.high, s.low);
}

bool memx_signature_parse(const char *text, memx_signature *out) {
    static const char digits[] = "0123456789abcdef";
    uint64_t halves[2] = {0, 0};
    if (strlen(text) != MEMX_SIGNATURE_TEXT - 1) return false;
    for (int i = 0; i < MEMX_SIGNATURE_TEXT - 1; i++) {
        const char *digit = strchr(digits, text[i]);
        if (!digit) return false;
        halves[i / 16] = halves[i / 16] << 4 | (uint64_t)(digit - digits);
    }
    *out = (memx_signature){halves[0], halves[1]};
    return true;
}

void memx_signature_hash(const memx_text *tuple, char out[MEMX_SIGNATURE_TEXT]) {
    memx_signature_format(memx_signature_of(tuple), out);
}
