/*
** deepspeed_config(job, config): a configuration of protrain_configs as DeepSpeed's JSON, as near as it gets.
**
** DeepSpeed has no key for some of it; "_memx" says what. Names and meanings of the keys are those of
** DeepSpeed's documentation (docs/_pages/config-json.md); offload_optimizer.ratio came with ZeRO-Offload++,
** version 0.12. What is left out has DeepSpeed's defaults.
*/
#include "sql/modules.h"
#include "sql/protrain.h"
#include "sql/subject.h"
#include "sql/vtab.h"

SQLITE_EXTENSION_INIT3

static void write_precision(const memx_framework *f, memx_text *out) {
    if (f->bf16) {
        memx_text_printf(out, ",\"bf16\":{\"enabled\":true}");
    } else if (f->activation_bytes < 4.0) {
        memx_text_printf(out, ",\"fp16\":{\"enabled\":true}");
    }
}

/* The largest vector of a block, norms and biases: what the persistence threshold can keep on the GPU
** without the first matrix. */
static double largest_vector(const memx_model *m) {
    double query = (double)m->heads * (double)m->head_dim;
    double kv = 2.0 * (double)m->kv_groups * (double)m->head_dim;
    double ffn = m->biases ? (m->gated_mlp ? 2.0 : 1.0) * (double)m->ffn_hidden : 0.0;
    double most = (double)m->hidden > ffn ? (double)m->hidden : ffn;
    return m->biases || m->qkv_biases ? (query + kv > most ? query + kv : most) : most;
}

static void write_zero(const memx_protrain *p, const memx_protrain_choice *c, memx_text *out) {
    double size = (double)p->chunks.mib * 1048576.0 / p->job->framework.parameter_bytes;
    int32_t others = p->chunks.count - c->persist;
    double host = 1.0 - (double)c->persist / (double)p->chunks.count;
    memx_text_printf(out, ",\"zero_optimization\":{\"stage\":3,\"overlap_comm\":true,"
                          "\"contiguous_gradients\":true");
    if (others > 0) {
        memx_text_printf(out, ",\"offload_param\":{\"device\":\"cpu\",\"pin_memory\":true}");
        memx_text_printf(out, ",\"offload_optimizer\":{\"device\":\"cpu\",\"pin_memory\":true");
        if (c->persist > 0) {
            memx_text_printf(out, ",\"ratio\":");
            memx_text_decimal(out, host, 3);
        }
        memx_text_add(out, "}", 1);
    }
    memx_text_printf(out, ",\"reduce_bucket_size\":%.0f,\"stage3_prefetch_bucket_size\":%.0f", size,
                     (c->buffer > 1 ? (double)c->buffer - 1.0 : 1.0) * size);
    memx_text_printf(out, ",\"stage3_param_persistence_threshold\":%.0f",
                     others == 0      ? p->chunks.parameters
                     : c->persist > 0 ? largest_vector(&p->job->model) + 1.0
                                      : 0.0);
    memx_text_printf(out,
                     ",\"stage3_max_live_parameters\":%.0f,\"stage3_max_reuse_distance\":%.0f}",
                     ((double)c->persist + (double)c->buffer) * size, (double)c->buffer * size);
}

static void write_note(const memx_protrain *p, const memx_protrain_choice *c, memx_text *out) {
    char text[MEMX_PROTRAIN_TEXT];
    bool mixed = c->checkpoint > 0 && c->checkpoint < p->blocks;
    memx_protrain_format(p, c, text);
    memx_text_printf(out, ",\"_memx\":{\"config\":\"%s\",\"not_expressed\":[", text);
    const struct {
        bool there;
        const char *what;
    } notes[] = {
        {c->persist > 0 && c->persist < p->chunks.count,
         "persistence chunk by chunk: ratio keeps that share of the optimizer on the GPU, "
         "parameters "
         "stay on the host but for small ones"},
        {c->swap > 0, "swapping the activations of the first blocks: keep or checkpoint these"},
        {c->checkpoint > 0,
         "which blocks are checkpointed: the training script wraps them; protrain_blocks "
         "lists them"},
        {mixed, "checkpointed blocks between others that keep all"},
        {c->persist < p->chunks.count, "the optimizer of the host running beside backward"},
    };
    bool first = true;
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        if (!notes[i].there) continue;
        memx_text_printf(out, "%s\"%s\"", first ? "" : ",", notes[i].what);
        first = false;
    }
    memx_text_printf(out, "]}");
}

static void write_config(const memx_protrain *p, const memx_protrain_choice *c, memx_text *out) {
    const memx_protrain_batch *b = &p->batches[c->batch];
    memx_text_printf(out,
                     "{\"train_batch_size\":%lld,\"train_micro_batch_size_per_gpu\":%lld,"
                     "\"gradient_accumulation_steps\":%lld",
                     (long long)p->job->global_batch, (long long)b->micro_batch,
                     (long long)b->steps);
    write_precision(&p->job->framework, out);
    write_zero(p, c, out);
    if (c->checkpoint > 0) {
        memx_text_printf(out,
                         ",\"activation_checkpointing\":{\"partition_activations\":false,"
                         "\"cpu_checkpointing\":false,\"contiguous_memory_optimization\":false,"
                         "\"number_checkpoints\":%d}",
                         (int)c->checkpoint);
    }
    write_note(p, c, out);
    memx_text_add(out, "}", 1);
}

void deepspeed_config_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    memx_session *session = sqlite3_user_data(context);
    const char *name = NULL, *config = NULL;
    memx_error error = {.text = ""};
    memx_protrain_job job = {0};
    memx_protrain_choice choice;
    memx_text text = {0};
    if (memx_any_null(argc, argv)) return;
    memx_session_enter(session, "deepspeed_config");
    memx_status status = memx_argument_text(argv[0], "job", &name, &error);
    if (!status) status = memx_argument_text(argv[1], "config", &config, &error);
    if (!status) {
        status = memx_protrain_job_open(session, name, memx_session_poll(session), &job, &error);
        if (!status) status = memx_protrain_job_config(&job, config, &choice, &error);
        if (!status) write_config(&job.protrain, &choice, &text);
        memx_protrain_job_close(&job);
    }
    memx_session_leave(session);
    if (status) {
        memx_result_fail(context, status, &error);
    } else {
        memx_result_text(context, &text);
    }
}
