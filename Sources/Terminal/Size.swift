/// How many rows and columns a screen or a frame has: 0 to 65535, as terminals count.
package struct Size: Hashable, Sendable {
    package let rows: Int
    package let columns: Int

    private static let most = 65535

    package init(rows: Int, columns: Int) {
        self.rows = min(max(0, rows), Self.most)
        self.columns = min(max(0, columns), Self.most)
    }

    /// Reads `80x24`, columns first, as people write terminal sizes; each side from 1 to 1000.
    package init?(_ text: String) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let columns = sides[0], let rows = sides[1],
            (1...1000).contains(columns), (1...1000).contains(rows)
        else { return nil }
        self.init(rows: rows, columns: columns)
    }
}
