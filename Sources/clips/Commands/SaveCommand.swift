import ClipsCore
import PersistentStore

extension Command {
    static let add = save(
        "add", author: "cli",
        summary: "Save a clip and print its ID; text may be piped in",
        details: "Creates a missing store; commands that only read do not.",
        example: "clips add --url https://swift.org --title Swift --tag language")

    static let `extension` = save(
        "extension", author: "extension",
        summary: "Save a clip as the author 'extension', like the app's extension",
        example: "clips extension --title 'Release notes' < notes.txt")

    private static func save(
        _ name: String, author: String, summary: String, details: String = "", example: String
    ) -> Command {
        Command(
            name: name, summary: summary, details: details,
            options: [
                Option("--url", value: "URL", "page URL"),
                Option("--title", value: "TEXT", "title"),
                Option("--text", value: "TEXT", "text; piped input by default, or with '-'"),
                Option("--note", value: "TEXT", "note"),
                Option("--tag", value: "NAME", "tag; may be repeated"),
                .duplicates,
                Option("--jsonl", "read JSON objects, one per line, like 'list --json'"),
                Option("--strict", "with --jsonl, save all lines or none"),
            ], example: example
        ) { invocation in
            // A wrong option is reported before anything is read.
            _ = try invocation.duplicates()
            guard !invocation.arguments.has("--jsonl") else {
                return try await JSONLinesImport(invocation: invocation, author: author, command: name).run()
            }
            return try await saveOne(invocation, author: author, command: name)
        }
    }

    private static func saveOne(
        _ invocation: Invocation, author: String, command: String
    ) async throws -> ExitStatus {
        var draft = try draft(of: invocation)
        let retention = Retention(invocation, command: command, author: author)
        var bytes: [UInt8] = []
        // From here on, a signal must not lose the input.
        PendingInterrupt.hold()
        do {
            if takesText(invocation) { try StandardInput.readAll(into: &bytes, limit: ClipDraft.largestText) }
            if bytes.count > ClipDraft.largestText {
                invocation.fail("The input exceeds \(ClipDraft.largestText >> 20) MB. Nothing was saved.")
                if StandardInput.comesOnce { retention.retain(draft, longText: bytes) }
                retention.report()
                return PendingInterrupt.isThere ? .interrupted : .failed
            }
            readText(bytes, into: &draft, invocation)
            guard !draft.isEmpty else { throw ClipError.emptyClip }
            return report(
                try await save(draft, try await invocation.openStore(author: author), invocation), invocation)
        } catch let error as UsageError {
            throw error
        } catch {
            if let error = error as? InputError {
                // Nothing was entered.
                if error.isInterruption && bytes.isEmpty { return .interrupted }
                readText(bytes, into: &draft, invocation)
            }
            invocation.fail("\(error)")
            retention.retain([draft])
            retention.report()
            return PendingInterrupt.isThere ? .interrupted : .failed
        }
    }

    /// The arguments are checked before standard input is read.
    private static func draft(of invocation: Invocation) throws(UsageError) -> ClipDraft {
        let arguments = invocation.arguments
        var draft = ClipDraft()
        draft.url = arguments.value("--url") ?? ""
        draft.title = arguments.value("--title") ?? ""
        draft.note = arguments.value("--note") ?? ""
        draft.tags = try invocation.tags()
        draft.text = takesText(invocation) ? "" : arguments.value("--text") ?? ""
        return draft
    }

    private static func takesText(_ invocation: Invocation) -> Bool {
        switch invocation.arguments.value("--text") {
        case nil: StandardInput.isPiped
        case "-": true
        default: false
        }
    }

    private static func readText(_ bytes: [UInt8], into draft: inout ClipDraft, _ invocation: Invocation) {
        guard !bytes.isEmpty else { return }
        draft.text = String(decoding: bytes, as: UTF8.self)
        if draft.text.utf8.count != bytes.count {
            invocation.remark("the text is not valid UTF-8; invalid bytes are replaced by \u{FFFD}.")
        }
    }

    private static func save(
        _ draft: ClipDraft, _ store: ClipStore, _ invocation: Invocation
    ) async throws -> (ids: [Int64], remark: String?) {
        if let policy = try invocation.duplicates() {
            let (ids, outcome) = try await store.add([draft], duplicates: policy)
            return (ids, remark(outcome).map { "this URL already exists; \($0)." })
        }
        let (id, earlier, _) = try await store.add(draft)
        return ([id], earlier.first.map { "this URL already exists in clip \($0); both are retained." })
    }

    /// The clip is saved, whether or not its ID can be printed.
    private static func report(_ saved: (ids: [Int64], remark: String?), _ invocation: Invocation)
        -> ExitStatus
    {
        if let remark = saved.remark { invocation.remark(remark) }
        invocation.output.surviveReader()
        for id in saved.ids { invocation.output.line("\(id)") }
        do {
            try invocation.output.flush()
            return .done
        } catch {
            let ids = saved.ids.map(String.init).joined(separator: ", ")
            invocation.fail("Saved as \(ids), but standard output could not be written: \(error.reason).")
            return .failed
        }
    }

    private static func remark(_ outcome: DuplicateOutcome) -> String? {
        if outcome.merged > 0 { return "the clips are merged" }
        if outcome.replaced > 0 { return "its clip is replaced" }
        if outcome.skipped > 0 { return "its clip is unchanged" }
        if outcome.unchanged > 0 { return "the clip adds nothing new" }
        return outcome.addedAsDuplicate > 0 ? "both clips are retained" : nil
    }
}
