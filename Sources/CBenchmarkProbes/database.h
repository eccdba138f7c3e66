#pragma once

#include <sqlite3.h>

// Opens a database in WAL mode, or returns NULL and reports the reason on standard error.
sqlite3 *probe_open(const char *path);
// Watches a database's -wal, and its doorbell if there is one. Returns the inotify descriptor.
int probe_watch_files(const char *path);
// Opens the -shm for probe_is_writing. Kept open: closing it would drop SQLite's own locks.
int probe_open_lock(const char *path);
// Returns whether a process holds the write lock (sqlite.org/walformat.html 2.3.1).
int probe_is_writing(int lock);
// Discards all pending events.
void probe_drain(int events);
