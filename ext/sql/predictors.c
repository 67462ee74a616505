#include "sql/predictors.h"

#include "predict/boost.h"
#include "predict/signature.h"
#include "sql/bracket.h"
#include "sql/catalog.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* ---- what is read ---- */

typedef struct head_row {
    double mean_time, sd_time, mean_peak, sd_peak, clip_time, clip_peak, reserve;
    bool used_time, used_peak;
    char fingerprint[MEMX_NAME_SIZE];
} head_row;

static const memx_field head_fields[] = {
    {"label_mean_time", MEMX_F_NUMBER, offsetof(head_row, mean_time)},
    {"label_sd_time", MEMX_F_NUMBER, offsetof(head_row, sd_time)},
    {"label_mean_peak", MEMX_F_NUMBER, offsetof(head_row, mean_peak)},
    {"label_sd_peak", MEMX_F_NUMBER, offsetof(head_row, sd_peak)},
    {"json_extract(ranges, '$.clip[0]') AS clip", MEMX_F_NUMBER, offsetof(head_row, clip_time)},
    {"json_extract(ranges, '$.clip[1]') AS clip", MEMX_F_NUMBER, offsetof(head_row, clip_peak)},
    {"json_extract(errors, '$.time.used') AS used", MEMX_F_FLAG, offsetof(head_row, used_time)},
    {"json_extract(errors, '$.peak.used') AS used", MEMX_F_FLAG, offsetof(head_row, used_peak)},
    {"json_extract(errors, '$.reserve') AS reserve", MEMX_F_NUMBER_OR_NULL,
     offsetof(head_row, reserve)},
    {"fingerprint", MEMX_F_NAME, offsetof(head_row, fingerprint)},
};

typedef struct name_row {
    char name[MEMX_NAME_SIZE];
    int64_t place;
} name_row;

static const memx_field feature_fields[] = {
    {"f.value AS feature", MEMX_F_NAME, offsetof(name_row, name)},
    {"f.key AS place", MEMX_F_COUNT, offsetof(name_row, place)},
};

typedef struct range_row {
    char name[MEMX_NAME_SIZE];
    double least, most;
} range_row;

static const memx_field range_fields[] = {
    {"f.key AS feature", MEMX_F_NAME, offsetof(range_row, name)},
    {"json_extract(f.value, '$[0]') AS least", MEMX_F_NUMBER_OR_NULL, offsetof(range_row, least)},
    {"json_extract(f.value, '$[1]') AS most", MEMX_F_NUMBER_OR_NULL, offsetof(range_row, most)},
};

#define CALIBRATION(name)                                                                          \
    "CASE WHEN c.type = 'object' THEN json_extract(c.value, '$." name "') END AS " name
#define FACTOR(constant, name, spread)                                                             \
    {CALIBRATION(name), MEMX_F_NUMBER,                                                             \
     offsetof(memx_calibration, factor) + (constant) * sizeof(double)},
static const memx_field calibration_fields[] = {
    {CALIBRATION("device"), MEMX_F_NAME, offsetof(memx_calibration, device)},
    {CALIBRATION("framework"), MEMX_F_NAME, offsetof(memx_calibration, framework)},
    MEMX_EACH_CONSTANT(FACTOR){CALIBRATION("fixed_mib"), MEMX_F_NUMBER,
                               offsetof(memx_calibration, fixed_mib)},
    {CALIBRATION("static_factor"), MEMX_F_NUMBER, offsetof(memx_calibration, static_factor)},
    {CALIBRATION("activation_factor"), MEMX_F_NUMBER,
     offsetof(memx_calibration, activation_factor)},
    {CALIBRATION("context_shift_mib"), MEMX_F_NUMBER,
     offsetof(memx_calibration, context_shift_mib)},
};

typedef struct node_row {
    char output[MEMX_NAME_SIZE], feature[MEMX_NAME_SIZE];
    int64_t tree, node, yes, no, missing;
    double value;
} node_row;

static const memx_field node_fields[] = {
    {"output", MEMX_F_NAME, offsetof(node_row, output)},
    {"tree", MEMX_F_COUNT, offsetof(node_row, tree)},
    {"node", MEMX_F_COUNT, offsetof(node_row, node)},
    {"CASE WHEN leaf IS NULL THEN feature ELSE '-' END AS feature", MEMX_F_NAME,
     offsetof(node_row, feature)},
    {"coalesce(leaf, threshold) AS leaf", MEMX_F_NUMBER, offsetof(node_row, value)},
    {"CASE WHEN leaf IS NULL THEN yes ELSE 0 END AS yes", MEMX_F_COUNT, offsetof(node_row, yes)},
    {"CASE WHEN leaf IS NULL THEN no ELSE 0 END AS no", MEMX_F_COUNT, offsetof(node_row, no)},
    {"CASE WHEN leaf IS NULL THEN missing ELSE 0 END AS missing", MEMX_F_COUNT,
     offsetof(node_row, missing)},
};

static const memx_field chosen_fields[] = {
    {"p.predictor AS predictor", MEMX_F_NAME, offsetof(name_row, name)}};

static const memx_query head_query =
    MEMX_QUERY("memx_predictor", "memx_predictor WHERE predictor = ?1", head_fields);
static const memx_query feature_query = MEMX_QUERY(
    "memx_predictor",
    "memx_predictor AS p, json_each(p.features) AS f WHERE p.predictor = ?1 ORDER BY f.key",
    feature_fields);
static const memx_query range_query = MEMX_QUERY(
    "memx_predictor",
    "memx_predictor AS p, json_each(p.ranges, '$.features') AS f WHERE p.predictor = ?1 ORDER BY "
    "f.key",
    range_fields);
static const memx_query calibration_query = MEMX_QUERY(
    "memx_predictor",
    "memx_predictor AS p, json_each(p.ranges, '$.calibration') AS c WHERE p.predictor = ?1 ORDER "
    "BY c.key",
    calibration_fields);
static const memx_query node_query = MEMX_QUERY(
    "memx_tree", "memx_tree WHERE predictor = ?1 ORDER BY output, tree, node", node_fields);
static const memx_query chosen_query = MEMX_QUERY(
    "memx_predictor",
    "memx_job AS j, memx_predictor AS p WHERE j.job = ?1 AND NOT EXISTS (SELECT 1 FROM memx_node "
    "AS n WHERE n.cluster = j.cluster AND NOT EXISTS (SELECT 1 FROM "
    "json_each(" MEMX_SQL_RANGES ", '$.calibration') AS c "
    "WHERE CASE WHEN c.type = 'object' THEN json_extract(c.value, "
    "'$.framework') END = j.framework AND "
    "CASE WHEN c.type = 'object' THEN json_extract(c.value, '$.device') END = " MEMX_SQL_NODE_DEVICE
    ")) AND "
    "coalesce(json_extract(" MEMX_SQL_RANGES ", '$.cluster'), "
    "j.cluster) = j.cluster ORDER BY p.created DESC, p.rowid DESC LIMIT 1",
    chosen_fields);

/* ---- reading ---- */

static memx_status check_feature(void *context, const void *row, memx_error *error) {
    int32_t *count = context;
    const name_row *r = row;
    const char *ours = memx_feature_name(*count);
    if (!ours || strcmp(ours, r->name) != 0) {
        return memx_invalid(error, "it was made from other features (%s is '%s' here)", r->name,
                            ours ? ours : "none");
    }
    ++*count;
    return MEMX_OK;
}

static int32_t find_feature(const char *name) {
    for (int32_t f = 0; f < MEMX_FEATURE_COUNT; f++) {
        if (strcmp(memx_feature_name(f), name) == 0) return f;
    }
    return -1;
}

static memx_status add_range(void *context, const void *row, memx_error *error) {
    memx_residual *out = context;
    const range_row *r = row;
    int32_t f = find_feature(r->name);
    if (f < 0) return memx_invalid(error, "there is no feature '%s'", r->name);
    out->least[f] = (float)r->least;
    out->most[f] = (float)r->most;
    return MEMX_OK;
}

/* What no calibration arrives at: a slip or worse. */
static bool absurd(double factor) {
    return !(factor > 0.01 && factor < 100.0);
}

static memx_status add_calibration(void *context, const void *row, memx_error *error) {
    memx_residual *out = context;
    const memx_calibration *c = row;
    bool wrong = absurd(c->static_factor) || absurd(c->activation_factor) ||
                 !(fabs(c->fixed_mib) < 1e6) || !(fabs(c->context_shift_mib) < 1e6);
    for (int k = 0; k < MEMX_CONSTANT_COUNT; k++) wrong = wrong || absurd(c->factor[k]);
    if (wrong) {
        return memx_invalid(error, "its calibration of '%s' is no plausible factor", c->device);
    }
    memx_calibration *all =
        realloc(out->calibrations, (size_t)(out->calibration_count + 1) * sizeof *all);
    if (!all) return MEMX_NOMEM;
    out->calibrations = all;
    all[out->calibration_count++] = *c;
    return MEMX_OK;
}

static memx_status add_node(void *context, const void *row, memx_error *error) {
    memx_residual *out = context;
    const node_row *r = row;
    memx_output output = strcmp(r->output, "time") == 0 ? MEMX_OUTPUT_TIME : MEMX_OUTPUT_PEAK;
    if (output == MEMX_OUTPUT_PEAK && strcmp(r->output, "peak") != 0) {
        return memx_invalid(error, "output '%s'; write time or peak", r->output);
    }
    memx_forest *forest = &out->outputs[output].trees;
    memx_status status = MEMX_OK;
    if (r->tree == forest->tree_count && r->node == 0) status = memx_forest_tree(forest, error);
    if (status) return status;
    int32_t last = forest->tree_count - 1;
    if (last < 0 || r->tree != last || r->node != forest->node_count - forest->roots[last]) {
        return memx_invalid(error, "%s tree %lld, node %lld: one before it is missing", r->output,
                            (long long)r->tree, (long long)r->node);
    }
    memx_tree_node node = {.feature = -1, .value = (float)r->value};
    if (strcmp(r->feature, "-") != 0) {
        node.feature = find_feature(r->feature);
        if (node.feature < 0) {
            return memx_invalid(error, "%s tree %lld, node %lld: there is no feature '%s'",
                                r->output, (long long)r->tree, (long long)r->node, r->feature);
        }
        if (r->yes < 0 || r->no < 0 || r->missing < 0 || r->yes > INT32_MAX || r->no > INT32_MAX ||
            r->missing > INT32_MAX) {
            return memx_invalid(error, "%s tree %lld, node %lld leads nowhere", r->output,
                                (long long)r->tree, (long long)r->node);
        }
        node.yes = (int32_t)r->yes;
        node.no = (int32_t)r->no;
        node.missing = (int32_t)r->missing;
    }
    return memx_forest_node(forest, &node, error);
}

static memx_status check_forests(const memx_residual *r, memx_error *error) {
    memx_status status = MEMX_OK;
    for (int o = 0; o < MEMX_OUTPUT_COUNT && !status; o++) {
        status = memx_prefix(error, memx_forest_check(&r->outputs[o].trees, error),
                             o == MEMX_OUTPUT_TIME ? "time" : "peak");
        if (!status && r->outputs[o].used && r->outputs[o].trees.tree_count == 0) {
            status = memx_invalid(error, "its trees are missing");
        }
    }
    return status;
}

static memx_status read_parts(memx_reader *reader, const char *name, memx_residual *out,
                              memx_text *key, memx_error *error) {
    head_row head = {.reserve = NAN};
    int32_t features = 0;
    const name_row no_name = {"", 0};
    const range_row no_range = {"", NAN, NAN};
    const memx_calibration no_calibration = {.device = ""};
    const node_row no_node = {.output = ""};
    name_row name_buffer;
    range_row range_buffer;
    memx_calibration calibration_buffer;
    node_row node_buffer;
    memx_status status = memx_reader_one(reader, &head_query, name, &head, key, error);
    if (status == MEMX_DONE) return MEMX_DONE;
    if (!status) {
        status = memx_reader_each(reader, &feature_query, name, &no_name, &name_buffer,
                                  sizeof name_buffer, check_feature, &features, key, error);
    }
    if (!status && (features < MEMX_FEATURES_DENSE || features > MEMX_FEATURE_COUNT)) {
        status = memx_invalid(error, "it was made from other features");
    }
    if (!status) {
        status = memx_reader_each(reader, &range_query, name, &no_range, &range_buffer,
                                  sizeof range_buffer, add_range, out, key, error);
    }
    if (!status) {
        status =
            memx_reader_each(reader, &calibration_query, name, &no_calibration, &calibration_buffer,
                             sizeof calibration_buffer, add_calibration, out, key, error);
    }
    if (!status) {
        status = memx_reader_each(reader, &node_query, name, &no_node, &node_buffer,
                                  sizeof node_buffer, add_node, out, key, error);
    }
    if (status) return status;
    for (int32_t f = features; f < MEMX_FEATURE_COUNT; f++) out->least[f] = out->most[f] = 0.0F;
    out->reserve = head.reserve >= 0.0 && head.reserve < 1.0 ? head.reserve : NAN;
    out->outputs[MEMX_OUTPUT_TIME].mean = head.mean_time;
    out->outputs[MEMX_OUTPUT_TIME].sd = head.sd_time;
    out->outputs[MEMX_OUTPUT_TIME].clip = fmin(fabs(head.clip_time), 2.0);
    out->outputs[MEMX_OUTPUT_TIME].used = head.used_time;
    out->outputs[MEMX_OUTPUT_PEAK].mean = head.mean_peak;
    out->outputs[MEMX_OUTPUT_PEAK].sd = head.sd_peak;
    out->outputs[MEMX_OUTPUT_PEAK].clip = fmin(fabs(head.clip_peak), 2.0);
    out->outputs[MEMX_OUTPUT_PEAK].used = head.used_peak;
    return check_forests(out, error);
}

memx_status memx_predictor_read(memx_reader *reader, const char *name, memx_residual *out,
                                memx_text *key, memx_error *error) {
    *out = (memx_residual){.name = "", .reserve = NAN};
    snprintf(out->name, sizeof out->name, "%s", name);
    for (int o = 0; o < MEMX_OUTPUT_COUNT; o++) {
        memx_forest_start(&out->outputs[o].trees, MEMX_FEATURE_COUNT);
    }
    for (int f = 0; f < MEMX_FEATURE_COUNT; f++) out->least[f] = out->most[f] = NAN;
    const size_t before = key->length;
    memx_status status = memx_reader_check_json(reader, error);
    if (status) return status;
    status = read_parts(reader, name, out, key, error);
    if (!status) {
        /* Of what was read, trees and all: rows can be changed without training. */
        const memx_text rows = {.data = key->data + before, .length = key->length - before};
        if (!key->failed) memx_signature_hash(&rows, out->fingerprint);
        return MEMX_OK;
    }
    memx_residual_free(out);
    if (status == MEMX_DONE) {
        return memx_invalid(error,
                            "no predictor '%.64s'; write analytic or NULL, or train it: SELECT "
                            "memx_train('%.64s')",
                            name, name);
    }
    if (status != MEMX_INVALID && !memx_no_json(status, error)) return status;
    const memx_error inner = *error; /* damaged, or of another version */
    return memx_invalid(error, "predictor '%.64s': %.300s; train it again", name, inner.text);
}

memx_status memx_predictor_choose(memx_reader *reader, const char *job, char out[MEMX_NAME_SIZE],
                                  memx_text *key, memx_error *error) {
    name_row row = {"", 0};
    memx_status status = memx_reader_one(reader, &chosen_query, job, &row, key, error);
    if (status && status != MEMX_DONE) return status;
    memcpy(out, row.name, MEMX_NAME_SIZE);
    return MEMX_OK;
}

/* ---- writing ---- */

/* Numbers by SQLite's own printf: a point whatever the locale, and back to the same bits. */
static char *features_json(sqlite3 *db) {
    sqlite3_str *s = sqlite3_str_new(db);
    for (int32_t f = 0; f < MEMX_FEATURE_COUNT; f++) {
        sqlite3_str_appendf(s, "%s\"%s\"", f ? "," : "[", memx_feature_name(f));
    }
    sqlite3_str_appendall(s, "]");
    return sqlite3_str_finish(s);
}

static char *ranges_json(sqlite3 *db, const memx_residual *r, const char *cluster) {
    sqlite3_str *s = sqlite3_str_new(db);
    bool any = false;
    sqlite3_str_appendall(s, "{");
    if (cluster) sqlite3_str_appendf(s, "\"cluster\":\"%s\",", cluster);
    sqlite3_str_appendall(s, "\"features\":{");
    for (int32_t f = 0; f < MEMX_FEATURE_COUNT; f++) {
        if (isnan(r->least[f])) continue;
        sqlite3_str_appendf(s, "%s\"%s\":[%!.17g,%!.17g]", any ? "," : "", memx_feature_name(f),
                            (double)r->least[f], (double)r->most[f]);
        any = true;
    }
    sqlite3_str_appendf(s, "},\"clip\":[%!.17g,%!.17g],\"calibration\":[",
                        r->outputs[MEMX_OUTPUT_TIME].clip, r->outputs[MEMX_OUTPUT_PEAK].clip);
    for (int32_t i = 0; i < r->calibration_count; i++) {
        const memx_calibration *c = &r->calibrations[i];
        sqlite3_str_appendf(s, "%s{\"device\":\"%s\",\"framework\":\"%s\"", i ? "," : "", c->device,
                            c->framework);
        for (int32_t k = 0; k < MEMX_CONSTANT_COUNT; k++) {
            sqlite3_str_appendf(s, ",\"%s\":%!.17g", memx_constant_name((memx_constant)k),
                                c->factor[k]);
        }
        sqlite3_str_appendf(s,
                            ",\"fixed_mib\":%!.17g,\"static_factor\":%!.17g,"
                            "\"activation_factor\":%!.17g,\"context_shift_mib\":%!.17g}",
                            c->fixed_mib, c->static_factor, c->activation_factor,
                            c->context_shift_mib);
    }
    sqlite3_str_appendall(s, "]}");
    return sqlite3_str_finish(s);
}

/* Texts that outlive the statement; NULL stays NULL. */
typedef struct bound_text {
    int at;
    const char *text;
} bound_text;

static int bind_texts(sqlite3_stmt *statement, const bound_text *texts, size_t count) {
    int rc = SQLITE_OK;
    for (size_t i = 0; i < count && rc == SQLITE_OK; i++) {
        rc = sqlite3_bind_text(statement, texts[i].at, texts[i].text, -1, SQLITE_STATIC);
    }
    return rc;
}

static int write_head(sqlite3 *db, const memx_residual *r, const char *cluster, const char *errors,
                      const char *fingerprint) {
    static const char sql[] =
        "INSERT INTO memx_predictor(predictor, created, xgboost_version, features, "
        "label_mean_time, label_sd_time, label_mean_peak, label_sd_peak, ranges, errors, "
        "fingerprint) VALUES (?1, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), ?2, ?3, ?4, ?5, ?6, ?7, "
        "?8, ?9, ?10)";
    sqlite3_stmt *statement = NULL;
    char version[32];
    memx_boost_version(version, sizeof version);
    char *features = features_json(db), *ranges = ranges_json(db, r, cluster);
    const bound_text texts[] = {{1, r->name}, {2, version}, {3, features},
                                {8, ranges},  {9, errors},  {10, fingerprint}};
    int rc = features && ranges ? sqlite3_prepare_v2(db, sql, -1, &statement, NULL) : SQLITE_NOMEM;
    if (rc == SQLITE_OK) rc = bind_texts(statement, texts, sizeof texts / sizeof texts[0]);
    if (rc == SQLITE_OK) {
        sqlite3_bind_double(statement, 4, r->outputs[MEMX_OUTPUT_TIME].mean);
        sqlite3_bind_double(statement, 5, r->outputs[MEMX_OUTPUT_TIME].sd);
        sqlite3_bind_double(statement, 6, r->outputs[MEMX_OUTPUT_PEAK].mean);
        sqlite3_bind_double(statement, 7, r->outputs[MEMX_OUTPUT_PEAK].sd);
        sqlite3_step(statement);
        rc = sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    sqlite3_free(features);
    sqlite3_free(ranges);
    return rc;
}

static int write_trees(sqlite3 *db, const memx_residual *r, memx_output output) {
    static const char sql[] = "INSERT INTO memx_tree(predictor, output, tree, node, feature, "
                              "threshold, yes, no, missing, "
                              "leaf) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    const memx_forest *forest = &r->outputs[output].trees;
    const char *name = output == MEMX_OUTPUT_TIME ? "time" : "peak";
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    for (int32_t t = 0; t < forest->tree_count && rc == SQLITE_OK; t++) {
        int32_t begin = forest->roots[t], end = forest->roots[t + 1];
        for (int32_t n = begin; n < end && rc == SQLITE_OK; n++) {
            const memx_tree_node *node = &forest->nodes[n];
            sqlite3_clear_bindings(statement);
            const char *feature = node->feature < 0 ? NULL : memx_feature_name(node->feature);
            rc = bind_texts(statement, (const bound_text[]){{1, r->name}, {2, name}, {5, feature}},
                            3);
            if (rc != SQLITE_OK) break;
            sqlite3_bind_int(statement, 3, t);
            sqlite3_bind_int(statement, 4, n - begin);
            if (node->feature < 0) {
                sqlite3_bind_double(statement, 10, (double)node->value);
            } else {
                sqlite3_bind_double(statement, 6, (double)node->value);
                sqlite3_bind_int(statement, 7, node->yes);
                sqlite3_bind_int(statement, 8, node->no);
                sqlite3_bind_int(statement, 9, node->missing);
            }
            sqlite3_step(statement);
            rc = sqlite3_reset(statement);
        }
    }
    sqlite3_finalize(statement);
    return rc;
}

static int remove_old(sqlite3 *db, const char *name) {
    static const char *const sql[] = {"DELETE FROM memx_tree WHERE predictor = ?1",
                                      "DELETE FROM memx_predictor WHERE predictor = ?1"};
    int rc = SQLITE_OK;
    for (int i = 0; i < 2 && rc == SQLITE_OK; i++) {
        sqlite3_stmt *statement = NULL;
        rc = sqlite3_prepare_v2(db, sql[i], -1, &statement, NULL);
        if (rc == SQLITE_OK) rc = sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
        if (rc == SQLITE_OK) {
            sqlite3_step(statement);
            rc = sqlite3_reset(statement);
        }
        sqlite3_finalize(statement);
    }
    return rc;
}

/* Whether the predictor stands there as it was written, and no tree of an older one. */
static int read_back(sqlite3 *db, const memx_residual *r, const char *fingerprint, bool *ignored) {
    static const char sql[] =
        "SELECT (SELECT count(*) FROM memx_tree WHERE predictor = ?1), "
        "EXISTS (SELECT 1 FROM memx_predictor WHERE predictor = ?1 AND fingerprint = ?2)";
    sqlite3_stmt *statement = NULL;
    int64_t nodes = 0;
    for (int o = 0; o < MEMX_OUTPUT_COUNT; o++) nodes += r->outputs[o].trees.node_count;
    int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (rc != SQLITE_OK) return rc;
    sqlite3_bind_text(statement, 1, r->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, fingerprint, -1, SQLITE_STATIC);
    if (sqlite3_step(statement) == SQLITE_ROW) {
        *ignored = sqlite3_column_int64(statement, 0) != nodes || !sqlite3_column_int(statement, 1);
    }
    return sqlite3_finalize(statement);
}

/* Why a bracket was not opened or kept. */
static memx_status not_kept(const memx_bracket *b, int rc, memx_error *error) {
    if (rc == SQLITE_NOMEM) return MEMX_NOMEM;
    if (rc == SQLITE_INTERRUPT) return MEMX_INTERRUPTED;
    error->host_code = memx_host_code(rc);
    return memx_invalid(error, "%s", memx_bracket_why(b, rc));
}

memx_status memx_predictor_write(sqlite3 *db, const memx_residual *r, const char *cluster,
                                 const char *errors, const char *fingerprint, memx_error *error) {
    memx_bracket b;
    int rc = memx_bracket_open(db, &b);
    if (rc != SQLITE_OK) return not_kept(&b, rc, error);
    rc = remove_old(db, r->name);
    if (rc == SQLITE_OK) rc = write_head(db, r, cluster, errors, fingerprint);
    if (rc == SQLITE_OK) rc = write_trees(db, r, MEMX_OUTPUT_TIME);
    if (rc == SQLITE_OK) rc = write_trees(db, r, MEMX_OUTPUT_PEAK);
    bool ignored = false;
    if (rc == SQLITE_OK) rc = read_back(db, r, fingerprint, &ignored);
    /* Said before it is undone: that may say something else. */
    memx_status status = rc == SQLITE_OK ? MEMX_OK : memx_sql_failed(db, rc, error);
    if (ignored) {
        status = memx_invalid(error, "a trigger on memx_predictor or memx_tree leaves out what is "
                                     "written there; drop it");
    }
    rc = memx_bracket_close(&b, status ? SQLITE_ERROR : SQLITE_OK);
    return status || rc == SQLITE_OK ? status : not_kept(&b, rc, error);
}
