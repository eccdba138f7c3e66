import ClipsCore
import FoundationEssentials
import PersistentStore
import Platform
import Terminal

/// The changes of a row of the history, with the values before and after.
struct ChangesPane {
    let state: AppState
    let row: HistoryRow
    private var theme: Theme { state.theme }

    private struct Line {
        var sign = " "
        var text: String
        var style = Style.plain
        /// The index of the change that the line belongs to.
        var change: Int?
        var isFirst = false
    }

    func draw(_ area: Rect, in frame: inout Frame) {
        let border = theme[state.history.isInChanges ? .key : .border]
        for column in 0..<area.size.columns {
            frame.put("─", in: area, column: column, style: border)
        }
        let width = area.size.columns - 4
        let hasAuthor = HistoryScreen.Columns(width: area.size.columns).authorWidth > 0
        frame.putCut(
            " \(origin(hasAuthor: hasAuthor, width: width - 2)) ", in: area, column: 2, width: width,
            style: theme[.muted])
        let lines = lines
        let rows = max(0, area.size.rows - 1)
        let top = top(of: lines, rows: rows)
        let shown = lines[min(top, lines.count)...].prefix(rows)
        let total = row.count
        func begun(_ lines: some Sequence<Line>) -> Int { lines.reduce(0) { max($0, ($1.change ?? -1) + 1) } }
        // A change of which a part is shown is not counted.
        let rest = total - begun(lines.prefix(top) + shown.prefix(max(0, rows - 1)))
        let hasMore = top + shown.count < lines.count || begun(lines) < total
        let replacesLast = hasMore && !(rest == 1 && shown.count == rows && shown.last?.isFirst == true)
        let visible = replacesLast ? shown.prefix(max(0, rows - 1)) : shown
        for (row, line) in visible.enumerated() {
            frame.put(line.sign, in: area, row: row + 1, column: 1, style: theme[.strong])
            frame.putCut(
                line.text, in: area, row: row + 1, column: 3, width: area.size.columns - 3, style: line.style)
            guard line.isFirst, let selected, line.change == selected else { continue }
            let rect = Rect(
                row: area.row + row + 1, column: area.column, rows: 1, columns: area.size.columns)
            frame.select(rect, theme)
        }
        guard replacesLast, rows > 0 else { return }
        frame.put(
            rest > 0 ? "… and \(rest.grouped)\(row.isCut ? "+" : "") more" : "…", in: area,
            row: visible.count + 1, column: 3, style: theme[.muted])
    }

    /// The maximum number of lines of a value.
    private static let maxRows = 8

    private var selected: Int? { state.history.isInChanges ? state.history.change : nil }

    /// The first line shown, so that the selected change is visible.
    private func top(of lines: [Line], rows: Int) -> Int {
        let first = lines.firstIndex { $0.change == selected } ?? 0
        let last = lines.lastIndex { $0.change == selected } ?? 0
        // The last row may say that there is more.
        return selected == nil ? 0 : max(0, min(first, last + (last + 1 < lines.count ? 2 : 1) - rows))
    }

    /// Returns the index of the change in a row of the pane; nil on the border and below the changes.
    func change(atRow row: Int, _ area: Rect) -> Int? {
        let lines = lines
        return row < 1
            ? nil : lines.dropFirst(top(of: lines, rows: area.size.rows - 1) + row - 1).first?.change
    }

    /// Returns the time and the origin of the newest transaction, as far as they fit.
    ///
    /// - Parameter hasAuthor: Whether its row has the author.
    private func origin(hasAuthor: Bool, width: Int) -> String {
        guard let transaction = row.newest else { return "" }
        // The words of a change say what it undid or restored.
        let context = transaction.role == .work ? transaction.contextName : nil
        var parts = [
            LocalTime(transaction.timestamp).dateAndTime,
            transaction.isOwn ? "you" : hasAuthor ? nil : transaction.shownAuthor,
            transaction.program ?? (hasAuthor ? AuthorName.unknown : nil), context,
        ].compactMap(\.self)
        // The border alone does not show which keys move here.
        if let selected { parts.insert("Change \((selected + 1).grouped)/\(row.count.grouped)", at: 0) }
        while parts.count > 1, DisplayWidth.columns(of: parts.joined(separator: " · ")) > width {
            parts.removeLast()
        }
        return parts.joined(separator: " · ")
    }

    private var lines: [Line] {
        guard let detail = state.history.selectedDetail else { return summaryLines }
        var lines: [Line] = []
        if !detail.showsOriginalValues {
            let many = TransactionDetail.maxLaterChanges.grouped
            lines.append(
                Line(
                    text: "More than \(many) changes since; new values are the current ones.",
                    style: theme[.warning]))
        }
        for (index, change) in detail.changes.enumerated() {
            let title = change.title.isEmpty ? "" : ": \(change.title)"
            let isBack = change.kind == .delete && change.exists ? " · restored since" : ""
            let subject = change.clip == 0 ? "" : "clip \(change.clip) "
            let text = "\(subject)\(change.words.phrase)\(title)\(isBack)"
            lines.append(Line(sign: change.kind.sign, text: text, change: index, isFirst: true))
            for replacement in change.replacements {
                let (old, new) = Self.texts(of: replacement, change.kind, isThen: detail.showsOriginalValues)
                // A long value does not hide the other one.
                let width = state.size.columns - 6
                let isLong =
                    old.utf8.count + new.utf8.count >= width
                    && DisplayWidth.columns(of: SafeText.line(old + new)) >= width
                let texts = new.isEmpty ? [old] : isLong ? [old, new] : [old + " " + new]
                for text in texts {
                    var wrapped = WrappedText(SafeText.line(text), width: width)
                    lines += wrapped.lines(0..<Self.maxRows).map {
                        Line(text: "  " + $0, style: theme[.muted], change: index)
                    }
                }
            }
        }
        return lines
    }

    /// The changes without values, for a folded row or until the values are loaded.
    private var summaryLines: [Line] {
        row.shownLines.enumerated().map { index, line in
            let title = state.history.titles[line].map { ": \($0)" } ?? ""
            let words = state.history.titles.words(line).phrase
            return Line(
                sign: line.kind.sign, text: "\(line.clip == 0 ? "" : "clip \(line.clip) ")\(words)\(title)",
                change: index, isFirst: true)
        }
    }

    /// Returns the value before a change, or the only one, and the one after it.
    private static func texts(
        of replacement: TransactionDetail.Replacement, _ kind: HistoryChange.Kind, isThen: Bool
    ) -> (String, String) {
        let attribute = replacement.attribute
        let name = ClipAttribute(rawValue: attribute)?.words ?? attribute
        let old = replacement.old.map { shown($0, of: attribute) } ?? "?"
        let new = replacement.new.map { shown($0, of: attribute) } ?? "?"
        switch kind {
        case .insert: return ("\(name): \(new)", "")
        case .delete: return ("\(name): \(old)", "")
        case .update: return ("\(name): \(old)", "→ \(isThen ? "" : "now ")\(new)")
        }
    }

    /// Formats times and flags for display, and quotes text.
    private static func shown(_ value: AttributeValue, of attribute: String) -> String {
        switch (value, ClipAttribute(rawValue: attribute)) {
        case (.integer(let number), .created?), (.integer(let number), .updated?):
            LocalTime(Date(timeIntervalSince1970: Double(number) / 1000)).dateAndClock
        case (.integer(let number), .starred?), (.integer(let number), .unread?),
            (.integer(let number), .archived?):
            number == 0 ? "no" : "yes"
        case (.text(let text), .link?):
            text.prefix { $0 != " " }.isEmpty ? "unchecked" : String(text.prefix { $0 != " " })
        case (.text(let text), _): text.isEmpty ? "(empty)" : Clip.quoted(text, upTo: 300)
        default: self.text(value)
        }
    }

    static func text(_ value: AttributeValue) -> String {
        switch value {
        case .null: "nothing"
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let text): text
        case .blob(let bytes): "\(bytes.count) bytes"
        }
    }
}
