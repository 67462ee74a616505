/*
** What the test programs share: cmocka with the headers it wants first, assertions on doubles and
** texts, and a small random generator, so that every run tests the same data. A random test names
** the seed of its case when it fails, and a case depends on nothing but that seed.
*/
#ifndef MEMX_TESTS_SUPPORT_CHECK_H
#define MEMX_TESTS_SUPPORT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/status.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Fails with a message. (Not cmocka's fail_msg: its message comes before the result, where
** tests/run.sh does not look for it.) */
#define fail_with(...) check_fail(__FILE__, __LINE__, __VA_ARGS__)
#define assert_that(condition, ...)                                                                \
    do {                                                                                           \
        if (!(condition)) fail_with(__VA_ARGS__);                                                  \
    } while (0)

/* |found - wanted| <= share * |wanted|. */
#define assert_within(found, wanted, share) check_within(found, wanted, share, __FILE__, __LINE__)
/* Exactly equal doubles. */
#define assert_same(found, wanted) check_within(found, wanted, 0.0, __FILE__, __LINE__)
/* Whole numbers of 64 bits, with their signs when they differ. */
#define assert_whole(found, wanted) check_whole(found, wanted, __FILE__, __LINE__)
/* MEMX_OK, else the message is shown. */
#define assert_ok(status, error) check_ok(status, error, __FILE__, __LINE__)
/* MEMX_INVALID, with this message, where ~ stands for any text. */
#define assert_refused(status, error, message)                                                     \
    check_refused(status, error, message, __FILE__, __LINE__)

__attribute__((format(printf, 3, 4), noreturn)) void check_fail(const char *file, int line,
                                                                const char *format, ...);
void check_within(double found, double wanted, double share, const char *file, int line);
void check_whole(int64_t found, int64_t wanted, const char *file, int line);
void check_ok(memx_status status, const memx_error *error, const char *file, int line);
void check_refused(memx_status status, const memx_error *error, const char *message,
                   const char *file, int line);

/* Zeroed memory for n things; the test fails when there is none. */
void *allocate(size_t n, size_t size);

/* splitmix64 (Steele, Lea, Flood 2014). */
typedef struct rng {
    uint64_t state;
} rng;

rng rng_start(uint64_t seed);
uint64_t rng_next(rng *r);
int64_t rng_between(rng *r, int64_t least, int64_t most); /* both included */
bool rng_chance(rng *r, int percent);
double rng_real(rng *r, double least, double most);

#endif
