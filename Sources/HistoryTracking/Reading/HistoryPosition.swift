public import PersistentStore

/// A position in the history, which may lie within a long transaction that is read in pieces.
///
/// Only the token is stored: after a restart, a transaction of which some pieces were read begins again.
public struct HistoryPosition: Hashable, Sendable {
    /// Every transaction up to here has been read.
    public let token: HistoryToken
    /// The part of a later, long transaction that has been read too.
    let resumption: HistoryResumption?

    public init(_ token: HistoryToken) { self.init(token, nil) }

    init(_ token: HistoryToken, _ resumption: HistoryResumption?) {
        self.token = token
        self.resumption = resumption
    }

    /// Whether more pieces of the same transaction follow.
    public var isInsideTransaction: Bool { resumption != nil }
}
