#pragma once

// Calls that Glibc's module hides without _GNU_SOURCE.
#include <poll.h>
#include <time.h>

// ppoll(2); poll(2) has a resolution of milliseconds only. NULL waits indefinitely.
int platform_wait(struct pollfd *_Nullable descriptors, nfds_t count, const struct timespec *_Nullable timeout);

// Ends the calling thread's waits at most 1 us late. The default of 50 us (prctl(2), PR_SET_TIMERSLACK) would more than
// double the shortest pauses.
void platform_use_exact_timers(void);

// Takes a lock of one byte for the open file, not for the process (fcntl(2), F_OFD_SETLK); returns -1 if it cannot.
int platform_lock_byte(int descriptor, long offset, int is_shared);

// Returns 1 if another open file, of any process, has a lock of the byte; 0 if none has, or if the system does not report
// it.
int platform_is_byte_locked(int descriptor, long offset);

// Returns 1 if the path is the root of a mount (statx(2)); 0 if it is not, or if the kernel does not report it (before
// Linux 5.8).
int platform_is_mount_root(const char *_Nonnull path);

// Creates a file in memory, which is closed by execve(2) (memfd_create(2)); returns -1 if it cannot.
int platform_memory_file(void);

// Returns the index of the first byte that must be escaped in a string of JSON, or that may begin a character that a
// terminal interprets; the length if there is none.
size_t platform_escaped_index(const unsigned char *_Nonnull text, size_t length, int is_for_terminal);
