/*
** The signature of a stage's prediction: the full tuple of what it depends on, and its hash.
**
** Two stages with the same tuple have the same prediction; a hash alone never stands for it. The
** tuple holds every figure of the device, the framework and the model, so that any change to a
** stored row is another signature. It leaves out the model's name and its number of layers, which
** no stage depends on.
*/
#ifndef MEMX_PREDICT_SIGNATURE_H
#define MEMX_PREDICT_SIGNATURE_H

#include "core/stage.h"
#include "core/text.h"

/* Appends the tuple's bytes: first all but layers and level, then these. `fingerprint` tells
** predictors of one name apart; NULL for the analytic model. */
void memx_signature_stage(const char *predictor, const char *fingerprint, const memx_device *device,
                          const memx_framework *framework, const memx_stage_spec *spec,
                          memx_text *out);
void memx_signature_choice(const memx_stage_choice *choice, memx_text *out);

typedef struct memx_signature {
    uint64_t high, low;
} memx_signature;

enum { MEMX_SIGNATURE_TEXT = 33 }; /* 128 bits in hexadecimal and a NUL */

memx_signature memx_signature_of(const memx_text *tuple);
void memx_signature_format(memx_signature signature, char out[MEMX_SIGNATURE_TEXT]);

/* False where the text is not exactly what memx_signature_format writes. */
bool memx_signature_parse(const char *text, memx_signature *out);

/* The text of the tuple's hash. */
void memx_signature_hash(const memx_text *tuple, char out[MEMX_SIGNATURE_TEXT]);

#endif
