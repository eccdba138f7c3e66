import CNATS
import Mirroring

/// A failure of a server, or of the connection with it.
enum RelayError: Error, Hashable, Sendable {
    /// No connection, or it ended.
    case unreachable(reason: String)
    case unauthorized
    /// The newest revision is another than the expected one.
    case outdated
    case tooLarge
    case quotaFull
    case notFound
    case noStream
    /// Another machine creates the stream, or another stream has its subjects.
    case incomplete
    /// The zone was sealed with another key.
    case wrongKey
    /// The other machines changed the key without this one.
    case excluded
    /// The server has no JetStream, or nothing receives messages for the subject.
    case noResponders
    case cancelled
    case rejected(reason: String)

    init(_ status: natsStatus, code: jsErrCode = jsErrCode(0)) {
        switch (status, code.rawValue) {
        case (_, 10071), (_, 10164): self = .outdated
        case (_, 10054), (NATS_MAX_PAYLOAD, _): self = .tooLarge
        // The limits of the account, of memory, of the disk, and of the stream.
        case (_, 10002), (_, 10023), (_, 10028), (_, 10047), (_, 10077): self = .quotaFull
        case (_, 10037), (_, 10043): self = .notFound
        case (_, 10059): self = .noStream
        // Also the answer to the second of two requests that create a stream at once.
        case (_, 10065): self = .incomplete
        case (_, 10035), (_, 10039), (_, 10076):
            self = .rejected(reason: "JetStream is not enabled for the account")
        // A cluster elects a leader, or too few of its servers run.
        case (_, 10004...10009): self = .unreachable(reason: "the cluster of servers is not complete")
        case (NATS_CONNECTION_AUTH_FAILED, _): self = .unauthorized
        case (NATS_NOT_FOUND, _): self = .notFound
        case (NATS_NOT_PERMITTED, _): self = .rejected(reason: "the user may not use the stream")
        case (NATS_NO_RESPONDERS, _): self = .noResponders
        case (_, 1...): self = .rejected(reason: "error \(code.rawValue) of JetStream")
        default: self = .unreachable(reason: String(cString: natsStatus_GetText(status)))
        }
    }

    static func check(_ status: natsStatus, _ code: jsErrCode = jsErrCode(0)) throws(RelayError) {
        guard status == NATS_OK else { throw RelayError(status, code: code) }
    }
}

extension RelayError {
    /// Creates the error of keys that cannot be followed.
    init(_ error: MirrorError) {
        self = error == .excluded ? .excluded : .rejected(reason: "\(error)")
    }
}

extension MirrorError {
    init(_ error: RelayError) {
        self =
            switch error {
            case .unreachable(let reason): .unreachable(reason: reason)
            case .unauthorized: .unauthorized
            case .wrongKey: .wrongKey
            case .excluded: .excluded
            case .quotaFull: .quotaExceeded
            case .cancelled: .cancelled
            case .rejected(let reason): .other(reason)
            case .tooLarge: .other("a message exceeds the server's limit")
            case .noStream: .unreachable(reason: "the stream was deleted")
            case .noResponders: .other("the server has no JetStream, or no stream for the zone")
            case .incomplete: .other("the zone's stream is not ready, or another stream has its subjects")
            case .outdated, .notFound: .other("an answer was not expected")
            }
    }
}
