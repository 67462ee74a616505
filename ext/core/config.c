#include "core/config.h"

#include "core/lines.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- knobs ---- */

void memx_knobs_default(const memx_job *job, memx_knobs *k) {
    k->seq_length = job->model.seq_length;
    k->heads = job->model.heads;
    k->kv_groups = job->model.kv_groups;
    k->ep = k->vp = 1;
    k->sequence_parallel = job->framework.sequence_parallel && k->tp > 1;
    k->distributed_optimizer =
        memx_knobs_replicas(k) > 1 ? job->framework.distributed_optimizer : 0;
}

memx_status memx_knobs_model(const memx_job *job, const memx_knobs *k, memx_model *out,
                             memx_error *error) {
    return memx_model_vary(&job->model, k->seq_length, k->heads, k->kv_groups, out, error);
}

static bool nodes_hold_groups(const memx_job *job, int64_t tp) {
    for (int32_t i = 0; i < job->node_count; i++) {
        if (job->nodes[i].gpus % tp != 0) return false;
    }
    return true;
}

memx_misfit memx_knobs_misfit(const memx_job *job, const memx_knobs *k) {
    /* Degrees are compared by division: their product could overflow. */
    if (job->gpus % k->tp != 0 || job->gpus / k->tp % k->pp != 0 ||
        job->gpus / k->tp / k->pp % k->cp != 0 || job->gpus / k->tp / k->pp / k->cp != k->dp) {
        return MEMX_GPUS;
    }
    if (!nodes_hold_groups(job, k->tp)) return MEMX_TP_NODE;
    if (k->heads % k->tp != 0) return MEMX_HEADS_TP;
    if (k->kv_groups % k->tp != 0) return MEMX_KV_TP;
    if (k->vp > 1 && k->pp == 1) return MEMX_VP;
    if (k->pp - 1 + memx_stage_least_layers(&job->model, true) > job->model.layers / k->vp) {
        return MEMX_PP_LAYERS;
    }
    if (k->ep > 1 && (job->model.experts == 0 || memx_knobs_replicas(k) % k->ep != 0 ||
                      job->model.experts % k->ep != 0)) {
        return MEMX_EP;
    }
    if (job->global_batch % k->dp != 0 || job->global_batch / k->dp % k->micro_batch != 0) {
        return MEMX_BATCH;
    }
    if (k->cp > 1 && k->seq_length % (2 * k->cp) != 0) return MEMX_CP;
    if (k->vp > 1 && (job->model.layers % k->vp != 0 ||
                      job->global_batch / k->dp / k->micro_batch % k->pp != 0)) {
        return MEMX_VP;
    }
    return MEMX_FITS;
}

/* "* cp 2 ", of a product of degrees; nothing where sequences are whole. */
enum { CP_FACTOR = 32 };
static const char *cp_factor(const memx_knobs *k, char out[CP_FACTOR]) {
    *out = '\0';
    if (k->cp > 1) snprintf(out, CP_FACTOR, "* cp %lld ", (long long)k->cp);
    return out;
}

static memx_status nodes_misfit(const memx_job *job, const memx_knobs *k, memx_error *error) {
    for (int32_t i = 0; i < job->node_count; i++) {
        if (job->nodes[i].gpus % k->tp == 0) continue;
        return memx_invalid(error,
                            "node %lld has %d GPU%s, no whole number of tensor parallel "
                            "groups of %lld",
                            (long long)job->nodes[i].ordinal, (int)job->nodes[i].gpus,
                            memx_s(job->nodes[i].gpus), (long long)k->tp);
    }
    return MEMX_OK;
}

static memx_status chunks_misfit(const memx_job *job, const memx_knobs *k, memx_error *error) {
    if (k->pp == 1) {
        return memx_invalid(error, "vp %lld: a pipeline of one stage has nothing to interleave",
                            (long long)k->vp);
    }
    if (job->model.layers % k->vp != 0) {
        return memx_invalid(error, "vp %lld does not divide the %lld layers of model '%s'",
                            (long long)k->vp, (long long)job->model.layers, job->model.name);
    }
    return memx_invalid(error,
                        "vp %lld: %lld micro batches are not divisible by the %lld stages, whose "
                        "groups they go in",
                        (long long)k->vp, (long long)(job->global_batch / k->dp / k->micro_batch),
                        (long long)k->pp);
}

static memx_status layers_misfit(const memx_job *job, const memx_knobs *k, memx_error *error) {
    long long pp = (long long)k->pp;
    if (k->vp > 1) {
        long long first = (long long)memx_stage_least_layers(&job->model, true);
        return memx_invalid(
            error,
            "%lld stages of %lld equal chunks need %lld layers, chunks of the first "
            "stage %lld each and every other one; model '%s' has %lld",
            pp, (long long)k->vp, (long long)k->vp * (first + pp - 1), first, job->model.name,
            (long long)job->model.layers);
    }
    if (pp <= job->model.layers) {
        return memx_invalid(error,
                            "%lld stages for %lld layers, of which the first stage has the "
                            "%lld dense ones; every other stage needs at least one",
                            pp, (long long)job->model.layers, (long long)job->model.dense_layers);
    }
    return memx_invalid(error, "%lld stages for %lld layer%s; every stage needs at least one", pp,
                        (long long)job->model.layers, memx_s(job->model.layers));
}

static memx_status experts_misfit(const memx_job *job, const memx_knobs *k, memx_error *error) {
    long long ranks = (long long)memx_knobs_replicas(k);
    const char *of = k->cp > 1 ? "dp * cp" : "dp";
    if (job->model.experts == 0) {
        return memx_invalid(error, "ep %lld: model '%s' has no experts; write ep 1",
                            (long long)k->ep, job->model.name);
    }
    return memx_invalid(error,
                        "ep %lld does not divide %s %lld; write an ep that divides %s %lld and "
                        "the %lld experts",
                        (long long)k->ep, ranks % k->ep != 0 ? of : "the experts,",
                        ranks % k->ep != 0 ? ranks : (long long)job->model.experts, of, ranks,
                        (long long)job->model.experts);
}

memx_status memx_misfit_message(const memx_job *job, const memx_knobs *k, memx_misfit misfit,
                                memx_error *error) {
    long long tp = (long long)k->tp, pp = (long long)k->pp, dp = (long long)k->dp;
    char factor[CP_FACTOR];
    switch (misfit) {
    case MEMX_FITS: return MEMX_OK;
    case MEMX_HEADS_TP:
        return memx_invalid(error,
                            "heads %lld are not divisible by tp %lld; write a tp that divides "
                            "the heads",
                            (long long)k->heads, tp);
    case MEMX_KV_TP:
        return memx_invalid(
            error, "kv_groups %lld is %s tp %lld; write a tp that divides the groups",
            (long long)k->kv_groups, k->kv_groups < k->tp ? "below" : "not divisible by", tp);
    case MEMX_BATCH:
        return memx_invalid(error,
                            "global_batch %lld is not divisible by dp %lld times micro_batch "
                            "%lld",
                            (long long)job->global_batch, dp, (long long)k->micro_batch);
    case MEMX_TP_NODE: return nodes_misfit(job, k, error);
    case MEMX_VP: return chunks_misfit(job, k, error);
    case MEMX_PP_LAYERS: return layers_misfit(job, k, error);
    case MEMX_CP:
        return memx_invalid(
            error,
            "seq_length %lld is not divisible by 2 * cp %lld: each of cp ranks takes "
            "two pieces of a sequence",
            (long long)k->seq_length, (long long)k->cp);
    case MEMX_EP: return experts_misfit(job, k, error);
    case MEMX_GPUS:
        return memx_invalid(error,
                            "tp %lld %s* pp %lld * dp %lld is not the %lld GPUs of cluster '%s'",
                            tp, cp_factor(k, factor), pp, dp, (long long)job->gpus, job->cluster);
    }
    return MEMX_OK;
}

/* ---- parsing ---- */

typedef struct parser {
    const memx_job *job;
    const char *text, *at;
    memx_error *error;
    int32_t *used; /* GPUs taken of every node */
} parser;

static memx_status expected(const parser *p, const char *what) {
    const char *end = p->at;
    while (*end && (end - p->at < 20 || (*end & 0xc0) == 0x80)) end++; /* whole characters */
    if (!*p->at) {
        return memx_invalid(p->error, "the text ends at position %zu; write %s",
                            (size_t)(p->at - p->text) + 1, what);
    }
    return memx_invalid(p->error, "position %zu, at '%.*s': write %s",
                        (size_t)(p->at - p->text) + 1, (int)(end - p->at), p->at, what);
}

static bool take_number(parser *p, int64_t *out) {
    enum { ENOUGH = 20 }; /* digits end before the text does */
    memx_span rest = {p->at, ENOUGH};
    if (!memx_take_whole(&rest, out)) return false;
    p->at = rest.at;
    return true;
}

static memx_status parse_number(parser *p, const char *what, int64_t *out) {
    const char *start = p->at;
    int64_t n = 0;
    if (!take_number(p, &n) || n < 1 || n > INT64_C(9999999999)) {
        p->at = start;
        return expected(p, what);
    }
    *out = n;
    return MEMX_OK;
}

static bool skip(parser *p, const char *word) {
    size_t length = strlen(word);
    if (strncmp(p->at, word, length) != 0) return false;
    p->at += length;
    return true;
}

enum {
    KNOB_TP,
    KNOB_DP,
    KNOB_MB,
    KNOB_SEQ,
    KNOB_SP,
    KNOB_DO,
    KNOB_HD,
    KNOB_KV,
    KNOB_CP,
    KNOB_EP,
    KNOB_VP,
    KNOB_COUNT
};

static memx_status parse_knobs(parser *p, memx_knobs *knobs, int64_t values[KNOB_COUNT]) {
    static const char *const names[KNOB_COUNT] = {"tp", "dp", "mb", "seq", "sp", "do",
                                                  "hd", "kv", "cp", "ep",  "vp"};
    for (int i = 0; i < KNOB_COUNT; i++) values[i] = -1;
    do {
        int knob = 0;
        while (knob < KNOB_COUNT && (values[knob] >= 0 || !skip(p, names[knob]))) knob++;
        if (knob == KNOB_COUNT) {
            return expected(p,
                            "one of tp, dp, mb, seq, sp, do, hd, kv, cp, ep, vp, each once, as in "
                            "tp2.dp2.mb1.seq4096/DEVICE*32:none");
        }
        memx_status status;
        if (knob == KNOB_SP || knob == KNOB_DO) {
            char most = knob == KNOB_SP ? '1' : '0' + MEMX_ZERO_PARAMETERS;
            if (*p->at < '0' || *p->at > most) {
                return expected(p, knob == KNOB_SP ? "0 or 1" : "0, 1, 2 or 3");
            }
            values[knob] = *p->at++ - '0';
            continue;
        }
        status = parse_number(p, "a whole number from 1 to 9999999999", &values[knob]);
        if (status) return status;
    } while (skip(p, "."));
    if (!skip(p, "/")) return expected(p, "'.' and a further knob, or '/' and the stages");
    for (int i = KNOB_TP; i <= KNOB_MB; i++) {
        if (values[i] < 0) {
            return memx_invalid(p->error,
                                "%s is missing; write it before the '/', as in "
                                "tp2.dp2.mb1.seq4096/DEVICE*32:none",
                                names[i]);
        }
    }
    knobs->tp = values[KNOB_TP];
    knobs->dp = values[KNOB_DP];
    knobs->micro_batch = values[KNOB_MB];
    knobs->cp = values[KNOB_CP] > 0 ? values[KNOB_CP] : 1;
    if (knobs->tp > p->job->gpus || knobs->dp > p->job->gpus) {
        return memx_invalid(p->error, "tp %lld and dp %lld: cluster '%s' has %lld GPU%s",
                            (long long)knobs->tp, (long long)knobs->dp, p->job->cluster,
                            (long long)p->job->gpus, memx_s(p->job->gpus));
    }
    if (knobs->cp > p->job->gpus) {
        return memx_invalid(p->error, "cp %lld: cluster '%s' has %lld GPU%s", (long long)knobs->cp,
                            p->job->cluster, (long long)p->job->gpus, memx_s(p->job->gpus));
    }
    memx_knobs_default(p->job, knobs);
    if (values[KNOB_SEQ] > 0) knobs->seq_length = values[KNOB_SEQ];
    if (values[KNOB_HD] > 0) knobs->heads = values[KNOB_HD];
    if (values[KNOB_KV] > 0) knobs->kv_groups = values[KNOB_KV];
    if (values[KNOB_EP] > 0) knobs->ep = values[KNOB_EP];
    if (values[KNOB_VP] > 0) knobs->vp = values[KNOB_VP];
    if (values[KNOB_SP] >= 0) knobs->sequence_parallel = values[KNOB_SP] && knobs->tp > 1;
    if (values[KNOB_DO] >= 0) {
        knobs->distributed_optimizer = memx_knobs_replicas(knobs) > 1 ? values[KNOB_DO] : 0;
    }
    return MEMX_OK;
}

static bool device_character(char c) {
    return isalnum((unsigned char)c) || c == '.' || c == '_' || c == '-';
}

static memx_status parse_device(parser *p, int32_t *device) {
    const char *start = p->at;
    while (device_character(*p->at)) p->at++;
    size_t length = (size_t)(p->at - start);
    if (length == 0) return expected(p, "a device name");
    for (int32_t i = 0; i < p->job->device_count; i++) {
        const char *name = p->job->devices[i].name;
        if (strlen(name) == length && memcmp(name, start, length) == 0) {
            *device = i;
            return MEMX_OK;
        }
    }
    memx_text known = {0};
    for (int32_t i = 0; i < p->job->device_count; i++) {
        memx_text_printf(&known, "%s%s", i ? ", " : "", p->job->devices[i].name);
    }
    memx_invalid(p->error, "position %zu: no device '%.*s' in cluster '%s'; it has %s",
                 (size_t)(start - p->text) + 1, (int)(length < 64 ? length : 64), start,
                 p->job->cluster, known.failed ? "others" : known.data);
    memx_text_free(&known);
    return MEMX_INVALID;
}

/* Takes up to `need` GPUs of a node; answers what is still needed. */
static memx_status take_from(parser *p, memx_placement *placement, int32_t stage, int32_t n,
                             int64_t *need) {
    int64_t left = p->job->nodes[n].gpus - p->used[n];
    int32_t take = (int32_t)(*need < left ? *need : left);
    if (take == 0) return MEMX_OK;
    p->used[n] += take;
    *need -= take;
    return memx_placement_add(placement, stage, n, take);
}

static memx_status parse_ordinal(parser *p, int32_t device, int32_t *node) {
    const char *start = p->at;
    int64_t ordinal = 0;
    if (!take_number(p, &ordinal)) {
        return expected(p, "the ordinal of a node, as in A@1 or A@1+3");
    }
    for (*node = 0; *node < p->job->node_count; ++*node) {
        if (p->job->nodes[*node].ordinal == ordinal && p->job->nodes[*node].device == device) {
            return MEMX_OK;
        }
    }
    return memx_invalid(p->error, "position %zu: cluster '%s' has no node %lld of '%s'",
                        (size_t)(start - p->text) + 1, p->job->cluster, (long long)ordinal,
                        p->job->devices[device].name);
}

enum { STAGE_LIST = 80 };

/* "stage 0", "stages 0, 2, 5 and others": those before `stage` that hold GPUs of a
** device. */
static void list_holders(const memx_job *job, const memx_placement *placement, int32_t stage,
                         int32_t device, char out[STAGE_LIST]) {
    enum { MOST = 8 };
    int32_t held[MOST], count = 0;
    for (int32_t s = 0; s < stage; s++) {
        bool holds = false;
        for (int32_t r = placement->first[s]; r < placement->first[s + 1] && !holds; r++) {
            holds = job->nodes[placement->runs[r].node].device == device;
        }
        if (!holds) continue;
        if (count < MOST) held[count] = s;
        count++;
    }
    size_t length = 0;
    out[0] = '\0';
    for (int32_t i = 0; i < count && i < MOST; i++) {
        length += (size_t)snprintf(out + length, STAGE_LIST - length, "%s%d",
                                   i           ? ", "
                                   : count > 1 ? "stages "
                                               : "stage ",
                                   (int)held[i]);
    }
    if (count > MOST) snprintf(out + length, STAGE_LIST - length, " and others");
}

/* Takes GPUs of one type: from the nodes that follow as @ordinals, else from all of its nodes in order
** of their ordinals. */
static memx_status take_gpus(parser *p, memx_placement *placement, int32_t stage, int32_t device,
                             int64_t need) {
    memx_status status = MEMX_OK;
    const char *where = "has left";
    if (skip(p, "@")) {
        where = "has left on these nodes";
        do {
            int32_t node = 0;
            status = parse_ordinal(p, device, &node);
            if (!status) status = take_from(p, placement, stage, node, &need);
        } while (!status && skip(p, "+"));
    } else {
        for (int32_t n = 0; n < p->job->node_count && need > 0 && !status; n++) {
            if (p->job->nodes[n].device != device) continue;
            status = take_from(p, placement, stage, n, &need);
        }
    }
    if (!status && need > 0) {
        char holders[STAGE_LIST];
        list_holders(p->job, placement, stage, device, holders);
        return memx_invalid(
            p->error, "stage %d needs %lld more GPU%s of '%s' than cluster '%s' %s%s%s", (int)stage,
            (long long)need, memx_s(need), p->job->devices[device].name, p->job->cluster, where,
            *holders ? "; others are held by " : "", holders);
    }
    return status;
}

static memx_status parse_stage_devices(parser *p, const memx_knobs *knobs,
                                       memx_placement *placement, int32_t stage) {
    int64_t width = memx_knobs_stage_gpus(knobs), sum = 0;
    const char *start = p->at;
    for (int items = 0;; items++) {
        int32_t device = 0;
        int64_t gpus = width;
        memx_status status = parse_device(p, &device);
        if (status) return status;
        bool counted = skip(p, "(");
        if (counted) {
            status = parse_number(p, "a number of GPUs", &gpus);
            if (status) return status;
            if (!skip(p, ")")) return expected(p, "')'");
        }
        if (!counted && (items > 0 || p->at[strcspn(p->at, "|,*")] == '|')) {
            return expected(p, "'(' and the GPUs of this device, as in A(4)|B(4)*12:none");
        }
        sum += gpus;
        if (sum > width) break;
        if (gpus % knobs->tp != 0) {
            return memx_invalid(p->error,
                                "stage %d takes %lld GPU%s of '%s', no whole number of "
                                "tensor parallel groups of %lld",
                                (int)stage, (long long)gpus, memx_s(gpus),
                                p->job->devices[device].name, (long long)knobs->tp);
        }
        status = take_gpus(p, placement, stage, device, gpus);
        if (status) return status;
        if (!skip(p, "|")) break;
    }
    if (sum != width) {
        char factor[CP_FACTOR];
        return memx_invalid(p->error,
                            "position %zu: stage %d has %lld GPU%s; tp %lld %s* dp %lld "
                            "makes %lld",
                            (size_t)(start - p->text) + 1, (int)stage, (long long)sum, memx_s(sum),
                            (long long)knobs->tp, cp_factor(knobs, factor), (long long)knobs->dp,
                            (long long)width);
    }
    for (int32_t r = placement->first[stage]; r < placement->first[stage + 1]; r++) {
        if (placement->runs[r].gpus % knobs->tp == 0) continue;
        return memx_invalid(p->error, "stage %d cuts a tensor parallel group of %lld between nodes",
                            (int)stage, (long long)knobs->tp);
    }
    return MEMX_OK;
}

static memx_status parse_level(parser *p, memx_level *level) {
    size_t length = 0;
    while (isalnum((unsigned char)p->at[length]) || p->at[length] == '+') length++;
    if (!memx_level_parse(p->at, length, level)) {
        return expected(p, "none, selective, full, block<N>, uniform<N>, swap<N>, offload<X> or "
                           "LEVEL+offload<X>, X to 100");
    }
    p->at += length;
    return MEMX_OK;
}

static memx_status parse_stage(parser *p, memx_config *config, int32_t stage) {
    memx_stage_choice *choice = &config->stages[stage];
    memx_placement_open(&config->placement, stage);
    memx_status status = parse_stage_devices(p, &config->knobs, &config->placement, stage);
    if (status) return status;
    if (!skip(p, "*")) return expected(p, "'*' and the layers of the stage");
    const char *start = p->at;
    int64_t layers = 0, chunks = config->knobs.vp;
    status = parse_number(p, "a whole number of layers, at least 1", &layers);
    if (status) return status;
    if (layers % chunks != 0) {
        return memx_invalid(
            p->error, "position %zu: stage %d has %lld layer%s, not divisible by its %lld chunks",
            (size_t)(start - p->text) + 1, (int)stage, (long long)layers, memx_s(layers),
            (long long)chunks);
    }
    choice->layers = layers / chunks;
    if (!skip(p, ":")) return expected(p, "':' and a recompute level");
    status = parse_level(p, &choice->level);
    if (status) return status;
    choice->level = memx_level_canonical(choice->level, choice->layers);
    return MEMX_OK;
}

static memx_status check_config(const parser *p, const memx_config *config) {
    const memx_job *job = p->job;
    int64_t sum = 0;
    for (int64_t s = 0; s < config->knobs.pp; s++) {
        sum += memx_knobs_layers(&config->knobs, &config->stages[s]);
    }
    if (sum != job->model.layers) {
        int64_t off = job->model.layers - sum;
        return memx_invalid(p->error, "layers add up to %lld; model '%s' has %lld: %lld %s",
                            (long long)sum, job->model.name, (long long)job->model.layers,
                            (long long)(off > 0 ? off : -off), off > 0 ? "missing" : "too many");
    }
    int64_t least = memx_stage_least_layers(&job->model, true);
    memx_misfit misfit = memx_knobs_misfit(job, &config->knobs);
    if (misfit) return memx_misfit_message(job, &config->knobs, misfit, p->error);
    if (config->stages[0].layers < least) {
        return memx_invalid(
            p->error,
            "stage 0 has %lld layer%s%s; the first %lld of model '%s' have no experts "
            "and stay on it",
            (long long)config->stages[0].layers, memx_s(config->stages[0].layers),
            config->knobs.vp > 1 ? " in its first chunk" : "", (long long)least, job->model.name);
    }
    memx_model model;
    return memx_knobs_model(job, &config->knobs, &model, p->error);
}

static memx_status check_order(const parser *p, const memx_placement *placement) {
    int32_t stage = 0, node = 0;
    memx_status status = memx_placement_check(p->job, placement, &stage, &node);
    if (status != MEMX_INVALID) return status;
    return memx_invalid(
        p->error,
        "stage %d takes parts of two nodes of one type, node %lld one of them; write "
        "it so that it uses up one before the next",
        (int)stage, (long long)p->job->nodes[node].ordinal);
}

memx_status memx_config_parse(const memx_job *job, const char *text, memx_config *out,
                              memx_error *error) {
    parser p = {.job = job, .text = text, .at = text, .error = error};
    int64_t values[KNOB_COUNT], stages = 1;
    *out = (memx_config){0};
    memx_status status = parse_knobs(&p, &out->knobs, values);
    if (status) goto cleanup;
    for (const char *c = p.at; *c; c++) stages += *c == ',';
    if (stages > MEMX_MAX_STAGES || stages > job->gpus) {
        status = memx_invalid(error, "%lld stages; cluster '%s' has %lld GPU%s", (long long)stages,
                              job->cluster, (long long)job->gpus, memx_s(job->gpus));
        goto cleanup;
    }
    out->knobs.pp = stages;
    out->stages = calloc((size_t)stages, sizeof *out->stages);
    p.used = calloc((size_t)job->node_count, sizeof *p.used);
    status = memx_placement_start(&out->placement, (int32_t)stages);
    if (!out->stages || !p.used) status = MEMX_NOMEM;
    for (int32_t s = 0; s < stages && !status; s++) {
        if (s > 0 && !skip(&p, ",")) status = expected(&p, "',' and the next stage");
        if (!status) status = parse_stage(&p, out, s);
    }
    if (!status && *p.at) status = expected(&p, "',' and the next stage, or the end");
    if (!status) status = check_config(&p, out);
    if (!status) status = check_order(&p, &out->placement);
    if (!status) status = memx_placement_canonical(job, &out->placement);
cleanup:
    free(p.used);
    if (status) memx_config_free(out);
    return status;
}

void memx_config_free(memx_config *config) {
    memx_placement_free(&config->placement);
    free(config->stages);
    *config = (memx_config){0};
}

/* ---- writing ---- */

void memx_config_format(const memx_job *job, const memx_config *config, memx_text *out) {
    const memx_knobs *k = &config->knobs;
    memx_knobs own = *k;
    int32_t *used = calloc((size_t)job->node_count, sizeof *used);
    if (!used) out->failed = true;
    memx_knobs_default(job, &own);
    memx_text_printf(out, "tp%lld.dp%lld.mb%lld.seq%lld", (long long)k->tp, (long long)k->dp,
                     (long long)k->micro_batch, (long long)k->seq_length);
    if (k->sequence_parallel != own.sequence_parallel) {
        memx_text_printf(out, ".sp%d", k->sequence_parallel);
    }
    if (k->distributed_optimizer != own.distributed_optimizer) {
        memx_text_printf(out, ".do%lld", (long long)k->distributed_optimizer);
    }
    if (k->heads != own.heads) memx_text_printf(out, ".hd%lld", (long long)k->heads);
    if (k->kv_groups != own.kv_groups) memx_text_printf(out, ".kv%lld", (long long)k->kv_groups);
    if (k->cp > 1) memx_text_printf(out, ".cp%lld", (long long)k->cp);
    if (k->ep > 1) memx_text_printf(out, ".ep%lld", (long long)k->ep);
    if (k->vp > 1) memx_text_printf(out, ".vp%lld", (long long)k->vp);
    for (int32_t s = 0; s < config->placement.stage_count && used; s++) {
        char level[MEMX_LEVEL_TEXT];
        memx_level_format(config->stages[s].level, level);
        memx_text_add(out, s ? "," : "/", 1);
        memx_stage_places(job, &config->placement, s, used, out);
        memx_text_printf(out, "*%lld:%s", (long long)memx_knobs_layers(k, &config->stages[s]),
                         level);
    }
    free(used);
}

void memx_config_devices(const memx_job *job, const memx_config *config, memx_text *out) {
    for (int32_t s = 0; s < config->placement.stage_count; s++) {
        if (s) memx_text_add(out, ",", 1);
        memx_stage_devices(job, &config->placement, s, out);
    }
}

void memx_config_layers(const memx_config *config, memx_text *out) {
    for (int32_t s = 0; s < config->placement.stage_count; s++) {
        memx_text_printf(out, "%s%lld", s ? "," : "",
                         (long long)memx_knobs_layers(&config->knobs, &config->stages[s]));
    }
}

void memx_config_levels(const memx_config *config, memx_text *out) {
    for (int32_t s = 0; s < config->placement.stage_count; s++) {
        char level[MEMX_LEVEL_TEXT];
        memx_level_format(config->stages[s].level, level);
        memx_text_printf(out, "%s%s", s ? "," : "", level);
    }
}
