import ClipsCore
import Terminal

/// Messages on standard error.
enum Message {
    /// Writes a sentence as one line, which begins with the program's name.
    ///
    /// - Parameter subject: The name of what the sentence is about, such as a file.
    static func write(_ text: String, about subject: String? = nil) {
        let subject = subject.map { "\($0): " } ?? ""
        Output.standardError.sentence("clips: \(subject)\(text.prefix(1).uppercased())\(text.dropFirst())")
    }

    /// A clip by its ID and title, as the history names it.
    static func clip(_ id: Int64, titled title: String) -> String {
        "clip \(id) \(Clip.quoted(title))"
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
