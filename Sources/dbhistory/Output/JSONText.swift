import FoundationEssentials
import PersistentStore
import Platform

/// JSON as text, with keys in the order in which they are added.
struct JSONObject {
    private var text = "{"

    init() {}

    mutating func add(_ key: String, raw value: String) {
        text += text == "{" ? "" : ","
        text += JSONText.text(key) + ":" + value
    }

    mutating func add(_ key: String, _ value: String?) {
        add(key, raw: value.map { JSONText.text($0) } ?? "null")
    }

    mutating func add(_ key: String, _ value: Int64?) { add(key, raw: value.map { "\($0)" } ?? "null") }

    var line: String { text + "}" }
}

enum JSONText {
    static func text(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONEscaping.forTerminal.append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a stored value; a blob in base 64, in an object or, for Debezium, as a string.
    static func value(_ value: AttributeValue, plainBlobs: Bool = false) -> String {
        switch value {
        case .null: return "null"
        case .integer(let value): return "\(value)"
        // A number beyond the range, which readers take as infinity.
        case .real(let value): return value.isFinite ? "\(value)" : value < 0 ? "-1e999" : "1e999"
        case .text(let value): return text(value)
        case .blob(let bytes):
            let base64 = text(Data(bytes).base64EncodedString())
            return plainBlobs ? base64 : "{\"base64\":\(base64)}"
        }
    }

    static func row(_ values: [String: AttributeValue], plainBlobs: Bool = false) -> String {
        var object = JSONObject()
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            object.add(name, raw: self.value(value, plainBlobs: plainBlobs))
        }
        return object.line
    }

    static func list(_ texts: [String]) -> String { "[" + texts.map(text).joined(separator: ",") + "]" }
}
