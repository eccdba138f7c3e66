/// The terminal's answer to a question of the screen.
package enum TerminalReport: Hashable, Sendable {
    /// The color of the background (OSC 11).
    case background(Color)
    /// The primary device attributes (DA1), which every terminal reports.
    case attributes

    /// Creates the report of an operating system command without its introducer and terminator, such as
    /// `11;rgb:ffff/ffff/ffff` ("XTerm Control Sequences"); nil for any other.
    init?(operatingSystemCommand bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let prefix = ["11;rgb:", "11;rgba:"].first(where: text.hasPrefix) else { return nil }
        let parts = text.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == (prefix.hasSuffix("a:") ? 4 : 3) else { return nil }
        var value: UInt32 = 0
        for part in parts.prefix(3) {
            // 1 to 4 digits, scaled by their number (XParseColor(3)).
            guard (1...4).contains(part.count), part.allSatisfy(\.isHexDigit),
                let number = UInt32(part, radix: 16)
            else { return nil }
            value = value << 8 | number * 255 / (1 << (4 * UInt32(part.count)) - 1)
        }
        self = .background(.rgb(value))
    }
}
