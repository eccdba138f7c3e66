import ClipsCore
import ClipsExchange
import Platform
import Terminal

/// Text that is shown, cut, and broken into lines.
enum TextInput {
    static func broken(by text: String) -> String? {
        let safe = SafeText.line(text)
        if let scalar = safe.unicodeScalars.first(where: isDangerous) {
            return "U+\(String(scalar.value, radix: 16)) is left in it"
        }
        if SafeText.line(safe) != safe { return "made safe twice, it is another text" }
        let columns = DisplayWidth.columns(of: text)
        if columns != text.reduce(0, { $0 + DisplayWidth.columns(of: $1) }) {
            return "its width is not that of its clusters"
        }
        if columns != DisplayWidth.columns(of: safe) { return "made safe, it has another width" }
        for width in [0, 1, 2, 3, 7, 80] {
            if DisplayWidth.columns(of: SafeText.cut(text, to: width)) > width {
                return "cut to \(width), it is wider"
            }
        }
        return broken(inFrame: text, columns) ?? broken(inLines: text) ?? broken(inJSON: text)
    }

    private static func broken(inFrame text: String, _ columns: Int) -> String? {
        var frame = Frame(size: Size(rows: 1, columns: 300))
        let taken = frame.put(text, row: 0, column: 0)
        if columns <= 300, text.utf8.count < 1000, taken != columns {
            return "a frame takes \(taken) columns and not \(columns)"
        }
        for column in 0..<300 {
            guard let cell = frame.cell(row: 0, column: column) else { return "a cell is missing" }
            if cell.text.unicodeScalars.contains(where: isDangerous) { return "a cell holds a control" }
            // ncurses stores five in a cell.
            if cell.text.unicodeScalars.count > 5 { return "a cell holds too much" }
            if cell.columns == 2, frame.cell(row: 0, column: column + 1)?.columns != 0 {
                return "half of a wide glyph is missing"
            }
        }
        // At every position, even without enough columns.
        for place in [-5, -1, 1, 298, 299, 300] { frame.put(text, row: 0, column: place, width: 3) }
        return nil
    }

    private static func broken(inLines text: String) -> String? {
        for width in [1, 2, 9] {
            var wrapped = WrappedText(text, width: width)
            for line in wrapped.lines(0..<500) where DisplayWidth.columns(of: line) > width {
                return "broken into lines of \(width), one is wider"
            }
        }
        for line in SafeText.lines(text).split(separator: "\n") where line.contains(where: \.isNewline) {
            return "a line end is left in a line"
        }
        return nil
    }

    private static func broken(inJSON text: String) -> String? {
        let harmless = text.json
        let isInterpreted = harmless.unicodeScalars.contains {
            isDangerous($0) && $0.value >= 0x7F && isTerminal($0)
        }
        return isInterpreted ? "JSON of it has a control" : nil
    }

    private static func isTerminal(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0xA0 || (0x200E...0x202E).contains(scalar.value) && scalar.value != 0x2010
    }

    /// Controls, directions, and invisible scalars, except the joiners that some scripts need.
    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: true
        case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
        default: false
        }
    }
}
