/// A key text that names no key.
package struct KeyParserError: Error, Hashable, CustomStringConvertible {
    package let description: String
}

/// Reads the keys of scripts and of the config file: `jj<Enter>`, `gg`, `<C-d>`.
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
                        "A control character cannot stand among keys; write its name, such as <Tab> or <C-a>."
                )
            } else {
                keys.append(.character(character))
            }
        }
        return keys
    }

    /// Reads on behind `<`. In a name `\` lets the next character stand for itself.
    private static func namedKey(_ rest: inout Substring) throws(KeyParserError) -> Key {
        var scalars = String.UnicodeScalarView()
        var (isClosed, hasArgument) = (false, false)
        // By scalars: a mark behind a sign would else make another of it.
        while let scalar = rest.unicodeScalars.popFirst() {
            // Behind a `-` it is the key, and not the end of its name.
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
            throw KeyParserError(description: "\"<\(name)\" has no \">\"; for the sign itself write <lt>.")
        }
        guard let key = Key(innerName: name) else {
            throw KeyParserError(
                description: "<\(name)> is not a key; write a character, <C-x> or <A-x>, <F1>, or one of "
                    + Key.plainNames.prefix(15).map { "<\($0.name)>" }.joined(separator: " ") + ".")
        }
        return key
    }
}
