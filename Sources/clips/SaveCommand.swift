import ClipsCore
import Glibc
import PersistentStore

extension Command {
    static let add = save(
        "add", author: "cli", summary: "Saves a clip; text may be piped in. Prints its id.",
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
                Option("--jsonl", "one JSON object a line from standard input: url, title, text, note, tags"),
                Option("--strict", "with --jsonl: all lines or none"),
            ], example: example
        ) { invocation in
            // A wrong word is told before anything is read.
            _ = try invocation.duplicates()
            guard !invocation.arguments.has("--jsonl") else {
                return try await JSONLinesImport(invocation: invocation, author: author, command: name).run()
            }
            let draft = try draft(of: invocation)
            do {
                return try await save(draft, try await invocation.openStore(author: author), invocation)
            } catch let error as StoreError {
                invocation.fail("\(error)")
                if let file = UnsavedClips.keep([draft], storePath: try invocation.storePath()) {
                    file.close()
                    invocation.fail(
                        "the clip is kept in \(file.path); 'clips \(name) --jsonl' takes it from there.")
                }
                return .failed
            }
        }
    }

    private static func draft(of invocation: Invocation) throws -> ClipDraft {
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
        let text = arguments.value("--text")
        draft.text = try text == nil || text == "-" ? pipedText(invocation, isAsked: text == "-") : text ?? ""
        guard !draft.isEmpty else { throw ClipError.emptyClip }
        return draft
    }

    private static func save(
        _ draft: ClipDraft, _ store: ClipStore, _ invocation: Invocation
    ) async throws -> ExitStatus {
        if let policy = try invocation.duplicates() {
            let (ids, outcome) = try await store.add([draft], duplicates: policy)
            if let remark = Self.remark(outcome) {
                invocation.remark("clips: this address was saved before; \(remark).")
            }
            for id in ids { invocation.output.line("\(id)") }
            return .done
        }
        let (id, earlier, _) = try await store.add(draft)
        if let first = earlier.first {
            invocation.remark("clips: this address was saved before, as clip \(first); both are kept.")
        }
        invocation.output.line("\(id)")
        return .done
    }

    private static func remark(_ outcome: DuplicateOutcome) -> String? {
        if outcome.merged > 0 { return "the two are one clip now" }
        if outcome.replaced > 0 { return "the clip is replaced" }
        if outcome.skipped > 0 { return "it stays as it is" }
        if outcome.alreadyThere > 0 { return "there is nothing new to it" }
        return outcome.keptBeside > 0 ? "both are kept" : nil
    }

    private static func pipedText(_ invocation: Invocation, isAsked: Bool) throws -> String {
        guard isAsked || StandardInput.isPiped else { return "" }
        let bytes = try StandardInput.readAll(limit: ClipDraft.largestText)
        let text = String(decoding: bytes, as: UTF8.self)
        if text.utf8.count != bytes.count {
            invocation.remark(
                "clips: the text is not all UTF-8; what could not be read is marked with \u{FFFD}.")
        }
        return text
    }
}
