#pragma once

#include <stddef.h>
#include <stdint.h>

// Returns the index of the first occurrence of a needle at or after an index, or -1: memmem(3), which is missing from
// Swift's Glibc.
ptrdiff_t search_find(
    const uint8_t *_Nonnull text, size_t length, size_t from, const uint8_t *_Nonnull needle, size_t needle_length);
