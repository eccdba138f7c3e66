import FoundationEssentials
import PersistentStore
import Platform

/// The bytes of a JSON text under construction.
struct JSONText {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    static func bytes(of value: RecordValue) -> [UInt8] {
        var text = JSONText()
        text.add(value)
        return text.bytes
    }

    mutating func add(_ key: String, _ body: (inout JSONText) -> Void) {
        add(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
        body(&self)
        needsComma = true
    }

    mutating func object(_ body: (inout JSONText) -> Void) { enclose("{", "}", body) }
    mutating func array(_ body: (inout JSONText) -> Void) { enclose("[", "]", body) }

    private mutating func enclose(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONText) -> Void
    ) {
        separate()
        bytes.append(UInt8(ascii: open))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: close))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    mutating func add(_ number: Int64) {
        separate()
        bytes += String(number).utf8
    }

    mutating func add(_ text: String) {
        separate()
        JSONEscaping.required.append(text, to: &bytes)
    }

    /// Adds a value; reals as their shortest exact digits, blobs as Base64.
    mutating func add(_ value: RecordValue) {
        switch value {
        case .known(.text(let text)): add(text)
        case .known(.integer(let number)): add(number)
        case .known(.real(let number)): object { $0.add("r") { $0.add("\(number)") } }
        case .known(.blob(let blob)): object { $0.add("b") { $0.add(Data(blob).base64EncodedString()) } }
        case .known(.null):
            separate()
            bytes += "null".utf8
        case .other(let json):
            separate()
            bytes += json
        }
    }
}
