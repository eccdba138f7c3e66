import Glibc
import Platform

/// Opens pages for a command, as the app does.
package enum PageOpening {
    /// Returns the reason why a URL is not opened; nil if it is safe.
    package static func rejection(of url: String) -> String? { Browser.rejection(of: url) }

    /// Opens URLs in the user's browser, which continues to run, unless it needs the terminal.
    ///
    /// - Returns: A sentence about the failure; nil on success.
    package static func failure(opening urls: [String], with programs: UserPrograms) -> String? {
        let commands = urls.map { Browser.command(for: $0, browser: programs.browser) }
        let isOnTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        if isOnTerminal, commands.contains(where: Browser.needsTerminal) {
            let failed = commands.first { ![0, 128 + SIGINT].contains(ChildProcess.here($0)) }
            return failed.map {
                "'\($0[0])' did not show the page. Check its name, the address, and the connection."
            }
        }
        var launches = Launches()
        launches.open(urls, of: [], as: urls.count == 1 ? "the page" : "\(urls.count) pages", with: programs)
        while let deadline = launches.deadline {
            let wait = max(.zero, ContinuousClock.now.duration(to: deadline))
            _ = DescriptorIO.poll(launches.descriptors, for: launches.descriptors.isEmpty ? .zero : wait)
            for report in launches.collect(at: .now) where report.isFailure { return report.sentence }
        }
        return nil
    }
}

extension Launches {
    mutating func open(
        _ urls: [String], of clips: [Int64], as subject: String, with programs: UserPrograms
    ) {
        start(
            urls.map { (Browser.command(for: $0, browser: programs.browser), nil) }, on: subject, of: clips,
            verb: "Opened", hint: "Set BROWSER to your browser's command.")
    }
}
