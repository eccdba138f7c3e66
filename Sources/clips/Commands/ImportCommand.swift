import ClipsCore
import ClipsExchange
import FoundationEssentials
import Glibc
import PersistentStore

extension Command {
    static let `import` = Command(
        name: "import",
        summary: "Saves the clips of files.\n"
            + "Reads bookmarks of any browser (HTML, JSON, jsonlz4), JSON and CSV of services,\n"
            + "OPML, XBEL, posts XML, Markdown, JSON lines, and plain text. Reports the format,\n"
            + "the fields that are not read, and the records that cannot be read.",
        operands: "FILE…  ('-' reads what is piped in)",
        options: [
            Option(
                "--format", value: "NAME", "html, json, jsonl, csv, xml, markdown, or text",
                choices: ImportFormat.allCases.map(\.rawValue)),
            Option(
                "--duplicates", value: "HOW", "an address that is there: keep both, merge, replace, skip",
                choices: DuplicatePolicy.allCases.map(\.rawValue)),
            Option("--tag", value: "NAME", "a tag for every clip; may be repeated"),
            Option("--dry-run", "only read, and say what there is"),
        ], example: "clips import --duplicates merge ~/bookmarks.html"
    ) { invocation in
        let arguments = invocation.arguments
        guard !arguments.operands.isEmpty else { throw UsageError("Which file? Give its name, or '-'.") }
        let format = try arguments.value("--format").map { name throws(UsageError) in
            guard let format = ImportFormat(name: name) else {
                throw UsageError("There is no format '\(name)'; there are \(Self.names(ImportFormat.self)).")
            }
            return format
        }
        var importer = ClipImporter()
        importer.duplicates = try invocation.duplicates() ?? .keepBoth
        importer.tags = arguments.all("--tag")
        guard !Tags.hasComma(importer.tags) else {
            throw UsageError("A tag cannot have a comma. Give --tag once for each tag.")
        }
        PendingInterrupt.hold()
        let store = arguments.has("--dry-run") ? nil : try await invocation.openStore(author: "import")
        return await FileImport(invocation: invocation, importer: importer, format: format, store: store)
            .run()
    }

    static func names<Names: CaseIterable & RawRepresentable<String>>(_ names: Names.Type) -> String {
        names.allCases.map(\.rawValue).joined(separator: ", ")
    }
}

extension Invocation {
    /// `--duplicates`, nil when it is not given.
    func duplicates() throws(UsageError) -> DuplicatePolicy? {
        guard let word = arguments.value("--duplicates") else { return nil }
        guard let policy = DuplicatePolicy(rawValue: word) else {
            throw UsageError("--duplicates takes \(Command.names(DuplicatePolicy.self)), not '\(word)'.")
        }
        return policy
    }
}
