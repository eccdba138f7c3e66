import ClipsCore
import PersistentStore
import Platform
import Terminal

/// One call of the program: its arguments, its store, and its output.
struct Invocation: Sendable {
    let arguments: Arguments
    var storeOptions = StoreOptions()
    let output = Output()
    /// Whether an opened store that lost commits is reported.
    var reportsLoss = true

    var isJSON: Bool { arguments.has("--json") }
    var isQuiet: Bool { arguments.has("--quiet") }

    func colorChoice() throws(UsageError) -> ColorCapability.Choice? {
        try arguments.value("--color", as: ColorCapability.Choice.init(rawValue:))
    }

    func author(default author: String) -> String { arguments.value("--author") ?? author }

    private func location() throws -> ClipsLocation {
        let location = try ClipsLocation(path: arguments.value("--store"), group: arguments.value("--group"))
        try location.check()
        return location
    }

    func storePath() throws -> String { try location().path }

    /// Opens the store to change it; creates a missing one.
    func openStore(author: String) async throws -> ClipStore {
        let location = try location()
        let isNew = !location.exists
        if isNew { try location.makeFolder() }
        let store = try await ClipStore(
            path: location.path, author: self.author(default: author), options: storeOptions)
        if isNew { remarkCreated(location.path) }
        return try await reportingLoss(store)
    }

    /// Opens the store to change clips that must exist.
    func openExistingStore() async throws -> ClipStore {
        try await reportingLoss(
            ClipStore(path: storePath(), author: author(default: "cli"), options: existingStoreOptions))
    }

    /// Opens the store to read it, even if it cannot be written.
    func openStoreToRead() async throws -> ClipStore {
        try await reportingLoss(
            .openToRead(
                path: storePath(), author: author(default: "cli"), options: existingStoreOptions))
    }

    /// Reports commits that the store lost, before this call writes.
    private func reportingLoss(_ store: ClipStore) async throws -> ClipStore {
        // A history that cannot be read is reported by the commands that need it.
        if reportsLoss, let lost = try? await store.newlyLostCommits() { remark(lost.sentence) }
        return store
    }

    private var existingStoreOptions: StoreOptions {
        var options = storeOptions
        options.createsMissingStore = false
        return options
    }

    /// The path of the store for a picker, which creates none.
    func existingStorePath() throws -> String {
        let location = try location()
        guard location.exists else { throw StoreError.missing(path: location.path) }
        return location.path
    }

    /// The path of the store for the app, which creates a missing one.
    func storePathForApp() throws -> String {
        let location = try location()
        if !location.exists {
            try location.makeFolder()
            remarkCreated(location.path)
        }
        return location.path
    }

    /// A path or group given for one call may be a typing error; the default store is created silently.
    private func remarkCreated(_ path: String) {
        guard arguments.has("--store") || arguments.has("--group") else { return }
        remark("created the store \(path).")
    }

    /// Prints a line of text, or of JSON with `--json`.
    func line(_ text: @autoclosure () -> String, json: @autoclosure () -> JSONObject) {
        output.line(isJSON ? JSONLine.shown(json().json) : text())
    }

    /// Writes a remark on standard error, unless `--quiet`.
    func remark(_ text: String, about subject: String? = nil) {
        if !isQuiet { Message.write(text, about: subject) }
    }

    /// Writes an error on standard error, and returns the status of a failure.
    @discardableResult
    func fail(_ text: String, about subject: String? = nil) -> ExitStatus {
        Message.write(text, about: subject)
        return .failed
    }

    /// Writes the error of one of several operands, after which the command continues.
    func fail(_ error: ClipError) -> ExitStatus { fail(error.description) }
}
