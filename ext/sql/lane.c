#include "sql/lane.h"

#include "core/hash.h"

#include <math.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

enum { POLL_ROWS = 4096 };

static void stages_of_choice(const memx_row *row, memx_stage_choice *out) {
    memx_choices_stages(row->source, out);
}

static void load_row(memx_lane *lane) {
    memx_row *row = &lane->row;
    const memx_choices *choices =
        lane->ranked ? memx_ranked_choices(lane->ranked) : lane->scan.choices;
    const memx_skeleton *skeleton =
        lane->ranked ? memx_ranked_skeleton(lane->ranked) : lane->scan.skeleton;
    row->plan = memx_choices_plan(choices);
    row->placement = &skeleton->placement;
    row->options = memx_choices_options(choices);
    row->source = choices;
    row->measured = false;
}

/* ---- opening ---- */

/* Counts what a stream will give, where somebody looks how far it is. */
static memx_status start_loop(memx_lane *lane, memx_error *error) {
    if (!lane->row.poll->progress) return MEMX_OK;
    lane->loop = (memx_loop){"rows of job", lane->study->row.job.name, 0, 0};
    memx_status status = lane->query->shards < 2
                             ? memx_search_count(&lane->study->search, &lane->extent.bounds,
                                                 lane->row.poll, &lane->rows, error)
                             : MEMX_OK;
    if (!status) lane->loop.total = memx_count_int64(lane->rows);
    memx_loop_begin(&lane->loop, lane->row.poll);
    return status;
}

/* Refuses a scan that SQLite could hardly mean, before its first row. */
static memx_status check_size(memx_lane *lane, memx_error *error) {
    const memx_lane_query *query = lane->query;
    const memx_space *space = &lane->study->space;
    bool exceeds = memx_count_compare(lane->rows, memx_count_of((uint64_t)query->max_rows)) > 0;
    char digits[MEMX_COUNT_TEXT];
    memx_status status =
        query->shards < 2
            ? memx_search_exceeds(&lane->study->search, &query->bounds, query->max_rows,
                                  lane->row.poll, &exceeds, &lane->rows, error)
            : MEMX_OK;
    if (status || !exceeds) return status;
    memx_count_text(lane->rows, digits);
    return memx_invalid(error,
                        "job '%s', space '%s' (layer_split %s, recompute_scope %s): %s "
                        "configurations%s, more than max_rows %lld; order by phi, iteration_ms, "
                        "slowdown, peak_mib or memory_variance with a LIMIT, bound tp, pp, dp or "
                        "micro_batch, or write max_rows = N",
                        lane->study->row.job.name, space->name, memx_split_name(space->layer_split),
                        memx_scope_name(space->recompute_scope), digits,
                        query->shards < 2 ? "" : " in this shard", (long long)query->max_rows);
}

static bool bounded(const memx_interval *interval) {
    return interval->least > -INFINITY || interval->most < INFINITY;
}

static memx_status start_ranking(memx_lane *lane, memx_error *error) {
    const memx_lane_query *query = lane->query;
    memx_aim aim = memx_aim_at(query->by);
    aim.limits = query->limits;
    aim.weights = lane->row.weights;
    bool phi = query->by == MEMX_BY_PHI || bounded(&query->limits.phi);
    if (phi || query->by == MEMX_BY_SLOWDOWN || bounded(&query->limits.slowdown)) {
        const memx_reference *reference = NULL;
        memx_status status = memx_row_refer(&lane->row, lane->own, &reference, error);
        if (status) return status;
        aim.reference_phi = lane->row.reference_phi;
        aim.fastest_ns = reference->fastest_ns;
    }
    return memx_ranked_open(&lane->study->search, &lane->extent, &aim, query->wanted,
                            lane->row.poll, &lane->ranked);
}

static memx_status find_config(memx_lane *lane, memx_error *error) {
    memx_config config;
    const memx_job *job = &lane->study->row.job;
    memx_status status = memx_config_parse(job, lane->query->config, &config, error);
    if (status) return status == MEMX_INVALID ? MEMX_DONE : status; /* equal to no row's text */
    /* Only the canonical text equals the column. */
    memx_text text = {0};
    memx_config_format(job, &config, &text);
    status = text.failed                                   ? MEMX_NOMEM
             : strcmp(text.data, lane->query->config) != 0 ? MEMX_DONE
                                                           : MEMX_OK;
    memx_text_free(&text);
    if (!status) status = memx_scan_find(&lane->scan, &config, error);
    memx_config_free(&config);
    return status;
}

static memx_status read_job(memx_session *session, const char *job, memx_lane *lane,
                            memx_error *error) {
    const memx_lane_query *query = lane->query;
    const memx_poll *poll = lane->row.poll;
    memx_status status =
        memx_session_study(session, job, query->space, true, poll, &lane->study, error);
    if (status) return status;
    lane->row.study = lane->study;
    lane->row.predictor = lane->study->pricer.name;
    if (lane->study->own_space) {
        lane->own = memx_study_retain(lane->study);
    } else {
        status = memx_session_study(session, job, NULL, true, poll, &lane->own, error);
    }
    lane->row.weights = query->weights;
    if (status || query->weighted) return status;
    return memx_session_weights(session, lane->study, poll, &lane->row.weights, error);
}

/* The part of the space that the query looks at. Shards of different jobs are turned against each other by
** the job's name, or those of many small jobs would all lie in the same few. */
static memx_status find_extent(memx_lane *lane, memx_error *error) {
    const memx_lane_query *query = lane->query;
    const char *name = lane->study->row.job.name;
    if (query->shards < 2) {
        memx_extent_start(&lane->extent);
        lane->extent.bounds = query->bounds;
        return MEMX_OK;
    }
    uint64_t shards = (uint64_t)query->shards;
    uint64_t turn = memx_hash(name, strlen(name)) % shards;
    uint64_t share = ((uint64_t)query->shard + turn) % shards;
    return memx_search_share(&lane->study->search, &query->bounds, (int64_t)share, query->shards,
                             lane->row.poll, &lane->extent, &lane->rows, error);
}

memx_status memx_lane_open(memx_session *session, const char *job, const memx_lane_query *query,
                           const memx_poll *poll, memx_lane *out, memx_error *error) {
    *out = (memx_lane){.query = query, .row = {.poll = poll, .stages = stages_of_choice}};
    memx_status status = read_job(session, job, out, error);
    if (!status) status = find_extent(out, error);
    if (!status) memx_scan_start(&out->study->search, &out->extent, poll, &out->scan);
    return status;
}

memx_status memx_lane_first(memx_lane *lane, memx_error *error) {
    memx_status status;
    if (lane->query->config && !lane->query->pareto) {
        status = find_config(lane, error);
        if (status) return status;
        load_row(lane);
        return MEMX_OK;
    }
    if (lane->query->pareto) {
        status = memx_ranked_open_front(&lane->study->search, &lane->extent, lane->row.poll,
                                        &lane->ranked, error);
    } else {
        status = lane->query->ranked ? start_ranking(lane, error) : check_size(lane, error);
        if (!status && !lane->query->ranked) status = start_loop(lane, error);
    }
    return status ? status : memx_lane_next(lane, error);
}

memx_status memx_lane_next(memx_lane *lane, memx_error *error) {
    memx_status status =
        lane->ranked ? memx_ranked_next(lane->ranked, error) : memx_scan_next(&lane->scan, error);
    if (status) return status;
    load_row(lane);
    lane->loop.done++;
    /* Between rows SQLite notices interrupts by itself; only who looks how far it is needs polls. */
    if (lane->loop.done % POLL_ROWS == 0 && lane->row.poll->progress &&
        memx_poll_stop(lane->row.poll)) {
        return MEMX_INTERRUPTED;
    }
    return MEMX_OK;
}

void memx_lane_close(memx_lane *lane) {
    memx_loop_end(&lane->loop, lane->row.poll);
    memx_ranked_close(lane->ranked);
    memx_scan_stop(&lane->scan);
    memx_study_release(lane->study);
    memx_study_release(lane->own);
    *lane = (memx_lane){.query = NULL};
}
