import FoundationEssentials

/// A line of the results: the machine first, then each measured row.
struct ResultLine: Codable {
    var machine: Machine?
    var figure: String?
    var title: String?
    var isMet: Bool?
    var measurement: Measurement?

    init(machine: Machine) { self.machine = machine }

    init(_ figure: Figure, _ measurement: Measurement) {
        (self.figure, title) = (figure.name, figure.title)
        isMet = measurement.isMet
        self.measurement = measurement
    }

    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}

/// The results of an earlier run.
struct Results {
    typealias Row = (figure: String, measurement: Measurement)

    private(set) var machine: Machine?
    private(set) var rows: [Row] = []

    /// Reads results from standard input, one per line. The last result of a row replaces earlier ones.
    init(standardInput: Void) throws {
        var number = 0
        while let line = readLine() {
            number += 1
            guard let read = try? JSONDecoder().decode(ResultLine.self, from: Data(line.utf8)) else {
                throw BenchmarkError("line \(number) is not a result: use the file of --results")
            }
            machine = machine ?? read.machine
            guard let figure = read.figure, let measurement = read.measurement else { continue }
            let known = rows.firstIndex {
                $0.figure == figure && $0.measurement.subject == measurement.subject
            }
            if let known { rows[known].measurement = measurement } else { rows.append((figure, measurement)) }
        }
        guard !rows.isEmpty else {
            throw BenchmarkError(
                "standard input has no results: use the file of --results")
        }
    }

    /// The rows of the published table: those with a headline, except peers without a goal, which are in the
    /// row of that name.
    var headlines: [Row] {
        rows.filter { $0.measurement.headline != nil && !isFolded($0.measurement) }
    }

    /// Returns the peers without goals that are shown in a row.
    func peers(of row: Row) -> [Measurement] {
        guard row.measurement.peer == nil else { return [] }
        return rows.map(\.measurement).filter { $0.headline == row.measurement.headline && isFolded($0) }
    }

    private func isFolded(_ measurement: Measurement) -> Bool {
        measurement.peer != nil && measurement.goal == nil
    }

    /// The number of goals, including those of rows without a headline.
    var goals: (met: Int, all: Int) {
        let judged = rows.compactMap(\.measurement.isMet)
        return (judged.count { $0 }, judged.count)
    }
}
