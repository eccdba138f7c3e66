import Platform

/// The tokens of an SQL text, without comments: as much of the language as finds a clause in a stored definition.
struct SQLTokens {
    struct Token {
        /// The text; a quoted name without its quotation marks.
        let text: String
        /// Whether the token is a bare word, so that it can be a keyword.
        let isWord: Bool
        /// Whether the token can be a name.
        let isName: Bool
        /// The number of parentheses that enclose the token.
        let depth: Int
        /// The offset of the byte after the token.
        let end: Int

        func isKeyword(_ word: String) -> Bool { isWord && text.uppercased() == word }
    }

    private(set) var all: [Token] = []
    private let bytes: [UInt8]

    init(_ sql: String) {
        bytes = Array(sql.utf8)
        var (index, depth) = (0, 0)
        while index < bytes.count {
            let start = index
            switch bytes[index] {
            case UInt8(ascii: "-") where next(index) == UInt8(ascii: "-"):
                index = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            case UInt8(ascii: "/") where next(index) == UInt8(ascii: "*"): index = endOfComment(index + 2)
            case UInt8(ascii: "'"): index = endOfQuoted(index, UInt8(ascii: "'"))
            case UInt8(ascii: "\""), UInt8(ascii: "`"):
                index = endOfQuoted(index, bytes[start])
                add(Self.unquoted(bytes[start..<index]), isName: true, depth, index)
            case UInt8(ascii: "["):
                index = min(bytes.count, (bytes[index...].firstIndex(of: UInt8(ascii: "]")) ?? index) + 1)
                add(
                    String(decoding: bytes[(start + 1)..<max(start + 1, index - 1)], as: UTF8.self),
                    isName: true,
                    depth, index)
            case let byte where Self.isOfWord(byte):
                while index < bytes.count, Self.isOfWord(bytes[index]) { index += 1 }
                add(
                    String(decoding: bytes[start..<index], as: UTF8.self), isWord: true, isName: true, depth,
                    index)
            case let byte:
                index += 1
                if byte == UInt8(ascii: ")") { depth -= 1 }
                if byte > 32 {
                    add(String(decoding: [byte], as: UTF8.self), isName: false, depth, index)
                }
                if byte == UInt8(ascii: "(") { depth += 1 }
            }
        }
    }

    /// Returns the text after a token.
    func rest(after token: Token) -> String { String(decoding: bytes[token.end...], as: UTF8.self) }

    /// A kind of change of a table, whose name is in lower case.
    struct Event: Hashable {
        let kind: HistoryChange.Kind
        let table: String
    }

    /// The event of a trigger, and whether the trigger runs before it, which is the default.
    var triggerEvent: (kind: HistoryChange.Kind, isBefore: Bool)? {
        let head = all.prefix { !$0.isKeyword("BEGIN") && !$0.isKeyword("ON") }
        let kinds: [(String, HistoryChange.Kind)] = [
            ("INSERT", .insert), ("UPDATE", .update), ("DELETE", .delete),
        ]
        // A bare name before it may equal a keyword.
        for token in head.reversed() {
            guard let kind = kinds.first(where: { token.isKeyword($0.0) })?.1 else { continue }
            return (kind, !head.contains { $0.isKeyword("AFTER") || $0.isKeyword("INSTEAD") })
        }
        return nil
    }

    /// The changes that the statements of a trigger make.
    var triggerChanges: Set<Event> {
        var events: Set<Event> = []
        let body = all.drop { !$0.isKeyword("BEGIN") }
        for (index, token) in zip(body.indices, body) {
            var (name, kind) = (index + 1, HistoryChange.Kind.insert)
            if token.isKeyword("INTO") {
            } else if token.isKeyword("FROM"), all[index - 1].isKeyword("DELETE") {
                kind = .delete
            } else if token.isKeyword("UPDATE"), !all[index - 1].isKeyword("DO") {
                kind = .update
                if name < all.endIndex, all[name].isKeyword("OR") { name += 2 }
            } else {
                continue
            }
            // A name may have that of its database before it.
            if name + 2 < all.endIndex, all[name + 1].text == "." { name += 2 }
            guard name < all.endIndex, all[name].isName else { continue }
            let table = all[name].text.lowercased()
            events.insert(Event(kind: kind, table: table))
            // An upsert, and REPLACE with its evictions.
            if kind == .insert { events.insert(Event(kind: .update, table: table)) }
            if kind != .delete { events.insert(Event(kind: .delete, table: table)) }
        }
        return events
    }

    private mutating func add(
        _ text: String, isWord: Bool = false, isName: Bool, _ depth: Int, _ end: Int
    ) {
        all.append(Token(text: text, isWord: isWord, isName: isName, depth: depth, end: end))
    }

    private func next(_ index: Int) -> UInt8 { index + 1 < bytes.count ? bytes[index + 1] : 0 }

    private func endOfComment(_ start: Int) -> Int {
        var index = start
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "*"), next(index) == UInt8(ascii: "/") { return index + 2 }
            index += 1
        }
        return bytes.count
    }

    private func endOfQuoted(_ start: Int, _ mark: UInt8) -> Int {
        var index = start + 1
        while index < bytes.count {
            guard bytes[index] == mark else {
                index += 1
                continue
            }
            guard next(index) == mark else { return index + 1 }
            index += 2
        }
        return bytes.count
    }

    /// Returns the name in quotation marks.
    static func unquoted(_ quoted: some Collection<UInt8>) -> String {
        guard let mark = quoted.first else { return "" }
        var (bytes, isDoubled) = ([UInt8](), false)
        for byte in quoted.dropFirst() {
            if byte == mark, !isDoubled {
                isDoubled = true
            } else {
                bytes.append(byte)
                isDoubled = false
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        byte.isOfWord || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
    }
}
