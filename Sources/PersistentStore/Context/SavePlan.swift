/// The order of a save's operations, in which an object follows those to which it refers.
struct SavePlan {
    struct Step {
        let index: Int
        /// Whether the operation refers to new objects.
        var refersToNew = false
        /// The references of a new object to others that follow it, with their temporary keys.
        var deferred: [String: Int64] = [:]
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

    /// Creates a plan: the order of the operations, except that an insertion precedes those that refer to its object.
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
        if try order(operations, dependencies, following: { _ in true }) { return }
        // A cycle is resolved at an optional reference.
        guard try order(operations, dependencies, following: { !$0.isOptional }) else {
            throw .invalidValue(
                attribute: nil, entity: operations[steps.last?.index ?? 0].entity,
                reason: "new objects refer to each other, and none of these references is optional")
        }
    }

    /// Orders the operations depth first. Returns false if a required reference must be deferred.
    private mutating func order(
        _ operations: [SaveRequest.Operation], _ dependencies: [Int: [Dependency]],
        following follows: (AttributeDescription) -> Bool
    ) throws(StoreError) -> Bool {
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
                    for other in dependencies[index] ?? []
                    where follows(other.attribute) && states[other.index] == .new {
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
