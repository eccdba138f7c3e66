public import PersistentStore

/// Code of a program's own in the pass.
///
/// Hooks are given what others did: not what the tracker's contexts did, and not what the hooks themselves save.
/// Each transaction comes at least once; one at which a hook throws comes again, until it is parked. It comes whole, or
/// in pieces numbered by ``PersistentStore/HistoryTransaction/pieceIndex`` when it has more changes than a batch (see
/// ``BatchLimit``; 1,000 without a consumer). What a full refresh skips is reported to ``registerRefreshObserver(_:)``.
///
/// Hooks run on the shared pool of threads: a slow one delays the next pass, but neither reading nor watching.
extension HistoryTracker {
    /// Calls `body` for each group of changes to an entity, of a kind, in a transaction; nil stands for any.
    ///
    /// The groups come in the order of the transactions and, within one, of their first changes; observers in the
    /// order of registration, each awaited.
    @discardableResult
    public func registerObserver(
        entity: String? = nil, kind: HistoryChange.Kind? = nil,
        _ body: @escaping @Sendable (ObservedChanges) async throws -> Void
    ) -> ObserverID {
        observers.add(entity, kind, body)
    }

    /// False when it was not there.
    @discardableResult
    public func removeObserver(_ id: ObserverID) -> Bool {
        observers.remove(id) || refreshObservers.remove(id)
    }

    /// Removes the observers that were registered for just this entity and kind.
    public func removeObservers(entity: String?, kind: HistoryChange.Kind?) { observers.remove(entity, kind) }

    /// Removes the observers of changes and of refreshes.
    public func removeAllObservers() {
        observers.removeAll()
        refreshObservers = RefreshObservers()
    }

    /// Calls `body` when a full refresh replaced a range of transactions, after the consumer and the contexts were
    /// refreshed and before the cursor moves: other hooks do not get these transactions. At least once for each range.
    @discardableResult
    public func registerRefreshObserver(_ body: @escaping @Sendable (SkippedHistory) async -> Void)
        -> ObserverID
    {
        let id = observers.makeID()
        refreshObservers.add(id, body)
        return id
    }

    /// Puts a hook at the end of the row that runs before the tracker's own merge, or before another hook.
    @discardableResult
    public func registerMergeHook(
        before other: MergeHookID? = nil,
        _ body: @escaping @Sendable ([HistoryTransaction], [StoreContext]) async throws -> MergeHookResult
    ) -> MergeHookID {
        mergeHooks.add(before: other, body)
    }

    /// False when it was not there.
    @discardableResult
    public func removeMergeHook(_ id: MergeHookID) -> Bool { mergeHooks.remove(id) }

    public func removeAllMergeHooks() { mergeHooks.removeAll() }
}
