#include "core/lines.h"

#include <string.h>

#include "support/check.h"

static void lines_end_as_they_like(void **state) {
    (void)state;
    static const char text[] = "one\r\n\ntwo\0half\nlast";
    memx_span rest = {text, sizeof text - 1}, line;
    static const size_t lengths[] = {3, 0, 8, 4};
    for (size_t i = 0; i < COUNT(lengths); i++) {
        assert_true(memx_next_line(&rest, &line));
        assert_whole((int64_t)line.length, (int64_t)lengths[i]);
    }
    assert_true(memx_span_equal(line, "last"));
    assert_false(memx_next_line(&rest, &line));
    rest = memx_span_of("\n");
    assert_true(memx_next_line(&rest, &line));
    assert_whole((int64_t)line.length, 0);
    assert_false(memx_next_line(&rest, &line));
}

static void numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
        const char *rest;
    } cases[] = {
        {"1993.9 |", 1993.9, " |"},
        {"17482.0", 17482.0, ""},
        {"54250.97802734375", 54250.97802734375, ""},
        {"4.000000E-07x", 4e-7, "x"},
        {"-3", -3.0, ""},
        {"1.", 1.0, "."},
        {".5", 0.5, ""},
        {"1e", 1.0, "e"},
        {"1e+2", 100.0, ""},
        {"0.1234567890123456789", 0.12345678901234568, ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        memx_span span = memx_span_of(cases[i].text);
        double found = 0.0;
        assert_true(memx_take_number(&span, &found));
        assert_within(found, cases[i].value, 1e-15);
        assert_true(memx_span_equal(span, cases[i].rest));
    }
    static const char *const others[] = {"", "x", "-", ".", "nan", "inf", "-.e1", "+1"};
    for (size_t i = 0; i < COUNT(others); i++) {
        memx_span span = memx_span_of(others[i]);
        double found = 0.0;
        assert_false(memx_take_number(&span, &found));
        assert_true(memx_span_equal(span, others[i]));
    }
    memx_span span = memx_span_of("123456789012345678, 1234567890123456789");
    int64_t whole = 0;
    assert_true(memx_take_whole(&span, &whole));
    assert_whole(whole, 123456789012345678);
    assert_true(memx_take(&span, ", "));
    assert_false(memx_take_whole(&span, &whole)); /* might not fit */
}

static void finding(void **state) {
    (void)state;
    memx_span span = memx_span_of("aab ab");
    assert_whole((int64_t)memx_span_find(span, "ab"), 1);
    assert_whole((int64_t)memx_span_find(span, "b "), 2);
    assert_whole((int64_t)memx_span_find(span, "ba"), 6);
    assert_whole((int64_t)memx_span_find(memx_span_of(""), "a"), 0);
    assert_whole((int64_t)memx_span_find(memx_span_of("a"), "ab"), 1);
    assert_true(memx_span_equal(memx_span_trim(memx_span_of(" \t\x01 x y \r")), "x y"));
    assert_true(memx_span_equal(memx_span_skip(memx_span_of("  x ")), "x "));
    assert_whole((int64_t)memx_span_trim(memx_span_of(" \n ")).length, 0);
    assert_true(memx_span_has_nul((memx_span){"a\0b", 3}));
    assert_false(memx_span_has_nul(memx_span_of("ab")));
}

static void byte_order_marks(void **state) {
    (void)state;
    memx_span text = {"\xff\xfe"
                      "a\0",
                      4};
    assert_true(memx_text_is_utf16(&text));
    text = memx_span_of("\xef\xbb\xbf"
                        "abc");
    assert_false(memx_text_is_utf16(&text));
    assert_true(memx_span_equal(text, "abc"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_end_as_they_like),
        cmocka_unit_test(numbers),
        cmocka_unit_test(finding),
        cmocka_unit_test(byte_order_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
