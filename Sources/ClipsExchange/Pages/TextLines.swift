/// The text of elements, with the line ends that a browser would show.
struct TextLines {
    private var bytes: [UInt8] = []
    private var breaks = 0
    private var hasSpace = false
    private var preformatted = 0

    /// The text without line ends around it.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns the line ends before and after an element: two for a paragraph; nil for an inline element.
    static func breaks(before name: String) -> Int? {
        if lines.contains(name) { return 1 }
        return inline.contains(name) ? nil : 2
    }

    private static let lines: Set<String> = [
        "br", "li", "tr", "dt", "dd", "option", "figcaption", "caption", "legend",
    ]
    private static let inline: Set<String> = [
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font",
        "i",
        "img", "ins", "kbd", "label", "mark", "math", "q", "rp", "rt", "ruby", "s", "samp", "small", "span",
        "strike", "strong", "sub", "sup", "td", "th", "time", "tt", "u", "var", "wbr",
    ]

    mutating func open(_ name: String) {
        if let count = Self.breaks(before: name) { breaks = max(breaks, count) }
        if name == "li" {
            start()
            bytes += Array("- ".utf8)
            hasSpace = false
        }
        if name == "td" || name == "th" { hasSpace = true }
        if name == "pre" { preformatted += 1 }
    }

    mutating func close(_ name: String) {
        if name == "pre" { preformatted -= 1 }
        if name != "br", let count = Self.breaks(before: name) { breaks = max(breaks, count) }
    }

    mutating func add(_ text: UnsafeBufferPointer<UInt8>) {
        var index = 0
        while index < text.count {
            let byte = text[index]
            let isWideSpace = byte == 0xC2 && index + 1 < text.count && text[index + 1] == 0xA0
            index += isWideSpace ? 2 : 1
            if preformatted > 0, byte == UInt8(ascii: "\n") {
                if !bytes.isEmpty || breaks == 0 { breaks += 1 }
            } else if preformatted > 0, byte == 0x20 || byte == UInt8(ascii: "\t") {
                start()
                bytes.append(byte)
            } else if byte <= 0x20 || isWideSpace || byte == 0x7F {
                hasSpace = true
            } else {
                start()
                bytes.append(byte)
            }
        }
    }

    /// Adds the line ends or the space that are due before text.
    private mutating func start() {
        if bytes.isEmpty {
        } else if breaks > 0 {
            bytes += Array(repeating: UInt8(ascii: "\n"), count: preformatted > 0 ? breaks : min(2, breaks))
        } else if hasSpace {
            bytes.append(UInt8(ascii: " "))
        }
        (breaks, hasSpace) = (0, false)
    }
}
