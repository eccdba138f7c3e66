import ClipsCore
import Glibc
import PersistentStore
import TestSupport

/// The app on a terminal, with random keys, changes of the window's size, and stops of the program.
final class SoakedApp {
    private(set) var keys = 0
    private let terminal: TmuxSession
    let process: pid_t
    private var random: SeededRandom
    /// The time at which the stopped program continues.
    private var continuation: ContinuousClock.Instant?

    /// The maximum number of rows that the app uses.
    private static let maxRows = 1000

    /// Keys that do not exit the program; ^C returns to the list from everywhere.
    private static let phrases = [
        "j", "j", "k", "5j", "12k", "g", "G", "\u{4}", "\u{15}", "\u{6}", "\u{2}", "\u{1b}[A", "\u{1b}[B",
        "\u{1b}[5~", "\u{1b}[6~", " ", " ", "3 ", "v", "v", "\r", "\t", "\u{3}", "\u{3}", "\u{3}", "\u{3}",
        "/bread\u{3}", "/map\r", "/", "soak", "\u{7f}", "\u{17}", "*", "r", "d", "u", "u", "\u{12}", "n", "N",
        "p", "p", "F", "z", "w", "h", "l", ":12\r", ":sort title\r", ":sort created\r",
        ":sort starred reverse\r", ":set relativenumber on\r", ":tag +soaked\r", ".", ",", "J", "K", "V", "x",
        "x", "atyped text\r",
        "ahttps://typed.example/1\r", "textra\r", "s\u{3}", "st", "sc", "y\u{3}", "yu", "yj", "H", "H",
        "Hjj\t\r", "HC\u{3}", "H/write-1\r", "?jj\u{3}", "?/star\u{3}\u{3}", "\u{1b}[<64;10;10M",
        "\u{1b}[<0;9;9M", "\u{1b}[200~pasted text\u{1b}[201~", "\u{c}", "\u{1a}", "e", "R", "M", "o",
    ]

    init(_ clips: ClipsProgram, number: Int) throws {
        terminal = try TmuxSession(
            [ClipsProgram.path, "--author", "app-\(number)"], columns: 120, rows: 40,
            environment: clips.environment.merging(["VISUAL": "sed -i 1s/$/x/", "TMPDIR": "/tmp"]) { $1 })
        process = pid_t(try terminal.format("#{pane_pid}")) ?? 0
        random = SeededRandom(seed: UInt64(1000 + number))
    }

    var hasExited: Bool { (try? terminal.format("#{pane_dead}")) == "1" }

    /// The lines that are not empty.
    var screen: [String] { get throws { try terminal.lines().filter { !$0.isEmpty } } }

    func hasStarted() throws -> Bool { try eventually(within: 60) { try terminal.shows("live") } }

    /// Performs a random action.
    func proceed() throws {
        if let continuation {
            guard continuation < .now else { return }
            continueProgram()
        }
        switch Int.random(in: 0..<60, using: &random) {
        case 0:
            try terminal.resize(
                columns: .random(in: 2...200, using: &random), rows: .random(in: 2...60, using: &random))
        case 1 where Int.random(in: 0..<10, using: &random) == 0:
            kill(process, SIGSTOP)
            continuation = .now + .milliseconds(Int.random(in: 0..<1500, using: &random))
        default:
            guard let phrase = Self.phrases.randomElement(using: &random) else { return }
            keys += phrase.unicodeScalars.count
            try terminal.send("-l", phrase)
        }
    }

    private func continueProgram() {
        if continuation != nil { kill(process, SIGCONT) }
        continuation = nil
    }

    /// Returns to the list; returns whether the app has processed all keys.
    func returnsToList() throws -> Bool {
        continueProgram()
        try terminal.resize(columns: 99, rows: Self.maxRows)
        // A late answer can open a question.
        var attempt = 0
        let isShown = try eventually(within: 60) {
            attempt += 1
            for _ in 0..<12 { try terminal.send("C-c") }
            try terminal.send("-l", "/last words \(attempt).")
            return try eventually(within: 2) { try terminal.shows("/last words \(attempt).") }
        }
        for _ in 0..<2 { try terminal.send("C-c") }
        return isShown
    }

    /// Whether a list has another order, or numbers of rows, so that a command was lost.
    private static func hasOtherLook(_ lines: [String]) -> Bool {
        let status = lines.last { $0.contains(" · ") } ?? ""
        let isOrdered = status.split(separator: " · ").contains {
            $0.hasPrefix("by ") || $0.hasPrefix("starred ")
        }
        return isOrdered
            || lines.dropFirst().first?.dropFirst(3).prefix(5).contains { $0.isNumber } == true
    }

    /// Waits until the app shows exactly the rows of a store; returns the first difference.
    func difference(from store: ClipStore) async throws -> String? {
        // The list gets its largest share of the screen; the clip has the rest.
        let commands = ":sort created\r:set relativenumber off\r:set split 80\r"
        try terminal.send("-l", commands)
        var (lines, shown, rows): ([String], [SoakRow], [SoakRow]) = ([], [], [])
        let isShown = try await soon(within: 60) {
            try terminal.send("g")
            lines = try terminal.lines()
            shown = SoakRow.all(in: lines)
            // The last change of an app may arrive late.
            rows = try await SoakRow.all(in: store)
            if shown != rows, lines.contains(where: { $0.contains("paused") }) { try terminal.send("p") }
            // Keys that are typed while a late editor has the terminal are for the editor.
            if shown != rows, Self.hasOtherLook(lines) {
                for key in ["C-c", "C-c"] { try terminal.send(key) }
                try terminal.send("-l", commands)
            }
            return shown == rows
        }
        guard !isShown else { return nil }
        let pairs = zip(shown, rows).enumerated()
        let index = pairs.first { $1.0 != $1.1 }?.offset ?? min(shown.count, rows.count)
        return """
            \(shown.count) rows of \(rows.count), different at \(index): \(shown.dropFirst(index).prefix(3)), \
            in the store: \(rows.dropFirst(index).prefix(3)), on the screen: \(lines.prefix(4)), \
            \(lines.filter { !$0.isEmpty }.suffix(8))
            """
    }
}

/// The compared part of a row of the list.
struct SoakRow: Equatable, Sendable {
    private let isStarred: Bool
    private let isUnread: Bool
    private let title: String

    init(isStarred: Bool, isUnread: Bool, title: some StringProtocol) {
        (self.isStarred, self.isUnread) = (isStarred, isUnread)
        // The number of characters that fit on every row.
        var beginning = title.prefix(30)
        while beginning.last == " " { beginning.removeLast() }
        self.title = String(beginning)
    }

    /// Returns the rows of the clips that are not archived, newest first.
    static func all(in store: ClipStore) async throws -> [SoakRow] {
        try await store.container.read { snapshot throws(StoreError) in
            try snapshot.fetch(FetchRequest(ClipModel.entity, sort: [ClipQuery.newestFirst])).map(Clip.init)
        }.filter { !$0.isArchived }.map {
            SoakRow(isStarred: $0.isStarred, isUnread: $0.isUnread, title: $0.displayTitle)
        }
    }

    /// Returns the rows from below the heading to the first line that is not a row.
    static func all(in lines: [String]) -> [SoakRow] {
        // All rows end with an age and an author.
        let rows = lines.dropFirst().prefix {
            $0.dropFirst(2).first.map { " ★".contains($0) } ?? false && $0.suffix(7).contains { $0 != " " }
        }
        return rows.map { line in
            let marks = line.dropFirst().prefix(2)
            return SoakRow(
                isStarred: marks.contains("★"), isUnread: marks.contains("•"), title: line.dropFirst(3))
        }
    }
}
