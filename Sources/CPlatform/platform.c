#define _GNU_SOURCE
#include "CPlatform.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

int platform_wait(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout) {
    return ppoll(descriptors, count, timeout, NULL);
}

void platform_use_exact_timers(void) {
    prctl(PR_SET_TIMERSLACK, 1000UL);
}

int platform_lock_byte(int descriptor, long offset, int is_shared) {
    struct flock lock = {.l_type = is_shared ? F_RDLCK : F_WRLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int platform_is_byte_locked(int descriptor, long offset) {
    struct flock probe = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
    return fcntl(descriptor, F_OFD_GETLK, &probe) == 0 && probe.l_type != F_UNLCK;
}

int platform_is_mount_root(const char *path) {
    struct statx found;
    if (statx(AT_FDCWD, path, 0, STATX_TYPE, &found) != 0) return 0;
    return (found.stx_attributes_mask & found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

int platform_memory_file(void) {
    return memfd_create("clips", MFD_CLOEXEC);
}

size_t platform_escaped_index(const unsigned char *text, size_t length, int is_for_terminal) {
    for (size_t index = 0; index < length; index++) {
        unsigned char byte = text[index];
        if (byte < 0x20 || byte == '"' || byte == '\\') return index;
        if (is_for_terminal && (byte == 0x7F || byte == 0xC2 || byte == 0xD8 || byte == 0xE2)) return index;
    }
    return length;
}
