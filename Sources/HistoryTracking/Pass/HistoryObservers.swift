public import PersistentStore

/// Tells of an observer when it is to be removed.
public struct ObserverID: Hashable, Sendable {
    let number: Int
}

/// What an observer is told: the changes of one kind to one entity in one transaction, in order.
public struct ObservedChanges: Sendable {
    public let entity: String
    public let kind: HistoryChange.Kind
    public let changes: [HistoryChange]
    /// The transaction, whole or the piece that the changes are in: author, context name, process, time, token,
    /// index of the piece.
    public let transaction: HistoryTransaction
}

/// Read-only hooks per entity and kind.
struct HistoryObservers: Sendable {
    typealias Body = @Sendable (ObservedChanges) async throws -> Void

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

    mutating func removeAll() { observers.removeAll() }

    mutating func remove(_ id: ObserverID) -> Bool {
        let count = observers.count
        observers.removeAll { $0.id == id }
        return observers.count < count
    }

    mutating func remove(_ entity: String?, _ kind: HistoryChange.Kind?) {
        observers.removeAll { $0.entity == entity && $0.kind == kind }
    }

    /// The groups come in the order in which their first changes stand in the transaction, and to each observer
    /// in the order of registration.
    nonisolated(nonsending) func observe(_ transaction: HistoryTransaction) async throws {
        for (group, changes) in groups(of: transaction) {
            let observed = ObservedChanges(
                entity: group.entity, kind: group.kind, changes: changes, transaction: transaction)
            for observer in observers where observer.wants(group) { try await observer.body(observed) }
        }
    }

    private func groups(of transaction: HistoryTransaction) -> [(Group, [HistoryChange])] {
        var groups: [(Group, [HistoryChange])] = []
        var places: [Group: Int] = [:]
        for change in transaction.changes {
            let group = Group(entity: change.objectID.entity, kind: change.kind)
            if let place = places[group] {
                groups[place].1.append(change)
            } else {
                places[group] = groups.count
                groups.append((group, [change]))
            }
        }
        return groups
    }
}

/// Hooks for ranges of the history whose transactions no hook gets.
struct RefreshObservers: Sendable {
    typealias Body = @Sendable (SkippedHistory) async -> Void

    private var observers: [(id: ObserverID, body: Body)] = []

    var isEmpty: Bool { observers.isEmpty }

    mutating func add(_ id: ObserverID, _ body: @escaping Body) { observers.append((id, body)) }

    mutating func remove(_ id: ObserverID) -> Bool {
        let count = observers.count
        observers.removeAll { $0.id == id }
        return observers.count < count
    }

    nonisolated(nonsending) func observe(_ skipped: SkippedHistory) async {
        for observer in observers { await observer.body(skipped) }
    }
}
