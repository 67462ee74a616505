/*
** SQL aggregates that compare predictions with measurements, and the median.
**
**     SELECT device, mape(measured, predicted), spearman(measured, predicted)
**     FROM comparison GROUP BY device;
**
**     SELECT id, median(iteration_ms) OVER (ORDER BY id ROWS 4 PRECEDING) FROM memx_run;
**
**     median(x)                  middle value; mean of the middle two; also a window function
**     mape(measured, predicted)  mean of |predicted - measured| / |measured|, in percent
**     spearman(x, y)             rank correlation, ties share the mean of their ranks
**     r2(measured, predicted)    1 - SS_res / SS_tot
**
** Numbers are read as doubles. A row with a NULL argument is skipped. The result is NULL where it
** is undefined: no rows, and for spearman and r2 also fewer than two rows or no variation. Text,
** blobs, infinities, and a measured value of 0 in mape are errors, since skipping them would hide
** a mistake in the data.
**
** Each step appends its row to an array in the aggregate context, and the final call hands the
** array to ext/core/stats.c. As a window function, median moves its values into an ordered set at
** the first row that asks for a value or leaves the window: from then on each row costs
** O(log n). The final call owns all memory: SQLite makes it on every path, after errors too.
*/
#include "sql/aggregates.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/stats.h"

SQLITE_EXTENSION_INIT3

enum {
    ROOM_AT_FIRST = 64,
    EXCERPT_CHARACTERS = 32, /* of a text that an error message quotes */
    UTF8_BYTES = 4           /* at most, in a character */
};

/* One SQL function: its registration, and what its callbacks need to know about it. */
typedef struct aggregate {
    const char *name;
    int argument_count;
    const char *argument[2];
    /* As error messages spell it. */
    const char *signature;
    /* Whether 0 is an error in the first argument. */
    bool refuses_zero;
    /* For pair_final. */
    bool (*compute)(memx_pair *pairs, size_t n, double *result);
    void (*step)(sqlite3_context *, int, sqlite3_value **);
    void (*final)(sqlite3_context *);
    /* NULL, both of them, for what is no window function. */
    void (*value)(sqlite3_context *);
    void (*inverse)(sqlite3_context *, int, sqlite3_value **);
} aggregate;

/* Aggregate contexts. SQLite hands them out filled with 0, which is empty for both. */
typedef struct pair_state {
    memx_pair *pairs;
    size_t count;
    size_t capacity;
} pair_state;

typedef struct median_state {
    double *values; /* while not moving */
    size_t count;
    size_t capacity;
    bool moving;
    memx_ordered window; /* once moving; owns its nodes */
} median_state;

/* Doubles an array. Returns the new one, or NULL on lack of memory, leaving the old one as it
** was. Nothing overflows, since sqlite3_realloc64 refuses 2 GiB. */
static void *double_room(void *items, size_t *capacity, size_t item_size) {
    size_t wanted = *capacity == 0 ? ROOM_AT_FIRST : 2 * *capacity;
    void *larger = sqlite3_realloc64(items, (sqlite3_uint64)wanted * item_size);
    if (larger) {
        *capacity = wanted;
    }
    return larger;
}

/* Takes ownership of a message by sqlite3_mprintf, NULL included. */
static void result_message(sqlite3_context *context, char *message) {
    if (!message) {
        sqlite3_result_error_nomem(context);
        return;
    }
    sqlite3_result_error(context, message, -1);
    sqlite3_free(message);
}

/* Reports a text argument, quoting its beginning on one line. */
static void refuse_text(sqlite3_context *context, const aggregate *self, int index,
                        sqlite3_value *argument) {
    const char *text = (const char *)sqlite3_value_text(argument);
    if (!text) {
        sqlite3_result_error_nomem(context);
        return;
    }
    char excerpt[EXCERPT_CHARACTERS * UTF8_BYTES + 1];
    sqlite3_snprintf((int)sizeof excerpt, excerpt, "%!.*s", EXCERPT_CHARACTERS, text);
    size_t length = 0;
    for (; excerpt[length] != '\0'; length++) {
        if ((unsigned char)excerpt[length] < ' ' || excerpt[length] == '\x7f') {
            excerpt[length] = ' ';
        }
    }
    const char *ellipsis = text[length] == '\0' ? "" : "...";
    const char *name = self->argument[index];
    /* Asked last, since it converts the argument in place. */
    if (sqlite3_value_numeric_type(argument) == SQLITE_TEXT) {
        result_message(context, sqlite3_mprintf("%s: %s is text '%q%s'; write a number",
                                                self->signature, name, excerpt, ellipsis));
    } else {
        result_message(context, sqlite3_mprintf("%s: %s is text '%q%s'; write CAST(%s AS REAL)",
                                                self->signature, name, excerpt, ellipsis, name));
    }
}

/* Reads one argument that is not NULL. Returns false after reporting an error. */
static bool read_number(sqlite3_context *context, const aggregate *self, int index,
                        sqlite3_value *argument, double *number) {
    const char *name = self->argument[index];
    switch (sqlite3_value_type(argument)) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT: break;
    case SQLITE_TEXT: refuse_text(context, self, index, argument); return false;
    default:
        result_message(context,
                       sqlite3_mprintf("%s: %s is a blob of %d bytes; write a number",
                                       self->signature, name, sqlite3_value_bytes(argument)));
        return false;
    }
    *number = sqlite3_value_double(argument);
    if (!isfinite(*number)) {
        result_message(context,
                       sqlite3_mprintf("%s: %s is infinite; leave such rows out with WHERE",
                                       self->signature, name));
        return false;
    }
    if (index == 0 && self->refuses_zero && *number == 0) {
        result_message(context, sqlite3_mprintf("%s: %s is 0; leave such rows out with WHERE",
                                                self->signature, name));
        return false;
    }
    return true;
}

/* Reads the arguments of one row. Returns false when the row adds nothing: it has a NULL, or an
** error was reported. */
static bool read_row(sqlite3_context *context, int argument_count, sqlite3_value **arguments,
                     double *numbers) {
    const aggregate *self = sqlite3_user_data(context);
    for (int i = 0; i < argument_count; i++) {
        if (sqlite3_value_type(arguments[i]) == SQLITE_NULL) {
            return false;
        }
    }
    for (int i = 0; i < argument_count; i++) {
        if (!read_number(context, self, i, arguments[i], &numbers[i])) {
            return false;
        }
    }
    return true;
}

static void pair_step(sqlite3_context *context, int argument_count, sqlite3_value **arguments) {
    double numbers[2];
    if (!read_row(context, argument_count, arguments, numbers)) {
        return;
    }
    pair_state *state = sqlite3_aggregate_context(context, (int)sizeof *state);
    if (!state) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (state->count == state->capacity) {
        memx_pair *larger = double_room(state->pairs, &state->capacity, sizeof *state->pairs);
        if (!larger) {
            sqlite3_result_error_nomem(context);
            return;
        }
        state->pairs = larger;
    }
    state->pairs[state->count++] = (memx_pair){numbers[0], numbers[1]};
}

static void pair_final(sqlite3_context *context) {
    const aggregate *self = sqlite3_user_data(context);
    pair_state *state = sqlite3_aggregate_context(context, 0);
    if (!state) {
        return; /* no rows: the result stays NULL */
    }
    double result = 0;
    if (self->compute(state->pairs, state->count, &result)) {
        if (isfinite(result)) {
            sqlite3_result_double(context, result);
        } else {
            result_message(context,
                           sqlite3_mprintf("%s: the result is too large for a number; "
                                           "compare the units of %s and %s",
                                           self->signature, self->argument[0], self->argument[1]));
        }
    }
    sqlite3_free(state->pairs);
    *state = (pair_state){0};
}

static bool compute_mape(memx_pair *pairs, size_t n, double *result) {
    return memx_mape(pairs, n, result);
}

static bool compute_r2(memx_pair *pairs, size_t n, double *result) {
    return memx_r2(pairs, n, result);
}

/* Returns false on lack of memory, with the set as it was. */
static bool window_insert(memx_ordered *window, double value) {
    if (memx_ordered_full(window)) {
        size_t capacity = window->capacity;
        memx_ordered_node *larger = double_room(window->nodes, &capacity, sizeof *window->nodes);
        if (!larger) {
            return false;
        }
        memx_ordered_use(window, larger, (uint32_t)capacity);
    }
    memx_ordered_insert(window, value);
    return true;
}

/* Moves the values into the ordered set. Returns false on lack of memory; SQLite then ends the
** query, and median_final frees both. */
static bool start_moving(median_state *state) {
    for (size_t i = 0; i < state->count; i++) {
        if (!window_insert(&state->window, state->values[i])) {
            return false;
        }
    }
    sqlite3_free(state->values);
    state->values = NULL;
    state->count = 0;
    state->capacity = 0;
    state->moving = true;
    return true;
}

static bool append_value(median_state *state, double value) {
    if (state->count == state->capacity) {
        double *larger = double_room(state->values, &state->capacity, sizeof *state->values);
        if (!larger) {
            return false;
        }
        state->values = larger;
    }
    state->values[state->count++] = value;
    return true;
}

static void median_step(sqlite3_context *context, int argument_count, sqlite3_value **arguments) {
    double value = 0;
    if (!read_row(context, argument_count, arguments, &value)) {
        return;
    }
    median_state *state = sqlite3_aggregate_context(context, (int)sizeof *state);
    if (!state ||
        !(state->moving ? window_insert(&state->window, value) : append_value(state, value))) {
        sqlite3_result_error_nomem(context);
    }
}

/* Removes the row that leaves the window. */
static void median_inverse(sqlite3_context *context, int argument_count,
                           sqlite3_value **arguments) {
    double value = 0;
    if (!read_row(context, argument_count, arguments, &value)) {
        return;
    }
    median_state *state = sqlite3_aggregate_context(context, (int)sizeof *state);
    if (!state || (!state->moving && !start_moving(state))) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (!memx_ordered_remove(&state->window, value)) {
        sqlite3_result_error(context, "median(x): a row left the window that had not entered it",
                             -1);
    }
}

/* The median of the window, which goes on afterwards. */
static void median_value(sqlite3_context *context) {
    median_state *state = sqlite3_aggregate_context(context, 0);
    if (!state) {
        return;
    }
    if (!state->moving && !start_moving(state)) {
        sqlite3_result_error_nomem(context);
        return;
    }
    double median = 0;
    if (memx_ordered_median(&state->window, &median)) {
        sqlite3_result_double(context, median);
    }
}

static void median_final(sqlite3_context *context) {
    median_state *state = sqlite3_aggregate_context(context, 0);
    if (!state) {
        return;
    }
    double median = 0;
    if (state->moving ? memx_ordered_median(&state->window, &median)
                      : memx_median(state->values, state->count, &median)) {
        sqlite3_result_double(context, median);
    }
    sqlite3_free(state->values);
    sqlite3_free(state->window.nodes);
    *state = (median_state){0};
}

static const aggregate aggregates[] = {
    {
        .name = "median",
        .argument_count = 1,
        .argument = {"x"},
        .signature = "median(x)",
        .step = median_step,
        .final = median_final,
        .value = median_value,
        .inverse = median_inverse,
    },
    {
        .name = "mape",
        .argument_count = 2,
        .argument = {"measured", "predicted"},
        .signature = "mape(measured, predicted)",
        .refuses_zero = true,
        .compute = compute_mape,
        .step = pair_step,
        .final = pair_final,
    },
    {
        .name = "spearman",
        .argument_count = 2,
        .argument = {"x", "y"},
        .signature = "spearman(x, y)",
        .compute = memx_spearman,
        .step = pair_step,
        .final = pair_final,
    },
    {
        .name = "r2",
        .argument_count = 2,
        .argument = {"measured", "predicted"},
        .signature = "r2(measured, predicted)",
        .compute = compute_r2,
        .step = pair_step,
        .final = pair_final,
    },
};

int memx_register_aggregates(sqlite3 *db) {
    for (size_t i = 0; i < sizeof aggregates / sizeof *aggregates; i++) {
        const aggregate *self = &aggregates[i];
        int rc = sqlite3_create_window_function(
            db, self->name, self->argument_count,
            SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, (void *)self, self->step,
            self->final, self->value, self->inverse, NULL);
        if (rc != SQLITE_OK) {
            return rc;
        }
    }
    return SQLITE_OK;
}
