import Terminal

/// Which key does what: the table's keys, changed by the config file.
struct KeyMap: Sendable {
    private var actions: [Key: Action] = [:]
    private var keys: [Action: [Key]] = [:]

    init() {
        for entry in ActionTable.entries {
            for key in entry.keys.compactMap({ Key(named: $0) }) { bind(key, to: entry.action) }
        }
    }

    subscript(_ key: Key) -> Action? { actions[key] }

    mutating func bind(_ key: Key, to action: Action) {
        unbind(key)
        actions[key] = action
        keys[action, default: []].append(key)
    }

    mutating func unbind(_ key: Key) {
        guard let earlier = actions.removeValue(forKey: key) else { return }
        keys[earlier]?.removeAll { $0 == key }
    }

    func keys(of action: Action) -> [Key] { keys[action] ?? [] }

    /// The usual key of an action as people write it, for hints; its command when it has none.
    func name(of action: Action) -> String {
        keys(of: action).first.map { Self.shown($0) } ?? ":\(action.rawValue)"
    }

    /// `^D` rather than `<C-d>`, `Enter` rather than `<Enter>`.
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
