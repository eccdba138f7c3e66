import ClipsCore
import Platform

extension Command {
    static let add = save(
        "add", author: "cli",
        summary: "Save URLs, a page, or a text, and print the IDs",
        example: "clips add --fetch --tag language swift.org")

    static let `extension` = save(
        "extension", author: "extension",
        summary: "Save clips as the author 'extension', like the app's extension",
        example: "clips extension --title 'Release notes' < notes.txt")

    private static func save(
        _ name: String, author: String, summary: String, example: String
    ) -> Command {
        Command(
            name: name, summary: summary,
            details: "Reads piped input: an address on one line, a page in HTML, or any other text.",
            operands: "[URL…]",
            options: [
                Option("--fetch", "save each page's title and text (1 if one fails)"),
                Option("--url", value: "URL", "page URL, like an operand", repeats: true),
                Option("--title", value: "TEXT", "title"),
                Option("--text", value: "TEXT", "text; '-' reads piped input as a text"),
                Option("--note", value: "TEXT", "note"),
                Option("--tag", value: "NAME", "tag; may be repeated", repeats: true),
                .duplicates,
                Option("--jsonl", "read JSON objects, one per line, like 'list --json'"),
                Option("--ids", "print IDs even with --quiet, or --jsonl on a terminal"),
                Option("--strict", "with --jsonl, save all lines or none"),
            ], example: example
        ) { invocation in
            // A wrong option is reported before anything is read.
            _ = try invocation.duplicates()
            guard invocation.arguments.has("--jsonl") else {
                guard !invocation.arguments.has("--strict") else {
                    throw UsageError("Option --strict requires --jsonl.")
                }
                return try await ClipCapture(invocation: invocation, author: author, command: name).run()
            }
            if let operand = invocation.arguments.operands.first {
                throw UsageError("Unexpected operand '\(operand)'.")
            }
            let ofOneClip = ["--fetch", "--url", "--title", "--text", "--note", "--tag"]
            if let option = ofOneClip.first(where: invocation.arguments.has) {
                throw UsageError("Option \(option) does not apply to --jsonl, whose lines have all fields.")
            }
            return try await JSONLinesImport(invocation: invocation, author: author, command: name).run()
        }
    }
}
