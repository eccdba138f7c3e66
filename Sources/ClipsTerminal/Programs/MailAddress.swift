/// The safe parts of a `mailto:` URL (RFC 6068).
///
/// A header such as `attach` makes some mail programs attach a file of the user (CVE-2020-11879,
/// CVE-2020-27748), and a quotation mark ends an argument in the scripts that start them.
enum MailAddress {
    private static let scheme = "mailto:"
    private static let headers: Set<String> = ["subject", "body", "cc"]

    static func isMail(_ url: String) -> Bool { url.prefix(scheme.count).lowercased() == scheme }

    /// Returns recipients, subject, body, and copies only; nil for other URLs and unsafe recipients.
    static func safe(_ url: String) -> String? {
        guard isMail(url) else { return nil }
        let parts = url.dropFirst(scheme.count).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let recipients = parts.first, isSafe(recipients), !recipients.hasPrefix("-") else {
            return nil
        }
        let kept = (parts.count > 1 ? parts[1] : "").split(separator: "&").filter { header in
            let name = header.prefix { $0 != "=" }.lowercased()
            return headers.contains(name) && isSafe(header)
        }
        return scheme + recipients + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
    }

    /// Whether a text has no quotation mark, backslash, control, `?`, or `&`, plain or percent-encoded.
    private static func isSafe(_ text: Substring) -> Bool {
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            var value = byte
            if byte == UInt8(ascii: "%") {
                guard let decoded = UInt8(String(decoding: bytes.prefix(2), as: UTF8.self), radix: 16) else {
                    return false
                }
                // Line ends are part of a text.
                if decoded == 0x0A || decoded == 0x0D { continue }
                value = decoded
            }
            if value < 0x20 || value == 0x7F || [0x22, 0x26, 0x27, 0x3F, 0x5C, 0x60].contains(value) {
                return false
            }
        }
        return true
    }
}
