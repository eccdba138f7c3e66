import Terminal

/// The output of a program, for the reader.
struct ProgramOutput: Sendable {
    let program: String
    /// The title of the clip on which it ran, or the number of clips.
    let subject: String
    private(set) var text = ""
    /// Whether there is nothing to show but the sign of the key that ended the program.
    var isEmpty: Bool { text.split(whereSeparator: \.isWhitespace).allSatisfy { $0 == "^C" } }

    init(program: String, subject: String) { (self.program, self.subject) = (program, subject) }

    /// Adds the output of a run. Of many, the first ones remain.
    mutating func add(_ run: RelayedProgram) {
        guard text.utf8.count < RelayedProgram.maxOutput else { return }
        if let last = text.last, !last.isNewline { text += "\n" }
        let shown = PlainOutput.text(run.lastingOutput)
        guard shown.contains(where: { !$0.isWhitespace }) else { return }
        text += (run.isCut ? "(The output was long; this is its end.)\n" : "") + shown
    }
}

extension AppState {
    /// Shows the output of a program until it is closed.
    mutating func show(_ output: ProgramOutput) {
        printed = Reader(output)
        printed.isWrapped = settings.config.wraps
        screen = .output
    }
}
