import PersistentStore

/// The merged state of one record. Joining two states is associative, commutative, and idempotent, so replays,
/// duplicates, and a relay that forgets do no harm.
struct RecordState: Hashable, Sendable {
    struct Attribute: Hashable, Sendable {
        var clock: MirrorClock
        /// The edits of other machines that the editing machine had seen.
        var seen = VersionVector()
        /// Nil in the record map, where the object has the value.
        var value: RecordValue?
    }

    struct Element: Hashable, Sendable {
        var clock: MirrorClock
        /// The position among the elements that one edit added, from 1; 0 for a removed element.
        var position: Int64
    }

    var attributes: [String: Attribute] = [:]
    /// The elements of each set.
    var elements: [String: [String: Element]] = [:]
    /// The edits of the content that deletions saw.
    var saw: [String: VersionVector] = [:]
    /// The losing values of conflicts by ``conflictKey(_:_:)``; an empty one was restored or dismissed on any machine.
    var conflicts: [String: LosingValue] = [:]

    struct LosingValue: Hashable, Sendable {
        var value: RecordValue?
    }

    /// The key of a conflict; names of attributes contain no slash.
    static func conflictKey(_ attribute: String, _ clock: MirrorClock) -> String { "\(attribute)/\(clock)" }

    /// The key of an element in ``saw``; names of attributes contain no slash.
    static func key(_ set: String, _ element: String) -> String { "\(set)/\(element)" }

    /// The clocks of the content: an edit of it survives a deletion that did not see it.
    func content(_ entity: MirroredEntity?) -> [String: MirrorClock] {
        var clocks = attributes.mapValues(\.clock)
        for name in entity?.minor ?? [] { clocks[name] = nil }
        for (set, elements) in elements {
            for (element, entry) in elements { clocks[Self.key(set, element)] = entry.clock }
        }
        return clocks
    }

    /// Whether the object exists.
    func isAlive(_ entity: MirroredEntity?) -> Bool {
        if saw.isEmpty { return !attributes.isEmpty || !elements.isEmpty }
        return content(entity).contains { key, clock in
            guard let saw = saw[key] else { return true }
            // An element has no list of the edits that it replaced, and no value that could be lost.
            return attributes[key] == nil ? !saw.isAfter(clock) : !saw.covers(clock)
        }
    }

    /// Discards the values of a deleted object. The clocks in ``saw`` cover them, so an edit that revives the
    /// object brings all values with it.
    mutating func normalize(_ entity: MirroredEntity) {
        guard !isAlive(entity) else { return }
        attributes = attributes.filter { entity.minor.contains($0.key) }
        elements.removeAll()
    }

    /// Returns the state that knows both.
    func joined(_ other: RecordState) -> RecordState {
        var all = self
        all.attributes.merge(other.attributes) { $0.joined($1) }
        for (set, elements) in other.elements {
            all.elements[set, default: [:]].merge(elements) { $0.joined($1) }
        }
        all.saw.merge(other.saw) { $0.joined($1) }
        all.conflicts.merge(other.conflicts) { $0.joined($1) }
        return all
    }

    /// The greatest transaction of a machine among the clocks.
    func newestTransaction(of machine: UInt64) -> Int64 {
        let clocks =
            attributes.values.lazy.map(\.clock) + elements.values.lazy.flatMap { $0.values.map(\.clock) }
        return clocks.filter { $0.machine == machine }.map(\.transaction).max() ?? 0
    }

    /// The present elements of a set, in the order in which they were added.
    func members(of set: String) -> [String] {
        (elements[set] ?? [:]).filter { $0.value.position > 0 }
            .sorted {
                ($0.value.clock, $0.value.position, $0.key) < ($1.value.clock, $1.value.position, $1.key)
            }
            .map(\.key)
    }
}

extension RecordState.Attribute {
    /// Two machines never give one clock to two values, except in a store that was copied unnoticed; then the
    /// greater encoding wins everywhere.
    fileprivate func joined(_ other: Self) -> Self {
        guard clock == other.clock else { return clock > other.clock ? self : other }
        var joined = self
        joined.seen = seen.joined(other.seen)
        if let theirs = other.value, value.map({ $0.isBefore(theirs) }) ?? true { joined.value = theirs }
        return joined
    }
}

extension RecordState.LosingValue {
    fileprivate func joined(_ other: Self) -> Self {
        guard let mine = value, let theirs = other.value else { return Self() }
        return mine.isBefore(theirs) ? other : self
    }
}

extension RecordState.Element {
    fileprivate func joined(_ other: Self) -> Self {
        (clock, position) >= (other.clock, other.position) ? self : other
    }
}

/// A value of a record: one of the store, or JSON of a form that a newer program wrote.
enum RecordValue: Hashable, Sendable {
    case known(AttributeValue)
    case other([UInt8])

    fileprivate func isBefore(_ other: RecordValue) -> Bool {
        self != other && JSONText.bytes(of: self).lexicographicallyPrecedes(JSONText.bytes(of: other))
    }
}
