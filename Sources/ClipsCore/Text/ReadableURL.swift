import SearchIndex

/// A URL as users read it: encoded letters and international hosts are decoded where that is safe.
package enum ReadableURL {
    /// Returns the URL with decoded letters and host. It differs from the URL only in form.
    package static func text(_ url: String) -> String {
        guard let host = hostRange(of: url) else { return decoded(url[...]) }
        return url[..<host.lowerBound] + self.host(String(url[host])) + decoded(url[host.upperBound...])
    }

    /// Returns the host with the labels decoded whose letters belong to one script.
    package static func host(_ host: String) -> String {
        guard host.utf8.count <= 253, host.utf8.contains(UInt8(ascii: "-")),
            host.lowercased().contains("xn--")
        else { return host }
        return host.split(separator: ".", omittingEmptySubsequences: false).map { label in
            guard label.lowercased().hasPrefix("xn--"),
                let decoded = Punycode.decoded(label.dropFirst(4).lowercased()[...]), !decoded.isEmpty,
                LetterScript.isUnambiguous(decoded)
            else { return String(label) }
            return decoded
        }.joined(separator: ".")
    }

    /// Returns the host as in the URL; empty if there is none.
    package static func site(of url: String) -> String { hostRange(of: url).map { String(url[$0]) } ?? "" }

    private static func hostRange(of url: String) -> Range<String.Index>? {
        let bytes = url.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8)
        else { return nil }
        let start = bytes.index(colon, offsetBy: 3)
        let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        let first = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")).map { bytes.index(after: $0) }
        let port = bytes[(first ?? start)..<end].firstIndex(of: UInt8(ascii: ":"))
        return (first ?? start)..<(port ?? end)
    }

    /// Decodes letters and digits beyond ASCII; all other characters have a meaning in a URL, or hide one.
    private static func decoded(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var result = ""
        var rest = text.utf8[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "%")) {
            result += String(Substring(rest[..<start]))
            rest = rest[start...]
            let run = encodedRun(&rest)
            if run.isEmpty {
                result += "%"
                rest = rest.dropFirst()
            } else {
                result += String(validating: run, as: UTF8.self).map(readable) ?? encoded(run)
            }
        }
        return result + String(Substring(rest))
    }

    /// Removes a run of `%XX` with bytes beyond ASCII.
    private static func encodedRun(_ rest: inout Substring.UTF8View.SubSequence) -> [UInt8] {
        var run: [UInt8] = []
        while rest.first == UInt8(ascii: "%"),
            let byte = UInt8(String(decoding: rest.dropFirst().prefix(2), as: UTF8.self), radix: 16),
            byte >= 0x80
        {
            run.append(byte)
            rest = rest.dropFirst(3)
        }
        return run
    }

    private static func readable(_ text: String) -> String {
        text.map { character in
            let isLetter = character.unicodeScalars.allSatisfy(\.properties.isAlphabetic)
            return isLetter || character.isNumber ? String(character) : encoded(Array(character.utf8))
        }.joined()
    }

    private static func encoded(_ bytes: [UInt8]) -> String {
        bytes.map { "%" + String($0, radix: 16, uppercase: true) }.joined()
    }
}
