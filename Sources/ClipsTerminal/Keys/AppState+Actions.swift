import ClipsCore
import PersistentStore
import Terminal

/// What is done on the list and its clips.
extension AppState {
    mutating func performOnList(_ action: Action, count: Int?) {
        switch action {
        case .open: isReading = true
        case .switchPane: isReading.toggle()
        case .left: detail.scrollSideways(by: -8)
        case .right: detail.scrollSideways(by: detail.isWrapped ? 0 : 8)
        case .wrap:
            detail.isWrapped.toggle()
            tell(detail.isWrapped ? "Lines are wrapped." : "Lines are shown as they are; ← → move them.")
        case .zoom: isZoomed.toggle()
        case .filter: beginFilter()
        case .nextMatch: goToMatch(isForward: true, count: count ?? 1)
        case .previousMatch: goToMatch(isForward: false, count: count ?? 1)
        case .sort: menu = .sort(query)
        case .mark: for _ in 0..<min(count ?? 1, list.count) { mark() }
        case .range: toggleRange()
        case .follow:
            list.follows.toggle()
            _ = config.set(Setting.follow.rawValue, list.follows ? "on" : "off")
            tell(
                list.follows
                    ? "Following: at the top, new clips come into view."
                    : "Not following: the list stays where it is.")
        case .pause: togglePause()
        case .add: prompt = Prompt(kind: .add)
        default: performOnClips(action)
        }
    }

    private mutating func beginFilter() {
        isReading = false
        let place = list.selectedID.map { Wanted(id: $0, screenRow: list.selectedIndex - list.top) }
        beforeFilter = (query, place, list.selectedRow?.position)
        prompt = Prompt(kind: .filter, editor: LineEditor(query.filter))
    }

    private mutating func performOnClips(_ action: Action) {
        let ids = chosen
        if actsOnMarks { marks.closeRange() }
        switch action {
        case .edit: if let id = target?.id { emit(.loadForEdit(id)) }
        case .star: toggle(.starred, ids)
        case .toggleUnread: toggle(.unread, ids)
        case .delete:
            start(.delete(ids, title: target?.row?.title ?? detail.clip?.displayTitle ?? ""))
            if isReading, layout.arrangement == .detailOnly { isReading = false }
        case .tag: askForTags(of: ids)
        case .copy: menu = .copy(ids)
        case .browse:
            if actsOnMarks, ids.count > Self.maxOpened {
                tell(
                    "\(StatusLine.grouped(ids.count)) clips are marked; at most \(Self.maxOpened) are opened together. Mark fewer.",
                    isError: true)
            } else if actsOnMarks {
                emit(.gather(ids, query.sort, .open))
            } else {
                emit(.open(urls: [targetURL]))
            }
        case .browseHere: emit(.openHere(url: targetURL))
        default: break
        }
    }

    var targetURL: String { target?.row?.url ?? detail.clip?.url ?? "" }

    private mutating func toggle(_ attribute: ClipAttribute, _ ids: [Int64]) {
        guard !actsOnMarks, let (id, row) = target else { return start(.toggle(attribute, ids)) }
        let isStar = attribute == .starred
        let isOn =
            isStar
            ? row?.isStarred ?? detail.clip?.isStarred ?? false
            : row?.isUnread ?? detail.clip?.isUnread ?? false
        start(.update(id, [attribute: .boolean(!isOn)], Self.toggled(attribute, isOn: !isOn)))
    }

    static func toggled(_ attribute: ClipAttribute, isOn: Bool) -> String {
        if attribute == .starred { return isOn ? "gave a star" : "took the star away" }
        return isOn ? "marked as unread" : "marked as read"
    }

    private mutating func askForTags(of ids: [Int64]) {
        let tags = actsOnMarks ? nil : target?.row?.tags ?? detail.clip?.tags
        prompt = Prompt(
            kind: .tags(ids, of: tags),
            editor: LineEditor(tags.map { $0.isEmpty ? "" : $0.joined(separator: ", ") + ", " } ?? ""))
        emit(.loadNames)
    }

    /// What is typed behind `:tag`: names with `+` or without are added, those with `-` taken away.
    mutating func tag(_ ids: [Int64], by text: String) {
        let separator: Character = text.contains(",") ? "," : " "
        var (adding, removing): ([String], [String]) = ([], [])
        for word in text.split(separator: separator).map(\.trimmed) where !word.isEmpty {
            if word.hasPrefix("-") {
                removing.append(String(word.dropFirst()))
            } else {
                adding.append(word.hasPrefix("+") ? String(word.dropFirst()) : word)
            }
        }
        start(.tag(ids, adding: adding, removing: removing))
    }

    /// The whole of a single clip's tags; what others give it meanwhile stays.
    mutating func tag(_ id: Int64, from old: [String], to text: String) {
        let new = Tags(joined: text).names
        let (adding, removing) = (new.filter { !old.contains($0) }, old.filter { !new.contains($0) })
        guard !adding.isEmpty || !removing.isEmpty else { return tell("The tags stay as they are.") }
        start(.tag([id], adding: adding, removing: removing))
    }

    /// Clips that were read to be used outside of the store.
    mutating func take(_ clips: [Clip], for purpose: Purpose) {
        guard !clips.isEmpty else { return tell("The clips are no longer there.", isError: true) }
        switch purpose {
        case .copy(let form):
            let text = form.text(clips)
            guard !text.isEmpty else {
                return tell("There is nothing to copy: no \(form == .url ? "address" : "text").")
            }
            emit(.copy(text, what: form.told(clips.count)))
        case .open:
            let urls = clips.map(\.url).filter { !$0.isEmpty }
            guard !urls.isEmpty else { return tell("None of them has an address.") }
            emit(.open(urls: urls))
        }
    }

    private static let maxOpened = 20
}
