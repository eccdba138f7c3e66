#define _GNU_SOURCE
#include "database.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

sqlite3 *probe_open(const char *path) {
    sqlite3 *database = NULL;
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK
        || sqlite3_exec(database, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL) != SQLITE_OK) {
        fprintf(stderr, "Cannot open %s: %s\n", path, sqlite3_errmsg(database));
        sqlite3_close(database);
        return NULL;
    }
    sqlite3_busy_timeout(database, 5000);
    return database;
}

int probe_watch_files(const char *path) {
    char name[4096];
    int events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    snprintf(name, sizeof name, "%s-wal", path);
    inotify_add_watch(events, name, IN_MODIFY);
    snprintf(name, sizeof name, "%s-doorbell", path);
    inotify_add_watch(events, name, IN_MODIFY);
    return events;
}

int probe_open_lock(const char *path) {
    char name[4096];
    snprintf(name, sizeof name, "%s-shm", path);
    return open(name, O_RDONLY | O_CLOEXEC);
}

int probe_is_writing(int lock) {
    struct flock question = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 120, .l_len = 1};
    return fcntl(lock, F_OFD_GETLK, &question) == 0 && question.l_type != F_UNLCK;
}

void probe_drain(int events) {
    char buffer[8192];
    while (read(events, buffer, sizeof buffer) > 0) {}
}
