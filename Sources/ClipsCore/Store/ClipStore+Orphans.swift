package import PersistentStore
import Synchronization

/// Quotes and link checks of clips that another program deleted, such as the sqlite3 shell, which leaves them.
extension ClipStore {
    /// Returns the number of quotes and link checks without a clip.
    package func orphanCount() async throws(StoreError) -> Int {
        try await container.read { snapshot throws(StoreError) in try snapshot.orphans().count }
    }

    /// Deletes the quotes and link checks without a clip, which undo does not restore.
    package func deleteOrphans() async throws(StoreError) {
        let orphans = try await container.read { snapshot throws(StoreError) in try snapshot.orphans() }
        guard !orphans.isEmpty else { return }
        _ = try await inParts(orphans, work: UndoHistory.repairingContext) {
            transaction, part throws(StoreError) in
            for (entity, ids) in Dictionary(grouping: part, by: \.entity) {
                // Another process may have restored a clip since.
                let request = FetchRequest(entity, where: .keys(ids.map(\.key)))
                for object in try transaction.snapshot.withoutClip(request).orphans {
                    try transaction.delete(object.id)
                }
            }
            return [ObjectID]()
        }
    }
}

/// Deletes the quotes and link checks of the clips that other programs delete while this one follows the history.
package final class OrphanRemoval: Sendable {
    private struct State {
        var isRunning = false
        var isRequested = false
        /// Whether a removal failed, for example since the store was busy; the next commit repeats it.
        var isOwed = false
        var isFollowing = false
    }

    private let store: ClipStore
    private let state = Mutex(State())

    package init(in store: ClipStore) { self.store = store }

    /// Begins a removal if one of the transactions is a deletion of a clip by an external writer.
    func begin(after transactions: [HistoryTransaction]) {
        guard state.withLock(\.isOwed) || transactions.contains(where: \.mayLeaveOrphans) else { return }
        begin()
    }

    /// Begins a removal after commits that were not delivered one by one: after each refresh except the first.
    func beginAfterRefresh() {
        let isFirst = state.withLock { state in
            defer { state.isFollowing = true }
            return !state.isFollowing
        }
        if !isFirst { begin() }
    }

    private func begin() {
        let begins = state.withLock { state in
            defer { (state.isRunning, state.isRequested, state.isOwed) = (true, true, false) }
            return !state.isRunning
        }
        if begins { Task { await run() } }
    }

    private func run() async {
        while state.withLock({ state in
            defer { (state.isRunning, state.isRequested) = (state.isRequested, false) }
            return state.isRequested
        }) {
            do {
                try await store.deleteOrphans()
            } catch {
                state.withLock { $0.isOwed = true }
            }
        }
    }

    /// Removes those of deletions after a position, and returns the next position.
    ///
    /// - Parameter position: nil for all.
    package func run(after position: HistoryToken?) async throws(StoreError) -> HistoryToken {
        let (isNeeded, newest) = try await store.container.read { snapshot throws(StoreError) in
            let newest = try snapshot.newestToken()
            guard let position else { return (true, newest) }
            do throws(StoreError) {
                let request = HistoryFetchRequest(
                    .after(position), where: .author(nil),
                    changes: .and([.entity(ClipModel.entity), .kind(.delete)]), limit: 1)
                return (try !snapshot.transactions(request).isEmpty, newest)
            } catch .tokenExpired {
                return (true, newest)
            }
        }
        if isNeeded { try await store.deleteOrphans() }
        return newest
    }
}

extension HistoryTransaction {
    fileprivate var mayLeaveOrphans: Bool {
        author == nil && changes.contains { $0.kind == .delete && $0.objectID.entity == ClipModel.entity }
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
        for entity in [Quote.entity, LinkCheck.entity] {
            var request = FetchRequest(entity, sort: [SortKey("id")], limit: 1000)
            while true {
                let page = try withoutClip(request)
                guard let last = page.last else { break }
                request.after = position(of: last, in: [SortKey("id")])
                orphans += page.orphans.filter { object in
                    entity == LinkCheck.entity || deleted?.contains(object[Quote.clip]) ?? true
                }.map(\.id)
            }
        }
        return orphans
    }

    /// Returns the objects of a request whose clip does not exist, and the last of all.
    fileprivate func withoutClip(
        _ request: FetchRequest
    ) throws(StoreError) -> (orphans: [StoredObject], last: StoredObject?) {
        let isCheck = request.entity == LinkCheck.entity
        let reference = isCheck ? LinkCheck.clip : Quote.clip
        var request = request
        request.attributes = [reference]
        let page = try fetch(request)
        let name = isCheck ? "id" : ClipAttribute.uuid.rawValue
        let clips = FetchRequest(clips: .isOneOf(name, page.map { $0[reference] }), [.uuid])
        let present = Set(try fetch(clips).map { isCheck ? .integer($0.id.key) : $0[.uuid] })
        return (page.filter { !present.contains($0[reference]) }, page.last)
    }

    private static let mirrorZone = "MirrorZone"
}
