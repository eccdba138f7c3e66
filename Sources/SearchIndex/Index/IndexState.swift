import FoundationEssentials
import PersistentStore
import SQLite

/// The progress of an index file, stored in it in the same commit as the documents.
struct IndexRecord {
    enum Phase: Int64 {
        case building = 0
        /// All documents are indexed; the segments must be merged.
        case gathering = 1
        case merging = 2
        case trimming = 3
        case ready = 4
    }

    /// A random number that is different for each backfill.
    var edition: Int64
    /// The last transaction that the index has processed.
    private(set) var cursor: HistoryToken
    /// Distinguishes the history up to the cursor from another one; see ``isOf(_:)``.
    private var digest: Int64?
    var phase: Phase
    /// The oldest position that the backfill has reached; nil before its first step.
    var builtPosition: SearchPosition?
    var built: Int64
    var total: Int64
    /// The count of numbers of removed documents; their words still use space.
    var dead: Int64
    /// A number that was never used. The index retains the words of a used number.
    private(set) var nextNumber = IndexFile.middleNumber
    private(set) var nextLateNumber = IndexFile.firstLateNumber

    /// Creates the record of a backfill that begins at a token.
    init(_ snapshot: borrowing StoreSnapshot, total: Int) throws(StoreError) {
        edition = Int64.random(in: 1 ... .max)
        cursor = try snapshot.newestToken()
        digest = try snapshot.digest(at: cursor)
        phase = .building
        built = 0
        self.total = Int64(total)
        dead = 0
    }

    /// Reads the record; nil if there is none or it is not valid.
    init?(_ connection: borrowing Connection) throws(SQLiteError) {
        let row = try connection.prepare(
            """
            SELECT edition, store, generation, position, phase, built_created, built_object, built, total, dead,
            next_number, next_late_number, digest FROM state WHERE id = 1
            """)
        guard try row.step(), let store = UUID(uuidString: row.text(1)),
            let phase = Phase(rawValue: row.integer(4))
        else { return nil }
        edition = row.integer(0)
        cursor = HistoryToken(storeID: store, generation: row.integer(2), number: row.integer(3))
        self.phase = phase
        if !row.isNull(5) { builtPosition = SearchPosition(created: row.integer(5), id: row.integer(6)) }
        built = row.integer(7)
        total = row.integer(8)
        dead = row.integer(9)
        nextNumber = row.integer(10)
        nextLateNumber = row.integer(11)
        if !row.isNull(12) { digest = row.integer(12) }
        guard isPlausible else { return nil }
    }

    /// Whether the numbers leave room for increments; only a malicious file comes near the limits of the
    /// type.
    private var isPlausible: Bool {
        (IndexFile.middleNumber..<IndexFile.firstLateNumber).contains(nextNumber)
            && (IndexFile.firstLateNumber..<1 << 60).contains(nextLateNumber)
            && [built, total, dead].allSatisfy { (0..<1 << 60).contains($0) }
    }

    /// Whether the history of a snapshot is the one that the index has read. It is not, even if its numbers admit that,
    /// after the store was replaced by an older file and grew.
    func isOf(_ snapshot: borrowing StoreSnapshot) throws(StoreError) -> Bool {
        try snapshot.digest(at: cursor).map { $0 == digest } ?? true
    }

    mutating func advance(to token: HistoryToken, in snapshot: borrowing StoreSnapshot) throws(StoreError) {
        guard token != cursor else { return }
        (cursor, digest) = (token, try snapshot.digest(at: token))
    }

    mutating func useNumbers(_ count: Int, areLate: Bool) -> Int64 {
        if areLate {
            nextLateNumber += Int64(count)
            return nextLateNumber - Int64(count)
        }
        nextNumber += Int64(count)
        return nextNumber - Int64(count)
    }

    func write(_ connection: borrowing Connection) throws(SQLiteError) {
        try connection.run(
            """
            INSERT OR REPLACE INTO state (id, edition, store, generation, position, phase, built_created,
            built_object, built, total, dead, next_number, next_late_number, digest)
            VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
            """, edition, cursor.storeID.uuidString, cursor.generation, cursor.number, phase.rawValue,
            builtPosition?.created, builtPosition?.id, built, total, dead, nextNumber,
            nextLateNumber, digest)
    }
}

/// The state of the index, as shown to the user.
package enum SearchIndexState: Hashable, Sendable {
    case ready
    case building(done: Int, total: Int)
    /// The backfill is complete; its segments are being merged.
    case finishing
    /// The index's file cannot be used; searches read the store.
    case unavailable(String)
}
