package import PersistentStore

/// The clips that an empty list does not show.
package struct HiddenClips: Hashable, Sendable {
    package var archived: Int
    /// Whether a clip that was deleted lately has not returned.
    package var hasDeleted: Bool

    package init(archived: Int = 0, hasDeleted: Bool = false) {
        (self.archived, self.hasDeleted) = (archived, hasDeleted)
    }
}

extension ClipStore {
    package func hiddenClips() async throws(StoreError) -> HiddenClips {
        try await container.read { snapshot throws(StoreError) in
            let archived = FetchRequest(ClipModel.entity, where: .not(ClipModel.notArchived))
            let deletion = HistoryFetchRequest(
                .newest, changes: .and([.entity(ClipModel.entity), .kind(.delete)]), limit: 100)
            var deleted: Set<Int64> = []
            func lacksSome() throws(StoreError) -> Bool {
                let present = FetchRequest(ClipModel.entity, where: .keys(Array(deleted)))
                return try snapshot.count(present) < deleted.count
            }
            try snapshot.forEachChange(deletion) { change, _ throws(StoreError) in
                deleted.insert(change.objectID.key)
                guard deleted.count == 1000 else { return true }
                if try lacksSome() { return false }
                deleted = []
                return true
            }
            return HiddenClips(
                archived: try snapshot.count(archived),
                hasDeleted: try lacksSome())
        }
    }
}
