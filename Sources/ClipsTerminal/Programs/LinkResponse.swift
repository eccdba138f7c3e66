import ClipsCore

/// The response to a request for a saved address: the heads that curl(1) printed, of redirects too, and its status.
package struct LinkResponse {
    /// The next step of a check.
    enum Verdict: Equatable {
        /// - Parameter isOfNetwork: Whether a network that is down gives the same answer.
        case answer(LinkAnswer, isOfNetwork: Bool = false)
        /// The answer to HEAD decides nothing: some servers refuse it, or answer it like no other request.
        case get
        /// The host limits the number of requests; the text is that of `Retry-After`.
        case wait(String, status: Int)
    }

    private let exit: CInt
    /// The statuses of the responses, the final one last.
    private var statuses: [Int] = []
    private var retryAfter: String?
    private var hasConnected = false
    private var effectiveURL = ""

    /// Ends of curl (curl.se/docs/manpage.html, "Exit codes").
    private static let reasons: [CInt: String] = [
        1: "the protocol is not supported", 3: "the URL is not valid", 6: "the host does not exist",
        7: "the host refuses connections", 28: "no answer in time", 35: "TLS failed",
        47: "it redirects in a circle",
        51: "TLS failed", 52: "the answer is empty", 56: "the connection was reset",
        60: "the certificate is not valid",
    ]

    /// Creates the response from the lines of curl.
    ///
    /// - Parameters:
    ///   - output: The heads, and a last line from ``summary``.
    ///   - exit: The exit status.
    package init(_ output: [UInt8], exit: CInt) {
        self.exit = exit
        let lines = output.split(separator: UInt8(ascii: "\n")).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
        for line in lines.dropLast() {
            let words = line.split(separator: " ")
            if line.hasPrefix("HTTP/"), words.count > 1, let status = Int(words[1]) {
                // 100 Continue and its like precede the response.
                if status >= 200 { statuses.append(status) }
                retryAfter = nil
            } else if words.count > 1, words[0].lowercased() == "retry-after:" {
                retryAfter = words[1...].joined(separator: " ")
            }
        }
        let summary = (lines.last ?? "").split(separator: " ", maxSplits: 1)
        hasConnected = summary.first.map { !$0.hasPrefix("0.000000") } ?? false
        effectiveURL = summary.count > 1 ? String(summary[1]) : ""
    }

    /// The last line of the output: the time of the connection, and the URL after redirects.
    static let summary = "\n%{time_connect} %{url_effective}"

    /// Whether any host has answered.
    var isFromHost: Bool { !statuses.isEmpty }

    func verdict(on url: String, isHead: Bool) -> Verdict {
        let status = statuses.last ?? 0
        // An interrupted body, or a range of an empty page, is one of a page that exists.
        if 200..<300 ~= status || status == 416 && !isHead { return .answer(move(from: url) ?? .live) }
        if status == 429 || status == 503 && retryAfter != nil {
            return .wait(retryAfter ?? "60", status: status)
        }
        let reason =
            Self.reasons[exit] ?? (status == 0 ? "curl ended with status \(exit)" : "HTTP status \(status)")
        // The host to which a redirect leads, too.
        if exit == 6 || !hasConnected && [7, 28].contains(exit) {
            return .answer(.failed(reason), isOfNetwork: true)
        }
        if isHead { return .get }
        return .answer([404, 410].contains(status) ? .failed(reason) : .unclear(reason))
    }

    /// Returns the move that permanent redirects describe; nil if there is none that an address should follow.
    ///
    /// A redirect from a page to the front page is usually a missing page, and one to unencrypted HTTP loses more than
    /// it gains.
    private func move(from url: String) -> LinkAnswer? {
        let hops = statuses.dropLast()
        guard !hops.isEmpty, hops.allSatisfy({ [301, 308].contains($0) }) else { return nil }
        let (target, old) = (Parts(effectiveURL), Parts(url))
        guard effectiveURL.utf8.count <= Self.maxURL, target.hasPath || !old.hasPath,
            target.isEncrypted || !old.isEncrypted, target.page != old.page,
            WebAddress.url(effectiveURL) == effectiveURL
        else { return nil }
        return .moved(to: target.page + (target.fragment.isEmpty ? old.fragment : target.fragment))
    }

    private static let maxURL = 8192

    private struct Parts {
        let page: String
        let fragment: String
        let isEncrypted: Bool
        /// Whether there is more than the front page.
        let hasPath: Bool

        init(_ url: String) {
            page = String(url.prefix { $0 != "#" })
            fragment = String(url.dropFirst(page.count))
            isEncrypted = url.prefix(8).lowercased() == "https://"
            let path = page.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" && $0 != "?" }
            hasPath = path.count > 1
        }
    }
}
