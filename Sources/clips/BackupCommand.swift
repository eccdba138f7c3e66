import ClipsCore
import Glibc
import PersistentStore
import Terminal

extension Command {
    static let backup = Command(
        name: "backup",
        summary: "Copies the store into a file, with its history, while others go on writing.\n"
            + "To put it back: end all programs that use the store, and copy the file to its place.",
        operands: "FILE", options: [Option("--force", "replace FILE when it is there")],
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
        let store = try await invocation.openStoreToRead(mayCreate: false)
        let isWatched = isatty(STDERR_FILENO) == 1 && !invocation.isQuiet
        defer { if isWatched { Output.standardError.write("\r\u{1B}[K") } }
        try await store.container.backUp(to: path, replaces: isForced) { done, total in
            guard isWatched else { return }
            Output.standardError.write("\rclips: copied \(done * 100 / max(1, total)) % of \(total) pages ")
        }
        invocation.remark("clips: copied the store to \(SafeText.line(path)).")
        return .done
    }
}
