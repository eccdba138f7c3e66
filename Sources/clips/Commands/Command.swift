import ClipsCore
import Platform

/// A subcommand: its description for help, the manual page, and completions, and its implementation.
struct Command: Sendable {
    let name: String
    /// An imperative phrase.
    let summary: String
    /// Sentences, in lines.
    var details = ""
    var table: (title: String, rows: [(name: String, help: String)])?
    /// As help shows them: in brackets if they are optional, with an ellipsis if they may be repeated.
    var operands = ""
    /// The words that the first operand can be.
    var actions: [String] = []
    var options: [Option] = []
    let example: String
    /// Whether an operand may begin with a minus sign.
    var takesSignedWords = false
    let run: @Sendable (Invocation) async throws -> ExitStatus

    /// The table of commands; those of a group share a line of the overview.
    static let groups: [(purpose: String, commands: [Command])] = [
        ("Save a clip; text may be piped in", [.add, .extension]),
        ("Print clips", [.list, .search, .show]),
        ("Choose a clip, take a random one, or open pages", [.pick, .random, .open]),
        ("Change clips", [.edit, .tag, .star]),
        ("Mark clips as read or unread, or undo a change", [.read, .unread, .undo]),
        ("Hide clips from the list, or show them again", [.archive, .unarchive]),
        ("Delete clips, or restore deleted ones", [.delete, .restore]),
        (
            "Change tags, merge duplicates, or check links",
            [.tags, .tagsRename, .tagsMerge, .tagsDelete, .dedupe, .check]
        ),
        ("Read and write files; connect browsers or agents", [.import, .export, .browser, .mcp]),
        ("Print the history", [.history, .historyClean]),
        ("Exchange clips with other machines", [.mirror]),
        ("Check, repair, salvage, copy, or restore the store", [.doctor, .backup, .backupRestore]),
        ("Print shell completions or the manual page", [.completions, .man]),
    ]
    /// Commands that the overview omits, for those who maintain a store.
    private static let rare: [Command] = [.consumers]

    /// The actions of a command that installs this program elsewhere.
    static let installingActions = ["install", "status", "remove"]

    static let all = [browse] + groups.flatMap(\.commands) + rare

    /// The commands of one word.
    static let topNames = groups.flatMap(\.commands).map(\.name).filter { !$0.contains(" ") }

    /// Those that only scripts call, which no help lists.
    private static let internalCommands = [candidates]

    private static func named(_ words: some Sequence<String>) -> Command? {
        // Not `joined`: its generic form searches all conformances of the program, at each start.
        let name = words.reduce(into: "") { name, word in name += name.isEmpty ? word : " " + word }
        return (all + internalCommands).first { $0.name == name }
    }

    /// Returns the indices of the words that are neither options of any command nor their values.
    private static func operands(in words: ArraySlice<String>) -> [Int] {
        let valued = Set((Option.global + all.flatMap(\.options)).filter { $0.value != nil }.map(\.name))
        var (operands, isValue) = ([Int](), false)
        for (index, word) in zip(words.indices, words) {
            if !isValue, !word.hasPrefix("-") { operands.append(index) }
            isValue = !isValue && valued.contains(word)
        }
        return operands
    }

    /// Checks that the first operand is not a mistyped action, whose options this command does not have.
    func checkAction(in words: [String]) throws(UsageError) {
        guard operands.isEmpty, let first = Self.operands(in: words[...]).first,
            let action = Suggestion.nearest(to: words[first], in: longerNames)
        else { return }
        throw UsageError("Unexpected operand '\(words[first])'. Did you mean '\(action)'?")
    }

    /// Finds the command that the first word names, or the first two; only global options may precede it.
    ///
    /// - Returns: The command, which is ``browse`` if there is no word, and the rest of the arguments.
    static func find(in words: [String]) throws(UsageError) -> (Command, rest: [String]) {
        let valued = Set((Option.global + browse.options).filter { $0.value != nil }.map(\.name))
        var index = 0
        let known = Set((Option.global + browse.options).map(\.name))
        var unknown: String?
        while index < words.count, words[index].hasPrefix("-") {
            let name = String(words[index].prefix { $0 != "=" })
            if name.hasPrefix("--"), name != "--", !known.contains(name) { unknown = unknown ?? name }
            index += valued.contains(words[index]) ? 2 : 1
        }
        guard index < words.count else { return (browse, words) }
        if let unknown {
            throw UsageError(
                "Unknown option '\(unknown)' before the command."
                    + Suggestion.question(for: unknown, in: known.sorted()), isOfCommand: true)
        }
        let (before, word) = (words[..<index], words[index])
        if word == "help" || word == "version" {
            let rest = before + words[(index + 1)...]
            let named = Array(operands(in: words[(index + 1)...]).map { words[$0] }.drop { $0 == "help" })
            if word == "help", let first = named.first, Command.named(named.prefix(2)) == nil,
                Command.named([first]) == nil
            {
                throw UsageError(
                    "Unknown command '\(first)'.\(suggestion(for: first))",
                    isOfCommand: true)
            }
            let command =
                Command.named(named.prefix(2)) ?? named.lazy.compactMap { Command.named([$0]) }.first
                ?? browse
            let names = command.name.split(separator: " ").map(String.init)
            if word == "help", named.count > names.count {
                throw UsageError("Unexpected operand '\(named[names.count])'.")
            }
            return (command, rest.filter { !names.contains($0) } + ["--\(word)"])
        }
        // Options may precede the second word.
        if let second = operands(in: words[(index + 1)...]).first, let command = named([word, words[second]])
        {
            return (command, Array(before + words[(index + 1)..<second] + words[(second + 1)...]))
        }
        if let command = named([word]) { return (command, Array(before + words[(index + 1)...])) }
        throw UsageError(
            "Unknown command '\(word)'.\(suggestion(for: word))", isOfCommand: true)
    }

    /// The commands that other programs call so.
    private static let familiar = [
        "ls": "list", "rm": "delete", "grep": "search", "cat": "show", "new": "add", "manual": "man",
    ]

    private static func suggestion(for word: String) -> String {
        Suggestion.question(for: familiar[word] ?? word, in: topNames)
    }
}

extension Command {
    /// The second words of the commands that begin with this one.
    fileprivate var longerNames: [String] {
        Self.all.map(\.name).filter { $0.hasPrefix(name + " ") }.map { String($0.dropFirst(name.count + 1)) }
    }

    /// Returns the error of a first operand that is not one of the actions.
    static func unknownAction(_ word: String, _ actions: [String]) -> UsageError {
        let hint = Suggestion.question(for: word, in: actions, else: " Use \(actions.listed).")
        return UsageError("Unknown operand '\(word)'.\(hint)")
    }
}

extension Arguments {
    /// Checks the number of operands.
    func checkOperands(of command: Command) throws(UsageError) {
        let words = command.operands.split(separator: " ")
        let isOptional = has("--query") || words.first?.hasPrefix("[") ?? true
        // The operands before a signed word, and all if there is none.
        let required = (command.takesSignedWords ? words.prefix(1) : words[...]).prefix { !$0.hasPrefix("[") }
        let given = operands.allSatisfy(\.isEmpty) ? 0 : operands.count
        guard isOptional || given >= required.count else {
            throw .missing(required[given].prefix { $0 != "…" })
        }
        let limit = isOptional && !words.isEmpty || command.operands.contains("…") ? .max : words.count
        guard operands.count <= limit else {
            // A mistyped action is the first operand, after which the others are too many.
            let meant = [operands[limit], operands[0]].lazy.compactMap {
                Suggestion.nearest(to: $0, in: command.longerNames)
            }.first
            let hint = meant.map { " Did you mean '\($0)'?" } ?? ""
            throw UsageError("Unexpected operand '\(operands[limit])'.\(hint)")
        }
    }
}
