/*
** memx_report(job [, config]): a page that says which configuration to take, and why.
**
**   SELECT writefile('report.html', memx_report('mix20'));
**
** One HTML file that needs nothing else: no network, no scripts; pictures are SVG. It is about the
** configuration given, else about the one with the least phi among those at most 10 % slower than the
** fastest of the job's own space. The same database gives the same bytes. NULL in, NULL out.
**
** The rows come from the SELECTs in schema/report, the pictures from core/scatter.h, cards.h and gantt.h;
** everything that comes from the database is escaped.
*/
#include "sql/report.h"

#include "core/count.h"
#include "core/launch.h"
#include "core/words.h"
#include "schema.h"
#include "sql/modules.h"
#include "sql/subject.h"
#include "sql/vtab.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* ---- reading ---- */

/* The guard is on while the SELECT reads: stored tables must not be views that lead back here. */
static int step(memx_report *r, sqlite3_stmt *statement, memx_status *status, memx_error *error) {
    memx_reader *reader = memx_session_reader(r->session);
    *status = memx_reader_enter(reader, "memx_report", error);
    if (*status) return SQLITE_DONE;
    int rc = sqlite3_step(statement);
    memx_reader_leave(reader);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) *status = memx_sql_failed(r->db, rc, error);
    return rc;
}

memx_status memx_report_each(memx_report *r, const char *sql, const char *config, double number,
                             memx_report_visit visit, void *context, memx_error *error) {
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(r->db, sql, -1, &statement, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_bind_text(statement, 1, r->job, -1, SQLITE_STATIC);
    int parameters = rc == SQLITE_OK ? sqlite3_bind_parameter_count(statement) : 0;
    if (parameters > 1 && config) rc = sqlite3_bind_text(statement, 2, config, -1, SQLITE_STATIC);
    if (parameters > 2 && rc == SQLITE_OK) rc = sqlite3_bind_double(statement, 3, number);
    memx_status status = rc == SQLITE_OK ? MEMX_OK : memx_sql_failed(r->db, rc, error);
    while (!status && step(r, statement, &status, error) == SQLITE_ROW && !status) {
        status = visit(r, context, statement, error);
    }
    sqlite3_finalize(statement);
    return status;
}

/* NULL, as an authorizer may make of any column, is empty. */
static void copy_column(sqlite3_stmt *row, int column, memx_text *out) {
    bool null = sqlite3_column_type(row, column) == SQLITE_NULL;
    const char *text = null ? "" : (const char *)sqlite3_column_text(row, column);
    memx_text_printf(out, "%s", text ? text : "");
    if (!text) out->failed = true;
}

static memx_status read_pick(memx_report *r, void *context, sqlite3_stmt *row, memx_error *error) {
    int place = sqlite3_column_int(row, 0);
    memx_pick *pick = &r->picks[place];
    (void)context, (void)error;
    pick->there = true;
    copy_column(row, 1, &pick->config);
    double *const figures[] = {&pick->iteration_ms, &pick->slowdown, &pick->peak_mib,
                               &pick->spread_mib,   &pick->headroom, &pick->phi,
                               &pick->tokens_per_s, &pick->bubble,   &pick->simulated_ms};
    for (int i = 0; i < 9; i++) *figures[i] = sqlite3_column_double(row, 2 + i);
    pick->slowest_stage = sqlite3_column_int(row, 11);
    pick->tightest_stage = sqlite3_column_int(row, 12);
    pick->headroom_mib = sqlite3_column_double(row, 13);
    copy_column(row, 14, &pick->predictor);
    r->chosen = pick;
    return pick->config.failed || pick->predictor.failed ? MEMX_NOMEM : MEMX_OK;
}

bool memx_pick_same(const memx_pick *a, const memx_pick *b) {
    return a->there && b->there && strcmp(a->config.data, b->config.data) == 0;
}

/* ---- writing ---- */

void memx_report_put(memx_report *r, const char *html) {
    memx_text_add(&r->page, html, strlen(html));
}

void memx_report_text(memx_report *r, const char *text) {
    memx_text_html(&r->page, text);
}

void memx_report_column(memx_report *r, sqlite3_stmt *row, int column) {
    const char *text = (const char *)sqlite3_column_text(row, column);
    if (text) memx_text_html(&r->page, text);
}

void memx_report_section(memx_report *r, const char *id, const char *title) {
    memx_text_printf(&r->page, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n", id, id,
                     title);
}

void memx_report_legend(memx_report *r, const memx_legend *entries, size_t count) {
    memx_report_put(r, "<ul class=\"legend\">\n");
    for (size_t i = 0; i < count; i++) {
        memx_text_printf(&r->page,
                         "<li><svg aria-hidden=\"true\"><path class=\"%s\" d=\"%s\"/></svg>",
                         entries[i].class, entries[i].path);
        memx_report_text(r, entries[i].name);
        memx_report_put(r, "</li>\n");
    }
    memx_report_put(r, "</ul>\n");
}

void memx_report_table(memx_report *r, const char *id, const char *caption,
                       const char *const *heads, size_t count) {
    memx_text_printf(
        &r->page,
        "<div class=\"scroll\" role=\"region\" aria-labelledby=\"%s\" tabindex=\"0\">\n"
        "<table>\n<caption><span id=\"%s\">",
        id, id);
    memx_report_text(r, caption);
    memx_report_put(r, "</span></caption>\n<thead><tr>");
    for (size_t i = 0; i < count; i++) {
        bool words = heads[i][0] == '<';
        memx_report_put(r, words ? "<th scope=\"col\" class=\"words\">" : "<th scope=\"col\">");
        memx_report_text(r, heads[i] + words);
        memx_report_put(r, "</th>");
    }
    memx_report_put(r, "</tr></thead>\n<tbody>\n");
}

void memx_report_end_table(memx_report *r) {
    memx_report_put(r, "</tbody>\n</table>\n</div>\n");
}

static void add_escaped(memx_report *r, const char *format, va_list arguments) {
    char *text = sqlite3_vmprintf(format, arguments);
    if (text) {
        memx_report_text(r, text);
    } else {
        r->page.failed = true;
    }
    sqlite3_free(text);
}

void memx_report_cell(memx_report *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    memx_report_put(r, "<td>");
    add_escaped(r, format, arguments);
    memx_report_put(r, "</td>");
    va_end(arguments);
}

void memx_report_head(memx_report *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    memx_report_put(r, "<th scope=\"row\">");
    add_escaped(r, format, arguments);
    memx_report_put(r, "</th>");
    va_end(arguments);
}

void memx_report_group(memx_report *r, bool chosen, int columns, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    memx_text_printf(&r->page, "</tbody>\n<tbody%s><tr><th scope=\"rowgroup\" colspan=\"%d\">",
                     chosen ? " class=\"chosen\"" : "", columns);
    add_escaped(r, format, arguments);
    memx_report_put(r, "</th></tr>\n<tr>");
    va_end(arguments);
}

/* With words that hold hyphens, such as names of devices, kept whole. */
static void add_words(memx_report *r, const char *words) {
    while (*words) {
        size_t length = strcspn(words, " ");
        char *word = sqlite3_mprintf("%.*s", (int)length, words);
        bool whole = word && strchr(word, '-');
        if (!word) r->page.failed = true;
        if (whole) memx_report_put(r, "<span class=\"whole\">");
        if (word) memx_report_text(r, word);
        if (whole) memx_report_put(r, "</span>");
        sqlite3_free(word);
        words += length;
        if (*words) {
            memx_report_put(r, " ");
            words++;
        }
    }
}

/* Broken between stages only. */
void memx_report_code(memx_report *r, const char *config) {
    memx_report_put(r, "<code>");
    while (*config) {
        size_t length = strcspn(config, ",/");
        length += config[length] != '\0';
        char *part = sqlite3_mprintf("%.*s", (int)length, config);
        memx_report_put(r, "<span class=\"whole\">");
        if (part) memx_report_text(r, part);
        if (!part) r->page.failed = true;
        memx_report_put(r, "</span><wbr/>");
        sqlite3_free(part);
        config += length;
    }
    memx_report_put(r, "</code>");
}

memx_status memx_report_config(memx_report *r, const char *config, int columns, memx_error *error) {
    memx_priced priced;
    memx_text words = {0};
    memx_status status = memx_session_priced(r->study, config, &priced, error);
    if (status) return status;
    memx_words_config(&r->study->row.job, &priced.config, &words);
    memx_text_printf(&r->page, "</tr>\n<tr><td class=\"words config\" colspan=\"%d\">", columns);
    if (words.data) add_words(r, words.data);
    memx_report_put(r, "<br/>");
    memx_report_code(r, config);
    memx_report_put(r, "</td></tr>\n");
    if (words.failed) status = MEMX_NOMEM;
    memx_text_free(&words);
    memx_priced_close(&priced);
    return status;
}

/* A sentence, escaped, as a paragraph. */
__attribute__((format(printf, 2, 3))) static void say(memx_report *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    memx_report_put(r, "<p>");
    add_escaped(r, format, arguments);
    memx_report_put(r, "</p>\n");
    va_end(arguments);
}

/* ---- head and summary ---- */

static const char *const contents[][2] = {
    {"pick", "the pick"}, {"ranking", "ranking"},     {"trade", "time against evenness"},
    {"memory", "memory"}, {"schedule", "schedule"},   {"recompute", "recompute"},
    {"launch", "launch"}, {"ruled-out", "ruled out"}, {"runs", "measured"},
    {"words", "words"},
};

static memx_status add_job(memx_report *r, void *context, sqlite3_stmt *row, memx_error *error) {
    char digits[MEMX_COUNT_TEXT];
    const char *gpus = (const char *)sqlite3_column_text(row, 10);
    (void)context, (void)error;
    memx_report_put(r, "<header>\n<h1>Training plan for job ");
    memx_report_text(r, r->job);
    memx_report_put(r, "</h1>\n<p>Model ");
    memx_report_column(r, row, 0);
    memx_text_printf(&r->page, " (%d layers) on cluster ", sqlite3_column_int(row, 5));
    memx_report_column(r, row, 1);
    memx_report_put(r, ": ");
    add_words(r, gpus ? gpus : "");
    memx_report_put(r, ". Global batch ");
    memx_report_column(r, row, 3);
    memx_report_put(r, ", sequences of ");
    memx_report_column(r, row, 4);
    memx_report_put(r, " tokens, framework ");
    memx_report_column(r, row, 2);
    memx_report_put(r, ". Searched: ");
    memx_count_text(r->reference->feasible, digits);
    memx_words_digits(digits, &r->page);
    memx_report_put(r, " configurations that fit, in space ");
    memx_report_column(r, row, 6);
    memx_report_put(r, ".</p>\n");
    for (int column = 8; column <= 9; column++) {
        if (sqlite3_column_bytes(row, column) == 0) continue;
        memx_report_put(r, column == 8 ? "<p class=\"note\">Note on the job: <bdi>"
                                       : "<p class=\"note\">Note on the cluster: <bdi>");
        memx_report_column(r, row, column);
        memx_report_put(r, "</bdi></p>\n");
    }
    memx_report_put(r, "<nav aria-label=\"Contents\"><ul>\n");
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++) {
        bool there = strcmp(contents[i][0], "trade") != 0 || r->picks[MEMX_FASTEST].there;
        if (!there) continue;
        memx_text_printf(&r->page, "<li><a href=\"#%s\">%s</a></li>\n", contents[i][0],
                         contents[i][1]);
    }
    memx_report_put(r, "</ul></nav>\n</header>\n<main>\n");
    return MEMX_OK;
}

static void add_begin(memx_report *r) {
    memx_report_put(
        r, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
           "'unsafe-inline'\"/>\n<title>Training plan for job ");
    memx_report_text(r, r->job);
    memx_report_put(r, "</title>\n<style>\n");
    memx_report_put(r, memx_css_style);
    memx_report_put(r, "</style>\n</head>\n<body>\n");
}

static void add_figure(memx_report *r, const char *name, const char *value, const char *than) {
    memx_report_put(r, "<div><dt>");
    memx_report_text(r, name);
    memx_report_put(r, "</dt><dd>");
    memx_report_text(r, value);
    if (*than) {
        memx_report_put(r, "<span class=\"than\">");
        memx_report_text(r, than);
        memx_report_put(r, "</span>");
    }
    memx_report_put(r, "</dd></div>\n");
}

static void add_figures(memx_report *r) {
    const memx_pick *c = r->chosen, *fastest = &r->picks[MEMX_FASTEST];
    bool other = fastest->there && !memx_pick_same(c, fastest);
    char value[MEMX_WORDS + 16], than[2 * MEMX_WORDS + 64], digits[MEMX_WORDS];
    memx_report_put(r, "<dl class=\"figures\">\n");
    if (other) {
        sqlite3_snprintf((int)sizeof than, than, "%.1f %% over the fastest, %s",
                         100.0 * (c->slowdown - 1.0),
                         memx_words_time(fastest->iteration_ms, digits));
    } else {
        snprintf(than, sizeof than, "%s", fastest->there ? "the fastest" : "");
    }
    add_figure(r, "One iteration", memx_words_time(c->iteration_ms, value), than);
    memx_text tokens = {0};
    sqlite3_snprintf((int)sizeof value, value, "%.0f", c->tokens_per_s);
    memx_words_digits(value, &tokens);
    if (tokens.data) add_figure(r, "Tokens a second", tokens.data, "");
    if (tokens.failed) r->page.failed = true;
    memx_text_free(&tokens);
    snprintf(value, sizeof value, "%s GiB", memx_words_gib(c->peak_mib, digits));
    snprintf(than, sizeof than, "fastest: %s GiB", memx_words_gib(fastest->peak_mib, digits));
    add_figure(r, "Fullest card holds", value, other ? than : "");
    snprintf(value, sizeof value, "%s GiB", memx_words_gib(c->spread_mib, digits));
    snprintf(than, sizeof than, "fastest: %s GiB", memx_words_gib(fastest->spread_mib, digits));
    if (r->study->row.job.gpus > 1) add_figure(r, "Cards differ by", value, other ? than : "");
    snprintf(than, sizeof than, "fastest: %s", memx_words_share(fastest->headroom, digits));
    add_figure(r, "Free on the tightest card", memx_words_share(c->headroom, value),
               other ? than : "");
    sqlite3_snprintf((int)sizeof value, value, "%.3g", c->phi);
    if (fastest->there) {
        add_figure(r, "Score phi, less is better", value, "1: a median configuration");
    }
    memx_report_put(r, "</dl>\n");
}

static void say_rule(memx_report *r) {
    const memx_pick *c = r->chosen;
    if (r->asked && memx_pick_same(c, &r->picks[MEMX_WITHIN])) {
        say(r, "This configuration was asked about. It is also what the rule picks: of all "
               "that take at most 10 %% longer than the fastest, the one with the least score "
               "phi.");
    } else if (r->asked && !r->picks[MEMX_FASTEST].there) {
        say(r, "This configuration was asked about; nothing in the job's own space fits.");
    } else if (r->asked) {
        say(r, "This configuration was asked about; the ranking below has what the rule would "
               "pick: of all that take at most 10 %% longer than the fastest, the one with the "
               "least score phi.");
    } else {
        say(r,
            "The rule: of all configurations that take at most 10 %% longer than the fastest "
            "one, take the one with the least score phi. Phi multiplies the time of an "
            "iteration, the memory of the fullest card and how much the cards' memory differs, "
            "with weights (here %.3g, %.3g and %.3g), so a small phi means fast, small and "
            "even at once.",
            r->weights.time, r->weights.peak, r->weights.variance);
    }
}

static void say_against(memx_report *r) {
    const memx_pick *c = r->chosen, *fastest = &r->picks[MEMX_FASTEST];
    const memx_pick *even = &r->picks[MEMX_LEAST_PHI];
    char a[MEMX_WORDS], b[MEMX_WORDS];
    char peak[2][MEMX_WORDS], spread[2][MEMX_WORDS], room[2][MEMX_WORDS];
    if (memx_pick_same(c, fastest)) {
        say(r, "No other configuration is faster.");
    } else if (fastest->there) {
        double more = c->iteration_ms - fastest->iteration_ms;
        char differ[2 * MEMX_WORDS + 80] = "";
        memx_words_gib(c->spread_mib, spread[0]);
        memx_words_gib(fastest->spread_mib, spread[1]);
        if (strcmp(spread[0], spread[1]) != 0) {
            snprintf(differ, sizeof differ,
                     " the cards differ by %s GiB instead of %s (standard deviation),", spread[0],
                     spread[1]);
        }
        say(r,
            "Against the fastest, an iteration takes %s %s. The fullest card holds %s GiB "
            "instead of %s,%s and %s of the tightest card is free instead of %s.",
            memx_words_time(fabs(more), a), more < 0 ? "less" : "more",
            memx_words_gib(c->peak_mib, peak[0]), memx_words_gib(fastest->peak_mib, peak[1]),
            differ, memx_words_share(c->headroom, room[0]),
            memx_words_share(fastest->headroom, room[1]));
    }
    if (memx_pick_same(c, even)) {
        say(r, "No other configuration has a smaller phi, however slow.");
    } else if (even->there) {
        bool many = r->study->row.job.gpus > 1;
        say(r,
            "The least phi of all is %.3g. There the %s %s GiB, but an iteration "
            "takes %s, %.0f %% more than the fastest: the bound of 10 %% is there to keep such "
            "picks out.",
            even->phi, many ? "cards differ by" : "card holds",
            memx_words_gib(many ? even->spread_mib : even->peak_mib, a),
            memx_words_time(even->iteration_ms, b), 100.0 * (even->slowdown - 1.0));
    }
}

/* Whether it fits, and what even memory is good for. */
static void say_room(memx_report *r) {
    char gib[MEMX_WORDS], share[MEMX_WORDS];
    int32_t worst = 0;
    for (int32_t s = 1; s < r->priced.plan.stage_count; s++) {
        if (r->priced.options[s].short_kib > r->priced.options[worst].short_kib) worst = s;
    }
    if (r->chosen->headroom_mib < 0) {
        memx_text_printf(&r->page,
                         "<p class=\"bad\"><strong>It does not fit: a card of stage %d lacks "
                         "%s GiB.</strong></p>\n",
                         r->chosen->tightest_stage, memx_words_gib(-r->chosen->headroom_mib, gib));
    } else if (r->priced.options[worst].short_kib > 0) {
        memx_text_printf(
            &r->page,
            "<p class=\"bad\"><strong>It leaves less of a card of stage %d free than the job's "
            "reserve, %s.</strong></p>\n",
            (int)worst, memx_words_share(r->study->row.job.reserve, share));
    } else {
        say(r, "Room on every card is for spikes, for longer sequences or larger micro batches.%s",
            r->study->row.job.gpus > 1
                ? " Even memory gives that room to all cards alike: one full card ends the run of "
                  "all."
                : "");
    }
}

typedef double (*figure_of)(const memx_device *device);

static double size_of(const memx_device *d) {
    return d->memory_mib;
}

/* The least over the devices of a stage. */
static double stage_figure(const memx_report *r, int32_t stage, figure_of figure) {
    const memx_job *job = &r->study->row.job;
    const memx_placement *p = &r->priced.config.placement;
    double least = INFINITY;
    for (int32_t i = p->first[stage]; i < p->first[stage + 1]; i++) {
        least = fmin(least, figure(&job->devices[job->nodes[p->runs[i].node].device]));
    }
    return least;
}

/* Whether stages on cards with more of it have no fewer layers, and those with most more than those
** with least. */
static bool layers_follow(const memx_report *r, figure_of figure) {
    const memx_stage_choice *stages = r->priced.config.stages;
    int32_t count = r->priced.plan.stage_count, least = 0, most = 0;
    for (int32_t s = 0; s < count; s++) {
        double mine = stage_figure(r, s, figure);
        if (mine < stage_figure(r, least, figure)) least = s;
        if (mine > stage_figure(r, most, figure)) most = s;
        for (int32_t t = 0; t < count; t++) {
            if (mine > stage_figure(r, t, figure) && stages[s].layers < stages[t].layers) {
                return false;
            }
        }
    }
    return stages[most].layers > stages[least].layers;
}

static const char *layers_words(const memx_report *r) {
    bool speed = layers_follow(r, memx_reached_tflops), size = layers_follow(r, size_of);
    if (speed && size) return " Faster and larger cards have more layers.";
    if (speed) return " Faster cards have more layers.";
    return size ? " Larger cards have more layers." : "";
}

/* How evenly time is shared out. */
static void say_stages(memx_report *r) {
    const memx_plan *plan = &r->priced.plan;
    char a[MEMX_WORDS], b[MEMX_WORDS], c[MEMX_WORDS];
    int32_t slow = 0, quick = 0;
    for (int32_t s = 1; s < plan->stage_count; s++) {
        if (r->priced.options[s].time_ns > r->priced.options[slow].time_ns) slow = s;
        if (r->priced.options[s].time_ns < r->priced.options[quick].time_ns) quick = s;
    }
    if (plan->stage_count == 1) return;
    double ms = memx_ms(r->priced.config.knobs.vp * r->priced.options[slow].time_ns);
    double less =
        1.0 - (double)r->priced.options[quick].time_ns / (double)r->priced.options[slow].time_ns;
    memx_words_time(ms, a);
    memx_words_time((1.0 - less) * ms, b);
    if (less < 0.05) {
        say(r,
            "A pipeline is as fast as its slowest stage. Here all stages need much the same time "
            "for one micro batch, forward and backward: %s to %s.%s",
            b, a, layers_words(r));
    } else {
        say(r,
            "A pipeline is as fast as its slowest stage. Here one micro batch takes longest on "
            "stage %d, %s forward and backward, and shortest on stage %d, %s, %s less: the others "
            "wait for the slowest.%s",
            (int)slow, a, (int)quick, b, memx_words_share(less, c), layers_words(r));
    }
}

static memx_status add_summary(memx_report *r) {
    memx_text words = {0};
    memx_words_config(&r->study->row.job, &r->priced.config, &words);
    memx_report_put(r, "<section aria-labelledby=\"pick\">\n<h2 id=\"pick\">");
    memx_report_put(r, r->asked ? "The configuration asked about" : "The pick, and why this one");
    memx_report_put(r, "</h2>\n<p><strong>");
    if (words.data) add_words(r, words.data);
    memx_report_put(r, ".</strong></p>\n<p class=\"config\">");
    memx_report_code(r, r->chosen->config.data);
    memx_report_put(r, "</p>\n");
    add_figures(r);
    say_rule(r);
    say_against(r);
    say_stages(r);
    say_room(r);
    memx_report_put(r, "</section>\n");
    bool failed = words.failed;
    memx_text_free(&words);
    return failed ? MEMX_NOMEM : MEMX_OK;
}

/* ---- ranking ---- */

static const char *const ranking_heads[] = {"one iteration",       "over the fastest",
                                            "fullest card, GiB",   "cards differ by, GiB",
                                            "free, tightest card", "score phi"};

typedef struct ranked_row {
    double iteration_ms, slowdown, peak_mib, spread_mib, headroom, phi;
} ranked_row;

static memx_status add_ranked(memx_report *r, const ranked_row *row, const char *config,
                              memx_error *error) {
    char a[MEMX_WORDS], b[MEMX_WORDS], c[MEMX_WORDS], d[MEMX_WORDS];
    memx_report_cell(r, "%s", memx_words_time(row->iteration_ms, a));
    if (row->slowdown > 0.0) {
        memx_report_cell(r, "%.1f %%", 100.0 * (row->slowdown - 1.0));
    } else { /* nothing fits that it could be compared with */
        memx_report_cell(r, "-");
    }
    memx_report_cell(r, "%s", memx_words_gib(row->peak_mib, b));
    memx_report_cell(r, "%s", memx_words_gib(row->spread_mib, c));
    memx_report_cell(r, "%s", memx_words_share(row->headroom, d));
    if (row->slowdown > 0.0) {
        memx_report_cell(r, "%.3g", row->phi);
    } else {
        memx_report_cell(r, "-");
    }
    return memx_report_config(r, config, 6, error);
}

static memx_status add_top(memx_report *r, void *context, sqlite3_stmt *row, memx_error *error) {
    const char *config = (const char *)sqlite3_column_text(row, 0);
    int *place = context;
    if (!config) return MEMX_NOMEM;
    ranked_row figures = {sqlite3_column_double(row, 1), sqlite3_column_double(row, 2),
                          sqlite3_column_double(row, 3), sqlite3_column_double(row, 4),
                          sqlite3_column_double(row, 5), sqlite3_column_double(row, 6)};
    bool chosen = strcmp(config, r->chosen->config.data) == 0;
    memx_report_group(r, chosen, 6, chosen ? "%d: this page" : "%d", ++*place);
    return add_ranked(r, &figures, config, error);
}

static memx_status add_ranking(memx_report *r, memx_error *error) {
    static const char *const names[MEMX_PICKS] = {"fastest", "least phi of all",
                                                  "least phi, at most 10 % slower", "asked about"};
    memx_status status = MEMX_OK;
    memx_report_put(r, "<section aria-labelledby=\"ranking\">\n<h2 id=\"ranking\">Ranking</h2>\n");
    memx_report_table(r, "ranking-picks", "Picks", ranking_heads, 6);
    for (int i = 0; i < MEMX_PICKS && !status; i++) {
        const memx_pick *p = &r->picks[i];
        if (!p->there) continue;
        ranked_row figures = {p->iteration_ms, p->slowdown, p->peak_mib,
                              p->spread_mib,   p->headroom, p->phi};
        bool chosen = memx_pick_same(p, r->chosen);
        memx_report_group(r, chosen, 6, chosen ? "%s: this page" : "%s", names[i]);
        status = add_ranked(r, &figures, p->config.data, error);
    }
    memx_report_end_table(r);
    if (!status && r->picks[MEMX_WITHIN].there) {
        int place = 0;
        memx_report_table(
            r, "ranking-top",
            "The ten with the least phi among those at most 10 % slower than the fastest",
            ranking_heads, 6);
        status = memx_report_each(r, memx_sql_top_ten, NULL, 0.0, add_top, &place, error);
        memx_report_end_table(r);
    }
    memx_report_put(r, "</section>\n");
    return status;
}

/* ---- launch ---- */

static memx_status add_launch(memx_report *r, memx_error *error) {
    memx_text flags = {0};
    memx_error refusal = {.text = ""};
    memx_status status =
        memx_launch_config(&r->study->row.job, &r->priced.config, -1, &flags, &refusal);
    if (!status && flags.failed) status = MEMX_NOMEM;
    if (status && status != MEMX_INVALID) {
        *error = refusal;
        memx_text_free(&flags);
        return status;
    }
    memx_report_section(r, "launch", "How to start it");
    memx_report_put(r, "<p>");
    if (status) {
        memx_report_text(r, refusal.text);
        memx_report_put(r, "</p>\n");
    } else {
        memx_report_put(r, "Megatron-LM's flags; lines with # are for you. Data, tokenizer, "
                           "vocabulary, learning rate, QK norm and rotary base are not "
                           "among them.</p>\n<pre class=\"config\"><code>");
        memx_report_text(r, flags.data);
        memx_report_put(r, "</code></pre>\n");
    }
    memx_report_put(r, "</section>\n");
    memx_text_free(&flags);
    return MEMX_OK;
}

/* ---- end ---- */

static void add_end(memx_report *r) {
    static const char *const words[][2] = {
        {"iteration",
         "one training step: all micro batches of the global batch, forward and backward, the "
         "exchange of gradients and the optimizer's step"},
        {"stage",
         "a part of the model's layers on some of the GPUs; micro batches pass through all stages"},
        {"micro batch", "the sequences that one replica works on at a time"},
        {"replica",
         "one of the groups of GPUs that each work on their own share of the batch (data "
         "parallel)"},
        {"chunk",
         "of an interleaved pipeline: an equal part of a stage's layers; chunks take turns"},
        {"forward, backward", "what a stage computes, and what it waits for in between: tensor and "
                              "context parallel exchanges, and with divided gradients or "
                              "parameters their transfers"},
        {"tensor parallel", "one layer's work shared among several GPUs of a node"},
        {"recompute",
         "to drop activations and compute them again in the backward: less memory, more time"},
        {"none, selective, full, block N, uniform N",
         "what a configuration's text says a stage recomputes: nothing, attention, all layers, the "
         "first N layers (block1: the first one), all layers in groups of N; of each chunk, where "
         "there are chunks"},
        {"swap N, offload X",
         "there too: the activations of the first N layers, X % of the optimizer's state, are on "
         "the host"},
        {"cards differ by", "the standard deviation, over all GPUs, of the memory that each holds"},
        {"driver", "on a card: driver context and communicators"},
        {"model state", "on a card: weights, gradients and the optimizer's state of its layers"},
        {"activations", "on a card: what forwards keep for their backwards"},
        {"work space", "on a card: what a layer needs while it is computed again"},
        {"logits", "on cards of the last stage: the model's output and its gradient"},
        {"optimizer's own", "on a card: what the optimizer needs for a step beside its state"},
        {"phi", "time, peak and variance of memory, each to the power of its weight, "
                "multiplied; divided by the same of the medians of all configurations that fit"},
    };
    memx_report_put(
        r,
        "<section aria-labelledby=\"words\">\n<h2 id=\"words\">Words</h2>\n<dl class=\"words\">\n");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        memx_report_put(r, "<dt>");
        memx_report_text(r, words[i][0]);
        memx_report_put(r, "</dt><dd>");
        memx_report_text(r, words[i][1]);
        memx_report_put(r, ".</dd>\n");
    }
    memx_report_put(
        r, "</dl>\n</section>\n</main>\n<footer>\n<p>Times and memory are predictions (predictor ");
    memx_report_text(r, r->chosen->predictor.data ? r->chosen->predictor.data : "");
    memx_report_put(
        r,
        strcmp(r->study->pricer.name, memx_analytic_pricer.name) == 0
            ? ": formulas with the catalog's figures, no measurement went in). Check the pick "
              "with a short run before a long one."
            : ", learned from measurements). Check the pick with a short run before a long one.");
    memx_report_put(r,
                    "</p>\n<p>MemX " MEMX_VERSION ", memx_report. The same database gives the same "
                    "page.</p>\n</footer>\n</body>\n</html>\n");
}

static memx_status write_page(memx_report *r, memx_error *error) {
    static memx_status (*const parts[])(memx_report *, memx_error *) = {
        add_ranking,           memx_report_scatter, memx_report_memory,    memx_report_schedule,
        memx_report_recompute, add_launch,          memx_report_ruled_out, memx_report_runs,
    };
    add_begin(r);
    memx_status status = memx_report_each(r, memx_sql_job, NULL, 0.0, add_job, NULL, error);
    if (!status) status = add_summary(r);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && !status; i++) {
        status = parts[i](r, error);
    }
    add_end(r);
    if (!status && r->page.failed) status = MEMX_NOMEM;
    return status;
}

/* Reads the job and the picks, and prices what the page is about. */
static memx_status open_report(memx_report *r, memx_error *error) {
    const memx_poll *poll = memx_session_poll(r->session);
    memx_status status = memx_session_study(r->session, r->job, NULL, true, poll, &r->study, error);
    if (!status) status = memx_study_reference(r->study, poll, &r->reference, error);
    if (!status) {
        status = memx_session_weights(r->session, r->study, poll, &r->weights, error);
    }
    if (!status && r->asked) { /* said of the text asked about, not of a table within */
        status = memx_session_priced(r->study, r->asked, &r->priced, error);
        memx_priced_close(&r->priced);
    }
    if (!status)
        status = memx_report_each(r, memx_sql_picks, r->asked, 0.0, read_pick, NULL, error);
    if (!status && !r->chosen) {
        return memx_invalid(
            error,
            "job '%.64s': no configuration fits; SELECT * FROM memx_why('%.64s') says why, and "
            "memx_report('%.64s', CONFIG) reports on one that does not",
            r->job, r->job, r->job);
    }
    if (!status) {
        status = memx_session_priced(r->study, r->chosen->config.data, &r->priced, error);
    }
    if (!status) {
        status = memx_timeline_open(&r->priced, &r->study->pricer, &r->timeline, error);
    }
    return status;
}

static void close_report(memx_report *r) {
    memx_timeline_close(&r->timeline);
    memx_priced_close(&r->priced);
    for (int i = 0; i < MEMX_PICKS; i++) {
        memx_text_free(&r->picks[i].config);
        memx_text_free(&r->picks[i].predictor);
    }
    memx_text_free(&r->page);
    memx_study_release(r->study);
}

void memx_report_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    memx_report r = {.db = sqlite3_context_db_handle(context),
                     .session = sqlite3_user_data(context)};
    memx_error error = {.text = ""};
    if (memx_any_null(argc, argv)) return;
    memx_session_enter(r.session, "memx_report");
    memx_status status = memx_argument_text(argv[0], "job", &r.job, &error);
    if (!status && argc > 1) status = memx_argument_text(argv[1], "config", &r.asked, &error);
    if (!status) status = open_report(&r, &error);
    if (!status) status = write_page(&r, &error);
    if (status) {
        memx_result_fail(context, status, &error);
    } else {
        memx_result_text(context, &r.page);
    }
    close_report(&r);
    memx_session_leave(r.session);
}
