#include "core/layout.h"

#include <string.h>

#include "support/check.h"

enum { MOST = 16 };

static void written(const int64_t *layers, int64_t count, const char *wanted) {
    memx_text text = {0};
    memx_layout_write(layers, count, &text);
    assert_string_equal(text.data, wanted);
    memx_text_free(&text);
}

static void writing(void **state) {
    (void)state;
    written((const int64_t[]){3, 5, 4}, 3, "Et*3|t*5|t*4L");
    written((const int64_t[]){3, 5, 5, 5, 4}, 5, "Et*3|(t*5|)*3t*4L");
    written((const int64_t[]){1, 1, 2, 2, 1, 1}, 6, "Et*1|t*1|(t*2|)*2t*1|t*1L");
    written((const int64_t[]){9, 7}, 2, "Et*9|t*7L");
}

static void reads(const char *text, const char *wanted) {
    int32_t layers[MOST], count = 0;
    memx_error error = {.text = ""};
    memx_text found = {0};
    assert_ok(memx_layout_read(memx_span_of(text), layers, &count, MOST, &error), &error);
    for (int32_t s = 0; s < count; s++) {
        memx_text_printf(&found, "%s%d", s ? "," : "", (int)layers[s]);
    }
    assert_string_equal(found.data, wanted);
    memx_text_free(&found);
}

/* The grammar of Megatron-LM's own examples. */
static void reading(void **state) {
    (void)state;
    reads("Et*3|(tt|)*2,tL", "3,2,2,1");
    reads("Ettt|t|tL", "3,1,1");
    reads("E,t*4|t*4|t*4,L", "4,4,4");
    reads("EttL", "2");
    reads("Et(t|t)*2tL", "2,2,2");
    reads("Et|*1tL", "1,1");
    reads("Et,*3|tL", "3,1");
    reads("E(t*2|)*2tL", "2,2,1");
    reads("[['embedding', 'decoder', 'decoder'], ['decoder', 'loss']]", "2,1");
    reads("[[\"embedding\",\"decoder\"],[\"decoder\"],[\"decoder\",\"loss\"]]", "1,1,1");
}

static void refused(const char *text, const char *wanted) {
    int32_t layers[MOST], count = 0;
    memx_error error = {.text = ""};
    assert_refused(memx_layout_read(memx_span_of(text), layers, &count, MOST, &error), &error,
                   wanted);
}

static void refusals(void **state) {
    (void)state;
    refused("", "a layout without E");
    refused("Ett", "a layout without L");
    refused("ttL", "a layer before the embedding");
    refused("EtLt", "a layer behind the loss");
    refused("t|EtL", "a layer before the embedding");
    refused("|EtL", "E stands once, on the first stage");
    refused("EtLL", "L stands once, at the end");
    refused("Et|m|L", "multi-token prediction (m), which MemX does not model");
    refused("Et|tt|L", "stage 2 has no layer, which MemX does not model");
    refused("Et*|tL", "'*' is followed by no number up to 10000");
    refused("Et*99999999|tL", "'*' is followed by no number up to 10000");
    refused("E(t|tL", "'(' without ')*' and a number behind it");
    refused("E(t|)tL", "'(' without ')*' and a number behind it");
    refused("E()*3tL", "'(' without ')*' and a number behind it");
    refused("Ex|L", "'x' is none of E, t, L, |, ( and )");
    refused("Et\n|L", "'?' is none of E, t, L, |, ( and )");
    refused("E(t|)*16tL", "a layout of more than 16 stages");
    refused("Et*9000t*9000L", "a stage of more than 10000 layers");
    refused("[['embedding'", "a list without its end");
    refused("[['embedding'], 7]", "a list that is no list of stages");
    refused("]", "']' is none~");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writing),
        cmocka_unit_test(reading),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
