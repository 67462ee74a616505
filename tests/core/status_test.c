/*
** Tests of core/status.h: messages are one line of valid UTF-8, whatever they quote, and end where
** the buffer does.
*/
#include "core/status.h"

#include <stdio.h>
#include <string.h>

#include "support/check.h"

/* RFC 3629: no overlong form, no surrogate, nothing beyond U+10FFFF. */
static bool valid_utf8(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    while (*s) {
        int more = *s < 0x80   ? 0
                   : *s < 0xc2 ? -1
                   : *s < 0xe0 ? 1
                   : *s < 0xf0 ? 2
                   : *s < 0xf5 ? 3
                               : -1;
        if (more < 0) return false;
        if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
            (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) {
            return false;
        }
        for (s++; more > 0; more--) {
            if ((*s++ & 0xc0) != 0x80) return false;
        }
    }
    return true;
}

static bool one_line(const char *text) {
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f) return false;
    }
    return true;
}

static void messages_by_hand(void **state) {
    (void)state;
    memx_error error = {.text = ""};
    assert_int_equal(memx_invalid(&error, "%s %d", "tp", 3), MEMX_INVALID);
    assert_string_equal(error.text, "tp 3");
    assert_int_equal(memx_invalid(NULL, "%s", "nobody asks"), MEMX_INVALID);
    memx_invalid(&error, "'%s'", "a\nb\tc\r\x7f");
    assert_string_equal(error.text, "'a b c  '");
    memx_invalid(&error, "'%s'", "h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    assert_string_equal(error.text, "'h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80'");
    assert_string_equal(memx_s(0), "s");
    assert_string_equal(memx_s(1), "");
    assert_string_equal(memx_s(2), "s");
}

static void prefixes(void **state) {
    (void)state;
    memx_error error = {.text = ""};
    memx_status status = memx_prefix(&error, memx_invalid(&error, "too large"), "job 'x'");
    assert_refused(status, &error, "job 'x': too large");
    /* Other answers have no message of ours. */
    snprintf(error.text, sizeof error.text, "old");
    assert_int_equal(memx_prefix(&error, MEMX_NOMEM, "job 'x'"), MEMX_NOMEM);
    assert_int_equal(memx_prefix(&error, MEMX_OK, "job 'x'"), MEMX_OK);
    assert_string_equal(error.text, "old");
    assert_int_equal(memx_prefix(NULL, MEMX_INVALID, "job 'x'"), MEMX_INVALID);
}

static void what_is_quoted_may_be_anything(void **state) {
    (void)state;
    static const char *const broken[] = {
        "\x80",
        "\xff",
        "\xc3",
        "\xe2\x82",
        "\xf0\x9f\x98",
        "\xc0\xaf",
        "a\xc3(b",
        "\xf8\x88\x80\x80\x80",
        "\xe0\x80\xaf",     /* overlong */
        "\xf0\x80\x80\xaf", /* overlong */
        "\xed\xa0\x80",     /* a surrogate */
        "\xf4\x90\x80\x80", /* beyond U+10FFFF */
    };
    for (size_t i = 0; i < COUNT(broken); i++) {
        memx_error error = {.text = ""};
        memx_invalid(&error, "<%s>", broken[i]);
        assert_that(valid_utf8(error.text) && one_line(error.text), "text %zu: '%s'", i,
                    error.text);
        assert_true(error.text[0] == '<' && error.text[strlen(error.text) - 1] == '>');
    }
    rng r = rng_start(1);
    for (int i = 0; i < 50000; i++) {
        char text[40];
        memx_error error = {.text = ""};
        size_t length = (size_t)rng_between(&r, 0, sizeof text - 1);
        for (size_t c = 0; c < length; c++) {
            text[c] =
                (char)(rng_chance(&r, 50) ? rng_between(&r, 1, 255) : rng_between(&r, 0xc0, 0xf8));
        }
        text[length] = '\0';
        memx_invalid(&error, "<%.*s>", (int)rng_between(&r, 0, 40), text);
        assert_that(valid_utf8(error.text) && one_line(error.text), "case %d", i);
    }
}

/* A message that is too long is cut, between characters. */
static void long_messages_are_cut(void **state) {
    (void)state;
    for (size_t before = 0; before < 4; before++) {
        char text[2000] = "xxx";
        memx_error error = {.text = ""};
        size_t n = before;
        while (n + 3 < sizeof text) {
            memcpy(text + n, "\xe2\x82\xac", 4);
            n += 3;
        }
        memx_invalid(&error, "%s", text);
        size_t length = strlen(error.text);
        assert_true(length < sizeof error.text && length + 4 > sizeof error.text - 1);
        assert_true(valid_utf8(error.text));
        memx_prefix(&error, MEMX_INVALID, text);
        assert_true(valid_utf8(error.text) && strlen(error.text) < sizeof error.text);
    }
}

static void jobs_and_configs_are_named(void **state) {
    (void)state;
    char config[62];
    memx_error error;
    memx_invalid(&error, "why");
    assert_int_equal(memx_prefix_job(&error, MEMX_INVALID, "j", NULL), MEMX_INVALID);
    assert_string_equal(error.text, "job 'j': why");
    memset(config, 'c', sizeof config);
    config[60] = '\0';
    memx_invalid(&error, "why");
    memx_prefix_job(&error, MEMX_INVALID, "j", config);
    assert_null(strstr(error.text, "..."));
    config[60] = 'c', config[61] = '\0';
    memx_invalid(&error, "why");
    memx_prefix_job(&error, MEMX_INVALID, "j", config);
    assert_non_null(strstr(error.text, "c...': why"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_by_hand),
        cmocka_unit_test(prefixes),
        cmocka_unit_test(jobs_and_configs_are_named),
        cmocka_unit_test(what_is_quoted_may_be_anything),
        cmocka_unit_test(long_messages_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
