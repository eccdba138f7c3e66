package import FoundationEssentials
import HistoryTracking
package import PersistentStore

/// A machine of the zone, as it described itself.
package struct MirrorMachine: Hashable, Sendable {
    package let name: String
    /// The program with its version.
    package let program: String
    /// The last time, to the hour, at which it exchanged changes.
    package let lastSeen: Date
    /// Whether it is the machine of this store.
    package let isThis: Bool
}

extension Mirror {
    /// The record with a description of each machine, by its number in clocks.
    static var machines: (entity: String, uuid: String) { ("MirrorZone", "machines") }
    private static var announcementPause: Int64 { 3600 * 1000 }

    /// Describes this machine to the others, together with other changes: at most once an hour, and never while nothing
    /// else is exchanged.
    func announce() async throws(MirrorError) {
        let now = now()
        guard !configuration.machineName.isEmpty, now - announced >= Self.announcementPause else { return }
        let description = MachineDescription(
            name: configuration.machineName, program: configuration.program, seen: now)
        let name = MapRow.name(Self.machines.entity, Self.machines.uuid)
        let (zone, number) = (zone, position?.token.number ?? 0)
        try await save { transaction throws(StoreError) in
            var row = try transaction.snapshot.mapRows([name])[name] ?? MapRow(name: name)
            let previous = row.state.attributes[zone[.machine]]
            if let known = previous?.value.flatMap(MachineDescription.init), known.name == description.name,
                known.program == description.program, now - known.seen < Self.announcementPause
            {
                return
            }
            // Like the time of a purge, it is no edit of a transaction.
            let local = LocalTransaction(machine: zone.machine, number: number, milliseconds: now)
            guard let clock = local.clock(after: previous?.clock, seen: nil) else { return }
            row.state.attributes[zone[.machine]] = .init(clock: clock, value: .known(.text(description.text)))
            row.waiting = .toPut
            try row.save(in: &transaction)
        }
        announced = now
    }
}

/// The form of a machine in the record: the time, and two lines.
struct MachineDescription: Sendable {
    let name: String
    let program: String
    let seen: Int64

    init(name: String, program: String, seen: Int64) {
        (self.name, self.program, self.seen) = (name, program, seen)
    }

    init?(_ value: RecordValue) {
        guard case .known(.text(let text)) = value else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count >= 3, let seen = Int64(lines[0]), seen >= 0 else { return nil }
        self.init(name: Self.line(lines[2]), program: Self.line(lines[1]), seen: seen)
    }

    /// Returns another machine's text as a part of a context name, of which the end may have a sign of an undo.
    private static func line(_ text: String) -> String {
        var scalars = text.unicodeScalars.lazy.filter {
            $0 != "#" && $0.properties.generalCategory != .control
        }.prefix(64).map { $0 }[...]
        while let last = scalars.last, last == "+" || last == " " { scalars.removeLast() }
        return String(String.UnicodeScalarView(scalars))
    }

    var text: String { "\(seen)\n\(program)\n\(name)" }
}

extension StoreSnapshot {
    private static var machines: String { MapRow.name(Mirror.machines.entity, Mirror.machines.uuid) }

    /// Returns the descriptions of machines by their numbers in clocks.
    func machines() throws(StoreError) -> [UInt64: MachineDescription] {
        try mapRows([Self.machines])[Self.machines]?.machines ?? [:]
    }

    /// Returns the names of the other machines from which the changes of an import come; nil if none is known.
    func origin(of plan: MergePlan, notOf own: UInt64) throws(StoreError) -> String? {
        let numbers = plan.machines.subtracting([own, 0])
        guard !numbers.isEmpty else { return nil }
        // An import may contain the description of its machine.
        let known = try machines().merging(
            plan.rows.first { $0.name == Self.machines }?.machines ?? [:], uniquingKeysWith: { $1 })
        let names = Set(numbers.compactMap { known[$0]?.name }).sorted()
        let more = names.count > 3 ? ", and \(names.count - 3) more" : ""
        return names.isEmpty ? nil : names.prefix(3).joined(separator: ", ") + more
    }
}

extension MapRow {
    fileprivate var machines: [UInt64: MachineDescription] {
        state.attributes.reduce(into: [:]) { machines, entry in
            guard let number = UInt64(entry.key, radix: 16) else { return }
            machines[number] = entry.value.value.flatMap(MachineDescription.init)
        }
    }
}

extension MirrorConfiguration {
    /// Returns the context name of an import.
    static func contextName(_ work: String, from origin: String?) -> String {
        // Names are the other machines' text.
        origin.map { "\(work) from \($0.prefix(200))" } ?? work
    }

    /// Returns the names of the machines from which an import came; nil if the transaction is none, or they are not known.
    package static func origin(ofAuthor author: String?, contextName: String?) -> String? {
        let words = (contextName ?? "").split(separator: " ", maxSplits: 2)
        return author == Self.author && words.count == 3 && words[1] == "from" ? String(words[2]) : nil
    }
}

extension MirrorConfiguration {
    /// Returns the machines of the zone, the one seen last first.
    nonisolated(nonsending) package func machines(in container: PersistentContainer)
        async throws(MirrorError) -> [MirrorMachine]
    {
        try await read(container) { snapshot throws(StoreError) in
            let own = try snapshot.fetch(FetchRequest(MirrorNames.zone)).first.map { MirrorZone($0).machine }
            return try snapshot.machines().map { number, machine in
                MirrorMachine(
                    name: machine.name, program: machine.program,
                    lastSeen: Date(timeIntervalSince1970: Double(machine.seen) / 1000), isThis: number == own)
            }.sorted { ($1.lastSeen, $0.name) < ($0.lastSeen, $1.name) }
        }
    }
}
