package import PersistentStore

/// Quotes and link checks of clips that another program deleted, such as the sqlite3 shell, which leaves them.
extension ClipStore {
    /// Returns the number of quotes and link checks without a clip.
    package func orphanCount() async throws(StoreError) -> Int {
        try await container.read { snapshot throws(StoreError) in try snapshot.orphans().count }
    }

    /// Deletes the quotes and link checks without a clip.
    package func deleteOrphans() async throws(StoreError) {
        guard try await orphanCount() > 0 else { return }
        _ = try await write { transaction throws(StoreError) in
            for id in try transaction.snapshot.orphans() { try transaction.delete(id) }
        }
    }
}

extension StoreSnapshot {
    /// Returns quotes whose clip does not exist, and link checks likewise.
    ///
    /// In a mirror, a quote may arrive before its clip: there, only the quotes of clips whose deletion is in the history
    /// are without one.
    fileprivate func orphans() throws(StoreError) -> [ObjectID] {
        var orphans: [ObjectID] = []
        var deleted: Set<AttributeValue>?
        if try count(FetchRequest(Self.mirrorZone)) > 0 {
            var found: Set<AttributeValue> = []
            let deletions = ChangePredicate.and([.entity(ClipModel.entity), .kind(.delete)])
            try forEachChange(HistoryFetchRequest(changes: deletions)) {
                (change, _) throws(StoreError) -> Bool in
                if let uuid = change.tombstone?[ClipAttribute.uuid.rawValue] { found.insert(uuid) }
                return true
            }
            deleted = found
        }
        for (entity, reference, identifier) in [
            (Quote.entity, Quote.clip, ClipAttribute.uuid.rawValue), (LinkCheck.entity, LinkCheck.clip, "id"),
        ] {
            var request = FetchRequest(entity, sort: [SortKey("id")], limit: 1000)
            request.attributes = [reference]
            while true {
                let page = try fetch(request)
                guard let last = page.last else { break }
                request.after = position(of: last, in: [SortKey("id")])
                let wanted = page.map { $0[reference] }
                let isCheck = entity == LinkCheck.entity
                var clips = FetchRequest(ClipModel.entity, where: .isOneOf(identifier, wanted))
                clips.attributes = [ClipAttribute.uuid.rawValue]
                let present = Set(
                    try fetch(clips).map { isCheck ? .integer($0.id.key) : $0[.uuid] })
                orphans += page.filter { object in
                    !present.contains(object[reference])
                        && (isCheck || deleted?.contains(object[reference]) ?? true)
                }.map(\.id)
            }
        }
        return orphans
    }

    private static let mirrorZone = "MirrorZone"
}
