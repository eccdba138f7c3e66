#pragma once

#include <stdint.h>

// What the machine can do without this project: plain C on SQLite, inotify and pseudo-terminals, for the
// benchmarks to be read beside. All times are nanoseconds of CLOCK_MONOTONIC, which processes share.

int64_t probe_now(void);

// Whether bytes contain others; memmem is not in Swift's Glibc.
int probe_contains(const void *bytes, long count, const void *wanted, long wanted_count);

// Processes. argv and environment end with NULL; "environment" is added to the present one.

// Starts a program with pipes for its input and output. Returns its process id, or -1.
int probe_start(char *const argv[], int *input, int *output);
// Runs a program to its end, its output thrown away. Returns its exit status, or -1.
int probe_run(char *const argv[], int64_t *took);
// Starts a program on a new pseudo-terminal. Returns its process id, or -1.
int probe_start_on_terminal(
    char *const argv[], char *const environment[], int rows, int columns, int *terminal, int64_t *began);
// Ends a process that was started above and waits for it.
void probe_end(int process);

// The least that commits clips: one prepared INSERT in a transaction of its own, then a byte into the doorbell.
// Reads one byte from "input" for each burst, commits so many, and answers with the time just before the last
// began. Ends with its input; returns 0 then.
int probe_write_clips(const char *path, int is_full, int input, int output);

// The least that notices them: inotify on -wal and doorbell, a probe of the write lock, one SELECT.
struct probe_watch;
struct probe_watch *probe_watch_open(const char *path);
// The time at which the clip was read, or 0 when it was not within "milliseconds".
int64_t probe_watch_wait(struct probe_watch *watch, int64_t clip, int milliseconds);
int64_t probe_watch_newest(struct probe_watch *watch);
void probe_watch_close(struct probe_watch *watch);

// The least that shows them: the newest title on the first line of the terminal. Does not return.
int probe_show_clips(const char *path);

// The least that answers keys on a terminal: 160 bytes for each read. Returns 0 when there are no more.
int probe_echo_keys(void);
