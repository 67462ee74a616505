/*
** Tests of core/words.h, core/svg.h and core/scatter.h: figures as people say them, round scales, and
** pictures whose texts are escaped and whose marks stand where they should.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "core/scatter.h"
#include "core/svg.h"
#include "core/words.h"
#include "support/check.h"
#include "support/jobs.h"

static void figures(void **state) {
    (void)state;
    char out[MEMX_WORDS];
    assert_string_equal(memx_words_time(0.25, out), "0.2 ms");
    assert_string_equal(memx_words_time(640.4, out), "640 ms");
    assert_string_equal(memx_words_time(999.6, out), "1.00 s");
    assert_string_equal(memx_words_time(22890.0, out), "22.9 s");
    assert_string_equal(memx_words_time(186000.0, out), "3.1 min");
    assert_string_equal(memx_words_time(9e6, out), "2.5 h");
    assert_string_equal(memx_words_gib(24765.4, out), "24.2");
    assert_string_equal(memx_words_gib(365.0, out), "0.36");
    assert_string_equal(memx_words_gib(0.0, out), "0");
    assert_string_equal(memx_words_gib(-700.0, out), "-0.68");
    assert_string_equal(memx_words_share(0.3576, out), "36 %");
    assert_string_equal(memx_words_share(-0.001, out), "0 %");
    assert_string_equal(memx_words_share(-0.02, out), "-2 %");
}

static void digits(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"0", "0"},
                                           {"999", "999"},
                                           {"1000", "1,000"},
                                           {"28575", "28,575"},
                                           {"8886765594901306", "8,886,765,594,901,306"},
                                           {"at least 1234", "at least 1,234"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        memx_text text = {0};
        memx_words_digits(cases[i][0], &text);
        assert_string_equal(text.data, cases[i][1]);
        memx_text_free(&text);
    }
}

static void said(const memx_job *job, const char *config, const char *wanted) {
    memx_config c;
    memx_error error = {.text = ""};
    memx_text text = {0};
    assert_ok(memx_config_parse(job, config, &c, &error), &error);
    memx_words_config(job, &c, &text);
    assert_string_equal(text.data, wanted);
    memx_text_free(&text);
    memx_config_free(&c);
}

static void configurations(void **state) {
    (void)state;
    test_job t;
    job_lab(&t);
    said(&t.job, "tp2.dp2.mb1/A-80*4:none,A-80*4:none,B_32*4:none",
         "3 stages of 4 GPUs: 2 on A-80 with 4 layers each; 1 on B_32 with 4 layers. Tensor "
         "parallel "
         "over 2 GPUs, 2 replicas, micro batch 1, nothing recomputed");
    said(&t.job, "tp1.dp4.mb2/A-80*6:block2,A-80*5:block2,B_32*1:full",
         "3 stages of 4 GPUs: 2 on A-80 with 6 and 5 layers (the first 2 layers recomputed); 1 on "
         "B_32 with 1 layer (all layers recomputed). 4 replicas, micro batch 2");
    said(&t.job, "tp1.dp4.mb1/A-80*4:none,A-80*4:uniform2,B_32*4:block1",
         "3 stages of 4 GPUs: 1 on A-80 with 4 layers; 1 on A-80 with 4 layers (all layers "
         "recomputed in groups of 2); 1 on B_32 with 4 layers (the first layer recomputed). 4 "
         "replicas, micro batch 1");
    said(&t.job,
         "tp1.dp1.mb1/A-80*1:none,A-80*1:none,A-80*1:none,A-80*1:none,A-80*1:none,A-80*1:none,"
         "A-80*1:none,A-80*1:none,B_32*1:none,B_32*1:none,B_32*1:none,B_32*1:none",
         "12 stages of 1 GPU: 8 on A-80 with 1 layer each; 4 on B_32 with 1 layer each. 1 replica, "
         "micro batch 1, nothing recomputed");
}

static void scales(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        rng r = rng_start(seed);
        double least = rng_real(&r, -1, 1) * pow(10.0, (double)rng_between(&r, -6, 9));
        double most = least + rng_real(&r, 0, 1) * pow(10.0, (double)rng_between(&r, -6, 9));
        int wanted = (int)rng_between(&r, 1, 12);
        if (rng_chance(&r, 5)) most = least;
        memx_scale s = memx_scale_around(least, most, wanted);
        double steps = (s.most - s.least) / s.step, slack = 1e-6 * s.step;
        double mantissa = s.step / pow(10.0, floor(log10(s.step) + 1e-9));
        /* A span far below its place cannot be told from it. */
        if (most > least && most - least < 1e-7 * fabs(most)) continue;
        assert_that(s.least <= least + slack && s.most >= most - slack &&
                        fabs(steps - round(steps)) < 1e-6 && steps <= wanted + 2.5 &&
                        (fabs(mantissa - 1) < 1e-6 || fabs(mantissa - 2) < 1e-6 ||
                         fabs(mantissa - 5) < 1e-6),
                    "seed %d: %g to %g in %d: %g to %g by %g", (int)seed, least, most, wanted,
                    s.least, s.most, s.step);
        assert_within(memx_scale_share(&s, s.least + (s.most - s.least) / 4), 0.25, 1e-6);
    }
    memx_scale s = memx_scale_around(0.0, 0.45, 5);
    assert_int_equal(s.decimals, 1);
    assert_within(s.step, 0.1, 1e-12);
}

static void a_scatter(void **state) {
    (void)state;
    const memx_chart_point cloud[] = {{1, 1}, {2, 10}}, front[] = {{0, 10}, {10, 0}};
    const memx_marked marked[] = {{{0, 10}, "a < b", "pick"}, {{10, 0}, "\"c\" & d", "even"}};
    const memx_scatter chart = {.id = "s",
                                .title = "t <&> t",
                                .description = "d",
                                .x_name = "x",
                                .y_name = "y",
                                .cloud = cloud,
                                .cloud_count = 2,
                                .front = front,
                                .front_count = 2,
                                .marked = marked,
                                .marked_count = 2};
    memx_text text = {0};
    memx_scatter_draw(&chart, &text);
    assert_false(text.failed);
    assert_non_null(strstr(text.data, "<title id=\"s-title\">t &lt;&amp;&gt; t</title>"));
    assert_non_null(strstr(text.data, "aria-labelledby=\"s-title s-desc\""));
    assert_non_null(strstr(text.data, "a &lt; b"));
    assert_non_null(strstr(text.data, "&quot;c&quot; &amp; d"));
    assert_non_null(strstr(text.data, "x1=\"2%\" y1=\"44\" x2=\"98%\" y2=\"320\""));
    memx_text_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures), cmocka_unit_test(digits),    cmocka_unit_test(configurations),
        cmocka_unit_test(scales),  cmocka_unit_test(a_scatter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
