import ClipsCore

/// What to do about taking back what somebody else has changed since.
enum UndoAnswer: CaseIterable, Sendable {
    case keepTheirs, overwrite, later

    var key: Character {
        switch self {
        case .keepTheirs: "t"
        case .overwrite: "m"
        case .later: "l"
        }
    }
}

/// A step that would overwrite others' work, and the person who is asked.
struct UndoQuestion: Sendable {
    let work: Work
    let conflict: UndoConflict

    private var isRedoing: Bool { if case .redo = work { true } else { false } }

    /// What it would be after the step; as wide as "theirs".
    var nameOfMine: String { isRedoing ? "again " : "before" }

    var heading: String {
        let named = conflict.authors.compactMap(\.self).filter { !$0.isEmpty }
        let who = named.isEmpty ? "another program" : named.prefix(3).joined(separator: " and ")
        if conflict.count == 1, let clip = conflict.clips.first {
            return "Changed since by \(who): “\(clip.title)”"
        }
        return "\(StatusLine.grouped(conflict.count)) clips changed since by \(who)"
    }

    var menu: Menu {
        Menu(
            title: isRedoing ? "Do it again all the same?" : "Take it back all the same?",
            items: UndoAnswer.allCases.map { answer in
                Menu.Item(key: answer.key, label: label(answer), choice: .undo(answer))
            })
    }

    private func label(_ answer: UndoAnswer) -> String {
        let done = isRedoing ? "done again" : "taken back"
        switch answer {
        case .keepTheirs:
            return conflict.hasRest ? "theirs stays, and the rest is \(done)" : "theirs stays as it is now"
        case .overwrite: return "mine: all is \(done); the history keeps theirs"
        case .later: return "later: nothing is saved, and you are asked again"
        }
    }
}

/// What the person is asked about, the oldest question first.
enum OpenQuestion: Sendable {
    case edit(EditConflict)
    case undo(UndoQuestion)

    var menu: Menu {
        switch self {
        case .edit: .conflict
        case .undo(let question): question.menu
        }
    }
}

extension AppState {
    mutating func ask(about conflict: UndoConflict, _ work: Work) {
        ask(.undo(UndoQuestion(work: work, conflict: conflict)))
    }

    mutating func settleUndo(_ answer: UndoAnswer) {
        guard case .undo(let question)? = questions.first else { return }
        guard answer != .later else { return postponeQuestion() }
        let contested: ContestedUndo = answer == .overwrite ? .overwrite : .keepTheirs
        switch question.work {
        case .undo(let step, _): start(.undo(step, contested))
        case .redo(let step, _): start(.redo(step, contested))
        default: break
        }
        endQuestion()
    }
}
