/// The encoding of international labels in host names (RFC 3492).
enum Punycode {
    private static let base: UInt32 = 36
    private static let longestLabel = 63

    /// Returns the label without its prefix `xn--` decoded; nil if it is invalid.
    static func decode(_ label: String) -> String? {
        guard (1...longestLabel).contains(label.utf8.count) else { return nil }
        let delimiter = label.lastIndex(of: "-")
        var scalars = Array(delimiter.map { label[..<$0] }?.unicodeScalars ?? "".unicodeScalars[...])
        guard scalars.allSatisfy(\.isASCII) else { return nil }
        var digits = delimiter.map { label[label.index(after: $0)...].utf8 } ?? label[...].utf8
        var (scalar, index, bias): (UInt32, UInt32, UInt32) = (128, 0, 72)
        while !digits.isEmpty {
            let start = index
            var (weight, k): (UInt32, UInt32) = (1, base)
            while true {
                guard let digit = digits.popFirst().flatMap(value) else { return nil }
                let (product, overflow) = digit.multipliedReportingOverflow(by: weight)
                let (sum, carry) = index.addingReportingOverflow(product)
                guard !overflow, !carry else { return nil }
                index = sum
                let threshold = k <= bias ? 1 : min(26, k - bias)
                if digit < threshold { break }
                let (next, isTooBig) = weight.multipliedReportingOverflow(by: base - threshold)
                guard !isTooBig else { return nil }
                weight = next
                k += base
            }
            let count = UInt32(scalars.count) + 1
            bias = adapt(index - start, count, isFirst: start == 0)
            let (next, overflow) = scalar.addingReportingOverflow(index / count)
            guard !overflow, let decoded = Unicode.Scalar(next) else { return nil }
            scalar = next
            index %= count
            scalars.insert(decoded, at: Int(index))
            index += 1
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private static func value(_ digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit) - 97
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit) - 48 + 26
        default: nil
        }
    }

    private static func adapt(_ delta: UInt32, _ count: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var k: UInt32 = 0
        while delta > 455 {
            delta /= base - 1
            k += base
        }
        return k + 36 * delta / (delta + 38)
    }
}
