/*
** Binary heaps in arrays of the caller's: the least item first, O(log n) for each that comes or goes.
**
**     MEMX_HEAP(tasks, task, before)      where bool before(const task *a, const task *b)
**
** defines tasks_rise(items, at), for an item that was put at the end, and tasks_sink(items, count, at), for one
** that may be too great for its place, as the last one that was moved to the front is.
*/
#ifndef MEMX_CORE_HEAP_H
#define MEMX_CORE_HEAP_H

#include <stddef.h>

/* NOLINTBEGIN(bugprone-macro-parentheses) ; a type has none */
#define MEMX_HEAP(name, type, before)                                                              \
    static inline __attribute__((unused)) void name##_rise(type *items, size_t at) {               \
        const type item = items[at];                                                               \
        for (; at > 0 && before(&item, &items[(at - 1) / 2]); at = (at - 1) / 2) {                 \
            items[at] = items[(at - 1) / 2];                                                       \
        }                                                                                          \
        items[at] = item;                                                                          \
    }                                                                                              \
    static inline __attribute__((unused)) void name##_sink(type *items, size_t count, size_t at) { \
        const type item = items[at];                                                               \
        for (size_t child; (child = 2 * at + 1) < count; at = child) {                             \
            if (child + 1 < count && before(&items[child + 1], &items[child])) child++;            \
            if (!before(&items[child], &item)) break;                                              \
            items[at] = items[child];                                                              \
        }                                                                                          \
        items[at] = item;                                                                          \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

#endif
