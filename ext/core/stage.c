#include "core/stage.h"

#include "core/network.h"
#include "core/whole.h"

#include <math.h>

/* All-reduces inside training take longer than isolated ones, sharing the GPU with kernels. */
static const double COLLECTIVE_CONTENTION = 1.1;
/* Share of a layer's elementwise traffic that tensor parallelism does not split without sequence
** parallelism: norms, dropout and residuals run on whole rows. */
static const double UNSPLIT_ELEMENTWISE = 0.4;

/* ---- parameters ---- */

double memx_stage_parameters(const memx_stage_spec *spec, int64_t layers) {
    const memx_model *m = &spec->model;
    double h = (double)m->hidden, t = (double)spec->tp;
    double table = h * (double)memx_padded_vocab(m, spec->tp) / t;
    double sharded = memx_layer_sharded_parameters(m);
    double total = (double)layers * (sharded / t + memx_layer_parameters(m) - sharded);
    if (spec->first) total += table + (m->learned_positions ? h * (double)m->seq_length : 0.0);
    if (spec->last) {
        total += memx_norm_parameters(m);
        if (!m->tied_embeddings || !spec->first) total += table;
    }
    return total;
}

/* ---- activations ---- */

static double tokens(const memx_stage_spec *spec) {
    return (double)spec->micro_batch * (double)spec->model.seq_length;
}

/* What sequence parallelism divides: tensors on whole rows. */
static double row_share(const memx_stage_spec *spec) {
    return spec->sequence_parallel ? 1.0 / (double)spec->tp : 1.0;
}

static double scores(const memx_stage_spec *spec) {
    double s = (double)spec->model.seq_length;
    return (double)spec->micro_batch * (double)spec->model.heads * s * s / (double)spec->tp;
}

static double layer_input_bytes(const memx_framework *f, const memx_stage_spec *spec) {
    return f->activation_bytes * tokens(spec) * (double)spec->model.hidden * row_share(spec);
}

/* What the attention core keeps and selective recompute drops: softmax output, and with dropout its
** mask (1 byte) and output; a fused kernel keeps one fp32 statistic per row. */
static double attention_core_bytes(const memx_framework *f, const memx_stage_spec *spec) {
    if (f->fused_attention) {
        return 4.0 * tokens(spec) * (double)spec->model.heads / (double)spec->tp;
    }
    return scores(spec) * (f->dropout ? 2.0 * f->activation_bytes + 1.0 : f->activation_bytes);
}

double memx_layer_activation_bytes(const memx_framework *f, const memx_stage_spec *spec,
                                   memx_level_kind kind) {
    const memx_model *m = &spec->model;
    if (kind == MEMX_FULL) return layer_input_bytes(f, spec);
    double e = f->activation_bytes, t = (double)spec->tp, h = (double)m->hidden;
    double query = (double)(m->heads * m->head_dim), kv = (double)(m->kv_groups * m->head_dim);
    /* Two norm inputs, two linear inputs, and two dropout masks of one byte. */
    double rows = (4.0 * e + (f->dropout ? 2.0 : 0.0)) * h * row_share(spec);
    /* Query, key, value; attention output; MLP: up (and gate) output and the product. */
    double split =
        e * (query + 2.0 * kv + query + (m->gated_mlp ? 3.0 : 2.0) * (double)m->ffn_hidden) / t;
    double kept = tokens(spec) * (rows + split);
    return kind == MEMX_SELECTIVE ? kept : kept + attention_core_bytes(f, spec);
}

/* Stored bytes per micro batch in flight, and the bytes live while recomputing. */
static void stage_activations(const memx_framework *f, const memx_stage_spec *spec,
                              const memx_stage_choice *choice, double *stored, double *work) {
    double l = (double)choice->layers, n = (double)choice->level.n;
    double kept = memx_layer_activation_bytes(f, spec, MEMX_NONE);
    double input = layer_input_bytes(f, spec);
    switch (choice->level.kind) {
    case MEMX_NONE:
        *stored = l * kept;
        *work = 0.0;
        break;
    case MEMX_SELECTIVE:
        *stored = l * memx_layer_activation_bytes(f, spec, MEMX_SELECTIVE);
        *work = attention_core_bytes(f, spec);
        break;
    case MEMX_BLOCK:
        n = fmin(n, l);
        *stored = n * input + (l - n) * kept;
        *work = n > 0.0 ? kept : 0.0;
        break;
    case MEMX_UNIFORM:
        n = fmin(n, l);
        *stored = ceil(l / n) * input;
        *work = n * kept;
        break;
    case MEMX_FULL:
        *stored = l * input;
        *work = kept;
        break;
    case MEMX_SWAP: /* what leaves, or comes back, while the next layer computes */
        n = fmin(n, l);
        *stored = (l - n) * kept;
        *work = fmin(n, 2.0) * kept;
        break;
    }
    /* The embedding's output, and its dropout mask; the inputs of the final norm and of the
    ** head. */
    if (spec->first) {
        *stored += input * (f->dropout ? 1.0 + 1.0 / f->activation_bytes : 1.0);
    }
    if (spec->last) *stored += 2.0 * input;
}

/* ---- memory ---- */

int64_t memx_stage_peak_kib(const memx_stage_memory *m) {
    return m->context_kib + m->static_kib + m->activation_kib + m->work_kib + m->logits_kib +
           m->optimizer_kib;
}

static memx_stage_memory stage_memory(const memx_device *device, const memx_framework *f,
                                      const memx_stage_spec *spec,
                                      const memx_stage_choice *choice) {
    double parameters = memx_stage_parameters(spec, choice->layers), dp = (double)spec->dp;
    double here = 1.0 - (double)choice->level.offload / 100.0;
    double optimizer = here * f->optimizer_bytes / (spec->distributed_optimizer ? dp : 1.0);
    double state = parameters * (f->parameter_bytes + f->gradient_bytes + optimizer);
    double stored = 0.0, work = 0.0, logits = 0.0;
    stage_activations(f, spec, choice, &stored, &work);
    if (spec->last) {
        logits = tokens(spec) * (double)memx_padded_vocab(&spec->model, spec->tp) /
                 (f->logits_sharded ? (double)spec->tp : 1.0);
    }
    return (memx_stage_memory){
        .context_kib = memx_whole_kib(device->context_mib * 1048576.0),
        .static_kib = memx_whole_kib(device->alpha_static * state),
        .activation_kib = memx_whole_kib(f->alpha_act * (double)spec->in_flight * stored),
        .work_kib = memx_whole_kib(f->alpha_act * work),
        .logits_kib = memx_whole_kib(f->logit_bytes * logits),
        .optimizer_kib = memx_whole_kib(here * f->optimizer_temp_bytes * parameters /
                                        (spec->distributed_optimizer ? dp : 1.0)),
    };
}

/* Bytes of one micro batch that a stage sends to the host and takes back. */
static double swapped_bytes(const memx_framework *f, const memx_stage_spec *spec,
                            const memx_stage_choice *choice) {
    if (choice->level.kind != MEMX_SWAP) return 0.0;
    return fmin((double)choice->level.n, (double)choice->layers) *
           memx_layer_activation_bytes(f, spec, MEMX_NONE);
}

static int64_t host_kib(const memx_framework *f, const memx_stage_spec *spec,
                        const memx_stage_choice *choice) {
    double state = memx_stage_parameters(spec, choice->layers) * f->optimizer_bytes /
                   (spec->distributed_optimizer ? (double)spec->dp : 1.0);
    return memx_whole_kib((double)spec->in_flight * swapped_bytes(f, spec, choice) +
                          (double)choice->level.offload / 100.0 * state);
}

/* ---- time ---- */

typedef struct rates {
    double flops_ms, bytes_ms; /* per millisecond */
} rates;

static rates device_rates(const memx_device *d, const memx_framework *f) {
    return (rates){.flops_ms = d->peak_tflops * 1e9 * d->efficiency * f->matmul_share,
                   .bytes_ms = d->memory_gbs * 1e6 * d->memory_efficiency};
}

/* C[M,N] = A[M,K] B[K,N]: arithmetic plus one pass over the three matrices; the sum is the
** saturation curve of small products. */
static double product_ms(const rates *r, double bytes, double m, double n, double k) {
    return 2.0 * m * n * k / r->flops_ms + bytes * (m * k + k * n + m * n) / r->bytes_ms;
}

typedef struct layer_cost {
    double forward_ms;    /* device, without collectives */
    double attention_ms;  /* its attention core: what selective recomputes */
    double collective_ms; /* one all-reduce */
    double hidden;        /* collectives of the backward that weight gradients hide */
    double host_ms, host_collective_ms;
} layer_cost;

static layer_cost cost_of_layer(const memx_device *device, const memx_framework *f,
                                const memx_stage_spec *spec) {
    const memx_model *m = &spec->model;
    const rates r = device_rates(device, f);
    double t = (double)spec->tp, e = f->activation_bytes, n = tokens(spec);
    double h = (double)m->hidden, ffn = (double)m->ffn_hidden / t;
    double query = (double)(m->heads * m->head_dim) / t;
    double kv = (double)(m->kv_groups * m->head_dim) / t;
    double products = product_ms(&r, e, n, query + 2.0 * kv, h) + product_ms(&r, e, n, h, query) +
                      product_ms(&r, e, n, (m->gated_mlp ? 2.0 : 1.0) * ffn, h) +
                      product_ms(&r, e, n, h, ffn);
    /* The full square also for fused causal kernels: they skip half of it, at about half the
    ** rate. */
    double attention = n * memx_layer_attention_flops(m) / t / r.flops_ms +
                       f->score_bytes * e / 2.0 * scores(spec) / r.bytes_ms;
    double unsplit = spec->sequence_parallel ? UNSPLIT_ELEMENTWISE / t : UNSPLIT_ELEMENTWISE;
    double elementwise = f->elementwise_bytes * e / 2.0 * n * h *
                         (unsplit + (1.0 - UNSPLIT_ELEMENTWISE) / t) / r.bytes_ms;
    return (layer_cost){
        .forward_ms = products + attention + elementwise,
        .attention_ms = attention,
        .collective_ms =
            COLLECTIVE_CONTENTION * memx_all_reduce_ms(e * n * h, spec->tp, spec->link_gbs),
        /* Megatron-LM starts a column-parallel layer's gradient collective, two of them a layer,
        ** and computes weight gradients meanwhile
        ** (LinearWithGradAccumulationAndAsyncCommunication). With sequence parallelism the
        ** row-parallel layers' all-gathers, half of the volume, stay. */
        .hidden = f->tp_overlap * (spec->sequence_parallel ? 1.0 : 2.0),
        .host_ms = f->layer_ms,
        .host_collective_ms = spec->tp > 1 ? f->collective_us * 1e-3 : 0.0,
    };
}

/* One layer's time with `passes` forward-equivalents (forward 1, backward 2, recompute 1),
** `launches` of its kernels and `collectives` all-reduces, `hidden` of which cost the host alone.
** The host runs ahead of the device where it can: a smooth maximum (3-norm) of the two, exact where
** one dominates. */
static double layer_ms(const layer_cost *c, double passes, double extra_ms, double launches,
                       double collectives, double hidden) {
    double device = passes * c->forward_ms + extra_ms + (collectives - hidden) * c->collective_ms;
    double host = launches * c->host_ms + collectives * c->host_collective_ms;
    if (host <= 0.0) return device;
    double most = fmax(device, host), ratio = fmin(device, host) / most;
    return most * cbrt(1.0 + ratio * ratio * ratio);
}

void memx_stage_price_all(const memx_device *device, const memx_framework *f,
                          const memx_stage_spec *spec, const memx_stage_choice *choices,
                          size_t count, memx_stage_price *out) {
    const layer_cost cost = cost_of_layer(device, f, spec);
    const double hidden = cost.hidden;
    const double forward = layer_ms(&cost, 1.0, 0.0, 1.0, 2.0, 0.0);
    const double kept = layer_ms(&cost, 3.0, 0.0, 2.0, 4.0, hidden) - forward;
    const double selective = layer_ms(&cost, 3.0, cost.attention_ms, 2.0, 4.0, hidden) - forward;
    const double recomputed = layer_ms(&cost, 4.0, 0.0, 3.0, 6.0, hidden) - forward;
    double head_forward = 0.0, head_backward = 0.0;
    if (spec->last) {
        const rates r = device_rates(device, f);
        double vocab = (double)memx_padded_vocab(&spec->model, spec->tp) / (double)spec->tp;
        double product =
            product_ms(&r, f->activation_bytes, tokens(spec), vocab, (double)spec->model.hidden);
        double logits = f->head_bytes * tokens(spec) * vocab / r.bytes_ms;
        head_forward = product + logits / 3.0;
        head_backward = 2.0 * product + logits * 2.0 / 3.0;
    }
    for (size_t i = 0; i < count; i++) {
        double l = (double)choices[i].layers;
        double again = (double)memx_level_recomputed_layers(choices[i].level, choices[i].layers);
        double back = choices[i].level.kind == MEMX_SELECTIVE ? selective : kept;
        double forward_ms = l * forward + head_forward + f->micro_batch_ms / 3.0;
        double backward_ms =
            (l - again) * back + again * recomputed + head_backward + f->micro_batch_ms * 2.0 / 3.0;
        /* A pass hides its own transfers, as ProTrain's do (eq. 3 to 7), and lasts as long as them. */
        double swap = swapped_bytes(f, spec, &choices[i]);
        double swap_ms = swap > 0.0 ? swap / (spec->host_gbs * 1e6) : 0.0;
        out[i].forward_ns = memx_whole_ns(fmax(forward_ms, swap_ms));
        out[i].backward_ns = memx_whole_ns(fmax(backward_ms, swap_ms));
        out[i].memory = stage_memory(device, f, spec, &choices[i]);
        out[i].host_kib = host_kib(f, spec, &choices[i]);
        out[i].extrapolated = false;
    }
}

static memx_status analytic_price(void *context, const memx_job *job, int32_t device,
                                  const memx_stage_spec *spec, const memx_stage_choice *choices,
                                  size_t count, memx_stage_price *out, memx_error *error) {
    (void)context;
    (void)error;
    memx_stage_price_all(&job->devices[device], &job->framework, spec, choices, count, out);
    return MEMX_OK;
}

const memx_pricer memx_analytic_pricer = {analytic_price, NULL, "analytic"};
