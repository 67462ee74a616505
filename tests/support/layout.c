#include "support/layout.h"

#include <stdio.h>
#include <string.h>

/* ---- text ---- */

/* Whether a type's nodes in order of ordinals, each used up before the next, give these GPUs. */
static bool by_ordinal(const memx_job *job, int32_t device, const int32_t *gpus,
                       const int32_t *used) {
    int32_t need = 0;
    for (int32_t i = 0; i < job->node_count; i++) {
        if (job->nodes[i].device == device) need += gpus[i];
    }
    for (int32_t i = 0; i < job->node_count; i++) {
        int32_t left = job->nodes[i].gpus - used[i], take = need < left ? need : left;
        if (job->nodes[i].device != device) continue;
        if (gpus[i] != take) return false;
        need -= take;
    }
    return true;
}

/* @ordinals: the nodes that are used up, then one that is not. */
static size_t write_ordinals(const memx_job *job, int32_t device, const int32_t *gpus,
                             const int32_t *used, char *out) {
    size_t n = 0;
    for (int rest = 0; rest <= 1; rest++) {
        for (int32_t i = 0; i < job->node_count; i++) {
            bool used_up = used[i] + gpus[i] == job->nodes[i].gpus;
            if (job->nodes[i].device != device || gpus[i] == 0 || used_up == rest) continue;
            n +=
                (size_t)sprintf(out + n, "%s%lld", n ? "+" : "@", (long long)job->nodes[i].ordinal);
        }
    }
    return n;
}

static size_t write_devices(const memx_job *job, const int32_t *gpus, const int32_t *used,
                            char *out) {
    int32_t of_device[TEST_DEVICES] = {0}, kinds = 0;
    bool written[TEST_DEVICES] = {false};
    size_t n = 0;
    for (int32_t i = 0; i < job->node_count; i++) {
        kinds += gpus[i] > 0 && of_device[job->nodes[i].device] == 0;
        of_device[job->nodes[i].device] += gpus[i];
    }
    /* Ranks go by node: a device stands where its first node does. */
    for (int32_t i = 0; i < job->node_count; i++) {
        int32_t device = job->nodes[i].device;
        if (gpus[i] == 0 || written[device]) continue;
        n += (size_t)sprintf(out + n, "%s%s", n ? "|" : "", job->devices[device].name);
        if (kinds > 1) n += (size_t)sprintf(out + n, "(%d)", (int)of_device[device]);
        if (!by_ordinal(job, device, gpus, used)) {
            n += write_ordinals(job, device, gpus, used, out + n);
        }
        written[device] = true;
    }
    return n;
}

void layout_text(const memx_job *job, const layout *l, char *out) {
    const memx_knobs *k = &l->knobs;
    const memx_framework *f = &job->framework;
    int32_t used[TEST_NODES] = {0};
    size_t n =
        (size_t)sprintf(out, "tp%lld.dp%lld.mb%lld.seq%lld", (long long)k->tp, (long long)k->dp,
                        (long long)k->micro_batch, (long long)k->seq_length);
    if (k->tp > 1 && k->sequence_parallel != f->sequence_parallel) {
        n += (size_t)sprintf(out + n, ".sp%d", k->sequence_parallel);
    }
    if (k->dp * k->cp > 1 && k->distributed_optimizer != f->distributed_optimizer) {
        n += (size_t)sprintf(out + n, ".do%lld", (long long)k->distributed_optimizer);
    }
    if (k->heads != job->model.heads) {
        n += (size_t)sprintf(out + n, ".hd%lld", (long long)k->heads);
    }
    if (k->kv_groups != job->model.kv_groups) {
        n += (size_t)sprintf(out + n, ".kv%lld", (long long)k->kv_groups);
    }
    if (k->cp != 1) n += (size_t)sprintf(out + n, ".cp%lld", (long long)k->cp);
    if (k->ep != 1) n += (size_t)sprintf(out + n, ".ep%lld", (long long)k->ep);
    if (k->vp != 1) n += (size_t)sprintf(out + n, ".vp%lld", (long long)k->vp);
    for (int64_t s = 0; s < k->pp; s++) {
        char level[MEMX_LEVEL_TEXT];
        memx_level_format(l->levels[s], level);
        out[n++] = s ? ',' : '/';
        n += write_devices(job, l->gpus[s], used, out + n);
        for (int32_t i = 0; i < job->node_count; i++) used[i] += l->gpus[s][i];
        n += (size_t)sprintf(out + n, "*%lld:%s", (long long)(k->vp * l->layers[s]), level);
    }
}

/* ---- comparing ---- */

bool layout_placed(const memx_job *job, const layout *l, const memx_placement *p) {
    if (p->stage_count != l->knobs.pp || p->first[0] != 0) return false;
    for (int32_t s = 0; s < p->stage_count; s++) {
        int32_t r = p->first[s];
        for (int32_t i = 0; i < job->node_count; i++) {
            if (l->gpus[s][i] == 0) continue;
            if (r >= p->first[s + 1] || p->runs[r].node != i || p->runs[r].gpus != l->gpus[s][i]) {
                return false;
            }
            r++;
        }
        if (r != p->first[s + 1]) return false;
    }
    return true;
}

bool layout_equals(const memx_job *job, const layout *l, const memx_config *c) {
    const memx_knobs *a = &l->knobs, *b = &c->knobs;
    if (a->tp != b->tp || a->pp != b->pp || a->dp != b->dp || a->micro_batch != b->micro_batch ||
        a->seq_length != b->seq_length || a->heads != b->heads || a->kv_groups != b->kv_groups ||
        a->cp != b->cp || a->ep != b->ep || a->vp != b->vp ||
        a->sequence_parallel != b->sequence_parallel ||
        a->distributed_optimizer != b->distributed_optimizer) {
        return false;
    }
    if (!layout_placed(job, l, &c->placement)) return false;
    for (int64_t s = 0; s < a->pp; s++) {
        if (l->layers[s] != c->stages[s].layers ||
            memx_level_compare(l->levels[s], c->stages[s].level) != 0) {
            return false;
        }
    }
    return true;
}

/* ---- random jobs ---- */

static int64_t pick(rng *r, const int64_t *items, size_t count) {
    return items[rng_between(r, 0, (int64_t)count - 1)];
}

void random_job(rng *r, int64_t most_gpus, int64_t most_layers, test_job *t) {
    static const char *const names[] = {"A-80", "B_32", "C.x9"};
    static const char *const vendors[] = {"red", "blue", "green"};
    static const int64_t usual[] = {1, 2, 2, 4, 4, 8};
    static const int64_t batches[] = {1, 2, 4, 6, 8, 12, 16, 24};
    static const double links[] = {10, 100, 300};
    job_start(t);
    int64_t groups = INT64_C(1) << rng_between(r, 0, 3), heads = groups * rng_between(r, 1, 3);
    int64_t layers = rng_between(r, most_layers < 2 ? 1 : 2, most_layers);
    int64_t vocab = rng_between(r, 100, 4000), seq = 64 * rng_between(r, 1, 8);
    if (rng_chance(r, 50)) {
        t->job.model = model_llama(layers, 32 * heads, heads, groups, 128 * heads, vocab, seq);
    } else {
        t->job.model = model_gpt(layers, 32 * heads, heads, vocab, seq);
    }
    switch (rng_between(r, 0, 3)) {
    case 0: t->job.framework = framework_bf16(); break;
    case 1: t->job.framework = framework_fp16(); break;
    case 2: t->job.framework = framework_2022(); break;
    default: t->job.framework = framework_zero(); break;
    }
    t->job.framework.sequence_parallel = rng_chance(r, 50);
    t->job.framework.distributed_optimizer = rng_chance(r, 50);
    t->job.framework.layer_ms = rng_real(r, 0, 0.1);
    t->job.framework.p2p_overlap = rng_chance(r, 50) ? 0.0 : rng_real(r, 0, 1);
    t->job.framework.p2p_overlap_interleaved = rng_chance(r, 50) ? 1.0 : rng_real(r, 0, 1);
    t->job.framework.dp_overlap = rng_chance(r, 50) ? 0.0 : rng_real(r, 0, 1);
    t->job.global_batch = pick(r, batches, COUNT(batches));
    t->job.reserve = rng_chance(r, 50) ? 0.0 : rng_real(r, 0, 0.2);
    int32_t types = (int32_t)rng_between(r, 1, 3), nodes = (int32_t)rng_between(r, types, 4);
    int64_t makers = rng_between(r, 1, 3);
    for (int32_t d = 0; d < types; d++) {
        int32_t index =
            job_device(t, names[d], vendors[rng_between(r, 0, makers - 1)], rng_real(r, 100, 4000));
        t->devices[index].peak_tflops = rng_real(r, 20, 300);
        t->devices[index].efficiency = rng_real(r, 0.3, 0.9);
        t->devices[index].memory_gbs = rng_real(r, 300, 3000);
        t->devices[index].host_gbs = rng_real(r, 4, 60);
        t->devices[index].context_mib = rng_chance(r, 50) ? 0.0 : rng_real(r, 0, 100);
        t->devices[index].alpha_static = rng_real(r, 0.95, 1.2);
        t->devices[index].link_gbs = links[rng_between(r, 0, 2)];
    }
    /* Types in order of their first node, as a job has them; GPUs often alike. */
    int32_t seen = 0;
    int64_t alike = pick(r, usual, COUNT(usual)), ordinal = rng_between(r, 0, 3);
    for (int32_t i = 0; i < nodes; i++) {
        bool must = nodes - i == types - seen;
        int32_t device = seen == 0 || must || (seen < types && rng_chance(r, 50))
                             ? seen
                             : (int32_t)rng_between(r, 0, seen - 1);
        int64_t gpus = rng_chance(r, 75) ? alike : rng_between(r, 1, most_gpus);
        seen += device == seen;
        job_node(t, ordinal, device, (int32_t)(gpus < most_gpus ? gpus : most_gpus));
        t->nodes[i].inter_gbs = rng_chance(r, 70) ? 100.0 : rng_real(r, 1, 100);
        if (rng_chance(r, 15)) t->nodes[i].host_memory_mib = rng_real(r, 1000, 400000);
        if (rng_chance(r, 15)) t->nodes[i].host_memory_gbs = rng_real(r, 10, 400);
        if (rng_chance(r, 15)) t->nodes[i].link_gbs = links[rng_between(r, 0, 2)];
        ordinal += rng_between(r, 1, 3);
    }
    job_finish(t);
    /* Most often a batch that every dp divides. */
    if (rng_chance(r, 70)) t->job.global_batch = t->job.gpus * rng_between(r, 1, 4);
}

void random_experts(rng *r, test_job *t) {
    static const int64_t counts[] = {2, 4, 4, 6, 8, 16};
    memx_model *m = &t->job.model;
    m->biases = m->qkv_biases = false;
    m->experts = pick(r, counts, COUNT(counts));
    m->experts_per_token = rng_between(r, 1, m->experts < 4 ? m->experts : 4);
    m->expert_ffn_hidden = m->hidden * rng_between(r, 1, 4) / 2;
    m->shared_experts = rng_between(r, 0, 2);
    m->dense_layers = rng_between(r, 0, m->layers < 4 ? m->layers - 1 : 3);
    if (rng_chance(r, 40)) {
        m->kv_groups = m->heads;
        m->kv_lora_rank = 16 * rng_between(r, 1, 4);
        m->q_lora_rank = rng_chance(r, 50) ? 0 : 16 * rng_between(r, 1, 4);
        m->qk_rope_dim = 8;
        m->qk_nope_dim = 24;
        m->v_head_dim = rng_chance(r, 50) ? 32 : 16;
        m->head_dim = 32;
    }
    job_finish(t);
}

/* ---- random configurations ---- */

int64_t layout_least(const memx_job *job, int64_t stage) {
    const memx_model *m = &job->model;
    return stage == 0 && m->experts > 0 && m->dense_layers > 1 ? m->dense_layers : 1;
}

static bool nodes_divide(const memx_job *job, int64_t tp) {
    for (int32_t i = 0; i < job->node_count; i++) {
        if (job->nodes[i].gpus % tp != 0) return false;
    }
    return true;
}

/* A random one of the numbers from 1 to `most` that `good` likes; 0 when there is none. */
static int64_t pick_divisor(rng *r, int64_t of, int64_t most) {
    int64_t found = 0, seen = 0;
    for (int64_t n = 1; n <= most && n <= of; n++) {
        if (of % n == 0 && rng_between(r, 0, seen++) == 0) found = n;
    }
    return found;
}

memx_level random_level_for(rng *r, int64_t layers) {
    memx_level level = {.kind = (memx_level_kind)rng_between(r, MEMX_NONE, MEMX_SWAP),
                        .offload = rng_chance(r, 20) ? (int32_t)rng_between(r, 1, 100) : 0};
    if (level.kind == MEMX_SWAP) {
        level.n = (int32_t)rng_between(r, 1, layers);
    } else if (level.kind == MEMX_BLOCK && layers > 1) {
        level.n = (int32_t)rng_between(r, 1, layers - 1);
    } else if (level.kind == MEMX_UNIFORM && layers > 1) {
        level.n = (int32_t)rng_between(r, 2, layers);
    } else if (level.kind == MEMX_BLOCK || level.kind == MEMX_UNIFORM) {
        level.kind = MEMX_FULL;
    }
    return level;
}

static bool random_degrees(rng *r, const memx_job *job, memx_knobs *k) {
    for (int tries = 0; tries < 50; tries++) {
        k->tp = pick_divisor(r, job->gpus, 8);
        if (!nodes_divide(job, k->tp) || job->model.heads % k->tp != 0 ||
            job->model.kv_groups % k->tp != 0) {
            continue;
        }
        int64_t most = job->model.layers - layout_least(job, 0) + 1;
        if (most > LAYOUT_STAGES) most = LAYOUT_STAGES;
        k->pp = pick_divisor(r, job->gpus / k->tp, most);
        k->cp = rng_chance(r, 30) ? pick_divisor(r, job->gpus / k->tp / k->pp, 8) : 1;
        k->dp = job->gpus / k->tp / k->pp / k->cp;
        if (k->cp > 1 && job->model.seq_length % (2 * k->cp) != 0) continue;
        if (job->global_batch % k->dp != 0) continue;
        k->micro_batch = pick_divisor(r, job->global_batch / k->dp, 64);
        return true;
    }
    return false;
}

static void random_task(rng *r, const memx_job *job, memx_knobs *k) {
    const memx_model *m = &job->model;
    k->seq_length = rng_chance(r, 80) ? m->seq_length : 2 * k->cp * rng_between(r, 1, 999);
    k->heads = m->heads;
    k->kv_groups = m->kv_groups;
    k->sequence_parallel = k->tp > 1 && rng_chance(r, 50);
    k->distributed_optimizer = k->dp * k->cp > 1 ? rng_between(r, 0, 3) : 0;
    k->ep = 1;
    k->vp = 1;
    if (k->pp > 1 && job->global_batch / k->dp / k->micro_batch % k->pp == 0) {
        int64_t vp = pick_divisor(r, m->layers, 4);
        if (k->pp - 1 + layout_least(job, 0) <= m->layers / vp) k->vp = vp;
    }
    if (m->experts > 0) {
        for (int tries = 0; tries < 4; tries++) {
            int64_t ep = pick_divisor(r, k->dp * k->cp, 16);
            if (m->experts % ep == 0) k->ep = ep;
        }
    }
    if (!rng_chance(r, 20) || m->kv_lora_rank > 0) return;
    int64_t heads = pick_divisor(r, m->heads * m->head_dim, 64);
    if (heads % k->tp != 0) return;
    int64_t groups = k->tp * pick_divisor(r, heads / k->tp, 64);
    k->heads = heads;
    k->kv_groups = groups;
}

bool random_layout(rng *r, const memx_job *job, layout *l) {
    *l = (layout){.knobs = {0}};
    memx_knobs *k = &l->knobs;
    if (!random_degrees(r, job, k)) return false;
    random_task(r, job, k);
    int32_t left[TEST_NODES];
    for (int32_t i = 0; i < job->node_count; i++) left[i] = job->nodes[i].gpus;
    bool blocks = rng_chance(r, 70); /* a type's GPUs in a row */
    int32_t device = 0;
    for (int64_t s = 0; s < k->pp; s++) {
        for (int64_t group = 0; group < k->dp * k->cp; group++) {
            /* A device with GPUs left; of its nodes the first. */
            int32_t node = -1;
            if (!blocks || group == 0) device = (int32_t)rng_between(r, 0, job->device_count - 1);
            for (int32_t d = 0; d < job->device_count && node < 0; d++) {
                int32_t type = (device + d) % job->device_count;
                for (int32_t i = 0; i < job->node_count && node < 0; i++) {
                    if (job->nodes[i].device == type && left[i] > 0) node = i;
                }
            }
            left[node] -= (int32_t)k->tp;
            l->gpus[s][node] += (int32_t)k->tp;
        }
    }
    int64_t layers = job->model.layers / k->vp;
    for (int64_t s = 0; s < k->pp; s++) {
        int64_t most = layers - (k->pp - s - 1);
        if (s + 1 == k->pp) {
            l->layers[s] = layers;
        } else {
            int64_t least = layout_least(job, s);
            int64_t a = rng_between(r, least, most), b = rng_between(r, least, most);
            l->layers[s] = a < b ? a : b;
        }
        layers -= l->layers[s];
        l->levels[s] = random_level_for(r, l->layers[s]);
    }
    return true;
}
