/*
** Random spaces, and memories that go with them.
*/
#ifndef MEMX_TESTS_SUPPORT_SPACES_H
#define MEMX_TESTS_SUPPORT_SPACES_H

#include "core/space.h"

#include "support/jobs.h"

/* Lists, rules, scopes and levels of all kinds. To be freed. */
void random_space(rng *r, const memx_job *job, memx_space *space);

/* Sets the cards' memory so that, most often, some configurations fit and some do not. */
void random_memory(rng *r, test_job *t);

#endif
