import ClipsCore
import Foundation
import TestSupport
import Testing

/// Titles in every script, and in none, in a real terminal: each column begins where its heading stands.
@Suite(.serialized) struct ScriptsOfTheWorldTests {
    let clips: ClipsProgram

    static let titles = [
        "Swift.org", "数据库系统概论", "日本語のタイトルはこんなに長くても大丈夫でしょうか", "한국어 위키백과, 우리 모두의 백과사전",
        "مقالة عن البرمجة بلغة سويفت", "שלום עולם: מדריך ל-Swift 6", "हिन्दी में प्रोग्रामिंग का परिचय",
        "ภาษาไทยกับการเขียนโปรแกรม", "எழுத்து தமிழ்", "Flags 🇩🇪🇯🇵 and 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "Family 👨‍👩‍👧‍👦 at home 👩🏽‍💻",
        "Skin 👍🏽👋🏿", "Keycaps 1️⃣#️⃣ and VS16 ❤️☎️✈️",
        "Marks e\u{301}a\u{308}\u{323}z\u{351}\u{352}\u{353}\u{354}\u{355}",
        "tab\there", "line one\nline two", "esc \u{1B}[31mred\u{1B}[0m \u{9B}1m",
        "rlo \u{202E}evil\u{202C} \u{200B}\u{2066}x\u{2069}",
        "ﷺ and ﷽", "ﾊﾝｶｸ Ｆｕｌｌ", String(repeating: "x", count: 5000), String(repeating: "字", count: 2000),
        String(repeating: "🤷🏽‍♀️", count: 100), "\u{200D}\u{FE0F}",
    ]

    init() throws {
        clips = try ClipsProgram()
        let encoder = JSONEncoder()
        var lines = ""
        let now = Date()
        for (number, title) in Self.titles.enumerated() {
            let clip = [
                "title": title, "url": "https://site.example/\(number)", "text": "Text: \(title)\n\(title)",
                // The newest clip is first.
                "created": (now - 7200 - Double(number)).formatted(.iso8601), "author": "writer",
            ]
            var line = String(decoding: try encoder.encode(clip), as: UTF8.self)
            line = line.dropLast() + ",\"tags\":[\"tagged\"]}\n"
            lines += line
        }
        #expect(try clips.run("import", "-", input: lines).status == 0)
    }

    /// The C library's, which tmux measures with, too; Glibc's module leaves it out.
    private static let wcwidth = dlsym(nil, "wcwidth").map {
        unsafeBitCast($0, to: (@convention(c) (Int32) -> Int32).self)
    }

    /// The cells of a line in tmux; the right half of a wide cell is empty.
    private static func cells(_ line: String) -> [String] {
        line.reduce(into: []) { cells, character in
            // tmux joins characters without a width to the cell before them.
            for scalar in character.unicodeScalars {
                let columns = wcwidth?(Int32(bitPattern: scalar.value)) ?? 1
                if columns <= 0, !cells.isEmpty {
                    cells[cells.count - 1].unicodeScalars.append(scalar)
                } else {
                    cells.append(String(scalar))
                    if columns == 2 { cells.append("") }
                }
            }
        }
    }

    private static func column(of words: String, in line: String) -> Int? {
        let cells = cells(line)
        return cells.indices.first {
            !cells[$0].isEmpty && cells[$0...].prefix(words.utf8.count).joined().hasPrefix(words)
        }
    }

    private func open(_ columns: Int, _ rows: Int) throws -> TmuxSession {
        setlocale(LC_CTYPE, "C.UTF-8")
        let terminal = try TmuxSession(
            [ClipsProgram.path], columns: columns, rows: rows, environment: clips.environment)
        #expect(try eventually { try terminal.shows("live") })
        return terminal
    }

    /// Nothing that is hidden, and no control, is on the screen.
    private static func isSafe(_ lines: [String]) -> Bool {
        lines.allSatisfy { line in
            line.unicodeScalars.allSatisfy { scalar in
                ![.control, .format].contains(scalar.properties.generalCategory)
                    && !scalar.properties.isVariationSelector
            }
        }
    }

    @Test(arguments: [(80, 26), (130, 30), (200, 60), (60, 40)])
    func `every column begins at the same cell in every row, and the border is whole`(
        columns: Int, rows: Int
    ) async throws {
        let terminal = try open(columns, rows)
        try terminal.send("Space", "Space")
        #expect(try await soon { try terminal.shows("2 marked") })
        try terminal.send("g")
        // The row under the cursor is drawn in one go, so each has its turn there.
        for number in 1...Self.titles.count {
            var lines: [String] = []
            #expect(
                try await soon {
                    lines = try terminal.lines()
                    return lines.contains { $0.contains("\(number)/\(Self.titles.count) ") }
                })
            try terminal.send("j")
            #expect(Self.isSafe(lines))
            let header = lines[0]
            let rows = lines.dropFirst().prefix { $0.contains(" 2h") }
            #expect(rows.count > 10)
            for (heading, words) in [
                ("Site", " site.exa"), ("Tags", "#tagged"), ("Author", "writer"), ("│", "│"),
            ] {
                guard let wanted = Self.column(of: heading, in: header) else { continue }
                // A clip without a visible title has the name of its URL, which has the site, too.
                let spaces = words.prefix { $0 == " " }.count
                for row in rows {
                    #expect(Self.column(of: words, in: row) == wanted - spaces, "\(columns): \(row)")
                }
            }
            let age = try #require(Self.column(of: "Age", in: header)) + 3
            for row in rows { #expect(Self.column(of: "2h", in: row) == age - 2, "\(columns): \(row)") }
        }
    }

    @Test func `the clip next to the list, and the history, stay in their columns`() async throws {
        let terminal = try open(130, 30)
        // Each clip's text is right of the border in turn.
        for _ in Self.titles {
            let lines = try terminal.lines()
            #expect(Self.isSafe(lines))
            let border = try #require(Self.column(of: "│", in: lines[0]))
            for line in lines.prefix(28) { #expect(Self.column(of: "│", in: line) == border, "\(line)") }
            try terminal.send("j")
        }
        _ = try clips.sqlite3("UPDATE Clip SET note = title")
        try terminal.send("H")
        // One statement is one row, which Enter unfolds.
        #expect(try await soon { try terminal.shows("note added") })
        try terminal.send("Enter")
        #expect(try await soon { try terminal.shows("note: (empty) → ") })
        let lines = try terminal.lines()
        #expect(Self.isSafe(lines))
        for line in lines where line.contains("note: (empty)") {
            #expect(Self.column(of: "note: (empty)", in: line) == 5)
            #expect(Self.cells(line).count <= 130)
        }
    }
}
