#define _POSIX_C_SOURCE 200809L /* for clock_gettime. NOLINT */
/*
** memx_train([predictor [, options]]): learns from the rows of memx_profile, stores what it learned as a
** predictor, and answers a report as JSON.
**
**   SELECT memx_train();                              -- the predictor 'trained'
**   SELECT memx_train('june', '{"rounds": 100}');     -- rounds, depth, eta, lambda, least_rows
**
** Memory is learned from reserved_mib where any row has it, else from allocated_mib; the two are never
** mixed. Rows that cannot be used are left out, counted and named. Jobs whose predictor is NULL use the
** newest predictor that knows their framework and all of their devices.
*/
#include "predict/train.h"

#include "predict/signature.h"
#include "sql/catalog.h"
#include "sql/modules.h"
#include "sql/predictors.h"
#include "sql/session.h"
#include "sql/vtab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

SQLITE_EXTENSION_INIT3

typedef struct profile_row {
    int64_t id, layers, tp, dp, micro_batch, seq_length, heads, kv_groups, in_flight;
    char device[MEMX_NAME_SIZE], model[MEMX_NAME_SIZE], framework[MEMX_NAME_SIZE];
    char recompute[MEMX_NAME_SIZE];
    bool first, last, sequence_parallel, distributed_optimizer;
    double time_ms, allocated_mib, reserved_mib;
} profile_row;

static const memx_field profile_fields[] = {
    {"id", MEMX_F_COUNT, offsetof(profile_row, id)},
    {"device", MEMX_F_NAME, offsetof(profile_row, device)},
    {"model", MEMX_F_NAME, offsetof(profile_row, model)},
    {"framework", MEMX_F_NAME, offsetof(profile_row, framework)},
    {"layers", MEMX_F_COUNT, offsetof(profile_row, layers)},
    {"first_stage", MEMX_F_FLAG, offsetof(profile_row, first)},
    {"last_stage", MEMX_F_FLAG, offsetof(profile_row, last)},
    {"tp", MEMX_F_COUNT, offsetof(profile_row, tp)},
    {"dp", MEMX_F_COUNT, offsetof(profile_row, dp)},
    {"micro_batch", MEMX_F_COUNT, offsetof(profile_row, micro_batch)},
    {"seq_length", MEMX_F_COUNT, offsetof(profile_row, seq_length)},
    {"coalesce(heads, 0) AS heads", MEMX_F_COUNT, offsetof(profile_row, heads)},
    {"coalesce(kv_groups, 0) AS kv_groups", MEMX_F_COUNT, offsetof(profile_row, kv_groups)},
    {"recompute", MEMX_F_NAME, offsetof(profile_row, recompute)},
    {"in_flight", MEMX_F_COUNT, offsetof(profile_row, in_flight)},
    {"sequence_parallel", MEMX_F_FLAG, offsetof(profile_row, sequence_parallel)},
    {"distributed_optimizer", MEMX_F_FLAG, offsetof(profile_row, distributed_optimizer)},
    {"time_ms", MEMX_F_NUMBER_OR_NULL, offsetof(profile_row, time_ms)},
    {"allocated_mib", MEMX_F_NUMBER_OR_NULL, offsetof(profile_row, allocated_mib)},
    {"reserved_mib", MEMX_F_NUMBER_OR_NULL, offsetof(profile_row, reserved_mib)},
};
static const memx_query profile_query =
    MEMX_QUERY("memx_profile", "memx_profile WHERE ?1 = ?1 ORDER BY id", profile_fields);

typedef struct option_row {
    double rounds, depth, eta, lambda, least_rows;
} option_row;

static const memx_field option_fields[] = {
    {"json_extract(?1, '$.rounds') AS rounds", MEMX_F_NUMBER_OR_NULL, offsetof(option_row, rounds)},
    {"json_extract(?1, '$.depth') AS depth", MEMX_F_NUMBER_OR_NULL, offsetof(option_row, depth)},
    {"json_extract(?1, '$.eta') AS eta", MEMX_F_NUMBER_OR_NULL, offsetof(option_row, eta)},
    {"json_extract(?1, '$.lambda') AS lambda", MEMX_F_NUMBER_OR_NULL, offsetof(option_row, lambda)},
    {"json_extract(?1, '$.least_rows') AS least_rows", MEMX_F_NUMBER_OR_NULL,
     offsetof(option_row, least_rows)},
};
static const memx_query option_query = MEMX_QUERY("options", "(SELECT 1)", option_fields);

/* A measurement this many times away from the analytic model is a slip: a wrong unit, a wrong row. */
static const double ABSURD = 20.0;
enum { MOST_NAMED = 20, EXACT_ROWS = 5000 };

/* Rows of the catalog that profile rows refer to, each read once. */
typedef struct named {
    char name[MEMX_NAME_SIZE];
    union {
        memx_device device;
        memx_framework framework;
        memx_model model;
    } of;
    memx_status status;
    memx_error error;
    struct named *next;
} named;

typedef enum kind { DEVICE, FRAMEWORK, MODEL, KINDS } kind;

typedef struct training {
    sqlite3 *db;
    memx_reader *reader;
    const memx_poll *poll;
    memx_text key; /* of everything read: the fingerprint */
    profile_row *rows;
    size_t row_count, row_capacity;
    named *known[KINDS];
    memx_sample *samples;
    size_t sample_count;
    bool reserved;
    sqlite3_str *left_out;
    int64_t left_out_count;
    memx_train_options options;
    memx_residual residual;
    memx_train_report report;
} training;

static void training_free(training *t) {
    for (int k = 0; k < KINDS; k++) {
        for (named *n = t->known[k], *next; n; n = next) {
            next = n->next;
            free(n);
        }
    }
    memx_text_free(&t->key);
    free(t->rows);
    free(t->samples);
    sqlite3_free(sqlite3_str_finish(t->left_out));
    memx_residual_free(&t->residual);
}

/* ---- rows ---- */

static memx_status add_row(void *context, const void *row, memx_error *error) {
    training *t = context;
    (void)error;
    if (t->row_count == t->row_capacity) {
        size_t capacity = t->row_capacity ? 2 * t->row_capacity : 256;
        profile_row *rows = realloc(t->rows, capacity * sizeof *rows);
        if (!rows) return MEMX_NOMEM;
        t->rows = rows;
        t->row_capacity = capacity;
    }
    t->rows[t->row_count++] = *(const profile_row *)row;
    return t->row_count % 1024 == 0 && memx_poll_stop(t->poll) ? MEMX_INTERRUPTED : MEMX_OK;
}

static named *look_up(training *t, kind k, const char *name) {
    for (named *n = t->known[k]; n; n = n->next) {
        if (strcmp(n->name, name) == 0) return n;
    }
    named *n = calloc(1, sizeof *n);
    if (!n) return NULL;
    memcpy(n->name, name, strlen(name) + 1);
    n->next = t->known[k];
    t->known[k] = n;
    n->status = k == DEVICE
                    ? memx_catalog_device(t->reader, name, &n->of.device, &t->key, &n->error)
                : k == FRAMEWORK
                    ? memx_catalog_framework(t->reader, name, &n->of.framework, &t->key, &n->error)
                    : memx_catalog_model(t->reader, name, &n->of.model, &t->key, &n->error);
    return n;
}

static void leave_out(training *t, int64_t id, const char *why) {
    if (t->left_out_count++ >= MOST_NAMED) return;
    char *escaped = sqlite3_mprintf("%s", why);
    for (char *at = escaped; at && *at; at++) {
        if (*at == '"' || *at == '\\' || (unsigned char)*at < ' ') *at = '\'';
    }
    sqlite3_str_appendf(t->left_out, "%s{\"id\":%lld,\"why\":\"%s\"}",
                        t->left_out_count > 1 ? "," : "", (long long)id, escaped ? escaped : "");
    sqlite3_free(escaped);
}

static bool plausible(double found, double prior) {
    return isnan(found) || (found > prior / ABSURD && found < prior * ABSURD);
}

/* MEMX_INVALID with the reason where a row cannot be learned from. */
static memx_status make_sample(training *t, const profile_row *r, memx_sample *out,
                               memx_error *error) {
    const named *device = look_up(t, DEVICE, r->device);
    const named *framework = look_up(t, FRAMEWORK, r->framework);
    const named *model = look_up(t, MODEL, r->model);
    const named *all[] = {device, framework, model};
    memx_level level;
    if (!device || !framework || !model) return MEMX_NOMEM;
    for (int i = 0; i < 3; i++) {
        if (all[i]->status == MEMX_OK) continue;
        *error = all[i]->error;
        return all[i]->status;
    }
    if (!memx_level_parse(r->recompute, strlen(r->recompute), &level)) {
        return memx_invalid(error, "recompute is '%s'", r->recompute);
    }
    if (r->layers < 1 || r->tp < 1 || r->dp < 1 || r->micro_batch < 1 || r->in_flight < 1) {
        return memx_invalid(error, "layers, tp, dp, micro_batch and in_flight must be 1 or more");
    }
    *out = (memx_sample){.device = &device->of.device,
                         .framework = &framework->of.framework,
                         .choice = {r->layers, memx_level_canonical(level, r->layers)},
                         .time_ms = r->time_ms,
                         .held_mib = t->reserved ? r->reserved_mib : r->allocated_mib,
                         .weight = 1.0};
    out->spec = (memx_stage_spec){.tp = r->tp,
                                  .dp = r->dp,
                                  .micro_batch = r->micro_batch,
                                  .in_flight = r->in_flight,
                                  .first = r->first,
                                  .last = r->last,
                                  .sequence_parallel = r->sequence_parallel && r->tp > 1,
                                  .distributed_optimizer = r->distributed_optimizer && r->dp > 1,
                                  .link_gbs = device->of.device.link_gbs};
    const memx_model *m = &model->of.model;
    memx_status status =
        memx_model_vary(m, r->seq_length, r->heads > 0 ? r->heads : m->heads,
                        r->kv_groups > 0 ? r->kv_groups : m->kv_groups, &out->spec.model, error);
    if (status) return status;
    if (out->spec.model.heads % r->tp != 0) {
        return memx_invalid(error, "tp %lld does not divide %lld heads", (long long)r->tp,
                            (long long)out->spec.model.heads);
    }
    if (isnan(out->time_ms) && isnan(out->held_mib)) {
        return memx_invalid(error, "nothing was measured");
    }
    memx_stage_price prior;
    memx_stage_price_all(out->device, out->framework, &out->spec, &out->choice, 1, &prior);
    if (!plausible(out->time_ms, memx_price_ms(&prior))) {
        return memx_invalid(error, "%g ms is no plausible time, about %g is expected", out->time_ms,
                            memx_price_ms(&prior));
    }
    if (!plausible(out->held_mib, memx_held_mib(&prior))) {
        return memx_invalid(error, "%g MiB is no plausible peak, about %g is expected",
                            out->held_mib, memx_held_mib(&prior));
    }
    return MEMX_OK;
}

static memx_status make_samples(training *t, memx_error *error) {
    const profile_row blank = {.time_ms = NAN, .allocated_mib = NAN, .reserved_mib = NAN};
    profile_row row;
    memx_status status = memx_reader_each(t->reader, &profile_query, "", &blank, &row, sizeof row,
                                          add_row, t, &t->key, error);
    if (status) return status;
    for (size_t i = 0; i < t->row_count; i++) {
        t->reserved = t->reserved || !isnan(t->rows[i].reserved_mib);
    }
    t->samples = malloc((t->row_count ? t->row_count : 1) * sizeof *t->samples);
    if (!t->samples) return MEMX_NOMEM;
    for (size_t i = 0; i < t->row_count; i++) {
        memx_error why = {""};
        status = make_sample(t, &t->rows[i], &t->samples[t->sample_count], &why);
        if (status == MEMX_INVALID) {
            leave_out(t, t->rows[i].id, why.text);
        } else if (status) {
            *error = why;
            return status;
        } else {
            t->sample_count++;
        }
    }
    if (t->sample_count > 0) return MEMX_OK;
    return memx_invalid(error,
                        "memx_profile has no row to learn from (%lld left out); insert measured "
                        "stages, see queries/import_profile.sql",
                        (long long)t->left_out_count);
}

/* ---- options ---- */

static bool whole_within(double x, double most) {
    return x >= 1.0 && x <= most && x == floor(x);
}

static memx_status read_options(training *t, const char *text, memx_error *error) {
    memx_boost_options *boost = &t->options.boost;
    option_row o = {boost->rounds, boost->depth, boost->eta, boost->lambda, t->options.least_rows};
    memx_status status = memx_reader_one(t->reader, &option_query, text, &o, &t->key, error);
    if (status == MEMX_DONE) status = MEMX_OK;
    if (status || !whole_within(o.rounds, 10000) || !whole_within(o.depth, 16) ||
        !(o.eta > 0.0 && o.eta <= 1.0) || !(o.lambda >= 0.0 && o.lambda <= 1e6) ||
        !whole_within(o.least_rows, 1e6)) {
        if (status == MEMX_NOMEM || status == MEMX_INTERRUPTED) return status;
        return memx_invalid(error,
                            "options '%.60s'; write JSON as {\"rounds\": 200, \"depth\": 3, "
                            "\"eta\": 0.05, \"lambda\": 1, \"least_rows\": 20}",
                            text);
    }
    boost->rounds = (int32_t)o.rounds;
    boost->depth = (int32_t)o.depth;
    boost->eta = o.eta;
    boost->lambda = o.lambda;
    t->options.least_rows = (int32_t)o.least_rows;
    return MEMX_OK;
}

/* ---- the report ---- */

static void tell_output(sqlite3_str *s, const memx_train_report *report, memx_output output) {
    sqlite3_str_appendf(
        s,
        "\"%s\":{\"rows\":%lld,\"used\":%d,\"nominal_mape\":%.4g,\"calibrated_mape\":%.4g,"
        "\"learned_mape\":%.4g,\"held_out\":{",
        output == MEMX_OUTPUT_TIME ? "time" : "peak", (long long)report->outputs[output].rows,
        (int)report->outputs[output].used, report->outputs[output].nominal_mape,
        report->outputs[output].calibrated_mape, report->outputs[output].learned_mape);
    bool any = false;
    for (int g = 0; g < MEMX_GROUPING_COUNT; g++) {
        const memx_validation *v = &report->outputs[output].by[g];
        if (v->groups < 2) continue;
        sqlite3_str_appendf(
            s,
            "%s\"%s\":{\"groups\":%d,\"calibrated_mape\":%.4g,\"learned_mape\":%.4g,"
            "\"calibrated_order\":%.4g,\"learned_order\":%.4g}",
            any ? "," : "", memx_grouping_name((memx_grouping)g), (int)v->groups, v->prior_mape,
            v->learned_mape, v->prior_order, v->learned_order);
        any = true;
    }
    sqlite3_str_appendall(s, "}}");
}

static char *errors_json(const training *t) {
    sqlite3_str *s = sqlite3_str_new(t->db);
    sqlite3_str_appendall(s, "{");
    tell_output(s, &t->report, MEMX_OUTPUT_TIME);
    sqlite3_str_appendall(s, ",");
    tell_output(s, &t->report, MEMX_OUTPUT_PEAK);
    sqlite3_str_appendall(s, "}");
    return sqlite3_str_finish(s);
}

static void result_report(sqlite3_context *context, training *t, const char *errors,
                          double seconds) {
    char version[32];
    sqlite3_str *s = sqlite3_str_new(t->db);
    memx_boost_version(version, sizeof version);
    sqlite3_str_appendf(
        s,
        "{\"predictor\":\"%s\",\"rows\":%lld,\"left_out\":%lld,\"why_left_out\":[%s],"
        "\"memory\":\"%s\",\"xgboost\":\"%s\",\"seconds\":%.3f,\"outputs\":%s,"
        "\"calibration\":[",
        t->residual.name, (long long)t->sample_count, (long long)t->left_out_count,
        sqlite3_str_value(t->left_out) ? sqlite3_str_value(t->left_out) : "",
        t->reserved ? "reserved_mib" : "allocated_mib", version, seconds, errors);
    for (int32_t i = 0; i < t->residual.calibration_count; i++) {
        const memx_calibration *c = &t->residual.calibrations[i];
        sqlite3_str_appendf(
            s,
            "%s{\"device\":\"%s\",\"framework\":\"%s\",\"time_factor\":%.4g,\"fixed_mib\":%.4g,"
            "\"static_factor\":%.4g,\"activation_factor\":%.4g,\"time_rows\":%lld,"
            "\"memory_rows\":%lld}",
            i ? "," : "", c->device, c->framework, c->time_factor, c->fixed_mib, c->static_factor,
            c->activation_factor, (long long)c->time_rows, (long long)c->memory_rows);
    }
    sqlite3_str_appendall(s, "]}");
    char *text = sqlite3_str_finish(s);
    if (text) {
        sqlite3_result_text(context, text, -1, sqlite3_free);
    } else {
        sqlite3_result_error_nomem(context);
    }
}

/* ---- the function ---- */

static memx_status check_name(const char *name, memx_error *error) {
    size_t length = strlen(name);
    bool good = length > 0 && length < MEMX_NAME_SIZE && sqlite3_stricmp(name, "analytic") != 0;
    for (const char *at = name; *at && good; at++) {
        good = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
               (*at >= '0' && *at <= '9') || strchr("._-", *at);
    }
    if (good) return MEMX_OK;
    return memx_invalid(error,
                        "predictor '%.64s'; write a name of 1 to 64 letters, digits, dots, "
                        "underscores and hyphens, other than analytic",
                        name);
}

static memx_status train(training *t, const char *name, const char *options, char **errors,
                         memx_error *error) {
    char fingerprint[MEMX_SIGNATURE_TEXT];
    memx_status status = check_name(name, error);
    if (!status && options) status = read_options(t, options, error);
    if (!status) status = make_samples(t, error);
    if (status) return status;
    t->options.boost.exact = t->sample_count < EXACT_ROWS;
    status = memx_train(t->samples, t->sample_count, &t->options, t->poll, &t->residual, &t->report,
                        error);
    if (status) return status;
    memcpy(t->residual.name, name, strlen(name) + 1);
    *errors = errors_json(t);
    if (!*errors || t->key.failed) return MEMX_NOMEM;
    memx_signature_hash(&t->key, fingerprint);
    return memx_predictor_write(t->db, &t->residual, *errors, fingerprint, error);
}

void memx_train_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    memx_session *session = sqlite3_user_data(context);
    training t = {.db = sqlite3_context_db_handle(context), .options = memx_train_defaults()};
    memx_error error = {""};
    const char *name = "trained", *options = NULL;
    char *errors = NULL;
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < argc; i++) {
        if (sqlite3_value_type(argv[i]) == SQLITE_NULL) return;
    }
    memx_session_enter(session);
    t.reader = memx_session_reader(session);
    t.poll = memx_session_poll(session);
    t.left_out = sqlite3_str_new(t.db);
    memx_status status = MEMX_OK;
    if (argc > 0) status = memx_argument_text(argv[0], "predictor", &name, &error);
    if (!status && argc > 1) status = memx_argument_text(argv[1], "options", &options, &error);
    if (!status) status = train(&t, name, options, &errors, &error);
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (status) {
        memx_prefix(&error, status, "memx_train");
        memx_result_fail(context, status, &error);
    } else {
        result_report(context, &t, errors,
                      (double)(end.tv_sec - begin.tv_sec) +
                          (double)(end.tv_nsec - begin.tv_nsec) * 1e-9);
    }
    sqlite3_free(errors);
    training_free(&t);
    memx_session_leave(session);
}
