import ClipsCore
import Terminal

/// The clip that is read, and which lines of it are on the screen.
struct DetailState: Sendable {
    private(set) var id: Int64?
    private(set) var clip: Clip?
    /// The store was asked for the clip.
    var isAsked = false
    /// It was changed while it was not on the screen.
    private var isOutdated = false
    /// The clip is no longer in the store; what was read last stays to be seen.
    private(set) var isGone = false
    private(set) var lines: [DetailText.Line] = []
    /// Which of the text's those are; nil when the text is another since.
    private var shown: Range<Int>?
    fileprivate(set) var top = 0
    /// Columns hidden at the left of text that is not wrapped.
    private(set) var hiddenColumns = 0
    /// Whether there is text below the screen.
    private(set) var hasMore = false
    var isWrapped = true
    private(set) var text: DetailText?
    fileprivate var height = 0

    var needsLoading: Bool { id != nil && !isAsked && (isOutdated || clip == nil && !isGone) }

    mutating func ask() { (isAsked, isOutdated) = (true, false) }

    mutating func outdate() { (isAsked, isOutdated) = (false, true) }

    mutating func select(_ id: Int64?) {
        guard id != self.id else { return }
        let (isWrapped, height) = (isWrapped, height)
        self = DetailState()
        (self.isWrapped, self.height, self.id) = (isWrapped, height, id)
    }

    /// Takes a clip as it is now; nil when it is gone. The lines being read stay where they are.
    mutating func show(_ clip: Clip?) {
        guard let clip else {
            isGone = true
            return
        }
        isGone = false
        self.clip = clip
        text = nil
    }

    mutating func layOut(width: Int, height: Int) {
        self.height = max(1, height)
        let width = max(1, width)
        guard let clip else { return }
        if text?.width != width || text?.isWrapped != isWrapped {
            let place = text?.place(ofLine: top)
            var laidOut = DetailText(clip, width: width, isWrapped: isWrapped)
            if top > 0, let place { top = laidOut.line(at: place) }
            text = laidOut
            shown = nil
        }
        if isWrapped { hiddenColumns = 0 }
        let known = text?.count(upTo: top + self.height + 1) ?? 0
        top = max(0, min(top, known - self.height))
        hasMore = known > top + self.height
        guard shown != top..<top + self.height else { return }
        shown = top..<top + self.height
        lines = text?.lines(top..<top + self.height) ?? []
    }

    /// Lines looked through for words; a longer way is gone with more keys.
    private static let mostSearched = 5000

    /// Shows the next line with what is looked for, or the one before; false when there is none near.
    mutating func moveToLine(containing words: String, isForward: Bool) -> Bool {
        guard var text, let highlight = ClipHighlight(words) else { return false }
        let range =
            isForward
            ? top + 1..<top + 1 + Self.mostSearched : max(0, top - Self.mostSearched)..<max(0, top)
        let lines = text.lines(range)
        self.text = text
        func contains(_ line: DetailText.Line) -> Bool {
            !highlight.ranges(inText: line.text).isEmpty
        }
        guard let place = isForward ? lines.firstIndex(where: contains) : lines.lastIndex(where: contains)
        else { return false }
        let wanted = range.lowerBound + place
        guard isForward || wanted < top else { return false }
        moveTo(index: wanted)
        return true
    }

    mutating func scrollSideways(by columns: Int) {
        hiddenColumns = max(0, min(hiddenColumns + columns, 1 << 20))
    }

    /// Goes to the end of a text whose lines are all found.
    mutating func moveToEnd(of measured: DetailText) {
        var measured = measured
        guard measured.width == text?.width, measured.isWrapped == isWrapped else { return }
        text = measured
        top = max(0, measured.count(upTo: .max) - height)
    }
}

extension DetailState: Movable {
    private static let furthest = 1 << 40

    mutating func move(by lines: Int) { moveTo(index: top + max(-Self.furthest, min(lines, Self.furthest))) }

    mutating func moveToStart() { top = 0 }

    mutating func moveToEnd() { top = Self.furthest }

    mutating func moveTo(index: Int) { top = max(0, min(index, Self.furthest)) }

    mutating func page(by pages: Int, half: Bool) {
        move(by: max(-1_000_000, min(pages, 1_000_000)) * (half ? max(1, height / 2) : max(1, height - 2)))
    }
}
