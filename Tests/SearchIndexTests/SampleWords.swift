import ClipsCore
import PersistentStore
import SearchIndex
import TestSupport

/// Words of several scripts, and clips and queries made of them.
enum SampleWords {
    static let words = [
        "swift", "Swiftly", "SQLite", "history", "histoire", "Café", "cafe\u{301}", "ÉCOLE", "straße",
        "Strasse", "naïve",
        "歴史", "歴史地図", "地図", "中国", "中国人", "ガイド", "ｶﾞｲﾄﾞ", "がいど", "カ\u{3099}イド", "Новости", "ёлка", "елка", "й",
        "고속도로", "ภาษาไทย", "ｆｕｌｌ", "full", "C++", "c++17", "100%", "a_b", "x", "日", "🎉", "it's", "it’s",
        "re-read", "re\u{2011}read", "self hosted",
        "OR",
        "https://example.org/swift/1", "http://www.beispiel.example/caf%C3%A9/?utm_source=x&a=1",
        "https://xn--caf-dma.example/?a=1", "0123456789abcdef0123456789abcdef0123456789abcdef", "ﬁne",
        "Ａ日本語Ｂ",
        "\u{A0}",
    ]

    static func text(_ count: ClosedRange<Int>, using random: inout SeededRandom) -> String {
        (0..<Int.random(in: count, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
            .joined(separator: [" ", "  ", "\n", ", ", ""].randomElement(using: &random) ?? " ")
    }

    static func values(using random: inout SeededRandom) -> [String: AttributeValue] {
        let tags = Tags((0..<Int.random(in: 0...2, using: &random)).map { _ in text(1...1, using: &random) })
        let url =
            Bool.random(using: &random)
            ? "https://www.Beispiel.example/\(text(1...1, using: &random))" : ""
        let state = [LinkState.dead, .moved, .checked].randomElement(using: &random)
        // Some states are those of earlier URLs.
        let link = [state?.stored(for: url), state?.stored(for: url + "x"), ""].randomElement(using: &random)
        return [
            "title": .text(text(0...4, using: &random)), "text": .text(text(0...12, using: &random)),
            "note": .text(text(0...2, using: &random)), "tags": .text(tags.joined),
            "url": .text(url), "link": .text((link ?? "") ?? ""),
            "author": .text(["app", "extension", "École"].randomElement(using: &random) ?? ""),
            "starred": .boolean(Bool.random(using: &random)), "unread": .boolean(Bool.random(using: &random)),
            "archived": .boolean(Bool.random(using: &random)),
            "created": .integer(1_790_000_000_000 + Int64.random(in: 0...40, using: &random) * 43_200_000),
        ]
    }

    /// Returns a query as users type them, most of them cut off somewhere.
    static func query(using random: inout SeededRandom) -> String {
        (0..<Int.random(in: 1...3, using: &random)).map { _ in part(using: &random) }
            .joined(separator: Int.random(in: 0..<5, using: &random) == 0 ? " OR " : " ")
    }

    private static let signs = [
        "\"", "*", "-", "--", ":", "(", ")", "{", "}", "^", "+", "'", "''", ";", "%", "_", "\\", "/*",
        "NEAR(a b, 2)",
        "AND", "NOT", "OR", "https://", "www.", "%C3", "%A9", "xn--", "?utm_source=", "title:", "tag:", "is:",
        "site:", "after:", "before:9", "on:-1", "words MATCH",
        "\u{0}",
        "\u{301}", "\u{200D}", "\u{202E}", "\u{FEFF}", "\u{FFFD}", "\u{1F468}\u{200D}\u{1F469}", " ", "\t",
        "\n",
    ]

    /// Returns unlikely input: characters of query languages, halves of letters, words, and any scalars.
    static func nonsense(using random: inout SeededRandom) -> String {
        (0..<Int.random(in: 1...6, using: &random)).map { _ in
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                let value = UInt32.random(in: 0...0x10FFFF, using: &random)
                return Unicode.Scalar(value).map(String.init) ?? " "
            case 1, 2: return String((words.randomElement(using: &random) ?? "").prefix(4))
            default: return signs.randomElement(using: &random) ?? ""
            }
        }.joined(separator: Bool.random(using: &random) ? "" : " ")
    }

    private static func part(using random: inout SeededRandom) -> String {
        let word = words.randomElement(using: &random) ?? ""
        let scalars = Array(word)
        let from = Int.random(in: 0..<max(1, scalars.count), using: &random)
        let to = Int.random(in: from...max(from, scalars.count), using: &random)
        let piece = String(scalars[from..<to])
        let sign = Int.random(in: 0..<6, using: &random) == 0 ? "-" : ""
        let fields = ["", "", "", "title:", "tag:", "author:", "site:", "url:", "text:", "note:"]
        let field = fields.randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return sign + field + "\"\(text(1...3, using: &random))\""
        case 1: return sign + field + piece + "*"
        case 2:
            return sign
                + ([
                    "is:starred", "is:unread", "is:read", "is:archived", "is:st", "is:dead", "is:moved",
                    "is:unchecked",
                ].randomElement(using: &random) ?? "")
        case 3:
            let times = [
                "after:2026-09-25", "before:2026-10", "on:2026-10-01", "after:yesterday", "on:2026",
                "before:3d",
            ]
            return sign + (times.randomElement(using: &random) ?? "")
        case 4: return "\"\(piece)"
        case 5: return ["-", "OR", "tag:", "\"", "*", "-\"\"", "after:x"].randomElement(using: &random) ?? ""
        default: return sign + field + piece
        }
    }
}
