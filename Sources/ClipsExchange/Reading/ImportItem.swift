package import ClipsCore

/// An item of a file: a clip, or a problem.
package typealias ImportItem = Result<ClipDraft, ImportProblem>

extension ImportItem {
    static func problem(_ reason: String, line: Int = 0, changed: Int? = nil) -> ImportItem {
        .failure(ImportProblem(line: line, reason, changed: changed))
    }
}

/// A part of a file that could not be read.
package struct ImportProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line, from 1; 0 if the problem has none.
    package let line: Int
    package let reason: String
    /// The number of clips that were read with a changed or missing value; nil if a part was not read.
    package let changed: Int?

    package init(line: Int, _ reason: String, changed: Int? = nil) {
        (self.line, self.reason, self.changed) = (line, reason, changed)
    }

    package var description: String { line > 0 ? "line \(line): \(reason)." : "\(reason)." }
}

/// An error that ends the reading of a file.
package struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    /// Whether the file has a format that is not read, and nothing was read.
    package let isRefusal: Bool

    package init(_ description: String, isRefusal: Bool = false) {
        self.description = description
        self.isRefusal = isRefusal
    }

    static func refused(_ kind: String, _ advice: String) -> ImportError {
        ImportError("\(kind) \(advice)", isRefusal: true)
    }
}

/// The limits on the memory and time that a file can take.
package struct ImportLimits: Sendable {
    /// The maximum bytes of a line, record, or tag.
    package var piece = 256 << 20
    /// The maximum bytes beyond ``piece`` that are skipped to find the end of a line.
    package var skipped = 1 << 30
    /// The maximum bytes of a document that must be in memory as a whole.
    package var document = 256 << 20
    /// The maximum number of values of such a document.
    package var values = JSONParser.maxValues

    package init() {}

    static func megabytes(_ bytes: Int) -> String { "\(bytes >> 20) MB" }
}

/// The names of the non-empty fields of a file that have no counterpart in a clip.
package struct UnreadFields: Sendable {
    private(set) var names: Set<String> = []

    private static let maxNames = 100
    private static let maxLength = 60

    package init() {}

    /// The names for a message, of which it lists the first; empty if there are none.
    package var list: String { Self.list(names.sorted()) }

    package static func list(_ names: [String]) -> String {
        let more = names.count - maxListed
        return (names.prefix(maxListed) + (more > 0 ? ["and \(more) more"] : [])).joined(separator: ", ")
    }

    private static let maxListed = 20

    mutating func insert(_ name: some StringProtocol) {
        guard !name.isEmpty, names.count < Self.maxNames else { return }
        names.insert(String(name.prefix(Self.maxLength)))
    }
}
