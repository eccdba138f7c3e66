import Terminal

/// The key bindings: the defaults of the table of actions, changed by the config file.
///
/// A binding is of one key, or of a sequence of them. No sequence begins with another bound one, so that no key
/// waits for a timeout.
struct KeyMap: Sendable {
    private var bindings: [[Key]: Binding] = [:]
    private var sequences: [Action: [[Key]]] = [:]
    /// The sequences that are not defaults.
    private var custom: Set<[Key]> = []

    init() {
        for entry in ActionTable.entries {
            for key in entry.keys.compactMap({ Key(named: $0) }) { bind([key], to: Binding(entry.action)) }
        }
        custom = []
    }

    subscript(_ keys: [Key]) -> Binding? { bindings[keys] }

    subscript(_ key: Key) -> Binding? { bindings[[key]] }

    /// Binds keys. Sequences that begin with them, or with which they begin, lose their binding.
    mutating func bind(_ keys: [Key], to binding: Binding) {
        for other in bindings.keys where Self.overlap(keys, other) { unbind(other) }
        bindings[keys] = binding
        custom.insert(keys)
        // A key with an argument does less than the action, one with several actions more.
        if binding.isPlain { sequences[binding.action, default: []].append(keys) }
    }

    mutating func unbind(_ keys: [Key]) {
        guard let earlier = bindings.removeValue(forKey: keys) else { return }
        sequences[earlier.action]?.removeAll { $0 == keys }
        custom.remove(keys)
    }

    /// Returns the custom sequence, other than the keys, that begins with them or with which they begin.
    func conflict(with keys: [Key]) -> [Key]? {
        custom.filter { $0 != keys && Self.overlap(keys, $0) }.min { Self.shown($0) < Self.shown($1) }
    }

    private static func overlap(_ one: [Key], _ other: [Key]) -> Bool {
        one.starts(with: other) || other.starts(with: one)
    }

    /// Returns the rest of each sequence that begins with the keys, and its binding.
    func continuations(of keys: [Key]) -> [(keys: [Key], binding: Binding)] {
        bindings.filter { $0.key.count > keys.count && $0.key.starts(with: keys) }
            .map { (keys: Array($0.key[keys.count...]), binding: $0.value) }
            .sorted { Self.shown($0.keys) < Self.shown($1.keys) }
    }

    /// The keys that perform an action with an argument, or several, in the order of their names.
    var commands: [(keys: [Key], binding: Binding)] {
        bindings.filter { !$0.value.isPlain }.map { (keys: $0.key, binding: $0.value) }
            .sorted { Self.shown($0.keys) < Self.shown($1.keys) }
    }

    func keys(of action: Action) -> [[Key]] { sequences[action] ?? [] }

    /// Returns the preferred keys of an action for display, or its command if it has none.
    func name(of action: Action) -> String {
        keys(of: action).first.map { Self.shown($0) } ?? ":\(action.rawValue)"
    }

    /// Returns all keys of an action for display.
    func names(of action: Action) -> String { keys(of: action).map { Self.shown($0) }.joined(separator: " ") }

    /// Returns keys as displayed: `gg`, `^D`, `Space-a`.
    static func shown(_ keys: [Key]) -> String {
        let names = keys.map { shown($0) }
        return names.joined(separator: names.allSatisfy { $0.count <= 2 } ? "" : "-")
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
