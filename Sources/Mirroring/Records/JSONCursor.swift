/// The error of bytes that are not a record.
struct MalformedRecord: Error {}

/// A reader of JSON (RFC 8259) in one pass, which returns values of an unknown form as their bytes.
struct JSONCursor {
    let bytes: [UInt8]
    private(set) var offset = 0
    private static let maxDepth = 64

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Skips white space and returns the next byte.
    mutating func peek() throws(MalformedRecord) -> UInt8 {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x0A, 0x0D, 0x09: offset += 1
            default: return bytes[offset]
            }
        }
        throw MalformedRecord()
    }

    var isAtEnd: Bool { bytes[offset...].allSatisfy { [0x20, 0x0A, 0x0D, 0x09].contains($0) } }

    private mutating func skip(_ scalar: Unicode.Scalar) throws(MalformedRecord) -> Bool {
        guard try peek() == UInt8(ascii: scalar) else { return false }
        offset += 1
        return true
    }

    private mutating func expect(_ scalar: Unicode.Scalar) throws(MalformedRecord) {
        guard try skip(scalar) else { throw MalformedRecord() }
    }

    /// Calls a closure with the key of each member; it must read the value.
    mutating func object(_ body: (inout JSONCursor, String) throws(MalformedRecord) -> Void)
        throws(MalformedRecord)
    {
        try expect("{")
        guard try !skip("}") else { return }
        repeat {
            let key = try text()
            try expect(":")
            try body(&self, key)
        } while try skip(",")
        try expect("}")
    }

    /// Calls a closure for each element; it must read the element.
    mutating func array(_ body: (inout JSONCursor, Int) throws(MalformedRecord) -> Void)
        throws(MalformedRecord)
    {
        try expect("[")
        guard try !skip("]") else { return }
        var index = 0
        repeat {
            try body(&self, index)
            index += 1
        } while try skip(",")
        try expect("]")
    }

    mutating func integer() throws(MalformedRecord) -> Int64 {
        _ = try peek()
        guard let number = Int64(String(decoding: digits(), as: UTF8.self)) else { throw MalformedRecord() }
        return number
    }

    private mutating func digits() -> ArraySlice<UInt8> {
        let start = offset
        while offset < bytes.count,
            (0x30...0x39).contains(bytes[offset]) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(bytes[offset])
        {
            offset += 1
        }
        return bytes[start..<offset]
    }

    mutating func text() throws(MalformedRecord) -> String {
        try expect("\"")
        var text: [UInt8] = []
        var start = offset
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            text += bytes[start..<offset - 1]
            if byte == UInt8(ascii: "\"") {
                guard let string = String(validating: text, as: UTF8.self) else { throw MalformedRecord() }
                return string
            }
            text += String(try escape()).utf8
            start = offset
        }
        throw MalformedRecord()
    }

    private mutating func escape() throws(MalformedRecord) -> Unicode.Scalar {
        guard offset < bytes.count else { throw MalformedRecord() }
        let byte = bytes[offset]
        offset += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "u"): break
        default: throw MalformedRecord()
        }
        let first = try unit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first & 0xFC00 == 0xD800, bytes[offset...].starts(with: "\\u".utf8) else {
            throw MalformedRecord()
        }
        offset += 2
        let second = try unit()
        guard second & 0xFC00 == 0xDC00,
            let scalar = Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF)
        else { throw MalformedRecord() }
        return scalar
    }

    private mutating func unit() throws(MalformedRecord) -> UInt32 {
        guard offset + 4 <= bytes.count, bytes[offset] != UInt8(ascii: "+"),
            let unit = UInt32(String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16)
        else { throw MalformedRecord() }
        offset += 4
        return unit
    }

    mutating func skipValue(depth: Int = 0) throws(MalformedRecord) {
        guard depth < Self.maxDepth else { throw MalformedRecord() }
        switch try peek() {
        case UInt8(ascii: "{"):
            try object { cursor, _ throws(MalformedRecord) in try cursor.skipValue(depth: depth + 1) }
        case UInt8(ascii: "["):
            try array { cursor, _ throws(MalformedRecord) in try cursor.skipValue(depth: depth + 1) }
        case UInt8(ascii: "\""): _ = try text()
        default:
            for word in ["true", "false", "null"] where bytes[offset...].starts(with: word.utf8) {
                offset += word.utf8.count
                return
            }
            guard Double(String(decoding: digits(), as: UTF8.self)) != nil else { throw MalformedRecord() }
        }
    }
}
