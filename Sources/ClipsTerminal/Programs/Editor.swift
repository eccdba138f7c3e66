import Platform

/// The user's editor, which may have arguments.
package struct Editor: Sendable {
    package let line: String

    package init(line: String) { self.line = line }

    /// The one that `VISUAL` or `EDITOR` names.
    package static func environment() -> Editor {
        Editor(line: variable("VISUAL") ?? variable("EDITOR") ?? "vi")
    }

    /// Edits a file, to the end; returns the exit status, nil when the editor could not be started.
    ///
    /// Without a shell in between, where that is possible: a shell would not stop with an editor that stops itself.
    package func edit(_ path: String, hasTerminal: Bool = true) -> Int32? {
        guard let words = Self.words(line) else {
            return ChildProcess.shell("\(line) \"$1\"", [path], hasTerminal: hasTerminal)
        }
        return ChildProcess.here(words + [path], hasTerminal: hasTerminal)
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
        guard let value = Environment.variable(name) else { return nil }
        return value.allSatisfy(\.isWhitespace) ? nil : value
    }
}
