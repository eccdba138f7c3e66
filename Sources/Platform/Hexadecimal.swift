/// Hexadecimal digits in lowercase.
extension UnsignedInteger where Self: FixedWidthInteger {
    /// Returns the last digits of a number.
    package func hexadecimal(digits count: Int) -> String {
        String(unsafeUninitializedCapacity: count) { digits in
            for index in 0..<count {
                digits[index] = UInt8(truncatingIfNeeded: self >> (4 * (count - 1 - index))).hexadecimalDigit
            }
            return count
        }
    }
}

extension UInt8 {
    /// The digit of the lower half.
    fileprivate var hexadecimalDigit: UInt8 {
        let half = self & 15
        return half < 10 ? UInt8(ascii: "0") + half : UInt8(ascii: "a") - 10 + half
    }

    /// The value of a digit in either case; nil for any other byte.
    package var hexadecimalValue: UInt8? {
        if isASCIIDigit { return self - UInt8(ascii: "0") }
        let letter = (self | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter + 10 : nil
    }
}

extension [UInt8] {
    /// The two digits of each byte.
    package var hexadecimal: String { withUnsafeBytes { $0.digits { _ in false } } }
}

extension UnsafeRawBufferPointer {
    /// The text of a UUID of 16 bytes.
    package var uuidText: String { digits { $0 == 4 || $0 == 6 || $0 == 8 || $0 == 10 } }

    fileprivate func digits(hasHyphen: (_ before: Int) -> Bool) -> String {
        String(unsafeUninitializedCapacity: 2 * count + 4) { digits in
            var next = 0
            for (index, byte) in enumerated() {
                if hasHyphen(index) {
                    digits[next] = UInt8(ascii: "-")
                    next += 1
                }
                digits[next] = (byte >> 4).hexadecimalDigit
                digits[next + 1] = byte.hexadecimalDigit
                next += 2
            }
            return next
        }
    }
}
