import ClipsCore
import Mirroring
import PersistentStore
import Platform

/// A change to commit as one transaction.
enum Work: Sendable {
    case add(ClipDraft, form: String?)
    /// Adds a URL, unless a clip of its page exists: that one is merged with it, or the user is asked.
    case addPage(ClipDraft, merges: Bool)
    /// Changes made in the editor, and the clip before them.
    case edit(Clip, [ClipAttribute: AttributeValue], String, form: String?)
    /// A clip that another process deleted while it was edited.
    case recreate(Clip, ClipForm, form: String?)
    /// Marks opened clips as read, which is not reported, and which undo skips.
    case open([Int64])
    case markAllRead(ClipQuery)
    /// Sets a flag of the clips; without a value, of those that do not have it, or unsets it if all of them have it.
    case toggle(ClipAttribute, to: Bool?, [Int64], title: String)
    case tag([Int64], adding: [String], removing: [String], title: String)
    case delete([Int64], title: String)
    /// Work without a change, and the sentence about clips that are not deleted. It is in turn with later work.
    case nothing([Int64], title: String, String)
    case quote(Quote, Int64)
    case unquote(Quote, Int64)
    /// Replaces the note of a quote.
    case noteQuote(String, Quote, Int64)
    /// Restores one of the clips that a transaction deleted, or all of them.
    case restore(Int64?, title: String, of: Int, deletedBy: HistoryToken)
    /// Restores the clips that a row of the history deleted, of which this is the newest transaction.
    case restoreRow(of: Int, endingAt: HistoryToken)
    /// Undoes or redoes a step.
    case revert(UndoStep, UndoSteps.Direction, ContestedUndo)
    /// Restores or dismisses a value that lost to another machine's.
    case resolve(MirrorConflict, restoring: Bool)

    enum Outcome: Sendable {
        /// - Parameter summary: the change, if only the store knows it.
        case done(token: HistoryToken?, clips: [Int64], summary: String? = nil, remark: String? = nil)
        /// The page of the draft is already saved as this clip; nothing was saved.
        case duplicate(ClipDraft, EarlierClip, title: String)
        /// Another process changed the clip during the edit. The value is the clip in the store.
        case conflict(Clip?)
        /// Another process has changed the clips that the step would undo or redo.
        case contested(UndoConflict)
        case failed(String)
        /// A failure that a retry cannot change.
        case impossible(String)

        var token: HistoryToken? { if case .done(let token, _, _, _) = self { token } else { nil } }
    }

    /// The file with the user's text, which exists until the text is saved.
    var form: String? {
        switch self {
        case .add(_, let form), .edit(_, _, _, let form), .recreate(_, _, let form): form
        default: nil
        }
    }
}

/// Committing work to the store.
extension Work {
    /// Saves the work, or retains its text.
    func outcome(in store: ClipStore, _ unsaved: UnsavedWork) async -> Outcome {
        do {
            return try await named(in: store).save(in: store)
        } catch StoreError.tokenExpired {
            guard case .revert(let step, let direction, _) = self else {
                return .impossible("The history of the deleted clips has been purged.")
            }
            return .impossible(step.purgedSentence(direction))
        } catch {
            let sentence = await Self.sentence(error, in: store)
            let work = await determined(in: store)
            return .failed(unsaved.retain(work, because: store.readOnlyReason?.readOnlyReason ?? sentence))
        }
    }

    /// The work with the value that a flag of its only clip would have got.
    private func determined(in store: ClipStore) async -> Work {
        guard case .toggle(let attribute, nil, let ids, _) = self, ids.count == 1,
            let clip = try? await store.clip(ids[0])
        else { return self }
        let isOn =
            switch attribute {
            case .starred: clip.isStarred
            case .archived: clip.isArchived
            default: clip.isUnread
            }
        return .toggle(attribute, to: !isOn, ids, title: clip.displayTitle)
    }

    /// The work with the title that its only clip has now.
    private func named(in store: ClipStore) async -> Work {
        guard chosen.count == 1, let title = (try? await store.titles(of: chosen))?[chosen[0]] else {
            return self
        }
        return switch self {
        case .toggle(let attribute, let value, let ids, _): .toggle(attribute, to: value, ids, title: title)
        case .tag(let ids, let adding, let removing, _):
            .tag(ids, adding: adding, removing: removing, title: title)
        case .delete(let ids, _): .delete(ids, title: title)
        default: self
        }
    }

    private func save(in store: ClipStore) async throws -> Outcome {
        switch self {
        case .add(let draft, _):
            let (id, earlier, token) = try await store.add(draft)
            guard let first = earlier.first else { return .done(token: token, clips: [id]) }
            let title = await Self.title(of: first.id, in: store)
            return .done(token: token, clips: [id], remark: "the page is already saved as \(title)")
        case .addPage(let draft, merges: true):
            let merged = try await store.merge(draft)
            let clip = merged.value.clip
            let title = await Self.title(of: clip, in: store)
            let unarchived = merged.value.isUnarchived ? " and unarchived it" : ""
            let summary = merged.value.isMerged ? "merged the URL into \(title)\(unarchived)" : self.summary
            let unchanged = "the page is already saved as \(title); the URL adds nothing new."
            return .done(
                token: merged.token, clips: [clip], summary: merged.token == nil ? unchanged : summary)
        case .addPage(let draft, merges: false):
            let (id, earlier, token) = try await store.addUnlessSaved(draft)
            guard let id else {
                let title = await Self.title(of: earlier[0].id, in: store)
                return .duplicate(draft, earlier[0], title: title)
            }
            return .done(token: token, clips: [id])
        case .edit(let clip, let changes, _, _):
            do {
                let result = try await store.update(clip.id, version: clip.version, changes)
                return .done(token: result.token, clips: [clip.id])
            } catch {
                guard case .conflict(let conflicts) = error else { throw error }
                return .conflict(conflicts.first?.stored.map(Clip.init(_:)))
            }
        case .recreate(let clip, let form, _):
            let result = try await store.restore(clip, with: form.changes(from: clip))
            return .done(token: result.token, clips: [clip.id])
        case .open(let ids): return .done(token: try await store.markAsOpened(ids).token, clips: [])
        case .markAllRead(let query):
            let read = try await store.markAsRead(query)
            let subject = await Self.subject(changed: read.value, in: store)
            let summary = read.value.isEmpty ? "no clip of the list is unread." : "marked \(subject) as read"
            return .done(token: read.token, clips: [], summary: summary)
        case .toggle(let attribute, let value, let ids, let title):
            let toggled = try await store.toggle(attribute, to: value, of: ids)
            let (isOn, changed) = toggled.value
            guard !changed.isEmpty else {
                let count = try await store.existing(ids)
                guard count > 0 else { return .impossible(Self.deleted(ids, title)) }
                let (subject, verb) = (Self.subject(count, of: ids, title), count == 1 ? "is" : "are")
                return .done(token: nil, clips: [], summary: "\(subject) \(verb) unchanged.")
            }
            let subject = await Self.subject(changed: changed, of: ids, title, in: store)
            let summary = Self.summary(of: attribute, isOn: isOn, subject)
            return .done(token: toggled.token, clips: ids.count == 1 ? ids : [], summary: summary)
        case .tag(let ids, let adding, let removing, let title):
            let tagged = try await store.tag(ids, adding: adding, removing: removing)
            let (changed, change) = tagged.value
            guard !changed.isEmpty else {
                let count = try await store.existing(ids)
                guard count > 0 else { return .impossible(Self.deleted(ids, title)) }
                let subject = Self.subject(count, of: ids, title)
                return .done(token: nil, clips: [], summary: "the tags of \(subject) are unchanged.")
            }
            let subject = await Self.subject(changed: changed, of: ids, title, in: store)
            let lacking = TagChange(adding: [], removing: removing.filter { !change.removing.contains($0) })
            return .done(
                token: tagged.token, clips: [], summary: change.sentence(subject), remark: lacking.remark)
        case .delete(let ids, let title):
            let result = try await store.delete(ids)
            guard let token = result.token else { return .impossible(Self.deleted(ids, title)) }
            let subject = Self.subject(result.value.count, of: ids, title)
            // Only the history has the title of the only one of several.
            let only = result.value.count == 1 && ids.count > 1
            let known = only ? (try? await store.changeDescription(of: token)).flatMap(\.self) : nil
            return .done(token: token, clips: [], summary: known ?? "deleted \(subject)")
        case .nothing(let ids, let title, let sentence):
            guard try await store.existing(ids) > 0 else { return .impossible(Self.deleted(ids, title)) }
            return .done(token: nil, clips: [], summary: sentence)
        case .quote(let quote, let clip):
            let added = try await store.add(quote, to: clip)
            guard added.value else {
                return .impossible(Self.deleted([clip], (try? await store.titles(of: [clip]))?[clip] ?? ""))
            }
            return .done(token: added.token, clips: [clip])
        case .unquote(let quote, let clip):
            let deleted = try await store.change(quote, of: clip, note: nil)
            guard deleted.value else { return .impossible(Self.alreadyDeleted(quote)) }
            return .done(token: deleted.token, clips: [clip])
        case .noteQuote(let note, let quote, let clip):
            let changed = try await store.change(quote, of: clip, note: note)
            guard changed.value else { return .impossible(Self.alreadyDeleted(quote)) }
            return .done(token: changed.token, clips: [clip])
        case .restore(let clip, _, let count, let token):
            let result = try await store.restore(clip, deletedBy: token)
            let share = clip == nil || count < 2 ? "" : ", 1 of \(count.grouped) deleted clips"
            return await Self.restored(result, of: token, share: share, in: store)
        case .restoreRow(_, let token):
            return await Self.restored(try await store.restore(rowEndingAt: token), of: token, in: store)
        case .resolve(let conflict, let restoring):
            return .done(token: try await store.resolve(conflict, restoring: restoring), clips: [])
        case .revert(let step, let direction, let contested):
            let result = try await store.undo(
                step.token, isRedoing: direction == .redo, contested: contested)
            switch result {
            case .contested(let conflict): return .contested(conflict)
            case .saved(let saved):
                let share = saved.count == 1 ? "" : " to \(saved.repeated.counted("clip"))"
                let remarks = [
                    saved.deleted == 0 ? nil : "\(saved.deleted.counted("clip")) deleted since",
                    saved.repeated == 0
                        ? nil : "others have \(direction == .undo ? "" : "un")done it again\(share)",
                ].compactMap(\.self)
                return .done(
                    token: saved.token, clips: saved.restored.sorted(),
                    summary: try await store.description(
                        step.summary, ofClips: saved.clips, of: saved.count),
                    remark: remarks.isEmpty ? nil : remarks.joined(separator: " · "))
            }
        }
    }

    private static func restored(
        _ result: Written<[Int64]>, of token: HistoryToken, share: String = "", in store: ClipStore
    ) async -> Outcome {
        let ids = result.value
        guard !ids.isEmpty else {
            let change = (try? await store.changeDescription(of: token)).flatMap(\.self)
            let subject = change.map { " of: \($0)" } ?? ""
            return .impossible("Nothing is left to restore\(subject). The clips exist.")
        }
        let title = ids.count == 1 ? try? await store.clip(ids[0]).displayTitle : nil
        let subject = title.map { Clip.quoted($0) } ?? ids.count.counted("clip")
        return .done(token: result.token, clips: ids, summary: "restored \(subject)\(share)")
    }

    private static func sentence(_ error: any Error, in store: ClipStore) async -> String {
        guard case StoreError.conflict(let conflicts) = error, let conflict = conflicts.first else {
            return error.sentence
        }
        let clip = conflict.objectID.key
        let title = (try? await store.titles(of: [clip]))?[clip].map { Clip.quoted($0) } ?? "the clip"
        let verb = conflict.stored == nil ? "deleted" : "changed"
        return "Another process \(verb) \(title). Nothing was saved."
    }
}

/// The words of reports.
extension Work {
    /// The change as it is known without the store, such as `deleted “Title”`.
    var summary: String {
        switch self {
        case .add(let draft, _), .addPage(let draft, _):
            "saved \(Clip.quoted(draft.displayTitle))"
        case .edit(_, _, let summary, _): summary
        case .recreate(let clip, _, _): "restored \(Clip.quoted(clip.displayTitle))"
        case .delete(let ids, let title): "deleted \(Self.subject(ids.count, of: ids, title))"
        case .quote(let quote, _): "quoted \(Clip.quoted(quote.text))"
        case .noteQuote(let note, let quote, _):
            "\(quote.note.isEmpty ? "added" : note.isEmpty ? "deleted" : "changed") the note of \(Clip.quoted(quote.text))"
        case .unquote(let quote, _): "deleted the quote \(Clip.quoted(quote.text))"
        case .revert(let step, _, _): step.summary
        case .resolve(let conflict, let restoring):
            "\(restoring ? "restored" : "kept") the \(conflict.attribute)\(conflict.ofClip(restoring: restoring))"
        case .restore(_, let title, _, _) where !title.isEmpty: "restored \(Clip.quoted(title))"
        case .restore(.some, _, _, _): "restored the deleted clip"
        case .restore(nil, _, let count, _), .restoreRow(let count, _):
            "restored \(count.grouped) deleted \(count == 1 ? "clip" : "clips")"
        case .toggle(let attribute, let isOn?, let ids, let title):
            Self.summary(of: attribute, isOn: isOn, Self.subject(ids.count, of: ids, title))
        case .toggle(let attribute, _, let ids, let title):
            Self.summary(of: attribute, isOn: nil, Self.subject(ids.count, of: ids, title))
        case .tag(let ids, let adding, let removing, let title):
            TagChange(adding: adding, removing: removing).sentence(Self.subject(ids.count, of: ids, title))
        case .open, .markAllRead: "marked clips as read"
        case .nothing(_, _, let sentence): sentence
        }
    }

    /// The summary, and whether it is undone or redone.
    var sentence: String {
        guard case .revert(_, let direction, _) = self else { return summary }
        return "\(direction == .undo ? "undid" : "redid"): \(summary)"
    }

    /// The words before the reason why the work was not saved.
    var failure: String {
        switch self {
        case .revert(_, let direction, _): "Not \(direction.participle): \(summary). "
        case .nothing: ""
        case .add(let draft, _), .addPage(let draft, _): "\(Clip.quoted(draft.displayTitle)) was not saved. "
        case .edit(let clip, _, _, _), .recreate(let clip, _, _):
            "Your edit of \(Clip.quoted(clip.displayTitle)) was not saved. "
        case .quote(let quote, _): "The quote \(Clip.quoted(quote.text)) was not saved. "
        case .noteQuote(_, let quote, _): "The note of \(Clip.quoted(quote.text)) was not saved. "
        default: "Not saved: \(summary). "
        }
    }

    /// - Parameter isOn: The new value; nil if only the store knows it.
    private static func summary(of attribute: ClipAttribute, isOn: Bool?, _ subject: String) -> String {
        func word(_ on: String, _ off: String) -> String { isOn.map { $0 ? on : off } ?? "\(on) or \(off)" }
        return switch attribute {
        case .starred: "\(word("starred", "unstarred")) \(subject)"
        case .archived: "\(word("archived", "unarchived")) \(subject)"
        default: "marked \(subject) as \(word("unread", "read"))"
        }
    }

    private static func alreadyDeleted(_ quote: Quote) -> String {
        "The quote \(Clip.quoted(quote.text)) is already deleted. Nothing was changed."
    }

    static func deleted(_ ids: [Int64], _ title: String) -> String {
        let verb = ids.count == 1 ? "is" : "are"
        return "\(subject(ids.count, of: ids, title).sentence) \(verb) already deleted. Nothing was changed."
    }

    private static func subject(_ count: Int, of ids: [Int64], _ title: String) -> String {
        ids.count == 1 ? title.isEmpty ? "the clip" : Clip.quoted(title) : count.counted("clip")
    }

    /// Returns the title of the only clip that changed, or the number of them.
    ///
    /// - Parameter title: The title of the only chosen clip; empty if the list does not have it.
    private static func subject(
        changed: [Int64], of ids: [Int64] = [], _ title: String = "", in store: ClipStore
    ) async -> String {
        guard changed.count == 1, ids.count != 1, let clip = try? await store.clip(changed[0]) else {
            return subject(changed.count, of: ids, title)
        }
        return Clip.quoted(clip.displayTitle)
    }

    private static func title(of clip: Int64, in store: ClipStore) async -> String {
        (try? await store.clip(clip)).map { Clip.quoted($0.displayTitle) } ?? "another clip"
    }

    /// Leaves out clips of a change that may be of several.
    mutating func removeClips(_ clips: Set<Int64>) {
        let left = chosen.filter { !clips.contains($0) }
        switch self {
        case .toggle(let attribute, let value, _, _): self = .toggle(attribute, to: value, left, title: "")
        case .tag(_, let adding, let removing, _):
            self = .tag(left, adding: adding, removing: removing, title: "")
        case .delete: self = .delete(left, title: "")
        default: break
        }
    }

    /// The clips of a change that may be of several.
    var chosen: [Int64] {
        switch self {
        case .toggle(_, _, let ids, _), .tag(let ids, _, _, _), .delete(let ids, _): ids
        default: []
        }
    }

}
