import Glibc
import SQLite

extension SearchIndex {
    /// What is wrong with the index's file; nil when nothing is, or when there is none yet.
    package func problem() -> String? {
        guard access(path, F_OK) == 0 else { return nil }
        do {
            let connection = try Connection(path: path, access: .readWrite, busyTimeoutMilliseconds: 2000)
            let lines = try connection.prepare("PRAGMA integrity_check(1)")
            guard try lines.step() else { return "it cannot be checked" }
            guard lines.text(0) == "ok" else { return lines.text(0) }
            // Whoever began to make it was ended; the next search goes on.
            guard try connection.integer("SELECT count(*) FROM sqlite_schema") != 0 else { return nil }
            guard try connection.integer("PRAGMA application_id") == IndexFile.applicationID,
                try connection.integer("PRAGMA user_version") == IndexFile.format
            else { return "it is no search index of this version" }
            // What FTS5 has to say of itself (sqlite.org/fts5.html#the_integrity_check_command).
            try connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")
            return nil
        } catch {
            return error.message
        }
    }

    /// Throws the file away and makes it anew from the store.
    package nonisolated(nonsending) func rebuild(progress: (SearchIndexState) -> Void = { _ in })
        async throws
    {
        await discardFile()
        _ = try await bringUpToDate(progress: progress)
    }

    private func discardFile() {
        close()
        IndexFile.remove(path)
    }
}
