#define _GNU_SOURCE
#include "CBenchmarkProbes.h"

#include <string.h>
#include <time.h>

int64_t probe_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int probe_contains(const void *bytes, long count, const void *wanted, long wanted_count) {
    return memmem(bytes, count, wanted, wanted_count) != NULL;
}
