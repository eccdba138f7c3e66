import ClipsCore
import Platform
import SearchIndex

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
    /// The URLs that the texts show.
    private(set) var shown: Set<String> = []
    /// Whether a link has no number, since there are too many.
    private(set) var isCut = false
    private var numbers: [String: Int] = [:]
    private var left = Self.maxBytes

    /// The bytes of a clip that are searched; the time of a key.
    static let maxBytes = 4 << 20
    static let cutNotice = "Only the first \(LinkDefinition.maxCount.grouped) links have numbers."

    init() {}

    /// Removes the addresses from the end of a text, `[1]: https://example.org`.
    init(takingListOf text: inout String) {
        let bytes = Array(text.utf8.suffix(Self.maxBytes))
        var (end, found) = (bytes.count, [LinkDefinition]())
        while end > 0, found.count < LinkDefinition.maxCount {
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

    /// The signs that replace a part of the text, with a number between them if there is an address.
    private struct Edit {
        let range: Range<Int>
        var before = ""
        var address: String?
        var after = ""
        /// Whether the part remains if there is no number left.
        var isOptional = false
    }

    /// Returns a text with a number after each link and URL, in the order of reading, and without the brackets of links.
    mutating func numbered(_ text: String, isMarkdown: Bool = true) -> String {
        let bytes = Array(text.utf8.prefix(left))
        let rest = text.utf8.dropFirst(left)
        left = max(0, left - text.utf8.count)
        let code = isMarkdown ? TextCode.all(in: bytes) : []
        let all =
            isMarkdown
            ? InlineMark.all(in: bytes, code: code) { name, _ in address(named: name) != nil } : []
        let marks = links(all, in: bytes)
        var (edits, links) = (
            marks.flatMap { self.edits(of: $0.mark, $0.address, in: bytes) }, [Range<Int>]()
        )
        for (mark, address) in marks {
            guard let address else { continue }
            if mark.kind == .address { shown.insert(address) }
            // One around others replaces them.
            while let last = links.last, last.lowerBound >= mark.range.lowerBound { links.removeLast() }
            links.append(mark.range)
        }
        let addresses = Dictionary(marks.map { ($0.mark.range.lowerBound, $0.address) }) { first, _ in first }
        var (urls, blocks) = ([Range<Int>](), code[...])
        let closings = marks.map { $0.mark.kind == .address ? $0.mark.range : $0.mark.closing }
        for url in LinkAddress.urls(in: bytes, between: all) {
            // That of a link is after its words.
            guard TextMarks.overlapping(url, in: closings, { $0 }).isEmpty else { continue }
            let address = String(decoding: bytes[url], as: UTF8.self)
            while let block = blocks.first, block.range.upperBound <= url.lowerBound { blocks.removeFirst() }
            let block = blocks.first.flatMap { $0.range.contains(url.lowerBound) ? $0 : nil }
            let around = TextMarks.overlapping(url, in: links, { $0 }).first
            if block == nil, around == nil { urls.append(url) }
            // The words of a link may be its address, or the beginning of it.
            let isCut = ["…", "..."].contains { bytes[url.upperBound...].starts(with: $0.utf8) }
            if let around, let linked = addresses[around.lowerBound] ?? nil {
                let isWhole =
                    [address, address + "/"].contains(linked) || !isCut && ReadableURL.text(linked) == address
                if isWhole { shown.insert(linked) }
                if isWhole || isCut || linked.hasPrefix(address) { continue }
            }
            var end = url.upperBound
            if let block {
                let line = bytes[end...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                end = block.lines == nil ? block.range.upperBound : min(line, block.range.upperBound)
            } else if bytes[..<url.lowerBound].last == UInt8(ascii: "<"),
                bytes[end...].first == UInt8(ascii: ">")
            {
                end += 1
            }
            shown.insert(address)
            edits.append(Edit(range: end..<end, before: " [", address: address, after: "]", isOptional: true))
        }
        (ranges, numberRanges) = ([], [])
        guard !edits.isEmpty else { return text }
        let sorted = edits.enumerated().sorted {
            ($0.1.range.lowerBound, $0.1.range.upperBound, $0.0)
                < ($1.1.range.lowerBound, $1.1.range.upperBound, $1.0)
        }
        return apply(sorted.map(\.1), to: bytes + rest, links + urls)
    }

    /// Returns the links and images in ascending order of their ends, with the address of each to which one leads.
    private func links(
        _ marks: [InlineMark], in bytes: [UInt8]
    ) -> [(mark: InlineMark, address: String?)] {
        marks.compactMap { mark in
            let target = bytes[mark.target]
            switch mark.kind {
            case .address:
                let scheme = LinkAddress.isMail(target) ? "mailto:" : ""
                return (mark, scheme + String(decoding: target, as: UTF8.self))
            case .link where mark.isNamed, .image where mark.isNamed: return (mark, address(named: target))
            case .link where LinkAddress.hasScheme(target), .image where LinkAddress.hasScheme(target):
                return (mark, LinkAddress.string(of: target))
            case .image: return (mark, nil)
            default: return nil
            }
        }
    }

    private func edits(of mark: InlineMark, _ address: String?, in bytes: [UInt8]) -> [Edit] {
        let number = Edit(range: mark.closing, before: " [", address: address, after: "]")
        guard mark.kind == .image else {
            // A number is the only sign of its link.
            return mark.isNumber(in: bytes)
                ? [Edit(range: mark.range, before: "[", address: address, after: "]")]
                : [Edit(range: mark.opening), number]
        }
        let isApart = bytes[..<mark.opening.lowerBound].last != UInt8(ascii: ")")
        let words = (isApart ? "" : " ") + (mark.words.isEmpty ? "(image" : "(image: ")
        guard address != nil else {
            return [Edit(range: mark.opening, before: words), Edit(range: mark.closing, before: ")")]
        }
        return [
            Edit(range: mark.opening, before: words),
            Edit(range: mark.closing, before: ") [", address: address, after: "]"),
        ]
    }

    private func address(named name: ArraySlice<UInt8>) -> String? {
        definitions.isEmpty || name.count > LinkDefinition.maxName
            ? nil : definitions[LinkDefinition.name(name)]
    }

    /// Returns the number of an address, a new one if it has none; nil if there are too many.
    private mutating func number(of url: String) -> Int? {
        if let known = numbers[url] { return known }
        guard urls.count < LinkDefinition.maxCount else {
            isCut = true
            return nil
        }
        urls.append(url)
        numbers[url] = urls.count
        return urls.count
    }

    /// Returns a text with edits, which are in ascending order, and finds the ranges of links and numbers in it.
    private mutating func apply(_ edits: [Edit], to bytes: [UInt8], _ links: [Range<Int>]) -> String {
        var (result, copied) = ([UInt8](), 0)
        var shifts: [(offset: Int, count: Int)] = []
        for edit in edits {
            let number = edit.address.flatMap { self.number(of: $0) }
            if number == nil, edit.isOptional { continue }
            result += bytes[copied..<edit.range.lowerBound]
            let start = result.count - (edit.before == "[" && result.last == 0x20 ? 1 : 0)
            let sign = number.map { String($0) } ?? (edit.address == nil ? "" : "…")
            result += Array((edit.before + sign + edit.after).utf8)
            if edit.address != nil {
                numberRanges.append(start + (edit.before.first == ")" ? 1 : 0)..<result.count)
            }
            copied = edit.range.upperBound
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
}
