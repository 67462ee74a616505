/*
** Tests of core/count.h: against 128-bit arithmetic, against decimal digits, and at 2^256 - 1.
*/
#include "core/count.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

__extension__ typedef unsigned __int128 wide;

static const memx_count MOST = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
static const char MOST_TEXT[] =
    "115792089237316195423570985008687907853269984665640564039457584007913129639935";

static memx_count count_of(wide n) {
    return (memx_count){{(uint64_t)n, (uint64_t)(n >> 64), 0, 0}};
}

static wide wide_of(memx_count a) {
    assert_true(a.limb[2] == 0 && a.limb[3] == 0);
    return (wide)a.limb[1] << 64 | a.limb[0];
}

static wide random_wide(rng *r) {
    wide n = (wide)rng_next(r) << 64 | rng_next(r);
    return n >> rng_between(r, 0, 127);
}

static memx_count random_count(rng *r) {
    memx_count a;
    int64_t used = rng_between(r, 1, 4);
    for (int i = 0; i < 4; i++) {
        /* All ones now and then, so that carries run. */
        a.limb[i] = i >= used ? 0 : rng_chance(r, 20) ? UINT64_MAX : rng_next(r);
    }
    return a;
}

static void assert_count(memx_count found, memx_count wanted) {
    char left[MEMX_COUNT_TEXT], right[MEMX_COUNT_TEXT];
    if (memcmp(&found, &wanted, sizeof found) == 0) return;
    memx_count_text(found, left);
    memx_count_text(wanted, right);
    fail_with("found %s, wanted %s", left, right);
}

static void arithmetic_of_128_bits(void **state) {
    (void)state;
    rng r = rng_start(1);
    for (int i = 0; i < 200000; i++) {
        wide a = random_wide(&r) >> 1, b = random_wide(&r) >> 1;
        assert_count(memx_count_add(count_of(a), count_of(b)), count_of(a + b));
        if (a >= b) assert_count(memx_count_subtract(count_of(a), count_of(b)), count_of(a - b));
        assert_int_equal(memx_count_compare(count_of(a), count_of(b)), (a > b) - (a < b));
        uint64_t x = rng_next(&r) >> rng_between(&r, 0, 63), y = rng_next(&r);
        assert_count(memx_count_times(memx_count_of(x), y), count_of((wide)x * y));
        assert_true(wide_of(memx_count_of(x)) == x);
        assert_int_equal(memx_count_is_zero(count_of(a)), a == 0);
        int64_t wanted = a > INT64_MAX ? INT64_MAX : (int64_t)a;
        assert_true(memx_count_int64(count_of(a)) == wanted);
        assert_within(memx_count_double(count_of(a)), (double)a, 1e-15);
    }
    assert_true(memx_count_is_zero(memx_count_of(0)));
    assert_true(memx_count_int64(count_of((wide)1 << 64)) == INT64_MAX);
    assert_true(memx_count_int64(count_of(INT64_MAX)) == INT64_MAX);
    assert_true(memx_count_int64((memx_count){{5, 0, 0, 1}}) == INT64_MAX);
    assert_true(memx_count_int64((memx_count){{5, 0, 1, 0}}) == INT64_MAX);
    assert_true(memx_count_int64((memx_count){{5, 0, 0, 0}}) == 5);
}

/* Adding, subtracting and multiplying agree on all 256 bits. */
static void arithmetic_of_256_bits(void **state) {
    (void)state;
    rng r = rng_start(2);
    for (int i = 0; i < 100000; i++) {
        memx_count a = random_count(&r), b = random_count(&r), sum = memx_count_add(a, b);
        assert_count(memx_count_add(b, a), sum);
        if (memx_count_compare(sum, MOST) != 0) {
            assert_count(memx_count_subtract(sum, b), a);
            assert_true(memx_count_compare(sum, a) >= 0);
        }
        assert_int_equal(memx_count_compare(a, b), -memx_count_compare(b, a));
        assert_int_equal(memx_count_compare(a, a), 0);
        uint64_t n = (uint64_t)rng_between(&r, 0, 40);
        memx_count product = memx_count_of(0);
        for (uint64_t k = 0; k < n; k++) product = memx_count_add(product, a);
        assert_count(memx_count_times(a, n), product);
    }
}

/* Decimal digits, least first, and their doubling. */
static void text_equals_doubling_digits(void **state) {
    (void)state;
    int digits[80] = {1}, used = 1;
    memx_count a = memx_count_of(1);
    for (int bit = 0; bit < 256; bit++) {
        char found[MEMX_COUNT_TEXT], wanted[MEMX_COUNT_TEXT];
        for (int i = 0; i < used; i++) wanted[i] = (char)('0' + digits[used - 1 - i]);
        wanted[used] = '\0';
        memx_count_text(a, found);
        assert_string_equal(found, wanted);
        assert_within(memx_count_double(a), ldexp(1.0, bit), 0.0);
        assert_same(memx_count_double(a), strtod(found, NULL));
        int carry = 0;
        for (int i = 0; i < used; i++) {
            carry += 2 * digits[i];
            digits[i] = carry % 10;
            carry /= 10;
        }
        if (carry) digits[used++] = carry;
        a = memx_count_times(a, 2);
    }
    assert_count(a, MOST); /* 2^256 saturates */
}

static memx_count read_digits(const char *text) {
    memx_count a = memx_count_of(0);
    for (; *text; text++) {
        a = memx_count_add(memx_count_times(a, 10), memx_count_of((uint64_t)(*text - '0')));
    }
    return a;
}

static void text_goes_round(void **state) {
    (void)state;
    char text[MEMX_COUNT_TEXT];
    memx_count_text(memx_count_of(0), text);
    assert_string_equal(text, "0");
    memx_count_text(MOST, text);
    assert_memory_equal(text, "at least ", 9);
    assert_string_equal(text + 9, MOST_TEXT);
    assert_count(read_digits(MOST_TEXT), MOST);
    rng r = rng_start(3);
    for (int i = 0; i < 20000; i++) {
        memx_count a = random_count(&r);
        memx_count_text(a, text);
        assert_true(strlen(text) < MEMX_COUNT_TEXT);
        const char *digits = memx_count_compare(a, MOST) == 0 ? text + 9 : text;
        assert_true(digits[0] != '0' || digits[1] == '\0');
        assert_count(read_digits(digits), a);
        assert_within(memx_count_double(a), strtod(digits, NULL), 1e-15);
    }
}

static void sums_saturate(void **state) {
    (void)state;
    memx_count one = memx_count_of(1), half = {{0, 0, 0, UINT64_C(1) << 63}};
    assert_count(memx_count_add(MOST, one), MOST);
    assert_count(memx_count_add(MOST, MOST), MOST);
    assert_count(memx_count_add(MOST, memx_count_of(0)), MOST);
    assert_count(memx_count_add(half, half), MOST);
    assert_count(memx_count_add(memx_count_subtract(MOST, one), one), MOST);
    assert_count(memx_count_times(half, 2), MOST);
    assert_count(memx_count_times(MOST, UINT64_MAX), MOST);
    assert_count(memx_count_times(MOST, 1), MOST);
    assert_count(memx_count_times(MOST, 0), memx_count_of(0));
    assert_within(memx_count_double(MOST), 1.157920892373162e77, 1e-15);
}

/* floor(part n / parts), and shares that add up to all whatever the size. */
static void shares_add_up(void **state) {
    (void)state;
    rng r = rng_start(5);
    for (int64_t n = 0; n < 200; n++) {
        for (int64_t parts = 1; parts < 40; parts++) {
            int64_t part = rng_between(&r, 0, parts);
            assert_count(
                memx_count_share(memx_count_of((uint64_t)n), (uint64_t)part, (uint64_t)parts),
                memx_count_of((uint64_t)(part * n / parts)));
        }
    }
    for (int i = 0; i < 2000; i++) {
        memx_count all = random_count(&r), sum = memx_count_of(0), least = MOST, greatest = sum;
        uint64_t parts = (uint64_t)rng_between(&r, 1, 50);
        for (uint64_t k = 0; k < parts; k++) {
            memx_count size = memx_count_subtract(memx_count_share(all, k + 1, parts),
                                                  memx_count_share(all, k, parts));
            if (memx_count_compare(size, least) < 0) least = size;
            if (memx_count_compare(size, greatest) > 0) greatest = size;
            sum = memx_count_add(sum, size);
        }
        assert_count(sum, all);
        assert_true(memx_count_compare(memx_count_subtract(greatest, least), memx_count_of(1)) <=
                    0);
    }
    assert_count(memx_count_share(MOST, UINT64_MAX, UINT64_MAX), MOST);
    assert_true(memx_count_is_most(MOST) && !memx_count_is_most(memx_count_of(UINT64_MAX)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_of_128_bits),
        cmocka_unit_test(arithmetic_of_256_bits),
        cmocka_unit_test(text_equals_doubling_digits),
        cmocka_unit_test(text_goes_round),
        cmocka_unit_test(sums_saturate),
        cmocka_unit_test(shares_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
