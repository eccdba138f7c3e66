import ClipsCore
import LiveQuery
import PersistentStore
import Terminal
import Testing

@testable import ClipsTerminal

/// Sentences on a screen of 40 columns.
@Suite struct NarrowScreenTests {
    @Test func `the prompt of a filter shows the number of clips`() throws {
        var state = AppState.showing(3, Size(rows: 12, columns: 40))
        try state.press("/clip")
        state.take(window([2, 1, 0], generation: state.list.feed.generation))
        #expect(state.draw().lines.contains { $0.hasPrefix(" /clip") && $0.hasSuffix("1/3") })
    }

    private static let narrow = Size(rows: 12, columns: 40)

    private static let sentences = [
        "No changes of yours to undo in the last week, besides clips that you opened.",
        "Open the clip, and press v to select lines.",
        "Following: at the top, new clips scroll into view.",
        "Tagged 5 clips +a-long-tag +another-long-tag -third · u to undo",
    ]

    @Test(arguments: sentences, [true, false])
    func `a message is never cut`(sentence: String, isError: Bool) {
        for columns in [40, 30, 24] {
            var state = AppState.showing(30, Size(rows: 12, columns: columns))
            _ = state.handle(isError ? .programFailed(sentence) : .notice(sentence), at: noon)
            let shown = state.lines.joined(separator: " ").split(separator: " ")
            let words = sentence.split(separator: " ").filter {
                isError || !["·", "u", "to", "undo"].contains($0)
            }
            #expect(words.allSatisfy(shown.contains), "\(columns): \(state.lines)")
        }
    }

    @Test func `a title with line ends is one line in a message`() {
        #expect(Clip.quoted("two\nlines\r\nand more") == "“two lines and more”")
    }

    @Test func `a report with many names takes four rows, without their line ends`() {
        var state = AppState.showing(30, Self.narrow)
        _ = state.handle(
            .notice("Saved “one\ntwo” " + (1...80).map { "+tag\($0)" }.joined(separator: " ")), at: noon)
        #expect(state.lines[state.lines.count - 6].contains("Clip"), "\(state.lines)")
        #expect(state.lines.contains { $0.contains("Saved “one two” +tag1") })
        #expect(state.statusLine.contains("…"))
    }

    @Test func `the hint at the end of a message is omitted if there is no room for it`() {
        var state = AppState.showing(3, Self.narrow)
        _ = state.handle(.notice("Undone: marked 49 clips as read · ^R to redo"), at: noon)
        #expect(state.statusLine.hasPrefix(" Undone: marked 49 clips as read  "))
        #expect(state.lines[1].contains("Clip 2"))
        _ = state.handle(.notice("Saved “A · B” · the page is already saved as clip 1 · u to undo"), at: noon)
        #expect(state.lines[9].hasPrefix(" Saved “A · B” · the page is already"), "\(state.lines)")
        #expect(state.statusLine.hasPrefix(" saved as clip 1"))
    }

    @Test func `the rows below a message are drawn again after it`() throws {
        var state = AppState.showing(30, Self.narrow)
        var drawn = DrawnFrame()
        for text in ["Saved.", Self.sentences[0], "Saved.", Self.sentences[1]] {
            _ = state.handle(.notice(text), at: noon)
            #expect(state.draw(reusing: &drawn).lines == state.lines)
            try state.press("j")
            #expect(state.draw(reusing: &drawn).lines == state.lines)
        }
    }

    @Test func `a message is above the prompt if the line of keys is too short`() throws {
        var state = AppState.showing(30, Self.narrow)
        try state.press("/")
        _ = state.handle(.key(.paste(String(repeating: "x", count: 2_000))), at: noon)
        #expect(state.lines[8].hasPrefix(" The text was cut off after 1,000"), "\(state.lines)")
        #expect(state.lines[9].hasPrefix(" characters."))
    }

    @Test func `a menu cuts its texts between words`() throws {
        var state = AppState.showing(3, Self.narrow, config: "bind ,a archive\nbind ,b star")
        try state.press(",")
        #expect(
            state.lines.contains { $0.contains("a  Archive the clip, which hides it… ") }, "\(state.lines)")
    }

    @Test(arguments: [12, 13, 14])
    func `a conflict has a border and both versions`(rows: Int) throws {
        var state = AppState.showing(30, Size(rows: rows, columns: 40))
        func clip(_ title: String) -> Clip {
            let layout = StoredObject.Layout(names: ["title"])
            return Clip(
                StoredObject(id: ClipModel.objectID(29), version: 1, layout: layout, values: [.text(title)]))
        }
        let work = Work.edit(clip("Base"), [.title: .text("Mine")], "edited", form: nil)
        state.answer(.work(work), Work.Outcome.conflict(clip("Theirs")))
        let lines = state.lines
        #expect(lines.contains { $0.hasPrefix("┌─ Choose what to save ─") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("└─") }, "\(lines)")
        for words in ["yours   Mine", "theirs  Theirs", "both changed it", "both: ", "later: "] {
            #expect(lines.contains { $0.contains(words) }, "\(words): \(lines)")
        }
    }

    @Test func `an empty list shows each command on a line`() {
        var state = AppState.showing(0, Self.narrow)
        state.list.hidden = HiddenClips()
        let commands = [
            "clips add --fetch swift.org", "clips import bookmarks.html", "clips browser install",
        ]
        for command in commands {
            #expect(state.lines.contains { $0.trimmed == command }, "\(command): \(state.lines)")
        }
        #expect(state.lines.joined().contains("No clips yet"))
        #expect(state.lines.joined(separator: " ").contains("immediately."), "\(state.lines)")
        _ = state.handle(.resized(Size(rows: 24, columns: 80)), at: noon)
        #expect(state.lines.contains { $0.trimmed.hasSuffix("# saves pages with a click in the browser") })
    }

    @Test func `the sentence of an empty history is whole`() {
        var state = AppState.showing(0, Self.narrow)
        state.showHistory()
        state.answer(.loadHistory(HistoryFilter(), after: 0), ([HistoryTransaction](), Int64(0)))
        #expect(state.lines.joined(separator: " ").contains("purged."), "\(state.lines)")
    }

    @Test func `the history has room for a change and its title, and names the author below`() {
        var state = AppState.showing(3, Self.narrow)
        state.take(.transactions([transaction(1, deleting: [3])]))
        state.showHistory()
        state.reconcile()
        #expect(!state.lines[0].contains("Author") && state.lines[1].hasPrefix(" - Clip 3  deleted "))
        #expect(state.lines.contains { $0.contains(" · extension ") }, "\(state.lines)")
    }
}
