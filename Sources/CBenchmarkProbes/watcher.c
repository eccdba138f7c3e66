#define _GNU_SOURCE
#include "CBenchmarkProbes.h"
#include "database.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char selection[] =
    "SELECT id, title, url, tags, author, starred, unread, created FROM Clip WHERE id > ?1 ORDER BY id";

struct probe_watch {
    sqlite3 *database;
    sqlite3_stmt *select;
    int events;
    int lock;
    int64_t newest;
    char title[256];
};

struct probe_watch *probe_watch_open(const char *path) {
    struct probe_watch *watch = calloc(1, sizeof *watch);
    if (!watch || !(watch->database = probe_open(path))) {
        free(watch);
        return NULL;
    }
    sqlite3_prepare_v2(watch->database, selection, -1, &watch->select, NULL);
    sqlite3_stmt *newest = NULL;
    sqlite3_prepare_v2(watch->database, "SELECT coalesce(max(id), 0) FROM Clip", -1, &newest, NULL);
    if (sqlite3_step(newest) == SQLITE_ROW) watch->newest = sqlite3_column_int64(newest, 0);
    sqlite3_finalize(newest);
    watch->events = probe_watch_files(path);
    watch->lock = probe_open_lock(path);
    return watch;
}

// Reads once: events, then the lock, then the table. Any other order can miss a commit.
static int read_once(struct probe_watch *watch) {
    probe_drain(watch->events);
    int is_writing = probe_is_writing(watch->lock);
    sqlite3_bind_int64(watch->select, 1, watch->newest);
    while (sqlite3_step(watch->select) == SQLITE_ROW) {
        watch->newest = sqlite3_column_int64(watch->select, 0);
        snprintf(watch->title, sizeof watch->title, "%s", sqlite3_column_text(watch->select, 1));
    }
    sqlite3_reset(watch->select);
    return is_writing;
}

int64_t probe_watch_wait(struct probe_watch *watch, int64_t clip, int milliseconds) {
    int64_t end = probe_now() + milliseconds * 1000000LL;
    int pause = 20;
    while (watch->newest < clip) {
        int64_t left = end - probe_now();
        if (left <= 0) return 0;
        struct pollfd wanted = {.fd = watch->events, .events = POLLIN};
        poll(&wanted, 1, (int)(left / 1000000) + 1);
        while (read_once(watch) && watch->newest < clip) {
            usleep(pause);
            pause = pause < 5000 ? pause * 2 : 5000;
        }
        pause = 20;
    }
    return probe_now();
}

int64_t probe_watch_newest(struct probe_watch *watch) { return watch->newest; }

void probe_watch_close(struct probe_watch *watch) {
    if (!watch) return;
    close(watch->events);
    sqlite3_finalize(watch->select);
    sqlite3_close(watch->database);
    close(watch->lock);
    free(watch);
}

int probe_show_clips(const char *path) {
    struct probe_watch *watch = probe_watch_open(path);
    if (!watch) return 1;
    char line[512];
    int length = snprintf(line, sizeof line, "\033[2J\033[1;1Hnothing yet");
    while (length <= 0 || write(1, line, length) == length) {
        int64_t known = watch->newest;
        if (probe_watch_wait(watch, known + 1, 60000) == 0) {
            length = 0;
            continue;
        }
        length = snprintf(line, sizeof line, "\033[1;1H%-100.100s", watch->title);
    }
    probe_watch_close(watch);
    return 0;
}
