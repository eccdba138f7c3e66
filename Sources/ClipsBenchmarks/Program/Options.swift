import Glibc

/// The options of the command line.
struct Options {
    private(set) var names: Set<String> = []
    private(set) var isQuick = false
    private(set) var isJSON = false
    private(set) var wantsHelp = false
    private(set) var results: String?
    private(set) var picture: String?
    private(set) var readme: String?
    private(set) var wantsMarkdown = false
    private(set) var peers: String?
    private(set) var clips: String?
    private(set) var data: String?
    private(set) var searchedClips: Int?
    private(set) var minutes: Double?

    /// Whether the program presents existing results instead of measuring.
    var presents: Bool { picture != nil || readme != nil || wantsMarkdown }

    init(_ words: [String]) throws(UsageError) {
        var rest = words[...]
        func value(_ option: String) throws(UsageError) -> String {
            guard let value = rest.popFirst() else { throw UsageError("\(option) needs a value.") }
            return value
        }
        while let word = rest.popFirst() {
            switch word {
            case "--quick": isQuick = true
            case "--json": isJSON = true
            case "--help", "-h": wantsHelp = true
            case "--results": results = try value(word)
            case "--picture": picture = try value(word)
            case "--readme": readme = try value(word)
            case "--markdown": wantsMarkdown = true
            case "--peers": peers = try value(word)
            case "--clips": clips = try value(word)
            case "--data": data = try value(word)
            case "--searched":
                guard let count = Int(try value(word)), count > 0 else {
                    throw UsageError("\(word) needs a number.")
                }
                searchedClips = count
            case "--minutes":
                guard let count = Double(try value(word)), count > 0, count < 100_000 else {
                    throw UsageError("\(word) needs a number.")
                }
                minutes = count
            default:
                let name = word.uppercased()
                guard Figure.all.contains(where: { $0.name == name }) else {
                    throw UsageError("Unknown figure or option '\(word)'. Run ClipsBenchmarks --help.")
                }
                names.insert(name)
            }
        }
    }

    func asks(for figure: Figure) -> Bool {
        names.isEmpty ? !figure.isOnlyNamed : names.contains(figure.name)
    }

    static var help: String {
        let figures = Figure.all.map { "  \($0.name)  \($0.title)\n" }.joined()
        return """
            usage: ClipsBenchmarks [FIGURE...] [options]
                   ClipsBenchmarks [--picture FILE.svg] [--readme FILE] [--markdown] < RESULTS

            Measure the figures, or all except SCALE and SOAK, each with its limit in the same run; or draw and
            tabulate existing results.

            figures:
            \(figures)
            options:
              --quick          fewer repetitions, smaller stores: under two minutes for all
              --json           one JSON object per line instead of the table: the machine, then each row
              --results FILE   file for the JSON objects, in addition to the table
              --clips PATH     program to measure (default: 'clips' in this program's folder)
              --data FOLDER    folder for large stores that later runs reuse (default: temporary folder)
              --searched N     number of clips that F11 searches (1,000,000; 50,000 with --quick)
              --minutes N      duration of SOAK (30; 1 with --quick)
              --peers FOLDER   folder with scripts that run programs of other projects for comparison
              --picture FILE   picture of existing results
              --markdown       table of existing results
              --readme FILE    file in which to replace the table

            exit status: 0 success, 1 failure, 2 usage error

            """
    }
}

/// An error in the command line.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
