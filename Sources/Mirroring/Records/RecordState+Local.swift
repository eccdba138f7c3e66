/// Edits of this machine, as its history recorded them.
extension RecordState {
    /// Records that a transaction inserted or updated an object, whose sets now have these members.
    mutating func edit(
        _ names: some Sequence<String>, members: [String: [String]], in transaction: LocalTransaction
    ) {
        for name in names {
            if let members = members[name] {
                edit(name, members: members, in: transaction)
                continue
            }
            let previous = attributes[name]
            guard let clock = transaction.clock(after: previous?.clock, seen: saw[name]) else { continue }
            var seen = previous?.seen ?? saw[name] ?? VersionVector()
            if let previous { seen.insert(previous.clock) }
            seen.remove(transaction.machine)
            attributes[name] = Attribute(clock: clock, seen: seen)
        }
    }

    /// Records that all of an object was edited, so that no earlier deletion covers its content.
    mutating func renew(
        _ names: some Sequence<String>, members: [String: [String]], in transaction: LocalTransaction
    ) {
        edit(names, members: members, in: transaction)
        for (set, members) in members {
            for element in members {
                guard let known = elements[set]?[element],
                    let clock = transaction.clock(after: known.clock, seen: saw[Self.key(set, element)])
                else { continue }
                elements[set]?[element] = Element(clock: clock, position: known.position)
            }
        }
    }

    private mutating func edit(_ set: String, members: [String], in transaction: LocalTransaction) {
        var known = elements[set] ?? [:]
        let present = Set(members)
        for (element, entry) in known where entry.position > 0 && !present.contains(element) {
            if let clock = transaction.clock(after: entry.clock, seen: saw[Self.key(set, element)]) {
                known[element] = Element(clock: clock, position: 0)
            }
        }
        for (index, element) in members.enumerated() where known[element]?.position ?? 0 == 0 {
            let seen = saw[Self.key(set, element)]
            if let clock = transaction.clock(after: known[element]?.clock, seen: seen) {
                known[element] = Element(clock: clock, position: Int64(index) + 1)
            }
        }
        elements[set] = known
    }

    /// Records that the object was deleted with all content known here.
    mutating func delete(_ entity: MirroredEntity) {
        for (key, clock) in content(entity) {
            saw[key, default: VersionVector()].insert(clock)
            if let seen = attributes[key]?.seen { saw[key] = saw[key]?.joined(seen) }
        }
        normalize(entity)
    }
}
