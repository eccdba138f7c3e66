import ClipsCore

/// The URLs in the texts of a clip, numbered in the order of their first occurrence.
struct ClipLinks: Sendable {
    private(set) var urls: [String] = []
    private var numbers: [String: Int] = [:]
    private var left = Self.maxBytes

    /// The bytes of a clip that are searched; the time of a key.
    private static let maxBytes = 1 << 20
    private static let maxCount = 999
    private static let quoteEnd = Array(String(Clip.quoteEnd).utf8)
    private static let schemes = ["https", "http", "file"].map { Array($0.utf8) }

    /// Returns a text with a number after each URL.
    mutating func numbered(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let end = min(bytes.count, left)
        left -= end
        var result: [UInt8] = []
        var copied = 0
        var index = 0
        while index + 2 < end, urls.count < Self.maxCount {
            guard bytes[index] == UInt8(ascii: ":"), bytes[index + 1] == UInt8(ascii: "/"),
                bytes[index + 2] == UInt8(ascii: "/"), let start = Self.start(bytes, at: index, after: copied)
            else {
                index += 1
                continue
            }
            let stop = Self.end(bytes, from: index + 3, upTo: end)
            index = max(stop, index + 3)
            guard stop > start + 8 else { continue }
            let url = String(decoding: bytes[start..<stop], as: UTF8.self)
            let number = numbers[url] ?? urls.count + 1
            if numbers.updateValue(number, forKey: url) == nil { urls.append(url) }
            result += bytes[copied..<stop] + Array(" [\(number)]".utf8)
            copied = stop
        }
        guard copied > 0 else { return text }
        return String(decoding: result + bytes[copied...], as: UTF8.self)
    }

    /// Returns the start of the scheme that ends at an index.
    private static func start(_ bytes: [UInt8], at end: Int, after first: Int) -> Int? {
        for scheme in schemes where end - scheme.count >= first {
            let start = end - scheme.count
            let isWhole = start == 0 || !isLetter(bytes[start - 1])
            if isWhole, bytes[start..<end].map({ $0 | 0x20 }) == scheme { return start }
        }
        return nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte >= 0x80
    }

    /// Returns the end of a URL: at white space, a quote, or an angle bracket, without closing punctuation.
    private static func end(_ bytes: [UInt8], from start: Int, upTo limit: Int) -> Int {
        var end = start
        while end < limit, bytes[end] > 0x20, bytes[end] != 0x7F, !"<>\"`".utf8.contains(bytes[end]),
            !bytes[end...].starts(with: quoteEnd)
        {
            end += 1
        }
        while end > start {
            let last = bytes[end - 1]
            let opening: UInt8? =
                switch last {
                case UInt8(ascii: ")"): UInt8(ascii: "(")
                case UInt8(ascii: "]"): UInt8(ascii: "[")
                case UInt8(ascii: "}"): UInt8(ascii: "{")
                default: nil
                }
            if let opening {
                let part = bytes[start..<end]
                if part.count(where: { $0 == opening }) >= part.count(where: { $0 == last }) { break }
            } else if !".,;:!?'*_|".utf8.contains(last) {
                break
            }
            end -= 1
        }
        return end
    }
}
