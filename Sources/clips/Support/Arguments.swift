/// One option that a command understands.
struct Option: Sendable {
    let name: String
    /// What the value is called in help; nil for a switch.
    let value: String?
    let help: String
    /// The values that there are, for completion; empty when it can be anything.
    let choices: [String]

    init(_ name: String, value: String? = nil, _ help: String, choices: [String] = []) {
        self.name = name
        self.value = value
        self.help = help
        self.choices = choices
    }

    var isFile: Bool { value == "FILE" || value == "PATH" }
}

/// A mistake in how the program was called; exit status 2.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The words of a command line, sorted into options and operands.
struct Arguments: Sendable {
    private var values: [String: [String]] = [:]
    private(set) var operands: [String] = []

    /// Options may stand anywhere; `--` ends them; `--name=value` and `--name value` are the same.
    ///
    /// - Parameter takesSignedWords: whether `-word` is an operand, unless it is an option.
    init(_ words: some Sequence<String>, options: [Option], takesSignedWords: Bool = false)
        throws(UsageError)
    {
        var iterator = words.makeIterator()
        while let word = iterator.next() {
            if word == "--" {
                while let operand = iterator.next() { operands.append(operand) }
                return
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            let (name, attached) = Self.split(word)
            guard let option = options.first(where: { $0.name == name }) else {
                if takesSignedWords && !word.hasPrefix("--") {
                    operands.append(word)
                    continue
                }
                throw UsageError("Unknown option '\(name)'.")
            }
            guard option.value != nil else {
                guard attached == nil else { throw UsageError("The option \(name) takes no value.") }
                values[name, default: []].append("")
                continue
            }
            guard let value = attached ?? iterator.next() else {
                throw UsageError("The option \(name) needs a value: \(name) \(option.value ?? "").")
            }
            values[name, default: []].append(value)
        }
    }

    func has(_ name: String) -> Bool { values[name] != nil }
    /// The last one counts when an option is repeated.
    func value(_ name: String) -> String? { values[name]?.last }
    func all(_ name: String) -> [String] { values[name] ?? [] }

    func number(_ name: String) throws(UsageError) -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw UsageError("The option \(name) needs a number, not '\(text)'.")
        }
        return number
    }

    private static func split(_ word: String) -> (String, String?) {
        guard let equals = word.firstIndex(of: "=") else {
            return (word == "-h" ? "--help" : word, nil)
        }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }
}
