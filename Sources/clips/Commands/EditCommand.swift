import ClipsCore
import ClipsTerminal
import Glibc
import PersistentStore
import Platform

extension Command {
    static let edit = Command(
        name: "edit",
        summary: "Edits a clip in your editor ($VISUAL, else $EDITOR, else vi).\n"
            + "What somebody else changes meanwhile is kept; where both changed the same, nothing is\n"
            + "saved and your text stays in its file.",
        operands: "ID", options: [], example: "clips edit 12"
    ) { invocation in
        let operands = invocation.arguments.operands
        guard let name = operands.first else { throw UsageError("Which clip? Give its id.") }
        guard operands.count == 1 else { throw UsageError("One clip at a time: give one id.") }
        let store = try await invocation.openStore(author: "cli", mayCreate: false)
        return try await ClipEditing(invocation: invocation, store: store).run(
            try await store.clip(named: name))
    }
}

/// A clip in a file, while a person edits it.
private struct ClipEditing {
    let invocation: Invocation
    let store: ClipStore

    func run(_ clip: Clip) async throws -> ExitStatus {
        let before = ClipForm(clip).text
        guard let path = TextFile.writeTemporary(before) else {
            invocation.fail("No file can be made for the editor. Set TMPDIR to a folder that can be written.")
            return .failed
        }
        let editor = Editor.environment()
        let status = Self.ignoringInterrupts { editor.edit(path) }
        guard let after = TextFile.read(path) else {
            invocation.fail("The edited file \(path) is gone; nothing was saved.")
            return .failed
        }
        guard status == 0 else {
            let ending = status.map { "ended with status \($0)" } ?? "could not be started"
            invocation.fail(
                "The editor '\(editor.line)' \(ending); nothing was saved." + kept(path, before == after))
            return .failed
        }
        let changes = ClipForm(reading: after).changes(from: clip)
        guard !changes.isEmpty else {
            unlink(path)
            invocation.remark("clips: nothing was changed.")
            return .done
        }
        // A signal must not end the program before it has said where the text is.
        PendingInterrupt.hold()
        do {
            return tell(try await store.save(changes, editedFrom: clip), clip.id, path)
        } catch {
            invocation.fail("\(error)" + kept(path, false))
            return PendingInterrupt.isThere ? .interrupted : .failed
        }
    }

    /// ^C is the editor's while it runs: dying of it here would leave the editor without its terminal.
    private static func ignoringInterrupts<Result>(_ body: () -> Result) -> Result {
        let signals = [SIGINT, SIGQUIT].map { ($0, signal($0, SIG_IGN)) }
        defer { for (number, handler) in signals { signal(number, handler) } }
        return body()
    }

    private func tell(_ outcome: EditOutcome, _ id: Int64, _ path: String) -> ExitStatus {
        switch outcome {
        case .saved:
            unlink(path)
            invocation.remark("clips: saved clip \(id).")
            return .done
        case .savedWithOthers(let theirs):
            unlink(path)
            invocation.remark(
                "clips: saved clip \(id); somebody else changed its \(names(theirs)) meanwhile, "
                    + "which is kept too.")
            return .done
        case .clashed(let clashing):
            invocation.fail(
                "Somebody else changed the \(names(clashing)) of clip \(id) meanwhile, and so did you; "
                    + "nothing was saved." + kept(path, false)
                    + " 'clips edit \(id)' begins with what is there now.")
        case .deleted:
            invocation.fail(
                "Clip \(id) was deleted meanwhile; nothing was saved." + kept(path, false)
                    + " 'clips restore \(id)' brings it back.")
        }
        return .failed
    }

    private func names(_ attributes: [ClipAttribute]) -> String {
        attributes.map(\.rawValue).sorted().joined(separator: ", ")
    }

    /// A file with nothing of the person's in it goes.
    private func kept(_ path: String, _ isUnchanged: Bool) -> String {
        guard !isUnchanged else {
            unlink(path)
            return ""
        }
        return " Your text is in \(path)."
    }
}
