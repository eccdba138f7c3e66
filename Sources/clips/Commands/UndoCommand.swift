import ClipsCore
import PersistentStore
import Platform

extension Command {
    static let undo = Command(
        name: "undo",
        summary: "Undo the last change of the author 'cli', or of --author",
        details:
            "Again, undoes the change before. 'clips history' shows the changes; the app undoes those of 'app'.",
        options: [
            Option("--redo", "redo the last undone change"),
            Option("--force", "overwrite later changes of other authors"),
        ], example: "clips undo"
    ) { invocation in
        let (isRedoing, isForced) = (invocation.arguments.has("--redo"), invocation.arguments.has("--force"))
        let store = try await invocation.openExistingStore()
        let history = try await store.undoHistory(isRedoing: isRedoing)
        guard let step = (isRedoing ? history.redoable : history.undoable).last else {
            invocation.remark("there is nothing to \(isRedoing ? "redo" : "undo").")
            return .incomplete
        }
        let change =
            try await store.changeDescription(of: step.token, isRedoing: isRedoing) ?? "the last change"
        let outcome = try await store.undo(
            step.token, isRedoing: isRedoing, contested: isForced ? .overwrite : .ask)
        guard case .saved(let token, _, _) = outcome else {
            invocation.fail(
                "Other authors have changed the clips since then. Nothing was changed; use --force to overwrite."
            )
            return .failed
        }
        guard token != nil else {
            invocation.fail("Another process has already done it: \(change). Nothing was changed.")
            return .incomplete
        }
        invocation.remark("\(isRedoing ? "redid" : "undid"): \(change).")
        return .done
    }
}
