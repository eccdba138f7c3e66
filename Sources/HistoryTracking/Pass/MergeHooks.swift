import PersistentStore

/// An identifier of a merge hook, for removing it or for registering another hook before it.
public struct MergeHookID: Hashable, Sendable {
    let number: Int
}

/// The action after a merge hook.
public enum MergeHookResult: Hashable, Sendable {
    /// Run the next hook; after the last one, the tracker's own merge.
    case proceed
    /// Skip the remaining hooks and the tracker's own merge: this hook has merged. The cursor still moves.
    case finish
}

/// A pipeline of hooks that runs before the tracker's own merge, or replaces it.
struct MergeHooks: Sendable {
    typealias Body = @Sendable ([HistoryTransaction], [StoreContext]) async throws -> MergeHookResult

    private var hooks: [(id: MergeHookID, body: Body)] = []
    private var lastNumber = 0

    var isEmpty: Bool { hooks.isEmpty }

    /// Adds a hook before another one; at the end if that one is nil or unknown.
    mutating func add(before other: MergeHookID?, _ body: @escaping Body) -> MergeHookID {
        lastNumber += 1
        let id = MergeHookID(number: lastNumber)
        let index = hooks.firstIndex { $0.id == other } ?? hooks.endIndex
        hooks.insert((id, body), at: index)
        return id
    }

    mutating func remove(_ id: MergeHookID) -> Bool {
        guard let index = hooks.firstIndex(where: { $0.id == id }) else { return false }
        hooks.remove(at: index)
        return true
    }

    mutating func removeAll() { hooks.removeAll() }

    nonisolated(nonsending) func run(
        _ transactions: [HistoryTransaction], _ contexts: [StoreContext]
    ) async throws -> MergeHookResult {
        for hook in hooks where try await hook.body(transactions, contexts) == .finish { return .finish }
        return .proceed
    }
}
