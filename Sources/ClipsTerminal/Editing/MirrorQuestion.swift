import ClipsCore
import Mirroring
import PersistentStore

/// The answer to an edit that lost to one on another machine.
enum MirrorAnswer: Character, CaseIterable, Sendable {
    case keep = "k"
    case restore = "r"
    case later = "l"

    var label: String {
        switch self {
        case .keep: "keep: the clip as it is now"
        case .restore: "restore: the lost value, on all machines"
        case .later: "later: change nothing, and ask again"
        }
    }
}

extension Menu {
    static func mirror(_ conflict: MirrorConflict) -> Menu {
        let answers = MirrorAnswer.allCases.filter { $0 != .restore || conflict.object != nil }
        return Menu(
            title: "Choose the \(conflict.attribute)",
            items: answers.map { Item(key: $0.rawValue, label: $0.label, choice: .mirror($0)) })
    }
}

extension MirrorConflict {
    /// The clip of the conflict, if it exists, after the answer.
    func ofClip(restoring: Bool) -> String {
        guard entity == ClipModel.entity, let object else { return "" }
        var clip = Clip(object)
        if restoring, attribute == ClipAttribute.title.rawValue { clip.title = value.textValue ?? "" }
        return " of \(Clip.quoted(clip.displayTitle))"
    }
}

extension OpenQuestion {
    var isOfMirror: Bool { if case .mirror = self { true } else { false } }
}

extension AppState {
    mutating func loadConflicts() {
        typing.awaitedQuestion = .conflicts
        emit(.loadConflicts)
    }

    mutating func ask(_ conflicts: [MirrorConflict]) {
        sync.conflicts = conflicts.count
        guard typing.awaitedQuestion == .conflicts else { return updateQuestions(conflicts) }
        guard opens(.conflicts) else { return }
        guard !conflicts.isEmpty else { return report("There are no conflicts with other machines.") }
        questions.removeAll { $0.isOfMirror }
        questions += conflicts.map { .mirror($0) }
        show(questions[0])
    }

    mutating func resolveMirrored(_ answer: MirrorAnswer) {
        guard case .mirror(let conflict)? = questions.first else { return }
        guard answer != .later else { return postponeQuestion() }
        sync.conflicts = max(0, sync.conflicts - 1)
        start(.resolve(conflict, restoring: answer == .restore))
        endQuestion()
    }
}
