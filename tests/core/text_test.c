/*
** Tests of core/text.h, a growing text, and of core/whole.h, rounding to whole numbers.
*/
#include "core/text.h"

#include <locale.h>
#include <math.h>
#include <string.h>

#include "core/whole.h"
#include "support/check.h"

static void pieces_join(void **state) {
    (void)state;
    memx_text text = {0};
    memx_text_printf(&text, "%s %d", "one", 2);
    memx_text_add(&text, ", three", 4);
    memx_text_add(&text, "", 0);
    assert_string_equal(text.data, "one 2, th");
    assert_int_equal(text.length, 9);
    memx_text_free(&text);
    assert_null(text.data);
    memx_text_free(&text);
    memx_text_add(&text, "", 0); /* NUL-terminated once anything was added */
    assert_string_equal(text.data, "");
    memx_text_free(&text);
}

static void it_grows(void **state) {
    (void)state;
    rng r = rng_start(1);
    for (int i = 0; i < 200; i++) {
        static char wanted[200000], piece[4000];
        size_t length = 0;
        memx_text text = {0};
        for (int64_t n = rng_between(&r, 1, 40); n > 0; n--) {
            size_t more = (size_t)rng_between(&r, 0, rng_chance(&r, 20) ? 3999 : 90);
            memset(piece, (int)rng_between(&r, 'a', 'z'), more);
            piece[more < sizeof piece ? more : sizeof piece - 1] = '\0';
            memcpy(wanted + length, piece, more);
            length += more;
            if (rng_chance(&r, 50))
                memx_text_add(&text, piece, more);
            else
                memx_text_printf(&text, "%s", piece);
            assert_int_equal(text.length, length);
            assert_true(text.capacity > text.length);
            assert_int_equal(text.data[length], 0);
        }
        assert_false(text.failed);
        assert_memory_equal(text.data, wanted, length);
        memx_text_free(&text);
    }
}

static void fixed(void **state) {
    (void)state;
    char out[MEMX_NUMBER_TEXT];
    assert_string_equal(memx_text_fixed(-1.25, 1, out), "-1.2");
    assert_string_equal(memx_text_fixed(1234.5, 2, out), "1234.50");
    assert_string_equal(memx_text_fixed(0.0, 0, out), "0");
    assert_int_equal(strlen(memx_text_fixed(-1.7976931348623157e308, 99, out)), 341);
    assert_string_equal(memx_text_general(1234.5678, 6, out), "1234.57");
    assert_string_equal(memx_text_general(-1.5e-300, 3, out), "-1.5e-300");
    /* Where such a locale is installed. */
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
        assert_string_equal(memx_text_fixed(-1234.5, 2, out), "-1234.50");
        assert_string_equal(memx_text_general(1.5e+20, 3, out), "1.5e+20");
        setlocale(LC_NUMERIC, "C");
    }
}

static void json_numbers(void **state) {
    (void)state;
    memx_text text = {0};
    memx_text_number(&text, 0.1, 10);
    memx_text_add(&text, " ", 1);
    memx_text_number(&text, 3.0, 10);
    memx_text_add(&text, " ", 1);
    memx_text_decimal(&text, 3.0, 3);
    memx_text_add(&text, " ", 1);
    memx_text_number(&text, NAN, 3);
    memx_text_add(&text, " ", 1);
    memx_text_decimal(&text, -INFINITY, 3);
    assert_string_equal(text.data, "0.1 3 3.000 null null");
    memx_text_free(&text);
}

static void html(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"a<b>&\"c\" 'd'", "a&lt;b&gt;&amp;&quot;c&quot; &#39;d&#39;"},
        {"one\ntwo\x01\x7f", "one two  "},
        {"\303\244\342\202\254\360\237\230\200", "\303\244\342\202\254\360\237\230\200"},
        /* Broken, overlong, a surrogate, beyond U+10FFFF, cut off; U+FFFE and U+FFFF. */
        {"\377a", "&#65533;a"},
        {"\300\200", "&#65533;&#65533;"},
        {"\355\240\200x", "&#65533;&#65533;&#65533;x"},
        {"\364\220\200\200", "&#65533;&#65533;&#65533;&#65533;"},
        {"\342\202", "&#65533;&#65533;"},
        {"\357\277\276\357\277\277", "&#65533;&#65533;"},
        {"\357\277\275", "\357\277\275"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        memx_text text = {0};
        memx_text_add(&text, "", 0);
        memx_text_html(&text, cases[i][0]);
        assert_string_equal(text.data, cases[i][1]);
        memx_text_free(&text);
    }
}

static void whole_numbers(void **state) {
    (void)state;
    assert_whole(memx_whole_ns(0.0), 0);
    assert_whole(memx_whole_ns(1.0), 1000000);
    assert_whole(memx_whole_ns(1e-6), 1);
    assert_whole(memx_whole_ns(0.4e-6), 0);
    assert_whole(memx_whole_ns(0.6e-6), 1);
    assert_whole(memx_whole_ns(1e300), MEMX_MOST_NS);
    assert_whole(memx_whole_ns((double)INFINITY), MEMX_MOST_NS);
    assert_whole(memx_whole_ns((double)NAN), MEMX_MOST_NS);
    assert_whole(memx_whole_kib(1024.0), 1);
    assert_whole(memx_whole_kib(511.0), 0);
    assert_whole(memx_whole_kib(513.0), 1);
    assert_whole(memx_whole_kib(1e300), MEMX_MOST_KIB);
    assert_whole(memx_whole_kib((double)NAN), MEMX_MOST_KIB);
    assert_whole(memx_least(-2, 3), -2);
    assert_whole(memx_greatest(-2, 3), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_join),  cmocka_unit_test(it_grows), cmocka_unit_test(fixed),
        cmocka_unit_test(json_numbers), cmocka_unit_test(html),     cmocka_unit_test(whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
