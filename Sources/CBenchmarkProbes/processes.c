#define _GNU_SOURCE
#include "CBenchmarkProbes.h"

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int probe_start(char *const argv[], int *input, int *output, int is_quiet, int64_t *began) {
    int to[2] = {-1, -1}, from[2] = {-1, -1};
    pid_t process = -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (input) {
        if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) goto end;
        posix_spawn_file_actions_adddup2(&actions, to[0], 0);
        posix_spawn_file_actions_adddup2(&actions, from[1], 1);
    } else {
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    }
    if (is_quiet) posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    *began = probe_now();
    if (posix_spawnp(&process, argv[0], &actions, NULL, argv, environ) != 0) process = -1;
end:
    posix_spawn_file_actions_destroy(&actions);
    if (to[0] >= 0) close(to[0]);
    if (from[1] >= 0) close(from[1]);
    if (process >= 0 && input) {
        *input = to[1];
        *output = from[0];
    } else if (process < 0) {
        if (to[1] >= 0) close(to[1]);
        if (from[0] >= 0) close(from[0]);
    }
    return process;
}

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
