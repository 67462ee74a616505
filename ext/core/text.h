/*
** A growing text. A failed allocation is remembered and checked once, at the end.
*/
#ifndef MEMX_CORE_TEXT_H
#define MEMX_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct memx_text {
    char *data; /* NUL-terminated once anything was added; malloc'd, freed by memx_text_free */
    size_t length, capacity;
    bool failed;
} memx_text;

void memx_text_add(memx_text *text, const char *bytes, size_t length);
__attribute__((format(printf, 2, 3))) void memx_text_printf(memx_text *text, const char *format,
                                                            ...);
/* What stands between the quotes of a JSON string: quotes and backslashes escaped, control characters blank. */
void memx_text_json(memx_text *text, const char *string);
void memx_text_free(memx_text *text);

#endif
