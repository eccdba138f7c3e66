extension Key {
    /// The name of the key in scripts and in the config file: `j`, `<Enter>`, `<C-d>`, `<A-Left>`.
    package var name: String {
        switch self {
        case .character(" "): "<Space>"
        case .character("<"): "<lt>"
        case .character(let character): String(character)
        default: "<\(innerName)>"
        }
    }

    /// Creates a key from a name; nil if the text is not exactly one name.
    package init?(named name: String) {
        guard let keys = try? KeyParser.keys(in: name), keys.count == 1 else { return nil }
        self = keys[0]
    }

    private var innerName: String {
        switch self {
        case .character(" "): "Space"
        case .character("<"): "lt"
        case .character(let character): String(character)
        case .control(" "): "C-Space"
        case .control(let character): "C-\(character)"
        case .function(let number): "F\(number)"
        case .modified(let modifiers, let key): modifiers.prefix + key.innerName
        case .paste(let text): "Paste:" + Self.escaped(text)
        case .pasteCut(let bytes): "PasteCut:\(bytes)"
        case .mouse(let action, let position):
            "\(Self.mouseNames[action] ?? ""):\(position.row),\(position.column)"
        default: Self.plainNames.first { $0.key == self }?.name ?? "Unknown"
        }
    }

    /// Creates a key from a name without `<` and `>`, as other programs spell it: `F5`, `C-x`, `^X`, `M-x`, `PageUp`.
    ///
    /// - Returns: Nil for other texts, such as two letters that are pressed one after the other.
    package init?(bareName name: String) {
        let lowercased = name.lowercased()
        if name.count == 2, name.first == "^", let letter = lowercased.last, letter.isASCII {
            guard case let key = Key(.character(letter), .control), key != .character(letter) else {
                return nil
            }
            self = key
            return
        }
        let isNamed = Self.bareNames.contains {
            $0 == name || name.count > 2 && $0.lowercased() == lowercased
        }
        let isFunction = lowercased.first == "f" && Int(lowercased.dropFirst()).map { $0 > 0 } == true
        guard isNamed || isFunction || name.count > 2 && Self.modifiers(in: name) != nil else { return nil }
        self.init(innerName: name)
    }

    /// The names of keys that ``init(bareName:)`` accepts next to `F1`, `C-x`, `^X`, `A-x`, and `M-x`.
    package static let bareNames = plainNames.filter { name, key in
        ![.resize, .unknown, .character("<"), .character(">")].contains(key)
    }.map(\.name)

    /// The names of the keys; the first name of a key is used for output.
    static let plainNames: [(name: String, key: Key)] = [
        ("Up", .up), ("Down", .down), ("Left", .left), ("Right", .right),
        ("PgUp", .pageUp), ("PgDn", .pageDown), ("Home", .home), ("End", .end),
        ("Enter", .enter), ("Tab", .tab), ("S-Tab", .backTab), ("Esc", .escape),
        ("BS", .backspace), ("Del", .delete), ("Ins", .insert), ("Resize", .resize), ("Unknown", .unknown),
        ("Space", .character(" ")), ("lt", .character("<")), ("gt", .character(">")),
        ("CR", .enter), ("Return", .enter), ("Escape", .escape), ("PageUp", .pageUp), ("PageDown", .pageDown),
        ("Backspace", .backspace), ("Delete", .delete), ("Insert", .insert), ("BackTab", .backTab),
    ]

    private static let mouseNames: [MouseAction: String] = [
        .press: "Press", .wheelUp: "WheelUp", .wheelDown: "WheelDown",
    ]

    /// Creates a key from the text between `<` and `>`.
    init?(innerName name: String) {
        let lowercased = name.lowercased()
        if let plain = Self.plainNames.first(where: { $0.name.lowercased() == lowercased }) {
            self = plain.key
        } else if let (modifiers, rest) = Self.modifiers(in: name) {
            let single = rest.count == 1 ? rest.first.map { Key.character($0) } : nil
            guard let key = single ?? Key(innerName: rest) else { return nil }
            self.init(key, modifiers)
        } else if lowercased.first == "f", let number = Int(name.dropFirst()), (1...63).contains(number) {
            self = .function(number)
        } else if let colon = name.unicodeScalars.firstIndex(of: ":") {
            let behind = name.unicodeScalars.index(after: colon)
            self.init(
                kind: String(name.unicodeScalars[..<colon]).lowercased(),
                argument: String(name.unicodeScalars[behind...]))
        } else {
            return nil
        }
    }

    private init?(kind: String, argument: String) {
        if kind == "paste" {
            self = .paste(Self.unescaped(argument))
        } else if kind == "pastecut", let bytes = Int(argument) {
            self = .pasteCut(bytes: bytes)
        } else if let action = Self.mouseNames.first(where: { $0.value.lowercased() == kind })?.key {
            let position = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
            guard position.count == 2, let row = position[0], let column = position[1] else { return nil }
            self = .mouse(action, Position(row: row, column: column))
        } else {
            return nil
        }
    }

    private static func modifiers(in name: String) -> (Modifiers, rest: String)? {
        let letters: [Character: Modifiers] = ["S": .shift, "A": .alt, "M": .alt, "C": .control]
        let beginning = name.prefix(3)
        guard beginning.count == 3, beginning.dropFirst().first == "-",
            let modifier = beginning.first.flatMap({ letters[Character($0.uppercased())] })
        else { return nil }
        return (modifier, String(name.dropFirst(2)))
    }

    /// Escapes scalars, because a mark forms one character with the sign before it.
    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if ["\n", "\\", ">"].contains(scalar) { escaped.append("\\") }
            escaped.append(scalar == "\n" ? "n" : scalar)
        }
        return String(escaped)
    }

    private static func unescaped(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            let meant = scalar == "\\" ? rest.popFirst() : nil
            plain.append(meant == "n" ? "\n" : meant ?? scalar)
        }
        return String(plain)
    }
}

extension Key.Modifiers {
    fileprivate var prefix: String {
        (contains(.control) ? "C-" : "") + (contains(.alt) ? "A-" : "") + (contains(.shift) ? "S-" : "")
    }
}
