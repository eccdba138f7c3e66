import Glibc
import Terminal
import TestSupport
import Testing

@Suite(.serialized) struct TerminalScreenTests {
    /// Waits for ncurses, which other tests of this process may use.
    private func screen(
        _ rows: Int, _ columns: Int, colors: ColorCapability.Choice = .always
    ) throws(TerminalError) -> TerminalScreen {
        let deadline = ContinuousClock.now + .seconds(600)
        while true {
            do {
                return try TerminalScreen(headless: Size(rows: rows, columns: columns), colors: colors)
            } catch {
                guard error == .alreadyOpen, ContinuousClock.now < deadline else { throw error }
                sched_yield()
            }
        }
    }

    @Test(arguments: [
        "plain text", "中文字漢字カナ", "a👍🏽b👨‍👩‍👧c❤️d1️⃣e🇩🇪f",
        "e\u{301}o\u{308}\u{301}u\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}x",
        "한국어\u{1112}\u{1161}\u{11AB}", "हिन्दी क्षि தமிழ்", "می\u{200C}خواهم",
        "a\u{1B}[31m\u{202E}b\u{9B}\u{200B}c\td",
    ])
    func `ncurses holds the frame's text`(text: String) throws {
        let screen = try screen(3, 20)
        defer { screen.close() }
        for column in -3...20 {
            var frame = Frame(size: screen.size)
            frame.put(text, row: 0, column: column)
            frame.put(
                text, row: 2, column: column, style: Style(foreground: .indexed(203), attributes: .bold))
            frame.put("|", row: 1, column: 19)
            frame.cursor = Position(row: 2, column: 5)
            screen.present(frame)
            #expect(screen.snapshot() == frame, "column \(column)")
        }
    }

    @Test func `drawing the differences produces the whole picture`() throws {
        let seed: UInt64 = 20_260_804
        var random = SeededRandom(seed: seed)
        let screen = try screen(6, 24)
        defer { screen.close() }
        var frame = Frame(size: screen.size)
        for step in 0..<600 {
            if Int.random(in: 0..<40, using: &random) == 0 {
                screen.resize(
                    to: Size(
                        rows: .random(in: 1...9, using: &random), columns: .random(in: 1...40, using: &random)
                    ))
                frame = Frame(size: screen.size)
            }
            let colors: [Color] = [
                .standard, .indexed(.random(in: 0...255, using: &random)),
                .rgb(.random(in: 0...0xFFFFFF, using: &random)),
            ]
            let style = Style(
                foreground: colors.randomElement(using: &random) ?? .standard,
                background: colors.randomElement(using: &random) ?? .standard,
                attributes: Style.Attributes(rawValue: .random(in: 0..<32, using: &random)))
            // Also moves beyond the frame, through wide glyphs, and without any effect on the frame.
            let scroll = Scroll(
                Rect(
                    row: .random(in: -1...8, using: &random), column: .random(in: -1...40, using: &random),
                    rows: .random(in: 0...9, using: &random), columns: .random(in: 0...40, using: &random)),
                by: .random(in: -4...4, using: &random))
            if Bool.random(using: &random) { frame.apply(scroll) }
            frame.put(
                random.text(length: 20), row: .random(in: -1...9, using: &random),
                column: .random(in: -5...40, using: &random), style: style)
            screen.present(frame, after: Bool.random(using: &random) ? scroll : nil)
            #expect(screen.snapshot() == frame, "seed \(seed), step \(step)")
        }
    }

    @Test func `the smallest and a large screen are drawn`() throws {
        let screen = try screen(1, 1)
        defer { screen.close() }
        for size in [Size(rows: 1, columns: 1), Size(rows: 300, columns: 1_000), Size(rows: 1, columns: 2)] {
            screen.resize(to: size)
            var frame = Frame(size: size)
            frame.put("中x", row: size.rows - 1, column: size.columns - 2)
            screen.present(frame)
            #expect(screen.snapshot() == frame)
        }
        screen.present(Frame(size: Size(rows: 0, columns: 0)))
    }

    @Test func `fewer colors are mapped to the nearest ones`() throws {
        var frame = Frame(size: Size(rows: 1, columns: 4))
        frame.put("a", row: 0, column: 0, style: Style(foreground: .indexed(196), background: .indexed(21)))
        for (choice, style) in [
            (ColorCapability.Choice.always, Style(foreground: .indexed(196), background: .indexed(21))),
            (.palette, Style(foreground: .indexed(196), background: .indexed(21))),
            (.sixteen, Style(foreground: .indexed(9), background: .indexed(12))), (.never, .plain),
        ] {
            let screen = try screen(1, 4, colors: choice)
            defer { screen.close() }
            screen.present(frame)
            #expect(
                screen.snapshot().cell(row: 0, column: 0)?.style.foreground == style.foreground, "\(choice)")
        }
        #expect(
            ColorCapability.eight.adapted(Style(foreground: .indexed(9), background: .indexed(15)))
                == Style(foreground: .red, background: .white, attributes: .bold))
    }

    @Test(arguments: [
        (0xFF0000, 196, 9), (0x5F87AF, 67, 8), (0x808285, 244, 8), (0x1E222A, 235, 0), (0xFAFAFA, 231, 15),
        (0x000000, 16, 0),
    ])
    func `red, green, and blue are reduced to the nearest color`(
        value: UInt32, palette: UInt8, sixteen: UInt8
    ) {
        let style = Style(foreground: .rgb(value), background: .rgb(value), attributes: .italic)
        #expect(ColorCapability.direct.adapted(style) == style)
        #expect(ColorCapability.palette.adapted(style).foreground == .indexed(palette))
        #expect(ColorCapability.sixteen.adapted(style).background == .indexed(sixteen))
        #expect(ColorCapability.none.adapted(style) == Style(attributes: .italic))
    }

    @Test func `the background of a light terminal is light`() {
        #expect([0xFFFFFF, 0xFDF6E3, 0xC0C0C0].allSatisfy { Color.rgb($0).isLight })
        #expect(![0x000000, 0x002B36, 0x300A24, 0x606060].contains { Color.rgb($0).isLight })
    }

    @Test func `only one screen can be open`() throws {
        let screen = try screen(2, 2)
        #expect(throws: TerminalError.alreadyOpen) { try TerminalScreen(headless: Size(rows: 2, columns: 2)) }
        screen.close()
        screen.close()
        screen.present(Frame(size: screen.size))
        try self.screen(2, 2).close()
    }

    @Test func `leaving and entering retains the picture`() throws {
        let screen = try screen(2, 5)
        defer { screen.close() }
        var frame = Frame(size: screen.size)
        frame.put("hello", row: 1, column: 0)
        screen.present(frame)
        screen.leave()
        screen.present(Frame(size: screen.size))
        #expect(screen.snapshot() == frame)
        screen.enter()
        screen.suspend()
        screen.clear()
        screen.present(frame)
        #expect(screen.snapshot() == frame)
    }

    @Test func `a copy is bounded and retained`() throws {
        let screen = try screen(1, 1)
        defer { screen.close() }
        try screen.copyToClipboard("https://example.com/")
        #expect(screen.copied == "https://example.com/")
        let tooLong = String(repeating: "x", count: TerminalScreen.longestCopy + 1)
        #expect(
            throws: TerminalError.clipboardTextTooLong(
                bytes: tooLong.utf8.count, limit: TerminalScreen.longestCopy)
        ) {
            try screen.copyToClipboard(tooLong)
        }
    }

    @Test func `a copy inside tmux is also wrapped for the outer terminal, with its escape doubled`() {
        let bytes = Array("hi".utf8)
        let plain = "\u{1B}]52;c;aGk=\u{7}"
        #expect(TerminalScreen.sequence(copying: bytes, isInTmux: false) == plain)
        #expect(
            TerminalScreen.sequence(copying: bytes, isInTmux: true)
                == plain + "\u{1B}Ptmux;\u{1B}\u{1B}]52;c;aGk=\u{7}\u{1B}\\")
    }
}
