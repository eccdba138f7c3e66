import PersistentStore

/// The state of the zone, one object of the store.
struct MirrorZone: Sendable {
    enum Text: String, CaseIterable {
        /// The log of the relay.
        case identity
        /// The machine in clocks, in hexadecimal digits.
        case machine
        /// The store and the system for which the machine was chosen.
        case binding
        /// The configuration with which records were imported.
        case schema
    }

    enum Number: String, CaseIterable {
        /// The last imported revision.
        case cursor, cursorStamp, cursorTime
        /// The highest acknowledged put since the last reconciliation, and its time by the local clock.
        case put, putStamp, putTime
        /// A ``Reconciliation``; stored, so that a machine killed in the middle begins it again.
        case reconciling
        /// Whether all objects that precede the history have a record.
        case scanned
        /// The milliseconds by which the relay's clock is ahead.
        case offset
        /// The number of records that the relay ever forgot, and of those that cannot be read now.
        case forgotten, unreadable
    }

    enum Reconciliation: Int64, Comparable {
        case none
        /// Compare the revisions.
        case compare
        /// Read every record again, and compare the values.
        case reread
        /// Discard objects that this machine received, or sent, and that the relay no longer has.
        case rejoin
        /// As ``reread``; of two different values, the one here may be an edit that the history lost, and becomes a
        /// conflict.
        case recover

        var comparesValues: Bool { self == .reread || self == .recover }

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    static var texts: [String] { Text.allCases.map(\.rawValue) }
    static var numbers: [String] { Number.allCases.map(\.rawValue) }

    private(set) var id: ObjectID?
    private var values: [String: AttributeValue]
    private var stored: [String: AttributeValue] = [:]

    init(_ object: StoredObject?) {
        id = object?.id
        values = object?.values ?? [:]
        stored = values
    }

    subscript(text: Text) -> String {
        get { values[text.rawValue]?.textValue ?? "" }
        set { values[text.rawValue] = .text(newValue) }
    }

    subscript(number: Number) -> Int64 {
        get { values[number.rawValue]?.integerValue ?? 0 }
        set { values[number.rawValue] = .integer(newValue) }
    }

    var machine: UInt64 { UInt64(self[.machine], radix: 16) ?? 0 }
    var reconciliation: Reconciliation {
        get { Reconciliation(rawValue: self[.reconciling]) ?? .reread }
        set { self[.reconciling] = newValue.rawValue }
    }

    mutating func renewMachine() { self[.machine] = String(UInt64.random(in: 1 ... .max), radix: 16) }

    mutating func moveCursor(to revision: MirrorRevision) {
        (self[.cursor], self[.cursorStamp], self[.cursorTime]) = (
            revision.number, revision.stamp, max(revision.time, self[.cursorTime])
        )
    }

    /// Saves the changed values, and returns the ID.
    func save(in transaction: inout StoreTransaction) throws(StoreError) -> ObjectID? {
        let changes = values.filter { stored[$0.key] != $0.value }
        guard !changes.isEmpty else { return id }
        guard let id else { return try transaction.insert(MirrorNames.zone, changes).id }
        try transaction.update(id, changes)
        return id
    }

    mutating func wasSaved(_ saved: ObjectID?) {
        id = id ?? saved
        stored = values
    }
}
