import ClipsCore
import Mirroring
import Platform

/// The answer to an undo or redo that would overwrite changes of other processes.
enum UndoAnswer: Character, CaseIterable, Sendable {
    case keepTheirs = "t"
    case overwrite = "m"
    case later = "l"
}

/// An undo or redo that would overwrite changes of other processes.
struct UndoQuestion: Sendable {
    let work: Work
    let conflict: UndoConflict

    private var isRedoing: Bool { if case .revert(_, .redo, _) = work { true } else { false } }

    /// The label of the value after the step, as wide as "theirs".
    var nameOfMine: String { isRedoing ? "redone" : "before" }

    var heading: String {
        let named = conflict.authors.compactMap(\.self).filter { !$0.isEmpty }
        let authors = named.isEmpty ? AuthorName.unknown : named.prefix(3).joined(separator: " and ")
        if conflict.count == 1, let clip = conflict.clips.first {
            return "Changed since by \(authors): “\(clip.title)”"
        }
        return "\(conflict.count.grouped) clips changed since by \(authors)"
    }

    /// The clips that the step would change, as a subject.
    var subject: String {
        guard conflict.count == 1, let clip = conflict.clips.first else {
            return "\(conflict.count.grouped) clips are"
        }
        return "\(Clip.quoted(clip.title)) is"
    }

    var menu: Menu {
        Menu(
            title: isRedoing ? "Redo anyway?" : "Undo anyway?",
            items: UndoAnswer.allCases.map { answer in
                Menu.Item(key: answer.rawValue, label: label(answer), choice: .undo(answer))
            })
    }

    private func label(_ answer: UndoAnswer) -> String {
        let verb = isRedoing ? "redo" : "undo"
        switch answer {
        case .keepTheirs:
            return conflict.hasRest ? "theirs: keep it, and \(verb) the rest" : "theirs: keep it"
        case .overwrite: return "mine: \(verb) all; the history retains theirs"
        case .later: return "later: save nothing, and ask again next time"
        }
    }
}

/// A conflict that waits for the user's answer.
enum OpenQuestion: Sendable {
    case edit(EditConflict)
    case undo(UndoQuestion)
    case mirror(MirrorConflict)

    var menu: Menu {
        switch self {
        case .edit(let conflict): .conflict(isDeletion: conflict.stored == nil)
        case .mirror(let conflict): .mirror(conflict)
        case .undo(let question): question.menu
        }
    }
}

extension AppState {
    mutating func ask(_ question: OpenQuestion) {
        questions.append(question)
        saving.isQuitting = false
    }

    /// Shows the next question once no other is open, so that keys for the open one do not answer it.
    mutating func showWaitingQuestion() {
        guard let question = questions.first, screen != .conflict, screen != .output, prompt == nil,
            menu == nil, typing.ahead.isEmpty, typing.awaitedQuestion == nil
        else { return }
        show(question)
        reconcile()
    }

    mutating func show(_ question: OpenQuestion) {
        screen = .conflict
        menu = question.menu
        page.moveToStart()
    }

    mutating func resolveUndo(_ answer: UndoAnswer) {
        guard case .undo(let question)? = questions.first else { return }
        guard answer != .later else { return postponeQuestion() }
        let contested: ContestedUndo = answer == .overwrite ? .overwrite : .keepTheirs
        if case .revert(let step, let direction, _) = question.work {
            start(.revert(step, direction, contested))
        }
        endQuestion()
    }

    /// Saves nothing. An edited text remains in its file, and an undo can be requested again.
    mutating func postponeQuestion() {
        switch questions.first {
        case .edit(let conflict)?:
            if conflict.form == nil {
                emit(.retain(.recreate(conflict.base, conflict.mine, form: nil)))
            } else {
                let title = Clip.quoted(conflict.base.displayTitle)
                report("Your edit of \(title) was not saved.\(conflict.formHint)", isError: true)
            }
        case .undo(let question)?:
            undoSteps.restore(question.work)
            report("\(question.subject) unchanged; the changes of others remain.")
        case .mirror?:
            questions.removeAll { $0.isOfMirror }
            screen = .list
            return report("The conflicts remain; \(keys.name(of: .conflicts)) shows them again.")
        case nil: return
        }
        endQuestion()
    }

    mutating func endQuestion() {
        questions.removeFirst()
        if let next = questions.first { show(next) } else { screen = .list }
    }
}
