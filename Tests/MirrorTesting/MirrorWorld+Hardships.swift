import Foundation
import Mirroring
import PersistentStore
import Synchronization
import TestSupport

/// The events of a history beyond those of machines with a correct clock and their own programs.
struct Hardships: Sendable {
    /// An older state of a machine's store.
    struct Copy {
        let path: String
        let time: Int64
        /// The last exchange that the store knows; nil for none: the edits of a store without the mirror's state have no
        /// times.
        let exchanged: Int64?
        /// The objects with edits since the last exchange: in a copy, those are of another machine, and a deletion that the
        /// copy does not have did not see them.
        let unsent: Set<String>
    }

    private let folder: TemporaryFolder
    /// The milliseconds by which each machine's clock was set forward or back.
    private let steps = ClockSteps()
    /// Whether older copies of stores are restored.
    let restores: Bool
    var copies: [Int: Copy] = [:]
    /// The last exchange that each store knows: a restored one knows none of those after its copy.
    private(set) var exchanged: [Int: Int64] = [:]
    /// The objects with edits that a restored store has not sent again since.
    private(set) var unsent: [Int: Set<String>] = [:]

    private final class ClockSteps: Sendable {
        let values = Mutex<[Int: Int64]>([:])
    }

    init(restores: Bool) throws {
        folder = try TemporaryFolder()
        self.restores = restores
    }

    func path(_ index: Int) -> String { folder.path(of: "\(index).db") }

    func clock(_ index: Int, _ time: @escaping @Sendable () -> Int64) -> @Sendable () -> Int64 {
        { [steps] in time() + steps.values.withLock { $0[index] ?? 0 } }
    }

    mutating func noteExchange(_ index: Int, _ time: Int64) {
        (exchanged[index], unsent[index]) = (time, nil)
    }

    mutating func noteRestored(_ copy: Copy, _ index: Int) {
        (exchanged[index], unsent[index]) = (copy.exchanged, copy.unsent)
    }

    func setClock(of index: Int, to step: Int64) { steps.values.withLock { $0[index] = step } }
}

extension MirrorWorld {
    mutating func meetHardship(_ index: Int) async throws {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: hardships?.setClock(of: index, to: Int64.random(in: -5_000_000...5_000_000, using: &random))
        case 1:
            let (piece, largest) = (
                Int.random(in: 1...3, using: &random), Int.random(in: 100...400, using: &random)
            )
            (relay as? MemoryRelay)?.state.withLock { ($0.piece, $0.largestWhole) = (piece, largest) }
        case 2: try await editExternally(index)
        case 3: try await undo(index)
        case 4: try await dedupe(index)
        default: if hardships?.restores == true { try await copyOrRestore(index) }
        }
    }

    /// Edits an object as the `sqlite3` shell does.
    private mutating func editExternally(_ index: Int) async throws {
        guard let (uuid, note) = try await anyNote(index) else { return }
        count += 1
        try sqlite3(index, "UPDATE Note SET title='title\(count)' WHERE uuid='\(uuid)'")
        let old = note["title"].textValue ?? ""
        self.note(Edit(uuid: uuid, attribute: "title", value: "title\(count)", replaced: old), index)
    }

    private func sqlite3(_ index: Int, _ sql: String) throws {
        let shell = try Shell.run(
            "sqlite3", [machines[index].container.path], input: sql + ";")
        guard shell.errors.isEmpty else { throw ShellError(description: shell.errors) }
    }

    private mutating func anyNote(_ index: Int) async throws -> (String, StoredObject)? {
        let notes = try await machines[index].notes()
        seen[index].formUnion(notes.keys)
        return notes.sorted { $0.key < $1.key }.randomElement(using: &random)
    }

    /// Sets the last value that this machine replaced, if it is still the present one.
    private mutating func undo(_ index: Int) async throws {
        let notes = try await machines[index].notes()
        guard
            let last = edits.last(where: { $0.machine == index && !$0.replaced.isEmpty }),
            notes[last.uuid]?[last.attribute].textValue == last.value
        else { return }
        try await machines[index].update(last.uuid, [last.attribute: .text(last.replaced)])
        note(
            Edit(uuid: last.uuid, attribute: last.attribute, value: last.replaced, replaced: last.value),
            index)
    }

    /// Deletes an object, and adds its note to another one, in one transaction.
    private mutating func dedupe(_ index: Int) async throws {
        guard let (kept, other) = try await anyNote(index), let (removed, extra) = try await anyNote(index),
            kept != removed
        else { return }
        count += 1
        let context = machines[index].container.makeContext(author: "app")
        try await context.update(other.id, ["note": .text("note\(count)")])
        try await context.delete(extra.id)
        try await context.save()
        note(
            Edit(
                uuid: kept, attribute: "note", value: "note\(count)",
                replaced: other["note"].textValue ?? ""), index)
        noteDeletion(of: removed, extra, index)
    }

    /// Copies the store, or restores its copy: what the machine did since then and did not send is lost.
    private mutating func copyOrRestore(_ index: Int) async throws {
        guard let copy = hardships?.copies.removeValue(forKey: index) else {
            let (path, time) = (machines[index].container.path + "-copy", time())
            try await machines[index].container.backUp(to: path, replaces: true)
            let exchanged = hardships?.exchanged[index]
            let sent = exchanged ?? 0
            let tagged = marks.filter { $0.value.contains { $0.machine == index && $0.time > sent } }
            let unsent = edits.filter { $0.machine == index && $0.time > sent }.map(\.uuid)
            hardships?.copies[index] = Hardships.Copy(
                path: path, time: time, exchanged: exchanged,
                unsent: Set(unsent + tagged.keys.map { $0.prefix { $0 != " " } }.map(String.init)))
            return
        }
        try await machines[index].replaceStore(by: copy.path, inPlace: Bool.random(using: &random))
        hardships?.noteRestored(copy, index)
        if copy.exchanged == nil { hasLostHistory = true }
        let known = max(copy.time, lastSync[index] ?? 0)
        let lost = edits.filter { $0.machine == index && $0.time > known }
        edits.removeAll { $0.machine == index && $0.time > known }
        // Those that an attempt may have sent may also remain, and have replaced others.
        dismissed += lost.map { "\($0.uuid) \($0.attribute) \($0.replaced)" }
        inserted.subtract(lost.filter { $0.replaced.isEmpty }.map(\.uuid))
        deletions.removeAll {
            $0.machine == index && $0.time > known || copy.unsent.contains($0.uuid) && $0.time > copy.time
        }
        for position in deletions.indices
        where deletions[position].machine == index && deletions[position].time > copy.time {
            deletions[position].lost = min(deletions[position].lost, time())
        }
    }
}
