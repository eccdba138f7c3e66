import Platform

/// The user's editor, which may have arguments.
package struct Editor: Sendable {
    package let line: String

    package init(line: String) { self.line = line }

    /// Returns the editor that `VISUAL` or `EDITOR` names.
    package static func environment() -> Editor {
        Editor(line: variable("VISUAL") ?? variable("EDITOR") ?? "vi")
    }

    /// Edits a file, and returns the exit status; nil if the editor could not be started.
    ///
    /// Avoids a shell if possible, since a shell does not stop together with an editor that stops itself.
    package func edit(_ path: String, hasTerminal: Bool = true) -> Int32? {
        guard let words = Self.words(line) else {
            return ChildProcess.shell("\(line) \"$1\"", [path], hasTerminal: hasTerminal)
        }
        return ChildProcess.here(words + [path], hasTerminal: hasTerminal)
    }

    /// Splits a line into words as a shell would; returns nil if that needs a shell, such as for variables.
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
