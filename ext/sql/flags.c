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

static memx_status stage_number(sqlite3_value *value, int64_t *out, memx_error *error) {
    *out = sqlite3_value_int64(value);
    if (sqlite3_value_type(value) == SQLITE_INTEGER && *out >= 0) return MEMX_OK;
    const char *text = (const char *)sqlite3_value_text(value);
    return memx_invalid(error, "megatron_args: stage is '%.40s'; write a whole number from 0",
                        text ? text : "");
}

void memx_megatron_args_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    memx_subject subject;
    memx_text text = {0};
    memx_error error = {""};
    int64_t stage = -1;
    if (memx_any_null(argc, argv)) return;
    memx_status status =
        memx_subject_open(context, "megatron_args", argv, false, NULL, &subject, &error);
    if (!status && argc > 2) status = stage_number(argv[2], &stage, &error);
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

static memx_status write_stage(memx_session *session, sqlite3_value **argv, memx_text *out,
                               memx_error *error) {
    memx_reader *reader = memx_session_reader(session);
    const char *model_name = NULL, *framework_name = NULL, *word = NULL;
    int64_t n[DISTRIBUTED_OPTIMIZER + 1] = {0};
    memx_model model = {.name = ""}, varied;
    memx_framework framework = {.name = ""};
    memx_level level;
    for (int i = LAYERS; i <= KV_GROUPS; i++) {
        n[i] = sqlite3_value_int64(argv[i]);
        if (n[i] >= 1 && n[i] <= 1000000000) continue;
        return memx_invalid(error, "stage_flags: argument %d is %lld; write 1 to 1000000000", i + 1,
                            (long long)n[i]);
    }
    n[SEQUENCE_PARALLEL] = sqlite3_value_int64(argv[SEQUENCE_PARALLEL]);
    n[DISTRIBUTED_OPTIMIZER] = sqlite3_value_int64(argv[DISTRIBUTED_OPTIMIZER]);
    memx_status status = memx_argument_text(argv[MODEL], "model", &model_name, error);
    if (!status) status = memx_argument_text(argv[FRAMEWORK], "framework", &framework_name, error);
    if (!status) status = memx_argument_text(argv[RECOMPUTE], "recompute", &word, error);
    if (!status) status = memx_catalog_model(reader, model_name, &model, NULL, error);
    if (!status) status = memx_catalog_framework(reader, framework_name, &framework, NULL, error);
    if (!status) {
        status = memx_model_vary(&model, n[SEQ_LENGTH], n[HEADS], n[KV_GROUPS], &varied, error);
    }
    if (status) return status;
    if (!memx_level_parse(word, strlen(word), &level)) {
        return memx_invalid(error, "stage_flags: no recompute level '%.40s'", word);
    }
    varied.layers = n[LAYERS] * n[STAGES];
    memx_launch launch = {.model = &varied,
                          .framework = &framework,
                          .tp = n[TP],
                          .pp = n[STAGES],
                          .micro_batch = n[MICRO_BATCH],
                          .global_batch = n[GLOBAL_BATCH],
                          .sequence_parallel = n[SEQUENCE_PARALLEL] != 0,
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
    memx_error error = {""};
    if (memx_any_null(argc, argv)) return;
    memx_session_enter(session, "stage_flags");
    memx_status status = write_stage(session, argv, &text, &error);
    memx_session_leave(session);
    answer(context, status, &error, &text);
}
