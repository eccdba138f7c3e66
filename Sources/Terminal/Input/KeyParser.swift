/// An error in the name of a key.
package struct KeyParserError: Error, Hashable, CustomStringConvertible {
    package let description: String
}

/// A parser of the keys in scripts and in the config file: `jj<Enter>`, `gg`, `<C-d>`.
package enum KeyParser {
    package static func keys(in text: String) throws(KeyParserError) -> [Key] {
        var keys: [Key] = []
        var rest = text[...]
        while let character = rest.popFirst() {
            if character == "<" {
                keys.append(try namedKey(&rest))
            } else if character.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            {
                throw KeyParserError(
                    description:
                        "Unexpected control character. Write its name, such as <Tab> or <C-a>."
                )
            } else {
                keys.append(.character(character))
            }
        }
        return keys
    }

    /// Parses a name after `<`. In a name, `\` escapes the next character.
    private static func namedKey(_ rest: inout Substring) throws(KeyParserError) -> Key {
        var scalars = String.UnicodeScalarView()
        var (isClosed, hasArgument) = (false, false)
        // Reads scalars, because a mark forms one character with the sign before it.
        while let scalar = rest.unicodeScalars.popFirst() {
            // After a `-`, the sign is the key, not the end of the name.
            isClosed =
                scalar == ">"
                && (hasArgument || scalars.last != "-"
                    || scalars.suffix(2).elementsEqual("--".unicodeScalars))
            if isClosed { break }
            scalars.append(scalar)
            if scalar == ":" { hasArgument = true }
            if scalar == "\\", hasArgument, let escaped = rest.unicodeScalars.popFirst() {
                scalars.append(escaped)
            }
        }
        let name = String(scalars)
        guard isClosed else {
            throw KeyParserError(description: "\"<\(name)\" has no \">\". For a literal \"<\", write <lt>.")
        }
        guard let key = Key(innerName: name) else {
            throw KeyParserError(
                description: "Unknown key <\(name)>. Use a character, <C-x>, <A-x>, <F1>, or one of "
                    + Key.plainNames.prefix(15).map { "<\($0.name)>" }.joined(separator: " ") + ".")
        }
        return key
    }
}
