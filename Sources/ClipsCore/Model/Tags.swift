/// A clip's tags, one text with commas in the store.
package struct Tags: Hashable, Sendable {
    package let names: [String]

    /// Creates tags from names: trimmed, without empty ones and repetitions. A comma in a name becomes a
    /// space.
    package init(_ names: some Sequence<String>) {
        var seen: Set<String> = []
        self.names =
            names
            .map { name in
                // Bytes of other letters are above those of ASCII.
                if name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") }) { return name }
                let words = name.split { $0 == "," || $0.isNewline || $0 == "\t" || $0 == " " }
                return words.joined(separator: " ")
            }
            .filter { !$0.isEmpty && seen.insert($0).inserted }
    }

    /// Whether a name has a comma, which a tag cannot have.
    package static func hasComma(_ names: [String]) -> Bool { names.contains { $0.contains(",") } }

    package init(joined text: String) {
        self.init(text.split(separator: ",").map(String.init))
    }

    package var joined: String { names.joined(separator: ",") }
}
