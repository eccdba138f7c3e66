import ClipsCore
import PersistentStore
import Terminal
import Testing

@testable import ClipsTerminal

/// The screen of `clips pick`, and the clips that it prints.
@Suite struct PickScreenTests {
    @Test func `a pick without a match says that Esc leaves`() {
        var state = AppState.showing(3)
        _ = state.handle(.picking(Pick(words: "nothing")), at: noon)
        state.take(window([], generation: state.list.feed.generation))
        #expect(state.lines.contains { $0.contains("Esc leaves without a clip.") }, "\(state.lines)")
        #expect(!state.lines.contains { $0.contains("shows all clips") })
        #expect(state.lines.last?.contains("print") == false, "\(state.lines)")
    }

    @Test func `a pick without clips names no keys that are letters of its filter`() {
        var state = AppState.showing(0)
        _ = state.handle(.picking(Pick()), at: noon)
        state.take(window([], generation: state.list.feed.generation))
        for hidden in [HiddenClips(), HiddenClips(archived: 1, hasDeleted: true)] {
            state.list.hidden = hidden
            let text = state.lines.joined(separator: "\n")
            #expect(
                text.contains("Run in another terminal") || text.contains("Typing is:archived"), "\(text)")
            #expect(!text.contains("Press a") && !text.contains("H shows"), "\(text)")
            #expect(text.contains("Esc leaves without a clip."), "\(text)")
        }
    }

    @Test func `a key without an action names those of a pick`() throws {
        var state = AppState.showing(3)
        state.begin(Pick())
        try state.press("<C-o>")
        #expect(state.message?.text == "Enter prints, Esc leaves without a clip.")
    }

    @Test func `Enter without a match leaves the filter open`() throws {
        var state = AppState.showing(3)
        _ = state.handle(.picking(Pick()), at: noon)
        try state.press("nothing<Enter>")
        state.take(window([], generation: state.list.feed.generation))
        #expect(state.prompt?.editor.text.trimmed == "nothing")
        #expect(state.message?.text.contains("Esc leaves without a clip.") == true, "\(state.lines)")
        let effects = try state.press("<Esc>")
        #expect(effects.contains { if case .quit = $0 { true } else { false } }, "\(effects)")
    }

    @Test func `marks are counted in the line of the filter, and printed in their order`() throws {
        var state = AppState.showing(5)
        _ = state.handle(.picking(Pick(isSeveral: true)), at: noon)
        try state.press("<Down><Tab><Up><Up><Tab>")
        #expect(state.statusLine.contains("2 marked"), "\(state.statusLine)")
        let effects = try state.press("<Enter>")
        let gathered = effects.compactMap { effect in
            if case .gather(let ids, let sort, .pick(.url)) = effect { (ids, sort) } else { nil }
        }
        #expect(gathered.first?.0 == [3, 4] && gathered.first?.1 == nil, "\(effects)")
    }

    @Test func `keys typed after a choice without a URL continue the line of the filter`() throws {
        var state = AppState.showing(3)
        _ = state.handle(.picking(Pick()), at: noon)
        try state.press("milk")
        state.take(window([1], generation: state.list.feed.generation))
        let effects = try state.press("<Enter>")
        let gathering = effects.first { if case .gather = $0 { true } else { false } }
        guard case .gather(let ids, _, _)? = gathering else {
            Issue.record("\(effects)")
            return
        }
        #expect(try state.press("d").isEmpty)
        let layout = StoredObject.Layout(names: ["title", "url"])
        let note = StoredObject(
            id: ClipModel.objectID(ids[0]), version: 1, layout: layout, values: [.text("Milk"), .text("")])
        let answered = state.answer(.gather(ids, nil, .pick(.url)), [Clip(note)])
        #expect(state.prompt?.kind == .filter && state.prompt?.editor.text == "milk d", "\(answered)")
        #expect(
            !answered.contains {
                if case .work = $0 { true } else if case .finish = $0 { true } else { false }
            })
    }

    @Test func `a Markdown link has one form, however many are printed`() {
        func printed(_ ids: [Int64]) -> String? {
            var state = AppState.showing(3)
            _ = state.handle(.picking(Pick(form: .markdown, isSeveral: true)), at: noon)
            let effects = state.answer(.gather(ids, nil, .pick(.markdown)), ids.map(Self.clip))
            guard case .finish(let picked)? = effects.last else { return nil }
            return picked.text
        }
        #expect(printed([1]) == "[Clip 1](https://a.b/1)")
        #expect(printed([2, 1]) == "[Clip 2](https://a.b/2)\n[Clip 1](https://a.b/1)")
    }

    @Test func `the message about copied Markdown says which clips have no link`() {
        let layout = StoredObject.Layout(names: ["title", "url"])
        let note = Clip(
            StoredObject(
                id: ClipModel.objectID(3), version: 1, layout: layout, values: [.text("Note"), .text("")]))
        func copied(_ clips: [Clip]) -> String? {
            var state = AppState.showing(3)
            let ids = clips.map(\.id)
            guard case .copy(_, let what)? = state.answer(.gather(ids, nil, .copy(.markdown)), clips).last
            else { return nil }
            return what
        }
        #expect(copied([note]) == "title" && copied([Self.clip(1)]) == "Markdown link")
        #expect(copied([Self.clip(1), note]) == "1 Markdown link and 1 title")
        #expect(copied([note, note]) == "2 titles")
    }

    private static func clip(_ id: Int64) -> Clip {
        let layout = StoredObject.Layout(names: ["title", "url"])
        return Clip(
            StoredObject(
                id: ClipModel.objectID(id), version: 1, layout: layout,
                values: [.text("Clip \(id)"), .text("https://a.b/\(id)")]))
    }
}
