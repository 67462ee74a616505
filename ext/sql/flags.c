/*
** Launch flags:
**
**   megatron_args(job, config [, stage])   flags for Megatron-LM that start a configuration; lines that begin
**                                          with # say what flags cannot. With a stage: those of its ranks
**   stage_flags(model, framework, layers, stages, tp, micro_batch, global_batch, seq_length, heads,
**               kv_groups, recompute, sequence_parallel, distributed_optimizer)
**                                          of a pipeline of equal stages, as memx_measure wants them
**
** NULL in, NULL out.
*/
#include "core/launch.h"
#include "sql/modules.h"
#include "sql/profile.h"
#include "sql/subject.h"
#include "sql/vtab.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

/* Hands over the text, or the message. */
static void answer(sqlite3_context *context, memx_status status, const memx_error *error,
                   memx_text *text) {
    if (status) {
        memx_text_free(text);
        memx_result_fail(context, status, error);
    } else {
        memx_result_text(context, text);
    }
}

/* ---- megatron_args ---- */

void memx_megatron_args_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    memx_subject subject;
    memx_text text = {0};
    memx_error error = {.text = ""};
    int64_t stage = -1;
    if (memx_any_null(argc, argv)) return;
    memx_status status =
        memx_subject_open(context, "megatron_args", argv, false, NULL, &subject, &error);
    if (!status && argc > 2) {
        status = memx_argument_whole(argv[2], "megatron_args: stage", 0, INT64_MAX, &stage, &error);
    }
    if (!status) {
        status = memx_launch_config(&subject.study->row.job, &subject.priced.config, stage, &text,
                                    &error);
        memx_prefix(&error, status, "megatron_args");
    }
    memx_subject_close(&subject);
    answer(context, status, &error, &text);
}

/* ---- stage_flags ---- */

enum {
    MODEL,
    FRAMEWORK,
    LAYERS,
    STAGES,
    TP,
    MICRO_BATCH,
    GLOBAL_BATCH,
    SEQ_LENGTH,
    HEADS,
    KV_GROUPS,
    RECOMPUTE,
    SEQUENCE_PARALLEL,
    DISTRIBUTED_OPTIMIZER
};

static const struct {
    int at;
    const char *name;
    int64_t least, most;
} wholes[] = {
    {LAYERS, "layers", 1, 1000000000},
    {STAGES, "stages", 1, 1000000000},
    {TP, "tp", 1, 1000000000},
    {MICRO_BATCH, "micro_batch", 1, 1000000000},
    {GLOBAL_BATCH, "global_batch", 1, 1000000000},
    {SEQ_LENGTH, "seq_length", 1, 1000000000},
    {HEADS, "heads", 1, 1000000000},
    {KV_GROUPS, "kv_groups", 1, 1000000000},
    {SEQUENCE_PARALLEL, "sequence_parallel", 0, 1},
    {DISTRIBUTED_OPTIMIZER, "distributed_optimizer", 0, MEMX_ZERO_PARAMETERS},
};

static memx_status write_stage(memx_session *session, sqlite3_value **argv, memx_text *out,
                               memx_error *error) {
    memx_reader *reader = memx_session_reader(session);
    const char *model_name = NULL, *framework_name = NULL, *word = NULL;
    int64_t n[DISTRIBUTED_OPTIMIZER + 1] = {0};
    memx_model model = {.name = ""}, varied;
    memx_framework framework = {.name = ""};
    memx_level level;
    memx_status status = MEMX_OK;
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0] && !status; i++) {
        const int at = wholes[i].at;
        status = memx_argument_whole(argv[at], wholes[i].name, wholes[i].least, wholes[i].most,
                                     &n[at], error);
    }
    if (!status) status = memx_argument_text(argv[MODEL], "model", &model_name, error);
    if (!status) status = memx_argument_text(argv[FRAMEWORK], "framework", &framework_name, error);
    if (!status) status = memx_argument_text(argv[RECOMPUTE], "recompute", &word, error);
    if (!status) status = memx_catalog_model(reader, model_name, &model, NULL, error);
    if (!status) status = memx_catalog_framework(reader, framework_name, &framework, NULL, error);
    if (!status) {
        status = memx_model_vary(&model, n[SEQ_LENGTH], n[HEADS], n[KV_GROUPS], &varied, error);
    }
    if (!status) status = memx_profile_level(word, &level, error);
    if (!status) status = memx_profile_divides(n[TP], n[HEADS], n[KV_GROUPS], error);
    if (status) return status;
    if (n[GLOBAL_BATCH] % n[MICRO_BATCH] != 0) {
        return memx_invalid(error, "micro_batch %lld does not divide global_batch %lld",
                            (long long)n[MICRO_BATCH], (long long)n[GLOBAL_BATCH]);
    }
    level = memx_level_canonical(level, n[LAYERS]);
    varied.layers = n[LAYERS] * n[STAGES];
    memx_launch launch = {.model = &varied,
                          .framework = &framework,
                          .tp = n[TP],
                          .pp = n[STAGES],
                          .micro_batch = n[MICRO_BATCH],
                          .global_batch = n[GLOBAL_BATCH],
                          .sequence_parallel = n[SEQUENCE_PARALLEL] != 0 && n[TP] > 1,
                          .distributed_optimizer = n[DISTRIBUTED_OPTIMIZER],
                          .level = &level,
                          .cp = 1,
                          .ep = 1};
    memx_launch_flags(&launch, out);
    return MEMX_OK;
}

void memx_stage_flags_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    memx_session *session = sqlite3_user_data(context);
    memx_text text = {0};
    memx_error error = {.text = ""};
    if (memx_any_null(argc, argv)) return;
    memx_session_enter(session, "stage_flags");
    memx_status status = write_stage(session, argv, &text, &error);
    memx_prefix(&error, status, "stage_flags");
    memx_session_leave(session);
    answer(context, status, &error, &text);
}
