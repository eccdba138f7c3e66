import FoundationEssentials
import PersistentStore
import Platform

extension JSONReader {
    /// Reads a value in one of the forms of ``JSONText``, and any other as its bytes.
    mutating func value() throws(JSONError) -> RecordValue {
        let first = try peek()
        let start = offset
        switch first {
        case UInt8(ascii: "\""): return .known(.text(try text()))
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"):
            let digits = try digits()
            if let number = Int64(digits) { return .known(.integer(number)) }
            guard Double(digits) != nil else { throw JSONError() }
        default: try skipValue()
        }
        let json = bytes[start..<offset]
        if json.elementsEqual("null".utf8) { return .known(.null) }
        guard first == UInt8(ascii: "{") else { return .other(Array(json)) }
        var inner = JSONReader(Array(json))
        return (try? inner.tagged()).map { .known($0) } ?? .other(Array(json))
    }

    /// Reads a real or a blob: an object with one member.
    private mutating func tagged() throws(JSONError) -> AttributeValue {
        var values: [AttributeValue] = []
        try object { cursor, key throws(JSONError) in
            let text = try cursor.text()
            switch key {
            case "r": values += Double(text).map { $0.isNaN ? [] : [.real($0)] } ?? []
            case "b": values += Data(base64Encoded: text).map { [.blob(Array($0))] } ?? []
            default: throw JSONError()
            }
        }
        guard values.count == 1 else { throw JSONError() }
        return values[0]
    }

    /// - Parameter depth: The number of enclosing values; more than 64 are an error.
    mutating func skipValue(depth: Int = 0) throws(JSONError) {
        guard depth < 64 else { throw JSONError() }
        switch try peek() {
        case UInt8(ascii: "{"):
            try object { reader, _ throws(JSONError) in try reader.skipValue(depth: depth + 1) }
        case UInt8(ascii: "["):
            try array { reader, _ throws(JSONError) in try reader.skipValue(depth: depth + 1) }
        case UInt8(ascii: "\""): _ = try text()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: guard Double(try digits()) != nil else { throw JSONError() }
        }
    }
}
