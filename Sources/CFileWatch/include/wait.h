#pragma once

#include <poll.h>
#include <time.h>

// ppoll(2), which Glibc's module does not show without _GNU_SOURCE: poll(2) counts in whole milliseconds. NULL waits
// without a limit.
int file_watch_wait(struct pollfd *_Nonnull descriptors, nfds_t count, const struct timespec *_Nullable timeout);
