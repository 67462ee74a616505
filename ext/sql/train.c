/*
** Learning from what was measured, as SQL functions. Both store a predictor and answer a report as JSON.
**
**   SELECT memx_train();                              -- the predictor 'trained'
**   SELECT memx_train('june', '{"rounds": 100}');
**   SELECT memx_calibrate('mix20');                   -- the predictor 'mix20', for jobs on that cluster
**   SELECT memx_calibrate('mix20', 'june', '{"memory": "total"}');
**
** memx_train calibrates the analytic model's constants for each device and framework on all rows of
** memx_profile and memx_run, and lets trees learn what is left. memx_calibrate does the first alone, on the
** runs of one cluster and the profiles of its devices, and holds out every one of them in turn.
**
** Options: rounds, depth, eta and lambda of XGBoost; least_rows that trees want; trees 'auto', 'always' or
** 'never'; memory 'reserved', 'total' or 'allocated', else the first of these that was measured; augment 1:
** with the rows of memx_augmented; validate 0: calibrates only, in a fraction of the time. Rows that cannot
** be used are left out, counted and named. Jobs whose predictor is NULL use the newest one that knows their
** framework and all of their devices.
*/
#include "predict/train.h"

#include "core/clock.h"
#include "predict/signature.h"
#include "sql/catalog.h"
#include "sql/measurements.h"
#include "sql/modules.h"
#include "sql/predictors.h"
#include "sql/session.h"
#include "sql/subject.h"
#include "sql/vtab.h"

#include <math.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

typedef struct option_row {
    double rounds, depth, eta, lambda, least_rows, augment, validate;
    char trees[MEMX_NAME_SIZE], memory[MEMX_NAME_SIZE];
    bool known; /* an object, and no key but these */
} option_row;

static const memx_field option_fields[] = {
    {"json_extract(?1, '$.rounds') AS rounds", MEMX_F_NUMBER_OR_NULL, offsetof(option_row, rounds)},
    {"json_extract(?1, '$.depth') AS depth", MEMX_F_NUMBER_OR_NULL, offsetof(option_row, depth)},
    {"json_extract(?1, '$.eta') AS eta", MEMX_F_NUMBER_OR_NULL, offsetof(option_row, eta)},
    {"json_extract(?1, '$.lambda') AS lambda", MEMX_F_NUMBER_OR_NULL, offsetof(option_row, lambda)},
    {"json_extract(?1, '$.least_rows') AS least_rows", MEMX_F_NUMBER_OR_NULL,
     offsetof(option_row, least_rows)},
    {"json_extract(?1, '$.augment') AS augment", MEMX_F_NUMBER_OR_NULL,
     offsetof(option_row, augment)},
    {"json_extract(?1, '$.validate') AS validate", MEMX_F_NUMBER_OR_NULL,
     offsetof(option_row, validate)},
    {"coalesce(json_extract(?1, '$.trees'), 'auto') AS trees", MEMX_F_NAME,
     offsetof(option_row, trees)},
    {"coalesce(json_extract(?1, '$.memory'), 'auto') AS memory", MEMX_F_NAME,
     offsetof(option_row, memory)},
    {"json_type(?1) = 'object' AND NOT EXISTS (SELECT 1 FROM json_each(?1) WHERE key NOT IN "
     "('rounds', 'depth', 'eta', 'lambda', 'least_rows', 'augment', 'validate', 'trees', "
     "'memory')) AS known",
     MEMX_F_FLAG, offsetof(option_row, known)},
};
static const memx_query option_query = MEMX_QUERY("options", "(SELECT 1)", option_fields);

enum { EXACT_ROWS = 5000 };

typedef struct training {
    sqlite3 *db;
    memx_reader *reader;
    const memx_poll *poll;
    const char *cluster; /* NULL: all that was measured */
    memx_train_options options;
    int metric;
    bool augmented;
    memx_measurements measured;
    memx_residual residual;
    memx_train_report report;
    int64_t begin_ns;
} training;

static void training_free(training *t) {
    memx_measurements_free(&t->measured);
    memx_residual_free(&t->residual);
}

/* ---- options ---- */

static bool whole_within(double x, double least, double most) {
    return x >= least && x <= most && x == floor(x);
}

/* The index of a word in a list; -1: it is not there. */
static int find_word(const char *word, const char *const *words, int count) {
    for (int i = 0; i < count; i++) {
        if (strcmp(word, words[i]) == 0) return i;
    }
    return -1;
}

static memx_status read_options(training *t, const char *text, memx_error *error) {
    static const char *const trees[] = {"auto", "always", "never"};
    static const char *const metrics[] = {"reserved", "allocated", "total"};
    memx_boost_options *boost = &t->options.boost;
    option_row o = {boost->rounds, boost->depth, boost->eta, boost->lambda, t->options.least_rows,
                    t->augmented,  1.0,          "auto",     "auto",        false};
    memx_status status = memx_reader_check_json(t->reader, error);
    if (status) return status;
    status = memx_reader_one(t->reader, &option_query, text, &o, NULL, error);
    if (status == MEMX_DONE) status = MEMX_OK;
    if (status && status != MEMX_INVALID && !memx_no_json(status, error)) return status;
    int when = find_word(o.trees, trees, 3), metric = find_word(o.memory, metrics, 3);
    if (status || !o.known || !whole_within(o.rounds, 1, 10000) || !whole_within(o.depth, 1, 16) ||
        !(o.eta >= 1e-6 && o.eta <= 1.0) || !(o.lambda >= 0.0 && o.lambda <= 1e6) ||
        !whole_within(o.least_rows, 1, 1e6) || !whole_within(o.augment, 0, 1) ||
        !whole_within(o.validate, 0, 1) || when < 0 ||
        (metric < 0 && strcmp(o.memory, "auto") != 0)) {
        return memx_invalid(error,
                            "options '%.60s'; write JSON as {\"rounds\": 200, \"depth\": 3, "
                            "\"eta\": 0.05, \"lambda\": 1, \"least_rows\": 20, \"trees\": "
                            "\"auto\", \"memory\": \"auto\", \"augment\": 1, \"validate\": 1}",
                            text);
    }
    boost->rounds = (int32_t)o.rounds;
    boost->depth = (int32_t)o.depth;
    boost->eta = o.eta;
    boost->lambda = o.lambda;
    t->options.least_rows = (int32_t)o.least_rows;
    if (!t->cluster) t->options.trees = (memx_trees)when;
    t->augmented = o.augment > 0.0;
    t->options.validate = o.validate > 0.0;
    t->metric = metric < 0 ? MEMX_METRIC_AUTO : metric;
    return MEMX_OK;
}

/* ---- the report ---- */

static void tell_figure(sqlite3_str *s, const training *t, memx_figure figure) {
    static const char *const verdicts[] = {"off", "too few rows",
                                           "no better than calibrated on held-out rows", "used"};
    const memx_train_report *report = &t->report;
    sqlite3_str_appendf(s, "\"%s\":{\"rows\":%lld,\"nominal_mape\":%.4g,\"calibrated_mape\":%.4g",
                        memx_figure_name(figure), (long long)report->figures[figure].rows,
                        report->figures[figure].nominal_mape,
                        report->figures[figure].calibrated_mape);
    if (figure != MEMX_FIGURE_ITERATION) {
        memx_output output = (memx_output)figure;
        sqlite3_str_appendf(s, ",\"trees\":\"%s\",\"used\":%d", verdicts[report->verdict[output]],
                            report->verdict[output] == MEMX_VERDICT_USED);
    }
    sqlite3_str_appendf(s, ",\"learned_mape\":%.4g,\"held_out\":{",
                        report->figures[figure].learned_mape);
    bool any = false;
    for (int g = 0; g < MEMX_GROUPING_COUNT; g++) {
        const memx_validation *v = &report->figures[figure].by[g];
        if (v->groups < 2) continue;
        sqlite3_str_appendf(s,
                            "%s\"%s\":{\"groups\":%d,\"rows\":%lld,\"calibrated_mape\":%.4g,"
                            "\"learned_mape\":%.4g,\"calibrated_order\":%.4g,"
                            "\"learned_order\":%.4g}",
                            any ? "," : "", memx_grouping_name((memx_grouping)g), (int)v->groups,
                            (long long)v->rows, v->prior_mape, v->learned_mape, v->prior_order,
                            v->learned_order);
        any = true;
    }
    sqlite3_str_appendall(s, "}}");
}

/* What the predictor's row keeps: this much tells how good it is. */
static char *errors_json(const training *t) {
    sqlite3_str *s = sqlite3_str_new(t->db);
    sqlite3_str_appendall(s, "{");
    for (int f = 0; f < MEMX_FIGURE_COUNT; f++) {
        if (f > 0) sqlite3_str_appendall(s, ",");
        tell_figure(s, t, (memx_figure)f);
    }
    sqlite3_str_appendall(s, ",\"reserve\":");
    if (isnan(t->report.reserve)) {
        sqlite3_str_appendall(s, "null}");
    } else {
        sqlite3_str_appendf(s, "%.4g}", t->report.reserve);
    }
    return sqlite3_str_finish(s);
}

/* The features that change an output most. */
static void tell_features(sqlite3_str *s, const training *t, memx_output output) {
    double left[MEMX_FEATURE_COUNT];
    memcpy(left, t->report.matters[output], sizeof left);
    sqlite3_str_appendf(s, "\"%s\":{", memx_figure_name((memx_figure)output));
    for (int n = 0; n < 5; n++) {
        int most = 0;
        for (int f = 1; f < MEMX_FEATURE_COUNT; f++) most = left[f] > left[most] ? f : most;
        if (!(left[most] > 0.0)) break;
        sqlite3_str_appendf(s, "%s\"%s\":%.3g", n ? "," : "", memx_feature_name(most), left[most]);
        left[most] = 0.0;
    }
    sqlite3_str_appendall(s, "}");
}

/* Each factor with what the rows say about it; one that they say nothing about is left away: nominal. */
static void tell_calibration(sqlite3_str *s, const memx_calibration *c) {
    bool any = false;
    sqlite3_str_appendf(s,
                        "{\"device\":\"%s\",\"framework\":\"%s\",\"time_rows\":%lld,\"runs\":%lld,"
                        "\"memory_rows\":%lld,\"factors\":{",
                        c->device, c->framework, (long long)c->time_rows, (long long)c->runs,
                        (long long)c->memory_rows);
    for (int k = 0; k < MEMX_CONSTANT_COUNT; k++) {
        if (c->factor[k] == 1.0) continue;
        sqlite3_str_appendf(s, "%s\"%s\":{\"factor\":%.4g,\"known\":%.2f}", any ? "," : "",
                            memx_constant_name((memx_constant)k), c->factor[k], c->known[k]);
        any = true;
    }
    sqlite3_str_appendf(s,
                        "},\"fixed_mib\":%.4g,\"static_factor\":%.4g,\"activation_factor\":%.4g,"
                        "\"context_shift_mib\":%.4g",
                        c->fixed_mib, c->static_factor, c->activation_factor, c->context_shift_mib);
    for (int o = 0; o < MEMX_OUTPUT_COUNT; o++) {
        if (isnan(c->held_out_mape[o])) continue;
        sqlite3_str_appendf(s, ",\"held_out_%s_mape\":%.4g", memx_figure_name((memx_figure)o),
                            c->held_out_mape[o]);
    }
    sqlite3_str_appendall(s, "}");
}

/* The peak that was learned. */
static const char *memory_name(const training *t) {
    for (int32_t i = 0; i < t->residual.calibration_count; i++) {
        if (t->residual.calibrations[i].memory_rows > 0) {
            return memx_metric_name(t->measured.rows.metric);
        }
    }
    return "none measured";
}

static void tell_calibrations(sqlite3_str *s, const training *t) {
    for (int32_t i = 0; i < t->residual.calibration_count; i++) {
        if (i > 0) sqlite3_str_appendall(s, ",");
        tell_calibration(s, &t->residual.calibrations[i]);
    }
}

/* Devices of the cluster that no row is of, as a JSON array: its jobs then do not choose this predictor by
** themselves. */
static memx_status tell_not_measured(sqlite3_str *s, const training *t, memx_error *error) {
    static const char sql[] =
        "SELECT json_group_array(device) FROM (SELECT DISTINCT " MEMX_SQL_NODE_DEVICE
        " AS device FROM memx_node AS n WHERE n.cluster = ?1) WHERE "
        "device NOT IN (SELECT json_extract(c.value, '$.device') FROM json_each(?2) AS c)";
    sqlite3_stmt *statement = NULL;
    memx_status status = memx_reader_enter(t->reader, "memx_node", error);
    if (status) return status;
    sqlite3_str *known = sqlite3_str_new(t->db);
    sqlite3_str_appendall(known, "[");
    tell_calibrations(known, t);
    sqlite3_str_appendall(known, "]");
    char *calibrations = sqlite3_str_finish(known);
    int rc = calibrations ? sqlite3_prepare_v2(t->db, sql, -1, &statement, NULL) : SQLITE_NOMEM;
    if (rc == SQLITE_OK) rc = sqlite3_bind_text(statement, 1, t->cluster, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK) rc = sqlite3_bind_text(statement, 2, calibrations, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK) {
        bool row = sqlite3_step(statement) == SQLITE_ROW;
        const char *text = row ? (const char *)sqlite3_column_text(statement, 0) : NULL;
        if (text) sqlite3_str_appendall(s, text);
        bool read = text != NULL;
        rc = sqlite3_reset(statement);
        if (rc == SQLITE_OK && !read) rc = SQLITE_NOMEM;
    }
    sqlite3_finalize(statement);
    sqlite3_free(calibrations);
    memx_reader_leave(t->reader);
    return rc == SQLITE_OK ? MEMX_OK : memx_sql_failed(t->db, rc, error);
}

/* What the function answers, to be freed with sqlite3_free. */
static memx_status write_answer(const training *t, const char *errors, char **out,
                                memx_error *error) {
    char version[32];
    const memx_measurements *m = &t->measured;
    memx_status status = MEMX_OK;
    sqlite3_str *s = sqlite3_str_new(t->db);
    memx_boost_version(version, sizeof version);
    sqlite3_str_appendf(s, "{\"predictor\":\"%s\",", t->residual.name);
    if (t->cluster) {
        sqlite3_str_appendf(s, "\"cluster\":\"%s\",\"not_measured\":", t->cluster);
        status = tell_not_measured(s, t, error);
        sqlite3_str_appendall(s, ",");
    }
    sqlite3_str_appendf(s,
                        "\"rows\":%lld,\"augmented\":%lld,\"augmentation\":%.3g,\"runs\":%lld,"
                        "\"left_out\":%lld,\"why_left_out\":[%s],"
                        "\"memory\":\"%s\",\"xgboost\":\"%s\",\"seconds\":{\"all\":%.3f,\"fit\":"
                        "%.3f,\"validation\":%.3f},\"figures\":%s,\"features\":{",
                        (long long)m->profile_rows, (long long)m->augmented_rows,
                        m->profile_rows > 0 ? (double)(m->profile_rows + m->augmented_rows) /
                                                  (double)m->profile_rows
                                            : 1.0,
                        (long long)m->run_rows, (long long)m->left_out,
                        m->why.data ? m->why.data : "", memory_name(t), version,
                        memx_clock_seconds_since(t->begin_ns), t->report.fit_seconds,
                        t->report.validation_seconds, errors);
    tell_features(s, t, MEMX_OUTPUT_TIME);
    sqlite3_str_appendall(s, ",");
    tell_features(s, t, MEMX_OUTPUT_PEAK);
    sqlite3_str_appendall(s, "},\"calibration\":[");
    tell_calibrations(s, t);
    sqlite3_str_appendall(s, "]}");
    *out = sqlite3_str_finish(s);
    return status ? status : *out ? MEMX_OK : MEMX_NOMEM;
}

/* ---- the functions ---- */

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

/* Trains, writes what the function answers into `answer`, and last of all the predictor into its
** tables: nothing after that can fail. */
static memx_status learn(training *t, const char *name, const char *options, char **answer,
                         memx_error *error) {
    char fingerprint[MEMX_SIGNATURE_TEXT];
    memx_measurements *m = &t->measured;
    memx_status status = check_name(name, error);
    if (!status && t->cluster) status = memx_catalog_cluster_check(t->reader, t->cluster, error);
    if (!status && options) status = read_options(t, options, error);
    if (!status) {
        status = memx_measurements_read(t->reader, t->cluster, t->metric, t->augmented, t->poll, m,
                                        error);
    }
    if (status) return status;
    if (m->rows.count + m->rows.run_count == 0) {
        return memx_invalid(error,
                            "no row of memx_profile or memx_run%s%s can be learned from%s%.250s; "
                            "insert measured stages or runs, see queries/import_profile.sql and "
                            "import_run.sql",
                            t->cluster ? " on cluster " : "", t->cluster ? t->cluster : "",
                            m->left_out > 0 ? ", for example " : "", m->first_why);
    }
    memx_reader_let_go(t->reader);
    t->options.boost.exact = m->rows.count < EXACT_ROWS;
    status = memx_train(&m->rows, &t->options, t->poll, &t->residual, &t->report, error);
    if (status) return status;
    memcpy(t->residual.name, name, strlen(name) + 1);
    char *errors = errors_json(t);
    if (!errors) return MEMX_NOMEM;
    if (options) memx_text_add(&m->key, options, strlen(options));
    memx_signature_hash(&m->key, fingerprint);
    status = write_answer(t, errors, answer, error);
    memx_reader_let_go(t->reader);
    if (!status) {
        status = memx_predictor_write(t->db, &t->residual, t->cluster, errors, fingerprint, error);
    }
    sqlite3_free(errors);
    return status;
}

/* [cluster,] predictor, options: from the right they may be missing. */
static void call(sqlite3_context *context, int argc, sqlite3_value **argv, bool of_cluster) {
    memx_session *session = sqlite3_user_data(context);
    training t = {.db = sqlite3_context_db_handle(context),
                  .options = memx_train_defaults(),
                  .metric = MEMX_METRIC_AUTO,
                  .augmented = !of_cluster};
    memx_error error = {.text = ""};
    const char *texts[3] = {NULL, NULL, NULL}; /* cluster, predictor, options */
    static const char *const names[] = {"cluster", "predictor", "options"};
    char *answer = NULL;
    t.begin_ns = memx_clock_ns();
    if (memx_any_null(argc, argv)) return;
    memx_session_enter(session, of_cluster ? "memx_calibrate" : "memx_train");
    t.reader = memx_session_reader(session);
    t.poll = memx_session_poll(session);
    memx_status status = MEMX_OK;
    int first = of_cluster ? 0 : 1;
    for (int i = 0; i < argc && first + i < 3 && !status; i++) {
        status = memx_argument_text(argv[i], names[first + i], &texts[first + i], &error);
    }
    if (of_cluster) {
        t.cluster = texts[0];
        t.options.trees = MEMX_TREES_NEVER;
        t.options.leave_one_out = true;
    }
    const char *name = texts[1] ? texts[1] : texts[0] ? texts[0] : "trained";
    if (!status) status = learn(&t, name, texts[2], &answer, &error);
    if (status) {
        sqlite3_free(answer);
        memx_prefix(&error, status, of_cluster ? "memx_calibrate" : "memx_train");
        memx_result_fail(context, status, &error);
    } else {
        sqlite3_result_text(context, answer, -1, sqlite3_free);
    }
    training_free(&t);
    memx_session_leave(session);
}

void memx_train_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    call(context, argc, argv, false);
}

void memx_calibrate_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    call(context, argc, argv, true);
}
