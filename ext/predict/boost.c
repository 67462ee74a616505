#include "predict/boost.h"

#include "core/text.h"

#include <xgboost/c_api.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 10000, MOST_DEPTH = 16 };

void memx_boost_version(char *out, size_t size) {
    int major = 0, minor = 0, patch = 0;
    XGBoostVersion(&major, &minor, &patch);
    snprintf(out, size, "%d.%d.%d", major, minor, patch);
}

/* XGBoost's message without its stack trace. */
static memx_status library_failed(memx_error *error) {
    const char *message = XGBGetLastError();
    const char *end = strstr(message, "Stack trace");
    size_t length = end ? (size_t)(end - message) : strlen(message);
    return memx_invalid(error, "XGBoost refuses: %.*s", length > 300 ? 300 : (int)length, message);
}

/* What the library would take without a word, and answer with nonsense or a crash. */
static memx_status check(const memx_boost_rows *rows, const memx_boost_options *o,
                         memx_error *error) {
    if (rows->count == 0 || rows->feature_count < 1 || rows->outputs < 1) {
        return memx_invalid(error, "there are no rows to train on");
    }
    if (o->rounds < 1 || o->rounds > MOST_ROUNDS || o->depth < 1 || o->depth > MOST_DEPTH ||
        !(o->eta > 0.0 && o->eta <= 1.0) || !(o->lambda >= 0.0 && o->lambda <= 1e6) ||
        !(o->least_weight >= 0.0 && o->least_weight <= 1e6)) {
        return memx_invalid(error,
                            "rounds must be 1 to %d, depth 1 to %d, eta above 0 and at most 1, "
                            "lambda and least_weight 0 to 1e6",
                            (int)MOST_ROUNDS, (int)MOST_DEPTH);
    }
    for (size_t i = 0; i < rows->count * (size_t)rows->feature_count; i++) {
        if (isinf(rows->features[i])) return memx_invalid(error, "a feature is infinite");
    }
    for (size_t i = 0; i < rows->count * (size_t)rows->outputs; i++) {
        if (!isfinite(rows->labels[i])) return memx_invalid(error, "a label is not finite");
    }
    for (size_t i = 0; rows->weights && i < rows->count; i++) {
        if (!isfinite(rows->weights[i]) || rows->weights[i] < 0.0F) {
            return memx_invalid(error, "a weight is negative or not finite");
        }
    }
    return MEMX_OK;
}

/* The address of an array as the library wants it told. */
static void describe(const float *data, size_t rows, int32_t columns, char *out, size_t size) {
    snprintf(out, size,
             "{\"data\":[%llu,true],\"shape\":[%zu,%d],\"typestr\":\"<f4\",\"version\":3}",
             (unsigned long long)(uintptr_t)data, rows, (int)columns);
}

static memx_status make_matrix(const memx_boost_rows *rows, DMatrixHandle *out, memx_error *error) {
    char array[160];
    describe(rows->features, rows->count, rows->feature_count, array, sizeof array);
    if (XGDMatrixCreateFromDense(array, "{\"missing\":NaN,\"nthread\":1}", out) != 0) {
        return library_failed(error);
    }
    describe(rows->labels, rows->count, rows->outputs, array, sizeof array);
    if (XGDMatrixSetInfoFromInterface(*out, "label", array) != 0) return library_failed(error);
    if (!rows->weights) return MEMX_OK;
    snprintf(array, sizeof array,
             "{\"data\":[%llu,true],\"shape\":[%zu],\"typestr\":\"<f4\",\"version\":3}",
             (unsigned long long)(uintptr_t)rows->weights, rows->count);
    if (XGDMatrixSetInfoFromInterface(*out, "weight", array) != 0) return library_failed(error);
    return MEMX_OK;
}

static memx_status make_booster(DMatrixHandle matrix, const memx_boost_options *o,
                                BoosterHandle *out, memx_error *error) {
    char depth[32], eta[MEMX_NUMBER_TEXT], lambda[MEMX_NUMBER_TEXT], weight[MEMX_NUMBER_TEXT];
    snprintf(depth, sizeof depth, "%d", (int)o->depth);
    memx_text_general(o->eta, 9, eta);
    memx_text_general(o->lambda, 9, lambda);
    memx_text_general(o->least_weight, 9, weight);
    const struct {
        const char *name, *value;
    } parameters[] = {
        {"verbosity", "0"},
        {"nthread", "1"},
        {"seed", "20"},
        {"booster", "gbtree"},
        {"base_score", "0"},
        {"objective", "reg:squarederror"},
        {"max_depth", depth},
        {"tree_method", o->exact ? "exact" : "hist"},
        {"eta", eta},
        {"lambda", lambda},
        {"min_child_weight", weight},
    };
    if (XGBoosterCreate(&matrix, 1, out) != 0) return library_failed(error);
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        if (XGBoosterSetParam(*out, parameters[i].name, parameters[i].value) != 0) {
            return library_failed(error);
        }
    }
    return MEMX_OK;
}

/* ---- reading trees ---- */

/* A number with a point, whatever the host's locale. *end is where it ends in `text`. */
static float parse_number(const char *text, const char **end) {
    char copy[64];
    size_t length = strspn(text, "0123456789+-.eEinfa"); /* inf and nan are refused later */
    char point = *localeconv()->decimal_point, *stop = copy;
    *end = text;
    if (length >= sizeof copy) return 0.0F;
    memcpy(copy, text, length);
    copy[length] = '\0';
    for (char *at = copy; *at; at++) {
        if (*at == '.') *at = point;
    }
    float value = strtof(copy, &stop);
    *end = text + (stop - copy);
    return value;
}

/* `text` behind a prefix and a whole number; NULL where these are not what stands there. */
static const char *take_whole(const char *text, const char *prefix, int32_t *out) {
    size_t length = strlen(prefix);
    char *end = NULL;
    if (!text || strncmp(text, prefix, length) != 0) return NULL;
    long value = strtol(text + length, &end, 10);
    if (end == text + length || value < 0 || value > 1 << 24) return NULL;
    *out = (int32_t)value;
    return end;
}

/* One line of the library's dump: "7:[f3<0.25] yes=9,no=10,missing=9" or "9:leaf=0.5". */
static bool parse_line(const char *line, int32_t *id, memx_tree_node *out) {
    const char *at = take_whole(line + strspn(line, "\t "), "", id), *end = NULL;
    if (!at) return false;
    if (strncmp(at, ":leaf=", 6) == 0) {
        *out = (memx_tree_node){.feature = -1, .value = parse_number(at + 6, &end)};
        return end != at + 6;
    }
    at = take_whole(at, ":[f", &out->feature);
    if (!at || *at != '<') return false;
    out->value = parse_number(at + 1, &end);
    if (end == at + 1) return false;
    at = take_whole(end, "] yes=", &out->yes);
    at = take_whole(at, ",no=", &out->no);
    return take_whole(at, ",missing=", &out->missing) != NULL;
}

/* The lines of a tree by the numbers that the library gave its nodes. */
static memx_tree_node *parse_tree(const char *dump, int32_t *count) {
    int32_t most = -1;
    memx_tree_node *nodes = NULL;
    for (const char *line = dump; line && *line; line = strchr(line, '\n')) {
        memx_tree_node node = {.feature = -1};
        int32_t id = -1;
        line += *line == '\n';
        if (!*line) break;
        if (!parse_line(line, &id, &node) || id < 0 || id > 1 << 24) goto failed;
        if (id > most) {
            memx_tree_node *grown = realloc(nodes, ((size_t)id + 1) * sizeof *grown);
            if (!grown) goto failed;
            nodes = grown;
            for (int32_t i = most + 1; i < id; i++) nodes[i] = (memx_tree_node){.feature = -2};
            most = id;
        }
        nodes[id] = node;
    }
    *count = most + 1;
    return nodes;
failed:
    free(nodes);
    return NULL;
}

/* Adds a tree breadth first, with numbers of our own: children come after their node. */
static memx_status add_tree(memx_forest *forest, const char *dump, memx_error *error) {
    int32_t count = 0, told = 1;
    memx_tree_node *nodes = parse_tree(dump, &count);
    int32_t *queue = nodes ? malloc((size_t)count * sizeof *queue) : NULL;
    memx_status status = queue ? memx_forest_tree(forest, error) : MEMX_NOMEM;
    if (queue) queue[0] = 0;
    for (int32_t at = 0; at < told && !status; at++) {
        memx_tree_node node = nodes[queue[at]];
        if (node.feature >= 0) {
            if (told + 2 > count || node.yes >= count || node.no >= count || node.yes < 0 ||
                node.no < 0) {
                status = memx_invalid(error, "XGBoost's trees cannot be read");
                break;
            }
            bool missing_yes = node.missing == node.yes;
            queue[told] = node.yes;
            queue[told + 1] = node.no;
            node.yes = told++;
            node.no = told++;
            node.missing = missing_yes ? node.yes : node.no;
        }
        status = memx_forest_node(forest, &node, error);
    }
    free(queue);
    free(nodes);
    return status;
}

static memx_status read_trees(BoosterHandle booster, const memx_boost_rows *rows, memx_forest *out,
                              memx_error *error) {
    bst_ulong count = 0;
    const char **dumps = NULL;
    memx_status status = MEMX_OK;
    if (XGBoosterDumpModelEx(booster, "", 0, "text", &count, &dumps) != 0) {
        return library_failed(error);
    }
    /* Round by round, in each a tree for every output. */
    for (bst_ulong i = 0; i < count && !status; i++) {
        status = add_tree(&out[i % (bst_ulong)rows->outputs], dumps[i], error);
    }
    for (int32_t i = 0; i < rows->outputs && !status; i++) {
        status = memx_forest_check(&out[i], error);
    }
    return status;
}

memx_status memx_boost_train(const memx_boost_rows *rows, const memx_boost_options *options,
                             const memx_poll *poll, memx_forest *out, memx_error *error) {
    DMatrixHandle matrix = NULL;
    BoosterHandle booster = NULL;
    for (int32_t i = 0; i < rows->outputs; i++) memx_forest_start(&out[i], rows->feature_count);
    memx_status status = check(rows, options, error);
    if (status) return status;
    XGBSetGlobalConfig("{\"verbosity\":0}"); /* of this thread: else warnings go to stderr */
    status = make_matrix(rows, &matrix, error);
    if (!status) status = make_booster(matrix, options, &booster, error);
    memx_loop loop = {"rounds of trees", NULL, 0, options->rounds};
    memx_loop_begin(&loop, poll);
    for (int32_t round = 0; round < options->rounds && !status; round++) {
        if (memx_poll_stop(poll)) {
            status = MEMX_INTERRUPTED;
        } else if (XGBoosterUpdateOneIter(booster, round, matrix) != 0) {
            status = library_failed(error);
        } else {
            loop.done++;
        }
    }
    memx_loop_end(&loop, poll);
    if (!status) status = read_trees(booster, rows, out, error);
    if (booster) XGBoosterFree(booster);
    if (matrix) XGDMatrixFree(matrix);
    for (int32_t i = 0; i < rows->outputs && status; i++) memx_forest_free(&out[i]);
    return status;
}
