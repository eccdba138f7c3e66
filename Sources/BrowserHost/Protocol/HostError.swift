import ClipsCore
package import PersistentStore

/// An error as the extension gets it: a code for its program, and a sentence for the user.
package struct HostError: Error, Hashable, Sendable {
    package enum Code: String, Sendable {
        /// A value that is not valid; the same request fails again.
        case invalid
        case tooBig
        /// Another process holds the store; the same request may succeed later.
        case busy
        case full
        /// A message that is not a request.
        case `protocol`
        /// A clip that does not exist.
        case missing
        /// An update of a clip that was changed since the version that it names.
        case conflict
        case failed
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package static func missingClip(_ id: Int64) -> HostError {
        HostError(.missing, "There is no clip \(id). It may have been deleted.")
    }

    /// Converts an error of the store. Its sentence contains paths and no content of a clip.
    package init(_ error: any Error) {
        switch error {
        case let error as HostError: self = error
        case let error as StoreError: self.init(error.hostCode, error.sentence)
        case let error as ClipError: self.init(error.hostCode, "\(error)")
        default: self.init(.failed, error.sentence)
        }
    }
}

extension StoreError {
    fileprivate var hostCode: HostError.Code {
        switch self {
        case .busy: .busy
        case .full: .full
        case .tooBig: .tooBig
        case .conflict: .conflict
        case .predicateTooComplex: .invalid
        default: .failed
        }
    }

    /// Whether an open store can no longer be used, and only a new process may succeed.
    package var endsSession: Bool {
        switch self {
        case .replaced, .unverifiedCommit, .closed, .newerStore, .differentModel: true
        default: false
        }
    }
}

extension ClipError {
    fileprivate var hostCode: HostError.Code {
        switch self {
        case .emptyClip: .invalid
        case .tooLong: .tooBig
        case .noSuchClip, .notDeleted, .notInHistory, .ambiguous: .missing
        }
    }
}
