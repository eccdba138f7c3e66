import Glibc

/// The app on a terminal, with random keys, changes of the window's size, and stops of the program.
final class SoakedApp {
    private(set) var keys = 0
    /// The number of restarts after the app exited.
    private(set) var exits = 0
    private var program: TerminalProgram
    private let command: [String]
    private let environment: [String]
    private var random: SampleRandom
    /// The time at which the stopped program continues.
    private var continuation: Moment?

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

    init(_ command: [String], folder: String, number: Int) throws {
        self.command = command + ["--author", "app-\(number)"]
        environment =
            ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "TMPDIR"].map { "\($0)=\(folder)" }
            + ["BROWSER=true", "VISUAL=sed -i 1s/$/x/"]
        random = SampleRandom(seed: UInt64(1000 + number))
        program = try TerminalProgram(self.command, environment: environment)
    }

    var usage: ProcessUsage { program.usage }

    /// Reads the output, then performs a random action.
    func proceed() throws {
        do {
            try program.outputUntilIdle(milliseconds: 1)
        } catch {
            exits += 1
            Output.printError("an app exited after \(keys) keys: \(error)")
            guard exits < 20 else { throw error }
            program = try TerminalProgram(command, environment: environment)
            continuation = nil
        }
        if let continuation {
            guard continuation < .now else { return }
            continueProgram()
        }
        switch random.below(60) {
        case 0: program.resize(rows: 1 + random.below(60), columns: 1 + random.below(200))
        case 1 where random.below(10) == 0:
            kill(program.process, SIGSTOP)
            continuation = Moment(nanoseconds: Moment.now.nanoseconds + Int64(random.below(1_500_000_000)))
        default:
            let phrase = Self.phrases[random.below(Self.phrases.count)]
            keys += phrase.unicodeScalars.count
            program.press(phrase)
        }
    }

    private func continueProgram() {
        if continuation != nil { kill(program.process, SIGCONT) }
        continuation = nil
    }

    /// Returns to the list and waits until the app has finished its work.
    func returnToList() throws {
        continueProgram()
        program.resize(rows: 40, columns: 99)
        for _ in 0..<12 {
            program.press("\u{3}")
            try program.read(seconds: 0.05)
        }
        try program.read(seconds: 0.5)
    }

    /// Waits until the app shows exactly these rows, on a terminal that is high enough for all; returns false
    /// if it does not.
    func comesToShow(_ rows: [SoakRow], within seconds: Double) throws -> Bool {
        program.resize(rows: Self.maxRows, columns: 99)
        // The list gets its largest share of the screen; the clip has the rest.
        program.press(":sort created\r:set relativenumber off\r:set split 80\r")
        try program.read(seconds: 0.5)
        let began = Moment.now
        var (lines, shown): ([String], [SoakRow]) = ([], [])
        while began.secondsSince < seconds {
            let redraw = "\u{c}"
            program.press("g" + redraw)
            let output = try program.outputUntilIdle(milliseconds: 300)
            lines = PaintedScreen(output, rows: Self.maxRows, columns: 99).lines
            shown = SoakRow.all(in: lines)
            if shown == rows { return true }
            if lines.contains(where: { $0.contains("paused") }) { program.press("p") }
        }
        let index =
            zip(shown, rows).enumerated().first { $1.0 != $1.1 }?.offset ?? min(shown.count, rows.count)
        Output.printError(
            "an app shows \(shown.count) rows, the store has \(rows.count); they differ at \(index):")
        if index < rows.count { Output.printError("\(rows[index])") }
        let row = min(index + 1, Self.maxRows - 1)
        for line in lines.prefix(1) + lines.dropFirst(row).prefix(3) + lines.suffix(2) {
            Output.printError(line)
        }
        return false
    }
}

/// The compared part of a row of the list.
struct SoakRow: Equatable, Sendable {
    private let isStarred: Bool
    /// Whether an unread clip without a star is marked as unread; the star takes its column.
    private let isMarkedUnread: Bool
    private let title: String

    init(isStarred: Bool, isUnread: Bool, title: some StringProtocol) {
        (self.isStarred, isMarkedUnread) = (isStarred, isUnread && !isStarred)
        // The number of characters that fit on every row.
        var beginning = title.prefix(30)
        while beginning.last == " " { beginning.removeLast() }
        self.title = String(beginning)
    }

    /// Returns the rows from below the heading to the first line that is not a row.
    static func all(in lines: [String]) -> [SoakRow] {
        // All rows end with an age and an author.
        let rows = lines.dropFirst().prefix {
            $0.dropFirst(2).first == " " && $0.suffix(7).contains { $0 != " " }
        }
        return rows.map { line in
            let mark = line.dropFirst().first
            return SoakRow(isStarred: mark == "★", isUnread: mark == "•", title: line.dropFirst(3))
        }
    }
}
