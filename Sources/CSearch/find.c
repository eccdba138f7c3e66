#define _GNU_SOURCE
#include "find.h"

#include <string.h>

ptrdiff_t search_find(
    const uint8_t *text, size_t length, size_t from, const uint8_t *needle, size_t needle_length) {
    if (from > length) return -1;
    const uint8_t *found = memmem(text + from, length - from, needle, needle_length);
    return found ? found - text : -1;
}
