import PersistentStore

/// The merged state of one record. Replays, duplicates, and a relay that forgets do no harm to a merge.
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

    var attributes = NamedValues<Attribute>()
    /// The elements of each set.
    var elements: [String: [String: Element]] = [:]
    /// The edits of the content that deletions saw.
    var saw: [String: VersionVector] = [:]
    /// The losing values of conflicts by ``conflictKey(_:_:)``; an empty one was restored or dismissed on any machine.
    var conflicts: [String: LosingValue] = [:]

    struct LosingValue: Hashable, Sendable {
        var value: RecordValue?
    }

    private var isEmpty: Bool {
        attributes.isEmpty && elements.isEmpty && saw.isEmpty && conflicts.isEmpty
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

    /// Returns the state that knows both, in which an edit that no deletion saw wins.
    ///
    /// Merging is commutative and idempotent, and raises `saw`, or with the same `saw` the attributes. So exchanges end,
    /// and then all machines have one state. A value that lost before its winner was deleted does not return, so the
    /// order can decide whether an older edit revives an object.
    func merged(_ other: RecordState) -> RecordState {
        let (mine, theirs) = undeleted(next: other)
        return mine.joined(theirs)
    }

    /// Returns this state and another one, each without the values that a deletion saw where the other state has an edit
    /// that it did not see: machines that applied the deletion discarded those, regardless of their clocks.
    func undeleted(next other: RecordState) -> (mine: RecordState, theirs: RecordState) {
        var (mine, theirs) = (self, other)
        guard !saw.isEmpty || !other.saw.isEmpty else { return (mine, theirs) }
        for (name, deletions) in saw.merging(other.saw, uniquingKeysWith: { $0.joined($1) }) {
            guard let own = attributes[name], let their = other.attributes[name] else { continue }
            switch (deletions.covers(own.clock), deletions.covers(their.clock)) {
            case (true, false): mine.attributes[name] = nil
            case (false, true): theirs.attributes[name] = nil
            default: break
            }
        }
        return (mine, theirs)
    }

    /// Returns the state that knows both. The join is associative, commutative, and idempotent.
    func joined(_ other: RecordState) -> RecordState {
        // As most records of a new machine.
        guard !isEmpty else { return other }
        var all = self
        all.attributes.merge(other.attributes) { $0.joined($1) }
        for (set, elements) in other.elements {
            all.elements[set, default: [:]].merge(elements) { $0.joined($1) }
        }
        all.saw.merge(other.saw) { $0.joined($1) }
        all.conflicts.merge(other.conflicts) { $0.joined($1) }
        return all
    }

    /// Whether another state has an edit by a machine that is newer than all that this one has of the same content.
    func lacksEdit(by machine: UInt64, in other: RecordState) -> Bool {
        var known: [String: MirrorClock]?
        var lacks = false
        other.forEachClock { key, clock in
            guard clock.machine == machine, !lacks else { return }
            let newest = known ?? newestClocks
            known = newest
            lacks = newest[key()].map { $0 < clock } ?? true
        }
        return lacks
    }

    /// The greatest clock of each attribute and element.
    private var newestClocks: [String: MirrorClock] {
        var newest: [String: MirrorClock] = [:]
        forEachClock { key, clock in
            let key = key()
            newest[key] = max(newest[key] ?? clock, clock)
        }
        return newest
    }

    private func forEachClock(_ body: (_ key: () -> String, MirrorClock) -> Void) {
        for attribute in attributes {
            body({ attribute.key }, attribute.value.clock)
            for clock in attribute.value.seen.clocks { body({ attribute.key }, clock) }
        }
        for (set, elements) in elements {
            for (element, entry) in elements { body({ Self.key(set, element) }, entry.clock) }
        }
        for (key, vector) in saw { for clock in vector.clocks { body({ key }, clock) } }
    }

    /// Makes the edits of one machine those of another.
    mutating func rename(_ machine: UInt64, to new: UInt64) {
        attributes.update { _, attribute in
            if attribute.clock.machine == machine { attribute.clock.machine = new }
        }
        for (set, elements) in elements {
            for (element, entry) in elements where entry.clock.machine == machine {
                self.elements[set]?[element]?.clock.machine = new
            }
        }
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
