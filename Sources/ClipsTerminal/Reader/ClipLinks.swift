import ClipsCore
import Platform

/// The links in the texts of a clip, numbered: the addresses that the text lists at its end, as that of a saved page does,
/// and then the named links and the URLs in the order of their first occurrence.
struct ClipLinks: Sendable {
    private(set) var urls: [String] = []
    /// The number of addresses at the end of the text.
    private(set) var listed = 0
    /// The links in the last text that got numbers, in bytes.
    private(set) var ranges: [Range<Int>] = []
    /// Whether a link has no number, since there are too many.
    private(set) var isCut = false
    private var numbers: [String: Int] = [:]
    private var left = Self.maxBytes

    /// The bytes of a clip that are searched; the time of a key.
    private static let maxBytes = 1 << 20
    static let maxCount = 9999
    private static let quoteEnd = Array(String(Clip.quoteEnd).utf8)
    private static let maxReference = 1000

    init() {}

    /// Removes the addresses from the end of a text, `[1]: https://example.org`.
    init(takingListOf text: inout String) {
        let bytes = Array(text.utf8.suffix(Self.maxBytes))
        var (end, found, expected) = (bytes.count, [String](), 0)
        while end > 0, found.count < Self.maxCount {
            let start = bytes[..<end].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            guard let (number, address) = Self.definition(bytes[start..<end]),
                found.isEmpty || number == expected
            else { break }
            found.append(address)
            expected = number - 1
            end = max(0, start - 1)
        }
        guard !found.isEmpty, expected == 0 else { return }
        while end > 0, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        (urls, listed) = (found.reversed(), found.count)
        numbers = Dictionary(zip(urls, 1...)) { first, _ in first }
        text = String(decoding: text.utf8.dropLast(bytes.count - end), as: UTF8.self)
    }

    /// Returns the number and the address of a line of the list.
    private static func definition(_ line: ArraySlice<UInt8>) -> (number: Int, address: String)? {
        guard let (number, end) = number(line, at: line.startIndex), line.endIndex > end + 2,
            line[end] == UInt8(ascii: ":"), line[end + 1] == 0x20
        else { return nil }
        let address = line[(end + 2)...]
        return address.allSatisfy { $0 > 0x20 } ? (number, String(decoding: address, as: UTF8.self)) : nil
    }

    /// Returns a number in brackets, and the index after it.
    private static func number(_ bytes: ArraySlice<UInt8>, at start: Int) -> (number: Int, end: Int)? {
        guard start < bytes.endIndex, bytes[start] == UInt8(ascii: "["),
            let end = bytes[start...].prefix(6).firstIndex(of: UInt8(ascii: "]")),
            let number = Int(String(decoding: bytes[(start + 1)..<end], as: UTF8.self)), number > 0
        else { return nil }
        return (number, end + 1)
    }

    /// The address of a link, the number to insert, and its signs; none for a link in code.
    private struct Mark {
        var offset: Int
        let address: String
        var signs: (before: String, after: String)? = ("", "")
    }

    /// Returns a text in which a reference to the list, `[words][1]`, and a link, `[words](https://example.org)`, have
    /// brackets for a number only, with the ranges and the marks of these references, and with the ranges of its code,
    /// which remains as it is.
    private func withoutBrackets(
        _ bytes: [UInt8]
    ) -> (bytes: [UInt8], references: [Range<Int>], marks: [Mark], code: [Range<Int>]) {
        var (result, references, code): ([UInt8], [Range<Int>], [Range<Int>]) = ([], [], [])
        var marks: [Mark] = []
        var (open, index, blocks) = ([Int](), 0, TextMarks.code(in: bytes).map(\.range)[...])
        while index < bytes.count {
            if let block = blocks.first, block.lowerBound == index {
                code.append(result.count..<result.count + block.count)
                result += bytes[block]
                index = blocks.removeFirst().upperBound
                continue
            }
            let isLiteral = index > 0 && bytes[index - 1] == UInt8(ascii: "\\")
            if bytes[index] == UInt8(ascii: "["), !isLiteral {
                open.append(result.count)
            } else if bytes[index] == UInt8(ascii: "]"), !isLiteral, let start = open.popLast(),
                result.count - start <= Self.maxReference,
                let (address, end) = reference(bytes, at: index + 1)
            {
                result.remove(at: start)
                for block in code.indices.reversed() {
                    guard code[block].lowerBound > start else { break }
                    code[block] = code[block].lowerBound - 1..<code[block].upperBound - 1
                }
                for mark in marks.indices.reversed() {
                    guard marks[mark].offset > start else { break }
                    marks[mark].offset -= 1
                }
                result += Array(" []".utf8)
                marks.append(Mark(offset: result.count - 1, address: address))
                // One around others replaces them.
                while let last = references.last, last.upperBound > start { references.removeLast() }
                references.append(start..<result.count)
                index = end
                continue
            }
            result.append(bytes[index])
            index += 1
        }
        return (result, references, marks, code)
    }

    /// Returns the address of the link after its words in brackets, and the index after it.
    private func reference(_ bytes: [UInt8], at start: Int) -> (address: String, end: Int)? {
        if let (number, end) = Self.number(bytes[...], at: start), number <= listed {
            return (urls[number - 1], end)
        }
        guard start < bytes.count, bytes[start] == UInt8(ascii: "("),
            let end = bytes[start...].prefix(Self.maxReference).firstIndex(of: UInt8(ascii: ")")),
            Self.schemes.contains(where: { bytes[(start + 1)..<end].starts(with: $0 + Array("://".utf8)) }),
            bytes[(start + 1)..<end].allSatisfy({ $0 > 0x20 && $0 != UInt8(ascii: "(") })
        else { return nil }
        return (String(decoding: bytes[(start + 1)..<end], as: UTF8.self), end + 1)
    }

    /// Returns the number of an address, a new one if it has none; nil if there are too many.
    private mutating func number(of url: String) -> Int? {
        if let known = numbers[url] { return known }
        guard urls.count < Self.maxCount else {
            isCut = true
            return nil
        }
        urls.append(url)
        numbers[url] = urls.count
        return urls.count
    }

    private static let schemes = ["https", "http", "file"].map { Array($0.utf8) }

    /// Returns a text with a number after each URL.
    mutating func numbered(_ text: String) -> String {
        let (bytes, references, named, code) = withoutBrackets(Array(text.utf8.prefix(left)))
        let rest = text.utf8.dropFirst(left)
        left = max(0, left - text.utf8.count)
        var (marks, links) = (named, references)
        var (index, last, blocks) = (0, 0, code[...])
        while index + 2 < bytes.count {
            guard bytes[index] == UInt8(ascii: ":"), bytes[index + 1] == UInt8(ascii: "/"),
                bytes[index + 2] == UInt8(ascii: "/"), let start = Self.start(bytes, at: index, after: last)
            else {
                index += 1
                continue
            }
            let stop = Self.end(bytes, from: index + 3, upTo: bytes.count)
            index = max(stop, index + 3)
            guard stop > start + 8 else { continue }
            last = stop
            while let block = blocks.first, block.upperBound <= start { blocks.removeFirst() }
            let isCode = blocks.first?.contains(start) == true
            let isInBrackets = start > 0 && bytes[start - 1] == UInt8(ascii: "<")
            let end = isInBrackets && stop < bytes.count && bytes[stop] == UInt8(ascii: ">") ? stop + 1 : stop
            let address = String(decoding: bytes[start..<stop], as: UTF8.self)
            marks.append(Mark(offset: end, address: address, signs: isCode ? nil : (" [", "]")))
            if !isCode, TextMarks.overlapping(start..<end, in: references, { $0 }).isEmpty {
                links.append(start..<end)
            }
        }
        ranges = []
        guard !marks.isEmpty else { return text }
        return insert(marks.sorted { $0.offset < $1.offset }, into: bytes + rest, links)
    }

    /// Returns a text with numbers at the marks, which are in ascending order, and adapts the ranges of links to them.
    private mutating func insert(_ marks: [Mark], into bytes: [UInt8], _ links: [Range<Int>]) -> String {
        var (result, copied) = ([UInt8](), 0)
        var shifts: [(offset: Int, count: Int)] = []
        for mark in marks {
            let number = number(of: mark.address)
            guard let signs = mark.signs, number != nil || signs.before.isEmpty else { continue }
            let shown = signs.before + (number.map(String.init) ?? "…") + signs.after
            result += bytes[copied..<mark.offset] + Array(shown.utf8)
            copied = mark.offset
            shifts.append((copied, result.count - copied))
        }
        func shifted(_ offset: Int) -> Int {
            let count = shifts.partitionPoint { $0.offset > offset }
            return count == 0 ? offset : offset + shifts[count - 1].count
        }
        ranges = links.map { shifted($0.lowerBound)..<shifted($0.upperBound) }
        ranges.sort { $0.lowerBound < $1.lowerBound }
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
