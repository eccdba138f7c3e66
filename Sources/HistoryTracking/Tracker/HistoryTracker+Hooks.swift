public import PersistentStore

/// Hooks: custom code in the pass.
///
/// Hooks receive all transactions except those of the tracker's contexts and those that the hooks save.
/// Delivery is at least once; a transaction at which a hook throws is delivered again until it is parked. It
/// arrives whole, or in pieces of which the last is `HistoryTransaction.isComplete`, if it has more
/// changes than a batch (see ``BatchLimit``; 1,000 without a consumer). ``registerRefreshObserver(_:)``
/// reports the ranges that a full refresh skips.
///
/// Hooks run on the shared pool of threads: a slow one delays the next pass, but neither reading nor
/// watching.
extension HistoryTracker {
    /// Calls `body` for each group of changes of one kind to one entity in a transaction; nil is for any. It gets the
    /// transaction, or its piece, with the changes of the group alone.
    ///
    /// The groups arrive in the order of the transactions and, within one, of their first changes. Observers
    /// run in the order of registration; each is awaited.
    @discardableResult
    public func registerObserver(
        entity: String? = nil, kind: HistoryChange.Kind? = nil,
        _ body: @escaping @Sendable (HistoryTransaction) async throws -> Void
    ) -> ObserverID {
        observers.add(TransactionObserver(entity: entity, kind: kind, body: body))
    }

    /// Removes an observer or a merge hook; returns false if it was not registered.
    @discardableResult
    public func removeObserver(_ id: ObserverID) -> Bool {
        observers.remove(id) || refreshObservers.remove(id) || mergeObservers.remove(id)
            || mergeHooks.remove(id)
    }

    /// Calls `body`, at least once, for each range of transactions that a full refresh replaced.
    ///
    /// The call comes after the consumer and the contexts were refreshed and before the cursor moves. Other
    /// hooks do not receive these transactions.
    @discardableResult
    public func registerRefreshObserver(_ body: @escaping @Sendable (SkippedHistory) async -> Void)
        -> ObserverID
    {
        refreshObservers.add(body)
    }

    /// Calls `body`, at least once, with the net effect of each merge that changed objects of a context, before
    /// the cursor moves.
    ///
    /// After a full refresh, which reads all objects of the contexts again, refresh observers are called
    /// instead.
    @discardableResult
    public func registerMergeObserver(_ body: @escaping @Sendable (MergeResult, StoreContext) async -> Void)
        -> ObserverID
    {
        mergeObservers.add(body)
    }

    /// Adds a hook to the pipeline that runs before the tracker's own merge: before `other`, or at the end.
    @discardableResult
    public func registerMergeHook(
        before other: ObserverID? = nil,
        _ body: @escaping @Sendable ([HistoryTransaction], [StoreContext]) async throws -> MergeHookResult
    ) -> ObserverID {
        mergeHooks.add(body, before: other)
    }
}
