extension [String] {
    /// Returns the texts with a separator between them.
    ///
    /// Used for arrays of texts by all modules: the first use of the generic form searches all conformances of the
    /// program, which costs a process that saves one clip 4 % of its instructions.
    package func joined(separator: String = "") -> String {
        var text = ""
        for index in indices {
            if index > 0 { text += separator }
            text += self[index]
        }
        return text
    }

    /// The texts as in `a, b, or c`.
    package var listed: String { listed("or") }

    package func listed(_ word: String) -> String {
        guard count > 1 else { return first ?? "" }
        return Array(dropLast()).joined(separator: ", ") + "\(count > 2 ? "," : "") \(word) "
            + self[count - 1]
    }
}

extension Int {
    /// The number with commas between thousands.
    package var grouped: String {
        magnitude < 1000 ? "\(self)" : (self / 1000).grouped + "," + "\(1000 + magnitude % 1000)".dropFirst()
    }

    /// Returns the number with its noun: `1 clip`, `2,000 clips`.
    package func counted(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }
}
