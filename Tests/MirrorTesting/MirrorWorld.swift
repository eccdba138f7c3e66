import Foundation
import Mirroring
import PersistentStore
import Synchronization
import TestSupport

/// Random edits on several machines with skewed clocks, partitions, processes that die at any request, and a relay
/// that forgets; and the check that all machines converge and no edit is lost.
package struct MirrorWorld {
    /// An edit of one attribute, with the value that it knowingly replaced. Titles and notes are unique.
    struct Edit {
        let uuid: String
        let attribute: String
        let value: String
        let replaced: String
        var machine = -1
        var time: Int64 = 0
    }

    /// A deletion of an object, with the content that it saw.
    struct Deletion {
        let uuid: String
        let machine: Int
        let title: String
        let note: String
        let time: Int64
        /// When an older copy without the deletion replaced the machine's store: later edits there did not see it.
        var lost = Int64.max

        /// Whether an edit is one of another machine, or of a store that lost the deletion.
        func isUnseen(by editor: Int, at time: Int64) -> Bool { editor != machine || time >= lost }
    }

    var random: SeededRandom
    let seed: UInt64
    let clock = SettableClock()
    /// The time of the machines, before their skew.
    let time: @Sendable () -> Int64
    let relay: any TestRelay
    package internal(set) var machines: [TestMachine] = []
    let faults: Faults
    var online: [Bool]
    let detaches: Bool
    let rotates: Bool
    var detached: Set<Int> = []
    var edits: [Edit] = []
    var inserted: Set<String> = []
    var deleted: Set<String> = []
    var deletions: [Deletion] = []
    /// The objects that each machine ever had.
    var seen: [Set<String>] = []
    /// The newest star and tag edits, by object and element: the time and the result.
    var marks: [String: [(time: Int64, machine: Int, isOn: Bool)]] = [:]
    /// The losing values that a machine dismissed.
    var dismissed: [String] = []
    /// The times of each machine's last exchange, and of its last attempt.
    var lastSync: [Int: Int64] = [:]
    var lastAttempt: [Int: Int64] = [:]
    /// The tags that were removed after an attempt that may have sent them.
    var uncertainMarks: Set<String> = []
    var count = 0
    /// Whether a machine lost its part of the history: of its edits since, and of those of others, either may win;
    /// the other one is a conflict, except of a deleted object.
    var hasLostHistory = false
    /// Older copies, wrong clocks, external writers, and slow lines; nil for none.
    var hardships: Hardships?

    /// Random failures of requests, from a generator that all machines share.
    final class Faults: Sendable {
        private let state: Mutex<(random: SeededRandom, isOn: Bool)>
        init(seed: UInt64) { state = Mutex((SeededRandom(seed: seed &* 31), true)) }
        func stop() { state.withLock { $0.isOn = false } }
        func next() -> RelayFault {
            state.withLock { state in
                guard state.isOn else { return .none }
                return switch Int.random(in: 0..<40, using: &state.random) {
                case 0: .before
                case 1: .after
                default: .none
                }
            }
        }
    }

    /// - Parameters:
    ///   - relay: An empty relay; nil for one in memory.
    ///   - makeDefect: Creates the defect of a machine, to prove that the check notices it.
    ///   - time: The machines' time, which must be that of the relay; nil for a clock that each step moves.
    ///   - detaches: Whether machines also end their mirrors and join again, and resolve conflicts.
    ///   - rotates: Whether machines also change the key of the relay.
    ///   - isHard: Whether the history has ``Hardships``.
    package init(
        seed: UInt64, relay: (any TestRelay)? = nil, time: (@Sendable () -> Int64)? = nil,
        detaches: Bool = false, rotates: Bool = false, isHard: Bool = false,
        makeDefect: () -> MirrorDefect? = { nil }
    ) async throws {
        (self.detaches, self.rotates) = (detaches, rotates)
        self.seed = seed
        random = SeededRandom(seed: seed)
        let relay =
            relay
            ?? MemoryRelay(
                removesSuperseded: Bool.random(using: &random), clock: clock,
                step: Int64.random(in: 1...2, using: &random))
        self.relay = relay
        self.time = time ?? { [clock] in clock.now() }
        let faults = Faults(seed: seed)
        self.faults = faults
        hardships = isHard ? try Hardships(restores: Bool.random(using: &random)) : nil
        for index in 0..<Int.random(in: 2...4, using: &random) {
            let skew = Int64.random(in: -300...300, using: &random)
            machines.append(
                try await TestMachine(
                    relay, clock: hardships?.clock(index, self.time) ?? self.time, skew: skew,
                    defect: makeDefect(), path: hardships?.path(index), fault: { faults.next() }))
        }
        online = machines.map { _ in true }
        seen = machines.map { _ in [] }
    }

    /// Runs a history and returns the violated invariant; nil if all hold.
    ///
    /// - Parameter forgets: Whether the relay is damaged; nil to choose by the seed.
    package mutating func run(steps: Int, forgets: Bool? = nil) async throws -> String? {
        // A relay must not forget the only other copy of what a restored machine lost.
        let forgets = forgets ?? (Bool.random(using: &random) && hardships?.restores != true)
        let losesHistory = Int.random(in: 0..<3, using: &random) == 0
        for _ in 0..<steps {
            clock.set(clock.now() + Int64.random(in: 1...40, using: &random))
            let index = Int.random(in: machines.indices, using: &random)
            // A server that is killed meanwhile ends the change at any point.
            if rotates, online[index], Int.random(in: 0..<20, using: &random) == 0 {
                try? await machines[index].relay.rotate()
            }
            switch Int.random(in: 0..<100, using: &random) {
            case ..<60:
                if hardships != nil, Int.random(in: 0..<5, using: &random) == 0 {
                    try await meetHardship(index)
                } else {
                    try await edit(index)
                }
            case ..<88:
                if detaches, Int.random(in: 0..<4, using: &random) == 0 {
                    if Bool.random(using: &random) {
                        try await detachOrJoin(index)
                    } else {
                        try await resolve(index)
                    }
                } else if online[index], !detached.contains(index) {
                    do {
                        try await machines[index].sync()
                        let now = time()
                        lastSync[index] = now
                        hardships?.noteExchange(index, now)
                    } catch is MirrorError {
                        try await machines[index].kill()
                    }
                    lastAttempt[index] = time()
                }
            case ..<95: online[index].toggle()
            case ..<99:
                if forgets { try await relay.forget(&random) }
            default:
                if losesHistory {
                    try? await machines[index].container.removeConsumer(Book.configuration.consumer)
                    try await machines[index].kill()
                    hasLostHistory = true
                }
            }
        }
        faults.stop()
        (relay as? MemoryRelay)?.state.withLock { $0.piece = .max }
        detached.removeAll()
        try await relay.settle()
        for machine in machines { try await machine.kill() }
        for _ in 0..<4 { try await syncAll() }
        let puts = try await relay.putCount
        try await syncAll()
        if try await relay.putCount != puts { return "seed \(seed): an idle machine puts" }
        let note =
            hasLostHistory ? " (a history was lost)" : hardships?.restores == true ? " (with copies)" : ""
        return try await violation().map { "seed \(seed)\(note): \($0)" }
    }

    /// Ends the mirror of a machine without the relay, or lets a new one join.
    private mutating func detachOrJoin(_ index: Int) async throws {
        if detached.remove(index) == nil {
            do throws(MirrorError) {
                // It gives clocks to the last edits.
                lastAttempt[index] = time()
                try await machines[index].mirror.detach()
                detached.insert(index)
            } catch {
                // The process died, and the mirror remains.
            }
        }
        try await machines[index].kill()
    }

    /// Restores or dismisses a conflict.
    private mutating func resolve(_ index: Int) async throws {
        let machine = machines[index]
        guard let conflict = try await machine.conflicts().randomElement(using: &random) else { return }
        let isRestored = Bool.random(using: &random) && conflict.object != nil
        let value = conflict.value.textValue ?? ""
        if isRestored {
            let old = conflict.current?.textValue ?? ""
            note(
                Edit(uuid: conflict.uuid, attribute: conflict.attribute, value: value, replaced: old), index)
        } else {
            dismissed.append("\(conflict.uuid) \(conflict.attribute) \(value)")
        }
        try await machine.resolve(conflict, restoring: isRestored)
    }

    /// Exchanges with each machine; repeats what does not reach a relay that may be electing a leader.
    private func syncAll() async throws {
        for machine in machines {
            let isDone = try await soon {
                do { try await machine.sync() } catch MirrorError.unreachable where relay.electsLeaders {
                    return false
                }
                return true
            }
            guard isDone else { throw MirrorError.unreachable(reason: "no exchange within a minute") }
        }
    }

    mutating func edit(_ index: Int) async throws {
        let machine = machines[index]
        count += 1
        let notes = try await machine.notes()
        seen[index].formUnion(notes.keys)
        let lost = seen[index].intersection(deleted).subtracting(notes.keys).sorted()
        if Int.random(in: 0..<20, using: &random) == 0, let uuid = lost.randomElement(using: &random) {
            // A deletion is undone: newer than it, however wrong this machine's clock is.
            return try await insert(uuid, on: index)
        }
        guard let uuid = notes.keys.sorted().randomElement(using: &random),
            let note = notes[uuid], Int.random(in: 0..<100, using: &random) >= 25
        else {
            inserted.insert("u\(count)")
            return try await insert("u\(count)", on: index)
        }
        let old = { (name: String) in note[name].textValue ?? "" }
        switch Int.random(in: 0..<100, using: &random) {
        case ..<12:
            try await machine.delete(uuid)
            noteDeletion(of: uuid, note, index)
        case ..<60:
            let name = Bool.random(using: &random) ? "title" : "note"
            let value = "\(name)\(count)"
            try await machine.update(uuid, [name: .text(value)])
            self.note(Edit(uuid: uuid, attribute: name, value: value, replaced: old(name)), index)
        case ..<80:
            let isOn = !note["starred"].booleanValue
            try await machine.update(uuid, ["starred": .boolean(isOn)])
            marks["\(uuid) starred", default: []].append((time(), index, isOn))
        default:
            var tags = Set(old("tags").split(separator: ",").map(String.init))
            let tag = ["a", "b", "c", "d"].randomElement(using: &random) ?? "a"
            let isOn = tags.insert(tag).inserted
            if !isOn { tags.remove(tag) }
            try await machine.update(uuid, ["tags": .text(tags.sorted().joined(separator: ","))])
            // A tag that was added and removed between two exchanges was never there for the others.
            let key = "\(uuid) \(tag)"
            let own = isOn ? nil : marks[key]?.lastIndex { $0.machine == index }
            if let own, let added = marks[key]?[own].time, added > lastSync[index] ?? 0 {
                if added <= lastAttempt[index] ?? 0 { uncertainMarks.insert(key) }
                marks[key]?.remove(at: own)
            } else {
                marks[key, default: []].append((time(), index, isOn))
            }
        }
    }

    private mutating func insert(_ uuid: String, on index: Int) async throws {
        try await machines[index].insert(uuid, ["title": .text("t\(count)"), "note": .text("n\(count)")])
        note(Edit(uuid: uuid, attribute: "title", value: "t\(count)", replaced: ""), index)
        note(Edit(uuid: uuid, attribute: "note", value: "n\(count)", replaced: ""), index)
    }

    mutating func noteDeletion(of uuid: String, _ note: StoredObject, _ index: Int) {
        let old = { (name: String) in note[name].textValue ?? "" }
        deleted.insert(uuid)
        // A restored store may have sent the object before: this deletion does not see the clocks of those edits.
        if hardships?.unsent[index]?.contains(uuid) != true {
            deletions.append(
                Deletion(
                    uuid: uuid, machine: index, title: old("title"), note: old("note"), time: time()))
        }
        for name in ["title", "note"] {
            self.note(Edit(uuid: uuid, attribute: name, value: "deleted", replaced: old(name)), index)
        }
    }

    /// Notes an edit of a machine, for the check.
    mutating func note(_ edit: Edit, _ index: Int) {
        var edit = edit
        (edit.machine, edit.time) = (index, time())
        edits.append(edit)
    }

    private func violation() async throws -> String? {
        let lines = try await machines[0].lines()
        for (index, machine) in machines.enumerated() {
            let other = try await machine.lines()
            if other != lines {
                let difference = Set(lines).symmetricDifference(other).sorted().prefix(4)
                return "machine \(index) differs: \(difference)"
            }
        }
        let notes = try await machines[0].notes()
        if let lost = inserted.first(where: { notes[$0] == nil && !deleted.contains($0) }) {
            return "the insert of \(lost) is lost"
        }
        var known = Set(dismissed)
        var names: Set<String>?
        for (index, machine) in machines.enumerated() {
            let conflicts = try await machine.conflicts()
            for conflict in conflicts {
                known.insert("\(conflict.uuid) \(conflict.attribute) \(conflict.value.textValue ?? "")")
            }
            let own = Set(conflicts.map(\.id))
            if let names, own != names {
                return
                    "machine \(index) has other conflicts: \(own.symmetricDifference(names).sorted().prefix(4))"
            }
            names = own
        }
        for edit in edits { known.insert("\(edit.uuid) \(edit.attribute) \(edit.replaced)") }
        for edit in edits where edit.value != "deleted" {
            if hasLostHistory, deleted.contains(edit.uuid) { continue }
            let isCurrent = notes[edit.uuid]?[edit.attribute].textValue == edit.value
            if !isCurrent && !known.contains("\(edit.uuid) \(edit.attribute) \(edit.value)") {
                return "the \(edit.attribute) \(edit.value) of \(edit.uuid) is lost"
            }
        }
        if hasLostHistory { return nil }
        return (hardships == nil ? lostMark(notes) : nil) ?? returnedObject(notes)
    }

    /// An object that a machine deleted exists only if another machine, or a restored store without the deletion, edited
    /// its content, which includes tags, and edits that were undone.
    private func returnedObject(_ notes: [String: StoredObject]) -> String? {
        let tagged = Dictionary(
            grouping: marks.flatMap { key, edits in
                key.hasSuffix(" starred") ? [] : edits.map { (key.prefix { $0 != " " }, $0) }
            }, by: { String($0.0) })
        for deletion in deletions {
            guard let note = notes[deletion.uuid], note["title"].textValue == deletion.title,
                note["note"].textValue == deletion.note,
                tagged[deletion.uuid, default: []].allSatisfy({
                    !deletion.isUnseen(by: $0.1.machine, at: $0.1.time)
                }),
                !edits.contains(where: {
                    $0.uuid == deletion.uuid && deletion.isUnseen(by: $0.machine, at: $0.time)
                        && !$0.replaced.isEmpty
                        && [deletion.title, deletion.note].contains($0.value)
                }),
                !uncertainMarks.contains(where: { $0.hasPrefix(deletion.uuid + " ") })
            else { continue }
            return "the deleted \(deletion.uuid) returned"
        }
        return nil
    }

    /// Stars and tags have no conflicts: an edit wins that is later than all others by more than the skew of the
    /// clocks.
    private func lostMark(_ notes: [String: StoredObject]) -> String? {
        for (key, edits) in marks where !uncertainMarks.contains(key) {
            let parts = key.split(separator: " ").map(String.init)
            guard let note = notes[parts[0]], !deleted.contains(parts[0]), let last = edits.last else {
                continue
            }
            let others = edits.dropLast().filter { $0.machine != last.machine }
            guard others.allSatisfy({ $0.time + 600 < last.time }) else { continue }
            let tags = (note["tags"].textValue ?? "").split(separator: ",").map(String.init)
            let isOn = parts[1] == "starred" ? note["starred"].booleanValue : tags.contains(parts[1])
            if isOn != last.isOn { return "the last edit of \(key) is lost: \(edits.suffix(4))" }
        }
        return nil
    }
}
