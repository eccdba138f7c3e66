import ClipsCore
import Platform

extension Command {
    /// The command's help, which fits a screen of 24 rows and 80 columns unless it has a table.
    var help: String {
        if name == Command.browse.name { return Self.overview }
        let call = ["clips", name, operands].filter { !$0.isEmpty }
        var text = Self.wrapped("usage: \(call.joined(separator: " ")) [options]", indent: 7)
        text += "\n" + Self.wrapped(summary)
        if !details.isEmpty { text += "\n" + Self.paragraphs(details) }
        if let table {
            text += "\n\(table.title):\n" + table.rows.map { Self.line($0.name, $0.help) }.joined()
        }
        if !options.isEmpty { text += "\noptions:\n" + options.map { Self.line($0.usage, $0.help) }.joined() }
        text += "\n" + Self.sharedOptions
        return text + "\nexample: \(example)\n\n\(Self.statusLine)"
    }

    private static var overview: String {
        var text = "usage: clips [COMMAND] [options]\n\n\(browse.summary)\n\(paragraphs(browse.details))\n"
        for (purpose, commands) in groups {
            let names = commands.map(\.name).filter { !$0.contains(" ") }
            text += line(names.joined(separator: ", "), purpose)
        }
        let script = browse.options.map(\.usage).joined(separator: " ")
        text += "\n" + sharedOptions + wrapped("\(script): \(browse.options.first?.help ?? "")", indent: 2)
        return text + "example: \(browse.example)\n\(statusLine)"
    }

    private static var sharedOptions: String {
        let names = Option.global.map(\.usage).joined(separator: ", ")
        return wrapped("options of every command: \(names)", indent: 2)
    }

    private static let statusLine =
        "exit status: 0 done, 1 failed or not found, 2 wrong usage, 130 interrupted\n"
    private static let width = 80
    private static let indent = 24

    private static func paragraphs(_ text: String) -> String {
        text.split(separator: "\n").map { wrapped(String($0)) }.joined()
    }

    private static func line(_ name: String, _ help: String) -> String {
        let space = String(repeating: " ", count: max(2, indent - 2 - name.count))
        return wrapped("  \(name)\(space)\(help)", indent: indent)
    }

    /// The text with line breaks between words; lines after the first are indented.
    private static func wrapped(_ text: String, indent: Int = 0) -> String {
        var lines: [String] = []
        var rest = text[...]
        while rest.count > width, let space = rest.prefix(width + 1).lastIndex(of: " "),
            rest[..<space].contains(where: { $0 != " " })
        {
            lines.append(String(rest[..<space]))
            rest = String(repeating: " ", count: indent) + rest[space...].dropFirst()
        }
        return (lines + [String(rest)]).joined(separator: "\n") + "\n"
    }
}
