/// The ASCII form of a label of an international domain name (RFC 3492).
package enum Punycode {
    private static let (base, tMin, tMax, skew, damp) = (36, 1, 26, 38, 700)
    private static let (firstBias, firstScalar) = (72, 0x80)

    /// The bytes of a label that may be one of a domain name; encoding is quadratic.
    private static let maxLabel = 252

    /// Returns the label that `xn--` and these letters stand for; nil if they are not valid.
    package static func decoded(_ letters: Substring) -> String? {
        let bytes = Array(letters.utf8)
        // A longer one is not a label of a domain name, and decoding is quadratic.
        guard bytes.count <= 63, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        let delimiter = bytes.lastIndex(of: UInt8(ascii: "-"))
        var scalars = bytes[..<(delimiter ?? 0)].map { Int($0) }
        var rest = bytes[(delimiter.map { $0 + 1 } ?? 0)...]
        var (scalar, index, bias) = (firstScalar, 0, firstBias)
        while !rest.isEmpty {
            let old = index
            var (weight, position) = (1, base)
            while true {
                guard let digit = rest.popFirst().flatMap(digit) else { return nil }
                index += digit * weight
                let threshold = min(max(position - bias, tMin), tMax)
                guard index < 1 << 31 else { return nil }
                if digit < threshold { break }
                weight *= base - threshold
                guard weight < 1 << 31 else { return nil }
                position += base
            }
            let count = scalars.count + 1
            bias = adapted(index - old, count, isFirst: old == 0)
            scalar += index / count
            guard Unicode.Scalar(UInt32(scalar)) != nil else { return nil }
            scalars.insert(scalar, at: index % count)
            index = index % count + 1
        }
        var text = String.UnicodeScalarView()
        for scalar in scalars { if let scalar = Unicode.Scalar(UInt32(scalar)) { text.append(scalar) } }
        return String(text)
    }

    /// Returns the ASCII form of a host, which may be percent-encoded.
    package static func host(_ host: some StringProtocol) -> String {
        PercentEncoding.decoded(host, reserved: "").lowercased().split(
            separator: ".", omittingEmptySubsequences: false
        )
        .map {
            $0.utf8.allSatisfy { $0 < 0x80 } || $0.utf8.count > maxLabel ? String($0) : "xn--" + encoded($0)
        }
        .joined(separator: ".")
    }

    /// Returns the letters that follow `xn--` for a label.
    private static func encoded(_ label: some StringProtocol) -> String {
        let scalars = label.unicodeScalars.map { Int($0.value) }
        var result = scalars.filter { $0 < firstScalar }.map { UInt8($0) }
        var done = result.count
        if done > 0 { result.append(UInt8(ascii: "-")) }
        let basic = done
        var (scalar, delta, bias) = (firstScalar, 0, firstBias)
        while done < scalars.count, let next = scalars.filter({ $0 >= scalar }).min() {
            delta += (next - scalar) * (done + 1)
            scalar = next
            for other in scalars {
                if other < scalar { delta += 1 }
                guard other == scalar else { continue }
                var (rest, position) = (delta, base)
                while true {
                    let threshold = min(max(position - bias, tMin), tMax)
                    guard rest >= threshold else { break }
                    result.append(letter(threshold + (rest - threshold) % (base - threshold)))
                    rest = (rest - threshold) / (base - threshold)
                    position += base
                }
                result.append(letter(rest))
                bias = adapted(delta, done + 1, isFirst: done == basic)
                delta = 0
                done += 1
            }
            delta += 1
            scalar += 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - tMin) * tMax / 2 {
            delta /= base - tMin
            steps += base
        }
        return steps + (base - tMin + 1) * delta / (delta + skew)
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte - UInt8(ascii: "a"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0")) + 26
        default: nil
        }
    }

    private static func letter(_ digit: Int) -> UInt8 {
        digit < 26 ? UInt8(ascii: "a") + UInt8(digit) : UInt8(ascii: "0") + UInt8(digit - 26)
    }
}
