import ClipsCore
import PersistentStore
import Platform
import Terminal

/// The clip shown next to the list or alone, and the scroll position in it.
struct Reader: Sendable {
    /// Whether the clip has the keys. It then remains open when the list changes.
    var hasFocus = false
    /// Whether the pane with the keys has the whole screen.
    var isZoomed = false
    private(set) var id: Int64?
    private(set) var clip: Clip?
    /// The position of the clip in the list, or the last one.
    var place: SortPosition?
    private var isLoading = false
    private var hasFailed = false
    /// Whether the clip was changed while it was not on the screen.
    private var isStale = false
    /// Whether the clip was deleted. Its last version remains visible.
    private(set) var isDeleted = false
    private(set) var lines: [ReaderText.Line] = []
    /// The range of `lines` in the text; nil when the text has changed.
    private var shown: Range<Int>?
    fileprivate(set) var top = 0
    /// The columns scrolled out at the left of unwrapped text.
    private(set) var hiddenColumns = 0
    /// Whether there is text below the screen.
    private(set) var hasMore = false
    /// The share of the text that has been shown, in percent; nil if all of it is on the screen.
    private(set) var percent: Int?
    var isWrapped = true
    private(set) var text: ReaderText?
    /// The layout before the clip changed, until there is a new one.
    private var former: ReaderText?
    /// The words searched in the text, also in the next clips.
    var searched = ""
    /// The matches of the highlighted words; nil without words, and if they or the text are too many for a key.
    private var matches: [ReaderText.Anchor]?
    var matchCount: Int? { matches?.count ?? longCount }
    /// The number of matches that are not in memory.
    private var longCount: Int?
    /// Whether it was requested.
    private var isCounting = false
    /// The words of ``matches``.
    private var counted: ClipHighlight? { didSet { (longCount, isCounting, found) = (nil, false, nil) } }
    /// The line of the match that was found last, and its number from 1 if it is known, until the text scrolls.
    private(set) var found: (line: Int, number: Int?)?
    /// Whether the cursor goes to the end once the text is laid out, unless it moves before.
    var seeksEnd = false
    /// Whether the search for it continued at the other end of the text.
    private(set) var hasWrapped = false
    /// The URLs in the text, by their numbers less 1.
    var links: [String] { numbered?.urls ?? [] }
    /// The output of a program, which is shown instead of a clip.
    private(set) var output: ProgramOutput?
    private var numbered: NumberedClip?
    private(set) var height = 0
    /// The lines between which the text is selected for a quote, in the order of selection.
    private(set) var range: (start: Int, end: Int)?

    init() {}

    /// Shows the output of a program. Its URLs have no numbers, since it is shown as it is.
    init(_ output: ProgramOutput) {
        (hasFocus, isZoomed, id) = (true, true, .min)
        self.output = output
    }

    var needsLoading: Bool { id != nil && !isLoading && (isStale || clip == nil && !isDeleted) }

    /// Whether the text of the clip has been requested, and has never been shown.
    var awaitsText: Bool { isLoading && clip == nil && !isDeleted && !hasFailed }

    mutating func beginLoading() { (isLoading, isStale, hasFailed) = (true, false, false) }

    /// Notes that the clip could not be read.
    mutating func failLoading() { hasFailed = true }

    mutating func invalidate() { (isLoading, isStale) = (false, true) }

    /// Whether transactions may have changed the clip.
    func isAffected(by transactions: [TransactionSummary]) -> Bool {
        id.map { id in transactions.contains { $0.affects([id]) } } ?? false
    }

    mutating func select(_ id: Int64?) {
        guard id != self.id else { return }
        var other = Reader()
        (other.hasFocus, other.isZoomed, other.isWrapped) = (hasFocus, isZoomed, isWrapped)
        (other.height, other.id, other.searched) = (height, id, searched)
        self = other
    }

    /// Shows a loaded clip, or that it was deleted. The lines on the screen stay if others before them change.
    mutating func show(_ clip: Clip?) {
        guard let clip else {
            isDeleted = true
            return
        }
        isDeleted = false
        self.clip = clip
        counted = nil
        numbered = NumberedClip(clip)
        (former, text) = (text ?? former, nil)
    }

    mutating func layOut(width: Int, height: Int, dates: DateFormat) {
        self.height = max(1, height)
        let width = max(1, width)
        guard output != nil || numbered != nil else { return }
        if text?.width != width || text?.isWrapped != isWrapped || text?.dates != dates {
            let anchor = text?.anchor(ofLine: top)
            var laidOut = ReaderText(width: width, isWrapped: isWrapped, dates: dates)
            if let output {
                laidOut.add(output)
            } else if let numbered {
                laidOut.add(numbered)
            }
            if top > 0, let anchor {
                top = laidOut.line(at: anchor)
            } else if top > 0, var former, let anchor = former.anchor(ofLine: top, in: laidOut) {
                top = laidOut.line(at: anchor)
            }
            (text, former) = (laidOut, nil)
            (shown, range, found) = (nil, nil, nil)
            (matches, counted) = (nil, nil)
        }
        if isWrapped { hiddenColumns = 0 }
        let known = text?.count(upTo: top + self.height + 1) ?? 0
        top = max(0, min(top, known - self.height))
        hasMore = known > top + self.height
        percent = hasMore ? text?.percent(before: top + self.height) : top > 0 ? 100 : nil
        guard shown != top..<top + self.height else { return }
        shown = top..<top + self.height
        lines = text?.lines(top..<top + self.height) ?? []
    }

    /// Finds the matches of the highlighted words in the texts of the clip, which are laid out, once.
    mutating func countMatches(of highlight: ClipHighlight?) {
        guard let text, counted != highlight else { return }
        counted = highlight
        matches = highlight.flatMap {
            text.matches(of: $0, maxBytes: Self.maxCounted, maxCount: Self.maxMatches)
        }
    }

    /// Returns the text in which the highlighted words must be counted elsewhere, and these, once.
    mutating func beginLongCount() -> (text: ReaderText, words: ClipHighlight)? {
        guard matches == nil, !isCounting, let text, let counted else { return nil }
        isCounting = true
        return (text, counted)
    }

    mutating func finishLongCount(_ count: Int, of words: ClipHighlight) {
        if counted == words { longCount = count }
    }

    /// Scrolls to the next or previous match, after the last one to the first, and returns whether there is one; nil if
    /// the matches are too many.
    ///
    /// - Parameter start: The first line to search; nil for the match that was found last, or the top.
    mutating func showMatch(_ highlight: ClipHighlight, isForward: Bool, from start: Int?) -> Bool? {
        countMatches(of: highlight)
        guard let matches, var text else { return nil }
        let next: Int
        if start == nil, let number = found?.number {
            next = isForward ? number : number - 2
        } else {
            let first = text.position(ofLine: start ?? (isForward ? index + 1 : index))
            next = matches.partitionPoint { $0 >= first } - (isForward ? 0 : 1)
        }
        guard !matches.isEmpty else { return false }
        hasWrapped = !matches.indices.contains(next)
        let index = hasWrapped ? isForward ? 0 : matches.count - 1 : next
        showMatch(inLine: text.line(ofPosition: matches[index]), number: index + 1)
        return true
    }

    /// Scrolls to a line with a match.
    mutating func showMatch(inLine line: Int, number: Int? = nil) {
        moveTo(index: line)
        found = (line, number)
    }

    /// The matches to which `n` leads one by one.
    static let maxMatches = 10_000

    /// The most matches that are counted.
    static let maxCount = 100_000

    /// The bytes in which one key counts matches.
    private static let maxCounted = 1 << 20

    /// The number of lines searched by one key.
    static let maxSearched = 5000

    mutating func scrollSideways(by columns: Int) {
        hiddenColumns = max(0, min(hiddenColumns + columns, 1 << 20))
    }

    /// Replaces the text by the same one of which more is laid out; returns false if the layout has changed.
    mutating func use(_ measured: ReaderText) -> Bool {
        guard let text, measured.isCopy(of: text) else { return false }
        self.text = measured
        return true
    }

    /// Scrolls to the end of a text that is laid out completely.
    mutating func moveToEnd(of measured: ReaderText) {
        guard use(measured), var whole = text else { return }
        let count = whole.count(upTo: .max)
        (found, seeksEnd) = (nil, false)
        if range != nil { moveTo(index: count - 1) } else { top = max(0, count - height) }
    }
}

extension Reader: Navigable {
    /// The last line of the range, or the top of the screen.
    var index: Int { range?.end ?? top }

    /// Scrolls to a line; one after the end is corrected in `layOut`, since the lines are not counted.
    mutating func moveTo(index: Int) {
        (found, seeksEnd) = (nil, false)
        guard let start = range?.start else {
            top = max(0, min(index, 1 << 40))
            return
        }
        let end = max(0, min(index, (text?.count(upTo: index + 1) ?? 1) - 1))
        range = (start, end)
        top = min(end, max(top, end - height + 1))
    }
}

/// Quotes.
extension Reader {
    /// Starts a range at the first line of the text on the screen, or ends it.
    mutating func toggleRange() {
        guard range == nil else {
            range = nil
            return
        }
        let first = top + (lines.firstIndex { $0.part == .text } ?? 0)
        range = (first, first)
    }

    func isInRange(row: Int) -> Bool {
        guard let range else { return false }
        return (min(range.start, range.end)...max(range.start, range.end)).contains(top + row)
    }

    /// The quote of the lines in the range; nil if it contains no text of the clip.
    mutating func quoteOfRange() -> Quote? {
        guard let range, let numbered else { return nil }
        let lines = min(range.start, range.end)..<max(range.start, range.end) + 1
        return text?.sources(ofLines: lines, near: Self.maxNear)?
            .quote(of: numbered.clip.text, without: numbered.ranges.numbers)
    }

    /// The bytes around a quote, of which it has a part.
    private static let maxNear = 1000
}

extension Clip {
    static let quoteStart: Character = "❝"
    static let quoteEnd: Character = "❞"

    /// Larger texts are shown without marks, since they are found on the thread that draws.
    private static let maxMarked = 1 << 20

    /// The text with a mark before and after each quote that is found in it.
    var markedText: String {
        guard !quotes.isEmpty, text.utf8.count <= Self.maxMarked else { return text }
        let ranges = Quote.ranges(of: quotes, in: text)
        var marks = ranges.map { (offset: $0.lowerBound, mark: Self.quoteStart) }
        marks += ranges.map { (offset: $0.upperBound, mark: Self.quoteEnd) }
        var (result, rest) = ("", text.startIndex)
        for (offset, mark) in marks.sorted(by: { $0.offset < $1.offset }) {
            result += text[rest..<offset] + String(mark)
            rest = offset
        }
        return result + text[rest...]
    }
}

extension String {
    /// Returns the text with spaces up to the next column that is a multiple of eight instead of each tab.
    func expandingTabs() -> String {
        // A larger text is shown at once, with a space for each.
        guard utf8.count <= 1 << 20, utf8.contains(0x09) else { return self }
        let lines = split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        return lines.map { line in
            var (shown, column) = ("", 0)
            for (index, part) in line.split(separator: "\t", omittingEmptySubsequences: false).enumerated() {
                let spaces = index == 0 ? 0 : 8 - column % 8
                shown += String(repeating: " ", count: spaces) + part
                column += spaces + DisplayWidth.columns(of: String(part))
            }
            return shown
        }.joined(separator: "\n")
    }
}
