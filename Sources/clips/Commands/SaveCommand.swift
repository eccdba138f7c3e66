import ClipsCore
import Glibc
import PersistentStore

extension Command {
    static let add = save(
        "add", author: "cli",
        summary: "Saves a clip; text may be piped in. Prints its id.\n"
            + "Creates a missing store; commands that only read never do.",
        example: "clips add --url https://swift.org --title Swift --tag language")

    static let `extension` = save(
        "extension", author: "extension",
        summary: "Saves a clip as the app's extension would, under the author 'extension'.",
        example: "clips extension --title 'Release notes' < notes.txt")

    private static func save(_ name: String, author: String, summary: String, example: String) -> Command {
        Command(
            name: name, summary: summary, operands: "",
            options: [
                Option("--url", value: "URL", "the address"),
                Option("--title", value: "TEXT", "the title"),
                Option("--text", value: "TEXT", "the text; '-' or nothing reads what is piped in"),
                Option("--note", value: "TEXT", "a note of your own"),
                Option("--tag", value: "NAME", "a tag; may be repeated"),
                Option(
                    "--duplicates", value: "HOW", "an address that is there: keep both, merge, replace, skip",
                    choices: DuplicatePolicy.allCases.map(\.rawValue)),
                Option("--jsonl", "a JSON object a line, as 'list --json' prints, from standard input"),
                Option("--strict", "with --jsonl: all lines or none"),
            ], example: example
        ) { invocation in
            // A wrong word is told before anything is read.
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
        let saved: Saved
        var bytes: [UInt8] = []
        do {
            if takesText(invocation) { try StandardInput.readAll(into: &bytes, limit: ClipDraft.largestText) }
            // From here on everything there is to lose is ours.
            PendingInterrupt.hold()
            if bytes.count > ClipDraft.largestText {
                invocation.fail(
                    "The input is longer than \(ClipDraft.largestText >> 20) MB; nothing was saved.")
                if StandardInput.comesOnce { retention.retain(draft, longText: bytes) }
                retention.report()
                return PendingInterrupt.isThere ? .interrupted : .failed
            }
            readText(bytes, into: &draft, invocation)
            guard !draft.isEmpty else { throw ClipError.emptyClip }
            saved = try await save(draft, try await invocation.openStore(author: author), invocation)
        } catch let error as UsageError {
            throw error
        } catch {
            if error is InputError { readText(bytes, into: &draft, invocation) }
            invocation.fail("\(error)")
            retention.retain([draft])
            retention.report()
            return PendingInterrupt.isThere ? .interrupted : .failed
        }
        return report(saved, invocation)
    }

    private struct Saved {
        let ids: [Int64]
        let remark: String?
    }

    /// Only the arguments: reading standard input is for when they are right.
    private static func draft(of invocation: Invocation) throws(UsageError) -> ClipDraft {
        let arguments = invocation.arguments
        if let operand = arguments.operands.first {
            throw UsageError("'\(operand)' is not understood: name what it is, as in --url or --title.")
        }
        var draft = ClipDraft()
        draft.url = arguments.value("--url") ?? ""
        draft.title = arguments.value("--title") ?? ""
        draft.note = arguments.value("--note") ?? ""
        draft.tags = arguments.all("--tag")
        guard !Tags.hasComma(draft.tags) else {
            throw UsageError("A tag cannot have a comma. Give --tag once for each tag.")
        }
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
            invocation.remark(
                "clips: the text is not all UTF-8; what could not be read is marked with \u{FFFD}.")
        }
    }

    private static func save(
        _ draft: ClipDraft, _ store: ClipStore, _ invocation: Invocation
    ) async throws -> Saved {
        if let policy = try invocation.duplicates() {
            let (ids, outcome) = try await store.add([draft], duplicates: policy)
            return Saved(
                ids: ids,
                remark: remark(outcome).map { "clips: this address was saved before; \($0)." })
        }
        let (id, earlier, _) = try await store.add(draft)
        return Saved(
            ids: [id],
            remark: earlier.first.map {
                "clips: this address was saved before, as clip \($0); both are kept."
            })
    }

    /// The clip is saved, whether or not its id can be printed.
    private static func report(_ saved: Saved, _ invocation: Invocation) -> ExitStatus {
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
        if outcome.merged > 0 { return "the two are one clip now" }
        if outcome.replaced > 0 { return "the clip is replaced" }
        if outcome.skipped > 0 { return "it stays as it is" }
        if outcome.unchanged > 0 { return "there is nothing new to it" }
        return outcome.addedAsDuplicate > 0 ? "both are kept" : nil
    }
}
