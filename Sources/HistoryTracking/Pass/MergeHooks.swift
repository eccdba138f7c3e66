import PersistentStore

/// Tells of a merge hook when it is to be removed, or another put before it.
public struct MergeHookID: Hashable, Sendable {
    let number: Int
}

/// What follows after a merge hook.
public enum MergeHookResult: Hashable, Sendable {
    /// The next hook, and after the last the tracker's own merge.
    case goOn
    /// Nothing: this hook has merged. The cursor moves all the same.
    case finish
}

/// What a program does instead of, or before, the tracker's own merge, one hook after the other.
struct MergeHooks: Sendable {
    typealias Body = @Sendable ([HistoryTransaction], [StoreContext]) async throws -> MergeHookResult

    private var hooks: [(id: MergeHookID, body: Body)] = []
    private var lastNumber = 0

    var isEmpty: Bool { hooks.isEmpty }

    /// At the end, or before another; an unknown one stands for the end.
    mutating func add(before other: MergeHookID?, _ body: @escaping Body) -> MergeHookID {
        lastNumber += 1
        let id = MergeHookID(number: lastNumber)
        let place = hooks.firstIndex { $0.id == other } ?? hooks.endIndex
        hooks.insert((id, body), at: place)
        return id
    }

    mutating func remove(_ id: MergeHookID) -> Bool {
        guard let place = hooks.firstIndex(where: { $0.id == id }) else { return false }
        hooks.remove(at: place)
        return true
    }

    mutating func removeAll() { hooks.removeAll() }

    nonisolated(nonsending) func run(
        _ transactions: [HistoryTransaction], _ contexts: [StoreContext]
    ) async throws -> MergeHookResult {
        for hook in hooks where try await hook.body(transactions, contexts) == .finish { return .finish }
        return .goOn
    }
}
