import ClipsCore
import Platform

/// A program that the user runs on a clip. Its arguments are the fields of the clip, and no shell reads them.
struct ClipCommand: Hashable, Sendable {
    private let words: [String]
    /// Whether the program runs next to the app, without the terminal.
    let isInBackground: Bool

    private static let fields: [(name: String, value: @Sendable (Clip) -> String)] = [
        ("{url}", \.url), ("{title}", \.displayTitle), ("{site}", { ReadableURL.site(of: $0.url) }),
        ("{tags}", { $0.tags.joined(separator: ",") }), ("{note}", \.note), ("{text}", \.text),
        ("{author}", \.author), ("{id}", { String($0.id) }),
    ]

    static let placeholders = fields.map(\.name)

    /// Splits a line into words at spaces outside quotation marks; `&` at the end is not a word.
    init(_ line: String) throws(ConfigError) {
        var line = line.trimmed
        isInBackground = line.hasSuffix("&")
        if isInBackground { line = String(line.dropLast()) }
        guard !line.trimmed.isEmpty else {
            throw ConfigError("The program is missing; write one, such as 'mpv {url}'.")
        }
        guard let words = CommandWords(line).words else {
            throw ConfigError(
                "Cannot split '\(line)': a program runs without a shell. Quote the sign, or use sh -c '…'.")
        }
        if let unknown = Self.unknownField(in: line) {
            let advice = " Use \(Self.placeholders.listed), or quote it."
            let hint = Suggestion.question(for: unknown, in: Self.placeholders, else: advice)
            throw ConfigError("Unknown field '\(unknown)'.\(hint)")
        }
        self.words = words
        if let script = ShellScript(words), let word = script.words.first(where: Self.hasField) {
            throw ConfigError(
                "A field in \(word.isEmpty ? "the script" : "'\(word)'") would run text of web pages, since "
                    + "'\(script.shell)' reads it as a script. Use sh -c '… \"$1\"' sh {url}.")
        }
    }

    /// Returns the first word in braces, outside quotation marks, that is not a field.
    private static func unknownField(in line: String) -> String? {
        var quote: Character?
        var field: String?
        for character in line {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                (quote, field) = (character, nil)
            } else if character == "{" {
                field = "{"
            } else if character == "}", let found = field {
                if found.count > 1, !placeholders.contains(found + "}") { return found + "}" }
                field = nil
            } else if let begun = field {
                let isOfName =
                    character.isLetter
                    || begun.count > 1 && (character.isNumber || character == "_" || character == "-")
                field = isOfName ? begun + String(character) : nil
            }
        }
        return nil
    }

    private static func hasField(_ word: String) -> Bool { placeholders.contains(where: word.contains) }

    var program: String { words[0] }

    /// Returns the words with the fields of a clip.
    ///
    /// - Throws: ``ConfigError`` for a field that the program would read as an option.
    func words(for clip: Clip) throws(ConfigError) -> [String] {
        var result: [String] = []
        for word in words {
            var filled = ""
            var rest = word[...]
            while let next = rest.first {
                if next == "{", let field = Self.fields.first(where: { rest.hasPrefix($0.name) }) {
                    filled += field.value(clip).filter { $0 != "\0" }
                    rest = rest.dropFirst(field.name.count)
                } else {
                    filled.append(rest.removeFirst())
                }
            }
            if filled.hasPrefix("-"), !word.hasPrefix("-"), !result.contains("--") {
                throw ConfigError(
                    "'\(program)' was not run: it would read \(word) of this clip as an option. "
                        + "Write -- before \(word).")
            }
            result.append(filled)
        }
        return result
    }
}

extension AppState {
    /// Runs a program on the chosen clips, once for each.
    mutating func run(program line: String, withInput: Bool) throws(ConfigError) {
        let command = try ClipCommand(line)
        let ids = chosen
        guard ids.count <= Self.maxOpened else {
            return report(
                "\(ids.count.grouped) clips are marked; mark at most \(Self.maxOpened).", isError: true)
        }
        emit(.gather(ids, list.query.sort, .run(command, withInput: withInput)))
    }

    /// Runs a program on clips that were read from the store.
    mutating func run(_ command: ClipCommand, on clips: [Clip], withInput: Bool) {
        do throws(ConfigError) {
            var calls: [ProgramCall] = []
            for clip in clips {
                calls.append(
                    ProgramCall(
                        words: try command.words(for: clip), input: withInput ? clip.text : nil,
                        subject: clip.displayTitle))
            }
            emit(.run(calls, inBackground: command.isInBackground))
        } catch {
            report(error.text, isError: true)
        }
    }
}

/// A program to start, and the text for its standard input.
struct ProgramCall: Hashable, Sendable {
    let words: [String]
    let input: String?
    let subject: String
}
