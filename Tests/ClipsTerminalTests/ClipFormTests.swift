import ClipsCore
import Foundation
import PersistentStore
import Testing

@testable import ClipsTerminal

@Suite struct ClipFormTests {
    private func clip(title: String = "T", note: String = "", text: String = "") -> Clip {
        let layout = StoredObject.Layout(names: ["title", "url", "tags", "note", "text"])
        return Clip(
            StoredObject(
                id: ClipModel.objectID(1), version: 3, layout: layout,
                values: [.text(title), .text("https://a.example"), .text("x,y z"), .text(note), .text(text)]))
    }

    @Test(arguments: [
        "", "one line", "two\nlines", "ends\n", "\n\nblank first", "title: not a header\n\nmore",
    ])
    func `an untouched form changes nothing`(text: String) throws {
        for note in ["", "a note", "a note\nof two lines", "with\n\na blank one"] {
            let clip = clip(note: note, text: text)
            let form = ClipForm(clip).text
            #expect(try ClipForm(reading: form).changes(from: clip).isEmpty)
            #expect(try ClipForm(reading: form + "\n").changes(from: clip).isEmpty || text.hasSuffix("\n"))
            #expect(try ClipForm(reading: form)[.note] == note)
        }
    }

    @Test func `only edited attributes change`() throws {
        let clip = clip(note: "n", text: "body")
        let form = ClipForm(clip).text.replacingOccurrences(of: "title: T", with: "title: New title")
            .replacingOccurrences(of: "tags: x, y z", with: "tags: x,, other")
            .replacingOccurrences(of: "https://", with: "")
        #expect(
            try ClipForm(reading: form).changes(from: clip) == [
                .title: .text("New title"), .tags: .text("x,other"),
            ])
        // Without the hint, the first empty line ends the header.
        let short = "URL:\ntags: \ntitle: \nnote: a\n  b\n\ntitle: of the text\n"
        let read = try ClipForm(reading: short)
        #expect(read[.note] == "a\nb" && read[.text] == "title: of the text" && read[.url].isEmpty)
    }

    @Test(arguments: [
        ("title:", "titel:", "Line 1 is not one of the fields"), ("tags: x", "x", "Line 3 is not one of the"),
        ("note: n\n", "note: n\nmore\n", "Begin further lines of the note with two spaces."),
        ("note: n\n", "\n", "The line 'note:' is missing."),
        ("url: ", "url: not a ", "The field 'url' needs"),
        ("title: T", "title: T\ntitle: U", "Line 2 is not one of the fields"),
        ("title: T", "text\ntitle: T", "Line 1 is not one of the fields"),
    ])
    func `a damaged form is refused, so that no value is lost`(old: String, new: String, sentence: String)
        throws
    {
        let clip = clip(title: "of\ntwo lines", note: "n", text: "body")
        #expect(try ClipForm(reading: ClipForm(clip).text).changes(from: clip).isEmpty)
        let form = ClipForm(self.clip(note: "n", text: "body")).text.replacingOccurrences(of: old, with: new)
        let error = #expect(throws: ClipForm.Problem.self) { try ClipForm(reading: form).changes(from: clip) }
        #expect(error?.sentence.contains(sentence) == true)
    }
}

@Suite struct AgeTests {
    @Test(
        arguments: [
            (0.0, "now"), (-50.0, "now"), (12, "12s"), (59.9, "59s"), (60, "1m"), (3599, "59m"), (3600, "1h"),
            (86399, "23h"), (86400, "1d"), (7 * 86400 - 1, "6d"),
        ] as [(Double, String)])
    func `an age is short`(seconds: Double, text: String) {
        #expect(Age(of: noon, at: noon + seconds).text == text)
    }

    @Test func `an age changes exactly when it says`() throws {
        var now = noon
        for _ in 0..<200 {
            let age = Age(of: noon, at: now)
            guard let next = Age.change(of: noon, at: now) else { break }
            #expect(Age(of: noon, at: next - 0.001).text == age.text)
            #expect(Age(of: noon, at: next + 0.001).text != age.text)
            now = next + 0.001
        }
        #expect(Age.change(of: noon, at: noon + 1e9) == nil)
        #expect(Age(of: noon, at: noon + 30 * 86400).text.count <= 6)
    }
}
