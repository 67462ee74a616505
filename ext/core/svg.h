/*
** Pictures as SVG inside HTML: axes with round steps, and the elements that the charts are made of.
**
** Across, everything is in per cent of the picture's width, down in pixels: the picture takes the width of
** its page, and its text stays as large as the page's. Colours are the style sheet's: an element only has a
** class. A picture is one image to a screen reader, with a title and a description.
*/
#ifndef MEMX_CORE_SVG_H
#define MEMX_CORE_SVG_H

#include "core/text.h"

typedef struct memx_scale {
    double least, most; /* what it spans, from a whole step on */
    double step;        /* 1, 2 or 5 times a power of ten */
    int decimals;       /* of its labels */
} memx_scale;

/* Spans [least, most] in whole steps, about `steps` steps; something, even where they are equal. */
memx_scale memx_scale_around(double least, double most, int steps);
/* From 0 at its begin to 1 at its end. */
double memx_scale_share(const memx_scale *scale, double x);

typedef enum memx_anchor { MEMX_START, MEMX_MIDDLE, MEMX_END } memx_anchor;

/* `id` is unique in the page; title and description are plain text. */
void memx_svg_begin(memx_text *out, const char *id, double height, const char *title,
                    const char *description);
void memx_svg_end(memx_text *out);

void memx_svg_rect(memx_text *out, const char *class, double x, double y, double width,
                   double height);
void memx_svg_line(memx_text *out, const char *class, double x1, double y1, double x2, double y2);
void memx_svg_text(memx_text *out, const char *class, memx_anchor anchor, double x, double y,
                   const char *text);
/* `path` is drawn around (x, y), in pixels. */
void memx_svg_mark(memx_text *out, const char *class, double x, double y, const char *path);

void memx_svg_dot(memx_text *out, const char *class, double x, double y);
/* A text some pixels beside a point, to its left or right. */
void memx_svg_label(memx_text *out, const char *class, bool left, double x, double y,
                    const char *text);

/* Lines up and down at every step of a scale that spans `from` to `to` per cent, and the labels below. */
void memx_svg_columns(memx_text *out, const memx_scale *scale, double from, double to, double top,
                      double bottom);

#endif
