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
enum { MEMX_FIXED_TEXT = 352 }; /* room for any double with up to 30 decimals, and its NUL */
/* So many decimals, with a point whatever the host's locale. Answers `out`. */
const char *memx_text_fixed(double x, int decimals, char out[MEMX_FIXED_TEXT]);
/* What stands between the quotes of a JSON string: quotes and backslashes escaped, control characters
** blank. */
void memx_text_json(memx_text *text, const char *string);
/* What stands between tags, or between the quotes of an attribute, of HTML and XML: markup escaped, control
** characters blank, broken UTF-8 as replacement characters. */
void memx_text_html(memx_text *text, const char *string);
/* Length of the UTF-8 character that starts here; 0 when none does (RFC 3629: nothing overlong, no
** surrogates, nothing beyond U+10FFFF). */
size_t memx_utf8_length(const unsigned char *s);
void memx_text_free(memx_text *text);

#endif
