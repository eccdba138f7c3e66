import ClipsCore
import PersistentStore

/// What to do about an edit of a clip that somebody else changed meanwhile.
enum ConflictAnswer: CaseIterable, Sendable {
    case merge, keepMine, takeTheirs, editBoth, later

    var key: Character {
        switch self {
        case .merge: "b"
        case .keepMine: "m"
        case .takeTheirs: "t"
        case .editBoth: "e"
        case .later: "l"
        }
    }

    var label: String {
        switch self {
        case .merge: "both: their changes and yours, yours where they meet"
        case .keepMine: "mine: the clip as you left it"
        case .takeTheirs: "theirs: what is in the store now"
        case .editBoth: "edit again, with both texts in your editor"
        case .later: "later: nothing is saved, your text is kept"
        }
    }
}

/// Both sides of such an edit, and what they began from.
struct EditConflict: Sendable {
    struct Field: Hashable, Sendable {
        let attribute: ClipAttribute
        let base, mine, theirs: String

        var isMine: Bool { mine != base }
        var isTheirs: Bool { theirs != base }
        /// Both changed it, to different things.
        var isClash: Bool { isMine && isTheirs && mine != theirs }
    }

    /// As the person found it.
    let base: Clip
    /// As it is in the store; nil when somebody deleted it.
    let stored: Clip?
    let mine: ClipForm
    let form: String?

    init(base: Clip, stored: Clip?, changes: [ClipAttribute: Value], form: String?) {
        (self.base, self.stored, self.form) = (base, stored, form)
        var mine = ClipForm(base)
        for (attribute, value) in changes { mine[attribute] = value.textValue ?? "" }
        self.mine = mine
    }

    /// What one of the two changed.
    var fields: [Field] {
        let (old, theirs) = (ClipForm(base), stored.map(ClipForm.init(_:)) ?? ClipForm(base))
        return ClipForm.attributes.map { attribute in
            Field(
                attribute: attribute, base: old[attribute], mine: mine[attribute],
                theirs: theirs[attribute])
        }.filter { $0.isMine || $0.isTheirs }
    }

    /// What has to be written over theirs.
    func changes(_ answer: ConflictAnswer) -> [ClipAttribute: Value] {
        var changes: [ClipAttribute: Value] = [:]
        for field in fields where field.mine != field.theirs && (answer == .keepMine || field.isMine) {
            changes[field.attribute] = .text(field.mine)
        }
        return changes
    }

    /// Both changes in one form; where they meet, both stand there with a sign.
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

extension ClipForm {
    static let attributes: [ClipAttribute] = [.title, .url, .tags, .note, .text]

    /// The text of an attribute as the store has it.
    subscript(_ attribute: ClipAttribute) -> String {
        get {
            switch attribute {
            case .title: title
            case .url: url
            case .tags: Tags(tags).joined
            case .note: note
            case .text: body
            default: ""
            }
        }
        set {
            switch attribute {
            case .title: title = newValue
            case .url: url = newValue
            case .tags: tags = Tags(joined: newValue).names
            case .note: note = newValue
            case .text: body = newValue
            default: break
            }
        }
    }
}

extension AppState {
    /// Edits about which the user was asked and did not decide.
    var unansweredEdits: [Work] {
        questions.compactMap { question in
            guard case .edit(let conflict) = question else { return nil }
            return .bringBack(conflict.base, conflict.mine, form: conflict.form)
        }
    }

    mutating func ask(about conflict: EditConflict) { ask(.edit(conflict)) }

    mutating func ask(_ question: OpenQuestion) {
        questions.append(question)
        isQuitting = false
    }

    /// Asks as soon as no other question is open: keys meant for that one must not answer this.
    mutating func showWaitingQuestion() {
        guard let question = questions.first, screen != .conflict, prompt == nil, menu == nil,
            feed.typedAhead.isEmpty
        else { return }
        showQuestion(question)
        settle()
    }

    private mutating func showQuestion(_ question: OpenQuestion) {
        screen = .conflict
        menu = question.menu
        pageOfText.moveToStart()
    }

    mutating func settleConflict(_ answer: ConflictAnswer) {
        guard case .edit(let conflict)? = questions.first else { return }
        switch answer {
        case .later: return postponeQuestion()
        case .takeTheirs:
            let kept = conflict.form.map { " Your text is kept in \($0)." } ?? ""
            tell("Theirs stays.\(kept)")
        case .editBoth:
            emit(.edit(form: conflict.formOfBoth.text, conflict.stored ?? conflict.base))
            // The new form holds all of the old one.
            if let form = conflict.form { emit(.removeFile(form)) }
        case .merge, .keepMine:
            let title = String(conflict.mine.title.prefix(40))
            let what = "edited “\(title)”"
            guard let stored = conflict.stored else {
                start(.bringBack(conflict.base, conflict.mine, form: conflict.form))
                break
            }
            let changes = conflict.changes(answer)
            if changes.isEmpty {
                if let form = conflict.form { emit(.removeFile(form)) }
                tell("Both changed the same; nothing had to be saved.")
            } else {
                start(.edit(stored, changes, what, form: conflict.form))
            }
        }
        endQuestion()
    }

    /// Leaves the store as it is; the person's text stays in its file, and what was to be taken back can be again.
    mutating func postponeQuestion() {
        switch questions.first {
        case .edit(let conflict)?:
            let kept = conflict.form.map { " Your text is kept in \($0)." } ?? ""
            tell("Nothing was saved.\(kept)", isError: true)
        case .undo(let question)?:
            giveBack(question.work)
            tell("Nothing was saved; what they changed stays.")
        case nil: return
        }
        endQuestion()
    }

    mutating func endQuestion() {
        questions.removeFirst()
        if let next = questions.first { showQuestion(next) } else { screen = .list }
    }
}
