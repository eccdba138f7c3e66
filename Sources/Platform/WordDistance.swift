/// The distance from a typed word: 2 for each letter that is missing, extra, or exchanged with its neighbor, and
/// 3 for a different letter.
package struct WordDistance {
    private let typed: [Unicode.Scalar]
    private let typedBytes: [UInt8]
    private let bytes: Int
    /// The maximum number of errors, as in Lucene's automatic fuzziness.
    private let maxErrors: Int

    package var admitsErrors: Bool { maxErrors > 0 }
    private var maxCost: Int { [0, 3, 5][maxErrors] }

    package init(_ folded: [UInt8]) {
        typed = Array(String(decoding: folded, as: UTF8.self).unicodeScalars)
        typedBytes = Array(Set(folded))
        bytes = folded.count
        maxErrors = typed.count < 3 ? 0 : typed.count < 6 ? 1 : 2
    }

    /// Returns whether a word can be close, by its length and its letters.
    package func mayAdmit(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
        let slack = bytes == typed.count ? maxErrors : 4 * maxErrors
        guard word.count + slack >= bytes else { return false }
        return typedBytes.count { byte in !word.contains(byte) } <= slack
    }

    /// Returns the distance of a word, 1 more if the typed word is only its beginning; nil if it is not close.
    ///
    /// - Parameter isWhole: Whether the beginning of a word is not close to it.
    package func cost(of word: some Sequence<UInt8>, isWhole: Bool = false) -> Int? {
        let word = Array(String(decoding: Array(word), as: UTF8.self).unicodeScalars)
        var (before, last) = ([Int](), (0...typed.count).map { 2 * $0 })
        var shortest = Int.max
        for (row, letter) in word.enumerated() {
            var next = [2 * row + 2]
            for column in typed.indices {
                var cost = min(
                    last[column] + (typed[column] == letter ? 0 : 3), last[column + 1] + 2, next[column] + 2)
                if row > 0, column > 0, typed[column] == word[row - 1], typed[column - 1] == letter {
                    cost = min(cost, before[column - 1] + 2)
                }
                next.append(cost)
            }
            (before, last) = (last, next)
            shortest = min(shortest, last[typed.count])
        }
        let whole = last[typed.count]
        let cost = isWhole || shortest == .max ? whole : min(whole, shortest + 1)
        return cost <= maxCost ? cost : nil
    }
}
