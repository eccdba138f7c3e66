import FoundationEssentials
import Glibc

/// A line of the results: the machine first, then each measured row.
struct ResultLine: Codable {
    var machine: Machine?
    var figure: String?
    var title: String?
    var isMet: Bool?
    var measurement: Measurement?

    init(_ machine: Machine) { self.machine = machine }

    init(_ figure: Figure, _ measurement: Measurement) {
        self.figure = figure.name
        title = figure.title
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

/// What was measured, read again.
struct Results {
    typealias Row = (figure: String, measurement: Measurement)

    private(set) var machine: Machine?
    private(set) var rows: [Row] = []

    /// From standard input, a line each. Of a row that was measured more than once, the last counts.
    init(standardInput: Void) throws {
        var number = 0
        while let line = readLine() {
            number += 1
            guard let read = try? JSONDecoder().decode(ResultLine.self, from: Data(line.utf8)) else {
                throw BenchmarkError("line \(number) is no result: give what --json printed")
            }
            machine = machine ?? read.machine
            guard let figure = read.figure, let measurement = read.measurement else { continue }
            let row: Row = (figure, measurement)
            if let known = rows.firstIndex(where: {
                $0.figure == figure && $0.measurement.subject == measurement.subject
            }) {
                rows[known] = row
            } else {
                rows.append(row)
            }
        }
        guard !rows.isEmpty else {
            throw BenchmarkError("no results were read: give what --json or --results printed")
        }
    }

    /// What the README shows: rows with a headline, but peers that have no goal stand in the row of that name.
    var headlines: [Row] {
        rows.filter { $0.measurement.headline != nil && !isFolded($0.measurement) }
    }

    /// The peers without goals that a row is shown beside.
    func peers(of row: Row) -> [Measurement] {
        guard row.measurement.peer == nil else { return [] }
        return rows.filter {
            $0.figure == row.figure && $0.measurement.headline == row.measurement.headline
                && isFolded($0.measurement)
        }.map(\.measurement)
    }

    private func isFolded(_ measurement: Measurement) -> Bool {
        measurement.peer != nil && measurement.goal == nil
    }

    /// How many goals there are, also in rows that have no headline.
    var goals: (met: Int, all: Int) {
        let judged = rows.compactMap(\.measurement.isMet)
        return (judged.count { $0 }, judged.count)
    }
}
