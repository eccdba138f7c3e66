import ClipsCore
import FoundationEssentials
import HistoryTracking
import Terminal

/// The line that says where the person is, what is being done and how the list and the store stand, and the
/// line of keys below it.
struct StatusLine {
    let state: AppState

    func draw(_ layout: Layout, in frame: inout Frame) {
        if let hints = layout.hints { drawHints(hints, &frame) }
        // On a screen of one row a question or an error is more than the list.
        let isNeeded = state.prompt != nil || state.message != nil
        guard let line = layout.status ?? (isNeeded ? Rect(frame.size) : nil) else { return }
        frame.fill(line)
        if state.prompt != nil {
            drawPrompt(line, &frame)
        } else if let message = state.message {
            let style = message.isError ? Theme.error : Theme.bold
            let used = frame.put(
                SafeText.cut(message.text, to: line.size.columns - indent(line)), in: line,
                column: indent(line), style: style)
            drawRight(rightParts, line, after: indent(line) + used, mayCut: false, &frame)
        } else {
            drawState(line, &frame)
        }
    }

    private func indent(_ line: Rect) -> Int { line.size.columns >= 20 ? 1 : 0 }

    private func drawPrompt(_ line: Rect, _ frame: inout Frame) {
        guard let prompt = state.prompt else { return }
        let label = line.size.columns >= 40 ? " " + prompt.label : prompt.kind == .filter ? "/" : ""
        let start = frame.put(label, in: line, style: Theme.bold)
        let width = max(1, line.size.columns - start - 1)
        // The end of what is typed stays visible.
        var first = prompt.editor.cursor
        var used = 0
        while first > 0 {
            used += DisplayWidth.columns(of: prompt.editor.characters[first - 1])
            if used > width { break }
            first -= 1
        }
        let before = String(prompt.editor.characters[first..<prompt.editor.cursor])
        let shown = String(prompt.editor.characters[first...].prefix(width + 8))
        frame.put(SafeText.line(shown), in: line, column: start, width: width + 1)
        if prompt.editor.characters.isEmpty {
            frame.put(prompt.placeholder, in: line, column: start, style: Theme.dim)
        }
        let column = min(line.size.columns - 1, start + DisplayWidth.columns(of: SafeText.line(before)))
        frame.cursor = Position(row: line.row, column: max(0, column))
        if prompt.kind == .filter, line.size.columns >= 60, !prompt.editor.characters.isEmpty {
            let count = " \(position) "
            frame.putRight(count, in: line, width: line.size.columns, style: Theme.dim)
        }
    }

    private func drawState(_ line: Rect, _ frame: inout Frame) {
        var left = leftParts
        let right = rightParts
        // What cannot be seen elsewhere goes last.
        while left.count > 2, width(left) + width(right) + 3 > line.size.columns {
            left.removeLast()
        }
        var column = indent(line)
        for (index, part) in left.enumerated() {
            if index > 0 { column += frame.put(" · ", in: line, column: column, style: Theme.dim) }
            column += frame.put(
                SafeText.cut(part.text, to: line.size.columns - column), in: line, column: column,
                style: part.style)
        }
        drawRight(right, line, after: column, mayCut: true, &frame)
    }

    private func width(_ parts: [StyledRun]) -> Int {
        parts.reduce(max(0, parts.count - 1) * 3) { $0 + DisplayWidth.columns(of: SafeText.line($1.text)) }
    }

    /// Leaves out the last change, and then all, where there is no room.
    private func drawRight(
        _ parts: [StyledRun], _ line: Rect, after column: Int, mayCut: Bool, _ frame: inout Frame
    ) {
        let end = line.size.columns - indent(line)
        var parts = parts
        while parts.count > 1, end - width(parts) < column + 2 { parts.removeLast() }
        guard mayCut ? end > column + 5 : end - width(parts) >= column + 2 else { return }
        var start = max(column + 2, end - width(parts))
        for (index, part) in parts.enumerated() {
            if index > 0 { start += frame.put(" · ", in: line, column: start, style: Theme.dim) }
            start += frame.put(
                SafeText.cut(part.text, to: end - start), in: line, column: start, style: part.style)
        }
    }

    private var position: String {
        let list = state.list
        guard list.isLoaded else { return "…" }
        guard list.count > 0 else { return "0" }
        let count = list.isCounted ? Self.grouped(list.count) : "…"
        return "\(Self.grouped(list.selectedIndex + 1))/\(count)"
    }

    private var leftParts: [StyledRun] {
        var parts: [StyledRun] = []
        switch state.screen {
        case .help:
            return [
                StyledRun("Keys", Theme.bold),
                StyledRun("\(state.keys.name(of: .back)) goes back", Theme.dim),
            ]
        case .history:
            parts.append(StyledRun("History", Theme.bold))
            let count = state.history.transactions.count
            if count > 0 { parts.append(StyledRun("\(state.history.selected + 1)/\(Self.grouped(count))")) }
        case .list: parts.append(StyledRun(position, Theme.bold))
        }
        if let count = state.typedCount { parts.append(StyledRun("\(count)…", Theme.bold)) }
        if state.saving.isSlow(at: state.now) { parts.append(StyledRun("saving…", Theme.held)) }
        guard state.screen == .list else { return parts }
        if state.isReading, state.detail.hasMore { parts.append(StyledRun("↓ more", Theme.dim)) }
        if let pause = state.pause {
            let news = pause.newCount > 0 ? " · \(Self.grouped(pause.newCount)) new" : ""
            parts.append(StyledRun("paused\(news)", Theme.held))
        }
        if state.arrivals.aboveCount > 0 {
            parts.append(StyledRun("↑ \(Self.grouped(state.arrivals.aboveCount)) new", Theme.arrival))
        }
        if !state.query.filter.isEmpty { parts.append(StyledRun("/\(state.query.filter)", Theme.bold)) }
        if !state.list.follows { parts.append(StyledRun("not following", Theme.dim)) }
        return parts
    }

    private var rightParts: [StyledRun] {
        var parts: [StyledRun] = []
        switch state.sync.state {
        case .stopped: parts.append(StyledRun(state.list.isLoaded ? "…" : "opening…", Theme.dim))
        case .live: parts.append(StyledRun("live", Theme.live))
        case .sweeping: parts.append(StyledRun("looking for changes (no file events)", Theme.held))
        case .storeReplaced:
            return [StyledRun("the store's file was replaced: quit and start again", Theme.error)]
        case .failing(let error): return [StyledRun("not live: \(error)", Theme.error)]
        }
        if let change = state.sync.lastChange {
            let age = Age(of: change.at, at: state.now).text
            parts.append(
                StyledRun("\(change.author) \(change.counts) \(age == "now" ? age : age + " ago")", Theme.dim)
            )
        }
        return parts
    }

    private func drawHints(_ line: Rect, _ frame: inout Frame) {
        let hinted = ActionTable.entries.compactMap { entry in
            entry.hint.map { (entry.action, $0.label, $0.rank) }
        }
        var hints = hinted.map {
            (text: "\(state.keys.name(of: $0.0)) \($0.1)", key: state.keys.name(of: $0.0), rank: $0.2)
        }
        if state.screen != .list || state.isReading {
            let usual: [(Action, String)] = [(.down, "down"), (.up, "up"), (.back, "back"), (.help, "help")]
            hints = usual.map { action, label in
                let key = state.keys.name(of: action)
                return (text: "\(key) \(label)", key: key, rank: 0)
            }
        }
        func width() -> Int { hints.reduce(1) { $0 + DisplayWidth.columns(of: $1.text) + 2 } }
        while width() > line.size.columns,
            let last = hints.indices.max(by: { hints[$0].rank < hints[$1].rank })
        {
            hints.remove(at: last)
        }
        var column = 1
        for hint in hints {
            let start = column
            column += frame.put(hint.text, in: line, column: column, style: Theme.dim) + 2
            frame.put(hint.key, in: line, column: start, style: Theme.key)
        }
    }

    static func grouped(_ number: Int) -> String {
        var digits = String(number)
        var place = digits.endIndex
        while let next = digits.index(place, offsetBy: -3, limitedBy: digits.startIndex),
            next > digits.startIndex
        {
            digits.insert(",", at: next)
            place = next
        }
        return digits
    }
}
