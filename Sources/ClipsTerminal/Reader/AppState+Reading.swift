import ClipsCore
import FoundationEssentials
import LiveQuery

/// Reading one clip after the other.
extension AppState {
    mutating func read(_ id: Int64) {
        reader.select(id)
        reader.hasFocus = true
        markAsOpened([id])
    }

    /// Marks clips as read because they are open, unless the option is off.
    mutating func markAsOpened(_ ids: [Int64]) {
        guard settings.config.readsOnOpen, saving.unavailabilityReason == nil else { return }
        let unread = ids.filter { id in
            list.clips.rows.first { $0.id == id }?.isUnread
                ?? (reader.id == id ? reader.clip?.isUnread : nil) ?? true
        }
        if !unread.isEmpty { start(.open(unread)) }
    }

    /// Opens the page of a clip, or a link in it.
    mutating func openPage(_ url: String, inTerminal: Bool = false) {
        let clips = (target?.id).map { [$0] } ?? []
        guard inTerminal else { return emit(.open(urls: [url], clips: clips)) }
        emit(.openHere(urls: [url], clips: clips, subject: url == targetURL ? targetTitle : url))
    }

    mutating func goToClip(by rows: Int) {
        guard reader.hasFocus else { return list.clips.move(by: rows) }
        // A clip that left the list, such as an archived one, has made its successor the selected one, or its
        // predecessor if it was the last.
        let hasLeft = list.clips.selectedID != reader.id
        let next = list.clips.selectedRow?.position
        let isBehind = reader.place.flatMap { place in next.map { place < $0 } } ?? true
        let steps = !hasLeft || isBehind == (rows < 0) ? rows : rows - rows.signum()
        let isEnd =
            hasLeft && isBehind == (rows < 0)
            && list.clips.selectedIndex == (rows < 0 ? 0 : list.clips.count - 1)
        if !isEnd { list.clips.move(by: steps) }
        guard !isEnd, let id = list.clips.selectedID, id != reader.id else {
            return report(rows > 0 ? "This is the last clip." : "This is the first clip.")
        }
        read(id)
    }

    /// Saves the selected lines as a quote, deletes the quote of a number, or offers the quotes of the clip.
    mutating func quote(_ number: Int?) {
        guard reader.hasFocus, let clip = reader.clip else {
            return report("Open the clip, and press \(keys.name(of: .range)) to select lines.")
        }
        if let number {
            guard clip.quotes.indices.contains(number - 1) else {
                return report("There is no quote \(number).")
            }
            start(.unquote(clip.quotes[number - 1], clip.id))
        } else if let quote = reader.quoteOfRange() {
            guard quote.text.utf8.count <= Quote.maxText else {
                return report("A quote may have up to 1 MB of text; select fewer lines.")
            }
            reader.toggleRange()
            start(.quote(quote, clip.id))
        } else if clip.quotes.count == 1 {
            menu = .quote(clip.quotes[0], of: clip.id)
        } else if !clip.quotes.isEmpty {
            menu = .quotes(of: clip)
        } else {
            report("Press \(keys.name(of: .range)) to select lines of the text first.")
        }
    }

    /// Opens the link of the typed number once it cannot begin that of another link, or after a pause.
    mutating func openTypedLink() {
        let count = reader.links.count
        guard screen == .list, reader.hasFocus, let number = typing.count else { return }
        let isDue = typing.linkDue.map { now >= $0 } ?? false
        typing.linkDue = nil
        guard number * 10 > count || isDue else {
            typing.linkDue = now + Self.linkPause
            return
        }
        guard number <= count else {
            // It may be a number of lines.
            if count > 9 { report("There is no link \(number); the clip has \(count).") }
            return
        }
        typing.count = nil
        openPage(reader.links[number - 1])
    }

    /// Time enough for the next digit.
    private static let linkPause = 1.0

    mutating func openLink(_ number: Int) {
        guard reader.links.indices.contains(number - 1) else {
            let count = reader.links.count
            return report("There is no link \(number); the clip has \(count == 0 ? "none" : "\(count)").")
        }
        openPage(reader.links[number - 1])
    }
}

/// Searching the text of the open clip.
extension AppState {
    /// The words searched in the open clip; empty for those of the list.
    var searchedText: String { reader.hasFocus ? reader.searched : "" }

    /// The highlight in the open clip or the preview.
    var readerHighlight: ClipHighlight? {
        reader.hasFocus ? textHighlight : ClipHighlight(highlightedWords)
    }

    /// The words in the open clip to whose matches `n` leads.
    var textHighlight: ClipHighlight? {
        if let highlight = ClipHighlight(literal: searchedText) { return highlight }
        guard screen != .output else { return nil }
        return ClipHighlight(list.query.filter.isEmpty ? list.lastWords : highlightedWords)
    }

    /// Scrolls to the next or previous match; in a text with too many, to the next line with one.
    ///
    /// - Parameters:
    ///   - start: The first line to search; nil for the one after or before the match, or the top.
    ///   - isWrapped: Whether no line after the present one has a match.
    mutating func searchText(isForward: Bool, from start: Int? = nil, isWrapped: Bool = false) {
        guard let highlight = textHighlight, let id = reader.id, var text = reader.text else { return }
        if let isFound = reader.showMatch(highlight, isForward: isForward, from: start) {
            guard isFound else { return reportNoMatch(isForward: isForward) }
            if reader.hasWrapped { reportWrap(isForward: isForward) }
            return
        }
        let first = start ?? (reader.found?.line ?? reader.index) + (isForward ? 1 : -1)
        let found = text.line(
            matching: highlight, from: first, isForward: isForward, limit: Reader.maxSearched)
        if let line = found.line {
            reader.showMatch(inLine: line)
            if isWrapped { reportWrap(isForward: isForward) }
        } else if found.isComplete, isForward, first > 0 {
            searchText(isForward: true, from: 0, isWrapped: true)
        } else if found.isComplete {
            reportNoMatch(isForward: isForward)
        } else {
            // Laying out and searching a long text takes time, so the worker does it.
            emit(
                .findLine(
                    id: id, text, highlight, from: first, isForward: isForward, isWrapped: isWrapped))
        }
    }

    mutating func finishSearch(_ line: Int?, from start: Int, isForward: Bool, isWrapped: Bool) {
        guard let line else {
            guard isForward, start > 0 else { return reportNoMatch(isForward: isForward) }
            return searchText(isForward: true, from: 0, isWrapped: true)
        }
        reader.showMatch(inLine: line)
        if isWrapped { reportWrap(isForward: isForward) }
    }

    /// Counts the matches in a text in which that takes longer than between two keys, once the words are typed.
    mutating func countManyMatches() {
        guard prompt == nil, reader.hasFocus, let id = reader.id, let count = reader.beginLongCount()
        else { return }
        emit(.countMatches(id: id, count.text, count.words))
    }

    private mutating func reportWrap(isForward: Bool) {
        report(isForward ? "No match below; this is the first one." : "No match above; this is the last one.")
    }

    private mutating func reportNoMatch(isForward: Bool) {
        let list = list.query.filter.isEmpty ? list.lastWords : highlightedWords
        let words = searchedText.isEmpty ? list : searchedText
        report("No “\(words)” \(isForward ? "below" : "above").")
    }
}
