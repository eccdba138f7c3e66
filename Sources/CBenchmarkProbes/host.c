#include "CBenchmarkProbes.h"
#include "database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char insertion[] =
    "INSERT INTO Clip (uuid, url, title, text, author) SELECT ?1 ->> '$.clips[0].uuid', "
    "?1 ->> '$.clips[0].url', ?1 ->> '$.clips[0].title', ?1 ->> '$.clips[0].text', 'extension' "
    "RETURNING id, ?1 ->> '$.id'";

static int read_exactly(int input, void *bytes, size_t count) {
    char *next = bytes;
    while (count > 0) {
        ssize_t got = read(input, next, count);
        if (got <= 0) return 0;
        next += got;
        count -= got;
    }
    return 1;
}

int probe_serve_browser(const char *path, int is_full, int input, int output) {
    sqlite3 *database = probe_open(path);
    if (!database) return 1;
    sqlite3_exec(
        database, is_full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
    sqlite3_stmt *insert = NULL;
    sqlite3_prepare_v2(database, insertion, -1, &insert, NULL);
    uint32_t length;
    int is_good = insert != NULL;
    while (is_good && read_exactly(input, &length, sizeof length)) {
        char *message = malloc(length), answer[256];
        is_good = message && read_exactly(input, message, length);
        if (is_good) {
            sqlite3_bind_text(insert, 1, message, length, SQLITE_STATIC);
            is_good = sqlite3_step(insert) == SQLITE_ROW;
            int size = snprintf(answer + 4, sizeof answer - 4, "{\"id\":%lld,\"clips\":[{\"id\":%lld}]}",
                                (long long)sqlite3_column_int64(insert, 1), (long long)sqlite3_column_int64(insert, 0));
            is_good = is_good && sqlite3_step(insert) == SQLITE_DONE;
            sqlite3_reset(insert);
            uint32_t count = size;
            memcpy(answer, &count, sizeof count);
            is_good = is_good && write(output, answer, size + 4) == size + 4;
        }
        free(message);
    }
    sqlite3_finalize(insert);
    sqlite3_close(database);
    return is_good ? 0 : 1;
}
