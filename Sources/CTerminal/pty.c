#define _GNU_SOURCE
#include "CTerminal.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

int terminal_pty_open(int terminal, int rows, int columns) {
    int pty = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (pty < 0) return -1;
    if (grantpt(pty) || unlockpt(pty)) {
        close(pty);
        return -1;
    }
    struct termios modes;
    // On Linux, the modes of both ends are those of the other one.
    if (terminal >= 0 && !tcgetattr(terminal, &modes)) tcsetattr(pty, TCSANOW, &modes);
    terminal_pty_resize(pty, rows, columns);
    return pty;
}

void terminal_pty_resize(int pty, int rows, int columns) {
    struct winsize size, wanted = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    if (!ioctl(pty, TIOCGWINSZ, &size) && size.ws_row == wanted.ws_row && size.ws_col == wanted.ws_col) return;
    ioctl(pty, TIOCSWINSZ, &wanted);
}

int terminal_pty_use(void *actions, int pty, int as_input) {
    char name[64];
    if (ptsname_r(pty, name, sizeof name)) return -1;
    // A terminal that the leader of a session opens becomes its own (tty(4)).
    if (posix_spawn_file_actions_addopen(actions, 1, name, O_RDWR, 0)) return -1;
    if (as_input && posix_spawn_file_actions_adddup2(actions, 1, 0)) return -1;
    return posix_spawn_file_actions_adddup2(actions, 1, 2);
}
