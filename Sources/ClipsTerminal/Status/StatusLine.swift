import ClipsCore
import FoundationEssentials
import HistoryTracking
import LiveQuery
import PersistentStore
import Platform
import Terminal

/// The status line: the position, the prompt or message, and the state of the store; with the line of keys
/// below it.
struct StatusLine {
    let state: AppState
    var theme: Theme { state.theme }

    /// The message, or that nothing else on the screen is true anymore.
    private var message: AppState.Message? {
        guard state.message == nil, state.sync.state == .storeReplaced else { return state.message }
        return AppState.Message(
            text: "The store file was replaced or emptied: quit and restart.", isError: true)
    }

    /// - Parameter isReused: Whether the frame contains the last one, with the same line of keys.
    func draw(_ layout: Layout, in frame: inout Frame, isReused: Bool = false) {
        if let hints = layout.hints, !isReused { HintLine(state: state).draw(hints, &frame) }
        // On a screen of one row, a prompt or an error replaces the list.
        let isNeeded = state.prompt != nil || message != nil
        guard let line = layout.status ?? (isNeeded ? Rect(frame.size) : nil) else { return }
        frame.fill(line)
        if state.prompt != nil {
            drawPrompt(line, &frame)
            if let message = state.message ?? filterProblem { drawHint(message, above: line, layout, &frame) }
        } else if let message {
            let text = shortened(message, to: line.size.columns - 2 * indent(line))
            if drawWrapped(text, of: message, upTo: line, &frame) { return }
            let used = frame.put(
                SafeText.cut(text, to: line.size.columns - indent(line)), in: line,
                column: indent(line), style: style(of: message))
            let right = rightParts(fitting: line.size.columns - 2 * indent(line) - used - 2)
            drawRight(right, line, after: indent(line) + used, gap: 2, mayCut: false, &frame)
        } else {
            drawState(line, &frame)
        }
    }

    private func style(of message: AppState.Message) -> Style { theme[message.isError ? .error : .strong] }

    /// Whether the message covers rows above the status line.
    func coversRows(_ layout: Layout) -> Bool {
        guard let message, let line = layout.status else { return false }
        let width = line.size.columns - 2 * indent(line)
        return Self.isLonger(shortened(message, to: width), than: width)
    }

    private static func isLonger(_ text: String, than width: Int) -> Bool {
        DisplayWidth.columns(of: SafeText.line(text)) > width || text.contains("\n")
    }

    /// Returns a report without its hint, such as the key that undoes it, if both do not fit.
    private func shortened(_ message: AppState.Message, to width: Int) -> String {
        let text = message.text
        guard !message.isError, Self.isLonger(text, than: width),
            let hint = text.split(separator: " · ").last, hint.hasSuffix("do"), hint.contains(" to "),
            hint.count < text.count
        else { return text }
        return String(text.dropLast(hint.count + 3))
    }

    /// Draws a message in the line of keys, since the prompt has the status line, or above the prompt.
    private func drawHint(
        _ message: AppState.Message, above prompt: Rect, _ layout: Layout, _ frame: inout Frame
    ) {
        guard let line = layout.hints else { return }
        let above = Rect(row: prompt.row - 1, column: prompt.column, rows: 1, columns: prompt.size.columns)
        if message == state.message, above.row >= 0,
            drawWrapped(message.text, of: message, upTo: above, &frame)
        {
            return
        }
        frame.fill(line)
        frame.put(
            SafeText.cutAtWord(message.text, to: line.size.columns - 1), in: line, column: 1,
            style: style(of: message))
    }

    /// The problem with the filter. While it is typed, an unfinished word is not a problem.
    private var filterProblem: AppState.Message? {
        guard state.screen == .list else { return nil }
        let isTyping = state.prompt?.kind == .filter
        guard isTyping || state.prompt == nil else { return nil }
        return state.list.query.problem(isTyping: isTyping).map { AppState.Message(text: $0, isError: true) }
    }

    private func indent(_ line: Rect) -> Int { line.size.columns >= 20 ? 1 : 0 }

    /// Draws a message in a line and over the rows above if it does not fit in the line, since its end may say what to
    /// do.
    private func drawWrapped(
        _ text: String, of message: AppState.Message, upTo line: Rect, _ frame: inout Frame
    ) -> Bool {
        let width = line.size.columns - 2 * indent(line)
        guard width > 0, Self.isLonger(text, than: width) else { return false }
        // The names in a report have no lines, and its end repeats what the user did.
        var wrapped = WrappedText(message.isError ? text : text.replacing("\n", with: " "), width: width)
        let maxRows = max(1, min(message.isError ? max(6, line.row / 2) : 4, line.row + 1))
        var rows = wrapped.lines(0..<maxRows)
        if wrapped.count(upTo: maxRows + 1) > maxRows, rows.count > 1 {
            rows[rows.count - 1] =
                !message.isError
                ? SafeText.cut(rows[rows.count - 1] + "…", to: width)
                : "… and more" + (state.settings.config.errors.isEmpty ? "" : " · :errors shows all")
        }
        let area = Rect(
            row: line.row - rows.count + 1, column: line.column, rows: rows.count, columns: line.size.columns)
        frame.fill(area)
        for (row, text) in rows.enumerated() {
            frame.put(text, in: area, row: row, column: indent(line), style: style(of: message))
        }
        return true
    }

    private func drawPrompt(_ line: Rect, _ frame: inout Frame) {
        guard let prompt = state.prompt else { return }
        let label =
            line.size.columns >= 40 ? " " + prompt.label(columns: line.size.columns) : prompt.shortLabel
        let start = frame.put(label, in: line, style: theme[.strong])
        let width = max(1, line.size.columns - start - 1)
        // Scrolls so that the cursor is visible.
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
            let room = line.size.columns - start
            frame.putCut(prompt.placeholder, in: line, column: start, width: room, style: theme[.muted])
        }
        let column = min(line.size.columns - 1, start + DisplayWidth.columns(of: SafeText.line(before)))
        frame.cursor = Position(row: line.row, column: max(0, column))
        let marks = state.list.marks.isEmpty ? "" : state.list.marks.summary + " · "
        let hasNumbers = !prompt.editor.characters.isEmpty || !marks.isEmpty
        guard prompt.kind == .filter, hasNumbers else { return }
        let similar = state.list.deviation.correction.map { "similar: \($0) · " } ?? ""
        let room = line.size.columns - start - DisplayWidth.columns(of: SafeText.line(shown)) - 1
        // The number of clips is the last part to be left out.
        let parts = [similar + position, position].flatMap { [marks + $0, $0] }
        if let count = parts.map({ " \($0) " }).first(where: { DisplayWidth.columns(of: $0) <= room }) {
            frame.putRight(count, in: line, width: line.size.columns, style: theme[.muted])
        }
    }

    private func drawState(_ line: Rect, _ frame: inout Frame) {
        var left = leftParts
        let filter = left.firstIndex { $0.text == "/\(state.list.query.filter)" }
        let needed = max(2, filter.map { $0 + 1 } ?? 0)
        let gap = 2
        func fittingParts(after left: [StyledRun]) -> [StyledRun] {
            rightParts(fitting: line.size.columns - indent(line) - width(left) - gap - 1)
        }
        var right = fittingParts(after: left)
        // What a commit changed is more important than the number of unread clips.
        if left.count > needed, left.last?.text.hasSuffix(" unread") == true, !isWhole(right) {
            let titled = fittingParts(after: left.dropLast())
            if titled != right { (left, right) = (left.dropLast(), titled) }
        }
        let isReading = state.screen == .output || state.reader.hasFocus
        if isReading, right.count > 1, width(left) + width(right) + gap + 1 > line.size.columns {
            // To a reader, the matches are more important than the last change.
            right.removeAll { $0.style == theme[.muted] }
        }
        // The first parts are the most important.
        while left.count > needed, width(left) + width(right) + gap + 1 > line.size.columns {
            left.removeLast()
            if !isReading { right = fittingParts(after: left) }
        }
        let room = line.size.columns - indent(line) - width(left) - gap - 1
        if !isReading, width(right) > room {
            let cut = filter.map { max(0, width([left[$0]]) - Self.minFilter) } ?? 0
            let titled = rightParts(fitting: room + cut)
            let isTitled = width(titled) <= room + cut && titled != rightParts(maxTitle: 0)
            right = isTitled ? titled : untitledParts(fitting: room)
        }
        let excess = width(left) + width(right) + gap + 1 + indent(line) - line.size.columns
        if let filter, excess > 0 {
            let text = SafeText.line(left[filter].text)
            let columns = max(Self.minFilter, DisplayWidth.columns(of: text) - excess)
            left[filter].text = SafeText.cut(text, to: columns)
        }
        // The number of unread clips does not hide a problem on a narrow screen.
        if left.count == 2, left[1].text.hasSuffix(" unread"), line.size.columns - width(left) < 8 {
            left.removeLast()
        }
        var column = indent(line)
        for (index, part) in left.enumerated() {
            if index > 0 { column += frame.put(" · ", in: line, column: column, style: theme[.muted]) }
            column += frame.put(
                SafeText.cutAtWord(part.text, to: line.size.columns - column), in: line, column: column,
                style: part.style)
        }
        drawRight(right, line, after: column, gap: gap, mayCut: true, &frame)
    }

    /// The columns of a filter that the last change does not take.
    private static let minFilter = 20

    func width(_ parts: [StyledRun]) -> Int {
        parts.reduce(max(0, parts.count - 1) * 3) { $0 + DisplayWidth.columns(of: SafeText.line($1.text)) }
    }

    /// Draws the parts that fit, from the first.
    private func drawRight(
        _ parts: [StyledRun], _ line: Rect, after column: Int, gap: Int, mayCut: Bool,
        _ frame: inout Frame
    ) {
        let end = line.size.columns - indent(line)
        var parts = parts
        while parts.count > 1, end - width(parts) < column + gap { parts.removeLast() }
        guard mayCut ? end > column + gap + 3 : end - width(parts) >= column + gap else { return }
        var start = max(column + gap, end - width(parts))
        for (index, part) in parts.enumerated() {
            if index > 0 { start += frame.put(" · ", in: line, column: start, style: theme[.muted]) }
            start += frame.put(
                SafeText.cutAtWord(part.text, to: end - start), in: line, column: start, style: part.style)
        }
    }

    private var position: String {
        let list = state.list.clips
        // Until the clips of a filter are found, the list shows those before it.
        guard list.isLoaded, !state.list.feed.isLoading else { return "…" }
        guard list.count > 0 else { return "0" }
        let count = list.isCounted ? list.count.grouped : "…"
        return "\((list.selectedIndex + 1).grouped)/\(count)"
    }

    private var leftParts: [StyledRun] {
        var parts: [StyledRun] = []
        switch state.screen {
        case .help:
            let entries = state.help.entries(state.keys)
            parts = [
                StyledRun("\(min(state.help.selected + 1, entries.count))/\(entries.count)", theme[.strong])
            ]
            guard entries.indices.contains(state.help.selected) else { return parts }
            let entry = entries[state.help.selected]
            if let reason = state.unavailabilityReason(of: entry.binding.action, on: state.help.origin) {
                parts.append(StyledRun(reason, theme[.warning]))
            } else {
                parts.append(StyledRun("Enter runs \(entry.usage)", theme[.muted]))
            }
            return parts
        case .conflict:
            let texts = ConflictScreen(state: state).lineCount(state.layout)
            let isLong = texts > ConflictScreen.rows(state.layout, state.questions.first)
            return [
                StyledRun(isLong ? "PgDn shows the rest · Esc postpones" : "Esc postpones", theme[.muted])
            ]
        case .output:
            let output = state.printed.output.map { "\($0.program) on \($0.subject)" } ?? ""
            parts.append(StyledRun("Output of \(output)", theme[.strong]))
        case .consumers, .errors:
            return [StyledRun("\(state.keys.name(of: .back)) goes back", theme[.muted])]
        case .history:
            parts.append(StyledRun("History", theme[.strong]))
            let (number, count) = (state.history.selected + 1, state.history.count)
            let more = state.history.isCut ? "+" : ""
            if count > 0 { parts.append(StyledRun("\(number.grouped)/\(count.grouped)\(more)")) }
            if !state.history.filter.isEmpty {
                parts.append(StyledRun("/\(state.history.filter.text)", theme[.strong]))
            }
        case .list:
            parts.append(StyledRun(position, theme[.strong]))
            // The clips on the screen do not match the filter.
            if let close = state.list.deviation.correction {
                parts.append(StyledRun("similar: \(close)", theme[.warning]))
            }
        }
        let typed = (state.typing.count.map(String.init) ?? "") + KeyMap.shown(state.typing.pressed)
        if !typed.isEmpty {
            let link = state.typing.linkDue == nil ? "" : " opens link \(typed)"
            parts.append(StyledRun("\(typed)…\(link)", theme[.strong]))
        }
        if state.screen == .list, !state.list.marks.isEmpty {
            let mode = state.list.marks.range == nil ? "" : " · range"
            parts.append(StyledRun(state.list.marks.summary + mode, theme[.mark]))
        }
        if state.saving.isSlow(at: state.now) {
            let writer = state.saving.writer.map { " waiting for \($0)" } ?? ""
            parts.append(StyledRun("saving…\(writer)", theme[.warning]))
        }
        if state.screen == .list || state.screen == .output, state.reader.hasFocus {
            if let percent = state.reader.percent {
                parts.append(StyledRun(state.reader.hasMore ? "↓ more · \(percent)%" : "100%", theme[.muted]))
            }
            let isSearched = !state.reader.searched.isEmpty && state.prompt != nil
            if let count = state.reader.matchCount, count > 0 || isSearched {
                let number = state.reader.found?.number.map { "\($0.grouped)/" } ?? ""
                let matches = count == 1 ? "match" : "matches"
                let more = count == Reader.maxCount ? "+" : ""
                parts.append(StyledRun("\(number)\(count.grouped)\(more) \(matches)", theme[.muted]))
            } else if state.reader.matchCount == nil, state.reader.found != nil, state.textHighlight != nil {
                // They are being counted.
                parts.append(StyledRun("… matches", theme[.muted]))
            }
        }
        guard state.screen == .list else { return parts }
        if let pause = state.list.pause {
            let news = pause.news.map { " · \($0)" } ?? ""
            parts.append(StyledRun("paused\(news)", theme[.warning]))
        }
        if state.list.arrivals.aboveCount > 0 {
            let arrivals = state.list.arrivals
            let (about, more) = (arrivals.isApproximate ? "~" : "", arrivals.isAboveCut ? "+" : "")
            parts.append(StyledRun("↑ \(about)\(arrivals.aboveCount.grouped)\(more) new", theme[.new]))
        }
        if !state.list.query.filter.isEmpty {
            parts.append(StyledRun("/\(state.list.query.filter)", theme[.strong]))
        }
        if let problem = filterProblem { parts.append(StyledRun(problem.text, theme[.error])) }
        if state.list.query.isRanked, !state.list.deviation.isUnranked, state.sync.indexing.isEmpty {
            let isPart = state.list.isSettled && state.list.clips.count > ClipQuery.maxRanked
            let number = isPart ? "\(ClipQuery.maxRanked.grouped) " : ""
            parts.append(StyledRun("\(number)by relevance", theme[.muted]))
        } else if state.list.query.sort != state.settings.config.sort {
            parts.append(StyledRun(ClipQuery.label(of: state.list.query.sort), theme[.muted]))
        }
        if !state.list.clips.follows { parts.append(StyledRun("not following", theme[.muted])) }
        // The list of a pause lacks some of the clips that are counted.
        if !state.reader.hasFocus, state.list.pause?.news == nil, let unread = state.unreadCount {
            parts.append(StyledRun("\(unread) unread", theme[.muted]))
        }
        return parts
    }
}
