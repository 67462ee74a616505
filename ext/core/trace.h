/*
** A configuration's timeline as a Chrome trace (the JSON that ui.perfetto.dev and chrome://tracing open):
** a process whose threads are the stages, and one whose threads are the messages between them.
**
** All events are complete ("X"); ts and dur are microseconds. micro_batch counts from 1. On a thread no two
** events overlap: where the next message to the same stage leaves before the last has come, it has a
** thread beside it.
**
** Of more than MEMX_TRACE_TASKS forwards and backwards each stage shows as many of its first as of its last
** ones, and between them one event with the sums of what is left out.
*/
#ifndef MEMX_CORE_TRACE_H
#define MEMX_CORE_TRACE_H

#include "core/text.h"
#include "core/timeline.h"

enum { MEMX_TRACE_TASKS = 50000 };

/* `predictor` is named in otherData. MEMX_NOMEM, MEMX_INTERRUPTED. */
memx_status memx_trace_write(const memx_timeline *timeline, const char *predictor,
                             const memx_poll *poll, memx_text *out);

#endif
