import CTerminal
import Glibc

/// The number of rows and columns of a screen or a frame: 0 to 65535, the range of terminals.
package struct Size: Hashable, Sendable {
    package let rows: Int
    package let columns: Int

    private static let limit = 65535

    package init(rows: Int, columns: Int) {
        self.rows = min(max(0, rows), Self.limit)
        self.columns = min(max(0, columns), Self.limit)
    }

    /// Returns the size of a terminal; nil if the descriptor is not one.
    package static func ofTerminal(_ descriptor: CInt) -> Size? {
        var (rows, columns): (CInt, CInt) = (0, 0)
        guard isatty(descriptor) == 1, terminal_size(descriptor, &rows, &columns) == 0, columns > 0 else {
            return nil
        }
        return Size(rows: Int(rows), columns: Int(columns))
    }

    /// Creates a size from text such as `80x24`, columns first; each side from 1 to 1000.
    package init?(_ text: String) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let columns = sides[0], let rows = sides[1],
            (1...1000).contains(columns), (1...1000).contains(rows)
        else { return nil }
        self.init(rows: rows, columns: columns)
    }
}
