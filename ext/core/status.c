#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Length of the UTF-8 character that starts here; 0 when none does (RFC 3629: nothing overlong, no
** surrogates, nothing beyond U+10FFFF). */
static size_t character(const unsigned char *s) {
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

/* Control characters become blanks, broken characters question marks; one cut by the buffer's end
** or by a precision in the format goes. */
static void clean(char *text) {
    unsigned char *in = (unsigned char *)text, *out = in;
    while (*in) {
        size_t length = character(in);
        if (length == 0) {
            if (in[0] < 0xc2 || out == (unsigned char *)text || out[-1] != '?') *out++ = '?';
            in++;
            continue;
        }
        if (length == 1 && (*in < 0x20 || *in == 0x7f)) *in = ' ';
        memmove(out, in, length);
        out += length;
        in += length;
    }
    *out = '\0';
}

memx_status memx_invalid(memx_error *error, const char *format, ...) {
    if (!error) return MEMX_INVALID;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    clean(error->text);
    return MEMX_INVALID;
}

memx_status memx_prefix(memx_error *error, memx_status status, const char *prefix) {
    if (status == MEMX_INVALID && error) {
        memx_error inner = *error;
        memx_invalid(error, "%.200s: %.300s", prefix, inner.text);
    }
    return status;
}
