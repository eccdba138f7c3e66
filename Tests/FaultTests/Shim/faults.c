// Preloaded into a program with LD_PRELOAD, makes its system calls fail as a failing disk would.
//
// FAULT_PATH   the beginning of the paths of affected files
// FAULT_CALLS  letters: o open, r read, w write, s sync, t truncate, n link, unlink and rename,
//              m change of a mode, i look at the identity of a file
// FAULT_AT     the number of the first such call that fails, from 1
// FAULT_COUNT  the number of calls that fail; 0 for all later ones
// FAULT_KIND   an error number, "short" for half of the bytes, "kill" for SIGKILL before the call,
//              "torn" for half of the bytes and SIGKILL, "stop" for SIGSTOP before the call
// FAULT_NOTE   a file that is created when the first call fails, with the letter of the call
// FAULT_CLOCK  a file with the error of the wall clock in milliseconds; after "frozen", its constant time
// FAULT_WATCH  the error number of inotify_init1

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const char *path_prefix, *note, *clock_file;
static int wanted[256];
static long first, how_many;
static int is_short, is_deadly, is_stopped, error_number, watch_error;
static atomic_long calls;

static int open_at_once(const char *path, int flags, int mode)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
}

__attribute__((constructor)) static void begin(void)
{
    const char *kind = getenv("FAULT_KIND"), *letters = getenv("FAULT_CALLS");
    path_prefix = getenv("FAULT_PATH");
    note = getenv("FAULT_NOTE");
    clock_file = getenv("FAULT_CLOCK");
    for (; letters && *letters; letters++) wanted[(unsigned char)*letters] = 1;
    first = getenv("FAULT_AT") ? atol(getenv("FAULT_AT")) : 0;
    how_many = getenv("FAULT_COUNT") ? atol(getenv("FAULT_COUNT")) : 1;
    watch_error = getenv("FAULT_WATCH") ? atoi(getenv("FAULT_WATCH")) : 0;
    if (!kind) return;
    is_short = !strcmp(kind, "short") || !strcmp(kind, "torn");
    is_deadly = !strcmp(kind, "kill") || !strcmp(kind, "torn");
    is_stopped = !strcmp(kind, "stop");
    error_number = atoi(kind);
}

static int is_due(char letter, const char *path)
{
    if (!first || !wanted[(unsigned char)letter] || !path || !path_prefix) return 0;
    if (strncmp(path, path_prefix, strlen(path_prefix))) return 0;
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (number < first || (how_many && number >= first + how_many)) return 0;
    if (note) {
        int made = open_at_once(note, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (made >= 0) {
            syscall(SYS_write, made, &letter, 1);
            syscall(SYS_close, made);
        }
    }
    if (is_deadly && !is_short) syscall(SYS_kill, getpid(), SIGKILL);
    if (is_stopped) {
        syscall(SYS_kill, getpid(), SIGSTOP);
        return 0;
    }
    errno = error_number;
    return 1;
}

static int is_due_on(char letter, int descriptor)
{
    if (!first || !wanted[(unsigned char)letter]) return 0;
    char name[40], path[4096];
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(name, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_due(letter, path);
}

// Half of "call" when the fault is a short one.
#define PARTLY(call)                                         \
    if (!is_short) return -1;                                \
    length = (length + 1) / 2;                               \
    ssize_t done = call;                                     \
    if (is_deadly) syscall(SYS_kill, getpid(), SIGKILL);     \
    return done

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset)
{
    if (!is_due_on('w', descriptor)) return syscall(SYS_pwrite64, descriptor, bytes, length, offset);
    PARTLY(syscall(SYS_pwrite64, descriptor, bytes, length, offset));
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset)
{
    return pwrite(descriptor, bytes, length, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t length)
{
    if (!is_due_on('w', descriptor)) return syscall(SYS_write, descriptor, bytes, length);
    PARTLY(syscall(SYS_write, descriptor, bytes, length));
}

ssize_t pread(int descriptor, void *bytes, size_t length, off_t offset)
{
    if (!is_due_on('r', descriptor)) return syscall(SYS_pread64, descriptor, bytes, length, offset);
    PARTLY(syscall(SYS_pread64, descriptor, bytes, length, offset));
}

ssize_t pread64(int descriptor, void *bytes, size_t length, off64_t offset)
{
    return pread(descriptor, bytes, length, offset);
}

ssize_t read(int descriptor, void *bytes, size_t length)
{
    if (!is_due_on('r', descriptor)) return syscall(SYS_read, descriptor, bytes, length);
    PARTLY(syscall(SYS_read, descriptor, bytes, length));
}

int fsync(int descriptor) { return is_due_on('s', descriptor) ? -1 : (int)syscall(SYS_fsync, descriptor); }

int fdatasync(int descriptor)
{
    return is_due_on('s', descriptor) ? -1 : (int)syscall(SYS_fdatasync, descriptor);
}

int ftruncate(int descriptor, off_t length)
{
    return is_due_on('t', descriptor) ? -1 : (int)syscall(SYS_ftruncate, descriptor, length);
}

int ftruncate64(int descriptor, off64_t length) { return ftruncate(descriptor, length); }

int unlink(const char *path)
{
    return is_due('n', path) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int rename(const char *from, const char *to)
{
    return is_due('n', to) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int link(const char *from, const char *to)
{
    return is_due('n', to) ? -1 : (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int chmod(const char *path, mode_t mode)
{
    return is_due('m', path) ? -1 : (int)syscall(SYS_fchmodat, AT_FDCWD, path, mode);
}

int fchmod(int descriptor, mode_t mode)
{
    return is_due_on('m', descriptor) ? -1 : (int)syscall(SYS_fchmod, descriptor, mode);
}

int stat(const char *restrict path, struct stat *restrict status)
{
    return is_due('i', path) ? -1 : (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, 0);
}

int lstat(const char *restrict path, struct stat *restrict status)
{
    return is_due('i', path) ? -1 : (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

int fstat(int descriptor, struct stat *status)
{
    return is_due_on('i', descriptor) ? -1 : (int)syscall(SYS_newfstatat, descriptor, "", status, AT_EMPTY_PATH);
}

int stat64(const char *restrict path, struct stat64 *restrict status)
{
    return stat(path, (struct stat *)status);
}

int lstat64(const char *restrict path, struct stat64 *restrict status)
{
    return lstat(path, (struct stat *)status);
}

int fstat64(int descriptor, struct stat64 *status) { return fstat(descriptor, (struct stat *)status); }

static int opened(const char *path, int flags, int mode)
{
    if (is_due('o', path)) return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, int) : 0;
    va_end(rest);
    return opened(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, int) : 0;
    va_end(rest);
    return opened(path, flags | O_LARGEFILE, mode);
}

int inotify_init1(int flags)
{
    if (!watch_error) return (int)syscall(SYS_inotify_init1, flags);
    errno = watch_error;
    return -1;
}

// The wall clock; the monotonic clock is unaffected.
int clock_gettime(clockid_t clock, struct timespec *time)
{
    int code = (int)syscall(SYS_clock_gettime, clock, time);
    if (code || !clock_file || clock != CLOCK_REALTIME) return code;
    char text[64] = {0};
    int descriptor = open_at_once(clock_file, O_RDONLY, 0);
    if (descriptor < 0) return 0;
    if (syscall(SYS_read, descriptor, text, sizeof text - 1) < 0) text[0] = 0;
    syscall(SYS_close, descriptor);
    int is_frozen = !strncmp(text, "frozen ", 7);
    long long wrong = atoll(is_frozen ? text + 7 : text), now = time->tv_sec * 1000LL + time->tv_nsec / 1000000;
    now = is_frozen ? wrong : now + wrong;
    time->tv_sec = now / 1000;
    time->tv_nsec = now % 1000 * 1000000;
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
