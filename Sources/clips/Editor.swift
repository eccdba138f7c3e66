import ClipsTerminal
import Glibc

/// The person's editor, from `VISUAL` or `EDITOR`, which may have arguments.
struct Editor {
    let line: String

    init() {
        line = Self.variable("VISUAL") ?? Self.variable("EDITOR") ?? "vi"
    }

    /// Edits a file, to the end; returns the exit status, nil when the editor could not be started.
    ///
    /// ^C is the editor's while it runs: dying of it here would leave the editor without its terminal.
    func edit(_ path: String) -> Int32? {
        let signals = [SIGINT, SIGQUIT].map { ($0, signal($0, SIG_IGN)) }
        defer { for (number, handler) in signals { signal(number, handler) } }
        guard let words = Self.words(line) else { return ChildProcess.shell("\(line) \"$1\"", [path]) }
        return ChildProcess.here(words + [path])
    }

    /// The words of a line as a shell would split them; nil when only a shell can, as with variables.
    static func words(_ line: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open {
                    quote = nil
                } else if open == "\"" && "\\$`".contains(character) {
                    return nil
                } else {
                    word?.append(character)
                }
            } else if character == "\"" || character == "'" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let word { words.append(word) }
                word = nil
            } else if "\\$`|&;<>()*?[#~".contains(character) || (words.isEmpty && character == "=") {
                return nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return quote == nil && !words.isEmpty ? words : nil
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name).map({ String(cString: $0) }) else { return nil }
        return value.allSatisfy(\.isWhitespace) ? nil : value
    }
}
