package import Mirroring
package import PersistentStore

/// Values that lost to an edit on another machine.
extension ClipStore {
    // The zone is part of the consumer's name only.
    private var mirrored: MirrorConfiguration { ClipModel.mirrored(zone: "") }

    /// Returns the conflicts, oldest first.
    package func mirrorConflicts() async throws(MirrorError) -> [MirrorConflict] {
        try await mirrored.conflicts(in: container)
    }

    /// Restores the losing value of a conflict, or dismisses it.
    package func resolve(_ conflict: MirrorConflict, restoring: Bool) async throws(StoreError) -> SaveResult {
        let context = makeContext(name: "conflict")
        if restoring, let object = conflict.object {
            try await context.update(object.id, stamped([:]), onVersion: object.version)
        }
        let result = try await mirrored.resolve(conflict, restoring: restoring, in: context)
        await correctReport()
        return result
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
