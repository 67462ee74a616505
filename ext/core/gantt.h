/*
** A configuration's timeline (core/timeline.h) as a Gantt chart (core/svg.h): a row for each stage. Of a long
** iteration its begin and its end are shown, with a gap between them, and of many stages the first and the
** last ones.
*/
#ifndef MEMX_CORE_GANTT_H
#define MEMX_CORE_GANTT_H

#include "core/svg.h"
#include "core/timeline.h"

enum { MEMX_GANTT_ROWS = 32 };

typedef struct memx_gantt {
    int64_t begin_ns,
        end_ns; /* shown: up to begin_ns, and from end_ns on; equal where all is shown */
    int64_t total_ns;
    int32_t rows;                                  /* stages shown */
    int64_t ns[MEMX_GANTT_ROWS][MEMX_SLICE_KINDS]; /* of each: sums over the whole iteration */
} memx_gantt;

/* The stage of a row. */
int32_t memx_gantt_stage(const memx_gantt *gantt, const memx_timeline *timeline, int32_t row);

/* What will be shown. MEMX_NOMEM, MEMX_INTERRUPTED. */
memx_status memx_gantt_open(const memx_timeline *timeline, const memx_poll *poll, memx_gantt *out);

memx_status memx_gantt_draw(const memx_gantt *gantt, const memx_timeline *timeline,
                            const memx_poll *poll, const char *id, const char *title,
                            const char *description, memx_text *out);

#endif
