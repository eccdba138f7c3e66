/// Something that is wrong with a store, or will be.
package enum StoreFinding: Equatable, Sendable {
    /// SQLite finds the file damaged; its first words on it.
    case damaged(String)
    /// The same, though every row of every table can be read: only indexes, or unused pages, are damaged.
    case damagedIndexes(String)
    /// Rows that refer to rows that are not there.
    case danglingReferences(table: String, count: Int)
    /// The triggers that record an entity's history are not as they are made: changes may be missing from it.
    case wrongTriggers(entity: String)
    /// The last change of this number of objects says that they exist, or do not, and the table says otherwise; or a
    /// history without a gap does not have them.
    case historyUnlikeData(entity: String, count: Int)
    /// Objects with a version that is lower than their recorded updates make it.
    case versionsBehind(entity: String, count: Int)
    /// Kept values that belong to no change.
    case strayValues(entity: String, count: Int)
    /// Its process has ended, and it lived no longer than that.
    case goneConsumer(String)
    /// What it has not read yet was cleaned away: it will read everything anew.
    case expiredConsumer(String)
    /// Keeps history from being cleaned, and has not come for long.
    case laggingConsumer(String, transactions: Int, days: Int)
    case tooOpen(path: String, mode: UInt32)
    /// inotify(7) gives no more events here.
    case noFileEvents(reason: String)

    package var isRepairable: Bool {
        switch self {
        case .damagedIndexes, .wrongTriggers, .historyUnlikeData, .versionsBehind, .strayValues,
            .goneConsumer,
            .tooOpen:
            true
        case .damaged, .danglingReferences, .expiredConsumer, .laggingConsumer, .noFileEvents: false
        }
    }
}

/// How a store uses its room, in bytes.
package struct StoreSpace: Sendable {
    package let file: Int64
    package let journal: Int64
    package let free: Int64
    /// Nil without `dbstat`.
    package let history: Int64?
}
