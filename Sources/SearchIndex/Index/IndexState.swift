import FoundationEssentials
import PersistentStore
import SQLite

/// How far an index file has come; kept in it, in the same commit as the work.
struct IndexRecord {
    enum Phase: Int64 {
        case building = 0
        /// Everything is in; its parts are to be put together.
        case gathering = 1
        case merging = 2
        case trimming = 3
        case ready = 4
    }

    /// Another number for each building.
    var edition: Int64
    /// What of the store's history is in the index.
    var cursor: HistoryToken
    var phase: Phase
    /// Everything from here to the newest has been built; nil before the first step.
    var builtPlace: SearchPlace?
    var built: Int64
    var total: Int64
    /// Numbers that no document has any more; their words still take room.
    var dead: Int64
    /// Never one that was used before: the words under it are still in the index.
    private(set) var nextNumber = IndexFile.middleNumber
    private(set) var nextLateNumber = IndexFile.firstLateNumber

    /// The beginning of a building, with the history up to a token.
    init(cursor: HistoryToken, total: Int) {
        edition = Int64.random(in: 1 ... .max)
        self.cursor = cursor
        phase = .building
        built = 0
        self.total = Int64(total)
        dead = 0
    }

    /// Nil when there has never been a building, or none that can be understood.
    init?(_ connection: borrowing Connection) throws(SQLiteError) {
        let row = try connection.prepare(
            """
            SELECT edition, store, generation, position, phase, built_created, built_object, built, total, dead,
            next_number, next_late_number FROM state WHERE id = 1
            """)
        guard try row.step(), let store = UUID(uuidString: row.text(1)),
            let phase = Phase(rawValue: row.integer(4))
        else { return nil }
        edition = row.integer(0)
        cursor = HistoryToken(storeID: store, generation: row.integer(2), number: row.integer(3))
        self.phase = phase
        if !row.isNull(5) { builtPlace = SearchPlace(created: row.integer(5), id: row.integer(6)) }
        built = row.integer(7)
        total = row.integer(8)
        dead = row.integer(9)
        nextNumber = row.integer(10)
        nextLateNumber = row.integer(11)
        guard isPlausible else { return nil }
    }

    /// Whether there is room to count on: nobody but an enemy comes to the ends of what a number holds.
    private var isPlausible: Bool {
        (IndexFile.middleNumber..<IndexFile.firstLateNumber).contains(nextNumber)
            && (IndexFile.firstLateNumber..<1 << 60).contains(nextLateNumber)
            && [built, total, dead].allSatisfy { (0..<1 << 60).contains($0) }
    }

    mutating func takeNumber(isLate: Bool) -> Int64 {
        if isLate {
            nextLateNumber += 1
            return nextLateNumber - 1
        }
        nextNumber += 1
        return nextNumber - 1
    }

    func write(_ connection: borrowing Connection) throws(SQLiteError) {
        try connection.run(
            """
            INSERT OR REPLACE INTO state (id, edition, store, generation, position, phase, built_created,
            built_object, built, total, dead, next_number, next_late_number)
            VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            """, edition, cursor.storeID.uuidString, cursor.generation, cursor.number, phase.rawValue,
            builtPlace?.created, builtPlace?.id, built, total, dead, nextNumber,
            nextLateNumber)
    }
}

/// What a person is told of the index.
package enum SearchIndexState: Hashable, Sendable {
    case ready
    case building(done: Int, total: Int)
    /// The building is done but for putting its parts together.
    case finishing
    /// The index's file cannot be used; searching reads the store itself.
    case unavailable(String)
}
