/*
** The memory of a configuration's GPUs, card beside card: what is alike in a stage once, split into its
** parts; and the chart of it (core/svg.h).
*/
#ifndef MEMX_CORE_CARDS_H
#define MEMX_CORE_CARDS_H

#include "core/priced.h"
#include "core/svg.h"

typedef enum memx_part {
    MEMX_PART_CONTEXT,
    MEMX_PART_STATIC,
    MEMX_PART_ACTIVATION,
    MEMX_PART_WORK,
    MEMX_PART_LOGITS,
    MEMX_PART_OPTIMIZER,
    MEMX_PARTS
} memx_part;

/* GPUs of one stage on one device type. */
typedef struct memx_card {
    int32_t stage, device, gpus;
    int64_t parts_kib[MEMX_PARTS];
    int64_t peak_kib, usable_kib, card_kib;
} memx_card;

typedef struct memx_cards {
    memx_card *cards; /* in order of stages */
    size_t count;
} memx_cards;

memx_status memx_cards_open(const memx_priced *priced, const memx_pricer *pricer, memx_cards *out,
                            memx_error *error);
void memx_cards_close(memx_cards *cards);

/* "driver", "model state" and so on; and a word for a class of the style sheet. */
const char *memx_part_name(memx_part part);
const char *memx_part_class(memx_part part);

/* Keeps the `most` cards with the least share free, and their order. */
void memx_cards_cut(memx_cards *cards, size_t most);

/* A bar for each, to one scale: its parts, what is free, and a mark where the job's reserve begins. */
void memx_cards_draw(const memx_cards *cards, const memx_job *job, const char *id,
                     const char *title, const char *description, memx_text *out);

#endif
