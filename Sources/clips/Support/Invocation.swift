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

    private func location() throws -> ClipsLocation {
        let path = arguments.value("--store")
        guard path != "" else { throw UsageError("The option --store needs a path, not an empty word.") }
        return try ClipsLocation(path: path, group: arguments.value("--group"))
    }

    func storePath() throws -> String { try location().path }

    /// For commands that take no operands.
    func refuseOperands() throws(UsageError) {
        if let operand = arguments.operands.first { throw UsageError("'\(operand)' is not understood.") }
    }

    /// Opens the store under the author of the command, or the one asked for.
    func openStore(author: String, mayCreate: Bool = true) async throws -> ClipStore {
        var options = storeOptions
        options.createsMissingStore = mayCreate
        let location = try location()
        let isNew = mayCreate && !location.exists
        if isNew { try location.makeFolder() }
        let store = try await ClipStore(
            path: location.path, author: arguments.value("--author") ?? author, contextName: nil,
            options: options)
        if isNew { remarkCreated(location.path) }
        return store
    }

    /// Opens the store to read it, even if it cannot be written; never makes one.
    func openStoreToRead() async throws -> ClipStore {
        var options = storeOptions
        options.createsMissingStore = false
        return try await ClipStore.openToRead(
            path: storePath(), author: arguments.value("--author") ?? "cli", options: options)
    }

    /// The store for the app, which may make one.
    func storePathForApp() throws -> String {
        let location = try location()
        if !location.exists {
            try location.makeFolder()
            remarkCreated(location.path)
        }
        return location.path
    }

    /// A path or a group given for this one call may be a slip; the usual store is made silently.
    private func remarkCreated(_ path: String) {
        guard arguments.has("--store") || arguments.has("--group") else { return }
        remark("clips: there was no store at \(path); this made one.")
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
