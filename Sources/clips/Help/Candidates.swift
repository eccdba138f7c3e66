import ClipsCore
import Platform
import Terminal

extension Command {
    /// The source of the completions: the scripts of the shells only call it.
    static let candidates = Command(
        name: "completions candidates", summary: "Print the candidates for the last WORD of a command line",
        details: "The first line says whether files are candidates, too.",
        operands: "[WORD…]", example: "clips completions candidates -- list is:un"
    ) { invocation in
        var words = invocation.arguments.operands
        let typed = words.popLast() ?? ""
        let line = BegunLine(words)
        let names = (try? await invocation.knownNames(of: line, typed)) ?? KnownNames()
        let candidates = Candidates(line: line, typed: typed, names: names)
        invocation.output.line(candidates.includesFiles ? "files" : "words")
        // A name that a terminal cannot show would not be inserted as it is.
        for (text, help) in candidates.items where SafeText.line(text) == text {
            invocation.output.line(help.isEmpty ? text : "\(text)\t\(help)")
        }
        return .done
    }
}

extension Invocation {
    /// The names in the store that the completed command line selects: those of clips, or those of the history.
    fileprivate func knownNames(of line: BegunLine, _ typed: String) async throws -> KnownNames {
        var words: [String] = []
        for name in ["--store", "--group"] {
            guard let value = line.values[name] else { continue }
            // The shell has not expanded it.
            let home = value.hasPrefix("~/") ? Environment.variable("HOME") : nil
            words += [name, home.map { $0 + value.dropFirst() } ?? value]
        }
        var other = Invocation(
            arguments: try Arguments(words, options: Option.global), storeOptions: storeOptions)
        other.reportsLoss = false
        let store = try await other.openStoreToRead()
        let option = line.option?.name ?? BegunLine.split(typed).name
        guard option == "--author", ["history", "undo"].contains(line.command?.name) else {
            return try await store.knownNames()
        }
        return KnownNames(authors: try await store.recentAuthors(of: 10_000))
    }
}

/// The words of a command line before the one that is completed.
private struct BegunLine {
    private(set) var command: Command?
    /// Whether the first operand is no command.
    private(set) var isUnknown = false
    private(set) var operands = 0
    /// The option whose value is completed.
    private(set) var option: Option?
    private(set) var values: [String: String] = [:]
    /// Whether `--` ended the options.
    private(set) var hasEnded = false

    var options: [Option] { (command ?? .browse).options + Option.global }

    init(_ words: [String]) { for word in words { read(word) } }

    private mutating func read(_ word: String) {
        if let option {
            values[option.name] = word
            self.option = nil
        } else if !hasEnded, word == "--" {
            hasEnded = true
        } else if !hasEnded, word.hasPrefix("-"), word != "-",
            command?.takesSignedWords != true || word.hasPrefix("--") || isOption(word)
        {
            let (name, value) = Self.split(word)
            if let value { values[name] = value } else { option = valued(name) }
        } else if let command {
            let longer = Command.all.first { $0.name == "\(command.name) \(word)" }
            if operands == 0, let longer { self.command = longer } else { operands += 1 }
        } else if word != "help" {
            command = Command.all.first { $0.name == word }
            isUnknown = command == nil
        }
    }

    private func isOption(_ word: String) -> Bool { options.contains { $0.name == word } }

    func valued(_ name: String) -> Option? { options.first { $0.name == name && $0.value != nil } }

    static func split(_ word: String) -> (name: String, value: String?) {
        let name = word.prefix { $0 != "=" }
        return (
            String(name), name.endIndex < word.endIndex ? String(word[name.endIndex...].dropFirst()) : nil
        )
    }
}

/// The candidates for a word, from the table of commands and the names in the store.
private struct Candidates {
    private(set) var items: [(text: String, help: String)] = []
    private(set) var includesFiles = false
    private let names: KnownNames

    init(line: BegunLine, typed: String, names: KnownNames) {
        self.names = names
        let (name, value) = BegunLine.split(typed)
        if let option = line.option {
            add(valuesOf: option, typed: typed)
        } else if !line.hasEnded, name.hasPrefix("--"), let value, let option = line.valued(name) {
            add(valuesOf: option, typed: value)
            items = items.map { ("\(name)=\($0.text)", $0.help) }
        } else if !line.isUnknown {
            let isSigned = line.command?.takesSignedWords == true && !typed.hasPrefix("--")
            if !line.hasEnded, typed.hasPrefix("-") { add(optionsOf: line, typed: typed) }
            if !typed.hasPrefix("-") || isSigned || line.hasEnded { add(operandsOf: line, typed: typed) }
            // A shell would insert the only candidate, such as 'clean' of the history, before the user has seen it.
            if !line.hasEnded, typed.isEmpty, items.count == 1 { add(optionsOf: line, typed: typed) }
        }
    }

    private mutating func add(optionsOf line: BegunLine, typed: String) {
        for option in line.options where !items.contains(where: { $0.text == option.name }) {
            add([option.name], typed, help: option.help)
        }
    }

    private mutating func add(_ texts: [String], _ typed: String, help: String = "") {
        items += texts.filter { $0.hasPrefix(typed) }.map { ($0, help) }
    }

    private mutating func add(operandsOf line: BegunLine, typed: String) {
        guard let command = line.command else {
            for command in Command.groups.flatMap(\.commands) where !command.name.contains(" ") {
                add([command.name], typed, help: command.summary)
            }
            return
        }
        if line.operands == 0 {
            for longer in Command.all where longer.name.hasPrefix(command.name + " ") {
                add([String(longer.name.dropFirst(command.name.count + 1))], typed, help: longer.summary)
            }
            add(command.actions, typed)
        }
        includesFiles = command.operands.contains("FILE")
        if command.operands.contains("QUERY") {
            add(query: typed)
        } else if command.operands.contains("-NAME"), let sign = typed.first, "+-".contains(sign) {
            add(names.tags.map { "\(sign)\($0)" }, typed)
        } else if command.name.hasPrefix("tags ") {
            add(names.tags, typed)
        }
    }

    private mutating func add(valuesOf option: Option, typed: String) {
        includesFiles = option.isFile
        switch option.name {
        case "--tag": add(names.tags, typed)
        case "--author": add(names.authors, typed)
        case "--query": add(query: typed)
        default: add(option.choices, typed)
        }
    }

    /// Adds the candidates for the last word of a query, with its sign.
    private mutating func add(query typed: String) {
        let start = typed.lastIndex(of: " ").map { typed.index(after: $0) } ?? typed.startIndex
        let sign = typed[start...].hasPrefix("-") ? "-" : ""
        for word in names.candidates(for: String(typed[start...].dropFirst(sign.count))) {
            items.append((typed[..<start] + sign + word, ""))
        }
    }
}
