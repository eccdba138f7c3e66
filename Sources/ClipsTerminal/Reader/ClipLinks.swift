import ClipsCore
import Platform

/// The links in the texts of a clip: named links, references to addresses that the text lists at its end, as that of a saved
/// page does, and URLs. A list with numbers from one on has these numbers; the other links are numbered after them, in the
/// order of their first occurrence.
struct ClipLinks: Sendable {
    private(set) var urls: [String] = []
    /// The number of addresses at the end of the text, those of them that may have no number yet, and all of the text
    /// by their names.
    private(set) var listed = 0
    private var rest: [String] = []
    private var definitions: [String: String] = [:]
    /// The links in the last text that got numbers, in bytes.
    private(set) var ranges: [Range<Int>] = []
    /// The numbers in it, with the space before each, in ascending order.
    private(set) var numberRanges: [Range<Int>] = []
    /// Whether a link has no number, since there are too many.
    private(set) var isCut = false
    private var numbers: [String: Int] = [:]
    private var left = Self.maxBytes

    /// The bytes of a clip that are searched; the time of a key.
    static let maxBytes = 1 << 20
    static let maxCount = 9999
    private static let quoteEnd = Array(String(Clip.quoteEnd).utf8)
    private static let maxReference = 1000

    init() {}

    /// Removes the addresses from the end of a text, `[1]: https://example.org`.
    init(takingListOf text: inout String) {
        let bytes = Array(text.utf8.suffix(Self.maxBytes))
        var (end, found) = (bytes.count, [LinkDefinition]())
        while end > 0, found.count < Self.maxCount {
            let start = bytes[..<end].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            guard let definition = LinkDefinition(bytes[start..<end]) else { break }
            found.append(definition)
            end = max(0, start - 1)
        }
        found.reverse()
        let own = LinkDefinition.all(in: bytes[..<end])
        let count = LinkDefinition.listed(found, after: bytes[..<end])
        guard count > 0 || !own.isEmpty else { return }
        for definition in found.suffix(count) + own + found.dropLast(count)
        where definitions[definition.name] == nil { definitions[definition.name] = definition.address }
        guard count > 0 else { return }
        rest = found.suffix(count).map(\.address)
        listed = count
        // The numbers of a saved page's list are those that the text has outside of the app, too.
        if found.suffix(count).enumerated().allSatisfy({ $1.name == String($0 + 1) }) { addRest() }
        end = found.count > count ? found[found.count - count].start - 1 : end
        while end > 0, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        text = String(decoding: text.utf8.dropLast(bytes.count - end), as: UTF8.self)
    }

    /// Numbers the listed addresses to which no text leads.
    mutating func addRest() {
        for address in rest { _ = number(of: address) }
        rest = []
    }

    /// The address of a link, the number to insert, and its signs.
    private struct Mark {
        var offset: Int
        let address: String
        var signs: (before: String, after: String) = ("", "")
    }

    /// The range of code, of which a block gets numbers at the ends of its lines, and words get one after them.
    private struct Code {
        var range: Range<Int>
        let isBlock: Bool
    }

    /// Returns a text in which a reference to the list, `[words][1]`, and a link, `[words](https://example.org)`, have
    /// brackets for a number only, with the ranges and the marks of these references, and with the ranges of its code,
    /// which remains as it is.
    private func withoutBrackets(
        _ bytes: [UInt8]
    ) -> (bytes: [UInt8], references: [Range<Int>], marks: [Mark], code: [Code]) {
        var (result, references, code): ([UInt8], [Range<Int>], [Code]) = ([], [], [])
        var marks: [Mark] = []
        // A literal bracket, nil, ends with the next one, literal or not, which then ends no link that began before.
        var (open, index, blocks) = ([Int?](), 0, TextCode.all(in: bytes)[...])
        while index < bytes.count {
            if let block = blocks.first, block.range.lowerBound == index {
                let range = result.count..<result.count + block.range.count
                code.append(Code(range: range, isBlock: block.lines != nil))
                result += bytes[block.range]
                index = blocks.removeFirst().range.upperBound
                continue
            }
            if bytes[index] == UInt8(ascii: "[") {
                open.append(Self.isLiteral(bytes, index) ? nil : result.count)
            } else if bytes[index] == UInt8(ascii: "]"),
                open.last == .some(nil) || !Self.isLiteral(bytes, index),
                let start = open.popLast() ?? nil, result.count - start <= Self.maxReference,
                let (address, end) = reference(bytes, at: index + 1, words: result[(start + 1)...])
            {
                // A number is the only sign of its link.
                let isNumber = end == index + 1 && result[(start + 1)...].allSatisfy { 48...57 ~= $0 }
                if isNumber { result.removeLast(result.count - start - 1) }
                result.remove(at: start)
                for block in code.indices.reversed() {
                    let range = code[block].range
                    guard range.lowerBound > start else { break }
                    code[block].range = range.lowerBound - 1..<range.upperBound - 1
                }
                for mark in marks.indices.reversed() {
                    guard marks[mark].offset > start else { break }
                    marks[mark].offset -= 1
                }
                result += Array((isNumber ? "[]" : " []").utf8)
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

    /// Whether a backslash that is none itself precedes a byte.
    private static func isLiteral(_ bytes: [UInt8], _ index: Int) -> Bool {
        !bytes[..<index].reversed().prefix { $0 == UInt8(ascii: "\\") }.count.isMultiple(of: 2)
    }

    /// Returns the address of the link after its words in brackets, and the index after it.
    private func reference(
        _ bytes: [UInt8], at start: Int, words: ArraySlice<UInt8>
    ) -> (address: String, end: Int)? {
        let next = start < bytes.count ? bytes[start] : 0x20
        if !definitions.isEmpty {
            let name = bytes[start...].prefix(LinkDefinition.maxName + 2)
            if next == UInt8(ascii: "["), let end = name.firstIndex(of: UInt8(ascii: "]")),
                let address = address(named: end == start + 1 ? words : bytes[(start + 1)..<end])
            {
                return (address, end + 1)
            }
            // A definition in the text remains there.
            if next != UInt8(ascii: "("), next != UInt8(ascii: ":"), let address = address(named: words) {
                return (address, start)
            }
        }
        guard start < bytes.count, bytes[start] == UInt8(ascii: "("),
            let end = bytes[start...].prefix(Self.maxReference).firstIndex(of: UInt8(ascii: ")")),
            Self.schemes.contains(where: { bytes[(start + 1)..<end].starts(with: $0 + Array("://".utf8)) }),
            bytes[(start + 1)..<end].allSatisfy({ $0 > 0x20 && $0 != UInt8(ascii: "(") })
        else { return nil }
        return (String(decoding: bytes[(start + 1)..<end], as: UTF8.self), end + 1)
    }

    private func address(named name: ArraySlice<UInt8>) -> String? {
        guard name.count <= LinkDefinition.maxName else { return nil }
        return definitions[LinkDefinition.name(name)]
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
    mutating func numbered(_ text: String, isMarkdown: Bool = true) -> String {
        let all = Array(text.utf8.prefix(left))
        let (bytes, references, named, code) = isMarkdown ? withoutBrackets(all) : (all, [], [], [])
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
            while let block = blocks.first, block.range.upperBound <= start { blocks.removeFirst() }
            let block = blocks.first.flatMap { $0.range.contains(start) ? $0 : nil }
            let isInBrackets = start > 0 && bytes[start - 1] == UInt8(ascii: "<")
            var end = isInBrackets && stop < bytes.count && bytes[stop] == UInt8(ascii: ">") ? stop + 1 : stop
            let address = String(decoding: bytes[start..<stop], as: UTF8.self)
            let reference = TextMarks.overlapping(start..<end, in: references, { $0 }).first
            if block == nil, reference == nil { links.append(start..<end) }
            // The words of a link may be its address.
            if let reference, reference.lowerBound <= start,
                named.contains(where: { $0.offset == reference.upperBound - 1 && $0.address == address })
            {
                continue
            }
            if let block {
                let line = bytes[stop...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                end = block.isBlock ? min(line, block.range.upperBound) : block.range.upperBound
            }
            marks.append(Mark(offset: end, address: address, signs: (" [", "]")))
        }
        (ranges, numberRanges) = ([], [])
        guard !marks.isEmpty else { return text }
        let sorted = marks.enumerated().sorted { ($0.1.offset, $0.0) < ($1.1.offset, $1.0) }
        return insert(sorted.map(\.1), into: bytes + rest, links)
    }

    /// Returns a text with numbers at the marks, which are in ascending order, and adapts the ranges of links to them.
    private mutating func insert(_ marks: [Mark], into bytes: [UInt8], _ links: [Range<Int>]) -> String {
        var (result, copied) = ([UInt8](), 0)
        var shifts: [(offset: Int, count: Int)] = []
        for mark in marks {
            let number = number(of: mark.address)
            guard number != nil || mark.signs.before.isEmpty else { continue }
            let shown = mark.signs.before + (number.map(String.init) ?? "…") + mark.signs.after
            result += bytes[copied..<mark.offset] + Array(shown.utf8)
            // The brackets of a reference are in the text.
            let isInserted = !mark.signs.before.isEmpty
            let hasSpace = !isInserted && mark.offset > 1 && bytes[mark.offset - 2] == 0x20
            let before = isInserted ? 0 : hasSpace ? 2 : 1
            let start = result.count - shown.utf8.count - before
            numberRanges.append(start..<result.count + (isInserted ? 0 : 1))
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
