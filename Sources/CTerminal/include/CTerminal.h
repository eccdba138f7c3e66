#pragma once

#include <stdint.h>

// Returns the columns of a scalar. wcwidth is not in Swift's Glibc and uses the process's locale; this uses UTF-8.
int terminal_columns(uint32_t scalar);

// ncurses: its macros, variadics, and global variables are not importable, so none of its headers is exposed.
// Call all of these on one thread.

enum {
    TERMINAL_OPENED = 0,
    TERMINAL_NO_UTF8,
    TERMINAL_UNKNOWN_TYPE,
    TERMINAL_CANNOT_PLACE,
};

// ncurses has one state for the process: returns 1 to the first caller until terminal_unclaim.
int terminal_claim(void);
void terminal_unclaim(void);

// The caller owns the descriptors. Call terminal_close after any result. With `is_direct`, colors may be TERMINAL_RGB
// with red, green, and blue of 8 bits each, if the terminal has 256 colors.
int terminal_open(const char *type, int is_direct, int input, int output);
void terminal_close(void);
int terminal_color_count(void);
void terminal_resize(int rows, int columns);

// Bits of attributes: bold 1, dim 2, italic 4, underline 8, reverse 16. A color of -1 is the terminal's default.
struct terminal_style {
    uint8_t attributes;
    int32_t foreground;
    int32_t background;
};

// The bit that distinguishes red, green, and blue from an index.
static const int32_t TERMINAL_RGB = 1 << 24;

enum { TERMINAL_MAX_COLUMNS = 1000 };

// Each cell's scalars end with a 0.
void terminal_put(int row, int column, const uint32_t *scalars, int count, struct terminal_style style);
// Moves the cells of a rectangle down, or up if the count is negative; blank cells replace those that leave their row.
// Returns 0 if there is no memory.
int terminal_scroll(int row, int column, int rows, int columns, int count);
// Shows the new contents and the cursor; hides the cursor if the row is negative.
void terminal_refresh(int row, int column);
// Makes the next refresh redraw everything.
void terminal_touch(void);
// Enters raw mode before the first refresh, so that answers of the terminal are not echoed.
void terminal_begin_input(void);
// Returns to raw mode from the user's screen or from a stop.
void terminal_enter(void);
void terminal_leave(void);

// Reads a cell of the terminal's contents as known to ncurses; returns the count of scalars.
int terminal_get(int row, int column, uint32_t scalars[6], struct terminal_style *style);
void terminal_get_cursor(int *row, int *column, int *is_visible);

// Returns 0 if the descriptor is a terminal with a known size.
int terminal_size(int descriptor, int *rows, int *columns);

// Signal handlers must not run Swift code, and C code only as signal-safety(7) allows: these write the number to a pipe.
// Returns the read end, or -1. A second SIGTERM or SIGHUP kills a process that did not exit after the first.
int terminal_signals_open(void);
void terminal_signals_close(void);
// Stops the process and its group as ^Z does; returns when it is continued.
void terminal_stop(void);
// Starts the first of the files that can be executed, as the leader of its process group. Sets a descriptor from which a
// byte can be read when none could, and which ends otherwise. Returns the process, or -1.
//
// Unlike posix_spawn(3), it does not wait for execve(2): ^Z may stop the child before, which would stop this process, too.
int terminal_start_job(char *const *paths, char *const *words, char *const *environment, int *failed);
// Returns a pidfd of a child, close-on-exec, or -1.
int terminal_child_descriptor(int process);

// Returns whether the process was requested to end by SIGTERM or SIGHUP.
int terminal_is_ending(void);

// Opens a terminal for another program, with the modes of a terminal unless it is -1. Returns this end, which does not
// block, or -1.
int terminal_pty_open(int terminal, int rows, int columns);
// Sets the size, and signals the program if it differs.
void terminal_pty_resize(int pty, int rows, int columns);
// Adds the actions that make the other end the terminal of a child with a session of its own, with its output and
// errors, and its input if wanted. Returns 0 if all could be added.
int terminal_pty_use(void *actions, int pty, int as_input);

// Saves the terminal's modes and restores the terminal on a crash or at exit, unless disarmed before.
void terminal_rescue_arm(int descriptor);
void terminal_rescue_disarm(void);
// Returns 0 if not all bytes could be written.
int terminal_write_all(int descriptor, const char *bytes, long count);
