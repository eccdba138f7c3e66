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
        switch CommandWords(line) {
        case .words(let words): ChildProcess.here(words + [path], hasTerminal: hasTerminal)
        case .shell: ChildProcess.shell("\(execPrefix)\(line) \"$1\"", [path], hasTerminal: hasTerminal)
        case .open: nil
        }
    }

    /// `exec ` for a line of one program. A shell that waits for a program which ^Z stopped before it began can neither
    /// stop nor end: vfork(2) suspends it until then.
    private var execPrefix: String {
        let first = line.drop(while: \.isWhitespace).prefix { !$0.isWhitespace }
        let isOne = !first.contains("=") && !line.contains { ";|&()<>{}!`\n".contains($0) }
        return isOne && !["command", "eval", "exec", "."].contains(first) ? "exec " : ""
    }

    private static func variable(_ name: String) -> String? {
        guard let value = Environment.variable(name) else { return nil }
        return value.allSatisfy(\.isWhitespace) ? nil : value
    }
}

/// The command line of a program that the user named, such as in `EDITOR` or `BROWSER`.
enum CommandWords {
    case words([String])
    /// Only a shell can split the line, such as one with variables, or it has no word.
    case shell
    /// A quotation mark is not closed.
    case open

    /// The words, if no shell is needed.
    var words: [String]? { if case .words(let words) = self { words } else { nil } }

    /// Splits a line into words as a shell would.
    init(_ line: String) {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open {
                    quote = nil
                } else if open == "\"" && "\\$`".contains(character) {
                    self = .shell
                    return
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
                self = .shell
                return
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        self = quote != nil ? .open : words.isEmpty ? .shell : .words(words)
    }
}
