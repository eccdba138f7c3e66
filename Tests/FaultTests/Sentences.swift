import TestSupport

/// The messages of failures.
enum Sentences {
    /// Phrases of advice, or that nothing needs to be done.
    private static let advice = [
        "try again", "Check the ", "check the ", "free some space", "Restore a backup", "save it with",
        "save them with", "which takes longer", "Name another file", "name another place",
        "start again", "to use it as the store", "then restart", "create a new store", "Do a full refresh",
        "use another ",
        "name another file", "must be opened for writing first", "each line that follows is for 'clips",
    ]

    /// Returns the reason why these messages do not help a user; nil if they do.
    static func fault(in errors: String) -> String? {
        // A clip that no file retains follows its message.
        let lines = errors.split(separator: "\n").filter { !$0.hasPrefix("{\"archived\":") }
        guard !lines.isEmpty else { return "no message" }
        for line in lines where !line.hasPrefix("clips: ") || !(line.hasSuffix(".") || line.hasSuffix(":")) {
            return "not a message: \(line)"
        }
        for word in ["SQLite code", "SQLITE_", "Error(", "PersistentStore."] where errors.contains(word) {
            return "\(word) helps no user: \(errors)"
        }
        return advice.contains { errors.contains($0) } ? nil : "no advice: \(errors)"
    }
}
