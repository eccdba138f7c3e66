import Platform

/// A JSON object under construction, whose strings are safe to show on a terminal.
package struct JSONWriter: Sendable {
    private var members = [UInt8(ascii: "{")]

    package init() { members.reserveCapacity(512) }

    package var text: String { String(decoding: members + [UInt8(ascii: "}")], as: UTF8.self) }

    /// Returns a text as a JSON string.
    package static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONEscaping.forTerminal.append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns an array of JSON values.
    package static func array(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }

    /// Adds a number, a Boolean, null, or the text of another writer.
    package mutating func add(_ key: String, literal: String) {
        begin(key)
        members += literal.utf8
    }

    package mutating func add(_ key: String, _ text: String) {
        begin(key)
        appendQuoted(text)
    }

    package mutating func add(_ key: String, _ texts: [String]) {
        begin(key)
        members.append(UInt8(ascii: "["))
        for index in texts.indices {
            if index > 0 { members.append(UInt8(ascii: ",")) }
            appendQuoted(texts[index])
        }
        members.append(UInt8(ascii: "]"))
    }

    private mutating func begin(_ key: String) {
        if members.count > 1 { members.append(UInt8(ascii: ",")) }
        members.append(UInt8(ascii: "\""))
        members += key.utf8
        members.append(UInt8(ascii: "\""))
        members.append(UInt8(ascii: ":"))
    }

    private mutating func appendQuoted(_ text: String) {
        JSONEscaping.forTerminal.append(text, to: &members)
    }
}
