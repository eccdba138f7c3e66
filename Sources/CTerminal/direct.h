#pragma once

#include <curses.h>
#include <stdio.h>

// Opens a terminal of a type with the colors of TERMINAL_RGB in addition to its own; returns NULL if it has fewer than
// 256.
SCREEN *terminal_open_direct(const char *type, FILE *output, FILE *input);
