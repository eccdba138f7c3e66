import ClipsCore
import LiveQuery
import PersistentStore
import Platform

/// Actions on the clip under the cursor, on the one being read, or on the marked clips.
extension AppState {
    /// The clip that an action applies to, if none are marked.
    var target: (id: Int64, row: ClipRow?)? {
        if let bound { return (bound.id, bound) }
        if reader.hasFocus, let id = reader.id { return (id, list.clips.rows.first { $0.id == id }) }
        return list.clips.selectedRow.map { ($0.id, $0) }
    }

    /// The clips that an action applies to: the marked ones, or the one under the cursor.
    var chosen: [Int64] {
        actsOnMarks ? list.marks.all.sorted() : target.map { [$0.id] } ?? []
    }

    /// Whether actions apply to marked clips.
    var actsOnMarks: Bool { !list.marks.isEmpty && !reader.hasFocus }

    /// The title of the clip under the cursor, or of the open one.
    var targetTitle: String {
        target?.row.map { history.titles.title(of: $0) } ?? reader.clip?.displayTitle ?? ""
    }

    /// The title of the only clip that an action applies to; empty for several, or if it is not on the screen.
    var chosenTitle: String {
        guard actsOnMarks else { return targetTitle }
        return list.clips.rows.first { [$0.id] == chosen }.map { history.titles.title(of: $0) } ?? ""
    }

    /// The URL of the only clip that an action applies to; nil for several, or if it is not on the screen.
    var chosenURL: String? {
        actsOnMarks ? list.clips.rows.first { [$0.id] == chosen }?.url : targetURL
    }

    var targetURL: String { target?.row?.url ?? reader.clip?.url ?? "" }

    /// The tags of the only clip that an action applies to; nil for several.
    var targetTags: [String]? {
        if actsOnMarks { return list.clips.rows.first { [$0.id] == chosen }?.tags }
        return target?.row?.tags ?? reader.clip?.tags
    }

    static let maxOpened = 20

    /// Selects the clip that the user chose, if commits moved the cursor. Returns false if it was deleted.
    mutating func isStill(on clip: Int64?) -> Bool {
        guard let clip, !actsOnMarks, target?.id != clip else { return true }
        if !reader.hasFocus, list.clips.select(id: clip) { return true }
        report(alreadyDeleted([clip]), isError: true)
        return false
    }

    mutating func toggle(_ attribute: ClipAttribute) {
        let flag: KeyPath<ClipRow, Bool> =
            switch attribute {
            case .starred: \.isStarred
            case .archived: \.isArchived
            default: \.isUnread
            }
        // While a save is under way, the rows lack it.
        let value = actsOnMarks && saving.count == 0 ? list.marks.toggled(flag, in: list.clips.rows) : nil
        start(.toggle(attribute, to: value, chosen, title: chosenTitle))
    }

    mutating func set(_ attribute: ClipAttribute, _ isOn: Bool) {
        start(.toggle(attribute, to: isOn, chosen, title: chosenTitle))
    }

    mutating func loadForEdit() {
        guard let id = target?.id else { return }
        typing.awaitedQuestion = .edit(id)
        emit(.loadForEdit(id))
    }

    mutating func loadForNote() {
        guard let id = target?.id else { return }
        typing.awaitedQuestion = .note(id)
        emit(.loadForNote(id))
    }

    mutating func promptForNote(_ clip: Clip) {
        guard opens(.note(clip.id)) else { return }
        // The prompt has one line.
        guard !clip.note.contains(where: \.isNewline) else { return edit(clip) }
        prompt = Prompt(kind: .note(clip), text: clip.note)
    }

    mutating func save(note: String, of clip: Clip) {
        let title = Clip.quoted(clip.displayTitle)
        guard note != clip.note else {
            let sentence = "The note of \(title) is unchanged."
            return start(.nothing([clip.id], title: clip.displayTitle, sentence))
        }
        let verb = note.isEmpty ? "deleted" : clip.note.isEmpty ? "added" : "changed"
        start(.edit(clip, [.note: .text(note)], "\(verb) the note of \(title)", form: nil))
    }

    /// Deletes the chosen clips; asks before it deletes more than a few, or any that the list does not show.
    mutating func delete() {
        let (clips, hidden) = (chosen, actsOnMarks ? list.marks.hidden.count : 0)
        guard clips.count <= ClipStore.fewClips, hidden == 0 else {
            return askToDelete(clips, title: chosenTitle, hidden: hidden)
        }
        start(.delete(clips, title: chosenTitle))
        if reader.hasFocus, layout.arrangement == .detailOnly { reader.hasFocus = false }
    }

    mutating func askToDelete(_ clip: Clip) {
        guard opens(.deletion(clip.id)) else { return }
        askToDelete([clip.id], title: clip.displayTitle, hidden: 1)
    }

    mutating func askToDelete(_ clips: [Int64], title: String, hidden: Int) {
        guard clips.count > 1 || !title.isEmpty else {
            // The question names the clip.
            typing.awaitedQuestion = .deletion(clips[0])
            return emit(.loadForDeletion(clips[0]))
        }
        menu = .delete(clips, title: title, hidden: hidden, undo: keys.name(of: .undo))
    }

    /// Opens the URLs of the clips, or a numbered link of the open clip.
    mutating func browse(_ place: PagePlace = .browser, link number: Int? = nil) {
        guard actsOnMarks else {
            switch place {
            case .browser where reader.hasFocus && (number != nil || targetURL.isEmpty):
                return openLink(number ?? 1)
            case .browser, .terminal: return openPage(targetURL, inTerminal: place == .terminal)
            case .archive:
                let saved = target?.row?.created ?? reader.clip?.created ?? now
                return openPage(CheckedLink.archived(targetURL, at: saved.milliseconds))
            }
        }
        let ids = chosen
        guard ids.count <= Self.maxOpened else {
            return report(
                "\(ids.count.grouped) clips are marked; mark at most \(Self.maxOpened) to open them.",
                isError: true)
        }
        emit(.gather(ids, list.query.sort, .open(place)))
    }

    /// Copies the selected lines of the open clip, or offers the forms of the chosen clips.
    mutating func copy() {
        if reader.hasFocus, reader.range != nil {
            guard let lines = reader.quoteOfRange() else { return report("No text is selected.") }
            reader.toggleRange()
            return emit(.copy(lines.text, what: "the selected lines"))
        }
        menu = .copy(chosen)
    }

    mutating func copy(byArgument argument: String) throws(ConfigError) {
        emit(.gather(chosen, list.query.sort, .copy(try CopyForm(argument: argument))))
    }

    mutating func promptForTags() {
        prompt = Prompt(kind: .tags(chosen, of: targetTags, title: chosenTitle))
        emit(.loadNames)
    }

    mutating func tag(_ ids: [Int64], title: String, by change: TagChange) {
        guard !change.isEmpty else {
            let subject =
                !title.isEmpty
                ? "\(Clip.quoted(title)) is"
                : ids.count == 1 ? "The clip is" : "\(ids.count.counted("clip")) are"
            let sentence = "\(subject) unchanged: no tag was given."
            return start(.nothing(ids, title: title, sentence))
        }
        start(.tag(ids, adding: change.adding, removing: change.removing, title: title))
    }

    /// Returns the sentence about clips that another process has deleted.
    func alreadyDeleted(_ ids: [Int64]) -> String {
        let shown = ids.first == clipReader.id ? clipReader.clip?.displayTitle : nil
        return Work.deleted(ids, ids.first.flatMap { history.titles[$0] } ?? shown ?? "")
    }

    /// Returns the title of a clip of which only some attributes were read.
    func name(of clip: Clip) -> String {
        let shown = clip.id == clipReader.id ? clipReader.clip?.displayTitle : nil
        let row = list.clips.rows.first { $0.id == clip.id }
        return Clip.quoted(row?.title ?? shown ?? clip.displayTitle)
    }

    /// Copies or opens clips that were read from the store.
    ///
    /// - Parameter ids: Those that were chosen.
    mutating func use(_ clips: [Clip], of ids: [Int64], for purpose: Purpose) {
        let bytes = clips.reduce(0) { $0 + $1.title.utf8.count + $1.url.utf8.count + $1.text.utf8.count + 1 }
        guard clips.count == ids.count || bytes <= Purpose.maxBytes else {
            if case .pick = purpose, opens(.choice) { beginFilter() }
            let size = "more than \(Purpose.maxBytes >> 20) MB"
            return report(
                "The \(ids.count.grouped) clips have \(size) together. Choose fewer of them.", isError: true)
        }
        if case .pick(let form) = purpose { return finishPick(clips, of: ids, form) }
        guard !clips.isEmpty else { return report(alreadyDeleted(ids), isError: true) }
        switch purpose {
        case .pick: break
        case .copy(let form):
            let text = form.text(clips)
            guard !text.isEmpty else {
                let subject = clips.count == 1 ? name(of: clips[0]) : "None of the clips"
                let verb = clips.count == 1 ? "has no" : "has a"
                return report("\(subject) \(verb) \(form == .url ? "URL" : "text"). Nothing was copied.")
            }
            // Without a URL, a Markdown link is the title.
            let titles = form == .markdown ? clips.count { $0.url.isEmpty } : 0
            let copied = clips.count(where: form.has) - titles
            let left = clips.count - copied - titles
            let rest = left == 0 ? "" : " (\(left.grouped) \(left == 1 ? "clip has" : "clips have") none)"
            let parts = [(copied, form), (titles, CopyForm.title)].filter { $0.0 > 0 }.map { count, form in
                clips.count == 1 ? form.name(1) : "\(count.grouped) \(form.name(count))"
            }
            // Other forms show which clip it is.
            let isNamed = clips.count == 1 && [.text, .json].contains(form)
            let name = isNamed ? " of \(name(of: clips[0]))" : rest
            emit(.copy(text, what: parts.joined(separator: " and ") + name))
        case .open(let place):
            let pages = clips.filter { !$0.url.isEmpty }
            guard !pages.isEmpty else {
                return report(
                    clips.count == 1 ? "\(name(of: clips[0])) has no URL." : "None of the clips has a URL.")
            }
            let ids = pages.map(\.id)
            switch place {
            case .browser: emit(.open(urls: pages.map(\.url), clips: ids))
            case .terminal:
                let subject = pages.count == 1 ? pages[0].displayTitle : "\(pages.count) URLs"
                emit(.openHere(urls: pages.map(\.url), clips: ids, subject: subject))
            case .archive:
                let urls = pages.map { CheckedLink.archived($0.url, at: $0.created.milliseconds) }
                emit(.open(urls: urls, clips: ids))
            }
        case .run(let command, let withInput): run(command, on: clips, withInput: withInput)
        }
    }
}
