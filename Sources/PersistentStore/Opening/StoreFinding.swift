/// A present or future problem of a store.
package enum StoreFinding: Equatable, Sendable {
    /// The file is damaged; contains SQLite's first message.
    case damaged(String)
    /// The file is damaged, but every row of every table can be read: only indexes, or unused pages, are
    /// affected.
    case damagedIndexes(String)
    /// Rows refer to rows that do not exist.
    case danglingReferences(table: String, count: Int)
    /// The triggers that record an entity's history differ from the expected ones: changes may be missing
    /// from the history.
    case wrongTriggers(entity: String)
    /// The last change of this number of objects contradicts the table, or a complete history does not
    /// contain them.
    case historyUnlikeData(entity: String, count: Int)
    /// Objects have a lower version than their recorded updates require.
    case versionsBehind(entity: String, count: Int)
    /// Retained values belong to no change.
    case strayValues(entity: String, count: Int)
    /// A transient consumer's process has exited.
    case staleConsumer(String)
    /// History that the consumer has not read was purged: it will do a full refresh.
    case expiredConsumer(String)
    /// A consumer prevents history from being purged and has not been seen for a long time.
    case laggingConsumer(String, transactions: Int, days: Int)
    case insecurePermissions(path: String, mode: UInt32)
    /// inotify(7) provides no more events here.
    case noFileEvents(reason: String)

    package var isRepairable: Bool {
        switch self {
        case .damagedIndexes, .wrongTriggers, .historyUnlikeData, .versionsBehind, .strayValues,
            .staleConsumer,
            .insecurePermissions:
            true
        case .damaged, .danglingReferences, .expiredConsumer, .laggingConsumer, .noFileEvents: false
        }
    }
}

/// The space that a store uses, in bytes.
package struct StoreSpace: Sendable {
    package let file: Int64
    package let journal: Int64
    package let free: Int64
    /// The size of the history; nil without `dbstat`.
    package let history: Int64?
}
