import Platform

/// The spellings of a part of a URL.
package enum PercentEncoding {
    /// Returns a text in which all but letters, digits, and `-._~` is encoded.
    package static func encoded(_ text: String) -> String {
        encoded(Array(text.utf8), digits) { !isUnreserved($0) }
    }

    /// Returns a text in which nothing is encoded; U+FFFD replaces invalid UTF-8.
    package static func decoded(_ text: some StringProtocol) -> String {
        String(decoding: bytes(of: text) { _ in true }, as: UTF8.self)
    }

    /// Returns a reference to a page with all that no URL contains encoded, and each escape as it is.
    ///
    /// A URL of Foundation encodes the percent sign of the escapes, too, if there is anything else to encode.
    package static func encodedReference(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let slashes = text.firstRange(of: "//").flatMap { slashes in
            let before = text[..<slashes.lowerBound]
            return before.isEmpty || before.last == ":" && !before.contains { "/?#".contains($0) }
                ? slashes : nil
        }
        let authority = slashes.map { slashes in
            let start = text[..<slashes.lowerBound].utf8.count
            return start..<start + 2 + text[slashes.upperBound...].prefix { !"/?#".contains($0) }.utf8.count
        }
        let invalid = Set("\"<>\\^`{|}".utf8)
        let fragment = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        return String(
            decoding: bytes.indices.flatMap { index -> [UInt8] in
                let byte = bytes[index]
                let isEncoded =
                    switch byte {
                    case UInt8(ascii: "%"): value(bytes, index) == nil
                    // Those of an IP address are in the authority.
                    case UInt8(ascii: "["), UInt8(ascii: "]"): authority?.contains(index) != true
                    case UInt8(ascii: "#"): index > fragment
                    default: byte <= 0x20 || byte >= 0x7F || invalid.contains(byte)
                    }
                return isEncoded ? escape(byte, digits) : [byte]
            }, as: UTF8.self)
    }

    /// Returns a text in which only `reserved` characters, `%`, controls, and invalid UTF-8 are encoded.
    static func decoded(_ text: some StringProtocol, reserved: String) -> String {
        decoded(text) { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "%") && !reserved.utf8.contains($0) }
    }

    /// Returns a text in which letters, digits, and `-._~` are not encoded (RFC 3986, 6.2.2.2).
    static func decodedUnreserved(_ text: some StringProtocol) -> String {
        decoded(text, where: isUnreserved)
    }

    private static func decoded(_ text: some StringProtocol, where isDecoded: (UInt8) -> Bool) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        // A byte that is not UTF-8 would become U+FFFD, and different URLs the same.
        return String(validating: bytes(of: text, where: isDecoded), as: UTF8.self) ?? String(text)
    }

    private static func bytes(of text: some StringProtocol, where isDecoded: (UInt8) -> Bool) -> [UInt8] {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard let byte = value(bytes, index) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            result += isDecoded(byte) ? [byte] : escape(byte, digits)
            index += 3
        }
        return result
    }

    /// Returns a decoded text as programs write it: unchanged, as browsers do, and with all but the unreserved
    /// characters of RFC 3986 encoded, in capital or small digits.
    static func spellings(_ text: String, separators: String) -> [String] {
        func isPlain(_ byte: UInt8) -> Bool {
            isUnreserved(byte) || byte == UInt8(ascii: "%") || separators.utf8.contains(byte)
        }
        guard !text.utf8.allSatisfy(isPlain) else { return [text] }
        let bytes = Array(text.utf8)
        let unsafe = Set(" \"<>`{}".utf8)
        let all = [
            text, encoded(bytes, digits) { $0 >= 0x80 || unsafe.contains($0) },
            encoded(bytes, digits) { !isPlain($0) }, encoded(bytes, smallDigits) { !isPlain($0) },
        ]
        var seen: Set<[UInt8]> = []
        return all.filter { seen.insert(Array($0.utf8)).inserted }
    }

    private static func encoded(
        _ bytes: [UInt8], _ digits: [UInt8], _ isEncoded: (UInt8) -> Bool
    ) -> String {
        String(decoding: bytes.flatMap { isEncoded($0) ? escape($0, digits) : [$0] }, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
    private static let smallDigits = Array("0123456789abcdef".utf8)

    private static func escape(_ byte: UInt8, _ digits: [UInt8]) -> [UInt8] {
        [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    private static func value(_ bytes: [UInt8], _ index: Int) -> UInt8? {
        guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
            let high = bytes[index + 1].hexadecimalValue, let low = bytes[index + 2].hexadecimalValue
        else { return nil }
        return high << 4 | low
    }
}
