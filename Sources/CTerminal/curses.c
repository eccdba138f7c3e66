#define _GNU_SOURCE
#define NCURSES_WIDECHAR 1
#include "CTerminal.h"
#include "direct.h"

#include <curses.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

// Not from term.h, which defines macros with common names such as `columns`.
extern char *tigetstr(const char *capability);

static int is_claimed;
static SCREEN *screen;
static FILE *streams[2];
static int cursor_is_visible;
// Whether raw mode began before the first refresh.
static int has_early_input;
// The part of newscr that moved last.
static WINDOW *scrolled;

static const attr_t attributes[] = {WA_BOLD, WA_DIM, WA_ITALIC, WA_UNDERLINE, WA_REVERSE};

// ncurses shows and measures text by LC_CTYPE; numbers and sorting remain those of the C locale.
static int use_utf8(void) {
    if (setlocale(LC_CTYPE, "") && !strcmp(nl_langinfo(CODESET), "UTF-8")) return 1;
    return setlocale(LC_CTYPE, "C.UTF-8") != NULL;
}

static int has_capability(const char *name) {
    const char *value = tigetstr(name);
    return value && value != (char *)-1;
}

static void drop_scrolled(void) {
    if (scrolled) delwin(scrolled);
    scrolled = NULL;
}

static void drop_streams(void) {
    for (int i = 0; i < 2; i++) {
        if (streams[i]) fclose(streams[i]);
        streams[i] = NULL;
    }
}

int terminal_claim(void) {
    return !__atomic_exchange_n(&is_claimed, 1, __ATOMIC_SEQ_CST);
}

void terminal_unclaim(void) {
    __atomic_store_n(&is_claimed, 0, __ATOMIC_SEQ_CST);
}

int terminal_open(const char *type, int is_direct, int input, int output) {
    if (!use_utf8()) return TERMINAL_NO_UTF8;
    drop_streams();
    // They would override the terminal's size, here and in programs started later.
    unsetenv("LINES");
    unsetenv("COLUMNS");
    streams[0] = fdopen(fcntl(input, F_DUPFD_CLOEXEC, 3), "r");
    streams[1] = fdopen(fcntl(output, F_DUPFD_CLOEXEC, 3), "w");
    if (streams[0] && streams[1]) {
        if (is_direct) screen = terminal_open_direct(type, streams[1], streams[0]);
        if (!screen) screen = newterm(type, streams[1], streams[0]);
    }
    if (!screen) return TERMINAL_UNKNOWN_TYPE;
    cursor_is_visible = 1;
    if (!has_capability("cup")) return TERMINAL_CANNOT_PLACE;
    raw();
    noecho();
    nonl();
    typeahead(-1);
    if (has_colors()) {
        start_color();
        use_default_colors();
    }
    // Until ncurses has been left and entered once, it flushes after every motion of the cursor (lib_mvcur.c,
    // "internal/external calls"): ten writes for a screen instead of one.
    endwin();
    return TERMINAL_OPENED;
}

void terminal_close(void) {
    if (screen) {
        drop_scrolled();
        terminal_leave();
        delscreen(screen);
    }
    screen = NULL;
    drop_streams();
}

int terminal_color_count(void) {
    return has_colors() ? COLORS : 0;
}

void terminal_resize(int rows, int columns) {
    drop_scrolled();
    resizeterm(rows, columns);
    werase(newscr);
}

static attr_t curses_attributes(struct terminal_style style) {
    attr_t attrs = WA_NORMAL;
    for (int i = 0; i < 5; i++)
        if (style.attributes >> i & 1) attrs |= attributes[i];
    return attrs;
}

static int curses_pair(struct terminal_style style) {
    if (style.foreground < 0 && style.background < 0) return 0;
    if (!has_colors()) return 0;
    int pair = alloc_pair(style.foreground, style.background);
    return pair < 0 ? 0 : pair;
}

// Writes directly to the next contents of the terminal (newscr, curs_variables(3X)): a separate window would be copied
// there at each refresh.
void terminal_put(int row, int column, const uint32_t *scalars, int count, struct terminal_style style) {
    static cchar_t cells[TERMINAL_MAX_COLUMNS];
    attr_t attrs = curses_attributes(style);
    int pair = curses_pair(style);
    cchar_t ascii = {0};
    setcchar(&ascii, L" ", attrs, (short)pair, &pair);
    int filled = 0;
    for (int i = 0; i < count && filled < TERMINAL_MAX_COLUMNS; i++) {
        // Most cells have one ASCII character, which needs neither setcchar's copy nor its measuring.
        if (scalars[i] >= ' ' && scalars[i] < 0x7F && i + 1 < count && !scalars[i + 1]) {
            cells[filled] = ascii;
            cells[filled++].chars[0] = (wchar_t)scalars[i++];
            continue;
        }
        wchar_t text[CCHARW_MAX + 1] = {0};
        for (int n = 0; i < count && scalars[i]; i++)
            if (n < CCHARW_MAX) text[n++] = (wchar_t)scalars[i];
        // The pair in `opts` may be above the 255 that COLOR_PAIR can hold.
        setcchar(&cells[filled++], text, attrs, (short)pair, &pair);
    }
    // wadd_wch would process wrapping and control characters for each cell.
    mvwadd_wchnstr(newscr, row, column, cells, filled);
}

int terminal_scroll(int row, int column, int rows, int columns, int count) {
    if (scrolled && (getbegy(scrolled) != row || getbegx(scrolled) != column || getmaxy(scrolled) != rows
                     || getmaxx(scrolled) != columns))
        drop_scrolled();
    if (!scrolled) scrolled = derwin(newscr, rows, columns, row, column);
    if (!scrolled) return 0;
    wmove(scrolled, 0, 0);
    winsdelln(scrolled, count);
    // The derived window has its own marks of changed lines.
    wsyncup(scrolled);
    return 1;
}

void terminal_refresh(int row, int column) {
    int visible = row >= 0;
    if (visible) wmove(newscr, row, column);
    if (visible != cursor_is_visible) curs_set(visible);
    cursor_is_visible = visible;
    has_early_input = 0;
    doupdate();
}

void terminal_touch(void) {
    clearok(curscr, TRUE);
}

void terminal_begin_input(void) {
    if (isendwin()) has_early_input = !reset_prog_mode();
}

void terminal_enter(void) {
    reset_prog_mode();
    clearok(curscr, TRUE);
    doupdate();
    if (!cursor_is_visible) curs_set(0);
}

void terminal_leave(void) {
    // A second endwin would move the cursor back over later output.
    if (isendwin()) {
        if (has_early_input) reset_shell_mode();
        has_early_input = 0;
        return;
    }
    if (!cursor_is_visible) curs_set(1);
    endwin();
    // Without an alternate screen, the shell's prompt overwrites the last line: clear it.
    if (!has_capability("smcup") && has_capability("el")) {
        putp(tigetstr("el"));
        fflush(stdout);
    }
}

int terminal_get(int row, int column, uint32_t scalars[6], struct terminal_style *style) {
    int y, x;
    cchar_t cell;
    wchar_t text[CCHARW_MAX + 1] = {0};
    attr_t attrs = 0;
    short short_pair = 0;
    int pair = 0, foreground = -1, background = -1;
    getyx(curscr, y, x);
    mvwin_wch(curscr, row, column, &cell);
    wmove(curscr, y, x);
    getcchar(&cell, text, &attrs, &short_pair, &pair);
    if (pair > 0) extended_pair_content(pair, &foreground, &background);
    style->attributes = 0;
    for (int i = 0; i < 5; i++)
        if (attrs & attributes[i]) style->attributes |= (uint8_t)(1 << i);
    style->foreground = foreground;
    style->background = background;
    int count = 0;
    while (count < CCHARW_MAX && text[count]) {
        scalars[count] = (uint32_t)text[count];
        count++;
    }
    return count;
}

void terminal_get_cursor(int *row, int *column, int *is_visible) {
    getyx(newscr, *row, *column);
    *is_visible = cursor_is_visible;
}

int terminal_size(int descriptor, int *rows, int *columns) {
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col) return -1;
    *rows = size.ws_row;
    *columns = size.ws_col;
    return 0;
}
