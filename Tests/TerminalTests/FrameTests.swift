import Terminal
import Testing

struct FrameTests {
    @Test func `text is clipped at every edge`() {
        var frame = Frame(size: Size(rows: 2, columns: 5))
        #expect(frame.put("abcdefgh", row: 0, column: 3) == 2)
        #expect(frame.put("abcdefgh", row: 1, column: -6) == 8)
        #expect(frame.put("x", row: 2, column: 0) == 0)
        #expect(frame.put("x", row: -1, column: 0) == 0)
        #expect(frame.put("x", row: .min, column: .max) == 0)
        #expect(frame.put("x", row: 0, column: .min) == 1)
        #expect(frame.lines == ["   ab", "gh"])
    }

    @Test func `a width bounds the text`() {
        var frame = Frame(size: Size(rows: 1, columns: 10))
        #expect(frame.put("中文字", row: 0, column: 1, width: 5) == 4)
        #expect(frame.put("x", row: 0, column: 0, width: -1) == 0)
        #expect(frame.put("abcd", row: 0, column: -5, width: 3) == 3)
        #expect(frame.put("中文", row: 0, column: -9, width: 3) == 2)
        #expect(frame.lines == [" 中文"])
    }

    @Test func `half of a wide glyph never remains`() {
        var frame = Frame(size: Size(rows: 1, columns: 6))
        frame.put("中文字", row: 0, column: 0)
        frame.put("x", row: 0, column: 1)
        frame.put("y", row: 0, column: 2)
        #expect(frame.lines == [" xy 字"])
        frame.put("国", row: 0, column: 3)
        #expect(frame.lines == [" xy国"])
        frame.put("中", row: 0, column: -1)
        #expect(frame.lines == [" xy国"])
    }

    @Test func `a rectangle is a frame with its own coordinates`() {
        var frame = Frame(size: Size(rows: 3, columns: 8))
        let rect = Rect(row: 1, column: 2, rows: 1, columns: 3)
        #expect(frame.put("abcdef", in: rect) == 3)
        #expect(frame.put("below", in: rect, row: 1) == 0)
        frame.put("中x", in: rect, column: -1)
        #expect(frame.lines == ["", "   xc", ""])
    }

    @Test func `fill clears text, and restyle retains it`() {
        var frame = Frame(size: Size(rows: 1, columns: 4))
        let reverse = Style(attributes: .reverse)
        frame.put("abcd", row: 0, column: 0)
        frame.fill(Rect(row: -5, column: 2, rows: 99, columns: 99), style: reverse)
        frame.restyle(Rect(row: 0, column: 1, rows: 1, columns: 1)) { $0.attributes.insert(.bold) }
        #expect(
            frame.runs(row: 0) == [
                StyledRun("a"), StyledRun("b", Style(attributes: .bold)), StyledRun("  ", reverse),
            ])
    }

    @Test func `megabytes and unusual characters are safe to draw`() {
        var frame = Frame(size: Size(rows: 1, columns: 3))
        frame.put(String(repeating: "\u{200B}", count: 3_000_000), row: 0, column: 0)
        frame.put("a" + String(repeating: "\u{301}", count: 3_000_000), row: 0, column: 0)
        frame.put("", row: 0, column: 0)
        var empty = Frame(size: Size(rows: 0, columns: 0))
        #expect(empty.put("a", row: 0, column: 0) == 0)
        #expect(frame.lines == ["a\u{301}\u{301}\u{301}\u{301}"])
    }
}
