#pragma once

#include <poll.h>
#include <time.h>

// ppoll(2), which Glibc's module hides without _GNU_SOURCE; poll(2) has a resolution of milliseconds only. NULL waits
// indefinitely.
int platform_wait(struct pollfd *_Nonnull descriptors, nfds_t count, const struct timespec *_Nullable timeout);

// Ends the calling thread's waits at most 1 us late. The default of 50 us (prctl(2), PR_SET_TIMERSLACK) would more than
// double the shortest pauses.
void platform_use_exact_timers(void);
