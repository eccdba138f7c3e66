/// The marks of quotes, and of the items of a list, before the content of a line.
package struct LineMarks {
    /// The index of the content.
    package private(set) var content: Int
    package private(set) var quotes = 0
    package private(set) var hasItem = false

    /// - Parameters:
    ///   - maxQuotes: The number of marks of quotes before the content.
    ///   - maxItems: The number of marks of items before it.
    package init(_ line: ArraySlice<UInt8>, maxQuotes: Int = .max, maxItems: Int = .max) {
        var (rest, items) = (line.drop { $0 == 0x20 }, 0)
        while let first = rest.first {
            let isQuote = first == UInt8(ascii: ">")
            let signs = isQuote ? 1 : Self.item(rest)
            guard signs > 0, isQuote ? quotes < maxQuotes : items < maxItems else { break }
            if isQuote { quotes += 1 } else { items += 1 }
            rest = rest.dropFirst(signs).drop { $0 == 0x20 }
        }
        (content, hasItem) = (rest.startIndex, items > 0)
    }

    /// Returns the length of the mark of an item before a space; 0 if there is none.
    package static func item(_ line: ArraySlice<UInt8>) -> Int {
        let digits = line.prefix(10).prefix { 48...57 ~= $0 }.count
        let sign = line.dropFirst(digits)
        let isSign = (digits == 0 ? "-*+" : ".)").utf8.contains(sign.first ?? 0)
        return digits < 10 && isSign && sign.dropFirst().first == 0x20 ? digits + 1 : 0
    }
}
