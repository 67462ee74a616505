#include "core/svg.h"

#include <math.h>
#include <string.h>

memx_scale memx_scale_around(double least, double most, int steps) {
    if (!(most > least)) most = least + (least != 0.0 ? fabs(least) : 1.0);
    double rough = (most - least) / (double)steps;
    double power = pow(10.0, floor(log10(rough)));
    double times = rough / power;
    memx_scale scale = {.step = power * (times <= 1.0   ? 1.0
                                         : times <= 2.0 ? 2.0
                                         : times <= 5.0 ? 5.0
                                                        : 10.0)};
    scale.least = scale.step * floor(least / scale.step + 1e-9);
    scale.most = scale.step * ceil(most / scale.step - 1e-9);
    scale.decimals = scale.step >= 1.0 ? 0 : (int)ceil(-log10(scale.step) - 1e-9);
    return scale;
}

double memx_scale_share(const memx_scale *scale, double x) {
    return (x - scale->least) / (scale->most - scale->least);
}

/* Two decimals of a per cent or pixel are enough, and none where they are zeros. */
static void add_length(memx_text *out, const char *name, double x, const char *unit) {
    char digits[MEMX_NUMBER_TEXT];
    size_t length = strlen(memx_text_fixed(x, 2, digits));
    while (digits[length - 1] == '0') length--;
    if (digits[length - 1] == '.') length--;
    memx_text_printf(out, " %s=\"%.*s%s\"", name, (int)length, digits, unit);
}

static void begin(memx_text *out, const char *element, const char *class) {
    memx_text_printf(out, "<%s class=\"%s\"", element, class);
}

void memx_svg_begin(memx_text *out, const char *id, double height, const char *title,
                    const char *description) {
    memx_text_printf(out, "<svg role=\"img\" id=\"%s\" width=\"100%%\"", id);
    add_length(out, "height", height, "");
    memx_text_printf(out, " aria-labelledby=\"%s-title %s-desc\">\n<title id=\"%s-title\">", id, id,
                     id);
    memx_text_html(out, title);
    memx_text_printf(out, "</title>\n<desc id=\"%s-desc\">", id);
    memx_text_html(out, description);
    memx_text_printf(out, "</desc>\n");
}

void memx_svg_end(memx_text *out) {
    memx_text_printf(out, "</svg>\n");
}

void memx_svg_rect(memx_text *out, const char *class, double x, double y, double width,
                   double height) {
    begin(out, "rect", class);
    add_length(out, "x", x, "%");
    add_length(out, "y", y, "");
    add_length(out, "width", width, "%");
    add_length(out, "height", height, "");
    memx_text_printf(out, "/>\n");
}

void memx_svg_line(memx_text *out, const char *class, double x1, double y1, double x2, double y2) {
    begin(out, "line", class);
    add_length(out, "x1", x1, "%");
    add_length(out, "y1", y1, "");
    add_length(out, "x2", x2, "%");
    add_length(out, "y2", y2, "");
    memx_text_printf(out, "/>\n");
}

void memx_svg_text(memx_text *out, const char *class, memx_anchor anchor, double x, double y,
                   const char *text) {
    static const char *const names[] = {"start", "middle", "end"};
    begin(out, "text", class);
    if (anchor != MEMX_START) memx_text_printf(out, " text-anchor=\"%s\"", names[anchor]);
    add_length(out, "x", x, "%");
    add_length(out, "y", y, "");
    memx_text_printf(out, ">");
    memx_text_html(out, text);
    memx_text_printf(out, "</text>\n");
}

void memx_svg_mark(memx_text *out, const char *class, double x, double y, const char *path) {
    begin(out, "svg", class);
    add_length(out, "x", x, "%");
    add_length(out, "y", y, "");
    memx_text_printf(out, " overflow=\"visible\"><path d=\"%s\"/></svg>\n", path);
}

void memx_svg_dot(memx_text *out, const char *class, double x, double y) {
    begin(out, "circle", class);
    add_length(out, "cx", x, "%");
    add_length(out, "cy", y, "");
    memx_text_printf(out, " r=\"1.6\"/>\n");
}

void memx_svg_label(memx_text *out, const char *class, bool left, double x, double y,
                    const char *text) {
    begin(out, "svg", class);
    add_length(out, "x", x, "%");
    add_length(out, "y", y, "");
    memx_text_printf(out, " overflow=\"visible\"><text x=\"%d\" text-anchor=\"%s\">", left ? -6 : 6,
                     left ? "end" : "start");
    memx_text_html(out, text);
    memx_text_printf(out, "</text></svg>\n");
}

void memx_svg_columns(memx_text *out, const memx_scale *scale, double from, double to, double top,
                      double bottom) {
    int steps = (int)floor((scale->most - scale->least) / scale->step + 1e-9);
    for (int i = 0; i <= steps; i++) {
        double at = scale->least + scale->step * i;
        double x = from + (to - from) * memx_scale_share(scale, at);
        memx_anchor anchor = i == 0 ? MEMX_START : x > 97.0 ? MEMX_END : MEMX_MIDDLE;
        char label[MEMX_NUMBER_TEXT];
        memx_text_fixed(at, scale->decimals, label);
        memx_svg_line(out, "grid", x, top, x, bottom);
        memx_svg_text(out, "tick", anchor, x, bottom + 16.0, label);
    }
}
