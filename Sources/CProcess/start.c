#define _GNU_SOURCE
#include "CProcess.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int argument_count;
static char **arguments;
static unsigned closed;

// Runs before every constructor, of shared libraries too (System V ABI, DT_PREINIT_ARRAY): later, the first file or
// pipe that any of them opens could already be descriptor 0, 1, or 2. Before a sanitizer's runtime as well, hence
// system calls without a wrapper.
//
// A closed stream becomes a descriptor that fails with EBADF, as glibc does for a setuid program (csu/check_fds.c):
// /dev/null, opened for the other direction; the root folder by O_PATH where there is no /dev/null.
__attribute__((no_sanitize("address", "thread", "undefined"))) static void start(int count, char **words, char **environment) {
    (void)environment;
    argument_count = count;
    arguments = words;
    for (int descriptor = 0; descriptor < 3; descriptor++) {
        if (syscall(SYS_fcntl, descriptor, F_GETFD) >= 0) continue;
        closed |= 1u << descriptor;
        int mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        // The lowest free number is the one that is closed.
        if (syscall(SYS_openat, AT_FDCWD, "/dev/null", mode) < 0)
            syscall(SYS_openat, AT_FDCWD, "/", O_PATH);
    }
    // Swift's runtime, linked statically, looks for its backtracer next to /proc/self/exe before main, and aborts
    // where there is none. No sanitizer runs there either, so that calls into the C library are possible.
    char byte;
    if (syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", &byte, 1) < 0)
        setenv("SWIFT_BACKTRACE", "enable=no,swift-backtrace=/", 0);
}

__attribute__((section(".preinit_array"), used)) static void (*first)(int, char **, char **) = start;

int process_argument_count(void) { return argument_count; }

const char *process_argument(int index) {
    return index >= 0 && index < argument_count ? arguments[index] : 0;
}

int process_was_closed(int descriptor) {
    return descriptor >= 0 && descriptor < 3 && closed >> descriptor & 1;
}
