#pragma once

#include <stdint.h>

// wcwidth is not in Swift's Glibc, and counts by the process's locale; this one counts by UTF-8 always.
int terminal_columns(uint32_t scalar);
