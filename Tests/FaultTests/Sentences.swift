import TestSupport

/// What a person is told when something fails.
enum Sentences {
    /// Words that say what to do, or that nothing has to be done.
    private static let advice = [
        "try again", "Check the ", "check the ", "free some space", "Restore a backup", "takes it from there",
        "takes them from there", "which takes longer", "Name another file", "name another place",
        "start again", "create a new store", "Do a full refresh", "use another ",
        "name another file", "must be opened for writing first", "each line that follows is for 'clips",
    ]

    /// Why these are not sentences that help; nil when they are.
    static func fault(in errors: String) -> String? {
        // A clip that no file took follows its sentence.
        let lines = errors.split(separator: "\n").filter { !$0.hasPrefix("{\"author\":") }
        guard !lines.isEmpty else { return "nothing was said" }
        for line in lines where !line.hasPrefix("clips: ") || !(line.hasSuffix(".") || line.hasSuffix(":")) {
            return "no sentence: \(line)"
        }
        for word in ["SQLite code", "SQLITE_", "Error(", "PersistentStore."] where errors.contains(word) {
            return "\(word) is for nobody: \(errors)"
        }
        return advice.contains { errors.contains($0) } ? nil : "what to do is not said: \(errors)"
    }
}
