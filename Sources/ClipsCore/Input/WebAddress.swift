/// Recognizes the URLs that a user types.
package enum WebAddress {
    /// Returns the URL of a text: the text itself if it has a scheme, or a host, such as `example.com/a`, with
    /// `https://` before it, or `http://` before a host of the local network; nil for any other text, such as
    /// a web address without a host.
    package static func url(_ text: String) -> String? {
        let text = text.trimmed
        guard !text.isEmpty, !text.contains(where: \.isWhitespace) else { return nil }
        if hasScheme(text) { return lacksHost(text) ? nil : text }
        let authority = text.prefix { !"/?#".contains($0) }
        guard let (host, port) = parts(authority), port.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            return nil
        }
        if isLocal(host) { return "http://" + text }
        return isDomain(host, isAlone: host.count == text.count) ? "https://" + text : nil
    }

    /// Whether a text begins with a scheme of URLs and, except for `mailto:`, with `//` after it.
    package static func hasScheme(_ text: some StringProtocol) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = text[..<colon]
        guard let first = scheme.first, first.isASCII, first.isLetter,
            scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        else { return false }
        return text[colon...].hasPrefix("://") || scheme.lowercased() == "mailto"
    }

    /// Whether a text is the beginning of a web address, such as `http://`.
    package static func lacksHost(_ text: some StringProtocol) -> Bool {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, ["http", "https", "ftp"].contains(parts[0].lowercased()),
            parts[1].hasPrefix("//")
        else { return false }
        let authority = parts[1].dropFirst(2).prefix { !"/?#".contains($0) }
        // After the name of a user.
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return host.isEmpty || host.first == ":"
    }

    private static func parts(_ authority: Substring) -> (host: Substring, port: Substring)? {
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            return (authority[...end], rest.dropFirst())
        }
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return (parts[0], parts.count > 1 ? parts[1] : "")
    }

    /// Whether a host is `localhost` or an IP address.
    private static func isLocal(_ host: Substring) -> Bool {
        if host.lowercased() == "localhost" { return true }
        if host.first == "[" {
            return host.contains(":") && host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" }
        }
        let bytes = host.split(separator: ".", omittingEmptySubsequences: false)
        return bytes.count == 4 && bytes.allSatisfy { $0.allSatisfy(\.isNumber) && UInt8($0) != nil }
    }

    /// - Parameter isAlone: Whether nothing follows, so that the text may be the name of a file.
    private static func isDomain(_ host: Substring, isAlone: Bool) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, host.utf8.count < 254, let top = labels.last?.lowercased() else {
            return false
        }
        guard labels.allSatisfy(isLabel), top.count > 1,
            top.allSatisfy(\.isLetter) || top.hasPrefix("xn--")
        else { return false }
        return !(isAlone && fileExtensions.contains(top))
    }

    private static func isLabel(_ label: Substring) -> Bool {
        guard let first = label.first, let last = label.last, label.utf8.count < 64 else { return false }
        return first != "-" && last != "-" && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }
    }

    /// Extensions that are not top-level domains.
    private static let fileExtensions: Set<String> = [
        "c", "cfg", "conf", "cpp", "cs", "css", "csv", "db", "deb", "doc", "docx", "epub", "gif", "go", "gz",
        "h",
        "htm", "html", "ini", "java", "jpeg", "jpg", "js", "json", "jsonl", "jsx", "kt", "lock", "log", "lua",
        "odt", "patch", "pdf", "php", "png", "ppt", "pptx", "rb", "rst", "rtf", "sql", "svg", "swift", "tar",
        "tex", "toml", "ts", "tsv", "tsx", "txt", "webp", "xls", "xlsx", "xml", "yaml", "yml",
    ]
}

extension StringProtocol {
    /// The text without white space around it.
    package var trimmed: String {
        guard let end = lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(self[...end].drop(while: \.isWhitespace))
    }
}
