import CBenchmarkProbes
import ClipsCore
import PersistentStore

/// A typical clip, generated from its number.
enum SampleClip {
    private static let sites = [
        "example.org", "news.example.com", "blog.example.net", "beispiel.example", "wiki.example.org",
    ]
    private static let tags = ["swift", "linux,kernel", "rezept", "地図,歴史", "to read", "", "pain,été", "lang"]

    static func title(_ number: Int) -> String {
        "\(String(cString: probe_subject(Int64(number)))) (\(number))"
    }
    static func url(_ number: Int) -> String {
        "https://\(sites[number % sites.count])/\(2000 + number % 26)/\(number)"
    }
    static func tags(_ number: Int) -> String { tags[number % tags.count] }
    static func text(_ number: Int) -> String {
        "A line that a user selects on a page before closing it; this is line number \(number)."
    }

    /// Returns a word that differs from that of the next number in every letter, so that a screen update
    /// contains all of it.
    static func marker(_ number: Int) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: PROBE_MARKER) { letters in
            guard let first = letters.baseAddress else { return "" }
            probe_marker(Int64(number), first)
            return String(cString: first)
        }
    }

    static func draft(_ number: Int) -> ClipDraft {
        var draft = ClipDraft()
        draft.title = "\(marker(number)) \(title(number))"
        draft.url = url(number)
        draft.text = text(number)
        draft.tags = tags(number).split(separator: ",").map(String.init)
        return draft
    }

    static func values(_ number: Int) -> [String: AttributeValue] {
        [
            ClipAttribute.title.rawValue: .text(title(number)),
            ClipAttribute.url.rawValue: .text(url(number)),
            ClipAttribute.text.rawValue: .text(text(number)),
            ClipAttribute.tags.rawValue: .text(tags(number)), ClipAttribute.author.rawValue: "sample",
        ]
    }

    /// Returns the statement to type into the shell.
    static func insertion(_ number: Int) -> String {
        "INSERT INTO Clip (url, title, text, tags) VALUES ('\(url(number))', '\(title(number))', '\(text(number))', '\(tags(number))');"
    }
}
