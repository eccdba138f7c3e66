import Platform
import SearchIndex

/// The signs that a line is that of a program, its settings, its output, or a patch, in which stars, number signs, and
/// backslashes are part of the text.
struct ProgramSigns {
    private let line: ArraySlice<UInt8>
    private let words: [ArraySlice<UInt8>]

    private static let maxBytes = 1 << 16
    private static let number = UInt8(ascii: "#")

    /// Whether a text is that of a program rather than Markdown: a fourth of its lines outside of code have signs of one.
    ///
    /// - Complexity: O(1), since the beginning of the text decides.
    static func areIn(_ text: String) -> Bool {
        var bytes = Array(text.utf8.prefix(maxBytes))
        for code in TextCode.all(in: bytes) {
            for index in code.range where bytes[index] > 0x20 { bytes[index] = UInt8(ascii: "x") }
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map(ReadText.trimmed)
        let (programs, comments) = zip(lines, lines.dropFirst() + [[]]).reduce(into: (0, 0)) { found, pair in
            guard let first = pair.0.first else { return }
            let signs = ProgramSigns(pair.0)
            if first != number {
                found.0 += signs.arePresent ? 1 : 0
                return
            }
            found.1 += signs.isComment(before: pair.1) ? 1 : 0
        }
        // One may be the heading.
        let found = programs + (comments > 1 ? comments : 0)
        return found * 4 >= lines.count { !$0.isEmpty }
    }

    private init(_ line: ArraySlice<UInt8>) {
        (self.line, words) = (line, line.split { $0 <= 0x20 })
    }

    private var arePresent: Bool {
        guard let first = line.first, let last = line.last, let word = words.first else { return false }
        if "{}$".utf8.contains(first) || "{}".utf8.contains(last) || isStatement { return true }
        if Self.starts.contains(where: { line.starts(with: $0) }) { return true }
        if first == UInt8(ascii: "\\"), line.dropFirst().first?.isASCIIAlphanumeric == true { return true }
        if Self.keywords.contains(String(decoding: word, as: UTF8.self)) { return true }
        if isPatch || isSetting || isTimed || isCall(word) { return true }
        // A row of a table has columns, too.
        return words.dropFirst().contains { Self.operators.contains(String(decoding: $0, as: UTF8.self)) }
            || hasOption || !line.contains(UInt8(ascii: "|")) && hasColumns
    }

    /// Whether the line ends as a statement, and not as a part of a sentence.
    private var isStatement: Bool {
        guard line.last == UInt8(ascii: ";") else { return false }
        return words.count < 3 || line.dropLast().last.map { ")]}\"'0123456789".utf8.contains($0) } == true
    }

    /// Whether a line with a number sign is no heading: a value follows it, or others or a command do in the next line.
    private func isComment(before next: ArraySlice<UInt8>) -> Bool {
        if line.count == 1 || Self.directives.contains(where: { line.starts(with: $0) }) { return true }
        guard line.dropFirst().first != Self.number else { return false }
        if line.dropFirst().first != 0x20 {
            return words.count > 1 && !words.dropFirst().contains { $0.first == Self.number }
        }
        guard let first = next.first else { return false }
        return next.starts(with: "# ".utf8) || next.count == 1 && first == Self.number
            || 0x61...0x7A ~= first || "_$./@{".utf8.contains(first)
    }

    /// Whether the line is added or removed, without the space of a list.
    private var isPatch: Bool {
        "+-".utf8.contains(line.first ?? 0) && (line.dropFirst().first.map { $0 > 0x20 } ?? false)
            && !line.allSatisfy { "+-|: ".utf8.contains($0) }
    }

    /// Whether the line is `[section]`, `key=value`, or `key: value`, of which a sentence has the last one in capitals.
    private var isSetting: Bool {
        let rest = line.starts(with: "- ".utf8) ? line.dropFirst(2) : line
        if rest.first == UInt8(ascii: "["), rest.last == UInt8(ascii: "]"), rest.count > 3 {
            return rest.count { $0 == UInt8(ascii: "]") } == 1
        }
        let key = rest.drop { $0 == UInt8(ascii: "\"") }.prefix {
            $0.isASCIIAlphanumeric || "_-.".utf8.contains($0)
        }
        let tail = rest[key.endIndex...].drop { $0 == UInt8(ascii: "\"") }
        guard key.count > 1, let sign = tail.first else { return false }
        if sign == UInt8(ascii: "=") { return true }
        return sign == UInt8(ascii: ":") && tail.dropFirst().first ?? 0x20 == 0x20
            && 0x61...0x7A ~= key[key.startIndex]
    }

    /// Whether the line begins with a time, as those of logs.
    private var isTimed: Bool {
        let start = line.prefix(40).split { !(48...57 ~= $0 || $0 == UInt8(ascii: ":")) }
        return start.contains {
            $0.count == 8 && $0.split(separator: UInt8(ascii: ":")).map(\.count) == [2, 2, 2]
        }
    }

    /// Whether the line is a call: `name(…)`.
    private func isCall(_ word: ArraySlice<UInt8>) -> Bool {
        let name = word.prefix { $0.isASCIIAlphanumeric || "_.:".utf8.contains($0) }
        return !name.isEmpty && word[name.endIndex...].first == UInt8(ascii: "(")
            && "):,(".utf8.contains(line.last ?? 0)
    }

    /// Whether a word after the first one is an option: `-x` or `--name`.
    private var hasOption: Bool {
        words.dropFirst().contains { word in
            let name = word.drop { $0 == UInt8(ascii: "-") }
            return word.count > name.count && word.count - name.count <= 2
                && name.first?.isASCIIAlphanumeric == true
        }
    }

    private var hasColumns: Bool {
        line.contains(UInt8(ascii: "\t")) || line.firstRange(of: "   ".utf8) != nil
    }

    private static let starts = [
        "//", "/*", "*/", "<?", "<!D", "</", "@@ ", "diff ", "-- ", "%", ">>> ", "&", "* @", "at ",
    ].map { Array($0.utf8) }
    private static let directives = [
        "#include", "#define", "#if", "#elif", "#else", "#endif", "#pragma", "#undef", "#[",
    ].map { Array($0.utf8) }
    private static let operators: Set = [
        "=", "==", "!=", "+=", "-=", ":=", "=>", "&&", "||", ">>", "<<", "<=", ">=", "2>&1", "->",
    ]
    private static let keywords: Set = [
        "async", "await", "case", "cd", "const", "def", "do", "done", "echo", "elif", "else", "else:", "end",
        "esac",
        "exit", "export", "extern", "fi", "fn", "from", "func", "function", "git", "import", "int", "let",
        "mkdir",
        "package", "pass", "private", "protocol", "public", "raise", "return", "static", "struct", "sudo",
        "then",
        "try:", "typedef", "var", "void", "FROM", "INSERT", "JOIN", "SELECT", "WHERE", "COPY", "RUN", "ENV",
        "Traceback",
    ]
}
