/*
** What a MemX function answers, and the one-line message that goes with a refusal.
**
** Every function that can fail returns a memx_status. MEMX_INVALID fills the message: it names
** the thing that is wrong and what to write instead, on one line, since ODBC shows one line; and MEMX_FAILED,
** with what the host said. No other status does.
*/
#ifndef MEMX_CORE_STATUS_H
#define MEMX_CORE_STATUS_H

#include <stddef.h>
#include <stdint.h>

typedef enum memx_status {
    MEMX_OK = 0,
    MEMX_DONE,        /* an iterator has no further element */
    MEMX_INVALID,     /* the input is wrong; the message says how */
    MEMX_NOMEM,       /* an allocation failed */
    MEMX_INTERRUPTED, /* the caller's poll asked to stop */
    MEMX_FAILED       /* the host failed (SQL errors); the message says how */
} memx_status;

typedef struct memx_error {
    char text[512];
    int host_code; /* the host's own, where it failed and may not when asked again; else 0 */
} memx_error;

/* How far a long loop is: its own, written as it goes. The texts outlive it. */
typedef struct memx_loop {
    const char *what, *name; /* "rows of job", "mix20"; NULL: no name */
    int64_t done, total;     /* total 0: unknown */
} memx_loop;

/* Where whoever polls can look how far the work is. */
typedef struct memx_progress {
    const memx_loop *loop; /* the outermost one, NULL: none that tells */
    memx_loop ended;       /* the last one; its texts may be gone */
    int silent;            /* the next look is the last for long: to be shown at once */
} memx_progress;

/* Asked now and then by every long loop; non-zero means stop. A NULL function never stops. */
typedef struct memx_poll {
    int (*stop)(void *context);
    void *context;
    memx_progress *progress; /* NULL: nobody looks */
} memx_poll;

static inline int memx_poll_stop(const memx_poll *poll) {
    return poll && poll->stop ? poll->stop(poll->context) : 0;
}

/* Around a loop that tells how far it is. The loop must not be moved between them. */
static inline void memx_loop_begin(memx_loop *loop, const memx_poll *poll) {
    if (poll && poll->progress && !poll->progress->loop) poll->progress->loop = loop;
}
static inline void memx_loop_end(const memx_loop *loop, const memx_poll *poll) {
    if (!poll || !poll->progress || poll->progress->loop != loop) return;
    *poll->progress = (memx_progress){.ended = *loop};
}

/* For messages: "1 layer", "2 layers". */
static inline const char *memx_s(long long n) {
    return n == 1 ? "" : "s";
}

/* Writes the message (cut at the buffer's end) and returns MEMX_INVALID, so that callers can write
** `return memx_invalid(error, "...")`. One line of valid UTF-8, whatever the input that it quotes.
** error may be NULL. */
__attribute__((format(printf, 2, 3))) memx_status memx_invalid(memx_error *error,
                                                               const char *format, ...);

/* Puts "PREFIX: " before a message that was just made; answers its status. */
memx_status memx_prefix(memx_error *error, memx_status status, const char *prefix);

/* The same with "job 'NAME'", and ", config 'NAME'" unless config is NULL; a long one ends in "...". */
memx_status memx_prefix_job(memx_error *error, memx_status status, const char *job,
                            const char *config);

#endif
