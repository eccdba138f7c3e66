/// A web page's URL without its spelling: variants that lead to one page are equal.
///
/// Ignored are the scheme, `www.`, the host's case and punycode, a default port, slashes at the end, tracking
/// parameters, percent-encoding that changes nothing, and a fragment that names an anchor of prose. Any other fragment
/// may select a view, which is a page of its own: `#gid=1`, `#inbox/2`, `#/route`.
package struct CanonicalURL: Hashable, Sendable {
    private let host: String
    private let path: String
    private let query: String
    private let fragment: String

    /// Creates the canonical form of an http or https URL, with or without its scheme; nil of any other text.
    package init?(_ text: String) {
        guard let parts = Parts(text) else { return nil }
        var labels = parts.host.split(separator: ".", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("xn--") ? Punycode.decoded($0.dropFirst(4)) ?? String($0) : String($0) }
        if labels.count > 2, labels[0] == "www" { labels.removeFirst() }
        host = parts.user + labels.joined(separator: ".") + parts.port
        var path = PercentEncoding.decoded(parts.path, reserved: "/?#")
        while path.hasSuffix("/") { path.removeLast() }
        self.path = path
        query = parts.query.split(separator: "&").filter { !Self.isTracking($0) }
            .map {
                PercentEncoding.decoded($0, reserved: "&+#")
                    .split(separator: " ", omittingEmptySubsequences: false).joined(separator: "+")
            }
            .joined(separator: "&")
        let fragment = PercentEncoding.decoded(parts.fragment, reserved: "")
        self.fragment = Self.isAnchor(fragment) && !Self.isApp(labels) ? "" : fragment
    }

    /// Whether a fragment names a part of a text: words of letters, each with a number at most, of which the first is
    /// not one for views, and not a letter with a number, as that of a line. In doubt, it does not.
    private static func isAnchor(_ fragment: String) -> Bool {
        if fragment.isEmpty || fragment.hasPrefix(":~:") { return true }
        let words = fragment.split(omittingEmptySubsequences: false) { "-_.".contains($0) }
        let isWords = words.allSatisfy { word in
            let letters = word.prefix { $0.isLetter }
            let digits = word[letters.endIndex...]
            return word.count <= 24 && digits.allSatisfy { $0.isASCII && $0.isNumber }
        }
        let first = fragment.prefix { $0.isLetter }.lowercased()
        let isNumbered = first.count == 1 && fragment.dropFirst().first?.isNumber == true
        return isWords && !first.isEmpty && !isNumbered && !views.contains(first)
    }

    private static let views: Set<String> = [
        "account", "all", "archive", "board", "calendar", "category", "chat", "contacts", "dashboard",
        "drafts",
        "edit", "filter", "gid", "home", "id", "image", "img", "inbox", "item", "label", "list", "login",
        "map",
        "message", "modal", "msg", "page", "panel", "photo", "profile", "q", "query", "screen", "search",
        "sent",
        "settings", "sheet", "slide", "spam", "starred", "step", "tab", "tag", "thread", "trash", "user",
        "view",
    ]

    /// Whether a host serves an application rather than texts.
    private static func isApp(_ labels: [String]) -> Bool {
        labels.suffix(2) == ["google", "com"] && labels.count > 2
            || ["admin", "app", "apps", "console", "dashboard", "mail", "webmail"].contains(labels[0])
    }

    /// A text that variants of one URL have in common: `swift.org/blog?page=2`.
    package var key: String {
        host + path + (query.isEmpty ? "" : "?" + query) + (fragment.isEmpty ? "" : "#" + fragment)
    }

    /// Returns the key of a URL; any other text unchanged.
    package static func key(_ url: String) -> String { CanonicalURL(url)?.key ?? url }

    /// Returns the fragment of a URL that its key lacks, as browsers store it; nil if there is none, or only that for the
    /// start of the page.
    package static func anchor(of url: String) -> String? {
        guard let canonical = CanonicalURL(url), canonical.fragment.isEmpty else { return nil }
        let url = inUsualSpelling(url)
        guard let hash = url.utf8.firstIndex(of: 0x23) else { return nil }
        let anchor = url[url.utf8.index(after: hash)...]
        return anchor.isEmpty || anchor.lowercased() == "top" ? nil : String(anchor)
    }

    /// Returns the better of two spellings of one URL, as browsers store it, regardless of their order.
    package static func preferred(_ one: String, _ other: String) -> String {
        let (one, other) = (inUsualSpelling(one), inUsualSpelling(other))
        func rank(_ url: String) -> (Int, Int, Int) {
            let tracking = Parts(url)?.query.split(separator: "&").count(where: isTracking) ?? 0
            return (tracking, url.hasPrefix("https:") ? 0 : 1, url.utf8.count)
        }
        return rank(one) == rank(other) ? min(one, other) : rank(one) < rank(other) ? one : other
    }

    /// Returns a URL as browsers store it: scheme and host in small letters, without a default port and needless
    /// percent-encoding.
    package static func inUsualSpelling(_ url: String) -> String {
        guard let parts = Parts(url), let scheme = parts.scheme else { return url }
        let port = parts.givenPort == (scheme == "https" ? "443" : "80") ? "" : parts.givenPort
        return scheme + "://" + parts.user + parts.host + (port.isEmpty ? "" : ":" + port)
            + PercentEncoding.decodedUnreserved(parts.rest)
    }

    /// The spellings of the URL to look up, with ``inUsualSpelling(_:)``, and the beginnings of others: a text that
    /// begins with one of these may be a variant.
    package var candidates: (exact: [String], prefixes: [String]) {
        let encoded = Punycode.host(host)
        var (exact, prefixes): ([String], [String]) = ([], [])
        let queries = PercentEncoding.spellings(query, separators: "&=+")
        for host in encoded == host ? [host] : [host, encoded] {
            for origin in ["https://", "https://www.", "http://", "http://www."] {
                for path in PercentEncoding.spellings(path, separators: "/") {
                    for end in ["", "/"] {
                        let page = origin + host + path + end
                        if query.isEmpty {
                            exact.append(page)
                            prefixes += [page + "?", page + "#"]
                        } else {
                            prefixes += queries.map { page + "?" + $0 }
                            prefixes += ["utm_", "fbclid=", "gclid="].map { page + "?" + $0 }
                        }
                    }
                }
            }
        }
        return (exact, prefixes)
    }

    /// Parameters that name the way to a page, not the page.
    private static let tracking: Set<String> = [
        "fbclid", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "twclid", "ttclid", "yclid",
        "igshid", "igsh", "mc_cid", "mc_eid", "mkt_tok", "oly_anon_id", "oly_enc_id", "vero_id", "_hsenc",
        "_hsmi", "_openstat", "_ga", "_gl", "ref_src", "ref_url", "s_cid", "spm",
    ]

    private static func isTracking(_ parameter: Substring) -> Bool {
        let name = parameter.prefix { $0 != "=" }.lowercased()
        return name.hasPrefix("utm_") || tracking.contains(name)
    }
}

extension CanonicalURL {
    /// The parts of a URL, of which the origin is in small letters.
    private struct Parts {
        let scheme: String?
        var user = ""
        let host: String
        /// With a colon; empty if it is the default of a scheme.
        var port = ""
        var givenPort: Substring = ""
        /// The URL after its origin.
        let rest: Substring
        var path: Substring
        var query: Substring = ""
        var fragment: Substring = ""

        init?(_ text: String) {
            var rest = text[...]
            while rest.first?.isWhitespace == true { rest.removeFirst() }
            while rest.last?.isWhitespace == true { rest.removeLast() }
            let word = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
            if rest[word.endIndex...].hasPrefix("://") {
                let name = word.lowercased()
                guard name == "http" || name == "https" else { return nil }
                scheme = name
                rest = rest[word.endIndex...].dropFirst(3)
            } else {
                scheme = nil
            }
            // By bytes: a mark of accent after a separator is not a part of it.
            let end = rest.utf8.firstIndex { [0x23, 0x2F, 0x3F].contains($0) }
            var origin = rest[..<(end ?? rest.endIndex)]
            self.rest = rest[origin.endIndex...]
            if let at = origin.lastIndex(of: "@") {
                user = String(origin[...at])
                origin = origin[origin.index(after: at)...]
            }
            if let colon = origin.lastIndex(of: ":"), !origin.hasSuffix("]") {
                let number = origin[origin.index(after: colon)...]
                guard number.allSatisfy(\.isNumber) else { return nil }
                givenPort = number
                port = ["", "80", "443"].contains(number) ? "" : ":" + number
                origin = origin[..<colon]
            }
            if origin.hasSuffix(".") { origin.removeLast() }
            host = origin.lowercased()
            let isPlausible = scheme != nil || (host.contains(".") && user.isEmpty)
            guard isPlausible, !host.isEmpty, !host.contains(where: \.isWhitespace) else { return nil }
            path = self.rest
            if let hash = path.utf8.firstIndex(of: 0x23) {
                fragment = path[path.utf8.index(after: hash)...]
                path = path[..<hash]
            }
            if let mark = path.utf8.firstIndex(of: 0x3F) {
                query = path[path.utf8.index(after: mark)...]
                path = path[..<mark]
            }
        }
    }
}
