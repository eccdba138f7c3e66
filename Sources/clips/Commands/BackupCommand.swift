import ClipsCore
import Glibc
import PersistentStore
import Platform
import Terminal

extension Command {
    static let backup = Command(
        name: "backup",
        summary: "Copy the store with its history into FILE, while other programs use it",
        details: "'clips backup restore FILE' restores it.",
        operands: "FILE", options: [Option("--force", "replace an existing FILE")],
        example: "clips backup ~/clips-2026-11-21.db"
    ) { invocation in
        let path = invocation.arguments.operands[0]
        let isForced = invocation.arguments.has("--force")
        if !isForced, access(path, F_OK) == 0 {
            return invocation.fail("The file \(path) already exists. Use --force to replace it.")
        }
        let store = try await invocation.openStoreToRead()
        try await invocation.withProgress { progress in
            try await store.backUp(to: path, replaces: isForced) {
                progress.show("copied", $0, of: $1, "pages")
            }
        }
        invocation.remark("copied the store to \(path).")
        return .done
    }

    static let backupRestore = Command(
        name: "backup restore",
        summary: "Replace the store by the backup FILE, even while other programs use the store",
        details: """
            Other programs report that the store was replaced, and must be restarted. FILE is \
            verified first and not changed. The old store, damaged or not, is retained under the \
            printed name; move it together with the file of that name and '-wal'. The next search \
            rebuilds the search index.
            """,
        operands: "FILE", example: "clips backup restore ~/clips-2026-11-21.db"
    ) { invocation in
        let (file, path) = (invocation.arguments.operands[0], try invocation.storePath())
        let retained = try await invocation.withProgress { progress in
            try ClipStore.restoreBackup(file, to: path, options: invocation.storeOptions) {
                progress.show("copied", $0, of: $1, "pages")
            }
        }
        if retained != nil || invocation.isJSON {
            invocation.line(
                SafeText.line(retained ?? ""),
                json: ["replaced": retained, "restored": file, "store": path])
        }
        let old = retained.map { " The old store is \($0)." } ?? ""
        invocation.remark("restored \(path) from \(file).\(old)")
        return .done
    }
}
