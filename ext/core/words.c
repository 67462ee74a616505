#include "core/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *memx_words_time(double ms, char out[MEMX_WORDS]) {
    double s = ms / 1e3;
    if (s < 0.9995) {
        snprintf(out, MEMX_WORDS, ms < 9.95 ? "%.1f ms" : "%.0f ms", ms);
    } else if (s < 119.5) {
        snprintf(out, MEMX_WORDS, s < 9.995 ? "%.2f s" : "%.1f s", s);
    } else if (s < 7170.0) {
        snprintf(out, MEMX_WORDS, "%.1f min", s / 60.0);
    } else {
        snprintf(out, MEMX_WORDS, "%.1f h", s / 3600.0);
    }
    return out;
}

const char *memx_words_gib(double mib, char out[MEMX_WORDS]) {
    double gib = mib / 1024.0;
    snprintf(out, MEMX_WORDS, fabs(gib) < 0.995 && gib != 0.0 ? "%.2f" : "%.1f", gib);
    return out;
}

const char *memx_words_share(double share, char out[MEMX_WORDS]) {
    double percent = round(100.0 * share);
    snprintf(out, MEMX_WORDS, "%.0f %%", percent == 0.0 ? 0.0 : percent);
    return out;
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
    }
}

/* Whether two stages are described by the same words. */
static bool alike(const memx_job *job, const memx_config *config, int32_t a, int32_t b) {
    const memx_stage_choice *x = &config->stages[a], *y = &config->stages[b];
    memx_text first = {0}, second = {0};
    if (x->layers != y->layers || memx_level_compare(x->level, y->level) != 0) return false;
    memx_stage_devices(job, &config->placement, a, &first);
    memx_stage_devices(job, &config->placement, b, &second);
    bool same = !first.failed && !second.failed && strcmp(first.data, second.data) == 0;
    memx_text_free(&first);
    memx_text_free(&second);
    return same;
}

static bool one_level(const memx_config *config) {
    for (int64_t s = 1; s < config->knobs.pp; s++) {
        if (memx_level_compare(config->stages[s].level, config->stages[0].level) != 0) return false;
    }
    return true;
}

void memx_words_config(const memx_job *job, const memx_config *config, memx_text *out) {
    const memx_knobs *k = &config->knobs;
    bool one = one_level(config);
    long long gpus = (long long)(k->tp * k->dp);
    memx_text_printf(out, "%lld stage%s of %lld GPU%s", (long long)k->pp, memx_s(k->pp), gpus,
                     memx_s(gpus));
    for (int32_t s = 0, next; s < k->pp; s = next) {
        next = s + 1;
        while (next < k->pp && alike(job, config, s, next)) next++;
        memx_text_printf(out, s ? ", " : ": ");
        if (k->pp > 1) memx_text_printf(out, "%d ", (int)(next - s));
        memx_text_printf(out, "on ");
        memx_stage_devices(job, &config->placement, s, out);
        long long layers = (long long)config->stages[s].layers;
        memx_text_printf(out, " with %lld layer%s%s", layers, memx_s(layers),
                         next - s > 1 ? " each" : "");
        if (!one) {
            memx_text_printf(out, " (");
            memx_words_level(config->stages[s].level, out);
            memx_text_printf(out, ")");
        }
    }
    memx_text_printf(out, "; ");
    if (k->tp > 1) memx_text_printf(out, "tensor parallel over %lld GPUs, ", (long long)k->tp);
    memx_text_printf(out, "%lld replica%s, micro batch %lld", (long long)k->dp, memx_s(k->dp),
                     (long long)k->micro_batch);
    if (one) {
        memx_text_printf(out, "; ");
        memx_words_level(config->stages[0].level, out);
    }
}
