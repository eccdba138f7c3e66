public import PersistentStore

/// An error of a mirror, described by a sentence that names the problem and the next step.
///
/// No error loses a change: the mirror continues where it was when it runs again.
@nonexhaustive
public enum MirrorError: Error, Equatable, Sendable {
    /// The relay cannot be reached, or the connection ended.
    case unreachable(reason: String)
    /// The relay rejects the user or the password.
    case unauthorized
    /// The zone is encrypted with another key. Nothing was written.
    case wrongKey
    /// The other machines changed the key without this one.
    case excluded
    /// The relay has no room left for the account.
    case quotaExceeded
    /// A newer version wrote a record; contains the version of its format.
    case newerFormat(Int)
    /// The machine was absent while deletions were purged, so it cannot distinguish them from new objects.
    case absentTooLong
    /// Another process mirrors the store; this one may try again when it exits.
    case standingBy
    /// Other machines deleted more than a tenth of the objects, or more than 100, within an hour; contains the
    /// number of those that wait for ``Mirror/allowRemovals(_:)`` or ``Mirror/keepRemovals(_:)``. All else was exchanged.
    case manyRemovals(Int)
    /// The configuration and the model do not fit.
    case invalidConfiguration(String)
    case store(StoreError)
    case cancelled
    case other(String)
}

extension MirrorError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreachable(let reason):
            "The relay cannot be reached: \(reason). Changes wait in the store; the mirror tries again."
        case .unauthorized:
            "The relay rejected the user or the password. Check both; nothing was transferred."
        case .wrongKey:
            "The zone is encrypted with another key. Pair this machine again; nothing was written."
        case .excluded:
            "The other machines changed the key without this one. Pair this machine again; nothing is lost here."
        case .quotaExceeded:
            "The relay has no room left. Nothing is lost; raise the quota, and the mirror continues."
        case .newerFormat(let version):
            "A newer version wrote records of format \(version). "
                + "Update this program; the mirror pauses until then."
        case .absentTooLong:
            "This machine was absent while deletions were purged. Pair it again; nothing was changed."
        case .standingBy: "Another process mirrors the store. This one waits until it exits."
        case .manyRemovals(let count):
            "Other machines deleted \(count) objects. Confirm their deletion here; none was deleted yet."
        case .invalidConfiguration(let reason): "Cannot mirror the model: \(reason)."
        case .store(let error): error.description
        case .cancelled: "The mirror was stopped."
        case .other(let reason):
            "The relay failed: \(reason). Changes wait in the store; the mirror tries again."
        }
    }
}
