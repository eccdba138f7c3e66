import ClipsCore
import PersistentStore
import Terminal

/// One call of the program: its arguments and where it writes.
struct Invocation: Sendable {
    let arguments: Arguments
    var storeOptions = StoreOptions()
    let output = Output()

    var isJSON: Bool { arguments.has("--json") }
    var isQuiet: Bool { arguments.has("--quiet") }

    func storePath() throws -> String {
        try ClipsLocation(path: arguments.value("--store"), group: arguments.value("--group")).path
    }

    /// For commands that take no operands.
    func refuseOperands() throws(UsageError) {
        if let operand = arguments.operands.first { throw UsageError("'\(operand)' is not understood.") }
    }

    /// Opens the store under the author of the command, or the one asked for.
    func openStore(author: String, mayCreate: Bool = true) async throws -> ClipStore {
        var options = storeOptions
        options.createsMissingStore = mayCreate
        return try await ClipStore(
            path: storePath(), author: arguments.value("--author") ?? author, contextName: nil,
            options: options)
    }

    /// Opens the store to read it, also where it cannot be written.
    func openStoreToRead(mayCreate: Bool = true) async throws -> ClipStore {
        var options = storeOptions
        options.createsMissingStore = mayCreate
        return try await ClipStore.openToRead(
            path: storePath(), author: arguments.value("--author") ?? "cli", options: options)
    }

    /// A remark on standard error, unless `--quiet`.
    func remark(_ text: String) {
        if !isQuiet { Output.standardError.sentence(text) }
    }

    /// What went wrong, on standard error. It may have words from a file in it that somebody else made.
    func fail(_ text: String) {
        Output.standardError.sentence("clips: \(text)")
    }
}
