package import ClipsCore

/// The text of a JSON file, of which one member of a member is replaced; all other bytes remain.
package struct SettingsText {
    package private(set) var bytes: [UInt8]

    /// Returns nil for a text that is not a JSON object, such as one with comments.
    package init?(_ text: String) {
        let parsed = JSONParser.parse(Array(text.utf8))
        guard parsed.problem == nil, parsed.value?.isObject == true else { return nil }
        bytes = Array(text.utf8)
    }

    package var value: JSONValue { JSONParser.parse(bytes).value ?? .null }

    /// A member of an object: the ranges of its key and of its value.
    private struct Member {
        let key: Range<Int>
        let value: Range<Int>
    }

    /// Returns the members of the object that begins at an offset, and the offset of its end. The bytes are known to be
    /// JSON, so that only strings and brackets decide.
    private func members(from start: Int) -> (members: [Member], end: Int) {
        var members: [Member] = []
        var (depth, isInString, offset, text, key) = (0, false, start, 0, Range<Int>?.none)
        var (first, last) = (Int?.none, start)
        while offset < bytes.count {
            let byte = bytes[offset]
            if isInString {
                if byte == UInt8(ascii: "\\") { offset += 1 }
                isInString = byte != UInt8(ascii: "\"")
                if !isInString, depth == 1, key == nil { key = text..<(offset + 1) }
            } else if byte == UInt8(ascii: "\"") {
                (isInString, text) = (true, offset)
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                depth += 1
            } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                depth -= 1
            }
            let isSpace = byte <= 0x20
            let isBetween =
                depth == 1 && !isInString && (byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":"))
            if isBetween || depth == 0 {
                if let named = key, let begin = first, byte != UInt8(ascii: ":") {
                    members.append(Member(key: named, value: begin..<(last + 1)))
                    (key, first) = (nil, nil)
                }
                if depth == 0 { return (members, offset) }
            } else if !isSpace, let named = key, offset >= named.upperBound {
                first = first ?? offset
                last = offset
            }
            offset += 1
        }
        return (members, bytes.count)
    }

    private func member(_ key: String, from start: Int) -> (
        found: Member?, index: Int, of: [Member], end: Int
    ) {
        let (all, end) = members(from: start)
        let index = all.lastIndex { JSONParser.parse(Array(bytes[$0.key])).value?.string == key }
        return (index.map { all[$0] }, index ?? 0, all, end)
    }

    private var root: Int { bytes.firstIndex(of: UInt8(ascii: "{")) ?? 0 }

    /// Sets a member of the object `key`, which is created if it is missing.
    package mutating func set(_ name: String, of key: String, to json: String) {
        let outer = member(key, from: root)
        guard let servers = outer.found, bytes[servers.value.lowerBound] == UInt8(ascii: "{") else {
            return insert(
                "\"\(key)\": {\n    \"\(name)\": \(json)\n  }", indent: "  ", outer.of, end: outer.end)
        }
        let inner = member(name, from: servers.value.lowerBound)
        if let present = inner.found {
            bytes.replaceSubrange(present.value, with: json.utf8)
        } else {
            insert("\"\(name)\": \(json)", indent: "    ", inner.of, end: inner.end)
        }
    }

    private mutating func insert(_ text: String, indent: String, _ members: [Member], end: Int) {
        if let last = members.last {
            bytes.insert(contentsOf: ",\n\(indent)\(text)".utf8, at: last.value.upperBound)
        } else {
            bytes.insert(contentsOf: "\n\(indent)\(text)\n\(indent.dropLast(2))".utf8, at: end)
        }
    }

    /// Removes a member of the object `key`, with the comma before or after it.
    package mutating func remove(_ name: String, of key: String) {
        guard let servers = member(key, from: root).found else { return }
        let inner = member(name, from: servers.value.lowerBound)
        guard let found = inner.found else { return }
        let (index, all) = (inner.index, inner.of)
        let start = index > 0 ? all[index - 1].value.upperBound : servers.value.lowerBound + 1
        let end = index > 0 || all.count == 1 ? found.value.upperBound : all[1].key.lowerBound
        let isAlone = all.count == 1
        bytes.removeSubrange(
            (index > 0 ? start : isAlone ? start : found.key.lowerBound)..<(isAlone ? inner.end : end))
    }
}
