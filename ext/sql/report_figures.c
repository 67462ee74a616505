/*
** The parts of memx_report that have a picture or a table of their own. Every picture has its numbers in a
** table beside it.
*/
#include "sql/report.h"

#include "core/cards.h"
#include "core/gantt.h"
#include "core/scatter.h"
#include "core/whole.h"
#include "core/words.h"
#include "schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

enum { MOST_CARDS = 64 };
#define SWATCH "M0 0H14V14H0Z"

/* ---- memory ---- */

static void add_ranks(memx_report *r, const memx_card *card) {
    const memx_config *config = &r->priced.config;
    const memx_job *job = &r->study->row.job;
    int64_t rank = card->stage * memx_knobs_stage_gpus(&config->knobs);
    bool first = true;
    memx_report_put(r, "<td class=\"name\">");
    for (int32_t run = config->placement.first[card->stage];
         run < config->placement.first[card->stage + 1]; run++) {
        int32_t gpus = config->placement.runs[run].gpus;
        if (job->nodes[config->placement.runs[run].node].device == card->device) {
            memx_text_printf(&r->page, gpus > 1 ? "%s%lld\342\200\223%lld" : "%s%lld",
                             first ? "" : ", ", (long long)rank, (long long)(rank + gpus - 1));
            first = false;
        }
        rank += gpus;
    }
    memx_report_put(r, "</td>");
}

static void add_card_row(memx_report *r, const memx_card *card) {
    const memx_stage_choice *choice = &r->priced.config.stages[card->stage];
    char level[MEMX_LEVEL_TEXT], gib[MEMX_WORDS];
    memx_level_format(choice->level, level);
    memx_report_put(r, "<tr>");
    memx_report_head(r, "%d", (int)card->stage);
    add_ranks(r, card);
    memx_report_put(r, "<td class=\"name\">");
    memx_report_text(r, r->study->row.job.devices[card->device].name);
    memx_report_put(r, "</td>");
    memx_report_cell(r, "%lld", (long long)memx_knobs_layers(&r->priced.config.knobs, choice));
    memx_report_put(r, "<td class=\"words\">");
    memx_report_text(r, level);
    memx_report_put(r, "</td>");
    memx_report_cell(r, "%lld", (long long)r->priced.plan.shapes[card->stage].spec.in_flight);
    for (int part = 0; part < MEMX_PARTS; part++) {
        memx_report_cell(r, "%s", memx_words_gib(memx_mib(card->parts_kib[part]), gib));
    }
    memx_report_cell(r, "%s", memx_words_gib(memx_mib(card->peak_kib), gib));
    memx_report_cell(r, "%s", memx_words_gib(memx_mib(card->card_kib), gib));
    memx_report_cell(
        r, "%s",
        memx_words_share((double)(card->card_kib - card->peak_kib) / (double)card->card_kib, gib));
    memx_report_put(r, "</tr>\n");
}

static void add_memory_table(memx_report *r, const memx_cards *cards) {
    const char *const heads[] = {
        "stage",       "<GPUs, by rank",
        "<device",     "layers",
        "<recompute",  r->priced.config.knobs.vp > 1 ? "chunks kept" : "micro batches kept",
        "driver",      "model state",
        "activations", "work space",
        "logits",      "optimizer's own",
        "all",         "card",
        "free"};
    memx_report_table(r, "memory-table", "Memory of each GPU, GiB", heads,
                      sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < cards->count; i++) add_card_row(r, &cards->cards[i]);
    memx_report_end_table(r);
}

/* "stage 0: 2 x C-32GB 20.6 of 32.0 GiB; ..." */
static void list_cards(const memx_report *r, const memx_cards *cards, memx_text *out) {
    char a[MEMX_WORDS], b[MEMX_WORDS];
    for (size_t i = 0; i < cards->count; i++) {
        const memx_card *card = &cards->cards[i];
        memx_text_printf(out, "%sstage %d: %d \303\227 %s %s of %s GiB", i ? "; " : "",
                         (int)card->stage, (int)card->gpus,
                         r->study->row.job.devices[card->device].name,
                         memx_words_gib(memx_mib(card->peak_kib), a),
                         memx_words_gib(memx_mib(card->card_kib), b));
    }
}

/* The same bars of the fastest, or of the rule's pick where the page is about the fastest. */
static memx_status add_other_memory(memx_report *r, memx_error *error) {
    const memx_pick *other = &r->picks[MEMX_FASTEST];
    memx_priced priced;
    memx_cards cards = {0};
    memx_text list = {0};
    if (memx_pick_same(other, r->chosen)) other = &r->picks[MEMX_WITHIN];
    if (!other->there || memx_pick_same(other, r->chosen)) return MEMX_OK;
    memx_status status = memx_session_priced(r->study, other->config.data, &priced, error);
    if (status) return status;
    status = memx_cards_open(&priced, &r->study->pricer, &cards, error);
    if (!status) {
        bool fastest = other == &r->picks[MEMX_FASTEST];
        memx_cards_cut(&cards, MOST_CARDS);
        list_cards(r, &cards, &list);
        memx_report_put(
            r, fastest ? "<h3>For comparison: the fastest</h3>\n<figure>\n"
                       : "<h3>For comparison: the pick at most 10 % slower</h3>\n<figure>\n");
        if (list.data) {
            memx_cards_draw(&cards, &r->study->row.job, "memory-other",
                            "Memory of every GPU in the configuration to compare with", list.data,
                            &r->page);
        }
        memx_report_put(r, "</figure>\n");
        if (list.failed) status = MEMX_NOMEM;
    }
    memx_text_free(&list);
    memx_cards_close(&cards);
    memx_priced_close(&priced);
    return status;
}

memx_status memx_report_memory(memx_report *r, memx_error *error) {
    memx_legend legend[MEMX_PARTS + 2];
    char classes[MEMX_PARTS][32], description[320], a[MEMX_WORDS], b[MEMX_WORDS];
    memx_cards cards;
    memx_status status = memx_cards_open(&r->priced, &r->study->pricer, &cards, error);
    if (status) return status;
    size_t all = cards.count;
    memx_cards_cut(&cards, MOST_CARDS);
    for (int part = 0; part < MEMX_PARTS; part++) {
        snprintf(classes[part], sizeof classes[part], "part %s", memx_part_class((memx_part)part));
        legend[part] = (memx_legend){classes[part], SWATCH, memx_part_name((memx_part)part)};
    }
    legend[MEMX_PARTS] = (memx_legend){"card", "M1 1H13V13H1Z", "free"};
    legend[MEMX_PARTS + 1] =
        (memx_legend){"limit-swatch", "M7 0V14", "the job's reserve begins here"};
    memx_report_section(r, "memory", "Memory of every GPU");
    memx_report_put(
        r, "<p>One bar for the GPUs of a stage that are alike, in order of stages, all to one "
           "scale. Early stages have to keep activations of more micro batches at once than "
           "late ones, and so hold more for each layer. ");
    if (all > cards.count) {
        memx_text_printf(&r->page, "Of %zu the %zu with the least room are shown.", all,
                         cards.count);
    }
    memx_report_put(r, "</p>\n<figure>\n");
    memx_report_legend(r, legend, MEMX_PARTS + 2);
    snprintf(description, sizeof description,
             "Bars from %d stages. The fullest GPU holds %s GiB, the tightest has %s free; the "
             "table below has every part of every bar.",
             (int)r->priced.plan.stage_count, memx_words_gib(r->chosen->peak_mib, a),
             memx_words_share(r->chosen->headroom, b));
    memx_cards_draw(&cards, &r->study->row.job, "memory-bars",
                    "Memory of every GPU against its card", description, &r->page);
    memx_report_put(r, "</figure>\n");
    status = add_other_memory(r, error);
    add_memory_table(r, &cards);
    memx_report_put(r, "</section>\n");
    memx_cards_close(&cards);
    return !status && r->page.failed ? MEMX_NOMEM : status;
}

/* ---- schedule ---- */

static void add_schedule_table(memx_report *r, const memx_gantt *gantt) {
    static const char *const heads[] = {"stage",     "<device",  "layers",    "forward",
                                        "recompute", "backward", "transfer",  "gradient sync",
                                        "optimizer", "idle",     "idle share"};
    const memx_priced *priced = &r->priced;
    memx_report_table(r, "schedule-table",
                      "What each stage does in one iteration: sums over all micro batches", heads,
                      sizeof heads / sizeof heads[0]);
    for (int32_t row = 0; row < gantt->rows; row++) {
        int32_t stage = memx_gantt_stage(gantt, &r->timeline, row);
        const int64_t *ns = gantt->ns[row];
        const int64_t shown[] = {
            ns[MEMX_SLICE_FORWARD],  ns[MEMX_SLICE_RECOMPUTE],
            ns[MEMX_SLICE_BACKWARD], ns[MEMX_SLICE_RECEIVE] + ns[MEMX_SLICE_SEND],
            ns[MEMX_SLICE_SYNC],     ns[MEMX_SLICE_OPTIMIZER],
            ns[MEMX_SLICE_IDLE]};
        memx_text device = {0};
        char text[MEMX_WORDS];
        memx_stage_devices(&r->study->row.job, &priced->config.placement, stage, &device);
        memx_report_put(r, "<tr>");
        memx_report_head(r, "%d", (int)stage);
        memx_report_put(r, "<td class=\"name\">");
        if (device.data) memx_report_text(r, device.data);
        memx_report_put(r, "</td>");
        memx_report_cell(
            r, "%lld",
            (long long)memx_knobs_layers(&priced->config.knobs, &priced->config.stages[stage]));
        for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
            memx_report_cell(r, "%s", shown[i] ? memx_words_time(memx_ms(shown[i]), text) : "0");
        }
        memx_report_cell(
            r, "%s", memx_words_share((double)ns[MEMX_SLICE_IDLE] / (double)gantt->total_ns, text));
        memx_report_put(r, "</tr>\n");
        if (device.failed) r->page.failed = true;
        memx_text_free(&device);
    }
    memx_report_end_table(r);
}

static void explain_schedule(memx_report *r, const memx_gantt *gantt) {
    long long m = (long long)r->priced.plan.micro_batches,
              dp = (long long)r->priced.config.knobs.dp;
    long long vp = (long long)r->priced.config.knobs.vp;
    char a[MEMX_WORDS], b[MEMX_WORDS], c[MEMX_WORDS], rounds[120] = "";
    if (vp > 1) {
        snprintf(rounds, sizeof rounds, ", %lld times round: each stage has %lld chunks of layers",
                 vp, vp);
    }
    memx_report_put(r, "<p>");
    if (dp > 1) memx_text_printf(&r->page, "In each of the %lld replicas, ", dp);
    memx_text_printf(
        &r->page,
        "%lld micro batch%s through the stages, forward from the first to the last and "
        "backward from the last to the first%s. A stage is idle while what it needs next has not "
        "come. Micro batch 1 has an outline. ",
        m, m == 1 ? " goes" : "es go", rounds);
    if (gantt->begin_ns < gantt->end_ns) {
        memx_text_printf(
            &r->page,
            "Shown are the first %s and the last %s of %s; between them it goes on alike. ",
            memx_words_time(memx_ms(gantt->begin_ns), a),
            memx_words_time(memx_ms(gantt->total_ns - gantt->end_ns), b),
            memx_words_time(memx_ms(gantt->total_ns), c));
    }
    if (gantt->rows < r->priced.plan.stage_count) {
        memx_text_printf(&r->page, "Of %d stages the first and last %d are shown. ",
                         (int)r->priced.plan.stage_count, (int)gantt->rows / 2);
    }
    memx_text_printf(&r->page, "The simulated schedule takes %s",
                     memx_words_time(memx_ms(gantt->total_ns), a));
    memx_text_printf(
        &r->page,
        ", the formula that the ranking goes by says %s. <code>memx_trace</code> gives all of "
        "it to a trace viewer.</p>\n",
        memx_words_time(r->chosen->iteration_ms, a));
}

memx_status memx_report_schedule(memx_report *r, memx_error *error) {
    static const memx_legend legend[] = {
        {"f", SWATCH, "forward"},  {"b", SWATCH, "backward"},      {"r", SWATCH, "recompute"},
        {"t", SWATCH, "transfer"}, {"s", SWATCH, "gradient sync"}, {"o", SWATCH, "optimizer step"},
        {"v", SWATCH, "overhead"}, {"track", SWATCH, "idle"},
    };
    const memx_poll *poll = memx_session_poll(r->session);
    memx_gantt gantt;
    char description[320], a[MEMX_WORDS], b[MEMX_WORDS];
    (void)error;
    memx_status status = memx_gantt_open(&r->timeline, poll, &gantt);
    if (status) return status;
    memx_report_section(r, "schedule", "One iteration, stage by stage");
    explain_schedule(r, &gantt);
    memx_report_put(r, "<figure>\n");
    memx_report_legend(r, legend, sizeof legend / sizeof legend[0]);
    snprintf(
        description, sizeof description,
        "A row for each of %d stages, time from left to right, %s in all. The slowest stage is "
        "stage %d, which computes nothing for %s of the iteration; the table below has the "
        "sums.",
        (int)r->priced.plan.stage_count, memx_words_time(memx_ms(gantt.total_ns), a),
        r->chosen->slowest_stage, memx_words_share(r->chosen->bubble, b));
    status = memx_gantt_draw(&gantt, &r->timeline, poll, "gantt",
                             "What every stage does in one iteration", description, &r->page);
    memx_report_put(r, "</figure>\n");
    add_schedule_table(r, &gantt);
    memx_report_put(r, "</section>\n");
    return status;
}

/* ---- recompute ---- */

static memx_status add_plan_row(memx_report *r, void *context, sqlite3_stmt *row,
                                memx_error *error) {
    (void)context, (void)error;
    memx_report_put(r, "<tr>");
    memx_report_head(r, "%d", sqlite3_column_int(row, 0));
    memx_report_put(r, "<td class=\"name\">");
    memx_report_column(r, row, 1);
    memx_report_put(r, "</td>");
    memx_report_cell(r, "%d", sqlite3_column_int(row, 2));
    for (int column = 3; column <= 5; column++) {
        memx_report_put(r, "<td class=\"words\">");
        memx_report_column(r, row, column);
        memx_report_put(r, "</td>");
    }
    double rate = sqlite3_column_double(row, 6);
    if (sqlite3_column_type(row, 6) == SQLITE_NULL) {
        memx_report_cell(r, "-");
    } else {
        memx_report_cell(r, rate < 100.0 ? "%.3g" : "%.0f", rate);
    }
    memx_report_put(r, "</tr>\n");
    return MEMX_OK;
}

memx_status memx_report_recompute(memx_report *r, memx_error *error) {
    static const char *const heads[] = {"stage",
                                        "<device",
                                        "layers",
                                        "<recompute here",
                                        "<the rule gives",
                                        "<reason",
                                        "full would cost, ms a GiB"};
    memx_report_section(r, "recompute", "What is recomputed, and why");
    memx_report_put(
        r, "<p>A stage drops activations and computes them again only where that makes it fit, "
           "or where the memory is worth the time. The rule goes stage by stage: one that fits "
           "without recompute stays so, one that does not is raised to its fastest level that "
           "fits. The last column is the price of going further: how many ms an iteration "
           "would lose for each GiB that full recompute on this stage alone would free.</p>\n");
    memx_report_table(r, "recompute-table", "Recompute, stage by stage", heads,
                      sizeof heads / sizeof heads[0]);
    memx_status status = memx_report_each(r, memx_sql_recompute, r->chosen->config.data, 0.0,
                                          add_plan_row, NULL, error);
    memx_report_end_table(r);
    memx_report_put(r, "</section>\n");
    return status;
}

/* ---- what was ruled out ---- */

static memx_status add_why_row(memx_report *r, void *context, sqlite3_stmt *row,
                               memx_error *error) {
    (void)context, (void)error;
    memx_report_put(r, "<tr>");
    memx_report_put(r, "<th scope=\"row\">");
    memx_report_column(r, row, 0);
    memx_report_put(r, "</th><td>");
    const char *count = (const char *)sqlite3_column_text(row, 1);
    if (count && !strpbrk(count, ".e")) {
        memx_words_digits(count, &r->page);
    } else {
        memx_report_column(r, row, 1);
    }
    memx_report_put(r, "</td><td class=\"words\">");
    memx_report_column(r, row, 2);
    memx_report_put(r, "</td><td class=\"words\">");
    memx_report_column(r, row, 3);
    memx_report_put(r, "</td></tr>\n");
    return MEMX_OK;
}

memx_status memx_report_ruled_out(memx_report *r, memx_error *error) {
    static const char *const heads[] = {"<reason", "count", "<of", "<an example"};
    memx_report_section(r, "ruled-out", "What was ruled out");
    memx_report_put(
        r, "<p>Configurations are choices that could run, but of which a card would be too "
           "full. Degrees are ways of splitting (tensor, pipeline and data parallel, micro "
           "batch) that cannot run at all; each would have had many configurations.</p>\n");
    memx_report_table(r, "why-table", "What was ruled out, and what is left", heads, 4);
    memx_status status = memx_report_each(r, memx_sql_why, NULL, 0.0, add_why_row, NULL, error);
    memx_report_end_table(r);
    memx_report_put(r, "</section>\n");
    return status;
}

/* ---- measured runs ---- */

typedef struct runs {
    memx_marked marked[32];
    size_t marked_count, rows;
    sqlite3_int64 all;
} runs;

static memx_status see_run(memx_report *r, void *context, sqlite3_stmt *row, memx_error *error) {
    runs *all = context;
    (void)r, (void)error;
    all->rows++;
    all->all = sqlite3_column_int64(row, 10);
    double measured = sqlite3_column_double(row, 5) / 1e3;
    double predicted = sqlite3_column_double(row, 6) / 1e3;
    if (measured > 0.0 && predicted > 0.0 && all->marked_count < 32) {
        all->marked[all->marked_count++] = (memx_marked){{measured, predicted}, NULL, "run"};
    }
    return MEMX_OK;
}

/* Measured, predicted, and the error; dashes for what is not there. */
static void add_pair(memx_report *r, sqlite3_stmt *row, int column,
                     const char *(*words)(double, char *)) {
    char text[MEMX_WORDS];
    for (int i = 0; i < 2; i++) {
        if (sqlite3_column_type(row, column + i) == SQLITE_NULL) {
            memx_report_cell(r, "-");
        } else {
            memx_report_cell(r, "%s", words(sqlite3_column_double(row, column + i), text));
        }
    }
    double measured = sqlite3_column_double(row, column);
    double predicted = sqlite3_column_double(row, column + 1);
    if (measured > 0.0 && predicted > 0.0) {
        memx_report_cell(r, "%+.1f %%", 100.0 * (predicted / measured - 1.0));
    } else {
        memx_report_cell(r, "-");
    }
}

static const char *time_words(double ms, char *out) {
    return memx_words_time(ms, out);
}

static const char *gib_words(double mib, char *out) {
    return memx_words_gib(mib, out);
}

static memx_status add_run_row(memx_report *r, void *context, sqlite3_stmt *row,
                               memx_error *error) {
    (void)context, (void)error;
    memx_report_put(r, "<tr><th scope=\"row\">");
    memx_report_column(r, row, 0);
    memx_report_put(r, "</th>");
    add_pair(r, row, 5, time_words);
    add_pair(r, row, 7, gib_words);
    memx_report_put(r, "</tr>\n<tr><td class=\"words config\" colspan=\"7\">");
    if (sqlite3_column_int(row, 4)) {
        bool fits =
            sqlite3_column_type(row, 9) != SQLITE_NULL && sqlite3_column_double(row, 9) >= 0.0;
        memx_report_put(r, fits ? "ran out of memory, predicted to fit. " : "ran out of memory. ");
    }
    memx_report_put(r, "<bdi>");
    memx_report_column(r, row, 2);
    memx_report_put(r, "</bdi>");
    if (sqlite3_column_type(row, 3) != SQLITE_NULL) {
        memx_report_put(r, " No prediction: ");
        memx_report_column(r, row, 3);
    }
    const char *config = (const char *)sqlite3_column_text(row, 1);
    memx_report_put(r, "<br/>");
    memx_report_code(r, config ? config : "");
    memx_report_put(r, "</td></tr>\n");
    return MEMX_OK;
}

static void draw_runs(memx_report *r, const runs *all) {
    memx_scatter chart = {
        .id = "runs-scatter",
        .title = "Measured against predicted time of an iteration",
        .description =
            "A cross for each run. On the dashed line both are equal; the table has the numbers.",
        .x_name = "measured, seconds",
        .y_name = "predicted, seconds",
        .least_x = 0.0,
        .marked = all->marked,
        .marked_count = all->marked_count,
        .diagonal = true,
    };
    memx_report_put(r, "<figure>\n");
    memx_scatter_draw(&chart, &r->page);
    memx_report_put(r, "</figure>\n");
}

memx_status memx_report_runs(memx_report *r, memx_error *error) {
    static const char *const heads[] = {"<run",          "measured",       "predicted", "error",
                                        "measured, GiB", "predicted, GiB", "error"};
    runs all = {0};
    memx_status status = memx_report_each(r, memx_sql_runs, NULL, 0.0, see_run, &all, error);
    if (status) return status;
    memx_report_section(r, "runs", "Measured against predicted");
    if (all.rows == 0) {
        memx_report_put(
            r, "<p>This job has no measured run yet. Runs go into <code>memx_run</code>; this "
               "page then shows them beside their predictions, and <code>memx_train()</code> "
               "learns from them.</p>\n");
    } else {
        memx_text_printf(
            &r->page,
            "<p>The newest %zu of %lld run%s of this job. Memory is of the fullest GPU: all in "
            "use, or where that was not measured what the allocator reserved.</p>\n",
            all.rows, (long long)all.all, memx_s(all.all));
        if (all.marked_count > 0) draw_runs(r, &all);
        memx_report_table(r, "runs-table", "Runs", heads, 7);
        status = memx_report_each(r, memx_sql_runs, NULL, 0.0, add_run_row, NULL, error);
        memx_report_end_table(r);
    }
    memx_report_put(r, "</section>\n");
    return status;
}
