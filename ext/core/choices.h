/*
** The choices inside one skeleton: how its layers are split and what every stage recomputes.
**
** A skeleton fixes degrees, knobs and the placement of stages on devices. Opening it prices every
** (layers, level) of every stage, sharing the tables of equal stages, and answers:
**
**   count       how many feasible configurations it has, exactly, without visiting them
**   first/next  each of them, in order: by the layers of stage 0, its level, the layers of
**               stage 1, and so on
**   at, resume  the same from one on that is given by its number in this order, or by its codes
**   sample      configurations of given numbers (in an order of its own)
**   find        whether a given choice is one of them
**
** Under layer_split = free every split is a choice, walked by an odometer with dead ends cut by
** suffix tables. Under a rule the few splits that it gives are listed, for each assignment of
** levels.
**
** A level is offered to a stage only under its canonical name there (block4 on three layers is
** full), and selective only where it saves enough (SELECTIVE_SAVES of tables.c). Stages in one group of
** the recompute scope show the same level.
*/
#ifndef MEMX_CORE_CHOICES_H
#define MEMX_CORE_CHOICES_H

#include "core/count.h"
#include "core/plan.h"
#include "core/skeletons.h"
#include "core/space.h"
#include "core/tables.h"

typedef struct memx_choices memx_choices;

/* Keeps pointers to all that it is given. MEMX_INVALID where the space gives this skeleton too many
** lists. */
memx_status memx_choices_open(memx_setting *setting, memx_skeleton *skeleton, const memx_poll *poll,
                              memx_choices **out, memx_error *error);
void memx_choices_close(memx_choices *choices);

const memx_plan *memx_choices_plan(const memx_choices *choices);

/* Feasible configurations; and with `all` those that memory refuses as well. */
memx_status memx_choices_count(memx_choices *choices, bool all, memx_count *out);

/* MEMX_OK and the current choice's options, or MEMX_DONE. The stages' layers and levels are read
** with memx_choices_stages. */
memx_status memx_choices_first(memx_choices *choices);
memx_status memx_choices_next(memx_choices *choices);

/* Positions the walk on the configuration of a number in its order, below the count: MEMX_OK. Next goes
** on from there. */
memx_status memx_choices_at(memx_choices *choices, memx_count number);

/* Positions the walk on a configuration of the space, given by its codes (memx_choices_codes): MEMX_OK.
** Next goes on from there. */
memx_status memx_choices_resume(memx_choices *choices, const uint32_t *codes);

/* Calls visit, positioned, for every numbered configuration: numbers ascending, below the count. */
typedef void (*memx_choices_visit)(void *context, const memx_choices *choices);
memx_status memx_choices_sample(memx_choices *choices, const memx_count *numbers, size_t count,
                                memx_choices_visit visit, void *context);

/* Positions on a given choice when it belongs to the space (and fits, unless the space ignores
** memory): MEMX_OK, else MEMX_DONE. No walk goes on from there. */
memx_status memx_choices_find(memx_choices *choices, const memx_stage_choice *stages);

/* Whether every configuration stands in a list: then there are few enough to look at one by one, and
** no pieces. */
bool memx_choices_listed(const memx_choices *choices);

/* The configurations as pieces without overlap. In a piece every stage takes any (layers, level) that
** its mask admits, all layers adding up, and stages with one leader the leader's level. */
memx_status memx_choices_pieces(memx_choices *choices, size_t *count);
void memx_choices_take_piece(memx_choices *choices, size_t piece);
uint64_t memx_choices_mask(const memx_choices *choices, int32_t stage, int64_t layers);

int32_t memx_choices_levels(const memx_choices *choices);

/* The first stage that must show the same level. */
int32_t memx_choices_leader(const memx_choices *choices, int32_t stage);
const memx_option *memx_choices_option(const memx_choices *choices, int32_t stage, int64_t layers,
                                       int32_t level);

/* Positions on a configuration of the space, given by its codes: layers << 8 | level of each stage. No
** walk goes on from there. */
void memx_choices_put(memx_choices *choices, const uint32_t *codes);
void memx_choices_codes(const memx_choices *choices, uint32_t *out);

/* The order of enumeration inside a skeleton, by the codes of its first `count` stages: negative, 0 or
** positive. Inline: a dive asks it all the time. */
static inline int memx_compare_codes(const uint32_t *a, const uint32_t *b, int32_t count) {
    for (int32_t s = 0; s < count; s++) {
        if (a[s] != b[s]) return a[s] < b[s] ? -1 : 1;
    }
    return 0;
}

/* The current choice: an option per stage, and its layers and levels. */
const memx_option *const *memx_choices_options(const memx_choices *choices);
void memx_choices_stages(const memx_choices *choices, memx_stage_choice *out);

/* Of the configurations with one level everywhere, split by time, that do not fit: the one nearest
** to fitting, and its stage that is shortest of memory; where these all fit, the choice of any
** stage that lacks least. MEMX_DONE when everything fits. */
typedef struct memx_shortage {
    int32_t stage, device;
    int64_t may_kib, short_kib; /* what it may use, what it needs beyond that */
    bool on_host;               /* of its host's memory, not of the card's */
    memx_stage_choice choice;
} memx_shortage;

memx_status memx_choices_shortage(memx_choices *choices, memx_shortage *out);

#endif
