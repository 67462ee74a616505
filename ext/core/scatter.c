#include "core/scatter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Pixels down, and per cent across. */
enum { TOP = 44, BOTTOM = 320, HEIGHT = 362, LEFT = 2, RIGHT = 98, LABEL = 16, MOST_LABELS = 16 };

typedef struct frame {
    const memx_scatter *chart;
    memx_scale x, y;
    memx_text *out;
} frame;

static void cover(const memx_chart_point *p, memx_chart_point *least, memx_chart_point *most) {
    least->x = fmin(least->x, p->x);
    least->y = fmin(least->y, p->y);
    most->x = fmax(most->x, p->x);
    most->y = fmax(most->y, p->y);
}

static void find_axes(frame *f) {
    const memx_scatter *c = f->chart;
    memx_chart_point least = {c->least_x, 0.0}, most = {c->least_x, 0.0};
    for (size_t i = 0; i < c->cloud_count; i++) cover(&c->cloud[i], &least, &most);
    for (size_t i = 0; i < c->front_count; i++) cover(&c->front[i], &least, &most);
    for (size_t i = 0; i < c->marked_count; i++) cover(&c->marked[i].at, &least, &most);
    if (c->diagonal) {
        most.x = most.y = fmax(most.x, most.y);
        least.x = least.y = fmin(least.x, least.y);
    }
    f->x = memx_scale_around(least.x, most.x, 5);
    f->y = memx_scale_around(least.y, most.y, 5);
}

static double across(const frame *f, double x) {
    return LEFT + (RIGHT - LEFT) * memx_scale_share(&f->x, x);
}

static double down(const frame *f, double y) {
    return BOTTOM - (BOTTOM - TOP) * memx_scale_share(&f->y, y);
}

/* Labels of the vertical axis stand on its lines, so that points have the whole width. */
static void draw_rows(const frame *f) {
    int steps = (int)lround((f->y.most - f->y.least) / f->y.step);
    for (int i = 0; i <= steps; i++) {
        double y = f->y.least + f->y.step * i;
        memx_svg_line(f->out, i == 0 ? "axis" : "grid", 0.0, down(f, y), 100.0, down(f, y));
    }
}

static void draw_row_labels(const frame *f) {
    int steps = (int)lround((f->y.most - f->y.least) / f->y.step);
    for (int i = 1; i <= steps; i++) {
        double y = f->y.least + f->y.step * i;
        char label[MEMX_NUMBER_TEXT];
        memx_text_fixed(y, f->y.decimals, label);
        memx_svg_text(f->out, "tick halo", MEMX_START, 0.0, down(f, y) - 4.0, label);
    }
}

static void draw_points(const frame *f) {
    const memx_scatter *c = f->chart;
    for (size_t i = 0; i < c->cloud_count; i++) {
        memx_svg_dot(f->out, "cloud", across(f, c->cloud[i].x), down(f, c->cloud[i].y));
    }
    for (size_t i = 0; i + 1 < c->front_count; i++) {
        const memx_chart_point *a = &c->front[i], *b = &c->front[i + 1];
        memx_svg_line(f->out, "front", across(f, a->x), down(f, a->y), across(f, b->x),
                      down(f, b->y));
    }
    for (size_t i = 0; i < c->front_count; i++) {
        memx_svg_mark(f->out, "front", across(f, c->front[i].x), down(f, c->front[i].y),
                      "M-3 0L0-3 3 0 0 3Z");
    }
}

static const char *shape(const char *class) {
    if (strcmp(class, "fastest") == 0) return "M-7 6H7L0-7Z";
    if (strcmp(class, "even") == 0) return "M-6-6H6V6H-6Z";
    if (strcmp(class, "run") == 0) return "M-4-4L4 4M-4 4L4-4";
    return "M-8 0A8 8 0 1 1 8 0A8 8 0 1 1-8 0Z";
}

/* A label stands beside its mark, on the side with more room; one that would run into another goes above or
** below it. */
static void draw_labels(const frame *f) {
    const memx_scatter *c = f->chart;
    double taken[MOST_LABELS];
    size_t labels = 0;
    for (size_t i = 0; i < c->marked_count; i++) {
        const memx_marked *m = &c->marked[i];
        if (!m->label || labels == MOST_LABELS) continue;
        double x = across(f, m->at.x), y = down(f, m->at.y) - 9.0;
        bool free = false;
        for (size_t tries = 0; !free && tries < 2 * labels + 1; tries++) {
            free = true;
            for (size_t j = 0; j < labels && free; j++) {
                if (fabs(taken[j] - y) >= LABEL) continue;
                free = false;
                y = taken[j] - LABEL > TOP / 2.0 ? taken[j] - LABEL : taken[j] + LABEL;
            }
        }
        taken[labels++] = y;
        memx_svg_label(f->out, "label halo", x >= 50.0, x, y, m->label);
    }
}

void memx_scatter_draw(const memx_scatter *chart, memx_text *out) {
    frame f = {.chart = chart, .out = out};
    find_axes(&f);
    memx_svg_begin(out, chart->id, HEIGHT, chart->title, chart->description);
    memx_svg_text(out, "name", MEMX_START, 0.0, 16.0, chart->y_name);
    draw_rows(&f);
    memx_svg_columns(out, &f.x, LEFT, RIGHT, BOTTOM, BOTTOM + 4.0);
    if (chart->diagonal) {
        memx_svg_line(out, "diagonal", LEFT, BOTTOM, RIGHT, TOP);
    }
    draw_points(&f);
    draw_row_labels(&f);
    for (size_t i = chart->marked_count; i-- > 0;) {
        const memx_marked *m = &chart->marked[i];
        char class[32];
        snprintf(class, sizeof class, "mark %s", m->class);
        memx_svg_mark(out, class, across(&f, m->at.x), down(&f, m->at.y), shape(m->class));
    }
    draw_labels(&f);
    memx_svg_text(out, "name", MEMX_END, 100.0, HEIGHT - 6.0, chart->x_name);
    memx_svg_end(out);
}
