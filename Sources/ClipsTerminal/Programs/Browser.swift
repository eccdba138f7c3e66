import Platform

/// Opens addresses outside of the terminal. Nothing else decides which are opened, and in which form.
enum Browser {
    /// A clip comes from anybody; other schemes could start anything.
    private static let schemes: Set<String> = ["http", "https", "file", "mailto"]

    static func refusal(of url: String) -> String? {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        if scheme.count < url.count, schemes.contains(scheme) {
            return MailAddress.isMail(url) && MailAddress.safe(url) == nil
                ? "The mail address has characters that mail programs may misread; it is not opened." : nil
        }
        return "Only addresses of http, https, file and mailto are opened."
    }

    /// The first browser for the terminal that is installed.
    static func inTerminal(_ url: String) -> [String] {
        let browsers = ["w3m", "elinks", "links", "lynx"]
        let found = browsers.first(where: Environment.has(program:))
        return [found ?? browsers[0], MailAddress.safe(url) ?? url]
    }

    /// BROWSER's words, `%s` in them being the address; xdg-open without it. No shell sees any of it.
    static func command(for url: String, browser: String?) -> [String] {
        let url = MailAddress.safe(url) ?? url
        // BROWSER may name several, the best one first.
        let first = browser?.split(separator: ":").first ?? ""
        let words = first.split(separator: " ").map(String.init)
        guard !words.isEmpty else { return ["xdg-open", url] }
        guard words.contains(where: { $0.contains("%s") }) else { return words + [url] }
        return words.map { word in
            guard let place = word.firstRange(of: "%s") else { return word }
            return word[..<place.lowerBound] + url + word[place.upperBound...]
        }
    }
}

extension String {
    fileprivate func firstRange(of words: String) -> Range<Index>? {
        indices.first { self[$0...].hasPrefix(words) }.map { $0..<index($0, offsetBy: words.count) }
    }
}
