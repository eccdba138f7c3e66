import ClipsCore
import Glibc
import PersistentStore
import Terminal

extension Command {
    static let backup = Command(
        name: "backup",
        summary: """
            Copies the store into a file, with its history, while other programs use the store.
            Restore it with 'clips backup restore FILE'.
            """,
        operands: "FILE", options: [Option("--force", "replace an existing FILE")],
        example: "clips backup ~/clips-2026-11-21.db"
    ) { invocation in
        let operands = invocation.arguments.operands
        guard let path = operands.first, operands.count == 1, !path.isEmpty else {
            throw UsageError("Where to? Give one file's name.")
        }
        let isForced = invocation.arguments.has("--force")
        if !isForced, access(path, F_OK) == 0 {
            invocation.fail("\(SafeText.line(path)) is there already. Give --force to replace it.")
            return .failed
        }
        let store = try await invocation.openStoreToRead()
        let progress = CopyProgress(invocation)
        defer { progress.clear() }
        try await store.container.backUp(to: path, replaces: isForced) { progress.show($0, $1) }
        invocation.remark("clips: copied the store to \(SafeText.line(path)).")
        return .done
    }

    static let backupRestore = Command(
        name: "backup restore",
        summary: """
            Replaces the store by a copy, even while other programs have the store open: \
            they report that the store was replaced, and must be started again.
            FILE is verified first and not changed. The old store, damaged or not, is retained \
            under the name that is printed; keep the file with '-wal' after that name next to it.
            The next search rebuilds the search index.
            """,
        operands: "FILE", options: [], example: "clips backup restore ~/clips-2026-11-21.db"
    ) { invocation in
        let operands = invocation.arguments.operands
        guard let file = operands.first, operands.count == 1, !file.isEmpty else {
            throw UsageError("Restore which file? Give one file's name.")
        }
        let path = try invocation.storePath()
        let progress = CopyProgress(invocation)
        let retained: String?
        do {
            defer { progress.clear() }
            retained = try PersistentContainer.restore(
                file, to: path, model: try ClipModel.make(), options: invocation.storeOptions
            ) { progress.show($0, $1) }
        }
        if invocation.isJSON {
            invocation.output.line(
                try JSONLine.text(RestoredObject(store: path, restored: file, replaced: retained)))
        } else if let retained {
            invocation.output.line(SafeText.line(retained))
        }
        let old = retained.map { " The old store is \($0)." } ?? ""
        invocation.remark(
            "clips: restored \(SafeText.line(path)) from \(SafeText.line(file)).\(SafeText.line(old))")
        return .done
    }
}

/// The line of `clips backup restore --json`.
private struct RestoredObject: Encodable {
    let store: String
    let restored: String
    @ExplicitNull var replaced: String?

    init(store: String, restored: String, replaced: String?) {
        self.store = store
        self.restored = restored
        self.replaced = replaced
    }
}

/// The share of pages copied, on standard error when that is a terminal.
private struct CopyProgress: Sendable {
    private let isWatched: Bool

    init(_ invocation: Invocation) { isWatched = isatty(STDERR_FILENO) == 1 && !invocation.isQuiet }

    func show(_ done: Int, _ total: Int) {
        guard isWatched else { return }
        Output.standardError.write("\rclips: copied \(done * 100 / max(1, total)) % of \(total) pages ")
    }

    func clear() {
        if isWatched { Output.standardError.write("\r\u{1B}[K") }
    }
}
