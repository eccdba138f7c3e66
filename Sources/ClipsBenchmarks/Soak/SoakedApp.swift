import Glibc

/// The app on a terminal, with random keys, changes of the window's size, and stops of the program.
final class SoakedApp {
    private(set) var program: TerminalProgram
    private(set) var keys = 0
    /// The number of restarts after the app exited.
    private(set) var endings = 0
    private let command: [String]
    private let environment: [String]
    private var random: SampleRandom
    private var goesOnAt: Moment?

    /// The maximum number of rows that the app uses; more than half of them belong to the list.
    private static let maxRows = 1000

    /// Keys that do not exit the program; ^C returns to the list from everywhere.
    private static let phrases = [
        "j", "j", "k", "5j", "12k", "g", "G", "\u{4}", "\u{15}", "\u{6}", "\u{2}", "\u{1b}[A", "\u{1b}[B",
        "\u{1b}[5~", "\u{1b}[6~", " ", " ", "3 ", "v", "v", "\r", "\t", "\u{3}", "\u{3}", "\u{3}", "\u{3}",
        "/bread\u{3}", "/map\r", "/", "soak", "\u{7f}", "\u{17}", "*", "r", "d", "u", "u", "\u{12}", "n", "N",
        "p", "p", "F", "z", "w", "h", "l", ":12\r", ":sort title\r", ":sort created\r",
        ":sort starred reverse\r", ":set relativenumber on\r", ":tag +soaked\r", "atyped text\r",
        "ahttps://typed.example/1\r", "textra\r", "s\u{3}", "st", "sc", "y\u{3}", "yu", "yj", "H", "H",
        "Hjj\t\r", "HC\u{3}", "H/write-1\r", "?jj\u{3}", "?/star\u{3}\u{3}", "\u{1b}[<64;10;10M",
        "\u{1b}[<0;9;9M", "\u{1b}[200~pasted text\u{1b}[201~", "\u{c}", "\u{1a}", "e", "R", "M", "o",
    ]

    init(_ program: String, store: String, folder: String, number: Int) throws {
        command = [program, "--store", store, "--author", "app-\(number)"]
        environment = [
            "HOME=\(folder)", "XDG_CONFIG_HOME=\(folder)", "XDG_DATA_HOME=\(folder)", "TMPDIR=\(folder)",
            "BROWSER=true", "VISUAL=sed -i 1s/$/x/",
        ]
        random = SampleRandom(seed: UInt64(1000 + number))
        self.program = try TerminalProgram(command, environment: environment)
    }

    var usage: ProcessUsage { ProcessUsage(process: program.process) }

    /// Reads the output, then performs a random action.
    func proceed() throws {
        do {
            _ = try program.readOutput()
        } catch {
            endings += 1
            TextLine.print("an app exited after \(keys) keys: \(error)", on: STDERR_FILENO)
            guard endings < 20 else { throw error }
            program = try TerminalProgram(command, environment: environment)
            goesOnAt = nil
        }
        if let due = goesOnAt {
            guard due < .now else { return }
            goOnAgain()
        }
        switch random.below(60) {
        case 0:
            program.resize(rows: 1 + random.below(60), columns: 1 + random.below(200))
        case 1 where random.below(10) == 0:
            kill(program.process, SIGSTOP)
            goesOnAt = Moment(nanoseconds: Moment.now.nanoseconds + Int64(random.below(1_500_000_000)))
        default:
            let phrase = Self.phrases[random.below(Self.phrases.count)]
            keys += phrase.unicodeScalars.count
            program.press(phrase)
        }
    }

    private func goOnAgain() {
        if goesOnAt != nil { kill(program.process, SIGCONT) }
        goesOnAt = nil
    }

    /// Returns to the list and waits until the app has finished its work.
    func leaveAlone() throws {
        goOnAgain()
        program.resize(rows: 40, columns: 99)
        for _ in 0..<12 {
            program.press("\u{3}")
            try pass(milliseconds: 50)
        }
        try pass(milliseconds: 500)
    }

    /// Waits until the app shows exactly these rows, on a terminal that is high enough for all; returns false
    /// if it does not.
    func comesToShow(_ rows: [SoakRow], within seconds: Double) throws -> Bool {
        let (height, width) = (Self.maxRows, 99)
        program.resize(rows: height, columns: width)
        program.press(":sort created\r:set relativenumber off\r")
        try pass(milliseconds: 500)
        var painted = PaintedScreen(rows: height, columns: width)
        program.press("g\u{c}")
        var isPaused = false
        let began = Moment.now
        while began.secondsSince < seconds {
            painted.write(try program.readOutput())
            let lines = painted.lines
            if !isPaused, lines.contains(where: { $0.contains("paused") }) {
                isPaused = true
                program.press("p")
            }
            if SoakRow.all(in: lines) == rows { return true }
        }
        let shown = SoakRow.all(in: painted.lines)
        let index =
            zip(shown, rows).enumerated().first { $1.0 != $1.1 }?.offset ?? min(shown.count, rows.count)
        TextLine.print(
            "an app shows \(shown.count) rows, the store has \(rows.count); they differ at \(index):",
            on: STDERR_FILENO)
        let lines = painted.lines
        let row = min(index + 1, height - 1)
        if index < rows.count { TextLine.print("\(rows[index])", on: STDERR_FILENO) }
        for line in lines[..<1] + lines[row..<min(row + 3, height)] + lines.suffix(2) {
            TextLine.print(line, on: STDERR_FILENO)
        }
        return false
    }

    private func pass(milliseconds: Int) throws {
        let began = Moment.now
        while began.secondsSince < Double(milliseconds) / 1000 { _ = try program.readOutput() }
    }
}

/// The compared part of a row of the list.
struct SoakRow: Equatable {
    let isStarred: Bool
    let isUnread: Bool
    let title: String

    /// The number of characters of the title that fit on every row.
    private static let length = 30

    init(isStarred: Bool, isUnread: Bool, title: String) {
        (self.isStarred, self.isUnread) = (isStarred, isUnread)
        self.title = Self.beginning(title)
    }

    private static func beginning(_ text: some StringProtocol) -> String {
        let part = text.prefix(length)
        return String(
            part[..<(part.lastIndex { $0 != " " }.map { part.index(after: $0) } ?? part.startIndex)])
    }

    /// Returns the rows from below the heading to the first line that is not a row.
    static func all(in lines: [String]) -> [SoakRow] {
        // All rows end with an age.
        let rows = lines.dropFirst().prefix {
            $0.dropFirst(3).first == " " && $0.suffix(7).contains { $0 != " " }
        }
        return rows.map { line in
            let marks = Array(line.prefix(3))
            return SoakRow(
                isStarred: marks[1] == "*", isUnread: marks[2] == "•", title: String(line.dropFirst(4)))
        }
    }
}
