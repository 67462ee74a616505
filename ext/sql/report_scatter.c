/*
** The part of memx_report with the scatter of time against how much the cards' memory differs, and the
** table of what nothing beats.
*/
#include "sql/report.h"

#include "core/scatter.h"
#include "core/words.h"
#include "schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* A space that is drawn and counted in full. */
#define MOST_DRAWN 1e6
/* The scatter shows what takes up to so many times the fastest. */
#define WINDOW 2.0
enum { MOST_FRONT_ROWS = 8 }; /* of the table */

/* A row of schema/report/front.sql; of cloud.sql only the first two figures. */
typedef struct point {
    double iteration_ms, spread_mib, slowdown, peak_mib, headroom;
    memx_text config;
} point;

typedef struct points {
    memx_chart_point *data; /* seconds and GiB */
    point *rows;            /* of a front */
    size_t count, capacity;
    double configurations; /* that the points stand for */
} points;

static void free_points(points *p) {
    for (size_t i = 0; p->rows && i < p->count; i++) memx_text_free(&p->rows[i].config);
    free(p->rows);
    free(p->data);
}

static memx_status grow(points *p, bool rows) {
    if (p->count < p->capacity) return MEMX_OK;
    size_t capacity = 2 * p->capacity + 256;
    memx_chart_point *data = realloc(p->data, capacity * sizeof *data);
    if (!data) return MEMX_NOMEM;
    p->data = data;
    if (rows) {
        point *more = realloc(p->rows, capacity * sizeof *more);
        if (!more) return MEMX_NOMEM;
        p->rows = more;
    }
    p->capacity = capacity;
    return MEMX_OK;
}

static memx_status see_cloud(memx_report *r, void *context, sqlite3_stmt *row, memx_error *error) {
    points *cloud = context;
    (void)r, (void)error;
    if (grow(cloud, false)) return MEMX_NOMEM;
    cloud->data[cloud->count++] = (memx_chart_point){sqlite3_column_double(row, 0) / 1e3,
                                                     sqlite3_column_double(row, 1) / 1024.0};
    cloud->configurations += sqlite3_column_double(row, 2);
    return MEMX_OK;
}

static memx_status see_front(memx_report *r, void *context, sqlite3_stmt *row, memx_error *error) {
    points *front = context;
    const char *config = (const char *)sqlite3_column_text(row, 5);
    (void)r, (void)error;
    if (!config || grow(front, true)) return MEMX_NOMEM;
    point *p = &front->rows[front->count];
    *p = (point){sqlite3_column_double(row, 0), sqlite3_column_double(row, 1),
                 sqlite3_column_double(row, 2), sqlite3_column_double(row, 3),
                 sqlite3_column_double(row, 4), {0}};
    memx_text_add(&p->config, config, strlen(config));
    front->data[front->count++] = (memx_chart_point){p->iteration_ms / 1e3, p->spread_mib / 1024.0};
    return p->config.failed ? MEMX_NOMEM : MEMX_OK;
}

/* Evenly along the front, with both ends. */
static memx_status add_front(memx_report *r, const points *front, memx_error *error) {
    static const char *const heads[] = {"<one iteration", "over the fastest",
                                        "cards differ by, GiB", "fullest card, GiB",
                                        "free, tightest card"};
    bool all = front->count <= MOST_FRONT_ROWS;
    size_t steps = MOST_FRONT_ROWS - 1;
    memx_status status = MEMX_OK;
    memx_report_table(r, "front-table",
                      all ? "What nothing beats" : "What nothing beats, evenly along the line",
                      heads, 5);
    for (size_t i = 0; i < front->count && !status; i++) {
        const point *p = &front->rows[i];
        char a[MEMX_WORDS], b[MEMX_WORDS], c[MEMX_WORDS], d[MEMX_WORDS];
        bool shown =
            all || i == 0 || i * steps / (front->count - 1) > (i - 1) * steps / (front->count - 1);
        if (!shown) continue;
        bool chosen = strcmp(p->config.data, r->chosen->config.data) == 0;
        memx_report_put(r, chosen ? "</tbody>\n<tbody class=\"chosen\"><tr>" : "<tr>");
        memx_report_head(r, "%s", memx_words_time(p->iteration_ms, a));
        memx_report_cell(r, "%.1f %%", 100.0 * (p->slowdown - 1.0));
        memx_report_cell(r, "%s", memx_words_gib(p->spread_mib, b));
        memx_report_cell(r, "%s", memx_words_gib(p->peak_mib, c));
        memx_report_cell(r, "%s", memx_words_share(p->headroom, d));
        status = memx_report_config(r, p->config.data, 5, error);
        if (chosen) memx_report_put(r, "</tbody>\n<tbody>\n");
    }
    memx_report_end_table(r);
    return status;
}

/* The chosen pick first, then those that are others. */
static size_t mark_picks(const memx_report *r, memx_marked *out) {
    const memx_pick *fastest = &r->picks[MEMX_FASTEST], *even = &r->picks[MEMX_LEAST_PHI];
    const memx_pick *within = &r->picks[MEMX_WITHIN], *c = r->chosen;
    struct {
        const memx_pick *pick;
        const char *label, *class;
    } all[] = {
        {c,
         memx_pick_same(c, fastest)
             ? memx_pick_same(c, even) ? "this page: fastest, least phi" : "this page: fastest"
         : memx_pick_same(c, even) ? "this page: least phi"
                                   : "this page",
         "pick"},
        {fastest, "fastest", "fastest"},
        {even, "least phi", "even"},
        {within, "within 10 %", "within"}};
    size_t count = 0;
    for (size_t i = 0; i < 4; i++) {
        bool known = !all[i].pick->there;
        for (size_t j = 0; j < i && !known; j++) known = memx_pick_same(all[i].pick, all[j].pick);
        if (known) continue;
        out[count++] =
            (memx_marked){{all[i].pick->iteration_ms / 1e3, all[i].pick->spread_mib / 1024.0},
                          all[i].label,
                          all[i].class};
    }
    return count;
}

static void explain_scatter(memx_report *r, const points *cloud, bool drawn) {
    double left = memx_count_double(r->reference->feasible) - cloud->configurations;
    memx_report_put(r, "<p>To the left is faster, further down is more even. ");
    if (!drawn) {
        memx_report_put(r, "The space is too large to draw all of it: the line joins the most even "
                           "configurations within bounds on the time. ");
    } else {
        memx_report_put(
            r, "No configuration lies below or to the left of the line: along it, evenness "
               "is bought with time. Each small dot is one configuration or several that "
               "are nearly alike. ");
        if (left > 0.5) {
            char digits[MEMX_WORDS];
            sqlite3_snprintf((int)sizeof digits, digits, "%.0f", left);
            memx_words_digits(digits, &r->page);
            memx_report_put(r, left < 1.5 ? " slower one is left out. "
                                          : " slower ones are left out. ");
        }
    }
    memx_report_put(r,
                    "The score also counts the fullest card, so that its picks need not lie on the "
                    "line.</p>\n");
}

static memx_status draw_scatter(memx_report *r, const points *cloud, const points *front) {
    static const memx_legend legend[] = {
        {"mark pick", "M0 7A7 7 0 1 1 14 7A7 7 0 1 1 0 7Z", "this page"},
        {"mark fastest", "M0 14H14L7 0Z", "fastest"},
        {"mark even", "M1 1H13V13H1Z", "least phi of all"},
        {"front-swatch", "M0 7H14M7 3L11 7 7 11 3 7Z", "what nothing beats (Pareto front)"},
        {"cloud", "M5 7A2 2 0 1 1 9 7A2 2 0 1 1 5 7Z", "other configurations"},
    };
    memx_marked marked[MEMX_PICKS];
    char description[320], a[MEMX_WORDS], b[MEMX_WORDS];
    const memx_pick *c = r->chosen;
    snprintf(description, sizeof description,
             "Each point is a configuration. This page's takes %s and its cards differ by %s GiB. "
             "The line of what nothing beats has %zu point%s; the table below lists them.",
             memx_words_time(c->iteration_ms, a), memx_words_gib(c->spread_mib, b), front->count,
             memx_s((int64_t)front->count));
    memx_scatter chart = {
        .id = "scatter",
        .title = "Time of an iteration against how much the cards' memory differs",
        .description = description,
        .x_name = "one iteration, seconds",
        .y_name = "cards differ by, GiB (standard deviation)",
        .least_x = (r->picks[MEMX_FASTEST].there ? &r->picks[MEMX_FASTEST] : c)->iteration_ms / 1e3,
        .cloud = cloud->data,
        .cloud_count = cloud->count,
        .front = front->data,
        .front_count = front->count,
        .marked = marked,
        .marked_count = mark_picks(r, marked),
    };
    memx_report_put(r, "<figure>\n");
    memx_report_legend(r, legend, sizeof legend / sizeof legend[0]);
    memx_scatter_draw(&chart, &r->page);
    memx_report_put(r, "</figure>\n");
    return r->page.failed ? MEMX_NOMEM : MEMX_OK;
}

memx_status memx_report_scatter(memx_report *r, memx_error *error) {
    const memx_pick *fastest = &r->picks[MEMX_FASTEST];
    points cloud = {0}, front = {0};
    if (!fastest->there) return MEMX_OK;
    bool drawn = memx_count_double(r->reference->feasible) <= MOST_DRAWN;
    double most = WINDOW * fastest->iteration_ms;
    for (int i = 0; i < MEMX_PICKS; i++) {
        if (r->picks[i].there) most = fmax(most, r->picks[i].iteration_ms * 1.02);
    }
    memx_status status = MEMX_OK;
    if (drawn) status = memx_report_each(r, memx_sql_cloud, NULL, most, see_cloud, &cloud, error);
    if (!status) {
        status = memx_report_each(r, drawn ? memx_sql_front : memx_sql_front_large, NULL, most,
                                  see_front, &front, error);
    }
    if (!status) {
        memx_report_section(r, "trade", "Time against evenness");
        explain_scatter(r, &cloud, drawn);
        status = draw_scatter(r, &cloud, &front);
        if (!status) status = add_front(r, &front, error);
        memx_report_put(r, "</section>\n");
    }
    free_points(&cloud);
    free_points(&front);
    return status;
}
