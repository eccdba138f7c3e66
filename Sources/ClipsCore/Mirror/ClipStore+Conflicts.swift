package import Mirroring
package import PersistentStore

/// Values that lost to an edit on another machine, and the machines.
extension ClipStore {
    // The zone is part of the consumer's name only.
    private var mirrored: MirrorConfiguration { ClipModel.mirrored(zone: "") }

    /// Returns the conflicts, oldest first.
    package func mirrorConflicts() async throws(MirrorError) -> [MirrorConflict] {
        try await mirrored.conflicts(in: container)
    }

    /// Returns the machines of the mirror, the one seen last first.
    package func mirrorMachines() async throws(MirrorError) -> [MirrorMachine] {
        try await mirrored.machines(in: container)
    }

    /// Restores the losing value of a conflict, or dismisses it.
    package func resolve(_ conflict: MirrorConflict, restoring: Bool) async throws(StoreError)
        -> HistoryToken?
    {
        let (mirrored, updated) = (mirrored, stamped([String: AttributeValue]()))
        let written = try await write(work: "conflict") { transaction throws(StoreError) in
            try mirrored.resolve(conflict, restoring: restoring, in: &transaction)
            if restoring, let object = conflict.object { try transaction.set(updated, of: object.id) }
        }
        await correctReport()
        return written.token
    }

    /// Corrects the report of a mirror that is not running. A running one counts after each commit.
    private func correctReport() async {
        guard var report = MirrorReport(store: path), !report.isCurrent,
            let count = try? await mirrorConflicts().count
        else { return }
        report.conflicts = count
        try? report.write(store: path)
    }
}
