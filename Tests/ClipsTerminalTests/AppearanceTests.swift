import ClipsCore
import Foundation
import LiveQuery
import PersistentStore
import Terminal
import Testing

@testable import ClipsTerminal

@Suite struct AppearanceTests {
    @Test func `the background that the terminal reports selects the theme, unless one is set`() {
        var state = AppState.showing(3)
        #expect(state.theme == Theme(.dark, .direct) && state.settings.dependsOnBackground)
        _ = state.handle(.backgroundReported(.rgb(0xFDF6E3)), at: noon)
        #expect(state.theme == Theme(.light, .direct))
        _ = state.handle(.backgroundReported(.rgb(0x1E222A)), at: noon)
        #expect(state.theme == Theme(.dark, .direct))
        state = .showing(3, config: "set theme dark")
        _ = state.handle(.backgroundReported(.rgb(0xFFFFFF)), at: noon)
        #expect(state.theme == Theme(.dark, .direct) && !state.settings.dependsOnBackground)
    }

    @Test(arguments: [Theme.Choice.dark, .light], [ColorCapability.sixteen, .palette, .direct])
    func `the program's own authors have different colors`(
        choice: Theme.Choice, colors: ColorCapability
    ) {
        let theme = Theme(choice, colors)
        #expect(Set(["app", "cli", "extension", "import"].map(theme.author)).count == 4)
        #expect(Theme.Role.names.allSatisfy { Theme.Role($0) != nil })
    }

    /// The contrast ratio of WCAG 2.1.
    private static func contrast(_ one: Color, _ other: Color) -> Double {
        func luminance(_ color: Color) -> Double {
            let parts = (color.fixedComponents ?? []).map { value in
                let part = Double(value) / 255
                return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
            }
            return parts.count == 3 ? 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] : 0
        }
        let levels = [luminance(one), luminance(other)].sorted()
        return (levels[1] + 0.05) / (levels[0] + 0.05)
    }

    @Test(arguments: [ColorCapability.palette, .direct])
    func `text is legible on usual backgrounds`(colors: ColorCapability) {
        for (choice, papers) in [
            (Theme.Choice.dark, [0x000000, 0x1E222A, 0x002B36]), (.light, [0xFFFFFF, 0xFDF6E3]),
        ] {
            let theme = Theme(choice, colors)
            for role in Theme.Role.allCases where role != .border && role != .scrollbar {
                let style = theme[role]
                guard style.foreground != .standard else { continue }
                let grounds =
                    style.background == .standard ? papers.map { Color.rgb(UInt32($0)) } : [style.background]
                for ground in grounds {
                    let ratio = Self.contrast(style.foreground, ground)
                    #expect(ratio >= 3.9, "\(choice) \(role) on \(ground): \(ratio)")
                }
            }
        }
    }

    @Test func `an unread title is bold, even on the selected row`() throws {
        let state = AppState.showing(4)
        for (row, isUnread) in [(1, false), (2, true)] {
            let style = state.draw().cell(row: row, column: 4)?.style
            #expect(style?.attributes.contains(.bold) == isUnread, "row \(row)")
        }
        var selected = state
        try selected.press("j")
        #expect(selected.draw().cell(row: 2, column: 4)?.style.attributes.contains(.bold) == true)
        #expect(
            selected.draw().cell(row: 2, column: 4)?.style.background == state.theme[.selection].background)
    }

    @Test func `site and tags remain on a screen of 100 columns, with the clip below`() {
        let state = AppState.showing(4, Size(rows: 30, columns: 100))
        #expect(state.layout.arrangement == .below)
        #expect(state.lines[0].hasPrefix("   Title"))
        for heading in ["Site", "Tags", "Age"] { #expect(state.lines[0].contains(heading)) }
        #expect(!state.lines[0].contains("Author"))
    }

    @Test(arguments: [(0, 1), (500, 11), (999, 22)])
    func `the scroll bar shows the position`(index: Int, row: Int) throws {
        var state = AppState.showing(1000, Size(rows: 24, columns: 80))
        if index > 0 { try state.press("\(index + 1)G") }
        let thumbs = (0..<24).filter { state.draw().cell(row: $0, column: 79)?.text == "┃" }
        #expect(thumbs.count == 1 && abs((thumbs.first ?? 0) - row) <= 1, "\(thumbs)")
        // Next to a clip, the separator is the bar; a short list has none.
        state = .showing(1000, Size(rows: 24, columns: 120))
        #expect(state.draw().cell(row: 1, column: state.layout.listBar?.column ?? 0)?.text == "┃")
        #expect(!AppState.showing(5).lines.joined().contains("┃"))
    }

    @Test func `a menu has a whole border`() throws {
        var state = AppState.showing(30)
        try state.press("s")
        let lines = state.lines
        let top = try #require(lines.firstIndex { $0.hasPrefix("┌─ Sort by ─") && $0.contains("┐") })
        let bottom = try #require(lines.firstIndex { $0.hasPrefix("└──") && $0.contains("┘") })
        #expect(bottom - top - 1 == state.menu?.items.count)
        #expect(lines[top + 1..<bottom].allSatisfy { $0.hasPrefix("│") })
    }

    @Test func `the preview has labels, and continues them without`() throws {
        var state = AppState.showing(3, Size(rows: 30, columns: 120))
        let layout = StoredObject.Layout(names: ["title", "url", "tags", "note", "text", "author"])
        let clip = Clip(
            StoredObject(
                id: ClipModel.objectID(2), version: 1, layout: layout,
                values: [
                    .text("A title"), .text("https://de.wikipedia.org/wiki/M%C3%BCnchen"), .text("a,b"),
                    .text(String(repeating: "note ", count: 20)), .text("The text"), .text("cli"),
                ]))
        state.answer(.loadClip(2), clip)
        let pane = state.lines.map { String($0.dropFirst(70)) }
        #expect(pane[0].hasPrefix("A title"))
        #expect(pane[1].hasPrefix("URL      https://de.wikipedia.org/wiki/München"))
        #expect(pane[2].hasPrefix("Tags     #a #b"))
        #expect(pane[3].hasPrefix("Saved    1970-01-01 "))
        let note = try #require(pane.firstIndex { $0.hasPrefix("Note     note") })
        #expect(pane[note + 1].hasPrefix("         note"))
    }
}
