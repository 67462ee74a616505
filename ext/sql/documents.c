#include "sql/documents.h"

#include "core/card_list.h"
#include "core/megatron_log.h"
#include "sql/vtab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* The bytes of the first argument. `usage`: "megatron_log(text [, job]): ..." */
static memx_status document(sqlite3_value *const *arguments, const char *usage, memx_span *out,
                            memx_error *error) {
    sqlite3_value *value = arguments[0];
    if (!value) return memx_invalid(error, "a text is missing; write %s", usage);
    if (sqlite3_value_type(value) == SQLITE_NULL) {
        return memx_invalid(error,
                            "the text is NULL, as readfile() gives it where there is no such "
                            "file; write %s",
                            usage);
    }
    bool blob = sqlite3_value_type(value) == SQLITE_BLOB;
    const char *bytes = blob ? sqlite3_value_blob(value) : (const char *)sqlite3_value_text(value);
    size_t length = (size_t)sqlite3_value_bytes(value);
    if (!bytes && !(blob && length == 0)) return MEMX_NOMEM;
    *out = (memx_span){bytes ? bytes : "", length};
    return MEMX_OK;
}

/* An argument that may be absent or NULL. */
static memx_status optional(sqlite3_value *value, const char *what, const char **out,
                            memx_error *error) {
    *out = NULL;
    if (!value || sqlite3_value_type(value) == SQLITE_NULL) return MEMX_OK;
    return memx_argument_text(value, what, out, error);
}

/* ---- JSON ---- */

static void write_string(memx_text *out, const char *name, const char *value) {
    if (!value) {
        memx_text_printf(out, ",\"%s\":null", name);
        return;
    }
    memx_text_printf(out, ",\"%s\":\"", name);
    memx_text_json(out, value);
    memx_text_printf(out, "\"");
}

static void write_whole(memx_text *out, const char *name, int64_t value, int64_t least) {
    if (value < least) {
        memx_text_printf(out, ",\"%s\":null", name);
    } else {
        memx_text_printf(out, ",\"%s\":%lld", name, (long long)value);
    }
}

static void write_number(memx_text *out, const char *comma, double value) {
    memx_text_printf(out, "%s", comma);
    memx_text_number(out, value, 10);
}

/* ---- megatron_log ---- */

/* The layers and the level, as far as the arguments say them; the level as the longest stage has it. */
static memx_status write_stages(const memx_megatron *a, memx_text *out) {
    memx_level level;
    memx_error ignored;
    char text[MEMX_LEVEL_TEXT];
    int64_t most = a->layers > 0 ? a->layers : INT32_MAX,
            pp = a->pp > 0 && a->pp <= MEMX_MAX_STAGES && a->layers > 0 ? a->pp : 0;
    int64_t *layers = calloc((size_t)pp + 1, sizeof *layers);
    if (!layers) return MEMX_NOMEM;
    if (pp > 0 && memx_megatron_layers(a, layers, &ignored) == MEMX_OK) {
        most = 1;
        for (int64_t s = 0; s < pp; s++) {
            memx_text_printf(out, "%s%lld", s ? "," : ",\"layers\":\"",
                             (long long)memx_megatron_vp(a) * layers[s]);
            if (layers[s] > most) most = layers[s];
        }
        memx_text_printf(out, "\"");
    }
    if (a->first_line > 0 && memx_megatron_level(a, &level, &ignored) == MEMX_OK) {
        memx_level_format(memx_level_canonical(level, most), text);
        write_string(out, "recompute", text);
    }
    free(layers);
    return MEMX_OK;
}

static memx_status write_arguments(const memx_megatron *a, memx_text *out) {
    write_whole(out, "tp", a->tp, 1);
    write_whole(out, "pp", a->pp, 1);
    write_whole(out, "dp", memx_megatron_dp(a), 1);
    write_whole(out, "cp", memx_megatron_cp(a), 1);
    write_whole(out, "ep", a->ep, 1);
    write_whole(out, "vp", memx_megatron_vp(a), 1);
    write_whole(out, "micro_batch", a->micro_batch, 1);
    write_whole(out, "seq_length", a->seq_length, 1);
    write_whole(out, "hidden", a->hidden, 1);
    write_whole(out, "ffn_hidden", a->ffn_hidden, 1);
    write_whole(out, "heads", a->heads, 1);
    write_whole(out, "kv_groups",
                a->grouped_query == 1 && a->query_groups > 0 ? a->query_groups : a->heads, 1);
    write_whole(out, "sequence_parallel", a->sequence_parallel, 0);
    write_whole(out, "distributed_optimizer", memx_megatron_zero(a), 0);
    write_string(out, "trained_in", memx_megatron_precision(a));
    return write_stages(a, out);
}

/* The configuration, or why there is none. */
static memx_status write_config(const memx_job *job, const memx_megatron *a, const char *nodes,
                                memx_text *out, memx_error *error) {
    memx_text config = {0};
    memx_status status = MEMX_INVALID;
    if (job) {
        status = memx_megatron_config(job, a, nodes, &config, error);
    } else if (*a->problem) {
        memx_invalid(error, "%s", a->problem);
    } else {
        memx_invalid(error, "no job was named, whose cluster says the devices; write "
                            "megatron_log(text, 'JOB')");
    }
    if (!status && config.failed) status = MEMX_NOMEM;
    if (!status || status == MEMX_INVALID) {
        write_string(out, "config", status ? NULL : config.data);
        write_string(out, "problem", status ? error->text : NULL);
        status = MEMX_OK;
    }
    memx_text_free(&config);
    return status;
}

/* Of a replica in an iteration; NAN where that is not known. */
static double micro_batches(const memx_megatron *a, int64_t batch) {
    int64_t dp = memx_megatron_dp(a), whole = batch > 0 ? batch : a->global_batch;
    if (whole < 1 || dp < 1 || a->micro_batch < 1) return NAN;
    return (double)whole / ((double)dp * (double)a->micro_batch);
}

static memx_status write_run(const memx_log_run *run, size_t number, const memx_job *job,
                             const char *nodes, memx_text *out, memx_error *error) {
    memx_log_times times;
    memx_status status = memx_log_times_of(run, &times);
    if (status) return status;
    memx_text_printf(out, "%s{\"run\":%zu,\"line\":%lld", number ? "," : "", number + 1,
                     (long long)run->first_line);
    write_number(out, ",\"iteration_ms\":", times.median_ms);
    write_number(out, ",\"mean_ms\":", times.mean_ms);
    write_number(out, ",\"tflops_per_gpu\":", times.tflops);
    write_number(
        out, ",\"compute_ms\":", times.compute_ms / micro_batches(&run->arguments, times.batch));
    write_whole(out, "iterations", times.lines, 0);
    write_whole(out, "warm_up", times.warm_up, 0);
    write_whole(out, "oom", run->oom_line > 0, 0);
    write_whole(out, "oom_rank", run->oom_rank, 0);
    write_whole(out, "oom_line", run->oom_line, 1);
    write_whole(out, "global_batch", times.batch > 0 ? times.batch : run->arguments.global_batch,
                1);
    status = write_arguments(&run->arguments, out);
    if (!status) status = write_config(job, &run->arguments, nodes, out, error);
    memx_text_printf(out, ",\"gpus\":[");
    for (size_t i = 0; i < run->gpu_count; i++) {
        memx_text_printf(out, "%s[%lld", i ? "," : "", (long long)run->gpus[i].rank);
        write_number(out, ",", run->gpus[i].allocated_mib);
        write_number(out, ",", run->gpus[i].reserved_mib);
        write_number(out, ",", run->gpus[i].total_mib);
        memx_text_printf(out, "]");
    }
    memx_text_printf(out, "]}");
    return status;
}

memx_status memx_log_document(memx_session *session, sqlite3_value *const *arguments,
                              memx_text *out, memx_error *error) {
    static const char usage[] = "SELECT * FROM megatron_log(readfile('train.log'), 'JOB')";
    const memx_poll *poll = memx_session_poll(session);
    const char *name = NULL, *nodes = NULL;
    memx_study *study = NULL;
    memx_log log = {.runs = NULL};
    memx_span text = {"", 0};
    memx_status status =
        memx_prefix(error, document(arguments, usage, &text, error), "megatron_log");
    if (!status) status = optional(arguments[1], "job", &name, error);
    if (!status) status = optional(arguments[2], "nodes", &nodes, error);
    if (!status && name)
        status = memx_session_study(session, name, NULL, false, poll, &study, error);
    if (status) return status;
    const memx_job *job = study ? &study->row.job : NULL;
    status = memx_prefix(error, memx_log_read(text, poll, &log, error), "megatron_log");
    memx_text_printf(out, "{\"runs\":[");
    for (size_t i = 0; i < log.run_count && !status; i++) {
        status = write_run(&log.runs[i], i, job, nodes, out, error);
    }
    memx_text_printf(out, "]");
    write_string(out, "job", name);
    write_string(out, "notes", log.note_count > 0 ? log.notes.data : NULL);
    write_whole(out, "noted", log.note_count, 0);
    memx_text_printf(out, "}");
    memx_log_free(&log);
    if (study) memx_study_release(study);
    return status;
}

/* ---- hf_config ---- */

memx_status memx_hf_document(memx_session *session, sqlite3_value *const *arguments, memx_text *out,
                             memx_error *error) {
    static const char usage[] = "SELECT * FROM hf_config(readfile('config.json'), 'NAME')";
    const char *name = NULL;
    memx_text text = {0};
    memx_span json = {"", 0};
    (void)session;
    memx_status status = memx_prefix(error, document(arguments, usage, &json, error), "hf_config");
    if (!status) status = optional(arguments[1], "name", &name, error);
    if (status) return status;
    if (memx_text_is_utf16(&json) || memx_span_has_nul(json)) {
        return memx_invalid(error, "hf_config: the text is UTF-16 or holds a NUL character; write "
                                   "config.json as UTF-8");
    }
    memx_text_add(&text, json.at, json.length);
    memx_text_printf(out, "{\"form\":1");
    write_string(out, "text", text.failed ? NULL : text.data);
    write_string(out, "name", name);
    memx_text_printf(out, "}");
    status = text.failed ? MEMX_NOMEM : MEMX_OK;
    memx_text_free(&text);
    return status;
}

/* ---- cards ---- */

/* Looks every card's name up, those that follow each other alike once. */
static memx_status find_devices(memx_session *session, memx_card_list *cards, memx_error *error) {
    const memx_listed_card *last = NULL;
    for (size_t i = 0; i < cards->count; i++) {
        memx_listed_card *card = &cards->cards[i];
        memx_device device = {.name = ""};
        char prefix[32];
        if (last && strcmp(last->name, card->name) == 0) {
            memcpy(card->device, last->device, sizeof card->device);
            continue;
        }
        memx_status status =
            memx_catalog_device(memx_session_reader(session), card->name, &device, NULL, error);
        sqlite3_snprintf(sizeof prefix, prefix, "line %lld", (long long)card->line);
        if (status) return memx_prefix(error, status, prefix);
        memcpy(card->device, device.name, sizeof card->device);
        last = card;
    }
    return MEMX_OK;
}

static memx_status finish(memx_session *session, memx_card_list *cards, memx_status status,
                          const char *function, memx_text *out, memx_error *error) {
    if (!status) status = find_devices(session, cards, error);
    if (!status) memx_card_list_nodes(cards, out);
    memx_card_list_free(cards);
    return memx_prefix(error, status, function);
}

memx_status memx_nvidia_document(memx_session *session, sqlite3_value *const *arguments,
                                 memx_text *out, memx_error *error) {
    static const char usage[] = "SELECT * FROM nvidia_smi(readfile('cards.csv'))";
    memx_card_list cards = {.cards = NULL};
    memx_span text = {"", 0};
    memx_status status = document(arguments, usage, &text, error);
    if (!status) status = memx_nvidia_smi_read(text, &cards, error);
    return finish(session, &cards, status, "nvidia_smi", out, error);
}

#define LISTING MEMX_SQL_JSON("?1", "'\"\"'")

/* rocm-smi: {"card0": {"Card Series": "...", "VRAM Total Memory (B)": "..."}}, spelled as its version likes;
** an older one puts the name into brackets behind the chip's. */
static const char rocm_sql[] =
    "SELECT name, mib FROM ("
    "SELECT key, coalesce(value ->> 'Card Series', value ->> 'Card series', "
    "       value ->> 'Device Name', value ->> 'Card Model', value ->> 'Card model') AS name, "
    "  CAST(coalesce(value ->> 'VRAM Total Memory (B)', value ->> 'vram Total Memory (B)') AS REAL)"
    "  / 1048576 AS mib "
    "FROM json_each(" LISTING ") "
    "WHERE key GLOB 'card[0-9]*' AND type = 'object') "
    "ORDER BY CAST(substr(key, 5) AS INTEGER)";

static memx_span product_name(const char *name) {
    memx_span span = memx_span_trim(memx_span_of(name));
    size_t open = memx_span_find(span, "[");
    if (open == span.length || span.at[span.length - 1] != ']') return span;
    return memx_span_trim((memx_span){span.at + open + 1, span.length - open - 2});
}

static memx_status read_rocm(memx_session *session, memx_span json, memx_span host, int64_t line,
                             memx_card_list *out, memx_error *error) {
    memx_reader *reader = memx_session_reader(session);
    sqlite3_stmt *statement = NULL;
    size_t before = out->count;
    memx_status status = memx_reader_enter(reader, "json_each", error);
    if (status) return status;
    int rc = sqlite3_prepare_v2(reader->db, rocm_sql, -1, &statement, NULL);
    if (rc == SQLITE_OK) {
        rc = sqlite3_bind_text64(statement, 1, json.at, json.length, SQLITE_STATIC, SQLITE_UTF8);
    }
    while (rc == SQLITE_OK && !status && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        double mib = sqlite3_column_double(statement, 1);
        rc = SQLITE_OK;
        if (name) {
            status = memx_card_list_add(out, host, product_name(name), mib > 0.0 ? mib : NAN, line,
                                        error);
        } else {
            status = memx_invalid(error,
                                  "line %lld: a card without a name; ask rocm-smi for "
                                  "--showproductname too",
                                  (long long)line);
        }
    }
    if (!status && rc != SQLITE_DONE) status = memx_sql_failed(reader->db, rc, error);
    sqlite3_finalize(statement);
    memx_reader_leave(reader);
    if (status || out->count > before) return status;
    return memx_invalid(error,
                        "line %lld: no card is in '%.*s'; give what rocm-smi --showproductname "
                        "--showmeminfo vram --json prints",
                        (long long)line, memx_quoted(json), json.at);
}

/* What a host says: objects, each on one line or on several, and before and between them anything else. */
typedef struct rocm_host {
    memx_span name, said;    /* said: its first line that is in no object */
    memx_text json;          /* the object so far */
    int64_t line, said_line; /* where that begins */
    int depth;               /* of its braces */
    bool quoted, cards;
} rocm_host;

typedef struct rocm_hosts {
    rocm_host *hosts;
    size_t count, last;
} rocm_hosts;

static rocm_host *host_of(rocm_hosts *all, memx_span name) {
    for (size_t n = 0; n < all->count; n++) {
        size_t i = (all->last + n) % all->count;
        rocm_host *host = &all->hosts[i];
        all->last = i;
        if (host->name.length == name.length && memcmp(host->name.at, name.at, name.length) == 0) {
            return host;
        }
    }
    rocm_host *more = realloc(all->hosts, (all->count + 1) * sizeof *more);
    if (!more) return NULL;
    all->hosts = more;
    all->last = all->count;
    more[all->count] = (rocm_host){.name = name};
    return &more[all->count++];
}

static void free_hosts(rocm_hosts *all) {
    for (size_t i = 0; i < all->count; i++) memx_text_free(&all->hosts[i].json);
    free(all->hosts);
}

static void add_line(rocm_host *host, memx_span line) {
    for (size_t i = 0; i < line.length; i++) {
        char c = line.at[i];
        if (host->quoted && c == '\\') {
            i++;
        } else if (c == '"') {
            host->quoted = !host->quoted;
        } else if (!host->quoted) {
            host->depth += (c == '{') - (c == '}');
        }
    }
    memx_text_add(&host->json, line.at, line.length);
    memx_text_add(&host->json, "\n", 1);
}

static memx_status read_object(memx_session *session, rocm_host *host, memx_card_list *out,
                               memx_error *error) {
    if (host->json.failed) return MEMX_NOMEM;
    memx_span json = memx_span_trim((memx_span){host->json.data, host->json.length});
    memx_status status = read_rocm(session, json, host->name, host->line, out, error);
    memx_text_free(&host->json);
    host->depth = 0;
    host->quoted = false;
    host->cards = true;
    return status;
}

static memx_status read_hosts(memx_session *session, memx_span text, rocm_hosts *all,
                              memx_card_list *out, memx_error *error) {
    memx_status status = MEMX_OK;
    memx_span line;
    for (int64_t number = 1; !status && memx_next_line(&text, &line); number++) {
        line = memx_span_trim(line);
        memx_span start = line, name = memx_take_host(&line);
        if (memx_span_equal(name, "WARNING") || memx_span_equal(name, "ERROR")) {
            name.length = 0; /* "WARNING: AMD GPU device(s) is/are in a low-power state" */
            line = start;
        }
        line = memx_span_trim(line);
        rocm_host *host = line.length > 0 ? host_of(all, name) : NULL;
        if (line.length > 0 && !host) return MEMX_NOMEM;
        if (!host) continue;
        if (host->json.length == 0 && !memx_span_begins(line, "{")) {
            if (host->said_line == 0) host->said = line, host->said_line = number;
            continue;
        }
        if (host->json.length == 0) host->line = number;
        add_line(host, line);
        if (host->depth <= 0) status = read_object(session, host, out, error);
    }
    for (size_t i = 0; i < all->count && !status; i++) {
        rocm_host *host = &all->hosts[i];
        if (host->json.length > 0) status = read_object(session, host, out, error);
        if (!status && !host->cards && (host->name.length > 0 || out->count == 0)) {
            status = memx_no_card(host->name, host->said, host->said_line, error);
        }
    }
    return status;
}

memx_status memx_rocm_document(memx_session *session, sqlite3_value *const *arguments,
                               memx_text *out, memx_error *error) {
    static const char usage[] = "SELECT * FROM rocm_smi(readfile('cards.json'))";
    memx_card_list cards = {.cards = NULL};
    rocm_hosts hosts = {.hosts = NULL};
    memx_span text = {"", 0};
    memx_status status = document(arguments, usage, &text, error);
    if (!status && (memx_text_is_utf16(&text) || memx_span_has_nul(text))) {
        status = memx_invalid(error, "the text is UTF-16 or holds a NUL character; write it as "
                                     "UTF-8");
    }
    if (!status && memx_span_trim(text).length == 0) {
        status = memx_invalid(error, "the text is empty; write %s", usage);
    }
    if (!status) status = read_hosts(session, text, &hosts, &cards, error);
    free_hosts(&hosts);
    return finish(session, &cards, status, "rocm_smi", out, error);
}
