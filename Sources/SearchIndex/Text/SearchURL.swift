/// URLs as they are searched.
package enum SearchURL {
    /// Returns a URL with its percent-encoded characters and its Punycode labels decoded, for users.
    package static func decoded(_ url: String) -> String {
        let text = PercentEncoding.decoded(url, reserved: "")
        guard mayHavePunycode(text) else { return text }
        var (result, rest) = ("", text[...])
        while !rest.isEmpty {
            let label = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            let isEncoded = label.lowercased().hasPrefix("xn--")
            result +=
                isEncoded ? Punycode.decoded(label.lowercased().dropFirst(4)) ?? String(label) : String(label)
            rest = rest[label.endIndex...]
            if let separator = rest.popFirst() { result.append(separator) }
        }
        return result
    }

    /// Returns the text by which a URL is found: decoded, and its canonical form if that is not a part of it.
    static func searched(_ url: String) -> String {
        // The canonical form of any other URL is a part of it.
        guard url.utf8.contains(where: { "?#%".utf8.contains($0) }) || mayHavePunycode(url) else {
            return url
        }
        let text = decoded(url)
        guard let key = CanonicalURL(url)?.key, !text.utf8.contains(key.utf8) else { return text }
        return "\(text) \(key)"
    }

    /// Returns typed text as it is compared: a URL by its canonical form.
    static func typed(_ text: String) -> String {
        let isURL =
            text.contains("://") || text.lowercased().hasPrefix("www.")
            || text.utf8.contains(UInt8(ascii: "/")) && text.utf8.contains(UInt8(ascii: "."))
        return isURL ? CanonicalURL(text)?.key ?? decoded(text) : decoded(text)
    }

    private static func mayHavePunycode(_ text: String) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return zip(text.utf8, text.utf8.dropFirst()).contains { $0 == hyphen && $1 == hyphen }
    }
}
