import ClipsCore
import FoundationEssentials
import Mirroring
import PersistentStore
import Platform
import Terminal

/// Screens of plain lines: the programs that follow the history, and the errors in the config file.
struct TextScreen {
    let state: AppState
    private var theme: Theme { state.theme }

    func draw(_ layout: Layout, in frame: inout Frame) {
        let title =
            state.screen == .consumers
            ? "Programs that follow the history"
            : "Errors in \(state.settings.config.path ?? "the config file")"
        frame.putHeader(title, layout.header, theme)
        guard let area = layout.list else { return }
        let lines = lines(columns: area.size.columns)
        for (row, line) in lines.dropFirst(state.page.top).prefix(area.size.rows).enumerated() {
            frame.putCut(
                line.text, in: area, row: row, column: 1, width: area.size.columns - 1, style: line.style)
        }
        frame.cursor = Position(row: area.row, column: area.column)
    }

    func lines(columns: Int) -> [StyledRun] {
        let lines =
            state.screen == .consumers ? consumers : state.settings.config.errors.map { StyledRun($0) }
        return lines.flatMap { line in
            var wrapped = WrappedText(line.text.isEmpty ? " " : line.text, width: max(1, columns - 2))
            return wrapped.lines(0..<40).map { StyledRun($0, line.style) }
        }
    }

    private var consumers: [StyledRun] {
        guard let cleaning = state.consumers.preview else { return [StyledRun("…", theme[.muted])] }
        var lines: [StyledRun] = []
        if cleaning.consumers.isEmpty {
            lines.append(StyledRun("No program reads the history. Those that do are listed here."))
        }
        for record in cleaning.consumers {
            let lag =
                record.lag == 0
                ? "has confirmed all changes"
                : "has not confirmed the last \(record.lag == 1 ? "change" : record.lag.counted("change"))"
            let process = record.process.map { ", process \($0)" } ?? ""
            let life = record.isRunning ? "runs now\(process)" : "does not run now"
            let seen =
                record.isRunning ? "" : " · last seen \(Age(of: record.lastSeen, at: state.now).sentence)"
            let name = AuthorName.shown(consumer: record.name)
            lines.append(StyledRun(name, theme[.strong]))
            lines.append(StyledRun("  \(lag) · \(life)\(seen)"))
            if let author = record.author, author != ClipAuthor.window(shownAs: name)?.author ?? name {
                lines.append(StyledRun("  saves as \(author)", theme[.muted]))
            }
        }
        lines += [StyledRun(""), StyledRun("Next cleanup", theme[.strong])]
        let (total, removable) = (cleaning.total, cleaning.removable)
        lines.append(
            StyledRun(
                "  Deletes \(removable.transactions.grouped) of \(total.transactions.counted("commit")) in the history."
            )
        )
        lines.append(
            StyledRun("  The last 7 days are retained, so that changes can be undone.", theme[.muted]))
        if let holder = cleaning.holder {
            lines.append(
                StyledRun(
                    "  Older history is retained for \(AuthorName.shown(consumer: holder)), which has not read it yet.",
                    theme[.warning])
            )
        }
        guard !state.consumers.machines.isEmpty else { return lines }
        lines += [StyledRun(""), StyledRun("Machines of the mirror", theme[.strong])]
        for machine in state.consumers.machines {
            let seen =
                machine.isThis ? "this machine" : "seen \(Age(of: machine.lastSeen, at: state.now).sentence)"
            lines.append(StyledRun("  \(machine.name) · \(machine.program) · \(seen)"))
        }
        return lines
    }
}
