#include "core/card_list.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 64, NO_COLUMN = -1 };

static const char usage[] = "nvidia-smi --query-gpu=index,name,memory.total --format=csv";

memx_status memx_card_list_add(memx_card_list *cards, memx_span host, memx_span name,
                               double memory_mib, int64_t line, memx_error *error) {
    if (host.length >= MEMX_NAME_SIZE || name.length >= MEMX_NAME_SIZE) {
        return memx_invalid(error, "line %lld: '%.*s' is longer than a name of 64 characters",
                            (long long)line, memx_quoted(name), name.at);
    }
    if (cards->count == cards->capacity) {
        size_t capacity = 2 * cards->capacity + 16;
        memx_listed_card *more = realloc(cards->cards, capacity * sizeof *more);
        if (!more) return MEMX_NOMEM;
        cards->cards = more;
        cards->capacity = capacity;
    }
    memx_listed_card *card = &cards->cards[cards->count];
    *card = (memx_listed_card){.memory_mib = memory_mib, .line = line, .place = cards->count};
    if (host.length > 0) memcpy(card->host, host.at, host.length);
    if (name.length > 0) memcpy(card->name, name.at, name.length);
    cards->count++;
    return MEMX_OK;
}

void memx_card_list_free(memx_card_list *cards) {
    free(cards->cards);
    *cards = (memx_card_list){.cards = NULL};
}

memx_span memx_take_host(memx_span *line) {
    size_t n = 0;
    while (n < line->length && n < MEMX_NAME_SIZE &&
           (isalnum((unsigned char)line->at[n]) || (line->at[n] && strchr("._-", line->at[n])))) {
        n++;
    }
    memx_span host = {line->at, n}, rest = memx_span_from(*line, n);
    if (n == 0 || !memx_take(&rest, ": ")) return (memx_span){"", 0};
    *line = rest;
    return host;
}

memx_status memx_no_card(memx_span host, memx_span said, int64_t line, memx_error *error) {
    said = memx_span_trim(said);
    if (host.length == 0) {
        return memx_invalid(error, "line %lld: '%.*s' lists no card; ask again, or leave it out",
                            (long long)line, memx_quoted(said), said.at);
    }
    return memx_invalid(error,
                        "line %lld: host '%.*s' lists no card: '%.*s'; ask it again, or leave it "
                        "out",
                        (long long)line, memx_quoted(host), host.at, memx_quoted(said), said.at);
}

/* ---- nvidia-smi ---- */

/* What stands for a host's cards where it could not tell them. */
static bool says_failure(memx_span line) {
    static const char *const failures[] = {
        "has failed", "Failed to",         "No devices were found", "not found",   "exited with",
        "refused",    "Permission denied", "No route to host",      "timed out",   "Timeout",
        "Unable to",  "Could not",         "No such file",          "cannot open", "unreachable",
        "not resolve"};
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
        if (memx_span_find(line, failures[i]) < line.length) return true;
    }
    return false;
}

typedef struct table {
    int columns, name, memory; /* of the header; columns 0: none was seen */
} table;

static int split(memx_span line, memx_span fields[MOST_FIELDS]) {
    int count = 0;
    for (bool more = true; more && count < MOST_FIELDS;) {
        size_t comma = memx_span_find(line, ",");
        fields[count++] = memx_span_trim((memx_span){line.at, comma});
        line = memx_span_from(line, comma);
        more = memx_take(&line, ",");
    }
    return count;
}

/* "name", "memory.total [MiB]": whether these are column names, and which. */
static bool read_header(const memx_span *fields, int count, table *out) {
    table found = {count, NO_COLUMN, NO_COLUMN};
    bool header = false;
    for (int i = 0; i < count; i++) {
        if (memx_span_equal(fields[i], "name") || memx_span_equal(fields[i], "gpu_name")) {
            found.name = i;
        }
        if (memx_span_begins(fields[i], "memory.total")) found.memory = i;
        header = header || memx_span_equal(fields[i], "index") ||
                 memx_span_equal(fields[i], "uuid") || memx_span_begins(fields[i], "memory.") ||
                 memx_span_begins(fields[i], "pci.");
    }
    if (!header && found.name == NO_COLUMN) return false;
    *out = found;
    return true;
}

/* A number of MiB, with its unit or without; NAN where it is none. */
static double mib_of(memx_span field) {
    double mib = NAN;
    if (!memx_take_number(&field, &mib)) return NAN;
    field = memx_span_trim(field);
    return (field.length == 0 || memx_span_equal(field, "MiB")) && mib > 0.0 ? mib : NAN;
}

/* Without a header: a name has letters, and is no identifier, address, setting or amount. */
static bool looks_like_name(memx_span field) {
    static const char *const others[] = {"GPU-",      "MIG-",      "[N/A]",    "[Not",
                                         "N/A",       "Enabled",   "Disabled", "Default",
                                         "Exclusive", "Prohibited"};
    bool letter = false;
    double number;
    memx_span unit = field;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (memx_span_begins(field, others[i])) return false;
    }
    for (size_t i = 0; i < field.length; i++) {
        letter = letter || isalpha((unsigned char)field.at[i]);
        if (field.at[i] == ':') return false;
    }
    if (memx_take_number(&unit, &number) &&
        (unit.length == 0 || unit.at[0] == ' ' || unit.at[0] == '.')) {
        return false;
    }
    return letter && !(field.length == 2 && field.at[0] == 'P'); /* P0: a performance state */
}

/* Without a header the greatest amount is the whole memory: what is used or free of it is less. */
static memx_status guess(const memx_span *fields, int count, int64_t line, memx_span *name,
                         double *mib, memx_error *error) {
    bool units = false;
    *mib = NAN;
    for (int i = 0; i < count; i++) {
        units = units || memx_span_find(fields[i], " MiB") < fields[i].length;
    }
    for (int i = 0; i < count; i++) {
        if (name->length == 0 && looks_like_name(fields[i])) *name = fields[i];
        if (units && memx_span_find(fields[i], " MiB") == fields[i].length) continue;
        double found = mib_of(fields[i]);
        if (found >= 1024.0 && !(found <= *mib)) *mib = found;
    }
    if (name->length > 0) return MEMX_OK;
    return memx_invalid(error, "line %lld: no field is a card's name; query it, as by %s",
                        (long long)line, usage);
}

static memx_status read_row(const table *t, memx_span text, int64_t line, memx_span host,
                            memx_card_list *out, memx_error *error) {
    memx_span fields[MOST_FIELDS], name = {"", 0};
    double mib = NAN;
    int count = split(text, fields);
    if (t->columns == 0) {
        memx_status status = guess(fields, count, line, &name, &mib, error);
        return status ? status : memx_card_list_add(out, host, name, mib, line, error);
    }
    if (count != t->columns) {
        return memx_invalid(error, "line %lld: '%.*s' has %d field%s, the header %d",
                            (long long)line, memx_quoted(text), text.at, count, memx_s(count),
                            t->columns);
    }
    name = fields[t->name];
    if (name.length == 0) {
        return memx_invalid(error, "line %lld: the name is empty", (long long)line);
    }
    if (t->memory != NO_COLUMN) {
        memx_span field = fields[t->memory];
        mib = mib_of(field);
        if (isnan(mib) && !memx_span_begins(field, "[") && !memx_span_equal(field, "N/A")) {
            return memx_invalid(error, "line %lld: memory.total is '%.*s', no number of MiB",
                                (long long)line, memx_quoted(field), field.at);
        }
    }
    return memx_card_list_add(out, host, name, mib, line, error);
}

memx_status memx_nvidia_smi_read(memx_span text, memx_card_list *out, memx_error *error) {
    table t = {0, NO_COLUMN, NO_COLUMN};
    memx_span line;
    memx_status status = MEMX_OK;
    if (memx_text_is_utf16(&text)) {
        return memx_invalid(error, "line 1: the text is UTF-16; write it as UTF-8, as by "
                                   "iconv -f UTF-16 -t UTF-8");
    }
    for (int64_t number = 1; !status && memx_next_line(&text, &line); number++) {
        memx_span fields[MOST_FIELDS];
        line = memx_span_trim(line);
        memx_span host = memx_take_host(&line);
        if (memx_span_trim(line).length == 0) continue;
        if (says_failure(line)) {
            status = memx_no_card(host, line, number, error);
        } else if (!read_header(fields, split(line, fields), &t)) {
            status = read_row(&t, line, number, host, out, error);
        } else if (t.name == NO_COLUMN) {
            status = memx_invalid(error, "line %lld: the header has no name; query it, as by %s",
                                  (long long)number, usage);
        }
    }
    if (!status && out->count == 0) {
        status = memx_invalid(error, "the text lists no card; give what %s prints", usage);
    }
    return status;
}

/* ---- nodes ---- */

/* node2 before node10. */
static int compare_hosts(const char *a, const char *b) {
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            while (*a == '0') a++;
            while (*b == '0') b++;
            size_t m = strspn(a, "0123456789"), n = strspn(b, "0123456789");
            int order = m != n ? (m < n ? -1 : 1) : memcmp(a, b, m);
            if (order) return order;
            a += m;
            b += n;
        } else {
            if (*a != *b) return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
            a++;
            b++;
        }
    }
    return (*a != '\0') - (*b != '\0');
}

static int compare_cards(const void *left, const void *right) {
    const memx_listed_card *a = left, *b = right;
    int order = compare_hosts(a->host, b->host);
    if (!order) order = strcmp(a->host, b->host);
    return order ? order : a->place < b->place ? -1 : a->place > b->place;
}

/* The card and those of its host behind it that are on the same device, which are then done. */
static void write_node(memx_card_list *cards, size_t first, int64_t ordinal, memx_text *out) {
    memx_listed_card *card = &cards->cards[first];
    int64_t gpus = 0;
    double mib = NAN;
    for (size_t i = first; i < cards->count; i++) {
        memx_listed_card *other = &cards->cards[i];
        if (strcmp(other->host, card->host) != 0) break;
        if (other->place == SIZE_MAX || strcmp(other->device, card->device) != 0) continue;
        if (!isnan(other->memory_mib) && !(other->memory_mib >= mib)) mib = other->memory_mib;
        other->place = SIZE_MAX;
        gpus++;
    }
    memx_text_printf(out, "%s[%lld,\"", ordinal ? "," : "", (long long)ordinal);
    memx_text_json(out, card->device);
    memx_text_printf(out, "\",%lld,", (long long)gpus);
    memx_text_decimal(out, mib, 3);
    memx_text_printf(out, ",\"");
    memx_text_json(out, card->name);
    memx_text_printf(out, "%s", *card->host ? "\",\"" : "\",null]");
    if (!*card->host) return;
    memx_text_json(out, card->host);
    memx_text_printf(out, "\"]");
}

void memx_card_list_nodes(memx_card_list *cards, memx_text *out) {
    int64_t ordinal = 0;
    if (cards->count > 1) {
        qsort(cards->cards, cards->count, sizeof *cards->cards, compare_cards);
    }
    memx_text_printf(out, "[");
    for (size_t i = 0; i < cards->count; i++) {
        if (cards->cards[i].place != SIZE_MAX) write_node(cards, i, ordinal++, out);
    }
    memx_text_printf(out, "]");
}
