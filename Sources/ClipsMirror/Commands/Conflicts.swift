import ClipsCore
import FoundationEssentials
import Mirroring
import PersistentStore

extension Invocation {
    /// Prints the conflicts, or restores or dismisses one.
    func conflicts() async throws -> Int32 {
        let store = try await openStore()
        // A mirror that was removed may have left some.
        let conflicts = try await store.mirrorConflicts()
        if conflicts.isEmpty { _ = try MirrorSettings(store: try storePath()) }
        if let name = value("--restore") ?? value("--dismiss") {
            guard let conflict = Self.find(name, in: conflicts) else {
                throw Sentence("There is no such conflict. Run 'clips mirror conflicts'.")
            }
            let isRestored = has("--restore")
            if isRestored, conflict.object == nil {
                throw Sentence(
                    "The clip was deleted. Restore it with 'clips restore' first, or dismiss the conflict.")
            }
            _ = try await store.resolve(conflict, restoring: isRestored)
            await store.close()
            remark(isRestored ? "restored the \(conflict.attribute)." : "dismissed the conflict.")
            return 0
        }
        for (index, conflict) in conflicts.enumerated() { try printConflict(conflict, number: index + 1) }
        await store.close()
        if conflicts.isEmpty { remark("there are no conflicts.") }
        return conflicts.isEmpty ? 0 : 1
    }

    private static func find(_ name: String, in conflicts: [MirrorConflict]) -> MirrorConflict? {
        if let number = Int(name) {
            return conflicts.indices.contains(number - 1) ? conflicts[number - 1] : nil
        }
        return conflicts.first { $0.id == name }
    }

    private func printConflict(_ conflict: MirrorConflict, number: Int) throws {
        func text(_ value: AttributeValue) -> String? {
            value.textValue ?? value.integerValue.map { "\($0)" }
        }
        let object = ConflictObject(
            id: conflict.id, clip: conflict.object?.id.key, uuid: conflict.uuid,
            attribute: conflict.attribute,
            current: conflict.current.flatMap(text), lost: text(conflict.value), own: conflict.isOwn,
            machine: conflict.machine, date: conflict.date.formatted(.iso8601))
        if has("--json") {
            try line(json: object)
            return
        }
        let origin = conflict.isOwn ? "this machine" : conflict.machine ?? "another machine"
        line("\(number)  \(conflict.attribute) of \(object.clip.map { "clip \($0)" } ?? "a deleted clip")")
        line("   now:  \(object.current ?? "")")
        line("   lost: \(object.lost ?? "") (by \(origin), \(object.date))")
    }
}

/// A line of `clips mirror conflicts --json`.
private struct ConflictObject: Encodable {
    let id: String
    let clip: Int64?
    let uuid: String
    let attribute: String
    let current: String?
    let lost: String?
    let own: Bool
    let machine: String?
    let date: String
}
