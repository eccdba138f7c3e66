/// Adjacent cells in one style.
package struct StyledRun: Hashable, Sendable {
    package var text: String
    package var style: Style

    package init(_ text: String, _ style: Style = .plain) {
        self.text = text
        self.style = style
    }
}

extension Frame {
    package func cell(row: Int, column: Int) -> Cell? {
        guard bounds.contains(Position(row: row, column: column)) else { return nil }
        return rows[row][column]
    }

    /// The text of every row, without trailing spaces.
    package var lines: [String] {
        rows.map { row in
            var line = ""
            for cell in row { line += cell.text }
            return String(line.prefix(through: line.lastIndex { $0 != " " }))
        }
    }

    /// Returns the contents of a row, including trailing spaces.
    package func runs(row: Int) -> [StyledRun] {
        var runs: [StyledRun] = []
        for cell in bounds.rows.contains(row) ? rows[row] : [] {
            if runs.last?.style == cell.style {
                runs[runs.count - 1].text += cell.text
            } else {
                runs.append(StyledRun(cell.text, cell.style))
            }
        }
        return runs
    }
}

extension String {
    fileprivate func prefix(through index: Index?) -> Substring {
        guard let index else { return "" }
        return self[...index]
    }
}
