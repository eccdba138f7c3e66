import ClipsCore
import SearchIndex

/// The form in which clips are copied.
package enum CopyForm: String, CaseIterable, Sendable {
    case url, title, text, markdown, json, id

    init(argument: String) throws(ConfigError) {
        guard let form = CopyForm(rawValue: argument) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw ConfigError("Unknown form '\(argument)'. Use one of \(names).")
        }
        self = form
    }

    var key: Character {
        switch self {
        case .url: "u"
        case .title: "t"
        case .text: "x"
        case .markdown: "m"
        case .json: "a"
        case .id: "i"
        }
    }

    /// Returns `URL` or `URLs`.
    func name(_ count: Int) -> String {
        let name =
            switch self {
            case .url: "URL"
            case .title: "title"
            case .text: "text"
            case .markdown: "Markdown link"
            case .json: "JSON object"
            case .id: "ID"
            }
        return count == 1 ? name : name + "s"
    }

    /// Returns the clips in this form; empty if no clip has a value for it.
    ///
    /// - Parameter isList: Whether several Markdown links are a list.
    func text(_ clips: [Clip], isList: Bool = true) -> String {
        switch self {
        case .url: clips.filter(has).map(\.url).joined(separator: "\n")
        case .title: clips.map(\.displayTitle).joined(separator: "\n")
        case .text: Self.texts(clips.filter(has))
        case .markdown:
            clips.map { (isList && clips.count > 1 ? "- " : "") + Self.link($0) }.joined(separator: "\n")
        case .json: clips.map { ClipRecord($0).json() }.joined(separator: "\n")
        case .id: clips.map { String($0.id) }.joined(separator: "\n")
        }
    }

    /// Whether a clip has something to copy.
    func has(_ clip: Clip) -> Bool {
        switch self {
        case .url: !clip.url.isEmpty
        case .text: !clip.text.isEmpty
        default: true
        }
    }

    /// Returns the texts, with one list of their links.
    private static func texts(_ clips: [Clip]) -> String {
        LinkedTexts.joined(clips.map(\.text), separator: "\n\n") { !clips[$0].isScript }
    }

    private static func link(_ clip: Clip) -> String {
        // By scalars: a bracket with an accent is another character to Swift, but a bracket to Markdown.
        var title = String.UnicodeScalarView()
        for scalar in clip.displayTitle.unicodeScalars {
            if "[]\\`*_<".unicodeScalars.contains(scalar) { title.append("\\") }
            title.append(Character(scalar).isNewline ? " " : scalar)
        }
        guard !clip.url.isEmpty else { return String(title) }
        let target = clip.url.unicodeScalars.map {
            "() <>".unicodeScalars.contains($0) ? PercentEncoding.encoded(String($0)) : String($0)
        }
        return "[\(String(title))](\(target.joined()))"
    }
}
