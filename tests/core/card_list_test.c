#include "core/card_list.h"

#include <math.h>
#include <string.h>

#include "support/check.h"

/* The cards' names, hosts and memory, as one text. */
static void reads(const char *text, const char *wanted) {
    memx_card_list cards = {.cards = NULL};
    memx_error error = {.text = ""};
    memx_text found = {0};
    assert_ok(memx_nvidia_smi_read(memx_span_of(text), &cards, &error), &error);
    for (size_t i = 0; i < cards.count; i++) {
        const memx_listed_card *card = &cards.cards[i];
        memx_text_printf(&found, "%s%s/%s/%.0f@%lld", i ? "; " : "", card->host, card->name,
                         isnan(card->memory_mib) ? 0.0 : card->memory_mib, (long long)card->line);
    }
    assert_string_equal(found.data, wanted);
    memx_text_free(&found);
    memx_card_list_free(&cards);
}

static void with_a_header(void **state) {
    (void)state;
    reads("index, name, memory.total [MiB]\n0, NVIDIA L4, 23034 MiB\n1, NVIDIA L4, 23034 MiB\n",
          "/NVIDIA L4/23034@2; /NVIDIA L4/23034@3");
    reads("memory.total [MiB], uuid, name\r\n23034, GPU-6e1, NVIDIA L4\r\n", "/NVIDIA L4/23034@2");
    reads("name\nNVIDIA L4\n", "/NVIDIA L4/0@2");
    reads("gpu_name, memory.total [MiB]\nNVIDIA L4, [N/A]\n", "/NVIDIA L4/0@2");
    reads("n1: index, name\nn1: 0, NVIDIA L4\nn2: index, name\nn2: 0, NVIDIA T4\n",
          "n1/NVIDIA L4/0@2; n2/NVIDIA T4/0@4");
}

static void without_a_header(void **state) {
    (void)state;
    reads("0, NVIDIA A100-SXM4-80GB, 81920 MiB", "/NVIDIA A100-SXM4-80GB/81920@1");
    reads("\xef\xbb\xbf"
          "81920, NVIDIA A100-SXM4-80GB, 0, 512",
          "/NVIDIA A100-SXM4-80GB/81920@1");
    reads("00000000:07:00.0, GPU-1a2b, P0, Enabled, 535.104.05, 61.50 W, 1410 MHz, NVIDIA L4, 3 "
          "MiB, 23034 MiB",
          "/NVIDIA L4/23034@1");
    reads("NVIDIA GeForce RTX 4090\n\nTesla T4\n", "/NVIDIA GeForce RTX 4090/0@1; /Tesla T4/0@3");
    reads("node-1.rack2: 0, Tesla T4\n", "node-1.rack2/Tesla T4/0@1");
}

static void refused(const char *text, size_t length, const char *wanted) {
    memx_card_list cards = {.cards = NULL};
    memx_error error = {.text = ""};
    assert_refused(memx_nvidia_smi_read((memx_span){text, length}, &cards, &error), &error, wanted);
    memx_card_list_free(&cards);
}

static void refusals(void **state) {
    (void)state;
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        {"", "the text lists no card; give what nvidia-smi --query~"},
        {"index, name\n", "the text lists no card~"},
        {"index, memory.total [MiB]\n0, 81920 MiB\n", "line 1: the header has no name; query it~"},
        {"index, name\n0, L4\n\n1\n", "line 4: '1' has 1 field, the header 2"},
        {"index, name, memory.total [MiB]\n0, L4, many\n",
         "line 2: memory.total is 'many', no number of MiB"},
        {"index, name, memory.total [MiB]\n0, L4, 8 GiB\n",
         "line 2: memory.total is '8 GiB', no number of MiB"},
        {"index, name\n0, \n", "line 2: the name is empty"},
        {"0, 81920 MiB\n", "line 1: no field is a card's name~"},
        {"name\n0123456789012345678901234567890123456789012345678901234567890123456789\n",
         "line 2: '012345678901234567890123456789012345678901234567890123456789' is longer~"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        refused(cases[i].text, strlen(cases[i].text), cases[i].wanted);
    }
    refused("\xff\xfe"
            "0\0",
            4, "line 1: the text is UTF-16~");
    refused("\0\0\n\xff", 4, "line 2: no field is a card's name~");
}

/* Hosts by their numbers, a node for each device of a host, cards that stand apart together. */
static void nodes(void **state) {
    (void)state;
    static const struct {
        const char *host, *device;
        double mib;
    } list[] = {{"n10", "L4", 23034.0}, {"n2", "T4", NAN},     {"n10", "L4", 23033.0},
                {"n2", "L4", 23034.0},  {"n2", "T4", 15360.0}, {"n02", "T4", NAN}};
    memx_card_list cards = {.cards = NULL};
    memx_error error = {.text = ""};
    memx_text found = {0};
    for (size_t i = 0; i < COUNT(list); i++) {
        assert_ok(memx_card_list_add(&cards, memx_span_of(list[i].host),
                                     memx_span_of("NVIDIA \"X\""), list[i].mib, 1, &error),
                  &error);
        memcpy(cards.cards[i].device, list[i].device, strlen(list[i].device) + 1);
    }
    memx_card_list_nodes(&cards, &found);
    assert_string_equal(found.data, "[[0,\"T4\",1,null,\"NVIDIA \\\"X\\\"\",\"n02\"],"
                                    "[1,\"T4\",2,15360.000,\"NVIDIA \\\"X\\\"\",\"n2\"],"
                                    "[2,\"L4\",1,23034.000,\"NVIDIA \\\"X\\\"\",\"n2\"],"
                                    "[3,\"L4\",2,23033.000,\"NVIDIA \\\"X\\\"\",\"n10\"]]");
    memx_text_free(&found);
    memx_card_list_free(&cards);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_a_header),
        cmocka_unit_test(without_a_header),
        cmocka_unit_test(refusals),
        cmocka_unit_test(nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
