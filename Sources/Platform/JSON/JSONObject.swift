/// A value that JSON can express on one line, whose strings are safe to show on a terminal.
package protocol JSONConvertible {
    var json: String { get }
    func appendJSON(to bytes: inout [UInt8])
}

extension JSONConvertible {
    package var json: String {
        var bytes: [UInt8] = []
        appendJSON(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSONConvertible where Self: LosslessStringConvertible {
    package func appendJSON(to bytes: inout [UInt8]) { bytes += description.utf8 }
}

extension Bool: JSONConvertible {}
extension Int: JSONConvertible {}
extension Int32: JSONConvertible {}
extension Int64: JSONConvertible {}

extension String: JSONConvertible {
    package func appendJSON(to bytes: inout [UInt8]) { JSONEscaping.forTerminal.append(self, to: &bytes) }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    package func appendJSON(to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        for index in indices {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            self[index].appendJSON(to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }
}

/// A text that is JSON.
package struct JSONLiteral: JSONConvertible {
    private let text: String

    package init(_ text: String) { self.text = text }

    package func appendJSON(to bytes: inout [UInt8]) { bytes += text.utf8 }
}

/// A JSON object, whose members have the order in which they are added.
package struct JSONObject: JSONConvertible, ExpressibleByDictionaryLiteral, Sendable {
    private var members = [UInt8(ascii: "{")]

    package init() { members.reserveCapacity(512) }

    package init(dictionaryLiteral members: (String, (any JSONConvertible)?)...) {
        self.init()
        for (key, value) in members { add(key, value) }
    }

    /// Adds a member; nil is null.
    package mutating func add(_ key: String, _ value: (any JSONConvertible)?) {
        if members.count > 1 { members.append(UInt8(ascii: ",")) }
        key.appendJSON(to: &members)
        members.append(UInt8(ascii: ":"))
        if let value { value.appendJSON(to: &members) } else { members += "null".utf8 }
    }

    package var json: String { String(decoding: members + [UInt8(ascii: "}")], as: UTF8.self) }

    package func appendJSON(to bytes: inout [UInt8]) {
        bytes += members
        bytes.append(UInt8(ascii: "}"))
    }
}
