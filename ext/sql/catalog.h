/*
** Reads jobs, spaces and weights from the stored tables into the plain data of ext/core.
**
** Foreign keys are off by default and CHECKs can be bypassed, so every reference and every value is
** checked again here; a refusal is one sentence that names the table, the row and what to write.
** Everything that was read is also appended, byte for byte, to a key: two reads with the same key
** gave the same data, so what was computed from one holds for the other (see session.h).
*/
#ifndef MEMX_SQL_CATALOG_H
#define MEMX_SQL_CATALOG_H

#include "core/job.h"
#include "core/phi.h"
#include "core/protrain_block.h"
#include "core/space.h"
#include "core/text.h"
#include "predict/residual.h"
#include "sql/reader.h"

/* In SQL: the device that a stored name means. Its own name always wins over an alias; what is neither stays. */
#define MEMX_SQL_DEVICE(name)                                                                      \
    "coalesce((SELECT own.device FROM memx_device AS own WHERE own.device = " name                 \
    "), (SELECT other.device FROM memx_alias AS other WHERE other.name = " name "), " name ")"
/* Of a row of memx_node AS n. */
#define MEMX_SQL_NODE_DEVICE MEMX_SQL_DEVICE("n.device")

typedef struct memx_job_row {
    memx_job job;
    char space[MEMX_NAME_SIZE];
    char weights[MEMX_NAME_SIZE];
    memx_residual *residual; /* of the job's predictor; NULL: analytic */
} memx_job_row;

/* What prices the job's stages. */
memx_pricer memx_job_pricer(const memx_job_row *row);

/* Whether every table that is read here has the columns that it must: after memx_init, a table of
** the same name may be somebody else's. */
memx_status memx_catalog_check(memx_reader *reader, memx_error *error);

/* "WHAT 'NAME'; nearest: ...; or insert it into TABLE": the error of a reference that leads
** nowhere. */
memx_status memx_catalog_unknown(memx_reader *reader, const char *what, const char *name,
                                 const char *table, const char *names_sql, memx_error *error);

/* Whether there is such a cluster. */
memx_status memx_catalog_cluster_check(memx_reader *reader, const char *name, memx_error *error);

/* Whether a space can be read, for a query that names it. */
memx_status memx_catalog_space_check(memx_reader *reader, const char *name, memx_error *error);

/* Names of the jobs on a cluster with a model, in order, each with its NUL; NULL means any. */
memx_status memx_catalog_jobs(memx_reader *reader, const char *job, const char *cluster,
                              const char *model, memx_text *names, memx_error *error);

/* MEMX_INVALID where the job cannot be read, with the reason. *out is empty on any failure. The job is
** under the constants of its predictor; `analytic` reads none. */
memx_status memx_catalog_job(memx_reader *reader, const char *name, bool analytic,
                             memx_job_row *out, memx_text *key, memx_error *error);
void memx_catalog_job_free(memx_job_row *row);

/* A model with a framework on one device and nothing else, as a measured stage has them: a job of one
** GPU. */
memx_status memx_catalog_card(memx_reader *reader, const char *device, const char *model,
                              const char *framework, memx_job_row *out, memx_error *error);

memx_status memx_catalog_space(memx_reader *reader, const char *name, memx_space *out,
                               memx_text *key, memx_error *error);

/* A device by its own name or an alias, a framework, a model: MEMX_INVALID where there is none. */
memx_status memx_catalog_device(memx_reader *reader, const char *name, memx_device *out,
                                memx_text *key, memx_error *error);
memx_status memx_catalog_framework(memx_reader *reader, const char *name, memx_framework *out,
                                   memx_text *key, memx_error *error);
memx_status memx_catalog_model(memx_reader *reader, const char *name, memx_model *out,
                               memx_text *key, memx_error *error);

/* The measured operators of a job's block (memx_op), by micro batch: `count` lists, none where nothing was
** measured. */
typedef struct memx_operators {
    memx_operator_list *lists;
    int32_t count;
} memx_operators;

memx_status memx_catalog_operators(memx_reader *reader, const memx_job *job, memx_operators *out,
                                   memx_error *error);
void memx_operators_free(memx_operators *operators);

/* Weights by shipped name, by name in memx_weights, or as a JSON array [w_t, w_p, w_v] with epsilon
** as an optional fourth. */
memx_status memx_catalog_weights(memx_reader *reader, const char *text, memx_weights *out,
                                 memx_error *error);

#endif
