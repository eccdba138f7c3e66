import Platform
import SearchIndex

/// The commands that open URLs, and the check of every URL before it is opened.
enum Browser {
    /// A clip may come from an untrusted page, and other schemes could start any program.
    private static let schemes = LinkAddress.pages.union(LinkAddress.others)

    /// Returns the reason why a URL is not opened; nil if it is safe.
    static func rejection(of url: String) -> String? {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        if scheme.count < url.count, schemes.contains(scheme) {
            return MailAddress.isMail(url) && MailAddress.safe(url) == nil
                ? "This mail address has unsafe characters and is not opened." : nil
        }
        return "Only URLs such as https, file, mailto, and tel are opened."
    }

    private static let textBrowsers = [
        "w3m", "elinks", "links", "lynx", "links2", "cha", "browsh", "carbonyl",
    ]

    /// The first installed browser for the terminal.
    static var installedTextBrowser: String? { textBrowsers.first(where: Environment.has(program:)) }

    /// Returns the command of the first installed browser for the terminal.
    static func inTerminal(_ url: String) -> [String] {
        [installedTextBrowser ?? textBrowsers[0], MailAddress.safe(url) ?? url]
    }

    /// Whether a command needs the terminal. Without, it shows nothing, and ends with success.
    static func needsTerminal(_ command: [String]) -> Bool {
        textBrowsers.contains { command[0] == $0 || command[0].hasSuffix("/" + $0) }
    }

    /// Returns the words of BROWSER, or xdg-open, with the URL for `%s` or at the end.
    static func command(for url: String, browser: String?) -> [String] {
        let url = MailAddress.safe(url) ?? url
        let scheme = url.prefix { $0 != ":" }.lowercased()
        // A browser shows no other addresses; the desktop knows the programs for them.
        if LinkAddress.others.contains(scheme), !MailAddress.isMail(url) { return ["xdg-open", url] }
        // BROWSER may name several, the preferred one first; the first that is installed is used.
        let commands = (browser ?? "").split(separator: ":").map { command in
            CommandWords(String(command)).words ?? command.split(separator: " ").map(String.init)
        }.filter { !$0.isEmpty }
        let words =
            commands.first { $0[0].contains("/") || Environment.has(program: $0[0]) } ?? commands.first ?? []
        guard !words.isEmpty else { return ["xdg-open", url] }
        return Self.words(words, with: url)
    }

    /// Returns the words of a command with a URL for `%s`, or at the end.
    static func words(_ words: [String], with url: String) -> [String] {
        guard words.contains(where: { $0.contains("%s") }) else { return words + [url] }
        return words.map { word in
            guard let range = word.firstRange(of: "%s") else { return word }
            return word[..<range.lowerBound] + url + word[range.upperBound...]
        }
    }
}
