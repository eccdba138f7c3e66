import ClipsCore
import LiveQuery
import Mirroring
import PersistentStore

/// Open questions, which are asked again, or withdrawn, if what they are about changes.
extension AppState {
    /// Reads what open questions are about again, so that both the screen and the answers are those of the store.
    ///
    /// - Parameter transactions: Those that may have changed it; nil if they are not known.
    mutating func rereadQuestions(after transactions: [TransactionSummary]? = nil) {
        func isAffected(_ clips: [Int64]) -> Bool {
            transactions?.contains { transaction in
                transaction.affects(Set(clips)) || transaction.insertedClips.contains(where: clips.contains)
            } ?? true
        }
        let clips = menu?.clips ?? prompt?.clips ?? []
        if !clips.isEmpty, isAffected(clips) { emit(.findHidden(Set(clips), list.query)) }
        if case .foreignUndo(let step, let direction)? = menu?.items.first?.choice {
            emit(.describeUndo(step, direction))
        }
        var isMirrorAffected = false
        for question in questions {
            switch question {
            case .edit(let conflict):
                if isAffected([conflict.base.id]) { emit(.loadForConflict(conflict.base.id)) }
            case .undo(let undo):
                guard isAffected(undo.conflict.clips.map(\.id)) else { continue }
                // The undo itself finds whether there still is a question.
                replace(
                    { if case .undo(let other) = $0 { other.conflict == undo.conflict } else { false } },
                    by: [])
                start(undo.work)
            case .mirror(let conflict):
                let clip = conflict.object.map { [$0.id.key] } ?? []
                isMirrorAffected = isMirrorAffected || isAffected(clip)
            }
        }
        if isMirrorAffected { emit(.loadConflicts) }
    }

    /// Replaces the questions of a kind, and shows the first one if that was shown.
    private mutating func replace(_ isReplaced: (OpenQuestion) -> Bool, by new: [OpenQuestion]) {
        let isShown = screen == .conflict && questions.first.map(isReplaced) == true
        questions.removeAll(where: isReplaced)
        questions.insert(contentsOf: new, at: isShown ? 0 : questions.count)
        guard isShown else { return }
        menu = nil
        if let first = questions.first { show(first) } else { screen = .list }
    }

    /// Asks about those of the chosen clips that still exist.
    mutating func updateQuestion(deleted: Set<Int64>, hidden: Set<Int64>) {
        let (open, clips) = (menu, menu?.clips ?? prompt?.clips ?? [])
        let left = clips.filter { !deleted.contains($0) }
        guard left.count < clips.count else { return }
        switch open?.items.first?.choice {
        // Nothing prevents the addition any more.
        case .addAnyway(let draft, _)?:
            withdrawMenu("The other clip was deleted, so the page is saved.")
            start(.addPage(draft, merges: false))
        case _ where left.isEmpty:
            // The answer to a prompt says the same, and its letters are no keys.
            (typing.ahead, list.marks.areLost) = ([], false)
            if open != nil { withdrawMenu(alreadyDeleted(clips)) }
        case .delete?:
            let title = list.clips.rows.first { [$0.id] == left }?.title ?? ""
            askToDelete(left, title: title, hidden: hidden.count)
        case .copy?: menu = .copy(left)
        default: prompt?.clips = left
        }
    }

    private mutating func withdrawMenu(_ reason: String) {
        menu = .withdrawn(reason)
        typing.endActions()
    }

    /// Withdraws a question about a step that others have undone.
    mutating func updateQuestion(of step: UndoStep, _ change: ForeignChange?) {
        guard case .foreignUndo(let open, let direction)? = menu?.items.first?.choice,
            open.token == step.token, change?.isVoid ?? true
        else { return }
        withdrawMenu(Self.nothing(to: direction, open.summary, nil))
    }

    /// Shows the present conflicts with other machines if any is shown.
    mutating func updateQuestions(_ conflicts: [MirrorConflict]) {
        guard saving.count == 0, case .mirror(let shown)? = questions.first(where: \.isOfMirror) else {
            return
        }
        let remains = conflicts.contains { $0.id == shown.id }
        let all = conflicts.filter { $0.id == shown.id } + conflicts.filter { $0.id != shown.id }
        guard all.first != shown else { return }
        replace(\.isOfMirror, by: all.map { .mirror($0) })
        if !remains {
            withdrawMenu("The conflict about the \(shown.attribute) was resolved elsewhere.")
        }
    }
}
