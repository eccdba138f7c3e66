#define _GNU_SOURCE
#include "CBenchmarkProbes.h"

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int probe_start_on_terminal(
    char *const argv[], char *const environment[], int rows, int columns, int *terminal, int64_t *began) {
    int known = 0, added = 0;
    while (environ[known]) known++;
    while (environment[added]) added++;
    // The first of two entries with the same name is effective.
    char **all = calloc(known + added + 1, sizeof *all);
    if (!all) return -1;
    for (int i = 0; i < added; i++) all[i] = environment[i];
    for (int i = 0; i < known; i++) all[added + i] = environ[i];
    struct winsize size = {.ws_row = rows, .ws_col = columns};
    *began = probe_now();
    pid_t process = forkpty(terminal, NULL, NULL, &size);
    if (process == 0) {
        execvpe(argv[0], argv, all);
        _exit(127);
    }
    free(all);
    if (process > 0) fcntl(*terminal, F_SETFD, FD_CLOEXEC);
    return process;
}

void probe_end(int process) {
    if (process <= 0) return;
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}
