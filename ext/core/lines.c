#include "core/lines.h"

#include <string.h>

memx_span memx_span_of(const char *text) {
    return (memx_span){text, strlen(text)};
}

memx_span memx_span_from(memx_span span, size_t offset) {
    if (offset > span.length) offset = span.length;
    if (offset == 0) return span;
    return (memx_span){span.at + offset, span.length - offset};
}

bool memx_next_line(memx_span *rest, memx_span *line) {
    if (rest->length == 0) return false;
    const char *end = memchr(rest->at, '\n', rest->length);
    size_t length = end ? (size_t)(end - rest->at) : rest->length;
    *line = (memx_span){rest->at, length};
    *rest = memx_span_from(*rest, end ? length + 1 : length);
    if (line->length > 0 && line->at[line->length - 1] == '\r') line->length--;
    return true;
}

static bool is_blank(char c) {
    return (unsigned char)c <= ' ' || c == 0x7f;
}

memx_span memx_span_skip(memx_span span) {
    while (span.length > 0 && is_blank(span.at[0])) span = memx_span_from(span, 1);
    return span;
}

memx_span memx_span_trim(memx_span span) {
    span = memx_span_skip(span);
    while (span.length > 0 && is_blank(span.at[span.length - 1])) span.length--;
    return span;
}

bool memx_span_equal(memx_span span, const char *text) {
    return span.length == strlen(text) && memx_span_begins(span, text);
}

bool memx_span_begins(memx_span span, const char *text) {
    size_t length = strlen(text);
    return span.length >= length && memcmp(span.at, text, length) == 0;
}

bool memx_span_has_nul(memx_span span) {
    return span.length > 0 && memchr(span.at, '\0', span.length);
}

size_t memx_span_find(memx_span span, const char *text) {
    size_t length = strlen(text), offset = 0;
    while (offset + length <= span.length) {
        const char *at = memchr(span.at + offset, text[0], span.length - offset - length + 1);
        if (!at) break;
        offset = (size_t)(at - span.at);
        if (memcmp(at, text, length) == 0) return offset;
        offset++;
    }
    return span.length;
}

static size_t digits(memx_span span) {
    size_t n = 0;
    while (n < span.length && span.at[n] >= '0' && span.at[n] <= '9') n++;
    return n;
}

bool memx_take_whole(memx_span *span, int64_t *out) {
    enum { MOST_DIGITS = 18 };
    size_t n = digits(*span);
    if (n == 0 || n > MOST_DIGITS) return false;
    *out = 0;
    for (size_t i = 0; i < n; i++) *out = *out * 10 + (span->at[i] - '0');
    *span = memx_span_from(*span, n);
    return true;
}

/* x * 10^power, power from -400 to 400. */
static double scaled(double x, int power) {
    double factor = 1.0;
    for (int i = power < 0 ? -power : power; i > 0; i--) factor *= 10.0;
    return power < 0 ? x / factor : x * factor;
}

bool memx_take_number(memx_span *span, double *out) {
    enum { MOST_POWER = 400 };
    memx_span rest = *span;
    bool negative = memx_take(&rest, "-");
    size_t whole = digits(rest), part = 0;
    double x = 0.0;
    int power = 0;
    for (size_t i = 0; i < whole; i++) x = x * 10.0 + (rest.at[i] - '0');
    rest = memx_span_from(rest, whole);
    if (rest.length > 1 && rest.at[0] == '.') {
        memx_span fraction = memx_span_from(rest, 1);
        part = digits(fraction);
        for (size_t i = 0; i < part && i < MOST_POWER; i++) {
            if (x > 1e15) break; /* a double holds no more */
            x = x * 10.0 + (fraction.at[i] - '0');
            power--;
        }
        if (part > 0) rest = memx_span_from(fraction, part);
    }
    if (whole + part == 0) return false;
    if (rest.length > 1 && (rest.at[0] == 'e' || rest.at[0] == 'E')) {
        memx_span exponent = memx_span_from(rest, 1);
        bool down = memx_take(&exponent, "-");
        int64_t n = 0;
        if (!down) memx_take(&exponent, "+");
        if (memx_take_whole(&exponent, &n)) {
            if (n > MOST_POWER) n = MOST_POWER;
            power += down ? -(int)n : (int)n;
            rest = exponent;
        }
    }
    x = scaled(x, power);
    *out = negative ? -x : x;
    *span = rest;
    return true;
}

bool memx_take(memx_span *span, const char *text) {
    if (!memx_span_begins(*span, text)) return false;
    *span = memx_span_from(*span, strlen(text));
    return true;
}

int memx_quoted(memx_span span) {
    enum { MOST = 60 };
    return span.length < MOST ? (int)span.length : MOST;
}

bool memx_text_is_utf16(memx_span *text) {
    if (memx_span_begins(*text, "\xff\xfe") || memx_span_begins(*text, "\xfe\xff")) return true;
    memx_take(text, "\xef\xbb\xbf");
    return false;
}
