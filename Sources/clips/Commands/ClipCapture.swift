import ClipsCore
import ClipsExchange
import ClipsTerminal
import Platform

/// Saves the clips that one call of `clips add` names: URLs, a page, or a text.
struct ClipCapture {
    let invocation: Invocation
    let author: String
    /// The name of the command.
    let command: String

    func run() async throws -> ExitStatus {
        var drafts = try drafts()
        let retention = Retention(invocation, command: command, author: author)
        var bytes: [UInt8] = []
        // From here on, a signal must not lose the input.
        PendingInterrupt.hold()
        do {
            if readsInput { try StandardInput.readAll(into: &bytes, limit: ClipDraft.largestText) }
            if bytes.count > ClipDraft.largestText {
                invocation.fail(
                    "Nothing was saved: the input exceeds \(ClipDraft.largestText >> 20) MB, the size of a clip."
                )
                if StandardInput.comesOnce { retention.retain(drafts[0], longText: bytes) }
                retention.report()
                return PendingInterrupt.isThere ? .interrupted : .failed
            }
            fill(&drafts[0], from: bytes)
            guard !Self.isEmpty(drafts[0]) else { throw ClipError.emptyClip }
            return try await save(&drafts, try await invocation.openStore(author: author))
        } catch {
            if let error = error as? InputError {
                // Nothing was entered.
                if error.isInterruption && bytes.isEmpty { return .interrupted }
                fill(&drafts[0], from: bytes)
            }
            invocation.fail(error.sentence)
            if case ClipError.emptyClip = error { return readsInput ? .failed : .wrongUsage }
            retention.retain(drafts)
            retention.report()
            return PendingInterrupt.isThere ? .interrupted : .failed
        }
    }

    /// Whether a draft has nothing to save. Tags alone are no clip to save here, but a saved clip may have no more.
    private static func isEmpty(_ draft: ClipDraft) -> Bool {
        [draft.url, draft.title, draft.text, draft.note].allSatisfy { $0.allSatisfy(\.isWhitespace) }
    }

    /// The arguments are checked before standard input is read.
    private func drafts() throws(UsageError) -> [ClipDraft] {
        let arguments = invocation.arguments
        var draft = ClipDraft()
        draft.title = arguments.value("--title") ?? ""
        draft.hasChosenTitle = !draft.title.isEmpty
        draft.note = arguments.value("--note") ?? ""
        draft.tags = try invocation.tags()
        draft.text = readsInput ? "" : arguments.value("--text") ?? ""
        var urls: [String] = []
        for operand in arguments.all("--url") + arguments.operands where !operand.isEmpty {
            guard let url = WebAddress.url(operand) else {
                throw UsageError("'\(operand)' is not a URL. Use --text to save a text.")
            }
            urls.append(url)
        }
        if urls.isEmpty && arguments.has("--fetch") { throw .missing("URL") }
        if urls.count > 1 && ["--title", "--text"].contains(where: arguments.has) {
            throw UsageError("Options --title and --text apply to one URL only.")
        }
        return urls.isEmpty
            ? [draft]
            : urls.map {
                draft.url = $0
                return draft
            }
    }

    /// Whether standard input is read: a page or a text, for at most one URL.
    private var readsInput: Bool {
        let arguments = invocation.arguments
        switch arguments.value("--text") {
        case nil:
            return !arguments.has("--fetch") && arguments.operands.count + arguments.all("--url").count < 2
                && StandardInput.isPiped
        case "-": return true
        default: return false
        }
    }

    /// Fills a draft from a page, or from any other text.
    private func fill(_ draft: inout ClipDraft, from bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        let isText = invocation.arguments.has("--text")
        if !isText, let page = WebPage(bytes, address: draft.url) {
            if bytes.count > WebPage.maxBytes {
                invocation.remark("only the first \(WebPage.maxBytes >> 20) MB of the page are read.")
            }
            var filled = draft
            page.fill(&filled)
            guard !Self.isEmpty(filled) else {
                invocation.remark("no text was found in the page, which is saved as it is.")
                draft.text = String(decoding: bytes, as: UTF8.self)
                return
            }
            if page.text.isEmpty { invocation.remark("no text was found in the page.") }
            if page.lacksLinks {
                invocation.remark("the relative links of the page are left out; --url gives its address.")
            }
            draft = filled
            return
        }
        draft.text = String(decoding: bytes, as: UTF8.self)
        // A line that is an address is saved as an operand is; --text says that it is a text.
        if draft.url.isEmpty, !isText, let url = WebAddress.url(draft.text) {
            (draft.url, draft.text) = (url, "")
            return
        }
        if draft.text.utf8.count != bytes.count {
            invocation.remark("the text is not valid UTF-8; invalid bytes are replaced by \u{FFFD}.")
        }
    }

    /// Saves the drafts one by one, and removes each saved one.
    private func save(_ drafts: inout [ClipDraft], _ store: ClipStore) async throws -> ExitStatus {
        let pages =
            invocation.arguments.has("--fetch")
            ? PageFetch(ConfigFile.read(), limit: WebPage.maxBytes) : nil
        var status = ExitStatus.done
        // The clips are saved, whether or not their IDs can be printed.
        invocation.output.surviveReader()
        var saved: [Int64] = []
        while var draft = drafts.first {
            let missing = pages.flatMap { $0.fill(&draft) { PendingInterrupt.isThere } }
            let (ids, remark) = try await save(draft, store)
            drafts.removeFirst()
            saved += ids
            if let remark { invocation.remark(remark) }
            await invocation.printSaved(ids, of: store)
            if let missing {
                let clip = ids.first.map { "Clip \($0)" } ?? "The clip"
                invocation.fail("\(clip) has no text of its page: \(missing).")
                status = missing.isInterruption ? .interrupted : .failed
            }
        }
        do {
            try invocation.output.flush()
            return status
        } catch {
            let ids = saved.map(String.init).joined(separator: ", ")
            return invocation.fail(
                "Saved as \(ids), but standard output could not be written: \(error.reason).")
        }
    }

    private func save(_ draft: ClipDraft, _ store: ClipStore) async throws -> (ids: [Int64], remark: String?)
    {
        if let policy = try invocation.duplicates(author: author), policy != .keepBoth {
            let (ids, outcome) = try await store.add([draft], duplicates: policy)
            return (ids, invocation.remark(on: outcome, "this page", author: author))
        }
        let (id, earlier, _) = try await store.add(draft)
        var outcome = DuplicateOutcome()
        if let known = earlier.first?.id {
            (outcome.addedAsDuplicate, outcome.firstExisting) = (1, known)
            outcome.formerTitle = try? await store.clip(known).displayTitle
        }
        return ([id], invocation.remark(on: outcome, "this page", author: author))
    }
}

extension PageFetch {
    /// Fills a clip from its page; returns the reason if it has no text then.
    func fill(_ draft: inout ClipDraft, isInterrupted: () -> Bool) -> PageFetch.Failure? {
        do {
            let (bytes, type, address) = try page(at: draft.url, isInterrupted: isInterrupted)
            if let page = WebPage(bytes, contentType: type, address: address) {
                page.fill(&draft)
                if page.text.isEmpty { return PageFetch.Failure("no text was found in it") }
            } else if let text = WebPage.plainText(bytes, contentType: type), !text.isEmpty {
                draft.text = text
            } else {
                return PageFetch.Failure(bytes.isEmpty ? "it is empty" : "it is neither HTML nor text")
            }
            return nil
        } catch {
            return error
        }
    }
}
