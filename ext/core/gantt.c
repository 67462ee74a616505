#include "core/gantt.h"

#include "core/whole.h"
#include "core/words.h"

#include <math.h>
#include <stdio.h>

enum { ROW = 36, TOP = 8, BAR = 16, MOST_SLOTS = 24 };
#define GAP 3.0     /* per cent between begin and end */
#define NUMBER 0.65 /* per cent that a digit needs, on a wide page */
#define LABEL 9.0   /* per cent that a label of the axis needs */
#define LEAST 0.04  /* per cent below which a slice cannot be seen */

static int32_t stages_of(const memx_timeline *timeline) {
    return timeline->priced->plan.stage_count;
}

int32_t memx_gantt_stage(const memx_gantt *gantt, const memx_timeline *timeline, int32_t row) {
    int32_t stages = stages_of(timeline);
    return row < gantt->rows / 2 ? row : stages - gantt->rows + row;
}

/* -1 for a stage that is not shown. */
static int32_t row_of(const memx_gantt *gantt, const memx_timeline *timeline, int32_t stage) {
    int32_t hidden = stages_of(timeline) - gantt->rows;
    if (stage < gantt->rows / 2) return stage;
    return stage < gantt->rows / 2 + hidden ? -1 : stage - hidden;
}

typedef struct sums {
    memx_gantt *gantt;
    const memx_timeline *timeline;
} sums;

static memx_status add_slice(void *context, const memx_slice *slice) {
    sums *s = context;
    int32_t row = row_of(s->gantt, s->timeline, slice->stage);
    if (row >= 0) s->gantt->ns[row][slice->kind] += slice->end_ns - slice->begin_ns;
    return MEMX_OK;
}

memx_status memx_gantt_open(const memx_timeline *timeline, const memx_poll *poll, memx_gantt *out) {
    const memx_priced *priced = timeline->priced;
    int64_t slot = 0, tail = 0, stages = stages_of(timeline);
    *out = (memx_gantt){.rows = (int32_t)memx_least(stages, MEMX_GANTT_ROWS)};
    for (int32_t s = 0; s < stages; s++) {
        slot = memx_greatest(slot, priced->options[s].slot_ns);
        tail = memx_greatest(tail, priced->options[s].tail_ns);
    }
    sums s = {out, timeline};
    memx_status status = memx_timeline_walk(timeline, poll, add_slice, &s, &out->total_ns);
    int64_t window = memx_capped_ns(slot * memx_least(stages + 3, MOST_SLOTS));
    tail = memx_least(tail + memx_whole_ns(priced->plan.job->overhead_ms), window);
    out->begin_ns = window;
    out->end_ns = out->total_ns - window - tail;
    if (out->end_ns <= out->begin_ns) out->begin_ns = out->end_ns = out->total_ns;
    return status;
}

/* ---- drawing ---- */

typedef struct pen {
    const memx_gantt *gantt;
    const memx_timeline *timeline;
    memx_text *out;
    double per_ns; /* per cent */
} pen;

static bool whole(const memx_gantt *gantt) {
    return gantt->begin_ns == gantt->end_ns;
}

static double across(const pen *p, int64_t ns) {
    const memx_gantt *g = p->gantt;
    if (ns <= g->begin_ns) return (double)ns * p->per_ns;
    return (double)g->begin_ns * p->per_ns + GAP + (double)(ns - g->end_ns) * p->per_ns;
}

static const char *class_of(memx_slice_kind kind) {
    static const char *const classes[MEMX_SLICE_KINDS] = {"f", "r", "b", "t", "t",
                                                          "",  "s", "o", "v"};
    return classes[kind];
}

static memx_status draw_slice(void *context, const memx_slice *slice) {
    const pen *p = context;
    const memx_gantt *g = p->gantt;
    int32_t row = row_of(g, p->timeline, slice->stage);
    int64_t begin = slice->begin_ns, end = slice->end_ns;
    if (row < 0 || slice->kind == MEMX_SLICE_IDLE) return MEMX_OK;
    if (begin >= g->begin_ns && end <= g->end_ns) return MEMX_OK;
    if (begin < g->begin_ns) end = memx_least(end, g->begin_ns);
    if (begin >= g->begin_ns) begin = memx_greatest(begin, g->end_ns);
    double x = across(p, begin), width = across(p, end) - x;
    if (width < LEAST || end <= begin) return MEMX_OK;
    double y = TOP + ROW * row + 16.0;
    char class[32], number[24];
    snprintf(class, sizeof class, "%s%s", class_of(slice->kind),
             slice->micro_batch == 0 && slice->kind <= MEMX_SLICE_BACKWARD ? " one" : "");
    memx_svg_rect(p->out, class, x, y, width, BAR);
    int digits = snprintf(number, sizeof number, "%lld", (long long)slice->micro_batch + 1);
    if (slice->micro_batch >= 0 && slice->kind != MEMX_SLICE_RECOMPUTE &&
        slice->kind <= MEMX_SLICE_BACKWARD && width > NUMBER * digits) {
        memx_svg_text(p->out, slice->forward ? "n" : "n back", MEMX_MIDDLE, x + width / 2.0,
                      y + 12.0, number);
    }
    return p->out->failed ? MEMX_NOMEM : MEMX_OK;
}

static void draw_row(const pen *p, int32_t row) {
    const memx_priced *priced = p->timeline->priced;
    const memx_gantt *g = p->gantt;
    int32_t stage = memx_gantt_stage(g, p->timeline, row);
    memx_text label = {0};
    memx_text_printf(&label, "stage %d: ", (int)stage);
    memx_stage_devices(priced->plan.job, &priced->config.placement, stage, &label);
    double y = TOP + ROW * row;
    if (!label.failed) memx_svg_text(p->out, "row", MEMX_START, 0.0, y + 12.0, label.data);
    if (label.failed) p->out->failed = true;
    memx_text_free(&label);
    char share[MEMX_WORDS], idle[MEMX_WORDS + 8];
    snprintf(idle, sizeof idle, "idle %s",
             memx_words_share((double)g->ns[row][MEMX_SLICE_IDLE] / (double)g->total_ns, share));
    memx_svg_text(p->out, "row", MEMX_END, 100.0, y + 12.0, idle);
    memx_svg_rect(p->out, "track", 0.0, y + 16.0, across(p, g->begin_ns), BAR);
    if (!whole(g)) {
        double x = across(p, g->end_ns);
        memx_svg_rect(p->out, "track", x, y + 16.0, 100.0 - x, BAR);
    }
}

static void draw_tick(const pen *p, const memx_scale *scale, double seconds, double x,
                      memx_anchor anchor, double bottom) {
    char label[MEMX_NUMBER_TEXT];
    memx_text_fixed(seconds, scale->decimals, label);
    memx_svg_line(p->out, "grid", x, TOP, x, bottom);
    memx_svg_text(p->out, "tick", anchor, x, bottom + 16.0, label);
}

/* Seconds since the begin, at round steps in both parts, and the end. */
static void draw_axis(const pen *p, double bottom) {
    const memx_gantt *g = p->gantt;
    double total = (double)g->total_ns / 1e9;
    double shown = (double)(g->begin_ns + g->total_ns - g->end_ns) / 1e9;
    const memx_scale scale = memx_scale_around(0.0, shown, 10);
    double most = whole(g) ? 100.0 - LABEL : across(p, g->begin_ns) - LABEL / 2.0;
    draw_tick(p, &scale, 0.0, 0.0, MEMX_START, bottom);
    for (int i = 1;; i++) {
        double x = across(p, llround(scale.step * i * 1e9));
        if (x > most || scale.step * i * 1e9 > (double)g->begin_ns) break;
        draw_tick(p, &scale, scale.step * i, x, MEMX_MIDDLE, bottom);
    }
    double first = ceil((double)g->end_ns / 1e9 / scale.step);
    for (int i = 0; !whole(g); i++) {
        double x = across(p, llround(scale.step * (first + i) * 1e9));
        if (x > 100.0 - 1.5 * LABEL) break;
        draw_tick(p, &scale, scale.step * (first + i), x, MEMX_MIDDLE, bottom);
    }
    char digits[MEMX_NUMBER_TEXT], label[MEMX_WORDS];
    snprintf(label, sizeof label, "%.20s s", memx_text_fixed(total, scale.decimals + 1, digits));
    memx_svg_line(p->out, "grid", 100.0, TOP, 100.0, bottom);
    memx_svg_text(p->out, "tick", MEMX_END, 100.0, bottom + 16.0, label);
}

memx_status memx_gantt_draw(const memx_gantt *gantt, const memx_timeline *timeline,
                            const memx_poll *poll, const char *id, const char *title,
                            const char *description, memx_text *out) {
    int64_t end = 0, shown = gantt->begin_ns + gantt->total_ns - gantt->end_ns;
    pen p = {.gantt = gantt, .timeline = timeline, .out = out};
    p.per_ns = (100.0 - (whole(gantt) ? 0.0 : GAP)) / (double)memx_greatest(shown, 1);
    double bottom = TOP + ROW * (double)gantt->rows;
    memx_svg_begin(out, id, bottom + 42.0, title, description);
    for (int32_t row = 0; row < gantt->rows; row++) draw_row(&p, row);
    draw_axis(&p, bottom);
    memx_status status = memx_timeline_walk(timeline, poll, draw_slice, &p, &end);
    if (!whole(gantt)) {
        double x = (across(&p, gantt->begin_ns) + across(&p, gantt->end_ns)) / 2.0;
        for (int32_t row = 0; row < gantt->rows; row++) {
            memx_svg_text(out, "tick", MEMX_MIDDLE, x, TOP + ROW * row + 28.0, "\342\200\246");
        }
    }
    memx_svg_text(out, "name", MEMX_END, 100.0, bottom + 36.0, "time since the iteration began");
    memx_svg_end(out);
    if (!status && out->failed) status = MEMX_NOMEM;
    return status;
}
