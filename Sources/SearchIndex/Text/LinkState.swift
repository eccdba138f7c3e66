/// The state of the link of a saved page, as checks found it.
package enum LinkState: String, Hashable, Sendable {
    case unchecked
    /// Checked, and neither moved nor dead.
    case checked
    case moved
    case dead

    /// Reads a state as it is stored; nil for a URL that is never checked.
    ///
    /// A state belongs to one URL: after a change by any writer, the clip is unchecked.
    package init?(_ stored: String, of url: String) {
        guard Self.isChecked(url) else { return nil }
        let words = stored.split(separator: " ")
        guard words.count == 2, let state = LinkState(rawValue: String(words[0])),
            words[1] == Self.digest(of: url)
        else {
            self = .unchecked
            return
        }
        self = state
    }

    package func stored(for url: String) -> String { "\(rawValue) \(Self.digest(of: url))" }

    /// Whether the link with a URL can be checked.
    package static func isChecked(_ url: String) -> Bool {
        // At most 15 bytes need no memory.
        let start = String(decoding: url.utf8.prefix(8), as: UTF8.self).lowercased()
        return start.hasPrefix("http://") || start == "https://"
    }

    /// FNV-1a with 64 bits (RFC 9923).
    package static func digest(of url: String) -> String {
        let digest = url.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return String(digest, radix: 36)
    }
}
