/// RFC 4648, section 4.
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encoded(_ bytes: [UInt8]) -> String {
        var characters: [UInt8] = []
        characters.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = (0..<3).reduce(0) { $0 << 8 | ($1 < group.count ? Int(group[start + $1]) : 0) }
            for sextet in 0..<4 {
                let isPadding = sextet > group.count
                characters.append(isPadding ? UInt8(ascii: "=") : alphabet[bits >> (18 - 6 * sextet) & 63])
            }
        }
        return String(decoding: characters, as: UTF8.self)
    }
}
