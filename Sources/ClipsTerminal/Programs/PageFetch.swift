import Platform

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
    /// Whether the last lines of the program's errors are the header's type and the address after redirections.
    private let reportsResponse: Bool

    /// The time that a page may take.
    private static let timeout = Duration.seconds(30)

    /// - Parameter limit: The maximum size of a page, in bytes.
    package init(_ config: ConfigFile, limit: Int) {
        self.limit = limit
        reportsResponse = config.fetchCommand == nil
        command = config.fetchCommand ?? Self.curl(limit: limit)
    }

    /// The beginning of every request. A redirection to another scheme, such as file:, is an error.
    static let curl = [
        "curl", "--silent", "--location", "--globoff", "--compressed", "--proto", "=http,https",
        "--proto-redir", "=http,https", "--max-redirs", "10", "--user-agent",
        "Mozilla/5.0 (compatible; clips)",
    ]

    private static func curl(limit: Int) -> [String] {
        curl + [
            "--show-error", "--fail", "--max-filesize", "\(limit)",
            "--max-time", "\(timeout.components.seconds - 1)", "--write-out",
            "%{stderr}\n%{content_type}\n%{url_effective}", "--",
        ]
    }

    /// Returns the bytes that the program writes for a URL, the `Content-Type` of the response, if known, and its address,
    /// to which links are relative.
    package func page(
        at url: String, isInterrupted: () -> Bool = { false }
    ) throws(Failure) -> (bytes: [UInt8], contentType: String?, address: String) {
        guard ["http://", "https://"].contains(where: url.lowercased().hasPrefix) else {
            throw Failure("only http and https pages can be fetched")
        }
        let output = ChildOutput(
            of: Browser.words(command, with: url), limit: limit, timeout: Self.timeout,
            isInterrupted: isInterrupted)
        let name = "'\(command[0])'"
        switch output.ending {
        case .exited(0):
            guard reportsResponse else { return (output.bytes, nil, url) }
            let errors = String(decoding: output.errors, as: UTF8.self)
            let lines = errors.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).suffix(2)
            let address = lines.last.flatMap { $0.isEmpty ? nil : String($0) } ?? url
            return (output.bytes, lines.count < 2 ? nil : lines.first.map { String($0) }, address)
        case .exited(127), .notStarted:
            if let problem = ChildProcess.problem(of: command[0]), case .notStarted = output.ending {
                throw Failure("\(name) could not be started: \(problem.dropLast())")
            }
            throw Failure(
                "\(name) could not be started; install it, or set 'fetch COMMAND' in the config file")
        case .exited(let status):
            let errors = String(decoding: output.errors, as: UTF8.self)
            let lines = errors.split(whereSeparator: \.isNewline)
            let line = lines.last { !reportsResponse || $0.hasPrefix("curl:") }.map { ": \($0)" } ?? ""
            throw Failure("\(name) ended with status \(status)\(line)")
        case .tooLong: throw Failure("it has more than \(limit >> 20) MB")
        case .timedOut: throw Failure("it took more than \(Self.timeout.components.seconds) s")
        case .interrupted: throw Failure("interrupted", isInterruption: true)
        }
    }
}
