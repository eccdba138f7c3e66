import ClipsCore
import LiveQuery
import PersistentStore
import Platform
import Terminal

/// A menu of a few choices, each with a letter.
struct Menu: Sendable {
    enum Choice: Hashable, Sendable {
        case sort(ClipAttribute, isReversed: Bool)
        case rank
        case copy(CopyForm)
        case link(String)
        case search(ClipQuery)
        case quote(Quote, of: Int64)
        case noteQuote(Quote, of: Int64)
        case unquote(Quote, of: Int64)
        /// Adds a clip although its page is saved, or merges both.
        case addAnyway(ClipDraft, merges: Bool)
        case delete([Int64], title: String)
        case goTo(Int64, orAsk: String)
        case conflict(ConflictAnswer)
        case undo(UndoAnswer)
        case foreignUndo(UndoStep, UndoSteps.Direction)
        case mirror(MirrorAnswer)
        case nothing
    }

    struct Item: Hashable, Sendable {
        let key: Character
        let label: String
        let choice: Choice
        /// The number in the text of a link, which is typed.
        var number: Int?
    }

    let title: String
    private(set) var items: [Item]
    var selected = 0
    /// The clips that it is about, as far as their deletion changes it.
    var clips: [Int64] = []
    /// The number that was typed so far; nil if the items have none.
    var number: Int?
    /// All names, and the text that those of `items` contain; nil if letters choose.
    private(set) var search: (names: [Item], text: String)?

    static func sort(_ query: ClipQuery) -> Menu {
        var items = ClipQuery.sortKeys.map { key, attribute, label in
            // The order in use is offered in reverse.
            let isUsed = query.sort.attribute == attribute.rawValue && !query.isRanked
            let usual = ClipQuery.sort(named: attribute.rawValue)
            let isReversed = isUsed && query.sort == usual
            let mark = isUsed ? query.sort.isAscending ? " ↑" : " ↓" : ""
            return Item(
                key: key, label: label + mark, choice: .sort(attribute, isReversed: isReversed))
        }
        if query.hasWords {
            let label = "relevance" + (query.isRanked ? " ↓" : "")
            items.append(Item(key: "b", label: label, choice: .rank))
        }
        var menu = Menu(title: "Sort by", items: items)
        menu.selected = items.firstIndex { $0.label.hasSuffix("↑") || $0.label.hasSuffix("↓") } ?? 0
        return menu
    }

    /// A menu whose subject is gone. Remains until a key, which was meant for it and not for the list.
    static func withdrawn(_ reason: String) -> Menu {
        Menu(title: reason, items: [Item(key: " ", label: "Any key closes this.", choice: .nothing)])
    }

    static func copy(_ clips: [Int64]) -> Menu {
        let count = clips.count
        let items = CopyForm.allCases.map { form in
            Item(key: form.key, label: form.name(count), choice: .copy(form))
        }
        let title = count == 1 ? "Copy" : "Copy of \(count.grouped) clips"
        return Menu(title: title, items: items, clips: clips)
    }

    static func links(_ urls: [String]) -> Menu {
        guard urls.count > 9 else {
            return Menu(title: "Open a link", items: items(urls.map { ($0, .link($0)) }))
        }
        let items = urls.enumerated().map {
            Item(key: " ", label: $1, choice: .link($1), number: $0 + 1)
        }
        return Menu(title: "Open a link", items: items, number: 0, search: (items, ""))
    }

    static func searches(
        _ searches: [SavedSearch], tags: [String], sites: [String], _ sort: SortKey
    ) -> Menu {
        let parts = [("saved searches", searches.isEmpty), ("tags", tags.isEmpty), ("sites", sites.isEmpty)]
            .filter { !$0.1 }.map(\.0)
        let title = parts.count < 3 ? parts.joined(separator: " and ") : "saved searches, tags, and sites"
        let names: [(String, Choice)] =
            searches.map { ($0.name, .search($0.query)) }
            + tags.map { ("#" + $0, .search(ClipQuery(field: "tag", $0, sort: sort))) }
            + sites.map { ("site:" + $0, .search(ClipQuery(field: "site", $0, sort: sort))) }
        var menu = Menu(title: title.sentence, items: [])
        menu.search = (names.map { Item(key: " ", label: $0.0, choice: $0.1) }, "")
        menu.find("")
        return menu
    }

    /// Lists the names with a text, first those that begin with it, and links by their numbers; without one, digits
    /// choose. Returns false, without a change, if there are none.
    @discardableResult
    mutating func find(_ text: String) -> Bool {
        guard let names = search?.names else { return false }
        let wanted = text.lowercased()
        var found = text.isEmpty ? names : names.filter { $0.label.lowercased().contains(wanted) }
        guard !found.isEmpty else { return false }
        if !text.isEmpty, number == nil {
            func begins(_ item: Item) -> Bool {
                ["", "#", "site:"].contains { item.label.lowercased().hasPrefix($0 + wanted) }
            }
            found = found.filter(begins) + found.filter { !begins($0) }
        }
        items = number == nil ? Array(found.prefix(Self.maxNames)) : found
        if text.isEmpty, number == nil {
            items = Self.items(items.map { ($0.label, $0.choice) }, keys: "123456789")
        }
        search = (names, text)
        selected = 0
        return true
    }

    /// The names that can be reached without a text.
    private static let maxNames = 1000

    static func quotes(of clip: Clip) -> Menu {
        Menu(
            title: "Quotes",
            items: items(clip.quotes.map { (SafeText.cut($0.text, to: 60), .quote($0, of: clip.id)) }))
    }

    static func quote(_ quote: Quote, of clip: Int64) -> Menu {
        Menu(
            title: "“\(SafeText.cut(quote.text, to: 40))”",
            items: [
                Item(key: "n", label: "edit its note", choice: .noteQuote(quote, of: clip)),
                Item(key: "d", label: "delete the quote", choice: .unquote(quote, of: clip)),
            ])
    }

    /// - Parameters:
    ///   - hidden: The number of the clips that the list does not show.
    ///   - undo: The name of the key that restores the clips.
    static func delete(_ clips: [Int64], title: String, hidden: Int, undo: String) -> Menu {
        let subject = clips.count == 1 ? Clip.quoted(title) : "\(clips.count.grouped) clips"
        let share =
            clips.count == 1 ? "which is" : hidden == clips.count ? "which are" : "\(hidden.grouped) of them"
        return Menu(
            title: "Delete \(subject)\(hidden > 0 ? ", \(share) not shown" : "")?",
            items: [
                Item(
                    key: "y", label: "delete; \(undo) restores \(clips.count == 1 ? "it" : "them")",
                    choice: .delete(clips, title: title))
            ], clips: clips)
    }

    /// - Parameter title: The name of the saved clip.
    static func duplicate(_ draft: ClipDraft, _ clip: EarlierClip, _ title: String) -> Menu {
        let name = clip.hasSameURL ? "This URL" : "This page"
        return Menu(
            title: "\(name) is already saved as \(title)",
            items: [
                Item(key: "m", label: "merge both", choice: .addAnyway(draft, merges: true)),
                Item(key: "b", label: "keep both", choice: .addAnyway(draft, merges: false)),
                Item(key: "g", label: "save nothing, and go to it", choice: .goTo(clip.id, orAsk: draft.url)),
            ], clips: [clip.id])
    }

    /// Returns items with digits, then with letters that do not move; the rest has none.
    private static func items(
        _ choices: [(label: String, choice: Choice)], keys: String = "123456789abcdefghilmnoprstuvwxyz"
    ) -> [Item] {
        let keys = Array(keys)
        return choices.enumerated().map { index, item in
            Item(key: index < keys.count ? keys[index] : " ", label: item.label, choice: item.choice)
        }
    }

    /// - Parameter isDeletion: Whether the other process deleted the clip, so that there are no changes to merge.
    static func conflict(isDeletion: Bool) -> Menu {
        let answers = isDeletion ? [.keepMine, .takeTheirs, .later] : ConflictAnswer.allCases
        return Menu(
            title: "Choose what to save",
            items: answers.map {
                Item(key: $0.rawValue, label: $0.label(isDeletion: isDeletion), choice: .conflict($0))
            })
    }

    mutating func move(by rows: Int) { selected = max(0, min(selected + rows, items.count - 1)) }
}

extension AppState {
    mutating func handleInMenu(_ key: Key) {
        guard let open = menu else { return }
        if open.items.first?.choice == .nothing {
            menu = nil
            if screen == .conflict, let next = questions.first { show(next) }
            return
        }
        if case .character("0"..."9") = key {} else if open.number != nil { menu?.number = 0 }
        switch key {
        case .character(let character) where open.search != nil: search(for: character)
        case .backspace where open.search != nil, .control("u") where open.search != nil:
            menu?.find(key == .backspace ? String(open.search?.text.dropLast() ?? "") : "")
        case .escape, .control("c"), .character("q"): closeMenu()
        case .down, .control("n"), .tab: menu?.move(by: 1)
        case .up, .control("p"), .backTab: menu?.move(by: -1)
        case .pageDown, .control("d"), .control("f"): pageInMenu(1)
        case .pageUp, .control("u"), .control("b"): pageInMenu(-1)
        case .home: menu?.selected = 0
        case .end: menu?.move(by: open.items.count)
        case .enter: choose(open.items[open.selected].choice)
        case .control("l"): emit(.redraw)
        case .control("z"): emit(.suspend)
        case .character(let character):
            if character != " ", let item = open.items.first(where: { $0.key == character }) {
                choose(item.choice)
            } else if character == "n", open.items.map(\.key) == ["y"] {
                closeMenu()
            } else if character == "j" || character == "k" {
                menu?.move(by: character == "j" ? 1 : -1)
            } else {
                report("\(KeyMap.shown([key])) is not in the menu; Esc leaves it.")
            }
        default: report("A letter or Enter chooses, Esc closes the menu.")
        }
    }

    /// Adds a character to the text of a menu of names, or chooses by a digit before there is one.
    private mutating func search(for character: Character) {
        guard let menu, let text = menu.search?.text else { return }
        if text.isEmpty, menu.number != nil, let digit = character.wholeNumberValue {
            type(digit)
        } else if character != " ", let item = menu.items.first(where: { $0.key == character }) {
            choose(item.choice)
        } else if self.menu?.find(text + String(character)) != true {
            report("No item here contains “\(text)\(character)”; Esc closes the menu.")
        }
    }

    /// Moves by half a screen of numbered choices; another menu fits on the screen, and the text above it moves.
    private mutating func pageInMenu(_ pages: Int) {
        guard menu?.search != nil else { return page.page(by: pages, half: true) }
        menu?.move(by: pages * max(1, size.rows / 2))
    }

    /// Adds a digit to the number of an item, which is chosen once it cannot begin that of another one.
    private mutating func type(_ digit: Int) {
        guard let items = menu?.items, let typed = menu?.number else { return }
        let number = typed * 10 + digit
        guard items.indices.contains(number - 1) else {
            menu?.number = 0
            return report("There is no link \(number).")
        }
        guard number * 10 <= items.count else { return choose(items[number - 1].choice) }
        menu?.number = number
        menu?.selected = number - 1
    }

    /// Asks whether to save a page again; saves it if another question is open, so that no text is lost.
    mutating func askAboutDuplicate(_ draft: ClipDraft, _ clip: EarlierClip, _ title: String) {
        guard menu == nil, prompt == nil, screen == .list, !saving.isQuitting else {
            return start(.add(draft, form: nil))
        }
        menu = .duplicate(draft, clip, title)
    }

    private mutating func closeMenu() {
        let choice = menu?.items.first?.choice
        menu = nil
        typing.endActions()
        if screen == .conflict { postponeQuestion() }
        // Saved nowhere yet: a second Esc gives it up.
        if case .addAnyway(let draft, _)? = choice { prompt = Prompt(kind: .add, text: draft.url) }
    }

    mutating func choose(_ choice: Menu.Choice) {
        let clips = menu?.clips ?? []
        menu = nil
        switch choice {
        case .sort(let attribute, let isReversed): sort(by: attribute, isReversed: isReversed)
        case .rank: rank()
        case .copy(let form): emit(.gather(clips, list.query.sort, .copy(form)))
        case .link(let url): openPage(url)
        case .search(let query): show(query)
        case .quote(let quote, let clip): menu = .quote(quote, of: clip)
        case .noteQuote(let quote, let clip):
            prompt = Prompt(kind: .quoteNote(quote, of: clip), text: quote.note)
        case .unquote(let quote, let clip): start(.unquote(quote, clip))
        case .addAnyway(let draft, merges: true): start(.addPage(draft, merges: true))
        case .addAnyway(let draft, merges: false): start(.add(draft, form: nil))
        case .delete(let clips, let title): start(.delete(clips, title: title))
        case .goTo(let id, let url): goToAnywhere(id, orAsk: url)
        case .conflict(let answer): resolveEdit(answer)
        case .undo(let answer): resolveUndo(answer)
        case .foreignUndo(let step, let direction): resolve(step, direction)
        case .mirror(let answer): resolveMirrored(answer)
        case .nothing: break
        }
    }

    mutating func sort(by attribute: ClipAttribute, isReversed: Bool) {
        guard let usual = ClipQuery.sort(named: attribute.rawValue) else { return }
        var wanted = list.query
        wanted.sort = isReversed ? usual.reversed : usual
        if list.query.isRanked { setRanking(false, in: &wanted) }
        guard wanted != list.query else { return report("The list is already in this order.") }
        show(wanted, aroundClip: list.clips.selectedID)
        let label = ClipQuery.label(of: wanted.sort)
        report("Sorted\(label.hasPrefix("by ") ? "" : ":") \(label)")
    }

    /// Shows the best matches first, also of the next filters.
    mutating func rank() {
        var wanted = list.query
        guard wanted.hasWords else { return report("Only matches of words have a relevance.") }
        guard !wanted.isRanked else { return report("The list is already in this order.") }
        setRanking(true, in: &wanted)
        show(wanted, aroundClip: list.clips.selectedID)
        report("Sorted by relevance")
    }

    private mutating func setRanking(_ isOn: Bool, in query: inout ClipQuery) {
        query.ranksWords = isOn
        try? settings.config.set(Setting.relevance.rawValue, isOn ? "on" : "off")
    }
}
