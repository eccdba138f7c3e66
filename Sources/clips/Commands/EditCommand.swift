import ClipsCore
import ClipsTerminal
import Glibc
import PersistentStore
import Platform

extension Command {
    static let edit = Command(
        name: "edit",
        summary: "Edit a clip in your editor ($VISUAL, $EDITOR, or vi)",
        details: """
            Changes that another process saves during the edit are retained. If both changed the same \
            field, nothing is saved, and the file with your text is retained.
            """,
        operands: "ID", example: "clips edit 12"
    ) { invocation in
        let store = try await invocation.openExistingStore()
        return try await ClipEditing(invocation: invocation, store: store).run(
            try await store.clip(named: invocation.arguments.operands[0]))
    }
}

/// The edit of a clip in a file.
private struct ClipEditing {
    let invocation: Invocation
    let store: ClipStore

    func run(_ clip: Clip) async throws -> ExitStatus {
        let before = ClipForm(clip).text
        guard let path = TextFile.writeTemporary(before) else {
            return invocation.fail("Cannot create a file for the editor. Set TMPDIR to a writable folder.")
        }
        let editor = Editor.environment()
        // A signal must not end the program before it has reported where the text is.
        PendingInterrupt.hold()
        let status = Self.ignoringInterrupts { editor.edit(path) }
        guard let after = TextFile.read(path) else {
            return notSaved("The edited file \(path) is missing.", to: clip.id, nil)
        }
        guard status == 0 else {
            let ending = status.map { "exited with status \($0)" } ?? "could not be started"
            if after == before { unlink(path) }
            return notSaved("Editor '\(editor.line)' \(ending).", to: clip.id, after == before ? nil : path)
        }
        guard after.contains(where: { !$0.isWhitespace }) else {
            unlink(path)
            return notSaved("The form is empty.", to: clip.id, nil)
        }
        let changes: [ClipAttribute: AttributeValue]
        do throws(ClipForm.Problem) {
            changes = try ClipForm(reading: after).changes(from: clip)
        } catch {
            return notSaved(error.sentence, to: clip.id, path)
        }
        guard !changes.isEmpty else {
            unlink(path)
            guard try await store.existing([clip.id]) > 0 else {
                let name = "Clip \(clip.id) \(Clip.quoted(clip.displayTitle))"
                return invocation.fail("\(name) is already deleted. Nothing was changed.")
            }
            invocation.remark("\(Message.clip(clip.id, titled: clip.displayTitle)) is unchanged.")
            try await invocation.printJSON([clip.id], of: store)
            return .done
        }
        do {
            let outcome = try await store.save(changes, editedFrom: clip)
            let title = (try? await store.clip(clip.id).displayTitle) ?? clip.displayTitle
            let status = report(outcome, clip.id, titled: title, path)
            if status == .done { try await invocation.printJSON([clip.id], of: store) }
            return status
        } catch {
            invocation.fail("\(error.sentence) Your text is in \(path).")
            return PendingInterrupt.isThere ? .interrupted : .failed
        }
    }

    /// ^C belongs to the running editor: if this process ended, the editor would lose its terminal.
    private static func ignoringInterrupts<Result>(_ body: () -> Result) -> Result {
        let signals = [SIGINT, SIGQUIT].map { ($0, signal($0, SIG_IGN)) }
        defer {
            for (number, handler) in signals {
                // Discards one that is held.
                signal(number, SIG_IGN)
                signal(number, handler)
            }
        }
        return body()
    }

    private func report(
        _ outcome: EditOutcome, _ id: Int64, titled title: String, _ path: String
    ) -> ExitStatus {
        let clip = Message.clip(id, titled: title)
        switch outcome {
        case .saved:
            unlink(path)
            invocation.remark("saved \(clip).")
            return .done
        case .savedWithOthers(let theirs):
            unlink(path)
            invocation.remark(
                "saved \(clip), with the \(names(theirs)) that another process changed during the edit.")
            return .done
        case .clashed(let clashing):
            return notSaved(
                "Another process changed the \(names(clashing)) of clip \(id) during the edit.", to: id, path,
                " Run 'clips edit \(id)' to edit the new version.")
        case .deleted:
            return notSaved(
                "Clip \(id) was deleted during the edit.", to: id, path,
                " Run 'clips restore \(id)' to restore it.")
        }
    }

    private func names(_ attributes: [ClipAttribute]) -> String {
        attributes.map(\.rawValue).sorted().joined(separator: ", ")
    }

    private func notSaved(_ reason: String, to clip: Int64, _ path: String?, _ advice: String = "")
        -> ExitStatus
    {
        let text = path.map { " Your text is in \($0)." } ?? ""
        invocation.fail("\(reason) Nothing was saved to clip \(clip).\(text)\(advice)")
        return PendingInterrupt.isThere ? .interrupted : .failed
    }
}
