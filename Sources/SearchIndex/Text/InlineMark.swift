import Platform

/// A mark of Markdown within a paragraph. All that shows, numbers, searches, or merges texts reads these marks here.
///
/// They are those of CommonMark, except for signs that other texts have, too, such as the stars of `2*3*4` and the
/// backslashes of paths.
package struct InlineMark: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A backslash before a sign.
        case literal
        case code, italic, bold, struck, link, image
        /// An address in angle brackets.
        case address
    }

    /// The form of a reference to a link: `[words][name]`, the same after a word, and `[name]`.
    package enum Reference { case full, indexed, short }

    package let kind: Kind
    /// The signs before and after the words.
    package let opening: Range<Int>
    package let closing: Range<Int>
    /// The address of a link, or its name.
    package var target = 0..<0
    package var isNamed = false

    package var words: Range<Int> { opening.upperBound..<closing.lowerBound }
    package var range: Range<Int> { opening.lowerBound..<closing.upperBound }

    /// Whether a link is a number in brackets only.
    package func isNumber(in bytes: [UInt8]) -> Bool {
        isNamed && kind == .link && closing.count == 1 && bytes[words].allSatisfy { 48...57 ~= $0 }
    }

    /// Returns the marks in a part of a text, in the order of their ends.
    ///
    /// - Parameters:
    ///   - region: A paragraph or more; nil for all of the text.
    ///   - code: The code of the text, in which no other mark is.
    ///   - isDocument: Whether the text is a file of Markdown, in which all backslashes are those of CommonMark, and links
    ///     may be long.
    ///   - isName: Whether a name is that of a link.
    /// - Complexity: O(*n*).
    package static func all(
        in bytes: [UInt8], _ region: Range<Int>? = nil, code: [TextCode], isBegun: Bool = false,
        isDocument: Bool = false,
        isName: (ArraySlice<UInt8>, Reference) -> Bool = { _, _ in false }
    ) -> [InlineMark] {
        var scan = InlineScan(bytes: bytes, region: region ?? bytes.indices, isDocument: isDocument)
        return scan.marks(code, isBegun, isName)
    }
}

private struct InlineScan {
    let bytes: [UInt8]
    let region: Range<Int>
    private let isDocument: Bool
    private var found: [InlineMark] = []
    private var brackets: [(range: Range<Int>, isLiteral: Bool)] = []
    private var openings: [Opening] = []
    private var lastSpace = -1

    /// Signs that may begin bold, italic, or struck words.
    private struct Opening {
        let sign: UInt8
        let start: Int
        /// The signs without an end, of which the last ones end first.
        var count: Int
        /// Whether a letter of ASCII precedes it, so that the words end in the same word.
        let isInWord: Bool
    }

    /// The bytes within which emphasis, and a link, end.
    private static let maxLength = 2000
    private let maxReference: Int
    private static let maxName = 100
    private static let maxOpen = 100
    private static let maxPath = 300
    /// The reader's mark of a quote, which is not in the text.
    private static let quote = Array("❝".utf8)
    private static let star = UInt8(ascii: "*")

    /// The last parenthesis that may end an address.
    private let lastParenthesis: Int

    init(bytes: [UInt8], region: Range<Int>, isDocument: Bool) {
        (self.bytes, self.region, self.isDocument) = (bytes, region, isDocument)
        maxReference = isDocument ? 8192 : 1000
        lastParenthesis = bytes[region].lastIndex(of: UInt8(ascii: ")")) ?? -1
    }

    private func byte(_ index: Int) -> UInt8 { region.contains(index) ? bytes[index] : 0x20 }

    mutating func marks(
        _ code: [TextCode], _ isBegun: Bool, _ isName: (ArraySlice<UInt8>, InlineMark.Reference) -> Bool
    ) -> [InlineMark] {
        var blocks = code[code.partitionPoint { $0.range.upperBound > region.lowerBound }...]
        var (index, isBegun) = (region.lowerBound, isBegun)
        // The end of the last mark of a quote or an item.
        var start = region.lowerBound
        while index < region.upperBound {
            if let block = blocks.first, block.range.lowerBound <= index {
                blocks.removeFirst()
                if block.lines != nil { endParagraph() } else { add(code: block) }
                (index, isBegun) = (max(index, block.range.upperBound), true)
                continue
            }
            let byte = bytes[index]
            if byte <= 0x20 { lastSpace = index }
            if byte == UInt8(ascii: "\n") {
                isBegun = false
                let rest = bytes[(index + 1)..<region.upperBound].first {
                    $0 != 0x20 && $0 != UInt8(ascii: ">")
                }
                if rest == UInt8(ascii: "\n") { endParagraph() }
            }
            if byte == UInt8(ascii: "\\"), "*_".utf8.contains(self.byte(index + 1)), isInPath(index) {
                (index, isBegun) = (index + 2, true)
                continue
            }
            if byte == UInt8(ascii: "\\"), isEscaped(index, isBegun) {
                found.append(
                    InlineMark(kind: .literal, opening: index..<index + 1, closing: index + 1..<index + 1))
                // A literal bracket ends with the next one, literal or not, which then ends no link.
                if bytes[index + 1] == UInt8(ascii: "["), !isDocument {
                    open(index + 1..<index + 2, isLiteral: true)
                }
                if bytes[index + 1] == UInt8(ascii: "]"), brackets.last?.isLiteral == true {
                    brackets.removeLast()
                }
                (index, isBegun) = (index + 2, true)
                continue
            }
            if byte == Self.quote[0], bytes[index...].starts(with: Self.quote) {
                index += Self.quote.count
                continue
            }
            // A number may begin an item of a list.
            if !isBegun, byte > 0x20, !byte.isASCIIDigit, index >= start {
                if let end = end(ofContainer: index) { start = end } else { isBegun = true }
            }
            index = addMark(at: index, isName)
        }
        return found
    }

    /// Returns the end of the mark of a quote, an item, a task, or a description, after which a line may begin.
    ///
    /// - Parameter index: The last byte of the mark, or the first one of that of a task.
    private func end(ofContainer index: Int) -> Int? {
        var end = index + 1
        let isMark =
            switch byte(index) {
            case UInt8(ascii: "["):
                " xX".utf8.contains(byte(index + 1)) && byte(index + 2) == UInt8(ascii: "]")
            case UInt8(ascii: "."), UInt8(ascii: ")"): byte(index - 1).isASCIIDigit
            case let byte: ">-+*:".utf8.contains(byte)
            }
        if byte(index) == UInt8(ascii: "[") { end = index + 3 }
        return isMark && (byte(index) == UInt8(ascii: ">") || byte(end) == 0x20) ? end : nil
    }

    private mutating func endParagraph() { (brackets, openings) = ([], []) }

    private mutating func add(code: TextCode) {
        let count = bytes[code.range].prefix { $0 == UInt8(ascii: "`") }.count
        guard code.range.lowerBound >= region.lowerBound, code.range.upperBound <= region.upperBound else {
            return
        }
        var words = code.range.lowerBound + count..<code.range.upperBound - count
        // Spaces separate words from their own signs.
        if words.count > 2, bytes[words.lowerBound] == 0x20, bytes[words.upperBound - 1] == 0x20 {
            words = words.lowerBound + 1..<words.upperBound - 1
        }
        found.append(
            InlineMark(
                kind: .code, opening: code.range.lowerBound..<words.lowerBound,
                closing: words.upperBound..<code.range.upperBound))
    }

    private mutating func open(_ range: Range<Int>, isLiteral: Bool = false) {
        brackets.append((range, isLiteral))
        if brackets.count > Self.maxOpen { brackets.removeFirst() }
    }

    /// Adds what a sign begins or ends, and returns the index after it.
    private mutating func addMark(
        at index: Int, _ isName: (ArraySlice<UInt8>, InlineMark.Reference) -> Bool
    ) -> Int {
        switch bytes[index] {
        case Self.star, UInt8(ascii: "~"):
            let sign = bytes[index]
            let end = bytes[index..<region.upperBound].firstIndex { $0 != sign } ?? region.upperBound
            addEmphasis(index..<end)
            return end
        case UInt8(ascii: "!") where byte(index + 1) == UInt8(ascii: "["):
            open(index..<index + 2)
            return index + 2
        case UInt8(ascii: "["): open(index..<index + 1)
        case UInt8(ascii: "]"):
            // A literal bracket in the words of a reference may have no end.
            let isEnd = byte(index + 1) == UInt8(ascii: "[")
            let literals = isEnd ? brackets.reversed().prefix(while: \.isLiteral).count : 0
            guard let start = brackets.dropLast(literals).last ?? brackets.last, !start.isLiteral,
                index - start.range.lowerBound <= maxReference,
                let link = link(from: start.range, at: index, isName)
            else {
                _ = brackets.popLast()
                break
            }
            brackets.removeLast(literals + 1)
            found.append(link)
            while let last = openings.last, last.start > start.range.lowerBound { openings.removeLast() }
            return link.closing.upperBound
        case UInt8(ascii: "<"):
            let rest = bytes[(index + 1)..<region.upperBound].prefix(Self.maxLength)
            let target = rest.prefix { $0 > 0x20 && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }
            guard byte(target.endIndex) == UInt8(ascii: ">"), isAddress(target) else { break }
            found.append(
                InlineMark(
                    kind: .address, opening: index..<index + 1,
                    closing: target.endIndex..<target.endIndex + 1, target: target.indices))
            return target.endIndex + 1
        default: break
        }
        return index + 1
    }

    private func link(
        from start: Range<Int>, at end: Int, _ isName: (ArraySlice<UInt8>, InlineMark.Reference) -> Bool
    ) -> InlineMark? {
        let (words, next) = (bytes[start.upperBound..<end], byte(end + 1))
        func mark(_ target: Range<Int>, upTo last: Int, isNamed: Bool) -> InlineMark {
            InlineMark(
                kind: start.count == 2 ? .image : .link, opening: start, closing: end..<last, target: target,
                isNamed: isNamed)
        }
        if next == UInt8(ascii: "(") {
            guard end + 2 <= lastParenthesis else { return nil }
            return address(after: end + 2).map { mark($0.address, upTo: $0.end, isNamed: false) }
        }
        if next == UInt8(ascii: "["),
            let last = bytes[(end + 2)..<region.upperBound].prefix(Self.maxName + 1).firstIndex(
                of: UInt8(ascii: "]"))
        {
            let name = last == end + 2 ? words : bytes[(end + 2)..<last]
            let before = byte(start.lowerBound - 1)
            let isIndexed = before.isOfWord || ")]".utf8.contains(before)
            if name.count <= Self.maxName, isName(name, isIndexed ? .indexed : .full) {
                return mark(name.indices, upTo: last + 1, isNamed: true)
            }
        }
        // A definition in the text remains there.
        guard next != UInt8(ascii: ":"), words.count <= Self.maxName, isName(words, .short) else {
            return nil
        }
        return mark(words.indices, upTo: end + 1, isNamed: true)
    }

    /// Returns the address in parentheses, which a title may follow, and the index after them.
    private func address(after start: Int) -> (address: Range<Int>, end: Int)? {
        let rest = bytes[min(start, region.upperBound)..<region.upperBound].prefix(maxReference)
            .drop { $0 == 0x20 }
        var (depth, address) = (0, rest.prefix(0))
        if rest.first == UInt8(ascii: "<") {
            address = rest.dropFirst().prefix { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "\n") }
        } else {
            var isEscaped = false
            address = rest.prefix { byte in
                defer { isEscaped = byte == UInt8(ascii: "\\") && !isEscaped }
                if isEscaped { return byte > 0x20 }
                depth += byte == UInt8(ascii: "(") ? 1 : byte == UInt8(ascii: ")") ? -1 : 0
                return byte > 0x20 && depth >= 0
            }
        }
        let isAngled = address.startIndex > rest.startIndex
        guard !isAngled || byte(address.endIndex) == UInt8(ascii: ">") else { return nil }
        var tail = rest[(address.endIndex + (isAngled ? 1 : 0))...].drop { $0 == 0x20 }
        if let quote = tail.first, "\"'(".utf8.contains(quote) {
            let end = quote == UInt8(ascii: "(") ? UInt8(ascii: ")") : quote
            guard let last = tail.dropFirst().firstIndex(of: end) else { return nil }
            tail = tail[(last + 1)...].drop { $0 == 0x20 }
        }
        return tail.first == UInt8(ascii: ")") ? (address.indices, tail.startIndex + 1) : nil
    }

    private func isAddress(_ target: ArraySlice<UInt8>) -> Bool {
        LinkAddress.isAddress(target) || isDocument && target.firstRange(of: "://".utf8) != nil
    }

    /// Ends the words that signs end, or begins others.
    private mutating func addEmphasis(_ run: Range<Int>) {
        let sign = bytes[run.lowerBound]
        guard sign == Self.star ? run.count <= 3 : run.count == 2 else { return }
        var (start, count) = (run.lowerBound, run.count)
        let (before, after) = (byte(start - 1), byte(run.upperBound))
        if 48...57 ~= before, 48...57 ~= after { return }
        // Before a letter, a star ends only the letters before it: `int *p = a*b`.
        let isWithin = count == 1 && after < 0x80 && after.isOfWord
        let first = isWithin ? bytes[..<start].lastIndex { !$0.isOfWord } ?? -1 : -1
        while before > 0x20, count > 0, let used = used(by: count, of: sign, at: start, from: first) {
            guard let last = openings.popLast() else { break }
            let opened = last.start + last.count - used..<last.start + last.count
            let kind: InlineMark.Kind = sign != Self.star ? .struck : used == 2 ? .bold : .italic
            found.append(InlineMark(kind: kind, opening: opened, closing: start..<start + used))
            if last.count > used {
                openings.append(last)
                openings[openings.count - 1].count -= used
            }
            (start, count) = (start + used, count - used)
        }
        guard count == run.count, after > 0x20 else { return }
        // Within words, only two signs that a letter follows, and any between characters without spaces.
        let isInWord = after.isOfWord && (count > 1 || before >= 0x80)
        guard before <= 0x20 || "([{\"'|>-".utf8.contains(before) || isInWord else { return }
        openings.append(
            Opening(sign: sign, start: start, count: count, isInWord: before < 0x80 && before.isOfWord))
        if openings.count > Self.maxOpen { openings.removeFirst() }
    }

    /// Returns the number of signs that end words, and makes their beginning the last opening; nil if none begins.
    private mutating func used(by count: Int, of sign: UInt8, at offset: Int, from first: Int) -> Int? {
        openings.removeAll { offset - $0.start > Self.maxLength || $0.isInWord && lastSpace > $0.start }
        func begins(_ opening: Opening) -> Bool {
            opening.sign == sign && opening.start + opening.count > first
        }
        if let index = openings.lastIndex(where: { $0.count == count && begins($0) }) {
            openings.removeSubrange((index + 1)...)
            // Three stars are bold and italic.
            return min(2, count)
        }
        guard let last = openings.last, begins(last), count == 3 || last.count == 3 else { return nil }
        return min(2, count, last.count)
    }

    /// Whether a backslash makes the next byte a literal character.
    ///
    /// - Parameter isBegun: Whether the line has text before, so that only the signs within lines can be meant.
    private func isEscaped(_ index: Int, _ isBegun: Bool) -> Bool {
        let next = byte(index + 1)
        if isDocument { return next.isPunctuation }
        // A backslash has one before a sign or the end of a line only, so that paths remain as they are.
        if next == UInt8(ascii: "\\") {
            return index + 2 < region.upperBound
                && (bytes[index + 2] == UInt8(ascii: "\n") || bytes[index + 2].isPunctuation)
        }
        // Two signs are those of struck words, one may be of a path.
        if next == UInt8(ascii: "~"), isBegun {
            let other = [UInt8(ascii: "\\"), next]
            return bytes[(index + 2)...].starts(with: other)
                || index >= region.lowerBound + 2 && bytes[..<index].suffix(2).elementsEqual(other)
        }
        // An image would follow.
        if next == UInt8(ascii: "!"), byte(index + 2) == UInt8(ascii: "[") { return true }
        return (isBegun ? "*_[]`&|" : "*_[]`&|#+-.)=>~!").utf8.contains(next)
    }

    /// Whether a backslash is in a path such as `C:\_x\*.txt`, of which a saved page would have two.
    private func isInPath(_ index: Int) -> Bool {
        guard !isDocument else { return false }
        let start = max(region.lowerBound, lastSpace + 1)
        let word = bytes[start..<region.upperBound].prefix(Self.maxPath).prefix { $0 > 0x20 }
        let path = word.drop { "([\"'<".utf8.contains($0) }
        return (path.first ?? 0).isOfWord && path.dropFirst().starts(with: ":\\".utf8)
            && !zip(path, path.dropFirst()).contains { $0 == UInt8(ascii: "\\") && $1 == $0 }
    }
}
