import ClipsCore
import Terminal

/// The candidates for the word being typed, and the one that Tab selected.
struct Completion: Hashable, Sendable {
    /// The offset of the word, in characters.
    let start: Int
    let candidates: [String]
    var selected: Int?
}

extension LineEditor {
    /// Replaces the text between an offset and the cursor.
    mutating func replace(from start: Int, with word: String) {
        let before = characters[..<max(0, min(start, cursor))]
        let after = characters[cursor...]
        self = LineEditor(
            String(before + Array(word) + after), cursor: before.count + word.count,
            maxCharacters: maxCharacters)
    }

    /// Inserts the common prefix of the candidates, or the next candidate.
    ///
    /// - Returns: The completion for the next Tab; nil when there is no choice.
    mutating func complete(_ completion: Completion, isForward: Bool) -> Completion? {
        guard let first = completion.candidates.first else { return nil }
        var completion = completion
        let typed = String(characters[min(completion.start, cursor)..<cursor])
        if completion.selected == nil {
            let common = completion.candidates.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
            if common.count > typed.count || completion.candidates.count == 1 {
                replace(from: completion.start, with: common)
                return nil
            }
        }
        let count = completion.candidates.count
        let next =
            completion.selected.map { ($0 + (isForward ? 1 : count - 1)) % count }
            ?? (isForward ? 0 : count - 1)
        completion.selected = next
        replace(from: completion.start, with: completion.candidates[next])
        return completion
    }
}

extension String {
    fileprivate func commonPrefix(with other: String) -> String {
        String(zip(self, other).prefix { $0 == $1 }.map(\.0))
    }
}

extension AppState {
    /// The candidates for the word being typed.
    var completion: Completion? {
        guard let prompt else { return nil }
        if let cycling = prompt.completion { return cycling }
        let before = Array(prompt.editor.characters[..<prompt.editor.cursor])
        switch prompt.kind {
        case .tags(_, let tags, _): return tagCompletion(before, from: 0, of: tags)
        case .command: return commandCompletion(before)
        case .historyFilter: return spanCompletion(before, from: 0)
        case .filter: return fieldCompletion(before)
        case .add, .text, .helpFilter, .note, .quoteNote: return nil
        }
    }

    mutating func complete(isForward: Bool) {
        guard let completion, !completion.candidates.isEmpty, var prompt else {
            return report("No completions.")
        }
        prompt.completion = prompt.editor.complete(completion, isForward: isForward)
        self.prompt = prompt
        textChanged(in: prompt)
    }

    private func commandCompletion(_ before: [Character]) -> Completion? {
        guard let space = before.firstIndex(of: " ") else {
            let typed = String(before)
            let names = Action.allCases.map(\.rawValue).filter { $0.hasPrefix(typed) }
            let words = names.sorted().map { name in
                name + (Action(rawValue: name).map { ActionTable[$0].argument != nil } == true ? " " : "")
            }
            return Completion(start: 0, candidates: words)
        }
        guard let action = Action(typed: String(before[..<space])),
            let argument = ActionTable[action].argument
        else { return nil }
        let start = (before.lastIndex(of: " ") ?? space) + 1
        func choices(_ words: [String]) -> Completion {
            let typed = String(before[start...])
            return Completion(start: start, candidates: words.filter { $0.hasPrefix(typed) && $0 != typed })
        }
        let isFirst = start == space + 1
        switch argument {
        case .sortKey: return choices(isFirst ? ClipQuery.sortNames : ["reverse"])
        case .form: return choices(CopyForm.allCases.map(\.rawValue))
        case .tags: return tagCompletion(before, from: space + 1, of: targetTags)
        case .name:
            let typed = String(before[(space + 1)...])
            let names = typing.filters.searches.map(\.name).filter { $0.hasPrefix(typed) && $0 != typed }
            return Completion(start: space + 1, candidates: names)
        case .span: return spanCompletion(before, from: space + 1)
        case .option:
            if isFirst { return choices(Setting.allCases.map { $0.rawValue + " " }) }
            let name = before[(space + 1)...].prefix { $0 != " " }
            return Setting(rawValue: String(name)).flatMap {
                valueCompletion(of: $0, before, from: space + 1 + name.count + 1)
            }
        case .style:
            return choices(isFirst ? Theme.Role.names.map { $0 + " " } : Style.configWords)
        case .program: return choices(ClipCommand.placeholders)
        case .words, .content: return nil
        }
    }

    /// Completes the value of an option; each name of a list by itself.
    private func valueCompletion(
        of setting: Setting, _ before: [Character], from first: Int
    ) -> Completion? {
        guard first <= before.count else { return nil }
        let comma = setting == .columns ? before[first...].lastIndex(of: ",") : nil
        let start = comma.map { $0 + 1 } ?? first
        let typed = String(before[start...])
        let others = setting == .columns ? Set(String(before[first..<start]).split(separator: ",")) : []
        return Completion(
            start: start,
            candidates: setting.values.filter {
                $0.hasPrefix(typed) && $0 != typed && !others.contains($0[...])
            })
    }

    /// Completes the tag after the last sign or comma; after `-`, one of the clip.
    private func tagCompletion(_ before: [Character], from first: Int, of own: [String]?) -> Completion? {
        func isSign(_ index: Int) -> Bool {
            "+-#".contains(before[index])
                && (index == first || before[index - 1] == " " || before[index - 1] == ",")
        }
        let mark = before.indices.last { $0 >= first && (before[$0] == "," || isSign($0)) }
        var start = mark.map { $0 + 1 } ?? first
        while start < before.count, before[start] == " " { start += 1 }
        let typed = String(before[start...])
        let names = mark.map { before[$0] } == "-" ? own ?? typing.names.tags : typing.names.tags
        return Completion(start: start, candidates: names.filter { $0.hasPrefix(typed) && $0 != typed })
    }

    /// Completes the fields of a filter, and their values.
    private func fieldCompletion(_ before: [Character]) -> Completion? {
        var start = (before.lastIndex(of: " ") ?? -1) + 1
        if start < before.count, before[start] == "-" { start += 1 }
        let typed = String(before[start...])
        guard !typed.isEmpty else { return nil }
        return Completion(start: start, candidates: typing.names.candidates(for: typed))
    }

    private func spanCompletion(_ before: [Character], from first: Int) -> Completion? {
        var (start, isQuoted) = (first, false)
        for index in before.indices.dropFirst(first) {
            if before[index] == "\"" { isQuoted.toggle() }
            if before[index] == " ", !isQuoted { start = index + 1 }
        }
        let typed = String(before[min(start, before.count)...])
        let authors = Set(history.transactions.map { AuthorName.shown($0.author) }).sorted()
            .map { "author:" + ($0.contains(" ") ? "\"\($0)\"" : $0) }
        let words = authors + ["since:1h", "since:1d", "since:1w", "before:1d"]
        func unquoted(_ word: String) -> String { word.filter { $0 != "\"" } }
        return Completion(
            start: start,
            candidates: words.filter { unquoted($0).hasPrefix(unquoted(typed)) && $0 != typed })
    }
}
