/*
** The tests' own idea of a configuration, kept apart from core/config.h: how many GPUs of every
** node each stage has, its layers and level; and its text, written from the documented grammar.
*/
#ifndef MEMX_TESTS_SUPPORT_LAYOUT_H
#define MEMX_TESTS_SUPPORT_LAYOUT_H

#include "support/jobs.h"

enum { LAYOUT_STAGES = 32, LAYOUT_TEXT = 8192 };

typedef struct layout {
    memx_knobs knobs;
    int32_t gpus[LAYOUT_STAGES][TEST_NODES]; /* of stage and node */
    int64_t layers[LAYOUT_STAGES];
    memx_level levels[LAYOUT_STAGES]; /* canonical */
} layout;

/* The canonical text into `out`, of LAYOUT_TEXT bytes. */
void layout_text(const memx_job *job, const layout *l, char *out);

/* Whether a configuration read by core/config.h is this one, in every field. */
bool layout_equals(const memx_job *job, const layout *l, const memx_config *config);
/* The same of a stage's GPUs alone. */
bool layout_placed(const memx_job *job, const layout *l, const memx_placement *placement);

/* A random job of 1 to 4 nodes of 1 to 3 device types and vendors, 1 to `most_gpus` GPUs a node, up
** to `most_layers` layers. Degrees above 1 often divide. */
void random_job(rng *r, int64_t most_gpus, int64_t most_layers, test_job *t);

/* Makes the job's model a mixture of experts, with dense first layers and latent attention now and then. */
void random_experts(rng *r, test_job *t);

/* Layers that the first stage has at least: all without experts. */
int64_t layout_least(const memx_job *job, int64_t stage);

/* A random configuration that is good for the job: stages on any devices, any split, any levels,
** other knobs than the job's now and then. False when the job has none with few enough stages. */
bool random_layout(rng *r, const memx_job *job, layout *l);

/* A random canonical level for a stage of so many layers. */
memx_level random_level_for(rng *r, int64_t layers);

#endif
