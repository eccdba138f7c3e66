/// The open items and quotes around a line, as the marks and the indentation before it.
struct LineContainers {
    private struct Container {
        let isQuote: Bool
        /// The bytes before each line but the first of an item.
        let text: [UInt8]
        /// The mark of an item, until its first line.
        var marker: [UInt8]?
    }

    private var open: [Container] = []
    /// The containers whose marks those of a deeper one replace: a page may nest hundreds around each letter.
    private var replaced: [Container] = []
    /// The number of containers around the last line that are still open.
    private var shared = 0

    private static let maxDepth = 16

    /// Whether the next line is the first of an item.
    var beginsItem: Bool { open.contains { $0.marker != nil } }

    /// Whether the next line is the first of the description of a term.
    var beginsDefinition: Bool { open.last?.marker?.first == UInt8(ascii: ":") }

    var isEmpty: Bool { open.isEmpty }

    /// The bytes before the next lines of the same blocks.
    var indent: [UInt8] { open.flatMap(\.text) }

    /// The bytes of a blank line, which would otherwise end a quote.
    var blank: [UInt8] {
        let common = open.prefix(shared)
        let end = common.lastIndex { $0.isQuote }.map { $0 + 1 } ?? 0
        return common.prefix(end).flatMap(\.text).dropLast()
    }

    mutating func openQuote() { push(Container(isQuote: true, text: Array("> ".utf8))) }

    /// - Parameter number: nil for an item with a dash.
    mutating func openItem(_ number: Int?) {
        let marker = Array((number.map { "\($0). " } ?? "- ").utf8)
        let space = [UInt8](repeating: 0x20, count: marker.count)
        push(Container(isQuote: false, text: space, marker: marker))
    }

    /// Opens the description of a term.
    mutating func openDefinition() {
        push(Container(isQuote: false, text: Array("  ".utf8), marker: Array(": ".utf8)))
    }

    private mutating func push(_ container: Container) {
        guard open.count >= Self.maxDepth, var last = open.popLast() else { return open.append(container) }
        last.marker = nil
        replaced.append(last)
        shared = min(shared, open.count)
        open.append(container)
    }

    mutating func close() {
        _ = open.popLast()
        shared = min(shared, open.count)
        if let last = replaced.popLast() { open.append(last) }
    }

    /// Returns the bytes before the next line.
    mutating func begin() -> [UInt8] {
        let prefix = open.flatMap { $0.marker ?? $0.text }
        for index in open.indices { open[index].marker = nil }
        shared = open.count
        return prefix
    }
}
