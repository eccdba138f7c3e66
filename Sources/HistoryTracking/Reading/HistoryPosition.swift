public import PersistentStore

/// A position in the history, which may be inside a long transaction that is read in pieces.
///
/// Only the token is stored: after a restart, an incomplete transaction begins again with its first piece.
public struct HistoryPosition: Hashable, Sendable {
    /// The last transaction that has been read completely.
    public let token: HistoryToken
    /// The part of the next, long transaction that has been read.
    let resumption: HistoryResumption?

    public init(_ token: HistoryToken) { self.init(token, nil) }

    init(_ token: HistoryToken, _ resumption: HistoryResumption?) {
        self.token = token
        self.resumption = resumption
    }

    /// Whether more pieces of the same transaction follow.
    public var isInsideTransaction: Bool { resumption != nil }
}
