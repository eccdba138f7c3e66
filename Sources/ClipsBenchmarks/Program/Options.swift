/// The options of the command line.
struct Options {
    private static let all = [
        ("--quick", "", "fewer repetitions, smaller stores: a few minutes for all"),
        ("--json", "", "one JSON object per line instead of the table: the machine, then each row"),
        ("--results", "FILE", "file for the JSON objects, in addition to the table"),
        ("--clips", "PATH", "program to measure (default: 'clips' in this program's folder)"),
        ("--data", "FOLDER", "folder for large stores that later runs reuse (default: temporary folder)"),
        ("--searched", "N", "number of clips that F11 searches (1,000,000; 50,000 with --quick)"),
        ("--links", "FILE", "links as JSON lines that F14 searches (default: generated)"),
        ("--minutes", "N", "duration of SOAK (30; 1 with --quick)"),
        ("--peers", "FOLDER", "folder with scripts that run programs of other projects for comparison"),
        ("--order", "FILE", "file to replace with the symbols that 'clips' uses, for the linker"),
        ("--picture", "FILE", "picture of existing results"),
        ("--table", "FILE", "file with a table to replace with that of existing results"),
        ("--markdown", "", "table of existing results"), ("--help", "", "this help"),
    ]

    private var figures: Set<String> = []
    private var values: [String: String] = [:]

    subscript(option: String) -> String? { values[option] }
    subscript(number option: String) -> Double? { values[option].flatMap { Double($0) } }
    var isQuick: Bool { values["--quick"] != nil }

    /// Whether the program presents existing results instead of measuring.
    var presents: Bool { ["--picture", "--table", "--markdown"].contains { values[$0] != nil } }

    init(_ words: [String]) throws(UsageError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if let (name, value, _) = Self.all.first(where: {
                $0.0 == word || word == "-h" && $0.0 == "--help"
            }) {
                let given = value.isEmpty ? "" : rest.popFirst()
                guard let given, value != "N" || (1e-3..<1e9).contains(Double(given) ?? 0) else {
                    throw UsageError("\(name) needs a \(value == "N" ? "number" : "value").")
                }
                values[name] = given
            } else {
                guard Figure.all.contains(where: { $0.name == word.uppercased() }) else {
                    throw UsageError("Unknown figure or option '\(word)'. Run 'ClipsBenchmarks --help'.")
                }
                figures.insert(word.uppercased())
            }
        }
    }

    func includes(_ figure: Figure) -> Bool {
        figures.isEmpty ? !figure.isOnlyNamed : figures.contains(figure.name)
    }

    static var help: String {
        """
        usage: ClipsBenchmarks [FIGURE...] [options]
               ClipsBenchmarks [--picture FILE.svg] [--table FILE] [--markdown] < RESULTS

        Measure the figures, each next to its reference in the same run (default: all except SCALE and SOAK);
        or draw and tabulate existing results.

        figures:
        \(Figure.all.map { "  \($0.name.padded(to: 5))  \($0.title)" }.joined(separator: "\n"))

        options:
        \(all.map { "  \("\($0) \($1)".padded(to: 15))  \($2)" }.joined(separator: "\n"))

        exit status: 0 success, 1 failure, 2 usage error

        """
    }
}

/// An error in the command line.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
