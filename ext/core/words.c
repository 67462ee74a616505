#include "core/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Whatever the host's locale: another machine's words are the same. */
static const char *put(double x, int decimals, const char *unit, char out[MEMX_WORDS]) {
    char digits[MEMX_NUMBER_TEXT];
    snprintf(out, MEMX_WORDS, "%.20s%s", memx_text_fixed(x, decimals, digits), unit);
    return out;
}

const char *memx_words_time(double ms, char out[MEMX_WORDS]) {
    double s = ms / 1e3;
    if (s < 0.9995) return put(ms, ms < 9.95, " ms", out);
    if (s < 119.5) return put(s, s < 9.995 ? 2 : 1, " s", out);
    return s < 7170.0 ? put(s / 60.0, 1, " min", out) : put(s / 3600.0, 1, " h", out);
}

const char *memx_words_gib(double mib, char out[MEMX_WORDS]) {
    double gib = mib / 1024.0;
    return put(gib, gib == 0.0 ? 0 : fabs(gib) < 0.995 ? 2 : 1, "", out);
}

const char *memx_words_share(double share, char out[MEMX_WORDS]) {
    double percent = round(100.0 * share);
    return put(percent == 0.0 ? 0.0 : percent, 0, " %", out);
}

void memx_words_level(memx_level level, memx_text *out) {
    switch (level.kind) {
    case MEMX_NONE: memx_text_printf(out, "nothing recomputed"); break;
    case MEMX_SELECTIVE: memx_text_printf(out, "attention recomputed"); break;
    case MEMX_BLOCK:
        if (level.n == 1) {
            memx_text_printf(out, "the first layer recomputed");
        } else {
            memx_text_printf(out, "the first %d layers recomputed", (int)level.n);
        }
        break;
    case MEMX_UNIFORM:
        memx_text_printf(out, "all layers recomputed in groups of %d", (int)level.n);
        break;
    case MEMX_FULL: memx_text_printf(out, "all layers recomputed"); break;
    case MEMX_SWAP:
        memx_text_printf(out, "the first %d layer%s swapped to the host", (int)level.n,
                         level.n == 1 ? "" : "s");
        break;
    }
    if (level.offload > 0)
        memx_text_printf(out, ", %d %% of the optimizer on the host", (int)level.offload);
}

void memx_words_digits(const char *digits, memx_text *out) {
    size_t length = strlen(digits), begin = strcspn(digits, "0123456789");
    for (size_t i = 0; i < length; i++) {
        if (i > begin && (length - i) % 3 == 0) memx_text_add(out, ",", 1);
        memx_text_add(out, digits + i, 1);
    }
}

/* Whether two stages are on the same devices, at the same level. */
static bool alike(const memx_job *job, const memx_config *config, int32_t a, int32_t b,
                  memx_text *out) {
    memx_text first = {0}, second = {0};
    if (memx_level_compare(config->stages[a].level, config->stages[b].level) != 0) return false;
    memx_stage_devices(job, &config->placement, a, &first);
    memx_stage_devices(job, &config->placement, b, &second);
    out->failed = out->failed || first.failed || second.failed;
    bool same = !out->failed && strcmp(first.data, second.data) == 0;
    memx_text_free(&first);
    memx_text_free(&second);
    return same;
}

enum { MOST_LISTED = 6 };

/* "2 layers each", "2 and 3 layers", "2 to 9 layers". */
static void add_layers(const memx_knobs *k, const memx_stage_choice *stages, int32_t count,
                       memx_text *out) {
    long long least = (long long)memx_knobs_layers(k, &stages[0]), most = least;
    for (int32_t s = 1; s < count; s++) {
        long long layers = (long long)memx_knobs_layers(k, &stages[s]);
        least = layers < least ? layers : least;
        most = layers > most ? layers : most;
    }
    if (least == most) {
        memx_text_printf(out, "%lld layer%s%s", most, memx_s(most), count > 1 ? " each" : "");
    } else if (count > MOST_LISTED) {
        memx_text_printf(out, "%lld to %lld layers", least, most);
    } else {
        for (int32_t s = 0; s < count; s++) {
            const char *before = s == 0 ? "" : s + 1 == count ? " and " : ", ";
            memx_text_printf(out, "%s%lld", before, (long long)memx_knobs_layers(k, &stages[s]));
        }
        memx_text_printf(out, " layers");
    }
}

static bool recomputes(const memx_config *config) {
    for (int64_t s = 0; s < config->knobs.pp; s++) {
        if (config->stages[s].level.kind != MEMX_NONE) return true;
    }
    return false;
}

void memx_words_config(const memx_job *job, const memx_config *config, memx_text *out) {
    const memx_knobs *k = &config->knobs;
    int64_t all = memx_knobs_stage_gpus(k);
    long long gpus = (long long)all;
    memx_text_printf(out, "%lld stage%s of %lld GPU%s", (long long)k->pp, memx_s(k->pp), gpus,
                     memx_s(gpus));
    for (int32_t s = 0, next; s < k->pp; s = next) {
        next = s + 1;
        while (next < k->pp && alike(job, config, s, next, out)) next++;
        memx_text_printf(out, s ? "; " : ": ");
        if (k->pp > 1) memx_text_printf(out, "%d ", (int)(next - s));
        memx_text_printf(out, "on ");
        memx_stage_devices(job, &config->placement, s, out);
        memx_text_printf(out, " with ");
        add_layers(k, &config->stages[s], next - s, out);
        if (config->stages[s].level.kind != MEMX_NONE) {
            memx_text_printf(out, " (");
            memx_words_level(config->stages[s].level, out);
            if (k->vp > 1 && config->stages[s].level.n > 0) memx_text_printf(out, " in each chunk");
            memx_text_printf(out, ")");
        }
    }
    if (k->vp > 1) {
        memx_text_printf(out, ", each in %lld chunks, interleaved", (long long)k->vp);
    }
    memx_text_printf(out, ". ");
    if (k->tp > 1) memx_text_printf(out, "Tensor parallel over %lld GPUs, ", (long long)k->tp);
    if (k->cp > 1) {
        memx_text_printf(out, "%s over %lld, ", k->tp > 1 ? "context parallel" : "Context parallel",
                         (long long)k->cp);
    }
    if (k->ep > 1) {
        memx_text_printf(out, "%s over %lld, ",
                         k->tp > 1 || k->cp > 1 ? "expert parallel" : "Expert parallel",
                         (long long)k->ep);
    }
    memx_text_printf(out, "%lld replica%s, micro batch %lld", (long long)k->dp, memx_s(k->dp),
                     (long long)k->micro_batch);
    if (k->distributed_optimizer >= MEMX_ZERO_GRADIENTS) {
        memx_text_printf(out, ", optimizer state%s divided over %lld GPUs",
                         k->distributed_optimizer == MEMX_ZERO_GRADIENTS
                             ? " and gradients"
                             : ", gradients and parameters",
                         (long long)memx_knobs_replicas(k));
    }
    if (!recomputes(config)) memx_text_printf(out, ", nothing recomputed");
}
