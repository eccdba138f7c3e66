#define _GNU_SOURCE
#define NCURSES_WIDECHAR 1
#include "CBenchmarkProbes.h"

#include <curses.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

enum { ROWS = 40, COLUMNS = 120, LIST = 69 };

struct line {
    cchar_t cells[COLUMNS + 1];
    int count, column;
};

// Appends text up to a column, with spaces after it.
static void put(struct line *line, int end, attr_t attributes, const char *text) {
    mbstate_t state = {0};
    size_t length = strlen(text);
    while (line->column < end) {
        wchar_t letter[2] = {L' ', 0};
        size_t read = length ? mbrtowc(letter, text, length, &state) : 0;
        if (read > length) length = read = 0;
        text += read, length -= read;
        int width = read ? wcwidth(letter[0]) : 1;
        if (read && width <= 0) continue;
        if (line->column + width > end) letter[0] = L' ', width = 1, length = 0;
        setcchar(&line->cells[line->count++], letter, attributes, 0, NULL);
        line->column += width;
    }
}

static void put_clip(struct line *line, const struct probe_clip *clip, int is_selected) {
    char site[64] = "";
    sscanf(clip->url, "https://%63[^/]", site);
    attr_t attributes = is_selected ? A_REVERSE : A_NORMAL;
    put(line, 4, attributes, is_selected ? "▌ •" : "  •");
    put(line, 33, attributes | A_BOLD, clip->title);
    put(line, 34, attributes, "");
    put(line, 48, attributes | A_DIM, site);
    put(line, 63, attributes | A_DIM, clip->author);
    put(line, LIST, attributes | A_DIM, "now");
}

static void put_detail(struct line *line, const struct probe_clip *clip, int row) {
    enum { WIDTH = COLUMNS - LIST - 2 };
    const char *texts[] = {clip->title, clip->url, clip->tags, "saved just now", "", clip->text};
    const char *text = row < 6 ? texts[row] : "";
    // The text is wrapped.
    if (row == 6 && strlen(clip->text) > WIDTH) text = clip->text + WIDTH;
    put(line, LIST + 2, A_DIM, "│");
    put(line, COLUMNS, row == 0 ? A_BOLD : A_NORMAL, text);
}

static void draw(struct probe_watch *watch) {
    static const struct probe_clip none;
    const struct probe_clip *newest = probe_watch_clip(watch, 0);
    static struct line line;
    for (int row = 0; row < ROWS; row++) {
        char status[64];
        line.count = line.column = 0;
        if (row < ROWS - 2) {
            const struct probe_clip *clip = row ? probe_watch_clip(watch, row - 1) : NULL;
            if (row == 0) put(&line, LIST, A_DIM, "    Title                         Site          Author         Age");
            else if (clip) put_clip(&line, clip, row == 1);
            put(&line, LIST, A_NORMAL, "");
            put_detail(&line, newest ? newest : &none, row);
        } else if (row == ROWS - 2) {
            snprintf(status, sizeof status, " 1/%ld", probe_watch_count(watch));
            put(&line, COLUMNS - 5, A_NORMAL, status);
            put(&line, COLUMNS, A_DIM, "live");
        } else {
            put(&line, COLUMNS, A_DIM, " Enter read  / filter  Space mark  a add  e edit  t tags  * star  d delete");
        }
        mvwadd_wchnstr(newscr, row, 0, line.cells, line.count);
    }
    wmove(newscr, 1, 0);
    doupdate();
}

int probe_show_clips(const char *path) {
    struct probe_watch *watch = probe_watch_open(path);
    if (!watch || !setlocale(LC_CTYPE, "C.UTF-8") || !initscr()) return 1;
    raw();
    noecho();
    nonl();
    typeahead(-1);
    // Before the first endwin, ncurses writes after each motion of the cursor.
    endwin();
    for (;;) {
        draw(watch);
        while (probe_watch_wait(watch, probe_watch_newest(watch) + 1, 60000) == 0) {}
    }
}
