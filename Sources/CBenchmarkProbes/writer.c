#define _GNU_SOURCE
#include "CBenchmarkProbes.h"
#include "database.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const char insertion[] =
    "INSERT INTO Clip (uuid, url, title, text, note, tags, author, starred, unread, created, updated) "
    "VALUES (?1, ?2, ?3, ?4, '', 'swift,linux', 'probe', 0, 1, ?5, ?5)";

static int commit_clip(sqlite3 *database, sqlite3_stmt *insert, sqlite3_stmt *begin, sqlite3_stmt *commit,
                       int64_t number) {
    char uuid[64], url[128], title[128], marker[PROBE_MARKER];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(uuid, sizeof uuid, "%08x-0000-4000-8000-%012llx", (unsigned)getpid(), (unsigned long long)number);
    snprintf(url, sizeof url, "https://example.org/clips/%lld", (long long)number);
    probe_marker(number, marker);
    snprintf(title, sizeof title, "%s %s (%lld)", marker, probe_subject(number), (long long)number);
    sqlite3_bind_text(insert, 1, uuid, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 2, url, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 3, title, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 4, "A line of text that a user selects on a page.", -1, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 5, now.tv_sec * 1000LL + now.tv_nsec / 1000000);
    sqlite3_stmt *steps[] = {begin, insert, commit};
    for (int i = 0; i < 3; i++) {
        int code = sqlite3_step(steps[i]);
        sqlite3_reset(steps[i]);
        if (code != SQLITE_DONE) {
            fprintf(stderr, "the probe cannot commit: %s\n", sqlite3_errmsg(database));
            return 0;
        }
    }
    return 1;
}

int probe_write_clips(const char *path, int is_full, int input, int output) {
    sqlite3 *database = probe_open(path);
    if (!database) return 1;
    sqlite3_exec(
        database, is_full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
    sqlite3_stmt *begin = NULL, *insert = NULL, *commit = NULL;
    sqlite3_prepare_v2(database, "BEGIN IMMEDIATE", -1, &begin, NULL);
    sqlite3_prepare_v2(database, insertion, -1, &insert, NULL);
    sqlite3_prepare_v2(database, "COMMIT", -1, &commit, NULL);
    char name[4096];
    snprintf(name, sizeof name, "%s-doorbell", path);
    int doorbell = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    int64_t stamp = 0, number = 0;
    unsigned char burst;
    int is_good = insert != NULL && write(output, &stamp, sizeof stamp) == sizeof stamp;
    while (is_good && read(input, &burst, 1) == 1) {
        for (int i = 0; is_good && i < burst; i++) {
            stamp = probe_now();
            is_good = commit_clip(database, insert, begin, commit, ++number) && pwrite(doorbell, "\n", 1, 0) == 1;
        }
        is_good = is_good && write(output, &stamp, sizeof stamp) == sizeof stamp;
    }
    sqlite3_finalize(begin);
    sqlite3_finalize(insert);
    sqlite3_finalize(commit);
    sqlite3_close(database);
    return is_good ? 0 : 1;
}
