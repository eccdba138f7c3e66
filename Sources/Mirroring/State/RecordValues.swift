import PersistentStore

/// The values of a record in an object, and those of an object in a record.
struct RecordValues: Sendable {
    let mirrored: MirroredEntity
    private let entity: EntityDescription

    init?(_ name: String, _ configuration: MirrorConfiguration, _ model: StoreModel) {
        guard let mirrored = configuration.entity(name), let entity = model.entity(name) else { return nil }
        self.mirrored = mirrored
        self.entity = entity
    }

    /// The mirrored attributes, without the identifier.
    var names: [String] { entity.attributes.map(\.name).filter(isMirrored) }

    func isMirrored(_ name: String) -> Bool {
        name != mirrored.identifier && !mirrored.excluded.contains(name)
    }

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

    /// Whether the object stores the value of an attribute; any other is retained in the record map.
    private func stores(_ name: String, _ value: RecordValue?) -> Bool {
        guard isMirrored(name), mirrored.sets[name] == nil, let attribute = entity.attribute(name) else {
            return false
        }
        return switch value {
        case nil: true
        case .known(.null): attribute.isOptional
        case .known(.integer): attribute.kind == .integer
        case .known(.real): attribute.kind == .real
        case .known(.text): attribute.kind == .text
        case .known(.blob): attribute.kind == .blob
        case .other: false
        }
    }

    /// Returns a state with the values of the object.
    func filled(_ state: RecordState, from object: StoredObject?) -> RecordState {
        guard let object else { return state }
        var state = state
        for (name, entry) in state.attributes where entry.value == nil && entity.attribute(name) != nil {
            state.attributes[name]?.value = .known(object[name])
        }
        return state
    }

    /// Returns a state without the values that the object stores.
    func stripped(_ state: RecordState) -> RecordState {
        var state = state
        for (name, entry) in state.attributes where stores(name, entry.value) {
            state.attributes[name]?.value = nil
        }
        return state
    }

    /// Returns the values that the object must get.
    func changes(to state: RecordState, of object: StoredObject?) -> [String: AttributeValue] {
        var changes: [String: AttributeValue] = [:]
        for (name, entry) in state.attributes {
            if case .known(let value)? = entry.value, stores(name, entry.value), object?[name] != value {
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
        // A machine with an older model sends no value for a new attribute.
        for attribute in entity.attributes
        where changes[attribute.name] == nil && !attribute.isOptional && attribute.defaultValue == .none {
            changes[attribute.name] =
                switch attribute.kind {
                case .integer: .integer(0)
                case .real: .real(0)
                case .text: .text("")
                case .blob: .blob([])
                }
        }
        return changes
    }
}
