import ClipsCore
import LiveQuery
import PersistentStore
import Terminal

/// Actions on the clip under the cursor, on the one being read, or on the marked clips.
extension AppState {
    /// The clip that an action applies to, if none are marked.
    var target: (id: Int64, row: ClipRow?)? {
        if reader.hasFocus, let id = reader.id { return (id, list.clips.rows.first { $0.id == id }) }
        return list.clips.selectedRow.map { ($0.id, $0) }
    }

    /// The clips that an action applies to: the marked ones, or the one under the cursor.
    var chosen: [Int64] {
        actsOnMarks ? list.marks.all.sorted() : target.map { [$0.id] } ?? []
    }

    /// Whether actions apply to marked clips.
    var actsOnMarks: Bool { !list.marks.isEmpty && !reader.hasFocus }

    var targetURL: String { target?.row?.url ?? reader.clip?.url ?? "" }

    static let maxOpened = 20

    /// Selects the clip that the user chose, if commits moved the cursor. Returns false if it was deleted.
    mutating func isStill(on clip: Int64?) -> Bool {
        guard let clip, !actsOnMarks, target?.id != clip else { return true }
        if !reader.hasFocus, list.clips.select(id: clip) { return true }
        report("Another process deleted the clip; nothing was done.", isError: true)
        return false
    }

    mutating func toggle(_ attribute: ClipAttribute) {
        guard !actsOnMarks, let (id, row) = target else { return start(.toggle(attribute, chosen)) }
        let isOn =
            attribute == .starred
            ? row?.isStarred ?? reader.clip?.isStarred ?? false
            : row?.isUnread ?? reader.clip?.isUnread ?? false
        start(.update(id, [attribute: .boolean(!isOn)], Self.summary(of: attribute, isOn: !isOn)))
    }

    static func summary(of attribute: ClipAttribute, isOn: Bool) -> String {
        if attribute == .starred { return isOn ? "starred" : "unstarred" }
        return isOn ? "marked as unread" : "marked as read"
    }

    mutating func edit() { if let id = target?.id { emit(.loadForEdit(id)) } }

    mutating func delete() {
        start(.delete(chosen, title: target?.row?.title ?? reader.clip?.displayTitle ?? ""))
        if reader.hasFocus, layout.arrangement == .detailOnly { reader.hasFocus = false }
    }

    mutating func browse() {
        guard actsOnMarks else { return emit(.open(urls: [targetURL])) }
        let ids = chosen
        guard ids.count <= Self.maxOpened else {
            return report(
                "\(StatusLine.grouped(ids.count)) clips are marked; mark at most \(Self.maxOpened) to open them.",
                isError: true)
        }
        emit(.gather(ids, list.query.sort, .open))
    }

    mutating func copy(byArgument argument: String) {
        guard let form = CopyForm(rawValue: argument) else {
            let names = CopyForm.allCases.map(\.rawValue).joined(separator: ", ")
            return report("Unknown form '\(argument)'. Use one of \(names).", isError: true)
        }
        emit(.gather(chosen, list.query.sort, .copy(form)))
    }

    mutating func promptForTags() {
        let tags = actsOnMarks ? nil : target?.row?.tags ?? reader.clip?.tags
        prompt = Prompt(
            kind: .tags(chosen, of: tags),
            editor: LineEditor(tags.map { $0.isEmpty ? "" : $0.joined(separator: ", ") + ", " } ?? ""))
        emit(.loadNames)
    }

    /// Adds the tags with `+` or no sign, and removes those with `-`.
    mutating func tag(_ ids: [Int64], by text: String) {
        let separator: Character = text.contains(",") ? "," : " "
        let words = text.split(separator: separator).map(\.trimmed).filter { !$0.isEmpty }
        let removing = words.filter { $0.hasPrefix("-") }.map { String($0.dropFirst()) }
        let adding = words.filter { !$0.hasPrefix("-") }
            .map { $0.hasPrefix("+") ? String($0.dropFirst()) : $0 }
        start(.tag(ids, adding: adding, removing: removing))
    }

    /// Saves the difference between old and edited tags, so that tags from other processes remain.
    mutating func tag(_ id: Int64, from old: [String], to text: String) {
        let new = Tags(joined: text).names
        let (adding, removing) = (new.filter { !old.contains($0) }, old.filter { !new.contains($0) })
        guard !adding.isEmpty || !removing.isEmpty else { return report("The tags are unchanged.") }
        start(.tag([id], adding: adding, removing: removing))
    }

    /// Copies or opens clips that were read from the store.
    mutating func use(_ clips: [Clip], for purpose: Purpose) {
        guard !clips.isEmpty else { return report("The clips no longer exist.", isError: true) }
        switch purpose {
        case .copy(let form):
            let text = form.text(clips)
            guard !text.isEmpty else {
                return report("Nothing to copy: no \(form == .url ? "URL" : "text").")
            }
            let count = clips.count == 1 ? "" : StatusLine.grouped(clips.count) + " "
            emit(.copy(text, what: count + form.name(clips.count)))
        case .pick(let form):
            let text = form.text(clips)
            guard !text.isEmpty else { return report("This clip has no \(form == .url ? "URL" : "text").") }
            emit(.finish(Picked(status: 0, text: text)))
        case .open:
            let urls = clips.map(\.url).filter { !$0.isEmpty }
            guard !urls.isEmpty else { return report("None of the clips has a URL.") }
            emit(.open(urls: urls))
        case .run(let command, let withInput): run(command, on: clips, withInput: withInput)
        }
    }
}
