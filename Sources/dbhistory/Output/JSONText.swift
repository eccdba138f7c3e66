import FoundationEssentials
import PersistentStore
import Platform

extension JSONObject {
    /// Creates an object of stored values, in the order of their names.
    init(_ values: [String: AttributeValue], plainBlobs: Bool = false) {
        self.init()
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            add(name, Self.value(value, plainBlobs: plainBlobs))
        }
    }

    /// Returns a stored value; a blob in base 64, in an object or, for Debezium, as a string.
    private static func value(_ value: AttributeValue, plainBlobs: Bool) -> (any JSONConvertible)? {
        switch value {
        case .null: return nil
        case .integer(let value): return value
        // A number beyond the range, which readers take as infinity.
        case .real(let value):
            return JSONLiteral(value.isFinite ? "\(value)" : value < 0 ? "-1e999" : "1e999")
        case .text(let value): return value
        case .blob(let bytes):
            let base64 = Data(bytes).base64EncodedString()
            return plainBlobs ? base64 : ["base64": base64] as JSONObject
        }
    }
}
