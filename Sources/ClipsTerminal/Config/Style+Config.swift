import Platform
import Terminal

/// An error in a line of the config file, or in an option.
struct ConfigError: Error, Hashable, CustomStringConvertible {
    let text: String
    var description: String { text }

    init(_ text: String) { self.text = text }
}

extension Style {
    /// Parses a style such as `bold yellow`, `#ffcc00 on 236`, or `underline`.
    init(config words: some Sequence<String>) throws(ConfigError) {
        var attributes: Attributes = []
        var colors: [Color] = [.standard, .standard]
        var (ground, isComplete) = (0, true)
        for word in words {
            isComplete = word != "on"
            if let attribute = Self.attributeNames.first(where: { $0.name == word })?.attribute {
                attributes.insert(attribute)
            } else if word == "on" {
                ground = 1
            } else if let color = Color(config: word) {
                colors[ground] = color
            } else {
                let hint = Suggestion.question(
                    for: word, in: Self.configWords, else: " Use a name, 0 to 255, or #rrggbb.")
                throw ConfigError("Unknown color '\(word)'.\(hint)")
            }
        }
        guard isComplete else { throw ConfigError("A color is missing after 'on', such as 'on 236'.") }
        self.init(foreground: colors[0], background: colors[1], attributes: attributes)
    }

    private static let attributeNames: [(name: String, attribute: Attributes)] = [
        ("bold", .bold), ("dim", .dim), ("italic", .italic), ("underline", .underline),
        ("reverse", .reverse),
    ]

    /// The words of a style, for completion.
    static let configWords = attributeNames.map(\.name) + ["on", "default"] + Color.configNames
}

extension Color {
    fileprivate static let configNames: [String] = {
        let names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]
        return names + names.map { "bright" + $0 }
    }()

    fileprivate init?(config word: String) {
        if word == "default" {
            self = .standard
        } else if let index = Self.configNames.firstIndex(of: word) {
            self = .indexed(UInt8(index))
        } else if let index = UInt8(word), word.allSatisfy(\.isNumber) {
            self = .indexed(index)
        } else if word.count == 7, word.first == "#", word.dropFirst().allSatisfy(\.isHexDigit),
            let value = UInt32(word.dropFirst(), radix: 16)
        {
            self = .rgb(value)
        } else {
            return nil
        }
    }
}
