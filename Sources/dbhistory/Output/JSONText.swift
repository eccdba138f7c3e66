import FoundationEssentials
import PersistentStore

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
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            // Also the separators that some readers of lines accept as line ends.
            case _
            where scalar.value < 32 || (0x7F...0x9F).contains(scalar.value)
                || [0x2028, 0x2029].contains(scalar.value):
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
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
