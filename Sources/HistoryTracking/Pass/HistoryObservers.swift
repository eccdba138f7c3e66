import PersistentStore

/// An identifier of an observer or of a merge hook, for removing it.
public struct ObserverID: Hashable, Sendable {
    let number: Int
}

/// Read-only hooks per entity and kind.
struct HistoryObservers: Sendable {
    typealias Body = @Sendable (HistoryTransaction) async throws -> Void

    private struct Observer: Sendable {
        let id: ObserverID
        let entity: String?
        let kind: HistoryChange.Kind?
        let body: Body

        func wants(_ group: Group) -> Bool {
            (entity == nil || entity == group.entity) && (kind == nil || kind == group.kind)
        }
    }

    private struct Group: Hashable {
        let entity: String
        let kind: HistoryChange.Kind
    }

    private var observers: [Observer] = []
    private var lastNumber = 0

    var isEmpty: Bool { observers.isEmpty }

    mutating func add(_ entity: String?, _ kind: HistoryChange.Kind?, _ body: @escaping Body) -> ObserverID {
        let id = makeID()
        observers.append(Observer(id: id, entity: entity, kind: kind, body: body))
        return id
    }

    mutating func makeID() -> ObserverID {
        lastNumber += 1
        return ObserverID(number: lastNumber)
    }

    mutating func remove(_ id: ObserverID) -> Bool {
        let count = observers.count
        observers.removeAll { $0.id == id }
        return observers.count < count
    }

    /// Calls the observers with each group, in the order of the groups' first changes; for one group, in the
    /// order of registration.
    nonisolated(nonsending) func observe(_ transaction: HistoryTransaction) async throws {
        for (group, changes) in groups(of: transaction) {
            let observed = transaction.with(changes)
            for observer in observers where observer.wants(group) { try await observer.body(observed) }
        }
    }

    private func groups(of transaction: HistoryTransaction) -> [(Group, [HistoryChange])] {
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

/// Hooks that receive one kind of value and cannot fail, in the order of registration.
struct ValueObservers<Value: Sendable>: Sendable {
    typealias Body = @Sendable (Value) async -> Void

    private var observers: [(id: ObserverID, body: Body)] = []

    var isEmpty: Bool { observers.isEmpty }

    mutating func add(_ id: ObserverID, _ body: @escaping Body) { observers.append((id, body)) }

    mutating func remove(_ id: ObserverID) -> Bool {
        let count = observers.count
        observers.removeAll { $0.id == id }
        return observers.count < count
    }

    nonisolated(nonsending) func observe(_ value: Value) async {
        for observer in observers { await observer.body(value) }
    }
}
