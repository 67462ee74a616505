#include "core/cards.h"

#include "core/whole.h"
#include "core/words.h"

#include <stdio.h>
#include <stdlib.h>

const char *memx_part_name(memx_part part) {
    static const char *const names[MEMX_PARTS] = {
        [MEMX_PART_CONTEXT] = "driver",         [MEMX_PART_STATIC] = "model state",
        [MEMX_PART_ACTIVATION] = "activations", [MEMX_PART_WORK] = "work space",
        [MEMX_PART_LOGITS] = "logits",          [MEMX_PART_OPTIMIZER] = "optimizer's own",
    };
    return names[part];
}

const char *memx_part_class(memx_part part) {
    static const char *const classes[MEMX_PARTS] = {
        [MEMX_PART_CONTEXT] = "context",       [MEMX_PART_STATIC] = "static",
        [MEMX_PART_ACTIVATION] = "activation", [MEMX_PART_WORK] = "work",
        [MEMX_PART_LOGITS] = "logits",         [MEMX_PART_OPTIMIZER] = "optimizer",
    };
    return classes[part];
}

static memx_card card_of(const memx_job *job, int32_t stage, const memx_share *share,
                         const memx_stage_memory *memory) {
    return (memx_card){
        .stage = stage,
        .device = share->device,
        .gpus = share->gpus,
        .parts_kib = {[MEMX_PART_CONTEXT] = memory->context_kib,
                      [MEMX_PART_STATIC] = memory->static_kib,
                      [MEMX_PART_ACTIVATION] = memory->activation_kib,
                      [MEMX_PART_WORK] = memory->work_kib,
                      [MEMX_PART_LOGITS] = memory->logits_kib,
                      [MEMX_PART_OPTIMIZER] = memory->optimizer_kib},
        .peak_kib = memx_stage_peak_kib(memory),
        .usable_kib = memx_usable_kib(job, share->device),
        .card_kib = memx_card_kib(job, share->device),
    };
}

memx_status memx_cards_open(const memx_priced *priced, const memx_pricer *pricer, memx_cards *out,
                            memx_error *error) {
    const memx_plan *plan = &priced->plan;
    size_t count = 0;
    *out = (memx_cards){0};
    for (int32_t s = 0; s < plan->stage_count; s++) count += (size_t)plan->shapes[s].share_count;
    out->cards = calloc(count, sizeof *out->cards);
    if (!out->cards) return MEMX_NOMEM;
    for (int32_t s = 0; s < plan->stage_count; s++) {
        const memx_shape *shape = &plan->shapes[s];
        for (int32_t i = 0; i < shape->share_count; i++) {
            memx_stage_price price;
            memx_status status =
                memx_plan_price(plan, shape, i, pricer, &priced->config.stages[s], &price, error);
            if (status) {
                memx_cards_close(out);
                return status;
            }
            out->cards[out->count++] = card_of(plan->job, s, &shape->shares[i], &price.memory);
        }
    }
    return MEMX_OK;
}

void memx_cards_close(memx_cards *cards) {
    free(cards->cards);
    *cards = (memx_cards){0};
}

static double free_share(const memx_card *card) {
    return (double)(card->card_kib - card->peak_kib) / (double)card->card_kib;
}

static int by_free_share(const void *a, const void *b) {
    const memx_card *x = a, *y = b;
    double first = free_share(x), second = free_share(y);
    if (first != second) return first < second ? -1 : 1;
    return (x->stage > y->stage) - (x->stage < y->stage);
}

static int by_stage(const void *a, const void *b) {
    const memx_card *x = a, *y = b;
    if (x->stage != y->stage) return x->stage < y->stage ? -1 : 1;
    return (x->device > y->device) - (x->device < y->device);
}

void memx_cards_cut(memx_cards *cards, size_t most) {
    if (cards->count <= most) return;
    qsort(cards->cards, cards->count, sizeof *cards->cards, by_free_share);
    cards->count = most;
    qsort(cards->cards, cards->count, sizeof *cards->cards, by_stage);
}

/* ---- the chart ---- */

enum { ROW = 44, TOP = 8, BAR = 18 };

static void draw_card(const memx_card *card, const memx_job *job, double whole_kib, double top,
                      memx_text *out) {
    char label[160], used[MEMX_WORDS], card_gib[MEMX_WORDS];
    snprintf(label, sizeof label, "stage %d: %d \303\227 %s", (int)card->stage, (int)card->gpus,
             job->devices[card->device].name);
    memx_svg_text(out, "row", MEMX_START, 0.0, top + 12.0, label);
    snprintf(label, sizeof label, "%s of %s GiB", memx_words_gib(memx_mib(card->peak_kib), used),
             memx_words_gib(memx_mib(card->card_kib), card_gib));
    memx_svg_text(out, card->peak_kib > card->card_kib ? "row bad" : "row", MEMX_END, 100.0,
                  top + 12.0, label);
    double y = top + 18.0, x = 0.0;
    memx_svg_rect(out, "card", 0.0, y, 100.0 * (double)card->card_kib / whole_kib, BAR);
    for (int part = 0; part < MEMX_PARTS; part++) {
        double width = 100.0 * (double)card->parts_kib[part] / whole_kib;
        if (width <= 0.0) continue;
        char class[32];
        snprintf(class, sizeof class, "part %s", memx_part_class((memx_part)part));
        memx_svg_rect(out, class, x, y, width, BAR);
        x += width;
    }
    double limit = 100.0 * (double)card->usable_kib / whole_kib;
    memx_svg_line(out, "limit", limit, y - 3.0, limit, y + BAR + 3.0);
}

void memx_cards_draw(const memx_cards *cards, const memx_job *job, const char *id,
                     const char *title, const char *description, memx_text *out) {
    int64_t most = 0;
    for (size_t i = 0; i < cards->count; i++) {
        most = memx_greatest(most, cards->cards[i].card_kib);
        most = memx_greatest(most, cards->cards[i].peak_kib);
    }
    double bottom = TOP + ROW * (double)cards->count;
    memx_scale axis = memx_scale_around(0.0, (double)most / 1048576.0, 5);
    axis.most = (double)most / 1048576.0;
    memx_svg_begin(out, id, bottom + 42.0, title, description);
    memx_svg_columns(out, &axis, 0.0, 100.0, TOP, bottom);
    for (size_t i = 0; i < cards->count; i++) {
        draw_card(&cards->cards[i], job, axis.most * 1048576.0, TOP + ROW * (double)i, out);
    }
    memx_svg_text(out, "name", MEMX_END, 100.0, bottom + 36.0, "GiB on one GPU");
    memx_svg_end(out);
}
