#include "core/best.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

enum { ROWS = 200, WIDTH = 3 };

typedef struct set {
    memx_ranked_row rows[ROWS];
    uint32_t codes[ROWS][WIDTH];
    size_t count;
} set;

static int compare(const void *a, const void *b) {
    return memx_ranked_compare(a, b);
}

/* Random rows, sorted, each once. */
static void random_set(rng *r, set *s) {
    s->count = (size_t)rng_between(r, 0, ROWS);
    for (size_t i = 0; i < s->count; i++) {
        s->rows[i] = (memx_ranked_row){.value = (double)rng_between(r, 0, 5),
                                       .skeleton = (int32_t)rng_between(r, 0, 2),
                                       .stages = WIDTH,
                                       .codes = s->codes[i]};
        for (int c = 0; c < WIDTH; c++) s->codes[i][c] = (uint32_t)rng_between(r, 256, 259);
    }
    if (s->count > 1) qsort(s->rows, s->count, sizeof *s->rows, compare);
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (kept > 0 && compare(&s->rows[kept - 1], &s->rows[i]) == 0) continue;
        s->rows[kept++] = s->rows[i];
    }
    s->count = kept;
}

/* Passes of growing k, rows offered in any order and more than once: all come, once, in order. */
static void rows_come_once_in_order(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        static set all;
        rng r = rng_start(seed);
        memx_best best;
        size_t k = (size_t)rng_between(&r, 1, 20), given = 0;
        random_set(&r, &all);
        assert_int_equal(memx_best_open(k, WIDTH, &best), MEMX_OK);
        for (;;) {
            for (int64_t n = 4 * (int64_t)all.count; n > 0; n--) {
                memx_best_offer(&best, &all.rows[rng_between(&r, 0, (int64_t)all.count - 1)]);
            }
            for (size_t i = 0; i < all.count; i++) memx_best_offer(&best, &all.rows[i]);
            memx_best_finish(&best);
            assert_that(best.count <= k, "seed %" PRIu64 ": %zu of %zu", seed, best.count, k);
            for (size_t i = 0; i < best.count; i++) {
                assert_that(given < all.count && compare(&best.rows[i], &all.rows[given]) == 0,
                            "seed %" PRIu64 ": row %zu", seed, given);
                given++;
            }
            if (best.count < k) break;
            k += (size_t)rng_between(&r, 0, 30);
            assert_int_equal(memx_best_advance(&best, k), MEMX_OK);
        }
        assert_int_equal(given, all.count);
        memx_best_close(&best);
    }
}

static void the_worst_is_known_from_k_rows_on(void **state) {
    memx_best best;
    uint32_t code = 256;
    (void)state;
    assert_int_equal(memx_best_open(2, 1, &best), MEMX_OK);
    for (int i = 9; i > 0; i--) {
        const memx_ranked_row row = {.value = i, .stages = 1, .codes = &code};
        memx_best_offer(&best, &row);
        if (i == 9) assert_null(memx_best_worst(&best));
        if (i == 8) assert_same(memx_best_worst(&best)->value, 9.0);
    }
    memx_best_finish(&best);
    assert_same(best.rows[0].value, 1.0);
    assert_same(best.rows[1].value, 2.0);
    memx_best_close(&best);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_once_in_order),
        cmocka_unit_test(the_worst_is_known_from_k_rows_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
