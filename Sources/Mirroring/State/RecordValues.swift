import PersistentStore

/// The values of a record in an object, and those of an object in a record.
struct RecordValues: Sendable {
    let mirrored: MirroredEntity
    /// The mirrored attributes, without the identifier.
    let names: [String]
    /// The values that the object stores; any other is retained in the record map.
    private let columns: NamedValues<Column>
    /// The values of attributes that a record may lack, since a machine with an older model sends none.
    private let required: [(name: String, value: AttributeValue)]

    private struct Column {
        let kind: AttributeDescription.Kind
        let isOptional: Bool
        /// Whether a value of the record is that of the attribute, unlike those of sets.
        let isStored: Bool
    }

    /// Returns those of all mirrored entities by name.
    static func all(_ configuration: MirrorConfiguration, _ model: StoreModel) -> [String: RecordValues] {
        configuration.mirrored.reduce(into: [:]) { values, mirrored in
            values[mirrored.name] = model.entity(mirrored.name).map { RecordValues(mirrored, $0) }
        }
    }

    private init(_ mirrored: MirroredEntity, _ entity: EntityDescription) {
        self.mirrored = mirrored
        let names = entity.attributes.map(\.name).filter(mirrored.isMirrored).sorted()
        self.names = names
        columns = NamedValues(
            entity.attributes.map { attribute in
                let isStored = names.contains(attribute.name) && mirrored.sets[attribute.name] == nil
                return (
                    attribute.name,
                    Column(kind: attribute.kind, isOptional: attribute.isOptional, isStored: isStored)
                )
            })
        required = entity.attributes.filter { !$0.isOptional && $0.defaultValue == .none }.map { attribute in
            switch attribute.kind {
            case .integer: (attribute.name, .integer(0))
            case .real: (attribute.name, .real(0))
            case .text: (attribute.name, .text(""))
            case .blob: (attribute.name, .blob([]))
            }
        }
    }

    func isMirrored(_ name: String) -> Bool { mirrored.isMirrored(name) }

    /// Returns the elements of an object's sets.
    func members(of object: StoredObject) -> [String: [String]] {
        mirrored.sets.keys.reduce(into: [:]) { members, set in
            if isMirrored(set) { members[set] = mirrored.members(of: set, in: object[set].textValue ?? "") }
        }
    }

    /// Returns the sets whose elements are in another order than on the other machines, in that order.
    func order(of state: RecordState, in object: StoredObject) -> [String: AttributeValue] {
        var changes: [String: AttributeValue] = [:]
        for (set, separator) in mirrored.sets where isMirrored(set) && state.elements[set] != nil {
            let members = state.members(of: set)
            let present = mirrored.members(of: set, in: object[set].textValue ?? "")
            if members != present, Set(members) == Set(present) {
                changes[set] = .text(members.joined(separator: String(separator)))
            }
        }
        return changes
    }

    private func stores(_ name: String, _ value: RecordValue?) -> Bool {
        guard let column = columns[name], column.isStored else { return false }
        return switch value {
        case nil: true
        case .known(.null): column.isOptional
        case .known(.integer): column.kind == .integer
        case .known(.real): column.kind == .real
        case .known(.text): column.kind == .text
        case .known(.blob): column.kind == .blob
        case .other: false
        }
    }

    /// Returns a state with the values of the object.
    func filled(_ state: RecordState, from object: StoredObject?) -> RecordState {
        guard let object else { return state }
        var state = state
        state.attributes.update { name, entry in
            if entry.value == nil, columns[name] != nil { entry.value = .known(object[name]) }
        }
        return state
    }

    /// Returns a state without the values that the object stores.
    func stripped(_ state: RecordState) -> RecordState {
        var state = state
        state.attributes.update { name, entry in if stores(name, entry.value) { entry.value = nil } }
        return state
    }

    /// Returns the values that the object must get.
    func changes(to state: RecordState, of object: StoredObject?) -> [String: AttributeValue] {
        var changes: [String: AttributeValue] = [:]
        // Also for the identifier, and for sets.
        changes.reserveCapacity(state.attributes.count + 4)
        for entry in state.attributes {
            let name = entry.key
            if case .known(let value)? = entry.value.value, stores(name, entry.value.value),
                object?[name] != value
            {
                changes[name] = value
            }
        }
        for (set, separator) in mirrored.sets where isMirrored(set) && state.elements[set] != nil {
            let members = state.members(of: set)
            let present = mirrored.members(of: set, in: object?[set].textValue ?? "")
            if object == nil || members != present {
                changes[set] = .text(members.joined(separator: String(separator)))
            }
        }
        guard object == nil else { return changes }
        for (name, value) in required where changes[name] == nil { changes[name] = value }
        return changes
    }
}
