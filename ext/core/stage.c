#include "core/stage.h"

#include "core/network.h"
#include "core/whole.h"

#include <math.h>

/* All-reduces inside training take longer than isolated ones, sharing the GPU with kernels. Ours: 0.9 to
** 1.5 is plausible; calibration corrects it with the link (link_gbs). */
static const double COLLECTIVE_CONTENTION = 1.1;
/* Share of a layer's elementwise traffic that tensor parallelism does not split without sequence
** parallelism: norms, dropout and residuals run on whole rows. Ours, beside elementwise_bytes, which
** calibration corrects; of the bytes that are kept it is 10 of 34 (arXiv:2205.05198 section 4.2). */
static const double UNSPLIT_ELEMENTWISE = 0.4;

/* With expert parallelism: rows of the fullest rank over the mean. Switch transformers need a capacity
** of 1.25 for less than 1 % of dropped tokens (arXiv:2101.03961 section 2.2 and table 1); Megatron-LM
** drops none. */
static const double EXPERT_IMBALANCE = 1.25;

/* ---- layers of two kinds ---- */

typedef struct counts {
    double dense, experts;
} counts;

int64_t memx_stage_dense_layers(const memx_stage_spec *spec, int64_t layers) {
    if (spec->model.experts == 0) return layers;
    return spec->first ? memx_least(layers, spec->model.dense_layers) : 0;
}

int64_t memx_stage_least_layers(const memx_model *m, bool first) {
    return first && m->experts > 0 ? memx_greatest(1, m->dense_layers) : 1;
}

/* The kinds that the model has. */
static memx_layer_kind last_kind(const memx_stage_spec *spec) {
    return spec->model.experts > 0 ? MEMX_EXPERTS : MEMX_DENSE;
}

/* Of the stage's first `n` layers. */
static counts first_layers(const memx_stage_spec *spec, double n) {
    double dense = (double)memx_stage_dense_layers(spec, (int64_t)n);
    return (counts){dense, n - dense};
}

/* Of a whole stage that has as many in each chunk. */
static counts all_layers(const memx_stage_spec *spec, double n) {
    counts all = first_layers(spec, n);
    double others = n * (double)(memx_stage_chunks(spec) - 1);
    *(spec->model.experts > 0 ? &all.experts : &all.dense) += others;
    return all;
}

/* A chunk that is neither the pipeline's first nor its last. */
static memx_stage_spec middle_chunk(const memx_stage_spec *spec) {
    memx_stage_spec middle = *spec;
    middle.first = middle.last = false;
    return middle;
}

/* The sum over layers of a figure that each kind has. */
static double sum_of(counts n, const double figure[2]) {
    return n.dense * figure[MEMX_DENSE] + n.experts * figure[MEMX_EXPERTS];
}

/* The greatest of any of them. */
static double most_of(counts n, const double figure[2]) {
    return fmax(n.dense > 0.0 ? figure[MEMX_DENSE] : 0.0,
                n.experts > 0.0 ? figure[MEMX_EXPERTS] : 0.0);
}

static double expert_ranks(const memx_stage_spec *spec) {
    return (double)memx_stage_expert_ranks(spec);
}

static double context_ranks(const memx_stage_spec *spec) {
    return (double)memx_stage_context_ranks(spec);
}

static double replicas(const memx_stage_spec *spec) {
    return (double)spec->dp * context_ranks(spec);
}

/* ---- parameters ---- */

/* Of one layer of each kind, on one GPU, without routed experts; and these. */
static void shared_parameters(const memx_stage_spec *spec, double out[2]) {
    const memx_model *m = &spec->model;
    out[MEMX_DENSE] = out[MEMX_EXPERTS] = 0.0;
    for (memx_layer_kind kind = MEMX_DENSE; kind <= last_kind(spec); kind++) {
        double sharded = memx_layer_sharded_parameters(m, kind);
        double whole = memx_layer_parameters(m, kind) - memx_layer_expert_parameters(m, kind);
        out[kind] = sharded / (double)spec->tp + whole - sharded;
    }
}

static double routed_parameters(const memx_stage_spec *spec) {
    return memx_layer_expert_parameters(&spec->model, MEMX_EXPERTS) / (double)spec->tp /
           expert_ranks(spec);
}

static double table_parameters(const memx_stage_spec *spec) {
    return (double)spec->model.hidden * (double)memx_padded_vocab(&spec->model, spec->tp) /
           (double)spec->tp;
}

double memx_stage_parameters(const memx_stage_spec *spec, int64_t layers, double *experts) {
    const memx_model *m = &spec->model;
    const counts n = all_layers(spec, (double)layers);
    double h = (double)m->hidden, table = table_parameters(spec);
    double each[2], routed = n.experts * routed_parameters(spec);
    shared_parameters(spec, each);
    double total = sum_of(n, each) + routed;
    if (spec->first) total += table + (m->learned_positions ? h * (double)m->seq_length : 0.0);
    if (spec->last) {
        total += memx_norm_parameters(m);
        if (!m->tied_embeddings || !spec->first) total += table;
    }
    if (experts) *experts = routed;
    return total;
}

memx_units memx_stage_units(const memx_stage_spec *spec, int64_t layers) {
    double each[2];
    shared_parameters(spec, each);
    if (replicas(spec) > expert_ranks(spec)) each[MEMX_EXPERTS] += routed_parameters(spec);
    const counts n = all_layers(spec, (double)layers);
    double layer = most_of(n, each), beside = n.dense + n.experts > 1.0 ? layer : 0.0;
    double end = spec->first || spec->last ? table_parameters(spec) : 0.0;
    return (memx_units){fmax(layer, end), layer + fmax(end, beside)};
}

/* ---- activations ---- */

/* Of a micro batch, those of one rank. */
static double tokens(const memx_stage_spec *spec) {
    return (double)spec->micro_batch * (double)spec->model.seq_length / context_ranks(spec);
}

/* Rows that the fullest rank's experts are sent in one layer. */
static double expert_rows(const memx_stage_spec *spec) {
    return tokens(spec) * (double)spec->model.experts_per_token *
           (spec->ep > 1 ? EXPERT_IMBALANCE : 1.0);
}

/* What sequence parallelism divides: tensors on whole rows. */
static double row_share(const memx_stage_spec *spec) {
    return spec->sequence_parallel ? 1.0 / (double)spec->tp : 1.0;
}

static double scores(const memx_stage_spec *spec) {
    return tokens(spec) * (double)spec->model.heads * (double)spec->model.seq_length /
           (double)spec->tp;
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

/* What a layer's router and its routed experts keep. */
static double expert_bytes(const memx_framework *f, const memx_stage_spec *spec) {
    const memx_model *m = &spec->model;
    double e = f->activation_bytes,
           inner = (m->gated_mlp ? 3.0 : 2.0) * (double)m->expert_ffn_hidden;
    /* Logits and probabilities in fp32; rows as they reach the experts, and their inner ones. */
    return tokens(spec) * row_share(spec) * 8.0 * (double)m->experts +
           expert_rows(spec) * e * ((double)m->hidden + inner / (double)spec->tp);
}

/* What selective recompute of products keeps: rows of the hidden size, and of what tensor parallelism
** splits; a fused kernel's statistic goes with attention's output. */
static double products_bytes(const memx_framework *f, const memx_stage_spec *spec,
                             memx_layer_kind kind) {
    const memx_model *m = &spec->model;
    double rows = (m->gated_mlp ? 2.0 : 1.0) * (double)m->hidden * row_share(spec);
    double split = memx_query_columns(m) + memx_kv_columns(m) / 2.0 + memx_attention_columns(m) +
                   memx_mlp_columns(m, kind);
    double statistic = f->fused_attention ? attention_core_bytes(f, spec) : 0.0;
    return f->activation_bytes * tokens(spec) * (rows + split / (double)spec->tp) + statistic;
}

double memx_layer_activation_bytes(const memx_framework *f, const memx_stage_spec *spec,
                                   memx_layer_kind kind, memx_level_kind level) {
    const memx_model *m = &spec->model;
    if (level == MEMX_FULL) return layer_input_bytes(f, spec);
    if (level == MEMX_SELECTIVE && f->selective_products) return products_bytes(f, spec, kind);
    double e = f->activation_bytes, t = (double)spec->tp, h = (double)m->hidden;
    /* Two norm inputs, two linear inputs, and two dropout masks of one byte. */
    double rows = (4.0 * e + (f->dropout ? 2.0 : 0.0)) * h * row_share(spec);
    /* Latent attention: both compressed rows before and behind their norm, and the rotary key. */
    if (m->kv_lora_rank > 0) {
        rows += e * (double)(2 * m->q_lora_rank + 2 * m->kv_lora_rank + m->qk_rope_dim) *
                row_share(spec);
    }
    /* Query, key, value; attention output; MLP: up (and gate) output and the product. */
    double split = e *
                   (memx_query_columns(m) + memx_kv_columns(m) + memx_attention_columns(m) +
                    (m->gated_mlp ? 3.0 : 2.0) * memx_mlp_columns(m, kind)) /
                   t;
    double kept = tokens(spec) * (rows + split);
    if (kind == MEMX_EXPERTS) kept += expert_bytes(f, spec);
    return level == MEMX_SELECTIVE ? kept : kept + attention_core_bytes(f, spec);
}

/* The greatest group of `n` neighbouring layers. Dense ones come first: it is the first group, the one that
** has both kinds, or the one after that. */
static double greatest_group(const memx_stage_spec *spec, double layers, double n,
                             const double kept[2]) {
    double mixed = floor(first_layers(spec, layers).dense / n), most = 0.0;
    const double groups[] = {0.0, mixed, mixed + 1.0};
    for (int i = 0; i < 3; i++) {
        const counts before = first_layers(spec, fmin(groups[i] * n, layers));
        const counts behind = first_layers(spec, fmin((groups[i] + 1.0) * n, layers));
        const counts in = {behind.dense - before.dense, behind.experts - before.experts};
        most = fmax(most, sum_of(in, kept));
    }
    return most;
}

/* Of one chunk: stored bytes per micro batch in flight, and the bytes live while recomputing. */
static void chunk_activations(const memx_framework *f, const memx_stage_spec *spec,
                              const memx_stage_choice *choice, double *stored, double *work) {
    double l = (double)choice->layers, n = fmin((double)choice->level.n, l);
    double kept[2] = {0.0}, selective[2] = {0.0};
    for (memx_layer_kind kind = MEMX_DENSE; kind <= last_kind(spec); kind++) {
        kept[kind] = memx_layer_activation_bytes(f, spec, kind, MEMX_NONE);
        selective[kind] = memx_layer_activation_bytes(f, spec, kind, MEMX_SELECTIVE);
    }
    double input = layer_input_bytes(f, spec);
    const counts all = first_layers(spec, l), taken = first_layers(spec, n);
    const counts others = {all.dense - taken.dense, all.experts - taken.experts};
    switch (choice->level.kind) {
    case MEMX_NONE:
        *stored = sum_of(all, kept);
        *work = 0.0;
        break;
    case MEMX_SELECTIVE:
        *stored = sum_of(all, selective);
        for (int kind = 0; kind < 2; kind++) selective[kind] = kept[kind] - selective[kind];
        *work = most_of(all, selective);
        break;
    case MEMX_BLOCK:
        *stored = n * input + sum_of(others, kept);
        *work = most_of(taken, kept);
        break;
    case MEMX_UNIFORM:
        *stored = ceil(l / n) * input;
        *work = greatest_group(spec, l, n, kept);
        break;
    case MEMX_FULL:
        *stored = l * input;
        *work = most_of(all, kept);
        break;
    case MEMX_SWAP: /* what leaves, or comes back, while the next layer computes */
        *stored = sum_of(others, kept);
        *work = fmin(n, 2.0) * most_of(taken, kept);
        break;
    }
    /* The embedding's output, and its dropout mask; the inputs of the final norm and of the
    ** head. */
    if (spec->first) {
        *stored += input * (f->dropout ? 1.0 + 1.0 / f->activation_bytes : 1.0);
    }
    if (spec->last) *stored += 2.0 * input;
}

/* Bytes of all that is in flight, and the bytes live while recomputing. */
static void stage_activations(const memx_framework *f, const memx_stage_spec *spec,
                              const memx_stage_choice *choice, double *stored, double *work) {
    double all = (double)spec->in_flight, end = 0.0, middle = 0.0, middle_work = 0.0;
    chunk_activations(f, spec, choice, &end, work);
    *stored = all * end;
    if (memx_stage_chunks(spec) == 1) return;
    const memx_stage_spec other = middle_chunk(spec);
    double at_end = (double)memx_least(spec->end_in_flight, spec->in_flight);
    chunk_activations(f, &other, choice, &middle, &middle_work);
    *stored = at_end * end + (all - at_end) * middle;
    *work = fmax(*work, middle_work);
}

/* ---- memory ---- */

int64_t memx_stage_peak_kib(const memx_stage_memory *m) {
    return m->context_kib + m->static_kib + m->activation_kib + m->work_kib + m->logits_kib +
           m->optimizer_kib;
}

/* Parameters whose figures one GPU holds: of those that are whole, and of those that ZeRO from some stage
** on divides over their replicas. */
typedef struct state_counts {
    double whole, divided;
} state_counts;

static state_counts stage_state(const memx_stage_spec *spec, int64_t layers) {
    double experts = 0.0, all = memx_stage_parameters(spec, layers, &experts);
    return (state_counts){all, (all - experts) / replicas(spec) +
                                   experts * expert_ranks(spec) / replicas(spec)};
}

/* Those of which one GPU holds what is divided from this stage of ZeRO on. */
static double held(const memx_stage_spec *spec, const state_counts *p, memx_zero from) {
    return spec->distributed_optimizer >= (int64_t)from ? p->divided : p->whole;
}

double memx_stage_updated(const memx_stage_spec *spec, int64_t layers) {
    const state_counts p = stage_state(spec, layers);
    return held(spec, &p, MEMX_ZERO_OPTIMIZER);
}

static double state_bytes(const memx_framework *f, const memx_stage_spec *spec,
                          const memx_stage_choice *choice) {
    const state_counts p = stage_state(spec, choice->layers);
    const memx_units unit = memx_stage_units(spec, choice->layers);
    double here = 1.0 - (double)choice->level.offload / 100.0;
    double bytes = f->parameter_bytes * held(spec, &p, MEMX_ZERO_PARAMETERS) +
                   f->gradient_bytes * held(spec, &p, MEMX_ZERO_GRADIENTS) +
                   here * f->optimizer_bytes * held(spec, &p, MEMX_ZERO_OPTIMIZER);
    if (spec->distributed_optimizer >= MEMX_ZERO_GRADIENTS) bytes += f->gradient_bytes * unit.one;
    if (spec->distributed_optimizer >= MEMX_ZERO_PARAMETERS) {
        bytes += f->activation_bytes * unit.two;
    }
    return bytes;
}

static memx_stage_memory stage_memory(const memx_device *device, const memx_framework *f,
                                      const memx_stage_spec *spec,
                                      const memx_stage_choice *choice) {
    const state_counts p = stage_state(spec, choice->layers);
    double here = 1.0 - (double)choice->level.offload / 100.0;
    double stored = 0.0, work = 0.0, logits = 0.0;
    stage_activations(f, spec, choice, &stored, &work);
    if (spec->last) {
        logits = tokens(spec) * (double)memx_padded_vocab(&spec->model, spec->tp) /
                 (f->logits_sharded ? (double)spec->tp : 1.0);
    }
    return (memx_stage_memory){
        .context_kib = memx_whole_kib(device->context_mib * 1048576.0),
        .static_kib = memx_whole_kib(device->alpha_static * state_bytes(f, spec, choice)),
        .activation_kib = memx_whole_kib(f->alpha_act * stored),
        .work_kib = memx_whole_kib(f->alpha_act * work),
        .logits_kib = memx_whole_kib(f->logit_bytes * logits),
        .optimizer_kib =
            memx_whole_kib(here * f->optimizer_temp_bytes * held(spec, &p, MEMX_ZERO_OPTIMIZER)),
    };
}

/* Bytes of one micro batch that so many of a chunk's layers, if they swap, send to the host and take back. */
static double swapped_bytes(const memx_framework *f, const memx_stage_spec *spec,
                            const memx_stage_choice *choice,
                            counts (*layers)(const memx_stage_spec *spec, double n)) {
    if (choice->level.kind != MEMX_SWAP) return 0.0;
    const double kept[] = {memx_layer_activation_bytes(f, spec, MEMX_DENSE, MEMX_NONE),
                           memx_layer_activation_bytes(f, spec, MEMX_EXPERTS, MEMX_NONE)};
    return sum_of(layers(spec, fmin((double)choice->level.n, (double)choice->layers)), kept);
}

static double swapped_in_flight(const memx_framework *f, const memx_stage_spec *spec,
                                const memx_stage_choice *choice) {
    double all = (double)spec->in_flight, end = swapped_bytes(f, spec, choice, first_layers);
    if (memx_stage_chunks(spec) == 1) return all * end;
    const memx_stage_spec other = middle_chunk(spec);
    double at_end = (double)memx_least(spec->end_in_flight, spec->in_flight);
    return at_end * end + (all - at_end) * swapped_bytes(f, &other, choice, first_layers);
}

static int64_t host_kib(const memx_framework *f, const memx_stage_spec *spec,
                        const memx_stage_choice *choice) {
    const state_counts p = stage_state(spec, choice->layers);
    return memx_whole_kib(swapped_in_flight(f, spec, choice) +
                          (double)choice->level.offload / 100.0 * f->optimizer_bytes *
                              held(spec, &p, MEMX_ZERO_OPTIMIZER));
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
    double selective_ms;  /* what selective recomputes of it */
    double collective_ms; /* one all-reduce: the mean of the two of a pass */
    double hidden;        /* collectives of the backward that weight gradients hide */
    double exchange_ms;   /* one all-to-all of its experts; as many as all-reduces */
    double host_ms, host_collective_ms;
} layer_cost;

/* The products around the attention core. */
static double attention_products_ms(const rates *r, const memx_framework *f,
                                    const memx_stage_spec *spec) {
    const memx_model *m = &spec->model;
    double t = (double)spec->tp, e = f->activation_bytes, n = tokens(spec), h = (double)m->hidden;
    double query = memx_query_columns(m) / t, out = memx_attention_columns(m) / t;
    if (m->kv_lora_rank == 0) {
        return product_ms(r, e, n, query + memx_kv_columns(m) / t, h) + product_ms(r, e, n, h, out);
    }
    double rows = n * row_share(spec), compressed = m->q_lora_rank > 0 ? (double)m->q_lora_rank : h;
    double up = (double)m->heads * (double)(m->qk_nope_dim + m->v_head_dim) / t;
    double down =
        product_ms(r, e, rows, (double)(m->q_lora_rank + m->kv_lora_rank + m->qk_rope_dim), h);
    return down + product_ms(r, e, n, query, compressed) +
           product_ms(r, e, n, up, (double)m->kv_lora_rank) + product_ms(r, e, n, h, out);
}

/* Of two things that go on side by side and get a little into each other's way: a 3-norm, exact where one
** dominates. */
static double smooth_greater(double a, double b) {
    double most = fmax(a, b), ratio = most > 0.0 ? fmin(a, b) / most : 0.0;
    return most * cbrt(1.0 + ratio * ratio * ratio);
}

/* An attention core among the ranks of a context parallel ring: keys and values move on between its cp
** steps, each hidden behind one step's work, as in ring attention (arXiv:2310.01889, section 3). A
** backward pass is twice that: the work, and the gradients that move on with them. */
static double in_ring_ms(const memx_framework *f, const memx_stage_spec *spec, double attention) {
    if (spec->cp < 2) return attention;
    double step = attention / (double)spec->cp;
    double bytes = f->activation_bytes * tokens(spec) * memx_kv_columns(&spec->model);
    double move = memx_ring_step_ms(bytes / (double)spec->tp, spec->ring_gbs);
    return step + (double)(spec->cp - 1) * smooth_greater(step, move);
}

/* What a layer's experts add to its forward pass: the router, a grouped product over the experts of this
** rank, every one of which is read, and the rows being gathered and put back. */
static double experts_ms(const rates *r, const memx_framework *f, const memx_stage_spec *spec) {
    const memx_model *m = &spec->model;
    double e = f->activation_bytes, h = (double)m->hidden, rows = expert_rows(spec);
    double inner = (double)m->expert_ffn_hidden / (double)spec->tp;
    double up = (m->gated_mlp ? 2.0 : 1.0) * inner;
    double own = (double)m->experts / expert_ranks(spec);
    double arithmetic = 2.0 * rows * h * (up + inner) / r->flops_ms;
    double traffic = e * (own * h * (up + inner) + rows * (2.0 * h + up + inner)) / r->bytes_ms;
    double moved = 4.0 * e * rows * h * row_share(spec) / r->bytes_ms;
    return product_ms(r, e, tokens(spec) * row_share(spec), (double)m->experts, h) + arithmetic +
           traffic + moved;
}

static layer_cost cost_of_layer(const memx_device *device, const memx_framework *f,
                                const memx_stage_spec *spec, memx_layer_kind kind) {
    const memx_model *m = &spec->model;
    const rates r = device_rates(device, f);
    double t = (double)spec->tp, e = f->activation_bytes, n = tokens(spec);
    double h = (double)m->hidden, ffn = memx_mlp_columns(m, kind) / t;
    /* Of the attention's products key and output are half, of latent attention about. */
    double products = attention_products_ms(&r, f, spec), again = products / 2.0;
    if (ffn > 0.0) {
        double up = product_ms(&r, e, n, (m->gated_mlp ? 2.0 : 1.0) * ffn, h);
        double down = product_ms(&r, e, n, h, ffn);
        products += up + down;
        again += m->gated_mlp ? up / 2.0 : down;
    }
    /* The full square also for fused causal kernels: they skip half of it, at about half the
    ** rate. */
    double attention = n * memx_layer_attention_flops(m) / t / r.flops_ms +
                       f->score_bytes * e / 2.0 * scores(spec) / r.bytes_ms;
    attention = in_ring_ms(f, spec, attention);
    double unsplit = spec->sequence_parallel ? UNSPLIT_ELEMENTWISE / t : UNSPLIT_ELEMENTWISE;
    double elementwise = f->elementwise_bytes * e / 2.0 * n * h *
                         (unsplit + (1.0 - UNSPLIT_ELEMENTWISE) / t) / r.bytes_ms;
    layer_cost cost = {
        .forward_ms = products + attention + elementwise,
        .selective_ms = f->selective_products ? again + elementwise : attention,
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
    if (kind == MEMX_DENSE) return cost;
    double experts = experts_ms(&r, f, spec);
    cost.forward_ms += experts;
    if (f->selective_products) cost.selective_ms += experts;
    if (spec->tp > 1) {
        /* The attention's, as in a dense layer; that of the rows that experts are sent, which nothing
        ** hides; that of the shared experts. */
        double one = cost.collective_ms, rows = expert_rows(spec);
        double routed =
            COLLECTIVE_CONTENTION * memx_all_reduce_ms(e * rows * h, spec->tp, spec->link_gbs);
        cost.collective_ms = (one + routed + (m->shared_experts > 0 ? one : 0.0)) / 2.0;
        cost.hidden *= 0.5 * one / cost.collective_ms;
    }
    if (spec->ep > 1) {
        double sent = e * expert_rows(spec) * h * row_share(spec);
        cost.exchange_ms =
            COLLECTIVE_CONTENTION * memx_all_to_all_ms(sent, spec->ep, spec->exchange_gbs);
        cost.host_collective_ms += f->collective_us * 1e-3;
    }
    return cost;
}

/* One layer's time with `passes` forward-equivalents (forward 1, backward 2, recompute 1),
** `launches` of its kernels and `collectives` all-reduces, `hidden` of which cost the host alone, and as many
** all-to-alls. The host runs ahead of the device where it can. */
static double layer_ms(const layer_cost *c, double passes, double extra_ms, double launches,
                       double collectives, double hidden) {
    double device = passes * c->forward_ms + extra_ms + (collectives - hidden) * c->collective_ms +
                    collectives * c->exchange_ms;
    double host = launches * c->host_ms + collectives * c->host_collective_ms;
    return smooth_greater(device, host);
}

void memx_stage_price_all(const memx_device *device, const memx_framework *f,
                          const memx_stage_spec *spec, const memx_stage_choice *choices,
                          size_t count, memx_stage_price *out) {
    /* Of each kind of layer: forward, and backward when it keeps all, is selective, is recomputed. */
    double forward[2] = {0.0}, kept[2] = {0.0}, selective[2] = {0.0}, recomputed[2] = {0.0};
    for (memx_layer_kind kind = MEMX_DENSE; kind <= last_kind(spec); kind++) {
        const layer_cost cost = cost_of_layer(device, f, spec, kind);
        const double hidden = cost.hidden, once = layer_ms(&cost, 1.0, 0.0, 1.0, 2.0, 0.0);
        forward[kind] = once;
        kept[kind] = layer_ms(&cost, 3.0, 0.0, 2.0, 4.0, hidden) - once;
        selective[kind] = layer_ms(&cost, 3.0, cost.selective_ms, 2.0, 4.0, hidden) - once;
        recomputed[kind] = layer_ms(&cost, 4.0, 0.0, 3.0, 6.0, hidden) - once;
    }
    double head_forward = 0.0, head_backward = 0.0;
    double launched_ms = f->micro_batch_ms * (double)memx_stage_chunks(spec);
    if (spec->last) {
        const rates r = device_rates(device, f);
        double vocab = (double)memx_padded_vocab(&spec->model, spec->tp) / (double)spec->tp;
        double product =
            product_ms(&r, f->activation_bytes, tokens(spec), vocab, (double)spec->model.hidden);
        double logits = f->head_bytes * tokens(spec) * vocab / r.bytes_ms;
        /* As the product's: one pass forward, two backward (Narayanan et al. 2021, appendix). */
        head_forward = product + logits / 3.0;
        head_backward = 2.0 * product + logits * 2.0 / 3.0;
    }
    for (size_t i = 0; i < count; i++) {
        const counts all = all_layers(spec, (double)choices[i].layers);
        const counts again = all_layers(
            spec, (double)memx_level_recomputed_layers(choices[i].level, choices[i].layers));
        const counts once = {all.dense - again.dense, all.experts - again.experts};
        const double *back = choices[i].level.kind == MEMX_SELECTIVE ? selective : kept;
        /* What the host launches goes with the passes, one forward and two backward; only the sum is known. */
        double forward_ms = sum_of(all, forward) + head_forward + launched_ms / 3.0;
        double backward_ms = once.dense * back[MEMX_DENSE] + again.dense * recomputed[MEMX_DENSE] +
                             once.experts * back[MEMX_EXPERTS] +
                             again.experts * recomputed[MEMX_EXPERTS] + head_backward +
                             launched_ms * 2.0 / 3.0;
        /* A pass hides its own transfers, as ProTrain's do (eq. 3 to 7), and lasts as long as them. */
        double swap = swapped_bytes(f, spec, &choices[i], all_layers);
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
