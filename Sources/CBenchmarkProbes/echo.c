#include "CBenchmarkProbes.h"

#include <string.h>
#include <termios.h>
#include <unistd.h>

int probe_echo_keys(void) {
    struct termios settings;
    if (tcgetattr(0, &settings) != 0) return 1;
    cfmakeraw(&settings);
    tcsetattr(0, TCSANOW, &settings);
    static const char title[] = "\033[2J\033[1;1Hready";
    char keys[64], row[160];
    memset(row, 'x', sizeof row);
    memcpy(row, "\033[5;1H", 6);
    if (write(1, title, sizeof title - 1) < 0) return 1;
    while (read(0, keys, sizeof keys) > 0) {
        if (write(1, row, sizeof row) < 0) return 1;
    }
    return 0;
}
