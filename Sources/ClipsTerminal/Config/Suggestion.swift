/// The name that the user probably meant.
enum Suggestion {
    /// Returns the nearest name, at most two letters away.
    static func nearest(to word: String, in names: some Sequence<String>) -> String? {
        let word = Array(word.lowercased().prefix(64))
        let maxDistance = word.count < 5 ? 1 : 2
        let near = names.map { (name: $0, distance: distance(word, Array($0.lowercased()))) }
            .filter { $0.distance <= maxDistance }
        return near.min { $0.distance < $1.distance }?.name
    }

    /// Returns the names as `one, two, or three`.
    static func list(_ names: [String]) -> String {
        names.dropLast().joined(separator: ", ") + (names.count > 2 ? "," : "") + " or " + (names.last ?? "")
    }

    /// Returns the number of letters to insert, delete, replace, or swap with the next one.
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        var rows = [Array(0...other.count)]
        for (i, letter) in one.enumerated() {
            var row = [i + 1]
            for (j, otherLetter) in other.enumerated() {
                var best = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (letter == otherLetter ? 0 : 1))
                if i > 0, j > 0, letter == other[j - 1], one[i - 1] == otherLetter {
                    best = min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }
}
