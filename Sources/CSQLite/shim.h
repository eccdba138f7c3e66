#pragma once

// F_OFD_GETLK is declared only for GNU sources.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

// A cast of -1 to a function pointer, which Swift cannot write.
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }

// sqlite3_db_config is variadic.
static inline int csqlite_configure(sqlite3 *database, int option, int on) {
    return sqlite3_db_config(database, option, on, (int *)0);
}

// fcntl is variadic and struct flock's l_type is a short. Returns 0 if no process holds a write lock on the byte, the
// holder's process ID (-1 for an open-file-description lock, which has none), or -2 on failure.
static inline int csqlite_lock_holder(int descriptor, long byte) {
    struct flock probe = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    if (fcntl(descriptor, F_OFD_GETLK, &probe) != 0) return -2;
    return probe.l_type == F_UNLCK ? 0 : (probe.l_pid > 0 ? probe.l_pid : -1);
}

// sqlite3_config is variadic. Does nothing if SQLite is already in use.
static inline void csqlite_configure_process(void) {
    // Counting memory takes a process-wide lock at every allocation, and the count is not used.
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    // A statement with triggers retains the former content of its pages. After the first statement with more than
    // this size, 64 KiB by default, all of its transaction write theirs to a file: four fifths of the writes of an import.
    // SQLite writes this size at once, and its unixWrite writes at most 0x1ffff bytes.
    sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, 0x1ffff);
}

// The last errno of the main database's files; 0 if there was none. The journal's file is queried through its
// methods, since sqlite3_file_control reaches the main file only.
static inline int csqlite_last_file_error(sqlite3 *database) {
    int of_file = 0, of_journal = 0;
    sqlite3_file *journal = 0;
    sqlite3_file_control(database, "main", SQLITE_FCNTL_LAST_ERRNO, &of_file);
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal);
    if (code == SQLITE_OK && journal && journal->pMethods)
        journal->pMethods->xFileControl(journal, SQLITE_FCNTL_LAST_ERRNO, &of_journal);
    return of_file ? of_file : of_journal;
}

// The main file, through SQLite's own descriptor: opening and closing another would drop the locks of this process
// (sqlite.org/howtocorrupt.html 2.2). SQLite opens the file before it interprets it.
static inline sqlite3_file *csqlite_main_file(sqlite3 *database) {
    sqlite3_file *file = 0;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return code == SQLITE_OK && file && file->pMethods ? file : 0;
}

static inline int csqlite_file_size(sqlite3 *database, sqlite3_int64 *size) {
    sqlite3_file *file = csqlite_main_file(database);
    return file ? file->pMethods->xFileSize(file, size) : SQLITE_CANTOPEN;
}

static inline int csqlite_read_file(sqlite3 *database, void *bytes, int count, sqlite3_int64 offset) {
    sqlite3_file *file = csqlite_main_file(database);
    return file ? file->pMethods->xRead(file, bytes, count, offset) : SQLITE_CANTOPEN;
}
