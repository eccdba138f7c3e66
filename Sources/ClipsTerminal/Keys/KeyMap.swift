import Terminal

/// The key bindings: the defaults of the table of actions, changed by the config file.
struct KeyMap: Sendable {
    private var bindings: [Key: Binding] = [:]
    private var keys: [Action: [Key]] = [:]

    init() {
        for entry in ActionTable.entries {
            for key in entry.keys.compactMap({ Key(named: $0) }) { bind(key, to: Binding(entry.action)) }
        }
    }

    subscript(_ key: Key) -> Binding? { bindings[key] }

    mutating func bind(_ key: Key, to binding: Binding) {
        unbind(key)
        bindings[key] = binding
        // A key with an argument does less than the action.
        if binding.argument == nil { keys[binding.action, default: []].append(key) }
    }

    /// The keys that perform an action with an argument, in the order of their names.
    var commands: [(key: Key, binding: Binding)] {
        bindings.filter { $0.value.argument != nil }.map { (key: $0.key, binding: $0.value) }
            .sorted { $0.key.name < $1.key.name }
    }

    mutating func unbind(_ key: Key) {
        guard let earlier = bindings.removeValue(forKey: key) else { return }
        keys[earlier.action]?.removeAll { $0 == key }
    }

    func keys(of action: Action) -> [Key] { keys[action] ?? [] }

    /// Returns the preferred key of an action for display, or its command if it has no key.
    func name(of action: Action) -> String {
        keys(of: action).first.map { Self.shown($0) } ?? ":\(action.rawValue)"
    }

    /// Returns the key as displayed: `^D` for `<C-d>`, `Enter` for `<Enter>`.
    static func shown(_ key: Key?) -> String {
        switch key {
        case .control(let letter)?: return "^\(String(letter).uppercased())"
        case .up?: return "↑"
        case .down?: return "↓"
        case .left?: return "←"
        case .right?: return "→"
        case .character(let character)? where character != " ": return String(character)
        case let key?: return String(key.name.dropFirst().dropLast())
        case nil: return ""
        }
    }
}
