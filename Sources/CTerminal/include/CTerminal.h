#pragma once

#include <stdint.h>

// wcwidth is not in Swift's Glibc, and counts by the process's locale; this one counts by UTF-8 always.
int terminal_columns(uint32_t scalar);

// ncurses: its macros, variadics and global variables are not importable, so no header of it is.
// All of this belongs to one thread.

enum {
    TERMINAL_OPENED = 0,
    TERMINAL_NO_UTF8,
    TERMINAL_UNKNOWN_TYPE,
    TERMINAL_CANNOT_PLACE,
};

// ncurses has one state for the process: 1 for whoever asks first, until it is given back.
int terminal_claim(void);
void terminal_unclaim(void);

// The descriptors stay the caller's. Whatever the result, terminal_close cleans up.
int terminal_open(const char *type, int input, int output);
void terminal_close(void);
int terminal_color_count(void);
void terminal_resize(int rows, int columns);

// Bits of attributes: bold 1, dim 2, italic 4, underline 8, reverse 16. A colour of -1 is the terminal's own.
struct terminal_style {
    uint8_t attributes;
    int16_t foreground;
    int16_t background;
};

enum { TERMINAL_MOST_COLUMNS = 1000 };

// Each cell's scalars end with a 0.
void terminal_put(int row, int column, const uint32_t *scalars, int count, struct terminal_style style);
// Shows what was put, and the cursor; none if the row is negative.
void terminal_refresh(int row, int column);
// The next refresh draws everything anew.
void terminal_touch(void);
// Back from the person's screen, or from a stop, to raw mode.
void terminal_enter(void);
void terminal_leave(void);

// What ncurses holds to be on the terminal; returns the count of scalars.
int terminal_get(int row, int column, uint32_t scalars[6], struct terminal_style *style);
void terminal_get_cursor(int *row, int *column, int *is_visible);

// 0 when the descriptor is a terminal that knows its size.
int terminal_size(int descriptor, int *rows, int *columns);

// Signal handlers may call next to nothing, no Swift at all: these write the number into a pipe.
// Returns the end to read, or -1. A second SIGTERM or SIGHUP ends a process that did not heed the first.
int terminal_signals_open(void);
void terminal_signals_close(void);
// While another program has the terminal, ^C is meant for that one.
void terminal_signals_ignore_interrupt(int ignore);
// Stops the process and its group as ^Z does; returns when it is continued.
void terminal_stop(void);
// Makes a child's process group the terminal's foreground before its program begins; the actions are those of
// spawn.h, in which Swift's Glibc does not have this.
int terminal_hand_over(void *actions, int terminal);
// A pidfd of a child, or -1; it is closed on exec.
int terminal_child_descriptor(int process);

// Remembers how the terminal is, and brings it back on a crash or at exit, if not disarmed before.
void terminal_rescue_arm(int descriptor);
void terminal_rescue_disarm(void);
// Returns 0 if not all bytes could be written.
int terminal_write_all(int descriptor, const char *bytes, long count);
