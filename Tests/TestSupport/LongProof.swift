import Foundation

/// The size of the long proofs: a fixed selection of their cases, or all of them if `CLIPS_TESTS` is `all`.
package enum LongProof {
    package static let isWhole = ProcessInfo.processInfo.environment["CLIPS_TESTS"] == "all"

    /// Returns the number of cases to run, and prints how many it omits.
    package static func count(_ few: Int, of all: Int, _ subject: String) -> Int {
        if !isWhole, few < all { omits("\(all - few) of \(all) \(subject)") }
        return isWhole ? all : few
    }

    /// Returns the seeds of random histories: the first few, or, if `CLIPS_TESTS` is `all`, the part of today, so that
    /// ten nights run all. `CLIPS_SEEDS=1,7` repeats those of a failure.
    package static func seeds(_ few: UInt64, of all: UInt64, _ subject: String) -> [UInt64] {
        if let chosen = ProcessInfo.processInfo.environment["CLIPS_SEEDS"] {
            return chosen.split(separator: ",").compactMap { UInt64($0) }
        }
        guard isWhole else { return Array(0..<UInt64(count(Int(few), of: Int(all), subject))) }
        let day = UInt64(Date().timeIntervalSince1970 / 86_400) % 10
        print("Omitted: \(all - all / 10) of \(all) \(subject), which other days run.")
        return Array(day * all / 10..<(day + 1) * all / 10)
    }

    /// Prints the cases that a run of the selection omits.
    package static func omits(_ cases: String) {
        print("Omitted: \(cases). CLIPS_TESTS=all runs them.")
    }
}
