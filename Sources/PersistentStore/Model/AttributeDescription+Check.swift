extension AttributeDescription {
    /// Checks the default and the indexes, which would otherwise fail when the store is created, or at a save.
    func check(in entity: EntityDescription) throws(StoreError) {
        guard acceptsDefault else {
            throw .invalidModel("the default of \(entity.name).\(name) is not a value of its kind")
        }
        guard indexWhenTrue == nil && indexWhenFalse == nil || kind == .integer || kind == .real else {
            throw .invalidModel(
                "\(entity.name).\(name) is not a number, so it cannot select the objects of an index")
        }
        for order in [indexWhenTrue, indexWhenFalse].compactMap(\.self)
        where entity.attribute(order) == nil && order != "id" && order != "version" {
            throw .invalidModel("the index of \(entity.name).\(name) is by the unknown attribute '\(order)'")
        }
    }

    /// Whether a STRICT table stores the default unchanged, and SQL can express it.
    private var acceptsDefault: Bool {
        switch defaultValue {
        case .none: true
        case .now: kind == .integer || kind == .real
        case .uuid: kind == .text
        case .value(.null): isOptional
        case .value(.integer): kind == .integer || kind == .real
        case .value(.real(let value)):
            kind == .real && value.isFinite && !(value == 0 && value.sign == .minus)
        case .value(.text(let value)): kind == .text && !value.utf8.contains(0)
        case .value(.blob): kind == .blob
        }
    }
}
