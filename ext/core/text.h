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
enum { MEMX_NUMBER_TEXT = 352 }; /* room for any double with up to 30 decimals, and its NUL */
/* A finite number with a point whatever the host's locale, which memx_text_printf would follow: with so many
** decimals, or so many significant digits. Answer `out`. */
const char *memx_text_fixed(double x, int decimals, char out[MEMX_NUMBER_TEXT]);
const char *memx_text_general(double x, int digits, char out[MEMX_NUMBER_TEXT]);
/* The same as JSON, which has null for what is not finite: significant digits, a whole number where it is one;
** decimals, a real number always. */
void memx_text_number(memx_text *text, double x, int digits);
void memx_text_decimal(memx_text *text, double x, int decimals);
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
