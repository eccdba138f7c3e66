#define _GNU_SOURCE
#include "CBenchmarkProbes.h"
#include "database.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const char selection[] =
    "SELECT id, title, url, tags, author, text, starred, unread, created FROM Clip WHERE id > ?1 ORDER BY id";

struct probe_watch {
    sqlite3 *database;
    sqlite3_stmt *select;
    int events;
    int lock;
    int64_t newest;
    long count;
    struct probe_clip clips[PROBE_CLIPS];
};

// Reads once: events, then the lock, then the table. Any other order can miss a commit.
static int read_once(struct probe_watch *watch) {
    probe_drain(watch->events);
    int is_writing = probe_is_writing(watch->lock);
    sqlite3_bind_int64(watch->select, 1, watch->newest);
    while (sqlite3_step(watch->select) == SQLITE_ROW) {
        struct probe_clip *clip = &watch->clips[watch->count++ % PROBE_CLIPS];
        watch->newest = sqlite3_column_int64(watch->select, 0);
        char *texts[] = {clip->title, clip->url, clip->tags, clip->author, clip->text};
        for (int i = 0; i < 5; i++)
            snprintf(texts[i], sizeof clip->title, "%s", sqlite3_column_text(watch->select, i + 1));
    }
    sqlite3_reset(watch->select);
    return is_writing;
}

struct probe_watch *probe_watch_open(const char *path) {
    struct probe_watch *watch = calloc(1, sizeof *watch);
    if (!watch || !(watch->database = probe_open(path))) {
        free(watch);
        return NULL;
    }
    sqlite3_prepare_v2(watch->database, selection, -1, &watch->select, NULL);
    watch->events = probe_watch_files(path);
    watch->lock = probe_open_lock(path);
    read_once(watch);
    return watch;
}

int64_t probe_watch_wait(struct probe_watch *watch, int64_t clip, int milliseconds) {
    int64_t end = probe_now() + milliseconds * 1000000LL;
    long pause = 20000;
    // Until the end of this function, timers fire when they are due, not up to 50 us later.
    prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
    while (watch->newest < clip) {
        int64_t left = end - probe_now();
        if (left <= 0) break;
        struct pollfd wanted = {.fd = watch->events, .events = POLLIN};
        poll(&wanted, 1, (int)(left / 1000000) + 1);
        while (read_once(watch) && watch->newest < clip) {
            ppoll(&wanted, 1, &(struct timespec){.tv_nsec = pause}, NULL);
            pause = pause < 5000000 ? pause * 2 : 5000000;
        }
        pause = 20000;
    }
    int64_t seen = watch->newest < clip ? 0 : probe_now();
    prctl(PR_SET_TIMERSLACK, 0UL, 0, 0, 0);
    return seen;
}

int64_t probe_watch_newest(struct probe_watch *watch) { return watch->newest; }

long probe_watch_count(struct probe_watch *watch) { return watch->count; }

const struct probe_clip *probe_watch_clip(struct probe_watch *watch, long back) {
    return back < PROBE_CLIPS && back < watch->count ? &watch->clips[(watch->count - 1 - back) % PROBE_CLIPS] : NULL;
}

void probe_watch_close(struct probe_watch *watch) {
    if (!watch) return;
    close(watch->events);
    sqlite3_finalize(watch->select);
    sqlite3_close(watch->database);
    close(watch->lock);
    free(watch);
}
