import ClipsCore
import PersistentStore

/// The answer to an edit of a clip that another process has changed since.
enum ConflictAnswer: Character, CaseIterable, Sendable {
    case merge = "b"
    case keepMine = "m"
    case takeTheirs = "t"
    case editBoth = "e"
    case later = "l"

    /// - Parameter isDeletion: Whether the other process deleted the clip.
    func label(isDeletion: Bool) -> String {
        switch self {
        case .keepMine where isDeletion: "mine: restore the clip as you left it"
        case .takeTheirs where isDeletion: "theirs: leave the clip deleted"
        case .merge: "both: their changes and yours, yours where both changed"
        case .keepMine: "mine: the clip as you left it"
        case .takeTheirs: "theirs: the clip in the store"
        case .editBoth: "edit again: both texts in your editor"
        case .later: "later: save nothing, and retain your text"
        }
    }
}

/// Both versions of a clip after a conflict, and the version that they are based on.
struct EditConflict: Sendable {
    struct Field: Hashable, Sendable {
        let attribute: ClipAttribute
        let base, mine, theirs: String

        var isMine: Bool { mine != base }
        var isTheirs: Bool { theirs != base }
        /// Whether both changed it, to different values.
        var isClash: Bool { isMine && isTheirs && mine != theirs }
    }

    /// The clip before the edit.
    let base: Clip
    /// The clip in the store; nil if it was deleted.
    var stored: Clip?
    let mine: ClipForm
    /// The file with the user's text.
    let form: String?

    var formHint: String { form.map { " Your text is in \($0)." } ?? "" }

    init(base: Clip, stored: Clip?, changes: [ClipAttribute: AttributeValue], form: String?) {
        (self.base, self.stored, self.form) = (base, stored, form)
        var mine = ClipForm(base)
        for (attribute, value) in changes { mine[attribute] = value.textValue ?? "" }
        self.mine = mine
    }

    /// The attributes that either side changed.
    var fields: [Field] {
        let (old, theirs) = (ClipForm(base), stored.map(ClipForm.init(_:)) ?? ClipForm(base))
        return ClipForm.attributes.map { attribute in
            Field(
                attribute: attribute, base: old[attribute], mine: mine[attribute],
                theirs: theirs[attribute])
        }.filter { $0.isMine || $0.isTheirs }
    }

    /// Returns the values to save over theirs.
    func changes(_ answer: ConflictAnswer) -> [ClipAttribute: AttributeValue] {
        var changes: [ClipAttribute: AttributeValue] = [:]
        for field in fields where field.mine != field.theirs && (answer == .keepMine || field.isMine) {
            changes[field.attribute] = .text(field.mine)
        }
        return changes
    }

    /// A form with both changes, marked where both changed the same attribute.
    var formOfBoth: ClipForm {
        var both = stored.map(ClipForm.init(_:)) ?? mine
        for field in fields where field.isMine {
            guard field.isClash else {
                both[field.attribute] = field.mine
                continue
            }
            let isLong = field.attribute == .text || field.attribute == .note
            both[field.attribute] =
                isLong
                ? "<<<<<<< yours\n\(field.mine)\n=======\n\(field.theirs)\n>>>>>>> theirs"
                : field.attribute == .tags
                    ? field.mine + "," + field.theirs : "\(field.mine) <<yours | theirs>> \(field.theirs)"
        }
        return both
    }
}

extension AppState {
    /// The edits whose conflicts the user has not resolved.
    var unansweredEdits: [Work] {
        questions.compactMap { question in
            guard case .edit(let conflict) = question else { return nil }
            return .recreate(conflict.base, conflict.mine, form: conflict.form)
        }
    }

    mutating func update(_ clip: Clip?, _ id: Int64) {
        for (index, question) in questions.enumerated() {
            guard case .edit(var conflict) = question, conflict.base.id == id,
                conflict.stored?.version != clip?.version
            else { continue }
            conflict.stored = clip
            questions[index] = .edit(conflict)
            // The answers to a deletion differ; the first one is selected.
            if index == 0, screen == .conflict { menu = questions[index].menu }
        }
    }

    mutating func resolveEdit(_ answer: ConflictAnswer) {
        guard case .edit(let conflict)? = questions.first else { return }
        let title = Clip.quoted(conflict.base.displayTitle)
        switch answer {
        case .later: return postponeQuestion()
        case .takeTheirs:
            report("Your edit of \(title) was discarded.\(conflict.formHint)")
        case .editBoth:
            emit(.edit(form: conflict.formOfBoth.text, conflict.stored ?? conflict.base))
            // The new form includes the old one.
            if let form = conflict.form { emit(.removeFile(form)) }
        case .merge, .keepMine:
            guard let stored = conflict.stored else {
                start(.recreate(conflict.base, conflict.mine, form: conflict.form))
                break
            }
            let changes = conflict.changes(answer)
            if changes.isEmpty {
                if let form = conflict.form { emit(.removeFile(form)) }
                report("Both edits of \(title) were identical; nothing to save.")
            } else {
                var saved = stored
                if let title = changes[.title]?.textValue { saved.title = title }
                let summary = "edited \(Clip.quoted(saved.displayTitle))"
                start(.edit(stored, changes, summary, form: conflict.form))
            }
        }
        endQuestion()
    }
}
