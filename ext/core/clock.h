/*
** How long something took. It only goes forward, whatever is done to the time of day; nothing that is
** predicted depends on it.
*/
#ifndef MEMX_CORE_CLOCK_H
#define MEMX_CORE_CLOCK_H

#include <stdint.h>

/* Since some moment. */
int64_t memx_clock_ns(void);

/* Seconds since a moment of memx_clock_ns. */
double memx_clock_seconds_since(int64_t begin_ns);

#endif
