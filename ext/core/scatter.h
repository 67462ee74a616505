/*
** A scatter chart (core/svg.h): a cloud, a line of what nothing beats, a few marked points with labels.
*/
#ifndef MEMX_CORE_SCATTER_H
#define MEMX_CORE_SCATTER_H

#include "core/svg.h"

typedef struct memx_chart_point {
    double x, y;
} memx_chart_point;

typedef struct memx_marked {
    memx_chart_point at;
    const char *label; /* NULL: none */
    const char *class; /* "pick", "fastest", "even", "run" */
} memx_marked;

typedef struct memx_scatter {
    const char *id, *title, *description;
    const char *x_name, *y_name;
    double least_x; /* where the horizontal axis may begin; the vertical one begins at 0 */
    const memx_chart_point *cloud, *front; /* the front by x */
    size_t cloud_count, front_count;
    const memx_marked *marked;
    size_t marked_count;
    bool diagonal; /* the line y = x; both axes are then alike */
} memx_scatter;

void memx_scatter_draw(const memx_scatter *chart, memx_text *out);

#endif
