import ClipsCore
import PersistentStore
import Platform
import Terminal

extension Command {
    static let undo = Command(
        name: "undo",
        summary: "Undo the last change of your commands, or of --author",
        details:
            "Again, undoes the change before. Commands write as 'cli' and 'import'; see 'clips history'.",
        options: [
            Option(
                "--since", value: "POINT",
                "undo all changes since a date, or an age such as 1h or '10 minutes ago', newest first"),
            Option("--dry-run", "print the changes only"),
            Option("--redo", "redo the last undone change"),
            Option("--force", "overwrite later changes of other authors"),
        ], example: "clips undo --author mcp:claude-code --since '10 minutes ago'"
    ) { invocation in
        let (isRedoing, isForced) = (invocation.arguments.has("--redo"), invocation.arguments.has("--force"))
        if isRedoing, invocation.arguments.has("--since") {
            throw UsageError("Options --since and --redo exclude each other.")
        }
        var store = try await invocation.openExistingStore()
        if let author = invocation.arguments.value("--author") {
            store = try await store.undoing(shownAs: author)
        }
        let since = try invocation.arguments.value(
            "--since", expected: HistoryPoint.forms, as: HistoryPoint.init)
        if let since { return try await invocation.undo(since: since, of: store, isForced: isForced) }
        // Steps of which nothing is left, since other programs deleted their clips or did the same.
        var (history, passed) = (UndoHistory(), 0)
        while true {
            let steps = isRedoing ? history.redoable : history.undoable
            guard passed < steps.count else {
                guard !history.isComplete else {
                    return invocation.remarkNothing(isRedoing ? "redo" : "undo")
                }
                history = try await store.undoHistory(
                    behind: history, isRedoing: isRedoing, alsoOf: invocation.otherAuthors)
                continue
            }
            let step = steps[steps.count - 1 - passed]
            var change =
                try await store.changeDescription(of: step.token, isRedoing: isRedoing) ?? "the last change"
            if invocation.arguments.has("--dry-run") {
                guard try await store.isVoid(step.token, isRedoing: isRedoing, orDeleted: true) else {
                    invocation.printUndo(change)
                    return .done
                }
            } else {
                let outcome = try await store.undo(
                    step.token, isRedoing: isRedoing, contested: isForced ? .overwrite : .ask)
                let saved: UndoOutcome.Saved
                switch outcome {
                case .contested(let conflict):
                    return invocation.fail(conflict.sentence(isRedoing ? "redo" : "undo", change))
                case .saved(let all):
                    saved = all
                    change = try await store.description(change, ofClips: saved.clips, of: saved.count)
                }
                if saved.token != nil {
                    if invocation.isJSON { invocation.printUndo(change) }
                    let rest =
                        saved.deleted == 0
                        ? "" : "; \(saved.deleted.counted("clip")) of it had been deleted since"
                    invocation.remark("\(isRedoing ? "redid" : "undid"): \(change)\(rest).")
                    return .done
                }
            }
            invocation.remark("nothing is left to \(isRedoing ? "redo" : "undo") of: \(change).")
            guard !isRedoing else { return .failed }
            passed += 1
        }
    }
}

extension Invocation {
    /// The authors of the user's commands other than the one of most: those of agents, mirrors, and other programs
    /// require their name.
    fileprivate var otherAuthors: [String] { arguments.has("--author") ? [] : ["import"] }

    fileprivate func remarkNothing(_ verb: String) -> ExitStatus {
        let hint = arguments.has("--author") ? "" : "; --author NAME \(verb)es changes of another author"
        remark("there is nothing to \(verb)\(hint).")
        return .failed
    }

    fileprivate func printUndo(_ change: String, isPart: Bool = false) {
        let isDry = arguments.has("--dry-run")
        line(SafeText.line(change), json: ["change": change, "dryRun": isDry, "partial": isPart])
    }

    /// Undoes all changes of an author since a point, and prints them.
    fileprivate func undo(
        since point: HistoryPoint, of store: ClipStore, isForced: Bool
    ) async throws -> ExitStatus {
        let steps = try await store.undoable(since: point.start, alsoOf: otherAuthors)
        if arguments.has("--dry-run") {
            for step in steps.reversed() {
                printUndo(try await store.changeDescription(of: step.token) ?? "a change")
            }
        }
        guard !steps.isEmpty, !arguments.has("--dry-run") else {
            return steps.isEmpty ? remarkNothing("undo") : .done
        }
        let result = try await store.undo(steps, overwrites: isForced) { change, isPart in
            if isJSON { printUndo(change, isPart: isPart) }
            remark("\(isPart ? "undid a part of" : "undid"): \(change).")
        }
        guard result.contested > 0 else { return .done }
        return fail(
            "Other authors have changed the clips of \(result.contested.counted("change")) since then; their values remain. Use --force to \(result.leavesClips ? "overwrite them, and to delete the clips that the changes saved" : "overwrite")."
        )
    }
}

extension UndoConflict {
    /// Returns a refusal to undo or redo a change.
    fileprivate func sentence(_ verb: String, _ change: String) -> String {
        let deletions = clips.count { $0.isDeletion }
        let names =
            clips.count == 1
            ? Message.clip(clips[0].id, titled: clips[0].title) : count.counted("clip")
        let author =
            authors.count == 1
            ? authors[0].map { "\($0) has" } ?? "Another program has" : "Other authors have"
        let (changes, them) = count == 1 ? ("this change", "this clip") : ("these changes", "these clips")
        let effect =
            switch deletions {
            case 0: "overwrite \(changes)"
            case clips.count: "undo it anyway, which deletes \(them) with \(changes)"
            default: "overwrite \(changes), and to delete the saved clips"
            }
        return
            "Cannot \(verb): \(change). \(author) changed \(names) since then. Nothing was changed; use --force to \(effect)."
    }
}
