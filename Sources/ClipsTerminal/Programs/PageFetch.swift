/// Gets pages with the program that the config file names, by default curl(1).
package struct PageFetch: Sendable {
    /// A reason why there is no page, as the rest of a sentence.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
        package let isInterruption: Bool

        package init(_ description: String, isInterruption: Bool = false) {
            self.description = description
            self.isInterruption = isInterruption
        }
    }

    private let command: [String]
    private let limit: Int

    /// The time that a page may take.
    private static let timeout = Duration.seconds(30)

    /// - Parameter limit: The maximum size of a page, in bytes.
    package init(_ config: ConfigFile, limit: Int) {
        self.limit = limit
        command = config.fetchCommand ?? Self.curl(limit: limit)
    }

    /// A redirection to another scheme, such as file:, is an error.
    private static func curl(limit: Int) -> [String] {
        [
            "curl", "--silent", "--show-error", "--fail", "--location", "--globoff", "--compressed",
            "--proto", "=http,https", "--proto-redir", "=http,https", "--max-redirs", "10",
            "--max-filesize", "\(limit)", "--max-time", "\(timeout.components.seconds - 1)",
            "--user-agent", "Mozilla/5.0 (compatible; clips)", "--",
        ]
    }

    /// Returns what the program writes for a URL.
    package func page(
        at url: String, isInterrupted: () -> Bool = { false }
    ) throws(Failure) -> [UInt8] {
        guard ["http://", "https://"].contains(where: url.lowercased().hasPrefix) else {
            throw Failure("only http and https pages can be fetched")
        }
        let output = ChildOutput(
            of: Browser.words(command, with: url), limit: limit, timeout: Self.timeout,
            isInterrupted: isInterrupted)
        let name = "'\(command[0])'"
        switch output.ending {
        case .exited(0): return output.bytes
        case .exited(127), .notStarted:
            throw Failure(
                "\(name) could not be started; install it, or set 'fetch COMMAND' in the config file")
        case .exited(let status):
            let errors = String(decoding: output.errors, as: UTF8.self)
            let line = errors.split(whereSeparator: \.isNewline).last.map { ": \($0)" } ?? ""
            throw Failure("\(name) ended with status \(status)\(line)")
        case .tooLong: throw Failure("it has more than \(limit >> 20) MB")
        case .timedOut: throw Failure("it took more than \(Self.timeout.components.seconds) s")
        case .interrupted: throw Failure("interrupted", isInterruption: true)
        }
    }
}
