/*
** Reading texts that others wrote, line by line: spans of bytes that need no NUL at their end and may hold
** any, numbers whatever the locale, and messages that name the line.
*/
#ifndef MEMX_CORE_LINES_H
#define MEMX_CORE_LINES_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct memx_span {
    const char *at;
    size_t length;
} memx_span;

/* Of a NUL-terminated text. */
memx_span memx_span_of(const char *text);

/* Without its first bytes, at most all of them. */
memx_span memx_span_from(memx_span span, size_t offset);

/* The next line without its end (LF or CR LF), taken off the rest. False where nothing is left. */
bool memx_next_line(memx_span *rest, memx_span *line);

/* Blanks, tabs and other control characters off both ends; off the front alone. */
memx_span memx_span_trim(memx_span span);
memx_span memx_span_skip(memx_span span);

bool memx_span_equal(memx_span span, const char *text);
bool memx_span_begins(memx_span span, const char *text);
bool memx_span_has_nul(memx_span span);

/* Where a text begins in the span; its length where nowhere. */
size_t memx_span_find(memx_span span, const char *text);

/* Takes a whole number of up to 18 digits, or a number as 12, 1.5, 1e-3, off the front. False, and
** nothing is taken, where none is there. */
bool memx_take_whole(memx_span *span, int64_t *out);
bool memx_take_number(memx_span *span, double *out);

/* Takes a text off the front where it is there. */
bool memx_take(memx_span *span, const char *text);

/* For `%.*s`: as much of a span as a message should quote. */
int memx_quoted(memx_span span);

/* Whether the text is UTF-16, which Windows shells write. A byte order mark of UTF-8 is taken off. */
bool memx_text_is_utf16(memx_span *text);

#endif
