package import PersistentStore

/// Putting all records again after the key of the relay was changed, a few at a time when no other record waits. The
/// progress is a row of the record map, so that a process that is killed repeats a few.
extension Mirror {
    private static var pieceSize: Int { 256 }

    /// Lets the next records wait to be put again.
    ///
    /// - Returns: Whether there were any.
    func sealSome() async throws(MirrorError) -> Bool {
        if let keyed = engine.keyed, keyed.mustSeal {
            try await configuration.beginSealing(in: container)
            try keyed.noteSealing()
        }
        let work = try await read { snapshot throws(StoreError) -> (MapRow, [MapRow])? in
            guard let job = try snapshot.fetch(MapRow.request(.toSeal, limit: 1)).first.map(MapRow.init)
            else {
                return nil
            }
            let request = FetchRequest(
                MirrorNames.record, where: .compare("id", .greater, .integer(job.revision)),
                sort: [SortKey("id")], limit: Self.pieceSize)
            return (job, MapRow.rows(of: try snapshot.fetch(request)))
        }
        guard var (job, rows) = work else { return false }
        let last = rows.last?.id?.key
        if let last { job.revision = last }
        rows.removeAll { $0.revision == 0 || $0.waiting != .none || !$0.isRecord }
        for index in rows.indices { rows[index].waiting = .toPut }
        let (progress, waiting) = (job, rows)
        do throws(MirrorError) {
            try await save { transaction throws(StoreError) in
                for row in waiting { try row.save(in: &transaction, withState: false) }
                if last == nil {
                    try progress.remove(in: &transaction)
                } else {
                    try progress.save(in: &transaction, withState: false)
                }
            }
        } catch .store(.conflict) {
            // Another process edited an object, or resolved a conflict, since then.
        }
        return true
    }
}

extension MirrorConfiguration {
    /// Lets all records wait to be put again, here or in the process that mirrors the store.
    nonisolated(nonsending) package func beginSealing(
        in container: PersistentContainer
    ) async throws(MirrorError) {
        let name = MapRow.name(MirrorNames.sealing, zone)
        do throws(StoreError) {
            try await container.write(author: Self.author, name: "state") {
                transaction throws(StoreError) in
                var job = try transaction.snapshot.mapRows([name])[name] ?? MapRow(name: name)
                (job.revision, job.waiting) = (0, .toSeal)
                try job.save(in: &transaction)
            }
        } catch {
            throw .store(error)
        }
    }
}
