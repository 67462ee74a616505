#define _POSIX_C_SOURCE 200809L /* for clock_gettime. NOLINT */
#include "core/clock.h"

#include <time.h>

int64_t memx_clock_ns(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double memx_clock_seconds_since(int64_t begin_ns) {
    return (double)(memx_clock_ns() - begin_ns) * 1e-9;
}
