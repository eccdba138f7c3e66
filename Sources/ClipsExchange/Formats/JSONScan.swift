/// A search for the end of a JSON value that arrives in pieces.
struct JSONScan {
    private var position = 0
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Returns the length of the value that begins the bytes, of which there are more than in the last call; nil if
    /// they do not contain its end.
    mutating func end(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                    if depth == 0 { return position }
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                // A bracket without an opening one is an error of its own, or ends a number before it.
                if depth <= 0 { return depth == 0 ? position : max(1, position - 1) }
            case UInt8(ascii: ","), 0x20, 0x0A, 0x0D, 0x09:
                if depth == 0 { return max(1, position - 1) }
            default: break
            }
        }
        return nil
    }
}
