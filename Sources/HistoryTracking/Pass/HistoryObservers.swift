import PersistentStore
import Synchronization

/// An identifier of an observer or of a merge hook, for removing it.
public struct ObserverID: Hashable, Sendable {
    private let number: Int
    private static let last = Atomic(0)

    init() { number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// Observers or hooks of one kind, in the order in which they are called.
struct HistoryObservers<Body: Sendable>: Sendable {
    private var observers: [(id: ObserverID, body: Body)] = []

    var isEmpty: Bool { observers.isEmpty }
    var bodies: [Body] { observers.map(\.body) }

    /// Adds an observer before another one; at the end if that one is nil or unknown.
    mutating func add(_ body: Body, before other: ObserverID? = nil) -> ObserverID {
        let id = ObserverID()
        observers.insert((id, body), at: observers.firstIndex { $0.id == other } ?? observers.endIndex)
        return id
    }

    mutating func remove(_ id: ObserverID) -> Bool {
        let count = observers.count
        observers.removeAll { $0.id == id }
        return observers.count < count
    }
}

/// A read-only hook for an entity and a kind; nil is for any.
struct TransactionObserver: Sendable {
    let entity: String?
    let kind: HistoryChange.Kind?
    let body: @Sendable (HistoryTransaction) async throws -> Void

    private struct Group: Hashable {
        let entity: String
        let kind: HistoryChange.Kind
    }

    private func wants(_ group: Group) -> Bool {
        (entity == nil || entity == group.entity) && (kind == nil || kind == group.kind)
    }

    /// Calls the observers with each group of changes, in the order of the groups' first changes; for one group, in the
    /// order of registration.
    nonisolated(nonsending) static func observe(
        _ transaction: HistoryTransaction, with observers: [TransactionObserver]
    ) async throws {
        for (group, changes) in groups(of: transaction) {
            let observed = transaction.with(changes)
            for observer in observers where observer.wants(group) { try await observer.body(observed) }
        }
    }

    private static func groups(of transaction: HistoryTransaction) -> [(Group, [HistoryChange])] {
        var groups: [(Group, [HistoryChange])] = []
        var indices: [Group: Int] = [:]
        for change in transaction.changes {
            let group = Group(entity: change.objectID.entity, kind: change.kind)
            if let index = indices[group] {
                groups[index].1.append(change)
            } else {
                indices[group] = groups.count
                groups.append((group, [change]))
            }
        }
        return groups
    }
}
