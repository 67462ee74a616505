#include "sql/measurements.h"

#include "core/priced.h"
#include "sql/catalog.h"
#include "sql/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* A measurement this many times away from the analytic model is a slip: a wrong unit, a wrong row. */
static const double ABSURD = 20.0;
enum { MOST_NAMED = 20 };

const char *memx_metric_name(memx_metric metric) {
    static const char *const names[] = {"reserved_mib", "allocated_mib", "total_mib"};
    return names[metric];
}

/* ---- what samples point to ---- */

/* A row of the catalog, read once. */
typedef struct named {
    char name[MEMX_NAME_SIZE];
    union {
        memx_device device;
        memx_framework framework;
        memx_model model;
        memx_job_row job;
    } of;
    memx_status status;
    memx_error error;
    struct named *next;
} named;

typedef enum kind { DEVICE, FRAMEWORK, MODEL, JOB, KINDS } kind;

typedef struct kept {
    named *first[KINDS];
} kept;

typedef struct reading {
    memx_reader *reader;
    const memx_poll *poll;
    memx_loop loop;
    memx_measurements *out;
    kept *kept;
    memx_profile_row *rows;
    size_t row_count, row_capacity;
} reading;

static void kept_free(kept *k) {
    for (int i = 0; k && i < KINDS; i++) {
        for (named *n = k->first[i], *next; n; n = next) {
            next = n->next;
            if (i == JOB) memx_catalog_job_free(&n->of.job);
            free(n);
        }
    }
    free(k);
}

static memx_status read_named(reading *r, kind k, named *n) {
    memx_text *key = &r->out->key;
    switch (k) {
    case DEVICE: return memx_catalog_device(r->reader, n->name, &n->of.device, key, &n->error);
    case FRAMEWORK:
        return memx_catalog_framework(r->reader, n->name, &n->of.framework, key, &n->error);
    case MODEL: return memx_catalog_model(r->reader, n->name, &n->of.model, key, &n->error);
    case JOB:
    case KINDS: break;
    }
    return memx_catalog_job(r->reader, n->name, true, &n->of.job, key, &n->error);
}

/* The row of that name. MEMX_INVALID where there is none, each time. */
static memx_status look_up(reading *r, kind k, const char *name, named **out, memx_error *error) {
    named *n = r->kept->first[k];
    while (n && strcmp(n->name, name) != 0) n = n->next;
    if (!n) {
        n = calloc(1, sizeof *n);
        if (!n) return MEMX_NOMEM;
        memcpy(n->name, name, strlen(name) + 1);
        n->next = r->kept->first[k];
        r->kept->first[k] = n;
        n->status = read_named(r, k, n);
    }
    if (n->status) *error = n->error;
    *out = n;
    return n->status;
}

/* ---- what is left out ---- */

static void leave_out(reading *r, const char *table, int64_t id, const char *why) {
    memx_text *out = &r->out->why;
    if (r->out->left_out == 0) {
        snprintf(r->out->first_why, sizeof r->out->first_why, "%s %lld: %s", table, (long long)id,
                 why);
    }
    if (r->out->left_out++ >= MOST_NAMED) return;
    memx_text_printf(out, "%s{\"table\":\"%s\",\"id\":%lld,\"why\":\"", out->length > 0 ? "," : "",
                     table, (long long)id);
    memx_text_json(out, why);
    memx_text_printf(out, "\"}");
}

static bool plausible(double found, double prior) {
    return isnan(found) || (found > prior / ABSURD && found < prior * ABSURD);
}

static memx_status check_time(double ms, double expected, memx_error *error) {
    if (plausible(ms, expected)) return MEMX_OK;
    return memx_invalid(error,
                        "%g ms is no plausible time, about %g is expected, %g times %s at most", ms,
                        expected, ABSURD, ms > expected ? "that" : "less");
}

static memx_status check_sample(const memx_sample *s, memx_error *error) {
    memx_stage_price prior;
    memx_stage_price_all(s->device, s->framework, &s->spec, &s->choice, 1, &prior);
    memx_status status = check_time(s->time_ms, memx_price_ms(&prior), error);
    if (status || plausible(s->held_mib, memx_held_mib(&prior))) return status;
    double expected = memx_held_mib(&prior);
    return memx_invalid(error,
                        "%g MiB is no plausible peak, about %g is expected, %g times %s at most",
                        s->held_mib, expected, ABSURD, s->held_mib > expected ? "that" : "less");
}

static memx_status add_sample(memx_measurements *out, const memx_sample *sample) {
    if (out->rows.count == out->sample_capacity) {
        size_t capacity = out->sample_capacity ? 2 * out->sample_capacity : 256;
        memx_sample *samples = realloc(out->samples, capacity * sizeof *samples);
        if (!samples) return MEMX_NOMEM;
        out->samples = samples;
        out->sample_capacity = capacity;
    }
    out->samples[out->rows.count++] = *sample;
    return MEMX_OK;
}

/* ---- memx_profile ---- */

#define CONFIGURATION                                                                              \
    {"device", MEMX_F_NAME, offsetof(memx_profile_row, device)},                                   \
        {"model", MEMX_F_NAME, offsetof(memx_profile_row, model)},                                 \
        {"framework", MEMX_F_NAME, offsetof(memx_profile_row, framework)},                         \
        {"layers", MEMX_F_COUNT, offsetof(memx_profile_row, layers)},                              \
        {"first_stage", MEMX_F_FLAG, offsetof(memx_profile_row, first)},                           \
        {"last_stage", MEMX_F_FLAG, offsetof(memx_profile_row, last)},                             \
        {"tp", MEMX_F_COUNT, offsetof(memx_profile_row, tp)},                                      \
        {"dp", MEMX_F_COUNT, offsetof(memx_profile_row, dp)},                                      \
        {"micro_batch", MEMX_F_COUNT, offsetof(memx_profile_row, micro_batch)},                    \
        {"seq_length", MEMX_F_COUNT, offsetof(memx_profile_row, seq_length)},                      \
        {"coalesce(heads, 0) AS heads", MEMX_F_COUNT, offsetof(memx_profile_row, heads)},          \
        {"coalesce(kv_groups, 0) AS kv_groups", MEMX_F_COUNT,                                      \
         offsetof(memx_profile_row, kv_groups)},                                                   \
        {"recompute", MEMX_F_NAME, offsetof(memx_profile_row, recompute)},                         \
        {"in_flight", MEMX_F_COUNT, offsetof(memx_profile_row, in_flight)},                        \
        {"sequence_parallel", MEMX_F_FLAG, offsetof(memx_profile_row, sequence_parallel)},         \
        {"distributed_optimizer", MEMX_F_COUNT,                                                    \
         offsetof(memx_profile_row, distributed_optimizer)},                                       \
        {"time_ms", MEMX_F_NUMBER_OR_NULL, offsetof(memx_profile_row, time_ms)},                   \
        {"allocated_mib", MEMX_F_NUMBER_OR_NULL, offsetof(memx_profile_row, allocated_mib)}, {     \
        "reserved_mib", MEMX_F_NUMBER_OR_NULL, offsetof(memx_profile_row, reserved_mib)            \
    }

static const memx_field profile_fields[] = {{"id", MEMX_F_COUNT, offsetof(memx_profile_row, id)},
                                            CONFIGURATION};
#define PROFILE_DEVICE MEMX_SQL_DEVICE("p.device")
/* Of a cluster's devices, by whatever name. */
static const memx_query profile_query = MEMX_QUERY(
    "memx_profile",
    "memx_profile AS p WHERE ?1 = '' OR " PROFILE_DEVICE " IN (SELECT " MEMX_SQL_NODE_DEVICE
    " FROM memx_node AS n WHERE n.cluster = ?1) ORDER BY id",
    profile_fields);

static const memx_field augmented_fields[] = {
    {"rowid AS id", MEMX_F_COUNT, offsetof(memx_profile_row, id)},
    CONFIGURATION,
    {"weight", MEMX_F_NUMBER, offsetof(memx_profile_row, weight)}};
static const memx_query augmented_query =
    MEMX_QUERY("memx_augmented", "memx_augmented WHERE ?1 = ?1", augmented_fields);

static memx_status add_row(void *context, const void *row, memx_error *error) {
    reading *r = context;
    (void)error;
    if (r->row_count == r->row_capacity) {
        size_t capacity = r->row_capacity ? 2 * r->row_capacity : 256;
        memx_profile_row *rows = realloc(r->rows, capacity * sizeof *rows);
        if (!rows) return MEMX_NOMEM;
        r->rows = rows;
        r->row_capacity = capacity;
    }
    r->rows[r->row_count++] = *(const memx_profile_row *)row;
    r->loop.done = (int64_t)r->row_count;
    return r->row_count % 1024 == 0 && memx_poll_stop(r->poll) ? MEMX_INTERRUPTED : MEMX_OK;
}

/* total_mib is nothing that a profile has. */
static double held_mib(memx_metric metric, const memx_profile_row *row) {
    return metric == MEMX_RESERVED    ? row->reserved_mib
           : metric == MEMX_ALLOCATED ? row->allocated_mib
                                      : NAN;
}

/* MEMX_INVALID with the reason where a row cannot be learned from. */
static memx_status make_sample(reading *r, const memx_profile_row *row, memx_sample *out,
                               memx_error *error) {
    named *device = NULL, *framework = NULL, *model = NULL;
    *out = (memx_sample){.time_ms = row->time_ms,
                         .held_mib = held_mib(r->out->rows.metric, row),
                         .context_mib = NAN,
                         .weight = row->weight,
                         .source = row->id};
    memx_status status = look_up(r, DEVICE, row->device, &device, error);
    if (!status) status = look_up(r, FRAMEWORK, row->framework, &framework, error);
    if (!status) status = look_up(r, MODEL, row->model, &model, error);
    if (!status)
        status = memx_profile_stage(row, &model->of.model, &out->spec, &out->choice, error);
    if (status) return status;
    out->device = &device->of.device;
    out->framework = &framework->of.framework;
    out->spec.link_gbs = device->of.device.link_gbs;
    if (isnan(out->time_ms) && isnan(out->held_mib)) {
        return memx_invalid(error, "neither time_ms nor %s was measured",
                            memx_metric_name(r->out->rows.metric));
    }
    return check_sample(out, error);
}

static memx_status add_profile(reading *r, const char *table, bool interpolated, int64_t *used,
                               memx_error *error) {
    for (size_t i = 0; i < r->row_count; i++) {
        memx_error why = {.text = ""};
        memx_sample sample;
        if (i % 256 == 0 && memx_poll_stop(r->poll)) return MEMX_INTERRUPTED;
        memx_status status = make_sample(r, &r->rows[i], &sample, &why);
        if (status == MEMX_INVALID) {
            leave_out(r, table, r->rows[i].id, why.text);
            continue;
        }
        sample.interpolated = interpolated;
        if (!status) status = add_sample(r->out, &sample);
        if (status) {
            *error = why;
            return status;
        }
        ++*used;
    }
    return MEMX_OK;
}

/* ---- memx_run ---- */

/* Which peak there is, of runs and profiles: reserved, total, allocated. */
typedef struct metric_row {
    bool reserved, total;
} metric_row;

static const memx_field metric_fields[] = {
    {"EXISTS (SELECT 1 FROM memx_profile WHERE reserved_mib IS NOT NULL UNION ALL SELECT 1 FROM "
     "memx_run_gpu WHERE reserved_mib IS NOT NULL) AS reserved_mib",
     MEMX_F_FLAG, offsetof(metric_row, reserved)},
    {"EXISTS (SELECT 1 FROM memx_run WHERE total_mib IS NOT NULL UNION ALL SELECT 1 FROM "
     "memx_run_gpu WHERE total_mib IS NOT NULL) AS total_mib",
     MEMX_F_FLAG, offsetof(metric_row, total)},
};
static const memx_query metric_query =
    MEMX_QUERY("memx_run_gpu", "(SELECT 1) WHERE ?1 = ?1", metric_fields);

typedef struct gpu_row {
    int64_t rank;
    double allocated_mib, reserved_mib, total_mib;
} gpu_row;

static const memx_field gpu_fields[] = {
    {"rank", MEMX_F_COUNT, offsetof(gpu_row, rank)},
    {"allocated_mib", MEMX_F_NUMBER_OR_NULL, offsetof(gpu_row, allocated_mib)},
    {"reserved_mib", MEMX_F_NUMBER_OR_NULL, offsetof(gpu_row, reserved_mib)},
    {"total_mib", MEMX_F_NUMBER_OR_NULL, offsetof(gpu_row, total_mib)},
};
static const memx_query gpu_query = MEMX_QUERY(
    "memx_run_gpu", "memx_run_gpu WHERE run = CAST(?1 AS INTEGER) ORDER BY rank", gpu_fields);

/* The GPUs of one stage on one kind of device, summed up. */
typedef struct held_gpus {
    double held_mib, context_mib;
    int64_t held, contexts;
} held_gpus;

typedef struct run_gpus {
    const reading *reading;
    const memx_priced *priced;
    held_gpus *gpus; /* stage after stage, share after share */
    size_t *first;   /* of each stage */
} run_gpus;

static double gpu_held_mib(memx_metric metric, const gpu_row *row, const memx_device *device) {
    if (metric == MEMX_RESERVED) return row->reserved_mib;
    if (metric == MEMX_ALLOCATED) return row->allocated_mib;
    return row->total_mib - device->context_mib;
}

static memx_status add_gpu(void *context, const void *row, memx_error *error) {
    run_gpus *g = context;
    const gpu_row *gpu = row;
    const memx_plan *plan = &g->priced->plan;
    const memx_placement *placement = &g->priced->config.placement;
    int64_t stage_gpus = memx_knobs_stage_gpus(plan->knobs);
    if (gpu->rank < 0 || gpu->rank >= stage_gpus * plan->stage_count) {
        return memx_invalid(error, "it has no rank %lld", (long long)gpu->rank);
    }
    int32_t stage = (int32_t)(gpu->rank / stage_gpus), run = placement->first[stage];
    for (int64_t left = gpu->rank % stage_gpus; left >= placement->runs[run].gpus; run++) {
        left -= placement->runs[run].gpus;
    }
    const memx_node *node = &plan->job->nodes[placement->runs[run].node];
    const memx_shape *shape = &plan->shapes[stage];
    int32_t share = memx_shape_share(plan->job, shape, node);
    held_gpus *h = &g->gpus[g->first[stage] + (size_t)share];
    double held =
        gpu_held_mib(g->reading->out->rows.metric, gpu, &plan->job->devices[node->device]);
    double over = gpu->total_mib - gpu->reserved_mib;
    if (held > 0.0) {
        h->held_mib += held;
        h->held++;
    }
    if (over > 0.0) {
        h->context_mib += over;
        h->contexts++;
    }
    return MEMX_OK;
}

/* One share of a stage as a sample without time. */
static memx_sample stage_sample(const memx_priced *priced, int32_t stage, int32_t share,
                                int64_t source) {
    const memx_plan *plan = &priced->plan;
    const memx_share *s = &plan->shapes[stage].shares[share];
    memx_sample sample = {.device = &plan->job->devices[s->device],
                          .framework = &plan->job->framework,
                          .spec = plan->shapes[stage].spec,
                          .choice = priced->config.stages[stage],
                          .time_ms = NAN,
                          .held_mib = NAN,
                          .context_mib = NAN,
                          .weight = 1.0,
                          .source = source};
    sample.spec.link_gbs = s->link_gbs;
    sample.spec.host_gbs = s->host_gbs;
    return sample;
}

/* Adds the memory that was measured of its GPUs: the mean over each kind of them in each stage. */
static memx_status add_gpus(reading *r, int64_t id, const memx_priced *priced, int64_t *added,
                            memx_error *error) {
    const memx_plan *plan = &priced->plan;
    const gpu_row blank = {.allocated_mib = NAN, .reserved_mib = NAN, .total_mib = NAN};
    gpu_row buffer;
    char text[32];
    size_t shares = 0;
    run_gpus g = {r, priced, NULL, calloc((size_t)plan->stage_count, sizeof *g.first)};
    memx_status status = g.first ? MEMX_OK : MEMX_NOMEM;
    for (int32_t s = 0; s < plan->stage_count && !status; s++) {
        g.first[s] = shares;
        shares += (size_t)plan->shapes[s].share_count;
    }
    if (!status) g.gpus = calloc(shares, sizeof *g.gpus);
    if (!status && !g.gpus) status = MEMX_NOMEM;
    snprintf(text, sizeof text, "%lld", (long long)id);
    if (!status) {
        status = memx_reader_each(r->reader, &gpu_query, text, &blank, &buffer, sizeof buffer,
                                  add_gpu, &g, &r->out->key, error);
    }
    for (int32_t s = 0; s < plan->stage_count && !status; s++) {
        for (int32_t i = 0; i < plan->shapes[s].share_count && !status; i++) {
            const held_gpus *h = &g.gpus[g.first[s] + (size_t)i];
            memx_sample sample = stage_sample(priced, s, i, -id);
            if (h->held == 0) continue;
            sample.held_mib = h->held_mib / (double)h->held;
            if (h->contexts > 0) sample.context_mib = h->context_mib / (double)h->contexts;
            status = check_sample(&sample, error);
            if (!status) status = add_sample(r->out, &sample);
            ++*added;
        }
    }
    free(g.gpus);
    free(g.first);
    return status;
}

/* total_mib of a run is its fullest GPU's: of the stage that is predicted so. */
static memx_status add_fullest(reading *r, int64_t id, double total_mib, const memx_priced *priced,
                               int64_t *added, memx_error *error) {
    memx_sample fullest = {.held_mib = NAN};
    int64_t most = -1;
    if (r->out->rows.metric != MEMX_TOTAL || isnan(total_mib) || *added > 0) return MEMX_OK;
    for (int32_t s = 0; s < priced->plan.stage_count; s++) {
        for (int32_t i = 0; i < priced->plan.shapes[s].share_count; i++) {
            memx_sample sample = stage_sample(priced, s, i, -id);
            memx_stage_price price;
            memx_stage_price_all(sample.device, sample.framework, &sample.spec, &sample.choice, 1,
                                 &price);
            if (memx_stage_peak_kib(&price.memory) <= most) continue;
            most = memx_stage_peak_kib(&price.memory);
            fullest = sample;
        }
    }
    if (!fullest.device) return MEMX_OK;
    fullest.held_mib = total_mib - fullest.device->context_mib;
    if (!(fullest.held_mib > 0.0)) {
        return memx_invalid(error, "total_mib %g is less than the context takes", total_mib);
    }
    memx_status status = check_sample(&fullest, error);
    ++*added;
    return status ? status : add_sample(r->out, &fullest);
}

/* A row of memx_run; its texts are owned. */
typedef struct run_row {
    int64_t id, oom;
    char *job, *config; /* NULL where they are none */
    double iteration_ms, total_mib;
} run_row;

typedef struct run_list {
    run_row *rows;
    size_t count, capacity;
} run_list;

static void run_list_free(run_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->rows[i].job);
        free(list->rows[i].config);
    }
    free(list->rows);
}

/* Takes the row's config. */
static memx_status add_run(reading *r, run_row *row, memx_error *error) {
    memx_measurements *out = r->out;
    named *job = NULL;
    memx_priced priced;
    memx_measures measures;
    size_t samples = out->rows.count;
    int64_t memory = 0;
    if (row->oom) return memx_invalid(error, "ran out of memory");
    if (!row->job) return memx_invalid(error, "it names no job");
    if (!row->config) return memx_invalid(error, "it has no config");
    if (strlen(row->job) >= MEMX_NAME_SIZE) return memx_invalid(error, "job '%.64s'", row->job);
    memx_status status = look_up(r, JOB, row->job, &job, error);
    if (status) return status;
    status = memx_priced_open(&job->of.job.job, row->config, &memx_analytic_pricer, &priced, error);
    if (status) return status;
    memx_plan_measure(&priced.plan, priced.pointers, &measures);
    status = check_time(row->iteration_ms, memx_ms(measures.iteration_ns), error);
    if (!status) status = add_gpus(r, row->id, &priced, &memory, error);
    if (!status) status = add_fullest(r, row->id, row->total_mib, &priced, &memory, error);
    if (!status && isnan(row->iteration_ms) && memory == 0) {
        status = memx_invalid(error, "neither iteration_ms nor %s was measured",
                              memx_metric_name(out->rows.metric));
    }
    if (!status && out->rows.run_count == out->run_capacity) {
        size_t capacity = out->run_capacity ? 2 * out->run_capacity : 64;
        memx_run_sample *runs = realloc(out->runs, capacity * sizeof *runs);
        if (!runs) status = MEMX_NOMEM;
        if (runs) {
            out->runs = runs;
            out->run_capacity = capacity;
        }
    }
    if (!status) {
        out->runs[out->rows.run_count++] = (memx_run_sample){
            &job->of.job.job, row->config, priced.config.knobs, row->iteration_ms, -row->id};
        row->config = NULL;
    } else {
        out->rows.count = samples; /* all of a run or nothing */
    }
    memx_priced_close(&priced);
    return status;
}

static double number(sqlite3_stmt *statement, int column) {
    double x = sqlite3_column_double(statement, column);
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? NAN : x; /* of text 0: absurd */
}

/* malloc'd; NULL of NULL or where memory ended. */
static char *text(sqlite3_stmt *statement, int column, bool *failed) {
    const char *found = (const char *)sqlite3_column_text(statement, column);
    if (!found) return NULL;
    size_t size = strlen(found) + 1;
    char *copy = malloc(size);
    if (copy) memcpy(copy, found, size);
    *failed = *failed || !copy;
    return copy;
}

static memx_status list_run(sqlite3_stmt *statement, run_list *list) {
    bool failed = false;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        run_row *rows = realloc(list->rows, capacity * sizeof *rows);
        if (!rows) return MEMX_NOMEM;
        list->rows = rows;
        list->capacity = capacity;
    }
    list->rows[list->count++] = (run_row){sqlite3_column_int64(statement, 0),
                                          sqlite3_column_int64(statement, 1),
                                          text(statement, 2, &failed),
                                          text(statement, 3, &failed),
                                          number(statement, 4),
                                          number(statement, 5)};
    return failed ? MEMX_NOMEM : MEMX_OK;
}

/* All of them first: what a run refers to is read after that, not inside of this. */
static memx_status list_runs(reading *r, const char *cluster, run_list *list, memx_error *error) {
    static const char sql[] =
        "SELECT id, oom, job, config, iteration_ms, total_mib FROM memx_run AS r WHERE ?1 = '' OR "
        "EXISTS (SELECT 1 FROM memx_job AS j WHERE j.job = r.job AND j.cluster = ?1) ORDER BY id";
    sqlite3_stmt *statement = NULL;
    memx_status status = memx_reader_enter(r->reader, "memx_run", error);
    if (status) return status;
    int rc = sqlite3_prepare_v2(r->reader->db, sql, -1, &statement, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_bind_text(statement, 1, cluster, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK) {
        while (!status && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
            status = list_run(statement, list);
        }
    }
    if (!status && rc != SQLITE_DONE) status = memx_sql_failed(r->reader->db, rc, error);
    sqlite3_finalize(statement);
    memx_reader_leave(r->reader);
    return status;
}

static memx_status read_runs(reading *r, const char *cluster, memx_error *error) {
    run_list list = {NULL, 0, 0};
    memx_status status = list_runs(r, cluster, &list, error);
    for (size_t i = 0; i < list.count && !status; i++) {
        run_row *row = &list.rows[i];
        memx_error why = {.text = ""};
        memx_text_printf(&r->out->key, "%lld/%lld/%s/%s/%a/%a/", (long long)row->id,
                         (long long)row->oom, row->job ? row->job : "",
                         row->config ? row->config : "", row->iteration_ms, row->total_mib);
        r->loop.done = (int64_t)i;
        if (memx_poll_stop(r->poll)) status = MEMX_INTERRUPTED;
        if (!status) status = add_run(r, row, &why);
        if (status == MEMX_INVALID) {
            leave_out(r, "memx_run", row->id, why.text);
            status = MEMX_OK;
        } else if (status) {
            *error = why;
        } else {
            r->out->run_rows++;
        }
    }
    run_list_free(&list);
    return status;
}

/* ---- all of it ---- */

static memx_status read_metric(reading *r, int metric, memx_error *error) {
    metric_row row = {false, false};
    if (metric != MEMX_METRIC_AUTO) {
        r->out->rows.metric = (memx_metric)metric;
        return MEMX_OK;
    }
    memx_status status = memx_reader_one(r->reader, &metric_query, "", &row, &r->out->key, error);
    r->out->rows.metric = row.reserved ? MEMX_RESERVED : row.total ? MEMX_TOTAL : MEMX_ALLOCATED;
    return status;
}

static void tell(reading *r, const char *what) {
    memx_loop_end(&r->loop, r->poll);
    r->loop = (memx_loop){.what = what};
    r->row_count = 0;
    memx_loop_begin(&r->loop, r->poll);
}

/* SQLite sets neighbours beside each other for seconds, in which nothing polls, before there is a row. */
static memx_status read_augmented(reading *r, const memx_profile_row *blank, memx_error *error) {
    enum { MANY_ROWS = 2000 };
    memx_profile_row buffer;
    bool many = r->row_count > MANY_ROWS;
    tell(r, "rows of memx_augmented read");
    if (many && r->poll && r->poll->progress) r->poll->progress->silent = 1;
    memx_status status = memx_poll_stop(r->poll) ? MEMX_INTERRUPTED : MEMX_OK;
    if (status) return status;
    status = memx_reader_each(r->reader, &augmented_query, "", blank, &buffer, sizeof buffer,
                              add_row, r, &r->out->key, error);
    if (status) return status;
    return add_profile(r, "memx_augmented", true, &r->out->augmented_rows, error);
}

memx_status memx_measurements_read(memx_reader *reader, const char *cluster, int metric,
                                   bool augmented, const memx_poll *poll, memx_measurements *out,
                                   memx_error *error) {
    const memx_profile_row blank = {
        .time_ms = NAN, .allocated_mib = NAN, .reserved_mib = NAN, .weight = 1.0};
    memx_profile_row buffer;
    *out = (memx_measurements){.left_out = 0};
    reading r = {.reader = reader, .poll = poll, .out = out, .kept = calloc(1, sizeof *r.kept)};
    out->kept = r.kept;
    if (!r.kept) return MEMX_NOMEM;
    const char *of = cluster ? cluster : "";
    memx_status status = read_metric(&r, metric, error);
    tell(&r, "rows of memx_profile read");
    if (!status) {
        status = memx_reader_each(reader, &profile_query, of, &blank, &buffer, sizeof buffer,
                                  add_row, &r, &out->key, error);
    }
    if (!status) status = add_profile(&r, "memx_profile", false, &out->profile_rows, error);
    if (!status && augmented) status = read_augmented(&r, &blank, error);
    tell(&r, "runs read");
    if (!status) status = read_runs(&r, of, error);
    memx_loop_end(&r.loop, poll);
    free(r.rows);
    out->rows.samples = out->samples;
    out->rows.runs = out->runs;
    if (!status && (out->why.failed || out->key.failed)) status = MEMX_NOMEM;
    return status;
}

void memx_measurements_free(memx_measurements *m) {
    for (size_t i = 0; i < m->rows.run_count; i++) free(m->runs[i].config);
    free(m->samples);
    free(m->runs);
    memx_text_free(&m->why);
    memx_text_free(&m->key);
    kept_free(m->kept);
    *m = (memx_measurements){.left_out = 0};
}
