import Platform

/// The work that a context commits.
enum SaveRequest {
    enum Operation: Sendable {
        case insert(temporary: ObjectID, values: [String: AttributeValue])
        case update(ObjectID, changes: [String: AttributeValue], ChangeBasis)
        case delete(ObjectID, ChangeBasis)

        var entity: String {
            switch self {
            case .insert(let id, _), .update(let id, _, _), .delete(let id, _): id.entity
            }
        }
    }
}

/// The result of a save.
public struct SaveResult: Sendable {
    /// The position of the new transaction; nil if nothing changed.
    package let token: HistoryToken?
    /// The permanent IDs of inserted objects, by their temporary ones.
    package let insertedIDs: [ObjectID: ObjectID]
    /// The conflicts that the context's merge policy resolved.
    public var resolvedConflicts: [SaveConflict] { outcomes.compactMap(\.conflict) }
    let outcomes: [SaveOutcome]

    init(_ operations: [SaveRequest.Operation], _ written: Written<[SaveOutcome]>) {
        (token, outcomes) = (written.token, written.value)
        let inserted = zip(operations, outcomes).compactMap { operation, outcome in
            if case .insert = operation { (outcome.requestedID, outcome.id) } else { nil }
        }
        insertedIDs = Dictionary(inserted) { $1 }
    }

    /// The objects that the save deleted, including those that a rule of deletion deleted; others did not exist.
    package var deletedIDs: [ObjectID] {
        outcomes.filter { $0.isWritten && $0.object == nil }.map(\.id)
    }

    /// Returns the permanent ID of an object.
    public func permanentID(_ id: ObjectID) -> ObjectID { insertedIDs[id] ?? id }
}

/// Counts alone: a log of the program must not contain the values of its users.
extension SaveResult: CustomStringConvertible {
    public var description: String {
        let saved = outcomes.filter(\.isWritten).count
        return "\(saved) saved, of which \(insertedIDs.count) inserted and \(deletedIDs.count) deleted; "
            + "\(resolvedConflicts.count) conflicts resolved"
    }
}

/// The result of a save for one object.
struct SaveOutcome: Sendable {
    /// The ID with which the change was requested; temporary for a new object.
    let requestedID: ObjectID
    let id: ObjectID
    /// The state on which the saved change was made.
    let basis: ChangeBasis
    /// The object after the save; nil if it was deleted.
    var object: StoredObject?
    /// Whether the save certainly changed the object in the store.
    var isWritten = false
    /// The conflict that the context's merge policy resolved.
    var conflict: SaveConflict?
    /// Whether a rule of deletion changed the object.
    var isAction = false

    /// Returns the basis of a change that was made during the save. Its author had not seen the other side of
    /// a conflict, so the conflict remains.
    func basis(after requested: ChangeBasis) -> ChangeBasis {
        guard requestedID != id || requested.version == basis.version else { return requested }
        guard let conflict else { return ChangeBasis(object) }
        return ChangeBasis(version: basis.version, object: conflict.mine)
    }
}

/// The state of an object on which a change was made.
struct ChangeBasis: Sendable {
    /// The version of the object; nil applies the change to any version.
    var version: Int64?
    /// The object; nil if that version was not read through this context.
    var object: StoredObject?
    /// Whether the object has the values of the store: those of a record may be converted or unsaved.
    var isAsStored = true

    init(version: Int64?, object: StoredObject?) {
        self.version = version
        self.object = object
    }

    init(_ object: StoredObject?) { self.init(version: object?.version, object: object) }

    init(ofRecord object: StoredObject) {
        self.init(object)
        isAsStored = false
    }
}

/// The order of a save's operations, in which an object follows those to which it refers.
struct SavePlan {
    struct Step {
        let index: Int
        /// Whether the operation refers to new objects.
        var refersToNew = false
        /// The references of a new object to others that follow it, with their temporary keys.
        var deferred: [String: Int64] = [:]
        /// Whether the step only sets these references.
        var isDeferredPart = false
    }

    private(set) var steps: [Step] = []
    /// Whether operations refer to new objects.
    private(set) var hasReferences = false

    /// A reference of an operation to an object that another one inserts.
    private struct Dependency {
        let attribute: AttributeDescription
        let key: Int64
        let index: Int
    }

    /// Creates a plan: the order of the operations, except that one that refers to a new object follows its insertion.
    ///
    /// - Throws: ``StoreError/invalidValue(attribute:entity:reason:)`` if new objects refer to each other, and none of
    ///   these references can be null until the other object is inserted.
    init(_ operations: [SaveRequest.Operation], _ model: StoreModel) throws(StoreError) {
        var dependencies: [Int: [Dependency]] = [:]
        let references = model.entities.map { ($0.name, $0.attributes.filter { $0.reference != nil }) }
        let attributes = Dictionary(references.filter { !$1.isEmpty }) { $1 }
        if !attributes.isEmpty {
            var insertions: [Int64: Int] = [:]
            for (index, operation) in operations.enumerated() {
                if case .insert(let id, _) = operation, !id.isPermanent { insertions[id.key] = index }
            }
            for (index, operation) in operations.enumerated() {
                for attribute in attributes[operation.entity] ?? [] {
                    guard case .integer(let key)? = operation.values[attribute.name],
                        let other = insertions[key], operations[other].entity == attribute.reference?.entity
                    else { continue }
                    dependencies[index, default: []].append(
                        Dependency(attribute: attribute, key: key, index: other))
                }
            }
        }
        guard !dependencies.isEmpty else {
            steps = operations.indices.map { Step(index: $0) }
            return
        }
        hasReferences = true
        // A cycle is resolved at an optional reference.
        guard
            order(operations, dependencies, following: { _ in true })
                || order(operations, dependencies, following: { !$0.isOptional })
        else {
            throw .invalidValue(
                attribute: nil, entity: operations[steps.last?.index ?? 0].entity,
                reason: "new objects refer to each other, and none of these references is optional")
        }
        delayReferrers(dependencies, deletions(operations, attributes, dependencies), operations)
    }

    /// Returns the operations that a deletion follows, by its index: those before it that refer to its object, and changes
    /// that may move an object out of reach of its rules.
    private func deletions(
        _ operations: [SaveRequest.Operation], _ attributes: [String: [AttributeDescription]],
        _ dependencies: [Int: [Dependency]]
    ) -> [Int: [Int]] {
        var deletions: [String: [Int64: Int]] = [:]
        for (index, operation) in operations.enumerated() {
            if case .delete(let id, _) = operation { deletions[id.entity, default: [:]][id.key] = index }
        }
        guard !deletions.isEmpty else { return [:] }
        var referrers: [Int: [Int]] = [:]
        // The changes since the last deletion, and that deletion if it follows any.
        var moves: [Int] = []
        for (index, operation) in operations.enumerated() {
            if case .delete = operation, !moves.isEmpty {
                referrers[index, default: []] += moves
                moves = [index]
            }
            for attribute in attributes[operation.entity] ?? [] {
                guard let reference = attribute.reference, let value = operation.values[attribute.name] else {
                    continue
                }
                if case .integer(let key) = value, let deletion = deletions[reference.entity]?[key],
                    index < deletion
                {
                    referrers[deletion, default: []].append(index)
                }
                if case .update = operation, reference.rule == .cascade, dependencies[index] != nil {
                    moves.append(index)
                }
            }
        }
        return referrers
    }

    /// Restores the order of the operations, except that each one follows those on which it depends. An insertion is not
    /// moved before an operation that may free its unique value: it follows a deletion that waits, unless one waits for it.
    /// Deferred references are set as soon as the other objects exist, so that a later deletion finds them.
    private mutating func delayReferrers(
        _ dependencies: [Int: [Dependency]], _ deletions: [Int: [Int]], _ operations: [SaveRequest.Operation]
    ) {
        let sorted = steps.sorted { $0.index < $1.index }
        // An operation has the complement of its index, and its deferred part the index: the greatest is the next.
        var missing: [Int: Int] = [:]
        var followers: [Int: [Int]] = [:]
        func follow(_ target: Int, _ part: Int) {
            missing[part, default: 0] += 1
            followers[~target, default: []].append(part)
        }
        for step in sorted {
            for other in dependencies[step.index] ?? [] {
                follow(other.index, step.deferred[other.attribute.name] == nil ? ~step.index : step.index)
            }
            if !step.deferred.isEmpty { follow(step.index, step.index) }
            for referrer in deletions[step.index] ?? [] { follow(referrer, ~step.index) }
        }
        if !deletions.isEmpty {
            var awaited: Set<Int> = []
            var stack = deletions.values.flatMap(\.self)
            while let index = stack.popLast() {
                guard awaited.insert(index).inserted else { continue }
                stack += (dependencies[index] ?? []).map(\.index) + (deletions[index] ?? [])
            }
            var last: [String: Int] = [:]
            for (index, operation) in operations.enumerated() {
                switch operation {
                case .insert where !awaited.contains(index), .delete:
                    if let deletion = last[operation.entity] { follow(deletion, ~index) }
                    if case .delete = operation { last[operation.entity] = index }
                default: break
                }
            }
        }
        var ready = Heap(sorted.indices.map { ~$0 }.filter { missing[$0] == nil })
        steps = []
        while let part = ready.max {
            ready.removeMax()
            steps.append(sorted[part < 0 ? ~part : part])
            steps[steps.count - 1].isDeferredPart = part >= 0
            for follower in followers[part] ?? [] {
                missing[follower, default: 0] -= 1
                if missing[follower] == 0 { ready.insert(follower) }
            }
        }
    }

    /// Orders the operations depth first. Returns false if a required reference must be deferred.
    private mutating func order(
        _ operations: [SaveRequest.Operation], _ dependencies: [Int: [Dependency]],
        following follows: (AttributeDescription) -> Bool
    ) -> Bool {
        enum State { case new, begun, done }
        var states = Array(repeating: State.new, count: operations.count)
        steps = []
        for start in operations.indices {
            // In a loop, since a chain of objects may be as long as the save.
            var stack = [start]
            while let index = stack.last {
                switch states[index] {
                case .done: stack.removeLast()
                case .new:
                    states[index] = .begun
                    // No operation refers to a change, which can wait for each object.
                    let isChange = if case .update = operations[index] { true } else { false }
                    for other in dependencies[index] ?? []
                    where (isChange || follows(other.attribute)) && states[other.index] == .new {
                        stack.append(other.index)
                    }
                case .begun:
                    stack.removeLast()
                    states[index] = .done
                    var step = Step(index: index, refersToNew: dependencies[index] != nil)
                    for other in dependencies[index] ?? []
                    where states[other.index] != .done || other.index == index {
                        guard other.attribute.isOptional else {
                            steps.append(step)
                            return false
                        }
                        step.deferred[other.attribute.name] = other.key
                    }
                    steps.append(step)
                }
            }
        }
        return true
    }
}

extension SaveRequest.Operation {
    /// The values that the operation sets.
    var values: [String: AttributeValue] {
        switch self {
        case .insert(_, let values), .update(_, let values, _): values
        case .delete: [:]
        }
    }

    /// Returns the operation with other values.
    func setting(_ values: [String: AttributeValue]) -> SaveRequest.Operation {
        switch self {
        case .insert(let id, _): .insert(temporary: id, values: values)
        case .update(let id, _, let basis): .update(id, changes: values, basis)
        case .delete: self
        }
    }
}

extension [String: AttributeValue] {
    /// Returns the values with the permanent keys of objects to which they refer. No other value is a temporary key.
    func translated(_ keys: [Int64: Int64]) -> [String: AttributeValue] {
        guard !keys.isEmpty else { return self }
        return mapValues { value in
            if case .integer(let key) = value, let permanent = keys[key] {
                .integer(permanent)
            } else {
                value
            }
        }
    }
}

/// Temporary IDs of objects that a context has saved.
extension StoreModel {
    private func hasReferences(_ entity: String) -> Bool {
        self.entity(entity)?.attributes.contains { $0.reference != nil } ?? false
    }

    /// Returns values with the permanent keys of the objects to which they refer.
    func translated(
        _ values: [String: AttributeValue], of entity: String, _ keys: [Int64: Int64]
    ) -> [String: AttributeValue] {
        hasReferences(entity) ? values.translated(keys) : values
    }

    /// Returns the predicate of a request with the permanent keys of objects to which attributes refer.
    func translated(_ request: FetchRequest, _ keys: [Int64: Int64]) -> ObjectPredicate? {
        hasReferences(request.entity) ? request.predicate?.translated(keys) : request.predicate
    }
}

extension ObjectPredicate {
    fileprivate func translated(_ keys: [Int64: Int64], level: Int = 0) -> ObjectPredicate {
        // Beyond the greatest depth that a fetch accepts.
        guard !keys.isEmpty, level < 100 else { return self }
        func translated(_ value: AttributeValue) -> AttributeValue {
            ["": value].translated(keys)[""] ?? value
        }
        return switch self {
        case .compare(let name, let comparison, let value): .compare(name, comparison, translated(value))
        case .isOneOf(let name, let values): .isOneOf(name, values.map(translated))
        case .and(let parts): .and(parts.map { $0.translated(keys, level: level + 1) })
        case .or(let parts): .or(parts.map { $0.translated(keys, level: level + 1) })
        case .not(let part): .not(part.translated(keys, level: level + 1))
        default: self
        }
    }
}
