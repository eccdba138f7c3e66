#define _GNU_SOURCE
#define NCURSES_WIDECHAR 1
#include "direct.h"
#include "CTerminal.h"

#include <stdlib.h>
#include <string.h>
// Last: it defines macros with common names.
#include <term.h>

// The descriptions of direct colors in terminfo (xterm-direct, user_caps(5)) are in no base installation, and interpret
// the indexes above 7 as colors. This writes the description of the user's terminal again, with two other strings, in
// the compiled format of term(5), and passes it to ncurses in TERMINFO (ncurses(3X)).

enum { CAPACITY = 8192, MAX_STRINGS = 600 };

struct bytes {
    char data[CAPACITY];
    size_t count;
};

static void put(struct bytes *bytes, const void *data, size_t count) {
    // The last byte of an overflow marks the description as useless.
    if (bytes->count + count >= CAPACITY) count = CAPACITY - bytes->count;
    memcpy(bytes->data + bytes->count, data, count);
    bytes->count += count;
}

static void put_number(struct bytes *bytes, int number, int size) {
    for (int i = 0; i < size; i++) put(bytes, &(char){(char)(number >> 8 * i)}, 1);
}

static void align(struct bytes *bytes) {
    if (bytes->count % 2) put(bytes, "", 1);
}

static int count(const char *const names[]) {
    int count = 0;
    while (names[count]) count++;
    return count;
}

// Foreground 3 or background 4, then the bright variant 9 or 10: an index, or 1 << 24 with red, green, and blue.
#define SET_COLOR(normal, bright)                                                                                \
    "\033[%?%p1%{8}%<%t" normal "%p1%d%e%p1%{16}%<%t" bright "%p1%{8}%-%d%e%p1%{256}%<%t" normal                 \
    "8;5;%p1%d%e" normal "8;2;%p1%{65536}%/%{255}%&%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m"

static const char *string(const char *name) {
    if (!strcmp(name, "setaf")) return SET_COLOR("3", "9");
    if (!strcmp(name, "setab")) return SET_COLOR("4", "10");
    const char *value = tigetstr(name);
    return value == (char *)-1 ? NULL : value;
}

static int number(const char *name) {
    if (!strcmp(name, "colors")) return TERMINAL_RGB << 1;
    if (!strcmp(name, "pairs")) return 1 << 16;
    int value = tigetnum(name);
    return value < 0 ? -1 : value;
}

static void describe(struct bytes *bytes) {
    static struct bytes table;
    static const char name[] = "clips-direct";
    int booleans = count(boolnames), numbers = count(numnames), strings = count(strnames);
    int offsets[MAX_STRINGS];
    table.count = bytes->count = 0;
    for (int i = 0; i < strings && i < MAX_STRINGS; i++) {
        const char *value = string(strnames[i]);
        offsets[i] = value ? (int)table.count : -1;
        if (value) put(&table, value, strlen(value) + 1);
    }
    const int header[] = {01036, sizeof name, booleans, numbers, strings, (int)table.count};
    for (int i = 0; i < 6; i++) put_number(bytes, header[i], 2);
    put(bytes, name, sizeof name);
    for (int i = 0; i < booleans; i++) put_number(bytes, tigetflag(boolnames[i]) > 0, 1);
    align(bytes);
    for (int i = 0; i < numbers; i++) put_number(bytes, number(numnames[i]), 4);
    for (int i = 0; i < strings; i++) put_number(bytes, offsets[i], 2);
    put(bytes, table.data, table.count);
    align(bytes);
    // The extended Boolean RGB: without it, ncurses allocates a table of all colors.
    const int extended[] = {1, 0, 0, 1, sizeof "RGB", 1, 0};
    for (int i = 0; i < 7; i++) put_number(bytes, extended[i], 2);
    put(bytes, "RGB", sizeof "RGB");
}

SCREEN *terminal_open_direct(const char *type, FILE *output, FILE *input) {
    static struct bytes description;
    static char text[sizeof "hex:" + 2 * CAPACITY];
    int error;
    if (setupterm(type, fileno(output), &error) || tigetnum("colors") < 256 || count(strnames) > MAX_STRINGS)
        return NULL;
    describe(&description);
    del_curterm(cur_term);
    if (description.count == CAPACITY) return NULL;
    char *next = stpcpy(text, "hex:");
    for (size_t i = 0; i < description.count; i++)
        next += sprintf(next, "%02X", (unsigned char)description.data[i]);
    const char *inherited = getenv("TERMINFO");
    char *previous = inherited ? strdup(inherited) : NULL;
    setenv("TERMINFO", text, 1);
    SCREEN *screen = newterm("clips-direct", output, input);
    if (previous) setenv("TERMINFO", previous, 1); else unsetenv("TERMINFO");
    free(previous);
    return screen;
}
