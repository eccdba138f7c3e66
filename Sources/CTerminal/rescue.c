#define _GNU_SOURCE
#include "CTerminal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

// endwin is not safe in a signal handler (ncurses, lib_tstp.c). These are the sequences that it would write:
// mouse, paste, cursor, colors, keypad, alternate screen.
static const char restoring[] =
    "\033[?1000l\033[?1006l\033[?2004l\033[?25h\033[0m\033[?1l\033>\033[?1049l";

static const char cut[] =
    "clips: Another program cut off a file that this one has open, such as the -shm of the store. Start again, and run "
    "'clips doctor'.\n";

// The signals that end a process, except those of signals.c. The first ones are faults, which occur again on return.
static const int crashes[] = {SIGILL,  SIGTRAP, SIGSEGV,   SIGBUS,  SIGFPE,  SIGABRT, SIGSYS, SIGQUIT,  SIGUSR1,
                              SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGPOLL, SIGPWR, SIGSTKFLT};
enum { FAULTS = 5 };
enum { CRASHES = sizeof crashes / sizeof *crashes };

static struct sigaction previous[CRASHES];
static struct termios before;
static int terminal = -1;
static int is_armed;
static int is_installed;

// The file that receives standard error while the screen is in use, and the original standard error.
static int captured = -1;
static int own_stderr = -1;

static void capture_stderr(void) {
    if (!isatty(STDERR_FILENO)) return;
    captured = memfd_create("stderr", MFD_CLOEXEC);
    own_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (captured >= 0 && own_stderr >= 0) dup2(captured, STDERR_FILENO);
}

static void release_stderr(void) {
    if (captured >= 0 && own_stderr >= 0) {
        dup2(own_stderr, STDERR_FILENO);
        off_t end = lseek(captured, 0, SEEK_END);
        // The last messages are the most useful ones.
        off_t offset = end > 65536 ? end - 65536 : 0;
        char bytes[4096];
        for (ssize_t count; (count = pread(captured, bytes, sizeof bytes, offset)) > 0; offset += count)
            if (!terminal_write_all(STDERR_FILENO, bytes, count)) break;
    }
    if (captured >= 0) close(captured);
    if (own_stderr >= 0) close(own_stderr);
    captured = own_stderr = -1;
}

// Calls only what signal-safety(7) allows.
void terminal_rescue_now(void) {
    if (!__atomic_exchange_n(&is_armed, 0, __ATOMIC_SEQ_CST)) return;
    terminal_write_all(terminal, restoring, sizeof restoring - 1);
    tcsetattr(terminal, TCSANOW, &before);
    release_stderr();
}

static void crash(int number, siginfo_t *info, void *context) {
    (void)context;
    terminal_rescue_now();
    if (number == SIGBUS && info->si_code == BUS_ADRERR) terminal_write_all(STDERR_FILENO, cut, sizeof cut - 1);
    int is_fault = 0;
    for (int i = 0; i < CRASHES; i++)
        if (crashes[i] == number) {
            sigaction(number, &previous[i], NULL);
            is_fault = i < FAULTS;
        }
    // A signal from kill(2) or a timer does not occur again.
    if (!is_fault || info->si_code <= 0) raise(number);
}

static void install(void) {
    if (is_installed) return;
    is_installed = 1;
    atexit(terminal_rescue_now);
    static char stack[65536];
    stack_t current;
    if (!sigaltstack(NULL, &current) && current.ss_flags & SS_DISABLE) {
        stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
        sigaltstack(&own, NULL);
    }
    struct sigaction action = {.sa_sigaction = crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    for (int i = 0; i < CRASHES; i++) {
        sigaction(crashes[i], NULL, &previous[i]);
        // A signal that the parent ignored remains ignored. A fault cannot be.
        if (i < FAULTS || previous[i].sa_handler != SIG_IGN) sigaction(crashes[i], &action, NULL);
    }
}

void terminal_rescue_arm(int descriptor) {
    if (is_armed || tcgetattr(descriptor, &before)) return;
    terminal = descriptor;
    install();
    capture_stderr();
    __atomic_store_n(&is_armed, 1, __ATOMIC_SEQ_CST);
}

void terminal_rescue_disarm(void) {
    if (__atomic_exchange_n(&is_armed, 0, __ATOMIC_SEQ_CST)) release_stderr();
}
