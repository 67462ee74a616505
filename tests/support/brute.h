/*
** Every configuration of a space, one by one, from what core/space.h, core/skeletons.h,
** core/choices.h and core/split.h promise and from nothing of what they do. Slow; prices come from
** plans of configurations that were read from texts.
*/
#ifndef MEMX_TESTS_SUPPORT_BRUTE_H
#define MEMX_TESTS_SUPPORT_BRUTE_H

#include "core/plan.h"
#include "core/space.h"

#include "support/layout.h"

enum { BRUTE_STAGES = 8, BRUTE_LEVELS = 32 };

/* Layers and levels (numbers of brute.levels) of every stage. */
typedef struct brute_choice {
    int8_t layers[BRUTE_STAGES], levels[BRUTE_STAGES];
} brute_choice;

typedef struct brute_skeleton {
    layout base;       /* its knobs and placement */
    size_t begin, end; /* of its feasible choices */
    int64_t all;       /* with those that memory refuses */
    memx_config config;
    memx_plan plan;       /* refers to config */
    int32_t most;         /* layers of one stage */
    memx_option *options; /* [stage][layers - 1][level], of the level's canonical form there */
} brute_skeleton;

typedef struct brute {
    const memx_job *job;
    const memx_space *space;
    memx_level levels[BRUTE_LEVELS]; /* all that a stage may show, in order */
    int32_t level_count;
    brute_skeleton **skeletons; /* in order */
    size_t skeleton_count, skeleton_capacity;
    brute_choice *choices; /* in order */
    size_t count, capacity;
    int64_t all, limit;
    bool too_large; /* more than `limit` configurations, or too many lists: given up */
} brute;

void brute_open(const memx_job *job, const memx_space *space, int64_t limit, brute *out);
void brute_close(brute *b);

/* Whether the space offers a level to a stage of so many layers, and memory allows it. */
bool brute_fits(const brute *b, const brute_skeleton *skeleton, int64_t stage, int64_t layers,
                int32_t level);

/* Their order in a skeleton: by layers and level of stage 0, of stage 1, and so on. */
int brute_compare(const void *left, const void *right);

/* A choice's options, one pointer a stage. */
void brute_options(const brute *b, const brute_skeleton *skeleton, const brute_choice *choice,
                   const memx_option **out);

/* A choice as a configuration of its own. */
void brute_layout(const brute *b, const brute_skeleton *skeleton, const brute_choice *choice,
                  layout *out);

/* The number of a configuration, or -1 when it is none of the feasible ones. */
int64_t brute_find(const brute *b, const layout *l);

#endif
