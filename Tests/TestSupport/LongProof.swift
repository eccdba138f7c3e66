import Foundation

/// The size of the long proofs: a fixed selection of their cases, or all of them if `CLIPS_TESTS` is `all`.
package enum LongProof {
    package static let isWhole = ProcessInfo.processInfo.environment["CLIPS_TESTS"] == "all"

    /// Returns the number of cases to run, and prints how many it omits.
    package static func count(_ few: Int, of all: Int, _ subject: String) -> Int {
        if !isWhole, few < all { omits("\(all - few) of \(all) \(subject)") }
        return isWhole ? all : few
    }

    /// Prints the cases that a run of the selection omits.
    package static func omits(_ cases: String) {
        print("Omitted: \(cases). CLIPS_TESTS=all runs them.")
    }
}
