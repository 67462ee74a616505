/*
** What the files of choices.h share: choices.c opens and walks, choices_list.c lists what a rule for the
** layers gives, choices_number.c counts and numbers.
*/
#ifndef MEMX_CORE_CHOICES_STATE_H
#define MEMX_CORE_CHOICES_STATE_H

#include "core/choices.h"
#include "core/ways.h"

typedef enum walk { WALK_FREE, WALK_SPLITS, WALK_ROWS } walk;

struct memx_choices {
    memx_setting *setting;
    memx_skeleton *skeleton;
    const memx_poll *poll;
    memx_plan plan;
    int32_t stages, levels, groups;
    int64_t layers; /* of the model */
    int64_t most;   /* of one stage */
    memx_table **tables;
    const uint64_t **offered, **fitting; /* of the tables */
    int32_t *group;                      /* of every stage; numbered by first stage */
    int32_t *leader;                     /* the first stage of this stage's group */
    walk walk;

    /* Where the walk stands. */
    int64_t *split;
    int64_t *left;     /* layers for this stage and those after it */
    size_t *from, *to; /* WALK_SPLITS: rows of the list that begin as the stages before this one */
    int32_t *level;    /* of every group */
    uint64_t *group_mask; /* levels that every stage of the group can take under this split */
    const memx_option **options;
    memx_split_next *costs; /* scratch of splits by time */

    int32_t piece_groups;  /* that have one level in a piece */
    size_t piece_vectors;  /* pieces of one split */
    const uint16_t *piece; /* layers of every stage, or NULL */
    int32_t *piece_level;  /* of the groups that have one */

    uint8_t *reach; /* WALK_FREE: [stage][layers left], some completion exists */

    /* WALK_SPLITS: splits of `stages` cells. WALK_ROWS: layers and level of every stage. Both sorted,
    ** each led by its width for the comparison. */
    uint16_t *list;
    bool list_kept; /* with the skeleton, not ours to free */
    size_t list_count, list_capacity, list_width, list_at;
};

static inline const memx_option *option_at(const memx_choices *c, int32_t s, int64_t layers,
                                           int32_t r) {
    return &c->tables[s]->options[(layers - 1) * c->levels + r];
}

/* Levels that the stage offers with so many layers, fitting ones or all. */
static inline uint64_t offers(const memx_choices *c, int32_t s, int64_t layers, bool all) {
    if (layers < 1 || layers > c->most) return 0;
    return all ? c->offered[s][layers - 1] : c->fitting[s][layers - 1];
}

/* What the stages offer, for counting: the fitting levels or all. */
static inline memx_ways ways_of(const memx_choices *c, bool all) {
    return (memx_ways){
        .stages = c->stages,
        .groups = c->groups,
        .levels = c->levels,
        .layers = c->layers,
        .most = c->most,
        .group = c->group,
        .masks = all ? c->offered : c->fitting,
        .poll = c->poll,
    };
}

/* ---- choices.c ---- */

/* After the layers and levels were set: their options. */
void memx_choices_point(memx_choices *choices);

/* Puts stage s before its first choice, with the stages before it as they are. */
void memx_choices_enter(memx_choices *choices, int32_t s);

/* A row of a list that has levels: row `list_at`. */
void memx_choices_load_row(memx_choices *choices);

/* ---- choices_list.c ---- */

/* Lists what the rule gives, once. */
memx_status memx_choices_list(memx_choices *choices);

/* Stands the walk of WALK_ROWS on the row of the layers and levels that are set: MEMX_OK or MEMX_DONE. */
memx_status memx_choices_find_row(memx_choices *choices);

/* Rows of WALK_ROWS, those that do not fit as well. */
memx_status memx_choices_count_rows(memx_choices *choices, memx_count *out);

/* MEMX_INVALID where the levels have too many assignments to be listed. */
memx_status memx_choices_listable(const memx_choices *choices, memx_error *error);

/* Whether the stages offer one assignment of levels to groups under a split: where it fits, or in any
** case. */
bool memx_choices_offered(const memx_choices *choices, const int64_t *split, const int32_t *vector,
                          bool all);

/* The split by time under one assignment of levels to groups. */
void memx_choices_split_by_time(memx_choices *choices, const int32_t *vector, int64_t *out);

/* Whether the split that the choices stand on is the rule's or a neighbour of it. */
memx_status memx_choices_split_offered(memx_choices *choices, bool *offered);

#endif
