import Platform

/// The options of the command line.
struct Options {
    private static let all = [
        Option("--quick", "fewer repetitions, smaller stores: a few minutes for all"),
        Option(
            "--results", value: "FILE", "file for a JSON object per line: the machine, then each row"),
        Option("--clips", value: "PATH", "program to measure (default: 'clips' in this program's folder)"),
        Option(
            "--data", value: "FOLDER",
            "folder for large stores that later runs reuse (default: temporary folder)"),
        Option("--links", value: "FILE", "links as JSON lines that F14 searches (default: generated)"),
        Option(
            "--peers", value: "FOLDER",
            "folder with scripts that run programs of other projects for comparison"),
        Option(
            "--order", value: "FILE",
            "file to replace with the symbols that 'clips' uses, for the linker"),
        Option("--picture", value: "FILE", "picture of existing results"),
        Option("--table", value: "FILE", "file with a table to replace with that of existing results"),
        Option("--help", "this help"),
    ]

    private let figures: Set<String>
    private let arguments: Arguments

    subscript(option: String) -> String? { arguments.value(option) }
    var isQuick: Bool { arguments.has("--quick") }

    /// Whether the program presents existing results instead of measuring.
    var presents: Bool { ["--picture", "--table"].contains(where: arguments.has) }

    init(_ words: [String]) throws(UsageError) {
        arguments = try Arguments(words, options: Self.all)
        figures = Set(arguments.operands.map { $0.uppercased() })
        let unknown = figures.subtracting(Figure.all.map(\.name))
        if let name = unknown.min() {
            throw UsageError("Unknown figure '\(name)'. Run 'ClipsBenchmarks --help'.")
        }
    }

    func includes(_ figure: Figure) -> Bool {
        figures.isEmpty || figures.contains(figure.name)
    }

    static var help: String {
        """
        usage: ClipsBenchmarks [FIGURE...] [options]
               ClipsBenchmarks [--picture FILE.svg] [--table FILE] < RESULTS

        Measure the figures, each next to its reference in the same run (default: all);
        or draw and tabulate existing results.

        figures:
        \(Figure.all.map { "  \($0.name.padded(to: 5))  \($0.title)" }.joined(separator: "\n"))

        options:
        \(all.map { "  \($0.usage.padded(to: 15))  \($0.help)" }.joined(separator: "\n"))

        exit status: 0 success, 1 failure, 2 usage error

        """
    }
}
