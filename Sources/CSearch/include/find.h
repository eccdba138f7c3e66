#pragma once

#include <stddef.h>
#include <stdint.h>

// memmem(3), which Glibc's module does not show: where a needle first stands at or after an index, or -1.
ptrdiff_t search_find(
    const uint8_t *_Nonnull text, size_t length, size_t from, const uint8_t *_Nonnull needle, size_t needle_length);
