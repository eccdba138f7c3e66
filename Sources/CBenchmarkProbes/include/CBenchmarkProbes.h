#pragma once

#include <stdint.h>

// The performance of the machine without this project: plain C on SQLite, inotify, and pseudo-terminals, as the
// baseline of the benchmarks. All times are nanoseconds of CLOCK_MONOTONIC, which all processes share.

int64_t probe_now(void);

// Returns whether bytes contain other bytes; memmem is not in Swift's Glibc.
int probe_contains(const void *bytes, long count, const void *wanted, long wanted_count);

// Processes. argv and environment end with NULL; "environment" is added to the current one.

// Starts a program on a new pseudo-terminal. Returns its process ID, or -1.
int probe_start_on_terminal(
    char *const argv[], char *const environment[], int rows, int columns, int *terminal, int64_t *began);
// Kills a process that a function above started, and waits for it.
void probe_end(int process);

// The minimum that commits clips: one prepared INSERT in a separate transaction, then a byte to the doorbell.
// Reads the size of each burst as one byte from "input", commits that number of clips, and writes the time at which
// the last commit began. Returns 0 at the end of the input.
int probe_write_clips(const char *path, int is_full, int input, int output);

// The minimum that serves a browser extension: for each message, one INSERT of the first clip in a separate
// transaction, and its ID as the answer. Returns 0 at the end of the input.
int probe_serve_browser(const char *path, int is_full, int input, int output);

// The minimum that detects commits: inotify on -wal and doorbell, a probe of the write lock, one SELECT.
struct probe_watch;
struct probe_watch *probe_watch_open(const char *path);
// Returns the time at which the clip was read, or 0 after "milliseconds".
int64_t probe_watch_wait(struct probe_watch *watch, int64_t clip, int milliseconds);
int64_t probe_watch_newest(struct probe_watch *watch);
// Returns a clip by its distance from the newest, or NULL; only the newest clips are retained.
enum { PROBE_CLIPS = 40 };
struct probe_clip {
    char title[256], url[256], tags[256], author[256], text[256];
};
const struct probe_clip *probe_watch_clip(struct probe_watch *watch, long back);
long probe_watch_count(struct probe_watch *watch);
void probe_watch_close(struct probe_watch *watch);

// The minimum that shows commits in the app's screen of 40 rows and 120 columns, with ncurses: the list, the newest
// clip next to it, the status, and the keys. Does not return.
int probe_show_clips(const char *path);

// The word and the subject of the title of sample clip "number". The word differs from that of the next number in every
// letter, so that a screen update contains all of it.
enum { PROBE_MARKER = 10 };
void probe_marker(int64_t number, char marker[PROBE_MARKER]);
const char *probe_subject(int64_t number);

// Counts the runs of a statement with this text on the connections that this process opens until it is NULL.
void probe_count_runs(const char *sql);
int64_t probe_runs(void);

// The minimum that answers keys on a terminal: 160 bytes for each read. Returns 0 at the end of the input.
int probe_echo_keys(void);
