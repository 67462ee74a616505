/*
** What the parts of memx_report share: the job, its picks, the configuration that the page is about,
** and the page as it grows. report.c opens it and writes the text, report_scatter.c and
** report_figures.c the pictures with their tables.
*/
#ifndef MEMX_SQL_REPORT_H
#define MEMX_SQL_REPORT_H

#include "core/phi.h"
#include "core/timeline.h"
#include "sql/session.h"

#include <stdbool.h>

/* A row of schema/report/picks.sql. */
typedef struct memx_pick {
    bool there;
    memx_text config;
    double iteration_ms, slowdown, peak_mib, spread_mib, headroom, phi, tokens_per_s, bubble;
    double simulated_ms, headroom_mib;
    int slowest_stage, tightest_stage;
    memx_text predictor;
} memx_pick;

/* Whether both are there and are the same configuration. */
bool memx_pick_same(const memx_pick *a, const memx_pick *b);

enum { MEMX_FASTEST, MEMX_LEAST_PHI, MEMX_WITHIN, MEMX_ASKED, MEMX_PICKS };

typedef struct memx_report {
    sqlite3 *db;
    memx_session *session;
    memx_study *study; /* with the job's own space */
    const memx_reference *reference;
    memx_weights weights; /* the job's */
    const char *job;
    const char *asked; /* a configuration, or NULL */
    memx_pick picks[MEMX_PICKS];
    const memx_pick *chosen; /* what the page is about */
    memx_priced priced;      /* the same */
    memx_timeline timeline;  /* of it */
    memx_text page;
} memx_report;

/* Runs one of schema/report: ?1 is the job, ?2 the configuration `config` or NULL, ?3 `number`. */
typedef memx_status (*memx_report_visit)(memx_report *report, void *context, sqlite3_stmt *row,
                                         memx_error *error);
memx_status memx_report_each(memx_report *report, const char *sql, const char *config,
                             double number, memx_report_visit visit, void *context,
                             memx_error *error);

/* ---- the page ---- */

/* HTML as it stands. */
void memx_report_put(memx_report *report, const char *html);
/* Begins a part with its heading; close it with "</section>". */
void memx_report_section(memx_report *report, const char *id, const char *title);

/* What a colour or mark of a picture stands for: a path of 14 by 14 pixels. */
typedef struct memx_legend {
    const char *class, *path, *name;
} memx_legend;
void memx_report_legend(memx_report *report, const memx_legend *entries, size_t count);

/* A text, escaped. */
void memx_report_text(memx_report *report, const char *text);
/* A text column, escaped; "" for NULL. */
void memx_report_column(memx_report *report, sqlite3_stmt *row, int column);

/* A table in its own scroller. `heads` are words; those that begin with '<' are of columns of words, which
** stand on the left. Close with memx_report_end_table. */
void memx_report_table(memx_report *report, const char *id, const char *caption,
                       const char *const *heads, size_t count);
void memx_report_end_table(memx_report *report);
/* A cell of figures, and one that is the head of its row. */
__attribute__((format(printf, 2, 3))) void memx_report_cell(memx_report *report, const char *format,
                                                            ...);
__attribute__((format(printf, 2, 3))) void memx_report_head(memx_report *report, const char *format,
                                                            ...);
/* Begins a group of rows under a head across so many columns, and its first row. */
__attribute__((format(printf, 4, 5))) void memx_report_group(memx_report *report, bool chosen,
                                                             int columns, const char *format, ...);
/* A configuration's text, broken between stages only. */
void memx_report_code(memx_report *report, const char *config);
/* Ends a row, and adds one that says a configuration in words and as text, across so many columns. */
memx_status memx_report_config(memx_report *report, const char *config, int columns,
                               memx_error *error);

/* ---- parts ---- */

memx_status memx_report_scatter(memx_report *report, memx_error *error);
memx_status memx_report_memory(memx_report *report, memx_error *error);
memx_status memx_report_schedule(memx_report *report, memx_error *error);
memx_status memx_report_recompute(memx_report *report, memx_error *error);
memx_status memx_report_ruled_out(memx_report *report, memx_error *error);
memx_status memx_report_runs(memx_report *report, memx_error *error);

#endif
