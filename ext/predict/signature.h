/*
** The signature of a stage's prediction: the full tuple of what it depends on, and its hash.
**
** Two stages with the same tuple have the same prediction; a hash alone never stands for it. The
** tuple holds every figure of the device, the framework and the model, so that any change to a
** stored row is another signature.
*/
#ifndef MEMX_PREDICT_SIGNATURE_H
#define MEMX_PREDICT_SIGNATURE_H

#include "core/stage.h"
#include "core/text.h"

/* Appends the tuple's bytes. */
void memx_signature_tuple(const char *predictor, const memx_device *device,
                          const memx_framework *framework, const memx_stage_spec *spec,
                          const memx_stage_choice *choice, memx_text *out);

enum { MEMX_SIGNATURE_TEXT = 33 }; /* 128 bits in hexadecimal and a NUL */

void memx_signature_hash(const memx_text *tuple, char out[MEMX_SIGNATURE_TEXT]);

#endif
