#define _GNU_SOURCE
#include "wait.h"

#include <stddef.h>
#include <sys/prctl.h>

int platform_wait(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout) {
    return ppoll(descriptors, count, timeout, NULL);
}

void platform_use_exact_timers(void) {
    prctl(PR_SET_TIMERSLACK, 1000UL);
}
