#include "core/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(memx_text *text, size_t extra) {
    if (text->failed) return false;
    if (text->capacity - text->length > extra) return true;
    size_t capacity = (text->length + extra + 64) * 2;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void memx_text_add(memx_text *text, const char *bytes, size_t length) {
    if (!reserve(text, length)) return;
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void memx_text_printf(memx_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(text, (size_t)length)) return;
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

/* All but digits, signs and the exponent's letter is the locale's point, of one byte or more. */
static const char *with_point(char *number) {
    char *to = number;
    for (const char *from = number; *from; from++) {
        if (strchr("0123456789+-e", *from)) {
            *to++ = *from;
        } else if (to == number || to[-1] != '.') {
            *to++ = '.';
        }
    }
    *to = '\0';
    return number;
}

const char *memx_text_fixed(double x, int decimals, char out[MEMX_NUMBER_TEXT]) {
    snprintf(out, MEMX_NUMBER_TEXT, "%.*f", decimals < 30 ? decimals : 30, x);
    return with_point(out);
}

const char *memx_text_general(double x, int digits, char out[MEMX_NUMBER_TEXT]) {
    snprintf(out, MEMX_NUMBER_TEXT, "%.*g", digits < 30 ? digits : 30, x);
    return with_point(out);
}

void memx_text_number(memx_text *text, double x, int digits) {
    char number[MEMX_NUMBER_TEXT];
    const char *what = isfinite(x) ? memx_text_general(x, digits, number) : "null";
    memx_text_add(text, what, strlen(what));
}

void memx_text_decimal(memx_text *text, double x, int decimals) {
    char number[MEMX_NUMBER_TEXT];
    const char *what = isfinite(x) ? memx_text_fixed(x, decimals, number) : "null";
    memx_text_add(text, what, strlen(what));
}

void memx_text_json(memx_text *text, const char *string) {
    for (const char *c = string; *c; c++) {
        if (*c == '"' || *c == '\\') memx_text_add(text, "\\", 1);
        memx_text_add(text, (unsigned char)*c < ' ' ? " " : c, 1);
    }
}

size_t memx_utf8_length(const unsigned char *s) {
    size_t length;
    unsigned char least = 0x80, most = 0xbf; /* of the second byte */
    if (s[0] < 0x80) return 1;
    if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
    length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (s[0] == 0xe0) least = 0xa0;
    if (s[0] == 0xed) most = 0x9f;
    if (s[0] == 0xf0) least = 0x90;
    if (s[0] == 0xf4) most = 0x8f;
    if (s[1] < least || s[1] > most) return 0;
    for (size_t i = 2; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
    }
    return length;
}

/* What XML has a name for, or cannot hold; NULL for all others. */
static const char *reference(const unsigned char *c, size_t length) {
    if (length == 0) return "&#65533;";
    if (length == 3 && c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe) return "&#65533;";
    if (length > 1) return NULL;
    switch (*c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return *c < ' ' || *c == 0x7f ? " " : NULL;
    }
}

void memx_text_html(memx_text *text, const char *string) {
    const unsigned char *c = (const unsigned char *)string;
    while (*c) {
        size_t length = memx_utf8_length(c);
        const char *name = reference(c, length);
        if (name) {
            memx_text_add(text, name, strlen(name));
        } else {
            memx_text_add(text, (const char *)c, length);
        }
        c += length ? length : 1;
    }
}

void memx_text_free(memx_text *text) {
    free(text->data);
    *text = (memx_text){0};
}
