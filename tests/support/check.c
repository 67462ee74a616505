#include "support/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void check_fail(const char *file, int line, const char *format, ...) {
    static char message[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    _assert_true(0, message, file, line);
    abort(); /* not reached */
}

void check_within(double found, double wanted, double share, const char *file, int line) {
    if (fabs(found - wanted) <= share * fabs(wanted)) return;
    if (found == wanted) return; /* infinities */
    check_fail(file, line, "found %.17g, wanted %.17g", found, wanted);
}

void check_whole(int64_t found, int64_t wanted, const char *file, int line) {
    if (found == wanted) return;
    check_fail(file, line, "found %" PRId64 ", wanted %" PRId64, found, wanted);
}

void check_ok(memx_status status, const memx_error *error, const char *file, int line) {
    if (status == MEMX_OK) return;
    check_fail(file, line, "status %d: %s", (int)status,
               status == MEMX_INVALID && error ? error->text : "no message");
}

/* Whether the text is the pattern, in which ~ stands for any text. */
static bool matches(const char *text, const char *pattern) {
    while (*pattern && *pattern != '~') {
        if (*text++ != *pattern++) return false;
    }
    if (!*pattern) return *text == '\0';
    for (; *text; text++) {
        if (matches(text, pattern + 1)) return true;
    }
    return matches(text, pattern + 1);
}

void check_refused(memx_status status, const memx_error *error, const char *message,
                   const char *file, int line) {
    if (status == MEMX_INVALID && matches(error->text, message)) return;
    if (status != MEMX_INVALID) {
        check_fail(file, line, "status %d, wanted a refusal: '%s'", (int)status, message);
    }
    check_fail(file, line, "found '%s', wanted '%s'", error->text, message);
}

void *allocate(size_t n, size_t size) {
    void *memory = calloc(n ? n : 1, size ? size : 1);
    assert_non_null(memory);
    return memory;
}

rng rng_start(uint64_t seed) {
    rng r = {seed};
    rng_next(&r);
    return r;
}

uint64_t rng_next(rng *r) {
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

int64_t rng_between(rng *r, int64_t least, int64_t most) {
    uint64_t width = (uint64_t)most - (uint64_t)least + 1;
    uint64_t n = width ? rng_next(r) % width : rng_next(r);
    return (int64_t)((uint64_t)least + n);
}

bool rng_chance(rng *r, int percent) {
    return rng_between(r, 0, 99) < percent;
}

double rng_real(rng *r, double least, double most) {
    return least + (most - least) * (double)(rng_next(r) >> 11) / 9007199254740992.0;
}
