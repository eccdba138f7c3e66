import SQLite
import TestSupport
import Testing

@testable import PersistentStore

@Suite struct HistoryBoundaryTests {
    /// Rows with rising timestamps, gaps between the numbers, and transactions without timestamps inside.
    private func rows(_ random: inout some RandomNumberGenerator) -> [(number: Int64, stamp: Int64?)] {
        var (number, stamp) = (Int64.random(in: 0...3, using: &random), Int64(100))
        return (0..<Int.random(in: 0...200, using: &random)).map { _ in
            number += Int64.random(in: 1...3, using: &random)
            stamp += Int64.random(in: 0...2, using: &random)
            return (number, Int.random(in: 0..<4, using: &random) == 0 ? stamp : nil)
        }
    }

    @Test func `the position of a time is that of a search row by row`() throws {
        var random = SeededRandom(seed: 18)
        for _ in 0..<200 {
            let connection = try Connection(path: ":memory:", access: .readWrite)
            try connection.execute("CREATE TABLE history (number INTEGER PRIMARY KEY, at, began)")
            var rows = rows(&random)
            // The greatest number that a hostile store can have.
            if Bool.random(using: &random) { rows.append((Int64.max, nil)) }
            for row in rows {
                try connection.run("INSERT INTO history VALUES (?1, NULL, ?2)", row.number, row.stamp)
            }
            let floor = rows.isEmpty ? 0 : rows[rows.count / 3].number
            for time in stride(from: Int64(98), to: 300, by: 7) {
                let readable = rows.filter { $0.number > floor }
                let later = readable.first { $0.stamp.map { $0 >= time } ?? false }
                let found = try HistoryBoundary.lastNumber(
                    stampedBefore: time, above: floor, on: connection)
                // Numbers without a row are equivalent.
                #expect(readable.first { $0.number > found }?.number == later?.number)
            }
        }
    }
}
