/*
** Figures and configurations as people say them.
*/
#ifndef MEMX_CORE_WORDS_H
#define MEMX_CORE_WORDS_H

#include "core/config.h"

enum { MEMX_WORDS = 32 };

/* "640 ms", "22.9 s", "3.1 min", "2.5 h". */
const char *memx_words_time(double ms, char out[MEMX_WORDS]);
/* Without the unit: "24.2", "0.36", "0". */
const char *memx_words_gib(double mib, char out[MEMX_WORDS]);
/* "36 %", "-4 %". */
const char *memx_words_share(double share, char out[MEMX_WORDS]);

/* "28,575" of "28575"; what stands before the digits stays. */
void memx_words_digits(const char *digits, memx_text *out);

/* "10 stages of 2 GPUs: 4 on C-32GB with 2 layers each, 2 on A100-SXM-80GB with 11 and 13 layers (all
** recomputed); 2 replicas, micro batch 1". */
void memx_words_config(const memx_job *job, const memx_config *config, memx_text *out);
/* "nothing recomputed", "the first 2 layers recomputed". */
void memx_words_level(memx_level level, memx_text *out);

#endif
