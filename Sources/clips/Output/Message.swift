import Terminal

/// Messages on standard error.
enum Message {
    /// Writes one line, which begins with the program's name.
    static func write(_ text: String) { Output.standardError.sentence("clips: \(text)") }

    /// A number with its noun: `1 clip`, `2 clips`.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    /// A clip by its ID and title, as the history names it.
    static func clip(_ id: Int64, titled title: String) -> String {
        "clip \(id) “\(title.prefix(40))\(title.count > 40 ? "…" : "")”"
    }

    /// A number with commas between thousands.
    static func grouped(_ number: Int) -> String {
        number < 1000 ? "\(number)" : grouped(number / 1000) + "," + "\(1000 + number % 1000)".dropFirst()
    }
}

/// The progress of a long operation: one line of a terminal on standard error, which each update replaces.
struct Progress: Sendable {
    private let isShown: Bool

    init(_ invocation: Invocation) { isShown = !invocation.isQuiet && Output.standardError.isTerminal }

    func show(_ text: String) {
        if isShown { Output.standardError.write("\rclips: \(SafeText.line(text))\u{1B}[K") }
    }

    func show(_ verb: String, _ done: Int, of total: Int, _ noun: String) {
        show("\(verb) \(done * 100 / max(1, total)) % of \(total) \(noun)")
    }

    func clear() {
        if isShown { Output.standardError.write("\r\u{1B}[K") }
    }
}

extension Invocation {
    /// Runs an operation that shows its progress, and clears the line afterwards.
    func withProgress<Result>(_ work: (Progress) async throws -> Result) async rethrows -> Result {
        let progress = Progress(self)
        defer { progress.clear() }
        return try await work(progress)
    }
}
