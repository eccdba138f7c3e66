import FoundationEssentials
import PersistentStore

extension JSONCursor {
    /// Reads a value in one of the forms of ``JSONText``, and any other as its bytes.
    mutating func value() throws(MalformedRecord) -> RecordValue {
        let first = try peek()
        let start = offset
        if first == UInt8(ascii: "\"") { return .known(.text(try text())) }
        try skipValue(depth: 0)
        let json = bytes[start..<offset]
        if json.elementsEqual("null".utf8) { return .known(.null) }
        if let number = Int64(String(decoding: json.prefix(21), as: UTF8.self)) {
            return .known(.integer(number))
        }
        guard first == UInt8(ascii: "{") else { return .other(Array(json)) }
        var inner = JSONCursor(Array(json))
        return (try? inner.tagged()).map { .known($0) } ?? .other(Array(json))
    }

    /// Reads a real or a blob: an object with one member.
    private mutating func tagged() throws(MalformedRecord) -> AttributeValue {
        var values: [AttributeValue] = []
        try object { cursor, key throws(MalformedRecord) in
            let text = try cursor.text()
            switch key {
            case "r": values += Double(text).map { $0.isNaN ? [] : [.real($0)] } ?? []
            case "b": values += Data(base64Encoded: text).map { [.blob(Array($0))] } ?? []
            default: throw MalformedRecord()
            }
        }
        guard values.count == 1 else { throw MalformedRecord() }
        return values[0]
    }
}
