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

    /// Opens the store to read it; where it cannot be written, as in a folder of somebody else's or on a full disk,
    /// what is there can be read all the same.
    func openStoreToRead(mayCreate: Bool = true) async throws -> ClipStore {
        do {
            return try await openStore(author: "cli", mayCreate: mayCreate)
        } catch let error as StoreError where error.mayBeReadable {
            var options = storeOptions
            options.access = .readOnly
            let readable = try? await ClipStore(path: storePath(), author: "cli", options: options)
            // What it was refused for at first says more.
            guard let readable else { throw error }
            return readable
        }
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

extension StoreError {
    /// Whether it is the writing that fails.
    fileprivate var mayBeReadable: Bool {
        switch self {
        case .readOnly, .full, .inputOutput, .cannotOpen: true
        default: false
        }
    }
}
