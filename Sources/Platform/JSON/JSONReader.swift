/// The reason why bytes are not JSON, or not of the expected form.
package struct JSONError: Error {
    package let reason: String

    package init(_ reason: String = "it has another form") { self.reason = reason }

    static let cut = JSONError("it ends in the middle")
    static let other = JSONError("it is not JSON")
    static let badEscape = JSONError("a text in it has an escape that JSON does not have")
}

/// A reader of JSON (RFC 8259) in one pass.
package struct JSONReader {
    package let bytes: [UInt8]
    package private(set) var offset = 0
    /// Whether U+FFFD replaces half of a surrogate pair.
    package private(set) var hasReplacement = false

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    /// Skips white space and returns whether nothing follows.
    package mutating func isAtEnd() -> Bool {
        skipSpace()
        return current == nil
    }

    /// Skips white space and returns the next byte.
    package mutating func peek() throws(JSONError) -> UInt8 {
        skipSpace()
        guard let byte = current else { throw .cut }
        return byte
    }

    private mutating func skip(_ scalar: Unicode.Scalar) throws(JSONError) -> Bool {
        guard try peek() == UInt8(ascii: scalar) else { return false }
        offset += 1
        return true
    }

    private mutating func expect(_ scalar: Unicode.Scalar, else reason: String) throws(JSONError) {
        guard try skip(scalar) else { throw JSONError(reason) }
    }

    /// Calls a closure with the key of each member; it must read the value.
    package mutating func object(_ body: (inout JSONReader, String) throws(JSONError) -> Void)
        throws(JSONError)
    {
        try expect("{", else: JSONError.other.reason)
        guard try !skip("}") else { return }
        while true {
            guard try peek() == UInt8(ascii: "\"") else { throw JSONError("a key is missing") }
            let key = try text()
            try expect(":", else: "a colon is missing")
            try body(&self, key)
            if try skip("}") { return }
            try expect(",", else: "a comma is missing")
        }
    }

    /// Calls a closure for each element; it must read the element.
    package mutating func array(_ body: (inout JSONReader, Int) throws(JSONError) -> Void) throws(JSONError) {
        try expect("[", else: JSONError.other.reason)
        guard try !skip("]") else { return }
        var index = 0
        while true {
            try body(&self, index)
            index += 1
            if try skip("]") { return }
            try expect(",", else: "a comma is missing")
        }
    }

    package mutating func integer() throws(JSONError) -> Int64 {
        guard let number = Int64(try digits()) else { throw .other }
        return number
    }

    /// Returns the characters of a number.
    package mutating func digits() throws(JSONError) -> String {
        _ = try peek()
        let start = offset
        while let byte = current,
            byte.isASCIIDigit || byte == 0x2B || byte == 0x2D || byte == 0x2E
                || byte | 0x20 == 0x65
        {
            offset += 1
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    /// Skips a word such as "null".
    package mutating func word(_ word: StaticString) throws(JSONError) {
        let end = offset + word.utf8CodeUnitCount
        guard end <= bytes.count, word.withUTF8Buffer({ $0.elementsEqual(bytes[offset..<end]) }) else {
            throw .other
        }
        offset = end
    }

    package mutating func text() throws(JSONError) -> String {
        try expect("\"", else: JSONError.other.reason)
        var start = offset
        var text: [UInt8] = []
        while true {
            offset = endOfPlainText()
            guard let byte = current else { throw .cut }
            if byte == UInt8(ascii: "\"") {
                let end = offset
                offset += 1
                if text.isEmpty { return try Self.string(bytes.span.extracting(start..<end)) }
                text += bytes[start..<end]
                return try Self.string(text.span)
            }
            text += bytes[start..<offset]
            offset += 1
            text += Array(String(try escape()).utf8)
            start = offset
        }
    }

    private static func string(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        do {
            return String(copying: try UTF8Span(validating: bytes))
        } catch {
            throw JSONError("a text in it is not UTF-8")
        }
    }

    /// Returns the index of the next quotation mark or backslash, or that of the end.
    private func endOfPlainText() -> Int {
        bytes.withUnsafeBufferPointer { bytes in
            var index = offset
            while index < bytes.count, bytes[index] != 0x22, bytes[index] != 0x5C { index += 1 }
            return index
        }
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        guard let byte = current else { throw .cut }
        offset += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "u"): break
        default: throw .badEscape
        }
        let first = try unit()
        guard first & 0xFC00 == 0xD800 else { return Unicode.Scalar(first) ?? replacement() }
        guard bytes[offset...].starts(with: "\\u".utf8) else { return replacement() }
        let start = offset
        offset += 2
        let second = try unit()
        guard second & 0xFC00 == 0xDC00 else {
            offset = start
            return replacement()
        }
        return Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF) ?? replacement()
    }

    private mutating func replacement() -> Unicode.Scalar {
        hasReplacement = true
        return "\u{FFFD}"
    }

    private mutating func unit() throws(JSONError) -> UInt32 {
        // A sign is not a digit.
        guard offset + 4 <= bytes.count, bytes[offset] != UInt8(ascii: "+"),
            bytes[offset] != UInt8(ascii: "-"),
            let unit = UInt32(String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16)
        else { throw .badEscape }
        offset += 4
        return unit
    }
}
