import ClipsCore
import ClipsExchange
import Platform

extension Command {
    static let `import` = Command(
        name: "import",
        summary: "Save the clips in files",
        details: """
            Detects the format, and reports unread fields and unreadable records; '-' is standard input.
            Folders and lists become tags; authors, keywords, and feeds are added to the note. \
            Archived clips are hidden from the list. Bookmarks and feeds in HTML, XML, and the files of \
            browsers arrive read, all others unread, unless the file says otherwise.
            """,
        table: (
            "formats and products, and the fields that arrive next to URL and title",
            ImportForm.all.map { ("\($0.format.rawValue), \($0.product)", $0.fields) }
        ),
        operands: "FILE…",
        options: [
            Option(
                "--format", value: "NAME", "format (default: detected)",
                choices: ImportFormat.allCases.map(\.rawValue)),
            .duplicates,
            Option("--tag", value: "NAME", "tag of every clip; may be repeated", repeats: true),
            Option("--dry-run", "only read and report"),
        ], example: "clips import --duplicates merge ~/bookmarks.html"
    ) { invocation in
        let arguments = invocation.arguments
        let format = try arguments.value("--format") { ImportFormat(name: $0) }
        var importer = ClipImporter()
        importer.duplicates = try invocation.duplicates() ?? .keepBoth
        importer.tags = try invocation.tags()
        PendingInterrupt.hold()
        var (store, rejection): (ClipStore?, String?)
        do {
            // All files are one step of undo.
            if !arguments.has("--dry-run") {
                store = try await invocation.openStore(author: "import").asOneStep()
            }
        } catch  where arguments.operands.contains("-") && StandardInput.comesOnce {
            rejection = error.sentence
        }
        return await FileImport(
            invocation: invocation, importer: importer, format: format, store: store, rejection: rejection
        ).run()
    }
}

extension Option {
    static let duplicates = Option(
        "--duplicates", value: "HOW", "action for an existing URL: keep, merge, replace, skip",
        choices: DuplicatePolicy.allCases.map(\.rawValue))
}

extension Invocation {
    /// The value of `--duplicates`, if any.
    ///
    /// - Parameter author: The author of saved clips. The extension that saves a page again means the same clip.
    func duplicates(author: String? = nil) throws(UsageError) -> DuplicatePolicy? {
        try arguments.value("--duplicates") { DuplicatePolicy(rawValue: $0) }
            ?? (author == "extension" ? .merge : nil)
    }

    /// The values of `--tag`.
    func tags() throws(UsageError) -> [String] {
        let tags = arguments.all("--tag")
        guard !Tags.hasComma(tags) else {
            throw UsageError("A tag cannot contain a comma. Use --tag once for each tag.")
        }
        return tags
    }
}
