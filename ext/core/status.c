#include "core/status.h"

#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Control characters become blanks, broken characters question marks; one cut by the buffer's end
** or by a precision in the format goes. */
static void clean(char *text) {
    unsigned char *in = (unsigned char *)text, *out = in;
    while (*in) {
        size_t length = memx_utf8_length(in);
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

memx_status memx_prefix_job(memx_error *error, memx_status status, const char *job,
                            const char *config) {
    char prefix[160];
    int length = snprintf(prefix, sizeof prefix, "job '%.64s'", job);
    if (config) {
        snprintf(prefix + length, sizeof prefix - (size_t)length, ", config '%.60s%s'", config,
                 strlen(config) > 60 ? "..." : "");
    }
    return memx_prefix(error, status, prefix);
}
