/*
** One hash of bytes for the tables of this folder. Equal bytes are always compared as well.
*/
#ifndef MEMX_CORE_HASH_H
#define MEMX_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a, its upper half folded into the lower for tables of a power of two. */
static inline uint64_t memx_hash(const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    uint64_t h = UINT64_C(14695981039346656037);
    /* The analyzer does not know the bytes of a whole number.
    ** NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
    for (size_t i = 0; i < size; i++) h = (h ^ at[i]) * UINT64_C(1099511628211);
    return h ^ h >> 32;
}

#endif
