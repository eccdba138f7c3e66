import Platform
import SearchIndex

/// The name and the address of a link in a line of its own, `[name]: https://example.org`.
package struct LinkDefinition: Hashable, Sendable {
    /// In lower case, since references to it may have other letters.
    package let name: String
    package let address: String
    /// The offset of its line.
    package let start: Int
    /// Whether a title follows the address.
    let hasTitle: Bool

    package static let maxName = 100
    /// The numbered links of a page. Those of the largest pages, such as lists of links, are fewer.
    package static let maxCount = 99_999

    package init?(_ line: ArraySlice<UInt8>) {
        guard line.first == UInt8(ascii: "["),
            let end = line.prefix(Self.maxName + 2).firstIndex(of: UInt8(ascii: "]")),
            line[end...].starts(with: "]: ".utf8)
        else { return nil }
        let name = line[(line.startIndex + 1)..<end]
        var address = line[(end + 3)...].prefix { $0 > 0x20 }
        let rest = line[address.endIndex...].drop { $0 <= 0x20 }
        if address.first == UInt8(ascii: "<"), address.last == UInt8(ascii: ">"), address.count > 2 {
            address = address.dropFirst().dropLast()
        }
        // A title may follow.
        let isTitle = rest.count > 1 && "\"'(".utf8.contains(rest.first ?? 0)
        let isNumber = Int(String(decoding: name, as: UTF8.self)).map { $0 > 0 } ?? false
        guard !name.isEmpty, !name.contains(UInt8(ascii: "[")), name.first != UInt8(ascii: "^"),
            !address.isEmpty, rest.isEmpty || isTitle, isNumber || Self.hasScheme(address)
        else { return nil }
        self.name = Self.name(name)
        self.address = String(decoding: address, as: UTF8.self)
        start = line.startIndex
        hasTitle = !rest.isEmpty
    }

    package static func name(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).lowercased()
    }

    private static func hasScheme(_ address: ArraySlice<UInt8>) -> Bool {
        let scheme = address.prefix(while: \.isASCIILetter)
        return scheme.count > 1 && address[scheme.endIndex...].first == UInt8(ascii: ":")
    }

    /// Returns the definitions between the paragraphs of a text, outside of code.
    package static func all(in bytes: ArraySlice<UInt8>) -> [LinkDefinition] {
        guard bytes.contains(UInt8(ascii: "[")) else { return [] }
        var code = TextCode.all(in: Array(bytes)).filter { $0.lines != nil }[...]
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard let found = LinkDefinition(line) else { return nil }
            let offset = found.start - bytes.startIndex
            while let first = code.first, first.range.upperBound <= offset { code.removeFirst() }
            return code.first.map { $0.range.contains(offset) } ?? false ? nil : found
        }
    }

    /// Returns the number of definitions at the end of a text that are its list: those in brackets in the text, and all of
    /// a sequence of numbers from one on.
    package static func listed(_ definitions: [LinkDefinition], after text: ArraySlice<UInt8>) -> Int {
        guard !definitions.isEmpty else { return 0 }
        var isListed = definitions.map { _ in false }
        var first = 0
        for (index, definition) in definitions.enumerated() {
            if definition.name == "1" { first = index }
            isListed[index] = definition.name == String(index - first + 1)
        }
        // A sequence without its beginning is none.
        var names: Set<String>?
        for index in definitions.indices where !isListed[index] || definitions[first].name != "1" {
            let used = names ?? Self.names(in: text)
            names = used
            isListed[index] = used.contains(definitions[index].name)
        }
        return isListed.reversed().prefix { $0 }.count
    }

    /// Returns the words in brackets.
    private static func names(in text: ArraySlice<UInt8>) -> Set<String> {
        var (names, start) = (Set<String>(), text.endIndex)
        for (index, byte) in zip(text.indices, text) {
            if byte == UInt8(ascii: "[") { start = index + 1 }
            if byte == UInt8(ascii: "]"), start <= index, index - start <= maxName {
                names.insert(name(text[start..<index]))
                start = text.endIndex
            }
        }
        return names
    }
}
