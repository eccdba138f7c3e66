import Terminal

/// A line of text and its cursor.
struct LineEditor: Sendable {
    private(set) var characters: [Character]
    private(set) var cursor: Int
    let maxCharacters: Int
    /// Whether the last insertion did not fit.
    private(set) var isCut = false

    init(_ text: String = "", maxCharacters: Int = 1 << 20) {
        self.maxCharacters = maxCharacters
        characters = Array(text.prefix(maxCharacters))
        cursor = characters.count
    }

    init(_ text: String, cursor: Int, maxCharacters: Int = 1 << 20) {
        self.maxCharacters = maxCharacters
        characters = Array(text.prefix(maxCharacters))
        self.cursor = max(0, min(cursor, characters.count))
    }

    var text: String { String(characters) }

    /// Applies a key, and returns whether it is an editing key.
    mutating func edit(with key: Key) -> Bool {
        switch key {
        case .character(let character): insert([character])
        case .paste(let text): insert(Array(text))
        case .left, .control("b"): cursor = max(0, cursor - 1)
        case .right, .control("f"): cursor = min(characters.count, cursor + 1)
        case .home, .control("a"): cursor = 0
        case .end, .control("e"): cursor = characters.count
        case .backspace: remove(max(0, cursor - 1)..<cursor)
        case .delete, .control("d"): remove(cursor..<min(cursor + 1, characters.count))
        case .control("u"): remove(0..<cursor)
        case .control("k"): remove(cursor..<characters.count)
        case .control("w"): remove(wordStart..<cursor)
        default: return false
        }
        return true
    }

    private mutating func insert(_ new: [Character]) {
        let room = max(0, maxCharacters - characters.count)
        isCut = new.count > room
        characters.insert(contentsOf: new.prefix(room), at: cursor)
        cursor += min(room, new.count)
    }

    private mutating func remove(_ range: Range<Int>) {
        characters.removeSubrange(range)
        cursor = range.lowerBound
    }

    private var wordStart: Int {
        var start = cursor
        while start > 0, characters[start - 1].isWhitespace { start -= 1 }
        while start > 0, !characters[start - 1].isWhitespace { start -= 1 }
        return start
    }
}
