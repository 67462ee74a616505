/*
** What was measured, as training takes it: the rows of memx_profile and memx_run, those that cannot be
** learned from left out with the reason.
**
** The peak that is learned is reserved_mib where any row has it, else total_mib, else allocated_mib: the
** three are never mixed.
*/
#ifndef MEMX_SQL_MEASUREMENTS_H
#define MEMX_SQL_MEASUREMENTS_H

#include "core/text.h"
#include "predict/calibrate.h"
#include "sql/reader.h"

enum { MEMX_METRIC_AUTO = -1 };

typedef struct memx_measurements {
    memx_rows rows; /* into what follows */
    memx_sample *samples;
    size_t sample_capacity;
    memx_run_sample *runs;
    size_t run_capacity;
    int64_t profile_rows, augmented_rows, run_rows; /* used */
    int64_t left_out;
    memx_text why; /* of the first ones: JSON objects with table, id and why, comma-separated */
    char first_why[320]; /* of the first of them: "memx_run 3: ..." */
    memx_text key;       /* of everything read */
    void *kept;          /* catalog rows and jobs that samples point to */
} memx_measurements;

/* cluster: only runs on it, and profiles of its devices; NULL: all. metric: a memx_metric or
** MEMX_METRIC_AUTO. augmented: with the rows of memx_augmented. Nothing left is no error. Free *out
** in any case. */
memx_status memx_measurements_read(memx_reader *reader, const char *cluster, int metric,
                                   bool augmented, const memx_poll *poll, memx_measurements *out,
                                   memx_error *error);
void memx_measurements_free(memx_measurements *measurements);

const char *memx_metric_name(memx_metric metric);

#endif
