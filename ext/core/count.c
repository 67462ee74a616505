#include "core/count.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

static const memx_count most = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};

memx_count memx_count_of(uint64_t n) {
    return (memx_count){{n, 0, 0, 0}};
}

memx_count memx_count_add(memx_count a, memx_count b) {
    wide carry = 0;
    for (int i = 0; i < 4; i++) {
        carry += (wide)a.limb[i] + b.limb[i];
        a.limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return carry ? most : a;
}

memx_count memx_count_subtract(memx_count a, memx_count b) {
    uint64_t borrow = 0;
    for (int i = 0; i < 4; i++) {
        wide take = (wide)b.limb[i] + borrow;
        borrow = take > a.limb[i];
        a.limb[i] -= (uint64_t)take;
    }
    return a;
}

memx_count memx_count_times(memx_count a, uint64_t n) {
    wide carry = 0;
    for (int i = 0; i < 4; i++) {
        carry += (wide)a.limb[i] * n;
        a.limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return carry ? most : a;
}

memx_count memx_count_share(memx_count n, uint64_t part, uint64_t parts) {
    memx_count quotient = memx_count_of(0);
    wide rest = 0;
    for (int i = 3; i >= 0; i--) {
        rest = rest << 64 | n.limb[i];
        quotient.limb[i] = (uint64_t)(rest / parts);
        rest %= parts;
    }
    /* Neither overflows: part <= parts, rest < parts < 2^64. */
    return memx_count_add(memx_count_times(quotient, part),
                          memx_count_of((uint64_t)(rest * part / parts)));
}

int memx_count_compare(memx_count a, memx_count b) {
    for (int i = 3; i >= 0; i--) {
        if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i] ? -1 : 1;
    }
    return 0;
}

bool memx_count_is_zero(memx_count a) {
    return !(a.limb[0] | a.limb[1] | a.limb[2] | a.limb[3]);
}

bool memx_count_is_most(memx_count a) {
    return memx_count_compare(a, most) == 0;
}

double memx_count_double(memx_count a) {
    double value = 0.0;
    for (int i = 3; i >= 0; i--) value = value * 18446744073709551616.0 + (double)a.limb[i];
    return value;
}

int64_t memx_count_int64(memx_count a) {
    if (a.limb[1] | a.limb[2] | a.limb[3] || a.limb[0] > INT64_MAX) return INT64_MAX;
    return (int64_t)a.limb[0];
}

void memx_count_text(memx_count a, char *out) {
    char digits[MEMX_COUNT_TEXT];
    int at = MEMX_COUNT_TEXT - 1;
    bool saturated = memx_count_is_most(a);
    digits[at] = '\0';
    do {
        wide rest = 0;
        for (int i = 3; i >= 0; i--) {
            rest = rest << 64 | a.limb[i];
            a.limb[i] = (uint64_t)(rest / 10);
            rest %= 10;
        }
        digits[--at] = (char)('0' + (int)rest);
    } while (!memx_count_is_zero(a));
    if (saturated) at -= 9, memcpy(digits + at, "at least ", 9);
    memcpy(out, digits + at, (size_t)(MEMX_COUNT_TEXT - at));
}
