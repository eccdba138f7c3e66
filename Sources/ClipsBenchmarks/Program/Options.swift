import Glibc

/// What was asked for on the command line.
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

    /// Whether nothing is to be measured.
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
                    throw UsageError("'\(word)' is no figure and no option; see --help.")
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

            Measures the figures, or all but SCALE and SOAK, each beside its limit in the same run. Or draws and
            tabulates what was measured.

            figures:
            \(figures)
            options:
              --quick          fewer repetitions, smaller stores: under two minutes for all
              --json           one JSON object a line instead of the table: the machine, then each row
              --results FILE   writes them to a file beside the table
              --clips PATH     the program to measure (else 'clips' beside this one)
              --data FOLDER    where large stores are kept between runs (else in the temporary folder)
              --searched N     how many clips F11 searches (1,000,000; 50,000 with --quick)
              --minutes N      how long SOAK goes on (30; 1 with --quick)
              --peers FOLDER   other people's programs to run beside ours, with the scripts of that folder
              --picture FILE   a picture of measured results
              --markdown       a table of measured results
              --readme FILE    puts that table in the place of the one in a file

            exit status: 0 measured, 1 not, 2 wrong usage

            """
    }
}

/// A mistake in how the program was called.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
