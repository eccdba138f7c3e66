import SearchIndex

/// Texts that share one list of links, `[1]: https://example.org`.
///
/// In memory, each reference has the address rather than its number, so that equal texts are equal and part of each other
/// regardless of the numbers of their links. The list contains each address once, numbered from one on in the order
/// of the texts, so that the reader, `clips show`, and exports have the same numbers.
package struct LinkedTexts: Equatable {
    /// The texts without their lists, with ``Mark`` for the references.
    private(set) var parts: [[UInt8]]
    /// The listed addresses to which no text refers, in ascending order.
    private(set) var rest: [[UInt8]]

    /// Bytes that no text has in UTF-8.
    private enum Mark {
        /// Before a number in brackets that is not a reference.
        static let literal: UInt8 = 0xFD
        /// Around the address of a reference.
        static let start: UInt8 = 0xFE
        static let end: UInt8 = 0xFF
    }

    /// - Parameter addresses: Addresses to which texts may refer.
    init(parts: [[UInt8]], addresses: [[UInt8]]) {
        self.parts = parts
        guard !addresses.isEmpty else {
            rest = []
            return
        }
        let used = Set(parts.flatMap(Self.addresses))
        rest = Set(addresses).subtracting(used).sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Creates the parts of a text, each with its own list at its end, or all with the list of the last one.
    ///
    /// - Parameter isLinked: Whether numbers in brackets may be references; without, the texts remain as they are.
    init(_ texts: [[UInt8]], isLinked: Bool) {
        guard isLinked else {
            self.init(parts: texts, addresses: [])
            return
        }
        let lists = texts.map(LinkList.init)
        var shared: [String: [UInt8]] = [:]
        for list in lists.suffix(1) + lists.dropLast() {
            shared.merge(list.addresses) { first, _ in first }
        }
        let parts = lists.filter { !$0.body.isEmpty }.map { Self.resolved($0, shared) }
        self.init(parts: parts, addresses: lists.flatMap(\.listed))
    }

    /// Whether a text defines links.
    static func hasDefinition(_ text: [UInt8]) -> Bool {
        !LinkList(text).addresses.isEmpty
    }

    /// Returns texts one after the other, with one list of their links at the end.
    ///
    /// - Parameter isMarkdown: A closure that returns whether numbers in brackets may be links in a text.
    package static func joined(
        _ texts: [String], separator: String, isMarkdown: (Int) -> Bool = { _ in true }
    ) -> String {
        let parts = texts.map { Array($0.utf8) }
        guard texts.count > 1, parts.contains(where: hasDefinition) else {
            return texts.joined(separator: separator)
        }
        // The list of a text is that of this text only.
        let sides = parts.enumerated().map { LinkedTexts([$1], isLinked: isMarkdown($0)) }
        return LinkedTexts(parts: sides.flatMap(\.parts), addresses: sides.flatMap(\.rest)).text(separator)
    }

    /// Returns the texts with numbers, and the list after the last one.
    func text(_ separator: String) -> String {
        var numbers: [[UInt8]: Int] = [:]
        var list: [[UInt8]] = []
        for address in parts.flatMap(Self.addresses) + rest where numbers[address] == nil {
            list.append(address)
            numbers[address] = list.count
        }
        var text: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if index > 0 { text += Array(separator.utf8) }
            Self.append(part, numbers, to: &text)
        }
        for (index, address) in list.enumerated() {
            text += Array((index > 0 ? "\n" : text.isEmpty ? "" : "\n\n").utf8)
            text += Array("[\(index + 1)]: ".utf8) + LinkAddress.target(address)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends a text with the numbers of its links. A number in brackets that would be another text's link gets a
    /// backslash.
    private static func append(_ part: [UInt8], _ numbers: [[UInt8]: Int], to text: inout [UInt8]) {
        var index = 0
        while index < part.count {
            let end = part[index...].firstIndex { $0 >= Mark.literal } ?? part.count
            text += part[index..<end]
            guard end < part.count else { return }
            index = end + 1
            if part[end] == Mark.start, let close = part[index...].firstIndex(of: Mark.end) {
                text += Array(String(numbers[Array(part[index..<close])] ?? 0).utf8)
                index = close + 1
            } else if let digits = literal(part, at: index) {
                let number = String(decoding: digits, as: UTF8.self)
                let isLink = Int(number).map { $0 > 0 && $0 <= numbers.count } ?? false
                // Both brackets, since the number may be in the words of a link.
                text += Array((isLink ? "\\[\(number)\\]" : "[\(number)]").utf8)
                index = digits.endIndex + 1
            }
        }
    }

    /// Returns the addresses of a text's references in their order.
    private static func addresses(in part: [UInt8]) -> [[UInt8]] {
        var (found, rest): ([[UInt8]], ArraySlice<UInt8>) = ([], part[...])
        while let start = rest.firstIndex(of: Mark.start),
            let end = rest[start...].firstIndex(of: Mark.end)
        {
            found.append(Array(rest[(start + 1)..<end]))
            rest = rest[(end + 1)...]
        }
        return found
    }
}

/// Reading the references of one text.
extension LinkedTexts {
    /// Returns a text with the addresses of its references. Code remains as it is.
    private static func resolved(_ list: LinkList, _ shared: [String: [UInt8]]) -> [UInt8] {
        let bytes = list.body
        func address(_ name: ArraySlice<UInt8>) -> [UInt8]? {
            guard name.count <= LinkDefinition.maxName else { return nil }
            let name = LinkDefinition.name(name)
            return list.addresses[name] ?? shared[name]
        }
        let code = TextCode.all(in: bytes)
        let marks = InlineMark.all(in: bytes, code: code) { name, _ in address(name) != nil }
        var edits = list.definitions.map { definition in
            let end = bytes[definition.start...].firstIndex(of: UInt8(ascii: "]")) ?? definition.start + 1
            return (range: definition.start + 1..<end, bytes: marked(Array(definition.address.utf8)))
        }
        var (starts, literals) = (Set(list.definitions.map(\.start)), Set<Int>())
        for mark in marks {
            if mark.kind == .literal { literals.insert(mark.opening.lowerBound) }
            guard mark.kind == .link || mark.kind == .image else { continue }
            starts.insert(mark.opening.upperBound - 1)
            guard mark.isNamed, let address = address(bytes[mark.target]) else { continue }
            if mark.isNumber(in: bytes) {
                edits.append((mark.words, marked(address)))
            } else {
                starts.insert(mark.closing.lowerBound + 1)
                edits.append((mark.closing, Array("][".utf8) + marked(address) + [UInt8(ascii: "]")]))
            }
        }
        var (index, blocks) = (0, code[...])
        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "[")) {
            index = start + 1
            while let block = blocks.first, block.range.upperBound <= start { blocks.removeFirst() }
            guard !starts.contains(start), blocks.first?.range.contains(start) != true,
                let digits = literal(bytes, at: start)
            else { continue }
            let end = bytes[digits.endIndex...].firstIndex(of: UInt8(ascii: "]")) ?? digits.endIndex
            edits.append((start - (literals.contains(start - 1) ? 1 : 0)..<end + 1, marked(literal: digits)))
            index = end + 1
        }
        var (result, copied) = ([UInt8](), 0)
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
        where edit.range.lowerBound >= copied {
            result += bytes[copied..<edit.range.lowerBound] + edit.bytes
            copied = edit.range.upperBound
        }
        return result + bytes[copied...]
    }

    private static func marked(_ address: [UInt8]) -> [UInt8] { [Mark.start] + address + [Mark.end] }

    private static func marked(literal digits: ArraySlice<UInt8>) -> [UInt8] {
        [Mark.literal, UInt8(ascii: "[")] + digits + [UInt8(ascii: "]")]
    }

    /// Returns the number in the brackets at an index, of which the second may have a backslash, unless it is the words of
    /// a link.
    private static func literal(_ bytes: [UInt8], at start: Int) -> ArraySlice<UInt8>? {
        guard start < bytes.count, bytes[start] == UInt8(ascii: "[") else { return nil }
        let digits = bytes[(start + 1)...].prefix(maxDigits).prefix { 48...57 ~= $0 }
        let rest = bytes[digits.endIndex...]
        let end = rest.first == UInt8(ascii: "\\") ? rest.dropFirst() : rest
        guard !digits.isEmpty, end.first == UInt8(ascii: "]"),
            end.dropFirst().first != UInt8(ascii: "(")
        else { return nil }
        return digits
    }

    private static let maxDigits = 9
}

/// The definitions of links in a text, and the text without those at its end.
private struct LinkList {
    let body: [UInt8]
    /// The definitions in the body, in ascending order.
    private(set) var definitions: [LinkDefinition] = []
    /// The addresses by the names of the links.
    private(set) var addresses: [String: [UInt8]] = [:]
    /// The addresses of the list at the end.
    private(set) var listed: [[UInt8]] = []

    init(_ text: [UInt8]) {
        guard ClipMerge.contains(text, Array("]: ".utf8)) else {
            body = text
            return
        }
        var end = text.endIndex
        while end > 0, text[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        var found: [LinkDefinition] = []
        while end > 0 {
            let start = text[..<end].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            // A definition with a title remains in the text, because the list has addresses only.
            guard let definition = LinkDefinition(text[start..<end]), !definition.hasTitle else { break }
            found.append(definition)
            end = max(0, start - 1)
        }
        found.reverse()
        let list = found.suffix(LinkDefinition.listed(found, after: text[..<end]))
        if let first = list.first {
            end = first.start
            while end > 0, text[end - 1] == UInt8(ascii: "\n") { end -= 1 }
            body = Array(text[..<end])
        } else {
            body = text
        }
        definitions = LinkDefinition.all(in: body[...])
        listed = list.map { Array($0.address.utf8) }
        for definition in list + definitions where addresses[definition.name] == nil {
            addresses[definition.name] = Array(definition.address.utf8)
        }
    }
}
