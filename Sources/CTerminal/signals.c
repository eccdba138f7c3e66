#define _GNU_SOURCE
#include "CTerminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

void terminal_rescue_now(void);

static const int caught[] = {SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGCONT, SIGTSTP};
enum { CAUGHT = sizeof caught / sizeof *caught };

static struct sigaction previous[CAUGHT];
static int pipe_ends[2] = {-1, -1};
static volatile sig_atomic_t ended_by;

static void report(int number, siginfo_t *info, void *context) {
    (void)context;
    int saved = errno;
    // From the terminal, not from kill(2): ^C is a signal only while another program has it. A thread may get the signal
    // after this process has the terminal again.
    if (number == SIGINT && info->si_code == SI_KERNEL) return;
    if (number == SIGTERM || number == SIGHUP) {
        if (ended_by == number) {
            terminal_rescue_now();
            signal(number, SIG_DFL);
            raise(number);
        }
        ended_by = number;
    }
    unsigned char byte = (unsigned char)number;
    // A full pipe has already woken its reader.
    if (write(pipe_ends[1], &byte, 1) < 0) {}
    errno = saved;
}

int terminal_signals_open(void) {
    if (pipe2(pipe_ends, O_NONBLOCK | O_CLOEXEC)) return -1;
    struct sigaction action = {.sa_sigaction = report, .sa_flags = SA_RESTART | SA_SIGINFO};
    sigfillset(&action.sa_mask);
    ended_by = 0;
    // A parent that blocked signals, such as a thread of a pool, passed on its mask; the screen must receive changes of
    // its size and requests to exit.
    sigset_t wanted;
    sigemptyset(&wanted);
    for (int i = 0; i < CAUGHT; i++) sigaddset(&wanted, caught[i]);
    pthread_sigmask(SIG_UNBLOCK, &wanted, NULL);
    for (int i = 0; i < CAUGHT; i++) {
        sigaction(caught[i], NULL, &previous[i]);
        // Signals that the parent ignored, as nohup does, remain ignored.
        if (previous[i].sa_handler != SIG_IGN) sigaction(caught[i], &action, NULL);
    }
    return pipe_ends[0];
}

void terminal_signals_close(void) {
    if (pipe_ends[0] < 0) return;
    for (int i = 0; i < CAUGHT; i++) sigaction(caught[i], &previous[i], NULL);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    pipe_ends[0] = pipe_ends[1] = -1;
}

int terminal_is_ending(void) { return ended_by != 0; }

void terminal_stop(void) {
    struct sigaction stop = {.sa_handler = SIG_DFL}, caught_action;
    sigset_t blocked, mask;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTSTP);
    sigaction(SIGTSTP, &stop, &caught_action);
    // The signal waits before the others stop: a shell that has noticed them may continue the job at once, and what
    // continues a process discards a waiting stop only (signal(7)).
    pthread_sigmask(SIG_BLOCK, &blocked, &mask);
    raise(SIGTSTP);
    // The whole job, as ^Z does: a shell that waits for a script does not notice that only the script's child stopped.
    kill(0, SIGTSTP);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGTSTP, &caught_action, NULL);
}

int terminal_start_job(char *const *paths, char *const *words, char *const *environment, int *failed) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) return -1;
    struct sigaction initial = {.sa_handler = SIG_DFL};
    // If a parent ignored it, the kernel would reap the child and drop its status.
    sigaction(SIGCHLD, &initial, NULL);
    sigset_t all, none, mask;
    sigfillset(&all);
    sigemptyset(&none);
    // No handler runs in the child, which calls only functions of signal-safety(7).
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 1; i < NSIG; i++) sigaction(i, &initial, NULL);
        setpgid(0, 0);
        sigprocmask(SIG_SETMASK, &none, NULL);
        for (; *paths; paths++) execve(*paths, words, environment);
        _exit(write(ends[1], "", 1) < 0 ? 126 : 127);
    }
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    close(ends[1]);
    *failed = ends[0];
    if (child < 0) close(ends[0]);
    // Both processes: whichever runs first.
    if (child > 0) setpgid(child, child);
    return child;
}

int terminal_child_descriptor(int process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

int terminal_write_all(int descriptor, const char *bytes, long count) {
    while (count > 0) {
        ssize_t written = write(descriptor, bytes, (size_t)count);
        if (written < 0 && errno == EAGAIN) {
            struct pollfd ready = {.fd = descriptor, .events = POLLOUT};
            if (poll(&ready, 1, 1000) != 1) return 0;
        } else if (written <= 0 && errno != EINTR) {
            return 0;
        } else if (written > 0) {
            bytes += written;
            count -= written;
        }
    }
    return 1;
}
