#define _GNU_SOURCE
#include "wait.h"

#include <stddef.h>

int platform_wait(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout) {
    return ppoll(descriptors, count, timeout, NULL);
}
