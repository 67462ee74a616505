#include "core/text.h"

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

void memx_text_json(memx_text *text, const char *string) {
    for (const char *c = string; *c; c++) {
        if (*c == '"' || *c == '\\') memx_text_add(text, "\\", 1);
        memx_text_add(text, (unsigned char)*c < ' ' ? " " : c, 1);
    }
}

void memx_text_free(memx_text *text) {
    free(text->data);
    *text = (memx_text){0};
}
