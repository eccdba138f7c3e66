#include "CBenchmarkProbes.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static char counted[256];
static atomic_llong runs;

static int count_run(unsigned event, void *context, void *statement, void *text) {
    (void)event, (void)context, (void)text;
    const char *sql = sqlite3_sql(statement);
    if (sql && !strcmp(sql, counted)) runs++;
    return 0;
}

static int trace(sqlite3 *database) { return sqlite3_trace_v2(database, SQLITE_TRACE_STMT, count_run, NULL); }

void probe_count_runs(const char *sql) {
    if (!sql) {
        sqlite3_cancel_auto_extension((void (*)(void))trace);
        return;
    }
    snprintf(counted, sizeof counted, "%s", sql);
    sqlite3_auto_extension((void (*)(void))trace);
}

int64_t probe_runs(void) { return runs; }
