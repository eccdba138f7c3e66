#include "CBenchmarkProbes.h"

#include <time.h>

int64_t probe_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}
